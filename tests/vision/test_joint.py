"""Joint reading of a board's cells: light men are recognised by comparison with dark ones."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from lab.train.joint import WholeBoard, fit_board_means
from vision.reading.descriptors import Descriptor
from vision.reading.joint import read_jointly
from vision.reading.man_colours import LENGTH, man_colours
from vision.reading.plda import BoardMeans, board_means

LETTERS = ".WB"


NO_DESCRIPTOR = Descriptor("none", 2, lambda patches: np.zeros((len(patches), 2), dtype=np.float32))
"""A descriptor without information, so that the patch's colours decide."""


def board(letters: str, light: float, dark: float, ground: float, lamp: float, rng: np.random.Generator) -> WholeBoard:
    """A board with a disc in the side's shade on every occupied cell, under a lamp of that strength."""
    patches = []
    for letter in letters:
        patch = np.full((48, 48), float(ground))
        if letter != ".":
            cv2.circle(patch, (24, 24), 17, light if letter == "W" else dark, -1)
        seen = patch[..., None] * lamp * np.array([0.9, 1.0, 1.0]) + rng.normal(0, 2, (48, 48, 3))
        patches.append(np.clip(seen, 0, 255).astype(np.uint8))
    return WholeBoard(np.array(patches), letters)


@pytest.fixture(scope="module")
def means() -> BoardMeans:
    """Means learnt from boards in bright and in dim light."""
    rng = np.random.default_rng(1)
    boards = []
    for _ in range(80):
        letters = "".join(rng.choice(list(LETTERS), 20))
        light, ground = rng.uniform(150, 240), rng.uniform(90, 140)
        boards.append(board(letters, light, rng.uniform(0.2, 0.6) * light, ground, rng.uniform(0.15, 1), rng))
    return fit_board_means(NO_DESCRIPTOR, boards)


def read(seen: WholeBoard, logs: NDArray[np.float64], means: BoardMeans | None) -> NDArray[np.float64]:
    described = NO_DESCRIPTOR.describe(seen.patches)
    return read_jointly(seen.patches, described, logs, np.zeros(len(logs)), LETTERS, means)


def opinions(*rows: tuple[float, float, float]) -> NDArray[np.float64]:
    return np.log(np.array(rows))


def shown(logs: NDArray[np.float64]) -> str:
    return "".join(LETTERS[index] for index in logs.argmax(axis=1))


def test_men_that_all_look_dark_in_a_dim_room_are_told_apart_by_one_another(means: BoardMeans) -> None:
    letters = "WWWBBWBB....WB..."
    seen = board(letters, 200, 70, 120, 0.18, np.random.default_rng(7))
    alone = opinions(*[(0.98, 0.01, 0.01) if letter == "." else (0.02, 0.08, 0.9) for letter in letters])
    assert shown(alone).count("W") == 0
    assert shown(read(seen, alone, means)) == letters


def test_the_order_of_the_classes_does_not_matter(means: BoardMeans) -> None:
    letters = "WWWBBWBB....WB..."
    seen = board(letters, 200, 70, 120, 0.18, np.random.default_rng(7))
    alone = opinions(*[(0.98, 0.01, 0.01) if letter == "." else (0.02, 0.9, 0.08) for letter in letters])
    told = read_jointly(seen.patches, np.zeros((17, 2), np.float32), alone, np.zeros(17), ".BW", means)
    assert "".join(".BW"[index] for index in told.argmax(axis=1)) == letters


def test_a_shadow_taken_for_a_man_is_seen_to_be_like_the_empty_cells(means: BoardMeans) -> None:
    letters = "WWBB......"
    seen = board(letters, 220, 60, 120, 0.8, np.random.default_rng(8))
    alone = opinions(*[(0.98, 0.01, 0.01) if letter == "." else (0.02, 0.49, 0.49) for letter in letters])
    alone[9] = np.log([0.35, 0.05, 0.6])
    assert shown(read(seen, alone, means)) == letters


def test_every_row_stays_a_distribution_and_none_is_certain(means: BoardMeans) -> None:
    seen = board("WB.WB.", 220, 60, 120, 0.8, np.random.default_rng(9))
    told = read(seen, opinions(*[(0.1, 0.5, 0.4)] * 6), means)
    assert np.exp(told).sum(axis=1) == pytest.approx(1)
    assert told.max() < 0 and told.min() > np.log(1e-4)


def test_a_covered_cell_says_nothing_and_stays_as_it_was(means: BoardMeans) -> None:
    seen = board("WWBB....", 220, 60, 120, 0.8, np.random.default_rng(10))
    seen.patches[7] = np.random.default_rng(1).integers(0, 2, (48, 48, 1)).astype(np.uint8) * 255
    alone = opinions(*[(0.02, 0.49, 0.49)] * 4, *[(0.98, 0.01, 0.01)] * 3, (1 / 3, 1 / 3, 1 / 3))
    unknown = np.array([0.0] * 7 + [1.0])
    told = read_jointly(seen.patches, np.zeros((8, 2), np.float32), alone, unknown, LETTERS, means)
    assert np.exp(told[7]) == pytest.approx([1 / 3] * 3)


def test_most_of_many_empty_cells_take_no_part_and_stay_empty(means: BoardMeans) -> None:
    letters = "WB" + "." * 200
    seen = board(letters, 220, 60, 120, 0.8, np.random.default_rng(11))
    alone = opinions(*[(0.02, 0.49, 0.49)] * 2, *[(0.996, 0.002, 0.002)] * 200)
    described = NO_DESCRIPTOR.describe(seen.patches)
    assert shown(read_jointly(seen.patches, described, alone, np.zeros(202), LETTERS, means)) == letters


def test_a_bare_board_comes_back_as_it_is(means: BoardMeans) -> None:
    alone = opinions(*[(0.98, 0.01, 0.01)] * 4)
    assert read(board("....", 220, 60, 120, 0.8, np.random.default_rng(2)), alone, means) is alone


def test_without_a_model_each_cell_is_read_by_itself() -> None:
    alone = opinions((0.1, 0.5, 0.4), (0.1, 0.4, 0.5))
    assert read(board("WB", 220, 60, 120, 0.8, np.random.default_rng(3)), alone, None) is alone


def test_other_classes_are_left_alone(means: BoardMeans) -> None:
    alone = np.log(np.full((4, 8), 1 / 8))
    patches = np.zeros((4, 48, 48, 3), np.uint8)
    described = np.zeros((4, 2), np.float32)
    assert read_jointly(patches, described, alone, np.zeros(4), ".0123456", means) is alone


def test_twice_the_light_adds_the_same_to_all_colours() -> None:
    rng = np.random.default_rng(4)
    bright, dim = (man_colours(board("W", 200, 60, 120, lamp, rng).patches)[0] for lamp in (1.0, 0.5))
    assert bright - dim == pytest.approx(np.full(LENGTH, (bright - dim).mean()), abs=0.2)


def test_what_is_stored_is_what_was_fitted(means: BoardMeans) -> None:
    again = board_means(means.arrays(), LENGTH + 2)
    assert again.letters == LETTERS
    assert again.projection == pytest.approx(means.projection, rel=1e-5)
    with pytest.raises(ValueError, match="projection"):
        board_means(means.arrays(), LENGTH + 3)
    broken = means.arrays() | {"covariance": -np.eye(len(means.mean))}
    with pytest.raises(ValueError, match="covariance"):
        board_means(broken, LENGTH + 2)
