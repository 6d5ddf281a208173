"""Cameras on a cable and RTSP streams, through OpenCV."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import cv2
import numpy as np

from vision.frame import SourceError
from vision.live import Connection

log = logging.getLogger(__name__)

SETTLE_S = 2.0
"""Time a camera gets to find its exposure and white balance before they are locked."""
DEAD_AFTER = 10
"""Failed reads in a row after which a camera counts as unplugged."""
_TIMEOUT_MS = 5000
_V4L2_MANUAL = 1


def device_frames(device: str, rate_hz: float, size_px: tuple[int, int] | None) -> Connection:
    """The pictures of a camera: an index such as "0", or a path such as /dev/v4l/by-id/...."""
    capture = open_device(device, rate_hz, size_px)
    try:
        opened_s, locked, failed = time.monotonic(), False, 0
        while failed < DEAD_AFTER:
            read, image = capture.read()
            if not read or image is None:
                failed += 1
                time.sleep(0.05)
                continue
            failed = 0
            if not locked and time.monotonic() - opened_s > SETTLE_S:
                locked = True
                lock_exposure(capture, device)
            yield np.asarray(image, dtype=np.uint8)
        raise SourceError(f"camera {device}: it sends no pictures any more; is it still plugged in?")
    finally:
        capture.release()


def open_device(device: str, rate_hz: float, size_px: tuple[int, int] | None) -> cv2.VideoCapture:
    """The opened camera, set to MJPG, then size, then rate (the driver honours them only in this order).

    Raises SourceError.
    """
    if not device.isdecimal() and not Path(device).exists():
        raise SourceError(f"camera {device}: there is no such device; is it plugged in? `ls /dev/v4l/by-id` lists all")
    target: int | str = int(device) if device.isdecimal() else str(Path(device).resolve())
    if isinstance(target, int) and not Path(f"/dev/video{target}").exists():
        raise SourceError(f"camera {device}: there is no /dev/video{target}; is it plugged in?")
    capture = cv2.VideoCapture(target, cv2.CAP_V4L2)
    if not capture.isOpened():
        capture.release()
        raise SourceError(f"camera {device}: it cannot be opened; is another program using it?")
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    if size_px is not None:
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
    capture.set(cv2.CAP_PROP_FPS, rate_hz)
    log.info("camera %s: %s", device, describe(capture))
    return capture


def describe(capture: cv2.VideoCapture) -> str:
    """What the camera says it was set to, which is seldom what it was asked for."""
    code = int(capture.get(cv2.CAP_PROP_FOURCC))
    letters = "".join(chr(code >> shift & 0xFF) for shift in (0, 8, 16, 24)).strip("\0") or "?"
    width, height = capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
    return f"{letters} {width:.0f}x{height:.0f} at {capture.get(cv2.CAP_PROP_FPS):g} Hz"


def lock_exposure(capture: cv2.VideoCapture, device: str) -> None:
    """Freezes exposure and white balance where they are now, so that a hand over the board changes neither."""
    exposure = capture.get(cv2.CAP_PROP_EXPOSURE)
    exposed = capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _V4L2_MANUAL) and capture.set(cv2.CAP_PROP_EXPOSURE, exposure)
    balanced = capture.set(cv2.CAP_PROP_AUTO_WB, 0)
    log.info("camera %s: exposure locked: %s, white balance locked: %s", device, exposed, balanced)


def rtsp_frames(url: str) -> Connection:
    """The pictures of an rtsp:// address, until it ends or stalls."""
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _TIMEOUT_MS]
    capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, limits)
    try:
        if not capture.isOpened():
            raise SourceError(f"{url}: no stream answers there")
        log.info("%s: %s", url, describe(capture))
        while True:
            read, image = capture.read()
            if not read or image is None:
                raise SourceError(f"{url}: the stream broke off")
            yield np.asarray(image, dtype=np.uint8)
    finally:
        capture.release()
