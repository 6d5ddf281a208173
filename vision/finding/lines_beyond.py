"""Detects lines that continue outside the supposed frame: the sign of a piece of a larger board.

A square of a gomoku board taken for a reversi board, or the middle square of a morris board taken for its outer one,
has lines that continue. Where the picture ends at the frame, this cannot be decided.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.primitives.channels import shrink_to_board
from vision.primitives.ridges import cut_chunks, line_peaks, rectified_grey, styled_peaks, visible

SIDES = ("left", "top", "right", "bottom")
"""Sides of the frame, in the board's own orientation."""
FROM, TO = 0.2, 0.62
"""Distances outside the frame, in cell pitches, between which the continuation of a line is looked for."""
WITHIN_MARGIN = 0.9
"""Greatest such distance, as a share of the margin, where the rectified picture ends."""
SEARCH_PX = 8
ASIDE_PX = 4
"""Rectified pixels by which a continuation may lie beside the extension of its line."""
GOES_ON = 0.5
"""Least share of the lines ending at a side that must continue for it not to be the board's edge."""
MIN_LINES = 2
"""Least number of lines, with their continuation in the picture, for a side to be judged."""


@dataclasses.dataclass(frozen=True)
class Beyond:
    """The evidence outside one side of the frame."""

    lines: int
    """Number of the template's lines that end at this side."""
    seen: float
    """Share of these that continue, among those whose continuation would be in the picture; 0 if there are none."""
    in_picture: float
    """Share of these whose continuation would be in the picture."""

    @property
    def goes_on(self) -> bool:
        """Whether this side is certainly not the board's edge."""
        return self.lines * self.in_picture >= MIN_LINES and self.seen >= GOES_ON


def lines_beyond(image: Image, pose: BoardPose, template: BoardTemplate) -> tuple[Beyond, Beyond, Beyond, Beyond]:
    """Looks for lines outside the frame's left, top, right and bottom side. 10 to 20 ms."""
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


def _side(seen: FloatArray, inside: Flags) -> Beyond:
    if not inside.any():
        return Beyond(len(seen), 0.0, 0.0)
    return Beyond(len(seen), float((seen[inside] > 0.5).mean()), float(inside.mean()))


def _continuations(template: BoardTemplate) -> tuple[FloatArray, Indices]:
    """(n, 2, 2) pieces, in millimetres, where lines that end at the frame would continue; and (n,) the side of each."""
    size, pitch = np.array(template.size_mm), template.pitch_mm
    reach = min(TO * pitch, WITHIN_MARGIN * template.margin_mm)
    pieces, sides = [], []
    for line in template.lines_mm:
        for end, start in (line, line[::-1]):
            along = (end - start) / np.linalg.norm(end - start)
            for side, (axis, edge) in enumerate(((0, 0.0), (1, 0.0), (0, size[0]), (1, size[1]))):
                # A corner belongs to the side that its line runs against; slanting lines belong to none.
                if np.isclose(end[axis], edge) and np.isclose(abs(along[axis]), 1):
                    pieces.append((end + FROM * pitch * along, end + reach * along))
                    sides.append(side)
    return np.array(pieces).reshape(-1, 2, 2), np.array(sides, dtype=np.intp)
