"""The reason why a board is not seen, inferred from the picture, in words that a person can act on."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.sheet import other_sizes
from calibration.template import load_template
from tests.vision.chequered_tables import START, chequered, laid
from tests.vision.drawn import Look, draw
from tests.vision.test_markers import photo, sheet
from vision.finding.finder import find_board, mirrored
from vision.finding.why_unseen import Unseen, cut_off, exposure_fault, place_fault, why_unseen
from vision.pose import pose_from_corners

SIZE_PX = (640, 480)
OUT = {
    "right": np.array([[330, 70], [730, 70], [760, 420], [310, 425]], dtype=np.float64),
    "below a line": np.array([[170, 200], [480, 200], [510, 560], [140, 565]], dtype=np.float64),
    "bottom": np.array([[170, 230], [480, 230], [510, 590], [140, 595]], dtype=np.float64),
}

JUST_BEYOND_A_LINE = pytest.param(
    "co_ganh",
    "below a line",
    marks=pytest.mark.xfail(strict=True, reason="cut just below its fourth line it is taken for a shorter board"),
)


@pytest.mark.parametrize(("game", "edge"), [("nine_mens_morris", "right"), ("co_ganh", "bottom"), JUST_BEYOND_A_LINE])
def test_a_board_that_goes_beyond_an_edge_is_told_with_the_edge(game: str, edge: str) -> None:
    template = load_template(game)
    image, _ = draw(template, OUT[edge])
    why = why_unseen(image, template)
    edge = "bottom" if edge == "below a line" else edge
    assert (why.code, why.edges) == ("cut_off", (edge,))
    assert f"beyond the {edge} edge" in why.text


@pytest.mark.parametrize(("game", "option"), [("gomoku", "size=19"), ("reversi", "")])
def test_a_ruled_board_that_goes_beyond_an_edge_is_told(game: str, option: str) -> None:
    template = load_template(game, frozenset({option} - {""}))
    image, _ = draw(template, OUT["right"], look=Look(line_mm=1.4))
    why = why_unseen(image, template)
    assert why.code == "cut_off"
    assert "right" in why.edges


def test_a_chequered_board_with_men_that_goes_beyond_an_edge_is_told_with_the_edge() -> None:
    image = laid(START).render()
    right = int(laid(START).corners_px()[:, 0].max() - 130)
    why = why_unseen(np.ascontiguousarray(image[:, :right]), chequered())
    assert (why.code, why.edges) == ("cut_off", ("right",))


def test_a_printed_board_is_told_to_go_beyond_an_edge_by_one_marker() -> None:
    image, _ = photo(sheet("reversi"))
    why = why_unseen(np.ascontiguousarray(image[:, 480:]), load_template("reversi"))
    assert (why.code, why.edges) == ("cut_off", ("left",))


def test_another_games_sheet_is_named() -> None:
    why = why_unseen(photo(sheet("reversi"))[0], load_template("nine_mens_morris"))
    assert why.code == "other_board"
    assert "sheet is for reversi, not for nine men's morris" in str(why.matter)


def test_light_and_sharpness_are_told_where_no_board_is() -> None:
    image, _ = draw(load_template("nine_mens_morris"))
    for spoilt, code in (
        (image // 8, "dark"),
        (np.clip(image.astype(int) * 3, 0, 255).astype(np.uint8), "washed_out"),
        (cv2.GaussianBlur(image, (0, 0), 12), "blurred"),
    ):
        fault = exposure_fault(np.asarray(spoilt, dtype=np.uint8))
        assert fault is not None
        assert fault.code == code
    assert exposure_fault(image) is None


def test_a_table_without_a_board_is_just_that() -> None:
    image, _ = draw(load_template("nine_mens_morris"), look=Look(lines=Look().board))
    for game in ("nine_mens_morris", "gomoku"):
        assert why_unseen(image, load_template(game)).code == "no_board"


def fault_at(corners: list[list[float]]) -> Unseen | None:
    template = load_template("nine_mens_morris")
    pose = pose_from_corners(np.array(corners, dtype=np.float64), template)
    return place_fault(pose, template, SIZE_PX)


def test_a_small_and_a_low_board_are_told_apart() -> None:
    small, low = (
        fault_at([[300, 200], [350, 200], [350, 250], [300, 250]]),
        fault_at([[220, 200], [420, 200], [600, 245], [40, 245]]),
    )
    fine = [[190, 90], [450, 84], [500, 400], [140, 410]]
    assert small is not None and low is not None
    assert (small.code, low.code) == ("too_small", "too_low")
    assert "8 pixels from cell to cell" in str(small.matter)
    assert fault_at(fine) is None


def test_a_board_of_which_something_covers_too_much_is_told() -> None:
    template = load_template("nine_mens_morris")
    image, _ = draw(template)
    image[100:300, 150:330] = 90  # a book over a quarter of it
    assert find_board(image, template) is None
    assert why_unseen(image, template).code == "covered"


def test_a_board_cut_off_at_opposite_edges_asks_for_distance_only() -> None:
    assert "turn" not in str(cut_off(("left", "right")).remedy)
    assert "turn it to the right and down" in str(cut_off(("right", "bottom")).remedy)
    assert "right and bottom edges" in str(cut_off(("right", "bottom")).matter)


@pytest.mark.parametrize("game", ["reversi", "double_double_dominoes"])
def test_a_printed_board_in_a_mirror_is_named_and_not_found(game: str) -> None:
    image, template = mirrored(photo(sheet(game))[0]), load_template(game)
    assert find_board(image, template) is None
    assert why_unseen(image, template).code == "mirrored"


def test_a_sharp_picture_between_black_bars_is_not_dark() -> None:
    image, _ = draw(load_template("nine_mens_morris"))
    tall = np.asarray(cv2.copyMakeBorder(image, 0, 0, 1200, 1200, cv2.BORDER_CONSTANT), dtype=np.uint8)
    assert exposure_fault(tall) is None
    fault = exposure_fault(np.asarray(tall // 8, dtype=np.uint8))
    assert fault is not None
    assert fault.code == "dark"
    assert exposure_fault(np.zeros((480, 640, 3), np.uint8)) is not None


def test_a_board_of_another_size_is_told_by_its_number_of_lines() -> None:
    template, nineteen = load_template("go"), load_template("go", frozenset({"size=19"}))
    image, _ = draw(nineteen, look=Look(line_mm=1.4))
    assert find_board(image, template) is None
    why = why_unseen(image, template, other_sizes(template))
    assert why.code == "other_size"
    assert "I see 19 lines each way, not 9." in why.text
    assert "size=19" in why.text


def test_a_board_that_ends_just_before_an_edge_does_not_go_beyond_it() -> None:
    """Its lines run along that edge, or end before it; something lies on its middle, so that it is not found."""
    template, top = load_template("chess"), int(laid(START).corners_px()[:, 1].min()) - 8
    image = np.ascontiguousarray(laid(START).render()[top:])
    height, width = image.shape[:2]
    image[height // 3 : 2 * height // 3, width // 4 : 3 * width // 4] = 90
    assert find_board(image, template) is None
    assert why_unseen(image, template).code in ("covered", "no_board")
