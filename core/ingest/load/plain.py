"""Markdown and plain text."""

import re
from collections.abc import Sequence

from core.ingest.load.decode import decode
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.notes import note
from core.language import detect_language
from core.ports import Ocr, ReadLimits
from core.types import Loaded

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_RULE = re.compile(r" {0,3}(?:[-*_]\s*){3,}")
_ITEM = re.compile(r"\s*(?:[-*+•‣▪]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
_TABLE_LINE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*")
_PIPE = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\]\[\n]{0,500})\]\(\s{0,9}+<?[^\s)>]{0,2000}+>?(?:\s+\"[^\"]*\")?\s*\)")
_EMPHASIS = re.compile(
    r"(?<![\w*])(\*{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?![\w*])|(?<![\w_])(_{1,3})(?=\S)(.{1,500}?)(?<=\S)\3(?![\w_])"
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_META = re.compile(r"(\w[\w -]*):\s*(.*)")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|(?:cap[íi]tulo|chapter|se[çc][ãa]o|section|anexo|annex|artigo|art\.)\s+\S+)\s+\S.{0,90}",
    re.IGNORECASE,
)


class MarkdownParser:
    """Reads Markdown: headings, lists, fenced code and pipe tables."""

    name = "md"
    kinds: tuple[str, ...] = ("md",)

    def accepts(self, data: bytes, name: str) -> float:
        return 0.8 if kind_of_bytes(data, name) == "md" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        reading, text = _start("md", data)
        text, meta = _front_matter(text)
        read_markdown(reading, text)
        title = meta.get("title", "") or meta.get("titulo", "")
        date = _ISO_DATE.search(meta.get("date", "") or meta.get("data", ""))
        return reading.loaded(title=title, date=date.group() if date else "")


class TextParser:
    """Reads plain text: paragraphs between blank lines, headings that stand out, lists."""

    name = "txt"
    kinds: tuple[str, ...] = ("txt",)

    def accepts(self, data: bytes, name: str) -> float:
        return 0.5 if kind_of_bytes(data, name) == "txt" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        reading, text = _start("txt", data)
        read_text(reading, text)
        return reading.loaded()


def _start(media: str, data: bytes) -> tuple[Reading, str]:
    decoded = decode(data)
    reading = Reading(media)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    if decoded.guessed:
        language = detect_language(text[:20_000])
        reading.assumptions.append(note("encoding", encoding=decoded.encoding).say(language))
    return reading, text


# --- Markdown --------------------------------------------------------------------------------------


def read_markdown(reading: Reading, text: str) -> None:
    """Add the blocks and grids of a Markdown text."""
    lines = _without_comments(text).split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := _FENCE.match(line):
            end = _fence_end(lines, at, fence[1])
            reading.text("code", "\n".join(lines[at + 1 : end]))
            at = end + 1
        elif heading := _HEADING.fullmatch(line):
            reading.heading(inline(heading[2]), len(heading[1]))
            at += 1
        elif _is_table(lines, at):
            at = _pipe_table(reading, lines, at)
        elif not line.strip() or _RULE.fullmatch(line):
            at += 1
        else:
            at = _paragraph(reading, lines, at)


