import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import TooSlow
from core.ingest.extract import model_triples
from core.ports import Message
from core.types import Chunk, Locator


def passage(identity: str, text: str, kind: str = "prose") -> Chunk:
    return Chunk(identity, "d", Locator(), text, "Guia", (), "pt", kind)  # type: ignore[arg-type]


class Scripted:
    """Answers each passage with what it was told; a passage it does not know takes too long."""

    name = "scripted"

    def __init__(self, answers: Mapping[str, list[tuple[str, str, str]]]) -> None:
        self.answers = answers
        self.under_way = self.most = 0

    async def complete(self, messages: Sequence[Message], *, max_tokens: int, grammar: str | None = None, schema: Any = None) -> str:  # fmt: skip
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        found = next((v for k, v in self.answers.items() if k in messages[-1].content), None)
        if found is None:
            raise TooSlow("no answer")
        keys = ("subject", "relation", "object")
        return json.dumps({"triples": [dict(zip(keys, one, strict=True)) for one in found]})


def test_every_passage_is_asked_about_and_a_failed_question_stops_no_other() -> None:
    chunks = [
        passage("a", "A Sala Azul usa o projetor PJ-9."),
        passage("b", "O elevador é da Liftex."),
        passage("c", "x = 1", "code"),
    ]
    model = Scripted({"Sala Azul": [("Sala Azul", "usa", "projetor PJ-9"), ("Sala Azul", "usa", "Marte")]})
    seen: list[tuple[int, int]] = []
    found = asyncio.run(
        model_triples(chunks, model, tell=lambda step, done, total: seen.append((done, total)))
    )  # type: ignore[arg-type]

    assert [(t.subject, t.object, t.chunk) for t in found.triples] == [("sala azul", "projetor pj-9", "a")]
    assert found.skipped == 1
    assert found.unanswered == ("b",)
    assert seen[-1] == (2, 2)


def test_no_more_questions_are_under_way_than_allowed() -> None:
    chunks = [passage(str(n), f"A Sala {n} usa o projetor PJ-{n}.") for n in range(9)]
    model = Scripted({"Sala": []})
    asyncio.run(model_triples(chunks, model, at_once=3))  # type: ignore[arg-type]

    assert model.most == 3
