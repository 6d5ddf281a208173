"""Detects lines missing from a supposed board, with bare board in their place: the sign of a wrong outline.

A line that a piece or a hand hides proves nothing. But where the board's rim is taken for its outermost line, the
connecting lines would have to reach the rim, and there is only bare board.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose
from vision.primitives.channels import shrink_to_board
from vision.primitives.ridges import (
    BESIDE_PX,
    cut_chunks,
    line_style,
    peaks,
    rectified_grey,
    ridge,
    sample_across,
    visible,
)

SEARCH_PX = 8
LIKE_BOARD = (0.25, 0.5)
"""Greatest difference of bare board from the board around the lines, in units of the lines' contrast.

The first for even, the second for grainy boards; a piece may be almost of the board's colour.
"""
BARE = 0.5
"""Share of a line that must be bare for it to be missing."""
MIN_CHUNKS = 12
ON_LINE_MM = 0.5


def bare_share(image: Image, pose: BoardPose, template: BoardTemplate) -> float:
    """Share of the stretches of line between neighbouring cells where bare board is seen instead."""
    small, small_from_image = shrink_to_board(image, pose.image_from_board, template)
    grey = rectified_grey(small, small_from_image @ pose.image_from_board, template)
    chunks = cut_chunks(dataclasses.replace(template, lines_mm=_stretches(template)))
    style = line_style(grey, chunks, SEARCH_PX)
    profiles = sample_across(grey, chunks, SEARCH_PX + BESIDE_PX)
    _, heights, noise = peaks(ridge(profiles, style), SEARCH_PX, style)
    clear = heights > visible(heights, noise)
    if clear.sum() < MIN_CHUNKS:
        return 0.0
    near = profiles[:, BESIDE_PX:-BESIDE_PX]
    levels = np.median(near, axis=1).astype(np.float64)
    board = _board_level(chunks.centres, levels, clear)
    contrast, grain = float(np.median(heights[clear])), float(np.median(np.abs(levels - board)[clear]))
    like_board = min(LIKE_BOARD[1] * contrast, max(LIKE_BOARD[0] * contrast, 2 * grain))
    bare = ~clear & (np.abs(near - board[:, None]) < like_board).all(axis=1)
    lines = np.bincount(chunks.segment)
    return float((np.bincount(chunks.segment, weights=bare) > BARE * lines).mean())


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
