"""Tells whether the lines that only one of a board's drawings has are present on the board in view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose
from vision.primitives.channels import shrink_to_board
from vision.primitives.ridges import cut_chunks, rectified_grey, styled_peaks, visible

SEARCH_PX = 8
SEEN = 0.35
"""Share of a line that must be seen for it to count as drawn: pieces hide some of it."""


def seen_runs(image: Image, pose: BoardPose, template: BoardTemplate, which: NDArray[np.bool_]) -> float:
    """Share, 0 to 1, of the template lines selected by `which` that are seen in the style of the others."""
    small, small_from_image = shrink_to_board(image, pose.image_from_board, template)
    grey = rectified_grey(small, small_from_image @ pose.image_from_board, template)
    chunks = cut_chunks(template)
    asked = which[chunks.segment]
    _, _, heights, noise = styled_peaks(grey, chunks, SEARCH_PX)
    # All lines of a board are drawn in the same style: the others show it.
    clear = heights > visible(heights[~asked], noise)
    shares = np.bincount(chunks.segment, weights=clear) / np.bincount(chunks.segment)
    return float((shares[which] > SEEN).mean())
