"""Printed boards on a simulated table: a page with its print and folds, with coins and buttons on it."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arm import Reach
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.light import GAMMA
from lab.simulated.random_style import random_style
from lab.simulated.scenery import Scenery
from lab.simulated.stage import Stage
from lab.simulated.style import BoardStyle, Colour, ManStyle, Style
from lab.simulated.table import SimulatedTable
from lab.simulated.texture import noise, surface
from vision.frame import Image
from vision.pose import project
from vision.sheet.drawing import Sheet
from vision.sheet.files import picture_of

_COINS: tuple[tuple[Colour, Colour], ...] = (
    ((196, 200, 204), (52, 88, 150)),
    ((96, 178, 220), (36, 58, 98)),
    ((176, 182, 188), (44, 66, 104)),
    ((120, 190, 222), (60, 96, 166)),
)
"""Nickel or brass, and copper, mint or worn."""
_BUTTONS: tuple[tuple[Colour, Colour], ...] = (
    ((232, 236, 238), (30, 28, 28)),
    ((206, 226, 236), (110, 50, 30)),
    ((226, 228, 230), (36, 30, 150)),
    ((60, 196, 238), (70, 44, 36)),
    ((216, 206, 236), (40, 84, 30)),
    ((170, 210, 232), (30, 46, 78)),
)
"""Mother of pearl, horn and plastic, and dark ones."""
_SPREAD = 0.06


def coins(template: BoardTemplate, rng: Rng) -> ManStyle:
    """Two kinds of thin, bright coins of different metals."""
    diameter = float(rng.uniform(0.75, 1.1))
    return ManStyle(
        shape="disc",
        diameter=diameter,
        height_mm=float(diameter * template.man_diameter_mm * rng.uniform(0.07, 0.1)),
        bevel_mm=0.03 * template.man_diameter_mm,
        rings=int(rng.integers(1, 4)),
        rim=float(rng.uniform(0.5, 1.0)),
        gloss=float(rng.uniform(0.3, 0.8)),
        colours=_colours(_COINS, template, rng),
    )


def buttons(template: BoardTemplate, rng: Rng) -> ManStyle:
    """Two kinds of buttons, with a rim and two or four holes."""
    return ManStyle(
        shape="disc",
        diameter=float(rng.uniform(0.72, 1.08)),
        height_mm=template.man_diameter_mm * float(rng.uniform(0.1, 0.2)),
        bevel_mm=template.man_diameter_mm * float(rng.uniform(0.04, 0.1)),
        rings=0,
        rim=float(rng.uniform(0.6, 1.0)),
        gloss=float(rng.uniform(0.1, 0.7)),
        holes=int(rng.choice([2, 4])),
        colours=_colours(_BUTTONS, template, rng),
    )


def _colours(pairs: tuple[tuple[Colour, Colour], ...], template: BoardTemplate, rng: Rng) -> dict[str, Colour]:
    kinds = [_worn(colour, rng) for colour in pairs[int(rng.integers(0, len(pairs)))]]
    letters = sorted(template.letters[1:3], key=lambda letter: letter != "W")
    return dict(zip(letters, kinds, strict=True))


def _worn(colour: Colour, rng: Rng) -> Colour:
    gain = 1 + _SPREAD * rng.normal()
    blue, green, red = (float(np.clip(level * gain * (1 + _SPREAD / 3 * rng.normal()), 4, 255)) for level in colour)
    return blue, green, red


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


def random_print(rng: Rng) -> PrintStyle:
    return PrintStyle(
        grey=bool(rng.random() < 0.3),
        black=float(rng.uniform(0.02, 0.12)),
        wave_mm=float(rng.uniform(0.0, 0.7)),
        fold=bool(rng.random() < 0.3),
    )


def sheet_style(sheet: Sheet, rng: Rng) -> Style:
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

    def _scenery_of(self, scale: float, rng: Rng) -> Scenery:
        return _SheetScenery(self._sheet, self.style, self._printed, scale, rng)

    def _outline_mm(self) -> FloatArray:
        left, top, right, bottom = self._sheet.edges_mm
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


class _SheetScenery(Scenery):
    def __init__(self, sheet: Sheet, style: Style, printed: PrintStyle, scale: float, rng: Rng) -> None:
        self._sheet, self._printed = sheet, printed
        super().__init__(sheet.layout.template, style, scale, rng)

    def _draw_face(self, rng: Rng) -> Float32Array:
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

    def _ink(self, size_px: tuple[int, int], rng: Rng) -> Image:
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
