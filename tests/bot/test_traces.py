"""A routing decision is made again from its record, bit for bit; what is gone is said to be gone."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bot.testkit import FakePlatform
from bot.traces import Replayed, replay_trace
from core.router import Anchors, weights_of
from core.vectors import unit_rows

FILES = {
    "viagens.md": "# Viagens\n\nA viagem internacional é pedida com 30 dias de antecedência.\n",
    "vendas.csv": "produto;regiao;receita\nfio;Sul;1.234,50\nfio;Norte;987,10\n",
}
ASKED = "com quantos dias é pedida a viagem internacional? e qual a receita total no Sul?"


@pytest.fixture(scope="module")
def chat() -> Iterator[FakePlatform]:
    with FakePlatform() as platform:
        platform.says("ana", files=FILES)
        yield platform


@pytest.fixture(scope="module")
def body(chat: FakePlatform) -> dict[str, Any]:
    """The record of a message with two questions, as it comes back from the database."""
    reply = chat.says("ana", ASKED)
    trace = chat.app.records.trace(reply.trace_id)
    assert trace is not None
    return trace.body


def replayed(chat: FakePlatform, body: dict[str, Any], **more: Any) -> tuple[Replayed, ...]:
    ports = chat.app.ask_ports
    chosen = {"anchors": ports.anchors, "weights": weights_of({}), "store_of": ports.store_of} | more
    return replay_trace("t", body, **chosen)


def test_every_decision_of_a_message_comes_out_equal(chat: FakePlatform, body: dict[str, Any]) -> None:
    found = replayed(chat, body)

    assert [(done.clause, done.verdict, done.note) for done in found] == [(1, "equal", ""), (2, "equal", "")]
    assert [list(done.routes) for done in found] == [clause["routes"] for clause in body["clauses"]]


def test_a_kept_answer_replays_like_the_one_it_came_from(chat: FakePlatform, body: dict[str, Any]) -> None:
    again = chat.app.records.trace(chat.says("bia", ASKED).trace_id)
    assert again is not None

    assert again.body["cache"] == "exact"
    assert [done.verdict for done in replayed(chat, again.body)] == ["equal", "equal"]


def test_other_weights_come_out_different_and_the_fields_are_named(
    chat: FakePlatform, body: dict[str, Any]
) -> None:
    found = replayed(chat, body, weights=weights_of({"text": {"bias": 5.0}}))

    assert {done.verdict for done in found} == {"different"}
    assert all("scores" in done.note for done in found)


def test_a_record_that_was_tampered_with_comes_out_different(
    chat: FakePlatform, body: dict[str, Any]
) -> None:
    forged = json.loads(json.dumps(body))
    forged["replay"]["clauses"][0]["decision"]["routes"] = ["graph"]
    vector = np.frombuffer(bytes.fromhex(forged["replay"]["clauses"][1]["vector"]), np.float32)
    turned = np.roll(vector, 7).astype(np.float32)
    forged["replay"]["clauses"][1]["vector"] = turned.tobytes().hex()

    assert [done.verdict for done in replayed(chat, forged)] == ["different", "different"]


def test_changed_example_phrases_are_noted(chat: FakePlatform, body: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    phrases = dict.fromkeys(chat.app.ask_ports.anchors.routes, ("frase",))
    other = Anchors.build(phrases, unit_rows(rng.normal(size=(len(phrases), 256))))
    found = replayed(chat, body, anchors=other)

    assert {done.verdict for done in found} == {"equal"}
    assert all("changed" in done.note for done in found)


def test_a_decision_of_another_version_that_differs_says_so(chat: FakePlatform, body: dict[str, Any]) -> None:
    older = {**body, "replay": {**body["replay"], "code": "0" * 16}}
    weights = weights_of({"text": {"bias": 5.0}})

    assert {done.verdict for done in replayed(chat, older)} == {"equal"}
    assert all("another version" in done.note for done in replayed(chat, older, weights=weights))
    assert not any("another version" in done.note for done in replayed(chat, body, weights=weights))


@pytest.mark.parametrize("gone", [{"erased": True}, {"answer": "of an older version"}])
def test_what_is_gone_is_unreplayable(chat: FakePlatform, gone: dict[str, Any]) -> None:
    assert [done.verdict for done in replayed(chat, gone)] == ["unreplayable"]


def test_a_decision_without_its_inputs_is_unreplayable(chat: FakePlatform, body: dict[str, Any]) -> None:
    bare = {**body, "replay": {**body["replay"], "clauses": [{**body["replay"]["clauses"][0], "vector": ""}]}}

    assert [done.verdict for done in replayed(chat, bare)] == ["unreplayable"]


def test_small_talk_leaves_nothing_to_replay(chat: FakePlatform) -> None:
    trace = chat.app.records.trace(chat.says("ana", "bom dia!").trace_id)
    assert trace is not None

    assert replayed(chat, trace.body) == ()


def test_the_record_names_every_document_that_was_drawn_on(chat: FakePlatform, body: dict[str, Any]) -> None:
    view = chat.app.ingest_ports.ledger.placements(["console:local/general"])

    assert set(body["documents"]) == {placement.document for placement in view}
