"""A set has only so many men: a man that would be one too many is taken for what he is likelier than the others."""

from __future__ import annotations

import itertools

import numpy as np

from vision.reading.counted import within_counts


def test_cells_are_told_as_by_all_boards_with_so_many_men() -> None:
    shares, most = np.random.default_rng(1).dirichlet(np.ones(3), 7), (2, 3)
    expected = np.zeros_like(shares)
    for board in itertools.product(range(3), repeat=7):
        if all(board.count(side) <= count for side, count in enumerate(most, 1)):
            expected[np.arange(7), board] += shares[np.arange(7), board].prod()
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(within_counts(np.log(shares), most, 0.0)), expected)


def test_a_man_who_would_be_one_too_many_is_of_the_other_side() -> None:
    sure = np.log([[1e-6, 1, 1e-6]] * 15 + [[1e-6, 1e-6, 1]] * 16 + [[1e-6, 0.02, 0.98]] + [[1, 1e-6, 1e-6]] * 32)
    sure -= np.logaddexp.reduce(sure, axis=1, keepdims=True)
    told = np.exp(within_counts(sure, (16, 16)))
    assert told.argmax(axis=1).tolist() == [1] * 15 + [2] * 16 + [1] + [0] * 32 and told[31, 1] > 0.9
    np.testing.assert_allclose(within_counts(sure, (64, 64)), sure, atol=1e-9)


def test_more_men_than_a_set_has_are_believed_where_they_are_clearly_seen() -> None:
    sure = np.log([[1e-6, 1, 1e-6]] * 20 + [[1, 1e-6, 1e-6]] * 44)
    told = np.exp(within_counts(sure - np.logaddexp.reduce(sure, axis=1, keepdims=True), (16, 16)))
    assert (told[:20, 1] > 0.99).all()
