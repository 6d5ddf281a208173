"""Reads random simulated tables with and without what the start of the game has taught.

    kibitzer bench taught-tables --game reversi --tables 20 --seed 5
    kibitzer bench taught-tables --game chess --height-mm 45

Every table has its own board, men, light and camera, whose pose is given; with --height-mm all men are cylinders of
that height, which lean over other cells. The start is shown first, then three boards of random play at the same table.
Prints one JSON object: tables whose start taught, in its right turn; cells and boards misread without a lesson and with
it, and the mean -log of the probability of the truth, in nats a cell.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated

import numpy as np
import typer

import games
from calibration.template import load_template
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_play
from lab.simulated.table import SimulatedTable
from rules.options import switched_on
from vision.calibrating.start import Lesson, learn_from
from vision.pose import is_plausible, pose_from_corners, rectify
from vision.reading.cells import raised_places
from vision.reading.reader import Reader

SIZE_PX = (960, 720)
BOARDS = 3
SLIM = 0.85
"""Diameter of tall men, relative to the template's."""


def main(
    game: str = "reversi",
    tables: int = 20,
    seed: int = 5,
    height_mm: Annotated[float, typer.Option(help="of the men; 0: each set has its own")] = 0.0,
) -> None:
    the_game = games.load(game)
    template = load_template(the_game.name, switched_on(the_game))
    start = the_game.board(the_game.initial())
    plausible = taught = turned = cells = 0
    results = {name: {"cells_misread": 0, "boards_misread": 0, "nats": 0.0} for name in ("plain", "taught")}
    for number in range(tables):
        rng = np.random.default_rng([seed, number])
        style = random_style(template, rng)
        if height_mm:
            style = style.but("men", shape="disc", height_mm=height_mm, diameter=SLIM)
        table = SimulatedTable(template, start, style, int(rng.integers(2**31)), SIZE_PX)
        picture = table.render()
        pose = pose_from_corners(table.corners_px(), template)
        if not is_plausible(pose, template, picture):
            continue
        plausible += 1
        raised_mm = raised_places(pose, template, SIZE_PX)
        lesson = learn_from(rectify(picture, pose, template), [start], template, raised_mm)
        if not isinstance(lesson, Lesson):
            continue
        taught, turned = taught + 1, turned + (lesson.turn != 0)
        plain, with_it = Reader(template), Reader(template)
        with_it.learn(lesson.taught, None)
        with_it.raised_mm = raised_mm
        for _ in range(BOARDS):
            board = the_game.board(random_play(the_game, rng, int(rng.integers(4, 40))))
            later = table.with_board(board, int(rng.integers(2**31)))
            image = rectify(later.render(), pose, template)
            cells += len(board)
            for name, reader in (("plain", plain), ("taught", with_it)):
                reading = reader.read(image, 0.0)
                columns = [reading.letters.index(letter) for letter in board]
                wrong = sum(one != other for one, other in zip(reading.board, board, strict=True))
                results[name]["cells_misread"] += wrong
                results[name]["boards_misread"] += wrong > 0
                results[name]["nats"] -= float(reading.log_probabilities[np.arange(len(board)), columns].sum())
    for one in results.values():
        one["nats"] = round(one["nats"] / max(cells, 1), 4)
    counts = {"tables": plausible, "lessons": taught, "turned": turned, "cells": cells}
    sys.stdout.write(json.dumps(counts | results) + "\n")
