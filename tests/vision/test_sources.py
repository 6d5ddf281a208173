"""Files, folders, streams and cameras: their frames, and their messages if they fail."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import logging
import os
import re
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lab.simulated.scripted_games import record_video
from tests.waiting import PATIENCE_S
from vision.frame import Frame, FrameSource, Image, SourceEnded, SourceError
from vision.sources import capture, mjpeg
from vision.sources.capture import open_device
from vision.sources.delivery import Delivery
from vision.sources.encoded import JpegSplitter, decode
from vision.sources.files import natural_key, read_photo, write_picture
from vision.sources.live import LiveSource
from vision.sources.opening import open_source

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


def picture(shade: int, size: tuple[int, int] = (64, 48)) -> Image:
    image = np.full((size[1], size[0], 3), shade, dtype=np.uint8)
    cv2.circle(image, (size[0] // 2, size[1] // 2), 10, (0, 0, 255), -1)
    return image


def jpeg(shade: int) -> bytes:
    return bytes(cv2.imencode(".jpg", picture(shade))[1])


def read_all(source: FrameSource) -> list[Frame]:
    frames: list[Frame] = []
    with pytest.raises(SourceEnded):
        while True:
            frame = source.read(1.0)
            assert frame is not None
            frames.append(frame)
    return frames


def test_photos_come_in_natural_order_each_held_like_a_board_nobody_touches(tmp_path: Path) -> None:
    for name, shade in (("1_10.jpg", 90), ("1_2.jpg", 60), ("1_1.jpg", 30)):
        (tmp_path / name).write_bytes(jpeg(shade))
    frames = read_all(open_source(str(tmp_path), hold_s=0.5, rate_hz=10.0))
    assert [frame.name for frame in frames[::5]] == ["1_1.jpg", "1_2.jpg", "1_10.jpg"]
    assert [frame.time_s for frame in frames] == pytest.approx([index / 10 for index in range(15)])
    assert [frame.index for frame in frames] == list(range(15))


def test_names_sort_as_people_count() -> None:
    names = ["b", "1_10", "A2", "1_9", "a10", "1_2b"]
    assert sorted(names, key=natural_key) == ["1_2b", "1_9", "1_10", "A2", "a10", "b"]


def test_broken_photos_are_skipped_and_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    good = jpeg(100)
    (tmp_path / "1.jpg").write_bytes(good)
    (tmp_path / "2_cut.jpg").write_bytes(good[: len(good) // 2])
    (tmp_path / "3_notes.txt").write_text("no picture")
    (tmp_path / "4_empty.png").write_bytes(b"")
    (tmp_path / "labels.json").write_text("{}")
    (tmp_path / "5.png").write_bytes(bytes(cv2.imencode(".png", picture(9))[1]))
    (tmp_path / "6_cut.png").write_bytes(bytes(cv2.imencode(".png", picture(9))[1])[:-40])
    source: Any = open_source(str(tmp_path), hold_s=0.1)
    with caplog.at_level(logging.WARNING):
        assert [frame.name for frame in read_all(source)] == ["1.jpg", "5.png"]
    assert source.skipped == ["2_cut.jpg", "3_notes.txt", "4_empty.png", "6_cut.png"]
    assert "2_cut.jpg" in caplog.text and "labels.json" not in caplog.text


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("/nowhere/at/all", "no such camera, video file, folder or address"),
        ("/dev/v4l/by-id/usb-nothing-index0", "is it plugged in"),
        ("97", "/dev/video97"),
        ("ftp://camera/stream", "http, https, rtsp or rtsps"),
        ("http://:80/x", "no host"),
        ("192.168.1.77:8080/video", "begins with http:// or rtsp://, as http://192.168.1.77:8080/video does"),
        ("http://host:port/x", "this is no address"),
        ("bad\0name", "no such camera"),
        ("", "not empty"),
        ("~no-such-user-here/video.mp4", "home directory"),
    ],
)
def test_a_source_that_cannot_be_opened_says_why(spec: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        open_source(spec)


def write_video(path: Path, count: int) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20.0, (64, 48))
    for index in range(count):
        writer.write(picture(10 * index))
    writer.release()


def test_a_video_whose_name_is_no_utf_8_is_refused_and_not_given_to_opencv(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"game\xff.mp4")
    try:
        path.write_bytes(jpeg(90))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    with pytest.raises(SourceError, match=r"game\\udcff\.mp4': the name is no UTF-8"):
        open_source(str(path))


def test_pictures_are_written_under_any_name_and_no_video_under_one_that_is_no_utf_8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"board\xff.png")
    try:
        write_picture(path, picture(90))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert np.array_equal(read_photo(path), picture(90))
    with pytest.raises(SourceError, match=r"film\\udcff\.avi': the name is no UTF-8"):
        record_video(None, tmp_path / os.fsdecode(b"film\xff.avi"))  # type: ignore[arg-type]


def test_a_video_gives_its_frames_with_their_place_in_the_file(tmp_path: Path) -> None:
    write_video(tmp_path / "v.avi", 12)
    frames = read_all(open_source(str(tmp_path / "v.avi")))
    assert [frame.time_s for frame in frames] == pytest.approx([index / 20 for index in range(12)])
    assert abs(float(frames[5].image[0, 0, 0]) - 50) < 6


def test_a_truncated_video_gives_what_is_there_and_ends(tmp_path: Path) -> None:
    write_video(tmp_path / "v.avi", 20)
    data = (tmp_path / "v.avi").read_bytes()
    (tmp_path / "cut.avi").write_bytes(data[: len(data) * 6 // 10])
    assert 5 <= len(read_all(open_source(str(tmp_path / "cut.avi")))) < 20


def test_a_file_that_is_no_video_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "v.avi").write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(SourceError, match="no video"):
        open_source(str(tmp_path / "v.avi"))


def test_real_videos_with_a_broken_first_frame_are_survived() -> None:
    path = DATA / "video" / "emptyBoard001.avi"
    if not path.exists():
        pytest.skip("shared/data is not here")
    assert len(read_all(open_source(str(path)))) >= 51


def test_pictures_are_cut_out_of_any_stream_of_bytes() -> None:
    one, two = jpeg(10), jpeg(200)
    stream = (
        b"--x\r\nContent-Type: image/jpeg\r\n\r\n" + one + b"\r\n--x\r\n\r\n" + one[:200] + b"--x\r\n" + two + b"--"
    )
    for step in (1, 7, 1000):
        splitter = JpegSplitter()
        pictures = [got for at in range(0, len(stream), step) for got in splitter.feed(stream[at : at + step])]
        assert pictures == [one, two]


def test_a_thumbnail_inside_a_photo_is_no_picture_of_its_own() -> None:
    photo = jpeg(10)
    segment = b"\xff\xe1" + (len(jpeg(200)) + 2).to_bytes(2, "big") + jpeg(200)
    with_thumbnail = photo[:2] + segment + photo[2:]
    assert JpegSplitter().feed(with_thumbnail) == [with_thumbnail]
    assert decode(with_thumbnail) is not None
    assert decode(with_thumbnail[:-300]) is None


SHOTS = {
    "/shot.png": ("image/png", bytes(cv2.imencode(".png", picture(70))[1])),
    "/shot.jpg": ("image/jpeg", jpeg(70)),
    "/shot.bin": ("application/octet-stream", jpeg(70)),
    "/shot": ("", jpeg(70)),
    "/words": ("image/jpeg", b"no picture"),
    "/page": ("text/html", b"<p>no picture</p>"),
    "/cut": ("image/jpeg", jpeg(70)[:-9]),
}
"""What addresses that answer with one picture call it, and what they answer."""


class Camera(http.server.BaseHTTPRequestHandler):
    """Serves an endless stream as phones do, in one of several dialects."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path.startswith("/drips"):
            self.drip()
            return
        if self.path in ("/moved", "/loop", "/away"):
            self.send_response(302)
            self.send_header(
                "Location", {"/moved": "usual", "/loop": "/loop", "/away": "file:///etc/passwd"}[self.path]
            )
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path == "/digest" and not self.knows_the_password():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Digest realm="cam", nonce="abc", qop="auth", algorithm=MD5')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path == "/icy":
            self.wfile.write(b"ICY 200 OK\r\nContent-Type: image/jpeg\r\nConnection: close\r\n\r\n" + jpeg(70))
            self.close_connection = True
            return
        if self.path in SHOTS:
            kind, body = SHOTS[self.path]
            self.send_response(200)
            if kind:
                self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        chunked = self.path == "/chunked"
        self.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Connection", "close")))
        self.end_headers()
        self.close_connection = True
        try:
            for index in range(1000):
                body = jpeg(40 + index % 100)
                length = b"" if self.path == "/bare" else b"Content-Length: %d\r\n" % len(body)
                part = b"--frame\r\nContent-Type: image/jpeg\r\n" + length + b"\r\n" + body + b"\r\n"
                for piece in (part[:100], part[100:]):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
                if self.path == "/stalls":
                    time.sleep(20)
                if (self.path == "/breaks" and index == 3) or (self.path == "/breaks2" and index == 20):
                    return
                time.sleep(0.005)
        except OSError:
            return

    def knows_the_password(self) -> bool:
        """Whether the request has the answer of RFC 7616 for user `ann` and password `p@ss`."""
        said = self.headers.get("Authorization", "")
        if not said.startswith("Digest "):
            return False
        told = dict(re.findall(r'(\w+)="?([^",]+)"?', said))
        one, two = (hashlib.md5(text).hexdigest() for text in (b"ann:cam:p@ss", f"GET:{told['uri']}".encode()))
        whole = f"{one}:abc:{told['nc']}:{told['cnonce']}:auth:{two}"
        return told["response"] == hashlib.md5(whole.encode()).hexdigest()

    def drip(self) -> None:
        """Sends a byte now and then, so that no wait for one is long: in the head, or as a chunk's length."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        if self.path == "/drips-chunk":
            self.wfile.write(b"Content-Type: image/jpeg\r\nTransfer-Encoding: chunked\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(b"0")
                time.sleep(0.02)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def camera() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(timeout=PATIENCE_S)


@pytest.mark.parametrize("path", ["/usual", "/bare", "/chunked", "/breaks", "/icy", "/moved"])
def test_a_phones_stream_is_read_in_every_dialect(camera: str, path: str) -> None:
    source = open_source(camera + path)
    try:
        frames = [source.read(3.0) for _ in range(8)]
    finally:
        source.close()
    assert all(frame is not None and frame.image.shape == (48, 64, 3) for frame in frames)
    times = [frame.time_s for frame in frames if frame is not None]
    assert times == sorted(times)


@pytest.mark.parametrize("path", ["/shot.jpg", "/shot.png", "/shot.bin", "/shot"])
def test_an_address_that_answers_with_one_picture_is_asked_again_and_not_lost(camera: str, path: str) -> None:
    source = open_source(camera + path)
    assert isinstance(source, LiveSource)
    try:
        assert all(source.read(PATIENCE_S) is not None for _ in range(8))
        assert source.reconnects == 0
    finally:
        source.close()


def test_a_digest_login_is_answered(camera: str) -> None:
    found = next(mjpeg.mjpeg_frames(camera.replace("//", "//ann:p%40ss@") + "/digest"))
    assert found.size_px == (64, 48)
    with pytest.raises(SourceError, match="answers 401"):
        next(mjpeg.mjpeg_frames(camera.replace("//", "//ann:wrong@") + "/digest"))


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("/loop", "answers 302"),
        ("/away", "answers 302"),
        *((path, "no picture that can be read") for path in ("/words", "/page", "/cut")),
    ],
)
def test_an_address_that_leads_to_no_picture_is_told(camera: str, path: str, fault: str) -> None:
    with pytest.raises(SourceError, match=fault):
        next(mjpeg.mjpeg_frames(camera + path))


@pytest.mark.parametrize("answer", [b"", b"\0\xff garbage " * 100])
def test_a_stream_that_never_answers_or_answers_garbage_is_given_up(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "STALL_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server, contextlib.ExitStack() as opened:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    asked = opened.enter_context(server.accept()[0])
                    asked.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        address = f"rtsp://ann:secret@127.0.0.1:{server.getsockname()[1]}/live"
        with pytest.raises(SourceError, match=r"rtsp://\*\*\*@127.*no stream answers there") as error:
            next(capture.rtsp_frames(address, Delivery("stream")))
        assert "secret" not in str(error.value)
        server.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)


@pytest.mark.parametrize("kind", ["file", "folder", "socket", "pipe"])
def test_what_is_no_device_is_not_taken_for_a_camera_that_another_program_uses(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "video9"
    match kind:
        case "file":
            path.write_bytes(b"picture")
        case "folder":
            path.mkdir()
        case "socket":
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(str(path))
        case "pipe":
            os.mkfifo(path)
    with pytest.raises(SourceError, match="is no device, but a file"):
        open_device(str(path), 15.0, None)


@pytest.mark.parametrize("path", ["/drips-head", "/drips-chunk"])
def test_a_camera_that_drips_bytes_is_broken_off_before_it_counts_as_hanging(
    camera: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mjpeg, "PATIENCE", 0.005)
    with pytest.raises(SourceError, match=r"it sends bytes but no picture for 0\.3 s"):
        next(mjpeg.mjpeg_frames(camera + path, stall_s=60))


def test_a_stream_tells_how_many_pictures_come_also_after_a_break(camera: str) -> None:
    source = open_source(camera + "/breaks2")
    assert isinstance(source, LiveSource)
    try:
        while source.reconnects == 0 or source.delivery.rate_hz is None:
            assert source.read(3.0) is not None
        assert source.delivery.text().startswith("64x48 pixels, MJPEG, ")
    finally:
        source.close()


def test_a_silent_camera_blocks_no_longer_than_the_timeout(camera: str) -> None:
    source = open_source(camera + "/stalls")
    try:
        assert source.read(3.0) is not None
        began_s = time.monotonic()
        assert source.read(0.1) is None
        assert time.monotonic() - began_s < 0.4
    finally:
        source.close()


@pytest.mark.parametrize("address", ["/missing", "closed"])
def test_a_stream_that_never_comes_is_given_up_in_time(camera: str, address: str) -> None:
    source = open_source("http://127.0.0.1:9/" if address == "closed" else camera + address, give_up_s=0.3)
    began_s = time.monotonic()
    with pytest.raises(SourceEnded):
        while time.monotonic() - began_s < 5:
            assert source.read(0.1) is None
    source.close()
    assert 0.25 <= time.monotonic() - began_s < 2


def test_a_camera_that_fails_is_opened_again() -> None:
    opened: list[int] = []

    def connect() -> Any:
        opened.append(len(opened))
        if len(opened) == 2:
            raise OSError("unplugged")
        yield picture(len(opened))

    source = LiveSource("test", connect)
    shades = []
    for _ in range(2):
        frame = source.read(3.0)
        assert frame is not None
        shades.append(int(frame.image[0, 0, 0]))
    source.close()
    assert shades == [1, 3] and source.reconnects == 2


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no memory that is a folder")
def test_files_in_memory_are_no_cameras_for_lying_below_dev() -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        with pytest.raises(SourceError, match="there are no photos in this folder"):
            open_source(folder)
        (Path(folder) / "film.mp4").write_text("no video")
        with pytest.raises(SourceError, match="no video"):
            open_source(f"{folder}/film.mp4")


@pytest.mark.parametrize("names", [(), ("notes.txt",), ("a.jpg", "b.png")])
def test_a_folder_without_one_photo_is_refused_when_it_is_opened(tmp_path: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (tmp_path / name).write_text("no picture", encoding="utf-8")
    with pytest.raises(SourceError, match="there are no photos in this folder"):
        open_source(str(tmp_path))
