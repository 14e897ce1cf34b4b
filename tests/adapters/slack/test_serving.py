"""The whole bot behind Slack, over both transports: what people and admins see, and what Slack may do to it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from adapters.slack import missed
from adapters.slack.options import Secrets, SlackOptions
from adapters.slack.serve import SlackBot, SlackRefuses
from tests.adapters.slack.fake import BOT_USER, TEAM, FakeSlack, Message
from tests.adapters.slack.fake.files import emit_shared
from tests.adapters.slack.fake.state import Channel, File
from tests.adapters.slack.stage import buttons
from tests.adapters.slack.world import SlackWorld

TRAVEL = "# Viagens\n\nA viagem internacional deve ser pedida com 30 dias de antecedência.\n".encode()
PAY = b"diretor;bonus\nAna Orquidea;18.400,00\n"
SALES = b"produto;receita\n" + b"".join(b"item %03d;%d,00\n" % (n, n) for n in range(1, 41))
ASKED = "com quantos dias se pede a viagem internacional?"
LONG = 2_000_000.0  # minutes back to where the fake's clock stands
Open = Callable[..., Any]


@pytest.fixture(params=["socket", "http"])
async def opened(request: pytest.FixtureRequest) -> AsyncIterator[Open]:
    """Opens worlds; at the end nobody was pinged, no event was lost or late, and no token went elsewhere."""
    async with AsyncExitStack() as stack:
        made: list[SlackWorld] = []

        async def make(**more: Any) -> SlackWorld:
            world = await stack.enter_async_context(SlackWorld(request.param, **more))
            made.append(world)
            return world

        yield make
        for world in made:
            slack = world.slack
            assert (slack.pings, slack.lost, slack.late, slack.leaked_tokens) == ([], [], [], [])


@pytest.fixture
async def world(opened: Open) -> SlackWorld:
    """A public channel that knows the travel rules."""
    made: SlackWorld = await opened()
    await made.channel("geral", members=["ana", "rui"])
    await made.share("ana", "geral", viagens_md=TRAVEL)
    return made


def thread(world: SlackWorld, ts: str, channel: str = "geral") -> list[Message]:
    """The bot's messages in a thread."""
    return world.slack.bot_messages(world.channels[channel], ts)


def action(message: Message, wanted: str) -> tuple[str, str]:
    return next((id, value) for known, id, value in buttons(message.blocks) if known == wanted)


async def press(world: SlackWorld, user: str, message: Message, wanted: str) -> None:
    id, value = action(message, wanted)
    clicked = await world.slack.press(world.users[user], message, id, value=value)
    assert clicked.acknowledged
    await world.settle()


# --- once, and not lost ----------------------------------------------------------------------------


async def test_an_event_that_is_delivered_again_is_answered_once(world: SlackWorld) -> None:
    ts = await world.ask("rui", "geral", ASKED)
    world.slack.redeliver(4)
    await world.settle()
    await world.restart()
    world.slack.redeliver(4)
    await world.settle()
    assert len(thread(world, ts)) == 1


async def test_one_upload_is_one_receipt_however_it_is_announced(world: SlackWorld) -> None:
    ts = await world.share(
        "ana", "geral", a_md=b"# Copa\n\nA copa abre as 8h.\n", b_md=b"# Sala\n\nA sala fecha as 18h.\n"
    )
    (receipt,) = thread(world, ts)
    assert world.slack.text_of(receipt).count("a.md") == world.slack.text_of(receipt).count("b.md")
    assert world.slack.reactions(world.channels["geral"], ts) == {"white_check_mark"}
    world.slack.redeliver(6)
    await world.settle()
    assert len(thread(world, ts)) == 1


async def test_files_without_a_message_are_taken_once_each(world: SlackWorld) -> None:
    place = world.channels["geral"]
    for name in ("um.md", "dois.md"):
        file = File(
            f"F{name[:-3].upper()}",
            name,
            f"# {name}\n\nTexto de {name}.\n".encode(),
            world.users["ana"],
            channels=[place],
        )
        world.slack.world.files[file.id] = file
        emit_shared(world.slack, "file_shared", file, place)
        emit_shared(world.slack, "file_shared", file, place)
    await world.settle()
    texts = [text for text in world.replies("geral") if "um.md" in text or "dois.md" in text]
    assert len(texts) == 2


