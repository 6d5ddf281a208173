"""Input over HTTP: commands, and raw requests to the page's application."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import socket
from typing import Any
from unittest import mock

from aiohttp import web, web_fileresponse

from daemon.commands.command import MAX_BYTES, Answer, CommandError, as_object, parse_command
from daemon.commands.game_choice import MAX_BYTES as MAX_CHOICE_BYTES
from daemon.commands.game_choice import ChoiceError, choice_of, chosen, parse_choice
from daemon.commands.setup_requests import parse_setup_request
from daemon.commands.sources import check_source, names_of
from daemon.config.settings import Config
from daemon.page.token import MAX_TOKEN_LENGTH, is_bearer
from daemon.page.web import WebPage
from tests.fuzz.entry import STUCK_S, Entry, IllegalState
from tests.fuzz.game_entries import text_of
from vision.sources.cameras import Camera

COMMANDS = (
    *(
        b'{"command": "%b"}' % name
        for name in (b"pass", b"undo", b"pause", b"resume", b"new_game", b"end_move", b"coach", b"repeat")
    ),
    b'{"command": "mover", "side": "green", "move": 7}',
    b'{"command": "correct", "cell": "d2", "piece": "light"}',
    b'{"command": "adopt", "side": "dark"}',
    b'{"command": "resign", "side": "light"}',
)
WISHES = (
    b'{"action": "corners", "corners": [[0.2, 0.1], [0.8, 0.1], [0.8, 0.9], [0.2, 0.9]]}',
    b'{"action": "calibrate"}',
    b'{"action": "right"}',
    b'{"action": "stop"}',
)
CHOICES = (
    b'{"game": {"name": "ganh", "rules": {"limit": 100, "first": "down"}}, "camera": {"source": "none"}}',
    b'{"players": {"first": {"agent": "", "name": "Ana"}, "second": {"agent": "alphabeta", '
    b'"options": {"heuristic": "best", "depth": 4}, "time_s": 5}}}',
    b'{"clock": {"control": "move", "minutes": 10, "lose": true}, "speech": {"enabled": true, "language": "ro"}}',
    b'{"camera": {"source": "rtsp://ana:secret@192.168.1.7:8554/live"}}',
    b'{"camera": {"source": "/dev/v4l/by-id/usb-cam"}, "game": {"name": "gomoku", "rules": {"size": "19"}}}',
)
LISTED = (Camera(0, "HD Webcam", "/dev/v4l/by-id/usb-cam", "/dev/v4l/by-path/pci-1"),)
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
REQUESTS = (
    GET,
    *(
        GET.replace(b"/ ", path + b" ", 1)
        for path in (b"/state", b"/events", b"/metrics", b"/healthz", b"/snapshot.jpg")
    ),
    b"GET /page.js HTTP/1.1\r\nHost: 127.0.0.1:8765\r\nRange: bytes=0-9\r\nIf-Modified-Since: x\r\n\r\n",
    b"HEAD /page.css HTTP/1.0\r\nHost: [::1]\r\n\r\n",
    b"GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://localhost\r\n\r\n\x81\x85abcdabcde",
    *(
        b"POST /tell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
        % (len(one), one)
        for one in COMMANDS
    ),
    *(
        b"POST /%b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
        % (path, len(one), one)
        for path, all_of_them in ((b"wish", WISHES), (b"menu", CHOICES))
        for one in all_of_them
    ),
    b"POST /tell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"13\r\n" + COMMANDS[0] + b"\r\n0\r\n\r\n",
)
WORDS = (
    b"Authorization: Bearer x\r\n", b"Origin: http://evil.example\r\n", b"Content-Encoding: gzip\r\n",
    b"Expect: 100-continue\r\n", b"Transfer-Encoding: chunked\r\n", b"Connection: close\r\n",
    b"Sec-Fetch-Site: cross-site\r\n", b"/../", b"%00", b"%2e%2e", b"?a=b", b"\r\n\r\n",
    b"Content-Length: 99999999999\r\n", b"Host: \r\n", b"Range: bytes=-1\r\n", b"X-Forwarded-For: ::\r\n", b"/video",
    b"HTTP/9.9", b"Cookie: a=b;;=\r\n",
)  # fmt: skip
KNOWN = frozenset(
    {100, 101, 200, 206, 304, 400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 414, 416, 417, 426, 429, 431, 503}
)
"""Status codes that the page may answer; any other is a fault."""
TURNS = 12
"""Turns of the event loop that an answer may take."""


def entries() -> list[Entry]:
    headers = (b"Bearer " + b"x" * 43, b"bearer y", b"Basic abc")
    return [
        Entry("command", "http", command, COMMANDS, (b'"side"', b'"move"', b'"cell"', b'"piece"'), weight=8),
        Entry("wish", "http", wish, WISHES, (b'"action"', b'"corners"', b"NaN", b"1e999"), weight=4),
        Entry("choice", "http", choice, CHOICES, (b'"game"', b'"rules"', b'"source"', b'"none"', b"file://"), weight=1),
        Entry("bearer", "http", bearer, headers, weight=1, longest=512),
        Entry("request", "http", request, REQUESTS, WORDS, weight=3, guided=False),
        Entry("request_socket", "http", request_on_a_socket, REQUESTS, WORDS, weight=0.1, guided=False),
    ]


def command(data: bytes) -> bool:
    """Reads a command; an accepted one must survive writing and reading."""
    try:
        found = parse_command(_json(data, MAX_BYTES))
    except CommandError as error:
        return _refused(error)
    if parse_command(as_object(found)) != found:
        raise IllegalState(f"{found} comes back as another command")
    if any(isinstance(value, str) and not value.isprintable() for value in vars(found).values()):
        raise IllegalState(f"{found} holds what cannot be said")
    return True


def wish(data: bytes) -> bool:
    """Reads a set-up request; accepted corners must be drawable."""
    try:
        found = parse_setup_request(_json(data, MAX_BYTES))
    except CommandError as error:
        return _refused(error)
    if len(found.corners) not in (0, 4) or not all(-0.5 <= part <= 1.5 for point in found.corners for part in point):
        raise IllegalState(f"{found} has corners that are none")
    return True


def choice(data: bytes) -> bool:
    """Reads a choice for a new game; accepted settings must open no file, and the same choice must give them again."""
    words = _json(data, MAX_CHOICE_BYTES)
    try:
        config = chosen(Config(), parse_choice(words), {})
    except CommandError as error:
        return _refused(error)
    except ChoiceError:
        return False
    source = config.camera.source
    if source not in ("none", Config().camera.source):
        try:
            check_source(source, LISTED)
        except ValueError:
            return False
        if source not in names_of(LISTED[0]) and "://" not in source:
            raise IllegalState(f"{source!r} is taken for a camera")
    if choice_of(chosen(config, parse_choice(json.loads(json.dumps(choice_of(config)))), {})) != choice_of(config):
        raise IllegalState(f"{choice_of(config)} chosen again is something else")
    return True


def _json(data: bytes, most_bytes: int) -> object:
    """A body as the page reads it; None if it is too long or not JSON."""
    try:
        return json.loads(data) if len(data) <= most_bytes else None
    except (ValueError, RecursionError):
        return None


def _refused(error: CommandError) -> bool:
    if len(str(error)) > 400:
        raise IllegalState("a refusal that is longer than what was said")
    return False


def bearer(data: bytes) -> bool:
    """Checks an Authorization header; only the token itself may be accepted."""
    token, header = "x" * 43, text_of(data)
    taken = is_bearer(header, token)
    if taken and header.split()[-1] != token:
        raise IllegalState(f"{header[:MAX_TOKEN_LENGTH]!r} is taken for the token")
    return taken


def _wire(sent: bytearray) -> Any:
    """A connection in memory, open until it is closed, that keeps what is sent."""
    wire = mock.Mock(spec=asyncio.Transport)
    facts = {"peername": ("127.0.0.1", 40000), "sockname": ("127.0.0.1", 8765), "socket": None}
    wire.get_extra_info.side_effect = facts.get
    wire.write.side_effect = sent.extend
    wire.writelines.side_effect = lambda pieces: sent.extend(b"".join(pieces))
    wire.is_closing.side_effect = lambda: wire.close.called or wire.abort.called
    wire.get_write_buffer_size.return_value = 0
    return wire


class _Complaints(logging.Handler):
    """Collects the server's log messages about unexpected errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.heard: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(record)


