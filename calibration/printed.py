"""The print of a board, as described by a template file: plain figures, spaces of a track and landmarks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np

from calibration.arrays import FloatArray

Point = tuple[float, float]
Colour = tuple[int, int, int]

TOWARDS: Mapping[str, tuple[int, int]] = {"right": (1, 0), "left": (-1, 0), "up": (0, -1), "down": (0, 1)}
PIPS: Mapping[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
}
"""Positions of each value's pips on a lying tile: along it, then across, in pip gaps."""


@dataclasses.dataclass(frozen=True)
class Shape:
    form: Literal["rectangle", "disc", "star"]
    """A star has four tips, up, down, left and right, and hollow sides."""
    centre_mm: Point
    size_mm: Point
    colour: Colour
    """BGR."""
    round_mm: float = 0.0
    """Radius of a rectangle's corners."""


@dataclasses.dataclass(frozen=True)
class Landmark:
    """A part of the print that can be distinguished from its surroundings."""

    centre_mm: Point
    size_mm: Point
    in_play: bool
    """Whether pieces may lie on it and hide it for long."""


@dataclasses.dataclass(frozen=True, eq=False)
class Print:
    """All that is printed on a board, in the board frame."""

    shapes: tuple[Shape, ...]
    """In the order in which they are painted, the grid's lines included."""
    landmarks: tuple[Landmark, ...]
    track_mm: FloatArray
    """(spaces, 2) centres of the numbered spaces of a track, from space 1 on; (0, 2) if there is none."""
    track_values: tuple[int, ...]
    squares: tuple[int, ...]
    """Score of each square of the grid, in the order of the cells; empty if no square has a printed figure."""


def parse_print(source: Mapping[str, Any], cells_mm: FloatArray, lines_mm: FloatArray) -> Print:
    """Parses the print from the table `[print]` of a template file.

    Raises KeyError, TypeError or ValueError if it is inconsistent.
    """
    colours = {name: _colour(value) for name, value in source["colours"].items()}
    shapes = [
        Shape("rectangle", ((left + right) / 2, (top + bottom) / 2), (right - left, bottom - top), colours[name])
        for left, top, right, bottom, name in source["areas"]
    ]
    width, line = float(source["line_mm"]), colours[source["line_colour"]]
    shapes += [_line(segment, width, line) for segment in lines_mm]
    shapes += [Shape("disc", (x, y), (wide, wide), colours[name]) for x, y, wide, name in source["discs"]]
    squares = tuple(0 if letter == "." else int(letter) for row in source["diamonds"]["rows"] for letter in row)
    shapes += _diamonds(source["diamonds"], squares, cells_mm, colours)
    tiles = [_Tile((x, y), TOWARDS[towards], (one, other)) for x, y, towards, one, other in source["track"]["tiles"]]
    shapes += [shape for tile in tiles for shape in tile.shapes(source["track"], colours)]
    rim = float(source["diamonds"]["rim_mm"])
    marks = [
        Landmark((float(x), float(y)), (rim, rim), in_play=True)
        for (x, y), score in zip(cells_mm, squares, strict=True)
        if score
    ]
    return Print(
        shapes=tuple(shapes),
        landmarks=tuple(marks + [Landmark(tile.centre_mm, tile.size_mm(source["track"]), False) for tile in tiles]),
        track_mm=np.array([space for tile in tiles for space in tile.spaces(source["track"])]).reshape(-1, 2),
        track_values=tuple(value for tile in tiles for value in tile.values),
        squares=squares,
    )


@dataclasses.dataclass(frozen=True)
class _Tile:
    """A printed domino: two spaces of a track."""

    centre_mm: Point
    towards: tuple[int, int]
    """Unit vector from its first space to its second."""
    values: tuple[int, int]

    def place(self, along: float, across: float) -> Point:
        """Board coordinates of a point at the given millimetres from the tile's middle.

        An upright tile is a lying one after a quarter turn, whichever of its spaces comes first.
        """
        x, y = self.centre_mm
        return (x + along, y + across) if self.lies else (x - across, y + along)

    @property
    def lies(self) -> bool:
        """Whether its two spaces are side by side in the board's own orientation."""
        return self.towards[0] != 0

    def size_mm(self, style: Mapping[str, Any]) -> Point:
        length, width = (float(extent) for extent in style["tile_mm"])
        return (length, width) if self.lies else (width, length)

    def spaces(self, style: Mapping[str, Any]) -> tuple[Point, Point]:
        """Middles of its spaces, in the order of the track."""
        reach = float(style["space_mm"]) * sum(self.towards)
        return self.place(-reach, 0.0), self.place(reach, 0.0)

    def shapes(self, style: Mapping[str, Any], colours: Mapping[str, Colour]) -> Iterator[Shape]:
        dark, pip, gap = colours[style["pip_colour"]], float(style["pip_mm"]), float(style["pip_gap_mm"])
        yield Shape(
            "rectangle", self.centre_mm, self.size_mm(style), colours[style["colour"]], float(style["round_mm"])
        )
        long, thin = (float(extent) for extent in style["bar_mm"])
        yield Shape("rectangle", self.centre_mm, (thin, long) if self.lies else (long, thin), dark)
        reach = float(style["space_mm"]) * sum(self.towards)
        for middle, value in zip((-reach, reach), self.values, strict=True):
            for along, across in PIPS[value]:
                yield Shape("disc", self.place(middle + along * gap, across * gap), (pip, pip), dark)


def _diamonds(
    style: Mapping[str, Any], squares: tuple[int, ...], cells_mm: FloatArray, colours: Mapping[str, Colour]
) -> Iterator[Shape]:
    rim, size = float(style["rim_mm"]), float(style["size_mm"])
    for (x, y), score in zip(cells_mm, squares, strict=True):
        if score:
            centre = (float(x), float(y))
            yield Shape("star", centre, (rim, rim), colours[style["rim_colour"]])
            yield Shape("star", centre, (size, size), colours[style["colours"][str(score)]])


def _line(segment: FloatArray, width_mm: float, colour: Colour) -> Shape:
    (left, top), (right, bottom) = segment.min(axis=0), segment.max(axis=0)
    size = max(float(right - left), width_mm), max(float(bottom - top), width_mm)
    return Shape("rectangle", (float(left + right) / 2, float(top + bottom) / 2), size, colour)


def _colour(text: str) -> Colour:
    """BGR of "#rrggbb"."""
    if not (len(text) == 7 and text.startswith("#")):
        raise ValueError(f"a colour is written #rrggbb, not {text!r}")
    red, green, blue = (int(text[start : start + 2], 16) for start in (1, 3, 5))
    return blue, green, red
