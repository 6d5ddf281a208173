"""Finds a printed board by its markers: which board it is, its orientation, and its exact place.

Three markers that agree on one plane are sufficient; two only if the drawn lines are seen where they say. Fewer are
ignored.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

import games
from calibration.arrays import FloatArray
from calibration.sheet import SheetError, SheetLayout, SheetName, known_sheets, layout_of
from calibration.template import BoardTemplate, load_template
from vision.finding.landmarks import snap_pose
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, project
from vision.primitives.features import shrink

Markers = Mapping[int, FloatArray]
"""Marker id to its (4, 2) corners in the picture, clockwise from its own top left."""

DICTIONARY = cv2.aruco.DICT_5X5_250
LONGER_SIDE_PX = 1600
"""Pixels, longer side of the picture searched for markers first; where some are missed, the full one follows."""
ENOUGH = 3
"""Number of markers that are accepted without checking lines."""
ASIDE = 0.25
"""Greatest distance of a marker's corners from where the others put them, in its sides: paper is never quite flat."""
TWO_MARKERS_QUALITY = 0.7
"""Share of the drawn lines that must be seen where only two markers are found."""
NUDGE = 0.03
"""Greatest correction of the markers' pose by the lines, as a share of the board's side."""


class OtherSheetError(ValueError):
    """The picture shows the printed board of another game."""

    def __init__(self, seen: SheetName, wanted: str) -> None:
        super().__init__(f"this sheet is for {seen}, not for {wanted}")
        self.seen, self.wanted = seen, wanted


def find_sheet(image: Image, template: BoardTemplate) -> tuple[BoardPose, SheetLayout] | None:
    """The printed board in the picture, in its own orientation, and its layout; None where none is seen.

    Raises OtherSheetError where it is surely another game's.
    """
    markers = find_markers(image)
    if not markers:
        return None
    for layout in _layouts(template):
        found = _place(image, layout, markers)
        if found is not None:
            return found, layout
    own = next(_layouts(template), None)
    other, wanted = _name(markers), None if own is None else known_sheets()[own.marker_ids[0]]
    if other is not None and (wanted is None or other.game_and_options != wanted.game_and_options):
        raise OtherSheetError(other, str(wanted or games.find(template.game).title))
    return None


def name_sheet(image: Image) -> SheetName | None:
    """Which printed board is in the picture; None where none is seen with certainty."""
    return _name(find_markers(image))


def find_markers(image: Image) -> dict[int, FloatArray]:
    """The markers of any game's sheet, without those seen twice. 20 to 80 ms."""
    found = _detect(*shrink(image, LONGER_SIDE_PX))
    if 0 < len(found) < 4 and max(image.shape[:2]) > LONGER_SIDE_PX:
        found = {**_detect(*shrink(image, max(image.shape[:2]))), **found}
    return found


def _detect(grey: NDArray[np.uint8], small_from_image: FloatArray) -> dict[int, FloatArray]:
    corners, ids, _ = _detector().detectMarkers(grey)
    numbers = [] if ids is None else [int(number) for number in np.ravel(ids)]
    image_from_small = np.asarray(np.linalg.inv(small_from_image), dtype=np.float64)
    return {
        number: project(image_from_small, np.asarray(square, dtype=np.float64).reshape(4, 2))
        for number, square in zip(numbers, corners, strict=True)
        if number in known_sheets() and numbers.count(number) == 1
    }


def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.minMarkerPerimeterRate = 0.02
    # The edge of the white around a marker must not be taken for the marker's own.
    parameters.minMarkerDistanceRate = 0.03
    parameters.perspectiveRemovePixelPerCell = 8
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), parameters)


def _layouts(template: BoardTemplate) -> Iterator[SheetLayout]:
    try:
        yield layout_of(template, landscape=False)
        yield layout_of(template, landscape=True)
    except SheetError:
        return


def _place(image: Image, layout: SheetLayout, markers: Markers) -> BoardPose | None:
    """The pose of a sheet's board by its markers, refined slightly by the lines."""
    pose, used = _agreed(layout, markers)
    if pose is None or not is_plausible(pose, layout.template, image):
        return None
    snapped = snap_pose(image, pose, layout.template)
    if used < ENOUGH:
        good = snapped.quality >= TWO_MARKERS_QUALITY and is_plausible(snapped, layout.template, image)
        return snapped if good and _near(snapped, pose, layout.template, 2 * NUDGE) else None
    return snapped if _near(snapped, pose, layout.template, NUDGE) else pose


def _agreed(layout: SheetLayout, markers: Markers) -> tuple[BoardPose | None, int]:
    """The pose that most markers of the sheet agree on, and their number."""
    seen = [index for index, marker in enumerate(layout.marker_ids) if marker in markers]
    for count in range(len(seen), 1, -1):
        fits = [_fit(layout, markers, chosen) for chosen in itertools.combinations(seen, count)]
        fitting = [pose for pose in fits if pose is not None]
        if fitting:
            return min(fitting, key=lambda pose: pose.error_px), count
    return None, 0


def _fit(layout: SheetLayout, markers: Markers, chosen: tuple[int, ...]) -> BoardPose | None:
    """The pose that fits these markers; None where they contradict each other."""
    here = layout.markers_mm[list(chosen)].reshape(-1, 2)
    there = np.concatenate([markers[layout.marker_ids[index]] for index in chosen])
    matrix, _ = cv2.findHomography(here, there)
    if matrix is None or not np.isfinite(matrix).all():
        return None
    errors = np.linalg.norm(project(np.asarray(matrix, dtype=np.float64), here) - there, axis=1)
    sides = np.linalg.norm(there.reshape(-1, 4, 2) - np.roll(there.reshape(-1, 4, 2), 1, axis=1), axis=2)
    if (errors.reshape(-1, 4).max(axis=1) > ASIDE * sides.mean(axis=1)).any():
        return None
    return BoardPose(np.asarray(matrix / matrix[2, 2], dtype=np.float64), float(np.median(errors)), 1.0)


def _near(one: BoardPose, other: BoardPose, template: BoardTemplate, share: float) -> bool:
    corners = other.corners_px(template)
    side = float(np.sqrt(abs(cv2.contourArea(corners.astype(np.float32)))))
    return bool(np.linalg.norm(one.corners_px(template) - corners, axis=1).max() < share * side)


def _name(markers: Markers) -> SheetName | None:
    """The sheet whose markers are seen and agree; at least three are needed."""
    for name in sorted({known_sheets()[marker] for marker in markers}, key=str):
        layout = layout_of(load_template(name.game, name.options), name.landscape)
        pose, used = _agreed(layout, markers)
        if pose is not None and used >= ENOUGH:
            return name
    return None
