"""The page as browsers, programs and strangers meet it: real HTTP on loopback."""

import contextlib
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from agents.messages import PlayerPart, StateMessage
from calibration.template import load_template
from daemon.commands.command import mark_of
from daemon.drawing.board_svg import board_svg
from daemon.page import page_state, streams
from daemon.page.guard import is_here
from daemon.page.web import PAGE, WebError, WebPage
from daemon.words import translation
from lab.bench.browsing import Table, loaded_by, weight_of
from tests.daemon.http_client import Reply, ask
from tests.waiting import PATIENCE_S, wait_for


def state(sequence: int = 1, **changes: object) -> StateMessage:
    fields: dict[str, object] = {
        "session": "s1",
        "table": "table",
        "game": "nine_mens_morris",
        "rules": {},
        "game_id": "g1",
        "sequence": sequence,
        "ply": 1,
        "moves": ["d6"],
        "position": "start",
        "board": "." * 24,
        "cells": ["a7"],
        "sides": ("light", "dark"),
        "to_move": 0,
        "players": (PlayerPart(), PlayerPart()),
        "awaiting": "move",
        "verdict": "legal",
    }
    return StateMessage.model_validate(fields | changes)


@pytest.fixture
def page() -> Iterator[WebPage]:
    made = WebPage(port=0)
    yield made
    made.close()


def picture(shade: int) -> np.ndarray:
    return np.full((90, 160, 3), shade, np.uint8)


def show(page: WebPage, image: np.ndarray) -> None:
    page.publish(picture=lambda: image)


def get(page: WebPage, path: str, **headers: str) -> Reply:
    return ask(page.address + path, **headers)


class Viewer:
    """A browser that shows the moving picture."""

    def __init__(self, page: WebPage) -> None:
        self.response = urllib.request.urlopen(page.address + "video", timeout=PATIENCE_S)
        boundary = self.response.headers["Content-Type"].partition("boundary=")[2]
        self.boundary = b"--" + boundary.encode() + b"\r\n"
        assert self.response.readline() == self.boundary

    def next(self) -> int:
        """Grey level of the next picture."""
        assert self.response.readline() == b"Content-Type: image/jpeg\r\n"
        length = int(self.response.readline().partition(b":")[2])
        assert self.response.readline() == b"\r\n"
        image = cv2.imdecode(np.frombuffer(self.response.read(length), np.uint8), cv2.IMREAD_COLOR)
        assert image is not None and self.response.readline() == b"\r\n"
        assert self.response.readline() == self.boundary  # at once: browsers show a picture at its boundary
        return round(float(image.mean()))

    def close(self) -> None:
        self.response.close()


@pytest.mark.parametrize(
    ("sender", "own", "here"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.9", True),
        ("::1", "::1", True),
        ("10.88.0.2", "10.88.0.2", False),
        ("192.0.2.7", "192.168.1.5", False),
        ("127.0.0.1", "192.168.1.5", False),
        (None, "127.0.0.1", False),
    ],
)
def test_only_what_comes_over_loopback_is_from_this_computer(sender: str | None, own: str, here: bool) -> None:
    transport = SimpleNamespace(get_extra_info=lambda _name: (own, 8765))
    request: Any = SimpleNamespace(headers={}, remote=sender, transport=transport)
    assert is_here(request) is here
    request.headers = {"X-Forwarded-For": "192.0.2.7"}
    assert not is_here(request)


def test_the_page_and_its_parts_need_nothing_from_elsewhere(page: WebPage) -> None:
    kinds = {
        ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
        ".webmanifest": "application/manifest+json",
    }  # fmt: skip
    for file in sorted(PAGE.iterdir()):
        path = file.name if file.suffix != ".html" else file.stem.replace("index", "")
        kind = kinds[file.suffix]
        status, headers, body = get(page, path)
        assert status == 200 and headers["Content-Type"].startswith(kind)
        if file.suffix == ".svg":
            assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
            continue
        assert b"http://" not in body and b"https://" not in body and b"innerHTML" not in body
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")


def test_the_script_finds_all_that_it_fills_in(page: WebPage) -> None:
    document = (PAGE / "index.html").read_text()
    found = set(re.findall(r'id="([a-z0-9-]+)"', document))
    modules, waiting = set(), ["page.js"]
    while waiting:
        script = (PAGE / (name := waiting.pop())).read_text()
        modules.add(name)
        waiting += [one for one in re.findall(r'from "./([a-z]+\.js)"', script) if one not in modules]
        wanted = set(re.findall(r'\bat\("([a-z-]+)"\)', script))
        assert wanted <= found, f"{name}: {wanted - found}"
    assert {"board.js", "tell.js", "live.js"} <= modules


