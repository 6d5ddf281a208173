"""Finds a known board in the next picture, even when partly covered and when board or camera has moved.

The known view is a picture of the board from straight above, in the board's own frame. The next picture is rectified
into that frame with the board's last pose; optical flow measures the remaining offset. So neither a swaying camera nor
a pushed board changes the known view, and errors cannot add up from picture to picture.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray, Grey
from calibration.template import NEIGHBOUR, BoardTemplate
from vision.pose import FEWEST, project
from vision.primitives.features import board_mask, steady_homography
from vision.watching.focus import blurred, clear_blur_px
from vision.watching.light import BLACK
from vision.watching.surroundings import RING

SIDE_PX = 256
"""Pixels, longer side of the board in the known picture at most."""
POINTS, SURROUNDING_POINTS = 200, 80
"""Points that are followed. With more pixels and half as many points again, the pose is as steady on films whose true
poses are known (95 % of all jumps within 0.08 % of the side, `kibitzer bench poses`), but takes twice the time."""
WINDOW_PX = 11
RETURN_PX = 0.7
"""Pixels by which a point may miss its start when the flow is followed there and back."""
AGREE_PX = 1.2
"""Pixels beyond which a point lies otherwise than before."""
MOVED_SUPPORT = 0.25
"""Least share of the known points for a board that has moved: fewer fit anything and give unstable poses."""
MOSTLY = 0.5
"""Share of the known points from which the table's points are not needed."""
NEAR_PX = 3.0
"""Pixels; a board found farther than this from the expected place is searched once more there: flow is exact over
short distances."""
SMALL_PX = 128
"""Pixels, about the longer side of the pictures in which defocus is measured."""
COARSE = 4
"""Reduction of the picture in which a board beyond the reach of flow is searched."""
SAME_PX, SAME = 9, 0.9
"""Window in pixels, and the correlation within it above which a point's surroundings look unchanged."""
WITHIN = np.indices((SAME_PX, SAME_PX), np.float32).reshape(2, -1).T[:, ::-1] - SAME_PX // 2
"""(pixels, 2) the places in that window, from its middle."""
UNTOUCHED = 0.9
"""Share of the known points that must be seen for a board to count as untouched."""
STANDS_SHARE = 0.35
"""Share of the board that must look unchanged for it to count as in place with a hand over the rest."""


@dataclasses.dataclass(frozen=True, eq=False)
class Registration:
    image_from_board: FloatArray
    support: float
    """Share of the board's known points that confirm it, 0 to 1; 0 where only the table around it does."""
    lie: FloatArray | None
    """(points, 2) where the known points lie in the known picture under this pose; NaN for those unseen, None where
    only the table was seen."""


