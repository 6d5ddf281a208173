"""Board templates: the geometry of each game's board, read from `boards/<game>.toml` in the game's package.

A game of an installed package provides its own, `boards/<game>.toml` beside its module.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import games
from calibration.arrays import FloatArray
from calibration.printed import Print, parse_print

RECTIFIED_PX = 512
"""Pixels of a rectified picture's longer side, margins included, unless a template sets `rectified_px`."""
CORNERS = ("top left", "top right", "bottom left", "bottom right")
WHOLE = ("shape", "cells", "lines")
"""Tables of a template that a rule option replaces as a whole: another board has other cells."""
NUMBER_PLACE, NUMBER_HEIGHT = 0.35, 0.18
"""Shares of a square's side: how far its number is left of and above its middle, and how high the number is."""
NEIGHBOUR = 1.6
"""Multiple of the pitch up to which two cells are neighbours; includes diagonal neighbours."""


class TemplateError(ValueError):
    """A template file is missing or inconsistent."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """How a piece is drawn that a camera sees only as a piece of its side."""

    seen: str
    """Class letter of what the camera sees."""
    sign: str
    """One character for it, where a board is text."""
    outline: str
    """SVG path on a square with sides of 100, y down."""
    on_disc: bool = False
    """Whether the outline is drawn on the disc of its class rather than in place of it."""
    name: str = ""
    """The kind of piece, by the name of its outline."""
    letter: str = ""
    """The letter that labels of pictures have for it."""


@dataclasses.dataclass(frozen=True)
class BoardTemplate:
    """One game's board, seen from directly above.

    The board frame has its origin at the top-left corner as seen in the picture, x to the right, y down, in
    millimetres; `size_mm` is its far corner. Printed patterns and pieces may lie up to `margin_mm` outside it.
    """

    game: str
    size_mm: tuple[float, float]
    margin_mm: float
    man_diameter_mm: float
    cell_mm: float
    """Millimetres of the side of the square patch cut for each cell."""
    classes: Mapping[str, str]
    """Class letter to class name, in the order of every probability vector, EMPTY first."""
    cell_names: tuple[str, ...]
    cells_mm: FloatArray
    """(cells, 2) centres in the board frame, in the order of the game's board strings."""
    lines_mm: FloatArray
    """(lines, 2, 2) drawn segments, end points in the board frame."""
    rectified_px: int
    shape: Mapping[str, float]
    shape_range: Mapping[str, tuple[float, float]]
    source: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)
    """The parsed file, from which `with_shape` rebuilds the template."""
    options: frozenset[str] = frozenset()
    """Names of the rule options whose lines are drawn."""
    descriptor: str = "resnet18"
    man_height_mm: float = 0.0
    """Height of a usual man where men are tall, so that they lean over other cells in the picture; 0 for flat men."""
    figures: Mapping[str, Figure] = dataclasses.field(default_factory=dict)
    """How the letters of `rules.capabilities.Figures` that are no class are drawn."""
    printed: Print | None = None
    """Print besides bare lines; None if the template does not define it."""

    @property
    def letters(self) -> str:
        return "".join(self.classes)

    @property
    def shaped(self) -> bool:
        """Whether pieces of a side are told apart by their shapes: they are tall."""
        return bool(self.figures and self.man_height_mm)

    def seen(self, figures: str) -> str:
        """The class letter of what stands on each cell, of a board of figures."""
        return "".join(self.figures[letter].seen if letter in self.figures else letter for letter in figures)

    def written(self, figures: str) -> str:
        """A board of figures by the letters of labels."""
        return "".join(self.figures[letter].letter if letter in self.figures else letter for letter in figures)

    @property
    def first_square(self) -> str:
        """Colour of the first square, `light` or `dark`, of a chequered board; empty for other boards."""
        dark = self.dark_mm
        return "" if not len(dark) else "dark" if not dark[0].min(axis=0).any() else "light"

    @property
    def track_mm(self) -> FloatArray:
        """(spaces, 2) centres of the spaces of a printed track, from space 1 on; (0, 2) if there is none."""
        return self.printed.track_mm if self.printed is not None else np.zeros((0, 2))

    @property
    def corners_mm(self) -> FloatArray:
        """(4, 2) corners of the frame: top left, top right, bottom right, bottom left."""
        width, height = self.size_mm
        return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64)

    @property
    def dark_mm(self) -> FloatArray:
        """(squares, 2, 2) top left and bottom right corners of the dark squares of a chequered board; else empty."""
        grid = self.source.get("grid", {})
        if "dark_corner" not in grid:
            return np.zeros((0, 2, 2))
        side = np.array(self.size_mm) / (int(grid["columns"]), int(grid["rows"]))
        return np.array([[(x, y), (x + 1, y + 1)] for y, x in _dark_places(grid)]) * side

    @property
    def pitch_mm(self) -> float:
        """Least distance between two cells; where they are dark squares only, the side of a square."""
        apart = np.linalg.norm(self.cells_mm[:, None] - self.cells_mm[None], axis=2)
        least = float(apart[~np.eye(len(self.cells_mm), dtype=np.bool_)].min())
        return least / math.sqrt(2) if self.source.get("grid", {}).get("only_dark") else least

    @property
    def is_numbered(self) -> bool:
        """Whether the cells are named by numbers alone, which are then drawn in the corners of their squares."""
        return all(name.isdigit() for name in self.cell_names)

    @property
    def numbers_mm(self) -> FloatArray:
        """(cells, 2) middles of the numbers of numbered squares; (0, 2) on other boards."""
        shift = np.array([-1.0, -1.0]) * NUMBER_PLACE * self.pitch_mm
        return self.cells_mm + shift if self.is_numbered else np.zeros((0, 2))

    @property
    def pixels_per_mm(self) -> float:
        return self.rectified_px / (max(self.size_mm) + 2 * self.margin_mm)

    @property
    def rectified_size_px(self) -> tuple[int, int]:
        width, height = self.size_mm
        scale, margin = self.pixels_per_mm, 2 * self.margin_mm
        return round((width + margin) * scale), round((height + margin) * scale)

    @property
    def rectified_from_board(self) -> FloatArray:
        """(3, 3) homography: board millimetres to pixels of the rectified picture."""
        scale, offset = self.pixels_per_mm, self.margin_mm * self.pixels_per_mm
        return np.array([[scale, 0, offset], [0, scale, offset], [0, 0, 1]], dtype=np.float64)

    def with_shape(self, shape: Mapping[str, float]) -> BoardTemplate:
        """The same board with other shape parameters, each clipped to its range."""
        clipped = {
            name: min(max(shape.get(name, value), self.shape_range[name][0]), self.shape_range[name][1])
            for name, value in self.shape.items()
        }
        return _build(self.source, self.options, clipped)


