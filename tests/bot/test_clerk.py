"""The clerk: what waits together is written together, in order, and nobody's mistake is another's."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.clerk import Clerk, Prepared, Work
from core.stores.ledger import Ledger

notes = sa.Table("notes", sa.MetaData(), sa.Column("text", sa.String(40), primary_key=True))
NOTE = Prepared(notes.insert(), "text")
ALL = Prepared(sa.select(notes.c.text).order_by(sa.text("rowid")))
FULL, NORMAL = 2, 1


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    ledger = Ledger(f"sqlite:///{tmp_path / 'a.db'}")
    notes.metadata.create_all(ledger.engine)
    yield ledger.engine
    ledger.close()


@pytest.fixture
def clerk(engine: sa.Engine) -> Iterator[Clerk]:
    made = Clerk(engine)
    yield made
    made.close()


def written(engine: sa.Engine) -> list[str]:
    with engine.connect() as connection:
        return [text for (text,) in ALL.rows(connection)]


def note(text: str) -> Work[str]:
    def work(connection: sa.Connection) -> str:
        NOTE.run(connection, text=text)
        return text.upper()

    return work


def durability(connection: sa.Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())


def commits(engine: sa.Engine) -> list[str]:
    found: list[str] = []
    sa.event.listen(engine, "commit", lambda connection: found.append("commit"))
    return found


def held_up(clerk: Clerk) -> Callable[[], None]:
    """Keep the clerk's thread busy until the function that is returned is called."""
    gate = threading.Event()
    clerk.order(lambda connection: gate.wait(10), relaxed=True)
    return gate.set


async def test_orders_that_wait_together_are_one_transaction_in_their_order(
    engine: sa.Engine, clerk: Clerk
) -> None:
    count, go_on = commits(engine), held_up(clerk)
    await asyncio.sleep(0.05)
    waiting = [clerk.order(note(f"n{number}")) for number in range(20)]
    go_on()

    assert [await one for one in waiting] == [[f"N{number}"] for number in range(20)]
    assert written(engine) == [f"n{number}" for number in range(20)]
    assert len(count) == 2  # that of the gate, and one for all


async def test_an_order_is_all_or_nothing_and_spoils_no_other(engine: sa.Engine, clerk: Clerk) -> None:
    await clerk.write(note("taken"))
    go_on = held_up(clerk)
    await asyncio.sleep(0.05)
    before, bad, after = (
        clerk.order(note("before")),
        clerk.order(note("half"), note("taken")),
        clerk.order(note("after")),
    )
    go_on()

    assert (await before, await after) == (["BEFORE"], ["AFTER"])
    with pytest.raises(Exception, match="UNIQUE"):
        await bad
    assert written(engine) == ["taken", "before", "after"]


async def test_who_gives_up_waiting_has_it_written_all_the_same(engine: sa.Engine, clerk: Clerk) -> None:
    go_on = held_up(clerk)
    task = asyncio.create_task(clerk.write(note("kept")))
    await asyncio.sleep(0.05)
    task.cancel()
    go_on()
    clerk.close()

    assert written(engine) == ["kept"]


async def test_one_order_that_must_be_on_the_disk_has_all_of_them_wait_for_it(clerk: Clerk) -> None:
    assert await clerk.write(durability, relaxed=True) == [NORMAL]
    go_on = held_up(clerk)
    await asyncio.sleep(0.05)
    relaxed, strict = clerk.order(durability, relaxed=True), clerk.order(durability)
    go_on()

    assert (await relaxed, await strict) == ([FULL], [FULL])


async def test_after_closing_the_next_order_starts_anew(engine: sa.Engine, clerk: Clerk) -> None:
    await clerk.write(note("first"))
    clerk.close()
    await clerk.write(note("second"))

    assert written(engine) == ["first", "second"]


def test_a_prepared_statement_knows_its_own_literals_and_needs_every_value(engine: sa.Engine) -> None:
    found = Prepared(
        sa.select(notes.c.text).where(notes.c.text != "b", notes.c.text >= sa.bindparam("least"))
    )
    with engine.connect() as connection, connection.begin():
        for text in ("a", "b", "c"):
            NOTE.run(connection, text=text)
        assert found.rows(connection, least="a") == [("a",), ("c",)]
        assert found.value(connection, least="d") is None
        with pytest.raises(KeyError):
            found.rows(connection)
