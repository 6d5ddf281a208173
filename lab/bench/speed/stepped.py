"""Measures from a hand's leaving to the verdict, in the table's own time: no clock, no load, reproducible figures.

The simulated table is stepped picture by picture, and each picture goes through pipeline and referee as in the daemon.
The figures show how long the program waits on purpose: until the picture is still, free and read with certainty.
Computing time comes on top, and `kibitzer bench latency` measures it in real time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
from pydantic import BaseModel

import games
from calibration.template import load_template
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Observation, Pipeline
from lab.bench.speed.figures import Figure, figure
from lab.bench.speed.recording import LEAD_S, PAUSE_S, Taker, Visit, hands_of
from lab.simulated.scenes import profile_of
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from lab.soak.world import SIZES_PX
from rules import Step
from rules.options import switched_on
from rules.turns import carry_out
from vision.frame import Frame, Image

ROUND = 8
"""Plies that are made before as many are taken back."""
SLOW_S = 1.0
"""Seconds beyond which a verdict is listed with the events meanwhile."""
GIVE_UP_S = 12.0
"""Seconds to wait for a verdict before the next hand comes anyway."""
FIRST_S = 20.0


class Slow(BaseModel):
    hand: int
    verdict_s: float | None
    trace: list[str]
    """Changes in pipeline and referee since the hand was gone, each with the seconds since then."""


class SteppedReport(BaseModel):
    """One game's figures; seconds of the table's time."""

    game: str
    rate_hz: float
    settle_s: float
    hands: int
    missed: int
    """Hands without a verdict."""
    verdict_s: Figure
    """From the hand gone from the board and its margin to the verdict."""
    largest_s: float
    slow: list[Slow]


@dataclasses.dataclass(frozen=True)
class Look:
    time_s: float
    believed: str
    text: str


def measure_stepped(
    name: str, hands: int, *, seed: int, rate_hz: float, settle_s: float, step: Callable[[str], None] = lambda _: None
) -> SteppedReport:
    """Watches so many hands that make plies and take them back. Raises GameError, ValueError."""
    bench = _Bench(name, seed, rate_hz, settle_s)
    bench.begin()
    turn = 0
    while len(bench.taker.visits) < hands:
        for side, steps in hands_of(bench.game, ROUND, seed + turn)[: hands - len(bench.taker.visits)]:
            step(f"{len(bench.taker.visits)} of {hands} hands")
            bench.hand(side, steps)
        turn += 1
    return bench.report()


class _Bench:
    def __init__(self, name: str, seed: int, rate_hz: float, settle_s: float) -> None:
        self.game = games.load(name)
        template = load_template(self.game.name, switched_on(self.game))
        start = self.game.board(self.game.initial())
        size_px = SIZES_PX.get(len(self.game.cells))
        self._table = SimulatedTable(template, start, default_style(), seed=seed, size_px=size_px)
        pipeline = Pipeline(template, profile_of(self.game, template, self._table, seed), settle_s=settle_s)
        self._time_s = 0.0
        self._match = Match(Referee(self.game), clock=lambda: self._time_s)
        self._eyes = BoardTracker(pipeline, self._match)
        self._match.start()
        self._rng = np.random.default_rng([seed, 8])
        self._rate_hz, self._settle_s = rate_hz, settle_s
        self.taker = Taker(self._table, rate_hz, self._feed)
        self._looks: list[Look] = []
        self._found: list[tuple[float | None, list[Look]]] = []

    def begin(self) -> None:
        """Lets the board be found. Raises ValueError if it is not."""
        for _ in range(round(FIRST_S / LEAD_S)):
            self.taker.rest(LEAD_S)
            if self._eyes.reading is not None:
                return
        raise ValueError(f"the board of {self.game.title} was not read within {FIRST_S:.0f} s")

    def hand(self, side: int, steps: Sequence[Step]) -> None:
        self._looks = []
        self.taker.visit(steps, side, carry_out(self._table.board, steps))
        visit = self.taker.visits[-1]
        self.taker.rest(PAUSE_S * float(self._rng.uniform(0.7, 1.3)))
        while (verdict_s := self._verdict_s(visit)) is None and self._time_s - visit.off_s < GIVE_UP_S:
            self.taker.rest(1 / self._rate_hz)
        self._found.append((verdict_s, [look for look in self._looks if look.time_s >= visit.off_s - 1.0]))

    def report(self) -> SteppedReport:
        """The figures of all hands so far. Raises ValueError if no verdict came at all."""
        waits = [None if at_s is None else at_s - visit.off_s
                 for visit, (at_s, _) in zip(self.taker.visits, self._found, strict=True)]  # fmt: skip
        come = [one for one in waits if one is not None]
        if not come:
            raise ValueError(f"no verdict came to any of {len(waits)} hands")
        slow = [
            Slow(hand=number, verdict_s=None if wait is None else round(wait, 3), trace=traced(looks, visit))
            for number, (wait, visit, (_, looks)) in enumerate(zip(waits, self.taker.visits, self._found, strict=True))
            if wait is None or wait > SLOW_S or wait < 0
        ]
        return SteppedReport(
            game=self.game.name, rate_hz=self._rate_hz, settle_s=self._settle_s, hands=len(waits),
            missed=len(waits) - len(come), verdict_s=figure(come), largest_s=round(max(come), 3), slow=slow,
        )  # fmt: skip

    def _verdict_s(self, visit: Visit) -> float | None:
        """When the board that the hand left was believed; None if it has not been yet."""
        return next((look.time_s for look in self._looks if look.believed == visit.board), None)

    def _feed(self, image: Image) -> None:
        number = self.taker.pictures - 1
        self._time_s = number / self._rate_hz
        observation = self._eyes.feed(Frame(image, self._time_s, number))
        self._eyes.poll()
        referee = self._match.referee
        self._looks.append(Look(self._time_s, self.game.board(referee.position), _words(observation, referee.verdict)))


def traced(looks: Sequence[Look], visit: Visit) -> list[str]:
    lines, before = [], ""
    for look in looks:
        if look.text != before:
            lines.append(f"{look.time_s - visit.off_s:+.2f} {look.text}")
            before = look.text
    return lines


def lines_of(report: SteppedReport) -> list[str]:
    one = report.verdict_s
    lines = [
        f"{report.game}: {report.hands} hands at {report.rate_hz:g} Hz, settle_s {report.settle_s:g}: "
        f"median {1000 * one.median:.0f} ms, 95 % {1000 * one.p95:.0f} ms, largest {1000 * report.largest_s:.0f} ms, "
        f"{report.missed} without a verdict"
    ]
    for slow in report.slow:
        wait = "no verdict" if slow.verdict_s is None else f"{slow.verdict_s:.2f} s"
        lines += [f"  hand {slow.hand}: {wait}", *(f"    {line}" for line in slow.trace)]
    return lines


def _words(observation: Observation, verdict: str) -> str:
    gate, alignment = observation.gate, observation.alignment
    words: list[str] = [alignment.state if alignment.pose is None or gate is None else gate.phase]
    if gate is not None and gate.blocked:
        words.append("blocked")
    if gate is not None and gate.fresh:
        words.append("fresh")
    if alignment.relocked:
        words.append("relocked")
    if observation.reading is not None:
        words.append(f"read {0 if observation.spent is None else observation.spent.cells} cells: {verdict}")
    return ", ".join(words)
