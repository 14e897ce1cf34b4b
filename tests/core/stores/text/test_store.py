"""The text store passes the suite of every store, on both engines, and finds what people ask for."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from threading import RLock
from typing import Any

import pytest
from qdrant_client import QdrantClient

from core.ports import Store
from core.settings import RetrievalSettings, TextStoreSettings
from core.stores.text import TextStore
from core.stores.text.server import ServerEngine
from core.types import Found, Parcel, Query
from tests.core.stores.contract import StoreContract
from tests.core.stores.text.corpus import an_edge_store, random_parcels, random_queries
from tests.fakes import a_chunk, a_parcel, a_query, a_view


class TestEmbeddedTextStore(StoreContract):
    name, label = "text", "TEXT"

    def open_store(self, path: Path) -> Store:
        return an_edge_store(path)

    def parcels(self, dice: Random) -> Sequence[Parcel]:
        return random_parcels(dice)

    def queries(self, dice: Random) -> Sequence[Query]:
        return random_queries(dice)


class OneAtATime:
    """A server answers several threads; qdrant-client's stand-in for one breaks, so its calls queue up here."""

    def __init__(self, client: QdrantClient) -> None:
        self._client, self._turn = client, RLock()

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def in_turn(*args: Any, **more: Any) -> Any:
            with self._turn:
                return call(*args, **more)

        return in_turn


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect", "ignore:Local mode performs exact")
class TestServerTextStore(TestEmbeddedTextStore):
    """Through qdrant-client's own stand-in for a server: the same calls, no network."""

    corpora, views = 2, 2

    def open_store(self, path: Path) -> Store:
        client: Any = OneAtATime(QdrantClient(path=str(path)))
        engine = ServerEngine(client, "polyrag", 256)
        return TextStore(engine, RetrievalSettings())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TextStore]:
    opened = an_edge_store(tmp_path)
    yield opened
    opened.close()


def best(found: Found) -> str:
    return found.passages[0].chunk_id


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect", "ignore:Local mode performs exact")
def test_both_engines_answer_alike(store: TextStore) -> None:
    other = TextStore(ServerEngine(QdrantClient(":memory:"), "polyrag", 256), RetrievalSettings())
    parcels = random_parcels(Random(5))
    view = a_view(*(p.document for p in parcels))
    for parcel in parcels:
        store.apply(parcel)
        other.apply(parcel)

    for query in random_queries(Random(5)):
        assert repr(store.search(query, view, 10)) == repr(other.search(query, view, 10))
    other.close()


def test_an_exact_code_beats_its_neighbours(store: TextStore) -> None:
    chunks = [a_chunk(f"Erro E-{4015 + n}: reinicie a bomba e avise o plantão.", "m", n) for n in range(12)]
    store.apply(a_parcel("m", *chunks))

    for asked in ("o que fazer no erro E-4021?", "erro e4021", "what does e-4021 mean"):
        found = store.search(a_query(asked), a_view("m"), 5)
        assert "E-4021" in found.passages[0].text
        assert found.signal("exact") == 1.0
    assert store.search(a_query("erro E-9999"), a_view("m"), 5).signal("exact") == 0.0


def test_a_clause_number_is_found_whole(store: TextStore) -> None:
    clauses = ("14.3(a)", "14.3(b)", "14.4(b)", "4.3(b)")
    store.apply(
        a_parcel("c", *(a_chunk(f"Cláusula {c}: multa por atraso.", "c", i) for i, c in enumerate(clauses)))
    )

    assert "14.3(b)" in store.search(a_query("multa da cláusula 14.3(b)"), a_view("c"), 3).passages[0].text


def test_a_clause_that_is_only_an_item_of_its_section_is_read_as_the_section(store: TextStore) -> None:
    store.apply(
        a_parcel(
            "c",
            a_chunk("14.2 Aviso prévio. (c) por escrito.", "c", 0),
            a_chunk("14.3 Multas. (a) 2%; (b) 5%; (c) 10%.", "c", 1),
            a_chunk("O parecer trata da cláusula contratual.", "c", 2),
        )
    )

    found = store.search(a_query("o que diz a cláusula 14.3(c)?"), a_view("c"), 3)

    assert best(found) == "c-001"
    assert "14.3(c) = 14.3" in found.note


def test_what_holds_the_code_comes_before_what_only_sounds_like_the_question(store: TextStore) -> None:
    alarm = a_chunk("W-7702: low pressure. Close valve two.", "m", 0, language="en")
    note = a_chunk("O que faço quando aparece o alarme: anoto o alarme que aparece no painel.", "n", 0)
    store.apply(
        a_parcel(
            "m", alarm, *(a_chunk(f"W-77{n}: other fault.", "m", n, language="en") for n in range(10, 19))
        )
    )
    store.apply(a_parcel("n", note, *(a_chunk(f"Nota {n} do painel.", "n", n) for n in range(1, 9))))

    found = store.search(a_query("o que eu faço quando aparece o alarme W-7702?"), a_view("m", "n"), 3)

    assert best(found) == "m-000"


def test_a_mistyped_word_is_read_as_one_of_the_view_and_said_so(store: TextStore) -> None:
    store.apply(a_parcel("a", a_chunk("A manutenção do pasteurizador é mensal.", "a", 0)))
    store.apply(a_parcel("b", a_chunk("O reembolso sai em dez dias.", "b", 0)))

    found = store.search(a_query("manutensao do pasteurisador"), a_view("a", "b"), 2)

    assert best(found) == "a-000"
    assert "manutensao = manutencao" in found.note
    assert found.signal("known") == 1.0
    assert store.search(a_query("manutensao"), a_view("b"), 2).note == ""