@pytest.mark.parametrize("stream", [True, False])
async def test_a_question_under_way_at_a_kill_is_answered_once_afterwards(opened: Open, stream: bool) -> None:
    world: SlackWorld = await opened(stream=stream, lookup_seconds=0.0)
    await world.channel("geral", members=["ana", "rui"])
    await world.share("ana", "geral", viagens_md=TRAVEL)
    world.slack.fail("conversations.list", delay=3.0)  # the scope takes its time
    ts = await world.slack.post(world.users["rui"], world.channels["geral"], ASKED, mention=True)
    await world.slack.settled()
    await asyncio.sleep(0.3)
    assert not any("30 dias" in world.slack.text_of(m) for m in thread(world, ts))
    await world.restart()
    await world.settle()
    (answer,) = thread(world, ts)
    assert "30 dias" in world.slack.text_of(answer)


@asynccontextmanager
async def away(world: SlackWorld) -> AsyncIterator[None]:
    """No process of the bot is there, and Slack gives up on what happens meanwhile; then it is back."""
    await world.settle()
    await world.stop()
    slack, patience = world.slack, world.slack.connect_seconds
    slack.connect_seconds, slack.retry_delays = 0.05, (0.0, 0.0, 0.0)
    yield
    await slack.settled(60)
    slack.lost.clear()
    slack.late.clear()
    slack.connect_seconds = patience
    await world.start()
    await world.settle()


async def test_what_was_written_while_the_bot_was_away_is_dealt_with_once_when_it_comes_back(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missed, "PAUSE", 0.0)
    world: SlackWorld = await opened(catch_up_minutes=LONG)
    await world.channel("geral", members=["ana", "rui"])
    await world.channel("rh", members=["ana"], private=True)
    await world.share("ana", "geral", viagens_md=TRAVEL)
    ana, rui = world.users["ana"], world.users["rui"]
    before = await world.ask("rui", "geral", ASKED)
    geral, direct = world.channels["geral"], await world.slack.open_dm(rui)
    async with away(world):
        asked = await world.slack.post(rui, geral, ASKED, mention=True)
        idle = await world.slack.post(rui, geral, "bom dia a todos")
        inside = await world.slack.post(ana, world.channels["rh"], "oi", mention=True)
        await world.slack.post(rui, direct, ASKED)
        upload = await world.slack.post(ana, geral, files={"copa.md": b"# Copa\n\nAbre as 8h.\n"})
    for again in (False, True):
        if again:
            await world.restart()
            await world.settle()
        assert [len(thread(world, ts)) for ts in (before, asked, idle)] == [1, 1, 0]
        assert len(thread(world, inside, "rh")) == 1
        assert "30 dias" in world.slack.text_of(thread(world, asked)[0])
        assert sum("30 dias" in text for text in world.replies(direct)) == 1
        assert world.slack.reactions(geral, upload) == {"white_check_mark"}


async def test_a_reply_in_a_thread_is_caught_up_where_slack_lets_a_bot_read_threads(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missed, "PAUSE", 0.0)
    world: SlackWorld = await opened(catch_up_minutes=LONG)
    await world.channel("geral", members=["ana"])
    await world.share("ana", "geral", viagens_md=TRAVEL)
    root = await world.ask("ana", "geral", "oi")

    async def answers() -> int:
        async with away(world):
            await world.slack.post(world.users["ana"], world.channels["geral"], ASKED, thread_ts=root)
        return sum("30 dias" in world.slack.text_of(message) for message in thread(world, root))

    assert await answers() == 0
    world.slack.refuse_replies = False
    assert await answers() == 2  # the one of before, too


async def test_what_was_said_before_the_bot_came_to_a_channel_is_not_for_it(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missed, "PAUSE", 0.0)
    world: SlackWorld = await opened(catch_up_minutes=LONG)
    await world.channel("geral", members=["ana"])
    ana, geral = world.users["ana"], world.channels["geral"]
    await world.slack.leave(BOT_USER, geral)
    async with away(world):
        old = await world.slack.post(ana, geral, ASKED, mention=True)
        await world.slack.join(BOT_USER, geral)
        new = await world.slack.post(ana, geral, "oi", mention=True)

    assert thread(world, new)
    assert not thread(world, old)


