"""A relational store filled with the sample spreadsheets."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.stores.relational import RelationalStore
from core.types import View
from tests.core.stores.relational.samples import ALL, FILES, a_named_view, a_table_parcel


@pytest.fixture
def empty_store(tmp_path: Path) -> Iterator[RelationalStore]:
    store = RelationalStore(f"sqlite:///{tmp_path / 'tables.db'}", rows=200, seconds=5.0)
    yield store
    store.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelationalStore]:
    """The sample spreadsheets; shared by a file's tests, which only ask."""
    path = tmp_path_factory.mktemp("tables") / "tables.db"
    filled = RelationalStore(f"sqlite:///{path}", rows=200, seconds=5.0)
    for document, table in ALL.items():
        filled.apply(a_table_parcel(document, table))
    yield filled
    filled.close()


@pytest.fixture
def view() -> View:
    return a_named_view(**FILES)
