"""The clock in a match: when it runs and stops, what it announces, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import games
from agents.messages import LimitsPart
from daemon.commands.command import Pause, Resign, Resume, Undo
from daemon.config.seats import Seat
from daemon.config.settings import ClockSection
from daemon.game.clocks import GameClock, TimeControl, shown
from daemon.game.effects import Announcement, Record, Thought
from daemon.judging.referee import Referee
from daemon.match.clock_service import ClockService, clock_of, spoken_time, time_control
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.record.journal import Journal
from daemon.record.record import GameRecord
from daemon.record.stored_game import StoredGame
from daemon.words.translation import as_words
from rules.turns import line_of_play
from tests.daemon.match_bench import PICTURE, Post, ScriptedPipeline
from tests.daemon.readings import board_with, reading_of
from vision.frame import Frame
from wording import plain

GAME = games.load("morris")
EMPTY_BOARD = board_with(GAME)
SWING = TimeControl("game", 100.0, warn_s=(60.0, 10.0))


class Table:
    """A match with a clock and a journal; the test sets the time."""

    def __init__(self, path: Path, control: TimeControl, agent: str | None = None) -> None:
        self.now_s, self.no_camera = 1000.0, False
        self.pipeline, self.post, self.heard = ScriptedPipeline(), Post(), list[Announcement]()
        self.journal = Journal(path)
        self.game_id = self.journal.new_game(GAME.name, {}, ["Ana", agent or "Bo"], control.as_object())
        self.timer = ClockService(GameClock(control), lambda: self.now_s, lambda: self.no_camera)
        self.match = Match(
            Referee(GAME, (None, agent)),
            seats=(Seat(), Seat(agent, {}, LimitsPart(time_s=1.0))),
            recorder=GameRecord(self.journal, self.game_id),
            publisher=self.post,
            listeners=[lambda announcement: self.heard.append(announcement)],
            clock=lambda: self.now_s,
            timer=self.timer,
        )
        self.eyes = BoardTracker(self.pipeline, self.match)  # type: ignore[arg-type]
        self.match.start()

    def show(self, board: str | None) -> list[str]:
        """Feeds one frame; returns the codes announced."""
        before = len(self.heard)
        self.pipeline.readings.append(None if board is None else reading_of(GAME, board))
        self.eyes.feed(Frame(PICTURE, self.now_s, 0))
        return [one.code for one in self.heard[before:]]

    def wait(self, seconds: int) -> list[str]:
        """Runs the daemon's loop for that many seconds; returns what is said."""
        before = len(self.heard)
        for _ in range(seconds):
            self.now_s += 1.0
            self.eyes.poll()
        return [one.text for one in self.heard[before:]]

    @property
    def left_s(self) -> tuple[float, float]:
        """Seconds left for each side."""
        left = self.timer.clock.left_s
        assert left is not None
        return left

    @property
    def stored(self) -> StoredGame:
        """The game as it is recorded."""
        return self.journal.game(self.game_id)


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Table]:
    return lambda control=SWING, agent=None: Table(tmp_path / "journal.sqlite", control, agent)


def test_no_clock_runs_before_the_board_was_seen_right(table: Callable[..., Table]) -> None:
    at = table()
    assert at.wait(500) == []
    at.show(board_with(GAME, W="a7 d7 g7", B="b6 d6 f6"))
    at.wait(500)
    assert at.left_s == (100.0, 100.0)
    at.show(EMPTY_BOARD)
    at.wait(5)
    assert at.left_s == (95.0, 100.0)


def test_each_ply_is_recorded_with_what_it_took_and_what_is_left(table: Callable[..., Table]) -> None:
    at = table()
    at.show(EMPTY_BOARD)
    at.wait(7)
    at.show(board_with(GAME, W="d2"))
    at.wait(4)
    at.show(board_with(GAME, W="d2", B="f4"))
    assert [(ply.spent_s, ply.left_s) for ply in at.stored.plies] == [(7.0, (93.0, 100.0)), (4.0, (93.0, 96.0))]
    assert at.stored.clock == {"kind": "game", "time_s": 100.0, "increment_s": 0.0, "lose": False}


