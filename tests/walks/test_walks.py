"""Both walks together, over real stores: what a channel's people see happen."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import LongQuestion, ManyQuestions, ModelUnavailable, NotFound, StoreFailed
from core.ingest.walk import catch_up, forget
from core.ports import Message
from core.types import FloatArray, Found, Heading, Parcel, Query, Turn, View
from tests.fakes import HashEmbedder
from tests.walks.bench import Engine, engine, settings_for_tests

GERAL, RH = "console:local/geral", "console:local/rh"
SALES = "cidade;mês;receita\nAroeira;março;10,50\nAroeira;abril;30,00\nBuriti;março;20,25\n"
POLICY = "# Política de férias\n\n## Prazo\n\nO pedido de férias é feito com 40 dias de antecedência.\n"


@pytest.fixture
def bot(tmp_path: Path):  # type: ignore[no-untyped-def]
    with engine(tmp_path / "bot") as opened:
        yield opened


def test_a_figure_comes_from_the_table_with_its_query(bot: Engine) -> None:
    bot.take_in("vendas.csv", SALES.encode(), GERAL)

    answer = bot.ask("qual a receita total de aroeira?", [GERAL])

    assert "40,5" in answer.text
    assert [clause.decision.routes for clause in answer.clauses] == [("relational",)]
    assert answer.sources[0].sql.startswith("SELECT")
    assert answer.sources[0].document == "vendas.csv"


def test_a_policy_is_quoted_with_its_source(bot: Engine) -> None:
    bot.take_in("ferias.md", POLICY.encode(), GERAL)

    answer = bot.ask("qual o prazo para o pedido de ferias?", [GERAL])

    assert "40 dias" in answer.text
    assert answer.sources[0].document == "ferias.md"


def test_the_same_question_is_answered_from_the_cache_until_a_file_changes(bot: Engine) -> None:
    bot.take_in("ferias.md", POLICY.encode(), GERAL)
    question = "qual o prazo para o pedido de ferias?"

    verdicts = [
        bot.ask(q, [GERAL], fresh=False).cache for q in (question, "Qual o prazo para o pedido de férias")
    ]
    bot.take_in("ferias.md", POLICY.replace("40", "50").encode(), GERAL)
    changed = bot.ask(question, [GERAL], fresh=False)

    assert verdicts == ["miss", "exact"]
    assert changed.cache == "miss"
    assert "50 dias" in changed.text
    assert "40 dias" not in changed.text


def test_a_fresh_question_bypasses_the_cache(bot: Engine) -> None:
    bot.take_in("ferias.md", POLICY.encode(), GERAL)
    question = "qual o prazo para o pedido de ferias?"
    bot.ask(question, [GERAL], fresh=False)

    assert bot.ask(question, [GERAL], fresh=True).cache == "bypass"


def test_a_cached_answer_never_reaches_another_scope(bot: Engine) -> None:
    bot.take_in("ferias.md", POLICY.encode(), RH)
    question = "qual o prazo para o pedido de ferias?"
    bot.ask(question, [GERAL, RH], fresh=False)

    outside = bot.ask(question, [GERAL], fresh=False)

    assert outside.abstained
    assert "40 dias" not in outside.text + outside.explanation
    assert (outside.sources, outside.retrieved) == ((), ())
    assert outside.cache == "miss"


def test_the_same_bytes_again_change_nothing(bot: Engine) -> None:
    first = bot.take_in("ferias.md", POLICY.encode(), GERAL)
    generation = bot.ingest_ports.ledger.generation()

    again = bot.take_in("ferias.md", POLICY.encode(), GERAL)

    assert (first.status, again.status) == ("new", "same")
    assert bot.ingest_ports.ledger.generation() == generation


def test_the_receipt_of_bytes_that_another_channel_has_reads_as_if_they_were_new(bot: Engine) -> None:
    first = bot.take_in("ferias.md", POLICY.encode(), RH)
    second = bot.take_in("ferias.md", POLICY.encode(), GERAL)

    assert first == second


def test_a_forgotten_file_is_gone_from_every_store_and_every_answer(bot: Engine) -> None:
    bot.take_in("ferias.md", POLICY.encode(), GERAL)
    bot.take_in("vendas.csv", SALES.encode(), GERAL)

    receipt = asyncio.run(forget(GERAL, "ferias.md", bot.ingest_ports))

    assert not receipt.kept_elsewhere
    assert dict(receipt.erased)["text"] > 0
    answer = bot.ask("qual o prazo para o pedido de ferias?", [GERAL])
    assert answer.abstained
    assert all(source.document != "ferias.md" for source in answer.retrieved)
    for store in bot.ingest_ports.stores.values():
        assert not store.held() & set(receipt.documents)


def test_forgetting_in_one_channel_keeps_what_another_one_has(bot: Engine) -> None:
    bot.take_in("ferias.md", POLICY.encode(), GERAL)
    bot.take_in("ferias.md", POLICY.encode(), RH)

    receipt = asyncio.run(forget(GERAL, "ferias.md", bot.ingest_ports))

    assert receipt.kept_elsewhere
    assert "40 dias" in bot.ask("qual o prazo para o pedido de ferias?", [RH]).text
    assert bot.ask("qual o prazo para o pedido de ferias?", [GERAL]).abstained


def test_forgetting_what_is_not_there_says_so(bot: Engine) -> None:
    with pytest.raises(NotFound):
        asyncio.run(forget(GERAL, "nada.md", bot.ingest_ports))


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\nbroken", b"\x00\x01\x02\x03" * 50])
def test_an_unreadable_file_is_refused_with_a_reason_and_leaves_nothing(bot: Engine, data: bytes) -> None:
    report = bot.take_in("x.pdf", data, GERAL)

    assert report.status == "rejected"
    assert report.reason
    assert bot.ingest_ports.ledger.unplaced() == ()
    assert bot.ingest_ports.ledger.unfinished() == ()


class BrokenEmbedder(HashEmbedder):
    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        raise ModelUnavailable("down")


def test_an_upload_while_the_embedder_is_down_leaves_nothing_behind(bot: Engine) -> None:
    bot.ingest_ports = replace(bot.ingest_ports, embedder=BrokenEmbedder())

    with pytest.raises(ModelUnavailable):
        bot.take_in("ferias.md", POLICY.encode(), GERAL)

    assert bot.ingest_ports.ledger.unfinished() == ()
    assert bot.ingest_ports.ledger.unplaced() == ()


class BrokenStore:
    """A store that holds nothing and fails when it is searched."""

    name, label = "text", "TEXT"

    def apply(self, parcel: Parcel) -> None: ...

    def drop(self, document: str) -> int:
        return 0

    def held(self) -> frozenset[str]:
        return frozenset()

    def search(self, query: Query, view: View, limit: int) -> Found:
        raise StoreFailed("disk on fire at /secret/path")

    def headings(self, view: View) -> Sequence[Heading]:
        return ()

    def close(self) -> None: ...


def test_a_failed_store_degrades_the_answer_and_the_others_still_answer(tmp_path: Path) -> None:
    with engine(tmp_path, extra={"text": BrokenStore()}) as bot:
        bot.take_in("vendas.csv", SALES.encode(), GERAL)
        bot.take_in("ferias.md", POLICY.encode(), GERAL)

        figure = bot.ask("qual a receita total de aroeira?", [GERAL])
        prose = bot.ask("qual o prazo para o pedido de ferias?", [GERAL])

    assert "40,5" in figure.text
    assert prose.degraded
    assert "/secret" not in prose.text + prose.explanation + " ".join(prose.degraded)


def test_a_follow_up_takes_the_slot_that_changed_from_the_message(bot: Engine) -> None:
    bot.take_in("vendas.csv", SALES.encode(), GERAL)
    history = (Turn("qual a receita total de aroeira em março?", "10,50"),)

    answer = bot.ask("e em abril?", [GERAL], history=history)

    assert "abril" in answer.understood_as
    assert "30" in answer.text


def test_two_questions_in_one_message_are_answered_each_from_its_store(bot: Engine) -> None:
    bot.take_in("vendas.csv", SALES.encode(), GERAL)
    bot.take_in("ferias.md", POLICY.encode(), GERAL)

    answer = bot.ask("qual a receita total de buriti? e qual o prazo para o pedido de férias?", [GERAL])

    assert len(answer.clauses) == 2
    assert "20,25" in answer.text
    assert "40 dias" in answer.text


def test_small_talk_is_answered_without_a_search(bot: Engine) -> None:
    bot.take_in("ferias.md", POLICY.encode(), GERAL)

    answer = bot.ask("oi, bom dia!", [GERAL])

    assert not answer.abstained
    assert (answer.clauses, answer.retrieved) == ((), ())


class ScriptedModel:
    """A chat model that writes one query, whatever it is asked."""

    name = "scripted"

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self.grammars: list[str | None] = []

    async def complete(self, messages: Sequence[Message], *, grammar: str | None = None, **more: Any) -> str:
        if grammar is None:  # asked for prose
            return "NAO_SEI"
        self.grammars.append(grammar)
        return self._sql

    async def stream(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncIterator[str]:
        yield "NAO_SEI"


def with_model(bot: Engine, model: ScriptedModel) -> Engine:
    settings = settings_for_tests()
    auto = settings.model_copy(update={"answer": settings.answer.model_copy(update={"mode": "auto"})})
    return Engine(bot.ingest_ports, replace(bot.ask_ports, generator=model, settings=auto))


def test_a_model_writes_the_query_where_no_plan_is_sure_and_only_through_the_guard(bot: Engine) -> None:
    bot.take_in("vendas.csv", SALES.encode(), GERAL)
    question = "qual a receita das cidades que cresceram entre março e abril?"
    good = ScriptedModel("SELECT SUM(receita) FROM vendas WHERE cidade = 'Aroeira'")
    bad = ScriptedModel("SELECT 'tudo certo' AS receita FROM vendas")

    answered = with_model(bot, good).ask(question, [GERAL])
    refused = with_model(bot, bad).ask(question, [GERAL])

    assert good.grammars == [bad.grammars[0]]
    assert answered.by_model
    assert "40,5" in answered.text
    assert "tudo certo" not in refused.text + refused.explanation


def test_catching_up_applies_what_a_new_shard_lacks(bot: Engine) -> None:
    report = bot.take_in("ferias.md", POLICY.encode(), GERAL)
    bot.ingest_ports.stores["text"].drop(report.document)

    asyncio.run(catch_up(bot.ingest_ports))

    assert "40 dias" in bot.ask("qual o prazo para o pedido de ferias?", [GERAL]).text


def test_the_same_question_over_the_same_files_gives_the_same_bytes(bot: Engine) -> None:
    bot.take_in("vendas.csv", SALES.encode(), GERAL)
    bot.take_in("ferias.md", POLICY.encode(), GERAL)

    first, second = (bot.ask("qual o prazo para o pedido de ferias?", [GERAL]) for _ in range(2))

    assert first == second


def test_a_message_that_is_too_long_or_asks_too_much_is_told_so_at_once(bot: Engine) -> None:
    with pytest.raises(LongQuestion) as long:
        bot.ask("quanto " * 600, [GERAL])
    with pytest.raises(ManyQuestions) as many:
        bot.ask(" ".join(f"qual o prazo da viagem {n}?" for n in range(1, 21)), [GERAL])

    assert "4200" in long.value.say("pt")
    assert "20 questions" in many.value.say("en")
