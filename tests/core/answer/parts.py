"""Small evidence and a scripted model for the tests of answers."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from core.evidence import Evidence, gather
from core.ports import Message
from core.settings import Thresholds
from core.types import Clause, Found, Language, Passage, RouteDecision, SqlResult, Value

MARKS = Thresholds(abstain_dense=0.80, answer_dense=0.92)
NEAR = (("dense_top", 0.90), ("dense_gap", 0.05))


def a_passage(text: str, rank: int = 1, **more: object) -> Passage:
    fields: dict[str, object] = {
        "store": "text", "label": "TEXT", "chunk_id": f"c{rank}", "document": "d", "locator": "", "text": text,
        "score": 1.0 / rank, "rank": rank, "language": "pt",
    }  # fmt: skip
    return Passage(**(fields | more))  # type: ignore[arg-type]


def rows(
    columns: tuple[str, ...],
    *values: tuple[Value, ...],
    sentence: str = "",
    units: tuple[str, ...] = (),
    **more: object,
) -> Passage:
    result = SqlResult("SELECT 1", columns, values, sentence=sentence, units=units, **more)  # type: ignore[arg-type]
    return a_passage("rows", store="relational", label="SQL", chunk_id="q1", result=result)


def evidence_for(
    question: str,
    *passages: Passage,
    routes: tuple[str, ...] = ("text",),
    language: Language = "pt",
    number: int = 0,
    signals: tuple[tuple[str, float], ...] = NEAR,
) -> Evidence:
    """Evidence as the read walk gathers it."""
    plan = (("plan", 0.9),) if any(p.result is not None for p in passages) else ()
    trial = {"text": Found(passages, signals), "relational": Found((), plan)}
    clause = Clause(question, RouteDecision(question, routes, "evidence", (), 0.2, "test"), trial)
    return gather(clause, number, passages, trial, MARKS, language=language)


class ScriptedGenerator:
    """Says its lines one after another; an exception in the script is raised."""

    name = "scripted"

    def __init__(self, *script: str | Exception) -> None:
        self._script = list(script)
        self.heard: list[tuple[Message, ...]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        grammar: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        self.heard.append(tuple(messages))
        line = self._script.pop(0)
        if isinstance(line, Exception):
            raise line
        return line

    async def stream(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncIterator[str]:
        text = await self.complete(messages, max_tokens=max_tokens)
        for at in range(0, len(text), 5):
            yield text[at : at + 5]
