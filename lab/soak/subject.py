"""The system under test: the daemon's pipeline, match and record, which can be killed and restarted at any instant."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from agents.messages import StateMessage
from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from daemon.bus.requests import Publisher
from daemon.config.seats import Seat
from daemon.game.effects import Announcement, Effect, Record
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.match.recovery import asked_move
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Observation, Pipeline
from daemon.record.journal import Journal
from daemon.record.record import REASONS, GameRecord
from daemon.record.stored_line import history_of
from rules import AnyGame
from vision.frame import Frame

LOST_S = 3.0
Instant = Literal["before_writing", "after_writing", "after_telling"]


class Killed(BaseException):
    """Ends the process under test at this instant; nothing in the daemon catches it."""


@dataclasses.dataclass
class KillPlan:
    instant: Instant | None = None
    """When to die with the next ply; None for not at all. Deaths between two frames are caused elsewhere."""
    disk_full: bool = False

    def strike(self, instant: Instant) -> None:
        """Raises Killed if this is the instant to die."""
        if self.instant == instant:
            self.instant = None
            raise Killed


class KillableRecord:
    """A game's record whose disk may be full, and whose process may die before or after a ply is written."""

    def __init__(self, record: GameRecord, kill_plan: KillPlan) -> None:
        self._record, self._kill_plan = record, kill_plan
        self._writes_ply = False
        """Whether a ply, or an agent's move, is in the present transaction."""

    def _room(self) -> None:
        if self._kill_plan.disk_full:
            raise OSError(REASONS["full"])

    def __getattr__(self, name: str) -> Any:
        """Whatever else the record writes needs room on the disk too."""
        self._room()
        return getattr(self._record, name)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What is written within is on the disk on exit, or nothing."""
        self._room()
        self._writes_ply = False
        with self._record.together():
            yield
        if self._writes_ply:
            self._kill_plan.strike("after_writing")

    def write(self, effect: Effect) -> None:
        self._room()
        if isinstance(effect, Record) or getattr(effect, "code", "") == "agent_move":
            self._kill_plan.strike("before_writing")
            self._writes_ply = True
        self._record.write(effect)


class Subject:
    """The daemon without the parts that run in processes of their own: voice, page, bus and workers."""

    def __init__(
        self,
        game: AnyGame,
        template: BoardTemplate,
        profile: TableProfile,
        path: Path,
        *,
        clock: Callable[[], float],
        hear: Callable[[Announcement], None],
        blind: Callable[[], bool],
    ) -> None:
        """Keeps its record at `path`; calls `hear` with each announcement after it is written.

        `blind` tells whether the camera is known to send nothing.
        """
        self.game, self.path = game, path
        self.kill_plan = KillPlan()
        self.publisher: Publisher | None = None
        self.seats = Seat(), Seat()
        self.kills = 0
        self._template, self._profile = template, profile
        self._clock, self._hear, self._blind = clock, hear, blind
        self._journal = Journal(path)
        self.pipeline = self._new_pipeline()
        self.eyes = self._begin(resume=False)

    @property
    def match(self) -> Match:
        return self.eyes.match

    @property
    def referee(self) -> Referee:
        return self.match.referee

    @property
    def board(self) -> str:
        return self.game.board(self.referee.position)

    @property
    def seen(self) -> Observation | None:
        return self.eyes.observation

    @property
    def rests(self) -> bool:
        """Whether the picture has settled and there is no more to look at."""
        return self.seen is not None and self.seen.gate is not None and self.seen.gate.settled

    def recorded(self) -> list[str]:
        return list(self._journal.game(self.match.game_id).moves)

    def feed(self, frame: Frame) -> None:
        """Runs one turn of the daemon's loop with a picture. May raise Killed."""
        self.eyes.feed(frame)
        self.poll()
        if self.eyes.start_in_view and not self.match.backlog.waiting:
            self.eyes = self._begin(resume=False)

    def poll(self) -> None:
        self.eyes.poll()

    def new_game(self, seats: tuple[Seat, Seat], publisher: Publisher | None) -> None:
        self.seats, self.publisher = seats, publisher
        self.eyes = self._begin(resume=False)

    def kill(self) -> None:
        """Ends the process without flushing, closing or saying anything, and starts a new one on the same file."""
        self.kills += 1
        self.kill_plan.instant = None
        self._journal.close()  # rolls back what was not committed, as the next process would
        self._journal = Journal(self.path)
        self.pipeline = self._new_pipeline()
        self.eyes = self._begin(resume=True)

    def close(self) -> None:
        self._journal.close()

    def _new_pipeline(self) -> Pipeline:
        return Pipeline(self._template, self._profile)

    def _begin(self, *, resume: bool) -> BoardTracker:
        """Begins or resumes a game as `Session.begin` does."""
        agents = self.seats[0].agent, self.seats[1].agent
        stored = self._journal.unfinished() if resume else None
        if stored is None:
            rules = {name: str(value).lower() for name, value in dataclasses.asdict(self.game.rules).items()}
            game_id = self._journal.new_game(self.game.name, rules, [agent or "person" for agent in agents])
            referee = Referee(self.game, agents)
        else:
            game_id = stored.game_id
            history = history_of(self.game, stored)
            referee = Referee(self.game, agents, history, stored.moves, stored.known, stored.assumed)
            referee.recall(asked_move(stored))
        match = Match(
            referee,
            seats=self.seats,
            recorder=KillableRecord(GameRecord(self._journal, game_id), self.kill_plan),
            publisher=self.publisher,
            listeners=[self._hear_announcement],
            session=secrets.token_hex(4),
            game_id=game_id,
            clock=self._clock,
        )
        match.blind = self._blind
        eyes = BoardTracker(self.pipeline, match, lost_s=LOST_S)
        match.start()
        return eyes

    def _hear_announcement(self, announcement: Announcement) -> None:
        self._hear(announcement)
        if announcement.code == "move":
            self.kill_plan.strike("after_telling")

    def state(self) -> StateMessage | None:
        return self.match.state
