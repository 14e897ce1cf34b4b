from collections.abc import Sequence
from pathlib import Path
from random import Random

from core.ports import Store
from core.settings import RetrievalSettings, Thresholds
from core.stores.graph import GraphStore
from core.types import Parcel, Query
from tests.core.stores.contract import StoreContract
from tests.core.stores.graph.corpora import QUESTIONS, random_parcels
from tests.fakes import a_query


class TestGraphStore(StoreContract):
    name = "graph"
    label = "GRAPH"

    def open_store(self, path: Path) -> Store:
        return GraphStore(path / "graph.sqlite", RetrievalSettings(), Thresholds(fact_seed=0.1))

    def parcels(self, dice: Random) -> Sequence[Parcel]:
        return random_parcels(dice)

    def queries(self, dice: Random) -> Sequence[Query]:
        return [a_query(text) for text in QUESTIONS]
