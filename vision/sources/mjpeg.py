"""MJPEG over HTTP, the way phones and network cameras serve pictures: streams, or one picture for each request.

Redirections are followed, digest logins answered, and the status lines of streaming servers (`ICY 200 OK`) read.
"""

from __future__ import annotations

import base64
import contextlib
import http
import http.client
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Generator

import cv2

from vision.frame import SourceError
from vision.sources.encoded import MAX_JPEG_BYTES, MAX_MEGAPIXELS, JpegSplitter, Picture, decode, peek
from vision.sources.live import STALL_S, Connection
from wording.outside import shown_address

PATIENCE = 2
"""Multiple of it without a whole picture after which the connection is broken off, although bytes come."""
SNAPSHOT_PAUSE_S = 0.1
"""Seconds between requests to an address that answers with one picture at a time."""
_BLOCK = 65536
MOVED = frozenset(
    {
        http.HTTPStatus.MOVED_PERMANENTLY,
        http.HTTPStatus.FOUND,
        http.HTTPStatus.SEE_OTHER,
        http.HTTPStatus.TEMPORARY_REDIRECT,
        http.HTTPStatus.PERMANENT_REDIRECT,
    }
)
NO_PICTURE = "what it answers is no picture that can be read"
MAX_HOPS = urllib.request.HTTPRedirectHandler.max_redirections
"""Redirections and logins on the way to one picture."""


def mjpeg_frames(url: str, stall_s: float = STALL_S, max_megapixels: float = MAX_MEGAPIXELS) -> Connection:
    """The pictures of an http:// or https:// address, until it ends, stalls, or answers with an error or too large."""
    name, login = shown_address(url), ""
    asked: list[tuple[str, str]] = []
    while True:
        connection, path, headers = _request(url, stall_s)
        patience = Patience(PATIENCE * stall_s)
        try:
            connection.connect()
            patience.watch(connection.sock)
            connection.request("GET", path, headers=headers | ({"Authorization": login} if login else {}))
            response = connection.getresponse()
            if response.status in MOVED or (response.status == http.HTTPStatus.UNAUTHORIZED and not login):
                asked.append((url, login))
                url, login = _onward(url, response, login)
                if url and (url, login) not in asked and len(asked) <= MAX_HOPS:
                    continue
            if response.status != http.client.OK:
                # Not its own words, which may repeat the address.
                phrase = http.client.responses.get(response.status, "")
                raise SourceError(f"{name}: the server answers {response.status} {phrase}".rstrip())
            kind, asked = response.getheader("Content-Type", "").lower(), []
            count = yield from _pictures(response, kind, patience, max_megapixels)
            is_stream = kind.startswith("multipart/") or (count > 1 and not kind.startswith("image/"))
            if not (count or is_stream or patience.fault):
                raise SourceError(f"{name}: {NO_PICTURE}")
        except TimeoutError:
            raise SourceError(f"{name}: nothing came for {stall_s:g} s") from None
        except http.client.HTTPException as error:
            # Not the error's own words, which may repeat the address.
            raise SourceError(f"{name}: {patience.fault or type(error).__name__}") from error
        finally:
            patience.end()
            connection.close()
        if patience.fault:
            raise SourceError(f"{name}: {patience.fault}")
        if is_stream:
            return
        time.sleep(SNAPSHOT_PAUSE_S)


class _Response(http.client.HTTPResponse):
    """An answer that may begin as those of SHOUTcast do."""

    def _read_status(self) -> tuple[str, int, str]:
        if not self.fp.peek(4).startswith(b"ICY "):
            return super()._read_status()  # type: ignore[misc, no-any-return]
        words = self.fp.readline(_BLOCK).decode("iso-8859-1").split(None, 2)
        if len(words) < 2 or not words[1].isdecimal():
            raise http.client.BadStatusLine("ICY")
        return "HTTP/1.0", int(words[1]), words[2].strip() if words[2:] else ""


def check_address(url: str) -> None:
    """Raises SourceError where the text is no address to connect to."""
    reason = "there is no host in it"
    try:
        parts = urllib.parse.urlsplit(url)
        if not url.isprintable() or " " in url:
            reason = "write %20 for a blank"
        elif parts.hostname and (parts.port is None or parts.port > 0):
            return
    except ValueError:  # its text may quote a password
        reason = "host or port cannot be read; in a password write %2F for /, %3F for ?, %23 for # and %40 for @"
    raise SourceError(f"{shown_address(url)}: this is no address ({reason})")


