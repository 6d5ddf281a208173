"""The matching of greatest weight, compared with SciPy's assignment."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from vision.reading.tiles import heaviest_pairs


def test_nothing_can_be_paired_where_there_is_nothing() -> None:
    assert heaviest_pairs({}) == set()


def test_two_lighter_pairs_beat_the_heaviest_one() -> None:
    assert heaviest_pairs({(0, 10): 5.0, (0, 11): 3.0, (1, 10): 4.0}) == {(0, 11), (1, 10)}


def test_pairs_that_only_cost_are_left_out() -> None:
    assert heaviest_pairs({(0, 10): -1.0, (1, 11): 2.0}) == {(1, 11)}


@pytest.mark.parametrize("seed", range(40))
def test_the_sum_is_the_greatest_there_is(seed: int) -> None:
    chance = np.random.default_rng(seed)
    size = int(chance.integers(2, 14))
    gains = np.where(chance.random((size, size)) < chance.uniform(0.1, 0.9), chance.normal(1, 2, (size, size)), 0.0)
    weights = {(int(i), 100 + int(j)): float(gains[i, j]) for i, j in zip(*np.nonzero(gains), strict=True)}
    pairs = heaviest_pairs(weights)
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
    rows, columns = linear_sum_assignment(np.clip(gains, 0, None), maximize=True)
    assert sum(weights[pair] for pair in pairs) == pytest.approx(np.clip(gains, 0, None)[rows, columns].sum())
