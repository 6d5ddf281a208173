"""Finds a board that was never seen before: no marks, no profile, only the template's drawing.

1. Straight edges, and the pairs of vanishing points at which many of them, or the sides of a quadrangle, aim.
2. In the frame where such a pair runs along x and y, a board is an upright rectangle whose lines are known but for
   its shape parameters: every pair of lines across and every pair of upright ones may be its outline. Sums along
   rows and columns score tens of thousands of them at once.
3. The best are snapped to the drawn lines and measured; the one whose lines are really there wins, or none.
4. Where the grey picture shows no board, a colour channel with more edges is looked at in the same way.

A board whose print the template describes is found by that print instead, and a ruled one by its lattice. Whatever was
found is believed only if what speaks for it outweighs what speaks against it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.finding.confidence import BELIEVED, is_ruled, sure_of
from vision.finding.found import Found, Told
from vision.finding.gaps import bare_share
from vision.finding.grid_finder import find_grid
from vision.finding.markers import find_sheet, name_sheet
from vision.finding.outlines import Outline, find_outlines
from vision.finding.print_match import find_print
from vision.finding.strays import stray_share
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, project
from vision.primitives.channels import telling_channel
from vision.primitives.features import shrink
from vision.primitives.lines import measure_shape, refine_pose
from vision.primitives.quads import find_quads
from vision.primitives.segments import find_segments, find_weaves, weave_of_quad

FloatArray = NDArray[np.float64]

WORKING_PX = 900
"""Longer side of the picture in which lines are looked for."""
WEAVES = 4
TRIED = 24
"""Outlines that are looked at closely."""
FOUND_QUALITY = 0.55
"""Share of the drawn lines that must be seen."""
MAX_STRAYS = 0.25
"""Length of unexplained lines inside the frame, as a share of the template's, that rules an outline out."""
SAME = 0.05
"""Distance of corners, as a share of the side, below which two outlines are one."""
REPEATS = 0.02
"""The same before they are snapped to lines: a start that fails may have a neighbour that does not."""
DOUBTFUL = 0.02
"""What may speak against a board, in shares of its lines, before others are looked for within it."""
SURE = 0.7
"""Merit of a board after which no other is tried."""


@dataclasses.dataclass(frozen=True, eq=False)
class Rated:
    """A board that may be the one in the picture, and what speaks against it."""

    found: Found
    strays: float
    """Length of lines inside the frame that it leaves unexplained, as a share of the template's."""
    bare: float
    """Share of its lines at whose place bare board is seen."""

    @property
    def against(self) -> float:
        """0 for the right board, unless something lies on it."""
        return self.strays + 2 * self.bare

    @property
    def merit(self) -> float:
        """The greater, the likelier."""
        return self.found.pose.quality - 4 * self.against


def find_board(image: Image, template: BoardTemplate) -> Found | None:
    """The board in the picture; None rather than a guess.

    A board told by its lines alone has its top left corner where the picture has; a print, or the markers of a printed
    board, show which corner it is. A printed board that is seen in a mirror is none. Raises OtherSheetError where the
    printed board of another game is seen.
    """
    sheet = find_sheet(image, template)
    if sheet is None:
        return None if name_sheet(mirrored(image)) is not None else find_drawn(image, template)
    return surely(image, Found(sheet[0], sheet[1].template, sheet[1], "markers"))


def is_mirrored(image: Image, template: BoardTemplate) -> bool:
    """Whether the picture shows a printed board as a mirror does. Of one that is only drawn nothing tells it."""
    mirror = mirrored(image)
    if name_sheet(mirror) is not None:
        return True
    return (
        template.printed is not None
        and find_print(image, template) is None
        and find_print(mirror, template) is not None
    )


def mirrored(image: Image) -> Image:
    """The picture with left and right exchanged."""
    return np.ascontiguousarray(image[:, ::-1])


def find_drawn(image: Image, template: BoardTemplate) -> Found | None:
    """The same by what is drawn or printed on the board alone: no markers are looked for."""
    if template.printed is not None:
        found = _told_by("print", find_print(image, template), template)
    elif is_ruled(template):
        found = _told_by("lattice", find_grid(image, template), template)
    else:
        found = _find_outline(image, template)
    return None if found is None else surely(image, found)


def surely(image: Image, found: Found) -> Found | None:
    """The board with how sure it is; None where that is too little."""
    sure = sure_of(image, found)
    return dataclasses.replace(found, sure=sure) if sure >= BELIEVED else None


def _told_by(what: Told, pose: BoardPose | None, template: BoardTemplate) -> Found | None:
    return None if pose is None else Found(pose, template, told_by=what)


