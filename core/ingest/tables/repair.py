"""Ragged rows made regular. No row is dropped: short ones are padded, long ones mended or their surplus handed back."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest.tables.cells import column_kinds, kind_of
from core.types import RawCell

_WIDEN = 0.2  # share of long rows from which on the table itself is wider than its header
_SAMPLE = 300


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of one width, and what was done to get there."""

    rows: tuple[tuple[RawCell, ...], ...]
    short: int = 0  # rows that were padded between full ones
    repaired: tuple[tuple[int, str], ...] = ()  # (row, cell that a stray delimiter had cut)
    surplus: tuple[tuple[int, str], ...] = ()  # (row, text that found no column)


def regular_rows(rows: Sequence[tuple[RawCell, ...]], delimiter: str) -> Ragged:
    """Give all rows one width: the commonest of the filled rows, or more where many rows need more."""
    widths = Counter(_used(row) for row in rows if len(row) > 1)
    if not widths:
        return Ragged(tuple((row or (None,))[:1] for row in rows))
    width = _common_width(rows)
    longer = sum(count for used, count in widths.items() if used > width)
    if longer > 2 and longer > _WIDEN * sum(widths.values()):
        width = max(widths)
    kinds = column_kinds([row for row in rows if len(row) == width][1:_SAMPLE], width)
    regular: list[tuple[RawCell, ...]] = []
    short = 0
    repaired: list[tuple[int, str]] = []
    surplus: list[tuple[int, str]] = []
    for at, row in enumerate(rows):
        if len(row) == width:
            regular.append(row)
        elif len(row) < width:
            short += 1 if len(row) > 1 and at else 0
            regular.append(row + (None,) * (width - len(row)))
        elif not any(cell is not None for cell in row[width:]):
            regular.append(row[:width])
        elif (mended := _mend(row, kinds, delimiter)) is not None:
            repaired.append((at, mended[1]))
            regular.append(mended[0])
        else:
            surplus.append((at, f"{delimiter} ".join(str(cell) for cell in row[width:] if cell is not None)))
            regular.append(row[:width])
    return Ragged(tuple(regular), short, tuple(repaired), tuple(surplus))


def _used(row: tuple[RawCell, ...]) -> int:
    """Width without empty cells at the end."""
    width = len(row)
    while width and row[width - 1] is None:
        width -= 1
    return width


def _common_width(rows: Sequence[tuple[RawCell, ...]]) -> int:
    """The width that most rows have; the header's where rows disagree evenly."""
    counts = Counter(len(row) for row in rows if len(row) > 1)
    first = next(len(row) for row in rows if len(row) > 1)
    return max(counts, key=lambda width: (counts[width], width == first, width))


def _mend(
    row: tuple[RawCell, ...], kinds: Sequence[str], delimiter: str
) -> tuple[tuple[RawCell, ...], str] | None:
    """Join the cells that a delimiter inside a text cut apart, if exactly one way fits the columns' kinds."""
    extra = len(row) - len(kinds)
    measured = [column for column, kind in enumerate(kinds) if kind in ("n", "d")]
    if not measured or extra < 1:
        return None
    fits: list[tuple[tuple[RawCell, ...], str]] = []
    for column, kind in enumerate(kinds):
        pieces = row[column : column + extra + 1]
        if kind != "t" or any(piece is None for piece in pieces):
            continue
        joined = f"{delimiter} ".join(str(piece) for piece in pieces)
        candidate = (*row[:column], joined, *row[column + extra + 1 :])
        if all(kind_of(candidate[c]) in (kinds[c], "", "m") for c in measured):
            fits.append((candidate, joined))
    return fits[0] if len(fits) == 1 else None
