"""Slack and Discord in one process over one corpus: started as `polyrag run` starts them, and blind to each other."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from adapters.discord.directory import DiscordDirectory
from adapters.discord.plugin import TOKEN
from adapters.slack.manifest import manifest
from adapters.slack.options import APP_TOKEN, BOT_TOKEN
from bot.app import App
from bot.commands.running import serve_all
from bot.phrases import TEXTS
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.plugins.spec import AdapterSpec
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app
from tests.adapters.discord.wire.bot import Town
from tests.adapters.discord.wire.front import front_on_loopback
from tests.adapters.slack.fake import FakeSlack, Message
from tests.adapters.slack.fake.state import TEAM

PATIENCE = 30.0
TRAVEL = "# Viagens\n\nA viagem internacional deve ser pedida com {days} dias de antecedência.\n"
PAY = "cargo;salario\ngerente;{pay}\nauxiliar;2.100,00\n"
ASKED = "com quantos dias se pede a viagem internacional?"
PAID = "qual o salario do gerente?"
# What only one of the two knows; no digit of it may stand in anything that the other says.
SLACK_ONLY, DISCORD_ONLY = (
    ("41 dias", "7.310", "7310", "ata-slack"),
    ("63 dias", "9.850", "9850", "ata-discord"),
)
_IDS = re.compile(r"\b[0-9a-f]{6,}\b")  # of answers and messages, which hold any digits by chance


class Both:
    """One app, the two real adapters in it, and the two pretended platforms; the same people and channel on each."""

    def __init__(self, slack: FakeSlack, town: Town, app: App) -> None:
        self.slack, self.town, self.app = slack, town, app
        self.people: dict[str, str] = {}
        self.rooms: dict[str, str] = {}

    async def furnished(self) -> Self:
        for name in ("ana", "rui"):
            self.people[name] = await self.slack.add_user(name)
        everybody = list(self.people.values())
        self.rooms["geral"] = await self.slack.add_channel("geral", members=everybody)
        self.rooms["rh"] = await self.slack.add_channel("rh", members=[self.people["ana"]], private=True)
        return self

    # --- Slack ---

    async def slack_shares(self, files: dict[str, bytes], room: str = "geral") -> str:
        ts = await self.slack.post(self.people["ana"], self.rooms[room], files=files)
        await until(lambda: self.slack.reactions(self.rooms[room], ts) == {"white_check_mark"})
        return ts

    async def slack_answers(self, text: str, user: str = "ana", room: str = "geral") -> str:
        """Ask with a mention (or directly, room "dm") and wait: all that is visible or can be unfolded."""
        direct = room == "dm"
        place = await self.slack.open_dm(self.people[user]) if direct else self.rooms[room]
        ts = await self.slack.post(self.people[user], place, text, mention=not direct)

        def replies() -> list[Message]:
            """In the thread of a question, or below it in a direct message."""
            return [m for m in self.slack.bot_messages(place, "" if direct else ts) if m.ts > ts]

        await until(lambda: any(_finished(m) for m in replies()))
        return "\n".join(self.slack.text_of(m) for m in replies())

    async def slack_says(
        self, command: str, arguments: str = "", user: str = "ana", room: str = "geral"
    ) -> str:
        before = {m.ts for m in self.slack.visible_to(self.people[user])}
        line = f"{command} {arguments}".strip()
        clicked = await self.slack.slash(self.people[user], self.rooms[room], "/polyrag", line)
        assert clicked.acknowledged, clicked

        def new() -> list[str]:
            seen = [m for m in self.slack.visible_to(self.people[user]) if m.ts not in before and m.mine]
            return [self.slack.text_of(m) for m in seen if m.text not in TEXTS["slack_working"]]

        await until(new)
        return "\n".join(new())

    def placed(self, platform: str) -> tuple[str, ...]:
        """Names of the files that one platform's channels hold."""
        tags = {
            "slack": f"slack:{TEAM}/{self.rooms['geral']}",
            "discord": f"discord:{self.town.guild.id}/{self.town.geral}",
        }
        return tuple(row.name for row in self.app.ingest_ports.ledger.placements([tags[platform]]))

    # --- Discord ---

    async def discord_shares(self, files: dict[str, bytes], channel: int = 0) -> Any:
        upload = self.town.says(self.town.ana, "", files, channel)
        await until(lambda: self.town.marked(upload, "✅"))
        return upload

    async def discord_answers(self, text: str, user: int = 0, channel: int = 0) -> str:
        """The bot opens a thread on the question, whose id is the question's."""
        asked = self.town.asks(user or self.town.ana, text, channel)
        await until(lambda: any(m.components for m in self.town.replies(asked.id)))
        return "\n".join(self.town.text(m) for m in self.town.replies(asked.id))

    async def discord_says(self, command: str, user: int = 0, **options: str) -> str:
        await until(lambda: self.town.front.backend.commands.get(None))
        known = {m.id for m in self.town.replies()}
        self.town.front.slash(user or self.town.ana, self.town.geral, command, **options)

        def new() -> list[Any]:
            return [m for m in self.town.replies() if m.id not in known and m.components]

        await until(new)
        return "\n".join(self.town.text(m) for m in new())