def template_path(game: str) -> Path:
    """Path of the template of the game with that module name; it need not exist."""
    return games.file_of(game, f"boards/{game}.toml")


def load_template(game: str, options: frozenset[str] = frozenset()) -> BoardTemplate:
    """Loads the template of the game with that module name; `options` are rule options that change the drawing.

    They are named as `rules.options.switched_on` does: `diagonals`, `size=19`. Raises TemplateError.
    """
    path = template_path(game)
    if not path.is_file():
        raise TemplateError(f"{path}: no board template for {game!r}")
    try:
        source = _for_options(tomllib.loads(path.read_text(encoding="utf-8")), options)
        return _build(source, options, {name: entry["default"] for name, entry in source.get("shape", {}).items()})
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise TemplateError(f"{path}: {error}") from error


def _for_options(source: dict[str, Any], options: frozenset[str]) -> dict[str, Any]:
    """Applies rule options to a parsed file: the keys of e.g. `[if."size=19"]` replace those at top level.

    Tables are merged key by key, except those of WHOLE.
    """
    cases = source.pop("if", {})
    for option in sorted(options & cases.keys()):
        for key, value in cases[option].items():
            source[key] = source[key] | value if isinstance(value, dict) and key not in WHOLE else value
    return source


def _build(source: Mapping[str, Any], options: frozenset[str], shape: Mapping[str, float]) -> BoardTemplate:
    width, height = (float(extent) for extent in source["size_mm"])

    def millimetres(value: float | str, extent: float) -> float:
        if isinstance(value, str):
            value = -shape[value[1:]] if value.startswith("-") else shape[value]
        return (value + 1) * extent / 2

    cells, lines = _grid(source["grid"], width, height) if "grid" in source else ({}, [])
    cells |= {name: (millimetres(x, width), millimetres(y, height)) for name, (x, y) in source.get("cells", {}).items()}
    runs = [run for group in source.get("lines", {}).values() for run in group]
    for option, group in source.get("lines_if", {}).items():
        runs += group if option in options else []
    for run in runs:
        lines += [(cells[start], cells[end]) for start, end in itertools.pairwise(run.split())]
    cells_mm = np.array(list(cells.values()), dtype=np.float64)
    lines_mm = np.array(lines, dtype=np.float64).reshape(-1, 2, 2)
    return BoardTemplate(
        game=source["game"],
        size_mm=(width, height),
        margin_mm=float(source["margin_mm"]),
        man_diameter_mm=float(source["man_diameter_mm"]),
        cell_mm=float(source["cell_mm"]),
        classes=dict(source["classes"]),
        cell_names=tuple(cells),
        cells_mm=cells_mm,
        lines_mm=lines_mm,
        rectified_px=int(source.get("rectified_px", RECTIFIED_PX)),
        descriptor=str(source.get("descriptor", "resnet18")),
        man_height_mm=float(source.get("man_height_mm", 0.0)),
        shape=dict(shape),
        shape_range={
            name: (float(limits["minimum"]), float(limits["maximum"]))
            for name, limits in source.get("shape", {}).items()
        },
        source=source,
        options=options,
        figures=_figures(source),
        printed=parse_print(source["print"], cells_mm, lines_mm) if "print" in source else None,
    )


