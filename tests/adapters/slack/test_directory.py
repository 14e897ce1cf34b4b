"""Who may see what, asked from Slack, kept for a short while, and never more than Slack says."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.directory import SlackDirectory
from adapters.slack.kept import Kept
from adapters.slack.meaning import (
    Me,
)
from adapters.slack.people import People, language_of
from bot.messages import Inbound
from core.scope import Channel
from tests.adapters.slack.fake import BOT_USER, TEAM, FakeSlack

ME = Me(TEAM, BOT_USER, "B0POLYRAG", "https://acme.slack.test/")


@dataclass(slots=True)
class Office:
    slack: FakeSlack
    people: People
    directory: SlackDirectory

    async def channels(self, user: str, channel: str = "", **more: Any) -> dict[str, Channel]:
        inbound = Inbound("slack", TEAM, channel, user, "", "1.1", direct=not channel, place=channel, **more)
        return {c.tag.rsplit("/")[-1]: c for c in await self.directory.channels(inbound)}


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with FakeSlack() as slack:
        client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
        people = People(client, TEAM, seconds=300)
        yield Office(slack, people, SlackDirectory(client, ME, people, seconds=300))


async def test_channels_come_with_visibility_and_private_ones_with_members(office: Office) -> None:
    ana, rui = await office.slack.add_user("ana"), await office.slack.add_user("rui")
    open_, closed = (
        await office.slack.add_channel("geral", members=[ana]),
        await office.slack.add_channel("rh", private=True, members=[ana]),
    )
    hidden = await office.slack.add_channel("sem-bot", private=True, members=[ana], bot=False)
    group = await office.slack.open_group_dm(ana, rui)
    found = await office.channels(rui)

    assert found[open_].visibility == "public"
    assert (found[closed].visibility, found[closed].members) == ("private", frozenset({ana, BOT_USER}))
    assert (found[group].visibility, found[group].members) == ("private", frozenset({ana, rui, BOT_USER}))
    assert hidden not in found


async def test_every_page_is_read(office: Office) -> None:
    office.slack.world.page_cap = 3
    people = [await office.slack.add_user(f"u{n}") for n in range(8)]
    rooms = [await office.slack.add_channel(f"c{n}") for n in range(8)]
    closed = await office.slack.add_channel("rh", private=True, members=people)
    found = await office.channels(people[0])

    assert set(rooms) <= set(found)
    assert set(people) <= found[closed].members


async def test_a_channel_shared_with_another_workspace_has_outsiders(office: Office) -> None:
    ana = await office.slack.add_user("ana")
    shared = await office.slack.add_channel("parceiro", members=[ana], connect=True)
    assert (await office.channels(ana, shared))[shared].outsiders


async def test_a_guest_among_the_members_is_an_outsider(office: Office) -> None:
    ana, eva = await office.slack.add_user("ana"), await office.slack.add_user("eva", guest=True)
    room = await office.slack.add_channel("projeto", members=[ana])
    assert not (await office.channels(ana, room))[room].outsiders
    await office.slack.join(eva, room)
    office.directory.drop_members(room)
    assert (await office.channels(ana, room))[room].outsiders


async def test_a_guests_own_channels_are_known_by_their_members(office: Office) -> None:
    eva = await office.slack.add_user("eva", guest=True)
    mine, other = (
        await office.slack.add_channel("meu", members=[eva]),
        await office.slack.add_channel("outro"),
    )
    found = await office.channels(eva)
    assert eva in found[mine].members
    assert eva not in found[other].members


async def test_answers_are_kept_until_dropped(office: Office) -> None:
    ana = await office.slack.add_user("ana")
    closed = await office.slack.add_channel("rh", private=True, members=[ana])
    assert ana in (await office.channels(ana))[closed].members
    calls = len(office.slack.log)
    await office.channels(ana)
    assert len(office.slack.log) == calls
    await office.slack.leave(ana, closed)
    office.directory.drop_members(closed)
    assert ana not in (await office.channels(ana))[closed].members


async def test_a_channel_that_was_made_private_is_private_at_once(office: Office) -> None:
    ana = await office.slack.add_user("ana")
    room = await office.slack.add_channel("geral", members=[ana])
    assert (await office.channels(ana))[room].visibility == "public"
    await office.slack.convert_to_private(ana, room)
    office.directory.drop()
    assert (await office.channels(ana))[room].visibility == "private"


async def test_a_new_channel_is_found_although_the_list_is_kept(office: Office) -> None:
    ana = await office.slack.add_user("ana")
    await office.channels(ana)
    room = await office.slack.add_channel("novo", members=[ana])
    assert room in await office.channels(ana, room)


async def test_an_archived_channel_is_nobodys(office: Office) -> None:
    ana = await office.slack.add_user("ana")
    room = await office.slack.add_channel("velho", members=[ana])
    await office.slack.archive(ana, room)
    assert room not in await office.channels(ana)


@pytest.mark.parametrize(
    "method", ["conversations.list", "conversations.members", "users.info", "users.list"]
)
async def test_a_failed_look_up_raises_and_is_not_kept(office: Office, method: str) -> None:
    ana = await office.slack.add_user("ana")
    room = await office.slack.add_channel("rh", private=True, members=[ana])
    office.slack.fail(method, error="internal_error", times=1)
    with pytest.raises(SlackApiError):
        await office.channels(ana, room)
    assert room in await office.channels(ana, room)


async def test_people_come_with_language_and_standing(office: Office) -> None:
    root = await office.people.person(await office.slack.add_user("root", admin=True, locale="en-US"))
    assert (root.admin, root.guest, root.locale) == (True, False, "en")
    guest = await office.people.person(await office.slack.add_user("eva", guest=True))
    assert (guest.admin, guest.guest, guest.locale) == (False, True, "pt")
    foreign = await office.people.person(await office.slack.add_user("max", foreign=True, admin=True))
    assert (foreign.admin, foreign.guest) == (False, True)
    assert foreign.team != TEAM
    assert language_of("de-DE") == "und"


async def test_somebody_new_is_looked_up_singly_and_many_by_the_list(office: Office) -> None:
    ana = await office.slack.add_user("ana")
    assert not await office.people.has_outsider({ana})
    new = {await office.slack.add_user(f"novo{n}") for n in range(3)}
    assert not await office.people.has_outsider({ana, *new})
    assert len(office.slack.calls("users.list")) == 1
    many = {await office.slack.add_user(f"mais{n}") for n in range(25)}
    assert not await office.people.has_outsider(many)
    assert len(office.slack.calls("users.list")) == 2
    assert await office.people.has_outsider({ana, "U0NOBODY"})


async def test_a_member_who_becomes_a_guest_is_one_from_then_on(office: Office) -> None:
    ana = await office.slack.add_user("ana")
    assert not await office.people.has_outsider({ana})
    office.slack.world.users[ana].guest = True
    await office.people.drop(ana)
    assert await office.people.has_outsider({ana})
    assert (await office.people.names())[ana] == "ana"


# --- what is kept ----------------------------------------------------------------------------------


async def test_a_look_up_runs_once_for_all_who_wait() -> None:
    count, gate = 0, asyncio.Event()

    async def look_up(name: str) -> int:
        nonlocal count
        count += 1
        await gate.wait()
        return count

    kept = Kept(look_up, seconds=60)
    waiting = [asyncio.create_task(kept.get("a")) for _ in range(5)]
    await asyncio.sleep(0)
    gate.set()
    assert await asyncio.gather(*waiting) == [1] * 5


async def test_what_was_looked_up_before_a_change_is_not_kept_after_it() -> None:
    values, gate = iter(["before", "after"]), asyncio.Event()

    async def look_up(name: str) -> str:
        value = next(values)
        await gate.wait()
        return value

    kept = Kept(look_up, seconds=60)
    early = asyncio.create_task(kept.get("a"))
    await asyncio.sleep(0)
    kept.drop("a")
    gate.set()
    assert await kept.get("a") == "after"
    assert await early == "before"
    assert await kept.get("a") == "after"


async def test_one_who_gives_up_waiting_does_not_end_the_look_up_of_others() -> None:
    gate = asyncio.Event()

    async def look_up(name: str) -> str:
        await gate.wait()
        return name

    kept = Kept(look_up, seconds=60)
    first, second = asyncio.create_task(kept.get("a")), asyncio.create_task(kept.get("a"))
    await asyncio.sleep(0)
    first.cancel()
    gate.set()
    assert await second == "a"


async def test_values_end_and_do_not_pile_up() -> None:
    count = 0

    async def look_up(name: str) -> int:
        nonlocal count
        count += 1
        return count

    kept = Kept(look_up, seconds=0.0)
    assert [await kept.get("a"), await kept.get("a")] == [1, 2]
    few = Kept(look_up, seconds=60, most=2)
    for name in "abc":
        await few.get(name)
    seen = count
    await few.get("c")
    assert count == seen
    await few.get("a")
    assert count == seen + 1