async def test_a_channel_that_cannot_be_read_does_not_hold_up_the_others(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missed, "PAUSE", 0.0)
    world: SlackWorld = await opened(catch_up_minutes=LONG)
    for name in ("um", "dois"):
        await world.channel(name, members=["ana"])
    asked = {}
    async with away(world):
        for name in ("um", "dois"):
            asked[name] = await world.slack.post(world.users["ana"], world.channels[name], "oi", mention=True)
        world.slack.fail("conversations.history", error="channel_not_found", times=1)

    assert sorted(len(thread(world, ts, name)) for name, ts in asked.items()) == [0, 1]


async def test_a_file_under_way_at_a_kill_is_read_afterwards(world: SlackWorld) -> None:
    world.slack.fail("files.download", delay=2.0)
    world.slack.fail("reactions.add", delay=1.0)
    person, place = world.users["ana"], world.channels["geral"]
    ts = await world.slack.post(person, place, files={"copa.md": b"# Copa\n\nA copa abre as 8h.\n"})
    await world.slack.settled()
    await asyncio.sleep(0.4)
    assert world.slack.reactions(place, ts) <= {"eyes"}
    await world.restart()
    await world.settle()
    assert world.slack.reactions(place, ts) == {"white_check_mark"}
    assert len(thread(world, ts)) == 1
    asked = await world.ask("rui", "geral", "quando abre a copa?")
    assert "8h" in world.slack.text_of(thread(world, asked)[0])


async def test_what_is_under_way_at_the_end_is_finished(opened: Open) -> None:
    world: SlackWorld = await opened(lookup_seconds=0.0)
    await world.channel("geral", members=["ana", "rui"])
    await world.share("ana", "geral", viagens_md=TRAVEL)
    world.slack.fail("conversations.list", delay=0.5)
    ts = await world.slack.post(world.users["rui"], world.channels["geral"], ASKED, mention=True)
    await world.slack.settled()
    assert thread(world, ts) == []
    await world.stop(10)
    (answer,) = thread(world, ts)
    assert "30 dias" in world.slack.text_of(answer)
    await world.start()
    await world.settle()
    assert len(thread(world, ts)) == 1
    world.slack.lost.clear()  # the bot's own last message was told to nobody: it had stopped listening
    world.slack.late.clear()


async def test_everything_is_acknowledged_before_the_work(world: SlackWorld) -> None:
    world.slack.fail("chat.postMessage", delay=1.5, times=5)
    world.slack.acks.clear()
    await world.ask("rui", "geral", ASKED)
    await world.slack.slash(world.users["rui"], world.channels["geral"], "/ask", ASKED)
    await world.settle()
    assert max(world.slack.acks) < 1000


async def test_events_that_nobody_handles_are_acknowledged(world: SlackWorld) -> None:
    world.slack.events = None
    world.slack.emit({"type": "emoji_changed", "event_ts": "1.1"})
    await world.slack.react(
        world.users["ana"], world.channels["geral"], await world.ask("rui", "geral", "oi"), "tada"
    )
    await world.settle()
    assert world.slack.lost == []


async def test_a_lost_connection_is_made_again() -> None:
    async with SlackWorld("socket") as world:
        await world.channel("geral", members=["ana"])
        await world.share("ana", "geral", viagens_md=TRAVEL)
        await world.slack.disconnect()
        world.slack.drop_sockets()
        ts = await world.ask("ana", "geral", ASKED)
        assert "30 dias" in world.slack.text_of(thread(world, ts)[0])
        assert world.slack.lost == []


async def test_a_limit_that_is_met_is_waited_for(world: SlackWorld) -> None:
    world.slack.fail("chat.postMessage", retry_after=1)
    ts = await world.ask("rui", "geral", ASKED)
    assert len(thread(world, ts)) == 1