@functools.cache
def _page() -> WebPage:
    page = WebPage(port=0)
    page.commands._permission._take = lambda *_words, **_more: True  # type: ignore[method-assign]  # without a rate limit
    page.take_commands()
    import threading

    def serve() -> None:
        while page.status()["ok"]:
            for one in (*page.commands.take(), *page.setups.take(), *page.choices.take()):
                one.answer(Answer(True, "done"))
            threading.Event().wait(0.002)

    threading.Thread(target=serve, daemon=True).start()
    return page


@functools.cache
def _application() -> tuple[asyncio.AbstractEventLoop, web.AppRunner, _Complaints]:
    """The page's application, served in the page's own loop and thread."""
    web_fileresponse.NOSENDFILE = True  # a connection in memory has no descriptor
    complaints = _Complaints()
    for name in ("daemon.page.web", "asyncio"):
        logging.getLogger(name).addHandler(complaints)
    page = _page()
    runner = page.runner()
    asyncio.run_coroutine_threadsafe(runner.setup(), page._loop).result(STUCK_S)
    return page._loop, runner, complaints


def close() -> None:
    if _page.cache_info().currsize:
        _page().close()
        _page.cache_clear()
        _application.cache_clear()


def request(data: bytes) -> bool:
    loop, runner, complaints = _application()
    assert runner.server is not None
    sent = bytearray()
    wire = _wire(sent)

    async def talk() -> None:
        connection = runner.server()  # type: ignore[misc]
        connection.connection_made(wire)
        half = len(data) // 2
        for piece in (data[:half], data[half:]):
            if not wire.is_closing():
                connection.data_received(piece)
            for _ in range(TURNS):
                await asyncio.sleep(0)
        connection.connection_lost(None)
        await asyncio.sleep(0)

    asyncio.run_coroutine_threadsafe(talk(), loop).result(STUCK_S)
    if complaints.heard:
        record = complaints.heard.pop()
        complaints.heard.clear()
        if record.exc_info and record.exc_info[1] is not None:
            raise record.exc_info[1]
        raise IllegalState(f"the server complains: {record.getMessage()[:150]}")
    return _judged(bytes(sent))


def request_on_a_socket(data: bytes) -> bool:
    """The same over a real socket; judges only an answer that comes at once."""
    page = _page()
    with socket.create_connection(("127.0.0.1", page.port), timeout=2) as connection:
        try:
            connection.sendall(data)
            connection.settimeout(0.02)
            answer = connection.recv(4096)
        except (TimeoutError, ConnectionError):
            answer = b""
    if not page.status()["ok"]:
        raise IllegalState(f"the page has stopped: {page.status()['text']}")
    return _judged(answer)


def _judged(answer: bytes) -> bool:
    if not answer:
        return False
    head = answer.split(b"\r\n", 1)[0].split(b" ")
    if not head[0].startswith(b"HTTP/") or not head[1].isdigit() or int(head[1]) not in KNOWN:
        raise IllegalState(f"the page answers {answer[:80]!r}")
    return int(head[1]) < 400
