"""When Slack fails in passing: nobody is left in silence, nothing is said twice, and what is private stays private."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.adapters.slack.fake import Message
from tests.adapters.slack.world import SlackWorld

TRAVEL = "# Viagens\n\nA viagem internacional deve ser pedida com 30 dias de antecedência.\n".encode()
ASKED = "com quantos dias se pede a viagem internacional?"
NOT_NOW = "o Slack não a aceita agora"
PASSING: list[dict[str, Any]] = [
    {"error": "internal_error"},
    {"error": "fatal_error"},
    {"error": "service_unavailable"},
    {"error": "request_timeout"},
    {"error": "ratelimited"},
    {"status": 500},
    {"status": 502},
    {"status": 503},
]


@pytest.fixture
async def world() -> AsyncIterator[SlackWorld]:
    """A public channel that knows the travel rules; at the end nobody was pinged and no event was lost."""
    async with SlackWorld() as made:
        await made.channel("geral", members=["ana", "rui"])
        await made.share("ana", "geral", viagens_md=TRAVEL)
        yield made
        assert (made.slack.pings, made.slack.lost, made.slack.late) == ([], [], [])


def public(world: SlackWorld, ts: str) -> list[Message]:
    """What everybody sees of the bot in a thread."""
    return [m for m in world.slack.bot_messages(world.channels["geral"], ts) if not m.only_for]


def private(world: SlackWorld, user: str) -> list[str]:
    """What the bot says to one person alone, in channels and in the direct message; acknowledgements apart."""
    own = world.slack.world.dm_of(world.users[user]).id
    found = [
        m for m in world.slack.visible_to(world.users[user]) if m.mine and (m.only_for or m.channel == own)
    ]
    return [text for text in map(world.slack.text_of, found) if text != "Procurando…"]


async def ask_privately(world: SlackWorld) -> None:
    await world.slack.slash(world.users["rui"], world.channels["geral"], "/ask", ASKED)
    await world.settle()


def no_answer_in_public(world: SlackWorld) -> bool:
    said = [m for m in world.slack.bot_messages(world.channels["geral"]) if not m.only_for]
    return not any("30 dias" in text for m in said for text in world.slack.history_of(m))


# --- answers that everybody sees -------------------------------------------------------------------


@pytest.mark.parametrize("fault", PASSING)
async def test_an_answer_that_slack_does_not_take_at_first_comes_once(
    world: SlackWorld, fault: dict[str, Any]
) -> None:
    world.slack.fail("chat.postMessage", times=3, **fault)
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = public(world, ts)
    assert "30 dias" in world.slack.text_of(answer)
    assert answer.blocks


@pytest.mark.parametrize("fault", [*PASSING, {"drop": True}])
async def test_a_placeholder_becomes_the_answer_after_all(world: SlackWorld, fault: dict[str, Any]) -> None:
    world.bot.outlet.native = False
    world.slack.fail("chat.update", times=3, when=lambda given: bool(given.get("blocks")), **fault)
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = public(world, ts)
    assert "30 dias" in world.slack.text_of(answer)
    assert answer.blocks


async def test_a_placeholder_that_cannot_be_changed_gives_way_to_a_new_message(world: SlackWorld) -> None:
    world.bot.outlet.native = False
    world.slack.fail("chat.update", times=999, error="internal_error")
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = public(world, ts)
    assert "30 dias" in world.slack.text_of(answer)


async def test_blocks_that_slack_cannot_digest_come_as_plain_text(world: SlackWorld) -> None:
    rich = {"when": lambda given: bool(given.get("blocks")), "times": 999}
    world.slack.fail("chat.postMessage", error="internal_error", **rich)
    world.slack.fail("chat.update", error="internal_error", **rich)
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = public(world, ts)
    assert answer.blocks == []
    assert "30 dias" in answer.text


@pytest.mark.parametrize("fault", [{"error": "fatal_error"}, {"status": 503}, {"drop": True}])
async def test_an_answer_that_slack_never_takes_is_told_of_in_private_and_logged(
    world: SlackWorld, fault: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    for method in ("chat.postMessage", "chat.startStream"):
        world.slack.fail(method, times=999, **fault)
    ts = await world.ask("rui", "geral", ASKED)
    assert public(world, ts) == []
    (told,) = private(world, "rui")
    assert NOT_NOW in told
    assert "30 dias" not in told
    assert world.slack.reactions(world.channels["geral"], ts) == {"warning"}
    assert world.slack.status(world.channels["geral"], ts) == ""
    assert "reply not delivered" in caplog.text
    assert len(world.slack.calls("chat.postMessage")) <= 10


async def test_when_no_way_is_left_the_log_and_the_sign_say_so(
    world: SlackWorld, caplog: pytest.LogCaptureFixture
) -> None:
    for method in ("chat.postMessage", "chat.startStream", "chat.postEphemeral"):
        world.slack.fail(method, times=999, error="service_unavailable")
    ts = await world.ask("rui", "geral", ASKED)
    assert (public(world, ts), private(world, "rui")) == ([], [])
    assert world.slack.reactions(world.channels["geral"], ts) == {"warning"}
    assert "reply not delivered" in caplog.text
    assert "event failed" in caplog.text


# --- once, although its confirmation is lost -------------------------------------------------------


@pytest.mark.parametrize(
    "fault", [{"drop": True}, {"status": 500}, {"error": "internal_error"}, {"error": "fatal_error"}]
)
@pytest.mark.parametrize("native", [True, False])
async def test_an_answer_that_was_posted_unconfirmed_is_not_posted_again(
    world: SlackWorld, fault: dict[str, Any], native: bool
) -> None:
    world.bot.outlet.native = native
    world.slack.fail("chat.postMessage", after=True, **fault)
    world.slack.fail("chat.startStream", error="method_not_supported_for_channel_type", times=99)
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = public(world, ts)
    assert "30 dias" in world.slack.text_of(answer)
    assert len(world.slack.calls("chat.postMessage")) == 2  # the receipt of the file, and the answer
    assert world.bot.desk.trace_of(world.slack.team, world.channels["geral"], answer.ts)


async def test_a_message_that_went_down_with_its_connection_is_posted_again(world: SlackWorld) -> None:
    world.slack.fail("chat.postMessage", drop=True)
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = public(world, ts)
    assert "30 dias" in world.slack.text_of(answer)


async def test_without_an_announcement_a_lost_confirmation_makes_one_double_at_most(
    world: SlackWorld,
) -> None:
    world.slack.events = frozenset({"app_mention"})
    world.bot.outlet.native = True
    world.slack.fail("chat.postMessage", drop=True, after=True, times=999)
    ts = await world.ask("rui", "geral", ASKED)
    assert len(public(world, ts)) == 2


async def test_another_answer_in_the_same_place_is_not_taken_for_the_lost_one(world: SlackWorld) -> None:
    rui, place = world.users["rui"], await world.slack.open_dm(world.users["rui"])
    world.slack.fail("chat.postMessage", drop=True)
    for text in (ASKED, "quais arquivos você conhece?"):
        await world.slack.post(rui, place, text)
    await world.settle()
    said = [world.slack.text_of(m) for m in world.slack.bot_messages(place)]
    assert sum("30 dias" in text for text in said) == 1
    assert len(said) == 2


# --- replies for one person ------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 404}, {"drop": True}])
async def test_a_response_address_that_fails_is_replaced_by_an_ephemeral_message(
    world: SlackWorld, fault: dict[str, Any]
) -> None:
    world.slack.fail("response_url", times=99, **fault)
    await ask_privately(world)
    (answer,) = private(world, "rui")
    assert "30 dias" in answer
    assert len(world.slack.calls("chat.postEphemeral")) == 1
    assert private(world, "ana") == []
    assert no_answer_in_public(world)


@pytest.mark.parametrize("age", ["expired", "used"])
async def test_a_response_address_that_has_had_its_time_is_replaced_by_an_ephemeral_message(
    world: SlackWorld, age: str
) -> None:
    path = world.slack.doors.new_url(world.channels["geral"], world.users["rui"])
    url = world.slack.doors.urls[path.rpartition("/")[2]]
    url.uses, url.expires = (99, url.expires) if age == "used" else (0, 0.0)
    await world.slack.send("slash_commands", {
        "team_id": world.slack.team, "channel_id": world.channels["geral"], "channel_name": "geral",
        "user_id": world.users["rui"], "command": "/ask", "text": ASKED,
        "response_url": world.slack.origin + path, "trigger_id": world.slack.doors.new_trigger(world.users["rui"]),
    })  # fmt: skip
    await world.settle()
    (answer,) = private(world, "rui")
    assert "30 dias" in answer
    assert len(world.slack.calls("chat.postEphemeral")) == 1
    assert no_answer_in_public(world)


@pytest.mark.parametrize("fault", PASSING)
async def test_an_ephemeral_message_is_tried_again(world: SlackWorld, fault: dict[str, Any]) -> None:
    world.slack.fail("response_url", times=99, status=500)
    world.slack.fail("chat.postEphemeral", times=3, **fault)
    await ask_privately(world)
    (answer,) = private(world, "rui")
    assert "30 dias" in answer
    assert len(world.slack.bot_messages(world.slack.world.dm_of(world.users["rui"]).id)) == 0


@pytest.mark.parametrize(
    "fault",
    [
        {"error": "user_not_in_channel"},
        {"error": "not_in_channel"},
        {"error": "channel_not_found"},
        {"error": "is_archived"},
        {"error": "internal_error"},
        {"drop": True},
    ],
)
async def test_where_no_ephemeral_message_is_possible_the_person_gets_a_direct_one(
    world: SlackWorld, fault: dict[str, Any]
) -> None:
    world.slack.fail("response_url", times=99, status=500)
    world.slack.fail("chat.postEphemeral", times=99, **fault)
    await ask_privately(world)
    own = world.slack.world.dm_of(world.users["rui"]).id
    (answer,) = world.slack.bot_messages(own)
    assert "30 dias" in world.slack.text_of(answer)
    assert no_answer_in_public(world)
    assert private(world, "ana") == []


async def test_a_command_where_neither_the_bot_nor_the_asker_is_a_member_is_answered_directly(
    world: SlackWorld,
) -> None:
    place = await world.channel("fora", members=["ana"], bot=False)
    world.slack.fail("response_url", times=99, status=500)
    await world.slack.slash(world.users["rui"], place, "/ask", ASKED)
    await world.settle()
    assert world.slack.bot_messages(world.slack.world.dm_of(world.users["rui"]).id)
    assert [m for m in world.slack.messages(place) if m.mine and not m.only_for] == []


async def test_a_private_reply_that_finds_no_way_never_becomes_public(
    world: SlackWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world.slack.fail("response_url", times=99, status=500)
    world.slack.fail("chat.postEphemeral", times=99, error="not_in_channel")
    world.slack.fail("chat.postMessage", times=99, error="messages_tab_disabled")
    await ask_privately(world)
    assert private(world, "rui") == []
    assert no_answer_in_public(world)
    assert "event failed" in caplog.text
