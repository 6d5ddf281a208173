"""Printed boards on a simulated table: a page with its print and folds, with coins and buttons on it."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arm import Reach
from lab.simulated.coins_and_buttons import buttons, coins
from lab.simulated.light import GAMMA
from lab.simulated.random_style import random_style
from lab.simulated.scenery import Scenery
from lab.simulated.stage import Stage
from lab.simulated.style import BoardStyle, Style
from lab.simulated.table import SimulatedTable
from lab.simulated.texture import noise, surface
from vision.frame import Image
from vision.pose import project
from vision.sheet.drawing import Sheet
from vision.sheet.files import picture_of

Float32Array = NDArray[np.float32]
FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class PrintStyle:
    grey: bool = False
    """Whether it is printed without colours."""
    black: float = 0.03
    """Share of the light that full ink leaves."""
    wave_mm: float = 0.3
    """Millimetres of the paper by which its waves shift the print."""
    fold: bool = False
    """Whether it was folded once in the middle."""


def random_print(rng: np.random.Generator) -> PrintStyle:
    return PrintStyle(
        grey=bool(rng.random() < 0.3),
        black=float(rng.uniform(0.02, 0.12)),
        wave_mm=float(rng.uniform(0.0, 0.7)),
        fold=bool(rng.random() < 0.3),
    )


def sheet_style(sheet: Sheet, rng: np.random.Generator) -> Style:
    """A random table with a sheet of paper on it, and random men: coins, buttons or those of a set."""
    template = sheet.layout.template
    style = random_style(template, rng)
    kind = rng.random()
    if kind < 0.75:
        style = dataclasses.replace(style, men=(coins if kind < 0.4 else buttons)(template, rng))
    paper = BoardStyle(
        kind="paper",
        colour=(244, 246, 247),
        accent=(236, 240, 242),
        border_mm=border_mm(sheet),
        thickness_mm=0.4,
        gloss=float(rng.choice([0.0, 0.0, 0.15, 0.4])),
    )
    # Sizes are in the board's millimetres, which are smaller than real ones on a small print, so hands are scaled up.
    hands = tuple(dataclasses.replace(hand, size=hand.size / sheet.scale) for hand in style.hands)
    return dataclasses.replace(style, board=paper, hands=(hands[0], hands[1]))


def border_mm(sheet: Sheet) -> float:
    """Width of the paper outside the frame where it is widest, in the board frame."""
    left, top, right, bottom = sheet.edges_mm
    width, height = sheet.layout.template.size_mm
    return max(-left, -top, right - width, bottom - height)


class SheetTable(SimulatedTable):
    def __init__(
        self, sheet: Sheet, board: str, style: Style, printed: PrintStyle, seed: int, size_px: tuple[int, int]
    ) -> None:
        """The `style` should come from `sheet_style`."""
        stage = _SheetStage(sheet, style, printed, seed, size_px)
        super().__init__(sheet.layout.template, board, seed=seed, stage=stage, pawns=False)
        self._sheet = sheet

    def cover(self, marker: int) -> None:
        """Rests a hand from outside on that marker, with its palm over it."""
        corners = self._sheet.layout.markers_mm[marker]
        inwards = np.array([0.0, (corners[3, 1] - corners[0, 1]) * (1 if marker < 2 else -1)])
        x, y = project(self._world_from_board, (corners.mean(axis=0) + inwards)[None])[0]
        self._side, self._reach = int(marker < 2), Reach(float(x), float(y), 4.0)


class _SheetStage(Stage):
    def __init__(self, sheet: Sheet, style: Style, printed: PrintStyle, seed: int, size_px: tuple[int, int]) -> None:
        self._sheet, self._printed = sheet, printed
        super().__init__(sheet.layout.template, style, size_px, seed)

    def _scenery_of(self, scale: float, rng: np.random.Generator) -> Scenery:
        return _SheetScenery(self._sheet, self.style, self._printed, scale, rng)

    def _outline_mm(self) -> FloatArray:
        left, top, right, bottom = self._sheet.edges_mm
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


class _SheetScenery(Scenery):
    def __init__(self, sheet: Sheet, style: Style, printed: PrintStyle, scale: float, rng: np.random.Generator) -> None:
        self._sheet, self._printed = sheet, printed
        super().__init__(sheet.layout.template, style, scale, rng)

    def _draw_face(self, rng: np.random.Generator) -> Float32Array:
        board, scale = self._style.board, self._scale
        extent = np.array(self._template.size_mm) + 2 * board.border_mm
        paper = surface("paper", (extent[0], extent[1]), scale, board.colour, board.accent, rng)
        ink = (self._ink((paper.shape[1], paper.shape[0]), rng).astype(np.float32) / 255) ** np.float32(GAMMA)
        ink = self._printed.black + (1 - self._printed.black) * ink
        face = paper * ink
        if self._printed.fold:
            away = (np.arange(len(face), dtype=np.float32) - len(face) / 2) / scale
            face *= (1 - 0.12 * np.exp(-np.abs(away)) + 0.02 * np.sign(away))[:, None, None]
        return np.asarray(face, dtype=np.float32)

    def _ink(self, size_px: tuple[int, int], rng: np.random.Generator) -> Image:
        finer = self._scale / self._sheet.scale
        page = picture_of(self._sheet.page, finer)
        if self._printed.grey:
            page = np.repeat(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
        origin = (np.array(self._sheet.edges_mm[:2]) + self._style.board.border_mm) * self._scale
        texels = np.indices(size_px[::-1], dtype=np.float32)[::-1]
        wave = self._printed.wave_mm * finer
        bend = 60 * finer
        x, y = (texels[axis] - np.float32(origin[axis]) + wave * noise(size_px, (bend, bend), rng) for axis in (0, 1))
        ink = cv2.remap(page, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(255, 255, 255))
        return np.asarray(ink, dtype=np.uint8)

    def _outside(self, board_mm: Float32Array) -> Float32Array:
        left, top, right, bottom = self._sheet.edges_mm
        middle = np.array([left + right, top + bottom], dtype=np.float32) / 2
        half = np.array([right - left, bottom - top], dtype=np.float32) / 2
        beyond = np.abs(board_mm - middle) - half
        within = np.minimum(beyond.max(axis=-1), 0)
        outside = np.maximum(beyond, 0)
        return np.asarray(within + cv2.magnitude(outside[..., 0], outside[..., 1]), dtype=np.float32)
