"""Which tables of a view belong together: a column of one refers to a key of the other.

Equal numbers prove nothing (every table counts from 1), so names must agree as well: the same header in both
tables, or a header that holds the other table's name ("visitor_ID", "country code").
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.stores.relational.catalog import Catalog, NamedTable
from core.stores.relational.link.index import word_keys
from core.stores.relational.profile import ColumnProfile
from core.stores.relational.wording.words import light_stem, word_set
from core.types import Value

Values = Callable[[NamedTable, ColumnProfile], frozenset[Value]]

_GENERIC = frozenset(
    light_stem(word)
    for word in sorted(word_set("id ids code codigo cod name nome num number numero no nr key chave"))
)
_LEAST_OVERLAP = 0.75  # share of the referring values that the key holds
_MOST_JOINS = 60


@dataclass(frozen=True, slots=True)
class Link:
    """Rows of table `many` refer by `column` to the key of table `one` (positions in the catalog)."""

    many: int
    column: int
    one: int
    key: int


def find_links(catalog: Catalog, values: Values) -> tuple[Link, ...]:
    """All links between tables of the view, in a fixed order."""
    found = []
    for one, target in enumerate(catalog.tables):
        if target.profile.source or target.profile.rows < 2:
            continue
        for key in target.profile.columns:
            if not _is_key(target, key):
                continue
            for many, source in enumerate(catalog.tables):
                if many != one and not _same_file_form(source, target):
                    found += _links(many, source, one, target, key, values)
    return tuple(found[:_MOST_JOINS])


def _same_file_form(source: NamedTable, target: NamedTable) -> bool:
    return source.profile.id.split("#")[0] == target.profile.id.split("#")[0]


def _is_key(table: NamedTable, column: ColumnProfile) -> bool:
    if column.role in ("measure", "date", "flag") and not (
        column.type == "integer" and _generic_only(column)
    ):
        return column.type == "integer" and column.unique and _ends_generic(column)
    return column.unique and column.filled == table.profile.rows


def _generic_only(column: ColumnProfile) -> bool:
    return all(light_stem(word) in _GENERIC for word in column.words)


def _ends_generic(column: ColumnProfile) -> bool:
    return bool(column.words) and light_stem(column.words[-1]) in _GENERIC


def _links(
    many: int, source: NamedTable, one: int, target: NamedTable, key: ColumnProfile, values: Values
) -> list[Link]:
    found = []
    for column in source.profile.columns:
        if column.numeric != key.numeric or not column.filled or column.type in ("real", "date", "boolean"):
            continue
        if not _names_agree(column, key, source, target):
            continue
        if (
            column.unique
            and key.unique
            and _stems(key.words) & _stems(source.words)
            and not _stems(key.words) & _stems(target.words)
        ):
            continue  # one to one: the key stands in the table that it is named after
        held, referred = values(target, key), values(source, column)
        if referred and len(held & referred) / len(referred) >= _LEAST_OVERLAP:
            found.append(Link(many, column.position, one, key.position))
    return found


def _stems(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(light_stem(word) for word in words)


def _names_agree(column: ColumnProfile, key: ColumnProfile, source: NamedTable, target: NamedTable) -> bool:
    mine, theirs = _stems(column.words), _stems(key.words)
    called = _stems(target.words)
    if mine == theirs and not mine <= _GENERIC:
        return True
    if (
        mine == theirs
        and column.type == "text"
        and light_stem("codigo") in mine | {light_stem("code")} & mine
    ):
        return True
    telling = mine - _GENERIC
    if telling & called and (theirs <= _GENERIC | called):
        return True
    return bool(telling) and _means(column, key)


def _means(column: ColumnProfile, key: ColumnProfile) -> bool:
    """ "Produto" and "Product": every telling word of one has a synonym in the other."""
    if column.type != "text" or key.type != "text" or len(column.words) != len(key.words):
        return False
    theirs = {k for word in key.words for k, _ in word_keys(word)}
    return all({k for k, _ in word_keys(word)} & theirs for word in column.words)
