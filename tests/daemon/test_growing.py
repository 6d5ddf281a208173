"""What the start has taught grows with confirmed boards, and shrinks again when a move is taken back."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.game.effects import TakeBack
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.learning import Confirmations, SeenBoard, may_teach, seen_board
from lab.simulated.table import SimulatedTable
from tests.daemon.match_bench import watching
from vision.frame import Frame
from vision.reading.reader import DescribedCells


@pytest.fixture(scope="module")
def eyes() -> BoardTracker:
    """A game of cờ gánh of four plies, watched without a profile, each board for a second and a half."""
    game = games.load("co_ganh")
    position, (tracker, _) = game.initial(), watching(game)
    table = SimulatedTable(load_template(game.name), game.board(position), seed=2, size_px=(640, 480))
    time_s, number = 0.0, 0
    for ply in range(5):
        table = table.with_board(game.board(position), 3 + ply)
        for _ in range(8):
            table.advance(0.2)
            tracker.feed(Frame(table.render(), time_s, number))
            time_s, number = time_s + 0.2, number + 1
        if ply < 4:
            position = game.apply(position, game.legal_moves(position)[ply])
    assert tracker.match.referee.ply == 4
    return tracker


def test_confirmed_boards_add_to_what_the_start_has_taught_until_they_are_taken_back(eyes: BoardTracker) -> None:
    pipeline = eyes.pipeline
    assert pipeline.lesson is not None and pipeline.lesson.taught is not None and pipeline.reader.taught is not None
    start = len(pipeline.lesson.taught.classes)
    grown = len(pipeline.reader.taught.classes)
    assert grown > start
    kept = pipeline.reader.kept
    assert kept is not None
    assert kept[1] != pipeline.lesson.board, "the last confirmed board is remembered"
    eyes._growth.changed([TakeBack(0)])
    assert len(pipeline.reader.taught.classes) == start
    assert pipeline.reader.kept is not None and pipeline.reader.kept[1] == pipeline.lesson.board


CELLS = np.ones(2, dtype=np.bool_)
LOOK = DescribedCells(np.zeros((2, 0, 0, 3), dtype=np.uint8), np.zeros((2, 0), dtype=np.float32))
BEFORE, AFTER = SeenBoard(1, "W.", LOOK, CELLS), SeenBoard(2, "WB", LOOK, CELLS)


def test_a_board_counts_only_once_a_later_move_was_made_from_it() -> None:
    confirmations = Confirmations()
    assert confirmations.see(BEFORE) == confirmations.see(BEFORE) == []
    assert confirmations.see(AFTER) == [BEFORE]


def test_what_casts_doubt_on_the_line_takes_what_waited_with_it() -> None:
    confirmations = Confirmations()
    confirmations.see(BEFORE)
    confirmations.doubt(2)
    assert confirmations.see(AFTER) == [BEFORE]
    confirmations.doubt()
    assert confirmations.see(SeenBoard(3, "..", LOOK, CELLS)) == []


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("gate", {"blocked": True}),
        ("gate", {"phase": "settling"}),
        ("alignment", {"quality": 0.3}),
        ("alignment", {"state": "lost"}),
    ],
)
def test_a_board_that_is_not_free_and_in_its_place_teaches_nothing(
    eyes: BoardTracker, part: str, change: dict[str, Any]
) -> None:
    seen, belief = eyes.observation, eyes.match.referee.belief
    assert seen is not None and may_teach(belief, seen.gate, seen.alignment)
    changed: Any = {part: dataclasses.replace(getattr(seen, part), **change)}
    other = dataclasses.replace(seen, **changed)
    assert not may_teach(belief, other.gate, other.alignment)


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_cells_that_show_nothing_known_teach_nothing_and_many_of_them_make_a_board_unsure(
    eyes: BoardTracker, share: float
) -> None:
    seen, belief = eyes.observation, eyes.match.referee.belief
    assert seen is not None and belief.look is not None
    unknown = np.arange(25) < share * 25
    reading = dataclasses.replace(belief.look.reading, unknown=unknown.astype(np.float64))
    belief = dataclasses.replace(belief, look=dataclasses.replace(belief.look, reading=reading))
    assert may_teach(belief, seen.gate, seen.alignment) == (share < 0.25)
    assert np.array_equal(seen_board(belief, 4, "." * 25, LOOK).plain, ~unknown)
