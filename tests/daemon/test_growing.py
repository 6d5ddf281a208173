"""What the start has taught grows with confirmed boards, and shrinks again when a move is taken back."""

from __future__ import annotations

import pytest

import games
from calibration.template import load_template
from daemon.core.match import Match
from daemon.game.effects import TakeBack
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from vision.frame import Frame
from vision.simulated.table import SimulatedTable


@pytest.fixture(scope="module")
def eyes() -> BoardTracker:
    """A game of cờ gánh of four plies, watched without a profile, each board for a second and a half."""
    game = games.load("co_ganh")
    template, position = load_template(game.name), game.initial()
    match = Match(Referee(game))
    tracker = BoardTracker(Pipeline(template, None), match)
    table = SimulatedTable(template, game.board(position), seed=2, size_px=(640, 480))
    time_s, number = 0.0, 0
    match.start()
    for ply in range(5):
        table = table.with_board(game.board(position), 3 + ply)
        for _ in range(8):
            table.advance(0.2)
            tracker.feed(Frame(table.render(), time_s, number))
            time_s, number = time_s + 0.2, number + 1
        if ply < 4:
            position = game.apply(position, game.legal_moves(position)[ply])
    assert match.referee.ply == 4
    return tracker


def test_confirmed_boards_add_to_what_the_start_has_taught_until_they_are_taken_back(eyes: BoardTracker) -> None:
    pipeline = eyes.pipeline
    assert pipeline.lesson is not None and pipeline.reader.taught is not None
    start = len(pipeline.lesson.taught.classes)
    grown = len(pipeline.reader.taught.classes)
    assert grown > start
    kept = pipeline.reader.kept
    assert kept is not None
    assert kept[1] != pipeline.lesson.board, "the last confirmed board is remembered"
    eyes._growth.changed([TakeBack(0)])
    assert len(pipeline.reader.taught.classes) == start
    assert pipeline.reader.kept is not None and pipeline.reader.kept[1] == pipeline.lesson.board