def test_the_phones_page_finds_all_that_it_fills_in() -> None:
    found = set(re.findall(r'id="([a-z0-9-]+)"', (PAGE / "phone.html").read_text()))
    for name in ("phone.js", "film.js", "board.js"):
        assert set(re.findall(r'\bat\("([a-z-]+)"\)', (PAGE / name).read_text())) <= found, name


@pytest.mark.parametrize("document", sorted(file.name for file in PAGE.glob("*.html")))
def test_what_an_address_loads_weighs_less_than_160_kilobytes(document: str) -> None:
    assert len(loaded_by(document)) > 3
    assert weight_of(document) < 160_000


def test_the_board_comes_with_the_first_message_and_again_only_when_it_changed(page: WebPage) -> None:
    page.publish(board=lambda: "<svg>one</svg>")
    page.publish(view={"title": "Reversi", "clock": {"left_s": [5.0, 6.0], "running": 0}})
    page.publish(state=state(1))
    listener = Listener(page)
    first = listener.hear()
    assert (first["board"], first["view"]["title"]) == ("<svg>one</svg>", "Reversi")  # type: ignore[index]
    page.publish(view={"title": "Reversi", "clock": {"left_s": [4.9, 6.0], "running": 0}})  # a page runs its own clock
    page.publish(board=lambda: "<svg>one</svg>")
    page.publish(state=state(2))
    second = listener.hear()
    assert second["state"]["sequence"] == 2 and "board" not in second  # type: ignore[index]
    page.publish(board=lambda: "<svg>two</svg>")
    assert listener.hear()["board"] == "<svg>two</svg>"
    listener.close()


def test_what_is_updated_together_comes_in_one_message(page: WebPage) -> None:
    page.publish(view={"title": "before"})
    page.publish(state=state(1))
    listener = Listener(page)
    listener.hear()
    page.publish(view={"title": "after"}, state=state(2))
    told = listener.hear()
    assert (told["view"]["title"], told["state"]["sequence"]) == ("after", 2)  # type: ignore[index]
    listener.close()


def test_a_move_and_the_view_of_the_position_after_it_come_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(self: WebPage, publish: Callable[..., None] = WebPage.publish, **news: Any) -> None:
        publish(self, **news)
        time.sleep(0.1)

    monkeypatch.setattr(WebPage, "publish", slow)
    with contextlib.closing(Table(tmp_path / "table", "gomoku")) as there:
        page = there.session.services.page
        assert page is not None
        listener = Listener(page)
        told: dict[str, Any] = listener.hear()
        while "mark" not in told["view"]:
            told = listener.hear()
        for cell in ("a1", "b1"):
            command = {"command": "move", "move": cell, "mark": told["view"]["mark"]}
            assert ask(f"{page.address}tell", command).status == 200
            moves: list[str] = []
            while cell not in moves:
                told = listener.hear()
                moves = [ply["move"] for ply in told["line"]["plies"]]
                assert told["view"]["mark"] == mark_of(told["state"]["game_id"], moves)
        listener.close()


def test_the_words_of_the_page_come_in_the_language_of_the_daemon(page: WebPage) -> None:
    translation.speak("ro")
    try:
        assert get(page, "words")[1]["Content-Language"] == "ro"
    finally:
        translation.speak("en")
    _, headers, body = get(page, "words")
    assert (headers["Content-Language"], json.loads(body)) == ("en", {})


def test_the_state_is_the_last_message_and_503_before_the_first(page: WebPage) -> None:
    status, _, body = get(page, "state")
    assert (status, json.loads(body)["code"]) == (503, "no_state")
    page.publish(state=state(1))
    page.publish(state=state(2, text="cờ gánh"))
    status, headers, body = get(page, "state")
    assert (status, headers.get_content_type()) == (200, "application/json")
    assert StateMessage.model_validate_json(body) == state(2, text="cờ gánh")


def test_the_last_hundred_announcements_are_kept_and_capped_in_length(page: WebPage) -> None:
    for number in range(150):
        page.announce(f"{number} " + "x" * 9999, "said")
    events = json.loads(get(page, "events")[2])
    assert [event["number"] for event in events] == list(range(51, 151))
    assert events[-1]["text"].startswith("149 ") and len(events[-1]["text"]) == page_state.MAX_LENGTH


def test_health_is_200_when_all_is_well_and_503_naming_what_is_not(page: WebPage) -> None:
    assert get(page, "healthz")[0] == 503  # nothing has been reported to be well yet
    page.publish(health={"camera": {"ok": True, "text": "15 a second"}, "bus": {"ok": True, "text": ""}})
    status, _, body = get(page, "healthz")
    assert (status, json.loads(body)["ok"]) == (200, True)
    page.publish(health={"camera": {"ok": False, "text": "unplugged"}, "bus": {"ok": True}})
    status, _, body = get(page, "healthz")
    assert status == 503
    assert json.loads(body)["parts"]["camera"] == {"ok": False, "text": "unplugged"}


