"""From a typed line to what it means: a message for the bot, or a move of the person at the console. Pure."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bot.attachments import from_path
from bot.audience import CONSOLE, DIRECT, WORKSPACE
from bot.messages import Inbound

MARK = "!"
LEAVING = frozenset({"quit", "exit", "sair", "q"})
_QUOTES = re.compile(r"""^(["'])(.*)\1$""")


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits at the console, and where they write."""

    user: str
    channel: str  # "" is a direct message with the bot
    thread: str


@dataclass(frozen=True, slots=True)
class Speak:
    """A message, command or upload for the bot."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class Sit:
    """Go on as someone else, somewhere else, or in another thread. `channel` is as typed, not checked yet."""

    seat: Seat
    checked: bool = True  # False: the channel has to be looked up first


@dataclass(frozen=True, slots=True)
class Press:
    """A button of the last reply."""

    action: Literal["up", "down", "fresh", "share"]


@dataclass(frozen=True, slots=True)
class Usage:
    """A console command without what it needs."""

    usage: str


@dataclass(frozen=True, slots=True)
class Leave:
    """The person goes."""


Action = Speak | Sit | Press | Usage | Leave | None


def read_line(line: str, seat: Seat, *, id: str, name: str = "bot") -> Action:
    """What a line means; None for an empty one.

    Args:
        line: as typed.
        seat: who typed it, where.
        id: of the message, and of a new thread.
        name: what the bot is called; a mention of it in front is not part of the question.
    """
    text = line.strip()
    if text.startswith(MARK) and text != MARK:
        word, _, rest = text[1:].partition(" ")
        return _command(word.casefold(), rest.strip(), seat, id)
    mention = re.match(rf"@(?:bot|{re.escape(name)})\b[:,]?\s*", text, re.IGNORECASE)
    question = text[mention.end() :] if mention else text
    return Speak(spoken(seat, question, id)) if question else None


def spoken(seat: Seat, text: str, id: str) -> Inbound:
    """A message from this seat."""
    return Inbound(
        CONSOLE, WORKSPACE, seat.channel, seat.user, text, id, seat.thread, direct=not seat.channel
    )


def _command(word: str, rest: str, seat: Seat, id: str) -> Action:
    match word:
        case "up" | "down" | "fresh" | "share":
            return Press(word)
        case "new":
            return Sit(replace(seat, thread=id))
        case "as" | "in" | "thread" | "upload" if not rest:
            return Usage({"as": "!as user", "in": f"!in channel | {DIRECT}"}.get(word, f"!{word} name"))
        case "as":
            return Sit(replace(seat, user=rest))
        case "in":
            return Sit(replace(seat, channel=rest), checked=False)
        case "thread":
            return Sit(replace(seat, thread=rest))
        case "upload":
            attachment = from_path(Path(_unquoted(rest)).expanduser())
            return Speak(replace(spoken(seat, "", id), attachments=(attachment,)))
        case _ if word in LEAVING:
            return Leave()
    return Speak(replace(spoken(seat, rest, id), command=word))


def _unquoted(text: str) -> str:
    quoted = _QUOTES.match(text)
    return quoted.group(2) if quoted else text
