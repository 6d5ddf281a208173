"""Cameras on a cable, with a fake driver that behaves like real ones."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

import vision.sources.capture
from tests.vision.fake_device import MJPG, Driver, FakeDevice
from vision.frame import Image, SourceError
from vision.sources.capture import codec_of, device_frames, open_device
from vision.sources.delivery import Delivery
from vision.sources.exposure import V4L2_AUTOMATIC, V4L2_MANUAL
from vision.sources.live import Connection, LiveSource


@pytest.fixture(autouse=True)
def plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretends that the device file exists, and removes the pause after failed reads."""
    monkeypatch.setattr(vision.sources.capture, "_target", int)
    monkeypatch.setattr(vision.sources.capture, "_RETRY_S", 0.0)


class Camera:
    """Opens a new fake device each time."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.devices: list[FakeDevice] = []
        self.delivery = Delivery("camera 0", 15.0)

    def open(self, _target: int | str) -> FakeDevice:
        self.devices.append(FakeDevice(self.driver))
        return self.devices[-1]

    def frames(self) -> Iterator[Image]:
        for picture in device_frames(
            "0", 15.0, (1280, 720), self.delivery, self.open, lambda: self.devices[-1].clock()
        ):
            assert isinstance(picture, np.ndarray)
            self.delivery.count(self.devices[-1].time_s, (picture.shape[1], picture.shape[0]))
            yield picture


def test_codec_comes_first_then_size_then_rate(caplog: pytest.LogCaptureFixture) -> None:
    camera = Camera(Driver())
    with caplog.at_level(logging.INFO):
        device = open_device("0", 15.0, (1280, 720), camera.delivery, camera.open)
    assert (device.get(cv2.CAP_PROP_FRAME_WIDTH), device.get(cv2.CAP_PROP_FRAME_HEIGHT)) == (1280, 720)
    assert codec_of(device) == "MJPG"
    asked = [setting for setting, _ in camera.devices[0].calls]
    order = [cv2.CAP_PROP_FOURCC, cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FPS]
    assert [setting for setting in asked if setting in order] == order
    assert "asked for MJPG 1280x720 at 15 Hz; the driver says MJPG 1280x720 at 30 Hz" in caplog.text


def test_size_that_the_driver_does_not_take_is_told(caplog: pytest.LogCaptureFixture) -> None:
    camera = Camera(Driver())
    open_device("0", 15.0, (800, 600), camera.delivery, camera.open)
    assert "it takes 640x480 pictures, not 800x600" in caplog.text


def test_broken_and_dark_first_pictures_are_thrown_away() -> None:
    levels = [float(image.mean()) for image in itertools.islice(Camera(Driver(broken=3)).frames(), 20)]
    assert min(levels) > 100


def test_rate_is_measured_whatever_the_driver_claims(caplog: pytest.LogCaptureFixture) -> None:
    camera = Camera(Driver(rate_hz=7.0))
    with caplog.at_level(logging.INFO):
        for _ in itertools.islice(camera.frames(), 60):
            pass
    assert camera.delivery.rate_hz == pytest.approx(7.0, rel=0.02)
    assert "30 Hz" in camera.delivery.claimed
    assert "only 7.0 of 15 pictures a second come" in caplog.text
    assert caplog.text.count("add a lamp") == 1


def test_exposure_and_balance_are_locked_once_they_have_settled() -> None:
    camera = Camera(Driver())
    levels = [float(image.mean()) for image in itertools.islice(camera.frames(), 80)]
    assert camera.driver.mode == V4L2_MANUAL and camera.driver.balance == 0
    assert camera.driver.exposure == 157.0
    assert max(levels) - min(levels) < 3
    assert camera.delivery.exposure == "exposure locked, white balance locked"


def test_camera_that_was_left_locked_finds_its_exposure_again_first() -> None:
    camera = Camera(Driver(mode=V4L2_MANUAL, exposure=20.0, true_exposure=20.0, balance=0.0))
    next(camera.frames())
    assert camera.driver.mode == V4L2_AUTOMATIC and camera.driver.balance == 1


def test_lock_that_darkens_the_picture_is_taken_back() -> None:
    camera = Camera(Driver(exposure=40.0))  # the driver reports what was once set by hand
    levels = [float(image.mean()) for image in itertools.islice(camera.frames(), 100)]
    assert camera.driver.mode == V4L2_AUTOMATIC
    assert min(levels) < 60 < 110 < levels[-1]
    assert "exposure automatic, since locking it" in camera.delivery.exposure


def test_driver_that_only_pretends_to_lock_is_not_believed() -> None:
    camera = Camera(Driver(locks=False))
    for _ in itertools.islice(camera.frames(), 60):
        pass
    assert camera.delivery.exposure == "exposure cannot be locked, white balance locked"


def test_rate_is_measured_anew_after_a_stream_has_come_back() -> None:
    delivery = Delivery("http://phone/video")
    for index in range(40):
        delivery.count(index / 30)
    assert delivery.rate_hz == pytest.approx(30) and not delivery.slow
    delivery.opened()
    assert delivery.rate_hz is None
    for index in range(20):
        delivery.count(100 + index / 5, (640, 480))
    assert delivery.text() == "640x480 pixels, 5.0 pictures a second"


def test_unplugged_camera_is_said_to_be_so_and_let_go() -> None:
    camera = Camera(Driver(dead_after=30))
    with pytest.raises(SourceError, match="still plugged in"):
        list(camera.frames())
    assert camera.devices[0].released


def test_camera_that_repeats_its_last_picture_is_given_up() -> None:
    camera = Camera(Driver(frozen_after=40))
    with pytest.raises(SourceError, match="stood still for 10 s"):
        list(camera.frames())
    assert camera.devices[0].released


def test_camera_that_comes_back_is_locked_again() -> None:
    camera = Camera(Driver(dead_after=70))
    source = LiveSource("camera 0", lambda: _connection(camera), delivery=camera.delivery)
    try:
        for _ in range(2000):
            source.read(0.1)
            if len(camera.devices) == 3:
                break
    finally:
        source.close()
    assert len(camera.devices) == 3
    for device in camera.devices[:2]:
        assert (cv2.CAP_PROP_FOURCC, MJPG) in device.calls
        modes = [value for setting, value in device.calls if setting == cv2.CAP_PROP_AUTO_EXPOSURE]
        assert modes == [V4L2_AUTOMATIC, V4L2_MANUAL]


def _connection(camera: Camera) -> Connection:
    return device_frames("0", 15.0, (1280, 720), camera.delivery, camera.open, lambda: camera.devices[-1].clock())
