"""Simulated tables with a chequered board, whatever games there are."""

from __future__ import annotations

import dataclasses

from calibration.template import BoardTemplate, load_template
from lab.simulated.style import BoardStyle, Style
from lab.simulated.table import SimulatedTable

START = "B" * 16 + "." * 32 + "W" * 16
"""Two rows of men on either side."""
LATER = "B.BBBBBBBBBB.BBB..B.........B..W....W...........WWWW.WWWWWW.WWWW"
"""Some moves later."""


def chequered() -> BoardTemplate:
    """A board like that of reversi, but chequered, without lines."""
    plain = load_template("reversi")
    grid = plain.source["grid"] | {"dark_corner": "bottom left"}
    return dataclasses.replace(plain, source={**plain.source, "grid": grid})


def laid(board: str, seed: int = 1) -> SimulatedTable:
    """A table with that board."""
    return SimulatedTable(chequered(), board, Style(board=BoardStyle(line_mm=0.3)), seed, (640, 480))
