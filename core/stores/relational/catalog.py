"""The tables of one view under the names its readers know: file name, then sheet or caption."""

import re
from dataclasses import dataclass, replace

from core.normalize import fold
from core.stores.relational.profile import TableProfile
from core.stores.relational.unpivot import long_form
from core.stores.relational.wording.words import name_words
from core.types import View

_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table of the view. `name` is unique in the view and a plain SQL identifier."""

    name: str
    profile: TableProfile
    words: tuple[str, ...]  # folded words of sheet, caption and file name: what people call the table
    parts: tuple[tuple[str, ...], ...]  # words of the sheet, of the caption, of the file's name


@dataclass(frozen=True, slots=True)
class Catalog:
    """All tables of a view, in the order of their placements."""

    tables: tuple[NamedTable, ...]

    def table(self, name: str) -> NamedTable:
        """By display name, whatever the case. Raises: KeyError."""
        for candidate in self.tables:
            if candidate.name == name.lower():
                return candidate
        raise KeyError(name)


def build_catalog(profiles: tuple[TableProfile, ...], view: View) -> Catalog:
    """Name the tables of a view. Only the view's own placements give names, so nothing else can change them."""
    placed = sorted(
        (profile for profile in profiles if profile.document in view.documents),
        key=lambda profile: (_file_name(profile, view), profile.document, profile.position),
    )
    alone = {
        document
        for document in view.documents
        if sum(profile.document == document for profile in placed) == 1
    }
    taken: set[str] = set()
    named: list[NamedTable] = []
    for profile in placed:
        table = _named(profile, view, profile.document in alone, taken)
        named.append(table)
        long = long_form(profile)
        if long is not None:
            name = _free(f"{table.name}_por_{long.columns[-2].key}", taken)
            named.append(replace(table, name=name, profile=long))
    return Catalog(tuple(named))


def _file_name(profile: TableProfile, view: View) -> str:
    return view.placement(profile.document).name


def _named(profile: TableProfile, view: View, alone: bool, taken: set[str]) -> NamedTable:
    stem = _EXTENSION.sub("", _file_name(profile, view))
    part = profile.sheet or profile.caption or (profile.headings[-1] if profile.headings else "")
    name = stem if alone or not part else f"{stem}_{part}"
    parts = tuple(name_words(part) for part in (profile.sheet, profile.caption, stem) if name_words(part))
    words = tuple(dict.fromkeys(word for part in parts for word in part))
    return NamedTable(_free(name, taken), profile, words, parts)


def _free(name: str, taken: set[str]) -> str:
    """A plain identifier that no other table of the view has."""
    plain = _NOT_PLAIN.sub("_", fold(name)).strip("_")[:_LONGEST_NAME].strip("_") or "tabela"
    plain = f"t_{plain}" if plain[0].isdigit() else plain
    candidate, number = plain, 2
    while candidate in taken:
        candidate, number = f"{plain}_{number}", number + 1
    taken.add(candidate)
    return candidate
