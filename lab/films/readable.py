"""Whether a person could read the board in a film's pictures: large cells, lines and men that can be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.films.play import Board
from lab.films.table import FilmTable
from lab.simulated.tiles import has_tiles
from rules import EMPTY
from vision.frame import Image

FloatArray = NDArray[np.float64]
PITCH_PX, TILE_PX = 15.0, 20.0
"""Least distance of neighbouring cells, of men and of tiles with their pips."""
MAN_LAB, SIDES_LAB = 7.0, 16.0
"""Least differences of colour between a man and the bare cell, and between the men of both sides."""
LINE_LEVELS = 7.0
"""Least difference between the lines and what is beside them, in grey values."""
DARK, BRIGHT = 35.0, 242.0
"""Least and greatest mean of the board's grey values."""
BESIDE_MM = 5.0
REACH = 0.22
"""Radius of the part of a cell that is compared, as a share of a man's diameter."""


def unreadable_plan(table: FilmTable) -> str:
    """Why nobody could read the board from where the camera stands; empty if one can."""
    least, pitch = TILE_PX if has_tiles(table.template) else PITCH_PX, table.pitch_px()
    return f"cells {pitch:.0f} px apart" if pitch < least else ""


def unreadable(table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image]) -> str:
    """Why nobody could read the board in these pictures; empty if one can."""
    inside = _board_levels(table, pictures[0])
    if not DARK <= inside <= BRIGHT:
        return f"board's grey value {inside:.0f}"
    lines = _line_levels(table, pictures[0])
    if lines is not None and lines < LINE_LEVELS:
        return f"lines {lines:.1f} grey values from the board"
    if has_tiles(table.template):
        return ""
    men = _man_differences(table, boards, pictures)
    for letter, apart in men.items():
        if apart < MAN_LAB:
            return f"men {letter} {apart:.0f} from the board"
    apart = _sides_apart(table, boards, pictures)
    return f"both sides' men {apart:.0f} apart" if apart < SIDES_LAB else ""


def _board_levels(table: FilmTable, picture: Image) -> float:
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(table.corners_px).astype(np.int32), (255,))
    return float(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)[mask > 0].mean())


def _line_levels(table: FilmTable, picture: Image) -> float | None:
    """The usual difference between a line and what is beside it; None for boards without lines."""
    lines = table.template.lines_mm
    if not len(lines) or len(table.template.dark_mm) or table.template.printed is not None:
        return None
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (0, 0), 0.7).astype(np.float32)
    shares = np.linspace(0.1, 0.9, 9)[:, None]
    found = []
    for start, end in lines:
        points = start + shares * (end - start)
        aside = np.array([-(end - start)[1], (end - start)[0]]) / np.linalg.norm(end - start) * BESIDE_MM
        on, left, right = (_levels(grey, table, points + shift) for shift in (0 * aside, aside, -aside))
        found.append(np.abs((left + right) / 2 - on))
    return float(np.median(np.concatenate(found)))


def _levels(grey: NDArray[np.float32], table: FilmTable, points_mm: FloatArray) -> FloatArray:
    """(n,) grey values at places on the board."""
    pixels = table.camera.project(np.column_stack([points_mm, np.zeros(len(points_mm))])).astype(np.float32)
    return np.asarray(cv2.remap(grey, pixels[None], np.empty(0, np.float32), cv2.INTER_LINEAR)[0], np.float64)


def _man_differences(table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image]) -> dict[str, float]:
    """For each side's letter, the median difference between a cell with its man and the same cell bare."""
    found: dict[str, list[float]] = {}
    for number in range(1, len(boards)):
        pairs = enumerate(zip(boards[number - 1].cells, boards[number].cells, strict=True))
        for cell, (before, after) in pairs:
            if before != after and EMPTY in (before, after):
                colours = [_cell_lab(table, pictures[at], cell) for at in (number - 1, number)]
                letter = after if before == EMPTY else before
                found.setdefault(letter, []).append(float(np.linalg.norm(colours[0] - colours[1])))
    return {letter: float(np.median(apart)) for letter, apart in found.items()}


def _sides_apart(table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image]) -> float:
    """The difference between the usual colours of both sides' men on the last board."""
    usual = []
    for letter in sorted({*boards[-1].cells} - {EMPTY}):
        cells = [cell for cell, there in enumerate(boards[-1].cells) if there == letter]
        usual.append(np.median([_cell_lab(table, pictures[-1], cell) for cell in cells], axis=0))
    return float(np.linalg.norm(usual[0] - usual[1])) if len(usual) == 2 else np.inf


def _cell_lab(table: FilmTable, picture: Image, cell: int) -> FloatArray:
    """(3,) median CIELAB colour of the middle of a cell, at half a man's height."""
    ((x, y),) = table.cells_px([cell], 0.5 * min(table.men_mm, 10.0))
    radius = max(
        2, round(REACH * table.template.man_diameter_mm * table.camera.pixels_per_mm(*table.template.cells_mm[cell]))
    )
    rows, columns = (slice(max(0, round(at) - radius), round(at) + radius + 1) for at in (float(y), float(x)))
    part = picture[rows, columns].astype(np.float32) / 255
    lab = cv2.cvtColor(part, cv2.COLOR_BGR2LAB) if part.size else np.zeros((1, 1, 3), np.float32)
    return np.asarray(np.median(lab.reshape(-1, 3), axis=0), np.float64)
