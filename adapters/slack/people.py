"""Who somebody is in the workspace: language, guest or stranger, admin; looked up and kept for a short while."""

import asyncio
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import error_of
from adapters.slack.kept import Kept
from core.types import Language

PAGE = 500
LIST_SECONDS = 600.0  # the list of everybody is long; what changes in it is told by events
ONE_BY_ONE = 20  # so many unknown people are looked up singly; for more the list is read again
_ALL = "all"
_NOBODY = ("user_not_found", "user_not_visible", "users_not_found")


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace, a guest in it, or somebody of another workspace (a shared channel)."""

    id: str
    team: str
    name: str
    locale: Language
    guest: bool
    admin: bool


class People:
    """Raises slack_sdk's errors when Slack does not tell: the caller denies."""

    def __init__(self, client: AsyncWebClient, team: str, *, seconds: float) -> None:
        self._client = client
        self._team = team
        self._people = Kept(self._look_up, seconds=seconds)
        self._everybody = Kept(self._list, seconds=max(seconds, LIST_SECONDS))

    async def person(self, user: str) -> Person:
        return await self._people.get(user)

    async def has_outsider(self, members: Set[str]) -> bool:
        """Whether a guest or a stranger is among these people; somebody whom Slack does not know counts as one."""
        known = await self._everybody.get(_ALL)
        if len(members - known.keys()) > ONE_BY_ONE:
            self._everybody.drop()
            known = await self._everybody.get(_ALL)
        new = sorted(members - known.keys())
        for user, person in zip(new, await asyncio.gather(*map(self._if_any, new)), strict=True):
            if person is None:
                return True
            known[user] = person
        return any(known[user].guest for user in members)

    async def names(self) -> Mapping[str, str]:
        """User id -> the name that the workspace shows."""
        return {user: person.name for user, person in (await self._everybody.get(_ALL)).items()}

    async def drop(self, user: str = "") -> None:
        """Somebody came or changed: they are looked up anew."""
        self._people.drop(user)
        if not user:
            self._everybody.drop()
        elif self._everybody.has(_ALL):
            (await self._everybody.get(_ALL)).pop(user, None)

    async def _if_any(self, user: str) -> Person | None:
        try:
            return await self.person(user)
        except SlackApiError as err:
            if error_of(err) in _NOBODY:
                return None
            raise

    async def _look_up(self, user: str) -> Person:
        answer = await self._client.users_info(user=user, include_locale=True)
        return person_of(answer["user"], self._team)

    async def _list(self, _: str) -> dict[str, Person]:
        found: dict[str, Person] = {}
        cursor = ""
        while True:
            page = await self._client.users_list(limit=PAGE, cursor=cursor)
            found |= {str(item["id"]): person_of(item, self._team) for item in page["members"]}
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return found


def person_of(item: Mapping[str, Any], team: str) -> Person:
    """A user object of the Web API. Another workspace's people are guests here, and never admins."""
    own_team = str(item.get("team_id") or team)
    foreign = bool(item.get("is_stranger")) or own_team != team
    guest = foreign or bool(item.get("is_restricted")) or bool(item.get("is_ultra_restricted"))
    admin = not guest and bool(item.get("is_admin") or item.get("is_owner") or item.get("is_primary_owner"))
    profile = item.get("profile") or {}
    name = profile.get("display_name") or profile.get("real_name") or item.get("name") or item["id"]
    return Person(
        str(item["id"]), own_team, str(name), language_of(str(item.get("locale") or "")), guest, admin
    )


def language_of(locale: str) -> Language:
    """`pt-BR` -> pt; a language that the bot does not speak is undecided."""
    match locale.split("-")[0].casefold():
        case "pt":
            return "pt"
        case "en":
            return "en"
        case _:
            return "und"
