"""Draws the board of any game as SVG from its template, for pages, tablets and broadcasts.

Every cell is a group that carries the cell's name and its content in words, so that a page can let people act on it
without knowing the game. Lengths are in millimetres of the board frame.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

import numpy as np

from calibration import printed
from calibration.arrays import FloatArray
from calibration.printed import Shape
from calibration.sheet import coordinates
from calibration.template import BoardTemplate, Figure
from daemon.drawing.board_style import STYLE, add_gradients, dark_colour, ground_colours
from rules import EMPTY, Step

Element = ElementTree.Element

RING, ARROW, CROSS = 0.07, 0.1, 0.26
"""Width of a ring and of an arrow, and reach of a cross, as shares of the distance between two cells."""
HEAD = 2.6
"""Length of an arrow's head, in arrow widths."""
HALO = 1.9
"""Width of the light edge beneath a stroke, in stroke widths."""
FAINT = ("last-way",)
"""Classes of strokes without a halo: steps already done."""
LINE, LINE_WHOLE, DOT = 0.035, 0.0045, 4.0
"""Width of a line: the smaller of the first two, shares of the distance between two cells and of the board; diameter
of a marked point, in line widths."""
LABEL, LABEL_WHOLE = 0.36, 0.045
"""Height of a letter: the smaller of these shares of the distance between two cells and of the board."""
MAN, HALF, FIGURE = 0.86, 0.96, 0.92
"""Shares of the distance between two cells: greatest diameter of a piece, sides of half a tile and of a figure."""
WORTH = 0.42
"""Height of a cell's points, as a share of the distance between two cells."""
LABEL_ROOM, DIGIT = 0.86, 0.62
"""Share of a ring's inner width that a value may fill, and width of a digit as a share of its height."""
NUMBER = 0.25
"""Height of a square's number, as a share of the square's side: nine pixels on a phone, as much as the letters."""
SPOT = 1.45
"""Diameter, in diameters of a piece, of the area that reacts to a finger and is highlighted."""
GAP = 0.55
"""Heights of a letter: distance between pieces, letters and the edge of the board."""
FORBIDDEN, FORBIDDEN_LINE = 0.13, 0.05
"""Shares of the distance between two cells: half the side of the cross on a forbidden one, width of its strokes."""
HOLLOW = 0.264
"""Control point of a star's sides, as a share of the sum of its two tips: fits the printed curve."""
PIPS = {str(value): [(across, along) for along, across in pips] for value, pips in printed.PIPS.items()}
"""Positions of the pips on half a tile, in quarters of its side from its middle, x to the right and y down."""
GROUND, MAX_GROUNDS = '<g class="ground" />', 16
"""Placeholder that the ground replaces; number of grounds cached."""
_GROUNDS: dict[tuple[object, ...], tuple[str, tuple[FloatArray, FloatArray]]] = {}
PAWNS = {"red": "#c0392b", "green": "#1e8449"}


@dataclasses.dataclass(frozen=True)
class Marks:
    """Marks on a board; cells are indices into `Game.cells`."""

    last: tuple[Step, ...] = ()
    wanted: tuple[Step, ...] = ()
    """Steps that a person must now make for an agent."""
    faults: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    """Cells that show nothing known."""
    hint: tuple[Step, ...] = ()
    won: tuple[int, ...] = ()
    best: tuple[tuple[tuple[Step, ...], str], ...] = ()
    """Steps of the best moves, best first, each with its value in a few signs."""
    forbidden: tuple[int, ...] = ()
    """Empty cells on which a rule forbids the next piece."""
    dead: tuple[int, ...] = ()
    """Cells whose pieces count as captured though they still stand."""


