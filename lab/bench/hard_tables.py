"""Calibrates at tables where calibration should fail, or nearly: each must end in a clear sentence.

    kibitzer bench hard-tables
    kibitzer bench hard-tables --case dark --case alike --seed 3

Boards are laid at once and correctly; nobody fixes what is complained of. Prints a JSON object a table: how it ended,
the last sentence said, the failed conditions, and, if a profile resulted, its expected quality and how many of four
other boards it reads wholly right at the same table. Exit status 1 if a profile was written that reads fewer than half
of them, or if nothing was said.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Annotated, Any

import cv2
import numpy as np
import typer

import games
from calibration.guide import lessons
from calibration.template import BoardTemplate, load_template
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_board
from lab.simulated.style import LampStyle, Style, default_style
from lab.simulated.table import SimulatedTable
from rules import EMPTY, AnyGame
from vision.calibrating import guided
from vision.calibrating.calibrate import CalibrationError
from vision.calibrating.guided import GuidedCalibration, Prompt
from vision.calibrating.lesson_check import fit_guided
from vision.finding.viewpoint import viewpoint
from vision.frame import Frame, Image
from vision.reading.locate import PhotoReader

STEP_S, MAX_S = 0.65, 120.0
HOLD_S, STUCK_S = 6.0, 60.0
"""Seconds, shorter than in real calibrations: nobody repairs anything here, so there is nothing to wait for."""
SIZE_PX = (960, 540)
FRESH = 4


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


def low(style: Style, tilt_deg: float) -> Style:
    return style.but("camera", tilt_deg=tilt_deg, fill=0.9)


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
    "camera_at_25_degrees": Case(lambda style, template: low(style, 65.0)),
    "camera_at_15_degrees": Case(lambda style, template: low(style, 75.0)),
    "cells_of_8_pixels": Case(cell_px=8.0),
    "cells_of_6_pixels": Case(cell_px=6.0),
    "rather_alike": Case(lambda style, template: alike(style, template, 0.3)),
    "alike": Case(lambda style, template: alike(style, template, 0.05)),
    "hand_stays": Case(hand=True),
    "cut_off": Case(cut_off=True),
    "wrong_game": Case(laid_out="reversi"),
    "another_wrong_game": Case(laid_out="co_ganh"),
}


class Trial:
    def __init__(self, game: AnyGame, template: BoardTemplate, case: Case, seed: int) -> None:
        self._case, self._seed, self._template = case, seed, template
        there = load_template(games.load(case.laid_out).name) if case.laid_out else template
        style = random_style(there, np.random.default_rng([seed, 4])) if seed else default_style()
        style = case.style(low(style, min(style.camera.tilt_deg, 40.0)), there)
        self._table = SimulatedTable(there, EMPTY * len(there.cell_names), style, seed=seed, size_px=SIZE_PX)
        self._plan = lessons(game, template)
        self.calibration = GuidedCalibration(template, self._plan)
        self.said: list[Prompt] = []
        self._time_s = 0.0

    def run(self) -> dict[str, Any]:
        calibration = self.calibration
        self.said += calibration.begin()
        table = self._laid(EMPTY * len(self._table))
        while not calibration.ended and self._time_s < MAX_S:
            self._time_s += STEP_S
            if self._case.hand and not table.busy:
                table.hover(20.0, 0)
            table.advance(STEP_S)
            prompts = calibration.feed(Frame(self._picture(table), self._time_s, 0))
            self.said += prompts
            asked = [prompt.lesson for prompt in prompts if prompt.code == "lay"]
            table = self._laid(self._plan[asked[-1]].board) if asked and not self._case.laid_out else table
        return self._outcome()

    def _outcome(self) -> dict[str, Any]:
        calibration = self.calibration
        said = [prompt.text for prompt in self.said if prompt.code not in ("lay", "taken", "complete", "found")]
        last = calibration.refused or (said[-1] if said else "")
        result: dict[str, Any] = {"taken": len(calibration.taken), "said": last, "profile": False}
        if not calibration.complete:
            return result | {"ended": "refused" if calibration.refused else "waits"}
        try:
            fit = fit_guided([calibration.taken[number] for number in range(len(self._plan))], calibration.template)
        except CalibrationError as error:
            return result | {"ended": "error", "said": str(error)}
        verdict, amiss = fit.verdict, [one.name for one in fit.verdict.conditions if one.grade != "fine"]
        result |= {"ended": "refused" if verdict.doubts else "profile", "amiss": amiss, "profile": not verdict.doubts}
        result |= {"said": " ".join(verdict.doubts or verdict.remarks) or verdict.expectation.text}
        chance, reader = np.random.default_rng([self._seed, 9]), PhotoReader(self._template, fit.profile)
        boards = [random_board(self._template, chance) for _ in range(FRESH)]
        found = [reader.read(self._picture(self._laid(board))) for board in boards]
        right = [one is not None and one.reading.board == board for one, board in zip(found, boards, strict=True)]
        return result | {"expected_boards": round(verdict.expectation.boards, 3), "right": sum(right), "of": FRESH}

    def _laid(self, board: str) -> SimulatedTable:
        table = self._table.with_board(board, seed=self._seed * 1000 + round(self._time_s * 10))
        table.switch_lamp(self._case.light)
        return table

    def _picture(self, table: SimulatedTable) -> Image:
        image, case = table.render(), self._case
        if case.cut_off:
            image = image[:, : round(float(table.corners_px()[:, 0].mean()))]
        if case.cell_px:
            now_px = viewpoint(table.pose, table.template, SIZE_PX).cell_px.min()
            share = case.cell_px / float(now_px)
            image = np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
        return np.ascontiguousarray(image)


def main(
    game: str = "morris",
    case: Annotated[list[str] | None, typer.Option(help=f"Repeatable; default: all of {', '.join(CASES)}.")] = None,
    seed: Annotated[int, typer.Option(help="0 is the usual table, every other one is another table.")] = 0,
) -> int:
    if unknown := set(case or ()) - set(CASES):
        raise typer.BadParameter(f"there is no case {', '.join(sorted(unknown))}", param_hint="--case")
    guided.HOLD_S, guided.STUCK_S = HOLD_S, STUCK_S
    chosen = games.load(game)
    template = load_template(chosen.name)
    good = True
    for name in case or CASES:
        result = Trial(chosen, template, CASES[name], seed).run()
        print(json.dumps({"case": name, "seed": seed} | result), flush=True)
        good &= bool(result["said"]) and (not result["profile"] or result["right"] >= FRESH / 2)
    return 0 if good else 1
