"""What every store must do, built-in or a plugin's: subclass `StoreContract` and name the class `Test…`.

    class TestMyStore(StoreContract):
        name, label = "mine", "MINE"

        def open_store(self, path: Path) -> Store: ...
        def parcels(self, dice: Random) -> Sequence[Parcel]: ...
        def queries(self, dice: Random) -> Sequence[Query]: ...

A search result is compared by its `repr`: every text, score, signal and note, to the last digit.
"""

import multiprocessing
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import isfinite
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import ClassVar

import numpy as np
import pytest

from core.ports import Store
from core.types import Parcel, Query, View
from tests.fakes import a_query, a_view

LIMIT = 10


def served(store: Store, queries: Iterable[Query], view: View, limit: int = LIMIT) -> list[str]:
    """Everything a reader of this view can learn from the store, as text."""
    found = [repr(store.search(query, view, limit)) for query in queries]
    return [*found, repr(tuple(store.headings(view)))]


def _apply_until_killed(suite: "StoreContract", path: Path, seed: int, pipe: Connection) -> None:
    """Child process: apply one parcel after another, telling the parent after each; never ends by itself."""
    store = suite.open_store(path)
    parcels = suite.parcels(Random(seed))
    pipe.send("")
    for parcel in parcels:
        store.apply(parcel)
        pipe.send(parcel.document)
    pipe.recv()


