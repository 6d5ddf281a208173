"""Hanging drivers: their threads are abandoned, up to a limit, and the camera is opened again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tests.waiting import PATIENCE_S
from vision.frame import Frame, FrameSource, SourceError
from vision.sources.live import HANG_S, MAX_ABANDONED, Connection, LiveSource
from vision.sources.slot import Attempt


class Time:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Driver:
    """A driver that hangs in its first `hangs` connections until it is let go; the next one works."""

    def __init__(self, hangs: int) -> None:
        self.hangs, self.opened = hangs, 0
        self.inside = threading.Semaphore(0)
        self.let_go = threading.Event()

    def connect(self) -> Connection:
        self.opened += 1
        number = self.opened
        if number <= self.hangs:
            self.inside.release()
            self.let_go.wait(20)
        while True:
            time.sleep(0.005)
            yield np.full((8, 8, 3), number, dtype=np.uint8)


@pytest.fixture
def hanging() -> Iterator[Callable[[int], tuple[LiveSource, Driver, Time]]]:
    made: list[tuple[LiveSource, Driver, Time]] = []

    def make(hangs: int) -> tuple[LiveSource, Driver, Time]:
        driver, clock = Driver(hangs), Time()
        made.append((LiveSource("camera 0", driver.connect, clock=clock), driver, clock))
        assert driver.inside.acquire(timeout=PATIENCE_S)
        return made[-1]

    yield make
    for source, driver, _ in made:
        driver.let_go.set()
        source.close()


def next_frame(source: LiveSource) -> Frame:
    for _ in range(100):
        frame = source.read(0.1)
        if frame is not None:
            return frame
    raise AssertionError("no frame came")


Hanging = Callable[[int], tuple[LiveSource, Driver, Time]]


def test_hanging_read_is_given_up_and_the_camera_opened_again(hanging: Hanging) -> None:
    source, driver, clock = hanging(1)
    assert source.read(0.01) is None and source.abandoned == 0
    clock.now_s = HANG_S + 1
    assert next_frame(source).image[0, 0, 0] == 2
    assert (source.abandoned, source.reconnects, source.hangs, driver.opened) == (1, 1, False, 2)


def test_what_a_given_up_thread_still_delivers_is_thrown_away(hanging: Hanging) -> None:
    source, driver, clock = hanging(1)
    clock.now_s = HANG_S + 1
    next_frame(source)
    driver.let_go.set()
    shades = {int(next_frame(source).image[0, 0, 0]) for _ in range(20)}
    assert shades == {2}
    deadline_s = time.monotonic() + 10
    while source.abandoned:
        assert time.monotonic() < deadline_s, "the thread that was given up does not end"
        time.sleep(0.01)


def test_no_more_threads_hang_than_may_and_then_the_source_says_so(hanging: Hanging) -> None:
    source, driver, clock = hanging(100)
    for life in range(MAX_ABANDONED + 3):
        clock.now_s = (HANG_S + 1) * (life + 1)
        assert source.read(0.01) is None
        if life < MAX_ABANDONED:
            assert driver.inside.acquire(timeout=PATIENCE_S)
    assert (source.abandoned, driver.opened, source.hangs) == (MAX_ABANDONED, MAX_ABANDONED + 1, True)
    driver.hangs = 0
    driver.let_go.set()
    assert next_frame(source).image[0, 0, 0] == MAX_ABANDONED + 1
    clock.now_s += 1
    assert not source.hangs


def test_source_that_comes_after_nobody_wants_it_any_more_is_closed() -> None:
    wanted, closed = threading.Event(), threading.Event()

    class Source:
        live = True

        def read(self, timeout_s: float) -> Frame | None:
            return None

        def close(self) -> None:
            closed.set()

    def opener() -> FrameSource:
        wanted.wait(10)
        return Source()

    attempt = Attempt(opener)
    assert not attempt.wait(0.01)
    attempt.abandon()
    wanted.set()
    assert closed.wait(10) and attempt.wait(10)
    with pytest.raises(SourceError):
        attempt.result()


def test_whatever_goes_wrong_while_opening_is_told_as_a_source_that_cannot_be_opened() -> None:
    def opener() -> FrameSource:
        raise RuntimeError("the driver is broken")

    attempt = Attempt(opener)
    assert attempt.wait(10)
    with pytest.raises(SourceError, match="RuntimeError: the driver is broken"):
        attempt.result()
