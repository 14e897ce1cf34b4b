"""What the visible documents call things: names, values, columns. Recognises them in lower case and without accents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.lexicon import FUNCTION_WORDS
from core.normalize import words
from core.types import Heading

LONGEST = 6  # words a name may have; longer headings are sentences, not names


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of the vocabulary found in a text. `start` and `end` count words, end excluded."""

    text: str  # folded, as the vocabulary has it
    kind: str  # the Heading's kind
    group: str  # what it is a value of (column name), or its kind where that is unknown
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names by their first word, longest first. Built from the headings of one view, so nothing else can leak in."""

    names: Mapping[str, tuple[tuple[tuple[str, ...], str, str], ...]] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # group -> its folded names, sorted

    @classmethod
    def build(cls, headings: Iterable[Heading]) -> "Vocabulary":
        """Column and table names, values and entities; section headings are topics, not names."""
        found: dict[tuple[str, ...], tuple[str, str]] = {}
        groups: dict[str, set[str]] = {}
        for heading in sorted(set(headings), key=lambda h: (_RANK.get(h.kind, 9), h.kind, h.text, h.group)):
            parts = words(heading.text)
            if heading.kind not in _RANK or not 0 < len(parts) <= LONGEST or _is_empty(parts):
                continue
            group = heading.group or heading.kind
            groups.setdefault(group, set()).add(" ".join(parts))
            found.setdefault(parts, (heading.kind, group))
        by_first: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
        for parts, (kind, group) in found.items():
            by_first.setdefault(parts[0], []).append((parts, kind, group))
        return cls(
            {
                first: tuple(sorted(rows, key=lambda r: (-len(r[0]), r[0])))
                for first, rows in by_first.items()
            },
            {group: tuple(sorted(names)) for group, names in sorted(groups.items())},
        )

    def mentions(self, tokens: tuple[str, ...]) -> tuple[Mention, ...]:
        """Names in a text's folded words, left to right, longest match first, never overlapping."""
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            mention = self._at(tokens, at)
            if mention:
                found.append(mention)
            at = mention.end if mention else at + 1
        return tuple(found)

    def _at(self, tokens: tuple[str, ...], at: int) -> Mention | None:
        for parts, kind, group in self.names.get(tokens[at], ()):
            if tokens[at : at + len(parts)] == parts:
                return Mention(" ".join(parts), kind, group, at, at + len(parts))
        return None


# A word that is both a value and a column counts as the value: it narrows the question more.
_RANK = {"value": 0, "entity": 1, "column": 2, "table": 3}


def _is_empty(parts: tuple[str, ...]) -> bool:
    """Numbers and function words name nothing: they are read by the question's grammar."""
    return all(part in FUNCTION_WORDS or len(part) < 2 or part[0].isdigit() for part in parts)


NO_VOCABULARY = Vocabulary()