class StoreContract(ABC):
    """The suite. Tests get a fresh directory from `tmp_path` and open as many stores in it as they need."""

    name: ClassVar[str]
    label: ClassVar[str]
    corpora: ClassVar[int] = 4  # random corpora of the non-interference test
    views: ClassVar[int] = 4  # random views a corpus

    @abstractmethod
    def open_store(self, path: Path) -> Store:
        """Open the store whose files live under the directory `path`; opened again, it holds what it held."""

    @abstractmethod
    def parcels(self, dice: Random) -> Sequence[Parcel]:
        """A random corpus of at least 4 parcels, with words, names and near ties shared between documents.

        The n-th parcel always has the same document id, whatever the dice; its content depends on the dice.
        """

    @abstractmethod
    def queries(self, dice: Random) -> Sequence[Query]:
        """At least 4 questions about such corpora; over a whole corpus most of them find something."""

    # --- set-up ------------------------------------------------------------------------------------

    def filled(self, path: Path, parcels: Iterable[Parcel]) -> Store:
        """A store in its own directory that holds these parcels."""
        path.mkdir(parents=True, exist_ok=True)
        store = self.open_store(path)
        for parcel in parcels:
            store.apply(parcel)
        return store

    def corpus(self, seed: int = 1) -> tuple[list[Parcel], list[Query], View]:
        """A random corpus, its questions, and the view of all of it."""
        parcels, queries = list(self.parcels(Random(seed))), list(self.queries(Random(seed)))
        return parcels, queries, a_view(*(p.document for p in parcels))

    # --- what is found -----------------------------------------------------------------------------

    def test_the_corpus_of_the_suite_is_worth_testing(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels)

        found = [store.search(query, view, LIMIT) for query in queries]

        assert len({p.document for p in parcels}) == len(parcels) >= 4
        assert len(queries) >= 4
        assert sum(bool(f.passages) for f in found) > len(found) / 2
        store.close()

    def test_passages_carry_the_stores_name_and_come_best_first_with_ties_by_chunk_id(
        self, tmp_path: Path
    ) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels)

        assert (store.name, store.label) == (self.name, self.label)
        for query in queries:
            passages = store.search(query, view, LIMIT).passages
            assert [p.rank for p in passages] == list(range(1, len(passages) + 1))
            assert [(-p.score, p.chunk_id) for p in passages] == sorted(
                (-p.score, p.chunk_id) for p in passages
            )
            assert len({p.chunk_id for p in passages}) == len(passages)
            assert {(p.store, p.label) for p in passages} <= {(self.name, self.label)}
            assert {p.document for p in passages} <= view.documents
            assert all(p.text.strip() and p.score == round(p.score, 6) for p in passages)
        store.close()

    def test_signals_are_finite_and_named_once(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels)

        for query in queries:
            signals = store.search(query, view, LIMIT).signals
            assert len({name for name, _ in signals}) == len(signals) > 0
            assert all(isfinite(value) for _, value in signals)
        store.close()

    def test_a_smaller_limit_serves_the_same_best_passages(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels)

        for query in queries:
            many, few = store.search(query, view, LIMIT), store.search(query, view, 2)
            assert few.passages == many.passages[:2]
            assert few.signals == many.signals
        store.close()

    def test_a_question_of_noise_is_survived(self, tmp_path: Path) -> None:
        parcels, _, view = self.corpus()
        store = self.filled(tmp_path, parcels)

        for text in ("", "???", "'; DROP TABLE x; --", "\x00\x07", "😀 " * 50, "(" * 200, "%_*\"'`"):
            assert not store.search(a_query(text), view, LIMIT).failed
        store.close()

    # --- what is held ------------------------------------------------------------------------------

    def test_applying_a_parcel_twice_leaves_one_copy(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        once = self.filled(tmp_path / "once", parcels)
        twice = self.filled(tmp_path / "twice", [*parcels, *reversed(parcels)])

        assert served(twice, queries, view) == served(once, queries, view)
        assert twice.held() == once.held() == view.documents
        once.close()
        twice.close()

    def test_another_parcel_of_the_same_document_replaces_the_first(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus(seed=1)
        others, _, _ = self.corpus(seed=2)
        replaced = self.filled(tmp_path / "replaced", [*others, *parcels])
        clean = self.filled(tmp_path / "clean", parcels)

        assert served(replaced, queries, view) == served(clean, queries, view)
        replaced.close()
        clean.close()

    def test_a_document_without_anything_for_this_store_counts_as_held(self, tmp_path: Path) -> None:
        store = self.filled(tmp_path, [Parcel("nothing", (), np.zeros((0, 256), np.float32))])

        assert store.held() == {"nothing"}
        assert store.search(a_query("o que há aqui?"), a_view("nothing"), LIMIT).passages == ()
        store.drop("nothing")
        assert store.held() == frozenset()
        store.close()

    def test_dropping_a_document_leaves_no_trace_of_it(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        gone, kept = parcels[0], parcels[1:]
        store = self.filled(tmp_path / "dropped", parcels)
        clean = self.filled(tmp_path / "clean", kept)

        removed = store.drop(gone.document)

        assert removed > 0
        assert store.drop(gone.document) == 0
        assert store.held() == frozenset(p.document for p in kept)
        assert served(store, queries, view) == served(clean, queries, view)
        only_gone = a_view(gone.document)
        assert all(store.search(q, only_gone, LIMIT).passages == () for q in queries)
        assert tuple(store.headings(only_gone)) == ()
        store.close()
        reopened = self.open_store(tmp_path / "dropped")
        assert served(reopened, queries, view) == served(clean, queries, view)
        reopened.close()
        clean.close()

    def test_a_dropped_document_can_come_back(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels)
        before = served(store, queries, view)

        store.drop(parcels[1].document)
        assert served(store, queries, view) != before
        store.apply(parcels[1])

        assert served(store, queries, view) == before
        store.close()

    def test_reopening_keeps_everything(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels)
        before, held = served(store, queries, view), store.held()
        store.close()
        store.close()  # closing twice is no error

        reopened = self.open_store(tmp_path)

        assert reopened.held() == held
        assert served(reopened, queries, view) == before
        reopened.close()

    def test_the_order_of_ingestion_does_not_matter(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        shuffled = Random(7).sample(parcels, len(parcels))
        one, other = self.filled(tmp_path / "a", parcels), self.filled(tmp_path / "b", shuffled)

        assert served(one, queries, view) == served(other, queries, view)
        one.close()
        other.close()

    @pytest.mark.parametrize("acknowledged", [0, 1, 2])
    def test_a_killed_process_never_leaves_a_document_half_held(
        self, tmp_path: Path, acknowledged: int
    ) -> None:
        parcels, queries, view = self.corpus(seed=3)
        (tmp_path / "killed").mkdir()
        told = self._kill_while_applying(tmp_path / "killed", 3, acknowledged)

        store = self.open_store(tmp_path / "killed")
        assert told <= store.held()  # what was acknowledged survived
        for parcel in parcels:
            if parcel.document not in store.held():
                store.apply(parcel)
        clean = self.filled(tmp_path / "clean", parcels)

        assert served(store, queries, view) == served(clean, queries, view)
        store.close()
        clean.close()

    def _kill_while_applying(self, path: Path, seed: int, acknowledged: int) -> set[str]:
        """SIGKILL a child just after it acknowledged that many documents; returns the acknowledged ones."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        child = context.Process(target=_apply_until_killed, args=(type(self)(), path, seed, theirs))
        child.start()
        theirs.close()
        told = {ours.recv() for _ in range(acknowledged + 1)} - {""}
        child.kill()
        child.join()
        while ours.poll():
            try:
                told.add(ours.recv())
            except EOFError:
                break
        return told - {""}

    # --- what a view hides -------------------------------------------------------------------------

    def test_an_empty_view_finds_nothing(self, tmp_path: Path) -> None:
        parcels, queries, _ = self.corpus()
        store = self.filled(tmp_path / "full", parcels)
        empty = self.filled(tmp_path / "empty", [])
        nowhere = a_view()

        assert all(store.search(q, nowhere, LIMIT).passages == () for q in queries)
        assert tuple(store.headings(nowhere)) == ()
        assert served(store, queries, nowhere) == served(empty, queries, nowhere)
        store.close()
        empty.close()

    def test_documents_of_the_view_that_the_store_lacks_change_nothing(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels)
        wider = a_view(*view.documents, "unknown")

        assert served(store, queries, wider) == served(store, queries, view)
        store.close()

    def test_nothing_outside_the_view_changes_a_byte(self, tmp_path: Path) -> None:
        for seed in range(self.corpora):
            dice = Random(100 + seed)
            parcels, queries, _ = self.corpus(100 + seed)
            full = self.filled(tmp_path / f"full{seed}", parcels)
            for turn in range(self.views):
                inside = dice.sample(parcels, dice.randint(1, len(parcels) - 1))
                view = a_view(*(p.document for p in inside))
                alone = self.filled(tmp_path / f"alone{seed}-{turn}", inside)
                assert served(full, queries, view) == served(alone, queries, view), (seed, turn)
                alone.close()
            full.close()

    # --- who asks ----------------------------------------------------------------------------------

    def test_questions_from_several_threads_get_the_same_answers(self, tmp_path: Path) -> None:
        parcels, queries, view = self.corpus()
        store = self.filled(tmp_path, parcels[:-1])
        expected = [
            repr(store.search(q, a_view(*(p.document for p in parcels[:-1])), LIMIT)) for q in queries
        ]
        narrow = a_view(*(p.document for p in parcels[:-1]))

        with ThreadPoolExecutor(4) as pool:
            writing = pool.submit(store.apply, parcels[-1])
            answers = [pool.submit(lambda q=q: repr(store.search(q, narrow, LIMIT))) for q in queries * 3]
            assert [a.result() for a in answers] == expected * 3
            writing.result()

        assert store.held() == view.documents
        store.close()
