"""The workspace's channels with their visibility and members as of now, for the scope of a reply.

Everything is asked from Slack, kept for a short while, and dropped when an event says that it changed. Any failure
raises, and the caller denies.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.kept import Kept
from adapters.slack.meaning import (
    SLACK,
    Me,
)
from adapters.slack.people import People
from bot.messages import Inbound
from core.scope import Channel

LIST_PAGE, MEMBERS_PAGE = 1000, 999
_ALL = "all"
_GONE = ("channel_not_found", "not_in_channel", "is_archived")


@dataclass(frozen=True, slots=True)
class Entry:
    """A conversation as conversations.list gives it."""

    id: str
    name: str
    private: bool
    connected: bool  # shared with another workspace, or about to be
    joined: bool = True  # the bot is in it


class SlackDirectory:
    """A bot.audience.Directory. A group direct message is a private channel."""

    def __init__(self, client: AsyncWebClient, me: Me, people: People, *, seconds: float) -> None:
        self._client = client
        self._me = me
        self._people = people
        self._entries = Kept(self._list, seconds=seconds)
        self._members = Kept(self._list_members, seconds=seconds)
        self._made: tuple[Mapping[str, Entry], dict[str, Channel]] | None = None

    async def channels(self, inbound: Inbound) -> tuple[Channel, ...]:
        """Public channels, and the private ones that the bot is in, with the members of those that matter.

        Members are looked up for private channels (who may read them), for the channel of the message (do guests read
        along?), and for all when a guest asks directly: a guest reads only the channels that the guest is in.
        """
        person, entries = await asyncio.gather(
            self._people.person(inbound.user), self._listed(inbound.channel)
        )
        private_place = inbound.direct or inbound.ephemeral
        guest = inbound.guest or person.guest
        wanted = [
            entry
            for entry in entries.values()
            if entry.id == inbound.channel or (private_place and (entry.private or guest))
        ]
        members = dict(
            zip(
                [entry.id for entry in wanted],
                await asyncio.gather(*(self._members_of(entry, inbound.channel) for entry in wanted)),
                strict=True,
            )
        )
        readers = frozenset() if private_place else members.get(inbound.channel, frozenset())
        outsider = bool(readers) and await self._people.has_outsider(readers)
        known = self._as_channels(entries)
        for entry in wanted:
            outsiders = entry.connected or (outsider and entry.id == inbound.channel)
            own = known[entry.id]
            known[entry.id] = replace(own, members=members[entry.id], outsiders=outsiders)
        return tuple(known.values())

    def _as_channels(self, entries: Mapping[str, Entry]) -> dict[str, Channel]:
        """All entries by id, in its order, without members: made once for each list that Slack gave."""
        if self._made is None or self._made[0] is not entries:
            made = {
                entry.id: Channel(
                    f"{SLACK}:{self._me.team}/{entry.id}",
                    "private" if entry.private else "public",
                    outsiders=entry.connected,
                )
                for entry in sorted(entries.values(), key=lambda entry: entry.id)
            }
            self._made = entries, made
        return dict(self._made[1])

    async def is_in(self, channel: str) -> bool:
        """Whether the bot is in a channel, and so learns what is deleted there. Raises: what Slack says."""
        entry = (await self._listed(channel)).get(channel)
        return entry is not None and entry.joined

    async def names(self) -> Mapping[str, str]:
        """Channel id -> name, of the channels that the bot knows."""
        return {entry.id: entry.name for entry in (await self._entries.get(_ALL)).values()}

    def drop_members(self, channel: str) -> None:
        self._members.drop(channel)

    def drop(self) -> None:
        """Channels came, went, were renamed or converted."""
        self._entries.drop()
        self._members.drop()

    async def _listed(self, here: str) -> Mapping[str, Entry]:
        """All channels; read again when the place of the message is not among them: it may be new."""
        entries = await self._entries.get(_ALL)
        if here and here not in entries:
            self._entries.drop()
            entries = await self._entries.get(_ALL)
        return entries

    async def _members_of(self, entry: Entry, here: str) -> frozenset[str]:
        """Raises what Slack says; a channel besides the message's own that is gone meanwhile is nobody's."""
        try:
            return await self._members.get(entry.id)
        except SlackApiError as err:
            if entry.id == here or err.response.get("error") not in _GONE:
                raise
            return frozenset()

    async def _list(self, _: str) -> Mapping[str, Entry]:
        found: dict[str, Entry] = {}
        cursor = ""
        while True:
            page = await self._client.conversations_list(
                types="public_channel,private_channel,mpim",
                exclude_archived=True,
                limit=LIST_PAGE,
                cursor=cursor,
            )
            found |= {str(item["id"]): entry_of(item) for item in page["channels"]}
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return found

    async def _list_members(self, channel: str) -> frozenset[str]:
        found: set[str] = set()
        cursor = ""
        while True:
            page = await self._client.conversations_members(
                channel=channel, limit=MEMBERS_PAGE, cursor=cursor
            )
            found |= {str(user) for user in page["members"]}
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return frozenset(found)


def entry_of(item: Mapping[str, Any]) -> Entry:
    """A conversation object. What is not said to be open is private."""
    private = bool(item.get("is_private", True)) or bool(item.get("is_mpim") or item.get("is_group"))
    connected = any(item.get(key) for key in ("is_ext_shared", "is_pending_ext_shared", "is_org_shared"))
    joined = private or bool(item.get("is_member"))  # private ones are listed only where the bot is in
    return Entry(str(item["id"]), str(item.get("name") or item["id"]), private, connected, joined)
