"""A reply as plain lines: for the console, for pipes, and for platforms that refuse a richer form. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size

from bot.messages import Reply, SourceBlock
from bot.phrases import say
from core.format import format_value
from core.harmless import fenceless, harmless, shown_name, unlinked
from core.types import Clause, Language, RouteScore, Source, Value

Style = Literal["text", "note", "label", "quote", "sql", "table", "fold", "bar"]
QUOTED = 400  # characters of a passage that are shown; the whole passage is in the JSON
TABLE_ROWS = 15
CELL = 40  # columns of a terminal that one cell may take
BAR = 24
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Line:
    """One or more lines of text in one style."""

    text: str
    style: Style = "text"


def reply_lines(reply: Reply, *, rows: int = TABLE_ROWS) -> tuple[Line, ...]:
    """Answer, notes, then one group a source label; the explanation stays folded (see `fold_line`)."""
    lines = [Line(clean(reply.text))] if reply.text else []
    lines += [Line(f"· {clean(note)}", "note") for note in reply.notes]
    for block in reply.sources:
        lines += block_lines(block, reply.language, rows=rows)
    return tuple(lines)


def block_lines(block: SourceBlock, language: Language, *, rows: int = TABLE_ROWS) -> list[Line]:
    """The sources of one label: where each stands, then its quotation, or its query and rows."""
    lines: list[Line] = []
    for source in block.sources:
        lines.append(Line(f"[{block.label}] {clean(place_of(source))}", "label"))
        if source.sql:
            lines.append(Line(indented(clean(source.sql)), "sql"))
            table = table_text(source.columns, source.rows, language, limit=rows, more=source.truncated)
            lines.append(Line(indented(table), "table"))
        else:
            lines.append(Line(indented(shortened(clean(source.text), QUOTED)), "quote"))
    return lines


def fold_line(reply: Reply) -> Line | None:
    """The explanation folded to its first sentence."""
    first = clean(reply.explanation).strip().split("\n", 1)[0]
    return Line(f"▸ {shortened(first, 160)}", "fold") if first else None


def place_of(source: Source) -> str:
    """`policy.docx · p. 3 · Travel (#geral)`."""
    where = unlinked(" · ".join(part for part in (shown_name(source.document), source.locator) if part))
    channel = source.channel.removeprefix("#")
    return f"{where} (#{channel})" if channel else where


def table_text(
    columns: Sequence[str],
    rows: Sequence[Sequence[Value]],
    language: Language,
    *,
    limit: int = TABLE_ROWS,
    more: bool = False,
) -> str:
    """An aligned table: numbers to the right, long cells cut, further rows as a count.

    Args:
        limit: rows that are shown.
        more: the query itself was cut, so that the count is a lower bound.
    """
    shown = [[_cell(value, language) for value in row] for row in rows[:limit]]
    head = [_cell(name, language) for name in columns]
    right = [_is_numeric(column) for column in zip(*rows, strict=True)] if rows else [False] * len(head)
    widths = [max(map(cell_len, column)) for column in zip(head, *shown, strict=True)]
    lines = [_row(head, widths, right), "─┼─".join("─" * width for width in widths)]
    lines += [_row(cells, widths, right) for cells in shown]
    left = len(rows) - len(shown)
    if left or more:
        lines.append(say("more_rows_at_least" if more else "more_rows", language, n=left + more))
    return "\n".join(line.rstrip() for line in lines)


def route_lines(clauses: Iterable[Clause], language: Language) -> tuple[Line, ...]:
    """A dry run: for each clause its stores, the reason, and a bar for every route's score."""
    lines: list[Line] = []
    for number, clause in enumerate(clauses, start=1):
        decision = clause.decision
        routes = ", ".join(decision.routes) or "—"
        lines.append(Line(f"{number}. {clean(clause.text)} → {routes}", "label"))
        facts = say("decided", language, stage=decision.stage, margin=f"{decision.margin:.3f}")
        lines.append(Line(indented(f"{facts}: {clean(decision.reason)}"), "note"))
        lines += [Line(indented(bar(score)), "bar") for score in decision.scores]
    return tuple(lines)


def bar(score: RouteScore) -> str:
    """`relational  ███████░░░  0.712  total por região`."""
    filled = round(BAR * min(1.0, max(0.0, score.score)))
    best = f"  {shortened(clean(score.best), 60)}" if score.best else ""
    return f"{score.route:<12}{'█' * filled}{'░' * (BAR - filled)} {score.score:6.3f}{best}"


def clean(text: str) -> str:
    """Text that cannot move a terminal's cursor, ring its bell or turn the reading direction."""
    return _CONTROL.sub(lambda match: "    " if match.group() == "\t" else "", text.replace("\r\n", "\n"))


def fenced(text: str) -> str:
    """Lines that keep their breaks and columns in Markdown; what they quote cannot close the fence."""
    return f"```\n{fenceless(harmless(text))}\n```"


def indented(text: str, by: str = "    ") -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _cell(value: Value, language: Language) -> str:
    text = clean(format_value(value, "", language)).replace("\n", " ")
    return text if cell_len(text) <= CELL else set_cell_size(text, CELL - 1).rstrip() + "…"


def _is_numeric(column: Sequence[Value]) -> bool:
    present = [value for value in column if value is not None]
    return bool(present) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in present)


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for text, width, numeric in zip(cells, widths, right, strict=True):
        space = " " * (width - cell_len(text))
        padded.append(space + text if numeric else text + space)
    return " │ ".join(padded)
