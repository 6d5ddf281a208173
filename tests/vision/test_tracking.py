"""Following a board by optical flow: enough of it must be followed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.template import load_template
from vision.pose import pose_from_corners
from vision.watching.tracking import FEWEST, Tracker

TEMPLATE = load_template("nine_mens_morris")
CORNERS = np.array([[150, 60], [490, 60], [490, 400], [150, 400]], dtype=np.float64)


@pytest.fixture
def textured() -> NDArray[np.uint8]:
    noise = np.random.default_rng(1).normal(128, 60, (480, 640)).astype(np.float32)
    return np.clip(cv2.GaussianBlur(noise, (0, 0), 4.0) * 8 - 896, 0, 255).astype(np.uint8)


def moved(picture: NDArray[np.uint8], dx: float, dy: float) -> NDArray[np.uint8]:
    matrix = np.array([[1, 0, dx], [0, 1, dy]], dtype=np.float64)
    return np.asarray(cv2.warpAffine(picture, matrix, (640, 480), borderMode=cv2.BORDER_REFLECT), dtype=np.uint8)


def test_a_shifted_board_is_followed(textured: NDArray[np.uint8]) -> None:
    tracker = Tracker(textured, pose_from_corners(CORNERS, TEMPLATE).image_from_board, TEMPLATE)
    track = tracker.follow(moved(textured, 5, -3))
    assert track is not None
    assert track.now_from_key[:2, 2] == pytest.approx([5, -3], abs=0.3)
    assert track.support > 0.7


def test_a_scrap_that_a_hand_carries_is_not_taken_for_the_board(textured: NDArray[np.uint8]) -> None:
    tracker = Tracker(textured, pose_from_corners(CORNERS, TEMPLATE).image_from_board, TEMPLATE)
    covered = np.full_like(textured, 90)
    covered[160:310, 240:390] = moved(textured, 2, 1)[160:310, 240:390]
    followed_before = len(tracker._key)
    assert followed_before > 4 * FEWEST
    assert tracker.follow(covered) is None


def test_only_what_stays_where_it_was_looks_as_before_whatever_the_light(textured: NDArray[np.uint8]) -> None:
    tracker = Tracker(textured, pose_from_corners(CORNERS, TEMPLATE).image_from_board, TEMPLATE)
    half_hidden = (textured * 0.6).astype(np.uint8)
    half_hidden[:, :320] = 90
    assert tracker.same_share(textured) == 1.0
    assert 0.35 < tracker.same_share(half_hidden) < 0.65
    assert tracker.same_share(moved(textured, 4, -3)) < 0.2
    assert tracker.same_share(np.full_like(textured, 90)) == 0.0
    assert tracker.same_share(textured[::2, ::2]) == 0.0


def test_a_board_half_hidden_as_the_light_goes_out_stands_where_it_was(textured: NDArray[np.uint8]) -> None:
    tracker = Tracker(textured, pose_from_corners(CORNERS, TEMPLATE).image_from_board, TEMPLATE)
    dark = (textured * 0.25).astype(np.uint8)
    hand = np.random.default_rng(2).normal(128, 60, (480, 640)).astype(np.float32)
    hand = np.clip(cv2.GaussianBlur(hand, (0, 0), 4.0) * 8 - 896, 0, 255)

    def under_it(board: NDArray[np.uint8]) -> NDArray[np.uint8]:
        hidden = board.copy()
        hidden[:, 80:310] = hand[:, 80:310]
        return hidden

    moved_too = Tracker(textured, pose_from_corners(CORNERS, TEMPLATE).image_from_board, TEMPLATE)
    assert moved_too.follow(under_it(moved(dark, 40, 25))) is None
    track = tracker.follow(under_it(dark))
    assert track is not None and not track.untouched
    assert np.array_equal(track.now_from_key, np.eye(3))
    again = tracker.follow(moved(dark, 4, 0))
    assert again is not None and again.now_from_key[0, 2] == pytest.approx(4, abs=0.3)
