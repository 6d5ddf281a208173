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
"""Settled pictures kept to tell a hand that came from one that went."""
SPACED_S = 10.0
"""Least time between those that are kept, but for the newest: a hand that rests settles anew with each of its stirs,
and must not drive out the pictures from before it came."""
OUTRESTED = 3.0
"""What lies over the board is believed to belong there once it has rested so many times longer than the board did
without it: where a hand is in the very first picture, it is the free board that comes later."""
SAME = 0.5
"""Share of two things, of the smaller one's area, that they have in common where they are one."""
REPORTED_S = 5.0
"""Seconds after which an object over the board is reported. It is looked at once more right before."""
REFUSED_S, LONGEST_REFUSED_S = 2.0, 10.0
"""How long a still picture that was refused is left alone, at first and at most."""
BESIDE_S = 60.0
"""What has lain over the board's rim for longer, and covers no place, belongs to the scene: a cup, a sheet of paper."""
READ_THROUGH_S = 3.0
"""What has rested so long may be asked for whether the board is read through it: then it is none, but a lamp's mirror
image that has gone, or a board that was cleared."""
SWEPT = 0.3
"""Share of a thing's area over which something moves that shows it to be no hand, if it is there unchanged after."""
MAX_STEP_S = 2.0
"""As much stillness one picture vouches for at most: where the computer slept, its clock leapt, or the camera froze,
nobody watched."""
FOCUS_S, HUNTS_S = 1.5, 5.0
"""A picture that is blurrier than one before is read once it has stayed as blurry for FOCUS_S: a lens that breathes in
and out within four seconds does not. It is not waited for any longer than HUNTS_S: a lens that hunts was sharp by then.
"""
WARM_UP_S = 0.3
"""A camera's first pictures may be broken, dark or of other colours; what differs from them has not moved."""

Phase = Literal["moving", "occluded", "light", "settling", "settled"]


