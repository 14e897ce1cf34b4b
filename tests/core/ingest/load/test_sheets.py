import datetime
import io
import zipfile
from typing import Any

import pytest

from core.errors import OversizedFile
from tests.core.ingest.load.making import read, rows, sheet, tables, texts, xlsx, zipped

MANIFEST = b'<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'


def test_merged_header_rows_are_joined() -> None:
    def build(book: Any) -> None:
        ws = book.active
        for row in (["Região", "2024", None, "2025", None], [None, "Q1", "Q2", "Q1", "Q2"], ["Norte", 1, 2, 3, 4], ["Sul", 5, 6, 7, 8]):  # fmt: skip
            ws.append(row)
        for merged in ("A1:A2", "B1:C1", "D1:E1"):
            ws.merge_cells(merged)

    table = tables(read(xlsx(build), "a.xlsx"))[0]

    assert [c.name for c in table.columns] == ["Região", "2024 Q1", "2024 Q2", "2025 Q1", "2025 Q2"]
    assert table.rows == (("Norte", 1, 2, 3, 4), ("Sul", 5, 6, 7, 8))


def test_a_merged_cell_holds_for_all_its_rows() -> None:
    def build(book: Any) -> None:
        for row in (
            ["Região", "Cidade", "Vendas"],
            ["Norte", "Manaus", 3],
            [None, "Belém", 4],
            ["Sul", "Curitiba", 5],
        ):
            book.active.append(row)
        book.active.merge_cells("A2:A3")

    table = tables(read(xlsx(build), "a.xlsx"))[0]

    assert sum(row[2] for row in table.rows if row[0] == "Norte") == 7


def test_a_sheet_formatted_to_its_last_row_is_read_at_once() -> None:
    def build(book: Any) -> None:
        book.active.append(["a", "b"])
        book.active.append([1, 2])
        book.active.cell(1_048_576, 1).number_format = "0.00"

    assert tables(read(xlsx(build), "a.xlsx"))[0].rows == ((1, 2),)


def test_cells_at_opposite_corners_are_refused_instead_of_filling_the_memory() -> None:
    def build(book: Any) -> None:
        book.active["A1"] = 1
        book.active["XFD1048576"] = 2

    with pytest.raises(OversizedFile):
        read(xlsx(build), "a.xlsx")


def test_tables_parted_by_blank_rows_are_separate_and_share_the_sheets_title() -> None:
    found = tables(read(sheet(["Relatório"], [], ["p", "q"], ["x", 1], [], ["r", "t"], ["y", 2]), "a.xlsx"))

    assert [[c.name for c in table.columns] for table in found] == [["p", "q"], ["r", "t"]]
    assert found[0].caption == "Relatório"
    assert found[1].headings == ("Relatório",)


def test_tables_side_by_side_are_separate() -> None:
    found = tables(read(sheet(["Produto", "Qtd", None, "Região", "Meta"], ["a", 1, None, "N", 5], ["b", 3, None, "S", 6]), "a.xlsx"))  # fmt: skip

    assert [table.rows for table in found] == [(("a", 1), ("b", 3)), (("N", 5), ("S", 6))]


def test_a_blank_row_inside_one_table_does_not_cut_it() -> None:
    found = tables(
        read(sheet(["Produto", "Qtd"], ["a", 1], ["b", 2], [], ["c", 3], [], ["Total", 6]), "a.xlsx")
    )

    assert len(found) == 1
    assert [row[0] for row in rows(found[0])] == ["a", "b", "c"]
    assert found[0].totals == {3}


def test_percentages_and_currencies_are_read_as_they_are_shown() -> None:
    def build(book: Any) -> None:
        for row in (["Conta", "Valor", "Margem"], ["Receita", 100.5, 0.125], ["Custo", -40.25, 0.08]):
            book.active.append(row)
        for at in (2, 3):
            book.active.cell(at, 2).number_format = '"R$" #,##0.00'
            book.active.cell(at, 3).number_format = "0.0%"

    table = tables(read(xlsx(build), "a.xlsx"))[0]

    assert [column.unit for column in table.columns] == ["", "R$", "%"]
    assert table.rows == (("Receita", 100.5, 12.5), ("Custo", -40.25, 8.0))


def test_one_percentage_among_other_figures_keeps_its_sign() -> None:
    def build(book: Any) -> None:
        for row in (["Indicador", "Valor"], ["Margem", 0.125], ["Receita", 1000.5], ["Lucro", 20]):
            book.active.append(row)
        book.active["B2"].number_format = "0.0%"

    loaded = read(xlsx(build), "a.xlsx")

    assert tables(loaded)[0].rows[0] == ("Margem", "12.5%") or tables(loaded)[0].columns[1].type == "real"


