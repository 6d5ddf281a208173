"""Finds a ruled board never seen before, bare or covered with men, by its lattice.

1. Detect straight edges, including short ones, and the pairs of vanishing points at which many of them aim (a weave).
2. In each weave, find the spacings at which edges repeat along both x and y, as far as a camera can see squares so.
3. Fit the lattice outwards from where the edges agree with it best.
4. Examine every point of the lattice for pieces of lines, men and bare board. The window with the board's number of
   lines that explains this best is the board, if it does so clearly better than any other window.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.finding.lattice import Lattice, fit_lattice, refit_lattice
from vision.finding.lattice_evidence import AROUND, ASTRAY, ON_POINTS, ON_SQUARES, Evidence, in_levels, look_at
from vision.finding.lattice_window import Window, best_window
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, project
from vision.primitives.channels import clear_grey, telling_channel, with_contrast
from vision.primitives.combs import askew, find_combs
from vision.primitives.features import shrink
from vision.primitives.quads import find_quads
from vision.primitives.segments import Segments, Weave, find_segments, find_weaves, weave_of_quad
from vision.primitives.waves import find_waves

FloatArray = NDArray[np.float64]

MIN_LINES = 9
"""Least number of lines each way; smaller boards are found by their outline, since so small a lattice fits anything."""
WORKING_PX = 1000
MIN_LENGTH = 0.009
"""Least length of a segment, as a share of the picture's longer side; between men, lines show in short pieces."""
MAX_SEGMENTS = 2500
WEAVES = 4
TRIED = 24
"""Number of lattices tried."""
TRIED_AGAIN = 8
"""Number of lattices tried on a colour channel that shows more edges than grey."""
LIKELIEST = 2
"""Number of weaves of the straight edges that are tried before all others."""
GOOD = 0.3
"""Least score of a window."""
CLEARLY = 0.8
"""Least lead over any other window, in arms per point of a side."""
SIDE = 0.25
"""Least score, -1 to 1, of the weakest side."""
BEYOND = 0.3
"""Greatest score, -1 to 1, of lines that continue outside the window."""
NEARLY_FULL = 0.75
"""Share of points with men above which lines alone do not determine a lattice."""
RIM = 0.2
"""Depth of the strip along a side in which men are checked, as a share of the board."""
KEEP = 0.45
"""Least share of the round objects along a side that stand on points; a man shows more than one."""
SURE = 0.55
"""Score above which no other candidate is tried."""
WORTH = 0.25
"""Score above which a lattice is refitted to the lines in its window."""
REFITS = 2
MAX_REFITS = 7
GAINS = 0.01
"""Least rise of the score that justifies another refit."""
ALIKE_SCORE = 0.005
POLISH = 4
"""Number of refits once the board is known."""
ASKEW = 0.3
"""Greatest cosine of the angle between a board's directions; not 0, as pictures may be cropped off-centre."""
QUADS = 3
WAVES = 1
ALIKE_RAD = 0.02
"""Radians, greatest angle between the lines of two weaves that count as one."""


@dataclasses.dataclass(frozen=True, eq=False)
class Views:
    """A picture and its shrunk versions."""

    image: Image
    small: Image
    grey: NDArray[np.uint8]
    """The shrunk picture in one channel, in which edges are searched."""
    colours_in_levels: Image
    grey_in_levels: NDArray[np.uint8]
    """As `colours_in_levels`, from `in_levels`; a lattice's points are examined in both."""
    image_from_small: FloatArray
    """(3, 3) homography."""

    def through(self, grey: NDArray[np.uint8]) -> Views:
        """The same views, with lines searched in that channel of the shrunk picture."""
        return dataclasses.replace(self, grey=with_contrast(grey), grey_in_levels=in_levels(grey))


@dataclasses.dataclass(frozen=True, eq=False)
class GridCandidate:
    """A possible board in a picture."""

    lattice: Lattice
    """In pixels of the shrunk picture."""
    window: Window


def find_grid(image: Image, template: BoardTemplate) -> BoardPose | None:
    """Finds the ruled board, with the corner nearest the picture's top left as its own; None rather than a guess."""
    views = _views(image)
    best = _best(views, template, TRIED)
    if best is None:
        channel = telling_channel(views.small) if image.ndim == 3 else None
        views = views if channel is None else views.through(channel)
        best = None if channel is None else _best(views, template, TRIED_AGAIN)
    if best is None:
        return None
    best = _fitted(views, best.lattice, template, POLISH) or best
    pose = _pose(views, best, template)
    kept = is_believed(best.window) and _men_keep_to_it(views, best, template)
    return pose if kept and is_plausible(pose, template, image) else None


