"""The daemon's camera, on a clock that a test moves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from daemon.config.settings import CameraSection
from daemon.supervision.camera import FROZEN_REOPEN_S, REOPEN_S, SLOW_OPENING_S, Camera
from tests.daemon.supervision.still_clock import StillClock
from tests.waiting import PATIENCE_S
from vision.frame import Frame, FrameSource, SourceEnded, SourceError
from vision.sources import slot

SETTINGS = CameraSection(frozen_s=10.0)


class Plug:
    """A live source that delivers the pictures sent to it."""

    live = True

    def __init__(self) -> None:
        self.closed = False
        self._frames: list[int] = []
        self._wake = threading.Condition()

    def send(self, *shades: int) -> None:
        with self._wake:
            self._frames += shades
            self._wake.notify_all()

    def read(self, timeout_s: float) -> Frame | None:
        with self._wake:
            self._wake.wait_for(lambda: self._frames or self.closed, 0.05)
            if self.closed:
                raise SourceEnded
            if not self._frames:
                return None
            shade = self._frames.pop(0)
        return Frame(np.full((8, 8, 3), shade, np.uint8), time.monotonic(), shade)

    def close(self) -> None:
        with self._wake:
            self.closed = True
            self._wake.notify_all()


class Room:
    """A camera, its plugs, and what the daemon said about it."""

    def __init__(self) -> None:
        self.clock, self.said, self.plugs = StillClock(), list[str](), list[Plug]()
        self.fault = ""
        self.waits = threading.Event()
        self.waits.set()
        self.attempts = 0
        self.camera = Camera("0", SETTINGS, self._say, self._open, self.clock, lambda _seconds: None)

    def _say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        self.said.append(text)

    def _open(self, spec: str, settings: CameraSection) -> FrameSource:
        self.attempts += 1
        self.waits.wait(10)
        if self.fault:
            raise SourceError(self.fault)
        self.plugs.append(Plug())
        return self.plugs[-1]

    def opened(self) -> Plug:
        """Reads until the camera is open; returns its newest plug."""
        before = len(self.plugs)
        self.until(lambda: self.camera._frames is not None)
        assert len(self.plugs) == before + 1 or self.plugs
        return self.plugs[-1]

    def until(self, condition: Callable[[], object]) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, (self.camera.status(), self.said)
            self.camera.read(0.02)

    def show(self, plug: Plug, shade: int) -> None:
        """Sends a picture and reads it."""
        plug.send(shade)
        deadline_s = time.monotonic() + PATIENCE_S
        while self.camera.read(0.02) is None:
            assert time.monotonic() < deadline_s


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    yield made
    made.waits.set()
    made.camera.close()


def test_camera_that_is_not_there_is_said_once_and_looked_for_less_and_less_often(room: Room) -> None:
    room.fault = "camera 0: not there"
    room.until(lambda: room.attempts == 1 and room.camera.trouble)
    attempts_s = []
    for _ in range(240):
        room.clock.pass_s(0.5)
        before = room.attempts
        room.camera.read(0.0)
        room.until(lambda: room.camera._attempt is None)
        if room.attempts > before:
            attempts_s.append(room.clock.now_s - 1000)
    waits = [round(wait_s) for wait_s in np.diff([0.0, *attempts_s])]
    assert waits == [1, 2, 5, 10, 30, 30, 30]
    assert room.said == ["I have no camera. Is it plugged in? I keep trying."]
    assert room.camera.settled and room.camera.answers and room.camera.status()["state"] == "away"


def test_camera_that_comes_late_is_opened_by_itself_and_this_is_said(room: Room) -> None:
    room.fault = "camera 0: not there"
    room.until(lambda: room.camera.trouble)
    room.fault = ""
    room.clock.pass_s(REOPEN_S[0])
    room.show(room.opened(), 1)
    assert room.said[-1] == "The camera's picture is back."
    assert room.camera.status()["ok"] is True and room.camera.status()["state"] == "on"


def test_silent_camera_is_said_once_and_said_again_when_it_is_back(room: Room) -> None:
    plug = room.opened()
    room.show(plug, 1)
    room.clock.pass_s(SETTINGS.frozen_s + 1)
    for _ in range(5):
        room.camera.read(0.0)
    assert room.said == ["No picture comes from the camera. Is it plugged in?"] and not room.camera.status()["ok"]
    room.show(plug, 2)
    assert room.said[1:] == ["The camera's picture is back."]


def test_opening_that_hangs_blocks_nobody_is_said_and_never_begun_twice(room: Room) -> None:
    room.waits.clear()
    for _ in range(10):
        assert room.camera.read(0.0) is None
    room.clock.pass_s(SLOW_OPENING_S + 1)
    for _ in range(10):
        room.camera.read(0.0)
    assert room.attempts == 1 and room.said == ["The camera does not answer. Unplug it and plug it in again."]
    # Only the end of the process frees a hanging driver, so the watchdog gets no sign of life.
    assert not room.camera.answers
    room.waits.set()
    room.show(room.opened(), 1)
    assert room.camera.answers and room.said[-1] == "The camera's picture is back."


def test_frozen_picture_has_the_camera_opened_again_less_and_less_often(room: Room) -> None:
    plug = room.opened()
    room.show(plug, 7)
    opened_s = []
    for _ in range(1300):
        room.clock.pass_s(0.5)
        if room.camera._frames is None:
            plug = room.opened()
            opened_s.append(room.clock.now_s - 1000)
        room.camera._stillness.frozen = True
        room.camera.read(0.0)
    waits = np.diff(opened_s)
    assert list(waits[:2]) == pytest.approx(list(FROZEN_REOPEN_S[1:3]), abs=1.0)
    assert waits[-1] == pytest.approx(FROZEN_REOPEN_S[-1], abs=1.0)
    assert room.said == ["The camera's picture is frozen."]
    room.camera._stillness.frozen = False
    room.show(plug, 8)
    assert room.said[-1] == "The camera's picture is back."


def test_same_picture_is_still_the_same_after_the_camera_was_opened_again() -> None:
    stillness = slot.Stillness(10.0)
    same = Frame(np.full((8, 8, 3), 7, np.uint8), 0.0, 0)
    stillness.watch(same, 0.0)
    stillness.watch(same, 11.0)
    plug = Plug()
    frames = slot.NewestFrame(plug, 10.0, stillness)
    assert frames.frozen
    frames.close()


def test_other_settings_open_another_camera(room: Room) -> None:
    before = room.opened()
    room.show(before, 1)
    room.camera.change("1", SETTINGS)
    after = room.opened()
    assert after is not before
    deadline_s = time.monotonic() + PATIENCE_S
    while not before.closed:
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    room.show(after, 2)
    assert room.said == []
