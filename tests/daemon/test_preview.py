"""Which cameras a page may choose, and the preview before the choice."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from daemon.commands.command import CommandError
from daemon.commands.sources import check_source, is_same, names_of
from daemon.config.settings import Config
from daemon.page import permission
from daemon.page import setup as preview
from daemon.page.setup import Preview, parse_preview
from daemon.page.web import WebPage
from daemon.setup.menu import menu_of
from tests.daemon.http_client import ask
from vision.frame import Frame, FrameSource, SourceError
from vision.sources.cameras import Camera

CABLE = Camera(0, "HD Webcam", "/dev/v4l/by-id/usb-cam", "/dev/v4l/by-path/pci-1")


class Bright:
    """A camera that becomes brighter with every picture."""

    live = True

    def __init__(self, size_px: tuple[int, int] = (1280, 720), silent: bool = False) -> None:
        self.size_px, self.silent, self.shade, self.closed = size_px, silent, 0, False

    def read(self, timeout_s: float) -> Frame | None:
        time.sleep(0.01)
        self.shade = min(200, self.shade + 40)
        width, height = self.size_px
        return None if self.silent else Frame(np.full((height, width, 3), self.shade, np.uint8), time.monotonic(), 0)

    def close(self) -> None:
        self.closed = True


class Eye:
    """A page, and the cameras that it opens."""

    def __init__(self) -> None:
        self.page, self.opened = WebPage(port=0), list[str]()
        self.page.take_commands()
        self.source: FrameSource = Bright()
        self.waits, self.fault = threading.Event(), ""
        self.waits.set()
        self.page.setup.preview._opener = self._open

    def _open(self, source: str) -> FrameSource:
        self.opened.append(source)
        self.waits.wait(10)
        if self.fault:
            raise SourceError(self.fault)
        return self.source

    def ask(self, body: bytes, path: str = "preview", **headers: str) -> tuple[int, bytes]:
        reply = ask(self.page.address + path, body, **headers)
        return reply.status, reply.body

    def look(self, source: str) -> tuple[int, bytes]:
        return self.ask(json.dumps({"source": source}).encode())

    def told(self, source: str) -> str:
        status, body = self.look(source)
        assert status != 200
        return str(json.loads(body)["text"])


@pytest.fixture
def eye(monkeypatch: pytest.MonkeyPatch) -> Iterator[Eye]:
    monkeypatch.setattr(preview, "EXPOSE_S", 0.1)
    monkeypatch.setattr(preview, "OPEN_S", 0.2)
    monkeypatch.setattr(preview, "LOOK_S", 0.2)
    monkeypatch.setattr(preview, "cameras", lambda: [CABLE])
    made = Eye()
    yield made
    made.waits.set()
    made.page.close()


@pytest.mark.parametrize(
    "source", [*sorted(names_of(CABLE)), "http://192.168.1.7:8080/video", "rtsp://ana:x@cam.local/live"]
)
def test_cameras_on_a_cable_and_addresses_may_be_chosen(source: str) -> None:
    check_source(source, [CABLE])


@pytest.mark.parametrize(
    "source",
    [
        *("1", "/dev/video1", "/dev/sda", "/etc/passwd", "../x.mp4", "~/x.mp4", "", " ", "file:///etc/passwd"),
        *("http://", "http:///x", "http://h:0/", "http://h:99999/", "ftp://h/x", "rtsp://h/a b", "rtsp://h/\n"),
        "http://h/" + "x" * 512,
    ],
)
def test_files_other_devices_and_what_is_no_address_may_not(source: str) -> None:
    with pytest.raises(ValueError):
        check_source(source, [CABLE])


def test_the_menu_has_every_camera_once_and_no_password() -> None:
    assert is_same("0", "/dev/video0") and not is_same("0", "1") and not is_same("none", "0")
    config = Config.model_validate({"camera": {"source": "http://ana:secret@192.168.1.7/video"}})
    menu = menu_of(config, "none", {}, [CABLE])
    assert [one["source"] for one in menu["cameras"]] == [
        "none",
        "phone",
        "http://***@192.168.1.7/video",
        CABLE.by_id,
    ]
    assert menu["choice"]["camera"]["source"] == menu["cameras"][2]["source"]
    assert "secret" not in json.dumps(menu) and "HD Webcam" in menu["cameras"][3]["title"]
    unnamed = Camera(0, "HD Webcam")
    assert [one["source"] for one in menu_of(Config(), "0", {}, [unnamed])["cameras"]] == ["none", "phone", "0"]


@pytest.mark.parametrize(
    "words", [None, [], {}, {"source": 0}, {"source": ""}, {"source": "x" * 513}, {"source": "0", "x": 1}]
)
def test_what_is_no_look_is_refused(words: object) -> None:
    with pytest.raises(CommandError):
        parse_preview(words)


def test_a_look_shows_the_camera_once_it_has_found_its_exposure_and_lets_go_of_it(eye: Eye) -> None:
    status, body = eye.look("0")
    image = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)
    assert status == 200 and image is not None and image.shape == (540, 960, 3) and image.mean() > 150
    assert isinstance(eye.source, Bright) and eye.source.closed and eye.opened == ["0"]


def test_a_camera_that_cannot_be_opened_or_shows_nothing_says_why(eye: Eye) -> None:
    assert "/etc/passwd" in eye.told("/etc/passwd") and eye.opened == []
    eye.fault = "camera 0: it is in use by another program"
    assert "in use by another program" in eye.told("0")
    eye.fault, eye.source = "", Bright(silent=True)
    assert eye.told("0") == "No picture came from this camera."
    assert eye.source.closed


def test_a_driver_that_hangs_is_waited_for_once_and_never_opened_beside_itself(eye: Eye) -> None:
    eye.waits.clear()
    assert "does not answer" in eye.told("0") and "does not answer" in eye.told("0")
    assert eye.opened == ["0"]
    eye.waits.set()
    attempt = eye.page.setup.preview._hanging
    assert attempt is not None and attempt.wait(5)
    assert isinstance(eye.source, Bright) and eye.source.closed
    assert eye.look("0")[0] == 200


def test_the_camera_in_use_is_shown_without_being_opened_again(eye: Eye) -> None:
    eye.page.setup.set_frame(lambda: np.full((72, 128, 3), 90, np.uint8), "/dev/video0")
    assert eye.look("0")[0] == 200 and eye.opened == []
    eye.page.setup.set_frame(lambda: np.full((72, 128, 3), 90, np.uint8), "http://ana:x@127.0.0.1/video")
    assert eye.look("http://***@127.0.0.1/video")[0] == 200 and eye.opened == []  # as the menu shows it
    eye.page.setup.set_frame(None)
    assert eye.look("0")[0] == 200 and eye.opened == ["0"]


def test_only_who_may_command_looks_through_cameras(eye: Eye, monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'{"source": "0"}'
    assert eye.ask(body, Origin="https://example.org")[0] == 403
    assert eye.ask(body, Content_Type="text/plain")[0] == 400
    monkeypatch.setattr(permission, "is_here", lambda _request: False)
    assert json.loads(eye.ask(body)[1])["code"] == "not_from_here"
    monkeypatch.undo()
    eye.page.setup.preview.is_open = False
    assert eye.ask(body)[0] == 409 and eye.opened == []


def test_a_look_that_is_given_up_at_the_end_opens_nothing() -> None:
    page = WebPage(port=0)
    page.close()
    assert isinstance(page.setup.preview, Preview) and page.setup.preview._closing.is_set()
