"""Draws a board for printing: the page for a layout and a paper size."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import cv2
import numpy as np

import games
from calibration.arrays import Flags, FloatArray
from calibration.sheet import SheetError, SheetLayout, coordinates
from calibration.template import NUMBER_HEIGHT
from vision.finding.markers import DICTIONARY
from vision.primitives.printed import outline_mm
from vision.sheet.ink import PAPERS_MM, Colour, Ink, Page, box, colour_of, disc, stroke
from vision.sheet.letters import words, words_width

EDGE_MM = 10.0
"""Millimetres of white at the edge of the paper, where printers do not print."""
MIN_CELL_MM = 9.0
"""Least millimetres between cells on the paper: smaller pieces are hard to handle and to see."""
LINE, MIN_LINE_MM, MAX_LINE_MM = 0.035, 0.4, 0.8
"""Width of the lines: share of the pitch, and millimetres of the paper."""
DOT = 0.22
"""Diameter of a marked point, as a share of the pitch."""
SCALE_BARS_MM = (100, 50)

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
LINES: Colour = (44, 44, 48)
WORDS: Colour = (52, 52, 56)
GREY: Colour = (138, 138, 142)


@dataclasses.dataclass(frozen=True, eq=False)
class Sheet:
    layout: SheetLayout
    page: Page
    scale: float
    """Millimetres of the paper per millimetre of the board frame."""
    page_from_board: FloatArray
    """(2, 3) affine map: board millimetres to those of the page."""

    @property
    def cell_mm(self) -> float:
        return self.layout.template.pitch_mm * self.scale

    @property
    def man_mm(self) -> float:
        return self.layout.template.man_diameter_mm * self.scale

    @property
    def edges_mm(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of the paper in the board frame."""
        origin = -self.page_from_board[:, 2] / self.scale
        far = origin + np.array(self.page.size_mm) / self.scale
        return float(origin[0]), float(origin[1]), float(far[0]), float(far[1])


def draw_sheet(layout: SheetLayout, paper: str = "a4", tinted: bool = True) -> Sheet:
    """The sheet on that paper; `tinted` colours the board, which sets light pieces off better than white paper.

    Raises SheetError where the board would be too small for any pieces.
    """
    size, scale = _fit(layout, paper)
    _check(layout, paper)
    left, top, right, bottom = layout.extent_mm
    shift = (np.array(size) - scale * np.array([left + right, top + bottom])) / 2
    matrix = np.column_stack([scale * np.eye(2), shift])
    title = str(layout.template.source.get("title") or games.find(layout.template.game).title).replace("'", "\u2019")
    title = title[0].upper() + title[1:]
    inks = [ink.carried(matrix) for ink in (*_board(layout, scale, tinted), *_labels(layout), *_markers(layout))]
    inks += _bands(layout, scale, matrix, title)
    return Sheet(layout, Page(size, tuple(inks), title), scale, matrix)


def _fit(layout: SheetLayout, paper: str) -> tuple[tuple[float, float], float]:
    """Width and height of the page, and the board's scale on it."""
    width, height = PAPERS_MM[paper]
    size = (height, width) if layout.landscape else (width, height)
    return size, min((extent - 2 * EDGE_MM) / need for extent, need in zip(size, layout.size_mm, strict=True))


def _check(layout: SheetLayout, paper: str) -> None:
    template = layout.template
    least = float(template.source["sheet"].get("least_cell_mm", MIN_CELL_MM))
    cells = {name: template.pitch_mm * _fit(layout, name)[1] for name in PAPERS_MM}
    if cells[paper] < least:
        enough = [name for name, cell in cells.items() if cell >= least]
        raise SheetError(
            f"on {paper} the cells of {template.game} would be {cells[paper]:.1f} mm apart, "
            f"too little for what is laid on them ({least:g} mm); large enough: {', '.join(enough) or 'no paper'}"
        )


def _board(layout: SheetLayout, scale: float, tinted: bool) -> Iterator[Ink]:
    template, style = layout.template, layout.template.source["sheet"]
    if template.printed is not None:
        for shape in template.printed.shapes:
            blue, green, red = shape.colour
            yield Ink((outline_mm(shape),), (red, green, blue))
        return
    rim, pitch = layout.rim_mm, template.pitch_mm
    width, height = template.size_mm
    if tinted and "tint" in style:
        yield Ink((box(-rim, -rim, width + rim, height + rim, 0.5 * rim),), colour_of(style["tint"]))
    if len(template.dark_mm):
        yield Ink(tuple(box(*low, *high) for low, high in template.dark_mm), colour_of(style["dark_tint"]))
    line = float(np.clip(LINE * pitch, MIN_LINE_MM / scale, MAX_LINE_MM / scale))
    yield Ink(tuple(stroke(start, end, line) for start, end in template.lines_mm), LINES)
    dots = [(np.array(place), DOT * pitch) for place in style.get("dots_mm", ())]
    dots += [(cell, float(style["point_mm"])) for cell in template.cells_mm if "point_mm" in style]
    yield Ink(tuple(disc(place, max(diameter, 2.5 * line)) for place, diameter in dots), LINES)


