"""Boards are found by their print at any turn, tilt and light; other pictures yield none."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.bench.score_dominoes import VIEWS, outermost, repose
from tests.vision import drawn
from vision.finding.finder import find_board
from vision.finding.landmarks import pose_quality, right_way_round, snap_pose
from vision.frame import Frame, Image
from vision.pose import BoardPose, pose_from_corners, project
from vision.primitives.lines import refine_pose
from vision.primitives.printed import draw_print, drawn_from_board
from vision.reading.locate import PhotoReader
from vision.watching.align import Aligner

TEMPLATE = load_template("double_double_dominoes")

FloatArray = NDArray[np.float64]
WIDTH, HEIGHT = 960, 720
SCALE = 2.4
SQUARE_MM = 20.0


@pytest.fixture(scope="module")
def sheet() -> Image:
    return draw_print(TEMPLATE, SCALE)


def photo(
    template: BoardTemplate, sheet: Image, turn_deg: float = 0.0, tilt_deg: float = 0.0, side_px: float = 560.0
) -> tuple[Image, BoardPose]:
    """The sheet on a grained table as a camera sees it, and the board's pose."""
    turn, tilt = np.radians(turn_deg), np.radians(tilt_deg)
    outer = template.size_mm[0] + 2 * template.margin_mm
    plane = project(drawn_from_board(template, 1.0), template.corners_mm) / outer - 0.5
    plane = plane @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    depth = 1 - plane[:, 1] * np.sin(tilt) / 2.2
    seen = np.stack([plane[:, 0] / depth, plane[:, 1] * np.cos(tilt) / depth], axis=1)
    pose = pose_from_corners(seen * side_px + [WIDTH / 2, HEIGHT / 2], template)
    rng = np.random.default_rng(0)
    table = np.asarray(cv2.resize(rng.normal(90, 14, (90, 120, 3)), (WIDTH, HEIGHT)))
    matrix = pose.image_from_board @ np.linalg.inv(drawn_from_board(template, SCALE))
    smooth = cv2.GaussianBlur(sheet, (0, 0), 0.4)
    cover = cv2.warpPerspective(np.ones(sheet.shape[:2], np.float32), matrix, (WIDTH, HEIGHT))[..., None]
    picture = table * (1 - cover) + cv2.warpPerspective(smooth, matrix, (WIDTH, HEIGHT)) * cover
    return exposed(picture, 3.0), pose


def exposed(picture: NDArray[np.generic], noise: float) -> Image:
    noisy = picture + np.random.default_rng(1).normal(0, noise, picture.shape)
    return np.asarray(np.clip(np.rint(noisy), 0, 255), dtype=np.uint8)


def with_tiles(template: BoardTemplate, image: Image, pose: BoardPose, every: int = 2) -> Image:
    """The picture with white tiles with dark spots on every `every`-th square."""
    picture, rng = image.copy(), np.random.default_rng(2)
    for x, y in template.cells_mm[::every]:
        square = np.array([[x - 9, y - 9], [x + 9, y - 9], [x + 9, y + 9], [x - 9, y + 9]])
        cv2.fillConvexPoly(picture, np.rint(project(pose.image_from_board, square)).astype(np.int32), (235, 240, 238))
        for spot in project(pose.image_from_board, np.array([x, y]) + rng.uniform(-6, 6, (3, 2))):
            cv2.circle(picture, (round(spot[0]), round(spot[1])), 2, (20, 20, 20), -1, cv2.LINE_AA)
    return picture


def error(pose: BoardPose, truth: BoardPose, template: BoardTemplate) -> float:
    """The worst corner's error, in squares."""
    seen, true = pose.corners_px(template), truth.corners_px(template)
    square_px = np.sqrt(cv2.contourArea(true.astype(np.float32))) / template.size_mm[0] * SQUARE_MM
    return float(np.linalg.norm(seen - true, axis=1).max() / square_px)


