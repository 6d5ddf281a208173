"""A lens that loses focus: the measured blur and the gate's behaviour, on drawn boards."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.drawn import noisy
from tests.vision.test_watcher import RATE_HZ, TEMPLATE, Steady, fresh, men
from vision.frame import Image
from vision.pose import rectify
from vision.watching.differences import pair
from vision.watching.focus import BLURS_PX, LEGIBLE_PX, blur_px
from vision.watching.light import FloatImage
from vision.watching.surroundings import small_picture
from vision.watching.watcher import HUNTS_S, Sight

SHRUNK = 310 / 110
"""Pixels of the camera's picture for one of the small one, about."""
BREATH_S = 2.0
"""Seconds from one sharp picture to the next."""


def blurred(picture: Image, blur: float) -> Image:
    return picture if not blur else np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8)


def seen(table: Steady, picture: Image, gain: float = 1.0, noise: float = 2.0) -> FloatImage:
    table.index += 1
    shown = noisy(cv2.convertScaleAbs(picture, alpha=gain), table.index, noise)
    return small_picture(rectify(shown, table.pose, TEMPLATE))


@pytest.fixture
def table() -> Steady:
    return Steady()


@pytest.mark.parametrize("gain", [1.0, 0.6])
@pytest.mark.parametrize("noise", [1.0, 6.0])
def test_a_blur_is_measured_whatever_light_and_noise(table: Steady, gain: float, noise: float) -> None:
    sharp = seen(table, table.board(men(4)))
    for blur in BLURS_PX[1:-1]:
        measured = blur_px(sharp, seen(table, blurred(table.board(men(4)), blur * SHRUNK), gain, noise))
        assert blur / 1.5 < measured < blur * 1.5
    assert blur_px(sharp, seen(table, table.board(men(4)), gain, noise)) <= LEGIBLE_PX


def test_a_sharper_picture_is_told_from_a_blurrier_one_and_both_are_made_alike(table: Steady) -> None:
    sharp, soft = seen(table, table.board()), seen(table, blurred(table.board(), 5))
    assert blur_px(sharp, soft) > 0 > blur_px(soft, sharp)
    both = pair(soft, sharp)
    assert both.before is soft and np.abs(both.before - both.after).mean() < np.abs(soft - sharp).mean() / 2


def test_a_hand_over_the_board_is_no_blur(table: Steady) -> None:
    free, covered = seen(table, table.board()), seen(table, table.arm(table.board()))
    assert abs(blur_px(free, covered)) <= LEGIBLE_PX


def breathe(table: Steady, picture: Image, seconds: float) -> list[tuple[float, Sight]]:
    """Shows pictures of a hunting lens; returns each one's blur from 0 to 1, and what was seen."""
    told = []
    for _ in range(round(seconds * RATE_HZ)):
        blur = np.sin(np.pi * table.time_s / BREATH_S) ** 2
        (sight,) = table.show(blurred(picture, 1.2 * SHRUNK * blur))
        told.append((blur, sight))
    return told


def test_a_lens_that_hunts_is_neither_motion_nor_a_hand_nor_a_lamp(table: Steady) -> None:
    table.show(table.board(), 2)
    told = breathe(table, table.board(), 8)
    assert {sight.phase for _, sight in told} == {"settling", "settled"}
    assert not fresh([sight for _, sight in told])
    assert all(sight.alike.all() and not sight.hidden.any() for _, sight in told)
    assert max(blur for blur, sight in told if sight.settled) < 0.5


def test_a_man_laid_while_the_lens_hunts_is_read_in_a_sharp_picture(table: Steady) -> None:
    table.show(table.board(), 2)
    breathe(table, table.arm(table.board()), 1)
    told = breathe(table, table.board(men(4)), BREATH_S + 1)
    assert fresh([sight for _, sight in told]) == 1
    assert next(blur for blur, sight in told if sight.fresh) < 0.5


def test_a_hand_is_seen_while_the_lens_hunts(table: Steady) -> None:
    table.show(table.board(), 2)
    sights = [sight for _, sight in breathe(table, table.arm(table.board()), 8)]
    assert {sight.phase for sight in sights[RATE_HZ:] if not sight.blocked} <= {"occluded", "settling", "moving"}
    assert not any(sight.blocked for sight in sights[: 4 * RATE_HZ])
    assert all(sight.hidden[16] for sight in sights)


def test_a_camera_that_stays_out_of_focus_is_read_all_the_same(table: Steady) -> None:
    table.show(table.board(), 2)
    table.show(table.arm(table.board()), 1)
    soft = blurred(table.board(men(4)), 5)
    assert not any(state.settled for state in table.show(soft, HUNTS_S - 0.2))
    states = table.show(soft, 2)
    assert fresh(states) == 1 and states[-1].settled
    assert all(state.settled for state in table.show(soft, 4))


def test_a_lens_that_never_comes_back_is_waited_for_no_longer_than_it_may_hunt(table: Steady) -> None:
    table.show(table.board(), 2)
    table.show(table.arm(table.board()), 1)
    softest = [
        state for _ in range(8) for blur in (4, 7) for state in table.show(blurred(table.board(men(4)), blur), 0.6)
    ]
    assert not any(state.settled for state in softest[: round(4 * RATE_HZ)])
    assert fresh(softest) == 1


@pytest.mark.parametrize("gain", [0.6, 0.8, 1.2])
def test_another_exposure_is_no_blur(table: Steady, gain: float) -> None:
    before, after = seen(table, table.board(men(4))), seen(table, table.board(men(9)), gain)
    assert pair(before, after).blur_px == 0
