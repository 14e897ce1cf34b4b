"""Who somebody is in the workspace: language, guest or stranger, admin; looked up and kept for a short while."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.kept import Kept
from core.types import Language

PAGE = 200
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace, a guest in it, or somebody of another workspace (a shared channel)."""

    id: str
    team: str
    locale: Language
    guest: bool
    admin: bool


class People:
    """Raises slack_sdk's errors when Slack does not tell: the caller denies."""

    def __init__(self, client: AsyncWebClient, team: str, *, seconds: float) -> None:
        self._client = client
        self._team = team
        self._people = Kept(self._look_up, seconds=seconds)
        self._standing = Kept(self._list, seconds=seconds)

    async def person(self, user: str) -> Person:
        return await self._people.get(user)

    async def has_outsider(self, members: Set[str]) -> bool:
        """Whether a guest or a stranger is among these people; somebody whom the list does not know counts as one."""
        known = await self._standing.get(_ALL)
        if not members <= known.keys():  # somebody may be new
            self._standing.drop()
            known = await self._standing.get(_ALL)
        return any(known.get(user, True) for user in members)

    def drop(self, user: str = "") -> None:
        self._people.drop(user)
        self._standing.drop()

    async def _look_up(self, user: str) -> Person:
        answer = await self._client.users_info(user=user, include_locale=True)
        return person_of(answer["user"], self._team)

    async def _list(self, _: str) -> dict[str, bool]:
        """Everybody's id -> whether they are a guest or a stranger."""
        found: dict[str, bool] = {}
        cursor = ""
        while True:
            page = await self._client.users_list(limit=PAGE, cursor=cursor)
            found |= {str(item["id"]): person_of(item, self._team).guest for item in page["members"]}
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return found


def person_of(item: Mapping[str, Any], team: str) -> Person:
    """A user object of the Web API. Another workspace's people are guests here, and never admins."""
    own_team = str(item.get("team_id") or team)
    foreign = bool(item.get("is_stranger")) or own_team != team
    guest = foreign or bool(item.get("is_restricted")) or bool(item.get("is_ultra_restricted"))
    admin = not guest and bool(item.get("is_admin") or item.get("is_owner") or item.get("is_primary_owner"))
    return Person(str(item["id"]), own_team, language_of(str(item.get("locale") or "")), guest, admin)


def language_of(locale: str) -> Language:
    """`pt-BR` -> pt; a language that the bot does not speak is undecided."""
    match locale.split("-")[0].casefold():
        case "pt":
            return "pt"
        case "en":
            return "en"
        case _:
            return "und"
