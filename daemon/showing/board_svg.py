"""Draws a board as SVG: one drawing for every game, made of its template, for pages, tablets and broadcasts.

Every cell is a group with the cell's name, so that a page finds the men again; colours are CSS variables with defaults,
so that a page may have its own. Lengths are the board frame's millimetres.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from calibration.sheet import coordinates, pitch_mm
from calibration.template import BoardTemplate
from games import EMPTY, Step
from vision.primitives.printed import outline_mm

FloatArray = NDArray[np.float64]
Element = ElementTree.Element

LINE, DOT, LABEL = 0.04, 0.2, 0.42
"""Width of a line, diameter of a marked point, height of a letter: shares of the distance between two cells."""
MAN = 0.86
"""Most of that distance that a man takes up."""
RIM = 0.75
"""The coloured board reaches so far beyond the outermost cells and lines, in distances between two cells."""
RING, ARROW, CROSS = 0.07, 0.09, 0.3
"""Width of a ring and of an arrow, reach of a cross, in distances between two cells."""
HALO = 2.0
"""How much wider the light edge is beneath them."""
TINT = "#ead9b5"
PIPS: dict[str, tuple[tuple[int, int], ...]] = {
    "0": (),
    "1": ((0, 0),),
    "2": ((-1, -1), (1, 1)),
    "3": ((-1, -1), (0, 0), (1, 1)),
    "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    "6": ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Where the pips of a half tile are, in quarters of its side from its middle, x to the right and y down."""
STYLE = """
.board-tint{fill:var(--board,var(--tint))} .board-line{stroke:var(--board-line,#3c3226);stroke-linecap:round;fill:none}
.board-dot{fill:var(--board-line,#3c3226)} .board-label{fill:var(--board-label,#6b5b43);text-anchor:middle;
dominant-baseline:central;font-family:system-ui,sans-serif;user-select:none}
.man.light circle{fill:var(--light,#fbf6e9);stroke:var(--light-edge,#8a7c63)}
.man.dark circle{fill:var(--dark,#2b2723);stroke:var(--dark-edge,#0d0b09)}
.man.other circle{fill:var(--other,#7c8aa5);stroke:#22303f}
.half rect{fill:var(--tile,#fdf9ee);stroke:var(--tile-edge,#8a7c63)} .half circle{fill:var(--pip,#26221e)}
.seam{stroke:var(--tile-edge,#8a7c63)} .tile{fill:none;stroke:var(--dark,#2b2723)}
.last{stroke:var(--last,#2f7fd6);fill:none} .wanted{stroke:var(--wanted,#1d9a55);fill:none}
.taken{stroke:var(--taken,#c92f2f);fill:none} .fault{stroke:var(--fault,#e0491f);fill:none}
.unknown{stroke:var(--unknown,#8a8f98);fill:none;stroke-dasharray:4 3}
.halo{stroke:var(--halo,#fff);fill:none;opacity:.75}
.printed .board-label{fill:#e4ecec}
"""


@dataclasses.dataclass(frozen=True)
class Marks:
    """What is pointed out on a board; cells are indices into `Game.cells`."""

    last: tuple[Step, ...] = ()
    """What the last hand did."""
    wanted: tuple[Step, ...] = ()
    """What a person must now do for an agent."""
    faults: tuple[int, ...] = ()
    """Cells that must be put right."""
    unknown: tuple[int, ...] = ()
    """Cells that show nothing known."""


