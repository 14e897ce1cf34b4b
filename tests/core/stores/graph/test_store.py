import sqlite3
from pathlib import Path
from random import Random

import numpy as np
import pytest

from core.errors import StoreFailed
from core.settings import RetrievalSettings, Thresholds
from core.stores.graph import GraphStore
from core.types import Heading
from tests.core.stores.graph.corpora import (
    QUESTIONS,
    a_passage,
    parcels_of,
    prose_parcel,
    random_parcels,
)
from tests.fakes import a_query, a_view

CHAINS: dict[str, tuple[dict[str, list[str]], str, list[str]]] = {
    # documents, question, the passages of the chain in order
    "hospital": (
        {
            "inventory": [
                "O ventilador VM-30 é mantido pela Engenharia Clínica.",
                "O foco cirúrgico FC-2 é mantido pela Manutenção Predial.",
                "A incubadora IN-7 é mantida pela Engenharia Clínica.",
            ],
            "reporting": [
                "A Engenharia Clínica responde à Superintendência de Apoio.",
                "A Manutenção Predial responde à Hotelaria.",
                "A Farmácia Satélite responde à Diretoria Técnica.",
            ],
            "approvals": [
                "A Superintendência de Apoio é dirigida pela Dra. Lia Moura.",
                "A Hotelaria é dirigida por Caio Brandt.",
                "A Diretoria Técnica é dirigida pelo Dr. Ivo Paz.",
                "O cardápio é revisado pela Nutrição Clínica toda semana.",
            ],
        },
        "o ventilador vm-30 e mantido por uma equipe; quem dirige a area acima dela?",
        ["inventory-000", "reporting-000", "approvals-000"],
    ),
    "software": (
        {
            "services": [
                "The checkout page depends on the Ledger API.",
                "The search page depends on the Lighthouse API.",
                "The profile page depends on the Avatar API.",
            ],
            "owners": [
                "The Ledger API is owned by Team Falcon.",
                "The Lighthouse API is owned by Team Otter.",
                "The Avatar API is owned by Team Heron.",
            ],
            "people": [
                "Team Falcon reports to Priya Nair.",
                "Team Otter reports to Sam Cole.",
                "Team Heron reports to Ana Prado.",
                "Vacation requests are approved by the People Desk.",
            ],
        },
        "who does the team report to that owns what the checkout page depends on?",
        ["services-000", "owners-000", "people-000"],
    ),
    "school, two languages": (
        {
            "labs": [
                "The spectrometer SX-12 is supplied by Optilab.",
                "The centrifuge CF-9 is supplied by Rotamed.",
                "The microscope MC-4 is supplied by Lumena.",
            ],
            "contratos": [
                "O contrato da Optilab é gerido por Inês Vidal.",
                "O contrato da Rotamed é gerido por Bento Saraiva.",
                "O contrato da Lumena é gerido por Otto Lins.",
            ],
            "ramais": [
                "Inês Vidal trabalha na Secretaria Acadêmica.",
                "Bento Saraiva trabalha na Tesouraria Geral.",
                "Otto Lins trabalha na Biblioteca Central.",
                "A merenda é fornecida pela Sabor do Campo.",
            ],
        },
        "onde trabalha quem gere o contrato do fornecedor do sx-12",
        ["labs-000", "contratos-000", "ramais-000"],
    ),
}


def opened(path: Path, **settings: float) -> GraphStore:
    return GraphStore(path, RetrievalSettings(**settings), Thresholds(fact_seed=0.1))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> GraphStore:
    return opened(tmp_path / "graph.sqlite")


@pytest.mark.parametrize("name", CHAINS)
def test_every_passage_of_a_chain_over_three_files_is_among_the_best_five(
    store: GraphStore, name: str
) -> None:
    corpus, question, chain = CHAINS[name]
    for parcel in parcels_of(corpus):
        store.apply(parcel)

    found = store.search(a_query(question), a_view(*corpus), 5)

    assert set(chain) <= {passage.chunk_id for passage in found.passages}
    assert found.signal("hops") == 3.0


