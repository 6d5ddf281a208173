"""Simulated tables of chess with turned men, which lean over other cells in the picture."""

from __future__ import annotations

from calibration.template import load_template
from lab.simulated.style import BoardStyle, CameraStyle, Form, ManStyle, Style
from lab.simulated.table import SimulatedTable

SIZE_PX = (640, 480)
PAWN = Form(0.52, ((0, 1), (0.14, 0.95), (0.3, 0.5), (0.6, 0.36), (0.64, 0.6), (0.85, 0.56), (1, 0.15)))
QUEEN = Form(1.0, ((0, 1), (0.12, 0.95), (0.25, 0.5), (0.65, 0.34), (0.7, 0.55), (0.92, 0.6), (1, 0.15)))
START = "♜♞♝♛♚♝♞♜" + "♟" * 8 + "." * 32 + "♙" * 8 + "♖♘♗♕♔♗♘♖"
LATER = "♜♞..♚.♞♜♟♟♟.♟♟.♟..........♗...♛....♙......♕.....♙♙..♙♙♙♙♖.♗.♔.♘♖"
"""Some moves later."""


def tall_table(board: str, tilt_deg: float, height_mm: float = 85.0) -> SimulatedTable:
    """A table with that board, whose kings are so high, seen from so many degrees off straight above."""
    light, dark = (200.0, 226.0, 236.0), (28.0, 28.0, 30.0)
    colours = dict.fromkeys("♙♖♘♗♕♔", light) | dict.fromkeys("♟♜♞♝♛♚", dark)
    forms = {letter: PAWN if letter in "♙♟" else QUEEN for letter in colours}
    men = ManStyle("turned", height_mm=height_mm, diameter=1.0, colours=colours, forms=forms)
    style = Style(board=BoardStyle(line_mm=0.3, dot_mm=0), men=men, camera=CameraStyle(tilt_deg=tilt_deg))
    return SimulatedTable(load_template("chess"), board, style, 2, SIZE_PX)
