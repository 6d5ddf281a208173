"""The MJPEG server, read as a phone's stream is read."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from lab.simulated.mjpeg_server import MjpegServer, ServerError
from tests.waiting import PATIENCE_S
from vision.frame import Frame, SourceEnded, SourceError
from vision.sources.encoded import decode
from vision.sources.mjpeg import mjpeg_frames


class Counting:
    """A source of frames whose brightness is twice their number."""

    live = False

    def __init__(self, frames: int, fault: BaseException | None = None) -> None:
        self.left, self.fault, self.closed, self.index = frames, fault or SourceEnded(), False, 0

    def read(self, timeout_s: float) -> Frame | None:
        if self.index >= self.left:
            raise self.fault
        self.index += 1
        return Frame(np.full((48, 64, 3), 2 * self.index, dtype=np.uint8), self.index / 10, self.index)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def serve() -> Iterator[Callable[..., MjpegServer]]:
    servers: list[MjpegServer] = []

    def start(source: Counting, **options: object) -> MjpegServer:
        servers.append(MjpegServer(source, 0, **options))  # type: ignore[arg-type]
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def levels(server: MjpegServer) -> list[int]:
    return [round(float(decode(picture.data).mean())) for picture in mjpeg_frames(server.url)]


def ask(server: MjpegServer, path: str, data: bytes | None = None) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", data, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_stream_shows_every_frame_to_a_quick_viewer_and_ends_with_its_source(
    serve: Callable[..., MjpegServer],
) -> None:
    server = serve(Counting(12), rate_hz=20, wait=True)
    assert levels(server) == pytest.approx([2 * index for index in range(1, 13)], abs=1)
    assert server.ended.is_set() and not server.fault


def test_nothing_is_shown_before_the_first_viewer_comes(serve: Callable[..., MjpegServer]) -> None:
    source = Counting(5)
    serve(source, rate_hz=50, wait=True)
    time.sleep(0.3)
    assert source.index == 0


def test_a_slow_viewer_skips_to_the_newest_frame(serve: Callable[..., MjpegServer]) -> None:
    server = serve(Counting(100), rate_hz=50)
    first = server.newest(0, 1.0)
    time.sleep(0.4)
    assert first is not None
    later = server.newest(first[0], 1.0)
    assert later is not None and later[0] > first[0] + 5


def test_a_snapshot_is_one_jpeg(serve: Callable[..., MjpegServer]) -> None:
    status, data = ask(serve(Counting(1000)), "/snapshot.jpg")
    assert status == 200 and data.startswith(b"\xff\xd8")


def test_routes_answer_json_and_refuse_bad_bodies(serve: Callable[..., MjpegServer]) -> None:
    def double(body: dict[str, int]) -> object:
        return {"twice": 2 * body["number"]}

    server = serve(Counting(1000), get={"/truth": lambda: {"board": "WB."}}, post={"/double": double})
    assert json.loads(ask(server, "/truth")[1]) == {"board": "WB."}
    assert json.loads(ask(server, "/double", b'{"number": 21}')[1]) == {"twice": 42}
    for bad in (b"{", b"[]", b"{}"):
        assert ask(server, "/double", bad)[0] == 400
    assert ask(server, "/double", b"x" * 100_000)[0] == 400
    assert ask(server, "/nothing")[0] == 404


def test_a_port_in_use_is_said_in_words(serve: Callable[..., MjpegServer]) -> None:
    server = serve(Counting(1000))
    with pytest.raises(ServerError, match=f"port {server.port}.*--port"):
        MjpegServer(Counting(1), server.port)


def test_a_source_that_fails_ends_the_streams_and_says_why(serve: Callable[..., MjpegServer]) -> None:
    server = serve(Counting(3, SourceError("the camera was unplugged")), rate_hz=50, wait=True)
    assert len(levels(server)) == 3
    assert server.ended.wait(2)
    assert server.fault == "the camera was unplugged"


def test_stopping_lets_go_of_viewers_threads_and_source() -> None:
    source = Counting(10_000)
    before = threading.active_count()
    server = MjpegServer(source, 0)
    viewer = threading.Thread(target=lambda: list(mjpeg_frames(server.url)))
    viewer.start()
    deadline_s = time.monotonic() + 3
    while server.viewers == 0 and time.monotonic() < deadline_s:
        time.sleep(0.02)
    server.stop()
    server.stop()
    viewer.join(3)
    assert not viewer.is_alive() and source.closed
    deadline_s = time.monotonic() + 3
    while threading.active_count() > before and time.monotonic() < deadline_s:
        time.sleep(0.02)
    assert threading.active_count() <= before
