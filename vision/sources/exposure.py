"""Locks a camera's exposure and white balance once they have settled, so that a hand over the board changes neither."""

from __future__ import annotations

import collections
import logging
from typing import Any, Protocol

import cv2
import numpy as np

from vision.frame import Image
from vision.sources.delivery import Delivery

log = logging.getLogger(__name__)

SETTLE_S = 2.0
"""Seconds, at least, that a camera gets to find its exposure and white balance."""
MAX_SETTLE_S = 6.0
"""Seconds after which both are locked even if the brightness still varies: a hand or flickering lamp may cause it."""
STEADY_FRAMES = 10
STEADY_SHARE = 0.03
"""Greatest difference between the last pictures' brightness, as a share, at which it has settled."""
CHECKED_FRAMES = 12
"""Pictures after locking over which the brightness is judged."""
LEAPT_SHARE = 0.25
"""Change of brightness caused by locking, as a share, from which the lock is undone: some drivers forget the value."""
V4L2_MANUAL, V4L2_AUTOMATIC = 1, 3
"""V4L2's values of exposure_auto: manual, and aperture priority, which is what cameras call automatic."""


class Device(Protocol):
    """The part of `cv2.VideoCapture` used for a camera or a file."""

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        """Whether it could be opened."""

    def get(self, propId: int, /) -> float:  # noqa: N803
        """A setting; 0 or -1 where the driver does not know it."""

    def set(self, propId: int, value: float, /) -> bool:  # noqa: N803
        """Asks for a setting; False where the driver refuses it, True also where it only seems to take it."""

    def read(self) -> tuple[bool, Any]:
        """The next picture; may block for seconds."""

    def release(self) -> None:
        """Closes it."""


class ExposureLock:
    """Locks a newly opened camera's exposure and white balance; pass it every picture."""

    def __init__(self, device: Device, delivery: Delivery, now_s: float) -> None:
        """Switches to automatic first: a driver keeps the lock of the previous program."""
        self._device, self._delivery = device, delivery
        self._opened_s = now_s
        self._recent: collections.deque[float] = collections.deque(maxlen=STEADY_FRAMES)
        self._locked_level: float | None = None
        self._after: list[float] = []
        self._done = False
        self._automatic()
        delivery.exposure = "exposure automatic"

    def watch(self, image: Image, now_s: float) -> None:
        """Locks once the brightness has settled, and undoes the lock where the picture's brightness jumps."""
        if self._done:
            return
        level = float(image[::8, ::8].mean())
        if self._locked_level is None:
            self._recent.append(level)
            passed_s, range_of = now_s - self._opened_s, max(self._recent) - min(self._recent)
            steady = len(self._recent) == STEADY_FRAMES and range_of <= STEADY_SHARE * (max(self._recent) + 1)
            if passed_s > SETTLE_S and (steady or passed_s > MAX_SETTLE_S):
                self._lock()
            return
        self._after.append(level)
        if len(self._after) == CHECKED_FRAMES:
            self._judge()

    def _lock(self) -> None:
        exposure, warmth = self._device.get(cv2.CAP_PROP_EXPOSURE), self._device.get(cv2.CAP_PROP_WB_TEMPERATURE)
        exposed = self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_MANUAL)
        if exposed and exposure > 0:
            self._device.set(cv2.CAP_PROP_EXPOSURE, exposure)
        exposed = exposed and self._device.get(cv2.CAP_PROP_AUTO_EXPOSURE) == V4L2_MANUAL
        balanced = self._device.set(cv2.CAP_PROP_AUTO_WB, 0) and self._device.get(cv2.CAP_PROP_AUTO_WB) == 0
        if balanced and warmth > 0:
            self._device.set(cv2.CAP_PROP_WB_TEMPERATURE, warmth)
        self._locked_level = float(np.mean(self._recent))
        self._done = not exposed
        self._tell(
            f"exposure {'locked' if exposed else 'cannot be locked'}, "
            f"white balance {'locked' if balanced else 'cannot be locked'}"
        )

    def _judge(self) -> None:
        """Undoes a lock that made the picture much brighter or darker: it set another value than was in force."""
        self._done = True
        assert self._locked_level is not None
        ratio = (float(np.median(self._after)) + 1) / (self._locked_level + 1)
        if abs(np.log(ratio)) > np.log(1 + LEAPT_SHARE):
            self._automatic()
            self._tell(f"exposure automatic, since locking it made the picture {ratio:.0%} as bright")

    def _automatic(self) -> None:
        self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_AUTOMATIC)
        self._device.set(cv2.CAP_PROP_AUTO_WB, 1)

    def _tell(self, text: str) -> None:
        self._delivery.exposure = text
        log.info("%s: %s", self._delivery.name, text)
