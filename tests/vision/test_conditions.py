"""Viewing conditions, measured on a simulated table that is spoilt in one way at a time."""

from __future__ import annotations

import functools

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from lab.simulated.camera import look_at
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from vision.calibrating.survey import Shown, survey
from vision.calibrating.verdict import LIMITS, Condition, Limit, refusing, warning, worst_of
from vision.finding.viewpoint import Viewpoint, viewpoint
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners
from wording import sentence

TEMPLATE = load_template("nine_mens_morris")
EMPTY_BOARD, MEN = "." * 24, "WB" * 6 + "." * 12
SIZE_PX = (640, 360)


@functools.lru_cache(maxsize=2)
def picture(board: str = EMPTY_BOARD) -> tuple[Image, BoardPose]:
    """A good picture of the default table, and the board's pose in it."""
    table = SimulatedTable(TEMPLATE, board, default_style(), seed=4, size_px=SIZE_PX)
    return table.render(), pose_from_corners(table.corners_px(), TEMPLATE)


def found(image: Image, pose: BoardPose, board: str = EMPTY_BOARD) -> dict[str, Condition]:
    return {condition.name: condition for condition in survey([Shown(image, pose, board)], TEMPLATE)}


def smaller(share: float) -> tuple[Image, BoardPose]:
    image, pose = picture()
    small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8), pose_from_corners(share * pose.corners_px(TEMPLATE), TEMPLATE)


def test_good_picture_is_fine_in_every_condition() -> None:
    everything = survey([Shown(*picture(), EMPTY_BOARD), Shown(*picture(MEN), MEN)], TEMPLATE)
    assert {condition.name for condition in everything} | {"found"} == set(LIMITS)
    assert not refusing(everything) and not warning(everything)


def seen_from(tilt_deg: float, focal: float) -> Viewpoint:
    """The cells as seen by a camera with that tilt from straight above."""
    camera = look_at(TEMPLATE.corners_mm, SIZE_PX, focal=focal, tilt_deg=tilt_deg, fill=0.9)
    corners_px = camera.project(np.column_stack([TEMPLATE.corners_mm, np.zeros(4)]))
    return viewpoint(pose_from_corners(corners_px, TEMPLATE), TEMPLATE, SIZE_PX)


@pytest.mark.parametrize(("tilt_deg", "focal"), [(25.0, 0.8), (35.0, 1.0), (55.0, 1.4), (75.0, 0.9)])
def test_camera_height_is_told_within_six_degrees_whatever_the_lens(tilt_deg: float, focal: float) -> None:
    assert np.median(seen_from(tilt_deg, focal).elevation_deg) == pytest.approx(90 - tilt_deg, abs=6.0)


def test_low_camera_sees_the_far_cells_flattest() -> None:
    seen = seen_from(78.0, 0.9)
    assert np.median(seen.elevation_deg) < LIMITS["elevation"].refuses
    assert TEMPLATE.cell_names[int(np.argmin(seen.elevation_deg))] in ("a7", "d7", "g7")


def test_small_board_asks_for_a_wider_picture() -> None:
    share = 6.0 / float(viewpoint(picture()[1], TEMPLATE, SIZE_PX).cell_px.min())
    pixels = found(*smaller(share))["pixels"]
    assert pixels.grade == "refuses" and pixels.value == pytest.approx(6.0, abs=0.3)
    assert "A cell is 6 pixels wide; 12 are needed" in pixels.text and "camera.width_px to 1280" in pixels.text


def test_dark_room_is_told_from_a_lit_one() -> None:
    image, pose = picture()
    dim = found((image * 0.12).astype(np.uint8), pose)["brightness"]
    dark = found((image * 0.05).astype(np.uint8), pose)["brightness"]
    assert (dim.grade, dark.grade) == ("warns", "refuses") and "switch on a light" in dark.text


