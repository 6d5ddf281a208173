"""What speaks against a supposed outline of a board: lines left over, lines missing, and lines that go on beyond it.

A board's rim taken for its outermost line leaves one of the true lines over, and bare board where the connecting lines
would have to reach it; a line that a piece or a hand hides proves nothing. A square of a gomoku board taken for a
reversi board, or the middle square of a morris board taken for its outer one, has lines that continue outside; where
the picture ends at the frame, this cannot be decided.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray, Indices
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import FEWEST, BoardPose, project
from vision.primitives.channels import BoardView
from vision.primitives.ridges import (
    BESIDE_PX,
    cut_chunks,
    line_peaks,
    line_style,
    peaks,
    ridge,
    sample_across,
    styled_peaks,
    visible,
)

SIDES = ("left", "top", "right", "bottom")
SEARCH_PX = 8
FROM, TO = 0.2, 0.62
"""Distances outside the frame, in cell pitches, between which the continuation of a line is looked for."""
WITHIN_MARGIN = 0.9
"""Greatest such distance, as a share of the margin, where the rectified picture ends."""
ASIDE_PX = 4
"""Rectified pixels by which a continuation may lie beside the extension of its line."""
GOES_ON = 0.5
"""Least share of the lines ending at a side that must continue for it not to be the board's edge."""
MIN_LINES = 2
"""Least number of lines, with their continuation in the picture, for a side to be judged."""
MIN_LENGTH_PX = 25
"""Rectified pixels, least length of a stray line; grain and letters break up sooner."""
AROUND_LINE_PX = 11
AROUND_MAN = 0.8
"""Radius around a cell, in men's diameters, in which lines are ignored."""
LIKE_BOARD = (0.25, 0.5)
"""Greatest difference of bare board from the board around the lines, in units of the lines' contrast.

The first for even, the second for grainy boards; a piece may be almost of the board's colour.
"""
BARE = 0.5
"""Share of a line that must be bare for it to be missing."""
ON_LINE_MM = 0.5


@dataclasses.dataclass(frozen=True)
class Beyond:
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


class Outline:
    """A supposed outline, and the picture under it; 10 to 20 ms for it and for each look."""

    def __init__(self, image: Image, pose: BoardPose, template: BoardTemplate) -> None:
        self._view, self._template = BoardView.clearest(image, pose, template), template
        self._grey = self._view.rectified()
        self._style, _, heights, noise = styled_peaks(self._grey, cut_chunks(template), SEARCH_PX)
        self._visible = visible(heights, noise)

    def beyond(self) -> tuple[Beyond, ...]:
        """Whether lines go on outside the frame's left, top, right and bottom side."""
        ends, sides = _continuations(self._template)
        outer = cut_chunks(dataclasses.replace(self._template, lines_mm=ends))
        _, heights, _ = line_peaks(self._grey, outer, ASIDE_PX, self._style)
        seen = np.bincount(outer.segment, weights=heights > self._visible) / np.bincount(outer.segment)
        places = project(self._view.small_from_board, ends[:, 1])
        inside = np.asarray(
            ((places >= 0) & (places <= np.array(self._view.small.shape[::-1]) - 1)).all(axis=1), dtype=np.bool_
        )
        return tuple(_side(seen[sides == side], inside[sides == side]) for side in range(4))

    def stray_share(self) -> float:
        """Length of unexplained lines inside the frame, upright or across, as a share of that of the template's."""
        template, free, length = self._template, _unexplained_area(self._template, self._grey.shape), 0.0
        for axis in (0, 1):
            lines = np.where(self._ridge_map(axis) > self._visible, 255, 0).astype(np.uint8) & free
            kernel = np.ones((MIN_LENGTH_PX, 1) if axis == 1 else (1, MIN_LENGTH_PX), np.uint8)
            # Hand-drawn lines stray by a pixel or two; closing the gaps between neighbours keeps them whole.
            thick = cv2.dilate(lines, np.ones((1, 3) if axis == 1 else (3, 1), np.uint8))
            runs = cv2.morphologyEx(thick, cv2.MORPH_OPEN, kernel)
            # Counts one pixel per row (or column) that a run covers, however broad it is.
            count, _, stats, _ = cv2.connectedComponentsWithStats(runs)
            length += float(stats[1:count, cv2.CC_STAT_HEIGHT if axis == 1 else cv2.CC_STAT_WIDTH].sum())
        drawn = np.linalg.norm(template.lines_mm[:, 0] - template.lines_mm[:, 1], axis=1).sum() * template.pixels_per_mm
        return float(length / max(float(drawn), 1.0))

    def bare_share(self) -> float:
        """Share of the stretches of line between neighbouring cells where bare board is seen instead."""
        chunks = cut_chunks(dataclasses.replace(self._template, lines_mm=_stretches(self._template)))
        style = line_style(self._grey, chunks, SEARCH_PX)
        profiles = sample_across(self._grey, chunks, SEARCH_PX + BESIDE_PX)
        _, heights, noise = peaks(ridge(profiles, style), SEARCH_PX, style)
        clear = heights > visible(heights, noise)
        if clear.sum() < FEWEST:
            return 0.0
        near = profiles[:, BESIDE_PX:-BESIDE_PX]
        levels = np.median(near, axis=1).astype(np.float64)
        board = _board_level(chunks.centres, levels, clear)
        contrast, grain = float(np.median(heights[clear])), float(np.median(np.abs(levels - board)[clear]))
        like_board = min(LIKE_BOARD[1] * contrast, max(LIKE_BOARD[0] * contrast, 2 * grain))
        bare = ~clear & (np.abs(near - board[:, None]) < like_board).all(axis=1)
        lines = np.bincount(chunks.segment)
        return float((np.bincount(chunks.segment, weights=bare) > BARE * lines).mean())

    def _ridge_map(self, axis: int) -> NDArray[np.float32]:
        """The ridge response of every pixel against its neighbours along x (axis 1) or y (axis 0)."""
        style = self._style
        smooth = cv2.GaussianBlur(self._grey, (0, 0), 0.6 * style.scale_px)
        distance = round(2 * style.scale_px) + 1
        before, after = np.roll(smooth, distance, axis=axis), np.roll(smooth, -distance, axis=axis)
        return np.asarray(np.minimum(style.polarity * (before - smooth), style.polarity * (after - smooth)), np.float32)


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


