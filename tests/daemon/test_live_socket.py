"""What a page may send over the WebSocket /live: nothing that harms the daemon or the other pages."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator

import pytest

from daemon.page import streams
from daemon.page.web import WebPage
from tests.daemon.test_web import Listener, state
from tests.waiting import wait_for

TEXT, CLOSE = 0x1, 0x8
PROTOCOL_ERROR, TOO_BIG = 1002, 1009


@pytest.fixture
def page() -> Iterator[WebPage]:
    made = WebPage(port=0)
    made.publish(board=lambda: "<svg/>")
    made.publish(state=state(1))
    yield made
    made.close()


def frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """One whole frame as a browser sends it, with a mask of zeros."""
    length = len(payload)
    if length < 126:
        size = bytes([0x80 | length])
    else:
        size = b"\xfe" + struct.pack(">H", length) if length <= 0xFFFF else b"\xff" + struct.pack(">Q", length)
    return bytes([0x80 | opcode]) + size + bytes(4) + payload


def closing_code(listener: Listener) -> int | None:
    """The code with which the daemon closed the connection; None if it ended without one."""
    while True:
        head = listener.file.read(2)
        if len(head) < 2:
            return None
        size = head[1]
        length = int.from_bytes(listener.file.read(2 if size == 126 else 8), "big") if size >= 126 else size
        payload = listener.file.read(length)
        if head[0] & 0xF == CLOSE:
            return int.from_bytes(payload[:2], "big")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(b"x" * 1_000_000), TOO_BIG),
        (b"\x81\xff" + struct.pack(">Q", 1 << 60) + b"abcd", TOO_BIG),
        (frame(b"", 0x3), PROTOCOL_ERROR),
        (b"\xf1\x80abcd", PROTOCOL_ERROR),
        (frame(b"x" * 200, 0x9), PROTOCOL_ERROR),
    ],
    ids=["a megabyte", "an exabyte announced", "an unknown opcode", "reserved bits", "a ping too long"],
)
def test_a_huge_or_malformed_message_is_closed_with_the_reason_and_all_others_go_on(
    page: WebPage, sent: bytes, code: int
) -> None:
    bad, good = Listener(page), Listener(page)
    bad.hear(), good.hear()
    threading.Thread(target=_send, args=(bad.socket, sent), daemon=True).start()
    assert closing_code(bad) == code
    page.publish(state=state(2))
    assert good.hear()["state"]["sequence"] == 2  # type: ignore[index]
    again = Listener(page)
    told = again.hear()
    assert told["state"]["sequence"] == 2 and told["board"] == "<svg/>"  # type: ignore[index]
    for one in (bad, good, again):
        one.close()


def _send(to: socket.socket, what: bytes) -> None:
    """Sends all bytes, or stops when the other side closes the connection."""
    try:
        to.sendall(what)
    except OSError:
        return


@pytest.mark.parametrize(
    "sent", [b"{not json", b'{"command": "resign"}', b"\xf0\x9f"], ids=["rubbish", "a command", "no text"]
)
def test_what_a_page_says_into_the_live_connection_commands_nothing(page: WebPage, sent: bytes) -> None:
    page.take_commands()
    listener = Listener(page)
    listener.hear()
    listener.socket.sendall(frame(sent, 0x2 if sent[:1] == b"\xf0" else TEXT))
    page.publish(state=state(2))
    assert listener.hear()["state"]["sequence"] == 2  # type: ignore[index]
    assert page.commands.take() == []
    listener.close()


def test_a_browser_that_sleeps_costs_no_memory_and_gets_the_whole_state_on_waking(
    page: WebPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "SLOW_S", 0.5)
    asleep, awake = Listener(page), Listener(page)
    asleep.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    last = 0
    for number in range(2, 2000):
        page.publish(board=lambda number=number: f"<svg><!-- {number} {'x' * 100_000} --></svg>")  # type: ignore[misc]
        page.publish(state=state(number))
        while last < number:
            told = awake.hear()["state"]
            last = int(told["sequence"])  # type: ignore[index]
        if page._streams.lives == 1:
            break
    wait_for(lambda: page._streams.lives == 1)  # the sleeping one has been given up
    page.publish(state=state(5000, text="Good morning."))
    woken = Listener(page)
    told = woken.hear()
    assert told["state"]["text"] == "Good morning." and f" {number} " in str(told["board"])  # type: ignore[index]
    for one in (asleep, awake, woken):
        one.close()
