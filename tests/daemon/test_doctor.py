"""What `kibitzer doctor` reports of a camera; no check prevents the others."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from daemon.checks import CheckResult, devices
from daemon.cli import doctor
from daemon.config.settings import Config
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
    """A camera whose pictures have one brightness, at a requested rate."""
    level, asked_hz = request.param
    delivery = Delivery("camera 0", asked_hz)
    source = LiveSource("camera 0", lambda: pictures(delivery, level), delivery=delivery)
    monkeypatch.setattr(devices, "open_source", lambda *_words, **_more: source)
    monkeypatch.setattr(devices, "MEASURED_S", 0.4)
    yield
    source.close()


@pytest.mark.parametrize("camera", [(120, 15.0)], indirect=True)
@pytest.mark.usefixtures("camera")
def test_camera_is_described_by_what_it_delivers() -> None:
    result = devices.check_camera(Config())
    assert result.ok
    assert "64x48 pixels, MJPG, " in result.text and "pictures a second (asked: 15)" in result.text
    assert result.text.endswith("exposure locked; the driver says MJPG 64x48 at 30 Hz")


@pytest.mark.parametrize("camera", [(4, 5000.0)], indirect=True)
@pytest.mark.usefixtures("camera")
def test_slow_and_dark_camera_comes_with_advice() -> None:
    result = devices.check_camera(Config())
    assert not result.ok
    assert "add a lamp" in result.text and "very dark" in result.text


def test_check_that_fails_keeps_no_other_from_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_moon(_config: Config) -> CheckResult:
        raise OSError("no telescope")

    monkeypatch.setattr(doctor, "CHECKS", (check_moon, lambda _config: CheckResult("sun", True, "shines")))
    done = CliRunner().invoke(doctor.app, ["--json"])
    assert done.exit_code == 0
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"part": "moon", "ok": False, "text": "cannot be checked: no telescope"},
        {"part": "sun", "ok": True, "text": "shines"},
    ]


def test_wrong_settings_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[eyes]\nsettle_s = 99\n", encoding="utf-8")
    done = CliRunner().invoke(doctor.app, ["--config", str(path)])
    assert done.exit_code == 2 and "eyes.settle_s = 99" in done.stderr


def test_every_part_is_named_once() -> None:
    names = [check.__name__ for check in doctor.CHECKS]
    assert len(set(names)) == len(names) and all(check.__doc__ for check in doctor.CHECKS)
