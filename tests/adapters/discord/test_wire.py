"""The adapter at the wire: real sockets, the unpatched client library, a server that refuses, breaks and repeats."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from simcord.enums import OverwriteType

from adapters.discord.options import IntentsMissing, TokenRefused
from adapters.discord.serve import serve
from tests.adapters.discord.wire.bot import Town, WireBot, opened
from tests.adapters.discord.wire.front import Front, front_on_loopback

TRAVEL = "# Viagens\n\nA viagem internacional deve ser pedida com 30 dias de antecedência.\n".encode()
ASKED = "com quantos dias se pede a viagem internacional?"


@pytest.fixture
async def front(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Front]:
    async with front_on_loopback(monkeypatch) as opened:
        yield opened


async def test_an_uploaded_file_is_downloaded_and_a_mention_answered_from_it(
    front: Front, tmp_path: Path
) -> None:
    town = Town(front)
    async with WireBot(front, tmp_path) as bot:
        upload = town.says(town.ana, "", {"viagens.md": TRAVEL})
        await bot.until(lambda: town.marked(upload, "✅"))
        question = town.asks(town.rui, ASKED)
        await bot.until(lambda: town.answers("30 dias"))

        (answer,) = town.answers("30 dias")
        assert answer.channel_id == question.id  # the thread that the question opened


async def test_an_expired_file_link_is_renewed_from_its_message(front: Front, tmp_path: Path) -> None:
    town = Town(front)
    async with WireBot(front, tmp_path) as bot:
        fetch = front.backend.cdn.get
        first: list[str] = []

        def expiring(url: str) -> bytes | None:
            """The link that came with the event is too old; one that is asked for is fresh."""
            first.append(url)
            return None if len(first) == 1 else fetch(url)

        front.backend.cdn.get = expiring  # type: ignore[method-assign]
        upload = town.says(town.ana, "", {"viagens.md": TRAVEL})
        await bot.until(lambda: town.marked(upload, "✅"))

        assert len(first) == 2


async def test_a_rate_limited_request_is_sent_again_and_nothing_is_lost(front: Front, tmp_path: Path) -> None:
    town = Town(front)
    async with WireBot(front, tmp_path) as bot:
        front.limited = [("/messages", 0.2), ("/threads", 0.2)]
        town.asks(town.ana, ASKED)
        await bot.until(lambda: any(m.components for m in town.replies()))

        assert front.refused >= 1
        assert len(town.replies()) == 1


async def test_what_is_replayed_after_a_broken_connection_is_answered_once(
    front: Front, tmp_path: Path
) -> None:
    town = Town(front)
    async with WireBot(front, tmp_path) as bot:
        town.asks(town.ana, ASKED)
        await bot.until(lambda: any(m.components for m in town.replies()))
        await front.drop()
        town.asks(town.rui, "e a viagem nacional, com quantos dias?")
        await bot.until(lambda: front.resumed)
        await bot.until(lambda: sum(bool(m.components) for m in town.replies()) == 2)
        await asyncio.sleep(0.3)
        await bot.client.idle()

        assert front.resumed == 1
        assert front.repeated >= 1
        assert len(town.replies()) == 2


async def test_rows_are_sent_as_a_file_in_several_parts(front: Front, tmp_path: Path) -> None:
    town = Town(front)
    rows = b"produto;receita\n" + b"".join(b"item %03d;%d,00\n" % (n, n) for n in range(1, 41))
    async with WireBot(front, tmp_path) as bot:
        upload = town.says(town.ana, "", {"itens.csv": rows})
        await bot.until(lambda: town.marked(upload, "✅"))
        town.asks(town.ana, "qual a receita por produto?")
        await bot.until(lambda: any(m.components for m in town.replies()[1:]))
        answer = town.replies()[-1]
        front.click(town.ana, answer, town.button(answer, "csv"))
        await bot.until(lambda: any(m.attachments for m in town.replies()))

        sent = next(m for m in town.replies() if m.attachments)
        data = front.backend.cdn.get(sent.attachments[0]["url"]) or b""
        assert b"item 040" in data
        assert any(multipart for _, _, multipart in front.requests)


async def test_a_channel_that_the_bot_may_not_view_is_silent(front: Front, tmp_path: Path) -> None:
    town = Town(front)
    async with WireBot(front, tmp_path) as bot:
        town.hide(town.geral, town.guild.id, OverwriteType.ROLE)
        town.asks(town.ana, ASKED)
        other = front.backend.create_channel(town.guild.id, "aberto").id
        town.asks(town.ana, ASKED, channel=other)
        await bot.until(lambda: any(m.components for m in town.replies()))

        assert {m.channel_id for m in town.replies()}.isdisjoint({town.geral})


async def test_a_button_of_an_earlier_process_still_unfolds_the_explanation(
    front: Front, tmp_path: Path
) -> None:
    town = Town(front)
    async with WireBot(front, tmp_path) as bot:
        upload = town.says(town.ana, "", {"viagens.md": TRAVEL})
        await bot.until(lambda: town.marked(upload, "✅"))
        town.asks(town.rui, ASKED)
        await bot.until(lambda: town.answers("30 dias"))
    async with WireBot(front, tmp_path) as bot:
        (answer,) = town.answers("30 dias")
        before = town.text(answer)
        front.click(town.rui, answer, town.button(answer, "why"))
        await bot.until(lambda: town.text(answer) != before)
        assert "Margem" in town.text(answer)

        front.click(town.rui, answer, town.button(answer, "why"))
        await bot.until(lambda: town.text(answer) == before)


async def test_a_slash_command_is_deferred_at_once_and_answered_for_its_asker(
    front: Front, tmp_path: Path
) -> None:
    town = Town(front)
    async with WireBot(front, tmp_path) as bot:
        await bot.until(lambda: front.backend.commands.get(None))
        asked = front.slash(town.ana, town.geral, "ask", question=ASKED)
        await bot.until(lambda: any(m.components for m in town.replies()))

        (reply,) = town.replies()
        assert asked.responded
        assert reply.is_ephemeral


async def test_switched_off_intents_are_named_to_the_admin(
    front: Front, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Town(front)
    front.approved = False
    monkeypatch.setenv("DISCORD_BOT_TOKEN", front.token)
    async with opened(tmp_path) as app:
        with pytest.raises(IntentsMissing) as refused:
            await serve(app)

    assert "Message Content Intent" in refused.value.say("pt")
    assert "Server Members Intent" in refused.value.say("en")


async def test_a_wrong_token_is_named_to_the_admin(
    front: Front, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCORD_BOT_TOKEN", "another.fake.token")
    async with opened(tmp_path) as app:
        with pytest.raises(TokenRefused) as refused:
            await serve(app)

    assert "DISCORD_BOT_TOKEN" in refused.value.say("pt")
