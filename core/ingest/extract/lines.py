"""Headings, `key: value` lines, labelled entries, list items and table rows: relations that layout states."""

import re
from collections.abc import Iterator

from core.language import listed
from core.normalize import canonical_name, fold

_NUMBERING = re.compile(
    r"^\s*(?:(?:cap[ií]tulo|chapter|se[cç][aã]o|section|art(?:igo|icle)?\.?|anexo|annex|appendix|parte|part)\s+)?"
    r"(?:\d+(?:\.\d+)*[.)º]?|[IVXLC]+(?=\s*[-–—.:)])|[a-zA-Z]\))\s*[-–—.:)]*\s+",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•‣▪–—·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+")
_KEY_VALUE = re.compile(r"^\s*([^:;!?\n]{2,45}?)\s*:\s+(\S.*)$", re.DOTALL)
_CLAUSE_NUMBER = re.compile(
    r"^\s*(?:§\s*\d+[ºª]?|art(?:igo|icle)?\.?\s*\d+[ºª.]*|\d+(?:\.\d+)+\.?)\s+(?=\S)", re.IGNORECASE
)
_CODE_FIRST = re.compile(r"^([A-Za-z]{1,6}[-/]?\d[\w./-]*)\s*(?:[-–—:]\s*)?(\S.*)$")
_GENERIC_HEADINGS = frozenset(
    listed(
        """objetivo objetivos escopo introducao contato contatos telefones ramais responsabilidades definicoes anexos
        referencias historico observacoes observacao notas nota duvidas duvida atencao aviso exemplo obs contato telefone ramal horario geral resumo apresentacao conclusao finalidade abrangencia
        indice sumario excecoes generalidades purpose scope introduction contact contacts note notes questions question warning example phone extension responsibilities definitions
        references notes overview general summary background appendix faq changelog exceptions history glossary glossario"""
    )
)
_IDENTITY = frozenset(
    listed(
        """nome area setor sistema produto equipamento maquina projeto cliente servico processo unidade equipe filial
        disciplina curso obra contrato fornecedor departamento codigo item componente aplicacao modelo paciente caso
        name department system product equipment machine project client customer service process unit team site course
        contract supplier vendor component application module model host server device asset ship vessel vehicle"""
    )
)
_EMPTY_VALUES = frozenset(
    listed(
        "sim nao yes no n/a na ok ativo ativa inativo ativos alta media baixa alto medio baixo high medium low true false x"
    )
)


def strip_numbering(heading: str) -> str:
    """ "3.1 Oficina Térmica" without its number."""
    return _NUMBERING.sub("", heading.strip()).strip()


def heading_topic(headings: tuple[str, ...], title: str) -> str:
    """The thing the innermost telling heading names, canonical; empty where headings name no thing."""
    for heading in (*reversed(headings), title):
        name = strip_numbering(heading)
        headed = headed_name(heading)
        if headed is not None:
            return headed[0]
        words = name.split()
        if not words or len(words) > 7 or name.endswith(("?", ":")) or is_generic(name):
            continue
        if fold(words[0]) in _ASKING or any(mark in name for mark in ":;"):
            continue
        return canonical_name(name)
    return ""


_ASKING = frozenset(
    listed("quem que qual quando onde como quanto porque o_que who what which when where how why whom")
)


def is_named(heading: str) -> bool:
    """Whether a heading is the name of one thing: a code, or capitals beyond its first word."""
    words = strip_numbering(heading).split()
    content = [word for word in words if len(word) > 3 or any(c.isdigit() for c in word) or word.isupper()]
    capitals = sum(word[0].isupper() or any(c.isdigit() for c in word) for word in content)
    return (
        len(content) >= 1
        and capitals == len(content)
        and (len(content) > 1 or any(c.isdigit() for c in content[0]))
    )


def split_bullet(line: str) -> tuple[bool, str]:
    """Whether a line is a list item, and the line without its mark; a paragraph's number ("6.1") is no list mark."""
    bare = _BULLET.sub("", line, count=1)
    return bare != line, _CLAUSE_NUMBER.sub("", bare, count=1).strip()


def headed_name(heading: str) -> tuple[str, str] | None:
    """ "P-310 Manteiga Pedra Alva" and "UN-2 – Unidade Norte" as (name, code), canonical."""
    match = _CODE_FIRST.match(strip_numbering(heading))
    if match is None or not is_named(match.group(2)):
        return None
    return canonical_name(match.group(2)), canonical_name(match.group(1))


def key_value(line: str) -> tuple[str, str] | None:
    """ "Responsável: Oficina Térmica" as ("Responsável", "Oficina Térmica"); None for other lines."""
    match = _KEY_VALUE.match(line)
    if match is None or len(match.group(1).split()) > 5 or "http" in match.group(1):
        return None
    return match.group(1).strip(), match.group(2).strip()


def is_generic(name: str) -> bool:
    """Whether a heading or key says nothing about its thing: "Contatos", "3. Exceções e dúvidas"."""
    return all(fold(word).strip(",") in _GENERIC_HEADINGS or len(word) < 3 for word in name.split())


def is_identity(key: str) -> bool:
    """Whether a key introduces the thing itself: "Equipamento: Prensa PH-200"."""
    return canonical_name(key).split(" ")[0] in _IDENTITY and len(key.split()) <= 3


def is_telling(value: str) -> bool:
    """Whether a cell or value names something rather than a number, a date, a yes or a sentence."""
    name = canonical_name(value)
    letters = sum(char.isalpha() for char in name)
    return letters >= 2 and name not in _EMPTY_VALUES and len(name.split()) <= 8 and letters * 3 >= len(name)


def row_relations(text: str) -> Iterator[tuple[str, str, str]]:
    """(row entity, column, value) of the `column: value; column: value` lines of a table passage."""
    for line in text.split("\n"):
        cells = [cell.split(": ", 1) for cell in line.split("; ")]
        if len(cells) < 2 or any(len(cell) != 2 for cell in cells):
            continue
        entity = cells[0][1]
        if not is_telling(entity):
            continue
        for column, value in cells[1:]:
            if is_telling(value) and canonical_name(value) != canonical_name(entity):
                yield canonical_name(entity), column.strip().lower(), canonical_name(value)
