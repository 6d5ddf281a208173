"""Pawns on the printed track, in all kinds of simulated light."""

from __future__ import annotations

import functools

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from vision.frame import Image
from vision.pose import project
from vision.primitives.printed import draw_print
from vision.reading.pawns import find_pawns

TEMPLATE = load_template("double_double_dominoes")
PLASTIC = {"red": (40, 30, 170), "green": (130, 150, 20)}
"""Colours in BGR."""


@functools.cache
def bare() -> Image:
    return draw_print(TEMPLATE, TEMPLATE.pixels_per_mm)


def board(red: int | None, green: int | None, offset_mm: tuple[float, float] = (0, 0), apart_mm: float = 0.0) -> Image:
    """The bare board with pawns on these spaces, moved by `apart_mm` to the left (red) and to the right (green)."""
    image = bare().copy()
    for sign, (colour, space) in zip((-1, 1), {"red": red, "green": green}.items(), strict=True):
        if space is not None:
            place = TEMPLATE.track_mm[space - 1] if space else np.array(TEMPLATE.source["pawns"][colour])
            put_pawn(image, place + offset_mm + np.array([sign * apart_mm, 0]), PLASTIC[colour])
    return image


def put_pawn(image: Image, place_mm: np.ndarray, colour: tuple[int, int, int]) -> None:
    """Draws a disc of clear plastic with a dark rim and a highlight."""
    x, y = project(TEMPLATE.rectified_from_board, place_mm[None])[0]
    at, radius = (round(x), round(y)), round(8 * TEMPLATE.pixels_per_mm)
    clear = image.copy()
    cv2.circle(clear, at, radius, colour, -1, cv2.LINE_AA)
    cv2.circle(clear, at, radius - 1, tuple(value * 0.4 for value in colour), 3, cv2.LINE_AA)
    cv2.circle(clear, (at[0] - 3, at[1] - 3), 3, (230, 230, 230), -1, cv2.LINE_AA)
    image[:] = cv2.addWeighted(clear, 0.85, image, 0.15, 0)


def spaces(image: Image) -> tuple[int | None, int | None]:
    pawns = find_pawns(image, TEMPLATE)
    return pawns["red"].space, pawns["green"].space


@pytest.mark.parametrize("pair", [(7, 31), (1, 100), (50, 49), (99, 12)])
def test_pawns_are_found_on_their_spaces(pair: tuple[int, int]) -> None:
    assert spaces(board(*pair)) == pair


def test_every_space_is_told_from_its_neighbours() -> None:
    found = [spaces(board(space, 101 - space)) for space in range(1, 101, 3)]
    assert found == [(space, 101 - space) for space in range(1, 101, 3)]


def test_bare_board_shows_no_pawns() -> None:
    pawns = find_pawns(bare(), TEMPLATE)
    assert [pawn.space for pawn in pawns.values()] == [None, None]
    assert all(pawn.probability > 0.8 for pawn in pawns.values())


def test_pawns_at_the_start_lie_on_space_0() -> None:
    assert spaces(board(0, 0)) == (0, 0)
    assert spaces(board(0, 3)) == (0, 3)


def test_two_pawns_share_a_space_side_by_side() -> None:
    assert spaces(board(20, 20, apart_mm=4.5)) == (20, 20)


def test_pawn_off_the_middle_belongs_to_the_nearest_space() -> None:
    assert spaces(board(33, 70, offset_mm=(3.0, -3.0))) == (33, 70)


@pytest.mark.parametrize(
    "light", [(1, 1, 1), (0.25, 0.25, 0.25), (0.5, 0.9, 1.2), (1.3, 1.0, 0.7)], ids=["day", "dark", "lamp", "blue"]
)
def test_light_changes_nothing(light: tuple[float, float, float]) -> None:
    image = board(14, 61).astype(np.float64) * light
    image *= np.linspace(0.5, 1.1, image.shape[1])[None, :, None]
    noisy = image + np.random.default_rng(0).normal(0, 3, image.shape)
    assert spaces(np.clip(noisy, 0, 255).astype(np.uint8)) == (14, 61)


def test_boards_without_a_track_have_no_pawns() -> None:
    morris = load_template("nine_mens_morris")
    assert find_pawns(np.zeros((512, 512, 3), dtype=np.uint8), morris) == {}
