"""Finds a board of few lines that is in the picture but was not accepted: too small, seen from too low, or covered."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.finding.outlines import Outline, find_outlines
from vision.finding.part_outline import OutlinePart, likely_weaves
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners
from vision.primitives.channels import shrink_to_board
from vision.primitives.features import shrink
from vision.primitives.lines import ASIDE_PX, measure_shape, refine_pose
from vision.primitives.ridges import Chunks, cut_chunks, rectified_grey, styled_peaks, visible

FloatArray = NDArray[np.float64]

WORKING_PX = 1200
TRIED = 6
CLEAR = 0.75
"""Share of the lines that must be seen of a board that nothing covers."""
TILES = 5
"""Number of tiles, each way, into which the board is cut to see which of them show lines."""
SEEN, FREE = 0.25, 0.8
"""Share of a tile's lines seen below which it counts as covered, and mean share that the other tiles must show."""
MIN_HIDDEN, MAX_HIDDEN = 0.12, 0.6
"""Shares of the board's tiles between which the covered ones must be."""


def find_refused(image: Image, template: BoardTemplate) -> OutlinePart | None:
    """Finds the board that is in the picture with all its cells; None without proof."""
    grey, small_from_image = shrink(image, WORKING_PX)
    outlines = [outline for weave in likely_weaves(grey) for outline in find_outlines(weave, template)[:TRIED]]
    for outline in sorted(outlines, key=lambda one: -one.score)[:TRIED]:
        found = _examined(grey, outline, template)
        if found is not None:
            matrix = np.asarray(np.linalg.inv(small_from_image)) @ found.pose.image_from_board
            pose = dataclasses.replace(found.pose, image_from_board=np.asarray(matrix / matrix[2, 2]))
            return dataclasses.replace(found, pose=pose)
    return None


def _examined(grey: NDArray[np.uint8], outline: Outline, template: BoardTemplate) -> OutlinePart | None:
    shaped = template.with_shape(outline.shape) if template.shape else template
    pose = refine_pose(grey, pose_from_corners(outline.corners, shaped), shaped)
    if shaped.shape and pose.quality > 0:
        shaped = measure_shape(grey, pose, shaped)
        pose = refine_pose(grey, pose, shaped)
    if not is_plausible(pose, shaped, grey):
        return OutlinePart(pose, shaped) if pose.quality >= CLEAR else None
    hidden = hidden_share(grey, pose, shaped)
    return OutlinePart(pose, shaped, hidden) if hidden > 0 else None


def hidden_share(grey: NDArray[np.uint8], pose: BoardPose, template: BoardTemplate) -> float:
    """Share of the board, 0 to 1, that something covers; 0 unless the rest of its lines is seen."""
    chunks = cut_chunks(template)
    small, small_from_image = shrink_to_board(grey, pose.image_from_board, template)
    picture = rectified_grey(small, small_from_image @ pose.image_from_board, template)
    _, _, heights, noise = styled_peaks(picture, chunks, ASIDE_PX)
    seen, tiles = _by_tiles(heights > visible(heights, noise), chunks, template)
    covered = (seen < SEEN) & tiles
    free = tiles & ~covered
    share = float(covered.sum() / max(tiles.sum(), 1))
    if not MIN_HIDDEN < share < MAX_HIDDEN or seen[free].mean() < FREE:
        return 0.0
    return share if _is_one_piece(covered) else 0.0


def _by_tiles(
    clear: NDArray[np.bool_], chunks: Chunks, template: BoardTemplate
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """(TILES, TILES) share of each tile's chunks that are clear, and which tiles have lines."""
    margin, scale = template.margin_mm * template.pixels_per_mm, template.pixels_per_mm
    places = (chunks.centres - margin) / (np.array(template.size_mm) * scale)
    columns, rows = (places * TILES).astype(np.intp).clip(0, TILES - 1).T
    counts, seen = np.zeros((TILES, TILES)), np.zeros((TILES, TILES))
    np.add.at(counts, (rows, columns), 1.0)
    np.add.at(seen, (rows, columns), clear.astype(np.float64))
    return seen / np.maximum(counts, 1.0), np.asarray(counts > 0)


def _is_one_piece(covered: NDArray[np.bool_]) -> bool:
    """Whether the covered tiles are connected; four fifths of them suffice."""
    todo = [tuple(map(int, place)) for place in np.argwhere(covered)][:1]
    reached = set(todo)
    while todo:
        row, column = todo.pop()
        for place in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            inside = 0 <= place[0] < TILES and 0 <= place[1] < TILES
            if inside and covered[place] and place not in reached:
                reached.add(place)
                todo.append(place)
    return bool(len(reached) >= 0.8 * covered.sum())
