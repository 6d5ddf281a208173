"""Pairing of halves: beliefs about single cells become tiles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from vision.reading.tiles import Pairing, pair_halves

LETTERS = ".0123456"
ROWS, COLUMNS = 4, 5
UP, RIGHT, DOWN, LEFT = 1, 2, 3, 4


class Eyes:
    """Beliefs about a board of 4 by 5 cells, all of which are surely empty unless set otherwise."""

    def __init__(self) -> None:
        self.shares = np.full((ROWS * COLUMNS, len(LETTERS)), 0.001)
        self.shares[:, 0] = 0.993
        self.ways = np.full((ROWS * COLUMNS, 5), 0.2)

    def see(self, cell: int, letter: str, share: float, way: int, surely: float = 0.9) -> None:
        """Sets a cell's belief: that letter with that probability, else empty, and the direction of its other half."""
        self.shares[cell] = 0.001
        self.shares[cell, 0] = 0.994 - share
        self.shares[cell, LETTERS.index(letter)] = share
        self.ways[cell] = (1 - surely) / 4
        self.ways[cell, way] = surely

    def pair(self) -> Pairing:
        shares = self.shares / self.shares.sum(axis=1, keepdims=True)
        return pair_halves(np.log(shares), LETTERS, np.log(self.ways), ROWS, COLUMNS)


@pytest.fixture
def eyes() -> Eyes:
    return Eyes()


def test_two_halves_that_point_at_each_other_are_a_tile(eyes: Eyes) -> None:
    eyes.see(6, "5", 0.97, RIGHT)
    eyes.see(7, "2", 0.97, LEFT)
    pairing = eyes.pair()
    assert [(tile.cells, tile.pips) for tile in pairing.tiles] == [((6, 7), "52")]
    assert pairing.tiles[0].probability > 0.99


def test_beliefs_of_every_cell_still_add_up_to_one(eyes: Eyes) -> None:
    for cell in range(0, 20, 3):
        eyes.see(cell, "4", 0.6, 1 + cell % 4)
    assert np.allclose(np.exp(eyes.pair().log_probabilities).sum(axis=1), 1, atol=1e-6)


def test_half_that_stands_alone_is_doubted(eyes: Eyes) -> None:
    eyes.see(6, "5", 0.9, RIGHT)
    pairing = eyes.pair()
    assert pairing.tiles == ()
    assert np.exp(pairing.log_probabilities[6, 0]) > 0.5


def test_half_beside_a_covered_cell_is_believed(eyes: Eyes) -> None:
    eyes.see(6, "5", 0.9, RIGHT)
    eyes.shares[7] = 1 / len(LETTERS)
    assert np.exp(eyes.pair().log_probabilities[6, LETTERS.index("5")]) > 0.6


def test_sure_half_lends_belief_to_the_half_it_points_at(eyes: Eyes) -> None:
    eyes.see(6, "5", 0.98, DOWN)
    eyes.see(11, "3", 0.3, UP)
    pairing = eyes.pair()
    assert [(tile.cells, tile.pips) for tile in pairing.tiles] == [((6, 11), "53")]
    assert np.exp(pairing.log_probabilities[11, LETTERS.index("3")]) > 0.8


@pytest.mark.parametrize(("ways", "tiles"), [((RIGHT, LEFT), [(6, 7), (11, 12)]), ((DOWN, UP), [(6, 11), (7, 12)])])
def test_block_of_four_halves_is_paired_as_they_point(
    eyes: Eyes, ways: tuple[int, int], tiles: list[tuple[int, int]]
) -> None:
    for cell in (6, 7, 11, 12):
        second = cell in (7, 12) if ways[0] == RIGHT else cell in (11, 12)
        eyes.see(cell, "1", 0.97, ways[second], surely=0.7)
    assert [tile.cells for tile in eyes.pair().tiles] == tiles


def test_no_half_is_left_over_where_all_fit(eyes: Eyes) -> None:
    for cell in (5, 6, 7, 8):
        eyes.see(cell, "0", 0.97, RIGHT, surely=0.25)
    # The two in the middle fit each other best, but would leave the outer ones alone.
    eyes.see(6, "0", 0.97, RIGHT, surely=0.7)
    eyes.see(7, "0", 0.97, LEFT, surely=0.7)
    assert [tile.cells for tile in eyes.pair().tiles] == [(5, 6), (7, 8)]


def test_marginals_are_those_of_all_matchings_on_a_chain(eyes: Eyes) -> None:
    for cell, share in zip((5, 6, 7), (0.7, 0.8, 0.4), strict=True):
        eyes.see(cell, "2", share, RIGHT, surely=0.2)
    found = np.exp(eyes.pair().log_probabilities[:, 0])
    shares = eyes.shares / eyes.shares.sum(axis=1, keepdims=True)
    occupied = (1 - shares[:, 0]) / shares[:, 0] / 4
    pairs = [(a, a + 1) for a in range(20) if a % COLUMNS < COLUMNS - 1] + [(a, a + 5) for a in range(15)]
    near = [pair for pair in pairs if set(pair) & {5, 6, 7}]
    total, empty = 0.0, np.zeros(20)
    for count in range(4):
        for chosen in itertools.combinations(near, count):
            cells = [cell for pair in chosen for cell in pair]
            if len(set(cells)) == len(cells):
                weight = float(np.prod(occupied[cells]))
                total += weight
                empty += weight * np.isin(np.arange(20), cells, invert=True)
    assert np.allclose(found[[5, 6, 7]], empty[[5, 6, 7]] / total, atol=0.01)
