"""Words near in meaning, by vectors that a small fake dictionary gives."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from core.asked import asked
from core.errors import ModelUnavailable
from core.kinship import CENTRE, WORDS, WordKeeper, lookup
from core.topic import NO_KIN, terms_of, topic_of
from core.types import FloatArray, Passage

MEANINGS = {
    "pet": 1,
    "animais": 1,
    "cachorro": 1,
    "penalty": 2,
    "multa": 2,
    "gato": 1,
    "bicho": 3,
    "ferias": 4,
    "feira": 4,
    "folga": 4,
    "adesivo": 5,
    "adhesive": 5,
}


class Dictionary:
    """Words of one meaning share a direction; every other word has its own. All lean the same way."""

    name, dimension, fingerprint = "dictionary", 512, "dictionary"

    def __init__(self, *, down: bool = False) -> None:
        self.asked: list[str] = []
        self._down = down

    async def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        if self._down:
            raise ModelUnavailable("no server")
        self.asked += texts
        rows = np.stack([self._vector(text) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return await self.embed_queries(texts)

    def _vector(self, word: str) -> FloatArray:
        row = np.zeros(self.dimension, np.float32)
        row[0] = 4.0
        row[MEANINGS.get(word) or 10 + sum(map(ord, word)) % 490] = 1.0
        return row


def a_passage(text: str, rank: int = 1, language: str = "pt") -> Passage:
    return Passage("text", "TEXT", f"c{rank}", "d", "", text, 1.0 / rank, rank, language=language)  # type: ignore[arg-type]


def kin_of(question: str, *passages: Passage, embedder: Dictionary | None = None, language: str = "pt"):  # type: ignore[no-untyped-def]
    keeper = WordKeeper(embedder or Dictionary(), low=0.3, high=0.45)
    return asyncio.run(keeper.kin(question, passages, language))  # type: ignore[arg-type]


RULE = a_passage("Os animais ficam na coleira e pagam uma taxa de higiene.")


def test_a_word_of_the_same_meaning_counts_as_the_word_itself() -> None:
    question = asked("qual a taxa para pet?")
    kin = kin_of(question.text, RULE)

    assert kin.of["pet"][0].word == "animais"
    assert topic_of(question, [RULE.text], kin).share(terms_of(RULE.text)) == 1.0
    assert topic_of(question, [RULE.text]).share(terms_of(RULE.text)) < 0.6


def test_words_of_one_language_that_only_look_alike_are_no_kin() -> None:
    kin = kin_of("quantos dias de ferias?", a_passage("A feira fecha cedo, a folga vem depois."))

    assert [relative.word for relative in kin.of["ferias"]] == ["folga"]


def test_words_of_two_languages_that_look_alike_are_kin() -> None:
    kin = kin_of("qual adesivo se usa?", a_passage("This adhesive is used for all parts.", language="en"))

    assert kin.of["adesivo"][0].word == "adhesive"


def test_a_word_without_kin_stays_missing() -> None:
    question = asked("qual a taxa para foguetes?")
    kin = kin_of(question.text, RULE)

    assert "foguetes" not in kin.of
    assert topic_of(question, [RULE.text], kin).missing(terms_of(RULE.text)) == ("foguetes",)


def test_words_match_across_languages() -> None:
    fine = a_passage("A multa por atraso é de 2%.")

    assert kin_of("what is the late penalty?", fine, language="en").of["penalty"][0].word == "multa"


def test_a_name_has_no_kin() -> None:
    assert "cachorro" in kin_of("quem cuida do cachorro?", RULE).of
    assert "cachorro" not in kin_of("quem cuida do Cachorro?", RULE).of


def test_a_word_that_the_passages_hold_needs_no_kin_and_no_vector() -> None:
    embedder = Dictionary()

    assert kin_of("os animais pagam taxa?", RULE, embedder=embedder) == NO_KIN
    assert embedder.asked == []


def test_another_word_is_no_definition_unless_it_is_said_in_another_language() -> None:
    assert kin_of("o que é um pet?", RULE) == NO_KIN
    assert (
        "penalty"
        in kin_of("what is a penalty?", a_passage("Multa: valor pago por atraso."), language="en").of
    )


def test_a_word_is_embedded_once_however_often_it_is_asked() -> None:
    embedder = Dictionary()
    keeper = WordKeeper(embedder, low=0.3, high=0.45)
    for _ in range(2):
        asyncio.run(keeper.kin("taxa para pet", (RULE,), "pt"))

    assert sorted(embedder.asked) == sorted(set(embedder.asked))
    assert set(CENTRE) <= set(embedder.asked)


def test_no_more_words_are_compared_than_the_limit() -> None:
    long = a_passage(" ".join(f"palavra{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(300)) + ".")

    assert len(lookup(asked("taxa para pet"), (long,), "pt").told) == WORDS


def test_an_embedder_that_fails_costs_kinship_alone() -> None:
    assert kin_of("taxa para pet", RULE, embedder=Dictionary(down=True)) == NO_KIN


def test_without_marks_nothing_is_compared() -> None:
    embedder = Dictionary()
    keeper = WordKeeper(embedder, low=1.0, high=1.0)

    assert asyncio.run(keeper.kin("taxa para pet", (RULE,), "pt")) == NO_KIN
    assert embedder.asked == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_kin_do_not_depend_on_what_was_asked_before(order: tuple[int, int]) -> None:
    questions = ("taxa para pet", "taxa para cachorro")
    keeper = WordKeeper(Dictionary(), low=0.3, high=0.45)
    found = {at: asyncio.run(keeper.kin(questions[at], (RULE,), "pt")) for at in order}

    assert found[0] == kin_of(questions[0], RULE)
    assert found[1] == kin_of(questions[1], RULE)