@dataclasses.dataclass(frozen=True)
class GateState:
    """What the gate says of one picture."""

    phase: Phase
    """`occluded`: something lies still, but reaches from outside over the board; `light`: only the light changed."""
    settled: bool
    """True while the picture is still and free; it may be read."""
    fresh: bool
    """True once for each time the picture settles."""
    motion: float
    """Share of the picture, 0 to 1, that differs from where it last stood still."""
    light_gain: float
    """Brightness against the last settled picture; 1 before there is one."""
    blocked: bool = False
    """True while something has rested over the board for so long that the players should be told."""
    sure: bool = True
    """False where the picture settled although no picture of the free board vouches for it: after a new lock, or
    where what lies over the board has rested for long. Whoever reads it should look whether it shows a board."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Settled:
    """A picture that settled, what lay around the board then, and when that was."""

    picture: FloatImage
    around: Surroundings | None
    time_s: float


@dataclasses.dataclass(eq=False)
class _Obstacle:
    """What rests over the board, and what has moved over it since."""

    picture: FloatImage
    things: Flags
    swept: Flags


class Gate:
    """Watches the steady picture. Give it every frame in turn; call `reset` after the board was locked again."""

    def __init__(
        self,
        settle_s: float = 0.4,
        smallest_share: float = 0.0007,
        margin_share: float = 0.11,
        accept_after_s: float = 8.0,
    ) -> None:
        """`smallest_share` of the picture must change to count, about a sixth of a man.

        `margin_share` of the picture's side lies outside the board's frame. What lies over the board is read as part
        of the scene after `accept_after_s` at the earliest, and only where it has proved to be no hand.
        """
        self.settle_s = settle_s
        self._accept_after_s = accept_after_s
        self._differences = Differences(smallest_share, margin_share)
        self.picture: FloatImage | None = None
        """The newest picture as the gate sees it: small and smooth."""
        self._last_s: float | None = None
        self._leapt_s = 0.0
        """Time that passed between two pictures beyond MAX_STEP_S, all added up."""
        self._known: _Settled | None = None
        """A picture of the free board from another time."""
        self._new_s = 0.0
        """When the newest picture came that was not the one before once more, pixel by pixel."""
        self.lives = False
        """Whether two pictures of a still board have ever differed, as a camera's do. Photographs sent as a stream do
        not, and nothing in them stirs; a camera froze when its pictures differ no more."""
        self.reset()

    def reset(self) -> None:
        """Starts over: the picture has another geometry now, and is fresh once it stands still."""
        self._anchor: FloatImage | None = None
        self._since_s = self._begun_s = 0.0
        self._told = False
        self._settled: FloatImage | None = None
        self._free: collections.deque[_Settled] = collections.deque(maxlen=REMEMBERED)
        self._around: Surroundings | None = None
        self._only_beside = False
        """Whether what lies over the board would not be seen but for the surroundings: its going is no motion."""
        self._bare_s = self._lain_s = self._counted_s = 0.0
        """How long the board stood still with nothing over it or its rim, and with the same thing since."""
        self._lying: Flags | None = None
        """What of it has been there all the time."""
        self.beside: Flags | None = None
        """(height, width) where something lies over the board's rim, a hand that may stretch a finger, in the newest
        picture that stood still; None where nothing does. Such a picture vouches for no free board."""
        self._beside_s = 0.0
        self._things: Flags | None = None
        self._obstacle: _Obstacle | None = None
        self._seen_through: bool | None = None
        """Whether the board is read through what lies over it; None where nobody was asked."""
        self._sure = True
        self._sharpest: FloatImage | None = None
        """The sharpest still picture since the last that was read, that one included."""
        self._soft: FloatImage | None = None
        """The picture with which the present blur began; None while there is none."""
        self._sharp_s = self._soft_s = 0.0
        self._refused: FloatImage | None = None
        self._refused_s, self._again_s = REFUSED_S, 0.0

    def know(self, rectified: Image, around: Surroundings) -> None:
        """Takes over a steady picture of the board, of calibration say, when no hand was over it, for good.

        Where the first pictures after a new lock show a hand, it tells that not the free board that follows has one.
        """
        self._known = _Settled(small_picture(rectified), around, 0.0)

    def still_s(self, time_s: float) -> float:
        """For how long the picture was seen to stand still by the time of the newest one."""
        return self.watched_s(time_s) - self._since_s

    def rested(self, time_s: float) -> bool:
        """Whether nothing has stirred for so long that whatever lies over the board would be reported."""
        return self.stood(time_s, REPORTED_S)

    def stood(self, time_s: float, seconds: float) -> bool:
        """Whether it was seen for so long that nothing stirs, by the time of the newest picture.

        A camera that sends one and the same picture again and again shows nothing but that.
        """
        return self._vouched_s(self.watched_s(time_s)) - self._since_s >= seconds

    def is_frozen(self, time_s: float) -> bool:
        """Whether the pictures are one and the same, again and again, for longer than one of them vouches for."""
        return self.lives and self.watched_s(time_s) - self._new_s > MAX_STEP_S

    def refuse(self, time_s: float) -> GateState:
        """The picture that just settled, and was not sure, shows a thing over the board: it counts for no free board.

        It is taken for settled again after a while, should it stand still for so long. Returns the state instead.
        """
        assert self.picture is not None
        if self._free and self.beside is None:
            self._free.pop()
        self._told = False
        self._refused_s = min(2 * self._refused_s, LONGEST_REFUSED_S) if self._is_refused(self.picture) else REFUSED_S
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
    ) -> GateState:
        """What the next steady picture, taken at `time_s`, tells; about 3 ms.

        `look_around` shows what lies around the board. It is called once for each time that the picture stands still,
        and with each picture while something that only it shows lies there. `reads_through` tells whether the board is
        surely seen where something seems to lie, (height, width) of the gate's picture; it is asked once for each time.
        """
        before, small = self.picture, small_picture(rectified)
        self.picture = small
        time_s = self._watched(time_s)
        if before is None or not np.array_equal(before, small):
            self._new_s = time_s
        if self._anchor is None or self._anchor.shape != small.shape:
            self._begun_s = time_s
            self._stand(small, time_s)
            return self._state("settling", 0.0, small)
        # 1. Against the picture with which it began to stand still: slow movement adds up until it shows.
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
        # 2. Long enough, and in focus?
        still_s = time_s - self._since_s
        blurred = self._is_blurred(small, time_s)
        if still_s < self.settle_s or blurred:
            return self._state("settling", motion, small)
        # 3. Against the pictures that were read last: what reaches in from outside is a hand that rests.
        if not self._told:
            if time_s < self._again_s and self._is_refused(small):
                blocked = still_s >= REPORTED_S
                return dataclasses.replace(self._state("occluded", motion, small), blocked=blocked)
            around = look_around() if look_around and (self._things is None or self._only_beside) else self._around
            if self._things is None:
                self._things, self._around = self._things_over(small, around), around
                self.beside = self._over_the_rim(small, around)
            elif self._only_beside and around is not self._around and self._stirs_around(around):
                # A hand of which the board's picture shows nothing has stirred: as good as motion.
                self._stand(small, time_s)
                return self._state("settling", motion, small)
            vouched = bool(self._free) or self._is_known_as_free(small, around)
            self._sure = vouched and not self._things.any()
            self._lies(self._things if self.beside is None else self._things | self.beside, time_s)
            belongs = not self._things.any() or self._belongs(small, self._things, time_s)
            if not belongs and not self._is_seen_through(time_s, reads_through):
                blocked = still_s >= REPORTED_S
                if blocked and self._obstacle is None:
                    self._obstacle = _Obstacle(small, self._things, np.zeros_like(self._things))
                return dataclasses.replace(self._state("occluded", motion, small), blocked=blocked)
            if belongs and self._things.any():  # what proved to belong there belongs there over the rim, too
                self.beside = None
        return self._settle(small, motion, time_s)

    def _watched(self, time_s: float) -> float:
        """Takes note of a picture's time, and returns it without what was not watched."""
        if self._last_s is not None:
            self._leapt_s += max(0.0, time_s - self._last_s - MAX_STEP_S)
        self._last_s = time_s
        return self.watched_s(time_s)

    def watched_s(self, time_s: float) -> float:
        """A time of the camera's clock without what nobody watched; it goes on when the gate starts over."""
        return time_s - self._leapt_s

    def _is_blurred(self, small: FloatImage, time_s: float) -> bool:
        """Whether the lens has left its focus, and may soon come back to it."""
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
        if self._obstacle is not None:
            self._obstacle.swept |= mask > 0
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
            self._obstacle = None
        elif self.beside is not None:
            self._lies(self.beside, time_s)
        else:
            self._bare_s += self._still_more_s(time_s)
        return dataclasses.replace(self._state("settled", motion, small), settled=True, fresh=fresh, sure=self._sure)

    def _lies(self, lying: Flags, time_s: float) -> None:
        """Adds up for how long the same thing has lain over the board or its rim, whatever else came and went."""
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
        """How much longer the picture has stood still than when this was asked last."""
        time_s = self._vouched_s(time_s)
        more_s = time_s - max(self._since_s, self._counted_s)
        self._counted_s = time_s
        return more_s

    def _vouched_s(self, time_s: float) -> float:
        """Until when the pictures vouch for stillness: one that comes again and again is of a camera that froze."""
        return min(time_s, self._new_s + MAX_STEP_S) if self.lives else time_s

    def _outlasts_the_first(self) -> bool:
        """Whether the only picture of the free board stood for so short a time that it may show a hand itself.

        Then it is not a hand that differs from it, but the free board: the same thing seems to lie there ever since,
        wherever hands go.
        """
        return len(self._free) == 1 and self._lain_s >= self._outrested_s

    @property
    def _outrested_s(self) -> float:
        """How long what lies there must rest to belong there."""
        return max(self._accept_after_s, OUTRESTED * self._bare_s)

    def _keep(self, small: FloatImage, time_s: float) -> None:
        """Remembers a picture that settled, in the place of the newest where that came soon after the one before."""
        if len(self._free) > 1 and self._free[-1].time_s - self._free[-2].time_s < SPACED_S:
            self._free.pop()
        self._free.append(_Settled(small, self._around, time_s))

    def _is_refused(self, small: FloatImage) -> bool:
        """Whether the picture is the one that was refused."""
        refused = self._refused
        return refused is not None and refused.shape == small.shape and self._differences.is_same(refused, small)

    def _is_seen_through(self, time_s: float, reads_through: Callable[[Flags], bool] | None) -> bool:
        """Whether what seems to lie over the board is none, since the board is read there; asked once."""
        stood_s = self._vouched_s(time_s) - self._since_s
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
        """What reaches in that none of the last settled pictures shows; nothing where one of them shows all of it.

        One is not enough: it may show a sleeve at the edge itself, and its going away is no hand that came.
        """
        nothing: Flags = np.zeros(small.shape[:2], dtype=bool)
        newest: Flags = nothing
        self._only_beside = False
        for before in self._vouching(small):
            newest = self._differences.hands(before.picture, small)
            if not newest.any() and around is not None and before.around is not None:
                newest = self._differences.hands_around(before.around, around)
                self._only_beside |= bool(newest.any())
            if not newest.any():
                return nothing
        return newest

    def _over_the_rim(self, small: FloatImage, around: Surroundings | None) -> Flags | None:
        """Where something lies over the rim that none of the last settled pictures shows; None where one shows it."""
        newest: Flags | None = None
        for before in self._vouching(small):
            if around is None or before.around is None:
                return None
            newest = self._differences.over_the_rim(before.around, around)
            if not newest.any():
                return None
        return newest

    def _is_known_as_free(self, small: FloatImage, around: Surroundings | None) -> bool:
        """Whether the picture of another time shows that nothing lies over the board, nor over its rim."""
        known = self._known
        if known is None or known.around is None or around is None or known.picture.shape != small.shape:
            return False
        if self._differences.hands(known.picture, small).any():
            return False
        around_it = self._differences.hands_around, self._differences.over_the_rim
        return not any(find(known.around, around).any() for find in around_it)

    def _vouching(self, small: FloatImage) -> list[_Settled]:
        """The pictures of the free board, the newest last; none before one has settled."""
        known = self._known
        if known is None or not self._free or known.picture.shape != small.shape:
            return list(self._free)
        return [known, *self._free]

    def _belongs(self, small: FloatImage, things: Flags, time_s: float) -> bool:
        """Whether what lies over the board has proved to be no hand.

        It rested for longer than the board was ever seen without it, or has lain there ever since; or hands passed over
        it, and it stayed as it was: a lamp's new shadow, say.
        """
        rested_s = self._vouched_s(time_s) - self._since_s
        if rested_s >= self._outrested_s or self._outlasts_the_first():
            return True
        obstacle = self._obstacle
        if obstacle is None or obstacle.swept[things].mean() < SWEPT:
            return False
        changed_since = self._differences.mask(pair(obstacle.picture, small)) > 0
        return not changed_since[things].any()
