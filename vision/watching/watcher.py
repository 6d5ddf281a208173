"""Watches the board: how long each cell has looked the same, and what reaches over it from outside.

Nothing waits for a picture that is still as a whole: every cell is watched by itself, with all that hangs together
with it. Only watched time counts: not while nobody looked, nor while a frozen camera repeats itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final, Literal

import numpy as np

from calibration.arrays import Flags, FloatArray
from vision.watching.cell_places import CellPixels, CellPlaces
from vision.watching.differences import Differences, pair, wider
from vision.watching.free_view import FreeView, Unlike
from vision.watching.light import expected
from vision.watching.surroundings import Surroundings


class Anchor:
    """A composite of the pictures so far; all of it in the light of the newest change."""

    def __init__(self, around: Surroundings, time_s: float) -> None:
        self.since_s: FloatArray = np.full(around.places.shape, time_s)
        """(height, width) when each place last changed."""
        self.begun_s = time_s
        self._picture = around.picture

    def follow(self, around: Surroundings, time_s: float, differences: Differences) -> float:
        """Takes the next picture; returns the share of it that has changed."""
        seen = pair(self._picture, around.picture)
        moved = differences.large(differences.mask(seen), around)
        if not moved.any():
            differences.learn_noise(seen)
            return 0.0
        self._picture = np.where(moved[..., None], around.picture, expected(self._picture, seen.light))
        self.since_s[moved] = time_s
        return float(moved.mean())


MAX_STEP_S: Final = 2.0
"""Seconds of stillness that one picture proves at most: while the computer slept, its clock leapt or the camera froze,
nobody watched."""


class WatchedTime:
    def __init__(self) -> None:
        self.now_s = 0.0
        """Seconds watched, up to the last picture."""
        self.lives = False
        """Whether two pictures of a still board have ever differed, as a camera's do because of noise. Photographs sent
        as a stream never do; a camera whose pictures stop differing has frozen."""
        self._last_s: float | None = None
        self._new_s = 0.0

    def after(self, time_s: float) -> float:
        """The seconds watched when the camera's clock shows `time_s`."""
        return self.now_s + (0.0 if self._last_s is None else min(time_s - self._last_s, MAX_STEP_S))

    def step(self, time_s: float, *, repeated: bool) -> None:
        """The next picture was taken at `time_s`; `repeated`: it is the last one again."""
        self.now_s, self._last_s = self.after(time_s), time_s
        if not repeated:
            self._new_s = self.now_s

    @property
    def proven_s(self) -> float:
        """Until when the pictures prove stillness."""
        return min(self.now_s, self._new_s + MAX_STEP_S) if self.lives else self.now_s

    @property
    def is_frozen(self) -> bool:
        """Whether a live camera has sent one identical picture for longer than MAX_STEP_S."""
        return self.lives and self.now_s - self._new_s > MAX_STEP_S


REPORTED_S: Final = 5.0
"""Seconds after which something at rest over the board is told, and taken for what lies there instead of a hand."""
READ_THROUGH_S: Final = 2.0
"""Seconds that something must rest before it is asked whether the board can be read there."""
HUNTS_S: Final = 5.0
"""Seconds within which a lens that hunts for its focus has been sharp."""

WARM_UP_S: Final = 0.3
"""Seconds in which a camera's pictures may be broken, dark or off-colour; a difference from them is no motion."""

Phase = Literal["moving", "occluded", "settling", "settled"]
ReadsThrough = Callable[[Flags], bool]


@dataclasses.dataclass(frozen=True, eq=False)
class Sight:
    """What one picture says of the board, before any cell is read; arrays but `things` have an entry for each cell."""

    changed_s: FloatArray
    """When each cell last changed, on the clock of watched time."""
    own_s: FloatArray
    """Seconds for which each cell has looked the same."""
    still_s: FloatArray
    """Seconds for which each cell, and all that hangs together with it, has looked the same."""
    known: Flags
    """Whether it is known how each cell looks when nothing lies over it."""
    alike: Flags
    """Whether each cell looks as it did then."""
    things: Flags
    """(height, width) where something reaches over the board from outside, in the pixels of its surroundings."""
    hidden: Flags
    """Whether something reaches over each cell from outside, or it lies beyond the picture."""
    phase: Phase
    """`occluded`: something at rest reaches over the board from outside."""
    fresh: bool
    """True for the first picture each time the board settles."""
    blocked: bool
    """Whether something has rested over the board for REPORTED_S."""
    blurred: bool
    """Whether the lens is out of focus and may soon return to it."""
    motion: float
    """Share of the picture, 0 to 1, that has changed."""

    @property
    def settled(self) -> bool:
        """Whether all that is not hidden has been still, and what hides the rest lies there for long."""
        return self.phase == "settled"


