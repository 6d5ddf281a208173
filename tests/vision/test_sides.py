"""Men of one colour share their evidence; one colour in light and shadow is not two."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.sides import tell_sides_apart

LETTERS = ".WB"
Colour = tuple[int, int, int]
LAVENDER, GREEN, GREY, DARK_GREY = (220, 170, 160), (60, 90, 40), (190, 190, 190), (110, 110, 110)


def patches(*colours: Colour | None) -> NDArray[np.uint8]:
    """A patch per cell: a disc of the colour on a pale board, or the bare board."""
    found = []
    for colour in colours:
        patch = np.full((48, 48, 3), (200, 220, 230), np.uint8)
        if colour is not None:
            cv2.circle(patch, (24, 24), 17, colour, -1)
        found.append(patch)
    return np.array(found)


def opinions(*light: float | None) -> NDArray[np.float64]:
    """Logarithms for cells: the share of light among the men, None for an empty cell."""
    rows = [(0.98, 0.01, 0.01) if share is None else (0.02, 0.98 * share, 0.98 * (1 - share)) for share in light]
    return np.log(np.array(rows))


def read(logs: NDArray[np.float64]) -> str:
    return "".join(LETTERS[index] for index in logs.argmax(axis=1))


def test_a_man_that_is_doubtful_alone_is_told_by_the_men_of_its_colour() -> None:
    seen = patches(LAVENDER, LAVENDER, LAVENDER, GREEN, GREEN, None)
    told = tell_sides_apart(seen, opinions(0.4, 0.8, 0.7, 0.1, 0.2, None), LETTERS)
    assert read(told) == "WWWBB."


def test_the_probability_that_a_man_stands_there_stays() -> None:
    seen = patches(LAVENDER, LAVENDER, GREEN, None)
    before = opinions(0.4, 0.8, 0.1, None)
    told = tell_sides_apart(seen, before, LETTERS)
    assert np.exp(told).sum(axis=1) == pytest.approx(np.exp(before).sum(axis=1))
    assert told[:, 0] == pytest.approx(before[:, 0])


def test_white_men_of_which_some_lie_in_a_hard_shadow_stay_white() -> None:
    seen = patches(GREY, GREY, DARK_GREY, DARK_GREY)
    before = opinions(0.97, 0.95, 0.85, 0.85)
    assert tell_sides_apart(seen, before, LETTERS) == pytest.approx(before)


def test_men_of_one_colour_stay_as_each_was_read() -> None:
    seen = patches(LAVENDER, LAVENDER, LAVENDER)
    before = opinions(0.6, 0.8, 0.7)
    assert tell_sides_apart(seen, before, LETTERS) == pytest.approx(before)


def test_a_game_with_other_classes_is_left_alone() -> None:
    before = np.log(np.full((4, 8), 1 / 8))
    assert tell_sides_apart(patches(LAVENDER, GREEN, LAVENDER, GREEN), before, ".0123456") == pytest.approx(before)
