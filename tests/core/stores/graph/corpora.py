"""Small corpora of prose for the graph: extracted by the rules, embedded by the stand-in."""

from collections.abc import Iterable
from random import Random

import numpy as np

from core.ingest.extract import extract_triples
from core.language import detect_language
from core.types import Chunk, FloatArray, Locator, Parcel, PlacedChunk
from tests.fakes import a_decision, hashed_vector


def stacked(texts: Iterable[str]) -> FloatArray:
    rows = [hashed_vector(text) for text in texts]
    return np.stack(rows) if rows else np.zeros((0, 256), np.float32)


def a_passage(document: str, number: int, text: str, *headings: str, title: str = "") -> Chunk:
    return Chunk(
        f"{document}-{number:03d}",
        document,
        Locator(ordinal=number),
        text,
        title,
        headings,
        detect_language(text),
    )


def prose_parcel(document: str, *passages: Chunk) -> Parcel:
    """What the write walk makes of passages: those with relations go to the graph."""
    relations = [extract_triples(passage) for passage in passages]
    placed = tuple(
        PlacedChunk(passage, a_decision("text", *(("graph",) if found else ()), text=passage.text))
        for passage, found in zip(passages, relations, strict=True)
    )
    triples = tuple(sorted({triple for found in relations for triple in found}))
    entities = tuple(sorted({name for triple in triples for name in (triple.subject, triple.object)}))
    return Parcel(
        document,
        placed,
        stacked(passage.indexed for passage in passages),
        triples=triples,
        triple_vectors=stacked(triple.text for triple in triples),
        entities=entities,
        entity_vectors=stacked(entities),
    )


def parcels_of(corpus: dict[str, list[str]]) -> list[Parcel]:
    """One parcel a document, one passage a text."""
    return [
        prose_parcel(document, *(a_passage(document, i, text) for i, text in enumerate(texts)))
        for document, texts in corpus.items()
    ]


_THINGS = ("bomba BB-2", "forno FO-11", "esteira E-3", "linha L1", "linha L2", "caldeira CD-4", "sala SR-9")
_TEAMS = (
    "Oficina Leste",
    "Oficina Oeste",
    "Equipe Campo Sul",
    "Gerência de Frio",
    "Diretoria Clínica",
    "Ana Prado",
)
_SENTENCES = (
    "A {thing} é mantida pela {team}.",
    "A {team} aprova as despesas da {other}.",
    "A {team} responde à {other}.",
    "A {thing} depende da {second}.",
    "The {thing} is supplied by {team}.",
    "A {team} ({short}) atende a {thing}.",
    "O prazo de entrega é de {number} dias corridos.",
)


def a_random_text(dice: Random) -> str:
    """One to four sentences whose names come from a small stock, so that documents share them."""
    return " ".join(
        dice.choice(_SENTENCES).format(
            thing=dice.choice(_THINGS),
            second=dice.choice(_THINGS),
            team=dice.choice(_TEAMS),
            other=dice.choice(_TEAMS),
            short=dice.choice(("OL-1", "GF", "DC-7")),
            number=dice.randint(2, 40),
        )
        for _ in range(dice.randint(1, 4))
    )


def random_parcels(dice: Random, count: int = 6) -> list[Parcel]:
    return [
        prose_parcel(
            f"d{number}",
            *(a_passage(f"d{number}", i, a_random_text(dice)) for i in range(dice.randint(1, 4))),
        )
        for number in range(count)
    ]


QUESTIONS = (
    "quem mantem a bomba bb-2?",
    "quem aprova as despesas da oficina leste",
    "a linha l1 depende de que?",
    "who supplies the FO-11?",
    "a quem responde a gerencia de frio",
    "qual o prazo de entrega",
)
