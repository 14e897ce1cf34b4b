"""The numbers that Word prints in front of paragraphs but does not store in them: 1., 2.1, (a), IV."""

from collections import defaultdict
from dataclasses import dataclass, field

from docx.oxml.ns import qn
from lxml import etree

_LEVELS = 9


@dataclass(frozen=True, slots=True)
class _Level:
    kind: str = "bullet"  # "decimal", "lowerLetter", "upperRoman", "bullet", "none" ...
    text: str = ""  # "%1.%2"
    start: int = 1


@dataclass(slots=True)
class Numbering:
    """Counters of one document, advanced paragraph by paragraph."""

    lists: dict[str, str]  # numId -> abstract list
    levels: dict[tuple[str, int], _Level]  # (abstract list, level)
    counts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0] * _LEVELS))

    def label(self, number: str, level: int) -> str:
        """Count one paragraph and return its printed label: "2.1"; "" for bullets and unknown lists."""
        abstract = self.lists.get(number, "")
        rule = self.levels.get((abstract, level), _Level())
        if rule.kind in ("bullet", "none") or not 0 <= level < _LEVELS:
            return ""
        counts = self.counts[abstract]
        counts[level] = counts[level] + 1 if counts[level] else rule.start
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)
        label = rule.text
        for deep in range(level + 1):
            other = self.levels.get((abstract, deep), _Level("decimal"))
            label = label.replace(f"%{deep + 1}", printed(counts[deep] or other.start, other.kind))
        return label.strip()


def read_numbering(root: etree._Element | None) -> Numbering:
    """The lists of a numbering part; none where the document has none."""
    lists: dict[str, str] = {}
    levels: dict[tuple[str, int], _Level] = {}
    for abstract in root.iter(qn("w:abstractNum")) if root is not None else ():
        identity = abstract.get(qn("w:abstractNumId"), "")
        for level in abstract.iter(qn("w:lvl")):
            levels[identity, int(level.get(qn("w:ilvl"), "0"))] = _Level(
                _value(level, "w:numFmt") or "decimal",
                _value(level, "w:lvlText"),
                int(_value(level, "w:start") or 1),
            )
    for number in root.iter(qn("w:num")) if root is not None else ():
        lists[number.get(qn("w:numId"), "")] = _value(number, "w:abstractNumId")
    return Numbering(lists, levels)


def printed(number: int, kind: str) -> str:
    """A counter as Word prints it: 4 is "4", "d" or "iv"."""
    if kind in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman"):
        roman = _roman(number)
        return roman if kind == "upperRoman" else roman.lower()
    return f"{number:02d}" if kind == "decimalZero" else str(number)


def _roman(number: int) -> str:
    signs = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip
    text = ""
    for value, sign in signs:
        text += sign * (number // value)
        number %= value
    return text


def _value(element: etree._Element, tag: str) -> str:
    child = element.find(qn(tag))
    return child.get(qn("w:val"), "") if child is not None else ""
