"""Random corpora out of few words, so that documents share words, codes, near ties and exact repeats."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from core.settings import RetrievalSettings, TextStoreSettings
from core.stores.text import TextStore
from core.types import Chunk, Parcel, Query
from tests.fakes import a_chunk, a_parcel, a_query

PLACES = ("Sudeste", "Nordeste", "Norte", "Sul")
THINGS = ("contrato", "reembolso", "pasteurizador", "cartão", "férias", "senha", "pump", "invoice")
DEEDS = ("aprova", "assina", "revisa", "cancela", "approves", "replaces")
CODES = ("E-4021", "E-4022", "NR-12", "14.3(b)", "IT-07")
LANGUAGES = ("pt", "pt", "en", "und")


def a_sentence(dice: Random) -> str:
    return (
        f"A gerência {dice.choice(PLACES)} {dice.choice(DEEDS)} o {dice.choice(THINGS)} "
        f"conforme {dice.choice(CODES)} em {dice.randint(1, 3)} dias."
    )


def a_random_chunk(dice: Random, document: str, ordinal: int) -> Chunk:
    return a_chunk(
        " ".join(a_sentence(dice) for _ in range(dice.randint(1, 3))),
        document,
        ordinal,
        title=dice.choice(("", "Manual")),
        headings=(dice.choice(PLACES),) if dice.random() < 0.6 else (),
        language=dice.choice(LANGUAGES),
        date=dice.choice(("", "2024-01-31", "2025-05-01")),
    )


def random_parcels(dice: Random) -> Sequence[Parcel]:
    return [
        a_parcel(f"d{n}", *(a_random_chunk(dice, f"d{n}", i) for i in range(dice.randint(1, 5))))
        for n in range(dice.randint(4, 6))
    ]


def random_queries(dice: Random) -> Sequence[Query]:
    asked = (
        f"quem {dice.choice(DEEDS)} o {dice.choice(THINGS)} do {dice.choice(PLACES)}?",
        f"o que diz {dice.choice(CODES)}?",
        f"who {dice.choice(DEEDS)} the {dice.choice(THINGS)}?",
        "quem aprvoa o pasteurisador",
        "qual a capital da Mongólia?",
    )
    return [a_query(text, dice.choice(("pt", "en", "und"))) for text in asked]


def an_edge_store(path: Path, **retrieval: object) -> TextStore:
    settings = RetrievalSettings(**retrieval)  # type: ignore[arg-type]
    return TextStore.open(path, TextStoreSettings(), settings, 256)
