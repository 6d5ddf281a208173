"""A match whose surroundings are replaced by parts that a test controls."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

import games
from agents.messages import AnswerMessage, FailureMessage, LimitsPart, ReplyMessage, StateMessage
from calibration.template import load_template
from daemon.bus.hints import Coach
from daemon.config.seats import Seat
from daemon.game.effects import Announcement, Effect, Finish, Record, Rewrite, TakeBack
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.learning import StartLesson
from daemon.perception.pipeline import Observation, Pipeline
from rules import AnyGame
from tests.daemon.readings import reading_of
from tests.daemon.sights import FROM_ABOVE, NoLooks, sight
from vision.frame import Frame
from vision.reading.board_reading import BoardReading
from vision.watching.align import LOST, Alignment
from vision.watching.watcher import Phase
from wording import Sentences, sentence

PICTURE = np.zeros((4, 4, 3), np.uint8)
LOCKED = Alignment(None, "locked", relocked=False, quality=1.0, moved_px=0.0)
MAX_FRAMES = 5
SETTLED = sight("settled", fresh=True)
Watching = tuple[BoardTracker, list[Announcement]]


class ScriptedPipeline:
    """Replaces the pipeline: gives the scripted readings, one per frame."""

    def __init__(self) -> None:
        self.arm: str | None = None
        self.lesson = self.refused = self.reader = None
        self.start = StartLesson()
        self.may_learn = False
        self.looks = NoLooks()
        self.readings: list[BoardReading | None] = []
        self.reasons_asked = 0
        self.phase: Phase = "settled"

    def feed(self, frame: Frame) -> Observation:
        reading = self.readings.pop(0)
        if reading is None:
            return Observation(frame, LOST)
        arm, self.arm = self.arm, None
        gate = dataclasses.replace(SETTLED, phase=self.phase)
        return Observation(frame, LOCKED, FROM_ABOVE, gate, reading, arm=arm)

    def why_unseen(self, frame: Frame) -> Sentences:
        self.reasons_asked += 1
        return (sentence("It goes beyond the left edge of the picture."),)

    def watched_s(self, time_s: float) -> float:
        return time_s


class Notebook:
    """A recorder that fails while `full` is set."""

    def __init__(self) -> None:
        self.written: list[object] = []
        self.full = False

    def together(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def write(self, effect: Effect) -> None:
        match effect:
            case Record():
                entry: object = effect.move
            case TakeBack(ply):
                entry = ply
            case Rewrite():
                entry = (effect.ply, *(record.move for record in effect.records))
            case Finish(outcome):
                entry = outcome
            case Announcement():
                entry = effect.code
        if self.full:
            raise OSError("the disk is full")
        self.written.append(entry)

    def restore(self, whole: Rewrite) -> None:
        self.write(whole)


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

    def answer(self, move: str, sequence: int | None = None, agent: str = "alphabeta", **more: Any) -> None:
        state = self.states[-1]
        self.inbox.append(
            ReplyMessage(
                worker="w",
                agent=agent,
                session=state.session,
                game_id=state.game_id,
                sequence=state.sequence if sequence is None else sequence,
                move=move,
                **more,
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
        """Shows a board until all is told of it, with a frame a second; returns the codes announced."""
        return self.look(None if board is None else reading_of(self.game, board, doubts=doubts), time_s)

    def look(self, reading: BoardReading | None, time_s: float | None = None) -> list[str]:
        """`show`, with what is read of it."""
        before = len(self.heard)
        for _ in range(MAX_FRAMES):
            self.pipeline.readings.append(reading)
            self.eyes.feed(Frame(PICTURE, self.frames if time_s is None else time_s, self.frames))
            self.frames += 1
            if time_s is not None or not self.match.referee.waits:
                break
        return [one.code for one in self.heard[before:]]

    def answer(self, move: str, **answer: Any) -> None:
        """Lets the agent answer."""
        self.post.answer(move, **answer)
        self.eyes.poll()

    def fail(self, text: str) -> None:
        """Lets the agent fail."""
        self.post.fail(text)
        self.eyes.poll()

    def wait(self, seconds: float) -> None:
        self.now_s[0] += seconds
        self.eyes.poll()


def bench_of(name: str, opponent: str | None) -> Bench:
    game = games.load(name)
    seats = Seat(), Seat(opponent, {}, LimitsPart(time_s=1.0)) if opponent else Seat()
    return bench_with(Referee(game, (None, opponent)), seats)


FIRST, SECOND, THIRD = "8H6-8I1", "8J1-8K4", "6K2-7K4"


def two_people(*places: str, agent: str | None = None) -> Bench:
    """Two people at dominoes, seated at these sides of the board; `agent` may take the first seat."""
    return bench_with(Referee(games.load("dominoes")), (Seat(agent, place=places[0]), Seat(place=places[1])))


def bench_with(
    referee: Referee, seats: tuple[Seat, Seat], coach: Coach | None = None, *, watched: bool = True
) -> Bench:
    pipeline, notebook, post, heard, now_s = ScriptedPipeline(), Notebook(), Post(), [], [0.0]
    match = Match(
        referee,
        seats=seats,
        recorder=notebook,
        publisher=post,
        listeners=[lambda announcement: heard.append(announcement)],
        clock=lambda: now_s[0],
        coach=coach,
    )
    eyes = BoardTracker(pipeline, match)  # type: ignore[arg-type]
    eyes.watched = watched  # the start, before the first reading
    match.start()
    return Bench(referee.game, match, eyes, pipeline, notebook, post, heard, now_s)


def watching(game: AnyGame, start: Any = None, *, in_photos: bool = False, settle_s: float = 0.4) -> Watching:
    """Real eyes over a new game, and the list of what they lead to."""
    heard: list[Announcement] = []
    referee = Referee(game, history=[] if start is None else [start], in_photos=in_photos)
    match = Match(referee, listeners=[heard.append])
    eyes = BoardTracker(Pipeline(load_template(game.name), None, settle_s=settle_s), match)
    match.start()
    return eyes, heard


def lay(bench: Bench, tile: str, arm: str | None = None) -> list[str]:
    """Lays one tile, with an arm reaching in from that side; returns the codes announced."""
    board = list(bench.game.board(bench.match.referee.position))
    for end in tile.split("-"):
        board[bench.game.cells.index(end[:-1])] = end[-1]
    bench.pipeline.arm = arm
    return bench.show("".join(board))
