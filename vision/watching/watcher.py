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
from vision.watching.differences import Differences, Pair, pair
from vision.watching.focus import LEGIBLE_PX, blur_px
from vision.watching.light import FloatImage
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

Phase = Literal["moving", "occluded", "settling", "settled"]


@dataclasses.dataclass(frozen=True, eq=False)
class Sight:
    """What one picture says of the board's cells, before any of them is read."""

    still_s: NDArray[np.float64]
    """(cells,) seconds for which each cell, and all that hangs together with it, has looked the same."""
    changed_s: NDArray[np.float64]
    """(cells,) the watched time at which each cell last changed."""
    alike: NDArray[np.bool_]
    """(cells,) whether each cell looks as it did when the board was last free and still."""
    hidden: NDArray[np.bool_]
    """(cells,) whether something reaches over each cell from outside, or it lies beyond the picture."""
    phase: Phase
    """`occluded`: something at rest reaches over the board from outside."""
    settled: bool
    """Whether all that is not hidden has been still for long enough, and what hides the rest lies there for long."""
    fresh: bool
    """True for the first picture each time the board settles."""
    sure: bool
    """Whether it is known how the free board looks, so that a hand is told from men."""
    light_gain: float = 1.0
    """Brightness relative to the free view."""
    blocked: bool = False
    """Whether something has rested over the board for REPORTED_S."""
    blurred: bool = False
    """Whether the lens is out of focus and may soon return to it."""


