"""The match records first and announces then; it asks agents, and survives their faults and those of the disk."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest

import games
from agents.messages import AnswerMessage, FailureMessage, LimitsPart, ReplyMessage, StateMessage
from daemon.agents.requests import PATIENCE_S, REFUSALS, REFUSED_PATIENCE_S
from daemon.commands.command import Mover, NewGame, Pass, Repeat, Undo
from daemon.config.seats import Seat, stand_in
from daemon.core.command_handlers import obey
from daemon.core.match import Match
from daemon.game.effects import Announcement, Record, Rewrite
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Observation
from daemon.storage.backlog import MAX_NOTES
from rules import AnyGame, Outcome
from rules.turns import line_of_play
from tests.daemon.readings import board_with, reading_of
from vision.frame import Frame
from vision.reading.board_reading import BoardReading
from vision.watching.align import LOST, Alignment
from vision.watching.gate import GateState, Phase
from wording import Sentences, sentence, untranslated

PICTURE = np.zeros((4, 4, 3), np.uint8)
LOCKED = Alignment(None, "locked", relocked=False, quality=1.0, moved_px=0.0)
SETTLED = GateState("settled", settled=True, fresh=True, motion=0.0, light_gain=1.0)


class ScriptedPipeline:
    """Replaces the pipeline: gives the scripted readings, one per frame."""

    def __init__(self) -> None:
        self.arm: str | None = None
        self.lesson = self.refused = None
        self.readings: list[BoardReading | None] = []
        self.asked = 0
        self.may_ask = False
        self.may_ask_later = False
        self.reasons_asked = 0
        self.phase: Phase = "settled"

    def feed(self, frame: Frame) -> Observation:
        reading = self.readings.pop(0)
        if reading is None:
            return Observation(frame, LOST)
        arm, self.arm = self.arm, None
        gate = dataclasses.replace(SETTLED, phase=self.phase)
        return Observation(frame, LOCKED, PICTURE, gate, reading, arm=arm)

    def why_unseen(self, frame: Frame) -> Sentences:
        self.reasons_asked += 1
        return (sentence("It goes beyond the left edge of the picture."),)

    def ask_later(self, in_s: float) -> bool:
        return self.may_ask_later

    def watched_s(self, time_s: float) -> float:
        return time_s

    def ask_again(self) -> bool:
        self.asked += 1
        return self.may_ask


class Notebook:
    """A recorder that fails while `full` is set."""

    def __init__(self) -> None:
        self.written: list[object] = []
        self.full = False

    def together(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def append(self, record: Record) -> None:
        self._write(record.move)

    def restore(self, whole: Rewrite) -> None:
        self.rewrite(whole)

    def take_back(self, ply: int) -> None:
        self._write(ply)

    def rewrite(self, rewrite: Rewrite) -> None:
        self._write((rewrite.ply, *(record.move for record in rewrite.records)))

    def finish(self, outcome: Outcome) -> None:
        self._write(outcome)

    def note(self, announcement: Announcement) -> None:
        self._write(announcement.code)

    def _write(self, entry: object) -> None:
        if self.full:
            raise OSError("the disk is full")
        self.written.append(entry)


class Post:
    """A publisher whose replies the test supplies."""

    def __init__(self) -> None:
        self.states: list[StateMessage] = []
        self.inbox: list[AnswerMessage] = []

    def publish(self, state: StateMessage) -> None:
        self.states.append(state)

    def poll(self) -> Sequence[AnswerMessage]:
        taken, self.inbox = self.inbox, []
        return taken

    def answer(self, move: str, sequence: int | None = None, agent: str = "alphabeta") -> None:
        state = self.states[-1]
        self.inbox.append(
            ReplyMessage(
                worker="w",
                agent=agent,
                session=state.session,
                game_id=state.game_id,
                sequence=state.sequence if sequence is None else sequence,
                move=move,
            )
        )

    def fail(self, text: str) -> None:
        state = self.states[-1]
        address = {"session": state.session, "game_id": state.game_id, "sequence": state.sequence}
        self.inbox.append(FailureMessage(worker="w", agent="alphabeta", text=text, **address))


@dataclasses.dataclass
class Bench:
    """A match with all its surroundings replaced by parts that the test controls."""

    game: AnyGame
    match: Match
    eyes: BoardTracker
    pipeline: ScriptedPipeline
    notebook: Notebook
    post: Post
    heard: list[Announcement]
    now_s: list[float]
    frames: int = 0

    def show(self, board: str | None, time_s: float | None = None, **doubts: tuple[str, float]) -> list[str]:
        """Feeds one frame; returns the codes announced."""
        before = len(self.heard)
        reading = None if board is None else reading_of(self.game, board, doubts=doubts)
        self.pipeline.readings.append(reading)
        self.eyes.feed(Frame(PICTURE, self.frames if time_s is None else time_s, self.frames))
        self.frames += 1
        return [one.code for one in self.heard[before:]]


@pytest.fixture
def bench() -> Bench:
    return bench_of("morris", "alphabeta")


def bench_of(name: str, opponent: str | None) -> Bench:
    game = games.load(name)
    pipeline, notebook, post, heard, now_s = ScriptedPipeline(), Notebook(), Post(), [], [0.0]
    match = Match(
        Referee(game, (None, opponent)),
        seats=(Seat(), Seat(opponent, {}, LimitsPart(time_s=1.0)) if opponent else Seat()),
        recorder=notebook,
        publisher=post,
        listeners=[lambda announcement: heard.append(announcement)],
        clock=lambda: now_s[0],
    )
    eyes = BoardTracker(pipeline, match)  # type: ignore[arg-type]
    match.start()
    return Bench(game, match, eyes, pipeline, notebook, post, heard, now_s)


def test_ply_is_written_before_it_is_announced(bench: Bench) -> None:
    written_when_heard: list[list[object]] = []
    bench.match.listeners.insert(0, lambda _one: written_when_heard.append(list(bench.notebook.written)))
    bench.show(board_with(bench.game, W="d2"))
    assert written_when_heard == [["d2"]]


def test_state_after_a_move_is_complete_and_asks_the_agent(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    state = bench.post.states[-1]
    assert (state.moves, state.ply, state.to_move, state.awaiting) == (["d2"], 1, 1, "agent")
    assert state.board == board_with(bench.game, W="d2")
    assert state.players[1].agent == "alphabeta"
    assert state.rules["men"] == "9"


def test_agents_answer_is_announced_and_published_as_to_be_carried_out(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.post.answer("f4")
    bench.eyes.poll()
    assert bench.heard[-1].code == "agent_move"
    assert (bench.post.states[-1].awaiting, bench.post.states[-1].agent_move) == ("carry_out", "f4")


def test_agents_answer_is_written_before_it_is_announced(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    written_when_heard: list[list[object]] = []
    bench.match.listeners.insert(0, lambda _one: written_when_heard.append(list(bench.notebook.written)))
    bench.post.answer("f4")
    bench.eyes.poll()
    assert written_when_heard == [["d2", "agent_move"]]


def test_state_that_asks_an_agent_lists_the_legal_moves(bench: Bench) -> None:
    assert bench.post.states[-1].legal_moves == []
    bench.show(board_with(bench.game, W="d2"))
    assert len(bench.post.states[-1].legal_moves) == 23
    assert "d2" not in bench.post.states[-1].legal_moves


def test_late_reply_for_an_old_position_is_dropped(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.post.answer("f4", sequence=bench.post.states[-1].sequence - 1)
    bench.eyes.poll()
    assert bench.match.referee.agent_move is None


def test_illegal_answers_are_counted_never_spoken_and_told_of_once(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    for _ in range(5 * REFUSALS):
        bench.post.answer("d2")
        bench.eyes.poll()
    assert bench.match.refused == 5 * REFUSALS
    assert [one.code for one in bench.heard] == ["move"]
    bench.now_s[0] += REFUSED_PATIENCE_S + 1.5
    for _ in range(5 * REFUSALS):
        bench.eyes.poll()
        bench.post.answer("d2")
    assert [one.code for one in bench.heard] == ["move", "trouble"]
    assert "d2" not in bench.heard[-1].text
    assert bench.notebook.written == ["d2", "trouble"]


def test_agent_that_answers_illegally_is_not_asked_again_and_again_at_once(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    published = len(bench.post.states)
    for _ in range(100):
        bench.post.answer("d2")
        bench.eyes.poll()
    assert len(bench.post.states) == published + REFUSALS


HALF_BACK = "d4"
"""A disc turned two plies ago that is turned back alone: half of a takeback, or tampering."""


@pytest.mark.parametrize(
    ("between", "waits"),
    [
        ("settled", False),
        ("light", False),  # a lamp or a moved camera is no hand
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
    bench.pipeline.may_ask_later = True
    assert bench.show(half, 50.0) == []
    bench.pipeline.phase = between
    bench.show(half, 51.0)
    bench.pipeline.phase = "settled"
    assert bench.show(half, 52.5) == []
    assert bench.show(half, 53.1) == ([] if waits else ["illegal"])
    assert bench.show(half, 55.6) == (["illegal"] if waits else [])


def test_legal_answer_counts_beside_and_after_illegal_ones(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    for _ in range(2 * REFUSALS):
        bench.post.answer("d2")
        bench.eyes.poll()
    bench.post.answer("zz")
    bench.post.answer("f4")
    bench.post.answer("f6")
    bench.eyes.poll()
    assert (bench.heard[-1].code, bench.heard[-1].move) == ("agent_move", "f4")


def test_patience_with_a_silent_agent_doubles(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    for _ in range(3600):
        bench.now_s[0] += 1.0
        bench.eyes.poll()
    assert 8 <= [one.code for one in bench.heard].count("trouble") <= 20
    assert bench.post.states[-1].awaiting == "agent"


def test_silent_agent_is_asked_again_and_the_players_are_told(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    asked = bench.post.states[-1].sequence
    bench.eyes.poll()
    assert bench.post.states[-1].sequence == asked
    bench.now_s[0] += PATIENCE_S + 1.5
    bench.eyes.poll()
    assert bench.heard[-1].code == "trouble"
    assert bench.post.states[-1].sequence > asked
    assert bench.post.states[-1].awaiting == "agent"


def test_agent_that_says_why_it_has_no_move_is_asked_again_once_at_once_and_the_reason_is_told(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    asked = bench.post.states[-1].sequence
    for _ in range(5):
        bench.post.fail("neural_morris.onnx: its sha256\u202eis wrong")
        bench.eyes.poll()
    told = [one.text for one in bench.heard if one.code == "trouble"]
    assert told == ["alphabeta finds no move: neural_morris.onnx: its sha256is wrong. I ask again."]
    assert bench.post.states[-1].sequence == asked + 1
    bench.now_s[0] += 2 * PATIENCE_S + 1.5
    bench.eyes.poll()
    assert bench.heard[-1].text == told[0] and bench.post.states[-1].sequence == asked + 2


def stand_in_at(bench: Bench, level: str = "level-5") -> None:
    """Lets Kibitzer's own player stand in for the agent."""
    bench.match.stand_in = lambda seat: Seat(level, {}, seat.limits) if seat.agent == "alphabeta" else None
    bench.show(board_with(bench.game, W="d2"))


