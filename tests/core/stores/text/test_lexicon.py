"""What a view knows of its words, and nothing that it does not hold."""

from collections.abc import Mapping

import pytest

from core.settings import RetrievalSettings
from core.stores.text.lexicon import (
    Lexicon,
    Lexicons,
    Record,
    analysed,
    passage_weights,
    term_key,
)
from core.types import Chunk
from tests.fakes import a_chunk

SETTINGS = RetrievalSettings()


def a_record(*chunks: Chunk) -> Record:
    return Record.of(chunks, [analysed(chunk)[:2] for chunk in chunks])


def counts(record: Record) -> Mapping[str, int]:
    return {term: count for count, terms in record.terms for term in terms}


def test_a_term_counts_once_a_passage_however_often_it_stands_there() -> None:
    record = a_record(a_chunk("prazo, prazo e prazo", ordinal=0), a_chunk("sem multa", ordinal=1))

    assert counts(record)["prazo"] == 1
    assert record.passages == 2


def test_a_record_survives_being_written_down() -> None:
    record = a_record(
        a_chunk('Cláusula "14.3(b)" — R$ 1.234,56 \\ fim', headings=("Ações",)), a_chunk("", ordinal=1)
    )

    assert Record.load(record.dump()) == record
    assert Record.load(a_record().dump()) == a_record()


def test_a_longer_passage_and_a_repeated_word_weigh_as_in_bm25() -> None:
    short, long = passage_weights({"prazo": 1}, 20, SETTINGS), passage_weights({"prazo": 1}, 400, SETTINGS)
    often = passage_weights({"prazo": 50}, 20, SETTINGS)

    assert long.weights < short.weights < often.weights
    assert often.weights[0] <= SETTINGS.bm25_k1 + 1
    assert short.keys == (term_key("prazo"),)
    expected = 2.2 / (1 + 1.2 * (0.25 + 0.75 * 20 / SETTINGS.bm25_average_length))
    assert short.weights[0] == pytest.approx(expected, abs=2**-8)


def test_a_lexicon_that_grew_equals_one_counted_at_once() -> None:
    records = {
        "a": a_record(a_chunk("prazo do contrato", "a", 0, headings=("Prazos",))),
        "b": a_record(*(a_chunk(f"contrato {n} anual", "b", n, language="en") for n in range(6))),
    }
    grown = Lexicon({"b": records["b"]}, SETTINGS, Lexicon({"a": records["a"]}, SETTINGS))
    whole = Lexicon(records, SETTINGS)

    assert grown.read("contrato anual do prazo") == whole.read("contrato anual do prazo")
    assert (grown.headings, grown.places, grown.passages) == (whole.headings, whole.places, whole.passages)


def test_a_rare_word_weighs_more_and_an_unknown_one_most() -> None:
    lexicon = Lexicon(
        {"a": a_record(*(a_chunk(f"contrato {'raro' * (n == 0)}", "a", n) for n in range(9)))}, SETTINGS
    )

    asked = lexicon.read("contrato raro inexistente")

    assert [token.surface for token in asked.tokens] == ["contrato", "raro", "inexistente"]
    assert asked.weights[0] < asked.weights[1] < asked.weights[2]
    assert asked.known == (True, True, False)
    assert asked.covered(map(term_key, ("contrat", "raro"))) == pytest.approx(asked.known_share)
    assert Lexicon({}, SETTINGS).read("contrato").terms.keys == ()


def test_only_words_of_the_view_are_guessed() -> None:
    with_word = Lexicon({"a": a_record(a_chunk("manutenção mensal"))}, SETTINGS)
    without = Lexicon({"a": a_record(a_chunk("reembolso mensal"))}, SETTINGS)

    assert with_word.read("manutensao").corrections == (("manutensao", "manutencao"),)
    assert without.read("manutensao").corrections == ()


def test_vocabularies_are_read_once_and_again_only_for_what_is_new() -> None:
    dumped = {name: a_record(a_chunk(f"texto {name}", name, 0)).dump() for name in "abc"}
    reads: list[list[str]] = []

    def read(names: object) -> Mapping[str, str]:
        reads.append(list(names))  # type: ignore[call-overload]
        return {name: dumped[name] for name in reads[-1]}

    lexicons = Lexicons(read, SETTINGS)
    stamps = {"a": "v:1", "b": "v:1", "c": "w:1"}
    first = lexicons.of(frozenset("ab"), stamps, "v")

    assert lexicons.of(frozenset("ab"), stamps, "v") is first
    assert lexicons.of(frozenset("abc"), dict(stamps), "v") is first  # c was made by another analysis
    grown = lexicons.of(frozenset("abc"), {**stamps, "c": "v:2"}, "v")
    assert reads == [["a", "b"], ["c"]]
    assert grown.passages == 3
    changed = lexicons.of(frozenset("ab"), {**stamps, "b": "v:2"}, "v")
    assert reads[-1] == ["a", "b"]
    assert changed is not first
