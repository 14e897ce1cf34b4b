"""A reply drawn as Slack would show it, from the real blocks: for the guide, and to look at without a workspace."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap
from typing import Any

from adapters.slack.mrkdwn import to_mrkdwn
from adapters.slack.text import unescape_slack
from adapters.slack.write import posts
from bot.messages import Button, Reply, SourceBlock
from core.types import Language, Source

WIDTH, LEFT, LINE = 760, 76, 21
CHARACTERS = 88  # of a line
FONT = "font-family='Lato, Helvetica, Arial, sans-serif'"
MONO = "font-family='Menlo, Consolas, monospace'"
_BOLD = re.compile(r"\*([^*\n]+)\*")
_LINK = re.compile(r"<(?:#)?([^|>]+)(?:\|([^>]*))?>")


@dataclass(slots=True)
class _Canvas:
    """Shapes, and how far down they reach."""

    y: int = 30
    shapes: list[str] = field(default_factory=list)

    def text(
        self, text: str, *, x: int = LEFT, style: str = "", fill: str = "#1d1c1d", mono: bool = False
    ) -> None:
        self.shapes.append(
            f"<text x='{x}' y='{self.y}' xml:space='preserve' fill='{fill}' {MONO if mono else FONT} "
            f"font-size='{12 if mono else 14}' {style}>{_spans(text)}</text>"
        )
        self.y += LINE

    def box(
        self, x: int, y: int, width: int, height: int, *, fill: str = "#fff", line: str = "#dddddd"
    ) -> None:
        self.shapes.append(
            f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='6' fill='{fill}' stroke='{line}'/>"
        )


def _spans(text: str) -> str:
    """`*bold*` inside a line."""
    return _BOLD.sub(r"<tspan font-weight='bold'>\1</tspan>", escape(text, quote=False))


def draw(blocks: Iterable[Mapping[str, Any]], name: str = "polyrag") -> str:
    """Blocks of a message -> an SVG document. Kinds that are not known are named, not left out."""
    canvas = _Canvas()
    canvas.box(24, 18, 36, 36, fill="#4a154b", line="#4a154b")
    canvas.text(name, style="font-weight='bold'")
    for block in blocks:
        _block(canvas, block)
        canvas.y += 4
    height = canvas.y + 8
    frame = f"<rect width='{WIDTH}' height='{height}' fill='#ffffff' stroke='#dddddd'/>"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' "
        f"viewBox='0 0 {WIDTH} {height}'>\n{frame}\n" + "\n".join(canvas.shapes) + "\n</svg>\n"
    )


def _block(canvas: _Canvas, block: Mapping[str, Any]) -> None:
    match block["type"]:
        case "markdown":
            _mrkdwn(canvas, to_mrkdwn(block["text"]))
        case "section":
            _mrkdwn(canvas, block["text"]["text"])
        case "context":
            for element in block["elements"]:
                _mrkdwn(canvas, element["text"], fill="#616061")
        case "table":
            _table(canvas, block["rows"], block.get("column_settings") or [])
        case "container":
            _container(canvas, block)
        case "context_actions" | "actions":
            _buttons(canvas, block["elements"])
        case "divider":
            canvas.shapes.append(
                f"<line x1='{LEFT}' x2='{WIDTH - 24}' y1='{canvas.y - 8}' y2='{canvas.y - 8}' stroke='#ddd'/>"
            )
        case kind:
            canvas.text(f"[{kind}]", fill="#616061")


def _mrkdwn(canvas: _Canvas, text: str, *, fill: str = "#1d1c1d") -> None:
    inside = False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
            continue
        quote = line.startswith("> ")
        shown = unescape_slack(_LINK.sub(lambda m: m.group(2) or "#" + m.group(1), line.removeprefix("> ")))
        bold = shown.startswith("*") and shown.endswith("*") and len(shown) > 2
        colour = "#1264a3" if "<" in line and "|" in line else fill
        for piece in wrap(shown.strip("*") if bold else shown, CHARACTERS, drop_whitespace=not inside) or [
            ""
        ]:
            if quote:
                canvas.shapes.append(
                    f"<rect x='{LEFT}' y='{canvas.y - 14}' width='4' height='{LINE}' fill='#dddddd'/>"
                )
            style = "font-weight='bold'" if bold else ""
            canvas.text(piece, x=LEFT + (14 if quote else 0), style=style, fill=colour, mono=inside)


def _table(canvas: _Canvas, rows: list[list[Mapping[str, Any]]], columns: list[Mapping[str, Any]]) -> None:
    width = (WIDTH - LEFT - 24) // max(1, len(rows[0]))
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            left = LEFT + column * width
            canvas.box(left, canvas.y - 15, width, LINE + 3, fill="#f8f8f8" if number == 0 else "#fff")
            right = column < len(columns) and columns[column].get("align") == "right"
            style = "font-weight='bold'" if number == 0 else ""
            canvas.shapes.append(
                f"<text x='{left + width - 8 if right else left + 8}' y='{canvas.y}' fill='#1d1c1d' {FONT} font-size='13' "
                f"text-anchor='{'end' if right else 'start'}' {style}>"
                f"{escape(str(cell['text'])[: max(4, width // 8)])}</text>"
            )
        canvas.y += LINE + 3
    canvas.y += 6


def _container(canvas: _Canvas, block: Mapping[str, Any]) -> None:
    """Collapsed, as it is when the message comes."""
    canvas.box(LEFT, canvas.y - 14, WIDTH - LEFT - 24, 2 * LINE + 8)
    canvas.y += 4
    mark = "▸ " if block.get("default_collapsed") else "▾ "
    canvas.text(mark + block["title"]["text"], x=LEFT + 12, style="font-weight='bold'")
    subtitle = (block.get("subtitle") or {}).get("text", "")
    canvas.text(subtitle[: CHARACTERS - 4], x=LEFT + 26, fill="#616061")
    canvas.y += 8


def _buttons(canvas: _Canvas, elements: list[Mapping[str, Any]]) -> None:
    x = LEFT
    for element in elements:
        labels = [element[k]["text"]["text"] for k in ("positive_button", "negative_button") if k in element]
        for label in labels or [element["text"]["text"]]:
            width = 24 + 8 * len(label)
            canvas.box(x, canvas.y - 14, width, 28)
            canvas.shapes.append(
                f"<text x='{x + 12}' y='{canvas.y + 5}' fill='#1d1c1d' {FONT} font-size='13'>{escape(label)}</text>"
            )
            x += width + 8
    canvas.y += 34


# --- the guide's example ---------------------------------------------------------------------------


def draw_example(language: Language) -> str:
    """The picture of `docs/slack.md`: an answer from a table and a policy, as the writer makes it."""
    return draw(posts(example(language))[-1].blocks)


def example(language: Language) -> Reply:
    """Invented, like the figures of the demo; only its form matters."""
    pt = language == "pt"
    table = Source(
        "SQL", "vendas.csv" if pt else "sales.csv", "d1", "", "", "https://example.slack.com/files/U1/F1/sales.csv",
        "", "c1", 1.0, 1, 0,
        sql="SELECT regiao, SUM(receita) FROM vendas GROUP BY regiao" if pt else
        "SELECT region, SUM(revenue) FROM sales GROUP BY region",
        columns=("região", "receita") if pt else ("region", "revenue"),
        rows=(("Sudeste" if pt else "Southeast", 15230.5), ("Nordeste" if pt else "Northeast", 9871.25)),
    )  # fmt: skip
    passage = Source(
        "TEXT", "politica.docx" if pt else "policy.docx", "d2", "p. 3", "",
        "https://example.slack.com/files/U1/F2/policy.docx",
        "Metas de receita são revistas a cada trimestre." if pt else "Revenue targets are reviewed every quarter.",
        "c2", 0.8, 2, 0,
    )  # fmt: skip
    text = (
        "A receita foi de **R$ 15.230,50** no Sudeste e **R$ 9.871,25** no Nordeste [1]. As metas são revistas a cada trimestre [2]."
        if pt
        else "Revenue was **$ 15,230.50** in the Southeast and **$ 9,871.25** in the Northeast [1]. Targets are reviewed every quarter [2]."
    )
    why = "Procurei nas tabelas e nos textos." if pt else "I searched the tables and the texts."
    actions: tuple[Any, ...] = ("up", "down", "why", "fresh")
    return Reply(
        text,
        language,
        (SourceBlock("SQL", (table,)), SourceBlock("TEXT", (passage,))),
        why,
        tuple(Button(action, "example") for action in actions),
        trace_id="example",
    )