def _men_keep_to_it(views: Views, candidate: GridCandidate, template: BoardTemplate) -> bool:
    """Whether the men of a nearly full board stand on its points along all four sides.

    Where no lines are seen, a lattice may be right in the middle and one row off at a side.
    """
    seen = _looked_at(views, candidate.lattice, template)
    if seen is None:
        return False
    window, evidence = seen
    lines = np.array(lines_of(template))
    left, top = window.left - evidence.origin[0], window.top - evidence.origin[1]
    if evidence.men[top : top + lines[1], left : left + lines[0]].mean() < NEARLY_FULL or not on_points(template):
        return True
    at = project(np.asarray(np.linalg.inv(candidate.lattice.picture_from_lattice)), candidate.lattice.men_px)
    at = at - np.array([window.left, window.top])
    inside = ((at > -0.5) & (at < lines - 0.5)).all(axis=1)
    near, shares = (np.abs(at - np.rint(at)) < ASTRAY).all(axis=1)[inside], (at / (lines - 1))[inside]
    sides = (shares[:, 0] < RIM, shares[:, 0] > 1 - RIM, shares[:, 1] < RIM, shares[:, 1] > 1 - RIM)
    return all(side.any() and near[side].mean() > KEEP for side in sides)


def _best(views: Views, template: BoardTemplate, tried: int) -> GridCandidate | None:
    """The candidate with the highest score, if it is believed; the search ends at the first sure one."""
    best: GridCandidate | None = None
    for candidate in _candidates(views, template, tried):
        if best is None or candidate.window.score > best.window.score:
            best = candidate
        if is_sure(best.window):
            break
    return best if best is not None and is_believed(best.window) else None


def grid_candidates(image: Image, template: BoardTemplate) -> Iterator[GridCandidate]:
    """Yields the best window of every lattice tried in the picture, right or wrong."""
    return _candidates(_views(image), template, TRIED)


def is_believed(window: Window) -> bool:
    """Whether a window is a board, and this window rather than a neighbouring one."""
    return window.score > GOOD and window.lead > CLEARLY and window.weakest_side > SIDE and window.beyond < BEYOND


def is_sure(window: Window) -> bool:
    """Whether a window is so clear that no other needs to be tried."""
    seen = window.score > SURE and window.weakest_side > 2 * SIDE
    return seen and window.lead > 2 * CLEARLY and window.beyond < BEYOND / 3


def _views(image: Image) -> Views:
    grey, small_from_image = shrink(image, WORKING_PX)
    size = grey.shape[1], grey.shape[0]
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    grey = clear_grey(small)
    image_from_small = np.asarray(np.linalg.inv(small_from_image))
    return Views(image, small, with_contrast(grey), in_levels(small), in_levels(grey), image_from_small)


def _candidates(views: Views, template: BoardTemplate, tried: int) -> Iterator[GridCandidate]:
    men_on_points = on_points(template)
    columns, rows = lines_of(template)
    combs = (
        (weave, comb)
        for weave in _weaves(views.grey)
        for comb in find_combs(weave, views.grey, men_on_points, (columns - 1, rows - 1))
    )
    for weave, comb in itertools.islice(combs, tried):
        lattice = fit_lattice(weave, comb, views.grey if men_on_points else None)
        candidate = None if lattice is None else _fitted(views, lattice, template, REFITS)
        if candidate is not None and is_plausible(_pose(views, candidate, template), template, views.image):
            yield candidate


def _fitted(views: Views, lattice: Lattice, template: BoardTemplate, rounds: int) -> GridCandidate | None:
    """The best window of a lattice that is refitted repeatedly to the lines seen in it."""
    seen = _looked_at(views, lattice, template)
    if seen is None:
        return None
    fitted = GridCandidate(lattice, seen[0])
    for number in range(MAX_REFITS if seen[0].score > WORTH else 0):
        low = np.array([seen[0].left, seen[0].top], dtype=np.float64)
        lattice = refit_lattice(lattice, seen[1], low, low + np.array(lines_of(template)) - 1)
        again = _looked_at(views, lattice, template)
        if again is None:
            break
        gained, seen = again[0].score - fitted.window.score, again
        # The score hardly changes while the last tenths of a cell are fitted.
        if gained > -ALIKE_SCORE:
            fitted = GridCandidate(lattice, seen[0])
        # A lattice that lies on some of the lines is pulled to the others step by step.
        if number + 1 >= rounds and gained < GAINS:
            break
    return fitted


