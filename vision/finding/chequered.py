"""Finds a chequered board never seen before, with men on it, by the corners at which its squares meet.

1. Find the corners: saddle points of the brightness.
2. Grow lattices from corner to corner; from one to the next the bright diagonal turns by a right angle.
3. Look along the edges of all squares around a lattice: on one side light, on the other dark. The window with the
   board's number of squares that holds most such edges, with fewest of them outside, is the board.
4. Snap it to its edges. Its first square's colour decides which corners may be its own top left.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, project
from vision.primitives.channels import clear_grey, with_contrast
from vision.primitives.chequer_edges import refine_by_edges
from vision.primitives.features import shrink
from vision.primitives.saddles import Saddles, find_saddles

FloatArray = NDArray[np.float64]
Cell = tuple[int, int]

WORKING_PX = (900, 450)
"""Pixels, longer side of the pictures in which corners are searched; a blurred board shows them in the smaller one."""
SEEDS = 60
"""Corners, the clearest first, from which a lattice is grown."""
NEAREST = 8
TURNED = -0.5
"""Greatest cosine of twice the angle between the bright diagonals of neighbouring corners; -1 for a right angle."""
ASTRAY = 0.22
"""Distance, in steps of the lattice, within which the next corner must lie."""
AKIN = 0.5
"""Greatest difference of two neighbouring steps in the same direction, as a share."""
MIN_CORNERS = 12
ENOUGH = 20
"""Corners of a lattice from which no other seed is tried on the same corners."""
LATTICES = 3
CLEAR = 0.35
"""Least contrast of an edge, as a share of the median at the lattice's own corners."""
GOOD = 0.45
"""Least share of the edges in the window that must be seen."""
LEAD = 0.02
"""Share of the edges by which the window must lead any other."""
ALONG, BESIDE = (0.12, 0.3, 0.5, 0.7, 0.88), (0.12, 0.22)
"""Places along an edge, and to both sides of it, where brightness is compared; in squares."""


@dataclasses.dataclass(frozen=True, eq=False)
class Lattice:
    """A lattice of corners in a picture."""

    picture_from_lattice: FloatArray
    """(3, 3) homography; corners lie at whole numbers."""
    cells: NDArray[np.intp]
    """(n, 2) column and row of the corners seen."""
    levels: float
    """Median amplitude at these corners."""


@dataclasses.dataclass(frozen=True, eq=False)
class Window:
    """A place in a lattice at which the board may lie."""

    score: float
    """Share of its edges that are seen, less those that are seen around it."""
    seen: float
    """Share of its edges that are seen."""
    in_picture: float
    """Share of its edges that are in the picture."""
    corners: FloatArray
    """(4, 2) pixels, its corners."""
    light: bool
    """Whether its first square is light."""


def find_chequered(image: Image, template: BoardTemplate) -> BoardPose | None:
    """Finds the board; its first corner is the one nearest the picture's top left among those of the right colour.

    None rather than a guess.
    """
    for longest in WORKING_PX:
        grey, small_from_image = clear_view(image, longest)
        best: tuple[float, FloatArray] | None = None
        for lattice in find_lattices(find_saddles(grey)):
            window = _best_window(grey, lattice, template)
            if window is not None and (best is None or window[0] > best[0]):
                best = window
        if best is None:
            continue
        corners = project(np.asarray(np.linalg.inv(small_from_image)), best[1])
        pose = pose_from_corners(corners, template)
        if not is_plausible(pose, template, image):
            continue
        pose = refine_by_edges(image, pose, template)
        if is_plausible(pose, template, image):
            return pose
    return None


def clear_view(image: Image, longest_px: int) -> tuple[NDArray[np.uint8], FloatArray]:
    """The picture in one channel, shrunk, with clear edges; and the (3, 3) matrix that leads to it."""
    grey, small_from_image = shrink(image, longest_px)
    if image.ndim == 3:
        size = grey.shape[1], grey.shape[0]
        grey = clear_grey(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8))
    return with_contrast(grey), small_from_image


def find_lattices(saddles: Saddles) -> Iterator[Lattice]:
    """Yields lattices of corners, without those of earlier ones, the first from the clearest corner."""
    left = np.arange(len(saddles.points))
    for _ in range(LATTICES):
        part = Saddles(saddles.points[left], saddles.bright_rad[left], saddles.levels[left])
        grown = _largest(part)
        if len(grown) < MIN_CORNERS:
            return
        cells, used = np.array(list(grown)), np.array(list(grown.values()))
        lattice = _fitted(cells, part.points[used], float(np.median(part.levels[used])))
        if lattice is not None:
            yield lattice
        left = np.delete(left, used)


def _largest(saddles: Saddles) -> dict[Cell, int]:
    """The largest lattice: the index of the saddle point at each column and row."""
    best: dict[Cell, int] = {}
    if len(saddles.points) < MIN_CORNERS:
        return best
    for seed in range(min(SEEDS, len(saddles.points))):
        if seed in best.values():
            continue
        for first, second in _bases(saddles, seed):
            grown = _grow(saddles, seed, first, second)
            if len(grown) > len(best):
                best = grown
        if len(best) >= ENOUGH:
            break
    return best


