from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from core.stores.ledger import Ledger, Prepared
from core.types import Heading, Loaded, Placement, Scope, Triple
from tests.fakes import a_chunk, a_parcel, hashed_vector

TAG = "console:local/geral"
SCOPE = Scope(frozenset({TAG}))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")


def placement(document: str, name: str = "a.md", tag: str = TAG) -> Placement:
    return Placement(tag, name, document, 0, "ana", "2025-01-01T00:00:00Z")


def prepared(document: str, index_key: str = "k1") -> Prepared:
    triple = Triple("l2", "depende de", "pz-300", f"{document}-000")
    parcel = a_parcel(
        document,
        a_chunk("A linha L2 depende do PZ-300.", document),
        routes=("graph", "text"),
        triples=(triple,),
        triple_vectors=hashed_vector(triple.text)[None, :],
        entities=("l2", "pz-300"),
        entity_vectors=np.stack([hashed_vector("l2"), hashed_vector("pz-300")]),
    )
    headings = (Heading("entity", "l2"),)
    return Prepared(parcel, Loaded("md", ()), index_key, headings, hashed_vector("l2")[None, :])


def publish(ledger: Ledger, document: str, name: str = "a.md", tag: str = TAG) -> tuple[str, ...]:
    received = ledger.receive(placement(document, name, tag))
    ledger.prepare(prepared(document))
    ledger.indexed(document)
    return ledger.publish(received)


def test_a_document_is_invisible_until_it_is_published(ledger: Ledger) -> None:
    received = ledger.receive(placement("d1"))
    ledger.prepare(prepared("d1"))
    before = ledger.view(SCOPE).documents

    ledger.publish(received)

    assert (before, ledger.view(SCOPE).documents) == (frozenset(), {"d1"})


def test_a_new_version_replaces_the_old_one_in_one_switch(ledger: Ledger) -> None:
    publish(ledger, "d1")

    gone = publish(ledger, "d2")

    assert gone == ("d1",)
    assert [(p.document, p.version) for p in ledger.placements([TAG])] == [("d2", 2)]


def test_a_parcel_comes_back_as_it_was_written(ledger: Ledger) -> None:
    publish(ledger, "d1")
    written, read = prepared("d1").parcel, ledger.parcel("d1")

    assert read.chunks == written.chunks
    assert read.triples == written.triples
    assert read.entities == written.entities
    assert np.array_equal(read.chunk_vectors, written.chunk_vectors)
    assert np.array_equal(read.entity_vectors, written.entity_vectors)


def test_a_document_of_another_index_key_is_outdated_and_not_complete(ledger: Ledger) -> None:
    publish(ledger, "d1")

    assert (ledger.complete("k2"), ledger.outdated("k2")) == ((), ("d1",))


def test_a_document_that_a_channel_still_holds_cannot_be_erased(ledger: Ledger) -> None:
    publish(ledger, "d1")
    publish(ledger, "d1", tag="console:local/outro")

    ledger.withdraw([(TAG, "a.md")])

    assert not ledger.erase("d1")
    assert ledger.view(SCOPE).documents == frozenset()


def test_the_last_withdrawal_leaves_a_document_unplaced_until_it_is_erased(ledger: Ledger) -> None:
    publish(ledger, "d1")
    ledger.withdraw([(TAG, "a.md")])
    before = ledger.unplaced()

    assert ledger.erase("d1")
    assert (before, ledger.unplaced(), ledger.state("d1")) == (("d1",), (), ("", ""))


def test_headings_come_only_from_the_view(ledger: Ledger) -> None:
    publish(ledger, "d1", tag="console:local/outro")

    headings, vectors = ledger.headings(ledger.view(SCOPE))

    assert (headings, vectors.shape[0]) == ((), 0)


def test_the_generation_grows_when_what_is_visible_changes(ledger: Ledger) -> None:
    start = ledger.generation()
    publish(ledger, "d1")
    middle = ledger.generation()
    ledger.withdraw([(TAG, "a.md")])

    assert start < middle < ledger.generation()


def test_an_interrupted_upload_of_the_same_name_is_replaced_not_doubled(ledger: Ledger) -> None:
    ledger.receive(placement("d1"))
    ledger.receive(placement("d2"))

    assert [p.document for p in ledger.unfinished()] == ["d2"]


def test_a_view_is_read_anew_when_any_process_changed_what_is_visible(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    publish(ledger, "d1")
    seen = [ledger.view(SCOPE).documents]
    publish(other, "d2", "b.md")
    assert ledger.kept_view(SCOPE) is None
    seen.append(ledger.view(SCOPE).documents)
    other.withdraw([(TAG, "a.md")])
    seen.append(ledger.view(SCOPE).documents)

    assert seen == [{"d1"}, {"d1", "d2"}, {"d2"}]
    other.close()


def test_a_view_that_nothing_has_changed_is_not_read_again(ledger: Ledger) -> None:
    publish(ledger, "d1")
    first, asked = ledger.view(SCOPE), []
    sa.event.listen(ledger.engine, "before_cursor_execute", lambda *call: asked.append(call[2]))

    assert ledger.view(SCOPE) is first
    assert ledger.kept_view(SCOPE) is first
    assert asked == []


def test_the_view_of_one_scope_is_never_that_of_another(ledger: Ledger) -> None:
    publish(ledger, "d1")
    publish(ledger, "d2", tag="console:local/outro")
    assert ledger.view(SCOPE).documents == {"d1"}
    assert ledger.view(Scope(frozenset({"console:local/outro"}))).documents == {"d2"}
    assert ledger.view(Scope(frozenset())).documents == frozenset()
