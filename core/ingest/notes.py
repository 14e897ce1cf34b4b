"""What was assumed or left out while reading a file, in plain words for the uploader. All texts stand here."""

import re
from dataclasses import dataclass
from functools import cache

from core.types import Language

_TEXTS: dict[str, tuple[str, str]] = {  # key: Portuguese, English
    # how bytes became text
    "encoding": ("Codificação {encoding} suposta: o arquivo não diz qual usa.", "Encoding {encoding} assumed: the file does not say which it uses."),
    "quotes": ("Aspas não fecham; foram lidas como texto comum.", "Quotation marks do not close; they were read as ordinary characters."),
    "short_rows": ("{count} linha(s) com células a menos; completadas com vazio.", "{count} row(s) with too few cells; padded with empty ones."),
    "repaired": ("{where}: separador dentro do texto, célula refeita como “{text}”.", "{where}: a separator inside the text, cell restored as “{text}”."),
    "overlong": ("mais células que colunas; o excedente ficou guardado como texto", "more cells than columns; the surplus is kept as text"),
    "formulas": ("{count} fórmula(s) sem valor calculado na planilha “{sheet}”: ficaram vazias. Abra e salve o arquivo para calculá-las.", "{count} formula(s) without a computed value in sheet “{sheet}” stayed empty. Open and save the file to compute them."),
    "cell_errors": ("{count} célula(s) com erro ({words}) na planilha “{sheet}” ficaram vazias.", "{count} cell(s) with an error ({words}) in sheet “{sheet}” stayed empty."),
    "hidden_rows": ("{count} linha(s) oculta(s) da planilha “{sheet}” (filtro?) também foram lidas e entram nas somas.", "{count} hidden row(s) of sheet “{sheet}” (a filter?) were read too and count in sums."),
    "hidden_columns": ("Colunas ocultas da planilha “{sheet}” também foram lidas.", "Hidden columns of sheet “{sheet}” were read too."),
    "hidden_sheet": ("A planilha oculta “{sheet}” também foi lida.", "The hidden sheet “{sheet}” was read too."),
    "several_tables": ("A planilha “{sheet}” tem {count} tabelas separadas.", "Sheet “{sheet}” holds {count} separate tables."),
    "joined_pages": ("Tabela(s) que continuam na(s) página(s) {pages} foram unidas.", "Table(s) that continue on page(s) {pages} were joined."),
    "no_text_pages": ("sem camada de texto e sem OCR", "no text layer and no OCR"),
    "ocr_pages": ("Páginas lidas por OCR: {pages} (confiança média {confidence} %).", "Pages read by OCR: {pages} (mean confidence {confidence}%)."),
    "low_confidence": ("OCR pouco confiável ({confidence} %)", "unreliable OCR ({confidence}%)"),
    "deleted_text": ("Trechos excluídos com controle de alterações ({count}) não foram guardados.", "Text deleted with change tracking ({count}) was not kept."),
    "repeated_edges": ("Cabeçalhos e rodapés repetidos foram guardados uma só vez.", "Repeated page headers and footers were kept once."),
    "bad_records": ("linha que não é JSON válido", "line that is not valid JSON"),
    "ocr_pictures": ("{count} figura(s) dentro do documento lida(s) por OCR, confiança média {confidence} %: {places}.", "{count} picture(s) inside the document read by OCR, mean confidence {confidence}%: {places}."),
    "where_pictures": ("{count} figura(s)", "{count} picture(s)"),
    "pictures_no_ocr": ("não lida(s): não há OCR", "not read: there is no OCR"),
    "pictures_unread": ("não lida(s): formato desconhecido ou figuras demais", "not read: unknown format or too many pictures"),
    # what is a table
    "too_wide": ("{columns} colunas são demais para uma tabela (limite {limit}); as linhas foram guardadas como texto", "{columns} columns are too many for a table (limit {limit}); its rows are kept as text"),
    "no_header": ("Tabela sem cabeçalho: colunas chamadas column_1, column_2 …", "Table without a header: columns named column_1, column_2 …"),
    "unnamed": ("Coluna(s) sem nome no cabeçalho: {names}.", "Column(s) without a name in the header: {names}."),
    "joined_header": ("Cabeçalho de {count} linhas unido (ex.: “{example}”).", "Header of {count} rows joined (e.g. “{example}”)."),
    "filled_merges": ("Células mescladas preenchidas com o valor comum.", "Merged cells filled with their common value."),
    "filled_down": ("Coluna “{column}”: células vazias preenchidas com o valor de cima.", "Column “{column}”: empty cells filled with the value above."),
    "repeated_header": ("{count} linha(s) de cabeçalho repetida(s) descartada(s).", "{count} repeated header row(s) dropped."),
    "totals": ("{count} linha(s) de total ou subtotal marcada(s) e fora das somas: {labels}.", "{count} total or subtotal row(s) marked and left out of sums: {labels}."),
    "group_rows": ("Linhas de grupo viraram a coluna “{column}”.", "Group rows became the column “{column}”."),
    "no_rows": ("Tabela só com cabeçalho, sem linhas de dados.", "Table with a header only, without data rows."),
    # what is in a column
    "missing": ("Coluna “{column}”: {count} célula(s) sem valor ({words}).", "Column “{column}”: {count} cell(s) without a value ({words})."),
    "mixed": ("Coluna “{column}” ficou como texto: só {share} % das células são números ou datas.", "Column “{column}” stays text: only {share}% of its cells are numbers or dates."),
    "two_orders": ("Coluna “{column}” ficou como texto: mistura datas dia/mês e mês/dia.", "Column “{column}” stays text: it mixes day/month and month/day dates."),
    "day_first": ("Coluna “{column}”: datas ambíguas (ex.: {example}) lidas como dia/mês/ano.", "Column “{column}”: ambiguous dates (e.g. {example}) read as day/month/year."),
    "month_first": ("Coluna “{column}”: datas ambíguas (ex.: {example}) lidas como mês/dia/ano.", "Column “{column}”: ambiguous dates (e.g. {example}) read as month/day/year."),
    "months": ("Coluna “{column}”: cada mês guardado como o seu primeiro dia.", "Column “{column}”: each month is stored as its first day."),
    "comma_decimal": ("Coluna “{column}”: vírgula lida como decimal e ponto como milhar (ex.: {example}).", "Column “{column}”: comma read as decimal mark and dot as thousands (e.g. {example})."),
    "dot_decimal": ("Coluna “{column}”: ponto lido como decimal e vírgula como milhar (ex.: {example}).", "Column “{column}”: dot read as decimal mark and comma as thousands (e.g. {example})."),
    "leading_zeros": ("Coluna “{column}” ficou como texto: tem zeros à esquerda.", "Column “{column}” stays text: it has leading zeros."),
    "long_digits": ("Coluna “{column}” ficou como texto: números longos demais para contas.", "Column “{column}” stays text: its numbers are too long to compute with."),
    "currencies": ("Coluna “{column}” ficou como texto: mistura moedas ({found}).", "Column “{column}” stays text: it mixes currencies ({found})."),
    "units": ("Coluna “{column}” ficou como texto: mistura unidades ({found}).", "Column “{column}” stays text: it mixes units ({found})."),
    "bad_cell": ("não é um valor do tipo da coluna ({kind}); ficou vazia", "not a value of the column's type ({kind}); left empty"),
    "where": ("linha {row}, coluna {column}", "row {row}, column {column}"),
    "where_row": ("linha {row}", "row {row}"),
    "where_page": ("página {page}", "page {page}"),
    "group": ("grupo", "group"),
    "number": ("número", "number"),
    "date": ("data", "date"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to tell the uploader: which text, and the facts that fill it."""

    key: str
    facts: tuple[tuple[str, str | int], ...] = ()

    def say(self, language: Language) -> str:
        """The sentence; undecided documents get Portuguese."""
        portuguese, english = _TEXTS[self.key]
        return (english if language == "en" else portuguese).format(**dict(self.facts))


def note(key: str, **facts: str | int) -> Note:
    return Note(key, tuple(facts.items()))


_INNER = frozenset({"where", "kind"})  # facts that are such texts themselves


def said_in(text: str, language: Language) -> str:
    """A text that was kept in the document's language, in its reader's; one that is none of these stays as it is.

    What is kept is the sentence, since the readers of plugins bring sentences of their own.
    """
    for key, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found:
            facts = {
                name: said_in(value, language) if name in _INNER else value
                for name, value in found.groupdict().items()
            }
            return note(key, **facts).say(language)
    return text


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Every text in both languages as a pattern that finds its facts; those with more fixed words first."""
    pairs = [(key, text) for key, texts in _TEXTS.items() for text in texts]
    pairs.sort(key=lambda pair: (-len(re.sub(r"\{\w+\}", "", pair[1])), pair))
    return tuple((key, _pattern(text)) for key, text in pairs)


def _pattern(text: str) -> re.Pattern[str]:
    fixed = re.split(r"\{(\w+)\}", text)
    parts = (f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(fixed))
    return re.compile("".join(parts), re.DOTALL)
