"""Text for Slack's own markup: escaped, so that it pings nobody and closes nothing. Pure."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from core.harmless import fenceless, harmless

LONGEST_URL = 1_000
# No pattern looks further than to where the next one of its kind may begin: the work grows with the text, not its square.
_STRONG = re.compile(r"(?<!\*)\*\*(?!\*)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]\n]++)\]\((https?://[^\s()<>\[\]|]++)\)")
_BULLET = re.compile(r"^([ \t]*)[-*+][ \t]+", re.MULTILINE)
_MENTION = re.compile(r"<(?=[@!#])|@(?=(?:everyone|here|channel)\b)", re.IGNORECASE)
_FENCE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_ID = re.compile(r"#?\b([CGUW](?=[A-Z]*\d)[A-Z0-9]{5,})\b")  # of a channel or a person


def escape(text: str) -> str:
    """The three characters that Slack's markup is made of, as entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def safe(text: str) -> str:
    """Any text, to stand in a mrkdwn field as it is."""
    return escape(harmless(text))


def unpinged(text: str) -> str:
    """Mentions broken up and nothing else: what is added to a text later leaves what was shown of it as it is."""
    return _MENTION.sub(lambda found: found.group() + "\u200b", text)


def quoted(text: str) -> str:
    """A passage as a quotation: it cannot open a code block, nor end the quotation."""
    lines = fenceless(harmless(text)).strip().split("\n")
    return "\n".join(f"> {escape(line)}" for line in lines)


def code(text: str) -> str:
    """Lines that keep their columns; what they hold cannot close the block."""
    return f"```\n{escape(fenceless(harmless(text))).strip(chr(10))}\n```"


def link(url: str, label: str) -> str:
    """A link where the address is one of the web; else its label alone."""
    shown = safe(label).replace("\n", " ")
    if urlsplit(url).scheme not in ("http", "https") or re.search(r"[\s<>|]", url) or len(url) > LONGEST_URL:
        return shown
    return f"<{url.replace('&', '&amp;')}|{shown.replace('|', '¦')}>"


def to_mrkdwn(markdown: str) -> str:
    """An answer's Markdown in Slack's older markup, for where Markdown blocks are refused."""
    parts = _FENCE.split(harmless(markdown))
    return "".join(escape(part) if number % 2 else _prose(part) for number, part in enumerate(parts))


def named(text: str, names: Mapping[str, str]) -> str:
    """Ids that the readers may know, by their names: `#C0A1B2` becomes `#general`, `U0A1B2` becomes `ana`."""
    return _ID.sub(lambda found: names.get(found.group(1), found.group()), text)


def ids_in(text: str) -> frozenset[str]:
    """What may be the id of a channel or a person in a text."""
    return frozenset(_ID.findall(text))


def _prose(text: str) -> str:
    links: list[str] = []

    def keep(found: re.Match[str]) -> str:
        links.append(link(found.group(2), found.group(1)))
        return f"\x00{len(links) - 1}\x00"

    text = escape(_LINK.sub(keep, text))
    text = _HEADING.sub(lambda found: f"*{found.group(1).rstrip(' #' + chr(9))}*", text)
    text = "\n".join(map(_bold, _BULLET.sub(r"\1• ", text).split("\n")))
    return re.sub(r"\x00(\d+)\x00", lambda m: links[int(m.group(1))], text)


def _bold(line: str) -> str:
    """`**x**` as `*x*`: a mark that words follow opens, the next one that words precede closes."""
    parts, opened = [], -1  # place in `parts` of the mark that waits for its end
    at = 0
    for mark in _STRONG.finditer(line):
        parts += [line[at : mark.start()], "**"]
        at, here = mark.end(), len(parts) - 1
        if opened >= 0 and not line[mark.start() - 1].isspace():
            parts[opened] = parts[here] = "*"
            opened = -1
        elif opened < 0 and not line[at : at + 1].isspace() and line[at : at + 1]:
            opened = here
    return "".join([*parts, line[at:]])
