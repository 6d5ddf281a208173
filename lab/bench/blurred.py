"""Measures reading errors in simulated pictures that are more and more out of focus.

    kibitzer bench blurred --tables 4

Each table of each game shows a random legal position, in focus and then blurrier and blurrier. For each blur (a
standard deviation in thousandths of the picture's width) it prints the blur that the gate estimates, in pixels of its
own picture, and the shares of all cells that are misread and that show nothing known.
"""

from __future__ import annotations

import random
from typing import Annotated

import cv2
import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

import games
from calibration.template import load_template
from lab.simulated.arrays import Rng
from lab.simulated.scenes import profile_of
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from vision.frame import Image
from vision.pose import rectify
from vision.reading.reader import Reader
from vision.watching.focus import blur_px
from vision.watching.surroundings import small_picture

BLURS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
NOISE_LEVELS = 2.0
PLIES = 30


def main(tables: Annotated[int, typer.Option(min=1, help="tables of each game")] = 4) -> None:
    table = Table("game", "cells", *(f"{blur:g}" for blur in BLURS), title="seen blur in px / misread % / unknown %")
    for name in track(games.names(), description="reading", console=Console(stderr=True)):
        rows = np.array([_rows(name, seed) for seed in range(1, tables + 1)])
        means = [f"{px:.2f} {100 * bad:.1f} {100 * no:.1f}" for px, bad, no in rows.mean(axis=0)]
        table.add_row(name, str(len(games.load(name).cells) * tables), *means)
    Console(width=160).print(table)


def _rows(name: str, seed: int) -> list[tuple[float, float, float]]:
    """For each blur the gate's estimate, and the shares of misread and of unknown cells."""
    game, chance, rng = games.load(name), random.Random(seed), np.random.default_rng(seed)
    template = load_template(game.name)
    table = SimulatedTable(template, game.board(game.initial()), default_style(), seed=seed)
    profile = profile_of(game, template, table, seed)
    template = template.with_shape(profile.shape)
    reader, position = Reader(template, profile), game.initial()
    for _ in range(PLIES):
        if game.outcome(position) is None:
            position = game.apply(position, chance.choice(game.legal_moves(position)))
    board = game.board(position)
    table = table.with_board(board, seed)
    image, pose, rows = table.render(), table.pose, list[tuple[float, float, float]]()
    sharp: Image | None = None
    for blur in BLURS:
        rectified = rectify(_seen(image, blur / 1000 * image.shape[1], rng), pose, template)
        sharp = rectified if sharp is None else sharp
        reading = reader.read(rectified, 0.0)
        wrong = np.mean([seen != there for seen, there in zip(reading.board, board, strict=True)])
        unknown = 0.0 if reading.unknown is None else (reading.unknown > 0.5).mean()
        rows.append((blur_px(small_picture(sharp), small_picture(rectified)), float(wrong), float(unknown)))
    return rows


def _seen(image: Image, blur: float, rng: Rng) -> Image:
    picture = image.astype(np.float32)
    if blur:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.float32)
    noisy = picture + NOISE_LEVELS * rng.standard_normal(picture.shape, dtype=np.float32)
    return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)