async def test_an_optional_call_that_is_refused_holds_nothing_up(opened: Open) -> None:
    world: SlackWorld = await opened()
    world.slack.scopes -= {"reactions:write", "assistant:write"}
    await world.channel("geral", members=["ana"])
    await world.share("ana", "geral", viagens_md=TRAVEL)
    ts = await world.ask("ana", "geral", ASKED)
    assert "30 dias" in world.slack.text_of(thread(world, ts)[0])


# --- what Slack refuses ----------------------------------------------------------------------------


async def test_without_containers_a_button_opens_and_closes_the_explanation(world: SlackWorld) -> None:
    world.slack.rules.containers = False
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = thread(world, ts)
    assert "30 dias" in world.slack.text_of(answer)
    closed = world.slack.text_of(answer)
    await press(world, "rui", answer, "explain")
    assert len(world.slack.text_of(answer)) > len(closed)
    await press(world, "rui", answer, "explain")
    assert world.slack.text_of(answer) == closed
    await press(world, "rui", answer, "up")


async def test_a_message_that_is_refused_altogether_comes_as_plain_text(world: SlackWorld) -> None:
    for method in ("chat.postMessage", "chat.update"):
        world.slack.fail(
            method, error="invalid_blocks", times=50, when=lambda arguments: bool(arguments.get("blocks"))
        )
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = thread(world, ts)
    assert answer.blocks == []
    assert "30 dias" in answer.text
    assert "viagens.md" in answer.text


async def test_a_login_page_instead_of_the_file_names_the_permission(opened: Open) -> None:
    world: SlackWorld = await opened()
    world.slack.scopes -= {"files:read"}
    await world.channel("geral", members=["ana"])
    ts = await world.share("ana", "geral", viagens_csv=b"a;b\n1;2\n")
    assert "files:read" in world.slack.text_of(thread(world, ts)[0])
    assert world.slack.reactions(world.channels["geral"], ts) == {"warning"}


async def test_a_file_that_lives_elsewhere_is_refused_with_the_reason(world: SlackWorld) -> None:
    ts = await world.slack.share_external(world.users["ana"], world.channels["geral"], "plano.docx")
    await world.settle()
    assert "plano.docx" in world.slack.text_of(thread(world, ts)[0])
    assert world.slack.reactions(world.channels["geral"], ts) == {"warning"}


# --- who may see what ------------------------------------------------------------------------------


async def test_a_file_of_a_channel_shared_with_others_is_known_by_name_and_stays_there(
    world: SlackWorld,
) -> None:
    await world.channel("parceiro", members=["ana"], connect=True)
    await world.share("ana", "parceiro", contrato_md=b"# Contrato\n\nO contrato vence em 90 dias.\n")
    inside = await world.ask("ana", "parceiro", "quando vence o contrato?")
    assert "contrato.md" in world.slack.text_of(thread(world, inside, "parceiro")[0])
    other = await world.ask("ana", "parceiro", ASKED)
    assert "30 dias" not in world.slack.text_of(thread(world, other, "parceiro")[0])


async def test_a_guest_reads_only_the_channels_that_the_guest_is_in(world: SlackWorld) -> None:
    eva = await world.user("eva", guest=True)
    await world.channel("projeto", members=["ana", "eva"])
    await world.share("ana", "projeto", prazo_md=b"# Prazo\n\nO projeto termina em 14 meses.\n")
    place = await world.slack.open_dm(eva)
    for text in (ASKED, "em quantos meses termina o projeto?"):
        await world.slack.post(eva, place, text)
        await world.settle()
    first, second = world.replies(place)
    assert "30 dias" not in first
    assert "14 meses" in second
    ts = await world.ask("ana", "projeto", ASKED)  # a member asks, but the guest reads along
    assert "30 dias" not in world.slack.text_of(thread(world, ts, "projeto")[0])


async def test_a_person_who_cannot_be_looked_up_gets_nothing(world: SlackWorld) -> None:
    world.slack.fail("users.info", error="internal_error", times=50)
    place = await world.slack.open_dm(await world.user("novo"))
    await world.slack.post(world.users["novo"], place, ASKED)
    await world.settle()
    (said,) = world.replies(place)
    assert "30 dias" not in said


