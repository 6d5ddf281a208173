"""The slot for the newest frame, and the detection of a frozen camera."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from vision.frame import Frame, SourceEnded, SourceError
from vision.sources.slot import NewestFrame, Stillness


class Script:
    """A source that plays a list of shades; a callable in the list is called instead."""

    def __init__(self, steps: list[int | Callable[[], None]], live: bool, pause_s: float = 0.0) -> None:
        self.live = live
        self.closed = False
        self._steps = steps
        self._pause_s = pause_s
        self._index = 0

    def read(self, timeout_s: float) -> Frame | None:
        time.sleep(self._pause_s)
        if self._index == len(self._steps):
            raise SourceEnded
        step = self._steps[self._index]
        self._index += 1
        if not isinstance(step, int):
            step()
            return None
        return frame(step, self._index)

    def close(self) -> None:
        self.closed = True


def frame(shade: int, index: int = 0) -> Frame:
    return Frame(np.full((8, 8, 3), shade, dtype=np.uint8), index / 10, index)


def test_a_slow_reader_of_a_live_source_gets_the_newest_frame_and_drops_are_counted() -> None:
    slot = NewestFrame(Script([1, 2, 3, 4, 5], live=True))
    time.sleep(0.2)
    newest = slot.read(1.0)
    assert newest is not None and newest.image[0, 0, 0] == 5
    assert slot.dropped == 4
    with pytest.raises(SourceEnded):
        slot.read(1.0)
    slot.close()


def test_every_frame_of_a_file_waits_to_be_read() -> None:
    slot = NewestFrame(Script([1, 2, 3, 4], live=False))
    shades = []
    with pytest.raises(SourceEnded):
        while True:
            time.sleep(0.02)
            got = slot.read(1.0)
            assert got is not None
            shades.append(int(got.image[0, 0, 0]))
    assert shades == [1, 2, 3, 4] and slot.dropped == 0
    slot.close()


def test_what_the_source_raises_reaches_the_reader() -> None:
    def fail() -> None:
        raise SourceError("the camera is gone")

    slot = NewestFrame(Script([fail], live=True))
    with pytest.raises(SourceError, match="the camera is gone"):
        slot.read(1.0)
    slot.close()


def test_reading_waits_no_longer_than_asked() -> None:
    source = Script([1], live=True, pause_s=0.5)
    slot = NewestFrame(source)
    began_s = time.monotonic()
    assert slot.read(0.05) is None
    assert time.monotonic() - began_s < 0.3
    slot.close()
    assert source.closed


def test_a_picture_that_never_changes_is_a_frozen_camera() -> None:
    stillness = Stillness(frozen_after_s=2.0)
    for tenth in range(30):
        stillness.watch(frame(tenth % 2), tenth / 10)
    assert not stillness.frozen
    for tenth in range(30, 60):
        stillness.watch(frame(7), tenth / 10)
    assert stillness.frozen
    stillness.watch(frame(8), 6.1)
    assert not stillness.frozen
