"""One game and one seed of a soak: players at a simulated table, injected faults, and the daemon that watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from daemon.config.seats import Seat
from daemon.game.effects import Announcement
from lab.soak.camera import NAME as AGENT
from lab.soak.careful_players import CarefulPlayers
from lab.soak.fault import Fault
from lab.soak.judge import Judge
from lab.soak.subject import Killed
from lab.soak.tally import Tally, sample
from lab.soak.world import END_S, Plan, World

AHEAD = 2
"""Plies not yet announced at which players stop and look at the screen."""
SAMPLE_S = 60.0
"""Simulated seconds between two measurements of the process's resources."""


class Trial(World):
    """Runs a plan. All random decisions follow from the seed."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        faults: Sequence[Fault],
        *,
        on_progress: Callable[[Tally], None] = lambda _: None,
        keep_failures: Path | None = None,
    ) -> None:
        """`folder` takes the record; pictures of failures go to `keep_failures`."""
        super().__init__(plan, folder, faults)
        self._on_progress = on_progress
        self.judge = Judge(self, keep_failures)
        self.pair = CarefulPlayers(self, self.judge)
        self._full_s: float | None = None
        """When all plies of the plan were made."""
        self._sampled_s = 0.0

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
        self.tally.plies = self.plies_before + len(self.player.seen)
        self.judge.look()
        if self.player.finished or self.ended_s is not None:
            self._end_game()

    def _calm_down(self) -> None:
        """Stops faults and moves, and lets what was begun be carried out, announced and written."""
        self.schedule.close()
        self._full_s = self._full_s or self.time_s
        until_s = self.time_s + END_S
        while self.time_s < until_s and not (self.judge.knows and not self.subject.match.backlog.trouble):
            self._turn()

    def _idle(self) -> bool:
        if self.player.moving or self.table.stirs:
            return False
        return self.schedule.slow or (self.subject.rests and not self.table.busy)

    def _end_game(self) -> None:
        """Puts the pieces back for the next game once all plies are announced or END_S has passed."""
        if self.ended_s is None:
            self.ended_s = self.time_s
        announced = self.judge.knows and not self.subject.match.backlog.trouble
        done = announced or self.time_s - self.ended_s > END_S
        if self.schedule.holds_hands or self.subject.match.backlog.waiting or not done:
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
            self.plies_before = self.tally.plies
        self._seat_players()
        self.player, self.known, self._undone = self.new_player(), 0, (0, [])
        self.tally.games += 1
        self.abandoned, self.ended_s = False, None
        self.judge.begin_game()

    def _seat_players(self) -> None:
        """Seats two persons, or a person and an agent in every other game if agents are to be tested."""
        agent = bool(self.wants_agents and (self.plan.seed + self.tally.games) % 2)
        self.agent.stalls = self.agent.silent = self.agent.floods = self.agent.lies = False
        seats = (Seat(), Seat(agent=AGENT)) if agent else (Seat(), Seat())
        self.subject.new_game(seats, self.agent if agent else None)

    def hear(self, announcement: Announcement) -> None:
        super().hear(announcement)
        self.judge.hear(announcement)
        self.pair.hear(announcement.code)