class Watcher:
    """Feed it every picture of one board in order; call `reset` after the board was located anew."""

    def __init__(self, template: BoardTemplate, settle_s: float = 0.4) -> None:
        self.settle_s = settle_s
        self._differences = Differences(SMALLEST, 0.0)
        self._template = template
        self._now_s = 0.0
        self._last_s: float | None = None
        self._last: FloatImage | None = None
        self._new_s = 0.0
        self.lives = False
        """Whether two pictures of a still board have ever differed, as a camera's do because of noise."""
        self.free: Surroundings | None = None
        self.reset()

    def reset(self) -> None:
        """Forgets how the board looked: it may be another one, or lie another way round."""
        self.free = None
        self._anchor: FloatImage | None = None
        self._since_s = np.zeros((0, 0))
        self._begun_s = self._stirred_s = self._now_s
        self._sharp_s = self._now_s
        self._asked = False

    def know(self, around: Surroundings) -> None:
        """Takes a picture of the free board from another time for the free view."""
        self.free = around
        self._differs = np.zeros(around.places.shape, dtype=np.bool_)

    def watched_s(self, time_s: float) -> float:
        """Camera time without the time that nobody watched."""
        return self._now_s + (0.0 if self._last_s is None else min(time_s - self._last_s, MAX_STEP_S))

    def stood(self, seconds: float) -> bool:
        """Whether nothing has moved over the board or beside it for that many seconds."""
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
        self,
        around: Surroundings,
        time_s: float,
        repeated: bool,
        reads_through: Callable[[NDArray[np.bool_]], bool] = lambda _: False,
    ) -> Sight:
        """What the next picture shows. `reads_through` tells whether masked (cells,) are all read without doubt."""
        self._now_s, self._last_s = self.watched_s(time_s), time_s
        now = around.picture
        if self._anchor is None or self._anchor.shape != now.shape:
            self._anchor, self._since_s = now.copy(), np.full(now.shape[:2], self._now_s)
            self._begun_s = self._stirred_s = self._new_s = self._sharp_s = self._now_s
            self._places = self._discs(around)
        seen = pair(self._anchor, now)
        moved = self._moved(seen, around)
        if not repeated:
            self._new_s = self._now_s
        self.lives |= not repeated and self._last is not None and not moved.any()
        self._last = now
        if moved.any():
            moved = np.asarray(cv2.dilate(moved.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)
            self._anchor[moved], self._since_s[moved] = now[moved], self._now_s
            if (moved[around.window]).any():
                self._stirred_s = self._now_s
        else:
            self._differences.learn_noise(seen)
        blurred = self._is_blurred(now)
        things = self._things(around)
        over = self._over(things, around)
        still_s = self._still_s(around)
        hidden = over | ~self._seen(around)
        return self._judged(around, things, over, hidden, still_s, blurred, seen, reads_through)

    def _judged(self, around, things, over, hidden, still_s, blurred, seen, reads_through) -> Sight:
        rests_s = self._proven_s - self._since_s[things].max() if things.any() else 0.0
        blocked = bool(things.any() and rests_s >= REPORTED_S)
        if over.any() and rests_s >= READ_THROUGH_S and not self._asked:
            self._asked = True
            if reads_through(over):
                things, over, blocked = np.zeros_like(things), np.zeros_like(over), False
                hidden = ~self._seen(around)
        if not over.any() or rests_s < READ_THROUGH_S:
            self._asked = False
        still = still_s[~hidden].min(initial=np.inf) >= self.settle_s
        if over.any() and not blocked:
            phase: Phase = "occluded" if rests_s > self.settle_s else "moving"
        else:
            moving = still_s[~hidden].min(initial=np.inf) <= 0
            phase = "settled" if still and not blurred else "moving" if moving else "settling"
        settled = phase == "settled"
        alike = self._alike(around)
        self._seen_now = around, things
        gain = 1.0 if self.free is None else float(seen.light.mean_gain)
        return Sight(
            still_s, self._changed_s(), alike, hidden, phase, settled, False, self.free is not None, gain, blocked, blurred
        )

    def _moved(self, seen: Pair, around: Surroundings) -> Flags:
        """Where the picture differs from the anchor in a connected part large enough for a change."""
        return self._large(self._differences.mask(seen), around)

    def _large(self, mask, around: Surroundings) -> Flags:
        mask = np.where(around.unseen, 0, mask).astype(np.uint8)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
        large = stats[:, cv2.CC_STAT_AREA] > SMALLEST * around.places[around.window].size
        large[0] = False
        return np.asarray(large[labels])

    def _is_blurred(self, now: FloatImage) -> bool:
        if self.free is None or self.free.picture.shape != now.shape:
            return False
        if blur_px(self.free.picture, now) <= LEGIBLE_PX:
            self._sharp_s = self._now_s
        return 0 < self._now_s - self._sharp_s < HUNTS_S

    def _things(self, around: Surroundings) -> Flags:
        """Where something that the free view does not show reaches over the board from outside."""
        nothing = np.zeros(around.places.shape, dtype=np.bool_)
        free = self.free
        if free is None or free.picture.shape != around.picture.shape:
            return nothing
        seen = pair(free.picture, around.picture)
        unseen = free.unseen | around.unseen
        mask = np.where(cv2.dilate(unseen.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0, 0, self._differences.mask(seen))
        self._differs = self._large(mask, around)
        least_px = SMALLEST * around.places[around.window].size
        found = nothing
        for things in things_over(seen.before, seen.after, mask.astype(np.uint8), seen.light, around.places, 2 * least_px, unseen):
            found = found | reaching_in(things, around, 2 * least_px, 6 * least_px)
        return found

    def _over(self, things: Flags, around: Surroundings) -> NDArray[np.bool_]:
        if not things.any():
            return np.zeros(len(self._centres), dtype=np.bool_)
        apart = cv2.distanceTransform((~things).astype(np.uint8), cv2.DIST_L2, 3)
        columns, rows = self._centres.T
        return np.asarray(apart[rows, columns] < around.man_px / 2)

    def _discs(self, around: Surroundings):
        """Prepares which pixels belong to which cell."""
        template = self._template
        width = template.rectified_size_px[0]
        scale = (around.window[1].stop - around.window[1].start) / width
        places = project(template.rectified_from_board, template.cells_mm) * scale
        places += [around.window[1].start, around.window[0].start]
        size = np.array(around.picture.shape[1::-1])
        self._centres = np.clip(np.rint(places).astype(np.intp), 0, size - 1)
        half = max(1, round(template.cell_mm * template.pixels_per_mm * scale / 2))
        x, y = np.meshgrid(np.arange(-half, half + 1), np.arange(-half, half + 1))
        offsets = np.stack([x.ravel(), y.ravel()], axis=1)
        pixels = np.clip(self._centres[:, None] + offsets, 0, size - 1)
        self._pixels = pixels[..., 1], pixels[..., 0]
        return None

    def _seen(self, around: Surroundings) -> NDArray[np.bool_]:
        return np.asarray(around.unseen[self._pixels].mean(axis=1) < 0.2)

    def _alike(self, around: Surroundings) -> NDArray[np.bool_]:
        if self.free is None or self.free.picture.shape != around.picture.shape:
            return np.zeros(len(self._centres), dtype=np.bool_)
        return np.asarray(~self._differs[self._pixels].any(axis=1))

    def _changed_s(self) -> NDArray[np.float64]:
        return np.asarray(self._since_s[self._pixels].max(axis=1))

    def _still_s(self, around: Surroundings) -> NDArray[np.float64]:
        """A change is one with all of it that differs from the free view in one piece: a hand, a man, a bowl."""
        since_s = self._changed_s()
        if self.free is None or self.free.picture.shape != around.picture.shape:
            since_s = np.full(len(since_s), since_s.max())
        elif self._differs.any():
            joined = cv2.morphologyEx(self._differs.astype(np.uint8), cv2.MORPH_CLOSE, BRIDGE)
            count, labels = cv2.connectedComponents(joined)
            newest_s = np.zeros(count)
            np.maximum.at(newest_s, labels.ravel(), self._since_s.ravel())
            newest_s[0] = 0.0
            since_s = np.maximum(since_s, newest_s[labels[self._pixels]].max(axis=1))
        return np.maximum(0.0, self._proven_s - since_s)

    def renew(self) -> None:
        """Takes the last picture for the free view, but where something reaches in from outside."""
        around, things = self._seen_now
        if self.free is None or self.free.picture.shape != around.picture.shape:
            self.know(around)
            return
        keep = cv2.dilate(things.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        picture = np.where(keep[..., None], self.free.picture, around.picture)
        self.free = dataclasses.replace(around, picture=picture)