def _labels(layout: SheetLayout) -> Iterator[Ink]:
    """Letters above and below the board, numbers beside it; or a number in every square."""
    letters, numbers = coordinates(layout.template)
    width, height = layout.template.size_mm
    middle = layout.rim_mm + layout.label_mm / 2
    size = 0.58 * layout.label_mm
    drop = 0.36 * size
    for letter, x in letters.items():
        for y in (-middle, height + middle):
            yield words(letter, (x, y + drop), size, GREY)
    for number, y in numbers.items():
        for x in (-middle, width + middle):
            yield words(number, (x, y + drop), size, GREY)
    small = NUMBER_HEIGHT * layout.template.pitch_mm
    for name, (x, y) in zip(layout.template.cell_names, layout.template.numbers_mm, strict=False):
        yield words(name, (float(x), float(y) + 0.36 * small), small, BLACK)


def _markers(layout: SheetLayout) -> Iterator[Ink]:
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    modules = dictionary.markerSize + 2
    for corners, marker in zip(layout.markers_mm, layout.marker_ids, strict=True):
        cells = cv2.aruco.generateImageMarker(dictionary, marker, modules)
        module = (corners[2] - corners[0]) / modules
        yield Ink((box(*corners[0], *corners[2]),), BLACK)
        light = [corners[0] + module * run for run in _runs(np.asarray(cells) > 0)]
        yield Ink(tuple(box(*low, *high) for low, high in light), WHITE)


def _runs(cells: Flags) -> Iterator[FloatArray]:
    """(2, 2) least and greatest x and y of each run along rows and along columns; together they leave no seams."""
    for turned in (False, True):
        for index, line in enumerate(cells.T if turned else cells):
            steps = np.flatnonzero(np.diff(np.concatenate([[0], line, [0]])))
            for start, end in steps.reshape(-1, 2):
                run = np.array([[start, index], [end, index + 1]], dtype=np.float64)
                yield run[:, ::-1] if turned else run


def _bands(layout: SheetLayout, scale: float, page_from_board: FloatArray, title: str) -> list[Ink]:
    """The texts between the markers, drawn along x and then moved to their places."""
    (left, top), (right, _), (far_right, far_bottom), _ = (marker[0] for marker in layout.markers_mm)
    marker = float(layout.markers_mm[0, 1, 0] - layout.markers_mm[0, 0, 0])
    height = marker * scale
    if layout.landscape:
        length = (far_bottom - top - marker) * scale
        # To be read from the right: along is up, across is to the right.
        starts = [(left, far_bottom), (right, far_bottom)]
        turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    else:
        length = (far_right - left - marker) * scale
        starts = [(left + marker, top), (left + marker, far_bottom)]
        turn = np.eye(2)
    carried: list[Ink] = []
    bands = (_title(title, layout, scale, length, height), _scale_bar(length, height))
    for start, inks in zip(starts, bands, strict=True):
        place = page_from_board[:, :2] @ np.array(start) + page_from_board[:, 2]
        carried += [ink.carried(np.column_stack([turn, place])) for ink in inks]
    return carried


def _title(title: str, layout: SheetLayout, scale: float, length: float, height: float) -> list[Ink]:
    size = min(0.42 * height, 0.9 * length / words_width(title, 1.0, bold=True))
    game, man = layout.template.game, layout.template.man_diameter_mm * scale
    tiles = layout.template.printed is not None
    suits = f"tiles of {2 * man:.0f} \u00d7 {man:.0f} mm" if tiles else f"men of about {man:.0f} mm"
    note = f"{suits}   \u00b7   kibitzer read PHOTO --game {games.find(game).about.short_name}{_rules(layout)}"
    small = min(0.15 * height, 0.9 * length / words_width(note, 1.0))
    return [
        words(title, (length / 2, 0.52 * height), size, WORDS, bold=True),
        words(note, (length / 2, 0.86 * height), small, GREY),
    ]


def _rules(layout: SheetLayout) -> str:
    options = (option if "=" in option else f"{option}=true" for option in sorted(layout.template.options))
    return "".join(f" --rule {option}" for option in options)


def _scale_bar(length: float, height: float) -> list[Ink]:
    """A ruler of ten centimetres, or of five."""
    bar = next((bar for bar in SCALE_BARS_MM if bar < 0.9 * length), SCALE_BARS_MM[-1])
    start, base, thin, small = (length - bar) / 2, 0.45 * height, 0.25, 0.14 * height
    rings = [box(start - thin / 2, base, start + bar + thin / 2, base + thin)]
    for centimetre in range(bar // 10 + 1):
        tick = 2.6 if centimetre % 5 == 0 else 1.6
        x = start + 10 * centimetre
        rings.append(box(x - thin / 2, base - tick, x + thin / 2, base + thin))
    note = f"{bar // 10} cm: check the printer\u2019s scale"
    return [Ink(tuple(rings), GREY), words(note, (length / 2, base + 1.7 * small), small, GREY)]
