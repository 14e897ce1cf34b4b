"""From a message to the scope of its reply: who reads along, looked up as of now. Every failure denies."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

from bot.messages import Inbound
from bot.plugins.manager import PluginManager
from core.errors import NotFound, PolyragError
from core.normalize import fold
from core.scope import NOTHING, Audience, Channel, scope_for
from core.settings import ChannelSettings, Settings
from core.types import Scope

log = logging.getLogger("polyrag.audience")
CONSOLE = "console"
WORKSPACE = "local"
DIRECT = "dm"  # how a direct message is called where a channel is named
Approvals = Collection[tuple[str, str]]  # (reading tag, private tag that one of its members opened to it)


class UnknownChannel(NotFound):
    messages = {
        "en": "I know no channel `{name}`{near}. Channels of the console are declared under `channels:` of the "
        "configuration, for example `{name}: {{visibility: public, members: []}}`.",
        "pt": "Não conheço o canal `{name}`{near}. Os canais do console são declarados em `channels:` na "
        "configuração, por exemplo `{name}: {{visibility: public, members: []}}`.",
    }


class AccessUnchecked(PolyragError):
    """Who may read what could not be looked up, so nothing was read."""

    messages = {
        "en": "I could not check what you may read here, so I have read nothing. The admins see the reason under `status` "
        "and in the log. Try again in a minute.",
        "pt": "Não consegui verificar o que você pode ler aqui, então não li nada. Os administradores veem o motivo em "
        "`status` e no registro. Tente de novo em um minuto.",
    }


class Overtaken(PolyragError):
    """What an answer was made from left its readers' sight while it was written."""

    messages = {
        "en": "While I was writing, something that the answer drew on was taken away here, or who may read it changed. "
        "I throw the answer away; ask again.",
        "pt": "Enquanto eu escrevia, algo que a resposta usava saiu daqui, ou mudou quem pode lê-lo. Descarto a resposta; "
        "pergunte de novo.",
    }


@dataclass(frozen=True, slots=True)
class Checked:
    """A scope, and what kept it from being looked up: then it is empty."""

    scope: Scope
    trouble: str = ""  # "plugin hours", "directory of slack"


class Directory(Protocol):
    """A platform's channels with their visibility and members at this moment."""

    async def channels(self, inbound: Inbound) -> tuple[Channel, ...]:
        """All channels of the message's workspace that matter for it. Raises on any failure: the caller denies."""
        ...


class ConfiguredChannels:
    """The channels that a configuration or an eval set declares: the console's directory."""

    def __init__(self, channels: Mapping[str, ChannelSettings]) -> None:
        self._channels = tuple(
            Channel(channel_tag(name), entry.visibility, frozenset(entry.members))
            for name, entry in sorted(channels.items())
        )

    async def channels(self, inbound: Inbound) -> tuple[Channel, ...]:
        return self._channels


def channel_tag(name: str) -> str:
    """The tag of a console channel."""
    return f"{CONSOLE}:{WORKSPACE}/{name}"


def console_channel(name: str, user: str, channels: Mapping[str, ChannelSettings]) -> str:
    """The declared channel that a person at the console names; "" for a direct message.

    Raises: UnknownChannel, which hints only at channels that this person may know of.
    """
    wanted = name.lstrip("#")
    if wanted == DIRECT:
        return ""
    if wanted in channels:
        return wanted
    known = {fold(n): n for n, c in channels.items() if c.visibility == "public" or user in c.members}
    if fold(wanted) in known:
        return known[fold(wanted)]
    close = get_close_matches(fold(wanted), sorted(known), n=1)
    near = f" (`{known[close[0]]}`?)" if close else ""
    raise UnknownChannel(f"no channel {wanted!r} in the configuration", name=wanted, near=near)


async def scope_of(
    inbound: Inbound,
    directory: Directory,
    settings: Settings,
    links: Mapping[str, Iterable[str]],
    plugins: PluginManager,
    approved: Approvals = (),
) -> Checked:
    """What every reader of the reply to this message may read; empty when anything about it cannot be looked up."""
    try:
        channels = await directory.channels(inbound)
    except Exception as err:
        log.error("directory failed, scope denied", extra={"tag": inbound.tag, "error": repr(err)})
        return Checked(NOTHING, f"directory of {inbound.platform} ({type(err).__name__})")
    private_place = inbound.direct or inbound.ephemeral
    if inbound.direct:  # what a user uploads in a direct message is a private channel of one
        channels = (*channels, Channel(inbound.tag, "private", frozenset({inbound.user})))
    audience = Audience(inbound.user, "direct" if private_place else "channel", inbound.tag, inbound.guest)
    open_links = {inbound.tag: _open_links(inbound.tag, links, channels, approved)}
    scope = scope_for(audience, channels, public=settings.permissions.public, links=open_links)
    if not plugins.listens("narrow_scope"):
        return Checked(scope)
    narrowed, failed = await asyncio.to_thread(plugins.narrow, scope, inbound)
    return Checked(narrowed, f"plugin {failed}" if failed else "")


def _open_links(
    tag: str, links: Mapping[str, Iterable[str]], channels: Iterable[Channel], approved: Approvals
) -> tuple[str, ...]:
    """What a channel may read besides its own, as of now.

    A link to a channel that is private at this moment counts only once one of its members has approved it; a link to a
    channel that the platform does not know (any more) counts for nothing.
    """
    visibility = {channel.tag: channel.visibility for channel in channels}
    wanted = [other for other in links.get(tag, ()) if other in visibility]
    return tuple(o for o in wanted if visibility[o] == "public" or (tag, o) in approved)


def configured_links(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Links between console channels that the configuration declares, as tags."""
    return {
        channel_tag(name): tuple(channel_tag(other) for other in others)
        for name, others in sorted(settings.permissions.links.items())
    }