class Watcher:
    """Feed it every picture of one board in order; call `reset` after another board was found."""

    def __init__(self, cells: CellPlaces, settle_s: float = 0.4) -> None:
        self.settle_s = settle_s
        self.time = WatchedTime()
        self._places = cells
        self._differences = Differences()
        self._last: tuple[Surroundings, Unlike] | None = None
        self._free: FreeView | None = None
        self.reset()

    def reset(self) -> None:
        """Forgets how the board looked: it may be another one, or lie another way round."""
        self._free = None
        self._anchor: Anchor | None = None
        self._pixels: CellPixels | None = None
        self._stirred_s = self._sharp_s = self.time.now_s
        self._phase: Phase = "moving"
        self._ask_s = READ_THROUGH_S
        """Seconds of rest after which it is asked next."""

    def know(self, around: Surroundings) -> None:
        """Takes a picture of the board, with nothing over it, for the free view."""
        self._free = FreeView(around, ~around.unseen)

    def know_cells(self, around: Surroundings) -> None:
        """Takes a picture in which no cell has anything over it for the free view, unless all cells are known."""
        pixels = self._places.within(around)
        if self._free is None or not pixels.of(self._free.known).all():
            every = np.ones(len(pixels.rows), dtype=np.bool_)
            self._free = FreeView(around, pixels.covering(every, around.places.shape))

    def renew(self, shown: Flags | None = None) -> Flags:
        """Takes the last picture for the free view: at the `shown` (cells,), or wherever nothing may be a hand.

        What hangs together with a cell that is not shown stays: tall men lean over other cells. Returns (cells,) which
        cells were taken as a whole.
        """
        assert self._last is not None and self._free is not None and self._pixels is not None
        around, unlike = self._last
        if shown is None:
            still_s = self.time.proven_s - unlike.blobs.since_s
            may_be_hand = (still_s < self.settle_s) | (unlike.rooted & (still_s < REPORTED_S))
            may_be_hand[np.unique(unlike.blobs.labels[unlike.things])] = True
            may_be_hand[0] = False
            new = ~wider(may_be_hand[unlike.blobs.labels] | unlike.things) & ~around.unseen
        else:
            others = np.unique(self._pixels.of(unlike.blobs.labels)[~shown])
            other = wider(np.isin(unlike.blobs.labels, others[others > 0]))
            new = self._pixels.covering(shown, around.places.shape) & ~other
        whole = np.asarray(self._pixels.of(new | around.unseen).all(axis=1))
        # A cell taken in part would look as before though it was never read so.
        of_whole, of_others = (self._pixels.covering(cells, around.places.shape) for cells in (whole, ~whole))
        self._free.renew(around, new & (of_whole | ~of_others), unlike)
        return whole

    def stood(self, seconds: float) -> bool:
        """Whether nothing has moved over the board or its rim for that many seconds."""
        return self.time.proven_s - self._stirred_s >= seconds

    def update(
        self,
        around: Surroundings,
        time_s: float,
        repeated: bool | None = None,
        reads_through: ReadsThrough = lambda _: False,
    ) -> Sight:
        """What the next picture shows; about 6 ms.

        `repeated`: whether the camera sent the same picture again; None if only `around` tells. `reads_through` tells
        whether masked (cells,) are all read without doubt.
        """
        if repeated is None:
            repeated = self._last is not None and np.array_equal(self._last[0].picture, around.picture)
        first = self._last is None
        self.time.step(time_s, repeated=repeated)
        anchor, free, pixels = self._prepared(around)
        # 1. What has changed, and what differs from the free view.
        motion = anchor.follow(around, self.time.now_s, self._differences)
        self.time.lives |= not (repeated or first or motion)
        if (anchor.since_s[around.window] == self.time.now_s).any():
            self._stirred_s = self.time.now_s
        unlike = free.unlike(around, anchor.since_s, self._differences)
        if not unlike.blurrier:
            self._sharp_s = self.time.now_s
        blurred = 0 < self.time.now_s - self._sharp_s < HUNTS_S
        # 2. What reaches in from outside; a reflection that has gone, or a hand in the first picture, is none.
        over = pixels.under(unlike.things, around.man_px)
        rests_s = self.time.proven_s - anchor.since_s[unlike.things].max() if over.any() else 0.0
        if rests_s < READ_THROUGH_S:
            self._ask_s = READ_THROUGH_S
        elif rests_s >= self._ask_s:
            self._ask_s = rests_s + REPORTED_S
            if reads_through(over):
                unlike = free.without_things(unlike)
                over, rests_s = np.zeros_like(over), 0.0
        self._last = around, unlike
        # 3. Cell by cell, and as a whole.
        changed_s = pixels.of(anchor.since_s).max(axis=1)
        hidden = over | pixels.beyond(around)
        known = np.asarray(pixels.of(free.known).all(axis=1))
        still_s = np.maximum(0.0, self.time.proven_s - self._joined_s(changed_s, known, anchor, free, unlike, pixels))
        blocked = bool(over.any() and rests_s >= REPORTED_S)
        least_s = min(still_s[~hidden].min(initial=np.inf), self._arms_still_s(around, unlike))
        if over.any() and not blocked:
            phase: Phase = "occluded" if rests_s >= self.settle_s else "moving"
        elif least_s >= self.settle_s and not blurred:
            phase = "settled"
        else:
            warm = self.time.now_s - anchor.begun_s >= WARM_UP_S
            phase = "moving" if warm and least_s <= 0 else "settling"
        fresh = phase == "settled" != self._phase
        if not (blurred and phase == "settling"):  # a lens that refocuses changes nothing
            self._phase = phase
        return Sight(
            changed_s=changed_s,
            own_s=np.maximum(0.0, self.time.proven_s - changed_s),
            still_s=still_s,
            known=known,
            alike=known & ~np.asarray(pixels.of(unlike.differs).any(axis=1)),
            things=unlike.things,
            hidden=hidden,
            phase=phase,
            fresh=fresh,
            blocked=blocked,
            blurred=blurred,
            motion=motion,
        )

    def _prepared(self, around: Surroundings) -> tuple[Anchor, FreeView, CellPixels]:
        """Anchor, free view and pixels for pictures of this size; new ones for the first such picture."""
        if self._anchor is None or self._pixels is None or self._anchor.since_s.shape != around.places.shape:
            self._anchor = Anchor(around, self.time.now_s)
            self._pixels = self._places.within(around)
            self._stirred_s = self._sharp_s = self.time.now_s
        if self._free is None or self._free.shape != around.picture.shape:
            self._free = FreeView(around, np.zeros_like(around.unseen))
        return self._anchor, self._free, self._pixels

    @staticmethod
    def _joined_s(
        changed_s: FloatArray, known: Flags, anchor: Anchor, free: FreeView, unlike: Unlike, pixels: CellPixels
    ) -> FloatArray:
        """(cells,) when what hangs together with each cell last changed: a hand is of one piece, and so is a man.

        All that is unknown counts as one piece.
        """
        blobs_s = np.where(
            known,
            unlike.blobs.since_s[pixels.of(unlike.blobs.labels)].max(axis=1),
            anchor.since_s[~free.known].max(initial=-np.inf),
        )
        return np.asarray(np.maximum(changed_s, blobs_s))

    def _arms_still_s(self, around: Surroundings, unlike: Unlike) -> float:
        """Seconds for which whatever reaches into the board's picture from outside has been still."""
        there = np.unique(unlike.blobs.labels[around.window])
        return float(self.time.proven_s - unlike.blobs.since_s[there[unlike.rooted[there]]].max(initial=-np.inf))