def board_svg(
    template: BoardTemplate,
    board: str = "",
    *,
    marks: Marks | None = None,
    tiles: Sequence[tuple[int, int]] = (),
    pawns: Sequence[tuple[str, int]] = (),
    labelled: bool = True,
    bare: bool = False,
    title: str = "",
    names: Mapping[str, str] | None = None,
    sides: Mapping[str, str] | None = None,
    worth: Mapping[int, tuple[int, str]] | None = None,
) -> str:
    """The SVG of a board: `board` has a letter per cell, as `figures_of` tells, or is empty.

    `tiles` are pairs of cells under one tile. `pawns` are sides and their scores, drawn if there is a track. `bare`
    omits the board's painting, to lay the drawing over a picture. `names` replace the template's class names, by
    letter, and `sides` the sides' names in `pawns`; `worth` are the points of cells, as a number and in words, shown
    while they are empty. Raises ValueError if the length of `board` is not the template's number of cells.
    """
    cells = len(template.cells_mm)
    if board and len(board) != cells:
        raise ValueError(f"board has {len(board)} letters, {template.game} has {cells} cells")
    pitch, marks = template.pitch_mm, marks or Marks()
    ground, (low, high) = _ground(template, pitch, labelled, bare)
    box = " ".join(number(value) for value in (*low, *(high - low)))
    svg = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img")
    # For pages that let people act: how far cells are apart, and how a man of each letter looks.
    svg.set("data-pitch", number(pitch))
    svg.set("data-shades", " ".join(f"{one}{_shade(what)}" for one, what in template.classes.items() if one != EMPTY))
    if title:
        ElementTree.SubElement(svg, "title").text = title
    ElementTree.SubElement(svg, "style").text = STYLE
    group(svg, "ground")
    under = group(svg, "tiles")
    for first, second in tiles:
        _draw_tile(under, template.cells_mm[first], template.cells_mm[second], pitch)
    paired = {cell for pair in tiles for cell in pair}
    called = names or template.classes
    _draw_cells(group(svg, "cells"), template, board, marks, pitch, paired, called, worth or {}, labelled=labelled)
    _draw_pawns(group(svg, "pawns"), template, pawns, sides or {})
    _draw_marks(group(svg, "marks"), template, marks, pitch)
    return ElementTree.tostring(svg, encoding="unicode").replace(GROUND, ground, 1)


def _ground(
    template: BoardTemplate, pitch: float, labelled: bool, bare: bool
) -> tuple[str, tuple[FloatArray, FloatArray]]:
    """The elements common to all drawings of a board, and the drawing's extent; cached, since they may be many."""
    key = (template.game, template.options, tuple(template.shape.items()), labelled, bare)
    if key not in _GROUNDS:
        extent = _extent(template, pitch, labelled)
        ground = ElementTree.Element("g", {"class": "ground"})
        add_gradients(ground, template.game, ground_colours(template.source))
        if not bare:
            _draw_board(ground, template, pitch, *extent)
        if labelled:
            _draw_labels(ground, template, pitch)
        if len(_GROUNDS) >= MAX_GROUNDS:
            _GROUNDS.clear()
        _GROUNDS[key] = ElementTree.tostring(ground, encoding="unicode"), extent
    return _GROUNDS[key]


def _extent(template: BoardTemplate, pitch: float, labelled: bool) -> tuple[FloatArray, FloatArray]:
    points = [np.zeros((1, 2)), np.array([template.size_mm])]
    beyond = _reach(template, pitch) + (2 * GAP + 1 if labelled else GAP) * _label_mm(template, pitch)
    if template.printed is not None:
        for shape in template.printed.shapes:
            centre, half = np.array(shape.centre_mm), np.array(shape.size_mm) / 2
            points.append(np.array([centre - half, centre + half]))
        beyond = 0.0
    every = np.concatenate(points)
    return every.min(axis=0) - beyond, every.max(axis=0) + beyond


def _reach(template: BoardTemplate, pitch: float) -> float:
    """Millimetres by which pieces reach beyond the frame."""
    return 0.0 if _is_ruled(template) else _man_mm(template, pitch) / 2


def _man_mm(template: BoardTemplate, pitch: float) -> float:
    return min(template.man_diameter_mm, MAN * pitch)


def _label_mm(template: BoardTemplate, pitch: float) -> float:
    return min(LABEL * pitch, LABEL_WHOLE * max(template.size_mm))


def _draw_board(svg: Element, template: BoardTemplate, pitch: float, low: FloatArray, high: FloatArray) -> None:
    board = group(svg, "board")
    if template.printed is not None:
        for shape in template.printed.shapes:
            _draw_printed(board, shape)
        return
    width, height = high - low
    edge = 0.02 * pitch
    place = {"x": low[0], "y": low[1], "width": width, "height": height, "rx": 0.2 * pitch}
    add(board, "rect", "board-tint", place, fill="url(#ground-" + template.game + ")")
    inset = {"x": low[0] + edge, "y": low[1] + edge, "width": width - 2 * edge, "height": height - 2 * edge}
    add(board, "rect", "board-edge", inset | {"rx": 0.2 * pitch, "stroke-width": 2 * edge})
    for (left, top), (right, bottom) in template.dark_mm:
        place = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        add(board, "rect", "board-dark", place, fill=dark_colour(template.source))
    wide = min(LINE * pitch, LINE_WHOLE * max(template.size_mm))
    for start, end in template.lines_mm:
        line(board, "board-line", start, end, wide)
    style = template.source.get("sheet", {})
    dots = style.get("dots_mm", template.cells_mm if "point_mm" in style else ())
    for x, y in dots:
        add(board, "circle", "board-dot", {"cx": x, "cy": y, "r": DOT * wide / 2})


