"""Bookkeeping that does not wait for the disk, beside what does."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.records import Records, Writing
from core.stores.ledger import Ledger


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
