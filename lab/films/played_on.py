"""Plays on from one photograph of a real board at its start: makes photographs of the next plies.

    kibitzer bench played-on start.jpg --labels labels.json --game draughts --out FOLDER --plies 12 --seed 1
    kibitzer bench filmed --photos FOLDER --name draughts --plies 0 --sway 0.2 --free 1.2

Cells are copied. Where a man leaves, the nearest empty cell on a square of the same colour is copied; where one comes,
the nearest man of his side. The board may lie in any turn. Wood, men and light are those of the photograph. Shadows on
neighbouring cells are not copied, so men should be flat or seen from above. A few men may stand elsewhere than at the
start. Exit status 2 if nothing can be copied.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

import games
from calibration.labels import Label, LabelError, read_labels
from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import Float32Array, FloatArray
from rules import AnyGame
from rules.options import switched_on
from vision.calibrating.lesson import turned_cells
from vision.frame import Image
from vision.pose import turns_of
from vision.reading.taught import square_colours

Pixels = Float32Array
PITCH_PX = 120
"""Pixels from one cell to the next where cells are copied: more than in any photo."""
ROUND_PX, SQUARE_PX = 7, 2
"""Pixels in which a copied disc, or square, passes into what is around it."""


def played_on(photo: Image, label: Label, game: AnyGame, template: BoardTemplate, plies: int, seed: int) -> Iterator[
    tuple[Image, str, FloatArray]
]:  # fmt: skip
    """Yields the start and the board after each ply of a random game: picture, cells, and the frame's corners.

    Raises LabelError if the photo has no cell to copy.
    """
    start = game.board(game.initial())
    seen, corners_px = _in_its_turn(label, template, start)
    table = _Table(photo, corners_px, template, seen)
    chance, position = random.Random(seed), game.initial()
    for number in range(plies + 1):
        if number:
            moves = game.legal_moves(position)
            if not moves:
                return
            position = game.apply(position, chance.choice(moves))
        yield table.showing(game.board(position)), game.board(position), corners_px


def _in_its_turn(label: Label, template: BoardTemplate, start: str) -> tuple[str, FloatArray]:
    """Cells and corners from the corner from which the photo shows the start best."""
    if label.corners_px is None:
        raise LabelError(f"{label.name}: nobody marked the board's corners")
    ways = [(turn, turned_cells(template, turn)) for turn in turns_of(template)]
    boards = [("".join(label.cells[cell] for cell in cells), turn) for turn, cells in ways if cells is not None]
    cells, turn = max(boards, key=lambda one: sum(a == b for a, b in zip(one[0], start, strict=True)))
    return cells, np.roll(label.corners_px, -turn, axis=0)


class _Table:
    def __init__(self, photo: Image, corners_px: FloatArray, template: BoardTemplate, cells: str) -> None:
        self._photo, self._cells, self._kinds = photo, cells, square_colours(template)
        self._square = template.man_height_mm > 0
        scale = PITCH_PX / template.pitch_mm
        margin_mm = template.pitch_mm
        size = np.ceil((np.array(template.size_mm) + 2 * margin_mm) * scale).astype(int)
        self._size = int(size[0]), int(size[1])
        self._centres = np.rint((template.cells_mm + margin_mm) * scale).astype(int)
        corners = ((template.corners_mm + margin_mm) * scale).astype(np.float32)
        self._above = cv2.getPerspectiveTransform(corners_px.astype(np.float32), corners)
        self._picture = cv2.warpPerspective(photo, self._above, self._size, borderMode=cv2.BORDER_REFLECT)
        apart = np.linalg.norm(self._centres[:, None] - self._centres, axis=2)
        self._half = int(apart[apart > 0].min() / 2)
        across = np.arange(-self._half, self._half + 1)
        x, y = np.abs(across)[None, :], np.abs(across)[:, None]
        far, soft = (np.maximum(x, y), SQUARE_PX) if self._square else (np.hypot(x, y), ROUND_PX)
        self._mask = np.clip((self._half - far) / soft, 0, 1).astype(np.float32)[..., None]
        self._corner = (np.hypot(x, y) > 1.08 * self._half) & (far < self._half - SQUARE_PX)
        """Where a square shows past any man."""

    def showing(self, board: str) -> Image:
        """The photo with the board on it. Raises LabelError."""
        above, changed = self._picture.astype(np.float32), np.zeros((*self._picture.shape[:2], 1), np.float32)
        for cell in [cell for cell, letter in enumerate(board) if letter != self._cells[cell]]:
            from_px, to = self._patch(self._source(cell, board[cell])), self._patch(cell)
            copied, under = self._picture[from_px].astype(np.float32), above[to]
            if self._square:  # the same wood in another light
                copied = copied * ((np.median(under[self._corner], 0) + 4) / (np.median(copied[self._corner], 0) + 4))
            above[to] = under * (1 - self._mask) + copied * self._mask
            changed[to] = np.maximum(changed[to], self._mask)
        back, size = np.linalg.inv(self._above), self._photo.shape[1::-1]
        picture, share = (cv2.warpPerspective(one, back, size) for one in (above, changed))
        return np.asarray(np.clip(self._photo * (1 - share[..., None]) + picture * share[..., None], 0, 255), np.uint8)

    def _source(self, cell: int, letter: str) -> int:
        """The nearest cell that shows the letter, on a square of the same colour where there is one."""
        found = [other for other, there in enumerate(self._cells) if there == letter]
        if not found:
            raise LabelError(f"no cell of the photo shows {letter!r}")
        far = np.linalg.norm(self._centres - self._centres[cell], axis=1)
        return min(found, key=lambda other: (self._kinds[other] != self._kinds[cell], far[other]))

    def _patch(self, cell: int) -> tuple[slice, slice]:
        x, y = self._centres[cell]
        return slice(y - self._half, y + self._half + 1), slice(x - self._half, x + self._half + 1)


def main(
    photo: Annotated[str, typer.Argument(help="name of a photo in the labels")],
    labels: Annotated[Path, typer.Option(help="file of labels, beside the photo")],
    game: Annotated[str, typer.Option(help="game, by module or short name")],
    out: Annotated[Path, typer.Option(help="folder for the photos")],
    rule: Annotated[list[str] | None, typer.Option(help="rule option k=v; repeatable")] = None,
    plies: int = 12,
    seed: int = 1,
) -> int:
    played = games.load(game, dict(word.split("=", 1) for word in rule or ()))
    template = load_template(played.name, switched_on(played))
    try:
        (label,) = read_labels(labels, template, [photo])
        start = cv2.imread(str(labels.parent / label.name))
        if start is None:
            raise LabelError(f"{label.name}: no photo that can be read")
        out.mkdir(parents=True, exist_ok=True)
        images = {}
        boards = played_on(np.asarray(start, np.uint8), label, played, template, plies, seed)
        for number, (picture, cells, corners_px) in enumerate(boards, 1):
            name = f"1_{number}.jpg"
            cv2.imwrite(str(out / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
            images[name] = {"corners_px": corners_px.tolist(), "cells": cells}
        text = json.dumps({"note": f"played on from {label.name}", "images": images})
        (out / "labels.json").write_text(text + "\n", encoding="utf-8")
    except (LabelError, OSError, ValueError) as error:
        sys.stderr.write(f"played_on: {error}\n")
        return 2
    return 0
