"""Running heads and feet: lines that stand at the same edge of many pages."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from core.ingest.load.pdf.lines import group_lines, segments
from core.ingest.load.pdf.words import Page, Word
from core.normalize import fold

_EDGE = 0.12  # of the page's height
_SHARE = 0.4  # of the pages that a running line stands on
_DIGITS = re.compile(r"\d+|\b[ivxl]{1,6}\b")
_COUNTED = re.compile(r"\b(?:pag|pagina|page|folha|fl)\b\.?\s*#|#\s*(?:de|of|/)\s*#")
_PAGE_NUMBER = re.compile(
    r"(?:(?:p[áa]g(?:ina|\.)?|page|p\.|folha|fl\.)\s*)?[-–—]?\s*#\s*(?:(?:de|of|/)\s*#)?\s*[-–—]?",
    re.IGNORECASE,
)


def strip_edges(pages: Sequence[Page]) -> tuple[list[Page], list[tuple[int, str, str]]]:
    """Take running heads and feet off the pages.

    Returns: the pages without them, and each such text once as (page, "header" or "footer", text); bare page numbers
    are not returned.
    """
    marked = [_edge_lines(page) for page in pages]
    seen: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for page, lines in zip(pages, marked, strict=True):
        for where, mark, text, _ in lines:
            seen.setdefault((where, mark), []).append((page.number, text))
    needed = max(2, ceil(_SHARE * len(pages)))
    copy = _is_copy(pages)
    running = {
        key
        for key, found in seen.items()
        if _runs(found)
        and ((len(found) >= needed and not copy) or (len(found) > 1 and _PAGE_NUMBER.fullmatch(key[1])))
    }
    kept: list[tuple[int, str, str]] = []
    told: set[str] = set()
    stripped = []
    for page, lines in zip(pages, marked, strict=True):
        gone: set[int] = set()
        ended: set[str] = set()  # edges whose running lines are over: what follows is text
        for where, mark, text, words in lines:
            if (where, mark) not in running or where in ended:
                ended.add(where)
                continue
            gone |= set(map(id, words))
            if mark not in told and not _PAGE_NUMBER.fullmatch(mark):
                told.add(mark)
                kept.append((page.number, where, text))
        stripped.append(
            replace(page, words=tuple(w for w in page.words if id(w) not in gone)) if gone else page
        )
    return stripped, kept


def _runs(found: Sequence[tuple[int, str]]) -> bool:
    """Whether a line is the same on its pages but for a number that counts with them.

    The last rows of a table on each page differ in their figures: they are no running line.
    """
    if len({text for _, text in found}) == 1:
        return True
    numbers = [[int(digits) for digits in re.findall(r"\d{1,9}", text)] for _, text in found]
    if len({len(row) for row in numbers}) > 1 or not numbers[0]:
        return all(_PAGE_NUMBER.fullmatch(fold(_DIGITS.sub("#", text))) for _, text in found)
    steps = [
        {row[at] - page for row, (page, _) in zip(numbers, found, strict=True)}
        for at in range(len(numbers[0]))
    ]
    same = [len({row[at] for row in numbers}) == 1 for at in range(len(numbers[0]))]
    return all(len(step) == 1 or fixed for step, fixed in zip(steps, same, strict=True))


def _is_copy(pages: Sequence[Page]) -> bool:
    """Two pages that say the same: every line of them is repeated."""
    texts = [[word.text for word in page.words] for page in pages]
    return len(pages) == 2 and texts[0] == texts[1]


def _edge_lines(page: Page) -> list[tuple[str, str, str, tuple[Word, ...]]]:
    """Lines near top and bottom, from the edge inwards: (where, text with digits masked, text, words).

    The head of a table may stand on top of every page too: a line in three pieces counts only with a page number.
    """
    top = [word for word in page.words if word.middle < _EDGE * page.height]
    bottom = [word for word in page.words if word.middle > (1 - _EDGE) * page.height]
    found = []
    for where, words in (("header", top), ("footer", bottom)):
        lines = group_lines(words)
        for line in lines if where == "header" else reversed(lines):
            mark = fold(_DIGITS.sub("#", line.text))
            tabular = len(segments(line)) > 2 and not _COUNTED.search(mark)
            found.append((where, f"{mark}\0{page.number}" if tabular else mark, line.text, line.words))
    return found
