"""From a Reply to Slack messages. Pure; every payload goes through the SDK's own checks.

Three forms, each simpler than the one before, for workspaces or clients that refuse the richer one:
full (Markdown, table and collapsed container), simple (sections and buttons), plain (text alone).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ContainerBlock,
    ContextActionsBlock,
    ContextBlock,
    FeedbackButtonsElement,
    MarkdownBlock,
    MarkdownTextObject,
    RawTextObject,
    SectionBlock,
    TableBlock,
)

from adapters.slack.meaning import (
    EXPLAIN,
    FEEDBACK,
    PREFIX,
)
from adapters.slack.mrkdwn import code, link, named, quoted, safe, to_mrkdwn
from bot.limits import split
from bot.messages import Button, Reply, SourceBlock
from bot.phrases import say
from bot.plain import QUOTED, TABLE_ROWS, clean, reply_lines, shortened, table_text
from core.format import format_value
from core.harmless import harmless, shown_name
from core.types import Language, Source

Form = Literal["full", "simple", "plain"]
FORMS: tuple[Form, ...] = ("full", "simple", "plain")
BUDGET = 11_500  # visible characters of a message; Slack refuses somewhere between 12,000 and 13,200
BLOCKS = 48  # Slack takes 50, a container's children counted
SECTION = 2_900  # of 3,000
TEXT = 3_500  # characters of a plain message; Slack cuts at 4,000
FALLBACK = 1_000  # of the text beside blocks, for notifications and screen readers
EXPLAINED = 7_000  # characters of an explanation inside a message; `/why` has the rest
CHILDREN = 10  # blocks in a container
COLUMNS = 20
CELL = 200
TABLE = 6_000  # characters of a table, of 10,000
EXPLANATION = f"{PREFIX}explanation"  # begins the block ids of an explanation that a button shows
ACTIONS = f"{PREFIX}actions"


@dataclass(frozen=True, slots=True)
class Post:
    """One message. `blocks` are as the Web API takes them; none in the plain form."""

    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    last: bool = True  # carries the buttons and the files


@dataclass(frozen=True, slots=True)
class _Unit:
    """Blocks that stay together, and what they count."""

    blocks: tuple[dict[str, Any], ...]
    size: int = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", sum(visible(block) for block in self.blocks))
        object.__setattr__(self, "count", sum(1 + len(b.get("child_blocks", ())) for b in self.blocks))


def posts(reply: Reply, form: Form = "full", names: Mapping[str, str] | None = None) -> tuple[Post, ...]:
    """The messages of a reply, in order; at least one. The last one carries the buttons.

    Args:
        names: ids that every reader of the reply may know -> names (see mrkdwn.named).
    """
    if form == "plain":
        return _plain(reply, names or {})
    units = [*_answer(reply, form, names or {}), *_sources(reply, form)]
    tail = _tail(reply, form)
    packed = _packed(units, tail)
    text = fallback(reply, names or {})
    return tuple(
        Post(text if number == 0 else "…", tuple(blocks), last=number == len(packed) - 1)
        for number, blocks in enumerate(packed)
    )


def fallback(reply: Reply, names: Mapping[str, str]) -> str:
    """What notifications and screen readers say: the answer's beginning."""
    text = shortened(named(clean(reply.text), names).strip(), FALLBACK) or "…"
    return to_mrkdwn(text)


def draft_text(text: str) -> str:
    """A text that is still being written, for a message without blocks."""
    return to_mrkdwn(text[:TEXT]) or "…"


def visible(node: Any) -> int:
    """Characters of a block that Slack counts: every text in it."""
    if isinstance(node, Mapping):
        own = sum(len(v) for k, v in node.items() if k in ("text", "alt_text") and isinstance(v, str))
        return own + sum(visible(value) for value in node.values() if not isinstance(value, str))
    if isinstance(node, list | tuple):
        return sum(visible(item) for item in node)
    return 0


# --- parts -----------------------------------------------------------------------------------------


def _answer(reply: Reply, form: Form, names: Mapping[str, str]) -> list[_Unit]:
    text = harmless(named(clean(reply.text), names))
    units = [_Unit((block,)) for block in text_blocks(text, form)]
    notes = [safe(named(clean(note), names)) for note in reply.notes]
    for note in notes:
        units += [_Unit((_context(piece),)) for piece in split(f"· {note}", SECTION)]
    return units


def text_blocks(markdown: str, form: Form) -> list[dict[str, Any]]:
    """A Markdown text as blocks, however long it is."""
    if form == "full":
        return [_checked(MarkdownBlock(text=piece)) for piece in split(markdown, BUDGET - 500)]
    return [_section(piece) for piece in split(to_mrkdwn(markdown), SECTION)]