def _request(url: str, stall_s: float) -> tuple[http.client.HTTPConnection, str, dict[str, str]]:
    parts = urllib.parse.urlsplit(url)
    host = parts.hostname or ""
    headers = {"User-Agent": "kibitzer", "Accept": "multipart/x-mixed-replace, image/jpeg, */*"}
    if parts.username is not None:
        user = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(user.encode()).decode()
    path = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
    if parts.scheme == "https":
        # A phone's certificate is self-signed; the connection only reads pictures of a board.
        context = ssl._create_unverified_context()
        secured = http.client.HTTPSConnection(host, parts.port, timeout=stall_s, context=context)
        secured.response_class = _Response
        return secured, path, headers
    connection = http.client.HTTPConnection(host, parts.port, timeout=stall_s)
    connection.response_class = _Response
    return connection, path, headers


def _onward(url: str, response: http.client.HTTPResponse, login: str) -> tuple[str, str]:
    """Where to ask next, and with which login; an empty address where nothing else can be asked.

    A login is not taken to another server.
    """
    parts = urllib.parse.urlsplit(url)
    if response.status in MOVED:
        there = urllib.parse.urlsplit(urllib.parse.urljoin(url, response.getheader("Location", "")))
        if there.scheme not in ("http", "https") or not there.hostname or not response.getheader("Location"):
            return "", ""
        if there.hostname == parts.hostname and there.username is None and parts.username is not None:
            account = parts.netloc.rpartition("@")[0]
            there = there._replace(netloc=f"{account}@{there.netloc}")
        return urllib.parse.urlunsplit(there), ""
    scheme, _, challenge = response.getheader("WWW-Authenticate", "").partition(" ")
    if scheme.lower() != "digest" or parts.username is None:
        return "", ""
    plain = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    user, password = urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or "")
    passwords.add_password(None, plain, user, password)
    told = urllib.request.parse_keqv_list([one for one in urllib.request.parse_http_list(challenge) if "=" in one])
    try:
        digest = urllib.request.HTTPDigestAuthHandler(passwords)
        answer = digest.get_authorization(urllib.request.Request(plain), told)
    except (ValueError, urllib.error.URLError):  # a kind of digest that nobody uses
        return "", ""
    return (url, f"Digest {answer}") if answer else ("", "")


def _pictures(
    response: http.client.HTTPResponse, kind: str, patience: Patience, max_megapixels: float
) -> Generator[Picture, None, int]:
    """The pictures of an answer of that content type, as JPEGs; returns their number. Raises TooLargeError."""
    splitter, count = JpegSplitter(), 0
    is_other = kind.startswith("image/") and not kind.startswith(("image/jpeg", "image/jpg"))
    while data := response.read(MAX_JPEG_BYTES) if is_other else response.read1(_BLOCK):
        image = decode(data, max_megapixels) if is_other else None
        for jpeg in splitter.feed(data if image is None else bytes(cv2.imencode(".jpg", image)[1])):
            picture = peek(jpeg, max_megapixels)
            if picture is not None:
                patience.renew()
                count += 1
                yield picture
    return count


class Patience:
    """Breaks a connection off that brings no picture in time; a socket's own timeout begins anew with every byte."""

    def __init__(self, limit_s: float) -> None:
        self.fault = ""
        """Why the connection was broken off; empty while it was not."""
        self._limit_s = limit_s
        self._due_s = time.monotonic() + limit_s
        self._over = threading.Event()

    def watch(self, sock: socket.socket) -> None:
        self.renew()
        threading.Thread(target=self._run, args=(sock,), name="patience with a camera", daemon=True).start()

    def renew(self) -> None:
        self._due_s = time.monotonic() + self._limit_s

    def end(self) -> None:
        self._over.set()

    def _run(self, sock: socket.socket) -> None:
        while (left_s := self._due_s - time.monotonic()) > 0:
            if self._over.wait(left_s):
                return
        self.fault = f"it sends bytes but no picture for {self._limit_s:g} s"
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