def _finished(message: Message) -> bool:
    """An answer carries buttons; what is still being written does not."""
    return any(block.get("type") in ("actions", "context_actions") for block in message.blocks)


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110  what people see tells nobody
            await asyncio.sleep(0.01)


@asynccontextmanager
async def both(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Both]:
    """One process as `polyrag run` with both platforms enabled makes it."""
    async with front_on_loopback(monkeypatch) as front, FakeSlack.from_manifest(manifest()) as slack:
        options = {
            "api_url": slack.api_url,
            "file_grace": 0.1,
            "reconcile_minutes": 0.0,
            "drain_seconds": 2.0,
        }
        adapters = {
            "slack": {"enabled": True, "options": options},
            "discord": {"enabled": True, "options": {"drain_seconds": 2}},
        }
        settings = stand_in_settings({}, {"language": "pt", "adapters": adapters}, ())
        for name, value in ((BOT_TOKEN, slack.bot_token), (APP_TOKEN, slack.app_token), (TOKEN, front.token)):
            monkeypatch.setenv(name, value)
        plugins = PluginManager(settings, BUILTINS)
        plugins.load_entry_points()
        platforms: list[AdapterSpec] = [
            spec for spec in plugins.gather("register_adapters") if spec.name in ("slack", "discord")
        ]
        assert len(platforms) == 2
        town = Town(front)
        async with open_app(settings, folder, plugins, chat=False, embedder=StandInEmbedder()) as app:
            serving = asyncio.create_task(serve_all(platforms, app))
            try:
                world = await Both(slack, town, app).furnished()
                await until(lambda: serving.done() or ready(app))
                assert not serving.done(), serving
                yield world
                assert not serving.done(), serving
            finally:
                serving.cancel()
                await asyncio.gather(serving, return_exceptions=True)


def ready(app: App) -> bool:
    """Both have connected and read who is where."""
    discord = app.directories.get("discord")
    return "slack" in app.directories and isinstance(discord, DiscordDirectory) and discord._client.is_ready()


def _timeless(text: str) -> str:
    """Without what differs between any two answers: ids and timings."""
    return "\n".join(_IDS.sub("", line) for line in text.splitlines() if "(ms)" not in line)


def told(text: str, secrets: tuple[str, ...]) -> list[str]:
    return [secret for secret in secrets if secret.casefold() in _IDS.sub("", text).casefold()]


async def furnish(world: Both) -> None:
    """The same names on both sides, other contents."""
    await world.slack_shares(
        {
            "viagens.md": TRAVEL.format(days=41).encode(),
            "salarios.csv": PAY.format(pay="7.310,00").encode(),
            "ata-slack.md": b"# Ata\n\nA reuniao foi adiada.\n",
        }
    )
    await world.discord_shares(
        {
            "viagens.md": TRAVEL.format(days=63).encode(),
            "salarios.csv": PAY.format(pay="9.850,00").encode(),
            "ata-discord.md": b"# Ata\n\nA reuniao foi antecipada.\n",
        }
    )


async def test_the_same_question_gets_each_platforms_own_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with both(tmp_path, monkeypatch) as world:
        await furnish(world)
        for _ in range(2):  # the second time an answer could come from the cache, of the other
            on_slack, on_discord = await asyncio.gather(
                world.slack_answers(ASKED), world.discord_answers(ASKED)
            )
            assert "41 dias" in on_slack
            assert "63 dias" in on_discord
            assert told(on_slack, DISCORD_ONLY) == told(on_discord, SLACK_ONLY) == []

        paid_slack, paid_discord = await asyncio.gather(
            world.slack_answers(PAID), world.discord_answers(PAID)
        )
        assert told(paid_slack, SLACK_ONLY)
        assert told(paid_discord, DISCORD_ONLY)
        assert told(paid_slack, DISCORD_ONLY) == told(paid_discord, SLACK_ONLY) == []


