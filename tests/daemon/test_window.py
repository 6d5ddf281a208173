"""The window: there is none without a display, and its end is not the daemon's."""

import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from daemon.page.window import Window, display_fault
from tests.waiting import wait_for

PICTURE = np.zeros((90, 160, 3), np.uint8)
READER = (
    "import sys, struct; w, h = struct.unpack('<II', sys.stdin.buffer.read(8)); n = len(sys.stdin.buffer.read(w*h*3));"
)


def program(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", textwrap.dedent(code))


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":654")


def test_without_a_display_there_is_no_window_and_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    window = Window(process=("/nonexistent/window",))
    window.show(PICTURE)
    assert not window.is_open and window.keys() == []
    assert window.status() == {"ok": True, "text": display_fault({})}
    window.close()


@pytest.mark.usefixtures("display")
def test_a_display_that_cannot_be_reached_ends_the_window_and_not_the_daemon(caplog: pytest.LogCaptureFixture) -> None:
    window = Window()  # the real one: OpenCV aborts its process
    for _ in range(3):
        window.show(PICTURE)
    wait_for(lambda: not window.is_open)
    assert "the display cannot be used" in caplog.text
    window.show(PICTURE)
    window.close()


@pytest.mark.usefixtures("display")
def test_pictures_go_in_and_keys_come_out() -> None:
    window = Window(process=program(READER + "print('q'); print(n % 10, flush=True); sys.stdin.buffer.read()"))
    window.show(PICTURE)
    pressed: list[str] = []
    wait_for(lambda: pressed.extend(window.keys()) or len(pressed) == 2)  # type: ignore[func-returns-value]
    assert pressed == ["q", str(PICTURE.nbytes % 10)]
    assert window.is_open
    window.close()
    window.close()
    assert not window.is_open


@pytest.mark.usefixtures("display")
def test_a_window_that_reads_nothing_holds_nobody_up(caplog: pytest.LogCaptureFixture) -> None:
    window = Window(process=program("import time; time.sleep(60)"))
    large = np.zeros((1080, 1920, 3), np.uint8)
    begun_s = time.monotonic()
    for _ in range(100):
        window.show(large)
    assert time.monotonic() - begun_s < 0.5
    window.close()
    assert time.monotonic() - begun_s < 3
    assert not caplog.records


@pytest.mark.usefixtures("display")
def test_a_window_closed_by_hand_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    window = Window(process=program(READER))
    window.show(PICTURE)
    wait_for(lambda: not window.is_open)
    assert "closed by hand" in caplog.text and len(caplog.records) == 1
    window.close()


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A virtual screen whose pixels are in a file."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    with subprocess.Popen(
        ["Xvfb", ":653", "-screen", "0", "640x480x24", "-fbdir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        wait_for(Path("/tmp/.X11-unix/X653").exists)
        monkeypatch.setenv("DISPLAY", ":653")
        yield tmp_path / "Xvfb_screen0"
        server.terminate()


def test_a_picture_is_really_shown_on_a_screen(screen: Path) -> None:
    window = Window()
    shade = np.full((240, 320, 3), (17, 119, 221), np.uint8)

    def is_shown() -> bool:
        window.show(shade)
        pixels = np.frombuffer(screen.read_bytes()[-640 * 480 * 4 :], np.uint8).reshape(-1, 4)[:, :3]
        return int((pixels == (17, 119, 221)).all(axis=1).sum()) > 10_000

    wait_for(is_shown)
    window.close()
