"""Hands and shadows: hands cover the board's texture, shadows only darken it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.watching.cover import Flags, outside, things_over
from vision.watching.light import FloatImage, changed, light_change

SIZE = 128
MAN_PX = 90.0
"""Square pixels that a man covers in these pictures."""


def chess() -> FloatImage:
    """A chessboard of two woods, with a margin and some grain."""
    rng = np.random.default_rng(4)
    picture = np.full((SIZE, SIZE, 3), (110, 150, 175), np.float32)
    for row in range(8):
        for column in range(8):
            wood = (70, 100, 150) if (row + column) % 2 else (190, 215, 225)
            picture[16 + 12 * row : 28 + 12 * row, 16 + 12 * column : 28 + 12 * column] = wood
    return soft(picture * rng.normal(1, 0.02, (SIZE, SIZE, 1)))


def plain() -> FloatImage:
    """A board with only a few thin lines on wood."""
    picture = np.full((SIZE, SIZE, 3), (110, 150, 175), np.float32)
    for inset in (16, 32, 48):
        cv2.rectangle(picture, (inset, inset), (127 - inset, 127 - inset), (50, 60, 70), 1)
    return soft(picture)


def soft(picture: FloatImage) -> FloatImage:
    return np.asarray(cv2.GaussianBlur(np.clip(picture, 0, 255), (3, 3), 0), dtype=np.float32)


def shade(picture: FloatImage, blur: float = 2.0) -> FloatImage:
    """The picture with an onlooker's shadow over the left third."""
    gain = np.ones((SIZE, SIZE, 1), np.float32)
    gain[:, :45] = 0.55
    return np.asarray(picture * cv2.GaussianBlur(gain, (0, 0), blur)[..., None], dtype=np.float32)


def man(picture: FloatImage) -> FloatImage:
    standing = picture.copy()
    cv2.circle(standing, (34, 60), 5, (20, 20, 25), -1)
    return soft(standing)


def arm(picture: FloatImage, skin: tuple[int, int, int] = (110, 135, 200)) -> FloatImage:
    """The picture with a sleeve and a hand from the right, and their shadow below."""
    covered = picture.copy()
    dark = np.ones((SIZE, SIZE, 1), np.float32)
    cv2.line(dark, (135, 75), (60, 85), (0.6,), 18)
    covered = covered * dark
    cv2.line(covered, (135, 55), (95, 62), (30, 25, 28), 18)
    cv2.line(covered, (94, 62), (62, 68), skin, 16)
    return soft(covered)


def area(before: FloatImage, after: FloatImage) -> float:
    """The area of the largest object that reaches in from outside, in square pixels; 0 if there is none."""
    light = light_change(before, after)
    mask = np.where(changed(before, after, light) > 9, 255, 0).astype(np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    board: Flags = np.zeros((SIZE, SIZE), dtype=bool)
    board[14:-14, 14:-14] = True
    return max((float(things.sum()) for things in things_over(before, after, mask, light, board, 20)), default=0.0)


BOARDS = pytest.mark.parametrize("board", [chess(), plain()], ids=["chess", "lines"])


@BOARDS
@pytest.mark.parametrize("skin", [(110, 135, 200), (60, 80, 115), (95, 125, 150)], ids=["fair", "dark", "like wood"])
def test_an_arm_with_its_shadow_is_a_thing(board: FloatImage, skin: tuple[int, int, int]) -> None:
    assert area(board, arm(board, skin)) > 2.5 * MAN_PX


@BOARDS
@pytest.mark.parametrize("blur", [1.0, 4.0])
def test_a_shadow_is_none(board: FloatImage, blur: float) -> None:
    assert area(board, shade(board, blur)) < 0.5 * MAN_PX


@BOARDS
def test_a_man_laid_in_a_shadow_is_no_larger_than_a_man(board: FloatImage) -> None:
    assert area(board, shade(man(board))) < 1.6 * MAN_PX


def test_men_that_do_not_touch_the_outside_are_nothing() -> None:
    assert area(plain(), man(plain())) == 0


def test_what_is_black_in_both_pictures_is_outside() -> None:
    picture = plain()
    picture[:30] = 0
    assert outside(picture, picture)[:30].all() and not outside(picture, picture)[40:120, 10:120].any()
    assert not outside(picture, plain())[10:28, 10:120].any(), "in one of them it can be seen"


def test_a_black_sleeve_in_the_dark_does_not_cut_the_hand_off() -> None:
    board = chess()
    board[:, 100:] = 3
    covered = board.copy()
    cv2.line(covered, (100, 60), (60, 66), (110, 135, 200), 16)
    assert area(board, soft(covered)) > 2.5 * MAN_PX
