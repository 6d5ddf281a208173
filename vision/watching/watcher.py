"""Watches the board: how long each part of it has looked the same, and what reaches over it from outside.

Two composite pictures are kept, each place of them as old as need be: the *anchor*, as every place looked when it last
changed, and the *free* view, as every place looked when nothing lay over it and it had been still. Both hold the board
with its surroundings, in the board's own frame. No picture has to be still as a whole.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.pose import project
from vision.watching.cover import BRIDGE, Flags, things_over
from vision.watching.differences import Differences, pair
from vision.watching.focus import LEGIBLE_PX, blur_px
from vision.watching.light import FloatImage, expected
from vision.watching.surroundings import Surroundings, reaching_in

SMALLEST: Final = 0.0007
"""Least connected share of the board's picture that counts as a change: a sixth of a man."""
REPORTED_S: Final = 5.0
"""Seconds after which something at rest over the board is told, and taken for what lies there instead of a hand."""
READ_THROUGH_S: Final = 2.0
"""Seconds that something must rest before it is asked whether the board can be read there."""
MAX_STEP_S: Final = 2.0
"""Seconds of stillness that one picture proves at most: while the computer slept, its clock leapt or the camera froze,
nobody watched."""
HUNTS_S: Final = 5.0
"""Seconds within which a lens that hunts for its focus has been sharp."""
WARM_UP_S: Final = 0.3
"""Seconds in which a camera's pictures may be broken, dark or off-colour."""

MAX_UNSEEN: Final = 0.2
"""Share of a cell that may lie beyond the picture."""

Phase = Literal["moving", "occluded", "settling", "settled"]
ReadsThrough = Callable[[NDArray[np.bool_]], bool]


def _never(_: NDArray[np.bool_]) -> bool:
    return False


@dataclasses.dataclass(frozen=True, eq=False)
class CellPlaces:
    """Where the cells are in the picture of the board, margins included."""

    centres: NDArray[np.float64]
    """(cells, 2) shares of the picture's width and height."""
    side: float
    """Side of a cell's patch, as a share of the width."""

    @classmethod
    def on(cls, template: BoardTemplate) -> CellPlaces:
        """The places of a board's cells."""
        places = project(template.rectified_from_board, template.cells_mm) / template.rectified_size_px
        return cls(places, template.cell_mm * template.pixels_per_mm / template.rectified_size_px[0])

    @classmethod
    def grid(cls, count: int) -> CellPlaces:
        """`count` by `count` patches all over a picture."""
        centres = (np.stack(np.meshgrid(np.arange(count), np.arange(count)), axis=-1).reshape(-1, 2) + 0.5) / count
        return cls(centres, 1 / count)


@dataclasses.dataclass(frozen=True, eq=False)
class Sight:
    """What one picture says of the board's cells, before any of them is read; arrays have an entry for each cell."""

    changed_s: NDArray[np.float64]
    """When each cell last changed, on the clock of watched time."""
    own_s: NDArray[np.float64]
    """Seconds for which each cell has looked the same."""
    still_s: NDArray[np.float64]
    """Seconds for which each cell, and all that hangs together with it, has looked the same."""
    known: NDArray[np.bool_]
    """Whether it is known how each cell looks when nothing lies over it."""
    alike: NDArray[np.bool_]
    """Whether each cell looks as it did then."""
    hidden: NDArray[np.bool_]
    """Whether something reaches over each cell from outside, or it lies beyond the picture."""
    phase: Phase
    """`occluded`: something at rest reaches over the board from outside."""
    settled: bool
    """Whether all that is not hidden has been still for long enough, and what hides the rest lies there for long."""
    fresh: bool
    """True for the first picture each time the board settles."""
    blocked: bool
    """Whether something has rested over the board for REPORTED_S."""
    blurred: bool
    """Whether the lens is out of focus and may soon return to it."""
    motion: float
    """Share of the picture, 0 to 1, that has changed."""