def test_at_the_second_fault_another_plays_instead_and_it_is_said_once_and_recorded(bench: Bench) -> None:
    stand_in_at(bench)
    for wait_s in (PATIENCE_S + 1.5, 2 * PATIENCE_S + 1.5, PATIENCE_S + 0.5):
        bench.now_s[0] += wait_s
        bench.eyes.poll()
    told = [(one.code, one.text) for one in bench.heard[1:]]
    instead = "alphabeta does not answer. Kibitzer's own player at level 5 plays instead."
    assert told == [("trouble", "alphabeta does not answer. I ask again."), ("stand_in", instead)]
    state = bench.post.states[-1]
    assert (state.players[1].agent, state.awaiting, state.players[0].agent) == ("level-5", "agent", None)
    bench.post.answer("f4")
    bench.eyes.poll()  # an answer of the agent that has lost its seat
    assert bench.post.states[-1].awaiting == "agent"
    bench.post.answer("f4", agent="level-5")
    bench.eyes.poll()
    assert bench.post.states[-1].agent_move == "f4"
    assert bench.notebook.written == ["d2", "trouble", "stand_in", "agent_move"]


def test_two_failures_are_enough_without_a_long_wait_but_one_is_not(bench: Bench) -> None:
    stand_in_at(bench)
    bench.post.fail("it died")
    bench.eyes.poll()
    bench.now_s[0] += REFUSED_PATIENCE_S + 1.5
    bench.eyes.poll()
    assert bench.post.states[-1].players[1].agent == "alphabeta"
    bench.post.fail("it died")
    bench.eyes.poll()
    assert bench.heard[-1].text == "alphabeta finds no move: it died. Kibitzer's own player at level 5 plays instead."
    assert bench.post.states[-1].players[1].agent == "level-5"