def board_svg(
    template: BoardTemplate,
    board: str = "",
    *,
    marks: Marks | None = None,
    tiles: Sequence[tuple[int, int]] = (),
    labelled: bool = True,
    bare: bool = False,
    title: str = "",
) -> str:
    """The SVG of a board: `board` has a class letter per cell, and may be empty; `tiles` are halves that are one tile.

    `bare` leaves out what the board is painted with, for laying it over a picture. Raises ValueError where `board` has
    another length than the template has cells.
    """
    cells = len(template.cells_mm)
    if board and len(board) != cells:
        raise ValueError(f"board has {len(board)} letters, {template.game} has {cells} cells")
    pitch = pitch_mm(template)
    low, high = _extent(template, pitch, labelled)
    box = " ".join(_number(value) for value in (*low, *(high - low)))
    svg = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img")
    if title:
        ElementTree.SubElement(svg, "title").text = title
    svg.set("style", f"--tint:{template.source.get('sheet', {}).get('tint', TINT)}")
    ElementTree.SubElement(svg, "style").text = STYLE
    if not bare:
        _draw_board(svg, template, pitch)
    if labelled:
        _draw_labels(svg, template, pitch)
    men = _group(svg, "men")
    for cell, letter in enumerate(board):
        if letter != EMPTY:
            _draw_man(men, template, cell, letter, pitch)
    for first, second in tiles:
        _draw_tile(men, template.cells_mm[first], template.cells_mm[second], pitch)
    if marks is not None:
        _draw_marks(_group(svg, "marks"), template, marks, pitch)
    return ElementTree.tostring(svg, encoding="unicode")


def _extent(template: BoardTemplate, pitch: float, labelled: bool) -> tuple[FloatArray, FloatArray]:
    """Top left and bottom right of what is drawn."""
    points = [np.zeros((1, 2)), np.array([template.size_mm]), template.cells_mm]
    beyond = (RIM + (2 * LABEL if labelled else 0)) * pitch
    if template.printed is not None:
        points += [outline_mm(shape) for shape in template.printed.shapes]
        beyond = 0.0
    every = np.concatenate(points)
    return every.min(axis=0) - beyond, every.max(axis=0) + beyond


def _draw_board(svg: Element, template: BoardTemplate, pitch: float) -> None:
    group = _group(svg, "board")
    if template.printed is not None:
        for shape in template.printed.shapes:
            blue, green, red = shape.colour
            corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in outline_mm(shape))
            ElementTree.SubElement(group, "polygon", points=corners, fill=f"#{red:02x}{green:02x}{blue:02x}")
        return
    width, height = template.size_mm
    rim = RIM * pitch
    place = {"x": -rim, "y": -rim, "width": width + 2 * rim, "height": height + 2 * rim, "rx": rim / 2}
    _add(group, "rect", "board-tint", place)
    for start, end in template.lines_mm:
        _line(group, "board-line", start, end, LINE * pitch)
    style = template.source.get("sheet", {})
    for x, y in style.get("dots_mm", ()):
        _add(group, "circle", "board-dot", {"cx": x, "cy": y, "r": DOT * pitch / 2})


def _draw_labels(svg: Element, template: BoardTemplate, pitch: float) -> None:
    """Letters above and below the board, numbers beside it."""
    group = _group(svg, "labels" if template.printed is None else "labels printed")
    letters, numbers = coordinates(template)
    width, height = template.size_mm
    beyond = ((RIM if template.printed is None else 0.0) + LABEL) * pitch
    places = [(sign, x, y) for sign, x in letters.items() for y in (-beyond, height + beyond)]
    places += [(sign, x, y) for sign, y in numbers.items() for x in (-beyond, width + beyond)]
    for sign, x, y in places:
        label = _add(group, "text", "board-label", {"x": x, "y": y, "font-size": LABEL * pitch * 1.2})
        label.text = sign


def _draw_man(men: Element, template: BoardTemplate, cell: int, letter: str, pitch: float) -> None:
    x, y = template.cells_mm[cell]
    name = template.cell_names[cell]
    what = template.classes.get(letter, letter)
    group = _add(men, "g", "half" if letter in PIPS else f"man {_shade(what)}", {})
    group.set("data-cell", name)
    ElementTree.SubElement(group, "title").text = f"{name}: {what}"
    if letter not in PIPS:
        radius = min(template.man_diameter_mm, MAN * pitch) / 2
        _add(group, "circle", "", {"cx": x, "cy": y, "r": radius, "stroke-width": 0.06 * radius})
        return
    side = MAN * pitch
    place = {"x": x - side / 2, "y": y - side / 2, "width": side, "height": side, "rx": side / 10}
    _add(group, "rect", "", place | {"stroke-width": 0.02 * side})
    for right, down in PIPS[letter]:
        spot = {"cx": x + right * side / 4, "cy": y + down * side / 4, "r": side / 11}
        _add(group, "circle", "", spot)


