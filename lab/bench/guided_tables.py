"""Guided calibrations on unseen simulated tables, with lamps switched, boards knocked, hands in the way, and slips.

    .venv/bin/python -m lab.bench.guided_tables --tables 5 --seed 1
    .venv/bin/python -m lab.bench.guided_tables --tables 5 --slips 0 --calm --pace 2

No network and no real time: `simulated_s` is the table's own clock, until the last picture. Prints one JSON object per
table, a total and middle values; exit status 1 if a calibration did not come to its end, a slip went unnoticed, or a
picture shows another board than was asked for.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import statistics
import sys

import numpy as np

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
from vision.calibrating.guided_fit import fit_guided

MAX_S = 300.0
RATE_HZ = 8.0
MIDDLES = ("simulated_s", "pictures", "pieces", "expected_boards")


@dataclasses.dataclass
class Outcome:
    """Results of one table."""

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
    """One table, its player, and the disturbances."""

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
            sys.stderr.write(f"{self.table.time_s:6.1f} s  {prompt.code:<8} {prompt.text}\n")
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


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="morris")
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="0 is the usual table, every other one is another table")
    parser.add_argument("--slips", type=float, default=0.6, help="share of boards that are first laid wrongly")
    parser.add_argument("--pace", type=float, default=4.0, help="1 lays two men in six seconds, 2 in three")
    parser.add_argument("--calm", action="store_true", help="nothing befalls the table")
    given = parser.parse_args()
    game = games.load(given.game)
    template = load_template(game.name)
    outcomes = []
    for number in range(given.tables):
        plan = lessons(game, template)
        evening = Evening(template, plan, given.seed + number, given.slips, given.pace, calm=given.calm)
        outcomes.append(evening.spend())
        sys.stdout.write(json.dumps(dataclasses.asdict(outcomes[-1])) + "\n")
        sys.stdout.flush()
    names = ("complete", "slips", "noticed", "wrong_pictures", "corrections", "left_out")
    total = {name: sum(getattr(outcome, name) for outcome in outcomes) for name in names}
    middle = {name: statistics.median(getattr(outcome, name) for outcome in outcomes) for name in MIDDLES}
    sys.stdout.write(json.dumps({"tables": given.tables, **total, "median": middle}) + "\n")
    good = total["complete"] == given.tables and total["slips"] == total["noticed"] and not total["wrong_pictures"]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