def test_faults_at_different_positions_do_not_add_up(bench: Bench) -> None:
    stand_in_at(bench)
    bench.post.fail("it died")
    bench.eyes.poll()
    bench.post.answer("f4")
    bench.eyes.poll()
    bench.show(board_with(bench.game, W="d2", B="f4"))
    bench.show(board_with(bench.game, W="d2 g4", B="f4"))
    bench.post.fail("it died")
    bench.eyes.poll()
    assert bench.heard[-1].text == "alphabeta finds no move: it died. I ask again."


def test_an_agent_that_has_played_and_gone_is_stood_in_for_and_one_that_never_came_is_waited_for(bench: Bench) -> None:
    bench.match.is_absent = lambda agent: agent == "alphabeta"
    stand_in_at(bench)
    bench.now_s[0] += 100.0
    bench.eyes.poll()
    assert bench.heard[-1].code == "move"
    bench.post.answer("f4")
    bench.eyes.poll()
    bench.show(board_with(bench.game, W="d2", B="f4"))
    bench.show(board_with(bench.game, W="d2 g4", B="f4"))
    for wait_s in (PATIENCE_S + 1.5, 2 * PATIENCE_S + 1.5):
        bench.now_s[0] += wait_s
        bench.eyes.poll()
    assert bench.heard[-1].code == "stand_in"