def _sources(reply: Reply, form: Form) -> list[_Unit]:
    units: list[_Unit] = []
    tables = 0
    for block in reply.sources:
        units.append(_Unit((_section(f"*[{safe(block.label)}]*"),)))
        for source in block.sources:
            if source.sql:
                rich = form == "full" and not tables and bool(source.columns)
                units += _query(block, source, reply.language, rich=rich)
                tables += rich
            else:
                passage = quoted(shortened(clean(source.text), QUOTED))
                units += _sections(f"{_place(source)}\n{passage}")
    return units


def _query(block: SourceBlock, source: Source, language: Language, *, rich: bool) -> list[_Unit]:
    """Where the rows come from, the query, the rows, and how many are left out."""
    units = _sections(f"{_place(source)}\n{code(shortened(clean(source.sql), SECTION // 2))}")
    if not source.columns:
        return units
    if not rich:
        text = table_text(source.columns, source.rows, language, more=source.truncated)
        return units + _sections(code(text))
    table, shown = _table(source, language)
    notes = []
    left = len(source.rows) - shown
    if left or source.truncated:
        key = "more_rows_at_least" if source.truncated else "more_rows"
        notes.append(say(key, language, n=left + source.truncated))
    if len(source.columns) > COLUMNS:
        notes.append(say("slack_more_columns", language, n=len(source.columns) - COLUMNS))
    more = (_context(safe(" · ".join(notes))),) if notes else ()
    return [*units, _Unit((table, *more))]


def _table(source: Source, language: Language) -> tuple[dict[str, Any], int]:
    """A table block, and how many rows it shows."""
    head = [_cell(name) for name in source.columns[:COLUMNS]]
    rows, size = [head], sum(map(len, head))
    for values in islice(source.rows, TABLE_ROWS):
        cells = [_cell(format_value(value, "", language)) for value in values[:COLUMNS]]
        size += sum(map(len, cells))
        if size > TABLE:
            break
        rows.append(cells)
    columns = list(zip(*source.rows, strict=True))[:COLUMNS] if source.rows else []
    settings = [{"align": "right"} if _is_numeric(column) else {"align": "left"} for column in columns]
    table = TableBlock(
        rows=[[RawTextObject(text=cell) for cell in row] for row in rows], column_settings=settings or None
    )
    return _checked(table), len(rows) - 1


def _tail(reply: Reply, form: Form) -> _Unit | None:
    """The folded explanation and the buttons."""
    blocks: list[dict[str, Any]] = []
    if reply.explanation.strip() and form == "full":
        blocks.append(_container(reply))
    buttons = reply.buttons
    if buttons:
        blocks += _feedback(buttons, reply.language) if form == "full" else []
        plain = [b for b in buttons if form != "full" or b.action not in ("up", "down")]
        elements = [_button(button, reply.language) for button in plain]
        if form == "simple" and reply.explanation.strip():
            elements.append(_explain_button(reply))
        if elements:
            blocks.append(_checked(ActionsBlock(elements=elements, block_id=ACTIONS)))
    return _Unit(tuple(blocks)) if blocks else None


def _container(reply: Reply) -> dict[str, Any]:
    """Collapsed until somebody opens it, for that reader alone. Children of the kinds that Slack is known to take."""
    text = clean(reply.explanation).strip()
    first = shortened(text.split("\n", 1)[0], 140)
    children = [_section(piece) for piece in explanation_pieces(text)]
    container = ContainerBlock(
        title=say("slack_how", reply.language),
        subtitle=harmless(first) or None,
        child_blocks=children,
        is_collapsible=True,
        default_collapsed=True,
    )
    return _checked(container)


def explanation_pieces(text: str) -> tuple[str, ...]:
    """An explanation as code blocks of one section each; what is too long for a message is cut."""
    cut = text if len(text) <= EXPLAINED else text[: EXPLAINED - 1].rsplit("\n", 1)[0] + "\n…"
    pieces = split(code(cut), SECTION)[:CHILDREN]
    size = 0
    for number, piece in enumerate(pieces):  # escaped, a text may be several times as long
        size += len(piece)
        if size > EXPLAINED + SECTION:
            return pieces[:number]
    return pieces