def _unexplained_area(template: BoardTemplate, size: tuple[int, ...]) -> NDArray[np.uint8]:
    """255 inside the frame where the template has neither line nor cell."""
    mask: NDArray[np.uint8] = np.zeros(size, dtype=np.uint8)
    corners = np.rint(project(template.rectified_from_board, template.corners_mm)).astype(np.int32)
    cv2.fillConvexPoly(mask, corners, (255,))
    ends = np.rint(project(template.rectified_from_board, template.lines_mm.reshape(-1, 2))).astype(int)
    for start, end in ends.reshape(-1, 2, 2):
        cv2.line(mask, tuple(map(int, start)), tuple(map(int, end)), (0,), 2 * AROUND_LINE_PX + 1)
    radius = round(AROUND_MAN * template.man_diameter_mm * template.pixels_per_mm)
    for centre in np.rint(project(template.rectified_from_board, template.cells_mm)).astype(int):
        cv2.circle(mask, tuple(map(int, centre)), radius, (0,), -1)
    return mask


def _stretches(template: BoardTemplate) -> FloatArray:
    """(stretches, 2, 2) the template's lines, cut at the cells that lie on them."""
    pieces = []
    for start, end in template.lines_mm:
        along = end - start
        length = float(np.hypot(*along))
        offsets = template.cells_mm - start
        aside = np.abs(offsets[:, 0] * along[1] - offsets[:, 1] * along[0]) / length
        places = offsets @ along / length
        inner = places[(aside < ON_LINE_MM) & (places > ON_LINE_MM) & (places < length - ON_LINE_MM)]
        stops = np.concatenate([[0.0], np.sort(inner), [length]]) / length
        points = start + stops[:, None] * along
        pieces.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate(pieces)


def _board_level(places: FloatArray, levels: FloatArray, clear: Flags) -> FloatArray:
    """(chunks,) grey level of the board at each chunk: a plane fitted to the levels around the clear chunks."""
    design = np.column_stack([places / places.max(), np.ones(len(places))])
    return np.asarray(design @ np.linalg.lstsq(design[clear], levels[clear], rcond=None)[0])