def _pose(views: Views, candidate: GridCandidate, template: BoardTemplate) -> BoardPose:
    """The place of the candidate's window in the picture; its quality is the window's score."""
    corners = _corners(candidate.lattice, candidate.window, *lines_of(template))
    pose = pose_from_corners(project(views.image_from_small, corners), template)
    return dataclasses.replace(pose, quality=float(np.clip(candidate.window.score, 0, 1)))


def _weaves(grey: NDArray[np.uint8]) -> Iterator[Weave]:
    """Yields the picture's weaves without duplicates."""
    size = grey.shape[1], grey.shape[0]
    segments = find_segments(grey, MIN_LENGTH, MAX_SEGMENTS)
    seen: list[FloatArray] = []
    middle = np.array(size) / 2
    places = np.concatenate([middle[None], middle + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * middle / 2])
    found = find_weaves(segments, size, np.random.default_rng(0))[:WEAVES]
    rest = (weave_of_quad(segments, quad, size) for quad in find_quads(grey)[:QUADS])
    for weave in itertools.chain(found[:LIKELIEST], _waving(grey, segments), rest, found[LIKELIEST:]):
        if weave is None or askew(weave, size) > ASKEW:
            continue
        angles = _axis_angles(weave, places)
        if all(np.abs(np.sin(angles - other)).max() > ALIKE_RAD for other in seen):
            seen.append(angles)
            yield weave


def _waving(grey: NDArray[np.uint8], segments: Segments) -> Iterator[Weave]:
    """Yields weaves along the rows of men, and along their diagonals, which may be the true rows."""
    for waves in find_waves(grey):
        yield from find_weaves(segments, (grey.shape[1], grey.shape[0]), np.random.default_rng(0), waves)[:WAVES]


def _axis_angles(weave: Weave, places: FloatArray) -> FloatArray:
    """(places, 2) radians, directions of the weave's x and y axes at places in the picture."""
    picture_from_frame = np.asarray(np.linalg.inv(weave.frame_from_picture))
    there = project(weave.frame_from_picture, places)
    steps = [project(picture_from_frame, there + np.array(step)) - places for step in ((1.0, 0.0), (0.0, 1.0))]
    return np.stack([np.arctan2(step[:, 1], step[:, 0]) for step in steps], axis=1)


def _looked_at(views: Views, lattice: Lattice, template: BoardTemplate) -> tuple[Window, Evidence] | None:
    """The best window of a lattice, and the evidence for it."""
    look = ON_POINTS if on_points(template) else ON_SQUARES
    found = []
    lines = lines_of(template)
    pictures, around = (views.colours_in_levels, views.grey_in_levels), max(lines) + AROUND
    for evidence in look_at(*pictures, lattice.picture_from_lattice, lattice.middle, look, around, lattice.men_px):
        window = best_window(evidence, *lines)
        if window is not None:
            found.append((window, evidence))
    return max(found, key=lambda one: one[0].score, default=None)


def lines_of(template: BoardTemplate) -> tuple[int, int]:
    """Number of a ruled board's upright lines, and of its lines across."""
    more = 0 if on_points(template) else 1
    grid = template.source["grid"]
    return int(grid["columns"]) + more, int(grid["rows"]) + more


def on_points(template: BoardTemplate) -> bool:
    """Whether men stand on the crossings, not in the squares."""
    return bool(template.source["grid"]["cells"] == "points")


def _corners(lattice: Lattice, window: Window, columns: int, rows: int) -> FloatArray:
    left, top = float(window.left), float(window.top)
    right, bottom = left + columns - 1, top + rows - 1
    corners = project(
        lattice.picture_from_lattice, np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    )
    if cv2.contourArea(corners.astype(np.float32), oriented=True) < 0:
        corners = corners[::-1]
    return np.asarray(np.roll(corners, -int(np.argmin(corners.sum(axis=1))), axis=0))
