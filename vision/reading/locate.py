"""Reads single photos: locates the board by given corners, the profile's reference picture, or its drawing."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from calibration.arrays import FloatArray
from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from vision.finding.finder import find_board
from vision.finding.found import Found
from vision.finding.landmarks import pose_quality, right_way_round, snap_pose
from vision.finding.paper import in_white_light
from vision.finding.proposals import board_network
from vision.frame import Frame, Image
from vision.pose import BoardPose, is_plausible, place_fault, pose_from_corners, rectify
from vision.primitives.lines import measure_shape
from vision.reading.board_reading import BoardReading
from vision.reading.pawns import Pawn, find_pawns
from vision.reading.raised_faces import read_faces
from vision.reading.reader import Reader, reference_of
from vision.watching.align import Aligner


@dataclasses.dataclass(frozen=True, eq=False)
class ReadPhoto:
    pose: BoardPose
    template: BoardTemplate
    """The template with the shape used for reading."""
    reading: BoardReading
    pawns: Mapping[str, Pawn]
    """Pawns by colour; empty on boards without a track."""


class PhotoReader:
    def __init__(
        self, template: BoardTemplate, profile: TableProfile | None = None, sizes: Sequence[BoardTemplate] = ()
    ) -> None:
        """Without a profile, boards of other `sizes` are read as well. Raises ProfileError, WeightsError."""
        self._sizes = () if profile is not None else tuple(sizes)
        self._template = template if profile is None else template.with_shape(profile.shape)
        self._reference = None if profile is None else reference_of(profile)
        self._reader = Reader(self._template, profile)
        board_network()

    @property
    def template(self) -> BoardTemplate:
        return self._template

    def read(self, image: Image, corners_px: FloatArray | None = None) -> ReadPhoto | None:
        """Reads the board in the photo; None if no board is seen. Raises OtherSheetError."""
        placed = self.place(image, corners_px)
        return None if placed is None else self.read_at(image, placed)

    def place(self, image: Image, corners_px: FloatArray | None = None) -> Found | None:
        """Locates the board in the photo; None if none is seen. Raises OtherSheetError."""
        if corners_px is not None:
            return self._place_at(image, corners_px)
        if self._reference is not None:
            aligner = Aligner(self._template, self._reference)
            alignment = aligner.update(Frame(image, 0.0, 0))
            if alignment.pose is not None:
                return Found(alignment.pose, aligner.template, found_by="reference").rated(image)
        return find_board(image, self._template, self._sizes)

    def place_fault(self, image: Image, corners_px: FloatArray) -> str:
        """Why the board cannot lie at these corners; empty where it can."""
        return place_fault(pose_from_corners(corners_px, self._template), self._template, image)

    def read_at(self, image: Image, placed: Found) -> ReadPhoto:
        pose, template = placed.pose, placed.template
        self._reader.template = template
        self._reader.seen_in = image, pose
        rectified = rectify(image, pose, template)
        if placed.sheet is not None and self._reference is None:
            # Profiles are fitted without white balance, so only readings without one are corrected.
            rectified = in_white_light(rectified, image, pose, placed.sheet)
        reading = self._reader.read(rectified, 0.0)
        if reading.tiles is not None:
            reading = read_faces(self._reader, image, pose, template, reading)
        return ReadPhoto(pose, template, reading, find_pawns(rectified, template))

    def _place_at(self, image: Image, corners_px: FloatArray) -> Found | None:
        pose, template = pose_from_corners(corners_px, self._template), self._template
        if not is_plausible(pose, template, image):
            return None
        pose = right_way_round(image, pose, template)
        if template.shape and self._reference is None:
            template = measure_shape(image, pose, template)
        return Found(refine_if_better(image, pose, template), template, found_by="hand").rated(image)


def refine_if_better(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """Snaps the pose to the drawn lines or the print, if the result is plausible and fits the picture better."""
    refined = snap_pose(image, pose, template)
    before = pose_quality(image, pose, template)
    if refined.quality > before and is_plausible(refined, template, image):
        return refined
    return dataclasses.replace(pose, quality=before)
