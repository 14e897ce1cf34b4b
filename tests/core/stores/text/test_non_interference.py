"""Nothing outside the view changes a byte: at least 1,000 random corpora, views and questions."""

from pathlib import Path
from random import Random

import pytest

from tests.core.stores.contract import served
from tests.core.stores.text.corpus import an_edge_store, random_parcels, random_queries
from tests.fakes import a_view

CORPORA, VIEWS = 30, 8


@pytest.mark.parametrize(
    "retrieval",
    [{}, {"candidates": 3, "served": 2}, {"candidates": 5, "freshness_half_life_days": 30.0}],
    ids=["roomy", "cut short, so that ties fall on the limit", "weighing dates"],
)
def test_the_full_corpus_seen_through_a_view_equals_a_corpus_of_the_view_alone(
    tmp_path: Path, retrieval: dict[str, object]
) -> None:
    cases = 0
    full, alone = (
        an_edge_store(tmp_path / "full", **retrieval),
        an_edge_store(tmp_path / "alone", **retrieval),
    )
    for seed in range(CORPORA // 3):
        dice = Random(seed)
        parcels = list(random_parcels(dice))
        for parcel in dice.sample(parcels, len(parcels)):
            full.apply(parcel)
        for turn in range(VIEWS):
            inside = dice.sample(parcels, dice.randint(1, len(parcels) - 1))
            for document in alone.held():
                alone.drop(document)
            for parcel in inside:
                alone.apply(parcel)
            queries = [*random_queries(Random(turn)), *random_queries(dice), *random_queries(Random(seed))]
            view = a_view(*(p.document for p in inside))
            assert served(full, queries, view, 4) == served(alone, queries, view, 4), (seed, turn)
            cases += len(queries)
    assert cases >= 1_000
    full.close()
    alone.close()
