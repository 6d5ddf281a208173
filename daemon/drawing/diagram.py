"""Draws a board with its pieces as a small picture, from the board's template, without a camera."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.printed import PIPS
from calibration.template import BoardTemplate, Figure
from daemon.drawing import lettering, marks
from daemon.drawing.board_style import LAST, bgr, dark_colour
from daemon.drawing.lettering import Colour
from daemon.drawing.marks import BITS, disc, fixed
from rules import EMPTY, Step
from vision.frame import Image
from vision.pose import project
from vision.primitives.printed import draw_print
from vision.sheet.ink import colour_of

FINER = 3
"""Supersampling factor: drawn larger and shrunk, so that edges are smooth."""
PAPER: Colour = (199, 230, 243)
LINES: Colour = (72, 66, 60)
MEN: dict[str, Colour] = {"W": (246, 250, 252), "B": (42, 36, 32)}
TILE: Colour = (240, 246, 248)
PIP: Colour = (40, 34, 30)
PAWNS: tuple[Colour, Colour] = ((60, 60, 220), (80, 170, 40))
NEW: Colour = bgr(LAST)


class Diagram:
    """Draws positions of one board; the longer side of the picture is `side_px` pixels."""

    def __init__(self, template: BoardTemplate, side_px: int) -> None:
        self._template = template
        width, height = template.size_mm
        # A printed board is shown with all the print around its frame, any other with room for a piece.
        margin = template.margin_mm if template.printed is not None else 0.62 * template.man_diameter_mm
        scale = side_px * FINER / (max(width, height) + 2 * margin)
        self._view: FloatArray = np.array([[scale, 0, margin * scale], [0, scale, margin * scale], [0, 0, 1]])
        self.size_px = (round((width + 2 * margin) * scale / FINER), round((height + 2 * margin) * scale / FINER))
        self._scale = scale
        self._centres = project(self._view, template.cells_mm)
        self._empty = self._draw_empty()

    def draw(
        self,
        board: str,
        steps: tuple[Step, ...] = (),
        tiles: tuple[tuple[int, int], ...] = (),
        pawns: tuple[int, int] | None = None,
    ) -> Image:
        """The board with its pieces, a letter per cell as `figures_of` tells, and marks for the last move.

        `tiles` are pairs of cells covered by one domino; `pawns` the spaces of the track on which the score pawns
        stand, 0 before the first. uint8 (height, width, 3) BGR.
        """
        canvas = self._empty.copy()
        for first, second in tiles:
            self._draw_tile(canvas, first, second)
        for cell, letter in enumerate(board):
            figure = self._template.figures.get(letter)
            if figure is not None:
                self._draw_figure(canvas, self._centres[cell], figure)
            elif letter in MEN:
                self._draw_man(canvas, self._centres[cell], MEN[letter])
            elif letter != EMPTY:
                self._draw_pips(canvas, cell, int(letter), tiles)
        self._mark(canvas, steps, tiles)
        for space, colour in zip(pawns or (), PAWNS, strict=False):
            if space:
                self._draw_man(canvas, project(self._view, self._template.track_mm[space - 1 : space])[0], colour, 0.7)
        return np.asarray(cv2.resize(canvas, self.size_px, interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def _mark(self, canvas: Image, steps: tuple[Step, ...], tiles: tuple[tuple[int, int], ...]) -> None:
        """Marks pieces that were placed, moved and taken; flipped pieces already show by their colour."""
        new = {step.cell for step in steps}
        for first, second in tiles:
            if first in new:
                low, high = self._body(first, second)
                cv2.rectangle(canvas, low, high, NEW, max(2, round(self._scale * 4)), cv2.LINE_AA, BITS)
        shown = () if tiles else tuple(step for step in steps if step.kind != "flip")
        radius = self._template.man_diameter_mm / 2 * self._scale * 0.45
        marks.steps(canvas, shown, self._centres, radius, NEW, max(2, round(self._scale * 2.2)))

    def _draw_empty(self) -> Image:
        width, height = (extent * FINER for extent in self.size_px)
        if self._template.printed is not None:
            printed = draw_print(self._template, self._scale / 2)
            return np.asarray(cv2.resize(printed, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
        style = self._template.source.get("sheet", {})
        ground = colour_of(style["tint"])[::-1] if "tint" in style else PAPER
        canvas: Image = np.full((height, width, 3), ground, dtype=np.uint8)
        dark = colour_of(dark_colour(self._template.source))[::-1]
        for low, high in project(self._view, self._template.dark_mm.reshape(-1, 2)).reshape(-1, 2, 2):
            cv2.rectangle(canvas, fixed(low), fixed(high), dark, cv2.FILLED, cv2.LINE_8, BITS)
        thick = max(2, round(self._scale * 1.4))
        for start, end in project(self._view, self._template.lines_mm.reshape(-1, 2)).reshape(-1, 2, 2):
            cv2.line(canvas, fixed(start), fixed(end), LINES, thick, cv2.LINE_AA, BITS)
        dots = [(place, 2.2 * thick) for place in style.get("dots_mm", ())]
        dots += [
            (cell, float(style["point_mm"]) / 2 * self._scale)
            for cell in self._template.cells_mm
            if "point_mm" in style
        ]
        for place, radius in dots:
            centre = project(self._view, np.array([place], dtype=np.float64))[0]
            disc(canvas, centre, radius, LINES)
        return canvas

    def _draw_man(self, canvas: Image, centre: FloatArray, colour: Colour, size: float = 0.92) -> None:
        radius = self._template.man_diameter_mm / 2 * size * self._scale
        disc(canvas, centre, radius, colour)
        cv2.circle(canvas, fixed(centre), round(radius * 2**BITS), PIP, max(1, round(self._scale)), cv2.LINE_AA, BITS)

    def _draw_figure(self, canvas: Image, centre: FloatArray, figure: Figure) -> None:
        """The sign of a figure, as printed diagrams have it; on a disc, in the colour of marks."""
        size = self._template.pitch_mm * 0.86 * self._scale
        if figure.on_disc:
            self._draw_man(canvas, centre, MEN.get(figure.seen, PIP))
            size = self._template.man_diameter_mm * 0.8 * self._scale
        width, height = lettering.width_px(figure.sign, round(size)), lettering.line_height_px(round(size))
        corner = round(float(centre[0]) - width / 2), round(float(centre[1]) - height * 0.48)
        lettering.write(canvas, figure.sign, corner, round(size), NEW if figure.on_disc else PIP)

    def _draw_tile(self, canvas: Image, first: int, second: int) -> None:
        low, high = self._body(first, second)
        cv2.rectangle(canvas, low, high, TILE, cv2.FILLED, cv2.LINE_AA, BITS)
        cv2.rectangle(canvas, low, high, PIP, max(1, round(self._scale)), cv2.LINE_AA, BITS)

    def _body(self, first: int, second: int) -> tuple[tuple[int, int], tuple[int, int]]:
        half = self._template.man_diameter_mm * 0.46 * self._scale
        low = np.minimum(self._centres[first], self._centres[second]) - half
        high = np.maximum(self._centres[first], self._centres[second]) + half
        return fixed(low), fixed(high)

    def _draw_pips(self, canvas: Image, cell: int, value: int, tiles: tuple[tuple[int, int], ...]) -> None:
        gap, size = 0.27 * self._template.man_diameter_mm * self._scale, 0.085 * self._template.man_diameter_mm
        stands = any(cell in pair and abs(pair[0] - pair[1]) > 1 for pair in tiles)
        for along, across in PIPS[value]:
            shift = np.array([-across, along] if stands else [along, across]) * gap
            disc(canvas, self._centres[cell] + shift, size * self._scale, PIP)
