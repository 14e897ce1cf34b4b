"""link, unlink and approve: let a channel read another. A private channel is opened by its own members only."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec
from core.errors import NotAllowed
from core.harmless import shown_name

if TYPE_CHECKING:
    from bot.app import App
    from core.types import Language

_MENTION = re.compile(r"<#([^|>]+)(?:\|[^>]*)?>")  # how Slack and Discord write a channel


async def link(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Let this channel read another. The reply is the same for a private channel and for none of that name."""
    language, other = _read(app, inbound, arguments)
    if not other or inbound.direct or other == inbound.tag:
        return Reply(say("usage", language, usage="link #channel"), language)
    scope = await app.scope(inbound)
    if inbound.tag not in scope.tags:
        raise NotAllowed(f"{inbound.user} may not link {inbound.tag}")
    app.records.link(inbound.tag, other, f"{inbound.platform}:{inbound.user}")
    app.audit(inbound, "link", {"reads": other})
    in_force = (
        other in (await app.scope(replace(inbound, ephemeral=False))).tags
    )  # the channel's, not the admin's
    key = "linked" if in_force else "link_waits"
    return Reply(say(key, language, channel=_name(other), here=_name(inbound.tag)), language)


async def unlink(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Take a link of this channel away."""
    language, other = _read(app, inbound, arguments)
    if not other:
        return Reply(say("usage", language, usage="unlink #channel"), language)
    if inbound.tag not in (await app.scope(inbound)).tags:
        raise NotAllowed(f"{inbound.user} may not unlink {inbound.tag}")
    gone = app.records.unlink(inbound.tag, other)
    if gone:
        app.audit(inbound, "unlink", {"reads": other})
    return Reply(say("unlinked" if gone else "not_linked", language, channel=_name(other)), language)


async def approve(app: App, inbound: Inbound, arguments: str) -> Reply:
    """A member of this private channel opens it to another channel that an admin linked to it, or closes it again."""
    closing = arguments.strip().casefold().startswith(("no ", "off ", "não ", "nao "))
    language, other = _read(app, inbound, arguments.split(maxsplit=1)[-1] if closing else arguments)
    if not other or inbound.direct:
        return Reply(say("usage", language, usage=f"{APPROVE.name} {APPROVE.usage}"), language)
    if inbound.guest or inbound.tag not in (await app.scope(inbound)).tags:
        raise NotAllowed(f"{inbound.user} is no member of {inbound.tag}")
    names = {"channel": _name(other), "here": _name(inbound.tag)}
    if closing:
        gone = app.records.unlink(other, inbound.tag)
        if gone:
            app.audit(inbound, "close", {"reader": other})
        return Reply(say("closed" if gone else "not_linked", language, **names), language)
    if inbound.tag not in app.links().get(other, ()) or not await app.is_private(inbound):
        return Reply(say("nothing_to_approve", language, **names), language)
    app.records.approve(other, inbound.tag, f"{inbound.platform}:{inbound.user}")
    app.audit(inbound, "approve", {"reader": other})
    return Reply(say("approved", language, **names), language)


def _read(app: App, inbound: Inbound, arguments: str) -> tuple[Language, str]:
    """The reader's language and the tag of the channel that was named; no tag when none was."""
    language = reader_language("", inbound.locale, app.settings)
    words = _MENTION.sub(r"\1", arguments).replace("#", " ").split()
    if len(words) != 1 or "/" in words[0] or words[0].startswith("@"):  # direct messages are nobody's channel
        return language, ""
    return language, f"{inbound.platform}:{inbound.workspace}/{words[0]}"


def _name(tag: str) -> str:
    return shown_name(tag.rsplit("/", 1)[-1])


LINK = CommandSpec(
    "link",
    "admins",
    {"pt": "deixa este canal ler outro", "en": "lets this channel read another"},
    link,
    "#channel",
)
UNLINK = CommandSpec(
    "unlink",
    "admins",
    {"pt": "desfaz um link deste canal", "en": "takes a link of this channel away"},
    unlink,
    "#channel",
)
APPROVE = CommandSpec(
    "approve",
    "members",
    {
        "pt": "membros de um canal privado o abrem a um canal ligado (`approve no #canal` fecha)",
        "en": "members of a private channel open it to a linked channel (`approve no #channel` closes it)",
    },
    approve,
    "[no] #channel",
    ("aprovar",),
)
COMMANDS = (LINK, UNLINK, APPROVE)
