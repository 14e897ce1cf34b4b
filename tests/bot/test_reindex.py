"""The old index answers until the new one is complete; then nothing is embedded again and old answers find their passages."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.audience import CONSOLE, ConfiguredChannels
from bot.messages import Inbound
from bot.testkit import FakePlatform, StandInEmbedder
from bot.wiring import open_app
from core.errors import ModelUnavailable
from core.types import FloatArray
from tests.bot.conftest import Program

CHANNELS = {"geral": {"visibility": "public"}}
LONG = "# Normas\n\n" + "\n\n".join(
    f"A sala {n} fica no bloco {n % 7} e é limpa pela equipe {n % 5} às {n % 24} horas de cada dia útil do mês."
    for n in range(30)
)
FILES = {
    "normas.md": LONG,
    "copa.md": "# Copa\n\nA copa fecha às 18h.\n",
    "v.csv": "cidade;receita\nAroeira;10,50\n",
}
QUESTION = "quando fecha a copa?"


class OtherEmbedder(StandInEmbedder):
    """Another model, which counts what it embeds and may fail."""

    def __init__(self, fail_after: int = 1_000_000) -> None:
        super().__init__(128)
        self.passages = 0
        self._fail_after = fail_after

    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        self.passages += len(texts)
        if self.passages > self._fail_after:
            raise ModelUnavailable("asleep")
        return await super().embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        return await super().embed_passages(texts)


def old_bot(home: Path) -> FakePlatform:
    return FakePlatform(channels=CHANNELS, home=home)


def new_settings(chat: FakePlatform):  # type: ignore[no-untyped-def]
    """Another model and shorter passages."""
    ingest = chat.settings.ingest.model_copy(update={"chunk_characters": 300})
    jobs = chat.settings.jobs.model_copy(update={"attempts": 1, "durable": False})
    return chat.settings.model_copy(update={"ingest": ingest, "jobs": jobs})


async def reindexed(chat: FakePlatform, home: Path, embedder: OtherEmbedder) -> tuple[int, bool]:
    settings = new_settings(chat)
    opening = open_app(settings, home, chat.plugins, chat=False, embedder=embedder, catch_up=False)
    async with opening as app:
        return await app.reindex("console:root"), app.is_alone()


def test_the_old_index_serves_until_the_new_one_is_complete_and_the_switch_embeds_nothing(
    tmp_path: Path,
) -> None:
    with old_bot(tmp_path) as chat:
        chat.says("ana", files=dict(FILES))
        before = chat.says("ana", QUESTION, fresh=True)
        told = chat.says("ana", "onde fica a sala 12?", thread="t")
        embedder = OtherEmbedder()

        assert chat._runner.run(reindexed(chat, tmp_path, embedder)) == (3, False)

        after = chat.says("ana", QUESTION, fresh=True)
        assert (after.text, after.sources) == (before.text, before.sources)
        chat.says("ana", files={"late.md": "# Tarde\n\nEste chegou depois.\n"})
        once = embedder.passages
        assert chat._runner.run(reindexed(chat, tmp_path, embedder)) == (4, False)
        assert 0 < embedder.passages - once < once
        settings, plugins = new_settings(chat), chat.plugins
        trace = chat.app.records.trace(told.trace_id)
        assert trace is not None

    async def new_bot() -> None:
        embedder = OtherEmbedder()
        async with open_app(settings, tmp_path, plugins, chat=False, embedder=embedder) as app:
            app.directories[CONSOLE] = ConfiguredChannels(settings.channels)
            assert embedder.passages == 0
            inbound = Inbound(CONSOLE, "local", "geral", "ana", QUESTION, "m")
            answer = await app.ask(inbound, fresh=True)
            assert "18h" in answer.text
            assert app.ingest_ports.ledger.outdated(app.ingest_ports.index_key) == ()
            followed = await app.trace_for(inbound, told.trace_id)
            assert followed is not None
            then = {s["chunk_id"]: s["text"] for s in trace.body["retrieved"] if s["document"] == "normas.md"}
            now = [s["chunk_id"] for s in followed.body["retrieved"] if s["document"] == "normas.md"]
            known = {p.chunk.id: p.chunk.text for d in app.ingest_ports.ledger.complete(app.ingest_ports.index_key)
                     for p in app.ingest_ports.ledger.parcel(d).chunks}  # fmt: skip
            assert then
            assert not set(then) & set(known)
            for old, new in zip(then.values(), now, strict=True):
                assert known[new][:40] in old

    asyncio.run(new_bot())


def test_an_interrupted_run_is_gone_on_with(tmp_path: Path) -> None:
    with old_bot(tmp_path) as chat:
        chat.says("ana", files=dict(FILES))
        whole = OtherEmbedder()
        chat._runner.run(reindexed(chat, tmp_path, whole))

    other = tmp_path / "second"
    with old_bot(other) as chat:
        chat.says("ana", files=dict(FILES))
        failing = OtherEmbedder(fail_after=whole.passages - 1)
        with pytest.raises(ModelUnavailable):
            chat._runner.run(reindexed(chat, other, failing))
        assert "18h" in chat.says("ana", QUESTION, fresh=True).text

        rest = OtherEmbedder()
        assert chat._runner.run(reindexed(chat, other, rest))[0] == 3
        assert 0 < rest.passages < whole.passages


def test_a_file_that_is_forgotten_meanwhile_is_not_kept_in_the_next_index(tmp_path: Path) -> None:
    with old_bot(tmp_path) as chat:
        chat.says("ana", files=dict(FILES))
        chat._runner.run(reindexed(chat, tmp_path, OtherEmbedder()))
        chat.says("ana", "/forget copa.md")

        with chat.app.ingest_ports.ledger.engine.connect() as connection:
            rows = connection.exec_driver_sql("select body from next_chunks").scalars().all()
        assert rows
        assert not any("18h" in body for body in rows)


def test_where_no_bot_runs_the_command_switches_at_once_and_drops_the_old_stores(
    fresh_program: Program,
) -> None:
    fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana")
    (before,) = (fresh_program.home / "stores").iterdir()
    config = fresh_program.folder / "config.yaml"
    config.write_text(config.read_text() + "ingest: {chunk_characters: 250}\n")

    done = fresh_program.run("reindex", "--json")

    assert json.loads(done.stdout) == {"documents": 2, "switched": True}
    (after,) = (fresh_program.home / "stores").iterdir()
    assert after.name != before.name
    asked = ("ask", "com quantos dias se pede a viagem internacional?", "--channel", "geral", "--user", "ana")
    assert "30" in fresh_program.run(*asked).stdout