class KnownView:
    """One view of a board, kept in the board's own frame."""

    def __init__(self, grey: Grey, image_from_board: FloatArray, template: BoardTemplate) -> None:
        """`grey` shows the board under `image_from_board`; it may be a shrunk picture with a pose of its own."""
        corners = project(image_from_board, template.corners_mm)
        area_px = abs(cv2.contourArea(corners.astype(np.float32)))
        scale = min(float(np.sqrt(area_px / np.prod(template.size_mm))), SIDE_PX / max(template.size_mm))
        ring_mm = RING * max(template.size_mm)
        offset = ring_mm * scale
        self._from_board = np.array([[scale, 0, offset], [0, scale, offset], [0, 0, 1.0]])
        width, height = np.ceil((np.array(template.size_mm) + 2 * ring_mm) * scale).astype(int)
        self._size = max(8, int(width)), max(8, int(height))
        self._picture = self._seen_from_above(grey, image_from_board)
        self._shrink = max(1, max(self._size) // SMALL_PX)
        self._small = _shrunk(self._picture, self._shrink)
        seen = self._seen_from_above(np.full_like(grey, 255), image_from_board)
        seen = np.asarray(cv2.erode(seen, np.ones((WINDOW_PX, WINDOW_PX), np.uint8)), dtype=np.uint8)
        # Points beside the lines may belong to the table, which stays in place when the board is pushed.
        board = board_mask(self._picture.shape, self._from_board, template, template.man_diameter_mm / 2)
        around = 255 - board_mask(self._picture.shape, self._from_board, template, template.margin_mm)
        self._board = _corners(self._picture, np.minimum(board, seen), POINTS)
        self._lie = self._board
        """(points, 2) where the points were last seen to lie."""
        self._around = _corners(self._picture, np.minimum(around, seen).astype(np.uint8), SURROUNDING_POINTS)
        inset = round(offset)
        self._looks = _around(self._picture, self._board) if len(self._board) else np.zeros((0, 1), np.float32)
        """(points, pixels) what surrounds each point of the board."""
        self._alike_px, self._alike = np.zeros((0, 2)), np.zeros(0)
        if len(self._board) >= FEWEST:
            self._alike_px, self._alike = self._shifts_alike(template)
        self._support = 0.0
        """Share of the board's points that confirmed the last pose."""
        self._half_pitch_px = template.pitch_mm * scale / 2
        self._middle = slice(inset, self._size[1] - inset), slice(inset, self._size[0] - inset)

    def _shifts_alike(self, template: BoardTemplate) -> tuple[FloatArray, FloatArray]:
        """(shifts, 2) shifts to a neighbouring cell, in pixels, for which a board of equal cells looks mostly the same,
        and (shifts,) how much."""
        apart = (template.cells_mm[:, None] - template.cells_mm[None]).reshape(-1, 2)
        lengths = np.linalg.norm(apart, axis=1)
        neighbours = apart[(lengths > 0) & (lengths < NEIGHBOUR * template.pitch_mm)]
        shifts = np.unique(np.round(neighbours * self._from_board[0, 0]), axis=0)
        alike = self._likeness(self._picture, shifts)
        return shifts[alike > MOSTLY], alike[alike > MOSTLY]

    def find(self, grey: Grey, near: FloatArray) -> Registration | None:
        """Locates the board in a picture, searching around `near`, a (3, 3) homography image from board.

        None where too little of it, and of the table around it, can be followed. A board of equal cells may be found
        lines off: see `on_its_lines`. 4 ms.
        """
        found = self._find(grey, near)
        if found is None or found.support < MOSTLY:
            better = self._found_anew(grey, near)
            found = max(found, better, key=lambda one: -1.0 if one is None else one.support)
        if found is None and self.same_share(grey, near) >= STANDS_SHARE:
            # Flow fails across a change of light; the part that a hand leaves in view shows that the board is in place.
            return Registration(near, 0.0, None)
        return found

    def keep(self, found: Registration) -> None:
        """Takes the board to lie as found: of points that lie otherwise than before, only further motion counts.

        Paper is not flat: after a push no motion of a plane fits all its points, and whichever of them a hand leaves in
        view would decide where the board is.
        """
        self._support = found.support
        if found.lie is not None:
            moved = np.linalg.norm(found.lie - self._lie, axis=1) > AGREE_PX
            self._lie = np.where(moved[:, None], found.lie, self._lie)

    def on_its_lines(self, grey: Grey, near: FloatArray, found: Registration, *, lines: bool) -> Registration | None:
        """Corrects a pose found `near` the last one that is lines off, where flow leads a board of equal cells.

        After a leap the board is also searched as a whole; None where it does not look as it should then. 4 ms with
        `lines` or three times as much after a leap, else nothing.
        """
        leapt = found.support < UNTOUCHED * self._support or self._way_px(near, found) > self._half_pitch_px
        if found.support == 0 or not (leapt or (lines and len(self._alike_px))):
            return found
        found, likeness = self._moved_by_lines(grey, found)
        if not leapt:
            return found
        if (anew := self._found_anew(grey, near)) is not None and anew.support:
            found = max((found, likeness), self._moved_by_lines(grey, anew), key=lambda one: one[1])[0]
        # On a folded sheet in a held hand 0.59 of the support or more; 0.12 where points were taken for neighbours.
        borne_out = self.same_share(grey, found.image_from_board) >= STANDS_SHARE * found.support
        return found if borne_out else None

    def _moved_by_lines(self, grey: Grey, found: Registration) -> tuple[Registration, float]:
        """The pose, moved by lines as long as the board there looks more like the known one; and how much it does."""
        shifts = np.vstack([[0, 0], self._alike_px])
        here, *there = self._likeness(self._seen_from_above(grey, found.image_from_board), shifts)
        while there:
            # Shifts are whole pixels, which costs the right place some likeness: it is looked at if it comes near.
            lead = there - here + (1 - self._alike) / 2
            if lead.max() <= 0:
                break
            other = self._find(grey, self._shifted(found.image_from_board, self._alike_px[lead.argmax()]))
            if other is None or other.support == 0:
                break
            before = here
            here, *there = self._likeness(self._seen_from_above(grey, other.image_from_board), shifts)
            if here <= before:
                return found, float(before)
            found = other
        return found, float(here)

    def same_share(self, grey: Grey, image_from_board: FloatArray) -> float:
        """Share of the board, 0 to 1, that looks unchanged under a pose; 5 ms.

        Normalised cross-correlation around the known points, so that light does not count. Below a quarter for a board
        that has moved by 2 pixels or is gone; for one under a hand, the share that the hand leaves in view.
        """
        if len(self._board) < FEWEST:
            return 0.0
        columns, rows = np.round(self._board).astype(np.intp).T
        known, now = self._as_sharp(self._seen_from_above(grey, image_from_board))
        return float((_correlation(known, now)[rows, columns] > SAME).mean())

    def _find(self, grey: Grey, near: FloatArray) -> Registration | None:
        """The same as `find` without a search: the board must be within the reach of optical flow."""
        found = self._moved(grey, near)
        if found is None or self._way_px(near, found) < NEAR_PX:
            return found
        return self._moved(grey, found.image_from_board) or found

    def _way_px(self, near: FloatArray, found: Registration) -> float:
        """Pixels from the farthest corner of the known picture to its expected place."""
        corners = np.array([[0, 0], [self._size[0], 0], self._size, [0, self._size[1]]], dtype=np.float64)
        board = project(np.linalg.inv(self._from_board), corners)
        ways = project(near, board) - project(found.image_from_board, board)
        return float(np.linalg.norm(ways, axis=1).max())

    def _moved(self, grey: Grey, near: FloatArray) -> Registration | None:
        """Locates the board by the offset of its points from where `near` puts them."""
        known, now = self._as_sharp(self._seen_from_above(grey, near))
        board = self._fit(known, now, self._board, self._lie)
        support = 0.0 if board is None else board.followed / len(self._board)
        if board is not None and support >= MOSTLY:
            return self._registered(near, board, board)
        # With a hand over the board, the table's points join in if they moved as it did, or else replace the board's.
        table = self._fit(known, now, self._around, self._around)
        if board is not None and support >= MOVED_SUPPORT:
            both = None if table is None else board.joined(table)
            as_one = both is not None and table is not None and both.error_px(table) < AGREE_PX
            return self._registered(near, both if both is not None and as_one else board, board)
        return None if table is None else self._registered(near, table)

    def _registered(self, near: FloatArray, fit: _Fit, board: _Fit | None = None) -> Registration:
        """A pose from the motion of points, those of the `board` among them."""
        matrix = near @ np.linalg.inv(self._from_board) @ fit.now_from_known @ self._from_board
        image_from_board = np.asarray(matrix / matrix[2, 2], dtype=np.float64)
        if board is None:
            return Registration(image_from_board, 0.0, None)
        there = project(np.asarray(np.linalg.inv(fit.now_from_known)), board.seen)
        lie = np.where(np.isfinite(board.seen), there, np.nan)  # OpenCV puts what is not a number at (0, 0)
        return Registration(image_from_board, board.followed / len(self._board), lie)

    def _as_sharp(self, now: Grey) -> tuple[Grey, Grey]:
        """The known picture and another in its frame, with the sharper one blurred to match the other."""
        blur = self._shrink * clear_blur_px(self._small, _shrunk(now, self._shrink))
        return blurred(self._picture, max(0.0, blur)), blurred(now, max(0.0, -blur))

    def _fit(self, known: Grey, now: Grey, points: FloatArray, lie: FloatArray) -> _Fit | None:
        """The motion of the followed points from where they lay, `now` first made as bright there as the known picture.

        A point counts only where its surroundings look as before, so that a hand moves nothing.
        """
        if len(points) < FEWEST:
            return None
        columns, rows = np.round(points).astype(np.intp).T
        gain = np.median((known[rows, columns] + BLACK) / (now[rows, columns] + BLACK))
        as_bright = np.asarray(cv2.convertScaleAbs(now, alpha=gain, beta=BLACK * (gain - 1)), dtype=np.uint8)
        there, kept = _follow(known, as_bright, points)
        looks = self._looks if known is self._picture and points is self._board else _around(known, points)
        kept &= _alike(looks, _around(as_bright, there)) > SAME
        return _fit_points(lie, np.where(kept[:, None], there, np.nan))

    def _likeness(self, now: Grey, shifts_px: FloatArray) -> FloatArray:
        """(shifts,) mean correlation, -1 to 1, of what surrounds the points and, shifted, in another picture; 3 ms."""
        return np.array([_alike(self._looks, _around(now, self._board + shift)).mean() for shift in shifts_px])

    def _shifted(self, image_from_board: FloatArray, shift_px: FloatArray) -> FloatArray:
        """A pose shifted by pixels of the known picture."""
        shift = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]], [0, 0, 1]])
        return np.asarray(image_from_board @ np.linalg.inv(self._from_board) @ shift @ self._from_board)

    def _found_anew(self, grey: Grey, near: FloatArray) -> Registration | None:
        """The board where, as a whole, it looks most like the known one, as far around `near` as that shows."""
        now, known = _shrunk(self._seen_from_above(grey, near), COARSE), _shrunk(self._picture, COARSE)
        rows, columns = (slice(side.start // COARSE, side.stop // COARSE) for side in self._middle)
        board = known[rows, columns]
        if board.size == 0 or board.std() < 1:
            return None
        x, y = cv2.minMaxLoc(cv2.matchTemplate(now, board, cv2.TM_CCOEFF_NORMED))[3]
        return self._find(grey, self._shifted(near, COARSE * np.array([x - columns.start, y - rows.start])))

    def _seen_from_above(self, grey: Grey, image_from_board: FloatArray) -> Grey:
        from_image = self._from_board @ np.linalg.inv(image_from_board)
        return np.asarray(cv2.warpPerspective(grey, from_image, self._size), dtype=np.uint8)


@dataclasses.dataclass(frozen=True, eq=False)
class _Fit:
    now_from_known: FloatArray
    lay: FloatArray
    """(points, 2) where the points lay in the known picture."""
    seen: FloatArray
    """(points, 2) where they are now; NaN for those not followed."""

    @property
    def followed(self) -> int:
        return int(np.isfinite(self.seen[:, 0]).sum())

    def error_px(self, of: _Fit) -> float:
        """Median distance of another's points from where this motion takes them."""
        return float(np.nanmedian(np.linalg.norm(project(self.now_from_known, of.lay) - of.seen, axis=1)))

    def joined(self, other: _Fit) -> _Fit | None:
        return _fit_points(np.vstack([self.lay, other.lay]), np.vstack([self.seen, other.seen]))


def _fit_points(lay: FloatArray, seen: FloatArray) -> _Fit | None:
    followed = np.isfinite(seen[:, 0])
    if followed.sum() < FEWEST:
        return None
    return _Fit(steady_homography(lay[followed], seen[followed]), lay, seen)


def _follow(before: Grey, after: Grey, points: FloatArray) -> tuple[FloatArray, Flags]:
    """(n, 2) where pyramidal Lucas-Kanade flow leads each point, and (n,) whether following it back leads to its start.

    Only such a place can be trusted.
    """
    start, window = points.astype(np.float32).reshape(-1, 1, 2), (WINDOW_PX, WINDOW_PX)
    there, found, _ = cv2.calcOpticalFlowPyrLK(before, after, start, np.zeros_like(start), winSize=window, maxLevel=1)
    back, returned, _ = cv2.calcOpticalFlowPyrLK(after, before, there, start.copy(), winSize=window, maxLevel=1)
    error = np.linalg.norm((back - start).reshape(-1, 2), axis=1)
    kept = (found.ravel() == 1) & (returned.ravel() == 1) & (error < RETURN_PX)
    return np.asarray(there.reshape(-1, 2), dtype=np.float64), np.asarray(kept, dtype=np.bool_)


def _shrunk(grey: Grey, times: int) -> Grey:
    size = grey.shape[1] // times, grey.shape[0] // times
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _corners(grey: Grey, mask: Grey, count: int) -> FloatArray:
    found = cv2.goodFeaturesToTrack(grey, count, 0.01, 6, mask=mask)
    return np.zeros((0, 2)) if found is None else np.asarray(found.reshape(-1, 2), dtype=np.float64)


def _alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> FloatArray:
    """(points,) correlation, -1 to 1, of what surrounds points of one picture, and of another."""
    return np.asarray(np.einsum("ij,ij->i", one, other), dtype=np.float64)


def _around(grey: Grey, points: FloatArray) -> NDArray[np.float32]:
    """(points, pixels) grey levels around points, of each point with mean 0 and norm 1."""
    x, y = (points.astype(np.float32)[:, None] + WITHIN).transpose(2, 0, 1)
    levels = cv2.remap(grey, x, y, cv2.INTER_LINEAR).astype(np.float32)
    levels -= levels.mean(axis=1, keepdims=True)
    norms = np.sqrt(np.einsum("ij,ij->i", levels, levels))
    return np.asarray(levels / np.maximum(norms, 1.0)[:, None])


def _correlation(one: Grey, other: Grey) -> NDArray[np.float32]:
    """(height, width) normalised cross-correlation, -1 to 1, of two pictures within a window around each pixel."""
    window = (SAME_PX, SAME_PX)
    first, second = one.astype(np.float32), other.astype(np.float32)
    mean, other_mean = cv2.blur(first, window), cv2.blur(second, window)
    variances = (cv2.blur(first * first, window) - mean**2) * (cv2.blur(second * second, window) - other_mean**2)
    products = cv2.blur(first * second, window) - mean * other_mean
    return np.asarray(products / np.sqrt(np.maximum(variances, 1e-3)), dtype=np.float32)
