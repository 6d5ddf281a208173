"""Decides when the board may be read: nothing moves, no hand lies over it, light and focus are steady."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Literal

import numpy as np

from vision.frame import Image
from vision.watching.cover import Flags, Mask
from vision.watching.differences import Differences, pair
from vision.watching.focus import LEGIBLE_PX, blur_px
from vision.watching.light import FloatImage
from vision.watching.surroundings import Surroundings, small_picture

LIGHT_STEP = 0.10
"""Change of brightness, as a share, from which light counts as switched."""
REMEMBERED = 4
"""Settled pictures kept, to tell an arriving hand from a leaving one."""
SPACED_S = 10.0
"""Seconds between two kept pictures, at least, except the newest: a resting hand settles again after each small
movement, and must not push out the pictures from before it came."""
OUTRESTED = 3.0
"""An object over the board is accepted as part of the scene once it has rested this many times longer than the board
was seen without it: if a hand is in the very first picture, the free board comes later."""
SAME = 0.5
"""Two masks show the same object if they share more than this part of the smaller one's area."""
REPORTED_S = 5.0
"""Seconds after which an object over the board is reported. It is looked at once more right before."""
REFUSED_S, MAX_REFUSED_S = 2.0, 10.0
"""Seconds before a refused still picture is looked at again, at first and at most."""
BESIDE_S = 60.0
"""Seconds after which an object over the rim that covers no cell belongs to the scene: a cup, a sheet of paper."""
READ_THROUGH_S = 3.0
"""Seconds an object must rest before the reader is asked whether the board can be read there; if it can, there is no
object, but a lamp's reflection that has gone, or a cleared board."""
SWEPT = 0.3
"""Share of an object's area that other motion must cross; an object unchanged afterwards is not a hand."""
MAX_STEP_S = 2.0
"""Seconds of stillness that one picture proves at most: while the computer slept, its clock leapt or the camera froze,
nobody watched."""
FOCUS_S, HUNTS_S = 1.5, 5.0
"""Seconds. A picture blurrier than an earlier one is read once its blur has been constant for FOCUS_S, which a lens
that breathes in and out within four seconds never is, or after HUNTS_S: a hunting lens has been sharp by then."""
WARM_UP_S = 0.3
"""Seconds in which a camera's pictures may be broken, dark or off-colour; a difference from them is not motion."""

Phase = Literal["moving", "occluded", "light", "settling", "settled"]


@dataclasses.dataclass(frozen=True)
class GateState:
    """The gate's verdict on one picture."""

    phase: Phase
    """`occluded`: a still object reaches over the board from outside; `light`: only the light changed."""
    settled: bool
    """True while the picture is still and unobstructed, so that it may be read."""
    fresh: bool
    """True for the first frame each time the picture settles."""
    motion: float
    """Share of the picture, 0 to 1, that differs from the last still one."""
    light_gain: float
    """Brightness relative to the last settled picture; 1 before there is one."""
    blocked: bool = False
    """True once an object has rested over the board for REPORTED_S."""
    sure: bool = True
    """False if the picture settled without a picture of the free board to confirm it: after a new lock, or when an
    object has rested over the board for long. The reader should check that it shows a board."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Settled:
    """A settled picture with the board's surroundings and its time."""

    picture: FloatImage
    around: Surroundings | None
    time_s: float


@dataclasses.dataclass(eq=False)
class _Occluder:
    """An object that rests over the board, and where motion has crossed it since."""

    picture: FloatImage
    things: Flags
    swept: Flags


