"""The match records first and announces then; it survives faults of the disk, and tells what it cannot see."""

from __future__ import annotations

import pytest

import games
from daemon.commands.command import Mover, NewGame, Pass, Repeat, Undo
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.record.record import MAX_NOTES
from rules.turns import line_of_play
from tests.daemon.match_bench import (
    FIRST,
    PICTURE,
    SECOND,
    THIRD,
    Bench,
    Notebook,
    ScriptedPipeline,
    bench_of,
    lay,
    two_people,
)
from tests.daemon.readings import board_with, reading_of
from vision.frame import Frame
from vision.watching.watcher import Phase
from wording import untranslated


@pytest.fixture
def bench() -> Bench:
    return bench_of("morris", "alphabeta")


def test_ply_is_written_before_it_is_announced(bench: Bench) -> None:
    written_when_heard: list[list[object]] = []
    bench.match.listeners.insert(0, lambda _one: written_when_heard.append(list(bench.notebook.written)))
    bench.show(board_with(bench.game, W="d2"))
    assert written_when_heard == [["d2"]]


HALF_BACK = "d4"
"""A disc turned two plies ago that is turned back alone: half of a takeback, or tampering."""


@pytest.mark.parametrize(
    ("between", "waits"),
    [
        ("settled", False),
        ("settling", False),  # a lamp or a moved camera is no hand
        ("moving", True),  # more discs may be turned back
        ("occluded", True),
    ],
)
def test_a_board_that_may_be_half_of_a_takeback_is_judged_once_nobody_touched_it_for_three_seconds(
    between: Phase, waits: bool
) -> None:
    bench, time_s = bench_of("reversi", None), 0.0
    position = bench.game.starts[0]
    for move in ("f5", "d6", "c3", "d3"):
        position = bench.game.apply(position, bench.game.parse_move(position, move))
        assert bench.show(bench.game.board(position), time_s := time_s + 10) == ["move"]
    cell = bench.game.cells.index(HALF_BACK)
    board = bench.game.board(position)
    half = board[:cell] + ("W" if board[cell] == "B" else "B") + board[cell + 1 :]
    assert bench.show(half, 50.0) == []
    bench.pipeline.phase = between
    bench.show(half, 51.0)
    bench.pipeline.phase = "settled"
    assert bench.show(half, 52.5) == []
    assert bench.show(half, 53.1) == ([] if waits else ["illegal"])
    assert bench.show(half, 55.6) == (["illegal"] if waits else [])


def test_full_disk_loses_no_ply_and_is_told_once(bench: Bench) -> None:
    bench.notebook.full = True
    codes = bench.show(board_with(bench.game, W="d2"))
    assert codes == ["trouble", "move"]
    bench.eyes.poll()
    assert [one.code for one in bench.heard].count("trouble") == 1
    assert bench.match.backlog.trouble
    bench.notebook.full = False
    bench.eyes.poll()
    assert bench.notebook.written == ["d2"]
    assert not bench.match.backlog.trouble
    assert "again" in bench.heard[-1].text


def test_doubtful_picture_is_read_again_before_anything_is_said(bench: Bench) -> None:
    assert bench.show(board_with(bench.game, W="d2 a1 g7 a4"), 0.0, g7=("B", 0.3)) == []
    assert bench.pipeline.looks.asked == 1
    assert bench.show(board_with(bench.game, W="d2 a1 g7 a4"), g7=("B", 0.3)) == ["unclear"]


def test_sure_picture_is_not_read_twice(bench: Bench) -> None:
    assert bench.show(board_with(bench.game, W="d2")) == ["move"]
    assert bench.pipeline.looks.asked == 0


def test_board_is_reported_lost_only_after_a_while(bench: Bench) -> None:
    bench.show(board_with(bench.game), time_s=0.0)
    assert bench.show(None, time_s=1.0) == []
    assert bench.show(None, time_s=4.0) == ["board_lost"]
    assert bench.show(None, time_s=5.0) == []


def test_the_reason_why_the_board_is_lost_is_told_and_worked_out_once(bench: Bench) -> None:
    bench.show(board_with(bench.game), time_s=0.0)
    for time_s in (1.0, 4.0, 5.0, 6.0):
        bench.show(None, time_s=time_s)
    lost = [one.text for one in bench.heard if one.code == "board_lost"]
    assert lost == ["I cannot see the whole board. It goes beyond the left edge of the picture."]
    assert bench.pipeline.reasons_asked == 1


def test_source_that_ends_without_the_board_is_reported(bench: Bench) -> None:
    bench.show(None, time_s=0.0)
    bench.eyes.end()
    assert [one.code for one in bench.heard] == ["board_lost"]