def toggled(blocks: Sequence[Mapping[str, Any]], explanation: str) -> tuple[dict[str, Any], ...]:
    """The blocks of a simple message with its explanation opened, or closed if it was open.

    Args:
        blocks: of the message as it stands.
        explanation: from the answer's trace.
    """
    kept = [dict(b) for b in blocks if not str(b.get("block_id", "")).startswith(EXPLANATION)]
    if len(kept) < len(blocks):
        return tuple(kept)
    place = next((n for n, b in enumerate(kept) if b.get("block_id") == ACTIONS), len(kept))
    room = BUDGET - sum(visible(block) for block in kept)
    shown: list[dict[str, Any]] = []
    for number, piece in enumerate(explanation_pieces(explanation)):
        if len(piece) > room or len(kept) + len(shown) >= BLOCKS:
            break
        shown.append(_section(piece, block_id=f"{EXPLANATION}_{number}"))
        room -= len(piece)
    return (*kept[:place], *shown, *kept[place:])


def is_open(blocks: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a simple message shows its explanation."""
    return any(str(block.get("block_id", "")).startswith(EXPLANATION) for block in blocks)


def _feedback(buttons: Sequence[Button], language: Language) -> list[dict[str, Any]]:
    values = {button.action: button.value for button in buttons}
    if "up" not in values or "down" not in values:
        return []
    element = FeedbackButtonsElement(
        action_id=PREFIX + FEEDBACK,
        positive_button={
            "text": "👍", "value": f"up {values['up']}", "accessibility_label": say("slack_up", language)
        },
        negative_button={
            "text": "👎", "value": f"down {values['down']}", "accessibility_label": say("slack_down", language)
        },
    )  # fmt: skip
    return [_checked(ContextActionsBlock(elements=[element]))]


def _button(button: Button, language: Language) -> ButtonElement:
    text = {"up": "👍", "down": "👎"}.get(button.action) or say(f"slack_{button.action}", language)
    return ButtonElement(text=text, action_id=PREFIX + button.action, value=button.value)


def _explain_button(reply: Reply) -> ButtonElement:
    return ButtonElement(
        text="▸ " + say("slack_how", reply.language), action_id=PREFIX + EXPLAIN, value=reply.trace_id or "-"
    )


# --- packing ---------------------------------------------------------------------------------------


def _packed(units: Sequence[_Unit], tail: _Unit | None) -> list[list[dict[str, Any]]]:
    """Messages inside Slack's limits; the tail stands in the last one."""
    messages: list[list[dict[str, Any]]] = [[]]
    size = count = 0
    for unit in (*units, *([tail] if tail else [])):
        if messages[-1] and (size + unit.size > BUDGET or count + unit.count > BLOCKS):
            messages.append([])
            size = count = 0
        messages[-1] += unit.blocks
        size += unit.size
        count += unit.count
    return messages if messages[0] else [[_section("…")]]


def _plain(reply: Reply, names: Mapping[str, str]) -> tuple[Post, ...]:
    lines = [(line, named(line.text, names)) for line in reply_lines(reply)]
    shown = [to_mrkdwn(text) if line.style == "text" else safe(text) for line, text in lines]
    pieces = split("\n".join(shown), TEXT) or ("…",)
    return tuple(Post(piece, last=number == len(pieces) - 1) for number, piece in enumerate(pieces))


# --- small things ----------------------------------------------------------------------------------


def _place(source: Source) -> str:
    """`<permalink|policy.docx · p. 3> (<#C7>)`: Slack shows the channel's name to those who may know it."""
    where = " · ".join(part for part in (shown_name(source.document), clean(source.locator)) if part)
    channel = source.channel
    here = f" (<#{channel}>)" if channel and channel.isalnum() else ""
    return link(source.link, shortened(where, 300)) + here


def _sections(mrkdwn: str) -> list[_Unit]:
    return [_Unit((_section(piece),)) for piece in split(mrkdwn, SECTION)]


def _section(mrkdwn: str, block_id: str | None = None) -> dict[str, Any]:
    return _checked(SectionBlock(text=MarkdownTextObject(text=mrkdwn, verbatim=True), block_id=block_id))


def _context(mrkdwn: str) -> dict[str, Any]:
    return _checked(ContextBlock(elements=[MarkdownTextObject(text=mrkdwn, verbatim=True)]))


def _cell(text: str) -> str:
    return shortened(harmless(clean(text)).replace("\n", " ").strip(), CELL) or "—"


def _is_numeric(column: Sequence[object]) -> bool:
    present = [value for value in column if value is not None]
    return bool(present) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in present)


def _checked(block: Block) -> dict[str, Any]:
    """Raises: slack_sdk.errors.SlackObjectFormationError for what Slack would refuse."""
    made: dict[str, Any] = block.to_dict()
    return made