@pytest.mark.parametrize("name", CHAINS)
def test_without_the_file_in_the_middle_the_chain_does_not_reach_its_end(
    store: GraphStore, name: str
) -> None:
    corpus, question, chain = CHAINS[name]
    for parcel in parcels_of(corpus):
        store.apply(parcel)
    middle = chain[1].rsplit("-", 1)[0]
    whole = store.search(a_query(question), a_view(*corpus), 20)
    broken = store.search(a_query(question), a_view(*(d for d in corpus if d != middle)), 20)

    def lead(found: object) -> float:
        scores = {p.chunk_id: p.score for p in found.passages}  # type: ignore[attr-defined]
        siblings = [
            score for chunk, score in scores.items() if chunk[:-3] == chain[2][:-3] and chunk != chain[2]
        ]
        return float(scores[chain[2]] - max(siblings))

    assert lead(whole) > lead(broken)


def test_a_thousand_views_are_blind_to_everything_outside_them(tmp_path: Path) -> None:
    cases = 0
    for seed in range(25):
        dice = Random(seed)
        parcels = random_parcels(dice)
        full = opened(tmp_path / f"full-{seed}.sqlite")
        for parcel in parcels:
            full.apply(parcel)
        for turn in range(7):
            inside = dice.sample(parcels, dice.randint(1, len(parcels) - 1))
            view = a_view(*(parcel.document for parcel in inside))
            alone = opened(tmp_path / f"alone-{seed}-{turn}.sqlite")
            for parcel in dice.sample(inside, len(inside)):
                alone.apply(parcel)
            for text in QUESTIONS:
                query = a_query(text)
                assert repr(full.search(query, view, 10)) == repr(alone.search(query, view, 10)), (
                    seed,
                    turn,
                    text,
                )
                cases += 1
            assert full.headings(view) == alone.headings(view)
            alone.close()
        full.close()
    assert cases >= 1_000


def test_a_relation_that_another_passage_supports_survives_the_deletion_of_one(store: GraphStore) -> None:
    text = "A bomba BB-2 é mantida pela Oficina Leste."
    for document in ("a", "b"):
        store.apply(prose_parcel(document, a_passage(document, 0, text)))
    view = a_view("a", "b")
    names = {heading.text for heading in store.headings(view)}

    store.drop("a")

    assert {heading.text for heading in store.headings(view)} == names == {"bomba bb-2", "oficina leste"}
    store.drop("b")
    assert store.headings(view) == ()


def test_headings_are_the_names_that_stand_in_relations(store: GraphStore) -> None:
    store.apply(
        prose_parcel("a", a_passage("a", 0, "A bomba BB-2 é mantida pela Oficina Leste. Ligue ao RH."))
    )

    assert store.headings(a_view("a")) == (
        Heading("entity", "bomba bb-2"),
        Heading("entity", "oficina leste"),
    )


def test_a_passage_for_another_store_is_not_walked_to(store: GraphStore) -> None:
    related = a_passage("a", 0, "A bomba BB-2 é mantida pela Oficina Leste.")
    plain = a_passage("a", 1, "A bomba azul chia de manhã.")
    store.apply(prose_parcel("a", related, plain))

    found = store.search(a_query("a bomba azul chia"), a_view("a"), 10)

    assert [passage.chunk_id for passage in found.passages] == ["a-000"]


def test_a_code_is_one_thing_with_and_without_the_noun_before_it(store: GraphStore) -> None:
    corpus = {
        "a": [
            "O pasteurizador PZ-200 é mantido pela Oficina Térmica.",
            "O forno FO-11 é mantido pela Oficina Leste.",
        ],
        "b": ["A linha azul depende do PZ-200.", "A linha verde depende do FO-11."],
    }
    for parcel in parcels_of(corpus):
        store.apply(parcel)

    found = store.search(a_query("que oficina cuida da linha azul?"), a_view("a", "b"), 2)

    assert {passage.chunk_id for passage in found.passages} == {"a-000", "b-000"}