def test_nobody_pays_while_an_agents_move_waits_for_a_hand_and_its_figures_are_recorded(
    table: Callable[..., Table],
) -> None:
    at = table(agent="alphabeta")
    at.show(EMPTY_BOARD)
    at.wait(2)
    at.show(board_with(GAME, W="d2"))
    at.wait(3)
    at.post.answer("f4", score=0.5, depth=9, nodes=12345, seconds=2.5)
    at.wait(1)
    assert at.match.referee.awaiting == "carry_out"
    assert at.stored.asked_thought == Thought(0.5, 9, 12345, 2.5)
    at.wait(300)
    assert (at.left_s, plain(at.timer.stopped)) == ((98.0, 96.0), "an agent's move waits to be carried out")
    at.show(board_with(GAME, W="d2", B="f4"))
    at.wait(10)
    assert at.left_s == (88.0, 96.0)
    ply = at.stored.plies[1]
    assert (ply.spent_s, ply.score, ply.depth, ply.nodes, ply.thought_s) == (4.0, 0.5, 9, 12345, 2.5)
    assert at.stored.plies[0].depth is None
    assert at.stored.asked_thought is None


STANDS = {
    "paused": "the game is paused",
    "lost": "the board is out of sight",
    "camera": "there is no picture",
    "desync": "the board must be put right",
}


@pytest.mark.parametrize("reason", STANDS)
def test_nobody_pays_while_nothing_can_be_played(table: Callable[..., Table], reason: str) -> None:
    at = table()
    at.show(EMPTY_BOARD)
    at.wait(5)
    if reason == "paused":
        assert obey(at.match, Pause(), at.eyes).accepted
    elif reason == "lost":
        assert at.show(None) == ["board_lost"]
    elif reason == "camera":
        at.no_camera = True
    else:
        at.show(strange := board_with(GAME, W="a7 d7 g7", B="b6 d6 f6"))
        assert at.wait(2) == [] and at.show(strange) == ["desync"]
    at.eyes.poll()
    before = at.left_s
    assert at.wait(400) == [] or reason == "desync"
    assert at.left_s == before
    assert plain(at.timer.stopped) == STANDS[reason]
    at.no_camera = False
    obey(at.match, Resume(), at.eyes)
    at.show(EMPTY_BOARD)
    at.eyes.poll()
    at.wait(3)
    assert at.left_s[0] == pytest.approx(before[0] - 3.0)


def test_an_illegal_move_stops_no_clock(table: Callable[..., Table]) -> None:
    at = table()
    at.show(EMPTY_BOARD)
    at.show(board_with(GAME, B="d2"))
    at.wait(2)
    assert at.show(board_with(GAME, B="d2")) == ["illegal"]
    at.wait(3)
    assert at.left_s == (95.0, 100.0)


def test_people_are_warned_and_told_once_and_the_game_goes_on_where_nobody_loses_on_time(
    table: Callable[..., Table],
) -> None:
    at = table()
    at.show(EMPTY_BOARD)
    assert at.wait(130) == ["Light has one minute left.", "Light has 10 seconds left.", "Light's time is up."]
    assert at.match.referee.outcome is None
    at.show(board_with(GAME, W="d2"))
    assert at.stored.plies[0].left_s == (-30.0, 100.0)
    assert [note.kind for note in at.stored.notes].count("clock") == 3


def test_an_agent_is_not_warned_but_can_run_out_of_time(table: Callable[..., Table]) -> None:
    at = table(TimeControl("game", 12.0, lose=True, warn_s=(5.0,)), agent="alphabeta")
    at.show(EMPTY_BOARD)
    at.show(board_with(GAME, W="d2"))
    said = [text for text in at.wait(20) if "Alpha-beta search does not answer" not in text]
    assert said == ["Light wins: dark is out of time."]


def test_who_is_out_of_time_has_lost_where_that_is_wanted(table: Callable[..., Table]) -> None:
    at = table(TimeControl("move", 5.0, warn_s=(), lose=True))
    at.show(EMPTY_BOARD)
    at.show(board_with(GAME, W="d2"))
    assert at.wait(30) == ["Light wins: dark is out of time."]
    outcome = at.stored.outcome
    assert outcome is not None and (outcome.winner, outcome.reason) == (0, "time")
    assert at.post.states[-1].awaiting == "nothing"
    assert plain(at.timer.stopped) == "the game is over"


