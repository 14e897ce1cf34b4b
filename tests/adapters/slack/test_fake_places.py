"""Conversations, people, reactions and history of the fake Slack, as a bot may ask for them."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.slack.fake import BOT_ID, BOT_USER, TEAM, FakeSlack
from tests.adapters.slack.fake.realclients import client_of, refused, room


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


async def test_a_thread_can_be_read_back_in_direct_messages_alone(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    direct, client = await slack.open_dm(ana), client_of(slack)
    for place in (channel, direct):
        root = await slack.post(ana, place, "um")
        await slack.post(ana, place, "dois", thread_ts=root)
        call = client.conversations_replies(channel=place, ts=root)
        if place == channel:
            assert await refused(call) == "not_allowed_token_type"
        else:
            assert [message["text"] for message in (await call)["messages"]] == ["um", "dois"]
    slack.refuse_replies = False
    top = (await client.conversations_history(channel=channel))["messages"]
    assert [message["text"] for message in top] == ["um"]
    found = await client.conversations_replies(channel=channel, ts=top[0]["ts"])
    assert [message["text"] for message in found["messages"]] == ["um", "dois"]


async def test_a_conversation_says_what_kind_it_is_and_each_kind_has_its_scope(slack: FakeSlack) -> None:
    ana, public = await room(slack)
    private = await slack.add_channel("rh", private=True, members=[ana])
    shared = await slack.add_channel("parceiros", members=[ana], connect=True)
    direct, group = await slack.open_dm(ana), await slack.open_group_dm(ana)
    client, shown = client_of(slack), {}
    for place in (public, private, shared, direct, group):
        shown[place] = (await client.conversations_info(channel=place, include_num_members=True))["channel"]
    flags = ("is_channel", "is_group", "is_im", "is_mpim", "is_private", "is_ext_shared")

    def kinds(place: str) -> list[str]:
        return [flag for flag in flags if shown[place].get(flag)]

    assert kinds(public) == ["is_channel"]
    assert kinds(private) == ["is_group", "is_private"]
    assert kinds(shared) == ["is_channel", "is_ext_shared"]
    assert (kinds(direct), shown[direct]["user"]) == (["is_im", "is_private"], ana)
    assert kinds(group) == ["is_mpim", "is_private"]
    assert shown[public]["num_members"] == 2
    slack.scopes -= {"groups:read", "im:read"}
    assert await refused(client.conversations_info(channel=private)) == "missing_scope"
    assert await refused(client.users_conversations(types="public_channel,im")) == "missing_scope"
    await slack.convert_to_private(ana, public)
    assert await refused(client.conversations_info(channel=public)) == "missing_scope"


async def test_an_archived_channel_leaves_listings_and_a_deleted_one_is_unknown(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    client = client_of(slack)
    await slack.archive(ana, channel)
    assert (await client.conversations_list(exclude_archived=True))["channels"] == []
    assert (await client.conversations_list())["channels"][0]["is_archived"] is True
    await slack.delete_channel(ana, channel)
    assert (await client.conversations_list())["channels"] == []
    assert await refused(client.conversations_info(channel=channel)) == "channel_not_found"
    assert slack.visible_to(ana) == []


async def test_people_and_bots_are_told_apart(slack: FakeSlack) -> None:
    boss = await slack.add_user("chefe", admin=True)
    abroad = await slack.add_user("fora", foreign=True)
    other = await slack.add_bot("deploys")
    client = client_of(slack)
    listed = {user["id"]: user for user in (await client.users_list())["members"]}
    assert (listed[boss]["is_admin"], listed[boss]["team_id"], listed[other]["is_bot"]) == (True, TEAM, True)
    assert listed[abroad]["is_stranger"] is True
    assert (await client.users_info(user=boss))["user"]["profile"]["email"] == "chefe@acme.test"
    slack.scopes -= {"users:read.email"}
    assert "email" not in (await client.users_info(user=boss))["user"]["profile"]
    me = await client.auth_test()
    assert (me["user_id"], me["bot_id"], me["team_id"]) == (BOT_USER, BOT_ID, TEAM)
    assert (await client.bots_info(bot=me["bot_id"]))["bot"]["user_id"] == BOT_USER
    assert await refused(client.bots_info(bot="B1")) == "bot_not_found"
    assert (await client.team_info())["team"]["id"] == TEAM
    assert await refused(client.users_info(user="U1")) == "user_not_found"


async def test_a_reaction_is_put_once_and_taken_once(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    ts, client = await slack.post(ana, channel, "oi"), client_of(slack)
    place = {"channel": channel, "timestamp": ts}
    await client.reactions_add(name="eyes", **place)
    assert slack.reactions(channel, ts) == {"eyes"}
    assert await refused(client.reactions_add(name="eyes", **place)) == "already_reacted"
    assert await refused(client.reactions_add(name=":eyes:", **place)) == "invalid_name"
    await client.reactions_remove(name="eyes", **place)
    assert slack.reactions(channel, ts) == frozenset()
    assert await refused(client.reactions_remove(name="eyes", **place)) == "no_reaction"


async def test_a_permalink_names_the_message_and_its_thread(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    root = await slack.post(ana, channel, "um")
    reply = await slack.post(ana, channel, "dois", thread_ts=root)
    client = client_of(slack)
    link = (await client.chat_getPermalink(channel=channel, message_ts=reply))["permalink"]
    assert link.endswith(f"/archives/{channel}/p{reply.replace('.', '')}?thread_ts={root}&cid={channel}")
    assert await refused(client.chat_getPermalink(channel=channel, message_ts="1.2")) == "message_not_found"


async def test_a_message_to_a_person_opens_their_direct_message(slack: FakeSlack) -> None:
    ana = await slack.add_user("ana")
    client = client_of(slack)
    posted = await client.chat_postMessage(channel=ana, text="oi")
    opened = await client.conversations_open(users=ana)

    assert posted["channel"] == opened["channel"]["id"] == await slack.open_dm(ana)
    assert [message.text for message in slack.visible_to(ana)] == ["oi"]