def _find_outline(image: Image, template: BoardTemplate) -> Found | None:
    grey, small_from_image = shrink(image, WORKING_PX)
    best = _search(grey, template)
    if best is None and image.ndim == 3:
        size = grey.shape[1], grey.shape[0]
        view = telling_channel(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8))
        best = _search(view, template) if view is not None else None
    if best is None:
        return None
    image_from_board = np.asarray(np.linalg.inv(small_from_image)) @ best.pose.image_from_board
    # A second round, now that pose and shape are nearly right, in the whole picture.
    found = _examine(image, dataclasses.replace(best.pose, image_from_board=image_from_board), best.template)
    return found if found is not None and found.pose.quality >= FOUND_QUALITY else None


def _search(grey: NDArray[np.uint8], template: BoardTemplate) -> Found | None:
    segments = find_segments(grey)
    size = grey.shape[1], grey.shape[0]
    weaves = [weave_of_quad(segments, quad, size) for quad in find_quads(grey)]
    weaves += find_weaves(segments, size, np.random.default_rng(0))[:WEAVES]
    outlines = [outline for weave in weaves if weave is not None for outline in find_outlines(weave, template)]
    outlines.sort(key=lambda outline: -outline.score)
    best = _best(grey, template, outlines)
    return best.found if best is not None else None


def _best(grey: NDArray[np.uint8], template: BoardTemplate, outlines: Sequence[Outline]) -> Rated | None:
    """The outline whose lines are seen best with least against it; each board is looked at once."""
    best: Rated | None = None
    examined: list[FloatArray] = []
    for outline in _distinct(outlines, template)[:TRIED]:
        guess = pose_from_corners(outline.corners, template)
        waiting = [(guess, template.with_shape(outline.shape))]
        while waiting:
            pose, shaped = waiting.pop()
            if _known(pose.corners_px(shaped), examined):
                continue
            rated = _rate(grey, pose, shaped)
            if rated is None:
                continue
            examined.append(rated.found.pose.corners_px(shaped))
            if rated.against > DOUBTFUL:
                waiting += _rings(rated.found, template)
            if rated.strays < MAX_STRAYS and (best is None or rated.merit > best.merit):
                best = rated
        if best is not None and best.merit > SURE and best.against < DOUBTFUL:
            break
    return best


def _distinct(outlines: Sequence[Outline], template: BoardTemplate) -> list[Outline]:
    """The outlines, upright, without those that nearly repeat a better one."""
    distinct: list[Outline] = []
    for outline in outlines:
        outline = dataclasses.replace(outline, corners=_upright(outline.corners, template))
        if not _known(outline.corners, [other.corners for other in distinct], REPEATS):
            distinct.append(outline)
        if len(distinct) == TRIED:
            break
    return distinct


def _known(corners: FloatArray, others: Sequence[FloatArray], limit: float = SAME) -> bool:
    return any(np.linalg.norm(corners - other, axis=1).max() < limit * _side(other) for other in others)


def _rings(found: Found, template: BoardTemplate) -> list[tuple[BoardPose, BoardTemplate]]:
    """What else the lines may be if those of the frame are none: the next ring inside is the frame.

    A shape parameter is a share of the half board, so the ring that it moves is the frame made so much smaller, and
    each further ring takes the place of the one before; nothing is known of the last ones then.
    """
    middle = np.array(template.size_mm) / 2
    names = sorted(found.template.shape, key=lambda name: -found.template.shape[name])
    candidates = []
    for index, name in enumerate(names):
        value = found.template.shape[name]
        known = zip(names, names[index + 1 :], strict=False)
        shape = dict(template.shape) | {outer: found.template.shape[inner] / value for outer, inner in known}
        ring = project(found.pose.image_from_board, middle + value * (template.corners_mm - middle))
        candidates.append((pose_from_corners(ring, template), template.with_shape(shape)))
    return candidates


def _rate(grey: NDArray[np.uint8], pose: BoardPose, template: BoardTemplate) -> Rated | None:
    found = _examine(grey, pose, template)
    if found is None or found.pose.quality < FOUND_QUALITY:
        return None
    strays = stray_share(grey, found.pose, found.template)
    return Rated(found, strays, bare_share(grey, found.pose, found.template))


def _examine(image: Image, pose: BoardPose, template: BoardTemplate) -> Found | None:
    if not is_plausible(pose, template, image):
        return None
    pose = refine_pose(image, pose, template)
    if pose.quality < FOUND_QUALITY / 2 or not is_plausible(pose, template, image):
        return None
    if template.shape:
        template = measure_shape(image, pose, template)
        pose = refine_pose(image, pose, template)
    return Found(pose, template) if is_plausible(pose, template, image) else None


def _side(corners: FloatArray) -> float:
    return float(np.linalg.norm(corners[0] - corners[2]) / np.sqrt(2))


def _upright(corners: FloatArray, template: BoardTemplate) -> FloatArray:
    """The corners, clockwise, turned so that the first is the nearest to the picture's top left."""
    width, height = template.size_mm
    turns = range(4) if np.isclose(width, height) else (0, 2)
    return np.roll(corners, -min(turns, key=lambda turn: float(corners[turn].sum())), axis=0)
