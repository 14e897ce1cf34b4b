import numpy as np
import pytest

from core.errors import BadVector
from core.vectors import row_dots, unit_rows


def test_zero_vector_is_refused_instead_of_scoring_nan() -> None:
    with pytest.raises(BadVector):
        unit_rows(np.zeros((1, 3), np.float32))


def test_a_row_scores_the_same_whatever_rows_stand_beside_it() -> None:
    rows = unit_rows(np.random.default_rng(7).normal(size=(997, 384)))
    question = rows[3]

    whole = row_dots(rows, question)

    assert all(row_dots(rows[i : i + 1], question)[0] == whole[i] for i in range(0, 997, 13))
