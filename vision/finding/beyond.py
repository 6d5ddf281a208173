"""Whether a board's lines go on outside the frame where it is supposed to be: the sign of a piece of a larger board.

A square of a gomoku board taken for reversi's, or the middle square of a morris board for its outer one, has lines that
run on. Where the picture ends at the frame nobody can tell.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.sheet import pitch_mm
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.primitives.channels import shrink_to_board
from vision.primitives.ridges import cut_chunks, line_peaks, rectified_grey, styled_peaks, visible

FloatArray = NDArray[np.float64]

SIDES = ("left", "top", "right", "bottom")
"""Of the frame, as the board's own orientation has them."""
FROM, TO = 0.2, 0.62
"""How far outside the frame a line that goes on is looked for, in distances of two neighbouring cells."""
WITHIN_MARGIN = 0.9
"""The same at most, in the margin that the steady picture shows."""
SEARCH_PX = 8
ASIDE_PX = 4
"""How far a line that goes on may lie from where its line inside points."""
GOES_ON = 0.5
"""Share of the lines that end at a side which must go on for the board to do so."""
FEWEST = 2
"""Lines that must end at a side for it to be judged."""


@dataclasses.dataclass(frozen=True)
class Beyond:
    """What is seen outside one side of the frame."""

    lines: int
    """Of the template's, that end at this side."""
    seen: float
    """Share of them that go on, of those whose continuation would be in the picture; 0 where none would be."""
    in_picture: float
    """Share of them whose continuation would be in the picture."""

    @property
    def goes_on(self) -> bool:
        """Whether this side is surely not the board's edge."""
        return self.lines * self.in_picture >= FEWEST and self.seen >= GOES_ON


def lines_beyond(image: Image, pose: BoardPose, template: BoardTemplate) -> tuple[Beyond, Beyond, Beyond, Beyond]:
    """What is seen outside the frame's left, top, right and bottom side. 10 to 20 ms."""
    ends, sides = _continuations(template)
    small, small_from_image = shrink_to_board(image, pose.image_from_board, template)
    matrix = small_from_image @ pose.image_from_board
    grey = rectified_grey(small, matrix, template)
    inner = cut_chunks(template)
    style, _, heights, noise = styled_peaks(grey, inner, SEARCH_PX)
    limit = visible(heights, noise)
    outer = cut_chunks(dataclasses.replace(template, lines_mm=ends))
    _, heights, _ = line_peaks(grey, outer, ASIDE_PX, style)
    seen = np.bincount(outer.segment, weights=heights > limit) / np.bincount(outer.segment)
    places = project(matrix, ends[:, 1])
    height, width = small.shape[:2]
    inside = np.asarray(((places >= 0) & (places <= [width - 1, height - 1])).all(axis=1), dtype=np.bool_)
    found = [_side(seen[sides == side], inside[sides == side]) for side in range(4)]
    return found[0], found[1], found[2], found[3]


def _side(seen: FloatArray, inside: NDArray[np.bool_]) -> Beyond:
    if not inside.any():
        return Beyond(len(seen), 0.0, 0.0)
    return Beyond(len(seen), float((seen[inside] > 0.5).mean()), float(inside.mean()))


def _continuations(template: BoardTemplate) -> tuple[FloatArray, NDArray[np.intp]]:
    """(n, 2, 2) pieces, in millimetres, in which lines that end at the frame would go on; and (n,) at which side."""
    size, pitch = np.array(template.size_mm), pitch_mm(template)
    reach = min(TO * pitch, WITHIN_MARGIN * template.margin_mm)
    pieces, sides = [], []
    for line in template.lines_mm:
        for end, start in (line, line[::-1]):
            along = (end - start) / np.linalg.norm(end - start)
            for side, (axis, edge) in enumerate(((0, 0.0), (1, 0.0), (0, size[0]), (1, size[1]))):
                # Corners belong to the side that their line runs against, and slanting lines to none.
                if np.isclose(end[axis], edge) and np.isclose(abs(along[axis]), 1):
                    pieces.append((end + FROM * pitch * along, end + reach * along))
                    sides.append(side)
    return np.array(pieces).reshape(-1, 2, 2), np.array(sides, dtype=np.intp)