def _shade(what: str) -> str:
    """Whether men of a class are light or dark, by what the template calls them."""
    first = what.split()[0]
    return "light" if first in ("light", "white") else "dark" if first in ("dark", "black") else "other"


def _draw_tile(men: Element, first: FloatArray, second: FloatArray, pitch: float) -> None:
    """The outline around two halves."""
    reach = MAN * pitch / 2
    low, high = np.minimum(first, second) - reach, np.maximum(first, second) + reach
    place = {"x": low[0], "y": low[1], "width": high[0] - low[0], "height": high[1] - low[1], "rx": reach / 5}
    _add(men, "rect", "tile", place | {"stroke-width": 0.05 * pitch})


def _draw_marks(group: Element, template: BoardTemplate, marks: Marks, pitch: float) -> None:
    radius = (min(template.man_diameter_mm, MAN * pitch) + RING * pitch) / 2
    _draw_steps(group, template, marks.last, ("last", "last"), radius, pitch)
    for kind, cells, share in (("unknown", marks.unknown, 0.8), ("fault", marks.faults, 1.15)):
        for centre in template.cells_mm[list(cells)]:
            _ring(group, kind, centre, share * radius, pitch)
    _draw_steps(group, template, marks.wanted, ("wanted", "taken"), 1.1 * radius, pitch)


def _draw_steps(
    group: Element,
    template: BoardTemplate,
    steps: Iterable[Step],
    kinds: tuple[str, str],
    radius: float,
    pitch: float,
) -> None:
    """A ring where a man arrives, an arrow on its way, a cross where one is taken; `kinds`: of arriving, of taking."""
    for step in steps:
        centre = template.cells_mm[step.cell]
        if step.kind == "remove":
            reach = CROSS * pitch
            ends = [(centre + reach * np.array([1, down]), centre - reach * np.array([1, down])) for down in (1, -1)]
            _strokes(group, kinds[1], ends, RING * pitch)
            continue
        if step.origin is not None:
            _arrow(group, kinds[0], template.cells_mm[step.origin], centre, radius, ARROW * pitch)
        _ring(group, kinds[0], centre, radius, pitch)


def _ring(group: Element, kind: str, centre: FloatArray, radius: float, pitch: float) -> None:
    place = {"cx": centre[0], "cy": centre[1], "r": radius}
    for name, width in (("halo", HALO * RING), (kind, RING)):
        _add(group, "circle", name, place | {"stroke-width": width * pitch})


def _arrow(group: Element, kind: str, start: FloatArray, end: FloatArray, gap: float, width: float) -> None:
    """From the edge of one man's place to that of another."""
    way = end - start
    length = float(np.linalg.norm(way))
    if length <= 2 * gap:
        return
    along = way / length
    across = np.array([-along[1], along[0]])
    tip, back = end - along * gap, -2.5 * width * along
    ends = [(tip, tip + back + 1.8 * width * side) for side in (across, -across)]
    _strokes(group, kind, [(start + along * gap, tip), *ends], width)


def _strokes(group: Element, kind: str, ends: Sequence[tuple[FloatArray, FloatArray]], width: float) -> None:
    """Lines with a halo that lies beneath all of them."""
    for name, wide in (("halo", HALO * width), (kind, width)):
        for start, end in ends:
            _line(group, name, start, end, wide)


def _line(group: Element, kind: str, start: FloatArray, end: FloatArray, width: float) -> None:
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1], "stroke-width": width}
    _add(group, "line", kind, ends).set("stroke-linecap", "round")


def _group(parent: Element, name: str) -> Element:
    return ElementTree.SubElement(parent, "g", {"class": name})


def _add(parent: Element, form: str, kind: str, numbers: dict[str, float]) -> Element:
    attributes = {name: _number(value) for name, value in numbers.items()}
    return ElementTree.SubElement(parent, form, ({"class": kind} if kind else {}) | attributes)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
