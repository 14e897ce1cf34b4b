"""The signals tell an answered question from one that only sounds like the documents."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.stores.text import TextStore
from core.stores.text.engine import Point, Sparse
from core.stores.text.evidence import near_duplicates, signals
from core.vectors import unit_rows
from tests.core.stores.text.corpus import an_edge_store
from tests.fakes import a_chunk, a_parcel, a_query, a_view

POLICY = (
    "A gerência do Nordeste aprova reembolsos de viagem em cinco dias.",
    "A gerência do Sudeste aprova reembolsos de viagem em dez dias.",
    "A senha do sistema expira a cada noventa dias.",
    "O pasteurizador P-12 deve ser limpo por Marina Couto toda semana.",
    "A reunião de resultados ocorre em março.",
    "O convênio médico cobre dependentes.",
    "As férias são marcadas em janeiro.",
    "A entrega de leite começa às seis horas.",
    "O veículo da frota é revisado todo ano.",
    "O relatório de qualidade sai na sexta-feira.",
    "A brigada de incêndio treina duas vezes por ano.",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TextStore]:
    opened = an_edge_store(tmp_path)
    opened.apply(a_parcel("p", *(a_chunk(text, "p", n) for n, text in enumerate(POLICY))))
    yield opened
    opened.close()


def asked(store: TextStore, text: str) -> dict[str, float]:
    return dict(store.search(a_query(text), a_view("p"), 5).signals)


def test_an_answered_question_is_covered_stands_out_and_agrees(store: TextStore) -> None:
    answered = asked(store, "quem aprova reembolsos de viagem no Nordeste?")
    foreign = asked(store, "qual a cotação do níquel na bolsa de Londres?")

    assert answered["coverage"] == answered["covered"] == answered["known"] == answered["agree"] == 1.0
    assert foreign["coverage"] < 0.3 > foreign["known"]
    for name in (
        "dense_top",
        "dense_gap",
        "dense_mean_gap",
        "fused_top",
        "fused_gap10",
        "lexical_top",
        "lexical_norm",
    ):
        assert answered[name] > foreign[name], name


def test_the_second_best_and_the_best_three_together_are_told(store: TextStore) -> None:
    found = asked(store, "compare reembolsos de viagem do Nordeste com o Sudeste")

    assert found["covered"] < found["covered_three"]
    assert 0 < found["second"] <= found["covered"]


def test_names_and_codes_of_the_question_are_looked_for_in_the_best_passage(store: TextStore) -> None:
    held = asked(store, "O que a Marina Couto faz no P-12?")
    other = asked(store, "O que o Otávio Braga limpa no P-13?")

    assert (held["names"], held["exact"], held["codes"]) == (1.0, 1.0, 1.0)
    assert (other["names"], other["exact"], other["codes"]) == (0.0, 0.0, 1.0)


def test_shares_stay_between_0_and_1_and_nothing_found_is_all_zero(store: TextStore) -> None:
    found = asked(store, "férias em janeiro")
    shares = (
        "agree",
        "coverage",
        "covered",
        "covered_three",
        "exact",
        "known",
        "names",
        "second",
        "lexical_gap",
    )

    assert all(0.0 <= found[name] <= 1.0 for name in shares)
    assert {value for _, value in signals(None, "férias")} == {0.0}
    assert [name for name, _ in signals(None, "x")] == sorted(found)


def a_point(name: str, text: str, vector: list[float], *keys: int) -> Point:
    dense = unit_rows(np.array([vector]))[0]
    return Point(name, "d", "pt", dense, Sparse(keys, (1.0,) * len(keys)), {"text": text})


def test_near_duplicates_agree_in_vector_words_and_figures() -> None:
    words = tuple(range(20))
    points = [
        a_point("first", "vale 100", [1.0, 0.0], *words),
        a_point("copy", "vale 100", [1.0, 0.01], *words),
        a_point("figure", "vale 200", [1.0, 0.01], *words),
        a_point("words", "vale 100", [1.0, 0.01], *range(10, 40)),
        a_point("vector", "vale 100", [0.0, 1.0], *words),
    ]

    assert near_duplicates(points, cosine=0.98) == {("first", "copy")}
    assert near_duplicates(points[:1], cosine=0.98) == frozenset()