class Watcher:
    """Feed it every picture of one board in order; call `reset` after another board was found."""

    def __init__(self, cells: CellPlaces, settle_s: float = 0.4) -> None:
        self.settle_s = settle_s
        self._differences = Differences()
        self._cells = cells
        self._now_s = self._new_s = 0.0
        self._last_s: float | None = None
        self.lives = False
        """Whether two pictures of a still board have ever differed, as a camera's do because of noise."""
        self._free: FloatImage | None = None
        self._around: Surroundings | None = None
        """The last picture."""
        self.reset()

    def reset(self) -> None:
        """Forgets how the board looked: it may be another one, or lie another way round."""
        self._free = self._anchor = None
        self._stirred_s = self._sharp_s = self._now_s
        self._was_settled = self._asked = False

    def know(self, around: Surroundings) -> None:
        """Takes a picture of the board, with nothing over it, for the free view."""
        self._free = around.picture.copy()
        self._known = ~around.unseen

    def know_cells(self, around: Surroundings) -> None:
        """Takes a picture in which no cell has anything over it for the free view, unless there is one."""
        if self._anchor is None or self._anchor.shape != around.picture.shape:
            self._begin(around)
        assert self._free is not None
        if not self._known.any():
            self._free = around.picture.copy()
            self._known[self._pixels] = True

    def renew(self, shown: NDArray[np.bool_] | None = None) -> None:
        """Takes the last picture for the free view: at the `shown` (cells,), or wherever nothing may be a hand.

        What hangs together with a cell that is not shown stays: tall men lean over other cells.
        """
        assert self._around is not None and self._free is not None
        if shown is None:
            still_s = self._proven_s - self._blobs_s
            may_be_hands = self._rooted & (still_s < REPORTED_S)
            new = ((still_s >= self.settle_s) & ~may_be_hands)[self._labels] & ~self._things & ~self._around.unseen
        else:
            new = np.zeros_like(self._known)
            new[tuple(pixels[shown] for pixels in self._pixels)] = True
            others = np.unique(self._labels[tuple(pixels[~shown] for pixels in self._pixels)])
            new &= ~np.isin(self._labels, others[others > 0])
        if self._light is not None:
            self._free = expected(self._free, self._light)
        self._free = _with(self._free, self._around.picture, new)
        self._known |= new

    def watched_s(self, time_s: float) -> float:
        """Camera time without the time that nobody watched."""
        return self._now_s + (0.0 if self._last_s is None else min(time_s - self._last_s, MAX_STEP_S))

    def stood(self, seconds: float) -> bool:
        """Whether nothing has moved over the board or its rim for that many seconds."""
        return self._proven_s - self._stirred_s >= seconds

    @property
    def is_frozen(self) -> bool:
        """Whether a live camera has sent one identical picture for longer than MAX_STEP_S."""
        return self.lives and self._now_s - self._new_s > MAX_STEP_S

    @property
    def _proven_s(self) -> float:
        """Until when the pictures prove stillness: a picture repeated for longer is a frozen camera's."""
        return min(self._now_s, self._new_s + MAX_STEP_S) if self.lives else self._now_s

    def update(
        self, around: Surroundings, time_s: float, repeated: bool | None = None, reads_through: ReadsThrough = _never
    ) -> Sight:
        """What the next picture shows.

        `repeated`: whether the camera sent the same picture again; None if only `around` tells. `reads_through` tells
        whether masked (cells,) are all read without doubt.
        """
        if repeated is None:
            repeated = self._around is not None and np.array_equal(self._around.picture, around.picture)
        self._now_s, self._last_s = self.watched_s(time_s), time_s
        if self._anchor is None or self._anchor.shape != around.picture.shape:
            self._begin(around)
        self._around = around
        # 1. What has changed since each place last changed: slow movement adds up until it shows.
        motion = self._follow(around, repeated)
        # 2. What differs from the free view, and what of it reaches in from outside.
        self._compare(around)
        over = self._over(around)
        rests_s = self._proven_s - self._since_s[self._things].max(initial=self._proven_s)
        if over.any() and rests_s >= READ_THROUGH_S and not self._asked:
            self._asked = True
            if reads_through(over):  # a lamp's reflection that has gone, or a hand in the very first picture
                self._things = np.zeros_like(self._things)
                over = np.zeros_like(over)
        self._asked &= rests_s >= READ_THROUGH_S
        # 3. Cell by cell.
        changed_s = self._since_s[self._pixels].max(axis=1)
        newest_s = np.maximum(changed_s, self._newest_s())
        still_s = np.maximum(0.0, self._proven_s - newest_s)
        hidden = over | (around.unseen[self._pixels].mean(axis=1) > MAX_UNSEEN)
        blurred = self._is_blurred(around.picture)
        # 4. As a whole.
        blocked = bool(over.any()) and rests_s >= REPORTED_S
        arms = np.unique(self._labels[around.window])
        arms_s = self._proven_s - self._blobs_s[arms[self._rooted[arms]]]
        quietest_s = min(still_s[~hidden].min(initial=np.inf), arms_s.min(initial=np.inf))
        phase: Phase = "moving" if quietest_s <= 0 else "settling"
        if over.any() and not blocked:
            phase = "occluded" if rests_s >= self.settle_s else "moving"
        elif quietest_s >= self.settle_s and not blurred:
            phase = "settled"
        fresh, self._was_settled = phase == "settled" and not self._was_settled, phase == "settled"
        known = self._known[self._pixels].all(axis=1)
        return Sight(
            changed_s=changed_s,
            own_s=np.maximum(0.0, self._proven_s - changed_s),
            still_s=still_s,
            known=known,
            alike=known & ~self._differs[self._pixels].any(axis=1),
            hidden=hidden,
            phase=phase,
            settled=phase == "settled",
            fresh=fresh,
            blocked=blocked,
            blurred=blurred,
            motion=motion,
        )

    def _begin(self, around: Surroundings) -> None:
        """Prepares for pictures of another size, or of another board."""
        shape = around.places.shape
        self._anchor, self._since_s = around.picture.copy(), np.full(shape, self._now_s)
        if self._free is None or self._free.shape != around.picture.shape:
            self._free, self._known = around.picture.copy(), np.zeros(shape, dtype=np.bool_)
        self._stirred_s = self._new_s = self._sharp_s = self._now_s
        rows, columns = around.window
        size = np.array([columns.stop - columns.start, rows.stop - rows.start])
        last = np.array(shape[::-1]) - 1
        places = self._cells.centres * size + [columns.start, rows.start] - 0.5
        centres = np.clip(np.rint(places).astype(np.intp), 0, last)
        half = max(1, round(self._cells.side * size[0] / 2))
        across = np.arange(-half, half + 1)
        offsets = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
        x, y = np.moveaxis(np.clip(centres[:, None] + offsets, 0, last), -1, 0)
        self._pixels, self._centres = (y, x), (centres[:, 1], centres[:, 0])

    def _follow(self, around: Surroundings, repeated: bool) -> float:
        """Renews the anchor where the picture has changed; returns the share that has."""
        assert self._anchor is not None
        now, before_s = around.picture, self._new_s
        if not repeated:
            self._new_s = self._now_s
        seen = pair(self._anchor, now)
        moved = self._large(self._differences.mask(seen), around.unseen, around)
        if not moved.any():
            self._differences.learn_noise(seen)
            self.lives |= not repeated and before_s < self._now_s
            return 0.0
        moved = _wider(moved)
        self._anchor = _with(expected(self._anchor, seen.light), now, moved)  # all of it in one light
        self._since_s[moved] = self._now_s
        if moved[around.window].any():
            self._stirred_s = self._now_s
        return float(moved[around.window].mean())

    def _compare(self, around: Surroundings) -> None:
        """Finds what differs from the free view, and what of it reaches over the board from outside."""
        assert self._free is not None
        self._things, self._differs, self._light = np.zeros_like(self._known), ~self._known, None
        self._labels = np.zeros(self._known.shape, dtype=np.int32)
        self._blobs_s, self._rooted = np.full(1, -np.inf), np.zeros(1, dtype=np.bool_)
        if not self._known.any():
            return
        unseen, least_px = _wider(around.unseen | ~self._known), self._least_px(around)
        seen = pair(self._free, around.picture)
        self._light = seen.light
        mask = np.where(unseen, 0, self._differences.mask(seen)).astype(np.uint8)
        self._differs = self._large(mask, around.unseen, around) | ~self._known
        joined = cv2.morphologyEx((self._differs & self._known).astype(np.uint8), cv2.MORPH_CLOSE, BRIDGE)
        count, self._labels = cv2.connectedComponents(np.asarray(joined, dtype=np.uint8))
        self._blobs_s = np.full(count, -np.inf)
        np.maximum.at(self._blobs_s, self._labels.ravel(), self._since_s.ravel())
        self._blobs_s[0] = -np.inf
        edge = around.unseen.copy()
        edge[:1] = edge[-1:] = edge[:, :1] = edge[:, -1:] = True
        self._rooted = np.zeros(count, dtype=np.bool_)
        self._rooted[self._labels[_wider(edge)]] = True
        self._rooted[0] = False
        beyond = around.unseen
        for things in things_over(seen.before, seen.after, mask, seen.light, around.places, 2 * least_px, beyond):
            self._things |= reaching_in(things, around, 2 * least_px, 6 * least_px)

    def _over(self, around: Surroundings) -> NDArray[np.bool_]:
        """(cells,) whether something reaches over the place for a man."""
        if not self._things.any():
            return np.zeros(len(self._centres[0]), dtype=np.bool_)
        apart = cv2.distanceTransform((~self._things).astype(np.uint8), cv2.DIST_L2, 3)
        return np.asarray(apart[self._centres] < around.man_px / 2)

    def _newest_s(self) -> NDArray[np.float64]:
        """(cells,) when what hangs together with each cell last changed: a hand is of one piece, and so is a man."""
        unknown_s = self._since_s[~self._known].max(initial=-np.inf)
        found_s = self._blobs_s[self._labels[self._pixels]].max(axis=1)
        return np.where(self._known[self._pixels].all(axis=1), found_s, np.maximum(found_s, unknown_s))

    def _is_blurred(self, now: FloatImage) -> bool:
        assert self._free is not None
        if not self._known.all() or blur_px(self._free, now) <= LEGIBLE_PX:
            self._sharp_s = self._now_s
        return 0 < self._now_s - self._sharp_s < HUNTS_S

    def _large(self, mask: NDArray[np.uint8], unseen: Flags, around: Surroundings) -> Flags:
        """The connected parts of a mask that are large enough for a change."""
        _, labels, stats, _ = cv2.connectedComponentsWithStats(np.where(unseen, 0, mask).astype(np.uint8))
        large = stats[:, cv2.CC_STAT_AREA] > self._least_px(around)
        large[0] = False
        return np.asarray(large[labels])

    def _least_px(self, around: Surroundings) -> float:
        return SMALLEST * around.places[around.window].size


def _with(picture: FloatImage, other: FloatImage, where: Flags) -> FloatImage:
    """A picture with part of another."""
    return np.where(where[..., None], other, picture)


def _wider(flags: Flags) -> Flags:
    """A mask with what is smoothed with it."""
    return np.asarray(cv2.dilate(flags.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)
