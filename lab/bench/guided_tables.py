"""Calibrates at unseen simulated tables: while things befall them, or where calibration should fail, or nearly.

    kibitzer bench guided-tables --tables 5 --seed 1
    kibitzer bench guided-tables --tables 5 --slips 0 --calm --pace 2
    kibitzer bench guided-tables --case dark --case alike --tables 1 --seed 0

Lamps are switched, boards knocked, and men laid wrongly. There is no network and no real time: `simulated_s` is the
table's own clock, until the last picture. Prints one JSON object per table, a total and middle values; exit status 1 if
a calibration did not come to its end, a slip went unnoticed, or a picture shows another board than was asked for.

With --case nothing else happens, and nobody fixes what is complained of: each table must end in a clear sentence. Then
exit status 1 means that nothing was said, or that a profile was written that reads fewer than half of four other boards
wholly right at the same table.
"""

from __future__ import annotations

import dataclasses
import json
import random
import statistics
import sys
from collections.abc import Callable
from typing import Annotated

import cv2
import numpy as np
import typer

import games
from calibration.guide import Lesson, lessons
from calibration.template import BoardTemplate, load_template
from lab.simulated.calibration_player import SLIPS, CalibrationPlayer
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_board
from lab.simulated.source import SimulatedSource
from lab.simulated.style import LampStyle, Style, default_style
from lab.simulated.table import SimulatedTable
from rules import EMPTY
from vision.calibrating import guided
from vision.calibrating.calibrate import CalibrationError
from vision.calibrating.guided import GuidedCalibration, Prompt
from vision.calibrating.lesson_check import GuidedFit, fit_guided
from vision.finding.viewpoint import viewpoint
from vision.frame import Image
from vision.reading.locate import PhotoReader

MAX_S = 300.0
RATE_HZ = 8.0
HOLD_S, STUCK_S, HARD_S = 6.0, 60.0, 120.0
"""Seconds with --case, shorter than in real calibrations: nobody repairs anything, so there is nothing to wait for."""
HARD_HZ, HARD_PACE = 2.0, 12.0
FRESH = 4
TOTALS = ("complete", "slips", "noticed", "wrong_pictures", "corrections", "left_out")
MIDDLES = ("simulated_s", "pictures", "pieces", "expected_boards")


@dataclasses.dataclass(frozen=True)
class Case:
    style: Callable[[Style, BoardTemplate], Style] = lambda style, template: style
    light: float = 1.0
    cell_px: float = 0.0
    """Pixels of a cell in the shrunk picture; 0 keeps the picture's size."""
    hand: bool = False
    cut_off: bool = False
    laid_out: str = ""
    """The game whose board is on the table instead."""


def mirrored(style: Style, template: BoardTemplate) -> Style:
    """A strong lamp whose reflection in the polished board reaches the camera."""
    camera = style.camera
    lamp = LampStyle(-camera.azimuth_deg, 90 - camera.tilt_deg, 900.0, 60.0, 8.0)
    board = dataclasses.replace(style.board, gloss=1.0)
    sensor = dataclasses.replace(style.sensor, exposure=0.35)
    return dataclasses.replace(style, lamps=(lamp,), board=board, sensor=sensor)


def alike(style: Style, template: BoardTemplate, share: float) -> Style:
    """Pieces whose second colour is nearly the first."""
    one, other = template.letters[1], template.letters[2]
    colours = dict(style.men.colours)
    first, second = np.array(colours[one]), np.array(colours[other])
    blue, green, red = (float(value) for value in first + share * (second - first))
    return style.but("men", colours=colours | {other: (blue, green, red)})


CASES = {
    "good": Case(),
    "dim": Case(light=0.05),
    "dark": Case(light=0.006),
    "lamp_mirrors": Case(mirrored),
    "camera_at_25_degrees": Case(lambda style, template: style.but("camera", tilt_deg=65.0, fill=0.9)),
    "camera_at_15_degrees": Case(lambda style, template: style.but("camera", tilt_deg=75.0, fill=0.9)),
    "cells_of_8_pixels": Case(cell_px=8.0),
    "cells_of_6_pixels": Case(cell_px=6.0),
    "rather_alike": Case(lambda style, template: alike(style, template, 0.3)),
    "alike": Case(lambda style, template: alike(style, template, 0.05)),
    "hand_stays": Case(hand=True),
    "cut_off": Case(cut_off=True),
    "wrong_game": Case(laid_out="reversi"),
    "another_wrong_game": Case(laid_out="co_ganh"),
}


@dataclasses.dataclass
class Outcome:
    seed: int
    case: str = ""
    complete: bool = False
    slips: int = 0
    noticed: int = 0
    wrong_pictures: int = 0
    corrections: int = 0
    left_out: int = 0
    accuracy: float = 0.0
    expected_boards: float = 0.0
    refused: str = ""
    said: str = ""
    """The last that was said but what to lay."""
    amiss: list[str] = dataclasses.field(default_factory=list)
    """The conditions that are not fine."""
    right: int | None = None
    """With --case and a profile: other boards that it reads wholly right, of FRESH."""
    pictures: int = 0
    pieces: int = 0
    """Pieces laid or moved in all, if nobody lays one twice."""
    simulated_s: float = 0.0


