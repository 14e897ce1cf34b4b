import pickle
import zipfile
from email.message import EmailMessage
from io import BytesIO

import pytest

from core.errors import DamagedFile, EncryptedFile, NothingInside, OversizedFile, TooNested
from core.ingest.chunk import build_chunks
from core.ingest.load.members import DEEPEST, MOST, shown_path
from core.ports import ReadLimits
from tests.core.ingest.load.making import docx, picture, read, rows, sheet, tables, texts, zipped

SALES = b"produto;qtd\nporca;3\nprego;4\n"


def test_every_member_of_a_zip_is_a_part_of_the_document_with_its_path() -> None:
    loaded = read(
        zipped(
            {
                "notas/aviso.txt": "O depósito fecha às 18 h.".encode(),
                "vendas.csv": SALES,
                "ata.docx": docx(lambda d: d.add_paragraph("A reunião foi adiada.")),
            }
        ),
        "tudo.zip",
    )

    assert loaded.media == "zip"
    assert "O depósito fecha às 18 h." in texts(loaded)
    assert "A reunião foi adiada." in texts(loaded)
    assert rows(tables(loaded)[0]) == [("porca", 3), ("prego", 4)]
    assert {item.locator.part for item in loaded.items} == {"notas/aviso.txt", "vendas.csv", "ata.docx"}
    assert len({item.locator.ordinal for item in loaded.items}) == len(loaded.items)


def test_passages_of_a_member_stand_under_its_own_title_and_not_under_its_neighbours() -> None:
    loaded = read(
        zipped({"a.md": b"# Ferias\n\nTrinta dias.\n", "b.txt": b"Sem cabecalho nenhum aqui."}), "x.zip"
    )
    chunks = build_chunks(loaded, (), "doc", characters=900)

    assert [(chunk.headings, chunk.text) for chunk in chunks] == [
        (("Ferias",), "Trinta dias."),
        (("b.txt",), "Sem cabecalho nenhum aqui."),
    ]


def test_a_long_sheet_in_a_zip_is_profiled_as_one_outside_it_is() -> None:
    rows_ = "".join(f"item {n};{n}\n" for n in range(200))
    inside = read(zipped({"vendas.csv": f"produto;qtd\n{rows_}".encode()}), "x.zip")
    chunks = build_chunks(inside, tables(inside), "doc", characters=900)

    assert [chunk.kind for chunk in chunks] == ["table"]


def test_a_member_that_cannot_be_read_is_reported_and_the_others_kept() -> None:
    loaded = read(
        zipped({"a.txt": b"Texto bom.", "b.pdf": b"%PDF-1.4 nada", "c.bin": b"\0\1\2" * 99}), "x.zip"
    )

    assert "Texto bom." in texts(loaded)
    assert [one.where for one in loaded.rejected] == ["b.pdf", "c.bin"]


def test_a_zip_without_any_readable_member_is_refused_with_the_reasons() -> None:
    with pytest.raises(NothingInside) as refusal:
        read(zipped({"b.pdf": b"%PDF-1.4 nada", "c.bin": b"\0\1\2" * 99}), "x.zip")

    assert "b.pdf" in refusal.value.say("pt")
    assert "danificado" in refusal.value.say("pt")
    assert pickle.loads(pickle.dumps(refusal.value)).say("pt") == refusal.value.say("pt")
    with pytest.raises(DamagedFile):
        read(zipped({"b.pdf": b"%PDF-1.4 nada"}), "x.zip")


def test_a_zip_in_a_zip_is_read_with_both_paths_and_bottomless_nesting_is_refused() -> None:
    data = SALES
    for level in range(DEEPEST):
        data = zipped({f"n{level}.zip" if level else "v.csv": data})
    loaded = read(data, "x.zip")

    assert loaded.items[-1].locator.part == "n2.zip · n1.zip · v.csv"
    with pytest.raises(TooNested):
        read(zipped({"n.zip": data}), "x.zip")


def test_a_zip_bomb_is_refused_by_total_by_ratio_and_by_number() -> None:
    small = ReadLimits(max_bytes=1_000_000)
    with pytest.raises(OversizedFile):
        read(zipped({f"{n}.txt": b"a" * 900_000 for n in range(20)}), "x.zip", limits=small)
    with pytest.raises(OversizedFile) as ratio:
        read(zipped({"a.txt": b"a" * 30_000_000}), "x.zip")
    assert ": 1" in ratio.value.say("en")
    many = read(zipped({f"{n:04d}.txt": b"linha de texto" for n in range(MOST + 5)}), "x.zip")
    assert many.rejected[-1].where == "+ 5 files"


def test_what_members_unpack_to_is_counted_over_all_levels() -> None:
    inner = zipped({f"{n}.txt": str(n).encode() * 450_000 for n in range(8)})
    outer = read(
        zipped({f"{n}.zip": inner + b" " * n for n in range(3)}),
        "x.zip",
        limits=ReadLimits(max_bytes=500_000),
    )

    assert any("4 MB" in one.reason for one in outer.rejected)


def test_locked_members_are_named_as_locked() -> None:
    data = bytearray(zipped({"a.txt": b"segredo"}))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = data.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        data[at] |= 1

    with pytest.raises(EncryptedFile):
        read(bytes(data), "x.zip")


def test_names_in_a_dos_code_page_are_read_and_paths_never_climb() -> None:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xxxxxxx.txt", "Texto do membro.")
    data = buffer.getvalue().replace(b"xxxxxxx.txt", "relação.txt".encode("cp850"))

    assert read(data, "x.zip").items[-1].locator.part == "relação.txt"
    assert shown_path("../../etc/x\n.txt") == "etc/x .txt"


def test_litter_of_operating_systems_is_no_member() -> None:
    loaded = read(zipped({"a.txt": b"Texto bom.", "__MACOSX/._a.txt": b"\0\5\26\7", ".DS_Store": b"\0\0"}), "x.zip")  # fmt: skip

    assert loaded.rejected == ()


def mail(*attachments: tuple[str, bytes]) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ana@example.org", "bia@example.org", "Compras"
    message.set_content("Olá,\n\nsegue a lista.\n")
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def test_attachments_of_a_mail_are_read_like_files() -> None:
    loaded = read(
        mail(("lista.xlsx", sheet(["produto", "qtd"], ["porca", 3], ["prego", 4]))).as_bytes(), "m.eml"
    )

    assert rows(tables(loaded)[0]) == [("porca", 3), ("prego", 4)]
    assert tables(loaded)[0].locator.part == "lista.xlsx"
    assert loaded.rejected == ()


def test_a_forwarded_mail_is_read_and_a_signature_logo_is_not() -> None:
    outer = mail()
    outer.add_attachment(mail(("v.csv", SALES)))
    outer.add_attachment(
        picture(40, 40), maintype="image", subtype="png", filename="logo.png", disposition="inline"
    )
    loaded = read(outer.as_bytes(), "m.eml")

    assert texts(loaded).count("segue a lista.") == 2
    assert tables(loaded)[0].locator.part.endswith("v.csv")
    assert loaded.rejected == ()
