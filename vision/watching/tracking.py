"""Keeps hold of a located board from frame to frame by optical flow; costs a few milliseconds."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.primitives.features import board_mask, fit_homography

FloatArray = NDArray[np.float64]
Grey = NDArray[np.uint8]

POINTS = 300
SURROUNDING_POINTS = 120
FEWEST = 12
RETURN_PX = 0.7
"""How far a point may land from where it started when the flow is followed there and back."""
AGREE_PX = 1.2
AGREE_SHARE = 0.5
"""Least share of the followed points that must move as one board."""
MOVED_SUPPORT = 0.25
"""Least share of the key frame's points for a board that has moved: fewer fit anything, and swing about."""
STILL_PX = 0.7
"""A point that went less far since the key frame has not moved."""
STILL_SHARE = 0.6
SAME_PX, SAME = 9, 0.9
"""Window, and correlation within it, at which the picture around a point looks as it did in the key frame."""
STANDS_SHARE = 0.35
"""Share of the board that must look as it did for a board that stands where it was, a hand over the rest of it."""
UNTOUCHED = 0.9
"""Share of the key frame's points that must have stayed for a board that nobody touches."""


@dataclasses.dataclass(frozen=True, eq=False)
class Track:
    """Where the board went."""

    now_from_key: FloatArray
    """(3, 3) homography: pixels of the key frame to pixels of the newest."""
    support: float
    """Share of the key frame's points that still say so, 0 to 1; 0 where only the surroundings or the likeness do."""

    @property
    def untouched(self) -> bool:
        """Whether nearly all of the board is seen where it was in the key frame."""
        return self.support > UNTOUCHED and np.array_equal(self.now_from_key, np.eye(3))


class Tracker:
    """Follows the points of one key frame, so that errors cannot add up over time."""

    def __init__(self, grey: Grey, image_from_board: FloatArray, template: BoardTemplate) -> None:
        # Points beside the lines may belong to the table, which stays when the board is pushed.
        board = board_mask(grey.shape, image_from_board, template, template.man_diameter_mm / 2)
        around = 255 - board_mask(grey.shape, image_from_board, template, template.margin_mm)
        self._key = _corners(grey, board, POINTS)
        self._now = self._key.copy()
        self._count = max(1, len(self._key))
        self._key_grey, self._places = grey, np.round(self._key).astype(np.intp)
        self._around_key = _corners(grey, np.asarray(around, dtype=np.uint8), SURROUNDING_POINTS)
        self._around = self._around_key.copy()
        self._grey = grey

    def follow(self, grey: Grey) -> Track | None:
        """Where the board is in the next frame; None where too little of it could be followed."""
        track = self._board_track(follow_points(self._grey, grey, self._now))
        if track is not None and track.untouched:
            # Where nearly all of the board has stayed, the table around it has too: it need not be followed.
            self._grey = grey
            return track
        around = follow_points(self._grey, grey, self._around)
        track = track or self._still_track(around)
        if track is None:
            if self.same_share(grey) < STANDS_SHARE:
                return None
            # No flow is found to a picture in another light; what a hand leaves in view shows that the board stands.
            self._grey = grey
            return Track(np.eye(3), 0.0)
        self._grey = grey
        self._around_key, self._around = self._around_key[around.kept], around.points[around.kept]
        return track

    def same_share(self, grey: Grey) -> float:
        """Share of the board, 0 to 1, that looks in a frame as it did in the key frame, at the same place; 5 ms.

        Normalised cross-correlation around the key frame's points, so that light does not count. Of a board that has
        moved by 2 pixels, or is gone, less than a quarter does; of one under a hand, what the hand leaves in view.
        """
        if len(self._places) < FEWEST or grey.shape != self._key_grey.shape:
            return 0.0
        columns, rows = self._places.T
        return float((_correlation(self._key_grey, grey)[rows, columns] > SAME).mean())

    def _board_track(self, flow: Flow) -> Track | None:
        key, now = self._key[flow.kept], flow.points[flow.kept]
        if len(key) < FEWEST:
            return None
        still = np.linalg.norm(now - key, axis=1) < STILL_PX
        if still.mean() > STILL_SHARE:
            # A fit to what a hand leaves in view would only swing about: the board rests.
            self._key, self._now = key[still], now[still]
            return Track(np.eye(3), len(self._key) / self._count)
        matrix, agree = fit_homography(key, now, cv2.RANSAC, AGREE_PX)
        if matrix is None or agree.sum() < max(FEWEST, AGREE_SHARE * len(key), MOVED_SUPPORT * self._count):
            return None
        # What a hand carried along, or hid, is forgotten until the next key frame.
        self._key, self._now = key[agree], now[agree]
        return Track(matrix, len(self._key) / self._count)

    def _still_track(self, flow: Flow) -> Track | None:
        """A hand hides the board, but the table around it has not moved since the key frame."""
        key, now = self._around_key[flow.kept], flow.points[flow.kept]
        if len(key) < FEWEST:
            return None
        still = np.linalg.norm(now - key, axis=1) < STILL_PX
        return Track(np.eye(3), 0.0) if still.mean() > STILL_SHARE else None


@dataclasses.dataclass(frozen=True, eq=False)
class Flow:
    """Where points went."""

    points: FloatArray
    """(n, 2) new places."""
    kept: NDArray[np.bool_]
    """(n,) whether the place can be trusted."""


def follow_points(before: Grey, after: Grey, points: FloatArray) -> Flow:
    """Pyramidal Lucas-Kanade flow, kept only where following it back leads to the start."""
    if len(points) == 0:
        return Flow(points, np.zeros(0, dtype=np.bool_))
    start = points.astype(np.float32).reshape(-1, 1, 2)
    there, found, _ = cv2.calcOpticalFlowPyrLK(before, after, start, np.zeros_like(start), winSize=(15, 15), maxLevel=3)
    back, returned, _ = cv2.calcOpticalFlowPyrLK(after, before, there, start.copy(), winSize=(15, 15), maxLevel=3)
    error = np.linalg.norm((back - start).reshape(-1, 2), axis=1)
    kept = (found.ravel() == 1) & (returned.ravel() == 1) & (error < RETURN_PX)
    return Flow(np.asarray(there.reshape(-1, 2), dtype=np.float64), np.asarray(kept, dtype=np.bool_))


def _corners(grey: Grey, mask: Grey, count: int) -> FloatArray:
    found = cv2.goodFeaturesToTrack(grey, count, 0.01, 6, mask=mask)
    return np.zeros((0, 2)) if found is None else np.asarray(found.reshape(-1, 2), dtype=np.float64)


def _correlation(one: Grey, other: Grey) -> NDArray[np.float32]:
    """(height, width) normalised cross-correlation, -1 to 1, of two pictures within a window around each pixel."""
    window = (SAME_PX, SAME_PX)
    first, second = one.astype(np.float32), other.astype(np.float32)
    mean, other_mean = cv2.blur(first, window), cv2.blur(second, window)
    variances = (cv2.blur(first * first, window) - mean**2) * (cv2.blur(second * second, window) - other_mean**2)
    products = cv2.blur(first * second, window) - mean * other_mean
    return np.asarray(products / np.sqrt(np.maximum(variances, 1e-3)), dtype=np.float32)
