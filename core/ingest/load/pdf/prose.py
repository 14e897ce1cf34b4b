"""Lines of text into headings, paragraphs and list items."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.ingest.load.pdf.lines import BULLET, Line, segments
from core.normalize import fold

_NUMBERED = re.compile(
    r"(\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+\S|(?:cap[íi]tulo|chapter|se[çc][ãa]o|section|anexo|annex|appendix|part[e]?)\s+\w+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:art(?:igo|icle|\.)?\s*\d+|§+\s*\d+|par[áa]grafo\s+[úu]nico|cl[áa]usula\s|clause\s+\d|section\s+\d|se[çc][ãa]o\s+[\dIVX]"
    r"|\d{1,2}(?:\.\d{1,2})+\.?\s)",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"\s?(?:[.·…_] ?){5,}")
_RULER = re.compile(r"[\s=_*~.·—–-]{3,}")
_HEADING_LENGTH = 160
_TURN = 1.6  # a gap this many times the usual one starts a new paragraph
_CLITIC = re.compile(r"(?:me|te|se|lhe|lhes|nos|vos|lo|la|los|las|no|na|o|a|os|as)\b")


@dataclass(frozen=True, slots=True)
class Piece:
    """A block to be: what it is, its text, and its letters' height."""

    kind: Literal["heading", "paragraph", "list"]
    text: str
    height: float = 0.0
    bold: bool = False
    number: str = ""  # "2.1" of a numbered heading


def pieces(lines: Sequence[Line], large: float, outline: dict[str, int]) -> list[Piece]:
    """Cut a flow of lines into blocks.

    Args:
        large: height of letters from which on a line stands out, see `large_height`.
        outline: folded titles of the file's own outline, with their levels.
    """
    if not lines:
        return []
    pitch = _pitch(lines)
    right = _right(lines)
    found: list[Piece] = []
    for stretch in _stretches(lines):
        start = 0
        for at in range(1, len(stretch) + 1):
            end = at == len(stretch)
            if end or _parts(stretch[at - 1], stretch[at], stretch[start], pitch, right, large):
                found.append(_piece(stretch[start:at], right, large, outline))
                start = at
    return found


def _stretches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines between rulers made of signs; the rulers themselves say nothing."""
    stretch: list[Line] = []
    for line in lines:
        if not _RULER.fullmatch(line.text):
            stretch.append(line)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _pitch(lines: Sequence[Line]) -> float:
    """The distance between two lines of one paragraph: a low one among all, for paragraphs stand further apart."""
    steps = sorted(
        b.bottom - a.bottom for a, b in itertools.pairwise(lines) if b.bottom - a.bottom > 0.6 * b.height
    )
    return steps[len(steps) // 3] if steps else lines[0].height * 1.2


def _right(lines: Sequence[Line]) -> float:
    """Where the column ends; a few lines may reach beyond it."""
    ends = sorted(line.x1 for line in lines)
    return ends[-1 - len(ends) // 10]


def _parts(above: Line, line: Line, first: Line, pitch: float, right: float, large: float) -> bool:
    """Whether a new block starts at `line`."""
    step = line.bottom - above.bottom
    usual = min(pitch, 1.9 * line.height)
    if step > _TURN * usual or step < -line.height:
        return True
    if abs(line.height - above.height) > 0.12 * max(line.height, above.height):
        return max(line.height, above.height) >= large or step > 1.25 * usual
    if line.bold != above.bold and (_short(above, right) or above.bold):
        return True
    if BULLET.match(line.text) and (
        _short(above, right) or BULLET.match(first.text) or line.x0 > above.x0 + 2
    ):
        return True
    if step > 1.22 * usual and (_short(above, right) or above.text.rstrip()[-1:] in ".!?:;"):
        return True
    if _CLAUSE.match(line.text) and above.text.rstrip()[-1:] in ".!?:;":
        return True
    indented = line.x0 - above.x0 > 0.8 * line.height and line.x0 - first.x0 > 0.8 * line.height
    ended = above.text.rstrip()[-1:] in ".!?:;" and _short(above, right)
    return (indented and above.text.rstrip()[-1:] in ".!?:") or ended or (line.bold and bool(_numbered(line)))


def _short(line: Line, right: float) -> bool:
    """Whether a line ends well before its column does."""
    return line.x1 < right - 4 * line.height


def _numbered(line: Line) -> str:
    match = _NUMBERED.match(line.text)
    return (match[1] or "1") if match else ""


def _piece(lines: Sequence[Line], right: float, large: float, outline: dict[str, int]) -> Piece:
    broken = [line.text if at == 0 or not _broken(lines[at - 1], line, right) else f"\n{line.text}" for at, line in enumerate(lines)]  # fmt: skip
    text = joined(broken)
    first = lines[0]
    listed = bool(BULLET.match(text))
    title = fold(text) in outline
    led = bool(_LEADERS.search(text))  # a line of a table of contents
    text = _LEADERS.sub(" … ", text) if led else text
    short = len(text) <= _HEADING_LENGTH and len(lines) <= 3 and text[-1:] not in ".;," and not led
    big = all(line.height >= large for line in lines)
    strong = all(line.bold for line in lines) and len(lines) <= 2 and ": " not in text
    numbered = _numbered(first)
    alone = big or strong or (numbered and text.isupper())
    if (title or (short and alone)) and (not listed or numbered) and _names(text):
        return Piece("heading", " ".join(text.split()), first.height, first.bold, numbered)
    return Piece("list" if listed else "paragraph", text, first.height, first.bold)


def _names(text: str) -> bool:
    """Whether a line can be a name: letters, and no sign in front."""
    return sum(map(str.isalpha, text)) >= 3 and (text[0].isalnum() or text[0] in "\"'“‘«¿¡(§[")


def _broken(above: Line, line: Line, right: float) -> bool:
    """Whether a line was ended on purpose: the next word would have fitted on it."""
    first = line.words[0]
    fits = above.x1 + (first.x1 - first.x0) + 0.8 * line.height < right
    return fits or len(segments(above)) > 1 or len(segments(line)) > 1


def joined(texts: Sequence[str]) -> str:
    """Lines as running text; words cut at line ends are whole again."""
    text = ""
    for line in texts:
        if text.endswith("\u00ad"):
            cut = text[:-1]
            text = f"{cut}-{line}" if _CLITIC.match(line) and _verb(cut) else cut + line
        elif text[-1:] == "-" and text[-2:-1].isalpha() and line[:1].islower():
            text = text + line if _CLITIC.match(line) else text[:-1] + line
        else:
            text = text + line if line.startswith("\n") or not text else f"{text} {line}"
    return text.replace("\u00ad", "-").strip()


def _verb(cut: str) -> bool:
    """fazê-lo, envia-se: a pronoun after its hyphen, not a word cut in two."""
    word = cut.split()[-1] if cut.split() else ""
    return word[-1:] in "áêôâí" or word.endswith(("a", "e", "am", "em"))
