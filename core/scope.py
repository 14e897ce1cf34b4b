"""Who may see what: the tags that every reader of a reply may read. Pure; memberships are looked up by the caller.

Failures are the caller's to turn into `Scope(frozenset())`: an unknown place reads nothing, never everything.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.types import Scope

NOTHING = Scope(frozenset())


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel as the platform describes it at this moment."""

    tag: str
    visibility: Literal["public", "private"]
    members: frozenset[str] = frozenset()  # of a private channel
    outsiders: bool = False  # guests or people of another workspace read along


@dataclass(frozen=True, slots=True)
class Audience:
    """Who asks, where, and whether others read the reply."""

    user: str
    place: Literal["channel", "direct"]  # "direct": a direct message or an ephemeral reply
    tag: str = ""  # of the channel, when there is one
    guest: bool = False


def scope_for(
    audience: Audience,
    channels: Iterable[Channel],
    *,
    public: Literal["workspace", "channel"] = "workspace",
    links: Mapping[str, Iterable[str]] | None = None,
) -> Scope:
    """The tags that every reader of this reply may read.

    Args:
        audience: who asks and where.
        channels: the channels of the same workspace, memberships as of now.
        public: "workspace": public channels are readable from every channel; "channel": only from themselves.
        links: tag -> tags that an admin linked to it.
    Returns: the scope; empty for an unknown channel, or a private one that the asker is not a member of.
    """
    known = {channel.tag: channel for channel in channels}
    open_tags = {c.tag for c in known.values() if c.visibility == "public"}
    if audience.place == "direct":
        return _direct(audience, known, open_tags)
    here = known.get(audience.tag)
    if here is None or (here.visibility == "private" and audience.user not in here.members):
        return NOTHING
    if here.outsiders or audience.guest:
        return Scope(frozenset({here.tag}))
    tags = {here.tag} | (open_tags if public == "workspace" else set())
    tags |= set((links or {}).get(here.tag, ()))
    return Scope(frozenset(tags))


def _direct(audience: Audience, known: Mapping[str, Channel], open_tags: set[str]) -> Scope:
    joined = {c.tag for c in known.values() if audience.user in c.members}
    if audience.guest:
        return Scope(frozenset(joined))
    return Scope(frozenset(open_tags | joined))
