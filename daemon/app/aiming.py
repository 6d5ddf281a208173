"""How a camera is aimed: where the board is in its picture, and in a few words what to change."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from calibration.template import BoardTemplate
from daemon.perception.pipeline import Observation
from vision.finding.finder import find_board
from vision.finding.proposals import Edge
from vision.finding.why_unseen import Unseen, place_fault, why_unseen
from vision.frame import Frame, Image
from vision.pose import project
from wording import Sentence, Sentences, sentence

LOGGER = logging.getLogger(__name__)
PAUSE_S = 1.0
"""Seconds between two searches for the reason that no board is found, at least; and as long as the last one took."""
MISSING: dict[Edge, Sentence] = {
    "top": sentence("The far edge is missing."),
    "bottom": sentence("The near edge is missing."),
    "left": sentence("The left edge is missing."),
    "right": sentence("The right edge is missing."),
}
CLOSER = sentence("Closer.")
HIGHER = sentence("Higher: the board is seen from too low.")
SHAKES = sentence("Lean it: the picture shakes.")
MIRRORED = sentence("That is the front camera: the picture is mirrored.")
FRONT = sentence("That is the front camera. Use the one on the back.")


class Aiming:
    """Looks at observations while somebody aims. Used by one thread; a second one searches where no board is found."""

    def __init__(self, search: Callable[[Image, BoardTemplate], Unseen] | None = None) -> None:
        self._search = search or why_not_found
        self._why: Unseen | None = None
        self._thread: threading.Thread | None = None
        self._due_s = 0.0

    def words(
        self, seen: Observation, template: BoardTemplate, size_px: tuple[int, int], facing: str, *, shakes: bool
    ) -> Sentences:
        """What to change; empty if the board is seen well.

        `size_px` is the picture's width and height, `facing` is `user` for a camera on a phone's front.
        """
        front = (FRONT,) if facing == "user" else ()
        if seen.alignment.pose is None:
            self._ask(seen.frame, template)
            return front if self._why is None else in_short(self._why, facing) or front
        self._why = None
        if shakes:
            return (SHAKES,)
        fault = place_fault(seen.alignment.pose, template, size_px)
        return front if fault is None else in_short(fault, facing)

    def _ask(self, frame: Frame, template: BoardTemplate) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        if time.monotonic() < self._due_s:  # read last: a thread sets it when it ends
            return
        self._thread = threading.Thread(target=self._run, args=(frame, template), name="aiming", daemon=True)
        self._thread.start()

    def _run(self, frame: Frame, template: BoardTemplate) -> None:
        began_s = time.monotonic()
        try:
            self._why = self._search(frame.image, template)
        except Exception:  # the top of the thread
            LOGGER.exception("why no board is seen could not be found out")
        now_s = time.monotonic()
        self._due_s = now_s + max(PAUSE_S, now_s - began_s)


def why_not_found(image: Image, template: BoardTemplate) -> Unseen:
    """Why no board is found in a picture; also if it is so far away that it is found in a part of the picture only.

    Takes some seconds.
    """
    why = why_unseen(image, template)
    if why.code == "no_board" and any(find_board(part, template) is not None for part in _halves(image)):
        return Unseen("too_small", CLOSER, CLOSER)
    return why


def _halves(image: Image) -> Iterator[Image]:
    """The middle and the corners of a picture, each half as wide and high."""
    height, width = image.shape[0] // 2, image.shape[1] // 2
    for top, left in ((height // 2, width // 2), (0, 0), (0, width), (height, 0), (height, width)):
        yield np.ascontiguousarray(image[top : top + height, left : left + width])


def in_short(why: Unseen, facing: str) -> Sentences:
    """The fault as somebody hears it who holds the camera; empty where nothing is known."""
    match why.code:
        case "no_board":
            return ()
        case "cut_off":
            return tuple(MISSING[edge] for edge in why.edges)
        case "too_small":
            return (CLOSER,)
        case "too_low":
            return (HIGHER,)
        case "mirrored" if facing == "user":
            return (MIRRORED,)
        case _:
            return why.matter, why.remedy


def corners_of(seen: Observation, template: BoardTemplate, size_px: tuple[int, int]) -> list[tuple[float, float]]:
    """The board's corners as shares of the picture's width and height; empty while it is not found."""
    if seen.alignment.pose is None:
        return []
    corners = project(seen.alignment.pose.image_from_board, template.corners_mm) / np.array(size_px)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in corners]
