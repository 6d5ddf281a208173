"""Hands that rest over the board for ever, that come from the end of the camera's picture, or are out of focus."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from tests.vision.drawn import CORNERS, draw
from tests.vision.test_surroundings import SLEEVE, shown
from tests.vision.test_watcher import HIDDEN, RATE_HZ, Steady, fresh, men, which
from vision.frame import Image
from vision.pose import cells_in_picture, project
from vision.watching.surroundings import Surroundings, surroundings_of
from vision.watching.watcher import MAX_STEP_S, REPORTED_S

TEMPLATE = load_template("nine_mens_morris")


@pytest.fixture(scope="module")
def gomoku() -> BoardTemplate:
    return load_template("gomoku")


def test_a_hand_that_rests_for_ever_is_reported_and_never_taken_for_the_board() -> None:
    table = Steady()
    table.show(table.board(), 4)
    sights = table.show(table.arm(table.board()), 3 * REPORTED_S)
    assert not any(sight.blocked or sight.settled for sight in sights[: int((REPORTED_S - 0.5) * RATE_HZ)])
    assert all(sight.blocked and sight.settled for sight in sights[int((REPORTED_S + 0.5) * RATE_HZ) :])
    assert all({16, 19} <= set(which(sight.hidden)) <= set(HIDDEN) for sight in sights)
    back = table.show(table.board(men(16)), 1.5)
    assert fresh(back) == 1 and not back[-1].blocked
    assert not back[-1].hidden.any() and which(back[0].own_s == 0).count(16) == 1


@pytest.mark.parametrize("live", [True, False])
def test_a_hand_in_the_picture_of_a_camera_that_froze_is_no_hand_that_rested(live: bool) -> None:
    table = Steady()
    table.show(table.board(), 2)
    reaching = table.arm(table.board())
    table.show(reaching, 0.6)
    table.noise = 2.5 if live else 0.0
    last = table.show(reaching, REPORTED_S + 3)[-1]
    assert table.watcher.time.is_frozen == (not live)
    assert last.blocked == live and table.watcher.stood(REPORTED_S) == live
    assert (last.own_s[16] > MAX_STEP_S + 1) == live
    assert {16, 19} <= set(which(last.hidden))


ENDS = {"bottom": (0, 0), "top": (0, -80), "left": (-125, 0), "right": (125, 0)}
"""How the drawn board is moved so that the camera's picture ends there, just outside the frame."""


def reaching(picture: Image, place: tuple[int, int], end: str) -> Image:
    """The picture with an arm from one of its edges whose hand lies at a place."""
    covered, (height, width) = picture.copy(), picture.shape[:2]
    x, y = place
    start = {"bottom": (x + 40, height + 60), "top": (x - 40, -60), "left": (-60, y), "right": (width + 60, y)}[end]
    cv2.line(covered, place, start, (120, 90, 60), 40)
    cv2.circle(covered, place, 26, (130, 160, 215), -1)
    return covered


@pytest.mark.parametrize(("end", "cell"), [("bottom", 16), ("top", 7), ("left", 11), ("right", 12)])
@pytest.mark.parametrize("near", [True, False])
def test_a_hand_from_the_end_of_the_cameras_picture_is_a_hand_however_near_that_end_is(
    end: str, cell: int, near: bool
) -> None:
    corners: NDArray[np.float64] = CORNERS + (ENDS[end] if near else (0, -40))
    table = Steady(corners=corners)
    table.show(table.board(), 2)
    covered = reaching(table.board(), table.place(cell), end)
    sights = table.show(covered, 3)
    assert not any(sight.settled for sight in sights) and sights[-1].phase == "occluded"
    assert all(sight.hidden[cell] for sight in sights) and sights[-1].hidden.sum() <= 6
    assert fresh(table.show(table.board(men(cell)), 1.5)) == 1


@pytest.mark.parametrize("beyond_px", [11, 13, 15])
@pytest.mark.parametrize("letter", ["W", "B"])
def test_a_man_near_the_end_of_the_cameras_picture_is_no_hand(letter: str, beyond_px: int) -> None:
    ganh = load_template("co_ganh")
    bare = "." * len(ganh.cell_names)
    cell = ganh.cell_names.index("a1")
    board, pose = draw(ganh)
    laid = draw(ganh, cells=bare[:cell] + letter + bare[cell + 1 :])[0]
    x, y = project(pose.image_from_board, ganh.cells_mm[[cell]])[0]
    end = round(y) + round(0.5 * ganh.man_diameter_mm / ganh.size_mm[1] * 320) + beyond_px
    sleeve = board.copy()
    cv2.line(sleeve, (round(x), end + 20), (round(x) + 20, round(y) - 60), SLEEVE, 20)

    def around(image: Image) -> Surroundings:
        return surroundings_of(image[:end], pose, ganh)

    assert around(board).unseen.any()
    man, hand = (shown(ganh, (around(board), 2), (around(picture), 2))[-1] for picture in (laid, sleeve))
    assert man.settled and not man.hidden.any()
    assert hand.hidden[cell]


@pytest.mark.parametrize("hand", [False, True])
def test_a_board_that_a_corner_of_leaves_the_cameras_picture_is_read_and_a_hand_on_it_is_seen(hand: bool) -> None:
    template = load_template("nine_mens_morris")
    image, pose = draw(template)
    pushed = np.array([[1, 0, 120], [0, 1, 90], [0, 0, 1.0]])
    cut = np.asarray(cv2.warpPerspective(image, pushed, (640, 480), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
    after = dataclasses.replace(pose, image_from_board=pushed @ pose.image_from_board)
    if hand:
        cv2.line(cut, (639, 430), (430, 330), (90, 120, 190), 60)
    last = shown(template, (surroundings_of(image, pose, template), 4), (surroundings_of(cut, after, template), 4))[-1]
    beyond = cells_in_picture(after, template, cut) < 0.5
    assert 1 <= beyond.sum() <= 8 and last.hidden[beyond].all()
    assert last.settled == (not hand)
    assert (last.hidden & (cells_in_picture(after, template, cut) > 0.95)).any() == hand


def test_a_lens_out_of_focus_is_told_and_nothing_settles_meanwhile() -> None:
    table = Steady()
    table.show(table.board(), 2)
    soft = np.asarray(cv2.GaussianBlur(table.board(men(4)), (0, 0), 4), np.uint8)
    sights = table.show(soft, 2)
    assert all(sight.blurred and not sight.settled for sight in sights[1:])
    assert not table.show(table.board(men(4)), 1)[-1].blurred
