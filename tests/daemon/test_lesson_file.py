"""What the start has taught outlives the daemon: a game goes on by it, whichever way the board is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from daemon.record.lesson_file import LessonFile
from lab.simulated.table import SimulatedTable
from vision.frame import Frame

GAME = games.load("co_ganh")
TEMPLATE = load_template(GAME.name)
START = GAME.initial()
AFTER = GAME.apply(START, GAME.legal_moves(START)[1])
PLAYED_ON = GAME.apply(AFTER, GAME.legal_moves(AFTER)[2])
"""What lies on the table when the daemon is back: one ply more than it has recorded."""


def _watch(path: Path, game_id: str, position: object, recorded: list[object], quarters: int = 0) -> BoardTracker:
    """Watches a board at rest for four seconds, in a game of which the positions so far are known."""
    moves = [GAME.format_move(START, GAME.legal_moves(START)[1])][: len(recorded) - 1]
    match = Match(Referee(GAME, (None, None), recorded, moves))
    eyes = BoardTracker(Pipeline(TEMPLATE, None), match, lessons=LessonFile(path, game_id))
    table = SimulatedTable(TEMPLATE, GAME.board(position), seed=2, size_px=(640, 480))
    match.start()
    for number in range(20):
        table.advance(0.2)
        eyes.feed(Frame(np.ascontiguousarray(np.rot90(table.render(), quarters)), number * 0.2, number))
    return eyes


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file after the start of game `first` was seen."""
    path = tmp_path_factory.mktemp("profiles") / "table.start.npz"
    assert _watch(path, "first", START, [START]).pipeline.lesson is not None
    return path


@pytest.mark.parametrize("quarters", [0, 1])
def test_game_goes_on_as_taught_though_a_ply_was_made_meanwhile(kept: Path, quarters: int) -> None:
    eyes = _watch(kept, "first", PLAYED_ON, [START, AFTER], quarters)
    lesson = eyes.pipeline.lesson
    assert lesson is not None and not lesson.board, "the board as recorded is not in view, so only the file can teach"
    assert eyes.pipeline.reader.taught is not None
    assert eyes.match.referee.position == PLAYED_ON


def test_file_of_another_game_or_a_damaged_one_is_not_used(
    kept: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert LessonFile(kept, "second").load(TEMPLATE) is None and not caplog.messages
    content = kept.read_bytes()
    for damaged in (content[:-100], b"", b"no archive"):
        path = tmp_path / "damaged.npz"
        path.write_bytes(damaged)
        assert LessonFile(path, "first").load(TEMPLATE) is None
        assert "cannot be read" in caplog.messages[-1]


def test_next_start_replaces_the_file_and_only_its_owner_may_read_it(kept: Path) -> None:
    _watch(kept, "second", START, [START])
    assert LessonFile(kept, "first").load(TEMPLATE) is None
    assert LessonFile(kept, "second").load(TEMPLATE) is not None
    assert kept.stat().st_mode & 0o077 == 0 and [kept] == list(kept.parent.iterdir())
