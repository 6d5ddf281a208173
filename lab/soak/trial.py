"""One game and one seed of a soak: players at a simulated table, injected faults, and the daemon that watches."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import games
from calibration.template import load_template
from daemon.commands.command import Pass
from daemon.config.seats import Seat
from daemon.core.command_handlers import obey
from daemon.game.effects import Announcement
from daemon.game.line_of_play import shares_pieces, unseen_moves
from lab.simulated.calibrated import profile_of
from lab.simulated.player import ScriptedPlayer
from lab.simulated.style import CameraStyle, default_style
from lab.simulated.table import SimulatedTable
from lab.soak.agent import NAME as AGENT
from lab.soak.agent import SimulatedAgent
from lab.soak.camera import Camera
from lab.soak.careful_players import CarefulPlayers
from lab.soak.fault import Fault
from lab.soak.fault_schedule import FaultSchedule
from lab.soak.judge import Judge
from lab.soak.resources import sample
from lab.soak.subject import Killed, Subject
from lab.soak.tally import Tally
from rules.options import rules_from_words, switched_on

SIZES_PX = dict.fromkeys((24, 25, 64, 81), (640, 360))
"""Picture sizes by number of cells, just large enough to read them; other boards get the usual size."""
THINK_S = 1.5
AHEAD = 2
"""Plies not yet announced at which players stop and look at the screen."""
SAMPLE_S = 60.0
"""Simulated seconds between two measurements of the process's resources."""
END_S = 30.0
"""Seconds that the daemon has after the last ply to catch up."""


@dataclasses.dataclass(frozen=True)
class Plan:
    game: str
    seed: int
    faults: tuple[str, ...]
    plies: int = 0
    """Ends after so many plies; 0 for no limit."""
    hours: float = 0.0
    """Ends after so many simulated hours; 0 for no limit."""
    still: bool = False
    """Nobody makes a move."""
    calm_s: float = 6.0
    """Mean of the simulated seconds between two faults."""
    until_s: float = 0.0
    """Ends at this simulated second in any case; 0 for no limit."""
    rules: tuple[str, ...] = ()
    """Rule options as `name=value`, or rule sets."""


