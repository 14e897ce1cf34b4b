"""The desk itself: nothing twice, nothing lost, in order."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from bot.book import MAX_ATTEMPTS, PRUNE_EVERY, Book, KeptFile
from bot.drafting import Writing
from bot.messages import Reply
from bot.spreadsheets import csv_files
from bot.turns import Turns
from core.errors import ModelUnavailable
from core.types import Source
from tests.platforms.memory import MemoryStage

NOW = datetime(2026, 1, 5, tzinfo=UTC)
TRAVEL = b"# Trips\n\nAn international trip is requested 30 days ahead.\n"


@pytest.fixture
async def stage() -> AsyncIterator[MemoryStage]:
    async with MemoryStage(settings={"language": "en"}) as opened:
        await opened.channel("general", members=["ana"])
        yield opened


@pytest.fixture
def book() -> Book:
    return Book(sa.create_engine("sqlite://", poolclass=sa.StaticPool))


async def test_a_thousand_redelivered_events_make_one_answer(stage: MemoryStage) -> None:
    message = await stage.post("ana", "general", "how many days?", mention=True)
    for _ in range(1000):
        await stage.deliver(stage.world.messages[message])
    await stage.settle()

    assert len(stage.seen("ana")) == 1


async def test_a_question_costs_few_transactions(stage: MemoryStage) -> None:
    await stage.post("ana", "general", files={"trips.md": TRAVEL})
    await stage.settle()
    commits: list[str] = []
    sa.event.listen(
        stage.app.ingest_ports.ledger.engine, "commit", lambda connection: commits.append("commit")
    )
    await stage.post("ana", "general", "how many days before is a trip requested?", mention=True)
    await stage.settle()

    assert "30 days" in stage.seen("ana")[-1].text
    assert len(commits) <= 4  # accepted, draft, the turn with its trace and audit, the end


async def test_a_redelivery_after_a_restart_makes_no_second_answer(stage: MemoryStage) -> None:
    message = await stage.post("ana", "general", "how many days?", mention=True)
    await stage.settle()
    await stage.restart()
    await stage.deliver(stage.world.messages[message])
    await stage.settle()

    assert len(stage.seen("ana")) == 1


async def test_one_upload_that_is_announced_twice_is_ingested_once(stage: MemoryStage) -> None:
    message = await stage.post("ana", "general", files={"trips.md": TRAVEL})
    await stage.deliver(stage.world.messages[message], kind="file_shared")
    await stage.settle()

    assert len(stage.seen("ana")) == 1
    assert len(stage.desk.kept_files()) == 1


async def test_an_upload_that_failed_for_want_of_a_model_may_come_again(
    stage: MemoryStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise ModelUnavailable("no embedder")

    with monkeypatch.context() as patch:
        patch.setattr(type(stage.app), "upload", away)
        message = await stage.post("ana", "general", files={"trips.md": TRAVEL})
        await stage.settle()
    assert stage.signs("general", message) == {"failed"}
    await stage.deliver(stage.world.messages[message], kind="echo")  # the same upload, told in another way
    await stage.settle()
    assert stage.signs("general", message) == {"failed"}
    stage.app.now = lambda: datetime.now(UTC) + timedelta(minutes=1)
    await stage.deliver(stage.world.messages[message], kind="again")
    await stage.settle()

    assert stage.signs("general", message) == {"done"}


async def test_a_message_that_is_deleted_while_its_file_is_read_leaves_nothing(
    stage: MemoryStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, go = asyncio.Event(), asyncio.Event()
    take = type(stage.app).take

    async def slow(*arguments: object) -> object:
        reading.set()
        await go.wait()
        return await take(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(type(stage.app), "take", slow)
    message = await stage.post("ana", "general", files={"trips.md": TRAVEL})
    await asyncio.wait_for(reading.wait(), 20)
    await stage.delete("ana", "general", message)
    go.set()
    await stage.settle()

    assert stage.app.ingest_ports.ledger.placements(["memory:W1/general"]) == ()
    assert stage.desk.kept_files() == ()


async def test_a_file_that_came_another_way_stays_when_a_copy_of_it_is_deleted(stage: MemoryStage) -> None:
    await stage.app.store("memory:W1/general", "rules.md", TRAVEL, uploader="folder", actor="folder")
    message = await stage.post("ana", "general", files={"x.md": TRAVEL})
    await stage.settle()
    await stage.delete("ana", "general", message)
    await stage.settle()

    assert [p.name for p in stage.app.ingest_ports.ledger.placements(["memory:W1/general"])] == ["rules.md"]


async def test_a_file_that_was_deleted_or_forgotten_may_be_shared_again(stage: MemoryStage) -> None:
    first = await stage.post("ana", "general", files={"trips.md": TRAVEL})
    await stage.settle()

    async def share_again(message: str) -> None:
        inbound = replace(stage.read(stage.world.messages[first]), id=message)  # the same file id
        await stage.desk.spawn(message, stage.desk.message(inbound))

    def held() -> int:
        return len(stage.app.ingest_ports.ledger.placements(["memory:W1/general"]))

    await stage.delete("ana", "general", first)
    assert held() == 0
    await share_again("m91")
    assert held() == 1
    await stage.command("ana", "general", "forget", "trips.md")
    assert held() == 0
    await share_again("m92")
    assert held() == 1


async def test_a_slow_upload_and_a_long_line_in_one_thread_keep_nobody_else_waiting(
    stage: MemoryStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, take = asyncio.Event(), type(stage.app).take

    async def slow(*arguments: object) -> object:
        await go.wait()
        return await take(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(type(stage.app), "take", slow)
    for n in range(10):
        await stage.post("ana", "general", files={f"{n}.md": TRAVEL + bytes([48 + n])})
    await stage.post("bia", "dm", "how many days ahead is a trip requested?")
    async with asyncio.timeout(30):
        while not any("…" not in seen.text for seen in stage.seen("bia", "dm")):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    go.set()
    await stage.settle()


async def test_what_is_asked_privately_in_a_thread_is_no_history_for_others(stage: MemoryStage) -> None:
    await stage.post("ana", "general", files={"trips.md": TRAVEL})
    await stage.settle()
    opened = await stage.post("ana", "general", "how many days ahead is a trip requested?", mention=True)
    await stage.settle()
    event = stage.world.messages[opened] | {"id": "p1", "thread": opened, "mention": False}
    secret = "how much severance would I get if I quit in March?"
    await stage.desk.command(stage.read(event | {"text": secret}, command="ask", ephemeral=True))
    before = len(stage.seen("bia"))
    await stage.post("bia", "general", "and in April?", thread=opened)
    await stage.settle()

    new = stage.seen("bia")[before:]
    assert new
    assert not any("severance" in seen.text or "quit" in seen.text for seen in new)


async def test_questions_of_one_thread_are_answered_in_their_order(stage: MemoryStage) -> None:
    opened = await stage.post("ana", "general", "how many days?", mention=True)
    for n in range(6):
        await stage.post("ana", "general", f"how many days is it for case {n}?", mention=True, thread=opened)
    await stage.settle()

    turns = stage.app.records.history(
        f"memory:W1/general#{opened}", (await stage.app.scope(stage.read(stage.world.messages[opened]))).fingerprint, 10
    )  # fmt: skip
    asked = [turn.question for turn in turns]
    assert [q[-2] for q in asked[1:]] == ["0", "1", "2", "3", "4", "5"]


async def test_a_placeholder_of_a_killed_bot_is_taken_over(
    stage: MemoryStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = asyncio.Event()

    async def never(*_: object, **__: object) -> Reply:
        stuck.set()
        await asyncio.Event().wait()
        return Reply("")

    with monkeypatch.context() as patch:
        patch.setattr(type(stage.app), "handle", never)
        await stage.post("ana", "general", "how many days?", mention=True)
        await asyncio.wait_for(stuck.wait(), 20)
        placeholder = stage.seen("ana")[-1].id
    await stage.restart()
    await stage.settle()

    assert [seen.id for seen in stage.seen("ana")] == [placeholder]
    assert stage.seen("ana")[0].actions


def test_an_event_is_new_once_under_any_of_its_names(book: Book) -> None:
    assert book.accept("slack", ["event:1", "message:C/1"], {}, NOW)
    assert not book.accept("slack", ["event:2", "message:C/1"], {}, NOW)
    assert not book.accept("slack", ["event:2"], {}, NOW)
    assert book.accept("discord", ["event:1"], {}, NOW)


def test_an_event_that_kills_every_process_is_given_up(book: Book) -> None:
    book.accept("slack", ["event:1"], {"n": 1}, NOW)

    found = [len(book.take_over("slack", f"p{n}", lambda owner: True)) for n in range(MAX_ATTEMPTS + 2)]

    assert found == [1] * MAX_ATTEMPTS + [0, 0]


def test_what_a_living_process_is_dealing_with_is_left_to_it(book: Book) -> None:
    book.accept("slack", ["event:1"], {}, NOW, "alive")
    book.accept("slack", ["event:2"], {}, NOW, "gone")
    book.accept("discord", ["event:3"], {}, NOW, "gone")

    taken = book.take_over("slack", "me", lambda owner: owner == "gone")

    assert [item.key for item in taken] == ["event:2"]
    assert [item.key for item in book.take_over("slack", "other", lambda owner: owner == "me")] == ["event:2"]
    assert len(book.waiting("slack")) == 2


def test_a_finished_event_leaves_no_text_behind_and_is_still_known(book: Book) -> None:
    book.accept("slack", ["event:1"], {"text": "secret"}, NOW)
    book.finish("slack", "event:1")

    assert book.waiting("slack") == ()
    assert not book.accept("slack", ["event:1"], {"text": "secret"}, NOW)


def test_old_names_of_events_are_forgotten_in_time(book: Book) -> None:
    book.accept("slack", ["event:old"], {}, NOW)
    later = NOW + timedelta(days=30)
    for n in range(PRUNE_EVERY):
        book.accept("slack", [f"event:{n}"], {}, later)

    assert book.accept("slack", ["event:old"], {}, later)
    assert not book.accept("slack", ["event:7"], {}, later)


def test_a_kept_file_is_found_by_message_and_by_file_and_only_there(book: Book) -> None:
    item = KeptFile("slack", "T1", "C1", "1.1", "F1", "slack:T1/C1", "a.csv", "d" * 64)
    book.keep(item)
    book.keep(item)

    assert book.kept_of_message("slack", "T1", "C1", "1.1") == (item,)
    assert book.kept_of_message("slack", "T2", "C1", "1.1") == ()
    assert book.kept_of_file("slack", "T1", "F1", "") == (item,)
    assert book.kept_of_file("slack", "T1", "F1", "C2") == ()
    assert book.kept_of_file("discord", "T1", "F1", "") == ()
    book.drop([item])
    assert not book.still_shared("slack:T1/C1", "d" * 64)


async def test_turns_take_one_at_a_time_and_leave_nothing_behind() -> None:
    turns, order = Turns(), []

    async def work(n: int) -> None:
        async with turns.of("thread"):
            order.append(n)
            await asyncio.sleep(0)
            order.append(n)

    await asyncio.gather(*(work(n) for n in range(5)))

    assert order == [n for n in range(5) for _ in range(2)]
    assert len(turns) == 0


async def test_a_platform_that_cannot_show_a_draft_does_not_stop_the_answer() -> None:
    async def broken(text: str) -> None:
        raise OSError("gone")

    async with Writing(broken) as on_text:
        on_text("a")
        await asyncio.sleep(0.01)
        on_text("b")


def test_a_cell_that_a_spreadsheet_would_run_is_marked_as_text() -> None:
    source = Source(
        "SQL", "a.csv", "d", "", "", "", "", "c", 1.0, 1, 0, "SELECT 1", ("name", "=x"), (("=cmd|' /C calc'!A0", -3),)
    )  # fmt: skip

    (made,) = csv_files([source])

    assert made.data.decode("utf-8-sig").splitlines() == ["name,'=x", "'=cmd|' /C calc'!A0,-3"]
