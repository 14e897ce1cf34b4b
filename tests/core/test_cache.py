"""A cached answer serves another wording only where nothing that could change the answer differs."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from core.cache import AnswerCache, CacheKey, CacheRow, ClauseEvidence, evidence_of
from core.codec import loads
from core.guard import guard, seed_guard
from core.types import (
    Answer,
    Clause,
    FloatArray,
    Found,
    Heading,
    Language,
    Passage,
    Source,
    SqlResult,
)
from core.vectors import unit_rows
from core.vocabulary import NO_VOCABULARY, Vocabulary
from tests.fakes import a_decision, hashed_vector

D = 256
TEXT = ClauseEvidence(("text",), "", "", ("c1", "c2", "c3"))
SQL = ClauseEvidence(("relational",), "SELECT 1", "rows-1", ())
WORDS = Vocabulary.build(
    [
        *(Heading("value", v, "região") for v in ("Norte", "Sul", "Sudeste")),
        *(Heading("entity", e) for e in ("Ana", "Rui")),
    ]
)


class MemoryRows:
    """Rows kept in a dictionary, in order of insertion."""

    def __init__(self) -> None:
        self.bodies: dict[str, str] = {}
        self.traces: dict[str, str] = {}

    def cache_load(self) -> Sequence[str]:
        return tuple(self.bodies.values())

    def cache_put(self, key: str, body: str) -> None:
        self.bodies.pop(key, None)
        self.bodies[key] = body

    def cache_drop(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.bodies.pop(key, None)

    def cache_row(self, key: str) -> str:
        return self.bodies.get(key, "")

    def cache_served(self, trace: str, key: str) -> None:
        self.traces[trace] = key

    def cache_entry(self, trace: str) -> str:
        return self.traces.get(trace, "")


def an_answer(trace: str = "t1", *, cites: tuple[str, ...] = ("c1",), abstained: bool = False) -> Answer:
    sources = tuple(
        Source("TEXT", "f.md", f"doc-{c}", "", "geral", "", "…", c, 0.9, rank, 0)
        for rank, c in enumerate(cites, start=1)
    )
    clause = Clause("q", a_decision("text"), {"text": Found()})
    return Answer("30 dias", "pt", abstained, (), "miss", "", (clause,), sources, sources, "why", trace, ())


def a_key(
    question: str,
    *,
    scope: str = "s",
    language: Language = "pt",
    evidence: ClauseEvidence = TEXT,
    vector: FloatArray | None = None,
) -> CacheKey:
    """Questions whose vectors are all alike, so that only the guards can tell them apart."""
    same = hashed_vector("same", D) if vector is None else vector
    return CacheKey(scope, question, language, same, (evidence,))


def serves(first: str, second: str, evidence: ClauseEvidence = TEXT, **changes: object) -> bool:
    cache = AnswerCache(D, capacity=10)
    cache.put(a_key(first, evidence=evidence), an_answer(cites=() if evidence.plan else ("c1",)))
    key = replace(a_key(second, evidence=evidence), **changes)  # type: ignore[arg-type]
    return cache.paraphrase(key, WORDS, threshold=0.9) is not None


# --- exact repeats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["qual o prazo?", "Qual o prazo", "QUAL  O PRAZO ???", "qual o prázo!"])
def test_the_same_words_hit_whatever_their_case_accents_and_marks(again: str) -> None:
    cache = AnswerCache(D, capacity=10)
    cache.put(a_key("qual o prazo?"), an_answer())

    hit = cache.exact("s", again, "pt")

    assert hit is not None
    assert (hit.answer.text, hit.verdict) == ("30 dias", "exact")


def test_an_exact_repeat_misses_in_another_scope_or_language() -> None:
    cache = AnswerCache(D, capacity=10)
    cache.put(a_key("qual o prazo?"), an_answer())

    assert cache.exact("other documents", "qual o prazo?", "pt") is None
    assert cache.exact("s", "qual o prazo?", "en") is None
    assert cache.exact("s", "qual o prazo de entrega?", "pt") is None


@pytest.mark.parametrize("change", [{"abstained": True}, {"degraded": ("chat server down",)}])
def test_an_abstention_or_a_degraded_answer_is_not_kept(change: dict[str, object]) -> None:
    cache = AnswerCache(D, capacity=10)

    assert cache.put(a_key("qual o prazo?"), replace(an_answer(), **change)) == ""  # type: ignore[arg-type]
    assert len(cache) == 0


# --- paraphrases ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("qual o prazo de devolução?", "qual é o prazo para devolução"),
        ("quantos pedidos houve em março no sudeste?", "em março, quantos pedidos houve no Sudeste?"),
        ("quem aprova compras acima de R$ 5 mil?", "compras acima de R$ 5.000 são aprovadas por quem"),
        ("what is the deadline of form B?", "what's the deadline for form B"),
        ("qual a diferença entre norte e sul?", "qual a diferença entre sul e norte?"),
    ],
)
def test_another_wording_of_the_same_question_is_served(first: str, second: str) -> None:
    assert guard(first, second, WORDS) == ()
    assert serves(first, second)


@pytest.mark.parametrize(
    ("first", "second", "check"),
    [
        ("receita do sudeste em março", "receita do sul em março", "names"),
        ("receita do sudeste em março", "receita do sudeste em abril", "dates"),
        ("receita do sudeste em 2023", "receita do sudeste em 2024", "dates"),
        ("quem aprova compras de 5 mil?", "quem aprova compras de 6 mil?", "numbers"),
        ("o que significa E-42?", "o que significa E-43?", "codes"),
        ("prazo de 5 dias", "prazo de 5 horas", "units"),
        ("quem aprova a compra?", "quando aprova a compra?", "kind"),
        ("quanto custa a compra?", "quem paga a compra?", "kind"),
        ("como ligo a bomba?", "como desligo a bomba?", "polarity"),
        ("posso levar o cachorro?", "não posso levar o cachorro?", "polarity"),
        ("limite acima de 10", "limite abaixo de 10", "comparison"),
        ("which shop has the highest rent?", "which shop has the lowest rent?", "comparison"),
        ("qual a média de vendas?", "qual a soma de vendas?", "comparison"),
        ("transferir de Norte para Sul", "transferir de Sul para Norte", "direction"),
        ("how do I move from basic to premium", "how do I move from premium to basic", "direction"),
        ("a Ana responde ao Rui?", "o Rui responde à Ana?", "direction"),
        ("qual o prazo?", "qual o prazo? quem aprova?", "questions"),
        ("qual o limite de reembolso?", "qual o limite de reembolso de hospedagem?", "words"),
    ],
)
def test_a_question_that_differs_in_one_thing_is_refused_by_name(first: str, second: str, check: str) -> None:
    assert check in guard(first, second, WORDS)
    assert not serves(first, second)


def test_swapped_topic_words_are_two_questions_where_the_evidence_knows_both() -> None:
    pair = ("qual o prazo de troca?", "qual o prazo de devolução?")

    assert guard(*pair, evidence=("A troca tem 10 dias; a devolução, 7 dias.",)) == ("words",)
    assert guard(*pair, evidence=("A devolução pode ser pedida em 7 dias.",)) == ()


@pytest.mark.parametrize(
    ("evidence", "served"),
    [
        (replace(TEXT, top=("c3", "c1", "c9")), True),
        (replace(TEXT, top=("c7", "c8", "c9")), False),
        (replace(TEXT, routes=("graph",)), False),
        (replace(TEXT, routes=("graph", "text")), False),
    ],
)
def test_a_paraphrase_needs_the_same_routes_and_every_cited_chunk_again(
    evidence: ClauseEvidence, served: bool
) -> None:
    pair = ("qual o prazo de devolução?", "qual é o prazo para devolução?")

    cache = AnswerCache(D, capacity=10)
    cache.put(a_key(pair[0]), an_answer())
    assert (cache.paraphrase(a_key(pair[1], evidence=evidence), WORDS, threshold=0.9) is not None) == served


@pytest.mark.parametrize("change", [{"plan": "SELECT 2"}, {"rows": "rows-2"}])
def test_a_paraphrase_over_tables_needs_the_same_plan_and_rows(change: dict[str, str]) -> None:
    cache = AnswerCache(D, capacity=10)
    cache.put(a_key("receita do sul", evidence=SQL), an_answer(cites=()))

    assert cache.paraphrase(a_key("a receita do Sul", evidence=SQL), WORDS, threshold=0.9) is not None
    assert (
        cache.paraphrase(a_key("a receita do Sul", evidence=replace(SQL, **change)), WORDS, threshold=0.9)
        is None
    )


def test_an_answer_that_cites_nothing_serves_no_other_wording() -> None:
    cache = AnswerCache(D, capacity=10)
    cache.put(a_key("qual o prazo de devolução?"), an_answer(cites=()))

    assert cache.paraphrase(a_key("qual é o prazo para devolução?"), WORDS, threshold=0.9) is None


def test_a_paraphrase_needs_the_cosine_the_language_and_the_scope() -> None:
    cache = AnswerCache(D, capacity=10)
    cache.put(a_key("qual o prazo de devolução?"), an_answer())
    other = "qual é o prazo para devolução?"

    assert cache.paraphrase(a_key(other, vector=hashed_vector("far away", D)), WORDS, threshold=0.9) is None
    assert cache.paraphrase(a_key(other, language="en"), WORDS, threshold=0.9) is None
    assert cache.paraphrase(a_key(other, scope="other"), WORDS, threshold=0.9) is None
    assert cache.refusal(a_key(other, language="en"), WORDS, threshold=0.9) == (
        "qual o prazo de devolução?",
        ("language",),
    )


def test_evidence_is_what_the_stores_found_for_each_clause() -> None:
    prose = [Passage("text", "TEXT", f"c{i}", "d", "", "…", 1.0, rank=i) for i in range(1, 6)]
    rows = Passage(
        "relational", "SQL", "q", "d", "", "…", 1.0, 1, result=SqlResult("SELECT 1", ("n",), ((1,),))
    )
    clause = Clause(
        "q", a_decision("text", "relational"), {"text": Found(tuple(prose)), "relational": Found((rows,))}
    )

    (found,) = evidence_of((clause,))

    assert found.routes == ("relational", "text")
    assert found.plan == "SELECT 1"
    assert found.top == ("c1", "c2", "c3")
    assert found.rows != evidence_of((replace(clause, found={}),))[0].rows


# --- feedback, capacity, persistence ------------------------------------------------------------------------


def test_a_thumb_down_evicts_and_bars_the_entry_in_both_look_ups() -> None:
    cache = AnswerCache(D, capacity=10)
    entry = cache.put(a_key("qual o prazo de devolução?"), an_answer("t1"))
    cache.served(entry, "t2")

    assert cache.bar("t2")
    assert cache.exact("s", "qual o prazo de devolução?", "pt") is None
    assert cache.paraphrase(a_key("qual é o prazo para devolução?"), WORDS, threshold=0.9) is None
    assert cache.put(a_key("qual o prazo de devolução?"), an_answer("t3")) == ""
    assert not cache.bar("unknown")


def test_the_oldest_entry_goes_when_the_cache_is_full() -> None:
    cache = AnswerCache(D, capacity=2)
    for text in ("a b", "c d", "e f"):
        cache.put(a_key(text), an_answer())

    assert len(cache) == 2
    assert cache.exact("s", "a b", "pt") is None
    assert cache.exact("s", "e f", "pt") is not None


def test_forgetting_a_document_drops_every_answer_from_it() -> None:
    rows = MemoryRows()
    cache = AnswerCache(D, capacity=10, rows=rows)
    cache.put(a_key("um"), an_answer(cites=("c1",)))
    cache.put(a_key("dois"), an_answer(cites=("c2",)))

    assert cache.forget("doc-c1") == 1
    assert cache.exact("s", "um", "pt") is None
    assert cache.exact("s", "dois", "pt") is not None
    assert len(rows.bodies) == 1


def test_rows_come_back_after_a_restart_with_answers_order_and_bars() -> None:
    rows = MemoryRows()
    first = AnswerCache(D, capacity=3, rows=rows)
    for text, trace in (("um", "t1"), ("dois", "t2"), ("três", "t3")):
        first.put(a_key(text), an_answer(trace))
    first.bar("t2")

    second = AnswerCache(D, capacity=3, rows=rows)

    assert second.exact("s", "um", "pt") is not None
    assert second.exact("s", "dois", "pt") is None
    assert second.put(a_key("dois"), an_answer()) == ""
    assert second.paraphrase(a_key("o um"), WORDS, threshold=0.9) is not None
    kept = second.exact("s", "um", "pt")
    assert kept is not None
    assert kept.answer.sources == an_answer().sources


def test_a_thumb_down_in_one_process_counts_in_the_others_and_after_a_restart() -> None:
    rows = MemoryRows()
    asked = "qual o prazo de devolução?"
    one = AnswerCache(D, capacity=3, rows=rows)
    one.put(a_key(asked), an_answer("t1"))
    two = AnswerCache(D, capacity=3, rows=rows)
    assert two.exact("s", asked, "pt") is not None

    assert AnswerCache(D, capacity=3, rows=rows).bar("t1")  # a third one, which served nothing itself

    for cache in (one, two):
        assert cache.exact("s", asked, "pt") is None
        assert cache.paraphrase(a_key("qual é o prazo para devolução?"), WORDS, threshold=0.9) is None
        assert cache.put(a_key(asked), an_answer("t3")) == ""


def test_a_row_that_nobody_changed_is_served_without_being_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = MemoryRows()
    one = AnswerCache(D, capacity=3, rows=rows)
    entry = one.put(a_key("um"), an_answer())
    two = AnswerCache(D, capacity=3, rows=rows)
    as_written = loads(CacheRow, rows.bodies[entry]).answer
    monkeypatch.setattr("core.cache.loads", None)  # reading fails from here on

    for cache in (one, two):
        found = cache.exact("s", "um", "pt")
        assert found is not None
        assert found.answer == as_written


def test_an_answer_that_another_process_forgot_is_not_served() -> None:
    rows = MemoryRows()
    one = AnswerCache(D, capacity=3, rows=rows)
    one.put(a_key("um"), an_answer())
    two = AnswerCache(D, capacity=3, rows=rows)

    assert one.forget("doc-c1") == 1

    assert two.exact("s", "um", "pt") is None
    assert two.paraphrase(a_key("o um"), WORDS, threshold=0.9) is None
    assert len(two) == 0


def test_rows_of_another_embedding_model_are_dropped() -> None:
    rows = MemoryRows()
    AnswerCache(D, capacity=3, rows=rows).put(a_key("um"), an_answer())

    assert len(AnswerCache(D // 2, capacity=3, rows=rows)) == 0
    assert rows.bodies == {}


def test_clearing_leaves_nothing_in_memory_or_on_disk() -> None:
    rows = MemoryRows()
    cache = AnswerCache(D, capacity=3, rows=rows)
    cache.put(a_key("um"), an_answer())
    cache.clear()

    assert (len(cache), rows.bodies) == (0, {})


def test_the_seed_guards_names_numbers_and_count_only() -> None:
    assert not seed_guard("receita do Sul", "receita do Norte")
    assert not seed_guard("limite de 5", "limite de 6")
    assert not seed_guard("qual o prazo?", "qual o prazo? quem aprova?")
    assert seed_guard("como ligo a bomba", "como desligo a bomba")  # what `full` refuses


@pytest.mark.slow
def test_a_look_up_among_ten_thousand_entries_takes_milliseconds() -> None:
    rng = np.random.default_rng(7)
    vectors = unit_rows(rng.normal(size=(10_000, 384)))
    cache = AnswerCache(384, capacity=10_000)
    for at, vector in enumerate(vectors):
        cache.put(a_key(f"pergunta {at}", vector=vector), an_answer(f"t{at}"))
    taken = []
    for at in range(0, 200, 10):
        start = time.process_time()
        assert (
            cache.paraphrase(a_key(f"a pergunta {at}", vector=vectors[at]), NO_VOCABULARY, threshold=0.9)
            is not None
        )
        taken.append(time.process_time() - start)

    assert min(taken) < 0.002  # the best of twenty: what the arithmetic needs when nobody else computes
