"""One simulated table under trial: players, camera, agent, and the daemon that watches; what faults and judge see."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import games
from calibration.template import load_template
from daemon.commands.command import Pass
from daemon.game.effects import Announcement
from daemon.game.line_of_play import shares_pieces, unseen_moves
from daemon.match.command_handlers import obey
from lab.simulated.player import ScriptedPlayer
from lab.simulated.scenes import profile_of
from lab.simulated.style import CameraStyle, default_style
from lab.simulated.table import SimulatedTable
from lab.soak.camera import Camera, SimulatedAgent
from lab.soak.fault import Fault, FaultSchedule
from lab.soak.subject import Subject
from lab.soak.tally import Tally
from rules.options import rules_from_words, switched_on

SIZES_PX = dict.fromkeys((24, 25, 64, 81), (640, 360))
"""Picture sizes by number of cells, just large enough to read them; other boards get the usual size."""
THINK_S = 1.5
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
    think_s: float = THINK_S
    """Mean of the simulated seconds that a person thinks about a move."""


class World:
    def __init__(self, plan: Plan, folder: Path, faults: Sequence[Fault]) -> None:
        """`folder` takes the record."""
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
        profile = profile_of(self.game, self.template, self.table, plan.seed)
        self.subject = Subject(
            self.game,
            self.template,
            profile,
            folder / "journal.sqlite",
            clock=self.clock,
            hear=self.hear,
            blind=lambda: self.camera.unplugged,
        )
        self.agent = SimulatedAgent(self.clock, plan.seed)
        # Agents take no part where pieces belong to nobody: nobody sees which hand lays them.
        self.wants_agents = any(kind.agent for kind in faults) and not shares_pieces(self.game)
        self.player = self.new_player()
        self.schedule = FaultSchedule(self, faults, plan.calm_s)
        self.hands_free = False
        """Whether players make moves although a fault occupies their hands, because the fault needs those moves."""
        self.known = 0
        """Plies of the game that had been made when the daemon last believed the true board."""
        self.abandoned = False
        """Whether the players have given up the present game: the daemon takes it for over, and nobody corrects it."""
        self.ended_s: float | None = None
        self.plies_before = 0
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

    def hear(self, announcement: Announcement) -> None:
        """An agent's move reaches the player who carries it out, and an agent's pass; people know their own."""
        if announcement.code == "agent_move":
            self.player.hear(announcement.ply + 1, announcement.move)
        elif announcement.code == "pass":
            self.player.hear(announcement.ply, announcement.move)
        elif announcement.code in ("start", "resumed") and (asked := self.subject.referee.agent_move_text):
            self.player.hear(announcement.ply + 1, asked)  # its words name the move that is still to be carried out

    def take_back(self, count: int) -> None:
        """Makes the players take back so many plies, which still count as made."""
        undone, before = self.undone, list(self.watched)
        self.player.take_back(count)
        self._undone = len(self.player.record), [*before[len(self.watched) :], *undone]
        self.plies_before += count

    @property
    def undone(self) -> list[Any]:
        """The positions after plies that were taken back, in order, until another is made: they may be made again."""
        plies, positions = self._undone
        return positions if len(self.player.record) == plies else []

    def abandon_game(self) -> None:
        """Gives up a spoilt game: the players clear the table and begin another."""
        self.abandoned, self.ended_s = True, -END_S

    def new_player(self) -> ScriptedPlayer:
        humans = frozenset(side for side in (0, 1) if self.subject.seats[side].agent is None)
        seed = self.plan.seed + 1009 * self.tally.games
        pace = self.chance.uniform(0.8, 2.0)
        return ScriptedPlayer(
            self.game, self.table, humans, seed, think_s=self.plan.think_s, pace=pace, say_pass=self._say_pass
        )

    def _say_pass(self, ply: int) -> bool:
        return obey(self.subject.match, Pass(ply=ply), self.subject.eyes).accepted

    def clock(self) -> float:
        return self.camera.last.time_s if self.camera.last is not None else self.time_s
