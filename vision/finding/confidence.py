"""The probability that a board was found in its right place: one measure for all boards and methods."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.template import BoardTemplate
from vision.finding.bare_lines import bare_share
from vision.finding.found import Found, FoundBy
from vision.finding.lattice_fit import MIN_LINES, lines_of
from vision.finding.lines_beyond import lines_beyond
from vision.finding.stray_lines import stray_share
from vision.frame import Image
from vision.pose import project

BASE: dict[FoundBy, float] = {
    "markers": 6.0,
    "print": 4.0,
    "squares": 2.5,
    "lattice": 2.5,
    "outline": 2.0,
    "reference": 4.0,
    "hand": 2.0,
}
"""Log odds, by method, of a board that is just good enough to be accepted."""
MIN_QUALITY = {
    "markers": 1.0,
    "print": 0.55,
    "squares": 0.52,
    "lattice": 0.3,
    "outline": 0.55,
    "reference": 0.55,
    "hand": 0.3,
}
"""Quality of such a board, by method."""
GAIN = {"markers": 0.0, "print": 10.0, "squares": 8.0, "lattice": 8.0, "outline": 9.0, "reference": 6.0, "hand": 8.0}
"""Log odds per 1 of additional quality."""
STRAY, BARE = 40.0, 24.0
"""Log odds against it for its whole length of lines unexplained, and for all of its lines bare."""
BELIEVED = 0.5
"""Probability from which a board is accepted."""
GOES_ON = 6.0
"""Log odds against it where lines continue outside a side."""
UNSEEN_SIDE = 0.7
"""Log odds against it for each side beyond which the picture ends: the board may continue there."""


@dataclasses.dataclass(frozen=True)
class Cues:
    found_by: FoundBy
    quality: float
    """0 to 1: share of its lines, its lattice or its print that is seen."""
    strays: float
    """Length of unexplained lines inside the frame, as a share of its own."""
    bare: float
    """Share of its lines where bare board is seen instead."""
    goes_on: int
    """Number of sides outside of which its lines continue."""
    unseen_sides: int
    """Number of sides outside of which the picture ends."""

    @property
    def sure(self) -> float:
        """Probability, 0 to 1, that the board is there and in this place."""
        odds = BASE[self.found_by] + GAIN[self.found_by] * (self.quality - MIN_QUALITY[self.found_by])
        odds -= STRAY * self.strays + BARE * self.bare + GOES_ON * self.goes_on + UNSEEN_SIDE * self.unseen_sides
        return float(1 / (1 + np.exp(-odds)))


def cues_of(image: Image, found: Found) -> Cues:
    """Collects the evidence for and against the board. Some 30 ms; a printed board's markers decide at once."""
    pose, template, found_by = found.pose, found.template, found.found_by
    if found_by == "markers":
        return Cues(found_by, 1.0, 0.0, 0.0, 0, 0)
    if template.printed is not None:
        return Cues(found_by, pose.quality, 0.0, 0.0, 0, 0)
    if template.first_square:
        # Its finder weighs squares outside the frame; a square off, no edge would be seen at all.
        return Cues(found_by, pose.quality, 0.0, 0.0, 0, _unseen_sides(image, found))
    beyond = lines_beyond(image, pose, template)
    goes_on, unseen = sum(side.goes_on for side in beyond), sum(side.in_picture < 0.5 for side in beyond)
    if is_ruled(template):
        # Pieces hide most of its lines, so its finder itself weighs bare against hidden lines.
        return Cues(found_by, pose.quality, 0.0, 0.0, goes_on, unseen)
    strays, bare = stray_share(image, pose, template), bare_share(image, pose, template)
    return Cues(found_by, pose.quality, strays, bare, goes_on, unseen)


def _unseen_sides(image: Image, found: Found) -> int:
    """Number of sides outside of which the picture ends within half a square."""
    template, (width, height) = found.template, found.template.size_mm
    half = template.pitch_mm / 2
    middles = np.array(
        [[-half, height / 2], [width / 2, -half], [width + half, height / 2], [width / 2, height + half]]
    )
    places = project(found.pose.image_from_board, middles)
    return int(((places < 0) | (places > np.array(image.shape[1::-1]) - 1)).any(axis=1).sum())


def is_ruled(template: BoardTemplate) -> bool:
    """Whether a board has so many lines that it is recognised by its lattice, not its outline."""
    return "grid" in template.source and min(lines_of(template)) >= MIN_LINES


def sure_of(image: Image, found: Found) -> float:
    return cues_of(image, found).sure
