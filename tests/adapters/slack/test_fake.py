"""What the fake Slack delivers to the real clients, over sockets and over HTTP. The adapter's tests lean on all of this."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.slack.fake import BOT_USER, FakeSlack
from tests.adapters.slack.fake.realclients import Bot, client_of, over_sockets, refused, room


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


async def test_a_mention_arrives_as_message_and_as_app_mention(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot, connections=2):
        ts = await slack.post(ana, channel, "quanto vendemos?", mention=True)
        await slack.settled()

    assert bot.kinds() == ["app_mention", "message"]
    assert {event["ts"] for event in bot.events} == {ts}
    assert {event["text"] for event in bot.events} == {f"<@{BOT_USER}> quanto vendemos?"}
    assert sorted(number for number, _ in slack.sockets.deliveries) == [1, 2]
    assert len(slack.acks) == 2
    assert slack.lost == []


async def test_nothing_arrives_from_a_channel_without_the_bot(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack, bot=False)
    async with over_sockets(slack, bot):
        await slack.post(ana, channel, "segredo", mention=True, files={"a.txt": b"x"})
        await slack.settled()

    assert bot.events == []


async def test_an_upload_arrives_as_message_and_as_file_shared(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        await slack.post(ana, channel, files={"a.csv": b"x,y", "b.csv": b"1"})
        await slack.settled()

    assert bot.kinds() == ["file_shared", "file_shared", "message/file_share"]
    assert {event["user_id"] for event in bot.events if event["type"] == "file_shared"} == {ana}


async def test_edits_carry_the_message_before_and_a_mention_only_when_it_is_added(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        ts = await slack.post(ana, channel, "quanto vendemos?")
        await slack.settled()
        await slack.edit(ana, channel, ts, "quanto vendemos hoje?")
        await slack.settled()
        assert bot.kinds() == ["message", "message/message_changed"]
        await slack.edit(ana, channel, ts, "quanto vendemos hoje?", mention=True)
        await slack.settled()
        await slack.edit(ana, channel, ts, "e ontem?", mention=True)
        await slack.settled()

    assert bot.kinds() == ["app_mention", *["message", *["message/message_changed"] * 3]]
    last = bot.events[-1]
    assert last["previous_message"]["text"].endswith("hoje?")
    assert last["message"]["text"].endswith("ontem?")
    assert last["message"]["edited"]["user"] == ana


async def test_deleting_a_message_deletes_the_files_that_stand_nowhere_else(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        ts = await slack.post(ana, channel, files={"a.csv": b"x"})
        await slack.settled()
        bot.events.clear()
        await slack.delete(ana, channel, ts)
        await slack.settled()

    assert bot.kinds() == ["file_deleted", "message/message_deleted"]
    assert {event.get("deleted_ts") for event in bot.events} == {ts, None}


async def test_membership_and_channel_events_say_what_happened(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    bia = await slack.add_user("bia")
    hidden = await slack.add_channel("rh", private=True, members=[ana])
    async with over_sockets(slack, bot):
        await slack.join(bia, channel)
        await slack.leave(bia, channel)
        await slack.archive(ana, hidden)
        await slack.convert_to_private(ana, channel)
        await slack.leave(BOT_USER, channel)
        await slack.post(ana, channel, "o bot saiu")
        await slack.delete_channel(ana, hidden)
        await slack.settled()

    told = [kind for kind in bot.kinds() if not kind.startswith("message")]
    assert told == [
        "group_archive",
        "group_deleted",
        "group_left",
        "member_joined_channel",
        "member_left_channel",
    ]
    assert "message/channel_convert_to_private" in bot.kinds()
    assert all(event.get("text") != "o bot saiu" for event in bot.events)


async def test_events_without_scope_or_subscription_do_not_arrive() -> None:
    scopes = ("app_mentions:read", "channels:history", "chat:write")
    async with FakeSlack(scopes=scopes, events=("app_mention", "message.channels", "file_shared")) as slack:
        bot = Bot(slack)
        ana, channel = await room(slack)
        hidden = await slack.add_channel("rh", private=True, members=[ana])
        async with over_sockets(slack, bot):
            await slack.post(ana, channel, "aqui", files={"a.txt": b"x"})
            await slack.post(ana, hidden, "escondido")
            await slack.settled()

    assert bot.kinds() == ["message/file_share"]


async def test_the_bot_hears_itself_and_other_bots(slack: FakeSlack) -> None:
    bot = Bot(slack)
    _, channel = await room(slack)
    other = await slack.add_bot("deploys")
    async with over_sockets(slack, bot):
        posted = await client_of(slack).chat_postMessage(channel=channel, text="um")
        await client_of(slack).chat_update(channel=channel, ts=posted["ts"], text="dois")
        await slack.post(other, channel, "três", mention=True)
        await slack.settled()

    assert bot.kinds() == ["app_mention", "message"]  # Bolt itself drops what its own bot did
    sent = [payload["event"] for payload in slack.sent]
    assert [event.get("subtype") for event in sent] == [None, "message_changed", None, None]
    assert sent[0]["user"] == BOT_USER
    assert {event["bot_id"] for event in sent if event.get("text") == f"<@{BOT_USER}> três"} == {
        slack.world.users[other].bot_id
    }


async def test_a_direct_message_is_a_message_alone_and_a_group_one_can_mention(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, bia = await slack.add_user("ana"), await slack.add_user("bia")
    direct, group = await slack.open_dm(ana), await slack.open_group_dm(ana, bia)
    async with over_sockets(slack, bot):
        await slack.post(ana, direct, "oi", mention=True)
        await slack.post(bia, group, "oi", mention=True)
        await slack.settled()

    assert sorted((event["type"], event.get("channel_type")) for event in bot.events) == [
        ("app_mention", None),
        ("message", "im"),
        ("message", "mpim"),
    ]


async def test_typed_text_arrives_escaped_with_code_and_quotes_as_elements(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    typed = f"a < b & c\n> citado <@{BOT_USER}>\n`<!here>` e\n```\n<@{BOT_USER}> x\n```"
    async with over_sockets(slack, bot):
        await slack.post(ana, channel, typed)
        await slack.settled()

    event = next(event for event in bot.events if event["type"] == "message")
    assert event["text"].startswith("a &lt; b &amp; c\n&gt; citado <@")
    elements = event["blocks"][0]["elements"]
    assert [element["type"] for element in elements] == [
        "rich_text_section",
        "rich_text_quote",
        "rich_text_section",
        "rich_text_preformatted",
    ]
    assert elements[0]["elements"] == [{"type": "text", "text": "a < b & c"}]
    assert {"type": "user", "user_id": BOT_USER} in elements[1]["elements"]
    assert elements[2]["elements"][0] == {"type": "text", "text": "<!here>", "style": {"code": True}}


async def test_a_file_that_a_rule_removes_is_not_announced(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        ts = await slack.post(ana, channel, files={"a.txt": b"x", "b.txt": b"y"})
        kept, ruled = slack.message(channel, ts).files
        await slack.settled()
        bot.events.clear()
        await slack.delete_file(ana, ruled, silent=True)
        await slack.unshare_file(ana, kept, channel)
        await slack.settled()

    assert [(event["type"], event["file_id"]) for event in bot.events] == [("file_unshared", kept)]
    assert await refused(client_of(slack).files_info(file=ruled)) == "file_deleted"
