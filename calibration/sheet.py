"""Printed boards: the places of a sheet's four markers, and the game that marker ids stand for.

A sheet is laid out in the board's own millimetres, on any paper. Markers are outside the board at its four corners:
above and below it on a portrait page, beside it on a landscape page. Readers need no more than this.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Mapping

import numpy as np

import games
from calibration.arrays import FloatArray
from calibration.template import BoardTemplate, TemplateError, load_template, template_path

IDS_A_SHEET = 8
"""Marker ids per board: four for the portrait page, then four for landscape, each clockwise from the top left."""
LABEL = 0.042
"""Share of the frame's longer side: width of the strip with the coordinates."""
MIN_RIM = 0.02
"""Share of the frame's longer side: least width of board outside the frame."""
MARKER = 0.115
"""Share of the sheet's shorter side: side of a marker."""
QUIET = 0.22
"""Share of a marker's side: white between the coordinates and the marker; a module is a seventh of the side."""


class SheetError(ValueError):
    """No sheet can be printed, or none for that game."""


@dataclasses.dataclass(frozen=True)
class SheetName:
    game: str
    options: frozenset[str]
    """Rule options that change the drawing, as `load_template` takes them."""
    landscape: bool

    @property
    def game_and_options(self) -> tuple[str, frozenset[str]]:
        return self.game, self.options

    def __str__(self) -> str:
        options = " ".join(sorted(self.options))
        return games.find(self.game).title + (f" ({options})" if options else "")


@dataclasses.dataclass(frozen=True, eq=False)
class SheetLayout:
    template: BoardTemplate
    """The template with the printed shape: the default one."""
    landscape: bool
    rim_mm: float
    """Width of board outside the frame on every side."""
    label_mm: float
    """Width of the strip of coordinates outside the rim."""
    extent_mm: tuple[float, float, float, float]
    """Left, top, right, bottom of all that is printed."""
    markers_mm: FloatArray
    """(4, 4, 2) corners of each marker, both clockwise from the top left."""
    marker_ids: tuple[int, int, int, int]

    @property
    def size_mm(self) -> tuple[float, float]:
        left, top, right, bottom = self.extent_mm
        return right - left, bottom - top


def layout_of(template: BoardTemplate, landscape: bool) -> SheetLayout:
    """Layout of a board's sheet. Raises SheetError if the template gives it no number."""
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
    """All marker ids of all games' sheets, and their sheets. Raises TemplateError."""
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


def other_sizes(template: BoardTemplate) -> tuple[BoardTemplate, ...]:
    """The boards of the same game that have another number of lines or squares."""
    if "grid" not in template.source:
        return ()
    drawn = [load_template(template.game, options) for options in _drawings(template.game)]
    return tuple(one for one in drawn if one.source["grid"]["columns"] != template.source["grid"]["columns"])


def coordinates(template: BoardTemplate) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The letters in the cells' names with their x, and the numbers with their y, in millimetres.

    None where the cells are numbered: their numbers are in the squares.
    """
    letters: dict[str, float] = {}
    numbers: dict[str, float] = {}
    if template.is_numbered:
        return letters, numbers
    for name, (x, y) in zip(template.cell_names, template.cells_mm, strict=True):
        letters["".join(sign for sign in name if not sign.isdigit())] = float(x)
        numbers["".join(sign for sign in name if sign.isdigit())] = float(y)
    return letters, numbers


def _number(template: BoardTemplate) -> int:
    try:
        return int(template.source["sheet"]["number"])
    except KeyError:
        raise SheetError(f"{template_path(template.game)} has no [sheet]: no markers tell its game") from None


def _rim(template: BoardTemplate) -> float:
    """How far the cells' patches and the print reach beyond the frame; at least MIN_RIM."""
    size, half = np.array(template.size_mm), template.cell_mm / 2
    reach = float(max(-(template.cells_mm - half).min(), (template.cells_mm + half - size).max()))
    if template.printed is not None:
        for shape in template.printed.shapes:
            low, high = np.array(shape.centre_mm) - np.array(shape.size_mm) / 2, np.array(shape.centre_mm)
            reach = max(reach, float(-low.min()), float((high + np.array(shape.size_mm) / 2 - size).max()))
    return max(reach, MIN_RIM * max(template.size_mm))


def _drawings(game: str) -> list[frozenset[str]]:
    """Sets of rule options for which a template file has a different sheet; the first is empty."""
    source = tomllib.loads(template_path(game).read_text(encoding="utf-8"))
    return [frozenset(), *(frozenset({option}) for option in source.get("if", {}))]
