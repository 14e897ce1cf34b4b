"""Slack's way of writing: what a typed text says, and whom it mentions outside of code and quotes. Pure."""

import re
from dataclasses import dataclass

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_QUOTE_LINE = re.compile(r"^[ \t]*(?:&gt;|>)(?!(?:&gt;|>){2})[^\n]*", re.MULTILINE)
_QUOTE_REST = re.compile(r"^[ \t]*(?:&gt;|>){3}.*\Z", re.MULTILINE | re.DOTALL)
_USER = re.compile(r"<@([UW][A-Z0-9]+)(?:\|([^>]*))?>")
_GROUP = re.compile(r"<!subteam\^[A-Z0-9]+(?:\|[^>]*)?>")
_MARKUP = re.compile(r"<([@#!]?)([^<>|\n]+)(?:\|([^<>\n]*))?>")
_ENTITY = re.compile(r"&(amp|lt|gt);")
_SPACES = re.compile(r"[ \t]{2,}")


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody wrote."""

    text: str  # as a person reads it, without the mention that addresses the bot
    mentioned: bool  # the bot, outside of code and quotes
    to_others: bool  # other people and not the bot


def read_text(text: str, me: str) -> Typed:
    """Read a message's text.

    Args:
        text: as Slack sends it: `<@U1>`, `<#C1|name>`, `<url|text>`, and `&` `<` `>` as entities.
        me: the bot's own user id.
    """
    open_text = _masked(text)
    people = list(_USER.finditer(open_text))
    mentioned = any(found.group(1) == me for found in people)
    others = any(found.group(1) != me for found in people) or _GROUP.search(open_text) is not None
    kept: list[str] = []
    end = 0
    for found in people:
        if found.group(1) == me:
            kept.append(text[end : found.start()])
            end = _past_address(text, found.end())
    kept.append(text[end:])
    return Typed(plain_text("".join(kept)), mentioned, others and not mentioned)


def plain_text(text: str) -> str:
    """Markup taken away: what a person reads on the screen, entities decoded last."""
    shown = unescape_slack(_MARKUP.sub(_shown, text))
    return "\n".join(_SPACES.sub(" ", line).rstrip() for line in shown.split("\n")).strip()


def unescape_slack(text: str) -> str:
    """Slack encodes exactly three characters."""
    return _ENTITY.sub(lambda found: {"amp": "&", "lt": "<", "gt": ">"}[found.group(1)], text)


def _masked(text: str) -> str:
    """The text with code and quotes blanked out; every other character keeps its place."""
    for pattern in (_CODE, _QUOTE_REST, _QUOTE_LINE):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    return text


def _past_address(text: str, end: int) -> int:
    """`<@BOT>, what …`: the comma belongs to the address."""
    after = re.match(r"[ \t]*[,:;]?[ \t]*", text[end:])
    return end + (after.end() if after else 0)


def _shown(found: re.Match[str]) -> str:
    mark, name, label = found.groups()
    if mark == "@":
        return "@" + (label or name)
    if mark == "#":
        return "#" + (label or name)
    if mark == "!":
        return _special(name, label or "")
    return label or name.removeprefix("mailto:").removeprefix("tel:")


def _special(name: str, label: str) -> str:
    """`<!here>`, `<!subteam^S1|@team>`, `<!date^1392734382^{date}|fallback>`."""
    if label:
        return label if label.startswith("@") or name.startswith("date^") else "@" + label
    return "@" + name.split("^", 1)[0]