def test_dates_times_and_durations_keep_their_meaning() -> None:
    table = tables(
        read(
            sheet(
                ["Data", "Hora", "Duração", "Ativo"],
                [
                    datetime.date(2024, 1, 2),
                    datetime.time(8, 30),
                    datetime.timedelta(hours=1, minutes=5),
                    True,
                ],
                [datetime.date(2024, 2, 3), datetime.time(9, 0), datetime.timedelta(minutes=45), False],
            ),
            "a.xlsx",
        )
    )[0]

    assert [column.type for column in table.columns] == ["date", "text", "text", "boolean"]
    assert table.rows[0] == ("2024-01-02", "08:30:00", "1:05:00", True)


def test_hidden_sheets_and_uncomputed_formulas_are_reported() -> None:
    def build(book: Any) -> None:
        for row in (["x", "y", "soma"], [1, 2, "=A2+B2"], [3, 4, "=A3+B3"]):
            book.active.append(row)
        secret = book.create_sheet("Oculta")
        secret.append(["k", "v"])
        secret.append(["a", 1])
        secret.sheet_state = "hidden"

    loaded = read(xlsx(build), "a.xlsx")

    assert any("Oculta" in told for told in loaded.assumptions)
    assert any("2 fórmula" in told or "2 formula" in told for told in loaded.assumptions)
    assert [table.locator.sheet for table in tables(loaded)] == ["Sheet", "Oculta"]


def test_what_a_reader_of_the_sheet_sees_and_its_values_do_not_tell_is_reported() -> None:
    def build(book: Any) -> None:
        for row in (["Item", "Qtd"], ["a", 1], ["b", "#N/A"], ["c", 3], ["d", "#DIV/0!"]):
            book.active.append(row)
        book.active.row_dimensions[2].hidden = True
        book.active.column_dimensions["B"].hidden = True

    loaded = read(xlsx(build), "a.xlsx")

    assert tables(loaded)[0].rows == (("a", 1), ("b", None), ("c", 3), ("d", None))
    told = " ".join(loaded.assumptions)
    assert "2 célula(s) com erro (#DIV/0!, #N/A)" in told
    assert "1 linha(s) oculta(s)" in told
    assert "Colunas ocultas" in told


def test_a_sheet_without_anything_hidden_or_failed_is_not_reported() -> None:
    assert read(sheet(["Item", "Qtd"], ["a", 1], ["b", 2]), "a.xlsx").assumptions == ()


def test_codes_whose_number_format_shows_leading_zeros_keep_them() -> None:
    def build(book: Any) -> None:
        for row in (["Conta", "Valor"], [7, 10], [120, 20]):
            book.active.append(row)
        for at in (2, 3):
            book.active.cell(at, 1).number_format = "00000"

    table = tables(read(xlsx(build), "a.xlsx"))[0]

    assert table.rows == (("00007", 10), ("00120", 20))
    assert [column.unit for column in table.columns] == ["", ""]


def test_footnotes_and_forms_are_text_beside_the_table() -> None:
    loaded = read(sheet(["Empresa:", "ACME"], ["Período:", "2024"], [], ["Item", "Valor", "Obs"], ["a", 1, "x"], ["b", 2, "y"], ["Fonte: sistema interno de gestão"]), "a.xlsx")  # fmt: skip

    assert "Empresa: ACME" in texts(loaded)
    assert "Fonte: sistema interno de gestão" in texts(loaded)
    assert len(tables(loaded)[0].rows) == 2


def test_an_open_document_spreadsheet_is_read() -> None:
    cells = "".join(
        f'<table:table-row><table:table-cell office:value-type="string"><text:p>{name}</text:p></table:table-cell>'
        f'<table:table-cell office:value-type="{kind}" {value}><text:p>{shown}</text:p></table:table-cell></table:table-row>'
        for name, kind, value, shown in (
            ("produto", "string", "", "qtd"),
            ("porca", "float", 'office:value="3"', "3"),
            ("prego", "float", 'office:value="4"', "4"),
        )
    )
    content = (
        '<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
        f'<office:body><office:spreadsheet><table:table table:name="Dados">{cells}</table:table></office:spreadsheet></office:body></office:document-content>'
    )
    data = zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": MANIFEST,
            "content.xml": content.encode(),
        }
    )
    loaded = read(data, "a.ods")

    assert loaded.media == "ods"
    assert tables(loaded)[0].rows == (("porca", 3), ("prego", 4))


def test_a_workbook_with_an_encrypted_member_says_so() -> None:
    data = bytearray(sheet(["a", "b"], [1, 2]))
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)

    from core.errors import EncryptedFile

    with pytest.raises(EncryptedFile):
        read(bytes(data), "a.xlsx")


def test_a_member_that_is_larger_than_it_claims_is_refused() -> None:
    original = zipfile.ZipFile(io.BytesIO(sheet(["a", "b"], [1, 2])))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in original.namelist():
            archive.writestr(name, original.read(name))
    data = bytearray(buffer.getvalue())
    at = data.find(b"PK\x01\x02")
    while b"sheet1.xml" not in data[at : at + 80]:
        at = data.find(b"PK\x01\x02", at + 4)
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")

    from core.errors import DamagedFile

    with pytest.raises(DamagedFile):
        read(bytes(data), "a.xlsx")
