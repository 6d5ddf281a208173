"""Fits a ruled board, bare or covered with men, to the lattice of its lines near a proposed place.

1. Take the lattices of the spacings at which straight edges repeat in the proposed perspective, then the proposed
   board's own, which may be half a cell off.
2. Examine every point of a lattice for pieces of lines, men and bare board. The window with the board's number of lines
   that explains this best is the board, if it does so clearly better than any other window.
3. Refit the lattice to the lines seen in its window.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from vision.finding.lattice import Lattice, Pieces, fit_lattice, refit_lattice
from vision.finding.lattice_evidence import AROUND, ASTRAY, ON_POINTS, ON_SQUARES, Evidence, in_levels, look_at
from vision.finding.lattice_window import Window, best_window
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project
from vision.primitives.channels import telling_channel, with_contrast
from vision.primitives.combs import find_combs
from vision.primitives.features import shrink
from vision.primitives.round_men import find_round_men
from vision.primitives.segments import Segments, find_segments, weave_of_quad

MIN_LINES = 9
"""Least number of lines each way; smaller boards are found by their outline, since so small a lattice fits anything."""
WORKING_PX = 1000
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


@dataclasses.dataclass(frozen=True, eq=False)
class Views:
    small: Image
    grey: NDArray[np.uint8]
    """The shrunk picture in one channel, in which edges are searched."""
    colours_in_levels: Image
    grey_in_levels: NDArray[np.uint8]
    """As `colours_in_levels`, from `in_levels`; a lattice's points are examined in both."""
    image_from_small: FloatArray

    @functools.cached_property
    def segments(self) -> Segments:
        return find_segments(self.grey)

    def through(self, grey: NDArray[np.uint8]) -> Views:
        """The same views, with lines searched in that channel of the shrunk picture."""
        return dataclasses.replace(self, grey=with_contrast(grey), grey_in_levels=in_levels(grey))


@dataclasses.dataclass(frozen=True, eq=False)
class Candidate:
    lattice: Lattice
    """In pixels of the shrunk picture."""
    window: Window
    template: BoardTemplate


