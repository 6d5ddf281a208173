"""The data behind the page: one immutable snapshot of all that it shows. Thread-safe."""

from __future__ import annotations

import dataclasses
import datetime
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

import cv2
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from pydantic import BaseModel

from agents.messages import StateMessage
from daemon.voice.speech import clean as clean_phrase
from daemon.voice.spelling import spelled
from daemon.words.translation import worded
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


class Part(BaseModel):
    """Health of one component."""

    ok: bool
    text: str


class Health(BaseModel):
    """`/healthz`."""

    ok: bool
    parts: dict[str, Part]


class Ready(BaseModel):
    """`/readyz`."""

    ready: bool
    text: str


class Line(BaseModel):
    """The moves so far, and the points."""

    plies: list[dict[str, Any]]
    scores: tuple[int, int] | None


class Live(BaseModel):
    """A message of `/live`."""

    state: StateMessage | None
    line: Line
    view: dict[str, Any]
    health: Health
    announcements: list[Spoken]
    """Announcements since the previous message."""
    commands: bool
    """Whether this page may send commands."""
    token: bool
    """Whether its commands need the token."""
    board: str | None = None
    """The believed board as SVG, if it has changed."""


Events = list[Spoken]
"""`/events`."""


class News(TypedDict, total=False):
    """What has changed; the rest stays."""

    state: StateMessage
    line: Mapping[str, Any]
    view: Mapping[str, Any]
    legal: Mapping[str, Any]
    picture: Callable[[], Image]
    board: Callable[[], str]
    health: Mapping[str, Mapping[str, Any]]
    ready: tuple[bool, str]
    figures: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Snapshot:
    state: StateMessage | None = None
    line: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"plies": [], "scores": None})
    """The moves so far with the details of each, `plies`, and the points, `scores`."""
    view: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """What is shown besides the state; `daemon.page.view` creates it."""
    legal: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"moves": []})
    """The legal moves for a person who plays on the page, as `daemon.match.legal_moves` formats them."""
    picture: Callable[[], Image] | None = None
    """Draws the picture, on request and in the requesting thread."""
    picture_number: int = 0
    """0 before the first."""
    board: Callable[[], str] | None = None
    board_number: int = 0
    health: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    """`ok` and `text` of each component; to be repeated every few seconds as a sign of life."""
    health_s: float = float("-inf")
    ready: tuple[bool, str] = False, "starting"
    """Whether the table is ready for play and why not; to be repeated every few seconds."""
    ready_s: float = float("-inf")
    figures: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Metrics, named without `kibitzer_`; a name ending in `_total` is a counter."""
    announcements: tuple[Spoken, ...] = ()
    """The last MAX_ANNOUNCEMENTS, oldest first."""


class PageState(Collector):
    """The newest snapshot: each change publishes another one, and readers take one whole."""

    def __init__(self, health_deadline_s: float) -> None:
        self._health_deadline_s = health_deadline_s
        self._lock = threading.Lock()
        self.now = Snapshot()
        self._board: tuple[int, str] = 0, ""
        self._dumped: tuple[StateMessage | None, dict[str, Any] | None] = None, None
        self._jpeg: tuple[int, bytes] = (0, b"")
        self._encoding = threading.Lock()

    def publish(self, **news: Unpack[News]) -> None:
        """Shows these changes all at once; figures that are not named keep their values."""
        changes: dict[str, Any] = dict(news)
        changes |= {f"{name}_s": time.monotonic() for name in ("health", "ready") if name in news}
        with self._lock:
            now = self.now
            changes["picture_number"] = now.picture_number + ("picture" in news)
            changes["board_number"] = now.board_number + ("board" in news)
            changes["figures"] = {**now.figures, **news.get("figures", {})}
            self.now = dataclasses.replace(now, **changes)

    def announce(self, text: str, kind: str, *, spoken: bool) -> None:
        """Adds an announcement, to be spoken or only written; beyond a hundred the oldest is dropped."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        written = clean(text, MAX_LENGTH)
        voice = spelled(clean_phrase(text)) if spoken else ""
        with self._lock:
            known = self.now.announcements
            one = Spoken(_number(known) + 1, now, kind[:64], written, voice)
            self.now = dataclasses.replace(self.now, announcements=(*known, one)[-MAX_ANNOUNCEMENTS:])

    def board(self) -> tuple[int, str]:
        """The drawn board as SVG and its number, drawn once for all viewers; (0, "") before the first."""
        with self._encoding:
            now = self.now
            if now.board is not None and now.board_number != self._board[0]:
                self._board = now.board_number, now.board()
            return self._board

    def announcements(self, after: int = 0) -> list[dict[str, Any]]:
        return [dataclasses.asdict(spoken) for spoken in self.now.announcements if spoken.number > after]

    def spoken(self, most: int) -> dict[int, str]:
        """What a voice pronounces of the last `most` announcements that are spoken, by number."""
        told = [spoken for spoken in self.now.announcements if spoken.voice]
        return {spoken.number: spoken.voice for spoken in told[-most:]}

    def health(self) -> dict[str, Any]:
        """`ok`, and `parts` with `ok` and `text` each; a silent daemon counts as a fault."""
        now = self.now
        parts = {
            name: {**part, "ok": bool(part.get("ok")), "text": str(part.get("text", ""))}
            for name, part in now.health.items()
        }
        silent_s = time.monotonic() - now.health_s
        if silent_s > self._health_deadline_s:
            text = worded("starting") if silent_s == float("inf") else _silent(silent_s)
            parts["daemon"] = {"ok": False, "text": text}
        return {"ok": all(part["ok"] for part in parts.values()), "parts": parts}

    def ready(self) -> dict[str, Any]:
        now = self.now
        (ready, text), silent_s = now.ready, time.monotonic() - now.ready_s
        if ready and silent_s > READY_DEADLINE_S:
            ready, text = False, _silent(silent_s)
        return {"ready": ready, "text": text}

    def jpeg(self) -> tuple[int, bytes]:
        """The newest picture as JPEG and its number, drawn once for all viewers; (0, b"") before the first."""
        with self._encoding:
            now = self.now
            if now.picture is not None and now.picture_number != self._jpeg[0]:
                done, data = cv2.imencode(".jpg", now.picture(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
                if done:
                    self._jpeg = now.picture_number, data.tobytes()
            return self._jpeg

    def collect(self) -> Iterator[Metric]:
        now = self.now
        figures = {
            **now.figures,
            "pictures_total": now.picture_number,
            "announcements_total": _number(now.announcements),
        }
        if now.state is not None:
            figures |= {"ply": now.state.ply, "sequence": now.state.sequence}
        figures["healthy"] = float(self.health()["ok"])
        figures["ready"] = float(self.ready()["ready"])
        for name, value in figures.items():
            family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            yield family(f"kibitzer_{name}", name.replace("_", " "), value=value)

    def summary(self) -> tuple[str, str]:
        """State, view and health as JSON, for pages that wait for a change; and the same without the running clocks.

        Pages run the clocks themselves and need no update ten times a second.
        """
        now, health = self.now, self.health()
        if now.state is not self._dumped[0]:
            self._dumped = now.state, None if now.state is None else now.state.model_dump(mode="json")
        told = {"state": self._dumped[1], "line": now.line, "view": now.view, "health": health}
        clock = now.view.get("clock") or {}
        still = {**now.view, "clock": {name: value for name, value in clock.items() if name != "left_s"}}
        parts = {name: part for name, part in health["parts"].items() if name != "clock"}
        return json.dumps(told), json.dumps(told | {"view": still, "health": parts})


def _number(announcements: Sequence[Spoken]) -> int:
    """The number of the last one; 0 without any."""
    return announcements[-1].number if announcements else 0


def _silent(silent_s: float) -> str:
    return worded("no sign of life for {seconds} s", seconds=round(silent_s))
