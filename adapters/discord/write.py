"""From a `Reply` to pages inside Discord's limits, and from pages to components. Pure: nothing is sent here.

Limits (measured and documented): a page of components holds 4,000 characters and 40 components, a plain message 2,000
characters; a message takes 10 files of 10 MiB each where the server has no boosts.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO

import discord
from discord import ui

from adapters.discord.permissions import Need
from bot.limits import split
from bot.messages import Button, OutFile, Reply, SourceBlock
from bot.phrases import say
from bot.plain import QUOTED, TABLE_ROWS, Line, clean, fenced, reply_lines, shortened, table_text
from core.harmless import fenceless, harmless, shown_name, unlinked
from core.types import Language, Source

PAGE_TEXT = 4_000
PAGE_PARTS = 40
PLAIN = 2_000
PAGE_FILES = 10
FILE_BYTES = discord.utils.DEFAULT_FILE_SIZE_LIMIT_BYTES
PIECE = 3_800  # characters of one text; leaves room for a label beside it
PIECES = 4  # messages that a long answer may take; the whole text then goes into a file
TABLE_TEXT = 1_800  # characters of one table
CELLS = 72  # characters of a table's line that Discord shows without breaking it, about
BUTTONS_A_ROW = 5
FOLD = 7_001  # component id of the explanation while it is unfolded
COLOURS = {"SQL": 0x2D7DD2, "TEXT": 0x3BB273, "GRAPH": 0x8E5BD6}
ICONS = {"up": "👍", "down": "👎", "why": "🔎", "fresh": "🔄", "share": "📣", "csv": "📄"}
_CHANNEL_ID = re.compile(r"`#?(\d{17,20})`|(?<![\w<#/])#(\d{17,20})\b")
_PERSON_ID = re.compile(r"(?<=\()(\d{17,20})(?=, )|(?<![\w<@/])@(\d{17,20})\b")
LABELLED = frozenset({"why", "fresh", "share", "csv"})


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """The sources of one label, in a box of their own."""

    label: str
    text: str


Part = Text | Group


@dataclass(frozen=True, slots=True)
class Page:
    """One message."""

    parts: tuple[Part, ...]
    buttons: tuple[Button, ...] = ()
    files: tuple[OutFile, ...] = ()
    language: Language = "und"

    @property
    def characters(self) -> int:
        return sum(len(part.text) for part in self.parts)


def button_id(button: Button) -> str:
    """What a button is called wherever it is pressed, also by a later process: action and trace id."""
    return f"polyrag:{button.action}:{button.value}"


BUTTON_ID = r"polyrag:(?P<action>up|down|why|fresh|share|csv):(?P<trace>[\w-]{0,64})"


# --- pages -----------------------------------------------------------------------------------------


def pages_of(reply: Reply, *, file_bytes: int = FILE_BYTES) -> tuple[Page, ...]:
    """The messages of a reply: texts and boxes in order, the buttons under the last of them, then the files.

    Args: file_bytes: the largest file that may be sent here; larger ones are named, not sent.
    """
    text, spilled = _answer(reply)
    notes = [f"-# · {unlinked(clean(note))}" for note in reply.notes]
    files, refused = _sendable((*reply.files, *spilled), file_bytes, reply.language)
    parts: list[Part] = [Text(piece) for piece in text]
    if notes or refused:
        parts += [Text(piece) for piece in split("\n".join((*notes, *refused)), PIECE)]
    for block in reply.sources:
        parts += [Group(block.label, piece) for piece in split(group_text(block, reply.language), PIECE)]
    pages = [Page(tuple(chunk), language=reply.language) for chunk in _packed(parts)]
    if pages:
        pages[-1] = replace(pages[-1], buttons=reply.buttons)
    return (*pages, *_file_pages(files, reply.language)) or (
        Page((Text("—"),), reply.buttons, language=reply.language),
    )


def group_text(block: SourceBlock, language: Language) -> str:
    """The sources of one label: where each stands, then its quotation, or its query and rows."""
    shown = [_source_text(source, language) for source in block.sources]
    return "\n".join((f"**[{harmless(block.label)}]**", *shown))


def rows_text(source: Source, language: Language, *, most: int = TABLE_TEXT) -> str:
    """The rows as an aligned code block of at most `most` characters, cut with a count."""
    for limit in (TABLE_ROWS, 10, 5, 3, 1):
        table = table_text(source.columns, source.rows, language, limit=limit, more=source.truncated)
        if len(table) <= most:
            return fenced(table)
    lines = (line if len(line) <= CELLS else line[: CELLS - 1] + "…" for line in table.split("\n"))
    return fenced("\n".join(lines)[:most])


def plain_pages(reply: Reply) -> tuple[str, ...]:
    """The same reply as plain messages, for where Discord refuses the rich ones."""
    lines = [_plain_line(line) for line in reply_lines(reply)]
    return split("\n".join(lines), PLAIN) or ("—",)


def _plain_line(line: Line) -> str:
    if line.style in ("sql", "table"):
        return fenced(line.text)
    return _quoted(line.text.strip()) if line.style == "quote" else harmless(line.text)


def draft_text(text: str) -> str:
    """What is shown while an answer is written: its end, in one plain message."""
    pieces = split(harmless(clean(text)), PLAIN - 100)
    if not pieces:
        return "…"
    return pieces[0] if len(pieces) == 1 else f"…\n{pieces[-1]}"


def _answer(reply: Reply) -> tuple[tuple[str, ...], tuple[OutFile, ...]]:
    """The answer in pieces; one that would fill a channel is shown in part, and whole in a file."""
    text = harmless(clean(reply.text))
    text = text if reply.trace_id else named(text)
    pieces = split(text, PIECE)
    if len(pieces) <= PIECES:
        return pieces, ()
    more = say("discord_whole_text", reply.language, file="answer.md")
    return (*pieces[: PIECES - 1], more), (OutFile("answer.md", text.encode()),)


def named(text: str) -> str:
    """Ids of channels and people in the bot's own words, as names; each reader's Discord shows those they may see."""
    text = _CHANNEL_ID.sub(lambda m: f"<#{m.group(1) or m.group(2)}>", text)
    return _PERSON_ID.sub(lambda m: f"<@{m.group(1) or m.group(2)}>", text)


def _source_text(source: Source, language: Language) -> str:
    where = " · ".join(part for part in (shown_name(source.document), clean(source.locator)) if part)
    place = discord.utils.escape_markdown(unlinked(where))
    if source.link.startswith(("https://", "http://")):
        place = f"[{place.replace('[', '(').replace(']', ')')}](<{source.link}>)"
    if source.channel.isdigit():
        place = f"{place} · <#{source.channel}>"
    if source.sql:
        query = fenced(shortened(clean(source.sql), 600))
        return f"{place}\n{query}\n{rows_text(source, language)}"
    quote = shortened(clean(source.text), QUOTED)
    return f"{place}\n{_quoted(quote)}"


def _quoted(text: str) -> str:
    """A quotation shows its own marks as they stand, and cannot open a fence or ping anyone."""
    literal = discord.utils.escape_markdown(fenceless(harmless(text)))
    return "\n".join(f"> {line}" if line.strip() else ">" for line in literal.split("\n"))


def _packed(parts: Sequence[Part]) -> list[list[Part]]:
    """As few pages as the order allows. The last one keeps room for its buttons."""
    room = PAGE_PARTS - 8  # a row of buttons, and an explanation that may be unfolded
    pages: list[list[Part]] = []
    characters = components = 0
    for part in parts:
        size, count = len(part.text), 2 if isinstance(part, Group) else 1
        if not pages or characters + size > PAGE_TEXT or components + count > room:
            pages.append([])
            characters = components = 0
        pages[-1].append(part)
        characters, components = characters + size, components + count
    return pages


def _sendable(
    files: Iterable[OutFile], most: int, language: Language
) -> tuple[tuple[OutFile, ...], tuple[str, ...]]:
    """The files that Discord takes, and a line for each one that it does not."""
    taken, refused = [], []
    for file in files:
        if len(file.data) <= most:
            taken.append(file)
        else:
            size, limit = f"{len(file.data) / 2**20:.1f}", f"{most / 2**20:.0f}"
            refused.append(
                say("discord_file_too_large", language, file=shown_name(file.name), size=size, limit=limit)
            )
    return tuple(taken), tuple(refused)


def _file_pages(files: Sequence[OutFile], language: Language) -> list[Page]:
    """Files get messages of their own: one that is edited later would have to name its files anew."""
    groups = [files[start : start + PAGE_FILES] for start in range(0, len(files), PAGE_FILES)]
    return [Page((), files=tuple(group), language=language) for group in groups]


def without_files(page: Page) -> Page:
    """The same message where the bot may not attach files: it names them and the permission."""
    names = ", ".join(f"`{shown_name(file.name)}`" for file in page.files)
    missing = say("discord_no_files", page.language, files=names, name=Need.attach_files.value)
    return replace(page, parts=(*page.parts, Text(missing)), files=())


# --- components ------------------------------------------------------------------------------------


def view_of(page: Page) -> ui.LayoutView:
    """A page as components. It is finished at once: presses are dispatched by their id, in any process."""
    view = ui.LayoutView(timeout=None)
    for part in page.parts:
        if isinstance(part, Text):
            view.add_item(ui.TextDisplay(part.text))
        else:
            colour = COLOURS.get(part.label)
            view.add_item(ui.Container(ui.TextDisplay(part.text), accent_colour=colour))
    for name in file_names(page.files):
        view.add_item(ui.File(f"attachment://{name}"))
    for start in range(0, len(page.buttons), BUTTONS_A_ROW):
        row = page.buttons[start : start + BUTTONS_A_ROW]
        view.add_item(ui.ActionRow(*(_pressable(button, page.language) for button in row)))
    view.stop()
    return view


def files_of(page: Page) -> list[discord.File]:
    """New handles for each attempt to send: a sent one is used up."""
    return [
        discord.File(BytesIO(file.data), filename=name)
        for file, name in zip(page.files, file_names(page.files), strict=True)
    ]


def file_names(files: Sequence[OutFile]) -> list[str]:
    """Names that differ from one another and that Discord leaves as they are."""
    names: list[str] = []
    for number, file in enumerate(files, start=1):
        name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in file.name)
        name = name.lstrip("._") or "file"
        names.append(f"{number}-{name}" if name in names else name)
    return names


def _pressable(button: Button, language: Language) -> ui.Button[ui.LayoutView]:
    label = say(f"discord_button_{button.action}", language) if button.action in LABELLED else None
    return ui.Button(
        style=discord.ButtonStyle.secondary,
        label=label,
        emoji=ICONS[button.action],
        custom_id=button_id(button),
    )


def is_unfolded(view: ui.LayoutView) -> bool:
    return view.find_item(FOLD) is not None


def fold_toggled(view: ui.LayoutView, explanation: str) -> ui.LayoutView | None:
    """The same message with its explanation shown above the buttons, or hidden again; None where it has no room."""
    shown = view.find_item(FOLD)
    if shown is not None:
        view.remove_item(shown)
    elif not _unfold(view, explanation):
        return None
    view.stop()
    return view


def _unfold(view: ui.LayoutView, explanation: str) -> bool:
    if view.content_length() + len(explanation) > PAGE_TEXT or view.total_children_count + 2 > PAGE_PARTS:
        return False
    rows = [item for item in view.children if isinstance(item, ui.ActionRow)]
    for row in rows:
        view.remove_item(row)
    view.add_item(ui.Container(ui.TextDisplay(explanation), id=FOLD))
    for row in rows:
        view.add_item(row)
    return True
