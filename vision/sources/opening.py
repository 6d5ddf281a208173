"""Opens a frame source: a camera, a video, a folder of photos, a stream."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from vision.frame import FrameSource, SourceError
from vision.sources.capture import device_frames, open_device, rtsp_frames
from vision.sources.delivery import Delivery
from vision.sources.encoded import MAX_MEGAPIXELS
from vision.sources.files import PhotoFolder, VideoFile, check_name
from vision.sources.live import NETWORK_HANG_S, LiveSource
from vision.sources.mjpeg import check_address, mjpeg_frames
from vision.sources.phone import PHONE
from wording.outside import shown_address

HOST_AND_PORT = re.compile(r"[\w.-]+:\d{1,5}(/|\Z)")


def open_source(
    spec: str,
    *,
    hold_s: float = 1.5,
    rate_hz: float = 10.0,
    size_px: tuple[int, int] | None = None,
    give_up_s: float | None = None,
    max_megapixels: float = MAX_MEGAPIXELS,
) -> FrameSource:
    """The frame source that `spec` names.

    A camera's index ("0") or path (/dev/v4l/by-id/..., which stays the same from boot to boot), a video file, a
    folder of photos (each shown for `hold_s`, at `rate_hz` frames a second), an http(s):// MJPEG or rtsp:// address.
    `size_px` is requested from a camera only. Live sources reconnect for ever, or until `give_up_s` without a frame.
    A larger picture than `max_megapixels` is refused before it is decoded. Raises SourceError. Errors, log and
    `Delivery` have the address without its secrets.
    """
    if not spec.strip():
        raise SourceError("a source is a camera, a file, a folder or an address, and not empty")
    if spec == PHONE:
        raise SourceError(f"{spec}: a phone films for `kibitzer run` only, which shows the code that it scans")
    check_name(spec)
    scheme = spec.partition("://")[0].lower() if "://" in spec else ""
    name = shown_address(spec)
    if scheme in ("http", "https"):
        check_address(spec)
        delivery = Delivery(name)
        delivery.codec = "MJPEG"
        connect = functools.partial(mjpeg_frames, spec, max_megapixels=max_megapixels)
        return LiveSource(name, connect, give_up_s, delivery, hang_s=NETWORK_HANG_S)
    if scheme in ("rtsp", "rtsps"):
        check_address(spec)
        delivery = Delivery(name)
        return LiveSource(name, lambda: rtsp_frames(spec, delivery), give_up_s, delivery, hang_s=NETWORK_HANG_S)
    if scheme:
        raise SourceError(f"{name}: a source's address begins with http, https, rtsp or rtsps, not {scheme!r}")
    try:
        path = Path(spec).expanduser()
    except RuntimeError as error:
        raise SourceError(f"{spec}: {error}") from None
    try:
        if not spec.isdecimal():
            if path.is_dir():
                return PhotoFolder(path, hold_s, rate_hz, max_megapixels)
            if path.is_file():
                return VideoFile(path, max_megapixels=max_megapixels)
    except (OSError, ValueError) as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{path}: {error}") from error
    if spec.isdecimal() or spec.startswith("/dev/"):
        # Opened once here, so that a wrong name is an error now and not an endless wait.
        open_device(spec, rate_hz, size_px).release()
        delivery = Delivery(f"camera {spec}", rate_hz)
        return LiveSource(delivery.name, lambda: device_frames(spec, rate_hz, size_px, delivery), give_up_s, delivery)
    meant = f"; an address begins with http:// or rtsp://, as http://{spec} does" if HOST_AND_PORT.match(spec) else ""
    raise SourceError(f"{path}: there is no such camera, video file, folder or address{meant}")
