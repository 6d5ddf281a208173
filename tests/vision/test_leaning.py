"""What looks like a man at a place where another man is seen tells nothing about the cell; what looks bare does."""

from __future__ import annotations

import numpy as np

from calibration.template import BoardTemplate, load_template
from lab.simulated.table import SimulatedTable
from tests.vision.tall_men import SIZE_PX, START, tall_table
from vision.calibrating.start import Lesson, Unlike, learn_from
from vision.pose import pose_from_corners, rectify
from vision.reading.cells import raised_places
from vision.reading.leaning import Leaning, leaning_men
from vision.reading.reader import Reader

LATER = "♜♞..♚.♞♜♟♟♟.♟♟.♟..........♗...♛....♙......♕.....♙♙..♙♙♙♙♖.♗.♔.♘♖"


CLEAR = np.ones(2, dtype=np.bool_)


def _classes(board: str) -> str:
    return "".join("W" if letter in "♙♖♘♗♕♔" else "B" if letter in "♟♜♞♝♛♚" else "." for letter in board)


def _lesson(tilt_deg: float) -> tuple[Lesson | Unlike | None, SimulatedTable, BoardTemplate]:
    template, table = load_template("chess"), tall_table(START, tilt_deg)
    pose = pose_from_corners(table.corners_px(), template)
    picture = rectify(table.render(), pose, template)
    return learn_from(picture, [_classes(START)], template, raised_places(pose, template, SIZE_PX)), table, template


def test_a_man_in_front_explains_what_looks_like_him_but_not_what_looks_bare() -> None:
    seen = np.zeros((1, 2, 2))
    seen[0, 1, 0] = 1.0  # the first cell's man, a light one, is all that is seen of the second
    men = np.array([[0.0, 1.0, 0.0], [0.4, 0.3, 0.3]])
    bare, light, dark = ([0.0, -8.0, -8.0], [-8.0, 0.0, -8.0], [-8.0, -8.0, 0.0])
    told = [Leaning(seen, 0 * seen, CLEAR).past(np.array([[bare, look]]), men)[0, 1] for look in (bare, light, dark)]
    assert told[0][0] - max(told[0][1:]) > 5
    assert np.ptp(told[1][:2]) < 0.2, "it may be the light man's head"
    assert told[2][2] - told[2][0] > 5, "no dark man stands in front"
    assert np.ptp(Leaning(seen, seen, CLEAR).past(np.array([[bare, light]]), men)[0, 1]) < 0.2, (
        "what he hides may be anything"
    )


def test_men_lean_over_cells_behind_them_only() -> None:
    template, table = load_template("chess"), tall_table(START, 50.0)
    pose = pose_from_corners(table.corners_px(), template)
    leaning = leaning_men(raised_places(pose, template, SIZE_PX), template)
    assert leaning is not None
    e2, e3, e1 = (template.cell_names.index(name) for name in ("e2", "e3", "e1"))
    assert leaning.hiding[0, e3, e2] > 0.3 and leaning.hiding[:, e1, e2].max() == 0
    men = np.arange(64) == e2
    assert leaning.open_to(men)[0, e3] < 0.7 and leaning.open_to(men)[:, e1].min() == 1


def test_bare_squares_behind_tall_men_are_not_surely_read_as_men() -> None:
    lesson, table, template = _lesson(42.0)
    assert isinstance(lesson, Lesson) and lesson.turn == 0 and lesson.taught.tall
    pose = pose_from_corners(table.corners_px(), template)
    reader = Reader(template)
    reader.learn(lesson.taught, None)
    reader.raised_mm = raised_places(pose, template, SIZE_PX)
    reading = reader.read(rectify(table.with_board(LATER, 7).render(), pose, template), 0.0)
    wrong = np.array([one != other for one, other in zip(reading.board, _classes(LATER), strict=True)])
    assert wrong.sum() <= 2 and not (reading.confidence[wrong] > 0.9).any()