def _apart(saddles: Saddles, point: FloatArray) -> FloatArray:
    """(n,) pixels from every saddle point to a point."""
    return np.asarray(np.linalg.norm(saddles.points - point, axis=1))


def _turned(saddles: Saddles, one: int, other: int) -> bool:
    return bool(np.cos(2 * (saddles.bright_rad[one] - saddles.bright_rad[other])) < TURNED)


def _bases(saddles: Saddles, seed: int) -> Iterator[tuple[int, int]]:
    """Yields pairs of neighbours of a corner that may be the next ones to its right and below."""
    order = np.argsort(_apart(saddles, saddles.points[seed]))
    near = [int(one) for one in order[1 : NEAREST + 1] if _turned(saddles, seed, int(one))]
    for one, other in itertools.permutations(near, 2):
        a, b = saddles.points[one] - saddles.points[seed], saddles.points[other] - saddles.points[seed]
        area = a[0] * b[1] - a[1] * b[0]
        # Each pair once, right-handed, and not nearly in one line.
        if area > 0.5 * np.linalg.norm(a) * np.linalg.norm(b):
            across = _apart(saddles, saddles.points[seed] + a + b)
            there = int(across.argmin())
            if across[there] < ASTRAY * min(np.linalg.norm(a), np.linalg.norm(b)) and not _turned(saddles, seed, there):
                yield one, other


def _grow(saddles: Saddles, seed: int, first: int, second: int) -> dict[Cell, int]:
    """Grows a lattice outwards: each corner is looked for where the steps beside it lead."""
    at: dict[Cell, int] = {(0, 0): seed, (1, 0): first, (0, 1): second}
    used, waiting = set(at.values()), list(at)
    points = saddles.points
    while waiting:
        cell = waiting.pop(0)
        for axis, sign in itertools.product((0, 1), (1, -1)):
            new = _beside(cell, axis, sign)
            if new in at:
                continue
            step = _step(points, at, cell, axis, sign)
            if step is None:
                continue
            guess, length = points[at[cell]] + step, float(np.linalg.norm(step))
            apart = _apart(saddles, guess)
            found = int(apart.argmin())
            if apart[found] < ASTRAY * length and found not in used and _turned(saddles, at[cell], found):
                at[new] = found
                used.add(found)
                waiting.append(new)
    return at


def _beside(cell: Cell, axis: int, sign: int) -> Cell:
    return (cell[0] + sign, cell[1]) if axis == 0 else (cell[0], cell[1] + sign)


def _step(points: FloatArray, at: dict[Cell, int], cell: Cell, axis: int, sign: int) -> FloatArray | None:
    """The step from a corner in a direction, as seen behind it or in the neighbouring rows; None where none is."""
    behind = _beside(cell, axis, -sign)
    steps = []
    if behind in at:
        before = _beside(behind, axis, -sign)
        step = points[at[cell]] - points[at[behind]]
        if before in at:  # steps shrink with distance by nearly the same factor
            earlier = points[at[behind]] - points[at[before]]
            ratio = np.linalg.norm(step) / max(float(np.linalg.norm(earlier)), 1e-6)
            step = step * float(np.clip(ratio, 1 - AKIN, 1 + AKIN))
        steps.append(step)
    for aside in (1, -1):
        start = _beside(cell, 1 - axis, aside)
        end = _beside(start, axis, sign)
        if start in at and end in at:
            steps.append(points[at[end]] - points[at[start]])
    return np.asarray(np.mean(steps, axis=0)) if steps else None


def _fitted(cells: NDArray[np.intp], points: FloatArray, levels: float) -> Lattice | None:
    length = float(np.median(np.linalg.norm(points - points[:1], axis=1))) / 4
    matrix, kept = cv2.findHomography(cells.astype(np.float64), points, cv2.RANSAC, max(1.5, 0.04 * length))
    if matrix is None or kept is None or kept.sum() < MIN_CORNERS:
        return None
    inside = kept.ravel().astype(bool)
    return Lattice(np.asarray(matrix, dtype=np.float64), cells[inside], levels)


def _best_window(grey: NDArray[np.uint8], lattice: Lattice, template: BoardTemplate) -> tuple[float, FloatArray] | None:
    """The share of edges seen in the best window, and its (4, 2) corners; None without a clear one."""
    found = sorted(windows_of(grey, lattice, template), key=lambda one: -one.score)
    if not found or found[0].seen < GOOD or (len(found) > 1 and found[0].score - found[1].score < LEAD):
        return None
    return found[0].score, upright(found[0].corners, found[0].light, template)


def windows_of(grey: NDArray[np.uint8], lattice: Lattice, template: BoardTemplate) -> list[Window]:
    """The places in the lattice at which the board may lie, also those of which only a part is in the picture."""
    columns, rows = (int(template.source["grid"][name]) for name in ("columns", "rows"))
    return [one for wide, high in {(columns, rows), (rows, columns)} for one in _windows(grey, lattice, wide, high)]