class Trial:
    """Runs a plan. All random decisions follow from the seed."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        faults: Sequence[type[Fault]],
        *,
        on_progress: Callable[[Tally], None] = lambda _: None,
        keep_failures: Path | None = None,
    ) -> None:
        """`folder` takes the record; pictures of failures go to `keep_failures`."""
        self.plan = plan
        self.game = games.load(plan.game, rules_from_words(plan.rules))
        self.template = load_template(self.game.name, switched_on(self.game))
        self.chance = random.Random(f"{plan.game} {plan.seed}")
        self.tally = Tally(self.game.name, plan.seed)
        size_px = SIZES_PX.get(len(self.game.cells))
        board = self.game.board(self.game.initial())
        self.table = SimulatedTable(self.template, board, default_style(), seed=plan.seed, size_px=size_px)
        self.first_camera: CameraStyle = self.table.style.camera
        self.camera = Camera(self.table, plan.seed)
        self._on_progress = on_progress
        profile = profile_of(self.game, self.template, self.table, plan.seed)
        self.subject = Subject(
            self.game,
            self.template,
            profile,
            folder / "journal.sqlite",
            clock=self._clock,
            hear=self._hear,
            blind=lambda: self.camera.unplugged,
        )
        self.agent = SimulatedAgent(self._clock, plan.seed)
        # Agents take no part where pieces belong to nobody: nobody sees which hand lays them.
        self._wants_agents = any(kind.agent for kind in faults) and not shares_pieces(self.game)
        self.player = self._new_player()
        self.judge = Judge(self, keep_failures)
        self.schedule = FaultSchedule(self, faults, plan.calm_s)
        self.pair = CarefulPlayers(self)
        self.hands_free = False
        """Whether players make moves although a fault occupies their hands, because the fault needs those moves."""
        self.known = 0
        """Plies of the game that had been made when the daemon last believed the true board."""
        self.abandoned = False
        """Whether the players have given up the present game: the daemon takes it for over, and nobody corrects it."""
        self._ended_s: float | None = None
        self._full_s: float | None = None
        """When all plies of the plan were made."""
        self._sampled_s = 0.0
        self._plies_before = 0
        """Plies of the games before this one, and plies that were taken back."""
        self._undone: tuple[int, list[Any]] = (0, [])

    @property
    def time_s(self) -> float:
        return self.table.time_s

    @property
    def watched(self) -> list[Any]:
        """The true positions as a mere watcher knows them, with no knowledge of hidden hands."""
        if self.player.positions[0] == self.game.initial():
            return self.player.positions
        positions = [self.game.initial()]
        for ply in self.player.record:
            # A mere watcher does not know which tile a pass puts away, nor that nothing fits the double just laid.
            while self.game.to_move(positions[-1]) != ply.side:
                positions.append(self.game.apply(positions[-1], unseen_moves(self.game, positions[-1])[0]))
            before = positions[-1]
            move = self.game.parse_move(before, ply.move) if ply.seen else unseen_moves(self.game, before)[0]
            positions.append(self.game.apply(before, move))
        return positions

    @property
    def agent_plays(self) -> bool:
        return any(seat.agent for seat in self.subject.seats)

    def run(self) -> Tally:
        begun_s = time.monotonic()
        self._new_game()
        while not self._done():
            self._turn()
            if self.time_s - self._sampled_s >= SAMPLE_S:
                self._sampled_s = self.time_s
                self.tally.samples.append(sample(self.time_s, self.tally.plies))
                self._on_progress(self.tally)
        self._calm_down()
        self.judge.close_game()
        self.subject.close()
        self.tally.simulated_s = round(self.time_s, 1)
        self.tally.wall_s = round(time.monotonic() - begun_s, 1)
        self.tally.frames = self.camera.frames
        return self.tally

    def kill(self) -> None:
        self.subject.kill()
        self.judge.restarted()

    def take_back(self, count: int) -> None:
        """Makes the players take back so many plies, which still count as made."""
        undone, before = self.undone, list(self.watched)
        self.player.take_back(count)
        self._undone = len(self.player.record), [*before[len(self.watched) :], *undone]
        self._plies_before += count

    @property
    def undone(self) -> list[Any]:
        """The positions after plies that were taken back, in order, until another is made: they may be made again."""
        plies, positions = self._undone
        return positions if len(self.player.record) == plies else []

    def abandon_game(self) -> None:
        """Gives up a spoilt game: the players clear the table and begin another."""
        self.abandoned, self._ended_s = True, -END_S

    def _done(self) -> bool:
        plan = self.plan
        if plan.plies and self.tally.plies >= plan.plies:
            # No more plies are made, but the last ones may still be announced.
            self._full_s = self.time_s if self._full_s is None else self._full_s
            if self.judge.knows or self.time_s - self._full_s > END_S:
                return True
        limits = ((plan.until_s, self.time_s), (plan.hours * 3600, self.time_s))
        return any(limit and reached >= limit for limit, reached in limits)

    def _turn(self) -> None:
        """Runs one turn of the loop: the table's events, one picture, and the daemon's reaction."""
        self.schedule.update()
        # Do not count written moves: moves taken back may be taken for a move.
        self.known = len(self.player.seen) if self.judge.knows else min(self.known, len(self.player.seen))
        ahead = len(self.player.seen) + self.player.moving - self.known
        still = self.plan.still or self._full_s is not None
        self.player.held = still or (self.schedule.holds_hands and not self.hands_free) or ahead >= AHEAD
        self.player.update()
        frame = self.camera.read(idle=self._idle())
        try:
            self.pair.update()
            if frame is not None:
                self.subject.feed(frame)
            else:
                self.subject.poll()
        except Killed:
            self.kill()
        self.tally.plies = self._plies_before + len(self.player.seen)
        self.judge.look()
        if self.player.finished or self._ended_s is not None:
            self._end_game()

    def _calm_down(self) -> None:
        """Stops faults and moves, and lets what was begun be carried out, announced and written."""
        self.schedule.close()
        self._full_s = self._full_s or self.time_s
        until_s = self.time_s + END_S
        while self.time_s < until_s and not (self.judge.knows and not self.subject.match.write_trouble):
            self._turn()

    def _idle(self) -> bool:
        if self.player.moving or self.table.stirs:
            return False
        return self.schedule.slow or (self.subject.rests and not self.table.busy)

    def _end_game(self) -> None:
        """Puts the pieces back for the next game once all plies are announced or END_S has passed."""
        if self._ended_s is None:
            self._ended_s = self.time_s
        announced = self.judge.knows and not self.subject.match.write_trouble
        done = announced or self.time_s - self._ended_s > END_S
        if self.schedule.holds_hands or self.subject.match.unwritten or not done:
            return
        self.judge.close_game()
        self._new_game()

    def _new_game(self) -> None:
        """Sets up the same table, camera and light with the pieces of the start."""
        if self.tally.games:
            old, seed = self.table, self.plan.seed + 101 * self.tally.games
            self.table = old.with_board(self.game.board(self.game.initial()), seed)
            self.table.time_s = old.time_s
            self.camera.table = self.table
            self._plies_before = self.tally.plies
        self._seat_players()
        self.player, self.known, self._undone = self._new_player(), 0, (0, [])
        self.tally.games += 1
        self.abandoned, self._ended_s = False, None
        self.judge.begin_game()

    def _seat_players(self) -> None:
        """Seats two persons, or a person and an agent in every other game if agents are to be tested."""
        agent = bool(self._wants_agents and (self.plan.seed + self.tally.games) % 2)
        self.agent.stalls = self.agent.silent = self.agent.floods = self.agent.lies = False
        seats = (Seat(), Seat(agent=AGENT)) if agent else (Seat(), Seat())
        self.subject.new_game(seats, self.agent if agent else None)

    def _new_player(self) -> ScriptedPlayer:
        humans = frozenset(side for side in (0, 1) if self.subject.seats[side].agent is None)
        seed = self.plan.seed + 1009 * self.tally.games
        pace = self.chance.uniform(0.8, 2.0)
        return ScriptedPlayer(self.game, self.table, humans, seed, think_s=THINK_S, pace=pace, say_pass=self._say_pass)

    def _say_pass(self, ply: int) -> bool:
        return obey(self.subject.match, Pass(ply=ply), self.subject.eyes).accepted

    def _clock(self) -> float:
        return self.camera.last.time_s if self.camera.last is not None else self.time_s

    def _hear(self, announcement: Announcement) -> None:
        if announcement.code == "agent_move":
            self.player.hear(announcement.ply + 1, announcement.move)
        elif announcement.code == "pass":
            self.player.hear(announcement.ply, announcement.move)  # an agent's; people know theirs
        elif announcement.code in ("start", "resumed") and (asked := self.subject.referee.agent_move_text):
            self.player.hear(announcement.ply + 1, asked)  # its words name the move that is still to be carried out
        self.judge.hear(announcement)
        self.pair.hear(announcement.code)
