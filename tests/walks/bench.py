"""A whole engine in a folder for the walk tests: real stores, real readers, the stand-in embedder, no bot around it."""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bot.config import load_settings
from core.ask import AskPorts, Question, ask
from core.cache import AnswerCache
from core.ingest.load import BUILTIN_PARSERS
from core.ingest.walk import IngestPorts, Upload, ingest
from core.lore import LoreKeeper
from core.ports import Store
from core.router import Anchors
from core.settings import Settings, Thresholds
from core.stores.graph import GraphStore
from core.stores.ledger import Ledger
from core.stores.relational.store import RelationalStore
from core.stores.text.store import TextStore
from core.types import Answer, IngestReport, Scope, Turn
from tests.fakes import HashEmbedder, hashed_vector

THRESHOLDS = Thresholds(
    route_high=0.45, route_low=0.2, route_margin=0.08, fact_seed=0.2, abstain_dense=0.05, answer_dense=0.5
)


@dataclass(slots=True)
class Engine:
    """Ports of both walks over one folder."""

    ingest_ports: IngestPorts
    ask_ports: AskPorts

    def take_in(self, name: str, data: bytes, tag: str) -> IngestReport:
        upload = Upload(name, data, tag, "ana", "2025-01-01T00:00:00Z")
        return asyncio.run(ingest(upload, self.ingest_ports))

    def ask(
        self, text: str, tags: Iterable[str], *, fresh: bool = True, history: tuple[Turn, ...] = ()
    ) -> Answer:
        question = Question(text, Scope(frozenset(tags)), "trace", "und", history, fresh, "2025-06-15")
        return asyncio.run(ask(question, self.ask_ports))


def settings_for_tests() -> Settings:
    """The packaged defaults; answers are extractive."""
    settings = load_settings()
    return settings.model_copy(update={"answer": settings.answer.model_copy(update={"mode": "extractive"})})


def anchors_of(settings: Settings) -> Anchors:
    routes = {name: route.anchors for name, route in sorted(settings.routes.items())}
    phrases = [phrase for name in sorted(routes) for phrase in routes[name]]
    return Anchors.build(routes, np.stack([hashed_vector(phrase) for phrase in phrases]))


@contextmanager
def engine(folder: Path, settings: Settings | None = None, extra: Mapping[str, Store] | None = None):  # type: ignore[no-untyped-def]
    """Open an engine; everything is closed afterwards."""
    chosen = settings or settings_for_tests()
    folder.mkdir(parents=True, exist_ok=True)
    embedder = HashEmbedder()
    ledger = Ledger(f"sqlite:///{folder / 'ledger.db'}")
    stores: dict[str, Store] = {
        "graph": GraphStore(folder / "graph.db", chosen.retrieval, THRESHOLDS),
        "relational": RelationalStore(f"sqlite:///{folder / 'tables.db'}", rows=200, seconds=10),
        "text": TextStore.open(folder / "text", chosen.stores.text, chosen.retrieval, embedder.dimension),
        **(extra or {}),
    }
    anchors = anchors_of(chosen)
    ingest_ports = IngestPorts(ledger, stores, BUILTIN_PARSERS, embedder, anchors, chosen, THRESHOLDS)
    ask_ports = AskPorts(
        ledger=ledger,
        stores=stores,
        embedder=embedder,
        generator=None,
        anchors=anchors,
        cache=AnswerCache(embedder.dimension, capacity=1000),
        lore=LoreKeeper(ledger, stores),
        settings=chosen,
        thresholds=THRESHOLDS,
        ticker=lambda: 0.0,
    )
    try:
        yield Engine(ingest_ports, ask_ports)
    finally:
        for store in stores.values():
            store.close()
        ledger.close()
