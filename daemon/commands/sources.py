"""Cameras that may be chosen on the page: connected ones and stream addresses, never a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from vision.frame import SourceError
from vision.sources.cameras import Camera
from vision.sources.mjpeg import check_address
from wording.outside import CAMERA_SCHEMES, STARS, shown_address

MAX_ADDRESS = 512
"""Characters of the longest address."""


def check_source(source: str, listed: Sequence[Camera]) -> None:
    """Raises ValueError, naming what may be chosen, if a page may not choose this camera."""
    if any(source in names_of(camera) for camera in listed):
        return
    scheme, divided, _ = source.partition("://")
    if not divided or scheme.lower() not in CAMERA_SCHEMES:
        names = [camera.stable or str(camera.number) for camera in listed]
        known = f"a camera of the list ({', '.join(names)})" if names else "a camera on a cable (there is none now)"
        beginnings = f"{', '.join(f'{one}://' for one in CAMERA_SCHEMES[:-1])} or {CAMERA_SCHEMES[-1]}://"
        raise ValueError(
            f"{shown_address(source)[:MAX_ADDRESS]!r}: must be {known}, or an address that begins with {beginnings}; "
            "files and folders go into the settings"
        )
    if len(source) > MAX_ADDRESS:
        raise ValueError(f"{shown_address(source)[:MAX_ADDRESS]!r}: an address has at most {MAX_ADDRESS} characters")
    if STARS in source:
        raise ValueError(f"{shown_address(source)!r}: its password is hidden and not known here; write it whole")
    try:
        check_address(source)
    except SourceError as error:
        raise ValueError(str(error)) from None


def names_of(camera: Camera) -> set[str]:
    """Every text that names a connected camera."""
    names = {str(camera.number), f"/dev/video{camera.number}", camera.by_id, camera.by_path}
    return names - {""}


def is_same(one: str, other: str) -> bool:
    """Whether two texts name the same camera, such as `0` and its name under /dev/v4l."""
    return _device(one) == _device(other)


def meant(source: str, known: Iterable[str]) -> str:
    """The known camera that pages show as `source`, without its password; else `source` itself."""
    return next((one for one in known if source in (one, shown_address(one))), source)


def _device(source: str) -> str:
    path = f"/dev/video{int(source)}" if source.isdecimal() and len(source) < 4 else source
    return str(Path(path).resolve()) if path.startswith("/dev/") else path