def _draw_printed(board: Element, shape: Shape) -> None:
    blue, green, red = shape.colour
    (x, y), (width, height), colour = shape.centre_mm, shape.size_mm, f"#{red:02x}{green:02x}{blue:02x}"
    if shape.form == "disc":
        add(board, "ellipse", "", {"cx": x, "cy": y, "rx": width / 2, "ry": height / 2}, fill=colour)
    elif shape.form == "rectangle":
        box = {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height, "rx": shape.round_mm}
        add(board, "rect", "", box, fill=colour)
    else:
        tips = np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]]) * [width / 2, height / 2]
        way = [f"M{number(x + tips[0, 0])} {number(y)}"]
        for one, other in itertools.pairwise(tips):
            points = np.array([(one + other) * HOLLOW, other]) + np.array([x, y])
            way.append("Q" + " ".join(number(value) for value in points.ravel()))
        ElementTree.SubElement(board, "path", d="".join(way), fill=colour)


def _draw_labels(svg: Element, template: BoardTemplate, pitch: float) -> None:
    """Letters above and below the board, numbers beside it."""
    labels = group(svg, "labels" if template.printed is None else "labels printed")
    letters, numbers = coordinates(template)
    width, height = template.size_mm
    size = _label_mm(template, pitch)
    beyond = _reach(template, pitch) + (GAP + 0.5) * size
    places = [(sign, x, y) for sign, x in letters.items() for y in (-beyond, height + beyond)]
    places += [(sign, x, y) for sign, y in numbers.items() for x in (-beyond, width + beyond)]
    for sign, x, y in places:
        text(labels, "board-label", x, y, size, sign)


def _is_ruled(template: BoardTemplate) -> bool:
    """Whether the cells are squares between the lines."""
    return bool(template.source.get("grid", {}).get("cells") == "squares")


def _draw_cells(
    cells: Element,
    template: BoardTemplate,
    board: str,
    marks: Marks,
    pitch: float,
    paired: set[int],
    names: Mapping[str, str],
    worth: Mapping[int, tuple[int, str]],
    *,
    labelled: bool,
) -> None:
    man_mm = _man_mm(template, pitch)
    looks = {step.cell: "cell turned" for step in marks.last if step.kind == "flip"}
    looks |= {step.cell: "cell last" for step in marks.last if step.kind in ("place", "move")}
    looks |= {step.origin: "cell from" for step in marks.last if step.origin is not None}
    for cell, name in enumerate(template.cell_names):
        letter = board[cell] if board else EMPTY
        figure = template.figures.get(letter)
        what = template.classes.get(letter if figure is None else figure.seen, letter)
        place = add(cells, "g", looks.get(cell, "cell"), {})
        place.set("data-cell", name)
        place.set("role", "img")
        label = f"{name}: {names.get(letter, letter)}"
        place.set("aria-label", f"{label}, {worth[cell][1]}" if letter == EMPTY and cell in worth else label)
        x, y = template.cells_mm[cell]
        spot: tuple[str, dict[str, float]] = ("circle", {"cx": x, "cy": y, "r": min(0.49 * pitch, SPOT * man_mm / 2)})
        if _is_ruled(template):
            spot = "rect", {"x": x - pitch / 2, "y": y - pitch / 2, "width": pitch, "height": pitch}
        if looks.get(cell) in ("cell last", "cell from"):
            add(place, spot[0], "edge", spot[1])
        add(place, spot[0], "spot", spot[1])
        if letter == EMPTY and cell in worth:
            text(place, "worth", x, y, WORTH * pitch, str(worth[cell][0]))
        if letter in PIPS:
            _draw_half(place, x, y, letter, pitch, alone=cell not in paired)
        elif figure is not None:
            _draw_figure(place, x, y, what, figure, template, pitch)
        elif letter != EMPTY:
            _draw_man(place, x, y, what, man_mm / 2)
        if template.is_numbered and labelled:
            left, top = template.numbers_mm[cell]
            text(place, "square-number", left, top, NUMBER * pitch, name)


