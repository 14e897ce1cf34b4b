"""Sums that come out the same in every order, ties that no engine cuts, shards that survive what kills them."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from shutil import copytree

import numpy as np
import pytest
import qdrant_edge

from core.errors import StoreFailed
from core.stores.text.edge import EdgeEngine
from core.stores.text.engine import (
    Hit,
    Mark,
    Point,
    Sparse,
    asked_vector,
    asked_weights,
    place,
    point_id,
    stored_vector,
    stored_weight,
    untied,
)
from core.stores.text.server import connect
from core.vectors import unit_rows


def a_point(name: str, document: str = "d", *, seed: int = 0, keys: Sequence[int] = ()) -> Point:
    vector = unit_rows(np.random.default_rng(seed).normal(size=(1, 8)))[0]
    sparse = Sparse(tuple(keys), tuple(1.0 for _ in keys))
    return Point(name, document, "pt", stored_vector(vector), sparse, {"text": name})


def in_any_order(products: np.ndarray, dice: Random) -> set[float]:
    """The float32 sum of products, added one by one in 20 random orders."""
    sums = set()
    for _ in range(20):
        total = np.float32(0)
        for value in dice.sample(products.tolist(), len(products)):
            total = np.float32(total + np.float32(value))
        sums.add(float(total))
    return sums


@pytest.mark.parametrize("dimension", [16, 384, 1024])
def test_dense_sums_are_exact_in_every_order(dimension: int) -> None:
    rows = unit_rows(np.random.default_rng(dimension).normal(size=(2, dimension)))
    exact = stored_vector(rows[0]) * asked_vector(rows[1])

    assert len(in_any_order(exact, Random(1))) == 1
    assert len(in_any_order(rows[0] * rows[1], Random(1))) > 1  # as they come, they are not
    assert float(exact.sum()) == pytest.approx(float(rows[0] @ rows[1]), abs=1e-3)


@pytest.mark.parametrize("terms", [1, 7, 60, 2000])
def test_lexical_sums_are_exact_in_every_order_however_long_the_question(terms: int) -> None:
    dice = Random(terms)
    raw = [dice.uniform(0.1, 12.0) for _ in range(terms)]
    stored = np.array([stored_weight(dice.uniform(0.0, 2.2)) for _ in range(terms)], np.float32)
    asked = np.array(asked_weights(raw, largest_stored=2.2), np.float32)

    assert len(in_any_order(stored * asked, dice)) == 1
    assert np.abs(asked - raw).max() <= max(0.01, sum(raw) * 2.2 / 2**14)


def test_ties_at_the_limit_are_never_cut() -> None:
    every = [Hit(f"c{n:02d}", 0.9 if n < 3 else 0.5) for n in range(90)]
    shuffled = Random(3).sample(every, len(every))
    by_engine = sorted(shuffled, key=lambda hit: -hit.score)

    hits = untied(lambda wanted: by_engine[:wanted], 5)

    assert len(hits) == 90
    assert [hit.chunk_id for hit in hits] == [f"c{n:02d}" for n in range(90)]


def test_without_ties_no_more_than_the_limit_comes_back() -> None:
    every = [Hit(f"c{n:02d}", 1 - n / 100) for n in range(90)]
    asked: list[int] = []

    def ask(wanted: int) -> list[Hit]:
        asked.append(wanted)
        return every[:wanted]

    assert [hit.chunk_id for hit in untied(ask, 3)] == ["c00", "c01", "c02"]
    assert len(asked) == 1
    assert untied(lambda wanted: [], 3) == ()


def test_each_process_gets_a_shard_of_its_own_and_the_first_free_slot(tmp_path: Path) -> None:
    first, second = EdgeEngine(tmp_path, 8), EdgeEngine(tmp_path, 8)
    first.write([a_point("a")], Mark("d", "s1", "{}"))

    assert sorted(p.name for p in tmp_path.iterdir() if p.is_dir()) == ["slot0", "slot1"]
    assert second.stamps() == {}
    first.close()
    third = EdgeEngine(tmp_path, 8)
    assert third.stamps() == {"d": "s1"}
    second.close()
    third.close()


def test_points_without_a_mark_are_gone_after_reopening(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path, 8)
    engine.write([a_point("a", "whole")], Mark("whole", "s", "{}"))
    engine.write([a_point("b", "half"), a_point("c", "half")], Mark("half", "s", "{}"))
    engine._update(
        qdrant_edge.UpdateOperation.delete_points([point_id("mark", "half")])
    )  # as a kill leaves it
    engine.close()

    reopened = EdgeEngine(tmp_path, 8)

    assert reopened.stamps() == {"whole": "s"}
    assert set(reopened.fetch(["a", "b", "c"])) == {"a"}
    reopened.close()


def test_a_damaged_shard_starts_empty_instead_of_stopping_the_bot(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path, 8)
    engine.write([a_point("a")], Mark("d", "s", "{}"))
    engine.close()
    for file in (tmp_path / "slot0" / "d8" / "segments").rglob("segment.json"):
        file.write_text("{")

    reopened = EdgeEngine(tmp_path, 8)

    assert reopened.stamps() == {}
    reopened.write([a_point("a")], Mark("d", "s", "{}"))
    assert reopened.stamps() == {"d": "s"}
    reopened.close()


def test_vectors_of_another_length_start_a_new_shard(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path, 8)
    engine.write([a_point("a")], Mark("d", "s", "{}"))
    engine.close()

    other = EdgeEngine(tmp_path, 16)

    assert other.stamps() == {}
    assert [p.name for p in (tmp_path / "slot0").iterdir()] == ["d16"]
    other.close()


def test_a_closed_engine_says_so(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path, 8)
    engine.close()

    with pytest.raises(StoreFailed):
        engine.near(a_point("a").dense, [place("d", "pt")], 3)


def test_only_points_of_the_places_asked_for_take_part(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path, 8)
    for n in range(6):
        point = a_point(f"c{n}", f"d{n % 3}", seed=n, keys=[7])
        engine.write([point], Mark(f"d{n % 3}", f"s{n}", "{}"))

    places = [place("d1", "pt")]
    assert {h.chunk_id for h in engine.near(asked_vector(a_point("q", seed=9).dense), places, 5)} == {"c4"}
    assert {h.chunk_id for h in engine.matching(Sparse((7,), (1.0,)), places, 5)} == {"c4"}
    assert engine.near(a_point("q").dense, [place("d1", "en")], 5) == ()
    assert engine.near(a_point("q").dense, [], 5) == ()
    engine.close()


def test_what_the_shard_refuses_comes_as_our_own_error(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path, 8)

    with pytest.raises(StoreFailed):
        engine.near(np.zeros(5, np.float32), [place("d", "pt")], 3)
    engine.close()


def test_a_killed_process_replays_little(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path / "live", 8)
    for n in range(5):
        points = [a_point(f"c{n}-{i}", f"d{n}", seed=i) for i in range(600)]
        engine.write(points, Mark(f"d{n}", "s", "{}"))
    copytree(tmp_path / "live" / "slot0", tmp_path / "killed" / "slot0")  # what a kill leaves on disk

    reopened = EdgeEngine(tmp_path / "killed", 8)

    assert set(reopened.stamps()) == {f"d{n}" for n in range(5)}
    assert engine._unflushed < 2_000
    assert len(reopened.fetch([f"c4-{i}" for i in range(600)])) == 600
    reopened.close()
    engine.close()


def test_a_server_that_does_not_answer_is_told_as_a_failed_store() -> None:
    with pytest.raises(StoreFailed):
        connect("http://127.0.0.1:9", "", "polyrag", 8, seconds=1.0)
