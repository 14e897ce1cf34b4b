"""From a message to the scope of its reply: who reads along, looked up as of now. Every failure denies."""

import logging
from collections.abc import Mapping
from typing import Protocol

from bot.messages import Inbound
from bot.plugins.manager import PluginManager
from core.scope import NOTHING, Audience, Channel, scope_for
from core.settings import ChannelSettings, Settings
from core.types import Scope

log = logging.getLogger("polyrag.audience")
CONSOLE = "console"
WORKSPACE = "local"


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


async def scope_of(
    inbound: Inbound,
    directory: Directory,
    settings: Settings,
    links: Mapping[str, tuple[str, ...]],
    plugins: PluginManager,
) -> Scope:
    """What every reader of the reply to this message may read; empty when anything about it cannot be looked up."""
    try:
        channels = await directory.channels(inbound)
    except Exception as err:
        log.warning("directory failed, scope denied", extra={"tag": inbound.tag, "error": repr(err)})
        return NOTHING
    private_place = inbound.direct or inbound.ephemeral
    if inbound.direct:  # what a user uploads in a direct message is a private channel of one
        channels = (*channels, Channel(inbound.tag, "private", frozenset({inbound.user})))
    audience = Audience(inbound.user, "direct" if private_place else "channel", inbound.tag, inbound.guest)
    scope = scope_for(audience, channels, public=settings.permissions.public, links=links)
    return plugins.narrow(scope, inbound)


def configured_links(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Links between console channels that the configuration declares, as tags."""
    return {
        channel_tag(name): tuple(channel_tag(other) for other in others)
        for name, others in sorted(settings.permissions.links.items())
    }
