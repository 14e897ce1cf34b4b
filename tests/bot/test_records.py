"""Bookkeeping that does not wait for the disk, beside what does."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.clerk import Clerk
from bot.records import Origin, Records, Trace, Writing
from core.stores.ledger import Ledger
from core.types import Turn


def synchronous(engine: sa.Engine) -> int:
    with engine.connect() as connection:
        return int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())


def delete_and_fail(engine: sa.Engine) -> None:
    with Writing(engine, relaxed=True) as connection:
        connection.exec_driver_sql("DELETE FROM cache_rows")
        _ = 1 / 0


def test_only_the_relaxed_transaction_is_relaxed(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'a.db'}")
    full, normal = 2, 1
    assert synchronous(ledger.engine) == full
    with Writing(ledger.engine, relaxed=True) as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == normal
    assert synchronous(ledger.engine) == full
    with Writing(ledger.engine) as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == full
    ledger.close()


def test_a_failed_relaxed_transaction_leaves_nothing_and_a_strict_connection(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'a.db'}")
    records = Records(ledger.engine, keep_traces=10)
    records.cache_put("k", "kept")
    with pytest.raises(ZeroDivisionError):
        delete_and_fail(ledger.engine)

    assert records.cache_row("k") == "kept"
    assert synchronous(ledger.engine) == 2
    ledger.close()


def a_trace(name: str, at: str = "2026-01-05T00:00:00") -> Trace:
    return Trace(name, at, "ana", "console:local/geral", ("console:local/geral",), "view", {"documents": []})


async def test_what_a_turn_leaves_is_written_at_once_and_in_one_transaction(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'a.db'}")
    records, clerk = Records(ledger.engine, keep_traces=10), Clerk(ledger.engine)
    commits: list[str] = []
    sa.event.listen(ledger.engine, "commit", lambda connection: commits.append("commit"))

    with records.together() as page:
        records.cache_put("k", "answer")
        records.cache_served("t1", "k")
        records.add_turn("thread", "scope", Turn("q", "a"), Origin("ana", (), ("d1",)))
        records.add_trace(a_trace("t1" * 16))
        records.log("2026", "ana", "ask", "tag", {})
        before = (records.history("thread", "scope"), records.audit_tail(5), records.cache_row("k"))
    assert before == ((), (), "answer")  # the cache may serve what it holds already
    await clerk.write(*page.works, relaxed=True)
    records.written(page)

    assert len(commits) == 1
    assert records.history("thread", "scope") == (Turn("q", "a"),)
    assert [row["action"] for row in records.audit_tail(5)] == ["ask"]
    assert (records.cache_row("k"), records.cache_entry("t1")) == ("answer", "k")
    assert records.trace("t1" * 16) is not None
    clerk.close()
    ledger.close()


def put_and_fail(records: Records) -> None:
    with records.together():
        records.cache_put("k", "answer")
        _ = 1 / 0


def test_a_turn_that_fails_leaves_the_rows_of_what_the_cache_took(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'a.db'}")
    records = Records(ledger.engine, keep_traces=10)
    with pytest.raises(ZeroDivisionError):
        put_and_fail(records)
    records.cache_put("l", "later")  # no page is open any more

    assert Records(ledger.engine, keep_traces=10).cache_load() == ("answer", "later")
    ledger.close()


async def test_a_row_that_is_dropped_before_it_is_written_never_is(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'a.db'}")
    records, clerk = Records(ledger.engine, keep_traces=10), Clerk(ledger.engine)
    with records.together() as page:
        records.cache_put("k", "erased meanwhile")
        records.cache_put("l", "kept")
    records.cache_drop(["k"])
    served = records.cache_row("k")
    await clerk.write(*page.works, relaxed=True)
    records.written(page)

    assert (served, records.cache_row("k"), records.cache_load()) == ("", "", ("kept",))
    clerk.close()
    ledger.close()


def test_of_many_traces_the_newest_stay_and_hardly_more(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'a.db'}")
    records = Records(ledger.engine, keep_traces=40)
    for number in range(100):
        records.add_trace(a_trace(f"{number:032x}", f"2026-01-05T00:00:{number:03d}"))

    kept = [trace.id for trace in records.all_traces()]
    assert kept == [f"{number:032x}" for number in range(100 - len(kept), 100)]
    assert 40 <= len(kept) <= 42
    ledger.close()
