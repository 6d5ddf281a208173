"""Finding a known board again, wherever a camera or a push has moved it, and under hands that hide most of it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import games
from calibration.template import load_template
from lab.simulated.phone import RandomWay
from tests.vision.drawn import draw
from vision.pose import pose_from_corners, project
from vision.watching.registration import MOSTLY, STANDS_SHARE, KnownView

TEMPLATE = load_template("nine_mens_morris")
CORNERS = np.array([[150, 60], [490, 60], [490, 400], [150, 400]], dtype=np.float64)
POSE = pose_from_corners(CORNERS, TEMPLATE).image_from_board


@pytest.fixture(scope="module")
def textured() -> NDArray[np.uint8]:
    noise = np.random.default_rng(1).normal(128, 60, (480, 640)).astype(np.float32)
    return np.clip(cv2.GaussianBlur(noise, (0, 0), 4.0) * 8 - 896, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def known(textured: NDArray[np.uint8]) -> KnownView:
    return KnownView(textured, POSE, TEMPLATE)


def moved(picture: NDArray[np.uint8], dx: float, dy: float) -> NDArray[np.uint8]:
    matrix = np.array([[1, 0, dx], [0, 1, dy]], dtype=np.float64)
    return np.asarray(cv2.warpAffine(picture, matrix, (640, 480), borderMode=cv2.BORDER_REFLECT), dtype=np.uint8)


def corners_px(image_from_board: NDArray[np.float64]) -> NDArray[np.float64]:
    return project(image_from_board, TEMPLATE.corners_mm)


@pytest.mark.parametrize(("dx", "dy"), [(0, 0), (5, -3), (-24, 20), (38, 0)])
def test_a_shifted_board_is_found_however_far_it_went(
    known: KnownView, textured: NDArray[np.uint8], dx: float, dy: float
) -> None:
    found = known.find(moved(textured, dx, dy), POSE)
    assert found is not None and found.support > 0.7
    assert corners_px(found.image_from_board) == pytest.approx(CORNERS + np.array([dx, dy]), abs=0.3)


@pytest.mark.parametrize("game", ["gomoku", "reversi"])
@pytest.mark.parametrize("hand", [False, True])
def test_a_board_of_equal_cells_that_jumps_by_a_line_is_never_found_a_line_off(game: str, hand: bool) -> None:
    rules, template = games.load(game), load_template(game)
    picture, pose = draw(template, cells=rules.board(rules.initial()))
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    view = KnownView(grey, pose.image_from_board, template)
    cell = project(pose.image_from_board, np.array([[0, 0], [template.pitch_mm] * 2]))
    found_in = 0
    for share in ([0.6, 0.0], [0.0, -0.8], [1.0, 0.0], [1.1, 0.9]):
        dx, dy = (cell[1] - cell[0]) * share
        now = moved(grey, dx, dy)
        if hand:
            cv2.rectangle(now, (250, 250), (330, 479), 170, -1)
        found = view.find(now, pose.image_from_board)
        if found is not None:
            found = view.on_its_lines(now, pose.image_from_board, found, lines=True)
            assert found is not None
            found_in += 1
            truth = pose.corners_px(template) + np.array([dx, dy])
            assert project(found.image_from_board, template.corners_mm) == pytest.approx(truth, abs=2.0)
    assert found_in >= 2


def test_paper_that_lies_otherwise_after_a_push_is_where_it_is_whatever_a_hand_leaves_in_view(
    textured: NDArray[np.uint8],
) -> None:
    view = KnownView(textured, POSE, TEMPLATE)
    y, x = np.mgrid[:480, :640].astype(np.float32)
    bulged = np.asarray(cv2.remap(textured, x + 4 * np.sin(x / 60), y + 4 * np.cos(y / 50), cv2.INTER_LINEAR), np.uint8)
    places = []
    for left, top in ((150, 60), (350, 60), (150, 250), (350, 250)):
        covered = bulged.copy()
        covered[top : top + 150, left : left + 140] = 90
        found = view.find(covered, POSE)
        assert found is not None and found.support > 0.5
        view.keep(found)
        places.append(corners_px(found.image_from_board))
    assert np.ptp(places, axis=0).max() < 0.5


def test_errors_do_not_add_up_before_a_swaying_camera(known: KnownView, textured: NDArray[np.uint8]) -> None:
    way, near = RandomWay(5), POSE
    for step in range(60):
        sway = way.picture_from_rest(step / 15, (640, 480))
        picture = cv2.warpPerspective(textured, sway, (640, 480), borderMode=cv2.BORDER_REFLECT)
        found = known.find(np.asarray(picture, dtype=np.uint8), near)
        assert found is not None
        near = found.image_from_board
    assert corners_px(near) == pytest.approx(corners_px(sway @ POSE), abs=0.5)


def test_a_scrap_that_a_hand_carries_is_not_taken_for_the_board(known: KnownView, textured: NDArray[np.uint8]) -> None:
    covered = np.full_like(textured, 90)
    covered[160:310, 240:390] = moved(textured, 2, 1)[160:310, 240:390]
    assert known.find(covered, POSE) is None


def test_points_that_a_hand_hides_lie_where_they_lay(textured: NDArray[np.uint8]) -> None:
    known, covered = KnownView(textured, POSE, TEMPLATE), textured.copy()
    covered[:, 400:] = 128
    found = known.find(covered, POSE)
    assert found is not None and found.lie is not None and np.isnan(found.lie).any()
    for picture in (covered, textured):
        found = known.find(picture, POSE)
        assert found is not None and found.lie is not None
        known.keep(found)
    assert np.linalg.norm(found.lie - known._board, axis=1).max() < 1


def test_under_a_hand_the_table_tells_where_the_board_is(known: KnownView, textured: NDArray[np.uint8]) -> None:
    covered = moved(textured, 4, -2)
    covered[80:380, 170:470] = 90
    found = known.find(covered, POSE)
    assert found is not None and found.support < 0.5
    assert corners_px(found.image_from_board) == pytest.approx(CORNERS + np.array([4, -2]), abs=0.5)


def test_only_what_stays_where_it_was_looks_as_before_whatever_the_light(
    known: KnownView, textured: NDArray[np.uint8]
) -> None:
    half_hidden = (textured * 0.6).astype(np.uint8)
    half_hidden[:, :320] = 90
    assert known.same_share(textured, POSE) == 1.0
    assert 0.35 < known.same_share(half_hidden, POSE) < 0.65
    assert known.same_share(moved(textured, 4, -3), POSE) < 0.2
    assert known.same_share(np.full_like(textured, 90), POSE) == 0.0


@pytest.mark.parametrize("pushed", [False, True])
def test_a_board_half_hidden_as_the_light_goes_out_is_said_to_stand_only_where_it_stands(
    known: KnownView, textured: NDArray[np.uint8], pushed: bool
) -> None:
    shift = np.array([40, 25]) * pushed
    dark = moved((textured * 0.25).astype(np.uint8), *shift)
    hand = np.random.default_rng(2).normal(128, 60, (480, 640)).astype(np.float32)
    dark[:, :320] = np.clip(cv2.GaussianBlur(hand, (0, 0), 4.0) * 2 - 128, 0, 255)[:, :320]
    assert (known.same_share(dark, POSE) >= STANDS_SHARE) == (not pushed)
    found = known.find(dark, POSE)
    assert found is not None or pushed
    if found is not None:
        assert corners_px(found.image_from_board) == pytest.approx(CORNERS + shift, abs=1.0 if pushed else 0.5)


def test_a_board_turned_about_is_not_found(known: KnownView, textured: NDArray[np.uint8]) -> None:
    assert known.find(np.ascontiguousarray(textured[::-1, ::-1]), POSE) is None


@pytest.mark.parametrize("blur", [2.0, 3.0])
def test_a_board_is_followed_by_a_lens_that_leaves_its_focus_and_comes_back(blur: float) -> None:
    image, pose = draw(TEMPLATE, cells="WB......W....B.....W..B.")
    sharp = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    soft = np.asarray(cv2.GaussianBlur(sharp, (0, 0), blur), dtype=np.uint8)
    shift = np.array([4.0, -3.0])
    for known, seen in ((sharp, soft), (soft, sharp)):
        view = KnownView(known, pose.image_from_board, TEMPLATE)
        assert view.same_share(seen, pose.image_from_board) > STANDS_SHARE
        found = view.find(
            np.asarray(cv2.warpAffine(seen, np.array([[1, 0, 4.0], [0, 1, -3.0]]), sharp.shape[::-1]), dtype=np.uint8),
            pose.image_from_board,
        )
        assert found is not None and found.support > MOSTLY
        assert corners_px(found.image_from_board) == pytest.approx(corners_px(pose.image_from_board) + shift, abs=1.0)
