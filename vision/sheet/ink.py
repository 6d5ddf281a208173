"""Areas of one colour, in millimetres of the page, of which PDF, SVG and pictures are made."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.arrays import FloatArray

Colour = tuple[int, int, int]
"""Red, green, blue."""

PAPERS_MM = {
    "a4": (210.0, 297.0),
    "letter": (215.9, 279.4),
    "a3": (297.0, 420.0),
    "a2": (420.0, 594.0),
    "a1": (594.0, 841.0),
}
"""Width and height of an upright page."""
ROUND = 72
"""Number of corners of the polygon drawn for a circle."""


@dataclasses.dataclass(frozen=True, eq=False)
class Ink:
    """An area of one colour, laid over what was drawn before."""

    rings: tuple[FloatArray, ...]
    """(n, 2) outlines; the area they wind around is filled, so a ring in the opposite direction is a hole."""
    colour: Colour

    def carried(self, matrix: FloatArray) -> Ink:
        """The same area after a (2, 3) affine map that mirrors nothing."""
        return Ink(tuple(ring @ matrix[:, :2].T + matrix[:, 2] for ring in self.rings), self.colour)


@dataclasses.dataclass(frozen=True)
class Page:
    size_mm: tuple[float, float]
    """Width and height; the origin is the top left corner, y runs down."""
    inks: tuple[Ink, ...]
    title: str


def box(left: float, top: float, right: float, bottom: float, round_mm: float = 0.0) -> FloatArray:
    """An upright rectangle, perhaps with round corners."""
    if round_mm <= 0:
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float64)
    turn = np.linspace(0, np.pi / 2, ROUND // 4 + 1)
    quarter = round_mm * np.stack([-np.cos(turn), -np.sin(turn)], axis=1)
    low, high = np.array([left, top]) + round_mm, np.array([right, bottom]) - round_mm
    corners = (low, np.array([high[0], low[1]]), high, np.array([low[0], high[1]]))
    turns = (np.eye(2), np.array([[0, -1], [1, 0]]), -np.eye(2), np.array([[0, 1], [-1, 0]]))
    return np.concatenate([corner + quarter @ spin.T for corner, spin in zip(corners, turns, strict=True)])


def disc(centre: FloatArray, diameter: float) -> FloatArray:
    turn = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
    return np.asarray(centre + diameter / 2 * np.stack([np.cos(turn), np.sin(turn)], axis=1), dtype=np.float64)


def stroke(start: FloatArray, end: FloatArray, width: float) -> FloatArray:
    """A straight line that extends half its width beyond both ends, so that corners are closed."""
    along = (end - start) / np.linalg.norm(end - start) * width / 2
    across = np.array([-along[1], along[0]])
    return np.array([start - along - across, end + along - across, end + along + across, start - along + across])


def colour_of(text: str) -> Colour:
    """The colour of "#rrggbb". Raises ValueError."""
    if len(text) != 7 or text[0] != "#":
        raise ValueError(f'a colour is "#rrggbb", not {text!r}')
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