def test_lamp_that_mirrors_is_told_by_the_cells_it_hides() -> None:
    image, pose = picture()
    lit = image.copy()
    for name in ("d5", "e4"):
        x, y = (TEMPLATE.cells_mm[TEMPLATE.cell_names.index(name)]).tolist()
        mapped = pose.image_from_board @ [x, y, 1]
        cv2.circle(lit, tuple(np.round(mapped[:2] / mapped[2]).astype(int).tolist()), 9, (255, 255, 255), -1)
    glare = found(lit, pose)["glare"]
    assert [TEMPLATE.cell_names[cell] for cell in glare.cells] == ["d5", "e4"] and glare.grade == "warns"
    assert glare.text.startswith("The lamp mirrors in d5 and e4: move it")


def test_burnt_out_board_is_no_mirrored_lamp() -> None:
    _, pose = picture()
    conditions = found(np.full((SIZE_PX[1], SIZE_PX[0], 3), 255, dtype=np.uint8), pose)
    assert conditions["exposure"].grade == "refuses" and conditions["glare"].grade == "fine"


def test_blurred_lines_ask_for_focus_and_noise_does_not() -> None:
    image, pose = picture()
    noisy = np.clip(image + np.random.default_rng(1).normal(0, 8, image.shape), 0, 255).astype(np.uint8)
    assert found(noisy, pose)["sharpness"].grade == "fine"
    cell_px = float(viewpoint(pose, TEMPLATE, SIZE_PX).cell_px.min())
    blurred = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.14 * cell_px), dtype=np.uint8)
    sharpness = found(blurred, pose)["sharpness"]
    assert sharpness.grade != "fine" and "focus the camera" in sharpness.text


def test_shadow_over_half_of_the_board_names_its_cells() -> None:
    image, pose = picture()
    middle = int(pose.corners_px(TEMPLATE)[:, 0].mean()) + 8
    shaded = image.copy()
    shaded[:, :middle] = (shaded[:, :middle] * 0.3).astype(np.uint8)
    light = found(shaded, pose)["unevenness"]
    names = {TEMPLATE.cell_names[cell] for cell in light.cells}
    assert light.grade == "warns" and {"a7", "a4", "a1", "b6"} <= names and not {"g7", "g4", "g1"} & names


def test_men_alike_and_men_of_the_boards_colour_are_named() -> None:
    image, pose = picture(MEN)
    alike = found(image // 12 + 180, pose, MEN)
    assert alike["contrast"].grade != "fine"
    assert alike["contrast"].text.startswith("Light men and dark men look alike")
    assert "board's colour" in alike["camouflage"].text and alike["camouflage"].grade != "refuses"


def test_pictures_of_nothing_but_the_empty_board_say_nothing_of_men() -> None:
    assert not {"contrast", "camouflage"} & set(found(*picture()))


def test_the_worst_picture_counts_and_the_worst_condition_comes_first() -> None:
    good, bad, worse = (Condition("pixels", value, sentence("")) for value in (40.0, 6.5, 5.0))
    low = Condition("elevation", 10.0, sentence(""))
    assert worst_of([bad, worse, good]) == (worse,)
    assert refusing(worst_of([low, bad])) == (low, bad)


@pytest.mark.parametrize(("value", "grade"), [(13.0, "fine"), (11.0, "warns"), (6.0, "refuses")])
def test_limits_run_in_either_direction(value: float, grade: str) -> None:
    assert Limit("px", 12.0, 7.0).grade(value) == grade
    assert Limit("px", -12.0, -7.0).grade(-value) == grade


def test_conditions_are_told_to_machines_with_their_limits_and_cells() -> None:
    told = Condition("glare", 8.3, sentence("Move it."), (0, 1)).as_json(TEMPLATE.cell_names)
    assert told["cells"] == ["a7", "d7"] and told["grade"] == "warns" and told["advice"] == "Move it."
    assert Condition("camouflage", 50.0, sentence("x")).as_json(TEMPLATE.cell_names)["refuses"] is None
