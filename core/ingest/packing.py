"""How sentences, list items, code lines and table rows fill passages. Nothing here is cut that can stay whole."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.sentences import sentence_spans
from core.types import Block

LONGEST = 1_500  # characters of a quoted passage
CAPTION = 300  # a longer table caption is not repeated above every passage of the table
SCRAP = 3  # a last passage shorter than a third of the aim joins its neighbour
_BULLET = re.compile(r"\s*(?:[-*•‣▪–—·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s")
_CLAUSE_END = re.compile(r"(?:[;:,)]|\s[–—])(?=\s)")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece that stays whole: characters `start` to `end` of a block's text."""

    block: Block
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.block.text[self.start : self.end]


def quoted(spans: Sequence[Span]) -> str:
    """The text as it stands: an exact slice within a block, a line break between blocks."""
    slices: list[tuple[Block, int, int]] = []
    for span in spans:
        if slices and slices[-1][0] is span.block:
            slices[-1] = (span.block, slices[-1][1], span.end)
        else:
            slices.append((span.block, span.start, span.end))
    return "\n".join(block.text[start:end] for block, start, end in slices)


def pack_blocks(blocks: Sequence[Block], characters: int) -> list[list[Span]]:
    """Fill passages with the blocks of one section, breaking between paragraphs before inside them.

    Args:
        blocks: in reading order, all under one heading.
        characters: the aim; a whole sentence may exceed it, 1,500 is never exceeded.
    """
    passages: list[list[Span]] = []
    current: list[Span] = []
    for group in _groups(blocks):
        whole = [span for cluster in group for span in cluster]
        if len(quoted([*current, *whole])) <= characters:
            current += whole
            continue
        if current and (len(quoted(whole)) <= characters or len(quoted(current)) * 2 >= characters):
            passages.append(current)
            current = []
        for cluster in group:
            if current and len(quoted([*current, *cluster])) > characters:
                passages.append(current)
                current = []
            current = [*current, *cluster]
    if current:
        passages.append(current)
    if len(passages) > 1 and len(quoted(passages[-1])) * SCRAP < characters:
        joined = [*passages[-2], *passages[-1]]
        if len(quoted(joined)) <= LONGEST:
            passages[-2:] = [joined]
    return passages


def _groups(blocks: Sequence[Block]) -> list[list[list[Span]]]:
    """Paragraphs as lists of clusters; a list or code block belongs to the paragraph that leads into it."""
    groups: list[list[Span]] = []
    before: Block | None = None
    for block in blocks:
        spans = _spans(block)
        leads = before is not None and before.text.rstrip().endswith(":") and block.kind in ("list", "code")
        if groups and (leads or (before is not None and before.kind == block.kind == "list")):
            groups[-1] += spans
        else:
            groups.append(spans)
        before = block
    return [_clusters(group) for group in groups]


def _clusters(spans: Sequence[Span]) -> list[list[Span]]:
    """A lead-in (`… the following:`) stays with what it leads into, where both fit."""
    clusters: list[list[Span]] = []
    for span in spans:
        led = bool(clusters) and clusters[-1][-1].text.endswith(":")
        if led and len(quoted([*clusters[-1], span])) <= LONGEST:
            clusters[-1].append(span)
        else:
            clusters.append([span])
    return clusters


def _spans(block: Block) -> list[Span]:
    """Sentences of prose, items of a list, lines of code."""
    if block.kind == "code":
        bounds = [(match.start(), match.end()) for match in re.finditer(r"[^\n]*\S[^\n]*", block.text)]
    elif block.kind == "list":
        bounds = _items(block.text)
    else:
        bounds = list(sentence_spans(block.text))
    return [
        Span(block, start, end) for left, right in bounds for start, end in _short(block.text, left, right)
    ]


def _items(text: str) -> list[tuple[int, int]]:
    """Whole list items, continuation lines included; a list without bullets has an item a line."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]*\S[^\n]*", text)]
    bulleted = sum(bool(_BULLET.match(text[start:end])) for start, end in lines)
    items: list[tuple[int, int]] = []
    for start, end in lines:
        if items and bulleted and not _BULLET.match(text[start:end]):
            items[-1] = (items[-1][0], end)
        else:
            items.append((start + len(text[start:end]) - len(text[start:end].lstrip()), end))
    return [span for start, end in items for span in _item_spans(text, start, end)]


def _item_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """An item, or its sentences when it is longer than a passage may be."""
    if end - start <= LONGEST:
        return [(start, end)]
    return [(start + left, start + right) for left, right in sentence_spans(text[start:end])]


def _short(text: str, start: int, end: int, limit: int = LONGEST) -> list[tuple[int, int]]:
    """Last resort for one sentence over the limit: the last clause end, else the last space, else the limit."""
    pieces = []
    while end - start > limit:
        window = text[start : start + limit]
        clause = max((m.end() for m in _CLAUSE_END.finditer(window) if m.end() * 2 > limit), default=0)
        space = max((m.start() for m in re.finditer(r"\s", window) if m.start() > 0), default=0)
        cut = start + (clause or space or limit)
        pieces.append((start, cut))
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if start < end:
        pieces.append((start, end))
    return pieces


def pack_lines(lines: Sequence[str], caption: str, characters: int) -> list[str]:
    """Fill passages with whole rows; a short caption stands above each of them."""
    head = " ".join(caption.split())
    rows = list(lines)
    if len(head) > CAPTION:
        rows, head = [head, *rows], ""
    room = LONGEST - len(head) - 1
    pieces = [row[start:end] for row in rows for start, end in _short(row, 0, len(row), room)]
    passages: list[list[str]] = []
    for piece in pieces:
        if passages and len("\n".join([head, *passages[-1], piece])) <= characters:
            passages[-1].append(piece)
        else:
            passages.append([piece])
    if len(passages) > 1 and len("\n".join(passages[-1])) * SCRAP < characters:
        joined = [*passages[-2], *passages[-1]]
        if len("\n".join([head, *joined])) <= LONGEST:
            passages[-2:] = [joined]
    return ["\n".join([head, *passage] if head else passage) for passage in passages]