def test_two_things_with_one_short_number_stay_apart(store: GraphStore) -> None:
    corpus = {
        "a": ["A sala A1 pertence à Reitoria."],
        "b": ["A linha A1 pertence à Prefeitura."],
        "c": ["A Reitoria responde a Ana Prado.", "A Prefeitura responde a Bruno Reis."],
    }
    for parcel in parcels_of(corpus):
        store.apply(parcel)

    found = store.search(a_query("a quem responde o dono da sala a1"), a_view("a", "b", "c"), 4)
    ranks = {passage.chunk_id: passage.rank for passage in found.passages}

    assert ranks["c-000"] < ranks["c-001"]


def test_second_names_join_what_two_files_call_one_thing(store: GraphStore) -> None:
    corpus = {
        "a": [
            "A Unidade Norte (UN-2) responde à Diretoria Clínica.",
            "A Unidade Sul (US-9) responde à Hotelaria.",
        ],
        "b": ["O elevador EL-40 pertence à UN-2.", "O elevador EL-50 pertence à US-9."],
    }
    for parcel in parcels_of(corpus):
        store.apply(parcel)

    found = store.search(a_query("a quem responde a unidade do elevador el-40"), a_view("a", "b"), 2)

    assert {passage.chunk_id for passage in found.passages} == {"a-000", "b-000"}


def test_names_typed_in_a_hurry_are_recognised(store: GraphStore) -> None:
    store.apply(
        prose_parcel("a", a_passage("a", 0, "A Gerência de Frio aprova as despesas da Oficina Térmica."))
    )

    found = store.search(a_query("quem aprova despesa da oficina termica"), a_view("a"), 5)

    assert found.note == "oficina termica"
    assert found.signal("entities") == 1.0
    assert found.signal("entity_cover") == 0.5
    assert found.signal("relation_top") == 1.0  # "aprova" and "despesa" both stand in the relation


def test_signals_are_low_where_the_graph_has_nothing_to_say(store: GraphStore) -> None:
    store.apply(
        prose_parcel("a", a_passage("a", 0, "A Gerência de Frio aprova as despesas da Oficina Térmica."))
    )

    found = store.search(a_query("how many vacation days do I have"), a_view("a"), 5)

    assert found.signal("entity_cover") == found.signal("entities") == found.signal("relation_top") == 0.0


def test_a_view_without_relations_finds_nothing_and_says_so(store: GraphStore) -> None:
    store.apply(prose_parcel("a", a_passage("a", 0, "O prazo é de dez dias.")))

    found = store.search(a_query("prazo"), a_view("a"), 5)

    assert found.passages == ()
    assert dict(found.signals) == dict.fromkeys(
        ("fact_top", "entity_cover", "entities", "relation_top", "walk_top", "hops"), 0.0
    )


def test_an_interrupted_write_leaves_the_document_as_it_was(store: GraphStore, tmp_path: Path) -> None:
    before = prose_parcel("a", a_passage("a", 0, "A bomba BB-2 é mantida pela Oficina Leste."))
    store.apply(before)
    blocker = sqlite3.connect(tmp_path / "graph.sqlite")
    blocker.execute("CREATE TRIGGER stop BEFORE INSERT ON graph_facts BEGIN SELECT RAISE(ABORT, 'no'); END")
    blocker.commit()

    with pytest.raises(StoreFailed):
        store.apply(prose_parcel("a", a_passage("a", 0, "A bomba BB-2 é mantida pela Oficina Oeste.")))

    names = [heading.text for heading in store.headings(a_view("a"))]
    assert names == ["bomba bb-2", "oficina leste"]
    blocker.close()
    store.close()
    reopened = opened(tmp_path / "graph.sqlite")
    assert [heading.text for heading in reopened.headings(a_view("a"))] == names


def test_an_unreadable_file_is_told_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "graph.sqlite").write_bytes(b"not a database" * 100)

    with pytest.raises(StoreFailed) as caught:
        opened(tmp_path / "graph.sqlite")

    assert str(tmp_path) not in caught.value.say("en")


def test_a_parcel_without_vectors_of_its_relations_is_not_needed_to_hold_it(store: GraphStore) -> None:
    parcel = prose_parcel("a", a_passage("a", 0, "O prazo é de dez dias."))

    store.apply(parcel)

    assert parcel.triple_vectors.shape == (0, 256)
    assert np.array_equal(store.held(), frozenset({"a"}))