@pytest.mark.parametrize("turn_deg", [0, 90, 180, 270, 33])
def test_the_print_shows_which_corner_is_which(sheet: Image, turn_deg: float) -> None:
    image, truth = photo(TEMPLATE, sheet, turn_deg)
    found = find_board(image, TEMPLATE)
    assert found is not None
    assert error(found.pose, truth, TEMPLATE) < 0.05
    assert found.pose.quality > 0.9


@pytest.mark.parametrize(("turn_deg", "tilt_deg"), [(10, 40), (100, 55), (225, 60)])
def test_a_printed_board_is_found_from_aside(sheet: Image, turn_deg: float, tilt_deg: float) -> None:
    image, truth = photo(TEMPLATE, sheet, turn_deg, tilt_deg, side_px=680)
    found = find_board(image, TEMPLATE)
    assert found is not None
    assert error(found.pose, truth, TEMPLATE) < 0.08


def test_tiles_on_half_of_the_squares_do_not_matter(sheet: Image) -> None:
    image, truth = photo(TEMPLATE, sheet, 200, 20)
    found = find_board(with_tiles(TEMPLATE, image, truth), TEMPLATE)
    assert found is not None
    assert error(found.pose, truth, TEMPLATE) < 0.05
    assert found.pose.quality > 0.9


@pytest.mark.parametrize(
    "spoil",
    [
        lambda image: exposed(image * 0.3, 3),
        lambda image: exposed(image * 2.0, 3),
        lambda image: exposed(image * np.array([0.6, 0.9, 1.3]), 3),
        lambda image: exposed(cv2.GaussianBlur(image, (0, 0), 1.5), 3),
        lambda image: exposed(cv2.blur(image, (9, 1)), 3),
    ],
    ids=["dark", "bright", "tinted", "blurred", "shaken"],
)
def test_neither_light_nor_blur_hides_a_print(sheet: Image, spoil: object) -> None:
    assert callable(spoil)
    image, truth = photo(TEMPLATE, sheet, 75, 25)
    found = find_board(spoil(image), TEMPLATE)
    assert found is not None
    assert error(found.pose, truth, TEMPLATE) < 0.08


def test_where_the_print_is_of_another_board_none_is_found(sheet: Image) -> None:
    assert find_board(drawn.draw(load_template("nine_mens_morris"))[0], TEMPLATE) is None
    assert find_board(exposed(np.full((HEIGHT, WIDTH, 3), 100.0), 10), TEMPLATE) is None
    assert find_board(photo(TEMPLATE, sheet[:, ::-1])[0], TEMPLATE) is None, "a mirrored board is none"


def test_a_board_without_its_track_is_not_guessed() -> None:
    """Squares and diamonds look alike from four sides, so they do not show the board's orientation."""
    assert TEMPLATE.printed is not None
    inner = tuple(shape for shape in TEMPLATE.printed.shapes if max(np.abs(np.array(shape.centre_mm) - 150)) < 155)
    bare = dataclasses.replace(TEMPLATE, printed=dataclasses.replace(TEMPLATE.printed, shapes=inner))
    assert find_board(photo(TEMPLATE, draw_print(bare, SCALE))[0], TEMPLATE) is None


@pytest.mark.parametrize("moved_mm", [(19.7, 0.0), (0.0, 39.4), (3.0, 0.0)], ids=["a space", "a tile", "a little"])
def test_a_pose_aside_is_told_from_the_right_one(sheet: Image, moved_mm: tuple[float, float]) -> None:
    image, truth = photo(TEMPLATE, sheet)
    shift = np.array([[1, 0, moved_mm[0]], [0, 1, moved_mm[1]], [0, 0, 1.0]])
    aside = BoardPose(truth.image_from_board @ shift, 0.0, 0.0)
    assert pose_quality(image, truth, TEMPLATE) > 0.95
    assert pose_quality(image, aside, TEMPLATE) < 0.3


def test_a_pose_two_percent_off_is_snapped_to_the_print(sheet: Image) -> None:
    image, truth = photo(TEMPLATE, sheet, 15, 20)
    corners = truth.corners_px(TEMPLATE)
    rough = pose_from_corners(corners + 0.02 * 375 * np.array([[1, 0], [0, -1], [-0.6, 0.7], [0.5, 0.5]]), TEMPLATE)
    assert error(rough, truth, TEMPLATE) > 0.2
    assert error(snap_pose(image, rough, TEMPLATE), truth, TEMPLATE) < 0.03


