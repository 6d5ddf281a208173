"""Frame sources on disk: a video file, and a folder of photos shown one after the other."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from system.named_files import read_bytes
from vision.frame import Frame, Image, SourceEnded, SourceError
from vision.sources.encoded import MAX_MEGAPIXELS, TooLargeError, check_size, completed, decode
from vision.sources.exposure import Device
from wording.outside import shown_address

log = logging.getLogger(__name__)

NOT_PHOTOS = frozenset({".json"})
"""Suffixes of files that belong beside photos (labels) and are skipped silently."""
PICTURES = (".png", ".jpg", ".jpeg", ".webp")
MAX_PHOTO_BYTES = 64 << 20
BROKEN_FRAMES = 50
"""Unreadable frames in a row after which a video counts as over."""


def check_name(name: str) -> None:
    """Raises SourceError for a name that is no UTF-8: with it OpenCV ends the process by a segmentation fault."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise SourceError(f"{shown_address(name)!r}: the name is no UTF-8; rename it") from None


def write_picture(path: Path, image: Image) -> None:
    """Writes a picture, whole or not at all, in the format that its suffix names, one of PICTURES. Raises OSError."""
    _, data = cv2.imencode(path.suffix.lower(), image)
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data.tobytes())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def open_video(path: Path) -> Device:
    return cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)


class PhotoFolder:
    """The photos of a folder in natural order, each held for a while like an untouched board."""

    live = False

    def __init__(
        self, folder: Path, hold_s: float = 1.5, rate_hz: float = 10.0, max_megapixels: float = MAX_MEGAPIXELS
    ) -> None:
        if not hold_s > 0 or not rate_hz > 0:
            raise SourceError(f"hold_s and rate_hz must be greater than 0, not {hold_s} and {rate_hz}")
        self.skipped: list[str] = []
        self._paths = _photo_paths(folder)
        self._rate_hz = rate_hz
        self._max_megapixels = max_megapixels
        self._times = max(1, round(hold_s * rate_hz))
        self._image: Image | None = None
        self._name = ""
        self._left = 0
        self._index = 0
        try:
            self._open_next()
        except SourceEnded:
            raise SourceError(f"{folder}: there are no photos in this folder") from None

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame. Raises SourceEnded after the last photo."""
        if self._left == 0:
            self._open_next()
        assert self._image is not None
        frame = Frame(self._image, self._index / self._rate_hz, self._index, self._name)
        self._index += 1
        self._left -= 1
        return frame

    def close(self) -> None:
        """Does nothing: no file is held open."""

    def _open_next(self) -> None:
        """Opens the next file that is a photo. Raises SourceEnded."""
        while self._paths:
            path = self._paths.pop(0)
            try:
                self._image = read_photo(path, self._max_megapixels)
            except OSError as error:
                log.warning("skipping %s: %s", path, error.strerror or error)
                self.skipped.append(path.name)
            else:
                self._name, self._left = path.name, self._times
                return
        raise SourceEnded


def read_photo(path: Path, max_megapixels: float = MAX_MEGAPIXELS) -> Image:
    """The picture in a file. Raises OSError, also where it is no picture or too large a one."""
    image = decode(read_bytes(path, MAX_PHOTO_BYTES), max_megapixels)
    if image is None:
        raise SourceError("not a picture, or a damaged one")
    return image


def read_cut_photo(path: Path, max_megapixels: float = MAX_MEGAPIXELS) -> tuple[Image, bool]:
    """As `read_photo`, but a JPEG may end too early: what is missing is grey. Whether it does comes with it."""
    data = read_bytes(path, MAX_PHOTO_BYTES)
    whole = completed(data)
    image = decode(whole, max_megapixels)
    if image is None:
        raise SourceError("not a picture, or a damaged one")
    return image, whole is not data


class VideoFile:
    """The frames of a video file; broken ones are skipped."""

    live = False

    def __init__(
        self, path: Path, opener: Callable[[Path], Device] = open_video, max_megapixels: float = MAX_MEGAPIXELS
    ) -> None:
        if not path.is_file():
            raise SourceError(f"{path}: there is no such file")
        self._capture = opener(path)
        if not self._capture.isOpened():
            raise SourceError(f"{path}: this is no video that can be read")
        self._path, self._max_megapixels = path, max_megapixels
        self._check(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH), self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        rate_hz = self._capture.get(cv2.CAP_PROP_FPS)
        self._rate_hz = rate_hz if 0.1 <= rate_hz <= 1000 else 25.0
        self._position = 0
        self._index = 0
        self._time_s = -1.0
        self._ahead: Frame | None = self._next()

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame. Raises SourceEnded after the last."""
        frame, self._ahead = self._ahead, None
        return frame or self._next()

    def _next(self) -> Frame:
        """The next frame. Raises SourceEnded after the last, SourceError where not one could be read."""
        for _ in range(BROKEN_FRAMES):
            read, image = self._capture.read()
            position, self._position = self._position, self._position + 1
            if read and image is not None:
                self._check(image.shape[1], image.shape[0])
                self._time_s = self._time_of(position)
                frame = Frame(np.asarray(image, dtype=np.uint8), self._time_s, self._index)
                self._index += 1
                return frame
            # The number of frames is unknown in some files (raw streams, truncated recordings).
            if 0 < self._capture.get(cv2.CAP_PROP_FRAME_COUNT) <= position + 1:
                break
        if self._index == 0:
            raise SourceError(f"{self._path}: no frame of this video can be read")
        raise SourceEnded

    def close(self) -> None:
        self._capture.release()

    def _check(self, width_px: float, height_px: float) -> None:
        """Raises SourceError where the pictures are too large."""
        try:
            check_size(width_px, height_px, self._max_megapixels)
        except TooLargeError as error:
            raise SourceError(f"{self._path}: {error}") from None

    def _time_of(self, position: int) -> float:
        """Seconds into the file: its own time stamp, since phones record at a varying rate; else by counting."""
        stamp_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        if stamp_s > self._time_s:
            return stamp_s
        return max(position / self._rate_hz, self._time_s + 1 / self._rate_hz)


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts names as people do: 1_2 before 1_10."""
    parts = re.findall(r"\d+|\D+", name.lower())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def _photo_paths(folder: Path) -> list[Path]:
    try:
        paths = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
    except OSError as error:
        raise SourceError(f"{folder}: {error.strerror}") from error
    photos = [path for path in paths if path.suffix.lower() not in NOT_PHOTOS]
    return sorted(photos, key=lambda path: natural_key(path.name))
