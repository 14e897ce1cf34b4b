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


@pytest.fixture
def store(empty_store: RelationalStore) -> RelationalStore:
    for document, table in ALL.items():
        empty_store.apply(a_table_parcel(document, table))
    return empty_store


@pytest.fixture
def view() -> View:
    return a_named_view(**FILES)