async def test_a_channel_that_turns_private_leaves_everyone_elses_scope(world: SlackWorld) -> None:
    await world.channel("aberto", members=["ana"])
    await world.share("ana", "aberto", copa_md=b"# Copa\n\nA copa abre as 8h.\n")
    before = await world.ask("rui", "geral", "quando abre a copa?")
    assert "8h" in world.slack.text_of(thread(world, before)[0])
    await world.slack.convert_to_private(world.users["ana"], world.channels["aberto"])
    await world.settle()
    after = await world.ask("rui", "geral", "quando abre a copa?")
    assert "8h" not in world.slack.text_of(thread(world, after)[0])


async def test_the_home_tab_shows_what_one_reads_and_nothing_else(opened: Open) -> None:
    world: SlackWorld = await opened()
    await world.channel("geral", members=["ana", "rui"])
    await world.channel("diretoria", private=True, members=["ana"])
    await world.share("ana", "geral", viagens_md=TRAVEL)
    await world.share("ana", "diretoria", salarios_csv=PAY)
    for name in ("ana", "rui"):
        await world.slack.open_home(world.users[name])
    await world.settle()
    mine, others = (world.slack.home_text(world.users[name]) for name in ("ana", "rui"))
    assert "viagens.md" in others
    assert "#geral" in others
    assert "(ana, " in others  # who sent it, by name
    assert "salarios" not in others
    assert "diretoria" not in others
    assert world.channels["diretoria"] not in others
    assert "salarios.csv" in mine
    assert "#diretoria" in mine


async def test_an_error_says_nothing_of_what_is_private(opened: Open) -> None:
    world: SlackWorld = await opened()
    await world.channel("geral", members=["ana", "rui"])
    await world.channel("diretoria", private=True, members=["ana"])
    await world.share("ana", "diretoria", salarios_csv=PAY)
    world.slack.fail("conversations.members", error="internal_error", times=3)
    place = await world.slack.open_dm(world.users["rui"])
    await world.slack.post(world.users["rui"], place, "qual o bonus do diretor?")
    await world.settle()
    (said,) = world.replies(place)
    assert "18.400" not in said
    assert "salarios" not in said


async def test_no_version_of_any_message_ever_showed_a_secret(opened: Open) -> None:
    world: SlackWorld = await opened(stream=False)  # placeholders are edited
    await world.channel("geral", members=["ana", "rui"])
    await world.channel("diretoria", private=True, members=["ana"])
    await world.share("ana", "diretoria", salarios_csv=PAY)
    await world.ask("ana", "geral", "qual o bonus de Ana Orquidea?")
    await world.slack.slash(
        world.users["ana"], world.channels["geral"], "/ask", "qual o bonus de Ana Orquidea?"
    )
    await world.settle()
    (private,) = [
        m
        for m in world.slack.visible_to(world.users["ana"])
        if m.only_for and "18.400" in world.slack.text_of(m)
    ]
    await press(world, "ana", private, "share")
    seen = [text for m in world.slack.visible_to(world.users["rui"]) for text in world.slack.history_of(m)]
    assert any("Orquidea" in text for text in seen)  # the question was repeated for all
    assert not any("18.400" in text or "salarios" in text for text in seen)


async def test_what_slack_calls_an_admin_is_one_of_this_workspace(world: SlackWorld) -> None:
    await world.user("root", admin=True)
    for name in ("root", "rui"):
        await world.slack.slash(world.users[name], world.channels["geral"], "/polyrag", "jobs")
    await world.settle()
    said = {name: world.slack.visible_to(world.users[name])[-1] for name in ("root", "rui")}
    assert "Só administradores" not in world.slack.text_of(said["root"])
    assert "Só administradores" in world.slack.text_of(said["rui"])
    assert said["root"].only_for == world.users["root"]

    await world.slack.slash(world.users["root"], world.channels["geral"], "/plugins")
    await world.settle()
    refused = world.slack.text_of(world.slack.visible_to(world.users["root"])[-1])
    assert "permissions.admins" in refused  # an admin of this workspace, not of the whole bot


# --- menus, buttons, files -------------------------------------------------------------------------


