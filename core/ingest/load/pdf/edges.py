"""Running heads and feet: lines that stand at the same edge of many pages."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.ingest.load.pdf.lines import group_lines
from core.ingest.load.pdf.words import Page, Word
from core.normalize import fold

_EDGE = 0.12  # of the page's height
_DIGITS = re.compile(r"\d+|\b[ivxl]{1,6}\b")
_PAGE_NUMBER = re.compile(
    r"(?:(?:p[áa]g(?:ina|\.)?|page|p\.|folha|fl\.)\s*)?[-–—]?\s*#\s*(?:(?:de|of|/)\s*#)?\s*[-–—]?",
    re.IGNORECASE,
)


def strip_edges(pages: Sequence[Page]) -> tuple[list[Page], list[tuple[int, str, str]]]:
    """Take running heads and feet off the pages.

    Returns: the pages without them, and each such text once as (page, "header" or "footer", text); bare page numbers
    are not returned.
    """
    if len(pages) < 3:
        return list(pages), []
    seen: Counter[tuple[str, str]] = Counter()
    for page in pages:
        seen.update({(where, mark) for where, mark, _, _ in _edge_lines(page)})
    needed = max(3, 0.4 * len(pages))
    running = {key for key, count in seen.items() if count >= needed}
    running |= {key for key, count in seen.items() if count >= 2 and _PAGE_NUMBER.fullmatch(key[1])}
    kept: list[tuple[int, str, str]] = []
    told: set[str] = set()
    stripped = []
    for page in pages:
        gone: set[int] = set()
        for where, mark, text, words in _edge_lines(page):
            if (where, mark) not in running:
                continue
            gone |= set(map(id, words))
            if mark not in told and not _PAGE_NUMBER.fullmatch(mark):
                told.add(mark)
                kept.append((page.number, where, text))
        stripped.append(
            replace(page, words=tuple(w for w in page.words if id(w) not in gone)) if gone else page
        )
    return stripped, kept


def _edge_lines(page: Page) -> list[tuple[str, str, str, tuple[Word, ...]]]:
    """Lines near the top and the bottom: (where, text with digits masked, text, words)."""
    near = [w for w in page.words if w.middle < _EDGE * page.height or w.middle > (1 - _EDGE) * page.height]
    found = []
    for line in group_lines(near):
        where = "header" if line.bottom < page.height / 2 else "footer"
        found.append((where, fold(_DIGITS.sub("#", line.text)), line.text, line.words))
    return found
