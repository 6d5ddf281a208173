"""The page against strangers: tokens, rates, connections, slow clients; real HTTP from an address that others share."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import ipaddress
import json
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from aiohttp import web
from multidict import CIMultiDict

from daemon.commands.command import Answer
from daemon.page import answering, clients, command_queue, connection_limits, guard, permission, streams
from daemon.page.token import TokenError, is_bearer, new_token, page_token
from daemon.page.web import WebError, WebPage
from tests.daemon import http_client
from tests.daemon.test_commands import Daemon
from tests.daemon.test_keys import own_address
from tests.daemon.test_web import Listener
from tests.waiting import wait_for

PASS = b'{"command": "pass"}'
Headers = dict[str, str]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebPage]:
    """A page on all addresses that takes every client for a remote one."""
    monkeypatch.setattr(permission, "is_here", lambda _request: False)
    made = WebPage(port=0, host="0.0.0.0", token=tmp_path / "keys" / "page.token")
    made.take_commands()
    yield made
    made.close()


def ask(
    page: WebPage, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, Headers, dict[str, str]]:
    address = f"http://{own_address()}:{page.port}{path}"
    status, told, text = http_client.ask(address, body or None, method=method, **headers)
    return status, dict(told), json.loads(text) if told.get_content_type() == "application/json" else {}


def refused(page: WebPage) -> dict[str, float]:
    return {name.split("_")[2]: count for name, count in page._refusals.figures().items() if count}


def test_another_computer_commands_with_the_token_only(page: WebPage, tmp_path: Path) -> None:
    token = (tmp_path / "keys" / "page.token").read_text().strip()
    with Daemon(page, Answer(True, "done")) as daemon:
        for header in (
            {},
            {"Authorization": f"Bearer {token}x"},
            {"Authorization": "Bearer "},
        ):
            status, headers, answer = ask(page, "POST", "/tell", PASS, **header)
            assert (status, answer["code"], headers["WWW-Authenticate"]) == (401, "token_needed", "Bearer")
        assert daemon.heard == []
        assert ask(page, "POST", "/tell", PASS, Authorization=f"Bearer {token}")[0] == 200
    assert len(daemon.heard) == 1
    assert refused(page) == {"token": 3.0}


STOP = b'{"action": "stop"}'


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/wish", STOP),
        ("/menu", b'{"camera": {"source": "none"}}'),
        ("/settings", b'{"speech": {"language": "ro"}}'),
        ("/demo", b'{"game": "reversi"}'),
    ],
)
def test_set_up_and_menu_are_guarded_as_commands_are(page: WebPage, tmp_path: Path, path: str, body: bytes) -> None:
    token = (tmp_path / "keys" / "page.token").read_text().strip()
    queues = {"/wish": page.setups, "/menu": page.choices, "/settings": page.changes, "/demo": page.demos}
    bearer, mailbox = f"Bearer {token}", queues[path]
    assert ask(page, "POST", path, body)[0] == 401
    assert ask(page, "POST", path, body, Authorization=f"{bearer}x")[0] == 401
    assert ask(page, "POST", path, body, Authorization=bearer, Origin="https://example.org")[0] == 403
    assert ask(page, "POST", path, body, Authorization=bearer, Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(page, "POST", path, body, Authorization=bearer, Host="example.org")[0] == 403
    assert ask(page, "POST", path, body, Authorization=bearer, Content_Type="text/plain")[0] == 400
    assert ask(page, "POST", path, b"x" * 20_000, Authorization=bearer)[0] in (400, 413)
    assert ask(page, "GET", "/wish")[0] == 405
    assert mailbox.take() == []
    stop = threading.Event()

    def answer() -> None:
        while not stop.wait(0.01):
            for one in mailbox.take():
                one.answer(Answer(True, "done"))

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    assert ask(page, "POST", path, body, Authorization=bearer)[0] == 200
    stop.set()
    thread.join()


def test_setup_requests_and_commands_share_what_one_address_may_send(
    page: WebPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permission, "RATE_HZ", 0.0)
    monkeypatch.setattr(permission, "WRONG_TOKEN_COST", 1.0)
    statuses = [ask(page, "POST", ("/wish", "/tell", "/menu")[one % 3], STOP)[0] for one in range(22)]
    assert statuses == [401] * int(permission.BURST) + [429] * 2
    assert refused(page)["rate"] == 2.0


def test_the_token_is_made_at_the_first_use_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "page.token"
    token = page_token(path)
    assert page_token(path) == token and len(token) >= 43
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert new_token(path) != token
    path.chmod(0o644)
    with pytest.raises(TokenError, match="others may read"):
        page_token(path)
    with pytest.raises(WebError, match="others may read"):
        WebPage(port=0, host="0.0.0.0", token=path)
    path.chmod(0o600)
    path.write_text("short\n")
    with pytest.raises(TokenError, match="holds no token"):
        page_token(path)


def test_a_page_on_loopback_makes_no_token(tmp_path: Path) -> None:
    WebPage(port=0, token=tmp_path / "page.token").close()
    assert list(tmp_path.iterdir()) == []


def test_a_new_token_ends_the_old_one_at_once(page: WebPage, tmp_path: Path) -> None:
    old = page_token(tmp_path / "keys" / "page.token")
    fresh = new_token(tmp_path / "keys" / "page.token")
    with Daemon(page, Answer(True, "done")):
        assert ask(page, "POST", "/tell", PASS, Authorization=f"Bearer {old}")[0] == 401
        assert ask(page, "POST", "/tell", PASS, Authorization=f"bearer {fresh}")[0] == 200


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Basic abc", "Bearer ä", "Bearer " + "x" * 5000, "Bearer \udcfe"]
)
def test_what_is_no_token_is_none(header: str | None) -> None:
    assert not is_bearer(header, "x" * 43)


def test_wrong_tokens_are_soon_refused_for_their_number(page: WebPage) -> None:
    statuses = [ask(page, "POST", "/tell", PASS, Authorization="Bearer wrong")[0] for _ in range(12)]
    assert statuses[0] == 401 and statuses[-1] == 429
    assert ask(page, "GET", "/healthz")[0] in (200, 503)  # reading is still allowed


def test_commands_in_a_stream_are_refused_also_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_queue, "ANSWER_S", 0.01)
    with contextlib.closing(WebPage(port=0)) as page:
        page.take_commands()
        monkeypatch.setattr("tests.daemon.test_page_limits.own_address", lambda: "127.0.0.1")
        statuses = [ask(page, "POST", "/tell", PASS)[0] for _ in range(40)]
        assert statuses[0] == 503 and 429 in statuses


def test_a_request_by_a_proxy_counts_as_another_computers(tmp_path: Path) -> None:
    with contextlib.closing(WebPage(port=0)) as page:
        page.take_commands()
        assert http_client.ask(f"{page.address}tell", PASS, X_Forwarded_For="192.0.2.7").status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_sites_form_commands_nothing_even_with_the_token(page: WebPage, tmp_path: Path, site: str) -> None:
    token = page_token(tmp_path / "keys" / "page.token")
    assert ask(page, "POST", "/tell", PASS, Authorization=f"Bearer {token}", Sec_Fetch_Site=site)[0] == 403


@pytest.mark.parametrize(
    "path", ["/", "/page.js", "/state", "/healthz", "/nowhere", "/tell", "/snapshot.jpg", "/video"]
)
def test_every_answer_carries_the_headers_that_keep_browsers_in_bounds(page: WebPage, path: str) -> None:
    connection = http.client.HTTPConnection(own_address(), page.port, timeout=5)
    connection.request("GET", path)
    response = connection.getresponse()
    found = dict(response.headers)
    response.close()
    connection.close()
    assert found.items() >= guard.HEADERS.items()
    assert "unsafe" not in found["Content-Security-Policy"] and "frame-ancestors" in found["Content-Security-Policy"]
    assert "no-store" in found["Cache-Control"] and "aiohttp" not in found["Server"]


def test_whoever_says_nothing_or_only_half_is_shown_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "SAY_S", 0.2)
    monkeypatch.setattr(connection_limits, "LOOK_S", 0.05)
    monkeypatch.setattr(answering, "READ_S", 0.1)
    half = b"POST /tell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    with contextlib.closing(WebPage(port=0)) as page:
        page.take_commands()
        for said in (b"", b"GET / HTTP/1.1\r\nHost: local", half):
            with socket.create_connection(("127.0.0.1", page.port), timeout=5) as slow:
                slow.sendall(said)
                with contextlib.suppress(ConnectionResetError):
                    while slow.recv(4096):  # maybe an answer, then the end; a timeout fails the test
                        pass
        assert refused(page)["slow"] >= 3
        assert not page._limits._inside


def test_a_connection_that_trickles_is_no_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "SAY_S", 0.3)
    monkeypatch.setattr(connection_limits, "LOOK_S", 0.05)
    with (
        contextlib.closing(WebPage(port=0)) as page,
        socket.create_connection(("127.0.0.1", page.port), timeout=0.05) as slow,
    ):
        slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        for _ in range(200):
            try:
                slow.sendall(b"x")
                if slow.recv(4096) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            raise AssertionError("it could go on for ever")


def test_one_address_cannot_take_all_connections(page: WebPage, monkeypatch: pytest.MonkeyPatch) -> None:
    if own_address() == "127.0.0.1":
        pytest.skip("this computer has no address but loopback")
    monkeypatch.setattr(connection_limits, "MAX_EACH", 3)
    crowd = [socket.create_connection((own_address(), page.port), timeout=5) for _ in range(4)]
    try:
        crowd[-1].sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert crowd[-1].recv(10) == b""
        assert refused(page) == {"connections": 1.0}
        here = http.client.HTTPConnection("127.0.0.1", page.port, timeout=5)
        here.request("GET", "/events")
        assert here.getresponse().status == 200
        here.close()
    finally:
        for one in crowd:
            one.close()


def test_a_compressed_command_is_not_unpacked(page: WebPage, tmp_path: Path) -> None:
    import gzip

    token = page_token(tmp_path / "keys" / "page.token")
    bomb = gzip.compress(b" " * 1_000_000 + PASS)
    status, _, answer = ask(page, "POST", "/tell", bomb, Authorization=f"Bearer {token}", Content_Encoding="gzip")
    assert (status, answer["code"]) == (400, "no_command")


def answer_to(page: WebPage, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", page.port), timeout=5) as stranger:
        stranger.sendall(data)
        return stranger.recv(4096).split(b"\r\n")[0]


def test_nothing_runs_on_when_the_page_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    def open_and_close() -> None:
        page = WebPage(port=0)
        page._loop.call_soon_threadsafe(lambda: page._loop.create_task(asyncio.sleep(3600)))
        page.close()

    open_and_close()
    gc.collect()
    assert caplog.text == ""


def test_a_viewer_who_has_not_read_all_is_cut_off_when_the_page_is_closed() -> None:
    page = WebPage(port=0)
    large = np.random.default_rng(1).integers(0, 256, (2500, 2500, 3), np.uint8)
    page.publish(picture=lambda: large)
    with socket.socket() as viewer:
        viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        viewer.settimeout(30)
        viewer.connect(("127.0.0.1", page.port))
        viewer.sendall(b"GET /video HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        viewer.recv(1)
        (transport,) = page._limits._inside
        assert isinstance(transport, asyncio.Transport)
        wait_for(lambda: transport.get_write_buffer_size() > 0)
        page.close()
        assert transport.get_extra_info("socket").fileno() == -1


def test_what_is_no_http_is_counted_and_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with contextlib.closing(WebPage(port=0)) as page:
        assert answer_to(page, b"GET / NO HTTP\r\n\r\n").startswith(b"HTTP/1.0 400")
        answer_to(page, b"\x16\x03\x01 hello\r\n\r\n")
        assert refused(page) == {"rubbish": 2.0}
        assert caplog.text == ""


def test_a_websocket_key_that_is_no_ascii_is_refused_as_such(caplog: pytest.LogCaptureFixture) -> None:
    head = b"GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    with contextlib.closing(WebPage(port=0)) as page:
        answer = answer_to(page, head + b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \xff\xfe==\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 400") and "Traceback" not in caplog.text


@pytest.fixture
def proxied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebPage]:
    """A page on loopback that a proxy on this computer forwards to; no allowance is ever refilled."""
    monkeypatch.setattr(permission, "RATE_HZ", 0.0)
    monkeypatch.setattr("tests.daemon.test_page_limits.own_address", lambda: "127.0.0.1")
    made = WebPage(port=0, token=tmp_path / "page.token")
    made.take_commands()
    yield made
    made.close()


def wrong(page: WebPage, forwarded_for: str) -> int:
    return ask(page, "POST", "/tell", PASS, Authorization="Bearer wrong", X_Forwarded_For=forwarded_for)[0]


def test_wrong_tokens_through_a_proxy_keep_nobody_else_out(proxied: WebPage, tmp_path: Path) -> None:
    statuses = [wrong(proxied, "203.0.113.9") for _ in range(30)]
    assert statuses[0] == 401 and statuses[-1] == 429
    assert wrong(proxied, "203.0.113.10") == 401
    bearer = f"Bearer {page_token(tmp_path / 'page.token')}"
    with Daemon(proxied, Answer(True, "done")):
        assert ask(proxied, "POST", "/tell", PASS)[0] == 200
        for client in ("203.0.113.9", "203.0.113.11"):
            assert ask(proxied, "POST", "/tell", PASS, Authorization=bearer, X_Forwarded_For=client)[0] == 200


def test_who_brings_the_token_keeps_the_table_itself_not_out(proxied: WebPage, tmp_path: Path) -> None:
    bearer = f"Bearer {page_token(tmp_path / 'page.token')}"
    with Daemon(proxied, Answer(True, "done")):
        sent = [
            ask(proxied, "POST", "/tell", PASS, Authorization=bearer, X_Forwarded_For=f"203.0.113.{one}")[0]
            for one in range(100)
        ]
        assert sent.count(200) == permission.BURST * permission.ALL_FACTOR and sent[-1] == 429
        assert ask(proxied, "POST", "/tell", PASS)[0] == 200


def test_a_stranger_who_invents_addresses_is_counted_as_one(proxied: WebPage) -> None:
    assert [wrong(proxied, f"198.51.100.{one}, 203.0.113.9") for one in range(30)][-1] == 429
    assert [wrong(proxied, f"2001:db8:7:7::{one:x}") for one in range(30)][-1] == 429
    assert wrong(proxied, "2001:db8:7:8::1") == 401


def test_all_strangers_together_are_refused_but_nobody_who_may_command(proxied: WebPage, tmp_path: Path) -> None:
    statuses = [wrong(proxied, f"203.0.113.{one}") for one in range(100)]
    assert statuses.count(401) == permission.BURST * permission.ALL_FACTOR / permission.WRONG_TOKEN_COST
    bearer = f"Bearer {page_token(tmp_path / 'page.token')}"
    with Daemon(proxied, Answer(True, "done")):
        assert ask(proxied, "POST", "/tell", PASS)[0] == 200
        assert ask(proxied, "POST", "/tell", PASS, Authorization=bearer, X_Forwarded_For="203.0.113.9")[0] == 200


def test_only_so_many_clients_are_remembered() -> None:
    allowances = permission.Allowances()
    for one in range(3 * permission.MAX_CLIENTS):
        allowances.take(str(one))
    assert len(allowances._each) == permission.MAX_CLIENTS


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("::1", ["1.1.1.1, 203.0.113.9:4711"], "203.0.113.9"),
        ("127.0.0.1", ["1.1.1.1", "203.0.113.9 , 10.0.0.7"], "203.0.113.9"),
        ("::ffff:127.0.0.1", ["[2001:db8:1:2:3:4:5:6]:80"], "2001:db8:1:2::/64"),
        ("127.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["10.0.0.8,10.0.0.7"], "10.0.0.8"),
        ("127.0.0.1", ["203.0.113.9, unknown"], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.9,"], "127.0.0.1"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("192.0.2.1", ["203.0.113.9"], "192.0.2.1"),
        ("fe80::1%eth0", [], "fe80::/64"),
        (None, ["203.0.113.9"], ""),
    ],
)
def test_the_client_is_the_last_one_that_no_trusted_proxy_is(
    peer: str | None, forwarded: list[str], client: str
) -> None:
    headers = CIMultiDict([("X-Forwarded-For", one) for one in forwarded])
    request = cast(web.Request, SimpleNamespace(remote=peer, headers=headers))
    proxies = (*clients.LOOPBACK, ipaddress.ip_network("10.0.0.0/8"))
    assert clients.client_of(request, proxies) == client
    alone = cast(web.Request, SimpleNamespace(remote=peer, headers=CIMultiDict()))
    assert clients.client_of(request, ()) == clients.client_of(alone, proxies)


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-Real-IP", "Via"])
def test_a_request_with_any_header_of_a_proxy_needs_the_token(proxied: WebPage, header: str) -> None:
    assert ask(proxied, "POST", "/tell", PASS, **{header: "x"})[0] == 401


def test_connections_through_a_proxy_leave_room_for_this_computer(
    proxied: WebPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "MAX_HERE", 3)
    monkeypatch.setattr(connection_limits, "MAX_EACH", 2)
    statuses, crowd = [], []
    for client in ("203.0.113.9",) * 3 + ("203.0.113.10", ""):
        crowd.append(http.client.HTTPConnection("127.0.0.1", proxied.port, timeout=5))
        crowd[-1].request("GET", "/events", headers={"X-Forwarded-For": client} if client else {})
        with crowd[-1].getresponse() as response:
            statuses.append(response.status)
            response.read()
    for one in crowd:
        one.close()
    assert statuses == [200, 200, 503, 200, 200]
    assert refused(proxied) == {"connections": 1.0}


def test_viewers_elsewhere_leave_room_for_one_here(proxied: WebPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_VIEWERS", 1)
    statuses, viewers = [], []
    for headers in ({"X-Forwarded-For": "203.0.113.9"}, {"X-Forwarded-For": "203.0.113.10"}, {}, {}):
        viewers.append(http.client.HTTPConnection("127.0.0.1", proxied.port, timeout=5))
        viewers[-1].request("GET", "/video", headers=headers)
        statuses.append(viewers[-1].getresponse().status)
    assert statuses == [200, 503, 200, 503] and proxied.viewers == 2
    for one in viewers:
        one.close()


@pytest.mark.parametrize("here", [True, False])
def test_the_page_asks_for_the_token_on_other_computers_only(
    page: WebPage, monkeypatch: pytest.MonkeyPatch, here: bool
) -> None:
    monkeypatch.setattr(streams, "is_here", lambda _request: here)
    listener = Listener(page)
    first = listener.hear()
    listener.close()
    assert (first["commands"], first["token"]) == (True, not here)