async def test_a_message_can_be_remembered_and_its_answer_explained_from_the_menu(world: SlackWorld) -> None:
    place, ana = world.channels["geral"], world.users["ana"]
    ts = await world.slack.post(ana, place, "O alarme da fábrica tem o código E-4021.")
    await world.slack.shortcut(ana, place, ts, "polyrag_remember")
    await world.settle()
    assert world.slack.reactions(place, ts) == {"white_check_mark"}
    asked = await world.ask("rui", "geral", "qual o código do alarme da fábrica?")
    (answer,) = thread(world, asked)
    assert "E-4021" in world.slack.text_of(answer)
    await world.slack.shortcut(world.users["rui"], place, answer.ts, "polyrag_why")
    await world.settle()
    (why,) = [m for m in world.slack.visible_to(world.users["rui"]) if m.only_for]
    assert "0." in world.slack.text_of(why)
    await world.slack.shortcut(world.users["rui"], place, ts, "polyrag_why")
    await world.settle()
    other = [m for m in world.slack.visible_to(world.users["rui"]) if m.only_for][-1]
    assert world.slack.text_of(other) != world.slack.text_of(why)


@pytest.mark.parametrize("command", ["menu", "/remember", "/polyrag"])
async def test_nothing_is_remembered_where_the_bot_would_not_hear_of_its_deletion(
    world: SlackWorld, command: str
) -> None:
    place, ana = await world.channel("fora", members=["ana"], bot=False), world.users["ana"]

    async def remember() -> str:
        ts = await world.slack.post(ana, place, "O alarme da doca tem o código E-5177.")
        if command == "menu":
            await world.slack.shortcut(ana, place, ts, "polyrag_remember")
        else:
            text = "O alarme da doca tem o código E-5177."
            await world.slack.slash(ana, place, command, f"lembrar {text}" if command == "/polyrag" else text)
        await world.settle()
        return world.slack.text_of([m for m in world.slack.visible_to(ana) if m.mine][-1])

    assert "Convide-me primeiro" in await remember()
    assert not world.app.book.kept("slack")[1:]  # nothing but the travel rules
    await world.slack.join(BOT_USER, place)
    await world.settle()
    assert "Convide-me" not in await remember()
    asked = await world.ask("ana", "fora", "qual o código do alarme da doca?")
    assert "E-5177" in world.slack.text_of(thread(world, asked, "fora")[0])


async def test_nothing_is_remembered_of_a_talk_between_others(world: SlackWorld) -> None:
    ana = world.users["ana"]
    talk = await world.slack.open_dm(ana)
    place = Channel("D0OTHERS", "directmessage", "im", private=True, members=[ana, world.users["rui"]])
    world.slack.world.channels[place.id] = place
    ts = await world.slack.post(ana, place.id, "O cofre abre com 7741.")
    await world.slack.shortcut(ana, place.id, ts, "polyrag_remember")
    await world.settle()
    said = [m for m in world.slack.visible_to(ana) if m.mine]
    assert "Encaminhe" in world.slack.text_of(said[-1])
    assert not world.app.book.kept("slack")[1:]
    own = await world.slack.post(ana, talk, "O cofre abre com 7741.")
    await world.settle()
    await world.slack.shortcut(ana, talk, own, "polyrag_remember")
    await world.settle()
    assert len(world.app.book.kept("slack")) == 2


async def test_nothing_is_remembered_when_slack_does_not_tell_whether_the_bot_is_there(
    world: SlackWorld,
) -> None:
    place, ana = world.channels["geral"], world.users["ana"]
    ts = await world.slack.post(ana, place, "O alarme da doca tem o código E-5177.")
    world.bot.directory.drop()
    world.slack.fail("conversations.list", error="internal_error", times=50)
    await world.slack.shortcut(ana, place, ts, "polyrag_remember")
    await world.settle()
    (said,) = [m for m in world.slack.visible_to(ana) if m.only_for]
    assert "Não guardei nada" in world.slack.text_of(said)
    assert len(world.app.book.kept("slack")) == 1


