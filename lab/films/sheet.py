"""A sheet of a film's pictures around a board that was missed, for people to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from lab.films.films import Showing
from vision.frame import Image

WIDTH_PX = 560
"""Width of each picture on the sheet."""


def write_sheet(film: Path, before: Showing, missed: Showing, path: Path) -> None:
    """Writes six pictures: the board before, the hand, the board laid, twice free and at the end of its free time."""
    free_s = missed.ends_s - missed.free_s
    times_s = [
        before.ends_s - 0.1,
        (before.ends_s + missed.laid_s) / 2,
        missed.laid_s,
        missed.free_s + 0.1 * free_s,
        missed.free_s + 0.5 * free_s,
        missed.ends_s - 0.1,
    ]
    pictures = [
        _titled(one, f"{time_s:.2f} s") for one, time_s in zip(pictures_at(film, times_s), times_s, strict=True)
    ]
    rows = [np.hstack(pictures[:3]), np.hstack(pictures[3:])]
    cv2.imwrite(str(path), np.vstack(rows))


def pictures_at(film: Path, times_s: Sequence[float]) -> list[Image]:
    """The film's pictures at those times, in their order, which must be ascending. Raises OSError."""
    capture = cv2.VideoCapture(str(film))
    try:
        fps = capture.get(cv2.CAP_PROP_FPS)
        found: list[Image] = []
        number, last = -1, np.zeros((1, 1, 3), np.uint8)
        for time_s in times_s:
            while number < max(0, int(time_s * fps + 1e-6)):
                read, picture = capture.read()
                if not read:
                    break
                number, last = number + 1, np.asarray(picture, np.uint8)
            found.append(last)
    finally:
        capture.release()
    if number < 0:
        raise OSError(f"{film}: no film that can be read")
    return found


def _titled(picture: Image, title: str) -> Image:
    height = round(WIDTH_PX * picture.shape[0] / picture.shape[1])
    small = np.asarray(cv2.resize(picture, (WIDTH_PX, height), interpolation=cv2.INTER_AREA), np.uint8)
    cv2.putText(small, title, (8, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 4, cv2.LINE_AA)
    cv2.putText(small, title, (8, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1, cv2.LINE_AA)
    return small