class Gate:
    """Watches the rectified picture. Feed it every frame in order; call `reset` after the board was located anew."""

    def __init__(
        self,
        settle_s: float = 0.4,
        smallest_share: float = 0.0007,
        margin_share: float = 0.11,
        accept_after_s: float = 8.0,
    ) -> None:
        """A change counts from `smallest_share` of the picture, about a sixth of a piece.

        `margin_share` of the picture's side lies outside the board's frame. An object over the board is accepted as
        part of the scene after `accept_after_s` at the earliest, and only once it has proved not to be a hand.
        """
        self.settle_s = settle_s
        self._accept_after_s = accept_after_s
        self._differences = Differences(smallest_share, margin_share)
        self.picture: FloatImage | None = None
        """The newest picture, reduced and smoothed."""
        self._last_s: float | None = None
        self._leapt_s = 0.0
        """Total seconds beyond MAX_STEP_S between consecutive pictures."""
        self._known: _Settled | None = None
        """A picture of the free board from another time."""
        self._new_s = 0.0
        """When a picture last differed from the one before in any pixel."""
        self.lives = False
        """Whether two pictures of a still board have ever differed, as a camera's do because of noise. Photographs sent
        as a stream never do; a camera whose pictures stop differing has frozen."""
        self.reset()

    def reset(self) -> None:
        """Starts over after the geometry changed: the picture is fresh once it is still."""
        self._anchor: FloatImage | None = None
        self._since_s = self._begun_s = 0.0
        self._told = False
        self._settled: FloatImage | None = None
        self._free: collections.deque[_Settled] = collections.deque(maxlen=REMEMBERED)
        self._around: Surroundings | None = None
        self._only_beside = False
        """Whether only the surroundings show the object over the board; its leaving then is not seen as motion."""
        self._bare_s = self._lain_s = self._counted_s = 0.0
        """Seconds the board was still with nothing over it or its rim; seconds with the same object over it since; and
        until when both were counted."""
        self._lying: Flags | None = None
        """The part of that object that was there all the time."""
        self.beside: Flags | None = None
        """(height, width) mask of an object over the board's rim in the newest still picture; None without one. It may
        be a hand that stretches a finger, so such a picture does not count as one of the free board."""
        self._beside_s = 0.0
        self._things: Flags | None = None
        self._occluder: _Occluder | None = None
        self._seen_through: bool | None = None
        """Whether the board can be read where the object seems to be; None until the reader was asked."""
        self._sure = True
        self._sharpest: FloatImage | None = None
        """The sharpest still picture since the last one read, inclusive."""
        self._soft: FloatImage | None = None
        """The first picture of the present blur; None while the picture is sharp."""
        self._sharp_s = self._soft_s = 0.0
        self._refused: FloatImage | None = None
        self._refused_s, self._again_s = REFUSED_S, 0.0

    def know(self, rectified: Image, around: Surroundings) -> None:
        """Keeps a rectified picture of the free board for good, from calibration for example.

        If the first pictures after a new lock show a hand, it tells the hand from the free board that follows.
        """
        self._known = _Settled(small_picture(rectified), around, 0.0)

    def still_s(self, time_s: float) -> float:
        """Seconds for which the picture has been still, up to the newest one."""
        return self.watched_s(time_s) - self._since_s

    def rested(self, time_s: float) -> bool:
        """Whether nothing has moved for REPORTED_S, so that an object over the board would be reported."""
        return self.stood(time_s, REPORTED_S)

    def stood(self, time_s: float, seconds: float) -> bool:
        """Whether nothing has moved for that many seconds, up to the newest picture.

        A frozen camera that repeats one picture proves only MAX_STEP_S of it.
        """
        return self._still_until_s(self.watched_s(time_s)) - self._since_s >= seconds

    def is_frozen(self, time_s: float) -> bool:
        """Whether a live camera has sent one identical picture for longer than MAX_STEP_S."""
        return self.lives and self.watched_s(time_s) - self._new_s > MAX_STEP_S

    def refuse(self, time_s: float) -> GateState:
        """Withdraws the picture that just settled, because it shows an object over the board; returns the new state.

        It does not count as a picture of the free board. If it stays still it settles again after a while.
        """
        assert self.picture is not None
        if self._free and self.beside is None:
            self._free.pop()
        self._told = False
        self._refused_s = min(2 * self._refused_s, MAX_REFUSED_S) if self._is_refused(self.picture) else REFUSED_S
        now_s, told_s = self.watched_s(time_s), self._since_s + REPORTED_S
        self._refused, self._again_s = self.picture, now_s + self._refused_s
        if now_s < told_s:  # before it is reported it is looked at once more
            self._again_s = min(self._again_s, told_s)
        return dataclasses.replace(self._state("occluded", 0.0, self.picture), blocked=self.rested(time_s))

    def update(
        self,
        rectified: Image,
        time_s: float,
        look_around: Callable[[], Surroundings] | None = None,
        reads_through: Callable[[Flags], bool] | None = None,
        repeated: bool | None = None,
    ) -> GateState:
        """The verdict on the next rectified picture, taken at `time_s`; about 3 ms.

        `look_around` returns the board's surroundings. It is called once each time the picture becomes still, and for
        every picture while only the surroundings show an object. `reads_through` tells whether the board can be
        read for certain under a (height, width) mask of the gate's picture; it is asked once each time. `repeated` is
        whether the camera sent the same picture again, whatever pose it was rectified by; None if only the rectified
        pictures tell.
        """
        before, small = self.picture, small_picture(rectified)
        self.picture = small
        time_s = self._watched(time_s)
        if before is None or not (np.array_equal(before, small) if repeated is None else repeated):
            self._new_s = time_s
        if self._anchor is None or self._anchor.shape != small.shape:
            self._begun_s = time_s
            self._stand(small, time_s)
            return self._state("settling", 0.0, small)
        # 1. Compare with the first still picture: slow movement adds up until it shows.
        seen = pair(self._anchor, small)
        mask = self._differences.mask(seen)
        motion = float(mask.mean()) / 255
        if self._differences.counts(mask):
            return self._move(small, mask, motion, time_s)
        self.lives |= self._new_s == time_s and before is not None
        self._differences.learn_noise(seen)
        if seen.light.greatest_shift > LIGHT_STEP:
            self._stand(small, time_s)
            return self._state("light", motion, small)
        # 2. Still for long enough, and in focus?
        still_s = time_s - self._since_s
        blurred = self._is_blurred(small, time_s)
        if still_s < self.settle_s or blurred:
            return self._state("settling", motion, small)
        # 3. Compare with the pictures read last: what reaches in from outside is a resting hand.
        if not self._told:
            if time_s < self._again_s and self._is_refused(small):
                blocked = still_s >= REPORTED_S
                return dataclasses.replace(self._state("occluded", motion, small), blocked=blocked)
            around = look_around() if look_around and (self._things is None or self._only_beside) else self._around
            if self._things is None:
                self._things, self._around = self._things_over(small, around), around
                self.beside = self._over_the_rim(small, around)
            elif self._only_beside and around is not self._around and self._stirs_around(around):
                # A hand that only the surroundings show has moved: treat it as motion.
                self._stand(small, time_s)
                return self._state("settling", motion, small)
            known_free = bool(self._free) or self._is_known_as_free(small, around)
            self._sure = known_free and not self._things.any()
            self._lies(self._things if self.beside is None else self._things | self.beside, time_s)
            belongs = not self._things.any() or self._belongs(small, self._things, time_s)
            if not belongs and not self._is_seen_through(time_s, reads_through):
                blocked = still_s >= REPORTED_S
                if blocked and self._occluder is None:
                    self._occluder = _Occluder(small, self._things, np.zeros_like(self._things))
                return dataclasses.replace(self._state("occluded", motion, small), blocked=blocked)
            if belongs and self._things.any():  # accepted over the board, it is accepted over the rim too
                self.beside = None
        return self._settle(small, motion, time_s)

    def _watched(self, time_s: float) -> float:
        """Registers a picture's time; returns it without the time nobody watched."""
        if self._last_s is not None:
            self._leapt_s += max(0.0, time_s - self._last_s - MAX_STEP_S)
        self._last_s = time_s
        return self.watched_s(time_s)

    def watched_s(self, time_s: float) -> float:
        """Camera time without the time nobody watched; `reset` does not restart it."""
        return time_s - self._leapt_s

    def _is_blurred(self, small: FloatImage, time_s: float) -> bool:
        """Whether the lens is out of focus and may soon return to it."""
        sharpest = self._sharpest
        blur = -np.inf if sharpest is None or sharpest.shape != small.shape else blur_px(sharpest, small)
        if blur > LEGIBLE_PX:
            if self._soft is None or abs(blur_px(self._soft, small)) > LEGIBLE_PX:
                self._soft, self._soft_s = small, time_s
            if time_s - self._soft_s < FOCUS_S and time_s - self._sharp_s < HUNTS_S:
                return True
        if not 0 <= blur <= LEGIBLE_PX:
            self._sharpest = small
        self._soft, self._sharp_s = None, time_s
        return False

    def _move(self, small: FloatImage, mask: Mask, motion: float, time_s: float) -> GateState:
        self._stand(small, time_s)
        if time_s - self._begun_s < WARM_UP_S:
            return self._state("settling", 0.0, small)
        if self._occluder is not None:
            self._occluder.swept |= mask > 0
        return self._state("moving", motion, small)

    def _settle(self, small: FloatImage, motion: float, time_s: float) -> GateState:
        fresh, self._told = not self._told, True
        if fresh:
            self._settled = self._sharpest = small
            if self.beside is None:
                self._beside_s = time_s
            elif time_s - self._beside_s > BESIDE_S or self._outlasts_the_first():
                self.beside = None
            if self.beside is None:
                self._keep(small, time_s)
            self._occluder = None
        elif self.beside is not None:
            self._lies(self.beside, time_s)
        else:
            self._bare_s += self._still_more_s(time_s)
        return dataclasses.replace(self._state("settled", motion, small), settled=True, fresh=fresh, sure=self._sure)

    def _lies(self, lying: Flags, time_s: float) -> None:
        """Adds up the time the same object has been over the board or its rim, whatever else came and went."""
        if not lying.any():
            self._lying, self._lain_s = None, 0.0
            self._bare_s += self._still_more_s(time_s)
            return
        known = self._lying
        if known is not None and (common := known & lying).sum() > SAME * min(known.sum(), lying.sum()):
            self._lying = common
        else:
            self._lying, self._lain_s = lying, 0.0
        self._lain_s += self._still_more_s(time_s)

    def _still_more_s(self, time_s: float) -> float:
        """Seconds of stillness since the last call."""
        time_s = self._still_until_s(time_s)
        more_s = time_s - max(self._since_s, self._counted_s)
        self._counted_s = time_s
        return more_s

    def _still_until_s(self, time_s: float) -> float:
        """Until when the pictures prove stillness: a picture repeated for longer is a frozen camera's."""
        return min(time_s, self._new_s + MAX_STEP_S) if self.lives else time_s

    def _outlasts_the_first(self) -> bool:
        """Whether the only picture of the free board was still so briefly that it may itself show a hand.

        What differs from it is then the free board, not a hand: the same difference stays, wherever hands go.
        """
        return len(self._free) == 1 and self._lain_s >= self._outrested_s

    @property
    def _outrested_s(self) -> float:
        """Seconds an object must rest to be accepted as part of the scene."""
        return max(self._accept_after_s, OUTRESTED * self._bare_s)

    def _keep(self, small: FloatImage, time_s: float) -> None:
        """Remembers a settled picture; replaces the newest if that came less than SPACED_S after the one before."""
        if len(self._free) > 1 and self._free[-1].time_s - self._free[-2].time_s < SPACED_S:
            self._free.pop()
        self._free.append(_Settled(small, self._around, time_s))

    def _is_refused(self, small: FloatImage) -> bool:
        """Whether this is the refused picture."""
        refused = self._refused
        return refused is not None and refused.shape == small.shape and self._differences.is_same(refused, small)

    def _is_seen_through(self, time_s: float, reads_through: Callable[[Flags], bool] | None) -> bool:
        """Whether the board can be read where an object seems to be, so that there is none; asked once."""
        stood_s = self._still_until_s(time_s) - self._since_s
        if reads_through is None or self._seen_through is not None or stood_s < READ_THROUGH_S:
            return bool(self._seen_through)
        assert self._things is not None
        self._seen_through = reads_through(self._things)
        return self._seen_through

    def _stand(self, small: FloatImage, time_s: float) -> None:
        self._anchor, self._since_s, self._told, self._things = small, time_s, False, None
        self._seen_through = None

    def _state(self, phase: Phase, motion: float, small: FloatImage) -> GateState:
        gain = 1.0 if self._settled is None else float(small.mean() + 1) / float(self._settled.mean() + 1)
        return GateState(phase, settled=False, fresh=False, motion=motion, light_gain=gain)

    def _stirs_around(self, around: Surroundings | None) -> bool:
        if around is None or self._around is None:
            return True
        return not self._differences.is_same_around(self._around, around)

    def _things_over(self, small: FloatImage, around: Surroundings | None) -> Flags:
        """Mask of what reaches in that none of the last settled pictures shows; empty if one of them shows all of it.

        A single picture is not enough: it may itself show a sleeve at the edge, and its leaving is no arriving hand.
        """
        nothing: Flags = np.zeros(small.shape[:2], dtype=bool)
        newest: Flags = nothing
        self._only_beside = False
        for before in self._free_pictures(small):
            newest = self._hands(before, small, around)
            if not newest.any() and around is not None and before.around is not None:
                newest = self._differences.hands_around(before.around, around)
                self._only_beside |= bool(newest.any())
            if not newest.any():
                return nothing
        return newest

    def _hands(self, before: _Settled, small: FloatImage, around: Surroundings | None) -> Flags:
        if around is None or before.around is None:
            return self._differences.hands(before.picture, small)
        unseen = before.around.unseen[before.around.window] | around.unseen[around.window]
        return self._differences.hands(before.picture, small, unseen)

    def _over_the_rim(self, small: FloatImage, around: Surroundings | None) -> Flags | None:
        """Mask of an object over the rim that none of the last settled pictures shows; None if one of them shows it."""
        newest: Flags | None = None
        for before in self._free_pictures(small):
            if around is None or before.around is None:
                return None
            newest = self._differences.over_the_rim(before.around, around)
            if not newest.any():
                return None
        return newest

    def _is_known_as_free(self, small: FloatImage, around: Surroundings | None) -> bool:
        """Whether the picture passed to `know` proves that nothing is over the board or its rim."""
        known = self._known
        if known is None or known.around is None or around is None or known.picture.shape != small.shape:
            return False
        if self._hands(known, small, around).any():
            return False
        around_it = self._differences.hands_around, self._differences.over_the_rim
        return not any(find(known.around, around).any() for find in around_it)

    def _free_pictures(self, small: FloatImage) -> list[_Settled]:
        """The pictures of the free board, the newest last; empty before one has settled."""
        known = self._known
        if known is None or not self._free or known.picture.shape != small.shape:
            return list(self._free)
        return [known, *self._free]

    def _belongs(self, small: FloatImage, things: Flags, time_s: float) -> bool:
        """Whether the object over the board has proved not to be a hand.

        Either it rested much longer than the board was seen without it, or hands passed over it and it did not change,
        as a lamp's new shadow does.
        """
        rested_s = self._still_until_s(time_s) - self._since_s
        if rested_s >= self._outrested_s or self._outlasts_the_first():
            return True
        occluder = self._occluder
        if occluder is None or occluder.swept[things].mean() < SWEPT:
            return False
        changed_since = self._differences.mask(pair(occluder.picture, small)) > 0
        return not changed_since[things].any()
