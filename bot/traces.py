"""What is kept of an answered question: to explain it, judge it, share it, ask it again, and replay its routing."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bot.codeversion import code_version
from bot.contract import answer_json
from bot.messages import NO_WORKSPACE, Inbound
from bot.records import Trace
from core.codec import loads, plain
from core.explain import run_lines
from core.router import Anchors, differences, replay, with_vector
from core.types import Answer, RouteDecision

Verdict = Literal["equal", "different", "unreplayable"]
TRACE_ID = 32  # hex digits of a whole id


@dataclass(frozen=True, slots=True)
class Replayed:
    """One routing decision made again."""

    trace: str
    clause: int  # from 1; 0 when the whole trace cannot be replayed
    verdict: Verdict
    note: str = ""
    routes: tuple[str, ...] = ()


def trace_body(question: str, answer: Answer, embedder: str) -> dict[str, Any]:
    """The answer as the command line prints it, the question, the documents (ids) it drew on, and how it was routed.

    Args:
        embedder: fingerprint of the model that made the question's vectors.
    """
    documents = sorted({source.document_id for source in (*answer.sources, *answer.retrieved)})
    clauses = [{"vector": clause.vector, "decision": plain(clause.decision)} for clause in answer.clauses]
    return answer_json(answer) | {
        "question": question,
        "documents": documents,
        "by_model": answer.by_model,
        "run": run_lines(answer, answer.language),
        "replay": {"embedder": embedder, "code": code_version(), "clauses": clauses},
    }


def is_private(trace: Trace) -> bool:
    """Whether only its asker saw the answer; one that was kept before this was noted counts as private."""
    return bool(trace.body.get("private", True))


def is_own(trace: Trace, inbound: Inbound) -> bool:
    """Whether the person who writes asked this. Direct messages may belong to no workspace."""
    platform, _, rest = trace.tag.partition(":")
    workspaces = {rest.partition("/")[0], inbound.workspace}
    same_place = len(workspaces) == 1 or NO_WORKSPACE in workspaces
    return trace.user == inbound.user and platform == inbound.platform and same_place


def asked(answer: Answer) -> dict[str, Any]:
    """The audit trail's row of a question: ids and verdicts, no texts."""
    routes = dict.fromkeys(route for clause in answer.clauses for route in clause.decision.routes)
    return {
        "trace": answer.trace_id,
        "routes": list(routes),
        "cache": answer.cache,
        "abstained": answer.abstained,
        "evidence": [source.chunk_id for source in answer.sources],
    }


def replay_trace(
    trace: str,
    body: Mapping[str, Any],
    anchors: Anchors,
    weights: Mapping[str, Mapping[str, float]],
    store_of: Callable[[str], str],
) -> tuple[Replayed, ...]:
    """Make every routing decision of one answer again and compare it with the record, field by field."""
    if "erased" in body:
        return (Replayed(trace, 0, "unreplayable", "erased with a file it drew on"),)
    if "replay" not in body:
        return (Replayed(trace, 0, "unreplayable", "recorded without its inputs"),)
    done = tuple(
        _replay_clause(trace, number, record, anchors, weights, store_of)
        for number, record in enumerate(body["replay"]["clauses"], start=1)
    )
    same_code = body["replay"].get("code") == code_version()
    return done if same_code else tuple(map(_of_other_code, done))


def _of_other_code(done: Replayed) -> Replayed:
    """What an earlier version of the program decided may differ, and the reader is told why."""
    if done.verdict != "different":
        return done
    return replace(done, note=f"{done.note}; recorded by another version of the program")


def _replay_clause(
    trace: str,
    number: int,
    record: Mapping[str, Any],
    anchors: Anchors,
    weights: Mapping[str, Mapping[str, float]],
    store_of: Callable[[str], str],
) -> Replayed:
    recorded = loads(RouteDecision, json.dumps(record["decision"]))
    if not record["vector"] or not recorded.signals:
        return Replayed(trace, number, "unreplayable", "recorded without its inputs", recorded.routes)
    vector = np.frombuffer(bytes.fromhex(record["vector"]), np.float32)
    measured = with_vector(recorded, vector, anchors)
    made = replay(measured or recorded, weights, store_of)
    note = "" if measured else "example phrases have changed since: nearness to them taken as recorded"
    differing = differences(recorded, made)
    if differing:
        return Replayed(trace, number, "different", f"differs in {', '.join(differing)}", made.routes)
    return Replayed(trace, number, "equal", note, made.routes)