def test_a_daemon_that_gives_no_sign_of_life_is_not_healthy() -> None:
    page = WebPage(port=0, health_deadline_s=0.1)
    page.publish(health={"camera": {"ok": True, "text": ""}})
    time.sleep(0.2)
    status, _, body = get(page, "healthz")
    page.close()
    assert status == 503 and "no sign of life" in json.loads(body)["parts"]["daemon"]["text"]


def test_metrics_are_in_the_form_of_prometheus(page: WebPage) -> None:
    page.publish(state=state(7))
    page.publish(figures={"bus_late_total": 3, "workers": 2})
    page.announce("hello")
    status, headers, body = get(page, "metrics")
    lines = body.decode().splitlines()
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    for line in (
        "kibitzer_bus_late_total 3.0",
        "kibitzer_workers 2.0",
        "kibitzer_sequence 7.0",
        "kibitzer_healthy 0.0",
    ):
        assert line in lines
    assert "# TYPE kibitzer_bus_late_total counter" in lines and "# TYPE kibitzer_workers gauge" in lines


def test_a_picture_is_drawn_once_for_all_who_ask_and_not_at_all_where_nobody_does(page: WebPage) -> None:
    drawn: list[int] = []
    for shade in (1, 2, 3):
        page.publish(picture=lambda shade=shade: (drawn.append(shade), picture(shade))[1])
    assert not drawn
    assert get(page, "snapshot.jpg")[0] == get(page, "snapshot.jpg")[0] == 200
    assert drawn == [3]


def test_a_snapshot_is_the_newest_picture_and_503_before_the_first(page: WebPage) -> None:
    assert get(page, "snapshot.jpg")[0] == 503
    show(page, picture(50))
    show(page, picture(200))
    status, headers, body = get(page, "snapshot.jpg")
    image = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)
    assert (status, headers["Content-Type"]) == (200, "image/jpeg")
    assert image is not None and abs(float(image.mean()) - 200) < 2


