"""SVG elements of a drawn board: rings, arrows and crosses, with numbers kept short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from rules import Step

FloatArray = NDArray[np.float64]
Element = ElementTree.Element

RING, ARROW, CROSS = 0.07, 0.1, 0.26
"""Width of a ring and of an arrow, and reach of a cross, as shares of the distance between two cells."""
HEAD = 2.6
"""Length of an arrow's head, in arrow widths."""
HALO = 1.9
"""Width of the light edge beneath a stroke, in stroke widths."""
FAINT = ("last-way",)
"""Classes of strokes without a halo: steps already done."""


def number(value: float) -> str:
    """Formats with at most two decimals and no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def group(parent: Element, name: str) -> Element:
    return ElementTree.SubElement(parent, "g", {"class": name})


def add(parent: Element, form: str, kind: str, numbers: Mapping[str, float], **rest: str) -> Element:
    """Adds an element with tag `form` and class `kind`."""
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