def test_a_word_nobody_wrote_weighs_most_in_coverage(store: TextStore) -> None:
    store.apply(a_parcel("a", *(a_chunk(f"O prazo do contrato {n} é anual.", "a", n) for n in range(6))))

    answerable = store.search(a_query("qual o prazo do contrato 3?"), a_view("a"), 3)
    unanswerable = store.search(a_query("qual o prazo do contrato de helicópteros?"), a_view("a"), 3)

    assert answerable.signal("coverage") == answerable.signal("covered") == 1.0
    assert unanswerable.signal("coverage") < 0.4
    assert unanswerable.signal("known") < 0.4


def test_headings_are_sections_and_never_a_title(store: TextStore) -> None:
    store.apply(
        a_parcel(
            "a",
            a_chunk("Texto.", "a", 0, title="Política", headings=("Política", "Férias")),
            a_chunk("Mais.", "a", 1, title="Política", headings=("Política", "Bônus", "Metas")),
        )
    )

    headings = store.headings(a_view("a"))

    assert [(h.kind, h.text) for h in headings] == [
        ("section", "Bônus"),
        ("section", "Férias"),
        ("section", "Metas"),
    ]


def test_chunks_of_other_routes_are_left_to_other_stores(store: TextStore) -> None:
    store.apply(a_parcel("a", a_chunk("Só no grafo.", "a", 0), routes=("graph",)))

    assert store.held() == {"a"}
    assert store.search(a_query("grafo"), a_view("a"), 3).passages == ()


def test_passages_carry_all_that_a_source_shows(store: TextStore) -> None:
    chunk = a_chunk("O prazo é de 5 dias.", "a", 3, title="Manual", headings=("Prazos",), language="pt")
    store.apply(a_parcel("a", chunk))

    (passage,) = store.search(a_query("prazo"), a_view("a"), 3).passages

    assert (passage.document, passage.text, passage.title) == ("a", chunk.text, "Manual")
    assert (passage.headings, passage.language, passage.rank) == (("Prazos",), "pt", 1)
    assert passage.locator == str(chunk.locator)


def test_a_repeated_passage_stands_behind_one_that_adds_something(store: TextStore) -> None:
    same = "O reembolso de viagem exige nota fiscal e aprovação do gestor."
    store.apply(a_parcel("a", a_chunk(same, "a", 0)))
    store.apply(a_parcel("b", a_chunk(same, "b", 0)))
    store.apply(a_parcel("c", a_chunk("O reembolso de viagem sai em dez dias após a aprovação.", "c", 0)))
    store.apply(a_parcel("d", *(a_chunk(f"Assunto {n} sem relação alguma.", "d", n) for n in range(8))))

    found = store.search(a_query("reembolso de viagem aprovação"), a_view("a", "b", "c", "d"), 3)

    assert {p.document for p in found.passages[:2]} != {"a", "b"}
    assert "c" in {p.document for p in found.passages[:2]}


def test_rows_that_differ_in_a_figure_are_no_duplicates(tmp_path: Path) -> None:
    store = an_edge_store(tmp_path, near_duplicate=0.5)
    rows = [a_chunk(f"produto: queijo; mês: janeiro; valor: {n}00", "t", n) for n in range(1, 5)]
    store.apply(a_parcel("t", *rows))

    scores = [p.score for p in store.search(a_query("valor do queijo em janeiro"), a_view("t"), 4).passages]

    assert max(scores) - min(scores) < 0.05
    store.close()


def test_the_newer_of_two_equal_passages_comes_first_only_if_asked_for(tmp_path: Path) -> None:
    old = a_parcel("a", a_chunk("Diária de 200 reais.", "a", 0, date="2019-01-01"))
    new = a_parcel("b", a_chunk("Diária de 300 reais.", "b", 0, date="2025-06-01"))
    plain = an_edge_store(tmp_path / "plain")
    fresh = an_edge_store(tmp_path / "fresh", freshness_half_life_days=90.0)
    for store in (plain, fresh):
        store.apply(old)
        store.apply(new)

    query = a_query("valor da diária", today="2025-06-15")

    assert best(plain.search(query, a_view("a", "b"), 2)) == "a-000"
    assert best(fresh.search(query, a_view("a", "b"), 2)) == "b-000"
    plain.close()
    fresh.close()


@pytest.mark.parametrize("fusion", ["dense", "rrf"])
def test_the_plain_fusions_to_compare_with_rank_by_cosine_or_by_rank(tmp_path: Path, fusion: str) -> None:
    store = TextStore.open(tmp_path, TextStoreSettings(), RetrievalSettings(), 256, fusion=fusion)  # type: ignore[arg-type]
    for parcel in random_parcels(Random(2)):
        store.apply(parcel)
    view = a_view(*store.held())

    for query in random_queries(Random(2)):
        found = store.search(query, view, 5)
        assert [p.rank for p in found.passages] == [1, 2, 3, 4, 5]
        assert [p.score for p in found.passages] == sorted((p.score for p in found.passages), reverse=True)
        if fusion == "dense":
            assert found.passages[0].score == found.signal("dense_top")
    store.close()


def test_documents_of_another_embedding_model_or_analysis_are_not_held(tmp_path: Path) -> None:
    def opened(fingerprint: str, k1: float = 1.2) -> TextStore:
        settings = RetrievalSettings(bm25_k1=k1)
        return TextStore.open(tmp_path, TextStoreSettings(), settings, 256, fingerprint=fingerprint)

    parcel = a_parcel("a", a_chunk("O prazo é anual.", "a", 0))
    first = opened("e5")
    first.apply(parcel)
    first.close()

    for other in (opened("bge"), opened("e5", k1=2.0)):
        assert other.held() == frozenset()
        assert other.search(a_query("prazo"), a_view("a"), 3).passages == ()
        other.close()
    again = opened("e5")
    assert again.held() == {"a"}
    again.close()
