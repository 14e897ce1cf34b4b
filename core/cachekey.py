"""What is compared when an answer may come from the cache, and the row in which an entry is kept."""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

import numpy as np

from core.normalize import fold
from core.types import Answer, CacheVerdict, Clause, FloatArray, Found, Language, RouteDecision, SqlResult

TOP = 3  # every chunk the cached answer cites must be among so many of the new ones


@dataclass(frozen=True, slots=True)
class ClauseEvidence:
    """What one clause was answered from, in a form that can be compared."""

    routes: tuple[str, ...]
    plan: str  # the SQL text, "" if no table was asked
    rows: str  # hash of the result rows
    top: tuple[str, ...]  # chunk ids of the best passages, TOP a store


@dataclass(frozen=True, slots=True)
class CacheKey:
    """A question after retrieval: what decides whether another's answer may serve it."""

    scope: str  # the view's fingerprint (and whatever else the caller's answers depend on)
    question: str  # as understood
    language: Language  # of the answer
    vector: FloatArray  # shape (d,), unit length
    evidence: tuple[ClauseEvidence, ...]
    texts: tuple[str, ...] = ()  # of the passages found, for the swapped-words check


@dataclass(frozen=True, slots=True)
class CacheRow:
    """One entry as it is kept. Everything that decides about a hit is in it."""

    id: str
    scope: str
    question: str
    language: Language
    vector: str  # base64 of float32
    evidence: tuple[ClauseEvidence, ...]
    cited: tuple[tuple[str, ...], ...]  # chunk ids that the answer cites, per clause
    documents: tuple[str, ...]  # it was answered from these
    answer: Answer | None
    barred: bool = False  # a reader judged it wrong: never served, never stored again


class CacheRows(Protocol):
    """Where rows are kept between runs."""

    def cache_load(self) -> Sequence[str]:
        """Bodies in the order in which they were put."""
        ...

    def cache_put(self, key: str, body: str) -> None:
        """Insert, or replace by key."""
        ...

    def cache_drop(self, keys: Iterable[str]) -> None: ...

    def cache_row(self, key: str) -> str:
        """The body as it is now, whoever wrote it last; "" when it is gone."""
        ...

    def cache_served(self, trace: str, key: str) -> None:
        """The reply with this trace id came from this row."""
        ...

    def cache_entry(self, trace: str) -> str:
        """The key of the row that a reply came from; "" when it is not known (any more)."""
        ...


@dataclass(frozen=True, slots=True)
class Cached:
    """A cached answer that may be served."""

    answer: Answer
    entry: str
    question: str  # the question it was given to
    cosine: float
    verdict: CacheVerdict  # "exact" | "paraphrase"


def normal_question(text: str) -> str:
    """Case, accents, spacing and closing marks do not make another question."""
    return re.sub(r"^[\s¿¡]+|[\s?!.…,;:]+$", "", fold(text))


def evidence_of(clauses: Sequence[Clause]) -> tuple[ClauseEvidence, ...]:
    """The comparable evidence of each clause of a message."""
    return tuple(_clause_evidence(clause.decision, clause.found.values()) for clause in clauses)


def _clause_evidence(decision: RouteDecision, found: Iterable[Found]) -> ClauseEvidence:
    passages = [p for f in found for p in f.passages]
    results = [p.result for p in passages if p.result is not None]
    prose = tuple(sorted({p.chunk_id for p in passages if p.result is None and p.rank <= TOP}))
    plan = "\n".join(result.sql for result in results)
    return ClauseEvidence(tuple(sorted(decision.routes)), plan, _digest(results), prose)


def _digest(results: Sequence[SqlResult]) -> str:
    lines = [repr(row) for result in results for row in result.rows]
    return sha256("\n".join(lines).encode()).hexdigest() if results else ""


def entry_id(scope: str, question: str, language: Language) -> str:
    return sha256(f"{scope}\n{normal_question(question)}\n{language}".encode()).hexdigest()


def vector_of(row: CacheRow) -> FloatArray:
    return np.frombuffer(base64.b64decode(row.vector), np.float32)


def evidence_fails(row: CacheRow, new: tuple[ClauseEvidence, ...]) -> tuple[str, ...]:
    """Same number of clauses, same routes, same rows by the same plan, every cited chunk again among the best."""
    old = row.evidence
    if len(old) != len(new):
        return ("questions",)
    pairs = tuple(zip(old, new, strict=True))
    if any(a.routes != b.routes for a, b in pairs):
        return ("routes",)
    if any((a.plan, a.rows) != (b.plan, b.rows) for a, b in pairs):
        return ("rows",)
    shown = zip(pairs, row.cited, strict=True)
    if any((not a.plan and not cited) or not set(cited) <= set(b.top) for (a, b), cited in shown):
        return ("passages",)  # cited again among the best, or nothing shows that both have one answer
    return ()