def _figures(source: Mapping[str, Any]) -> dict[str, Figure]:
    """The figures of a parsed file; several may share one of its outlines."""
    found = {}
    for letter, entry in source.get("figures", {}).items():
        name = str(entry["outline"])
        outline, sign = str(source["outlines"][name]), str(entry.get("sign", letter))
        label, on_disc = str(entry.get("letter", "")), bool(entry.get("on_disc", False))
        found[letter] = Figure(str(entry["class"]), sign, outline, on_disc, name, label)
        if found[letter].seen not in source["classes"] or letter in source["classes"]:
            raise ValueError(f"figure {letter!r} needs a letter that is no class, and a class that is one")
    return found


Point = tuple[float, float]


def _grid(grid: Mapping[str, Any], width: float, height: float) -> tuple[dict[str, Point], list[tuple[Point, Point]]]:
    """Cells row by row from the picture's top, and full-length lines, of a board ruled into rows and columns.

    Cells are the squares between the lines, all or the dark ones only, or the points where the lines cross.
    """
    if grid["cells"] not in ("squares", "points"):
        raise ValueError(f"the cells of a grid are squares or points, not {grid['cells']!r}")
    if grid.get("dark_corner", CORNERS[0]) not in CORNERS:
        raise ValueError(
            f"the dark corner of a chequered board is one of {', '.join(CORNERS)}, not {grid['dark_corner']!r}"
        )
    rows, columns, squares = int(grid["rows"]), int(grid["columns"]), grid["cells"] == "squares"
    gaps_across, gaps_down = columns - (not squares), rows - (not squares)
    named = (chr(code) for code in itertools.count(ord(grid["first_column"])))
    letters = list(itertools.islice((one for one in named if one not in grid.get("left_out", "")), columns))
    numbers = list(range(1, rows + 1)) if grid["row_one"] == "top" else list(range(rows, 0, -1))
    shift = 0.5 if squares else 0.0
    only_dark = bool(grid.get("only_dark", False))
    places = _dark_places(grid) if only_dark else list(itertools.product(range(rows), range(columns)))
    cells = {
        grid["name"].format(column=letters[column], row=numbers[row], number=number): (
            (column + shift) * width / gaps_across,
            (row + shift) * height / gaps_down,
        )
        for number, (row, column) in enumerate(places, 1)
    }
    across = [y * height / gaps_down for y in range(gaps_down + 1)]
    upright = [x * width / gaps_across for x in range(gaps_across + 1)]
    return cells, [((0.0, y), (width, y)) for y in across] + [((x, 0.0), (x, height)) for x in upright]


def _dark_places(grid: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Rows and columns of a chequered board's dark squares, row by row from the picture's top."""
    rows, columns, corner = int(grid["rows"]), int(grid["columns"]), str(grid["dark_corner"])
    parity = (rows - 1) * corner.startswith("bottom") + (columns - 1) * corner.endswith("right")
    return [place for place in itertools.product(range(rows), range(columns)) if (sum(place) - parity) % 2 == 0]