def _without_comments(text: str) -> str:
    """Text without <!-- … -->; a comment that never closes is text."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join([*kept, text[at:]])


def inline(text: str) -> str:
    """Text without link targets, emphasis marks and code ticks."""
    text = _LINK.sub(lambda m: m[1], text)
    text = _EMPHASIS.sub(lambda m: m[2] or m[4], text)
    text = _EMPHASIS.sub(lambda m: m[2] or m[4], text)
    text = re.sub(r"(`{1,3})(.{1,500}?)\1", r"\2", text)
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!|>~])", r"\1", text)


def _front_matter(text: str) -> tuple[str, dict[str, str]]:
    """YAML-like `key: value` lines between two rules at the very top."""
    match = re.match(r"\s*---[ \t]*\n(.*?)\n---[ \t]*(?:\n|$)", text, re.DOTALL)
    if match is None:
        return text, {}
    pairs = [_META.fullmatch(line.strip()) for line in match[1].split("\n")]
    if not any(pairs):
        return text, {}
    return text[match.end() :], {pair[1].strip().lower(): pair[2].strip("\"' ") for pair in pairs if pair}


def _fence_end(lines: Sequence[str], at: int, fence: str) -> int:
    return next((i for i in range(at + 1, len(lines)) if lines[i].strip().startswith(fence)), len(lines))


def _is_table(lines: Sequence[str], at: int) -> bool:
    return at + 1 < len(lines) and "|" in lines[at] and bool(_TABLE_LINE.fullmatch(lines[at + 1]))


def _pipe_table(reading: Reading, lines: Sequence[str], at: int) -> int:
    rows = [_pipe_cells(lines[at])]
    end = at + 2
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        rows.append(_pipe_cells(lines[end]))
        end += 1
    width = len(rows[0])
    header = 1 if any(rows[0]) else 0
    reading.grid([row if len(row) <= width else [*row[: width - 1], " | ".join(row[width - 1 :])] for row in rows[1 - header :]], header_rows=header)  # fmt: skip
    return end


def _pipe_cells(line: str) -> list[str]:
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return [_BREAK.sub("\n", inline(part.replace("\\|", "|"))).strip() for part in _PIPE.split(line)]


def _paragraph(reading: Reading, lines: Sequence[str], at: int) -> int:
    """Lines up to a blank one, a heading, a fence or a table; a list item is a block of its own."""
    start = at
    is_item = bool(_ITEM.match(lines[at]))
    at += 1
    while at < len(lines) and lines[at].strip():
        line = lines[at]
        if _HEADING.fullmatch(line) or _FENCE.match(line) or _is_table(lines, at) or _ITEM.match(line):
            break
        if (under := _UNDERLINE.fullmatch(line)) and at == start + 1 and not is_item:
            reading.heading(inline(lines[start].strip()), 1 if under[1][0] == "=" else 2)
            return at + 1
        if _RULE.fullmatch(line):
            break
        at += 1
    text = "\n".join(inline(line.strip().removeprefix("> ").removeprefix(">")) for line in lines[start:at])
    reading.text("list" if is_item else "paragraph", text)
    return at


# --- plain text ------------------------------------------------------------------------------------


def read_text(reading: Reading, text: str, *, titled: bool = True) -> None:
    """Add the blocks of a plain text: paragraphs, lists, and short lines that stand alone as headings."""
    for number, lines in enumerate(_stanzas(text)):
        first = lines[0].strip()
        if titled and number == 0 and _is_title(first) and (len(lines) == 1 or first.isupper()):
            reading.name(first)
            _lines(reading, lines[1:])
        elif len(lines) == 1 and _is_heading(first):
            reading.heading(first, 2 if re.match(r"\d+\.\d", first) else 1)
        else:
            _lines(reading, lines)


def read_code(reading: Reading, text: str) -> None:
    """Add source code in pieces that begin at the left margin after a blank line."""
    for piece in re.split(r"\n\s*\n(?=\S)", text):
        reading.text("code", piece)


def _stanzas(text: str) -> list[list[str]]:
    stanzas: list[list[str]] = [[]]
    for line in text.split("\n"):
        if not line.strip():
            stanzas.append([])
        elif re.fullmatch(r"\s*[=_*~-]{4,}\s*", line):  # a ruler made of signs
            continue
        else:
            stanzas[-1].append(line)
    return [stanza for stanza in stanzas if stanza]


def _lines(reading: Reading, lines: Sequence[str]) -> None:
    """One stanza: list items are blocks of their own, a heading may stand right above its text."""
    if len(lines) > 1 and _is_heading(lines[0].strip()) and not _ITEM.match(lines[1]) and lines[0].isupper():
        reading.heading(lines[0].strip(), 1)
        lines = lines[1:]
    start = 0
    for at in range(1, len(lines) + 1 if lines else 1):
        if at == len(lines) or _ITEM.match(lines[at]):
            kind = _ITEM.match(lines[start])
            reading.text("list" if kind else "paragraph", "\n".join(line.strip() for line in lines[start:at]))
            start = at


def _is_title(line: str) -> bool:
    return len(line) <= 120 and line[-1] not in ".;,:!?" and not _ITEM.match(line) and line[0].isupper()


def _is_heading(line: str) -> bool:
    """Upper case, numbered or ending in a colon-less short line of its own."""
    if len(line) > 100 or line[-1] in ".;,!?" or not any(char.isalpha() for char in line):
        return False
    letters = [char for char in line if char.isalpha()]
    upper = sum(char.isupper() for char in letters) >= 0.9 * len(letters) and len(letters) > 3
    return upper or bool(_NUMBERED.fullmatch(line.rstrip(":")))