def test_the_drawn_board_is_drawn_for_whoever_asks_and_may_do_nothing_but_be_coloured(page: WebPage) -> None:
    assert get(page, "board.svg")[0] == 503
    page.publish(board=lambda: board_svg(load_template("reversi"), "B" + 63 * "."))
    status, headers, body = get(page, "board.svg")
    assert (status, headers["Content-Type"]) == (200, "image/svg+xml; charset=utf-8")
    assert b'data-cell="a1"' in body
    assert "script-src" not in headers["Content-Security-Policy"]
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_nothing_is_encoded_while_nobody_looks_and_once_for_all_who_do(
    page: WebPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = []
    monkeypatch.setattr(page_state.cv2, "imencode", lambda *a, real=cv2.imencode: encoded.append(1) or real(*a))
    for shade in range(20):
        show(page, picture(shade))
    assert not encoded and page.viewers == 0
    viewers = [Viewer(page) for _ in range(4)]
    for viewer in viewers:
        viewer.next()
    assert len(encoded) == 1 and page.viewers == 4
    for viewer in viewers:
        viewer.close()


def test_a_viewer_sees_each_new_picture(page: WebPage) -> None:
    show(page, picture(10))
    viewer = Viewer(page)
    shades = [viewer.next()]
    for shade in (60, 120):
        show(page, picture(shade))
        while shades[-1] != shade:
            shades.append(viewer.next())
    viewer.close()
    assert sorted(set(shades)) == [10, 60, 120]


def test_a_still_picture_is_sent_twice_since_browsers_show_one_when_the_next_begins(
    page: WebPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "IDLE_S", 3600.0)
    show(page, picture(90))
    viewer = Viewer(page)
    assert [viewer.next(), viewer.next()] == [90, 90]
    viewer.close()


def test_a_slow_viewer_skips_pictures_and_holds_nobody_up(page: WebPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PICTURE_HZ", 1000.0)
    noise = np.random.default_rng(1).integers(0, 255, (720, 1280, 3), dtype=np.uint8)
    show(page, noise)
    sleeper, viewer = socket.create_connection(("127.0.0.1", page.port)), Viewer(page)
    sleeper.sendall(b"GET /video HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for number in range(60):
        show(page, noise if number % 2 else noise[::-1].copy())
        viewer.next()
    for _ in range(20):
        show(page, noise)
    show(page, picture(77))
    while viewer.next() != 77:
        pass
    sleeper.close()
    viewer.close()


def test_too_many_viewers_are_turned_away_and_room_is_made_by_those_who_leave(page: WebPage) -> None:
    show(page, picture(1))
    viewers = [Viewer(page) for _ in range(streams.MAX_VIEWERS)]
    status, _, body = get(page, "video")
    assert (status, json.loads(body)["code"]) == (503, "too_many_viewers")
    for viewer in viewers:
        viewer.close()

    def has_room() -> bool:
        show(page, picture(2))
        return page.viewers == 0

    wait_for(has_room)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost:8765"}, 503),
        ({"Host": "127.0.0.1"}, 503),
        ({"Host": "[::1]:8765"}, 503),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost.evil.example:8765"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "localhost:8765", "Origin": "http://localhost:8765"}, 503),
        ({"Host": "localhost:8765", "Origin": "http://evil.example"}, 403),
        ({"Host": "localhost:8765", "Origin": "null"}, 403),
        ({"Host": "localhost:8765", "Origin": "http://localhost:1234"}, 403),
    ],
)
def test_only_what_is_addressed_to_this_computer_by_itself_is_answered(
    page: WebPage, headers: dict[str, str], status: int
) -> None:
    for path in ("state", "snapshot.jpg", "healthz"):
        assert get(page, path, **headers)[0] == status


def test_a_name_can_be_allowed(page: WebPage) -> None:
    open_page = WebPage(port=0, allowed_hosts=("table.club",))
    assert get(open_page, "events", Host="table.club")[0] == 200
    assert get(open_page, "events", Host="other.club")[0] == 403
    open_page.close()


def test_other_paths_and_verbs_and_rubbish_are_refused_as_such(page: WebPage) -> None:
    assert get(page, "../journal.py")[0] == 404
    assert get(page, "%2e%2e/web.py")[0] == 404
    with socket.create_connection(("127.0.0.1", page.port)) as stranger:
        stranger.sendall(b"POST /state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        assert stranger.recv(4096).startswith(b"HTTP/1.1 405")
    with socket.create_connection(("127.0.0.1", page.port)) as stranger:
        stranger.sendall(b"\x00\xff rubbish \r\n\r\n" * 100)
        stranger.recv(4096)
    assert get(page, "events")[0] == 200


class Listener:
    """A /live client written by hand, without a WebSocket library."""

    def __init__(self, page: WebPage, origin: str | None = None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", page.port), timeout=PATIENCE_S)
        extra = f"Origin: {origin}\r\n" if origin else ""
        self.socket.sendall(
            f"GET /live HTTP/1.1\r\nHost: localhost:{page.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{extra}"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def hear(self) -> dict[str, object]:
        first, size = self.file.read(2)
        assert first == 0x81  # one whole text frame
        length = int.from_bytes(self.file.read(2 if size == 126 else 8), "big") if size >= 126 else size
        return dict(json.loads(self.file.read(length)))

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def test_a_live_page_hears_every_announcement_once_and_the_newest_state(page: WebPage) -> None:
    page.announce("before")
    listener = Listener(page)
    first = listener.hear()
    assert listener.status == 101 and first["state"] is None
    assert [spoken["text"] for spoken in first["announcements"]] == ["before"]  # type: ignore[attr-defined]
    page.announce("<b>loud</b>")
    page.publish(state=state(3))
    heard: list[str] = []
    while True:
        message = listener.hear()
        heard += [spoken["text"] for spoken in message["announcements"]]  # type: ignore[attr-defined]
        if message["state"] is not None:
            break
    assert heard == ["<b>loud</b>"]
    assert message["state"]["sequence"] == 3  # type: ignore[index]
    listener.close()


def test_a_strange_sites_script_cannot_listen(page: WebPage) -> None:
    listener = Listener(page, origin="http://evil.example")
    assert listener.status == 403
    listener.close()


def test_a_port_in_use_is_named_with_what_to_do(page: WebPage) -> None:
    with pytest.raises(WebError, match=f"port {page.port} on 127.0.0.1 is in use.*another kibitzer"):
        WebPage(port=page.port)
    with pytest.raises(WebError, match="cannot be served on 203"):
        WebPage(port=0, host="203.0.113.1")


def test_a_page_that_others_can_see_is_said_to_be_one(caplog: pytest.LogCaptureFixture) -> None:
    WebPage(port=0, host="0.0.0.0").close()
    assert "can be seen by everybody on this network" in caplog.text


def test_closing_ends_open_streams_and_frees_the_port(page: WebPage) -> None:
    show(page, picture(1))
    viewer, listener = Viewer(page), Listener(page)
    page.close()
    page.close()
    assert page.status()["ok"] is False
    assert "web" not in [thread.name for thread in threading.enumerate()]
    show(page, picture(2))
    page.announce("after the end")
    viewer.close()
    listener.close()
    WebPage(port=page.port).close()
