"""The data behind the page: newest state, picture, health and metrics, and the last announcements. Thread-safe."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import cv2
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from agents.messages import StateMessage
from daemon.i18n.translation import worded
from daemon.outputs.speech.speech import clean as clean_phrase
from daemon.outputs.speech.spelling import spelled
from vision.frame import Image
from wording.outside import clean

MAX_ANNOUNCEMENTS = 100
MAX_LENGTH = 512
"""Characters in an announcement."""
JPEG_QUALITY = 80
READY_DEADLINE_S = 10.0
"""Seconds after which unconfirmed readiness expires: a hung loop cannot withdraw it."""


@dataclasses.dataclass(frozen=True)
class Spoken:
    """One announcement."""

    number: int
    """Counts from 1."""
    time: str
    """ISO 8601, UTC."""
    kind: str
    text: str
    voice: str = ""
    """The text as a voice pronounces it; empty if it is only written."""


class PageState(Collector):
    """The newest value of everything. Writers replace, readers copy; memory does not grow."""

    def __init__(self, health_deadline_s: float) -> None:
        self._health_deadline_s = health_deadline_s
        self._lock = threading.RLock()
        self._state: StateMessage | None = None
        self._draw: Callable[[], Image] | None = None
        self._draw_board: Callable[[], str] | None = None
        self._board_number = 0
        self._board: tuple[int, str] = 0, ""
        self._view: dict[str, Any] = {}
        self._dumped: tuple[StateMessage | None, dict[str, Any] | None] = None, None
        self._picture_number = 0
        self._jpeg: tuple[int, bytes] = (0, b"")
        self._encoding = threading.Lock()
        self._health: dict[str, dict[str, Any]] = {}
        self._health_s = float("-inf")
        self._ready: tuple[bool, str] = False, "starting"
        self._ready_s = float("-inf")
        self._announcements: collections.deque[Spoken] = collections.deque(maxlen=MAX_ANNOUNCEMENTS)
        self._announced = 0
        self._figures: dict[str, float] = {}
        self._line: dict[str, Any] = {"plies": [], "scores": None}

    def together(self) -> AbstractContextManager[object]:
        """While it is open, other threads read nothing: what is replaced inside appears at once."""
        return self._lock

    def set_state(self, state: StateMessage) -> None:
        """Replaces the state."""
        with self._lock:
            self._state = state

    def set_line(self, plies: Sequence[Mapping[str, object]], scores: tuple[int, int] | None) -> None:
        """Replaces the moves so far and the points."""
        with self._lock:
            self._line = {"plies": [dict(ply) for ply in plies], "scores": scores}

    def set_picture(self, draw: Callable[[], Image]) -> None:
        """Replaces the picture; `draw` runs on request, in the requesting thread."""
        with self._lock:
            self._draw = draw
            self._picture_number += 1

    def set_board(self, draw: Callable[[], str]) -> None:
        """Replaces the drawn board, an SVG; `draw` runs on request."""
        with self._lock:
            self._draw_board = draw
            self._board_number += 1

    def set_view(self, view: Mapping[str, object]) -> None:
        """Replaces what pages show besides the state."""
        with self._lock:
            self._view = dict(view)

    def set_health(self, parts: Mapping[str, Mapping[str, Any]]) -> None:
        """Replaces the health of all components."""
        with self._lock:
            self._health = {name: dict(part) for name, part in parts.items()}
            self._health_s = time.monotonic()

    def set_ready(self, ready: bool, text: str) -> None:
        """Sets whether the table is ready for play and why not."""
        with self._lock:
            self._ready, self._ready_s = (ready, text), time.monotonic()

    def set_figures(self, figures: Mapping[str, float]) -> None:
        """Updates the values of these metrics and keeps the others."""
        with self._lock:
            self._figures.update(figures)

    def announce(self, text: str, kind: str, *, spoken: bool) -> None:
        """Adds an announcement, to be spoken or only written; beyond a hundred the oldest is dropped."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        written = clean(text, MAX_LENGTH)
        voice = spelled(clean_phrase(text)) if spoken else ""
        with self._lock:
            self._announced += 1
            self._announcements.append(Spoken(self._announced, now, kind[:64], written, voice))

    @property
    def state(self) -> StateMessage | None:
        """The newest state; None before the first."""
        with self._lock:
            return self._state

    @property
    def picture_number(self) -> int:
        """Number of the newest picture; 0 before the first."""
        with self._lock:
            return self._picture_number

    @property
    def board_number(self) -> int:
        """Number of the newest drawn board; 0 before the first."""
        with self._lock:
            return self._board_number

    def board(self) -> tuple[int, str]:
        """The drawn board as SVG and its number, drawn once for all viewers; (0, "") before the first."""
        with self._encoding:
            with self._lock:
                number, draw = self._board_number, self._draw_board
            if draw is not None and number != self._board[0]:
                self._board = number, draw()
            return self._board

    def announcements(self, after: int = 0) -> list[dict[str, Any]]:
        """The announcements after that number, oldest first."""
        with self._lock:
            return [dataclasses.asdict(spoken) for spoken in self._announcements if spoken.number > after]

    def spoken(self, most: int) -> dict[int, str]:
        """What a voice pronounces of the last `most` announcements that are spoken, by number."""
        with self._lock:
            told = [spoken for spoken in self._announcements if spoken.voice]
        return {spoken.number: spoken.voice for spoken in told[-most:]}

    def health(self) -> dict[str, Any]:
        """`ok`, and `parts` with `ok` and `text` each; a silent daemon counts as a fault."""
        with self._lock:
            parts = {
                name: part | {"ok": bool(part.get("ok")), "text": str(part.get("text", ""))}
                for name, part in self._health.items()
            }
            silent_s = time.monotonic() - self._health_s
        if silent_s > self._health_deadline_s:
            text = worded("starting") if silent_s == float("inf") else _silent(silent_s)
            parts["daemon"] = {"ok": False, "text": text}
        return {"ok": all(part["ok"] for part in parts.values()), "parts": parts}

    def ready(self) -> dict[str, Any]:
        """`ready` and a `text`."""
        with self._lock:
            (ready, text), silent_s = self._ready, time.monotonic() - self._ready_s
        if ready and silent_s > READY_DEADLINE_S:
            ready, text = False, _silent(silent_s)
        return {"ready": ready, "text": text}

    def jpeg(self) -> tuple[int, bytes]:
        """The newest picture as JPEG and its number, drawn once for all viewers; (0, b"") before the first."""
        with self._encoding:
            with self._lock:
                number, draw = self._picture_number, self._draw
            if draw is not None and number != self._jpeg[0]:
                done, data = cv2.imencode(".jpg", draw(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
                if done:
                    self._jpeg = number, data.tobytes()
            return self._jpeg

    def collect(self) -> Iterator[Metric]:
        """All metrics for Prometheus; names ending in `_total` are counters."""
        with self._lock:
            figures = dict(self._figures)
            figures |= {"pictures_total": self._picture_number, "announcements_total": self._announced}
            if self._state is not None:
                figures |= {"ply": self._state.ply, "sequence": self._state.sequence}
        figures["healthy"] = float(self.health()["ok"])
        figures["ready"] = float(self.ready()["ready"])
        for name, value in figures.items():
            family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            yield family(f"kibitzer_{name}", name.replace("_", " "), value=value)

    def summary(self) -> tuple[str, str]:
        """State, view and health as JSON, for pages that wait for a change; and the same without the running clocks.

        Pages run the clocks themselves and need no update ten times a second.
        """
        with self._lock:
            state, line, view = self._state, self._line, self._view
        if state is not self._dumped[0]:
            self._dumped = state, None if state is None else state.model_dump(mode="json")
        health = self.health()
        told = {"state": self._dumped[1], "line": line, "view": view, "health": health}
        clock = view.get("clock") or {}
        still = view | {"clock": {name: value for name, value in clock.items() if name != "left_s"}}
        parts = {name: part for name, part in health["parts"].items() if name != "clock"}
        return json.dumps(told), json.dumps(told | {"view": still, "health": parts})


def _silent(silent_s: float) -> str:
    return worded("no sign of life for {seconds} s", seconds=round(silent_s))
