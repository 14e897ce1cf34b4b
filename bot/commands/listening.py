"""listen: whether every question of a channel is one for the bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.commands.files import channel_name
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec
from core.errors import NotAllowed

if TYPE_CHECKING:
    from bot.app import App
    from core.types import Language

_WORDS = {"on": True, "off": False, "sim": True, "nao": False, "não": False}


async def listen(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Switch a channel between answering every question and answering mentions."""
    language = reader_language("", inbound.locale, app.settings)
    chosen = _WORDS.get(arguments.strip().casefold())
    if chosen is None or inbound.direct:
        return Reply(say("usage", language, usage=f"{LISTEN.name} {LISTEN.usage}"), language)
    if inbound.tag not in (await app.scope(inbound)).tags:
        raise NotAllowed(f"{inbound.user} may not change {inbound.tag}")
    app.book.listen(inbound.tag, chosen)
    app.audit(inbound, "listen", {"on": chosen})
    where = whole_place(inbound, language)
    return Reply(say("listening" if chosen else "not_listening", language, where=where), language)


def whole_place(inbound: Inbound, language: Language) -> str:
    """What a command about "this channel" is about: said in a thread, it means the channel with all of them. Only a
    private thread, which has members of its own, is a place by itself.
    """
    own = inbound.thread == inbound.channel
    return say("private_thread" if own else "whole_channel", language, channel=channel_name(inbound.tag))


LISTEN = CommandSpec(
    "listen",
    "admins",
    {
        "pt": "responde a toda pergunta deste canal, ou só a menções",
        "en": "answers every question of this channel, or mentions only",
    },
    listen,
    "on|off",
    ("escutar",),
)
COMMANDS = (LISTEN,)