def test_board_set_up_anew_after_the_end_is_seen_as_the_next_game() -> None:
    game = games.load("morris", {"men": 3})
    moves = ["a7", "b6", "d7", "b4", "g7xb6", "f4"]
    pipeline, heard = ScriptedPipeline(), []
    referee = Referee(game, history=line_of_play(game, moves), moves=moves)
    assert referee.outcome is not None
    eyes = BoardTracker(pipeline, Match(referee, listeners=[lambda one: heard.append(one.code)]))  # type: ignore[arg-type]
    for index, board in enumerate((board_with(game, W="a7"), board_with(game))):
        pipeline.readings.append(reading_of(game, board))
        eyes.feed(Frame(PICTURE, float(index), index))
        assert eyes.start_in_view == (board == board_with(game))
    eyes.begin_again(Referee(game))
    assert heard == ["start"]
    assert eyes.match.referee.ply == 0


def test_cleared_board_at_the_first_look_at_a_resumed_game_is_a_new_game_and_no_takeback() -> None:
    game = games.load("morris")
    pipeline, notebook = ScriptedPipeline(), Notebook()
    referee = Referee(game, history=line_of_play(game, ["a7", "b6", "d7"]), moves=["a7", "b6", "d7"])
    eyes = BoardTracker(pipeline, Match(referee, recorder=notebook))  # type: ignore[arg-type]
    pipeline.readings.append(reading_of(game, board_with(game)))
    eyes.feed(Frame(PICTURE, 0.0, 0))
    assert eyes.start_in_view
    assert referee.ply == 3
    assert notebook.written == []


def test_full_disk_keeps_every_ply_and_only_the_newest_notes(bench: Bench) -> None:
    bench.notebook.full = True
    bench.show(board_with(bench.game, W="d2"))
    for number in range(MAX_NOTES + 20):
        bench.match.trouble(untranslated(f"trouble {number}"))
    assert bench.match.backlog.dropped_notes >= 20
    bench.notebook.full = False
    bench.eyes.poll()
    assert bench.notebook.written[0] == "d2"
    assert len(bench.notebook.written) == 1 + MAX_NOTES


def test_a_command_is_written_announced_published_and_answered() -> None:
    bench = two_people("", "")
    for tile in (FIRST, SECOND, THIRD):
        lay(bench, tile)
    answer = obey(bench.match, Mover("red", 2), bench.eyes)
    assert (answer.accepted, answer.text) == (True, "Move 2 was red's. Red 0, green 1. Red's turn.")
    assert bench.notebook.written[-2:] == [(1, "pass", SECOND, THIRD), "mover"]
    assert bench.heard[-1].text == answer.text
    assert bench.post.states[-1].moves == [FIRST, "pass", SECOND, THIRD]
    assert obey(bench.match, Pass(), bench.eyes).text == "Red passes. Red 0, green 1. Green's turn."
    assert obey(bench.match, Undo(), bench.eyes).text == "Red's pass is taken back. Red's turn."


def test_a_refused_command_changes_nothing_and_says_why() -> None:
    bench = two_people("", "")
    lay(bench, FIRST)
    written, states = list(bench.notebook.written), len(bench.post.states)
    answer = obey(bench.match, Mover("green", 9), bench.eyes)
    assert (answer.accepted, answer.text) == (False, "There is no move 9: 1 is made.")
    assert (bench.notebook.written, len(bench.post.states)) == (written, states)


def test_a_correction_that_cannot_be_written_is_refused_and_changes_nothing() -> None:
    bench = two_people("", "")
    for tile in (FIRST, SECOND):
        lay(bench, tile)
    bench.notebook.full = True
    line, states = list(bench.match.referee.line.plies), len(bench.post.states)
    answer = obey(bench.match, Mover("red", 2), bench.eyes)
    assert (answer.accepted, answer.text) == (False, "I cannot write this down: the disk is full. Nothing has changed.")
    assert (bench.match.referee.line.plies, len(bench.post.states)) == (line, states)
    bench.notebook.full = False
    assert obey(bench.match, Mover("red", 2), bench.eyes).accepted
    assert (1, "pass", SECOND) in bench.notebook.written


def test_what_nothing_depends_on_is_done_although_the_disk_is_full(bench: Bench) -> None:
    bench.notebook.full = True
    assert obey(bench.match, Repeat(), bench.eyes).accepted
    assert not obey(bench.match, NewGame(), bench.eyes).accepted and not bench.match.new_game_due
