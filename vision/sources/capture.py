"""Wired cameras and RTSP streams, through OpenCV."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.frame import Frame, Image, SourceError
from vision.sources.cameras import cameras, stable_name
from vision.sources.delivery import Delivery
from vision.sources.exposure import Device, ExposureLock
from vision.sources.live import STALL_S, Connection
from vision.sources.slot import Stillness
from wording.outside import shown_address

log = logging.getLogger(__name__)

WARM_UP_FRAMES = 5
"""Pictures dropped after opening: the first are often broken, dark, or stale."""
WARM_UP_S = 1.5
"""Seconds at most for which pictures are dropped while their brightness still jumps."""
LEAP = 0.10
"""Change of brightness between two pictures, as a share, from which a camera is still warming up."""
DEAD_AFTER = 10
"""Failed reads in a row after which a camera counts as unplugged."""
DEAD_S = 5.0
"""Seconds of failed reads for the same, if reached earlier: a driver may take 10 s for each."""
FROZEN_S = 10.0
"""Seconds of one bit-identical picture after which a camera counts as hung and is opened again."""
_RETRY_S = 0.05

Opener = Callable[[int | str], Device]


def open_v4l2(target: int | str) -> Device:
    """Opens the device with that index or path by Video4Linux."""
    return cv2.VideoCapture(target, cv2.CAP_V4L2)


def device_frames(
    device: str,
    rate_hz: float,
    size_px: tuple[int, int] | None,
    delivery: Delivery,
    opener: Opener = open_v4l2,
    clock: Callable[[], float] = time.monotonic,
) -> Connection:
    """The pictures of a camera: an index such as "0", or a path such as /dev/v4l/by-id/....

    Warm-up pictures are left out; at each opening, exposure and white balance are locked once they have settled. A
    driver that hangs within a read blocks the reading thread and nothing else; V4L2 gives up after 10 s.
    """
    capture = open_device(device, rate_hz, size_px, delivery, opener)
    try:
        exposure, stillness = ExposureLock(capture, delivery, clock()), Stillness(FROZEN_S)
        warm_up = WarmUp(clock())
        for image in _images(device, capture, clock):
            now_s = clock()
            exposure.watch(image, now_s)
            stillness.watch(Frame(image, now_s, 0), now_s)
            if stillness.frozen:
                raise SourceError(f"camera {device}: its picture has stood still for {FROZEN_S:g} s")
            if warm_up.over(image, now_s):
                yield image
    finally:
        capture.release()


def open_device(
    device: str,
    rate_hz: float,
    size_px: tuple[int, int] | None,
    delivery: Delivery | None = None,
    opener: Opener = open_v4l2,
) -> Device:
    """The opened camera, set to MJPG, then size, then rate (drivers honour them only in this order).

    Raises SourceError.
    """
    capture = opener(_target(device))
    if not capture.isOpened():
        capture.release()
        raise SourceError(f"camera {device}: it cannot be opened; is another program using it?")
    wanted = [(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG")))]
    if size_px is not None:
        wanted += [(cv2.CAP_PROP_FRAME_WIDTH, size_px[0]), (cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])]
    for setting, value in [*wanted, (cv2.CAP_PROP_FPS, rate_hz)]:
        capture.set(setting, value)
    # Asks for the newest picture only; most drivers keep their own queue all the same.
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    if stable := stable_name(device):
        log.info("camera %s: its number changes with the next plug; name it %s", device, stable)
    delivery = delivery or Delivery(f"camera {device}", rate_hz)
    delivery.claimed, delivery.codec = describe(capture), codec_of(capture)
    asked = f"MJPG {f'{size_px[0]}x{size_px[1]} ' if size_px else ''}at {rate_hz:g} Hz"
    log.info("%s: asked for %s; the driver says %s", delivery.name, asked, delivery.claimed)
    width, height = capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
    if size_px is not None and (round(width), round(height)) != size_px:
        log.warning("%s: it takes %.0fx%.0f pictures, not %dx%d", delivery.name, width, height, *size_px)
    return capture


def describe(capture: Device) -> str:
    """The settings the driver reports, which seldom match those requested."""
    width, height = capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
    return f"{codec_of(capture)} {width:.0f}x{height:.0f} at {capture.get(cv2.CAP_PROP_FPS):g} Hz"


def codec_of(capture: Device) -> str:
    """The pictures' codec, such as MJPG; "?" where the driver does not say."""
    code = int(capture.get(cv2.CAP_PROP_FOURCC))
    letters = "".join(chr(code >> shift & 0xFF) for shift in (0, 8, 16, 24)) if code > 0 else ""
    return letters.strip("\0 ") if letters.isprintable() and letters.strip("\0 ") else "?"


class WarmUp:
    """Drops a camera's first pictures: a fixed number, and more while their brightness jumps."""

    def __init__(self, now_s: float) -> None:
        self._opened_s = now_s
        self._count = 0
        self._level: float | None = None
        self._over = False

    def over(self, image: Image, now_s: float) -> bool:
        if self._over:
            return True
        level, before = float(image[::8, ::8].mean()) + 1, self._level
        self._level, self._count = level, self._count + 1
        calm = before is not None and abs(level / before - 1) < LEAP
        self._over = self._count > WARM_UP_FRAMES and (calm or now_s - self._opened_s > WARM_UP_S)
        return self._over


def _images(device: str, capture: Device, clock: Callable[[], float]) -> Iterator[Image]:
    """Yields the readable pictures, skipping occasional failed reads. Raises SourceError once none comes."""
    failed, good_s = 0, clock()
    while failed < DEAD_AFTER and (failed == 0 or clock() - good_s < DEAD_S):
        read, image = capture.read()
        if not read or image is None or not getattr(image, "size", 0):
            failed += 1
            time.sleep(_RETRY_S)
            continue
        failed, good_s = 0, clock()
        yield np.asarray(image, dtype=np.uint8)
    raise SourceError(f"camera {device}: it sends no pictures any more; is it still plugged in?")


def _target(device: str) -> int | str:
    """The index or path for OpenCV. Raises SourceError, listing the cameras present, where this one is not there."""
    path = Path(f"/dev/video{device}" if device.isdecimal() else device)
    if not path.exists():
        others = ", ".join(camera.text for camera in cameras())
        there = f"I see {others}" if others else "I see no camera at all"
        what = path if device.isdecimal() else "such device"
        raise SourceError(f"camera {device}: there is no {what}; is it plugged in? {there}")
    if not path.is_char_device():
        raise SourceError(f"camera {device}: {path} is no device, but a file, a folder, a socket or a pipe")
    return int(device) if device.isdecimal() else str(path.resolve())


def rtsp_frames(url: str, delivery: Delivery) -> Connection:
    """The pictures of an rtsp:// address, until it ends or stalls.

    The first ones are left out: until the stream's first whole picture they are grey or smeared.
    """
    stall_ms = round(1000 * STALL_S)
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, stall_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, stall_ms]
    capture, name = cv2.VideoCapture(url, cv2.CAP_FFMPEG, limits), shown_address(url)
    try:
        if not capture.isOpened():
            raise SourceError(f"{name}: no stream answers there")
        delivery.claimed, delivery.codec = describe(capture), codec_of(capture)
        log.info("%s: the stream says %s", name, delivery.claimed)
        warm_up = WarmUp(time.monotonic())
        while True:
            read, image = capture.read()
            if not read or image is None:
                raise SourceError(f"{name}: the stream broke off")
            picture: Image = np.asarray(image, dtype=np.uint8)
            if warm_up.over(picture, time.monotonic()):
                yield picture
    finally:
        capture.release()
