"""The start of a game teaches how the men of a table look, if it surely is the start."""

from __future__ import annotations

import numpy as np
import pytest

import games
from calibration.template import BoardTemplate, load_template
from lab.films.strange_styles import strange_style
from lab.simulated.style import BoardStyle, CameraStyle, Colour, ManStyle, Style
from lab.simulated.table import SimulatedTable
from tests.vision.chequered_tables import LATER, START, chequered, laid
from vision.calibrating.start import Lesson, Unlike, learn_from
from vision.frame import Image
from vision.pose import pose_from_corners, rectify, turned_pose
from vision.reading.cells import raised_places
from vision.reading.reader import Reader


def _rectified(table: SimulatedTable, template: BoardTemplate, turn: int = 0) -> Image:
    pose = pose_from_corners(table.corners_px(), template)
    return rectify(table.render(), turned_pose(pose, template, turn), template)


@pytest.mark.parametrize("turn", [0, 2, 3])
def test_start_shows_how_the_board_lies_and_later_boards_are_read_right(turn: int) -> None:
    template, table = chequered(), laid(START)
    lesson = learn_from(_rectified(table, template, turn), [START], template)
    assert isinstance(lesson, Lesson)
    assert lesson.turn == -turn % 4 and lesson.expectation.boards > 0.9
    reader = Reader(template)
    reader.learn(lesson.taught, None)
    reading = reader.read(_rectified(table.with_board(LATER, 7), template), 0.0)
    assert reading.board == LATER
    assert reading.confidence.min() > 0.9


@pytest.mark.parametrize(
    ("light", "dark"), [((60.0, 160.0, 60.0), (60.0, 30.0, 200.0)), ((40.0, 80.0, 255.0), (190.0, 90.0, 50.0))]
)
def test_men_nearly_as_light_as_each_other_teach_by_their_colours(light: Colour, dark: Colour) -> None:
    template = chequered()
    style = Style(board=BoardStyle(line_mm=0.3), men=ManStyle(colours={"W": light, "B": dark}))
    table = SimulatedTable(template, START, style, 1, (640, 480))
    lesson = learn_from(_rectified(table, template, 2), [START], template)
    assert isinstance(lesson, Lesson) and lesson.turn == 2
    reader = Reader(template)
    reader.learn(lesson.taught, None)
    assert reader.read(_rectified(table.with_board(LATER, 7), template), 0.0).board == LATER


@pytest.mark.parametrize("name", ["reversi", "co_ganh"])
def test_start_of_every_game_with_men_on_it_teaches(name: str) -> None:
    game = games.load(name)
    template, start = load_template(name), game.board(game.initial())
    table = SimulatedTable(template, start, seed=3, size_px=(640, 480))
    lesson = learn_from(_rectified(table, template), [start], template)
    assert isinstance(lesson, Lesson) and lesson.turn == 0
    assert "of 100 boards" in lesson.expectation.text


@pytest.mark.parametrize("wrong", ["." + START[1:], START[:12] + "." + START[13:28] + "B" + START[29:]])
def test_board_that_is_not_quite_the_start_teaches_nothing_and_its_cells_are_named(wrong: str) -> None:
    template = chequered()
    unlike = learn_from(_rectified(laid(wrong), template), [START], template)
    assert isinstance(unlike, Unlike) and unlike.why == "odd"
    assert set(np.flatnonzero(np.array(list(wrong)) != np.array(list(START)))) <= set(unlike.cells)


def test_empty_board_and_men_that_are_all_alike_are_told_from_a_start_with_a_fault() -> None:
    template, grey = chequered(), ManStyle(colours=dict.fromkeys("WB", (120.0, 120.0, 120.0)))
    for board, style, why in (("." * 64, ManStyle(), "absent"), (START, grey, "alike")):
        table = SimulatedTable(template, board, Style(board=BoardStyle(line_mm=0.3), men=style), 1, (640, 480))
        unlike = learn_from(_rectified(table, template), [START], template)
        assert isinstance(unlike, Unlike) and unlike.why == why


def test_board_without_men_of_both_sides_is_no_lesson() -> None:
    template = chequered()
    assert learn_from(_rectified(laid("." * 64), template), ["." * 64, "W" + "." * 63], template) is None


