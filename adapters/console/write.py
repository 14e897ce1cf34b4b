"""From a Reply to lines of a terminal. Pure; colours are added where there is a screen that shows them."""

from collections.abc import Iterable

from rich.console import RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from adapters.console.read import Seat
from bot.messages import Reply
from bot.plain import Line, clean, fold_line, reply_lines
from core.types import Language

STYLES = {
    "text": "",
    "note": "yellow",
    "label": "bold cyan",
    "quote": "italic",
    "sql": "green",
    "table": "",
    "fold": "dim",
    "bar": "magenta",
    "buttons": "dim",
}
BUTTONS = {
    "up": "👍 !up",
    "down": "👎 !down",
    "why": "? !why",
    "fresh": "↻ !fresh",
    "share": "⇪ !share",
}
HELP: dict[Language, tuple[str, ...]] = {
    "pt": (
        "No console: `!upload caminho`, `!as usuário`, `!in canal` (ou `!in dm`), `!thread nome`, `!new`, `!quit`;",
        "sob uma resposta: `!up`, `!down`, `!why`, `!fresh`, `!share`.",
    ),
    "en": (
        "At the console: `!upload path`, `!as user`, `!in channel` (or `!in dm`), `!thread name`, `!new`, `!quit`;",
        "under a reply: `!up`, `!down`, `!why`, `!fresh`, `!share`.",
    ),
}


def reply_shown(reply: Reply) -> tuple[Line, ...]:
    """The whole reply: answer, notes, source groups, the folded explanation, and its buttons as commands."""
    lines = list(reply_lines(reply))
    folded = fold_line(reply)
    if folded is not None:
        lines.append(folded)
    if reply.buttons:
        lines.append(Line("  ".join(BUTTONS[button.action] for button in reply.buttons), "fold"))
    return tuple(lines)


def prompt(seat: Seat) -> str:
    """`ana #geral> `."""
    return f"{clean(seat.user)} {'#' + clean(seat.channel) if seat.channel else 'dm'}> "


def plain(lines: Iterable[Line]) -> str:
    """For a pipe: text and nothing else."""
    return "\n".join(line.text for line in lines)


def rendered(lines: Iterable[Line]) -> list[RenderableType]:
    """For a terminal: the answer's Markdown, and colours for the rest."""
    return [
        answer_shown(line.text) if line.style == "text" else Text(line.text, STYLES[line.style])
        for line in lines
    ]


def answer_shown(text: str) -> RenderableType:
    """An answer, complete or still coming in. Line breaks stay where the bot put them, as chat platforms keep them."""
    return Padding(Markdown(_hard_breaks(clean(text)), hyperlinks=False), (0, 0, 1, 0))


def _hard_breaks(text: str) -> str:
    lines, inside = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith(("```", "~~~"))
        inside ^= fence
        lines.append(line if inside or fence or not line.strip() else line + "  ")
    return "\n".join(lines)