class Evening:
    def __init__(
        self,
        template: BoardTemplate,
        plan: tuple[Lesson, ...],
        seed: int,
        *,
        slips: float = 0.0,
        pace: float = HARD_PACE,
        calm: bool = True,
        case: str = "",
    ) -> None:
        self._case = CASES[case] if case else Case()
        there = load_template(games.load(self._case.laid_out).name) if self._case.laid_out else template
        style = random_style(there, np.random.default_rng([seed, 4])) if seed else default_style()
        style = self._case.style(style, there)
        self.table = SimulatedTable(there, EMPTY * len(there.cell_names), style, seed=seed)
        self.table.switch_lamp(self._case.light)
        self.calibration = GuidedCalibration(template, plan)
        self.outcome = Outcome(seed, case, pictures=len(plan), pieces=sum(len(lesson.pieces) for lesson in plan))
        self._template, self._plan, self._slips = template, plan, slips
        self._player = CalibrationPlayer(self.table, seed, pace=pace)
        self._chance = random.Random(seed)
        self._slipped = False
        self._next_s = float("inf") if calm else 6.0

    def spend(self) -> Outcome:
        """Calibrates until the end or until it takes too long."""
        outcome, calibration = self.outcome, self.calibration
        source = SimulatedSource(self.table, rate_hz=HARD_HZ if outcome.case else RATE_HZ)
        self._hear(calibration.begin())
        while not calibration.ended and self.table.time_s < (HARD_S if outcome.case else MAX_S):
            if self._case.hand and not self.table.busy:
                self.table.hover(20.0, 0)
            self._player.update()
            frame = source.read(1.0)
            if frame is not None:
                self._hear(calibration.feed(dataclasses.replace(frame, image=self._seen(frame.image, self.table))))
            self._disturb()
        outcome.complete, outcome.simulated_s = calibration.complete, round(self.table.time_s, 1)
        outcome.refused, outcome.said = calibration.refused, calibration.refused or outcome.said
        if outcome.complete:
            taken = [calibration.taken[number] for number in sorted(calibration.taken)]
            try:
                self._fitted(fit_guided(taken, calibration.template))
            except CalibrationError as error:
                outcome.refused = outcome.said = str(error)
        return outcome

    def _fitted(self, fit: GuidedFit) -> None:
        outcome, verdict = self.outcome, fit.verdict
        outcome.left_out, outcome.accuracy = len(fit.left_out), round(fit.profile.accuracy, 4)
        outcome.expected_boards = round(verdict.expectation.boards, 3)
        outcome.refused = " ".join(verdict.doubts)
        outcome.said = " ".join(verdict.doubts or verdict.remarks) or verdict.expectation.text
        outcome.amiss = [one.name for one in verdict.conditions if one.grade != "fine"]
        if not outcome.case or verdict.doubts:
            return
        chance, reader = np.random.default_rng([outcome.seed, 9]), PhotoReader(self._template, fit.profile)
        outcome.right = 0
        for number in range(FRESH):
            table = self.table.with_board(random_board(self._template, chance), seed=outcome.seed * 1000 + number)
            read = reader.read(self._seen(table.render(), table))
            outcome.right += read is not None and read.reading.board == table.board

    def _seen(self, image: Image, table: SimulatedTable) -> Image:
        case = self._case
        if case.cut_off:
            image = image[:, : round(float(table.corners_px()[:, 0].mean()))]
        if case.cell_px:
            now_px = viewpoint(table.pose, table.template, table.picture_px).cell_px.min()
            share = case.cell_px / float(now_px)
            image = np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
        return np.ascontiguousarray(image)

    def _hear(self, prompts: tuple[Prompt, ...]) -> None:
        for prompt in prompts:
            print(f"{self.table.time_s:6.1f} s  {prompt.code:<8} {prompt.text}", file=sys.stderr)
            if prompt.code not in ("lay", "taken", "complete", "found"):
                self.outcome.said = prompt.text
            if prompt.code == "lay" and not self._case.laid_out:
                slips = bool(prompt.cells) and self._chance.random() < self._slips
                self._player.lay(self._plan[prompt.lesson].board, self._chance.choice(SLIPS[1:]) if slips else "none")
                self._slipped = slips
                self.outcome.slips += slips
            elif prompt.code == "correct" and not self.outcome.case:
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
    case: Annotated[list[str] | None, typer.Option(help=f"Repeatable: {', '.join(CASES)}.")] = None,
) -> bool:
    if unknown := set(case or ()) - set(CASES):
        raise typer.BadParameter(f"there is no case {', '.join(sorted(unknown))}", param_hint="--case")
    chosen = games.load(game)
    template = load_template(chosen.name)
    plan = lessons(chosen, template)
    if case:
        guided.HOLD_S, guided.STUCK_S = HOLD_S, STUCK_S
        evenings = [Evening(template, plan, seed + number, case=name) for number in range(tables) for name in case]
    else:
        numbers = range(seed, seed + tables)
        evenings = [Evening(template, plan, number, slips=slips, pace=pace, calm=calm) for number in numbers]
    outcomes = []
    for evening in evenings:
        outcomes.append(evening.spend())
        print(json.dumps(dataclasses.asdict(outcomes[-1])), flush=True)
    if case:
        return not all(one.said and (one.right is None or one.right >= FRESH / 2) for one in outcomes)
    total = {name: sum(getattr(outcome, name) for outcome in outcomes) for name in TOTALS}
    middle = {name: statistics.median(getattr(outcome, name) for outcome in outcomes) for name in MIDDLES}
    print(json.dumps({"tables": tables, **total, "median": middle}))
    return bool(total["complete"] != tables or total["slips"] != total["noticed"] or total["wrong_pictures"])
