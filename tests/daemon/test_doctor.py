"""What `kibitzer doctor` says of a camera."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from daemon import doctor
from daemon.config import Config
from vision.sources.delivery import Delivery
from vision.sources.live import Connection, LiveSource


def pictures(delivery: Delivery, level: int) -> Connection:
    delivery.codec, delivery.claimed, delivery.exposure = "MJPG", "MJPG 64x48 at 30 Hz", "exposure locked"
    noise = np.random.default_rng(1)
    while True:
        time.sleep(0.01)
        yield np.asarray(np.clip(noise.normal(level, 2, (48, 64, 3)), 0, 255), dtype=np.uint8)


@pytest.fixture
def camera(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A camera that sends pictures of a brightness, at a rate that is asked for."""
    level, asked_hz = request.param
    delivery = Delivery("camera 0", asked_hz)
    source = LiveSource("camera 0", lambda: pictures(delivery, level), delivery=delivery)
    monkeypatch.setattr(doctor, "open_source", lambda *_words, **_more: source)
    monkeypatch.setattr(doctor, "MEASURED_S", 0.4)
    yield
    source.close()


@pytest.mark.parametrize("camera", [(120, 15.0)], indirect=True)
@pytest.mark.usefixtures("camera")
def test_camera_is_described_by_what_it_delivers() -> None:
    finding = doctor._camera(Config())
    assert finding.ok
    assert "64x48 pixels, MJPG, " in finding.text and "pictures a second (asked: 15)" in finding.text
    assert finding.text.endswith("exposure locked; the driver says MJPG 64x48 at 30 Hz")


@pytest.mark.parametrize("camera", [(4, 5000.0)], indirect=True)
@pytest.mark.usefixtures("camera")
def test_slow_and_dark_camera_comes_with_advice() -> None:
    finding = doctor._camera(Config())
    assert not finding.ok
    assert "add a lamp" in finding.text and "very dark" in finding.text