class Scene:
    def __init__(self, image: Image) -> None:
        self.image = image

    @functools.cached_property
    def grey(self) -> Views:
        grey, small_from_image = shrink(self.image, WORKING_PX)
        size = grey.shape[1], grey.shape[0]
        small = np.asarray(cv2.resize(self.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        image_from_small = np.asarray(np.linalg.inv(small_from_image))
        return Views(small, with_contrast(grey), in_levels(small), in_levels(grey), image_from_small)

    @functools.cached_property
    def channel(self) -> Views | None:
        """The picture by the channel that shows more than lightness does; None if none does."""
        channel = telling_channel(self.grey.small)
        return None if channel is None else self.grey.through(channel)


def fit_board(
    scene: Scene, quads: Sequence[FloatArray], templates: Sequence[BoardTemplate]
) -> tuple[BoardPose, BoardTemplate] | None:
    """The pose near one of the proposed quads that the picture's lattice confirms; its quality is the window's score.

    Of the templates, which differ only in their number of lines, it is that of the lines that are seen.
    """
    for name in ("grey", "channel"):
        views: Views | None = getattr(scene, name)
        best = None if views is None else _best(views, quads, templates)
        if views is None or best is None:
            continue
        for one in (_refitted(views, best.lattice, [best.template], POLISH), best):
            if one is not None and _is_believed(one.window) and _men_keep_to_it(views, one):
                return _pose_of(views, one), one.template
    return None


def _best(views: Views, quads: Sequence[FloatArray], templates: Sequence[BoardTemplate]) -> Candidate | None:
    """The believed candidate with the highest score, if no other place has a higher one; the first sure one ends it."""
    found: list[tuple[Candidate, FloatArray]] = []
    for lattice in itertools.chain.from_iterable(_lattices(views, quad, templates) for quad in quads):
        candidate = _refitted(views, lattice, templates, REFITS)
        if candidate is None:
            continue
        found.append((candidate, _pose_of(views, candidate).corners_px(candidate.template)))
        if _is_sure(candidate.window):
            break
    found.sort(key=lambda one: -one[0].window.score)
    for candidate, corners in found:
        # Half a cell off it is another place: a board of other lines scores highest where it is not believed.
        near = np.linalg.norm(corners[0] - corners[2]) / np.sqrt(8) / max(lines_of(candidate.template))
        if np.linalg.norm(corners - found[0][1], axis=1).max() < near and _is_believed(candidate.window):
            return candidate
    return None


def _lattices(views: Views, corners_px: FloatArray, templates: Sequence[BoardTemplate]) -> Iterator[Lattice]:
    """Those of the spacings at which edges repeat, then the proposed ones: they half fit a board of other lines too."""
    columns, rows = (min(lines) - 1 for lines in zip(*map(lines_of, templates), strict=True))
    on_them = on_points(templates[0])
    quad = project(np.asarray(np.linalg.inv(views.image_from_small)), corners_px)
    weave = weave_of_quad(views.segments, quad)
    if weave is not None:
        for comb in find_combs(weave, views.grey, on_them, (columns, rows)):
            lattice = fit_lattice(weave, comb, views.grey if on_them else None)
            if lattice is not None:
                yield lattice
    for template in templates:
        yield _lattice(views, pose_from_corners(corners_px, template), template)


def _lattice(views: Views, start: BoardPose, template: BoardTemplate) -> Lattice:
    """The proposed board's lattice in the shrunk picture, with the round men seen on it."""
    columns, rows = (count - 1 for count in lines_of(template))
    board_from_lattice = np.diag([template.size_mm[0] / columns, template.size_mm[1] / rows, 1.0])
    small_from_image = np.asarray(np.linalg.inv(views.image_from_small))
    matrix = np.asarray(small_from_image @ start.image_from_board @ board_from_lattice)
    men = np.zeros((0, 2))
    if on_points(template):
        lattice_from_small = np.asarray(np.linalg.inv(matrix))
        men = find_round_men(
            views.grey, lattice_from_small, np.array([-1.0, -1.0]), np.array([columns + 1.0, rows + 1.0])
        )
        men = project(matrix, men) if len(men) else men.reshape(0, 2)
    ends = np.repeat(men[:, None], 2, axis=1)
    axis = np.repeat(np.array([0, 1], dtype=np.intp), len(men))
    pieces = Pieces(np.concatenate([ends, ends]), axis, np.full(2 * len(men), 1.5))
    return Lattice(matrix / matrix[2, 2], np.array([columns / 2, rows / 2]), pieces)


def _men_keep_to_it(views: Views, candidate: Candidate) -> bool:
    """Whether the men of a nearly full board stand on its points along all four sides.

    Where no lines are seen, a lattice may be right in the middle and one row off at a side.
    """
    template = candidate.template
    seen = _looked_at(views, candidate.lattice, [template])
    if seen is None:
        return False
    window, evidence, _ = seen
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


def _is_believed(window: Window) -> bool:
    """Whether a window is a board, and this window rather than a neighbouring one."""
    return window.score > GOOD and window.lead > CLEARLY and window.weakest_side > SIDE and window.beyond < BEYOND


def _is_sure(window: Window) -> bool:
    """Whether a window is so clear that no other needs to be tried."""
    seen = window.score > SURE and window.weakest_side > 2 * SIDE
    return seen and window.lead > 2 * CLEARLY and window.beyond < BEYOND / 3


def _refitted(views: Views, lattice: Lattice, templates: Sequence[BoardTemplate], rounds: int) -> Candidate | None:
    """The best window of a lattice that is refitted repeatedly to the lines seen in it."""
    seen = _looked_at(views, lattice, templates)
    if seen is None:
        return None
    fitted = Candidate(lattice, seen[0], seen[2])
    for number in range(MAX_REFITS if seen[0].score > WORTH else 0):
        low = np.array([seen[0].left, seen[0].top], dtype=np.float64)
        lattice = refit_lattice(lattice, seen[1], low, low + np.array(lines_of(seen[2])) - 1)
        again = _looked_at(views, lattice, templates)
        if again is None:
            break
        gained, seen = again[0].score - fitted.window.score, again
        # The score hardly changes while the last tenths of a cell are fitted.
        if gained > -ALIKE_SCORE or (seen[2] is not fitted.template and _rank(seen[0]) > _rank(fitted.window)):
            fitted = Candidate(lattice, seen[0], seen[2])
        # A lattice that lies on some of the lines is pulled to the others step by step.
        if number + 1 >= rounds and gained < GAINS:
            break
    return fitted


def _pose_of(views: Views, candidate: Candidate) -> BoardPose:
    """The place of the candidate's window in the picture; its quality is the window's score."""
    corners = _corners(candidate.lattice, candidate.window, *lines_of(candidate.template))
    pose = pose_from_corners(project(views.image_from_small, corners), candidate.template)
    return dataclasses.replace(pose, quality=float(np.clip(candidate.window.score, 0, 1)))


def _looked_at(
    views: Views, lattice: Lattice, templates: Sequence[BoardTemplate]
) -> tuple[Window, Evidence, BoardTemplate] | None:
    look = ON_POINTS if on_points(templates[0]) else ON_SQUARES
    found = []
    around = max(max(lines_of(template)) for template in templates) + AROUND
    pictures = views.colours_in_levels, views.grey_in_levels
    for evidence in look_at(*pictures, lattice.picture_from_lattice, lattice.middle, look, around, lattice.men_px):
        windows = [(best_window(evidence, *lines_of(template)), template) for template in templates]
        fitting = [(window, evidence, template) for window, template in windows if window is not None]
        found += [max(fitting, key=lambda one: _rank(one[0]))] if fitting else []
    return max(found, key=lambda one: one[0].score, default=None)


def _rank(window: Window) -> tuple[bool, float]:
    """A part of a board may score as high as all of it, but its lines go on."""
    return window.beyond < BEYOND, window.score


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
