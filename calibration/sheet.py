"""Printed boards: where a sheet's four markers are, and which markers tell which game.

A sheet is laid out in the board's own millimetres, whatever paper it is printed on: markers stand outside the board at
its four corners, above and below it on an upright page, beside it on a lying one. Readers need no more than this.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

import games
from calibration.template import BoardTemplate, TemplateError, load_template, template_path

FloatArray = NDArray[np.float64]

IDS_A_SHEET = 8
"""Marker ids of one board: four of the upright page, then four of the lying one, each clockwise from the top left."""
LABEL = 0.042
"""Width of the strip that holds the coordinates, as a share of the frame's longer side."""
MIN_RIM = 0.02
"""Least board outside the frame, as a share of the same."""
MARKER = 0.115
"""Side of a marker, as a share of the sheet's shorter side."""
QUIET = 0.22
"""White between the coordinates and a marker, in sides of a marker; a marker's module is a seventh of it."""


class SheetError(ValueError):
    """No sheet can be printed, or none of that game."""


@dataclasses.dataclass(frozen=True)
class SheetName:
    """Which board a sheet shows."""

    game: str
    """The game's module name."""
    options: frozenset[str]
    """Rule options that change the drawing, as `load_template` takes them."""
    landscape: bool
    """Whether it is the layout of a lying page."""

    @property
    def game_and_options(self) -> tuple[str, frozenset[str]]:
        """What is played on it."""
        return self.game, self.options

    def __str__(self) -> str:
        options = " ".join(sorted(self.options))
        return games.find(self.game).title + (f" ({options})" if options else "")


@dataclasses.dataclass(frozen=True, eq=False)
class SheetLayout:
    """A sheet in the board frame."""

    template: BoardTemplate
    """With the shape that is printed: the default one."""
    landscape: bool
    rim_mm: float
    """Board outside the frame on every side."""
    label_mm: float
    """Width of the strip of coordinates outside the rim."""
    extent_mm: tuple[float, float, float, float]
    """Left, top, right, bottom of all that is printed."""
    markers_mm: FloatArray
    """(4, 4, 2) corners of each marker, both clockwise from the top left."""
    marker_ids: tuple[int, int, int, int]

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of all that is printed."""
        left, top, right, bottom = self.extent_mm
        return right - left, bottom - top


def layout_of(template: BoardTemplate, landscape: bool) -> SheetLayout:
    """The sheet of a board. Raises SheetError where its template gives it no number."""
    first = IDS_A_SHEET * _number(template) + 4 * landscape
    printed = template.with_shape({name: entry["default"] for name, entry in template.source.get("shape", {}).items()})
    width, height = template.size_mm
    longer = max(width, height)
    rim, label = _rim(printed), LABEL * longer
    side = rim + label
    marker = MARKER * (min(width, height) + 2 * side)
    band = side + (QUIET + 1) * marker
    across, along = (band, side) if landscape else (side, band)
    left, top, right, bottom = -across, -along, width + across, height + along
    square = marker * np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64)
    corners = np.array([[left, top], [right - marker, top], [right - marker, bottom - marker], [left, bottom - marker]])
    return SheetLayout(
        template=printed,
        landscape=landscape,
        rim_mm=rim,
        label_mm=label,
        extent_mm=(left, top, right, bottom),
        markers_mm=corners[:, None] + square,
        marker_ids=(first, first + 1, first + 2, first + 3),
    )


@functools.cache
def known_sheets() -> Mapping[int, SheetName]:
    """Every marker id that some game's sheet bears, and which sheet that is. Raises TemplateError."""
    known: dict[int, SheetName] = {}
    for game in games.names():
        for options in _drawings(game):
            template = load_template(game, options)
            if "sheet" not in template.source:
                continue
            for landscape in (False, True):
                name = SheetName(template.game, options, landscape)
                for marker in layout_of(template, landscape).marker_ids:
                    if marker in known:
                        raise TemplateError(f"{template_path(game)}: {name} bears the markers of {known[marker]}")
                    known[marker] = name
    return known


def coordinates(template: BoardTemplate) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Letters by their x and numbers by their y, in millimetres, of which the names of the cells are made."""
    letters: dict[str, float] = {}
    numbers: dict[str, float] = {}
    for name, (x, y) in zip(template.cell_names, template.cells_mm, strict=True):
        letters["".join(sign for sign in name if not sign.isdigit())] = float(x)
        numbers["".join(sign for sign in name if sign.isdigit())] = float(y)
    return letters, numbers


def pitch_mm(template: BoardTemplate) -> float:
    """Least distance of two cells."""
    cells = template.cells_mm
    apart = np.linalg.norm(cells[:, None] - cells[None], axis=2)
    return float(apart[~np.eye(len(cells), dtype=np.bool_)].min())


def _number(template: BoardTemplate) -> int:
    try:
        return int(template.source["sheet"]["number"])
    except KeyError:
        raise SheetError(f"{template_path(template.game)} has no [sheet]: no markers tell its game") from None


def _rim(template: BoardTemplate) -> float:
    """How far men, what is looked at around them, and the print reach beyond the frame."""
    size, half = np.array(template.size_mm), template.cell_mm / 2
    reach = float(max(-(template.cells_mm - half).min(), (template.cells_mm + half - size).max()))
    if template.printed is not None:
        for shape in template.printed.shapes:
            low, high = np.array(shape.centre_mm) - np.array(shape.size_mm) / 2, np.array(shape.centre_mm)
            reach = max(reach, float(-low.min()), float((high + np.array(shape.size_mm) / 2 - size).max()))
    return max(reach, MIN_RIM * max(template.size_mm))


def _drawings(game: str) -> list[frozenset[str]]:
    """Sets of rule options under which a template file draws another sheet."""
    source = tomllib.loads(template_path(game).read_text(encoding="utf-8"))
    return [frozenset(), *(frozenset({option}) for option in source.get("if", {}))]