@pytest.mark.parametrize("first", [0, 3])
def test_corners_given_by_hand_may_begin_anywhere(sheet: Image, first: int) -> None:
    image, truth = photo(TEMPLATE, sheet, 40)
    given = pose_from_corners(np.roll(truth.corners_px(TEMPLATE) + 1.5, first, axis=0), TEMPLATE)
    assert error(right_way_round(image, given, TEMPLATE), truth, TEMPLATE) < 0.15


def test_a_photo_is_read_the_right_way_up_whatever_corner_is_given_first(sheet: Image) -> None:
    image, truth = photo(TEMPLATE, sheet, 180)
    read = PhotoReader(TEMPLATE).read(image, np.roll(truth.corners_px(TEMPLATE), 2, axis=0))
    assert read is not None
    assert error(read.pose, truth, TEMPLATE) < 0.05


def test_the_aligner_follows_a_printed_board_under_tiles_and_when_it_is_turned(sheet: Image) -> None:
    empty, before = photo(TEMPLATE, sheet, 10)
    turned, after = photo(TEMPLATE, sheet, 190)
    full = with_tiles(TEMPLATE, empty, before, every=1)
    aligner = Aligner(TEMPLATE)
    states = []
    for index, image in enumerate([empty] * 6 + [full] * 20 + [turned] * 12):
        alignment = aligner.update(Frame(image, index / 10, index))
        states.append(alignment)
    assert [one.state for one in states[:26]] == ["locked"] * 26
    assert not any(one.relocked for one in states[:26])
    assert min(one.quality for one in states[:26]) > 0.9
    last = states[-1].pose
    assert last is not None
    assert error(last, after, TEMPLATE) < 0.05
    assert sum(one.relocked for one in states[26:]) == 1


def test_every_photo_of_a_folder_gets_its_own_pose(sheet: Image) -> None:
    """A knock too small to be reported still moves the board."""
    image, truth = photo(TEMPLATE, sheet)
    knock = np.array([[1, 0, 1.5], [0, 1, 1.0], [0, 0, 1]])
    knocked = cv2.warpPerspective(image, knock, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    aligner = Aligner(TEMPLATE)
    aligner.update(Frame(image, 0.0, 0, "1.jpg"))
    second = aligner.update(Frame(np.asarray(knocked, dtype=np.uint8), 1.0, 1, "2.jpg"))
    assert second.pose is not None and not second.relocked
    assert error(second.pose, BoardPose(knock @ truth.image_from_board, 0, 0), TEMPLATE) < 0.02


@pytest.mark.parametrize(("name", "view"), [("1_20", "tilted_far"), ("3_10", "hand_held"), ("5_20", "turned_180")])
def test_a_real_board_is_found_where_its_lines_are(real_data: Path, name: str, view: str) -> None:
    image = np.asarray(cv2.imread(str(real_data / "dominoes" / f"{name}.jpg")), dtype=np.uint8)
    found = find_board(image, TEMPLATE)
    assert found is not None
    assert error(found.pose, refine_pose(image, found.pose, TEMPLATE), TEMPLATE) < 0.1
    moved, matrix = repose(image, outermost(found.pose, TEMPLATE), VIEWS[view], np.random.default_rng(0))
    again = find_board(moved, TEMPLATE)
    assert again is not None
    assert error(again.pose, BoardPose(matrix @ found.pose.image_from_board, 0.0, 0.0), TEMPLATE) < 0.1


@pytest.mark.parametrize("name", ["morris/1_20.jpg", "reversi/megahouse_sample1.jpg"])
def test_no_dominoes_are_found_in_photos_of_other_games(real_data: Path, name: str) -> None:
    image = np.asarray(cv2.imread(str(real_data / name)), dtype=np.uint8)
    assert find_board(image, TEMPLATE) is None
