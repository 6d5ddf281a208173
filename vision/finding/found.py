"""A board found in a picture: its place, the method that found it, and the probability that it is right.

The probability is one measure for all boards and methods.
"""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple

import numpy as np

from calibration.sheet import SheetLayout
from calibration.template import BoardTemplate
from vision.finding.lattice_fit import MIN_LINES, lines_of
from vision.finding.outline import Outline
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.primitives.chequer_edges import edge_quality, sides_going_on

FoundBy = Literal["markers", "print", "squares", "lattice", "outline", "reference", "hand"]
"""By a printed board's markers, the board's print, squares, lattice or outline, a profile's picture, or a person."""


class Method(NamedTuple):
    least: float
    """Quality of a board that is just good enough to be accepted."""
    base: float
    """Log odds of such a board."""
    gain: float
    """Log odds per 1 of additional quality."""


METHODS: dict[FoundBy, Method] = {
    "markers": Method(1.0, 6.0, 0.0),
    "print": Method(0.55, 4.0, 10.0),
    "squares": Method(0.52, 2.5, 8.0),
    "lattice": Method(0.3, 2.5, 8.0),
    "outline": Method(0.55, 2.0, 9.0),
    "reference": Method(0.55, 4.0, 6.0),
    "hand": Method(0.3, 2.0, 8.0),
}
STRAY, BARE = 40.0, 24.0
"""Log odds against it for its whole length of lines unexplained, and for all of its lines bare."""
GOES_ON = 6.0
"""Log odds against it where lines continue outside a side."""
UNSEEN_SIDE = 0.7
"""Log odds against it for each side beyond which the picture ends: the board may continue there."""


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    pose: BoardPose
    template: BoardTemplate
    """The template with the shape measured on this board."""
    sheet: SheetLayout | None = None
    """The layout of a printed board that was found by its markers; None for others."""
    found_by: FoundBy = "outline"
    sure: float = 1.0
    """Probability, 0 to 1, that the board is there and correctly placed."""

    def rated(self, image: Image) -> Found:
        """The board with its probability by the evidence for and against it. Some 30 ms, but for markers."""
        method = METHODS[self.found_by]
        quality = 1.0 if self.found_by == "markers" else self.pose.quality
        odds = method.base + method.gain * (quality - method.least) - self._against(image)
        if self.found_by == "lattice":
            odds = min(odds, -self._chequered(image))
        return dataclasses.replace(self, sure=float(1 / (1 + np.exp(-odds))))

    def believed(self, image: Image) -> Found | None:
        """`rated`; None where there is rather no board than this."""
        rated = self.rated(image)
        return rated if rated.sure >= 0.5 else None

    def _against(self, image: Image) -> float:
        """Log odds against the board by what is seen besides it."""
        if self.found_by == "markers" or self.template.printed is not None:
            return 0.0
        if self.template.first_square:
            goes_on = sides_going_on(image, self.pose, self.template)
            return GOES_ON * goes_on + UNSEEN_SIDE * self._unseen_sides(image)
        outline = Outline(image, self.pose, self.template)
        beyond = outline.beyond()
        goes_on, unseen = sum(side.goes_on for side in beyond), sum(side.in_picture < 0.5 for side in beyond)
        if is_ruled(self.template):
            # Pieces hide most of its lines, so its finder itself weighs bare against hidden lines.
            return GOES_ON * goes_on + UNSEEN_SIDE * unseen
        strays, bare = outline.stray_share(), outline.bare_share()
        return STRAY * strays + BARE * bare + GOES_ON * goes_on + UNSEEN_SIDE * unseen

    def _chequered(self, image: Image) -> float:
        """Log odds that it is a chequered board, whose squares would explain all the lines; -inf if none is seen."""
        columns, rows = (lines - 1 for lines in lines_of(self.template))
        grid = dict(self.template.source["grid"]) | {"columns": columns, "rows": rows, "cells": "squares"}
        squares = [
            dataclasses.replace(
                self.template, source=dict(self.template.source) | {"grid": grid | {"dark_corner": corner}}
            )
            for corner in ("bottom left", "bottom right")
        ]
        method = METHODS["squares"]
        quality = max(edge_quality(image, self.pose, one) for one in squares)
        return -np.inf if quality < method.least else method.base + method.gain * (quality - method.least)

    def _unseen_sides(self, image: Image) -> int:
        """Number of sides outside of which the picture ends within half a square."""
        (width, height), half = self.template.size_mm, self.template.pitch_mm / 2
        middles = np.array(
            [[-half, height / 2], [width / 2, -half], [width + half, height / 2], [width / 2, height + half]]
        )
        places = project(self.pose.image_from_board, middles)
        return int(((places < 0) | (places > np.array(image.shape[1::-1]) - 1)).any(axis=1).sum())


def is_ruled(template: BoardTemplate) -> bool:
    """Whether a board has so many lines that it is recognised by its lattice, not its outline."""
    return "grid" in template.source and min(lines_of(template)) >= MIN_LINES
