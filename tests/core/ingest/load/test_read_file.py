import pytest

from core.errors import (
    DamagedFile,
    EmptyFile,
    EncryptedFile,
    NoTextLayer,
    OversizedFile,
    UnsupportedFile,
    WebPageInstead,
)
from core.ingest.load import BUILTIN_PARSERS
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.tables import build_tables
from core.ports import Parser, ReadLimits
from tests.core.ingest.load.making import docx, grids, pdf, picture, read, sheet, texts, zipped

LOGIN = b'<!DOCTYPE html><html lang="en"><title>Slack</title><body>Sign in</body></html>'


@pytest.mark.parametrize("data", [b"", b"  \n\t\n", b"\xef\xbb\xbf\n"])
def test_a_file_without_content_is_refused_as_empty(data: bytes) -> None:
    with pytest.raises(EmptyFile):
        read(data, "a.csv")


def test_a_file_over_the_limit_is_refused_with_both_sizes() -> None:
    with pytest.raises(OversizedFile) as refusal:
        read(b"x" * 2_000_000, "a.txt", limits=ReadLimits(max_bytes=1_000_000))

    assert "2.0 MB" in refusal.value.say("pt")
    assert "1.0 MB" in refusal.value.say("pt")


@pytest.mark.parametrize("name", ["vendas.csv", "contrato.pdf", "planilha.xlsx", "texto.docx", "foto.png"])
def test_a_login_page_under_a_files_name_is_refused_as_a_web_page(name: str) -> None:
    with pytest.raises(WebPageInstead):
        read(LOGIN, name)


def test_a_real_html_file_is_read() -> None:
    assert "Sign in" in texts(read(LOGIN, "page.html"))


def test_the_content_decides_and_not_the_name() -> None:
    assert read(sheet(["produto", "qtd"], ["porca", 3]), "dados.csv").media == "xlsx"
    assert read(docx(lambda d: d.add_paragraph("Olá")), "a.xlsx").media == "docx"
    assert read("a;b;c\n1;2;3\n4;5;6\n", "dados.txt").media == "csv"
    assert read('{"a": 1, "b": 2}', "dados.txt").media == "json"


def test_an_unknown_kind_is_refused_with_the_kinds_that_are_read() -> None:
    with pytest.raises(UnsupportedFile) as refusal:
        read(b"\x00\x01\x02\x03" * 100, "modelo.bin")

    assert "bin" in refusal.value.say("en")
    assert "xlsx" in refusal.value.say("en")


@pytest.mark.parametrize("name", ["a.pdf", "a.xlsx", "a.docx", "a.pptx"])
def test_a_truncated_file_is_refused_as_damaged(name: str) -> None:
    whole = {
        "a.pdf": pdf(lambda c: c.drawString(50, 700, "Olá")),
        "a.xlsx": sheet(["a", "b"], [1, 2]),
        "a.docx": docx(lambda d: d.add_paragraph("Olá")),
        "a.pptx": zipped({"ppt/presentation.xml": b"<p/>" * 200}),
    }[name]

    with pytest.raises(DamagedFile):
        read(whole[: len(whole) // 3], name)


def test_an_office_file_wrapped_for_a_password_is_refused_as_encrypted() -> None:
    wrapped = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + b"\0" * 500
        + "EncryptedPackage".encode("utf-16-le")
        + b"\0" * 500
    )

    with pytest.raises(EncryptedFile):
        read(wrapped, "plano.xlsx")


def test_a_zip_bomb_is_refused_before_it_unpacks() -> None:
    bomb = zipped({"xl/workbook.xml": b"<workbook/>", "xl/worksheets/sheet1.xml": b"0" * 30_000_000})

    with pytest.raises(OversizedFile):
        read(bomb, "a.xlsx", limits=ReadLimits(max_bytes=1_000_000))


def test_a_picture_without_ocr_is_refused_visibly() -> None:
    with pytest.raises(NoTextLayer):
        read(picture(), "foto.png")


def test_every_built_in_parser_keeps_the_parsers_contract() -> None:
    names = [parser.name for parser in BUILTIN_PARSERS]

    assert len(set(names)) == len(names)
    for parser in BUILTIN_PARSERS:
        checked: Parser = parser
        assert checked.kinds
        assert checked.accepts(b"\x00\x01\x02\x03" * 100, "x.bin") == 0.0


def test_source_code_is_kept_as_code() -> None:
    loaded = read('import os\n\n\ndef load(x):\n    return {"a": x}\n', "tool.py")

    assert texts(loaded, "code") == ["import os", 'def load(x):\n    return {"a": x}']
    assert not grids(loaded)


def test_kinds_of_bytes_are_told_apart() -> None:
    assert kind_of_bytes(picture(kind="JPEG"), "x") == "jpg"
    assert kind_of_bytes(picture(kind="WEBP"), "x") == "webp"
    assert kind_of_bytes(picture(kind="TIFF"), "x") == "tiff"
    assert kind_of_bytes(b"From: a@b.c\nTo: d@e.f\nSubject: oi\n\ntexto", "x") == "eml"
    assert kind_of_bytes(b'{"a": 1}\n{"a": 2}\n', "x") == "jsonl"
    assert kind_of_bytes("# Título\n\ntexto".encode(), "x") == "md"


def test_a_table_that_a_program_exported_as_xls_in_html_is_read_and_a_login_page_is_not() -> None:
    rows = "<tr><th>produto</th><th>preço</th></tr><tr><td>porca</td><td>1,50</td></tr><tr><td>prego</td><td>0,25</td></tr>"
    table = f"<html><body><table>{rows}</table></body></html>".encode()
    login = f"<html><body><form action='/in'><table>{rows}</table></form></body></html>".encode()

    loaded = read(table, "export.xls")

    assert build_tables(loaded, "d")[0].rows == (("porca", 1.5), ("prego", 0.25))
    for data, name in (
        (login, "export.xls"),
        (table, "export.csv"),
        (b"<html><body>Sign in</body></html>", "e.xls"),
    ):
        with pytest.raises(WebPageInstead):
            read(data, name)
