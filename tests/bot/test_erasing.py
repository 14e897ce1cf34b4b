"""After a file, a channel or a person has gone, no surface of the bot says what it knew, and no file of the home holds it."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.erasing import Removed
from bot.messages import NO_WORKSPACE, Attachment, Inbound
from bot.testkit import FakePlatform
from core.types import Scope

SECRET = "xilofonte"
CHANNELS = {
    "geral": {"visibility": "public", "members": ["ana", "bia"]},
    "rh": {"visibility": "private", "members": ["ana", "bia"]},
}
HIDDEN = (
    f"# Projeto {SECRET}\n\nO projeto {SECRET} depende da bomba Zarabatana.\n\n"
    f"A Diretoria {SECRET} aprova a bomba Zarabatana.\n\n| produto | preço |\n|---|---|\n| {SECRET} | 77,31 |\n| fio | 1,50 |\n"
)
OPEN = "# Cantina\n\nA cantina fecha às 18h.\n\nA cantina depende da Oficina Norte.\n"
QUESTIONS = (
    f"de que depende o projeto {SECRET}?",
    f"quem aprova a bomba zarabatana do {SECRET}?",
    f"qual o preço do {SECRET}?",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def chat(home: Path) -> Iterator[FakePlatform]:
    with FakePlatform(channels=CHANNELS, admins=["root"], home=home, settings={"language": "pt"}) as platform:
        yield platform


def run(chat: FakePlatform, work: object) -> object:
    return chat._runner.run(work)  # type: ignore[arg-type]


def told(chat: FakePlatform, user: str = "ana", channel: str = "rh") -> list[str]:
    """Upload, ask in a thread and by cache, judge: everything that may remember the secret. Returns trace ids."""
    chat.says(user, files={"projeto.md": HIDDEN}, channel=channel)
    traces = []
    for question in QUESTIONS:
        reply = chat.says(user, question, channel=channel, thread="t1")
        traces.append(reply.trace_id)
        chat.says(user, question, channel=channel)
        chat.presses(user, "up", reply, channel=channel)
    assert any(SECRET in str(chat.app.records.trace(trace).body) for trace in traces)  # type: ignore[union-attr]
    return traces


def surfaces(chat: FakePlatform, traces: list[str]) -> Iterator[str]:
    """Everything that a person or an admin can get out of the bot about it, but for what they type themselves."""
    for channel in ("geral", "rh", "dm"):
        for user in ("ana", "bia", "root"):
            for question in (
                f"{QUESTIONS[0][:15]} bomba",
                "quem aprova a bomba?",
                "qual o preço?",
                "projeto",
            ):
                reply = chat.says(user, question, channel=channel, thread="t1")
                yield json.dumps([reply.text, str(reply.sources), reply.explanation], ensure_ascii=False)
            yield chat.says(user, "/sources", channel=channel).text
            yield chat.says(user, "/status", channel=channel).text
            yield chat.says(user, "/jobs", channel=channel).text
            yield chat.says(user, "/audit", channel=channel).text
            for trace in traces:
                yield chat.says(user, f"/why {trace}", channel=channel).text
    app = chat.app
    for tag in ("console:local/geral", "console:local/rh", "console:local/@ana"):
        view = app.ingest_ports.ledger.view(Scope(frozenset({tag})))
        lore = app.ask_ports.lore.of(view)
        yield str(lore.vocabulary)
        yield str(app.ingest_ports.ledger.headings(view)[0])


def dumped(home: Path) -> str:
    """Every row of every SQLite file of a home."""
    rows: list[str] = []
    for path in sorted(home.rglob("*.db")):
        with sqlite3.connect(path) as connection:
            names = [
                name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
            ]
            for name in names:
                rows += [f"{path.name} {name} {row}" for row in connection.execute(f'select * from "{name}"')]
    return "\n".join(rows).lower()


def files_with(home: Path, word: str) -> list[str]:
    """Files of a home that hold the word, in UTF-8 or as what remains of a deleted row."""
    return [
        str(path.relative_to(home))
        for path in sorted(home.rglob("*"))
        if path.is_file() and word.encode() in path.read_bytes().lower()
    ]


def reopened(home: Path) -> FakePlatform:
    return FakePlatform(channels=CHANNELS, admins=["root"], home=home, settings={"language": "pt"})


def test_a_forgotten_file_is_nowhere_to_be_read(chat: FakePlatform, home: Path) -> None:
    chat.says("bia", files={"cantina.md": OPEN}, channel="geral")
    traces = told(chat)

    receipt = chat.says("ana", "/forget projeto.md", channel="rh")

    assert "saiu deste canal" in receipt.text
    for text in surfaces(chat, traces):
        assert SECRET not in text.lower()
        assert "zarabatana" not in text.lower()
    assert SECRET not in dumped(home)


def test_turns_that_quote_a_forgotten_file_go_and_others_of_the_thread_stay(chat: FakePlatform) -> None:
    chat.says("bia", files={"cantina.md": OPEN}, channel="rh")
    chat.says("ana", "quando fecha a cantina?", channel="rh", thread="t1")
    told(chat)
    scope = asyncio.run(chat.app.scope(Inbound("console", "local", "rh", "ana", "", "x")))
    before = chat.app.records.history("console:local/rh#t1", scope.fingerprint)

    chat.says("ana", "/forget projeto.md", channel="rh")

    after = chat.app.records.history("console:local/rh#t1", scope.fingerprint)
    assert len(before) > len(after)
    assert not any(SECRET in turn.answer for turn in after)


def test_forgetting_in_one_channel_leaves_no_trace_of_it_in_another_that_holds_the_same_bytes(
    chat: FakePlatform,
) -> None:
    chat.says("bia", files={"meu.md": HIDDEN}, channel="geral")
    before = chat.says("bia", QUESTIONS[0], channel="geral", thread="g")
    told(chat)

    chat.says("ana", "/forget projeto.md", channel="rh")

    assert chat.says("bia", f"/why {before.trace_id}", channel="geral").text.count(before.trace_id[:6])
    assert SECRET in chat.says("bia", QUESTIONS[0], channel="geral", fresh=True).text.lower()


def test_an_erased_channel_leaves_nothing_and_the_receipt_counts_it(chat: FakePlatform, home: Path) -> None:
    chat.says("bia", files={"cantina.md": OPEN}, channel="geral")
    traces = told(chat)

    removed = run(chat, chat.app.forget_channel("console:local/rh", "console:root"))

    assert isinstance(removed, Removed)
    assert removed.files == 1
    assert removed.passages > 0
    assert removed.tables == 1
    assert removed.relations > 0
    assert removed.names > 0
    assert removed.traces > 0
    assert removed.turns >= len(QUESTIONS)
    assert removed.jobs == 1
    assert all(count > 0 for _, count in removed.stores), removed.stores
    for text in surfaces(chat, traces):
        assert SECRET not in text.lower()
    assert SECRET not in dumped(home)
    assert "cantina" in chat.says("ana", "/sources", channel="geral").text


def test_after_the_next_start_no_file_of_the_home_holds_a_byte_of_an_erased_channel(home: Path) -> None:
    with reopened(home) as chat:
        chat.says("bia", files={"cantina.md": OPEN}, channel="geral")
        told(chat)
        assert files_with(home, SECRET)
        run(chat, chat.app.forget_channel("console:local/rh", "console:root"))

    with reopened(home) as chat:
        assert files_with(home, SECRET) == []
        assert files_with(home, "zarabatana") == []
        assert "18h" in chat.says("bia", "quando fecha a cantina?", channel="geral").text


def test_an_erased_persons_uploads_questions_and_thumbs_go_and_their_acts_stay_under_a_pseudonym(
    home: Path,
) -> None:
    with reopened(home) as chat:
        chat.says("bia", files={"cantina.md": OPEN}, channel="geral")
        asked = chat.says("bia", "quando fecha a cantina?", channel="geral", thread="t9")
        traces = told(chat)
        chat.says("ana", files={"diario.md": f"# Diário\n\nO diário {SECRET} é meu.\n"}, channel="dm")
        chat.says("ana", "quando fecha a cantina?", channel="geral", thread="t9")

        reply = chat.says("root", "/erase user @ana", channel="geral")

        assert reply.ephemeral
        assert "2 arquivo(s)" in reply.text
        rows = dumped(home)
        assert SECRET not in rows
        assert "console:ana" not in rows
        assert "'ana'" not in rows
        assert "@ana" not in rows
        assert "console:erased-" in rows
        for text in surfaces(chat, traces):
            assert SECRET not in text.lower()
        assert chat.says("bia", f"/why {asked.trace_id}", channel="geral").text.count(asked.trace_id[:6])

    with reopened(home) as chat:
        assert files_with(home, SECRET) == []


def test_an_erased_persons_direct_messages_go_also_where_they_belong_to_no_workspace(
    chat: FakePlatform, home: Path
) -> None:
    def direct(user: str, text: str, workspace: str = NO_WORKSPACE, **more: object) -> None:
        inbound = Inbound("console", workspace, "", user, text, f"{workspace}{user}{text}", direct=True)
        run(chat, chat.app.handle(replace(inbound, **more)))  # type: ignore[arg-type]

    def upload(name: str, text: str) -> tuple[Attachment, ...]:
        async def fetch() -> bytes:
            return text.encode()

        return (Attachment(name, fetch),)

    direct("ana", "", attachments=upload("diario.md", f"# Diário\n\nO diário {SECRET} é de Ana.\n"))
    direct("ana", f"de quem é o diário {SECRET}?", thread="d1")
    direct("bia", "", attachments=upload("cofre.md", "# Cofre\n\nO cofre de Bia abre às 9h.\n"))
    direct("ana", "", "outro", attachments=upload("la.md", "# Lá\n\nO armário de lá é verde.\n"))
    assert SECRET in dumped(home)

    reply = chat.says("root", "/erase user @ana", channel="geral")

    assert "1 arquivo(s)" in reply.text
    rows = dumped(home)
    assert SECRET not in rows
    assert f"{NO_WORKSPACE}/@ana" not in rows
    kept = {p.name for p in chat.app.ingest_ports.ledger.everything("console:")}
    assert kept == {"cofre.md", "la.md"}  # other people's, and those of another workspace


def test_only_admins_erase(chat: FakePlatform) -> None:
    chat.says("bia", files={"cantina.md": OPEN}, channel="geral")

    assert "administradores" in chat.says("ana", "/erase user bia", channel="geral").text
    assert "administradores" in chat.says("ana", "/erase channel", channel="geral").text
    assert "cantina.md" in chat.says("ana", "/sources", channel="geral").text


def test_routing_after_an_erasure_is_that_of_a_bot_that_never_had_the_channel(
    chat: FakePlatform, tmp_path: Path
) -> None:
    chat.says("bia", files={"cantina.md": OPEN}, channel="rh")
    told(chat, channel="geral")
    run(chat, chat.app.forget_channel("console:local/geral", "console:root"))
    with reopened(tmp_path / "never") as never:
        never.says("bia", files={"cantina.md": OPEN}, channel="rh")
        for question in ("de que depende a cantina?", f"preço do {SECRET}", "quando fecha?"):
            one, other = (
                run(c, c.app.route(Inbound("console", "local", "rh", "bia", question, "x")))
                for c in (chat, never)
            )
            assert str(one) == str(other)