async def test_neither_lists_finds_routes_or_deletes_what_the_other_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with both(tmp_path, monkeypatch) as world:
        await furnish(world)
        slack = [
            await world.slack_says("sources"),
            await world.slack_says("route", PAID),
            await world.slack_says("status"),
            await world.slack_answers("por que a reuniao foi antecipada?", "rui"),
            await world.slack_answers("por que a reuniao foi antecipada?", room="dm"),
        ]
        discord = [
            await world.discord_says("sources"),
            await world.discord_says("route", text=PAID),
            await world.discord_says("status"),
            await world.discord_answers("por que a reuniao foi adiada?", world.town.rui),
        ]
        assert told("\n".join(slack), DISCORD_ONLY) == told("\n".join(discord), SLACK_ONLY) == []

        refused = (
            await world.slack_says("forget", "ata-discord.md"),
            await world.slack_says("forget", "nada.md"),
        )
        assert refused[0].replace("ata-discord", "nada") == refused[1]  # as one that nobody has
        await world.discord_says("forget", file="ata-slack.md")
        assert "ata-slack" in await world.slack_says("sources")
        assert "ata-discord" in await world.discord_says("sources")


async def test_the_same_file_on_both_stays_where_it_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with both(tmp_path, monkeypatch) as world:
        shared = {"viagens.md": TRAVEL.format(days=41).encode()}
        on_slack = await world.slack_shares(shared)
        on_discord = await world.discord_shares(shared)
        assert "41 dias" in await world.slack_answers(ASKED)
        assert "41 dias" in await world.discord_answers(ASKED)

        await world.slack.delete(world.people["ana"], world.rooms["geral"], on_slack)
        await until(lambda: not world.placed("slack"))
        assert "41 dias" not in await world.slack_answers(ASKED, "rui")
        assert "41 dias" in await world.discord_answers(ASKED, world.town.rui)

        world.town.backend.delete_message(world.town.geral, on_discord.id)
        await until(lambda: not world.placed("discord"))
        assert "41 dias" not in await world.discord_answers(ASKED)


async def test_what_is_private_on_one_is_nothing_on_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with both(tmp_path, monkeypatch) as world:
        await world.slack_shares({"salarios.csv": PAY.format(pay="7.310,00").encode()}, "rh")
        await world.discord_shares({"viagens.md": TRAVEL.format(days=63).encode()})
        assert told(await world.slack_answers(PAID, room="rh"), SLACK_ONLY)
        assert told(await world.slack_answers(PAID, room="dm"), SLACK_ONLY)

        others = [
            await world.slack_answers(PAID, "rui"),
            await world.discord_answers(PAID),
            await world.discord_answers(PAID, world.town.rui),
            await world.discord_says("ask", question=PAID),
        ]
        assert told("\n".join(others), SLACK_ONLY) == []


async def test_many_at_the_same_time_each_get_their_own_platforms_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with both(tmp_path, monkeypatch) as world:
        await furnish(world)
        users = ("ana", "rui") * 4
        slack = [world.slack_answers(text, user) for user in users for text in (ASKED, PAID)]
        discord = [
            world.discord_answers(text, world.town.person(f"{name}{n}"))
            for n, name in enumerate(users)
            for text in (ASKED, PAID)
        ]
        got = await asyncio.gather(*slack, *discord)

        on_slack, on_discord = got[: len(slack)], got[len(slack) :]
        assert all(told(text, SLACK_ONLY) and not told(text, DISCORD_ONLY) for text in on_slack)
        assert all(told(text, DISCORD_ONLY) and not told(text, SLACK_ONLY) for text in on_discord)


async def test_an_answer_reads_the_same_whatever_the_other_platform_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    for home in ("alone", "beside"):
        async with both(tmp_path / home, monkeypatch) as world:
            if home == "beside":
                await world.discord_shares(
                    {
                        "salarios.csv": PAY.format(pay="9.850,00").encode(),
                        "gerente.md": b"# Salario do gerente\n\nO gerente recebe salario.\n",
                    }
                )
                await world.discord_answers(PAID)
            await world.slack_shares({"salarios.csv": PAY.format(pay="7.310,00").encode()})
            said.append([_timeless(await world.slack_says(command, PAID)) for command in ("route", "ask")])

    assert told("\n".join(said[0]), SLACK_ONLY)
    assert said[1] == said[0]