def _windows(grey: NDArray[np.uint8], lattice: Lattice, wide: int, high: int) -> list[Window]:
    low, up = lattice.cells.min(axis=0), lattice.cells.max(axis=0)
    left, top = up[0] - wide, up[1] - high
    right, bottom = low[0] + wide, low[1] + high
    if right <= left or bottom <= top:
        return []
    # Squares from one beyond every window on each side.
    across, down = np.arange(left - 1, right + 1), np.arange(top - 1, bottom + 1)
    edges = [_edges(grey, lattice, across, down, axis) for axis in (0, 1)]
    every: FloatArray = np.concatenate([one.ravel() for one in edges])
    steps = every[np.isfinite(every)]
    if not len(steps):
        return []
    sign = 1.0 if np.sign(steps).sum() >= 0 else -1.0
    limit = CLEAR * max(float(np.median(np.abs(steps))), CLEAR * lattice.levels)
    seen_up, seen_flat = (np.nan_to_num((sign * one > limit).mean(axis=2)) for one in edges)
    there_up, there_flat = (np.isfinite(one).mean(axis=2) for one in edges)
    found = []
    count = (wide - 1) * high + wide * (high - 1)
    for column, row in itertools.product(range(left, right - wide + 1), range(top, bottom - high + 1)):
        c, r = column - across[0], row - down[0]
        inner_up, inner_flat = np.s_[c : c + wide - 1, r : r + high], np.s_[c : c + wide, r : r + high - 1]
        inside = seen_up[inner_up].sum() + seen_flat[inner_flat].sum()
        around = seen_up[c - 1 : c + wide, r - 1 : r + high + 1].sum()
        around += seen_flat[c - 1 : c + wide + 1, r - 1 : r + high].sum()
        # The edges of the frame itself separate a square from the rim: half of them may look like edges of squares.
        rim = seen_up[[c - 1, c + wide - 1], r : r + high].sum() + seen_flat[c : c + wide, [r - 1, r + high - 1]].sum()
        corners = np.array(
            [[column, row], [column + wide, row], [column + wide, row + high], [column, row + high]], dtype=np.float64
        )
        found.append(
            Window(
                score=float((inside - (around - inside - rim)) / count),
                seen=float(inside / count),
                in_picture=float((there_up[inner_up].sum() + there_flat[inner_flat].sum()) / count),
                corners=project(lattice.picture_from_lattice, corners),
                light=bool(sign * (-1) ** (column + row) > 0),
            )
        )
    return found


def _edges(
    grey: NDArray[np.uint8], lattice: Lattice, across: NDArray[np.intp], down: NDArray[np.intp], axis: int
) -> FloatArray:
    """(columns, rows, samples) by how much the side before an edge is lighter, times the square's sign.

    The edge is that between a square and the next along the axis; NaN outside the picture.
    """
    column, row = np.meshgrid(across, down, indexing="ij")
    along, aside = (places.ravel() for places in np.meshgrid(ALONG, BESIDE))
    sides = []
    for side in (-1, 1):
        normal, parallel = 1 + side * aside, along
        x, y = (normal, parallel) if axis == 0 else (parallel, normal)
        places = np.stack([column[..., None] + x, row[..., None] + y], axis=-1)
        sides.append(_brightness(grey, lattice.picture_from_lattice, places))
    parity = np.where((column + row) % 2 == 0, 1.0, -1.0)[..., None]
    return np.asarray((sides[0] - sides[1]) * parity)


def _brightness(grey: NDArray[np.uint8], matrix: FloatArray, places: FloatArray) -> FloatArray:
    """Grey values at places of the lattice; NaN outside the picture and beyond its horizon."""
    flat = places.reshape(-1, 2)
    ahead = flat @ matrix[2, :2] + matrix[2, 2]
    pixels = project(matrix, flat)
    height, width = grey.shape
    inside = (ahead > 0.05 * float(np.median(ahead))) & (pixels >= 0).all(axis=1)
    inside &= (pixels[:, 0] <= width - 1) & (pixels[:, 1] <= height - 1)
    at = np.where(inside[:, None], pixels, 0).astype(np.float32)
    values = cv2.remap(grey.astype(np.float32), at[:, :1], at[:, 1:], cv2.INTER_LINEAR)[:, 0].astype(np.float64)
    return np.where(inside, values, np.nan).reshape(places.shape[:-1])


def upright(corners: FloatArray, light: bool, template: BoardTemplate) -> FloatArray:
    """The corners, clockwise, from the one nearest the picture's top left at which a square of the right colour is."""
    wanted = template.first_square == "light"
    columns, rows = (int(template.source["grid"][name]) for name in ("columns", "rows"))
    # The colours at the corners, clockwise, if there is an odd number of squares along a side.
    lights = [light, light ^ (columns % 2 == 0), light ^ ((columns + rows) % 2 == 1), light ^ (rows % 2 == 0)]
    if cv2.contourArea(corners.astype(np.float32), oriented=True) < 0:
        corners, lights = corners[::-1], lights[::-1]
    fitting = [turn for turn in range(4) if lights[turn] == wanted] or list(range(4))
    first = min(fitting, key=lambda turn: float(corners[turn].sum()))
    return np.asarray(np.roll(corners, -first, axis=0))
