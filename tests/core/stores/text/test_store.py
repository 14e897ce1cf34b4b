"""The text store passes the suite of every store, on both engines, and finds what people ask for."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from qdrant_client import QdrantClient

from core.ports import Store
from core.settings import RetrievalSettings, TextStoreSettings
from core.stores.text import TextStore
from core.stores.text.server import ServerEngine
from core.types import Chunk, Parcel, Query
from tests.core.stores.contract import StoreContract
from tests.fakes import a_chunk, a_parcel, a_query

PLACES = ("Sudeste", "Nordeste", "Norte", "Sul")
THINGS = ("contrato", "reembolso", "pasteurizador", "cartão", "férias", "senha", "pump", "invoice")
DEEDS = ("aprova", "assina", "revisa", "cancela", "approves", "replaces")
CODES = ("E-4021", "E-4022", "NR-12", "14.3(b)", "IT-07")
LANGUAGES = ("pt", "pt", "en", "und")


def a_sentence(dice: Random) -> str:
    """A sentence out of few words, so that documents share words, near ties and exact repeats."""
    return (
        f"A gerência {dice.choice(PLACES)} {dice.choice(DEEDS)} o {dice.choice(THINGS)} "
        f"conforme {dice.choice(CODES)} em {dice.randint(1, 3)} dias."
    )


def a_passage(dice: Random, document: str, ordinal: int) -> Chunk:
    text = " ".join(a_sentence(dice) for _ in range(dice.randint(1, 3)))
    return a_chunk(
        text,
        document,
        ordinal,
        title=dice.choice(("", "Manual")),
        headings=(dice.choice(PLACES),) if dice.random() < 0.6 else (),
        language=dice.choice(LANGUAGES),
    )


def text_parcels(dice: Random) -> Sequence[Parcel]:
    return [
        a_parcel(f"d{n}", *(a_passage(dice, f"d{n}", i) for i in range(dice.randint(1, 5))))
        for n in range(dice.randint(4, 6))
    ]


def text_queries(dice: Random) -> Sequence[Query]:
    asked = [
        f"quem {dice.choice(DEEDS)} o {dice.choice(THINGS)} do {dice.choice(PLACES)}?",
        f"o que diz {dice.choice(CODES)}?",
        f"who {dice.choice(DEEDS)} the {dice.choice(THINGS)}?",
        "quem aprvoa o pasteurisador",
        "qual a capital da Mongólia?",
    ]
    return [a_query(text, dice.choice(("pt", "en", "und"))) for text in asked]


def edge_store(path: Path, **more: object) -> TextStore:
    return TextStore.open(path, TextStoreSettings(), RetrievalSettings(), 256, **more)  # type: ignore[arg-type]


class TestEmbeddedTextStore(StoreContract):
    name, label = "text", "TEXT"

    def open_store(self, path: Path) -> Store:
        return edge_store(path)

    def parcels(self, dice: Random) -> Sequence[Parcel]:
        return text_parcels(dice)

    def queries(self, dice: Random) -> Sequence[Query]:
        return text_queries(dice)


class TestServerTextStore(TestEmbeddedTextStore):
    """Through qdrant-client's own stand-in for a server: same calls, no network."""

    corpora, views = 2, 2

    def open_store(self, path: Path) -> Store:
        client = QdrantClient(path=str(path))
        return TextStore(ServerEngine(client, "polyrag", 256), RetrievalSettings())


