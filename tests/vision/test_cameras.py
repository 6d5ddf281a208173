"""Cameras by stable names."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.sources.cameras import Camera, cameras, stable_name

C920 = "usb-046d_HD_Pro_Webcam_C920_1A2B-video-index0"


@pytest.fixture
def machine(tmp_path: Path) -> tuple[Path, Path]:
    """Folders `dev` and `sys`: a webcam with a metadata device, a camera named by its port, one without stable name."""
    dev, sys = tmp_path / "dev", tmp_path / "sys"
    for number, (title, index) in enumerate([("HD Pro Webcam C920", 0), ("HD Pro Webcam C920", 1), ("Cheap cam", 0)]):
        (sys / f"video{number}").mkdir(parents=True)
        (sys / f"video{number}" / "name").write_text(f"{title}\n")
        (sys / f"video{number}" / "index").write_text(f"{index}\n")
    for folder in ("by-id", "by-path"):
        (dev / "v4l" / folder).mkdir(parents=True)
    for number in (0, 1, 2, 10):
        (dev / f"video{number}").touch()
    (dev / "video-audio").touch()
    (dev / "v4l/by-id" / C920).symlink_to("../../video0")
    (dev / "v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0").symlink_to("../../video0")
    (dev / "v4l/by-path/pci-0000:00:14.0-usb-0:2:1.0-video-index0").symlink_to("../../video2")
    return dev, sys


def test_cameras_are_listed_by_number_with_the_names_that_last(machine: tuple[Path, Path]) -> None:
    found = cameras(*machine)
    assert [(one.number, one.title, Path(one.stable).name) for one in found] == [
        (0, "HD Pro Webcam C920", C920),
        (2, "Cheap cam", "pci-0000:00:14.0-usb-0:2:1.0-video-index0"),
        (10, "", ""),
    ]
    assert found[0].text.endswith(f"{C920} (HD Pro Webcam C920, now /dev/video0)")
    assert found[2].text == "/dev/video10"


@pytest.mark.parametrize(
    ("spec", "name"), [("0", C920), ("/dev/video0", C920), ("10", ""), ("7", ""), ("http://phone/video", ""), ("", "")]
)
def test_number_leads_to_the_name_that_lasts(machine: tuple[Path, Path], spec: str, name: str) -> None:
    assert Path(stable_name(spec, *machine)).name == name


def test_machine_without_cameras_has_none(tmp_path: Path) -> None:
    assert cameras(tmp_path / "absent", tmp_path) == []
    assert Camera(3, "").text == "/dev/video3"
