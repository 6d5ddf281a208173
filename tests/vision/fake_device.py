"""A fake camera that behaves like real drivers: it obeys few settings, and misreports them."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np

MJPG = cv2.VideoWriter.fourcc(*"MJPG")
YUYV = cv2.VideoWriter.fourcc(*"YUYV")


@dataclasses.dataclass
class Driver:
    """The hardware: state that survives closing and reopening the device."""

    mode: float = 3.0
    """V4L2's exposure_auto: 3 automatic, 1 manual."""
    exposure: float = 157.0
    """Exposure that the driver reports; in automatic mode, some report the one last set by hand."""
    true_exposure: float = 157.0
    """Exposure that the sensor really uses."""
    balance: float = 1.0
    locks: bool = True
    """Whether the exposure can be locked; False: the driver accepts the setting but stays automatic."""
    rate_hz: float = 15.0
    """Frame rate that it really delivers."""
    dead_after: int = 10**9
    """Number of reads after which it is unplugged."""
    broken: int = 2
    """Number of first reads that fail."""
    frozen_after: int = 10**9
    """Number of reads after which it repeats the last picture."""
    opened: int = 0


class FakeDevice:
    """An opened camera with its own clock; implements the part of `cv2.VideoCapture` that is used."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.calls: list[tuple[int, float]] = []
        self.released = False
        self.time_s = 100.0 * driver.opened
        self._codec, self._size, self._reads = YUYV, (640, 480), 0
        self._rng = np.random.default_rng(driver.opened)
        self._last: Any = None
        driver.opened += 1

    def clock(self) -> float:
        """The camera's time, which advances with each read."""
        return self.time_s

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def get(self, propId: int, /) -> float:  # noqa: N803
        known = {
            cv2.CAP_PROP_FOURCC: self._codec,
            cv2.CAP_PROP_FRAME_WIDTH: self._size[0],
            cv2.CAP_PROP_FRAME_HEIGHT: self._size[1],
            cv2.CAP_PROP_FPS: 30.0,  # regardless of what was asked for
            cv2.CAP_PROP_AUTO_EXPOSURE: self.driver.mode,
            cv2.CAP_PROP_EXPOSURE: self.driver.exposure,
            cv2.CAP_PROP_AUTO_WB: self.driver.balance,
        }
        return float(known.get(propId, -1))

    def set(self, propId: int, value: float, /) -> bool:  # noqa: N803
        self.calls.append((propId, value))
        driver = self.driver
        if propId == cv2.CAP_PROP_FOURCC:
            self._codec, self._size = int(value), (640, 480)  # a new codec forgets the size
        elif propId == cv2.CAP_PROP_FRAME_WIDTH:
            # Uncompressed, USB has no bandwidth for more; compressed, it takes the nearest size it knows.
            self._size = (1280, 720) if value >= 1000 and self._codec == MJPG else (640, 480)
        elif propId == cv2.CAP_PROP_AUTO_EXPOSURE:
            driver.mode = value if driver.locks else 3.0
        elif propId == cv2.CAP_PROP_EXPOSURE and driver.mode == 1:
            driver.exposure = driver.true_exposure = value
        elif propId == cv2.CAP_PROP_AUTO_WB:
            driver.balance = value
        else:
            return False
        return True

    def read(self) -> tuple[bool, Any]:
        self._reads += 1
        self.time_s += 1 / self.driver.rate_hz
        if self._reads <= self.driver.broken or self._reads > self.driver.dead_after:
            return False, None
        if self._reads <= self.driver.frozen_after or self._last is None:
            self._last = self._picture()
        return True, self._last

    def release(self) -> None:
        self.released = True

    def _picture(self) -> Any:
        if self.driver.mode == 3:
            self.driver.true_exposure = 157.0
        awake = min(1.0, (self._reads - self.driver.broken) / 8)  # the automatic exposure needs eight pictures
        level = min(250.0, 120 * self.driver.true_exposure / 157) * awake
        noise = self._rng.normal(0, 2, (self._size[1] // 8, self._size[0] // 8, 3))
        return np.clip(level + noise, 0, 255).astype(np.uint8)
