"""The start of a game teaches how the men of a table look, if it surely is the start."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

import games
from calibration.arrays import Flags
from calibration.template import BoardTemplate, load_template
from lab.films.strange_styles import strange_style
from lab.simulated.style import BoardStyle, Colour, ManStyle, Style
from lab.simulated.table import SimulatedTable
from rules import figures_of
from tests.vision.chequered_tables import LATER, START, chequered, laid
from tests.vision.tall_men import LATER as TALL_LATER
from tests.vision.tall_men import START as TALL_START
from tests.vision.tall_men import tall_table
from vision.calibrating.lesson import Lesson, Unlike
from vision.calibrating.start import learn_from
from vision.pose import Rectified, pose_from_corners, turned_pose
from vision.reading.board_reading import BoardReading
from vision.reading.reader import Reader


def _seen(table: SimulatedTable, template: BoardTemplate, turn: int = 0) -> Rectified:
    pose = pose_from_corners(table.corners_px(), template)
    return Rectified(table.render(), turned_pose(pose, template, turn), template)


def _read(reader: Reader, seen: Rectified, changed: Flags | None = None) -> BoardReading:
    reader.seen_in = seen.image, seen.pose
    return reader.read(seen.picture, 0.0, changed=changed)


@pytest.mark.parametrize("turn", [0, 2, 3])
def test_start_shows_how_the_board_lies_and_later_boards_are_read_right(turn: int) -> None:
    template, table = chequered(), laid(START)
    lesson = learn_from(_seen(table, template, turn), [START])
    assert isinstance(lesson, Lesson)
    assert lesson.turn == -turn % 4 and lesson.expectation.boards > 0.9
    reader = Reader(template)
    reader.learn(lesson.taught, None)
    reading = _read(reader, _seen(table.with_board(LATER, 7), template))
    assert reading.board == LATER
    assert reading.confidence.min() > 0.9


@pytest.mark.parametrize(
    ("light", "dark"), [((60.0, 160.0, 60.0), (60.0, 30.0, 200.0)), ((40.0, 80.0, 255.0), (190.0, 90.0, 50.0))]
)
def test_men_nearly_as_light_as_each_other_teach_by_their_colours(light: Colour, dark: Colour) -> None:
    template = chequered()
    style = Style(board=BoardStyle(line_mm=0.3), men=ManStyle(colours={"W": light, "B": dark}))
    table = SimulatedTable(template, START, style, 1, (640, 480))
    lesson = learn_from(_seen(table, template, 2), [START])
    assert isinstance(lesson, Lesson) and lesson.turn == 2
    reader = Reader(template)
    reader.learn(lesson.taught, None)
    assert _read(reader, _seen(table.with_board(LATER, 7), template)).board == LATER


@pytest.mark.parametrize("name", ["reversi", "co_ganh"])
def test_start_of_every_game_with_men_on_it_teaches(name: str) -> None:
    game = games.load(name)
    template, start = load_template(name), game.board(game.initial())
    table = SimulatedTable(template, start, seed=3, size_px=(640, 480))
    lesson = learn_from(_seen(table, template), [start])
    assert isinstance(lesson, Lesson) and lesson.turn == 0
    assert "of 100 boards" in lesson.expectation.text


@pytest.mark.parametrize("wrong", ["." + START[1:], START[:12] + "." + START[13:28] + "B" + START[29:]])
def test_board_that_is_not_quite_the_start_teaches_nothing_and_its_cells_are_named(wrong: str) -> None:
    template = chequered()
    unlike = learn_from(_seen(laid(wrong), template), [START])
    assert isinstance(unlike, Unlike) and unlike.why == "odd"
    assert set(np.flatnonzero(np.array(list(wrong)) != np.array(list(START)))) <= set(unlike.cells)


def test_empty_board_and_men_that_are_all_alike_are_told_from_a_start_with_a_fault() -> None:
    template, grey = chequered(), ManStyle(colours=dict.fromkeys("WB", (120.0, 120.0, 120.0)))
    for board, style, why in (("." * 64, ManStyle(), "absent"), (START, grey, "alike")):
        table = SimulatedTable(template, board, Style(board=BoardStyle(line_mm=0.3), men=style), 1, (640, 480))
        unlike = learn_from(_seen(table, template), [START])
        assert isinstance(unlike, Unlike) and unlike.why == why


def test_board_without_men_of_both_sides_is_no_lesson() -> None:
    template = chequered()
    assert learn_from(_seen(laid("." * 64), template), ["." * 64, "W" + "." * 63]) is None


@pytest.mark.parametrize("tilt_deg", [20.0, 36.0, 50.0])
def test_tall_men_teach_how_their_board_lies_and_later_boards_are_read(tilt_deg: float) -> None:
    template, table = load_template("chess"), tall_table(TALL_START, tilt_deg)
    for turn in (0, 1, 2):
        lesson = learn_from(_seen(table, template, turn), [TALL_START])
        assert isinstance(lesson, Lesson) and lesson.turn == -turn % 4
    lesson = learn_from(_seen(table, template), [TALL_START])
    assert isinstance(lesson, Lesson)
    reader = Reader(template)
    reader.learn(lesson.taught, None)
    later = _read(reader, _seen(table.with_board(TALL_LATER, 7), template))
    assert later.board == template.seen(TALL_LATER)
    _read(reader, _seen(table, template))
    without = _seen(table.with_board("." + TALL_START[1:], 7), template)
    assert _read(reader, without, changed=np.arange(64) == 0).board == template.seen("." + TALL_START[1:])


@pytest.mark.parametrize(("cell", "letter"), [(0, "."), (20, "♟"), (11, "♙"), (60, "♛")])
def test_wrong_start_of_tall_men_teaches_nothing_and_its_cells_are_named(cell: int, letter: str) -> None:
    template, wrong = load_template("chess"), TALL_START[:cell] + letter + TALL_START[cell + 1 :]
    unlike = learn_from(_seen(tall_table(wrong, 36.0), template), [TALL_START])
    assert isinstance(unlike, Unlike) and unlike.why == "odd" and cell in unlike.cells


def test_start_of_tall_men_under_a_hand_teaches_nothing() -> None:
    template = load_template("chess")
    seen = _seen(tall_table(TALL_START, 36.0), template)
    image = seen.image.copy()
    cv2.rectangle(image, (260, 200), (420, 479), (90, 120, 170), -1)
    assert isinstance(learn_from(Rectified(image, seen.pose, template), [TALL_START]), Unlike)


def test_cell_that_looks_as_when_it_was_known_still_holds_it() -> None:
    template, table = chequered(), laid(START)
    lesson = learn_from(_seen(table, template), [START])
    assert isinstance(lesson, Lesson)
    reader, picture = Reader(template), _seen(table, template).picture
    reader.learn(lesson.taught, None)
    without = reader.read(picture, 0.0).log_probabilities
    reader.learn(lesson.taught, (reader.patches(picture), START))
    told = reader.read(picture, 0.0)
    assert told.board == START and (told.log_probabilities.max(axis=1) > without.max(axis=1) - 1e-9).all()
    assert told.unknown is not None and not told.unknown.any()


def test_board_is_read_alike_in_other_light() -> None:
    template, table = chequered(), laid(START)
    lesson = learn_from(_seen(table, template), [START])
    assert isinstance(lesson, Lesson)
    reader, later = Reader(template), table.with_board(LATER, 7)
    reader.learn(lesson.taught, None)
    usual = _read(reader, _seen(later, template))
    later.switch_lamp(0.35, (170.0, 220.0, 255.0))
    dim = _read(reader, _seen(later, template))
    assert dim.board == LATER and dim.confidence.min() > 0.5 * usual.confidence.min()


def test_a_man_missing_after_a_ply_is_not_taken_for_one_that_has_moved() -> None:
    """On this table the bare square of a move that the missing man could have made looks a little like a man."""
    game, template, chance = games.load("chess"), load_template("chess"), np.random.default_rng([1, 2])
    first = [game.apply(game.initial(), move) for move in game.legal_moves(game.initial())]
    second = [game.apply(one, move) for one in first for move in game.legal_moves(one)]
    played = first[int(chance.integers(len(first)))]
    men = [cell for cell, letter in enumerate(figures_of(game, played)) if letter != "."]
    gone = int(chance.choice(men))
    figures = "".join("." if cell == gone else letter for cell, letter in enumerate(figures_of(game, played)))
    table = SimulatedTable(
        template, figures, strange_style(template, chance), int(chance.integers(2**31)), size_px=(640, 480)
    )
    begun = [figures_of(game, one) for one in (*first, *second)]
    unlike = learn_from(_seen(table, template), [TALL_START], begun)
    assert isinstance(unlike, Unlike) and gone in unlike.cells
