"""Connects a camera to a match: frames go through the pipeline, readings to the match. Used by the match's thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from daemon.belief.look import Look
from daemon.game.effects import Announcement, Effect
from daemon.game.line_of_play import shares_pieces
from daemon.judging.cell_overrides import CellOverrides
from daemon.judging.complaints import QUARTER
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from daemon.match.command_handlers import NEEDS_BOARD
from daemon.match.match import Match
from daemon.perception.learning import Growth, why_untaught
from daemon.perception.next_game import STANDS_S, NextGame
from daemon.perception.occlusion_notices import OcclusionNotices
from daemon.perception.pipeline import Observation, Pipeline
from daemon.record.lesson_file import LessonFile
from rules import Side, figures_of
from rules.turns import changed_cells
from vision.frame import Frame
from vision.reading.board_reading import SURE, UNKNOWN, BoardReading
from wording import sentence

HURRY_S = 3.0
"""Seconds a hand may take to leave the board after a player has said that the move is made."""
UNWATCHED_PLIES = 2
"""Most plies made before the board was found that the first board to teach may show."""
HURRY_GIVEN_UP = sentence("I cannot read the board: something moves over it. I look again when it is still.")
ENDED = sentence("The pictures end while something moves over the board: what was done last I have not seen.")
OFFER = sentence(
    "The board is set up for a new game. I begin one in {seconds} seconds. To continue this game, put the pieces back.",
    seconds=round(STANDS_S),
)


class BoardTracker:
    def __init__(
        self, pipeline: Pipeline, match: Match, *, lost_s: float = 3.0, lessons: LessonFile | None = None
    ) -> None:
        """Puts the match on the watched board, which counts as lost once out of sight for `lost_s` seconds.

        What the start teaches is kept in `lessons`, and what it holds of this game is used.
        """
        self.pipeline, self.match = pipeline, match
        self.lost_s = lost_s
        match.watched = True
        self.observation: Observation | None = None
        self.reading: BoardReading | None = None
        """Last reading of the board, without what people said about cells."""
        self._expected_of: tuple[Referee, int] | None = None
        self._growth = Growth(pipeline.start, pipeline.reader)
        self._told_untaught = False
        self.watched = match.referee.ply > 0
        """Whether the board was seen as the match has it: plies on the first board in view were made before."""
        self._lessons = lessons
        if lessons is not None and pipeline.profile is None:
            pipeline.recall(lessons.load(pipeline.template))
        match.followers.append(self._growth.changed)
        self.overrides = CellOverrides()
        self._next_game, self._occlusion_notices = NextGame(), OcclusionNotices()
        self._seen_s: float | None = None
        self._hurried_s: float | None = None
        """Time until which a move that a player has announced is awaited; None if there is none."""
        self._arm: str | None = None
        """Side of the board's frame from which an arm came in since the last move."""

    @property
    def shakes(self) -> bool:
        return self._occlusion_notices.shakes

    @property
    def reading_in_view(self) -> BoardReading | None:
        """The last reading, without what people said about cells; None if the board is not in sight."""
        seen = self.observation
        return None if seen is None or seen.rectified is None else self.reading

    @property
    def unknown_cells(self) -> tuple[int, ...]:
        unknown = None if self.reading is None else self.reading.unknown
        return () if unknown is None else tuple(int(cell) for cell in np.flatnonzero(unknown > UNKNOWN))

    @property
    def new_game_due(self) -> bool:
        """Whether the next game is to begin: the match asks for it, or the board was set up for it."""
        return self.match.new_game_due or self.start_in_view

    def feed(self, frame: Frame) -> Observation:
        self.pipeline.awaited = self._referee.waits
        self.pipeline.believed = self._referee.game.board(self._referee.position)
        if self._expected_of != (self._referee, self._referee.ply):
            self._expect()
        known = self.pipeline.lesson
        observation = self.pipeline.feed(frame)
        self.observation = observation
        if (lesson := self.pipeline.lesson) not in (None, known) and lesson.board:
            self.watched |= lesson.board in self.pipeline.expected
            if self._lessons is not None:
                self._lessons.save(lesson)
            if lesson.turn % 2 and self.pipeline.template.first_square:
                self.match.trouble(QUARTER)
        gate = observation.gate
        self.match.board_free = observation.rectified is not None and gate is not None and gate.settled
        if self._seen_s is None:
            self._seen_s = frame.time_s
        if observation.rectified is None:
            if frame.time_s - self._seen_s >= self.lost_s and not self._referee.loss_announced:
                self.match.carry_out(self._referee.lost(*self.pipeline.why_unseen(frame)))
            return observation
        self._seen_s = frame.time_s
        if gate is not None:
            if gate.phase in ("moving", "occluded"):
                self._referee.covered()
            if gate.fresh:
                self._arm = observation.arm or self._arm
            for notice in self._occlusion_notices.look(observation, self._referee.game, self.pipeline):
                self.match.trouble(*notice)
        self.match.carry_out(self._referee.found())
        self._read(observation)
        if observation.begun is not None and not self.watched:
            self.pipeline.begun = ()  # judged once
            self.match.carry_out(self._ruled(Look(self._now_s, observation.begun, final=True), ()))
        if observation.glimpse is not None and observation.reading is None:
            self._take_glimpse(observation.glimpse)
        self._tell_why_untaught()
        return observation

    def _expect(self) -> None:
        """Tells the pipeline which boards may be in view: a start, or the position set up or come to by play."""
        game, referee = self._referee.game, self._referee
        self._expected_of = referee, referee.ply
        at_start = not referee.ply and referee.position in game.starts
        positions = game.starts if at_start else (referee.position,)
        self.pipeline.expected = tuple(dict.fromkeys(figures_of(game, position) for position in positions))
        self.pipeline.begun = () if referee.ply or self.watched else self._boards_after(positions)

    def _boards_after(self, positions: Sequence[Any]) -> tuple[str, ...]:
        """The boards to which one or two plies lead from the positions; none where no board teaches."""
        game, boards = self._referee.game, dict[str, None]()
        if not self.pipeline.may_learn:
            return ()
        for _ in range(UNWATCHED_PLIES):
            positions = [game.apply(before, move) for before in positions for move in game.legal_moves(before)]
            boards |= dict.fromkeys(figures_of(game, position) for position in positions)
        return tuple(boards)

    def _tell_why_untaught(self) -> None:
        """Tells once that the board at rest, which the referee finds in order, has not taught how its men look."""
        refused = self.pipeline.refused
        if self._told_untaught or refused is None or self.pipeline.lesson is not None or not self.pipeline.rested():
            return
        if self._referee.verdict in ("unchanged", "legal") and (said := why_untaught(refused, self._referee.game)):
            self._told_untaught = True
            self.match.trouble(*said)

    def _take_glimpse(self, glimpse: BoardReading) -> None:
        """Takes plies that are seen while something moves over the board."""
        referee = self._referee
        if self.match.puzzle is not None or self.start_in_view or referee.outcome or referee.to_put_back:
            return
        self.match.carry_out(self._ruled(self.overrides.seen(referee, Look(self._now_s, glimpse, free=False)), ()))

    def _read(self, observation: Observation) -> None:
        """Acts on a picture of the board: judges a reading, or looks for a move that a player has announced."""
        time_s = observation.frame.time_s
        if self._hurried_s is not None and time_s >= self._hurried_s:
            self._hurried_s = None
            self.match.carry_out([self._referee.announce("nothing_new", HURRY_GIVEN_UP)])
        if observation.reading is not None and not self.start_in_view:
            self._take_in(observation.reading, time_s)
        elif self._hurried_s is not None and _stands_still(observation):
            self.match.carry_out(self._read_at_once(observation))
        elif self.match.puzzle is None and self._next_game.look(time_s) and _stands_still(observation):
            self.match.new_game_wanted = True

    def _take_in(self, reading: BoardReading, time_s: float) -> None:
        if self.match.puzzle is not None:  # while it is set up, the board may look like a start
            self.judge(reading)
            return
        sign = self._next_game.see(self._referee, self.overrides.over(reading), time_s)
        if sign == "offer":
            self.match.carry_out([self._referee.announce("new_game", OFFER)])
        elif sign == "begin":
            self.match.new_game_wanted = True
        if not sign:
            self.judge(reading)

    @property
    def to_clear(self) -> bool:
        """Whether the board is still to be cleared before the next game: it shows not that game's start."""
        game, reading = self._referee.game, self.reading
        if reading is None or not self.match.asked_anew:
            return False
        starts = game.starts if self.match.set_up is None else (self.match.set_up,)
        return all(reading.board != game.board(start) for start in starts)

    @property
    def start_in_view(self) -> bool:
        """Whether the board was just read as set up for a new game, after the end or when a game is resumed.

        Someone who clears the board between two sessions wants a new game, not to take back every move.
        """
        game, referee, seen = self._referee.game, self._referee, self.observation
        if (
            seen is None
            or seen.reading is None
            or not (referee.outcome or (referee.ply and referee.verdict == "start"))
        ):
            return False
        return any(seen.reading.board == game.board(start) for start in game.starts)

    def begin_again(self, referee: Referee) -> None:
        """Continues with the next game, from the board just read; for a match without a record."""
        self.match.begin_again(referee)
        if self.observation is not None and self.observation.reading is not None:
            self.judge(self.observation.reading)

    def end(self) -> None:
        """Handles the end of the frame source; reports a board that is out of sight, or under a hand, even briefly."""
        if self.observation is None or self.observation.rectified is None:
            self.match.carry_out(self._referee.lost())
        elif not self.match.board_free:
            self.match.trouble(ENDED)

    def poll(self) -> None:
        """To be called often, with or without frames, instead of the match's own `poll`."""
        carried_out = self._referee.awaiting != "carry_out"
        self.match.poll()
        if carried_out and self._referee.awaiting == "carry_out":
            self._look_for_answer()

    def _look_for_answer(self) -> None:
        """Checks whether a waiting agent's move is already on the board, because somebody was faster.

        While hands move over the board this is left to the next reading.
        """
        seen = self.observation
        if self.reading is None or (seen is not None and (seen.gate is None or not seen.gate.settled)):
            return
        self.judge(self.reading)

    def judge(self, reading: BoardReading) -> None:
        """Judges a reading; a doubtful picture is read again."""
        self.reading = reading
        free, photo = not self._grows(reading), self.observation is not None and bool(self.observation.frame.name)
        look = self.overrides.seen(self._referee, Look(self._now_s, reading, free, final=photo))
        self.match.carry_out(self._ruled(look, self._movers()))
        if self._referee.is_doubted:
            self.pipeline.looks.ask_again()

    @property
    def _now_s(self) -> float:
        """The time of the newest picture, less that which nobody watched."""
        return 0.0 if self.observation is None else self.pipeline.watched_s(self.observation.frame.time_s)

    def _grows(self, reading: BoardReading) -> bool:
        """Whether more will be known soon of a doubtful cell that may have changed."""
        growing = self.pipeline.looks.growing
        board = self._referee.game.board(self._referee.position)
        if len(growing) != len(board):
            return False
        cells = list(changed_cells(board, reading.board)) or range(len(board))
        return bool((growing & (reading.confidence < SURE))[cells].any())

    def judge_again(self) -> None:
        if (reading := self.reading_in_view) is not None:
            self.match.carry_out(self.judged(reading))

    def judged(self, reading: BoardReading) -> list[Effect]:
        """The referee's decisions on a final reading: no second look is taken."""
        self.reading = reading
        look = self.overrides.seen(self._referee, Look(self._now_s, reading, final=True))
        return self._ruled(look, self._movers())

    def end_move(self) -> list[Effect]:
        """Handles a player's "move made": reads the board at once, or as soon as nothing moves over it."""
        seen = self.observation
        if self._referee.paused:
            raise Refusal(sentence("The game is paused: resume it first."))
        if seen is None or seen.rectified is None or seen.gate is None:
            raise Refusal(NEEDS_BOARD)
        if _stands_still(seen):
            return self._read_at_once(seen)
        self._hurried_s = seen.frame.time_s + HURRY_S
        return []

    def _read_at_once(self, seen: Observation) -> list[Effect]:
        """Reads a picture in which nothing moves, without waiting for it to settle."""
        assert seen.rectified is not None
        self._hurried_s = None
        self._referee.say_again()
        effects = self.judged(self.pipeline.reader.read(seen.rectified.picture, seen.frame.time_s))
        if any(isinstance(effect, Announcement) and effect.said for effect in effects):
            return effects
        told = self._referee.announce("nothing_new", sentence("I see no move."), self._referee.whose_turn())
        return [*effects, told]

    def _ruled(self, look: Look, movers: tuple[Side, ...]) -> list[Effect]:
        """The referee's decisions on a look; what legal play confirms adds to what the start has taught."""
        effects = self._referee.see(look, movers, watched=self.watched)
        self.watched |= self._referee.verdict in ("unchanged", "legal")
        if self.observation is not None:
            self._growth.judged(self._referee, self.observation.gate, self.observation.alignment)
        if self._referee.verdict in ("unchanged", "legal", "takeback"):
            self._arm = None
        return effects

    def _movers(self) -> tuple[Side, ...]:
        """The side that made the last ply if the side from which an arm came shows it; empty otherwise.

        Used only where two people play pieces that belong to nobody; otherwise the piece or the agent's move identifies
        the mover.
        """
        seats = self.match.seats
        if not shares_pieces(self._referee.game) or any(seat.agent for seat in seats):
            return ()
        sides = tuple(side for side, seat in enumerate(seats) if seat.place and seat.place == self._arm)
        return sides if len(sides) == 1 else ()

    @property
    def _referee(self) -> Referee:
        return self.match.referee


def _stands_still(seen: Observation) -> bool:
    """Whether nothing moves or lies over the board, for however short a time."""
    return seen.rectified is not None and seen.gate is not None and seen.gate.phase in ("settling", "settled")
