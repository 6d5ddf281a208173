"""Finds a board never seen before, without markers or profile, from the template's drawing alone.

1. Detect straight edges, and the pairs of vanishing points at which many of them, or a quadrangle's sides, aim.
2. Rectify by such a pair. A board is then an upright rectangle whose lines are known except for its shape parameters,
   and any pair of horizontal lines with any pair of vertical ones may be its outline. Sums along rows and columns score
   tens of thousands of outlines at once.
3. Snap the best outlines to the drawn lines and measure them; the one whose lines are really there wins, or none.
4. Where the grey picture shows no board, repeat on a colour channel with more edges.

A template with a print is found by that print instead, a chequered one by its squares, and a ruled one by its lattice.
A result is accepted only if the evidence for it outweighs the evidence against it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.finding.bare_lines import bare_share
from vision.finding.chequered import find_chequered
from vision.finding.confidence import BELIEVED, is_ruled, sure_of
from vision.finding.found import Found, FoundBy
from vision.finding.grid_finder import find_grid
from vision.finding.markers import find_sheet, name_sheet
from vision.finding.outlines import Outline, find_outlines
from vision.finding.pose_quality import right_way_round, snap_pose
from vision.finding.print_match import find_print
from vision.finding.stray_lines import stray_share
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, project
from vision.primitives.channels import telling_channel
from vision.primitives.features import shrink
from vision.primitives.lines import measure_shape, refine_pose
from vision.primitives.quads import find_quads
from vision.primitives.segments import find_segments, find_weaves, weave_of_quad

FloatArray = NDArray[np.float64]

WORKING_PX = 900
"""Pixels, longer side of the picture in which lines are searched."""
WEAVES = 4
TRIED = 24
"""Number of outlines that are examined closely."""
FOUND_QUALITY = 0.55
"""Share of the drawn lines that must be seen."""
MAX_STRAYS = 0.25
"""Length of unexplained lines inside the frame, as a share of the template's, that rules an outline out."""
SAME = 0.05
"""Distance of corners, as a share of the side, below which two outlines count as one."""
REPEATS = 0.02
"""The same before outlines are snapped to lines: a start that fails may have a neighbour that succeeds."""
DOUBTFUL = 0.02
"""Evidence against a board, as a share of its lines, from which boards within it are tried too."""
SURE = 0.7
"""Merit from which no further board is tried."""


@dataclasses.dataclass(frozen=True, eq=False)
class Rated:
    """A candidate board and the evidence against it."""

    found: Found
    strays: float
    """Length of unexplained lines inside the frame, as a share of the template's."""
    bare: float
    """Share of its lines where bare board is seen instead."""

    @property
    def against(self) -> float:
        """Evidence against it: 0 for the right board, unless something covers it."""
        return self.strays + 2 * self.bare

    @property
    def merit(self) -> float:
        """Rank of the candidate: greater is likelier."""
        return self.found.pose.quality - 4 * self.against


def find_board(image: Image, template: BoardTemplate) -> Found | None:
    """Finds the board in the picture; returns None rather than a guess.

    A board recognised by its lines alone gets the corner nearest the picture's top left as its own top left; a print,
    or a printed board's markers, show the true corner. A printed board seen in a mirror does not count. Raises
    OtherSheetError where the printed board of another game is seen.
    """
    sheet = find_sheet(image, template)
    if sheet is None:
        return None if name_sheet(mirrored(image)) is not None else find_drawn(image, template)
    return surely(image, Found(sheet[0], sheet[1].template, sheet[1], "markers"))


def is_mirrored(image: Image, template: BoardTemplate) -> bool:
    """Whether the picture shows a printed board mirrored; for a board that is only drawn this cannot be determined."""
    mirror = mirrored(image)
    if name_sheet(mirror) is not None:
        return True
    return (
        template.printed is not None
        and find_print(image, template) is None
        and find_print(mirror, template) is not None
    )


def mirrored(image: Image) -> Image:
    """The picture flipped left to right."""
    return np.ascontiguousarray(image[:, ::-1])


def find_drawn(image: Image, template: BoardTemplate) -> Found | None:
    """Like `find_board`, but by the board's drawing or print alone, ignoring markers."""
    if template.printed is not None:
        found = _found_by("print", find_print(image, template), template)
    elif template.first_square:
        pose = find_chequered(image, template) or _lined_squares(image, template)
        found = _found_by("squares", pose, template)
    elif is_ruled(template):
        found = _found_by("lattice", find_grid(image, template), template)
    else:
        found = _find_outline(image, template)
    return None if found is None else surely(image, found)


def surely(image: Image, found: Found) -> Found | None:
    """The board with its probability; None where that is below `BELIEVED`."""
    sure = sure_of(image, found)
    return dataclasses.replace(found, sure=sure) if sure >= BELIEVED else None


def _found_by(what: FoundBy, pose: BoardPose | None, template: BoardTemplate) -> Found | None:
    return None if pose is None else Found(pose, template, found_by=what)


def _lined_squares(image: Image, template: BoardTemplate) -> BoardPose | None:
    """A chequered board whose squares are parted by lines: its lattice, if its squares are coloured as they should."""
    pose = find_grid(image, template)
    if pose is None:
        return None
    pose = snap_pose(image, right_way_round(image, pose, template), template)
    return pose if pose.quality >= FOUND_QUALITY and is_plausible(pose, template, image) else None


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
    # A second round at full resolution, now that pose and shape are nearly right.
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
    """The outline whose lines are seen best with least evidence against it; each board is examined once."""
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
    """The outlines, upright, without near-duplicates of a better one."""
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
    """Other readings of the lines, in case those of the frame are none: the next ring inside is then the frame.

    A shape parameter is a share of the half board. The ring that it moves is the frame reduced by that share, and each
    further ring takes the place of the one before; the last parameters are then unknown.
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
