"""Calibrates at unseen simulated tables while lamps are switched, boards knocked, and men laid wrongly.

    kibitzer bench guided-tables --tables 5 --seed 1
    kibitzer bench guided-tables --tables 5 --slips 0 --calm --pace 2

There is no network and no real time: `simulated_s` is the table's own clock, until the last picture. Prints one JSON
object per table, a total and middle values; exit status 1 if a calibration did not come to its end, a slip went
unnoticed, or a picture shows another board than was asked for.
"""

from __future__ import annotations

import dataclasses
import json
import random
import statistics
import sys
from typing import Annotated

import numpy as np
import typer

import games
from calibration.guide import Lesson, lessons
from calibration.template import BoardTemplate, load_template
from lab.simulated.calibration_player import SLIPS, CalibrationPlayer
from lab.simulated.random_style import random_style
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import EMPTY
from vision.calibrating.guided import GuidedCalibration, Prompt
from vision.calibrating.lesson_check import fit_guided

MAX_S = 300.0
RATE_HZ = 8.0
TOTALS = ("complete", "slips", "noticed", "wrong_pictures", "corrections", "left_out")
MIDDLES = ("simulated_s", "pictures", "pieces", "expected_boards")


@dataclasses.dataclass
class Outcome:
    seed: int
    complete: bool = False
    slips: int = 0
    noticed: int = 0
    wrong_pictures: int = 0
    corrections: int = 0
    left_out: int = 0
    accuracy: float = 0.0
    expected_boards: float = 0.0
    refused: str = ""
    pictures: int = 0
    pieces: int = 0
    """Pieces laid or moved in all, if nobody lays one twice."""
    simulated_s: float = 0.0


class Evening:
    def __init__(
        self, template: BoardTemplate, plan: tuple[Lesson, ...], seed: int, slips: float, pace: float, *, calm: bool
    ) -> None:
        style = random_style(template, np.random.default_rng([seed, 4])) if seed else default_style()
        self.table = SimulatedTable(template, EMPTY * len(template.cell_names), style, seed=seed)
        self.calibration = GuidedCalibration(template, plan)
        self.outcome = Outcome(seed, pictures=len(plan), pieces=sum(len(lesson.pieces) for lesson in plan))
        self._plan, self._slips = plan, slips
        self._player = CalibrationPlayer(self.table, seed, pace=pace)
        self._chance = random.Random(seed)
        self._slipped = False
        self._next_s = float("inf") if calm else 6.0

    def spend(self) -> Outcome:
        """Calibrates until the end or until it takes too long."""
        source = SimulatedSource(self.table, rate_hz=RATE_HZ)
        self._hear(self.calibration.begin())
        while not self.calibration.ended and self.table.time_s < MAX_S:
            self._player.update()
            frame = source.read(1.0)
            if frame is not None:
                self._hear(self.calibration.feed(frame))
            self._disturb()
        self.outcome.complete, self.outcome.simulated_s = self.calibration.complete, round(self.table.time_s, 1)
        if self.outcome.complete:
            taken = [self.calibration.taken[number] for number in sorted(self.calibration.taken)]
            fit = fit_guided(taken, self.calibration.template)
            self.outcome.left_out, self.outcome.accuracy = len(fit.left_out), round(fit.profile.accuracy, 4)
            self.outcome.expected_boards = round(fit.verdict.expectation.boards, 3)
            self.outcome.refused = " ".join(fit.verdict.doubts)
        return self.outcome

    def _hear(self, prompts: tuple[Prompt, ...]) -> None:
        for prompt in prompts:
            print(f"{self.table.time_s:6.1f} s  {prompt.code:<8} {prompt.text}", file=sys.stderr)
            if prompt.code == "lay":
                slips = bool(prompt.cells) and self._chance.random() < self._slips
                self._player.lay(self._plan[prompt.lesson].board, self._chance.choice(SLIPS[1:]) if slips else "none")
                self._slipped = slips
                self.outcome.slips += slips
            elif prompt.code == "correct":
                self.outcome.corrections += 1
                self.outcome.noticed += self._slipped
                self._slipped = False
                self._player.mend()
            elif prompt.code == "taken":
                self.outcome.wrong_pictures += self.table.board != self._plan[prompt.lesson].board

    def _disturb(self) -> None:
        if self.table.time_s < self._next_s or self.table.busy:
            return
        chance, table = self._chance, self.table
        self._next_s = table.time_s + chance.uniform(3, 9)
        [
            lambda: table.switch_lamp(chance.choice([0.6, 0.8, 1.0, 1.3])),
            lambda: table.switch_lamp(chance.choice([0.6, 1.0]), over_s=3.0),
            lambda: table.bump((chance.uniform(-12, 12), chance.uniform(-12, 12)), chance.uniform(-3, 3)),
            lambda: table.hover(2.0, 0),
        ][chance.randrange(4)]()


def main(
    game: str = "morris",
    tables: int = 5,
    seed: Annotated[int, typer.Option(help="0 is the usual table, every other one is another table.")] = 1,
    slips: Annotated[float, typer.Option(help="Share of boards that are first laid wrongly.")] = 0.6,
    pace: Annotated[float, typer.Option(help="1 lays two men in six seconds, 2 in three.")] = 4.0,
    calm: Annotated[bool, typer.Option("--calm", help="Nothing befalls the table.")] = False,
) -> int:
    chosen = games.load(game)
    template = load_template(chosen.name)
    plan = lessons(chosen, template)
    outcomes = []
    for number in range(tables):
        outcomes.append(Evening(template, plan, seed + number, slips, pace, calm=calm).spend())
        print(json.dumps(dataclasses.asdict(outcomes[-1])), flush=True)
    total = {name: sum(getattr(outcome, name) for outcome in outcomes) for name in TOTALS}
    middle = {name: statistics.median(getattr(outcome, name) for outcome in outcomes) for name in MIDDLES}
    print(json.dumps({"tables": tables, **total, "median": middle}))
    good = total["complete"] == tables and total["slips"] == total["noticed"] and not total["wrong_pictures"]
    return 0 if good else 1
