"""The law of scope: an answer over everything equals, byte for byte, the answer over the scope's documents alone."""

import json
import random
from pathlib import Path

import pytest

from bot.contract import answer_json
from core.types import Answer
from tests.walks.bench import engine
from tests.walks.corpora import document, question

TAGS = ("console:local/a", "console:local/b", "console:local/c")
CORPORA, SCOPES, QUESTIONS = 14, 4, 18  # 1,008 cases
SEED = 20260101


def shown(answer: Answer) -> str:
    """Everything that anybody gets to see or that is decided: the whole contract but the clock's part."""
    body = answer_json(answer)
    del body["timings_ms"]
    signals = [clause.decision.signals for clause in answer.clauses]
    return json.dumps([body, signals, answer.notes, answer.degraded], sort_keys=True)


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("number", range(CORPORA))
def test_documents_outside_a_scope_change_nothing_that_its_readers_see(number: int, tmp_path: Path) -> None:
    source = random.Random(SEED + number)
    uploads = [(*document(source), source.choice(TAGS)) for _ in range(source.randint(4, 8))]
    uploads += [(*uploads[0][:2], TAGS[-1])]  # the same bytes in two channels
    scopes = [frozenset(source.sample(TAGS, source.randint(1, 2))) for _ in range(SCOPES)]
    asked = [[question(source) for _ in range(QUESTIONS)] for _ in scopes]
    with engine(tmp_path / "all") as everything:
        receipts = [everything.take_in(*upload) for upload in uploads]
        over_all = [
            [shown(everything.ask(text, tags)) for text in some]
            for tags, some in zip(scopes, asked, strict=True)
        ]
    for at, (tags, some) in enumerate(zip(scopes, asked, strict=True)):
        with engine(tmp_path / f"scope{at}") as alone:
            own = [
                (receipt, alone.take_in(*upload))
                for upload, receipt in zip(uploads, receipts, strict=True)
                if upload[2] in tags
            ]
            over_scope = [shown(alone.ask(text, tags)) for text in some]
        assert [a for a, _ in own] == [b for _, b in own]
        assert over_scope == over_all[at]


def test_an_empty_scope_is_answered_from_nothing(tmp_path: Path) -> None:
    with engine(tmp_path) as everything:
        everything.take_in("a.md", "# Férias\n\nO prazo é de 30 dias.".encode(), TAGS[0])

        answer = everything.ask("qual o prazo de férias?", [])

    assert answer.abstained
    assert (answer.sources, answer.retrieved) == ((), ())
    assert "30" not in answer.text
