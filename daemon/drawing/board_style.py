"""Colours and appearance of boards: style sheet, gradients, and colours of marks and of the ground.

A mark's colour has one meaning, in the camera's picture and in the drawn board alike. Most colours are CSS variables
with defaults, so that a page can override them; the drawing also works alone.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from typing import Any, Final
from xml.etree import ElementTree

Bgr = tuple[int, int, int]
LAST: Final = "#703004"
"""The last move, and what it took. On every ground it or its light edge has a contrast of 3:1."""
WANTED: Final = "#15803d"
"""Please do this: an agent's move to be carried out, and what it takes."""
WRONG: Final = "#dc2626"
"""Wrong: cells that must be put right."""
HINT: Final = "#7c3aed"
UNKNOWN: Final = "#64748b"
WON: Final = "#f5c518"
EDGE: Final = "#ffffff"
"""The light edge of a mark: it stands out on any wood."""
TINT = "#ead9b5"
"""Colour of the ground if the template names none."""
DARK_TINT = "#a97c50"
"""Colour of the dark squares if the template names none."""
DARKER, FULLER = 0.8, 1.05
"""Factors for the ground's lightness and saturation against the printed board: unlike paper, a screen shines."""
SLOPE = 0.035
"""Lightness by which the ground is lighter at the top left, and darker at the bottom right, than in the middle."""
STYLE = f"""
.board-edge{{fill:none;stroke:var(--board-edge,#0003)}}
.board-line{{stroke:var(--board-line,#4a3a22);stroke-linecap:round;fill:none}}
.board-dot{{fill:var(--board-line,#4a3a22)}}
.board-label{{fill:var(--board-label,#4a3a22);opacity:.8;text-anchor:middle;font-family:system-ui,sans-serif;font-weight:600;
user-select:none;pointer-events:none}}
.printed .board-label{{fill:#e4ecec}}
.worth{{fill:#fff;stroke:#0009;stroke-width:.09em;paint-order:stroke;text-anchor:middle;font-family:system-ui,sans-serif;
font-weight:700;user-select:none;pointer-events:none}}
.square-number{{fill:#fff;stroke:#000c;stroke-width:.2em;stroke-linejoin:round;paint-order:stroke;text-anchor:middle;
font-family:system-ui,sans-serif;font-weight:700;user-select:none;pointer-events:none}}
.spot{{fill:transparent;stroke:none}}
.edge{{fill:none;stroke:var(--edge,{EDGE});stroke-width:1.7%}}
.cell.last .spot{{fill:var(--last,{LAST});fill-opacity:.42;stroke:var(--last,{LAST});stroke-width:.7%}}
.cell.from .spot{{fill:var(--last,{LAST});fill-opacity:.22;stroke:var(--last,{LAST});stroke-width:.5%}}
.cell.turned .spot{{fill:var(--last,{LAST});fill-opacity:.22}}
.shade{{fill:#000;opacity:.28}}
.inner{{fill:none;stroke:#0000001f}}
.light-1{{stop-color:var(--light-1,#fffdf6)}} .light-2{{stop-color:var(--light-2,#dccfb2)}}
.dark-1{{stop-color:var(--dark-1,#5b544d)}} .dark-2{{stop-color:var(--dark-2,#171412)}}
.other-1{{stop-color:var(--other-1,#a9bbd9)}} .other-2{{stop-color:var(--other-2,#4d6080)}}
.man.light .body{{stroke:#8f8163}} .man.dark .body{{stroke:#0a0807}} .man.other .body{{stroke:#22303f}}
.man.dark .inner{{stroke:#ffffff2b}}
.figure{{stroke-width:3;stroke-linejoin:round}} .man.light .figure{{stroke:#3a3226}} .man.dark .figure{{stroke:#e8dcc4}}
.crown{{fill:#c8962a;stroke:#0006;stroke-width:3}}
.tile-body{{fill:var(--tile,#fbf6e8);stroke:#9b8f76}} .seam{{stroke:#9b8f76}} .pip{{fill:var(--pip,#26221e)}}
.pawn{{stroke:#0009}}
.marks{{pointer-events:none}}
.wanted{{stroke:var(--wanted,{WANTED});fill:none}} .head.wanted{{fill:var(--wanted,{WANTED});stroke:none}}
.hint{{stroke:var(--hint,{HINT});fill:none}} .head.hint{{fill:var(--hint,{HINT});stroke:none}}
.best:not(.first){{opacity:.72}}
.best-ground{{fill:var(--edge,{EDGE});fill-opacity:.86}}
.best-label{{fill:var(--hint,{HINT});text-anchor:middle;
font-family:system-ui,sans-serif;font-weight:700;user-select:none;pointer-events:none}}
.last-way{{stroke:var(--last,{LAST});fill:none;opacity:.7}} .head.last-way{{fill:var(--last,{LAST});stroke:none}}
.fault{{stroke:var(--wrong,{WRONG});fill:none}}
.unknown{{stroke:var(--unknown,{UNKNOWN});fill:none;stroke-dasharray:4 3}}
.forbidden{{stroke:var(--wrong,{WRONG});fill:none;stroke-linecap:round}}
.won{{stroke:var(--won,{WON});fill:none}}
.halo{{stroke:var(--edge,{EDGE});fill:none;opacity:.8}}
"""
_GRADIENTS = {"light": 0.36, "dark": 0.3, "other": 0.34}
"""By shade of the pieces: distance of the highlight from the left and upper edge, as a share of the diameter."""


def add_gradients(svg: ElementTree.Element, name: str, ground: tuple[str, str]) -> None:
    """Adds the gradients `ground-NAME`, `man-light`, `man-dark` and `man-other`."""
    defs = ElementTree.SubElement(svg, "defs")
    slope = ElementTree.SubElement(defs, "linearGradient", id=f"ground-{name}", x1="0", y1="0", x2="1", y2="1")
    for offset, colour in zip("01", ground, strict=True):
        ElementTree.SubElement(slope, "stop", {"offset": offset, "stop-color": colour})
    for shade, focus in _GRADIENTS.items():
        place = {"id": f"man-{shade}", "cx": "0.42", "cy": "0.38", "r": "0.65", "fx": str(focus), "fy": str(focus)}
        run = ElementTree.SubElement(defs, "radialGradient", place)
        for offset, kind in zip("01", ("1", "2"), strict=True):
            ElementTree.SubElement(run, "stop", {"offset": offset, "class": f"{shade}-{kind}"})


def ground_colours(source: Mapping[str, Any]) -> tuple[str, str]:
    """Colours of the ground at the top left and the bottom right; `source` is a parsed template file."""
    tint = str(source.get("sheet", {}).get("tint", TINT)).lstrip("#")
    red, green, blue = (int(tint[place : place + 2], 16) / 255 for place in (0, 2, 4))
    hue, lightness, fullness = colorsys.rgb_to_hls(red, green, blue)
    return _hex(hue, lightness * DARKER + SLOPE, fullness), _hex(hue, lightness * DARKER - SLOPE, fullness)


def dark_colour(source: Mapping[str, Any]) -> str:
    """Colour of the dark squares of a chequered board; `source` is a parsed template file."""
    return str(source.get("sheet", {}).get("dark_tint", DARK_TINT))


def _hex(hue: float, lightness: float, fullness: float) -> str:
    parts = colorsys.hls_to_rgb(hue, min(1.0, lightness), min(1.0, fullness * FULLER))
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def bgr(colour: str) -> Bgr:
    """Blue, green, red of a colour written as `#rrggbb`."""
    red, green, blue = bytes.fromhex(colour[1:])
    return blue, green, red