def _draw_man(place: Element, x: float, y: float, what: str, radius: float) -> None:
    """A disc with a shadow; pieces other than stones have one or two grooves."""
    shade = _shade(what)
    man = group(place, f"man {shade}")
    add(man, "circle", "shade", {"cx": x + 0.06 * radius, "cy": y + 0.12 * radius, "r": radius})
    body = {"cx": x, "cy": y, "r": radius, "stroke-width": 0.05 * radius}
    add(man, "circle", "body", body, fill=f"url(#man-{shade})")
    if not what.endswith("stone"):
        for share in (0.72, 0.44) if what.endswith("man") else (0.86,):
            add(man, "circle", "inner", {"cx": x, "cy": y, "r": share * radius, "stroke-width": 0.07 * radius})


def _draw_figure(
    place: Element, x: float, y: float, what: str, figure: Figure, template: BoardTemplate, pitch: float
) -> None:
    """The outline of a figure in the shade of its class; a crown on a disc is as wide as the disc's inner groove."""
    radius = _man_mm(template, pitch) / 2
    if figure.on_disc:
        _draw_man(place, x, y, what, radius)
        man, side = place[-1], radius * 1.1
    else:
        man, side = group(place, f"man {_shade(what)}"), FIGURE * pitch
    scale = f"translate({number(x - side / 2)} {number(y - side / 2)}) scale({number(side / 100)})"
    drawn = ElementTree.SubElement(man, "path", {"class": "crown" if figure.on_disc else "figure", "d": figure.outline})
    drawn.set("transform", scale)
    if not figure.on_disc:
        drawn.set("fill", f"url(#man-{_shade(what)})")


def _shade(what: str) -> str:
    """The shade of a class's pieces, from the class's name in the template."""
    first = what.split()[0]
    return "light" if first in ("light", "white") else "dark" if first in ("dark", "black") else "other"


def _draw_half(place: Element, x: float, y: float, letter: str, pitch: float, *, alone: bool) -> None:
    half = group(place, "half")
    side = HALF * pitch
    if alone:
        box = {"x": x - side / 2, "y": y - side / 2, "width": side, "height": side, "rx": side / 8}
        add(half, "rect", "tile-body", box | {"stroke-width": 0.03 * side})
    for right, down in PIPS[letter]:
        add(half, "circle", "pip", {"cx": x + right * side / 4, "cy": y + down * side / 4, "r": side / 11})


def _draw_tile(tiles: Element, first: FloatArray, second: FloatArray, pitch: float) -> None:
    """The ground of two halves, with the seam between them."""
    reach = HALF * pitch / 2
    low, high = np.minimum(first, second) - reach, np.maximum(first, second) + reach
    box = {"x": low[0], "y": low[1], "width": high[0] - low[0], "height": high[1] - low[1], "rx": reach / 4}
    shifted = box | {"x": low[0] + 0.03 * pitch, "y": low[1] + 0.06 * pitch}
    add(tiles, "rect", "shade", shifted)
    add(tiles, "rect", "tile-body", box | {"stroke-width": 0.03 * pitch})
    middle, way = (first + second) / 2, second - first
    across = np.array([-way[1], way[0]]) * 0.36
    line(tiles, "seam", middle + across, middle - across, 0.03 * pitch)


def _draw_pawns(
    pawns: Element, template: BoardTemplate, scores: Sequence[tuple[str, int]], sides: Mapping[str, str]
) -> None:
    """The score pawns on the track; the pawn of a side without points stands where the template says."""
    track, waiting = template.track_mm, template.source.get("pawns", {})
    if not len(track):
        return
    beside = len({score for _, score in scores}) < len(scores)
    for index, (side, score) in enumerate(scores):
        if score <= 0 and side not in waiting:
            continue
        x, y = waiting[side] if score <= 0 else track[min(score, len(track)) - 1]
        x += (index - 0.5) * 5 if beside and score > 0 else 0
        add(pawns, "circle", "shade", {"cx": x + 0.5, "cy": y + 1.2, "r": 6.2})
        pawn = {"cx": x, "cy": y, "r": 6.0, "stroke-width": 0.8}
        label = f"{sides.get(side, side)}: {score}"
        add(pawns, "circle", "pawn", pawn, fill=PAWNS.get(side, "#7c8aa5"), role="img", **{"aria-label": label})


