"""The edges of a chequered board: how well a pose explains them, and the pose that explains them best.

Like `vision.primitives.lines`, but an edge shows as a step from light to dark, whose direction follows from the colour
of the squares beside it. A pose that is one square off expects every step the other way round.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import FEWEST, BoardPose, project
from vision.primitives.channels import CLEARER, BoardView
from vision.primitives.lines import fit_correction
from vision.primitives.ridges import Chunks, cut_chunks, sample_across, vertex

SEARCH_PX = (12, 8, 5, 4)
"""Rectified pixels that each refining step searches to either side."""
ASIDE_PX = 5
"""Rectified pixels by which an edge may lie beside its proper place."""
HALF_PX = 4
"""Rectified pixels on either side of an edge whose mean brightness is compared."""
BESIDE_PX = 6, 11
"""Rectified pixels from an edge, from and to, at which the squares on both its sides are compared."""
LEAST_LEVELS = 4.0
"""Least step of an edge, in grey levels."""
ALIKE = 0.35
"""Least step of an edge, as a share of what the clearer edges show."""


def refine_by_edges(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """The pose refined to the edges of the squares; `pose` must be right within a quarter of a square."""
    chunks, signs = edge_chunks(template)
    view, error_px = _clearest(image, pose, template), 0.0
    for radius in SEARCH_PX:
        grey = view.rectified()
        offsets, heights = _steps(grey, chunks, signs, radius)
        clear = heights > _visible(heights)
        if clear.sum() < 8:
            break
        correction, residuals = fit_correction(chunks, offsets, np.where(clear, 1.0, 1e-3), grey.shape[:2])
        view = view.corrected(correction)
        error_px = float(np.median(np.abs(residuals[clear])))
    return view.pose(error_px, _quality(view))


def edge_quality(image: Image, pose: BoardPose, template: BoardTemplate) -> float:
    """Share of the edges between squares, 0 to 1, that are seen where the pose puts them; it refines nothing."""
    return _quality(_clearest(image, pose, template))


def sides_going_on(image: Image, pose: BoardPose, template: BoardTemplate) -> int:
    """Number of sides beyond which light and dark squares go on: the frame is then a part of a larger board."""
    wide = _widened(template)
    moved = np.array([[1, 0, -template.pitch_mm], [0, 1, -template.pitch_mm], [0, 0, 1.0]])
    view = _clearest(image, dataclasses.replace(pose, image_from_board=pose.image_from_board @ moved), wide)
    chunks, signs = edge_chunks(wide)
    places = project(np.asarray(np.linalg.inv(wide.rectified_from_board)), chunks.centres)
    in_picture = project(view.small_from_board, places)
    kept = np.asarray(((in_picture >= 0) & (in_picture < view.small.shape[::-1])).all(axis=1), dtype=np.bool_)
    squares = places / template.pitch_mm - 1
    outer = np.array(template.size_mm) / template.pitch_mm
    inside = kept & ((squares > 0) & (squares < outer)).all(axis=1)
    seen = _seen(view.rectified(), chunks, signs, inside)
    # Only edges between two outer squares: a plain rim has a step wherever a square of another colour meets it.
    upright = np.abs(chunks.normals[:, 0]) > np.abs(chunks.normals[:, 1])
    beyond = (
        (squares[:, 0] < 0) & ~upright,
        (squares[:, 0] > outer[0]) & ~upright,
        (squares[:, 1] < 0) & upright,
        (squares[:, 1] > outer[1]) & upright,
    )
    usual = float(seen[inside].mean()) if inside.any() else 1.0
    shares = [float(seen[side & kept].mean()) for side in beyond if (side & kept).sum() >= FEWEST]
    return sum(share > usual / 2 for share in shares)


def _widened(template: BoardTemplate) -> BoardTemplate:
    """The template with one more square on every side."""
    grid, pitch = template.source["grid"], template.pitch_mm
    columns, rows = int(grid["columns"]) + 2, int(grid["rows"]) + 2
    width, height = columns * pitch, rows * pitch
    upright = [((x * pitch, 0.0), (x * pitch, height)) for x in range(columns + 1)]
    across = [((0.0, y * pitch), (width, y * pitch)) for y in range(rows + 1)]
    return dataclasses.replace(
        template,
        size_mm=(width, height),
        lines_mm=np.array(across + upright),
        rectified_px=round(template.pixels_per_mm * (max(width, height) + 2 * template.margin_mm)),
        source=dict(template.source) | {"grid": dict(grid) | {"columns": columns, "rows": rows}},
    )


def edge_chunks(template: BoardTemplate) -> tuple[Chunks, FloatArray]:
    """Chunks of the edges between squares, and (chunks,) 1 where the brightness rises along the normal, else -1."""
    everything = cut_chunks(template)
    grid = template.source["grid"]
    board_from_rectified = np.asarray(np.linalg.inv(template.rectified_from_board))
    pitch = np.array(template.size_mm) / (int(grid["columns"]), int(grid["rows"]))
    beside = [
        project(board_from_rectified, everything.centres + side * HALF_PX * everything.normals) / pitch
        for side in (-1, 1)
    ]
    squares = [np.floor(one).astype(int) for one in beside]
    limits = int(grid["columns"]), int(grid["rows"])
    inside = np.all([((one >= 0) & (one < limits)).all(axis=1) for one in squares], axis=0)
    # A chunk that straddles a corner belongs to two edges.
    middles = project(board_from_rectified, everything.centres) / pitch
    along = np.abs(middles - np.rint(middles)).max(axis=1)
    inside &= along > 0.12
    first_light = template.first_square == "light"
    light_after = (squares[1].sum(axis=1) % 2 == 0) == first_light
    chunks = Chunks(everything.points[inside], everything.normals[inside], everything.segment[inside])
    return chunks, np.where(light_after[inside], 1.0, -1.0)


def _steps(grey: NDArray[np.float32], chunks: Chunks, signs: FloatArray, radius: int) -> tuple[FloatArray, FloatArray]:
    """Offset, to a fraction of a pixel, and height of the steepest step of the right sign across each chunk."""
    profiles = sample_across(grey, chunks, radius + HALF_PX).astype(np.float64)
    sums = np.cumsum(np.pad(profiles, ((0, 0), (1, 0))), axis=1)
    width = 2 * radius + 1
    middle = np.arange(width) + HALF_PX
    before = (sums[:, middle] - sums[:, middle - HALF_PX]) / HALF_PX
    after = (sums[:, middle + HALF_PX + 1] - sums[:, middle + 1]) / HALF_PX
    steps = (after - before) * signs[:, None]
    nearness = 1 - 0.3 * np.abs(np.arange(width) - radius) / radius
    best = np.clip(np.argmax(steps * nearness, axis=1), 1, width - 2)
    shift, height = vertex(steps, best)
    return best - radius + shift, height


def _clearest(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardView:
    """Grey, unless the squares differ clearly more in blue or red: red and green may be as bright as each other."""
    views, (chunks, signs) = BoardView.channels(image, pose, template), edge_chunks(template)
    contrasts = [abs(float(_apart(view.rectified(), chunks, signs).mean())) for view in views]
    best = int(np.argmax(contrasts))
    return views[best] if contrasts[best] > CLEARER * contrasts[0] else views[0]


def _visible(heights: FloatArray) -> float:
    return max(LEAST_LEVELS, ALIKE * float(np.percentile(heights, 75)))


def _quality(view: BoardView) -> float:
    chunks, signs = edge_chunks(view.template)
    grey = view.rectified()
    return float(_seen(grey, chunks, signs, np.ones(len(signs), dtype=np.bool_)).mean())


def _seen(grey: NDArray[np.float32], chunks: Chunks, signs: FloatArray, usual: Flags) -> Flags:
    """(chunks,) whether each edge is seen; the `usual` ones, (chunks,), show how clear they are."""
    _, heights = _steps(grey, chunks, signs, ASIDE_PX)
    # A drawn line between squares of one colour steps both ways: the squares beside it must differ too.
    apart = _apart(grey, chunks, signs)
    return np.asarray((heights > _visible(heights[usual])) & (apart > _visible(apart[usual])), dtype=np.bool_)


def _apart(grey: NDArray[np.float32], chunks: Chunks, signs: FloatArray) -> FloatArray:
    """(chunks,) grey levels by which the square that should be lighter is lighter than the one across its edge."""
    across = sample_across(grey, chunks, BESIDE_PX[1]).astype(np.float64)
    before, after = across[:, : BESIDE_PX[1] - BESIDE_PX[0] + 1], across[:, BESIDE_PX[0] - BESIDE_PX[1] - 1 :]
    return np.asarray((after.mean(axis=1) - before.mean(axis=1)) * signs)