async def test_why_takes_the_link_of_an_answer(world: SlackWorld) -> None:
    ts = await world.ask("rui", "geral", ASKED)
    (answer,) = thread(world, ts)
    address = (
        f"https://acme.slack.test/archives/{answer.channel}/p{answer.ts.replace('.', '')}?thread_ts={ts}"
    )
    await world.ask("rui", "geral", "quem aprova a compra?")
    await world.slack.slash(world.users["rui"], world.channels["geral"], "/why", f"<{address}>")
    await world.settle()
    (why,) = [m for m in world.slack.visible_to(world.users["rui"]) if m.only_for]
    trace = world.bot.desk.trace_of(TEAM, world.channels["geral"], answer.ts)
    assert trace
    assert trace in world.slack.text_of(why)


async def test_a_whole_result_comes_to_the_one_who_asked_for_it(world: SlackWorld) -> None:
    await world.share("ana", "geral", vendas_csv=SALES)
    ts = await world.ask("rui", "geral", "qual a receita por produto?")
    (answer,) = thread(world, ts)
    await press(world, "rui", answer, "csv")
    place = await world.slack.open_dm(world.users["rui"])
    (sent,) = [m for m in world.slack.bot_messages(place) if m.files]
    assert b"item 040" in world.slack.file_bytes(sent.files[0])
    assert not any(m.files for m in world.slack.bot_messages(world.channels["geral"]))


async def test_a_shared_answer_opens_a_thread_that_goes_on(world: SlackWorld) -> None:
    await world.share(
        "ana", "geral", vendas_csv=b"produto;regiao;receita\nfio;Sul;150,50\nfio;Norte;200,25\n"
    )
    await world.slack.slash(
        world.users["rui"], world.channels["geral"], "/ask", "qual a receita total no Sul?"
    )
    await world.settle()
    (private,) = [m for m in world.slack.visible_to(world.users["rui"]) if m.only_for and m.blocks]
    await press(world, "rui", private, "share")
    shared = [
        m for m in world.slack.bot_messages(world.channels["geral"]) if not m.thread_ts and not m.only_for
    ]
    assert len(shared) == 1
    await world.slack.post(world.users["ana"], world.channels["geral"], "e no Norte?", thread_ts=shared[0].ts)
    await world.settle()
    assert "200,25" in world.slack.text_of(thread(world, shared[0].ts)[-1])


# --- what goes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["delete_file", "unshare", "archive", "delete_channel", "retention"])
async def test_what_slack_takes_away_is_no_longer_known(world: SlackWorld, way: str) -> None:
    await world.channel("outro", members=["ana"])
    await world.share("ana", "outro", copa_md=b"# Copa\n\nA copa abre as 8h.\n")
    ana, place = world.users["ana"], world.channels["outro"]
    file = next(id for id, file in world.slack.world.files.items() if file.name == "copa.md")
    before = await world.ask("rui", "geral", "quando abre a copa?")
    assert "8h" in world.slack.text_of(thread(world, before)[0])
    match way:
        case "delete_file":
            await world.slack.delete_file(ana, file)
        case "unshare":
            await world.slack.unshare_file(ana, file, place)
        case "archive":
            await world.slack.archive(ana, place)
        case "delete_channel":
            await world.slack.delete_channel(ana, place)
        case "retention":
            await world.slack.delete_file(ana, file, silent=True)
            await world.bot.work.reconcile()
    await world.settle()
    assert [item.name for item in world.bot.desk.kept_files()] == ["viagens.md"]
    after = await world.ask("rui", "geral", "quando abre a copa?")
    assert "8h" not in world.slack.text_of(thread(world, after)[0])


