"""Writes pictures to a video file: at an even rate whenever they come, whole, or with the reason why it is not."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2

from vision.frame import Image, SourceError

CODECS = {".webm": "VP80", ".mp4": "mp4v", ".mkv": "mp4v", ".avi": "MJPG"}
"""Encoder by suffix. Browsers play .webm; .mp4 takes an eighth of the time to write, and video players play it."""
RESERVE_BYTES = 16 << 20
"""Space that is left on the disk: a film is closed while there is room to close it."""


class FilmFull(SourceError):
    """The disk is nearly full: the film ends here, and is whole."""


def check_film(path: Path) -> None:
    """Raises SourceError for a name that no film can have."""
    if path.suffix.lower() not in CODECS:
        raise SourceError(f"{path}: a video is written as {', '.join(CODECS)}")
    try:
        str(path).encode()  # under any other name OpenCV ends the process by a segmentation fault
    except UnicodeEncodeError:
        raise SourceError(f"{str(path)!r}: the name is no UTF-8; rename it") from None
    if not path.absolute().parent.is_dir():
        raise SourceError(f"{path}: there is no folder {path.absolute().parent}")


class Film:
    """A video file, named NAME.part.SUFFIX until it is closed: a whole film has its own name."""

    def __init__(self, path: Path, rate_hz: float, longest_gap_s: float = float("inf")) -> None:
        """`longest_gap_s` cuts longer times in which no picture came. Raises SourceError."""
        check_film(path)
        self.path, self._part = path, path.with_suffix(f".part{path.suffix}")
        self._rate_hz, self._longest_gap_s = rate_hz, longest_gap_s
        self._writer: cv2.VideoWriter | None = None
        self._shown: Image | None = None
        self._start_s = 0.0
        """The source's time of the film's beginning, less what was cut."""
        self._count = 0

    @property
    def seconds(self) -> float:
        return self._count / self._rate_hz

    def add(self, time_s: float, picture: Image | Callable[[], Image]) -> None:
        """Shows a picture from `time_s` on, the last one until then; a call draws it, if the film shows it.

        All pictures have the size of the first. Raises SourceError, and FilmFull.
        """
        tick = round((time_s - self._start_s) * self._rate_hz)
        if self._shown is None or not -1 <= tick - self._count <= self._longest_gap_s * self._rate_hz:
            self._start_s, tick = time_s - self._count / self._rate_hz, self._count
        while self._shown is not None and self._count < tick:
            self._write(self._shown)
        if self._count <= tick:
            self._shown = picture() if callable(picture) else picture
            self._write(self._shown)

    def close(self) -> bool:
        """Ends the film, and gives it its name; False if there is none, because no picture came. Raises SourceError."""
        writer, self._writer = self._writer, None
        if writer is None:
            self._part.unlink(missing_ok=True)  # interrupted while it was opened
            return False
        writer.release()
        written = cv2.VideoCapture(str(self._part), cv2.CAP_FFMPEG)
        found = round(written.get(cv2.CAP_PROP_FRAME_COUNT))
        written.release()
        if found < self._count:
            raise SourceError(
                f"{self._part}: of {self._count} pictures {max(0, found)} were written; is there room on the disk?"
            )
        self._part.replace(self.path)
        return True

    def _write(self, picture: Image) -> None:
        if self._writer is None:
            height, width = picture.shape[:2]
            self._writer = _opened(self._part, self._rate_hz, (width, height))
        elif shutil.disk_usage(self._part.parent).free < RESERVE_BYTES:
            raise FilmFull(f"{self.path}: the disk is nearly full; the film ends after {self.seconds:.0f} s")
        self._writer.write(picture)
        self._count += 1


def _opened(path: Path, rate_hz: float, size_px: tuple[int, int]) -> cv2.VideoWriter:
    with unheard():
        codec = cv2.VideoWriter.fourcc(*CODECS[path.suffix.lower()])
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, codec, rate_hz, size_px)
    if not writer.isOpened():
        raise SourceError(f"{path}: cannot be written as a video")
    return writer


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Silences the process's standard error, to which FFmpeg reports at any log level."""
    heard = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
            yield
    finally:
        os.dup2(heard, 2)
        os.close(heard)
