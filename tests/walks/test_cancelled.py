"""An upload that is called off at any moment leaves nothing, and the next one of the same file is whole."""

import asyncio
from pathlib import Path

import pytest

from core.ingest.walk import Upload, catch_up, forget, ingest
from core.types import Scope
from tests.walks.bench import Engine, engine
from tests.walks.test_crashes import FILES

TAG = "c"


def upload(name: str) -> Upload:
    return Upload(name, FILES[name].encode(), TAG, "ana", "2025-01-01T00:00:00Z")


def state(made: Engine) -> object:
    """What the ledger and the stores hold."""
    with made.ingest_ports.ledger.engine.connect() as connection:
        rows = {
            table: connection.exec_driver_sql(f"select count(*) from {table}").scalar()
            for table in ("documents", "chunks", "tables", "placements")
        }
    return rows, {name: sorted(store.held()) for name, store in sorted(made.ingest_ports.stores.items())}


async def called_off(name: str, made: Engine, step: int) -> bool:
    """Cancel at the n-th word of progress; False when it was over before."""
    seen = 0

    def tell(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == step:
            task.cancel()

    task = asyncio.ensure_future(ingest(upload(name), made.ingest_ports, tell))
    await asyncio.wait([task])
    return task.cancelled()


@pytest.mark.parametrize("name", sorted(FILES))
def test_called_off_at_every_step_nothing_stays_and_the_file_can_be_sent_again(
    tmp_path: Path, name: str
) -> None:
    with engine(tmp_path) as made:
        made.take_in("0.md", b"# Zero\n\nA sala zero fica no bloco 2.\n", TAG)
        before = state(made)
        step = 0
        while True:
            step += 1
            cancelled = asyncio.run(called_off(name, made, step))
            if not cancelled:
                break
            asyncio.run(catch_up(made.ingest_ports))
            assert state(made) == before, f"called off at step {step}"
        assert step > 3
        view = made.ingest_ports.ledger.view(Scope(frozenset({TAG})))
        assert sorted(p.name for p in view.placements) == ["0.md", name]

        asyncio.run(forget(TAG, name, made.ingest_ports))
        assert state(made) == before
