"""Lists wired cameras with names that stay the same across replugging and reboots."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from wording.outside import clean

DEV, SYS = Path("/dev"), Path("/sys/class/video4linux")
MAX_LENGTH = 80
"""Characters of a camera's own name that are kept."""


@dataclasses.dataclass(frozen=True)
class Camera:
    number: int
    """N of /dev/videoN, which changes when the camera is replugged."""
    title: str
    """The driver's name for it; empty where it gives none."""
    by_id: str = ""
    """Name by model and serial number, under /dev/v4l/by-id; empty where there is none."""
    by_path: str = ""
    """Name by the socket it is plugged into, under /dev/v4l/by-path; empty where there is none."""

    @property
    def stable(self) -> str:
        """The name to put into the settings; empty where only the number names it."""
        return self.by_id or self.by_path

    @property
    def text(self) -> str:
        """Such as "/dev/v4l/by-id/usb-046d_C920-video-index0 (HD Pro Webcam C920, now /dev/video0)"."""
        more = ", ".join(filter(None, [self.title, f"now /dev/video{self.number}" if self.stable else ""]))
        name = self.stable or f"/dev/video{self.number}"
        return f"{name} ({more})" if more else name


def cameras(dev: Path = DEV, sys: Path = SYS) -> list[Camera]:
    """All devices that deliver pictures, by number; of a camera's several devices only the one with pictures.

    The others, which deliver the camera's metadata, have an index above 0 in `sys`.
    """
    by_id, by_path = _names(dev / "v4l" / "by-id"), _names(dev / "v4l" / "by-path")
    found = []
    for device in dev.glob("video*"):
        number = device.name.removeprefix("video")
        if not number.isdecimal() or _read(sys / device.name / "index") not in ("", "0"):
            continue
        title = _read(sys / device.name / "name")
        found.append(Camera(int(number), title, by_id.get(device.name, ""), by_path.get(device.name, "")))
    return sorted(found, key=lambda camera: camera.number)


def stable_name(spec: str, dev: Path = DEV, sys: Path = SYS) -> str:
    """The stable name of the camera that `spec` names by its number; empty where it has none, or needs none."""
    number = spec.removeprefix("/dev/video")
    if not number.isdecimal():
        return ""
    return next((camera.stable for camera in cameras(dev, sys) if camera.number == int(number)), "")


def _names(folder: Path) -> dict[str, str]:
    """Maps a device file's name, such as video0, to the link that names it."""
    if not folder.is_dir():
        return {}
    names: dict[str, str] = {}
    for link in sorted(folder.iterdir(), reverse=True):
        if link.is_symlink():
            names[link.resolve().name] = str(link)
    return names


def _read(path: Path) -> str:
    """One line of kernel text about a device; empty where there is none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return clean(file.read(4 * MAX_LENGTH), MAX_LENGTH)
    except OSError:
        return ""