def test_a_loss_on_time_that_is_undone_lets_the_game_go_on_in_the_record_too(table: Callable[..., Table]) -> None:
    at = table(TimeControl("game", 5.0, warn_s=(), lose=True))
    at.show(EMPTY_BOARD)
    at.show(board_with(GAME, W="d2"))
    at.wait(30)
    assert obey(at.match, Undo(), at.eyes).accepted
    assert at.stored.outcome is None
    assert at.wait(60) == []
    at.show(board_with(GAME, W="d2", B="f4"))
    assert [ply.move for ply in at.stored.plies] == ["d2", "f4"]


def test_a_move_lifted_off_again_gives_its_time_back(table: Callable[..., Table]) -> None:
    at = table()
    at.show(EMPTY_BOARD)
    at.wait(10)
    at.show(board_with(GAME, W="d2"))
    at.wait(20)
    assert at.show(EMPTY_BOARD) == ["takeback"]
    assert at.left_s == (100.0, 100.0)
    at.wait(2)
    assert at.left_s == (98.0, 100.0)


def test_a_resigned_game_stops_the_clock(table: Callable[..., Table]) -> None:
    at = table()
    at.show(EMPTY_BOARD)
    obey(at.match, Resign("light"), at.eyes)
    at.wait(500)
    assert at.left_s == (100.0, 100.0)


def test_the_clock_of_a_resumed_game_goes_on_from_the_record(table: Callable[..., Table], tmp_path: Path) -> None:
    at = table()
    at.show(EMPTY_BOARD)
    at.wait(7)
    at.show(board_with(GAME, W="d2"))
    at.wait(4)
    at.show(board_with(GAME, W="d2", B="f4"))
    at.wait(30)  # not recorded, so given back
    at.journal.close()
    stored = Journal(tmp_path / "journal.sqlite").unfinished()
    assert stored is not None
    history = line_of_play(GAME, stored.moves)
    referee = Referee(GAME, (None, None), history, stored.moves)
    section = ClockSection(control="game", minutes=100 / 60)
    assert clock_of(section, stored, referee).left_s == pytest.approx((93.0, 96.0))


def test_a_journal_from_before_there_were_clocks_resumes_with_full_ones(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    game_id = journal.new_game(GAME.name, {}, ["a", "b"])
    journal.append(game_id, Record(1, 0, "d2", "p", "b"))
    stored = journal.game(game_id)
    referee = Referee(GAME, (None, None), line_of_play(GAME, ["d2"]), ["d2"])
    assert clock_of(ClockSection(control="game"), stored, referee).left_s == (600.0, 600.0)


def test_settings_become_a_time_control() -> None:
    section = ClockSection(control="game", minutes=5, increment_s=3, warn_s=[30], lose=True)
    assert time_control(section) == TimeControl("game", 300.0, 3.0, (30.0,), True)


def test_health_says_what_the_clocks_show(table: Callable[..., Table]) -> None:
    at = table()
    assert at.timer.status(GAME.sides)["text"] == "light 1:40, dark 1:40 (the board has not been seen yet)"
    at.show(EMPTY_BOARD)
    at.wait(5)
    status = at.timer.status(GAME.sides)
    assert status["text"] == "light 1:35, dark 1:40 (light's time runs)"
    assert (status["running"], status["left_s"], status["turn_s"]) == ("light", [95.0, 100.0], 5.0)


@pytest.mark.parametrize(
    ("seconds", "spoken", "on_a_clock"),
    [
        (60, "one minute", "1:00"),
        (10, "10 seconds", "0:10"),
        (1, "one second", "0:01"),
        (90, "one minute and 30 seconds", "1:30"),
        (3600, "60 minutes", "1:00:00"),
        (0.4, "0 seconds", "0:01"),
    ],
)
def test_times_are_said_and_shown_as_people_do(seconds: float, spoken: str, on_a_clock: str) -> None:
    assert (as_words(spoken_time(seconds)), shown(seconds)) == (spoken, on_a_clock)


def test_a_clock_shows_what_is_over_with_a_minus() -> None:
    assert (shown(-0.5), shown(-75)) == ("0:00", "-1:15")
