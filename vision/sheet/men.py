"""Men to cut out: pages of flat discs in two shades, in the size of a printed board's men."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from fontTools.svgLib.path import parse_path

from calibration.arrays import FloatArray
from calibration.sheet import SheetError
from calibration.template import BoardTemplate
from rules import EMPTY, AnyGame, figures_of
from vision.sheet.drawing import BLACK, EDGE_MM, GREY, WHITE, Sheet
from vision.sheet.ink import Colour, Ink, Page, disc
from vision.sheet.letters import FlatPen, words

GAP_MM = 2.0
"""Millimetres between two men: room for scissors."""
NOTE_MM = 6.0
"""Height of the line of text below them."""
RIM = 0.06
"""Width of the line that is cut along, as a share of the diameter."""
FIGURE = 0.66
"""Side of a figure's square as a share of the diameter: its corners stay inside the rim."""
PATH_SIDE = 100.0
"""Side of the square of a figure's path."""
SHADES: dict[str, tuple[Colour, Colour]] = {"W": (WHITE, BLACK), "B": (BLACK, WHITE)}
"""Colour of a light and of a dark man, and of the line and the figure on it."""


def draw_men(sheet: Sheet, game: AnyGame) -> Page:
    """A page of men for a printed board: those of the start, or as many as fit where men are laid in turn.

    There are as many kings, which come later, as men. Raises SheetError where the game is not played with men.
    """
    template, step = sheet.layout.template, sheet.man_mm + GAP_MM
    columns, rows = _room(sheet)
    width_mm, height_mm = sheet.page.size_mm
    first = np.array([width_mm - columns * step, height_mm - NOTE_MM - rows * step]) / 2 + step / 2
    inks = [
        ink
        for number, letter in enumerate(letters_of(sheet, game))
        for ink in man_inks(template, letter, first + step * np.array(divmod(number, columns)[::-1]), sheet.man_mm)
    ]
    told = f"men of {sheet.man_mm:.0f} mm: glue them to cardboard and cut them out"
    inks.append(words(told, (width_mm / 2, height_mm - EDGE_MM - NOTE_MM / 3), NOTE_MM / 2, GREY))
    return Page(sheet.page.size_mm, tuple(inks), f"{sheet.page.title}: men")


def _room(sheet: Sheet) -> tuple[int, int]:
    """How many men have room side by side, and below each other."""
    width_mm, height_mm = (extent - 2 * EDGE_MM for extent in sheet.page.size_mm)
    step = sheet.man_mm + GAP_MM
    return int(width_mm // step), int((height_mm - NOTE_MM) // step)


def man_inks(template: BoardTemplate, letter: str, centre: FloatArray, diameter_mm: float) -> Iterator[Ink]:
    """A man of a class or figure: a disc with a rim, and the figure's outline in the other shade."""
    figure = template.figures.get(letter)
    fill, line = SHADES[letter if figure is None else figure.seen]
    yield Ink((disc(centre, diameter_mm),), BLACK)
    yield Ink((disc(centre, (1 - 2 * RIM) * diameter_mm),), fill)
    if figure is not None:
        scale = FIGURE * diameter_mm / PATH_SIDE
        yield Ink(tuple(centre + scale * (ring - PATH_SIDE / 2) for ring in _rings(figure.outline)), line)


def letters_of(sheet: Sheet, game: AnyGame) -> list[str]:
    """What is printed, in the order of the page. Raises SheetError, as `draw_men` does."""
    template, room = sheet.layout.template, math.prod(_room(sheet))
    if not set(template.letters[1:]) <= set(SHADES):
        raise SheetError(f"{template.game} is not played with men of two colours")
    opening = game.initial()
    if game.steps(opening, next(iter(game.legal_moves(opening))))[0].kind == "place":
        return [letter for letter in template.letters[1:] for _ in range(room // 2)]
    start = sorted(letter for letter in figures_of(game, opening) if letter != EMPTY)
    kings = [letter for letter in sorted(set(template.figures) - set(start)) for _ in range(len(start) // 2)]
    if len(start) + len(kings) > room:
        raise SheetError(f"{len(start) + len(kings)} men of {template.game} do not fit on the page, only {room}")
    return start + kings


def _rings(path: str) -> list[FloatArray]:
    pen = FlatPen(None)
    parse_path(path, pen)
    return [np.array(ring) for ring in pen.rings if len(ring) > 2]
