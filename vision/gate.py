"""Decides when the board may be read: nothing moves, no hand lies over it, and the light is steady."""

from __future__ import annotations

import collections
import dataclasses
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.light import FloatImage, LightChange, changed, light_change, noise_level

LONGER_SIDE_PX = 128
LEAST_STEP, GREATEST_STEP = 9.0, 40.0
"""Least and greatest difference, in grey values, that counts as a change; between them the noise decides."""
NOISE_FACTOR = 5.0
LIGHT_STEP = 0.10
"""Change of brightness, as a share, from which light counts as switched."""
REMEMBERED = 4
"""Settled pictures kept to tell a hand that came from one that went."""
SAME_TEXTURE = 0.6
"""Correlation of fine detail above which a darker region is the same thing in shadow."""

Phase = Literal["moving", "occluded", "light", "settling", "settled"]
Mask = NDArray[np.uint8]


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

        `margin_share` of the picture's side lies outside the board's frame. What reaches over the board, but has not
        moved at all for `accept_after_s`, is taken as part of the scene.
        """
        self._settle_s = settle_s
        self._smallest_share = smallest_share
        self._margin_share = margin_share
        self._accept_after_s = accept_after_s
        self._noise = 1.0
        self._settled: FloatImage | None = None
        self.reset()

    def reset(self) -> None:
        """Starts over: the picture has another geometry now, and is fresh once it stands still."""
        self._anchor: FloatImage | None = None
        self._since_s = 0.0
        self._told = False
        self._settled = None
        self._free: collections.deque[FloatImage] = collections.deque(maxlen=REMEMBERED)

    def update(self, rectified: Image, time_s: float) -> GateState:
        """What the next steady picture, taken at `time_s`, tells; about 3 ms."""
        small = _prepare(rectified)
        if self._anchor is None or self._anchor.shape != small.shape:
            self._stand(small, time_s)
            return self._state("settling", 0.0, small)
        # 1. Against the picture with which it began to stand still: slow movement adds up until it shows.
        light = light_change(self._anchor, small)
        mask = self._mask(self._anchor, small, light)
        motion = float(mask.mean()) / 255
        if self._largest(mask) > self._smallest_share * mask.size:
            self._stand(small, time_s)
            return self._state("moving", motion, small)
        self._noise += 0.05 * (noise_level(self._anchor, small, light) - self._noise)
        if light.greatest_shift > LIGHT_STEP:
            self._stand(small, time_s)
            return self._state("light", motion, small)
        # 2. Long enough?
        still_s = time_s - self._since_s
        if still_s < self._settle_s:
            return self._state("settling", motion, small)
        # 3. Against the picture that was read last: what reaches in from outside is a hand that rests.
        if not self._told and still_s < self._accept_after_s and self._occluded(small):
            return self._state("occluded", motion, small)
        return self._settle(small, motion)

    def _settle(self, small: FloatImage, motion: float) -> GateState:
        fresh, self._told = not self._told, True
        if fresh:
            self._settled = small
            self._free.append(small)
        return dataclasses.replace(self._state("settled", motion, small), settled=True, fresh=fresh)

    def _stand(self, small: FloatImage, time_s: float) -> None:
        self._anchor, self._since_s, self._told = small, time_s, False

    def _state(self, phase: Phase, motion: float, small: FloatImage) -> GateState:
        gain = 1.0 if self._settled is None else float(small.mean() + 1) / float(self._settled.mean() + 1)
        return GateState(phase, settled=False, fresh=False, motion=motion, light_gain=gain)

    def _mask(self, before: FloatImage, after: FloatImage, light: LightChange) -> Mask:
        step = float(np.clip(NOISE_FACTOR * self._noise, LEAST_STEP, GREATEST_STEP))
        mask = np.where(changed(before, after, light) > step, 255, 0).astype(np.uint8)
        # Drawn lines shiver and overexpose; men and hands are broader than any of them.
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)

    def _largest(self, mask: Mask) -> int:
        count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
        return int(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0

    def _occluded(self, small: FloatImage) -> bool:
        """Whether something reaches in that none of the last settled pictures shows.

        One is not enough: it may show a sleeve at the edge itself, and its going away is no hand that came.
        """
        return bool(self._free) and all(self._reaches_in(before, small) for before in reversed(self._free))

    def _reaches_in(self, before: FloatImage, small: FloatImage) -> bool:
        light = light_change(before, small)
        mask = cv2.morphologyEx(self._mask(before, small, light), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        labels = np.asarray(cv2.connectedComponents(mask)[1])
        height, width = mask.shape
        margin = max(1, round(self._margin_share * min(height, width)))
        inner = labels[margin : height - margin, margin : width - margin]
        border = np.concatenate(
            [labels[:2].ravel(), labels[-2:].ravel(), labels[:, :2].ravel(), labels[:, -2:].ravel()]
        )
        for label in set(np.unique(border)) - {0}:
            if (inner == label).sum() > 2 * self._smallest_share * mask.size and not _same_texture(
                before, small, labels == label
            ):
                return True
        return False


def _prepare(rectified: Image) -> FloatImage:
    scale = LONGER_SIDE_PX / max(rectified.shape[:2])
    size = max(8, round(rectified.shape[1] * scale)), max(8, round(rectified.shape[0] * scale))
    small = cv2.resize(rectified, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    return np.asarray(cv2.GaussianBlur(small, (3, 3), 0), dtype=np.float32)


def _same_texture(before: FloatImage, after: FloatImage, where: NDArray[np.bool_]) -> bool:
    """Whether the region shows the same detail in both pictures: a shadow, and not a thing."""
    one, other = (_detail(picture)[where] for picture in (before, after))
    strength = float(one.std() * other.std())
    return strength > 1.0 and float((one * other).mean() - one.mean() * other.mean()) > SAME_TEXTURE * strength


def _detail(picture: FloatImage) -> FloatImage:
    grey = picture.mean(axis=2)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), 4), dtype=np.float32)