def _draw_marks(over: Element, template: BoardTemplate, marks: Marks, pitch: float) -> None:
    radius = (_man_mm(template, pitch) + RING * pitch) / 2
    draw_steps(over, template, marks.last, "last-way", radius, pitch, ringed=False)
    for x, y in template.cells_mm[[*marks.forbidden, *marks.dead]]:
        arm = FORBIDDEN * pitch
        side = number(2 * arm)
        way = f"M{number(x - arm)} {number(y - arm)}l{side} {side}m0 -{side}l-{side} {side}"
        add(over, "path", "forbidden", {"stroke-width": FORBIDDEN_LINE * pitch}).set("d", way)
    for kind, cells, share in (("unknown", marks.unknown, 0.8), ("won", marks.won, 1), ("fault", marks.faults, 1.15)):
        for centre in template.cells_mm[list(cells)]:
            ring(over, kind, centre, share * radius, pitch)
    draw_steps(over, template, marks.wanted, "wanted", 1.1 * radius, pitch)
    draw_steps(over, template, marks.hint, "hint", 1.1 * radius, pitch)
    for place, (steps, label) in enumerate(reversed(marks.best), 1):  # the best lies above the others
        first = place == len(marks.best)
        one = group(over, "best first" if first else "best")
        _draw_value(one, template, steps, label, radius)
        draw_steps(one, template, steps[:1], "hint", 1.1 * radius, pitch)


def _draw_value(over: Element, template: BoardTemplate, steps: tuple[Step, ...], label: str, radius: float) -> None:
    """A value on a disc of its own, as large as fits into it: in the middle of what is laid, or where a man arrives."""
    x, y = np.mean([template.cells_mm[step.cell] for step in steps if step.kind == "place" or step is steps[0]], axis=0)
    add(over, "circle", "best-ground", {"cx": x, "cy": y, "r": radius})
    text(over, "best-label", x, y, 2 * LABEL_ROOM * radius / max(2, len(label)) / DIGIT, label)


def number(value: float) -> str:
    """Formats with at most two decimals and no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def group(parent: Element, name: str) -> Element:
    return ElementTree.SubElement(parent, "g", {"class": name})


def add(parent: Element, form: str, kind: str, numbers: Mapping[str, float], **rest: str) -> Element:
    attributes = {name: number(value) for name, value in numbers.items()} | rest
    return ElementTree.SubElement(parent, form, ({"class": kind} if kind else {}) | attributes)


def text(parent: Element, kind: str, x: float, y: float, size: float, words: str) -> None:
    """Adds letters of that size whose middle, a third of it above their baseline, is at a point."""
    add(parent, "text", kind, {"x": x, "y": y + 0.35 * size, "font-size": size}).text = words


def line(parent: Element, kind: str, start: FloatArray, end: FloatArray, width: float) -> None:
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1], "stroke-width": width}
    add(parent, "line", kind, ends, **{"stroke-linecap": "round"})


def draw_steps(
    parent: Element,
    template: BoardTemplate,
    steps: Iterable[Step],
    kind: str,
    radius: float,
    pitch: float,
    *,
    ringed: bool = True,
) -> None:
    """Draws a ring where a piece arrives, an arrow along its way, a cross where one is taken.

    All of them have the class `kind`.
    """
    for step in steps:
        centre = template.cells_mm[step.cell]
        if step.kind == "remove":
            reach = CROSS * pitch
            ends = [(centre + reach * np.array([1, down]), centre - reach * np.array([1, down])) for down in (1, -1)]
            _strokes(parent, kind, ends, RING * pitch)
            continue
        if step.origin is not None:
            _arrow(parent, kind, template.cells_mm[step.origin], centre, radius, ARROW * pitch)
        if ringed:
            ring(parent, kind, centre, radius, pitch)


def ring(parent: Element, kind: str, centre: FloatArray, radius: float, pitch: float) -> None:
    place = {"cx": centre[0], "cy": centre[1], "r": radius}
    for name, width in (("halo", HALO * RING), (kind, RING)):
        add(parent, "circle", name, place | {"stroke-width": width * pitch})


def _arrow(parent: Element, kind: str, start: FloatArray, end: FloatArray, gap: float, width: float) -> None:
    """Adds an arrow with a solid head from the edge of one piece's place to that of another."""
    way = end - start
    length = float(np.linalg.norm(way))
    if length <= 2 * gap:
        return
    along = way / length
    across = np.array([-along[1], along[0]])
    tip = end - along * gap
    neck = tip - HEAD * width * along
    _strokes(parent, kind, [(start + along * gap, neck)], width)
    corners = (tip, neck + 1.4 * width * across, neck - 1.4 * width * across)
    points = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
    ElementTree.SubElement(parent, "polygon", {"class": f"head {kind}", "points": points})


def _strokes(parent: Element, kind: str, ends: Sequence[tuple[FloatArray, FloatArray]], width: float) -> None:
    """Adds lines with a halo beneath all of them."""
    for name, wide in () if kind in FAINT else (("halo", HALO * width),):
        for start, end in ends:
            line(parent, name, start, end, wide)
    for start, end in ends:
        line(parent, kind, start, end, width)