@pytest.mark.parametrize(
    ("agent", "options", "instead"),
    [
        ("external", {"engine": "gnugo"}, "level-5"),
        ("external", {"engine": "gnugo", "level": "7"}, "level-7"),
        ("level-8", {}, "level-7"),
        ("level-1", {}, None),
        (None, {}, None),
    ],
)
def test_who_stands_in_is_of_the_level_of_who_fails(agent: str | None, options: dict[str, str], instead: str) -> None:
    limits = LimitsPart(time_s=2.0)
    found = stand_in(Seat(agent, options, limits, "left"))
    assert found == (Seat(instead, {}, limits, "left") if instead else None)


def test_reason_of_a_failure_is_forgotten_with_the_next_move(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.post.fail("no memory")
    bench.eyes.poll()
    bench.post.answer("f4")
    bench.eyes.poll()
    bench.show(board_with(bench.game, W="d2", B="f4"))
    bench.show(board_with(bench.game, W="d2 g4", B="f4"))
    told = [one.code for one in bench.heard].count("trouble")
    bench.eyes.poll()
    assert bench.post.states[-1].awaiting == "agent" and [one.code for one in bench.heard].count("trouble") == told
    bench.now_s[0] += PATIENCE_S + 1.5
    bench.eyes.poll()
    assert bench.heard[-1].text == "alphabeta does not answer. I ask again."


def test_agents_move_made_before_it_was_spoken_counts_once_it_is(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    assert bench.show(board_with(bench.game, W="d2", B="f4")) == ["illegal"]
    bench.post.answer("f4")
    bench.eyes.poll()
    assert bench.notebook.written == ["d2", "illegal", "agent_move", "f4"]


def test_full_disk_loses_no_ply_and_is_told_once(bench: Bench) -> None:
    bench.notebook.full = True
    codes = bench.show(board_with(bench.game, W="d2"))
    assert codes == ["trouble", "move"]
    bench.eyes.poll()
    assert [one.code for one in bench.heard].count("trouble") == 1
    assert bench.match.write_trouble
    bench.notebook.full = False
    bench.eyes.poll()
    assert bench.notebook.written == ["d2"]
    assert not bench.match.write_trouble
    assert "again" in bench.heard[-1].text


def test_doubtful_picture_is_read_again_before_anything_is_said(bench: Bench) -> None:
    bench.pipeline.may_ask = True
    assert bench.show(board_with(bench.game, W="d2 a1 g7 a4"), g7=("B", 0.3)) == []
    assert bench.pipeline.asked == 1
    bench.pipeline.may_ask = False
    assert bench.show(board_with(bench.game, W="d2 a1 g7 a4"), g7=("B", 0.3)) == ["unclear"]


def test_sure_picture_is_not_read_twice(bench: Bench) -> None:
    bench.pipeline.may_ask = True
    assert bench.show(board_with(bench.game, W="d2")) == ["move"]
    assert bench.pipeline.asked == 0


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
    assert bench.match.dropped_notes >= 20
    bench.notebook.full = False
    bench.eyes.poll()
    assert bench.notebook.written[0] == "d2"
    assert len(bench.notebook.written) == 1 + MAX_NOTES


FIRST, SECOND, THIRD = "8H6-8I1", "8J1-8K4", "6K2-7K4"


def two_people(*places: str, agent: str | None = None) -> Bench:
    """Two people at dominoes, seated at these sides of the board; `agent` may take the first seat."""
    game = games.load("dominoes")
    pipeline, notebook, post, heard, now_s = ScriptedPipeline(), Notebook(), Post(), [], [0.0]
    match = Match(
        Referee(game),
        seats=(Seat(agent, place=places[0]), Seat(place=places[1])),
        recorder=notebook,
        publisher=post,
        listeners=[lambda announcement: heard.append(announcement)],
        clock=lambda: now_s[0],
    )
    eyes = BoardTracker(pipeline, match)  # type: ignore[arg-type]
    match.start()
    return Bench(game, match, eyes, pipeline, notebook, post, heard, now_s)


def lay(bench: Bench, tile: str, arm: str | None = None) -> list[str]:
    """Lays one tile, with an arm reaching in from that side; returns the codes announced."""
    board = list(bench.game.board(bench.match.referee.position))
    for end in tile.split("-"):
        board[bench.game.cells.index(end[:-1])] = end[-1]
    bench.pipeline.arm = arm
    return bench.show("".join(board))


def movers(bench: Bench) -> list[tuple[str, str, str]]:
    line = bench.match.referee.line
    return [(ply.text, bench.game.sides[ply.side], ply.known) for ply in line.plies]


def test_who_laid_a_tile_is_told_by_the_seat_from_which_the_arm_came() -> None:
    bench = two_people("bottom", "top")
    lay(bench, FIRST, "bottom")
    assert lay(bench, SECOND, "bottom") == ["pass", "move"]
    assert lay(bench, THIRD, "top") == ["move"]
    assert movers(bench) == [
        (FIRST, "red", "seat"),
        ("pass", "green", ""),
        (SECOND, "red", "seat"),
        (THIRD, "green", "seat"),
    ]


@pytest.mark.parametrize(("places", "arm"), [(("", ""), "top"), (("left", "right"), "top"), (("left", "right"), None)])
def test_an_arm_from_nobodys_seat_tells_nothing(places: tuple[str, str], arm: str | None) -> None:
    bench = two_people(*places)
    lay(bench, FIRST, arm)
    lay(bench, SECOND, arm)
    assert movers(bench) == [(FIRST, "red", ""), (SECOND, "green", "")]


def test_an_arm_is_remembered_until_the_tile_is_judged_and_no_longer() -> None:
    bench = two_people("bottom", "top")
    bench.pipeline.may_ask = True
    bench.pipeline.arm = "top"
    board = list(bench.game.board(bench.match.referee.position))
    for end in FIRST.split("-"):
        board[bench.game.cells.index(end[:-1])] = end[-1]
    assert bench.show("".join(board), **{"8A": ("1", 0.6)}) == []  # unsure: looked at again, without an arm
    assert bench.show("".join(board)) == ["pass", "move"]
    lay(bench, SECOND)
    assert movers(bench)[1:] == [(FIRST, "green", "seat"), (SECOND, "red", "")]


def test_seats_mean_nothing_where_the_men_show_whose_they_are(bench: Bench) -> None:
    bench.match.seats = (Seat(place="top"), Seat(place="bottom"))
    bench.match.referee.agents = (None, None)
    bench.pipeline.arm = "bottom"
    assert bench.show(board_with(bench.game, W="d2")) == ["move"]


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
    assert (answer.accepted, answer.text) == (
        False,
        "I cannot write this down: the disk is full. Nothing has changed.",
    )
    assert (bench.match.referee.line.plies, len(bench.post.states)) == (line, states)
    bench.notebook.full = False
    assert obey(bench.match, Mover("red", 2), bench.eyes).accepted
    assert (1, "pass", SECOND) in bench.notebook.written


def test_what_nothing_depends_on_is_done_although_the_disk_is_full(bench: Bench) -> None:
    bench.notebook.full = True
    assert obey(bench.match, Repeat(), bench.eyes).accepted
    assert not obey(bench.match, NewGame(), bench.eyes).accepted and not bench.match.new_game_due


def test_a_move_asked_for_by_one_agent_is_not_made_for_another_that_takes_its_place(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.post.answer("f4")
    bench.eyes.poll()
    agent = bench.match.seats[1].agent
    bench.match.retune(seats=(Seat(), Seat(agent, {"seed": "1"})))
    assert bench.post.states[-1].agent_move == "f4"
    bench.match.retune(seats=(Seat(), Seat("mascot")))
    state = bench.post.states[-1]
    assert (state.awaiting, state.agent_move, state.players[1].agent) == ("agent", None, "mascot")