def _tall(board: str) -> SimulatedTable:
    """Men nearly as high as their squares are wide, seen from well above the table's edge."""
    men, camera = ManStyle(height_mm=45.0, diameter=0.85), CameraStyle(tilt_deg=36.0, azimuth_deg=20.0)
    style = Style(board=BoardStyle(line_mm=0.3), men=men, camera=camera)
    return SimulatedTable(load_template("chess"), board, style, 2, (640, 480))


def test_tall_men_teach_where_middle_and_head_of_each_are_looked_at_too() -> None:
    template, table = load_template("chess"), _tall(START)
    raised_mm = raised_places(pose_from_corners(table.corners_px(), template), template, (640, 480))
    picture = _rectified(table, template)
    assert isinstance(learn_from(picture, [START], template), Unlike), "heads lean over the squares behind"
    lesson = learn_from(picture, [START], template, raised_mm)
    assert isinstance(lesson, Lesson)
    reader = Reader(template)
    reader.learn(lesson.taught, None)
    reader.raised_mm = raised_mm
    assert reader.read(_rectified(table.with_board(LATER, 7), template), 0.0).board == LATER
    reader.read(picture, 1.0)
    without, less = _rectified(table.with_board("." + START[1:], 7), template), "." + START[1:]
    changed = np.arange(64) == 0
    assert reader.read(without, 2.0, changed=changed).board == less


@pytest.mark.parametrize(
    "wrong", ["." + START[1:], START[:20] + "B" + START[21:], START[:12] + "W" + START[13:51] + "B" + START[52:]]
)
def test_wrong_start_of_tall_men_teaches_nothing(wrong: str) -> None:
    template, table = load_template("chess"), _tall(wrong)
    raised_mm = raised_places(pose_from_corners(table.corners_px(), template), template, (640, 480))
    assert isinstance(learn_from(_rectified(table, template), [START], template, raised_mm), Unlike)


def test_cell_that_looks_as_when_it_was_known_still_holds_it() -> None:
    template, table = chequered(), laid(START)
    lesson = learn_from(_rectified(table, template), [START], template)
    assert isinstance(lesson, Lesson)
    reader, picture = Reader(template), _rectified(table, template)
    reader.learn(lesson.taught, None)
    without = reader.read(picture, 0.0).log_probabilities
    reader.learn(lesson.taught, (reader.patches(picture), START))
    told = reader.read(picture, 0.0)
    assert told.board == START and (told.log_probabilities.max(axis=1) > without.max(axis=1) - 1e-9).all()
    assert told.unknown is not None and not told.unknown.any()


def test_board_is_read_alike_in_other_light() -> None:
    template, table = chequered(), laid(START)
    lesson = learn_from(_rectified(table, template), [START], template)
    assert isinstance(lesson, Lesson)
    reader, later = Reader(template), table.with_board(LATER, 7)
    reader.learn(lesson.taught, None)
    usual = reader.read(_rectified(later, template), 0.0)
    later.switch_lamp(0.35, (170.0, 220.0, 255.0))
    dim = reader.read(_rectified(later, template), 1.0)
    assert dim.board == LATER and dim.confidence.min() > 0.5 * usual.confidence.min()


def test_a_man_missing_after_a_ply_is_not_taken_for_one_that_has_moved() -> None:
    """On this table the bare square of a move that the missing man could have made looks a little like a man."""
    game, template, chance = games.load("chess"), load_template("chess"), np.random.default_rng([1, 2])
    first = [game.apply(game.initial(), move) for move in game.legal_moves(game.initial())]
    second = [game.apply(one, move) for one in first for move in game.legal_moves(one)]
    played = first[int(chance.integers(len(first)))]
    men = [cell for cell, letter in enumerate(game.board(played)) if letter != "."]
    gone = int(chance.choice(men))
    figures = "".join("." if cell == gone else letter for cell, letter in enumerate(game.figures(played)))
    table = SimulatedTable(
        template, figures, strange_style(template, chance), int(chance.integers(2**31)), size_px=(640, 480)
    )
    raised_mm = raised_places(pose_from_corners(table.corners_px(), template), template, (640, 480))
    begun = [game.board(one) for one in (*first, *second)]
    unlike = learn_from(_rectified(table, template), [START], template, raised_mm, begun)
    assert isinstance(unlike, Unlike) and gone in unlike.cells