async def test_what_went_while_the_bot_was_away_is_no_longer_known_when_it_comes_back(opened: Open) -> None:
    world: SlackWorld = await opened(reconcile_minutes=60.0)
    await world.channel("geral", members=["ana"])
    await world.share("ana", "geral", viagens_md=TRAVEL)
    file = next(id for id, file in world.slack.world.files.items() if file.name == "viagens.md")
    async with away(world):
        await world.slack.delete_file(world.users["ana"], file)
    tag = f"slack:{TEAM}/{world.channels['geral']}"
    async with asyncio.timeout(30):
        while world.app.ingest_ports.ledger.placements([tag]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    asked = await world.ask("ana", "geral", ASKED)
    assert "30 dias" not in world.slack.text_of(thread(world, asked)[0])


async def test_the_comparison_removes_nothing_that_it_cannot_look_up(world: SlackWorld) -> None:
    world.slack.fail("files.info", error="internal_error", times=20)
    await world.bot.work.reconcile()
    world.slack.faults.clear()
    await world.bot.work.reconcile()
    assert [item.name for item in world.bot.desk.kept_files()] == ["viagens.md"]


# --- the assistant's pane --------------------------------------------------------------------------


async def test_the_assistant_suggests_shows_a_status_and_answers_in_its_thread(world: SlackWorld) -> None:
    rui = world.users["rui"]
    place, ts = await world.slack.assistant_thread(rui)
    await world.settle()
    assert len(world.slack.world.prompts[place, ts]) == 3
    await world.slack.post(rui, place, ASKED, thread_ts=ts)
    await world.settle()
    (answer,) = world.slack.bot_messages(place, ts)
    assert "30 dias" in world.slack.text_of(answer)
    said = [
        status for channel, thread_, status in world.slack.world.statuses if (channel, thread_) == (place, ts)
    ]
    assert any(said)
    assert said[-1] == ""


# --- doors -----------------------------------------------------------------------------------------


async def test_a_request_that_slack_did_not_sign_is_turned_away() -> None:
    async with SlackWorld("http") as world:
        assert world.slack.webhooks is not None
        body = b'{"type": "event_callback", "event_id": "EvX", "event": {"type": "message"}}'
        forged = await world.slack.webhooks.post(body, "application/json", secret="wrong")
        old = await world.slack.webhooks.post(body, "application/json", age=600)
        assert (forged.status, old.status) == (401, 401)


@pytest.mark.parametrize("variable", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_a_wrong_token_ends_the_start_with_its_name(variable: str) -> None:
    async with SlackWorld() as world, FakeSlack() as other:
        right = {"bot_token": other.bot_token, "app_token": other.app_token}
        wrong = {"SLACK_BOT_TOKEN": "bot_token", "SLACK_APP_TOKEN": "app_token"}[variable]
        bot = SlackBot(
            world.app, SlackOptions(api_url=other.api_url), Secrets(**(right | {wrong: "nonsense"}))
        )
        with pytest.raises(SlackRefuses) as caught:
            await bot.start()
        await bot.stop()
        assert variable in caught.value.say("en")


async def test_a_command_from_a_channel_that_one_is_not_in_learns_nothing(world: SlackWorld) -> None:
    """Slack would not send this; the bot does not rely on it."""
    await world.channel("diretoria", private=True, members=["ana"])
    await world.share("ana", "diretoria", salarios_csv=PAY)
    rui = world.users["rui"]
    for name, text in (
        ("ask", "qual o bonus do diretor?"),
        ("sources", ""),
        ("route", "bonus do diretor"),
        ("why", ""),
    ):
        path = world.slack.doors.new_url(world.channels["geral"], rui)
        await world.slack.send("slash_commands", {
            "team_id": TEAM, "channel_id": world.channels["diretoria"], "channel_name": "diretoria", "user_id": rui,
            "command": f"/{name}", "text": text, "response_url": world.slack.origin + path,
            "trigger_id": world.slack.doors.new_trigger(rui),
        })  # fmt: skip
    await world.settle()
    said = [world.slack.text_of(m) for m in world.slack.visible_to(rui) if m.mine]
    assert len(said) >= 4
    assert not any("18.400" in text or "salarios" in text or "bonus;" in text for text in said)


async def test_the_bot_answers_neither_itself_nor_a_bot_without_end(world: SlackWorld) -> None:
    other = await world.slack.add_bot("eco")
    await world.slack.join(other, world.channels["geral"])
    root = await world.ask("rui", "geral", ASKED)
    for n in range(8):
        await world.slack.post(other, world.channels["geral"], f"{ASKED} {n}", thread_ts=root, mention=True)
        await world.settle()
    assert len(thread(world, root)) <= 5
    assert BOT_USER not in {m.user for m in world.slack.messages(world.channels["geral"])}
