"""The answer cache: exact repeats before any search, paraphrases after retrieval, each only where nothing differs.

One exact FAISS index per scope fingerprint (documents, versions and tags of a view), so an answer can neither leave
its scope nor outlive a document. Entries live in RAM and are persisted as rows; what another process or an earlier one
barred or removed is not served here either.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

import faiss
import numpy as np

from core.cachekey import (
    TOP,
    Cached,
    CacheKey,
    CacheRow,
    CacheRows,
    ClauseEvidence,
    entry_id,
    evidence_fails,
    evidence_of,
    normal_question,
    vector_of,
)
from core.codec import dumps, loads
from core.forms import Form, read_form
from core.guard import compare_forms, seed_guard
from core.types import Answer, FloatArray, Language
from core.vectors import row_dots
from core.vocabulary import Vocabulary

__all__ = [
    "TOP",
    "AnswerCache",
    "CacheKey",
    "CacheRow",
    "CacheRows",
    "Cached",
    "ClauseEvidence",
    "evidence_of",
    "normal_question",
]

NEAREST = 16  # candidates that are scored exactly and put through the guard


@dataclass(slots=True)
class _Shelf:
    """The entries of one scope: a FAISS index, and ids and vectors in the same order."""

    index: faiss.IndexFlatIP
    ids: list[str] = field(default_factory=list)
    vectors: list[FloatArray] = field(default_factory=list)
    forms: dict[str, Form] = field(default_factory=dict)  # by question; the scope fixes the vocabulary


class AnswerCache:
    """Not shared between threads: the ask walk calls it from the event loop."""

    def __init__(self, dimension: int, *, capacity: int, rows: CacheRows | None = None) -> None:
        faiss.omp_set_num_threads(1)  # one query is too little to share: on a busy machine threads wait 10 ms
        self._dimension = dimension
        self._capacity = capacity
        self._kept = rows
        self._shelves: dict[str, _Shelf] = {}
        self._rows: dict[str, CacheRow] = {}  # by id, in order of insertion
        self._traces: dict[str, str] = {}  # trace id -> entry id, in order of serving
        self._bodies: dict[
            str, bytes
        ] = {}  # by id, digest of the body that the row in RAM was made from, or written as
        self._load()

    def __len__(self) -> int:
        return len(self._rows)

    def exact(self, scope: str, question: str, language: Language) -> Cached | None:
        """The answer to the same words in the same scope and language, if feedback allows. No vector is needed."""
        row = self._rows.get(entry_id(scope, question, language))
        if row is not None:
            row = self._current(row)
        if row is None or row.answer is None or row.barred:
            return None
        return Cached(row.answer, row.id, row.question, 1.0, "exact")

    def paraphrase(self, key: CacheKey, vocabulary: Vocabulary, *, threshold: float) -> Cached | None:
        """The answer to another wording of the same question; every guard must pass.

        Args:
            vocabulary: names of the view behind `key.scope`.
            threshold: cosine below which no entry is looked at.
        """
        for cosine, row in self._near(key.scope, key.vector, threshold):
            if row.answer is not None and not self._failed(row, key, vocabulary):
                current = self._current(row)
                if current is not None and current.answer is not None and not current.barred:
                    return Cached(current.answer, row.id, row.question, cosine, "paraphrase")
        return None

    def refusal(
        self, key: CacheKey, vocabulary: Vocabulary, *, threshold: float
    ) -> tuple[str, tuple[str, ...]]:
        """The nearest cached question that may not serve, and the checks that forbid it; ("", ()) if there is none."""
        for _, row in self._near(key.scope, key.vector, threshold):
            failed = self._failed(row, key, vocabulary)
            if failed:
                return row.question, failed
        return "", ()

    def seed_paraphrase(
        self, scope: str, question: str, vector: FloatArray, *, threshold: float
    ) -> Cached | None:
        """The seed's look-up: cosine, and its name, number and count guard."""
        for cosine, row in self._near(scope, vector, threshold):
            if row.answer is not None and seed_guard(question, row.question):
                return Cached(row.answer, row.id, row.question, cosine, "paraphrase")
        return None

    def put(self, key: CacheKey, answer: Answer) -> str:
        """Keep an answer; returns its entry id, or "" where it must not be kept (abstained, degraded, barred)."""
        entry = entry_id(key.scope, key.question, key.language)
        known = self._rows.get(entry) or self._stored(entry)
        if answer.abstained or answer.degraded or (known and known.barred):
            return ""
        cited = tuple(
            tuple(sorted({s.chunk_id for s in answer.sources if s.clause == at and not s.sql}))
            for at in range(len(key.evidence))
        )
        row = CacheRow(
            id=entry,
            scope=key.scope,
            question=key.question,
            language=key.language,
            vector=base64.b64encode(np.ascontiguousarray(key.vector, np.float32).tobytes()).decode(),
            evidence=key.evidence,
            cited=cited,
            documents=tuple(sorted({s.document_id for s in (*answer.sources, *answer.retrieved)})),
            answer=replace(answer, clauses=tuple(replace(clause, found={}) for clause in answer.clauses)),
        )
        if entry in self._rows:
            self._drop(self._rows[entry])
        self._keep(row)
        self.served(entry, answer.trace_id)
        if len(self._rows) > self._capacity:
            self._remove(list(self._rows)[: len(self._rows) - self._capacity])
        return entry

    def served(self, entry: str, trace_id: str) -> None:
        """Remember which reply came from which entry, so that feedback on the reply finds it."""
        self._traces[trace_id] = entry
        if self._kept:
            self._kept.cache_served(trace_id, entry)
        while len(self._traces) > 4 * self._capacity:
            del self._traces[next(iter(self._traces))]

    def bar(self, trace_id: str) -> bool:
        """A reader judged a reply wrong: its entry is never served or stored again in this scope."""
        entry = self._traces.get(trace_id) or (self._kept.cache_entry(trace_id) if self._kept else "")
        row = self._rows.get(entry) or self._stored(entry)
        if row is None:
            return False
        if entry in self._rows:
            self._drop(self._rows[entry])
        self._keep(replace(row, answer=None, evidence=(), cited=(), barred=True))
        return True

    def forget(self, document: str) -> int:
        """Drop every entry that was answered from a document; returns how many went."""
        ids = [row.id for row in self._rows.values() if document in row.documents]
        self._remove(ids)
        return len(ids)

    def clear(self) -> None:
        """Drop everything, bars too."""
        self._remove(list(self._rows))
        self._traces.clear()

    # --- inside ----------------------------------------------------------------------------------------

    def _load(self) -> None:
        """Rows of another embedding model or another version of this program are dropped, not guessed at."""
        strange: list[str] = []
        for body in self._kept.cache_load() if self._kept else ():
            row = loads(CacheRow, body)
            if len(vector_of(row)) == self._dimension:
                self._shelve(row)
                self._bodies[row.id] = _digest(body)
            else:
                strange.append(row.id)
        if strange and self._kept:
            self._kept.cache_drop(strange)

    def _stored(self, entry: str) -> CacheRow | None:
        """The row as it is kept, by whichever process."""
        body = self._kept.cache_row(entry) if self._kept and entry else ""
        row = loads(CacheRow, body) if body else None
        return row if row is not None and len(vector_of(row)) == self._dimension else None

    def _current(self, row: CacheRow) -> CacheRow | None:
        """A row that is about to be served, as it is kept now; None when it was removed elsewhere."""
        if self._kept is None:
            return row
        body = self._kept.cache_row(row.id)
        if body and self._bodies.get(row.id) == _digest(
            body
        ):  # reading an answer takes longer than all the rest
            return row
        stored = self._stored(row.id)
        if stored is None:
            self._drop(row)
        elif stored.barred and not row.barred:
            self._drop(row)
            self._shelve(stored)
        return stored

    def _near(self, scope: str, vector: FloatArray, threshold: float) -> list[tuple[float, CacheRow]]:
        """Entries at or above the threshold, best first, ties by id; scores exact to six decimals."""
        shelf = self._shelves.get(scope)
        if shelf is None:
            return []
        query = np.ascontiguousarray(vector, np.float32)[None, :]
        _, found = shelf.index.search(query, min(NEAREST, len(shelf.ids)))
        places = [int(at) for at in found[0] if at >= 0]
        scores = row_dots(np.stack([shelf.vectors[at] for at in places]), vector).tolist()
        ranked = sorted(
            zip(scores, (shelf.ids[at] for at in places), strict=True), key=lambda p: (-p[0], p[1])
        )
        return [(score, self._rows[entry]) for score, entry in ranked if score >= threshold]

    def _failed(self, row: CacheRow, key: CacheKey, vocabulary: Vocabulary) -> tuple[str, ...]:
        """The checks that forbid serving `row` for `key`, cheapest first; empty if it may be served."""
        if row.barred:
            return ("feedback",)
        if row.language != key.language:
            return ("language",)
        failed = evidence_fails(row, key.evidence)
        if failed:
            return failed
        old, new = (self._form(key.scope, text, vocabulary) for text in (row.question, key.question))
        return compare_forms(row.question, key.question, old, new, key.texts)

    def _form(self, scope: str, text: str, vocabulary: Vocabulary) -> Form:
        forms = self._shelves[scope].forms
        if text not in forms:
            if len(forms) > 2 * self._capacity:
                forms.clear()
            forms[text] = read_form(text, vocabulary)
        return forms[text]

    def _keep(self, row: CacheRow) -> None:
        self._shelve(row)
        if self._kept:
            body = dumps(row)
            self._bodies[row.id] = _digest(body)
            self._kept.cache_put(row.id, body)

    def _shelve(self, row: CacheRow) -> None:
        vector = vector_of(row)
        shelf = self._shelves.setdefault(row.scope, _Shelf(faiss.IndexFlatIP(self._dimension)))
        shelf.index.add(vector[None, :])
        shelf.ids.append(row.id)
        shelf.vectors.append(vector)
        self._rows[row.id] = row

    def _remove(self, ids: Sequence[str]) -> None:
        for entry in ids:
            self._drop(self._rows[entry])
        if ids and self._kept:
            self._kept.cache_drop(ids)

    def _drop(self, row: CacheRow) -> None:
        shelf = self._shelves[row.scope]
        at = shelf.ids.index(row.id)
        shelf.index.remove_ids(faiss.IDSelectorRange(at, at + 1))
        del shelf.ids[at], shelf.vectors[at], self._rows[row.id]
        self._bodies.pop(row.id, None)
        if not shelf.ids:
            del self._shelves[row.scope]


def _digest(body: str) -> bytes:
    return sha256(body.encode()).digest()
