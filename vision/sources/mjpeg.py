"""MJPEG over HTTP, the way phones and network cameras serve pictures."""

from __future__ import annotations

import base64
import contextlib
import http.client
import socket
import ssl
import threading
import time
import urllib.parse

from vision.frame import SourceError
from vision.sources.encoded import MAX_MEGAPIXELS, JpegSplitter, peek
from vision.sources.live import Connection
from wording.outside import shown_address

STALL_S = 5.0
"""Seconds of silence after which the connection counts as dead."""
PATIENCE = 2
"""Multiple of it without a whole picture after which the connection is broken off, although bytes come."""
SNAPSHOT_PAUSE_S = 0.1
"""Seconds between requests to an address that answers with one picture at a time."""
_BLOCK = 65536


def mjpeg_frames(url: str, stall_s: float = STALL_S, max_megapixels: float = MAX_MEGAPIXELS) -> Connection:
    """The pictures of an http:// or https:// address, until it ends, stalls, or answers with an error or too large."""
    name = shown_address(url)
    while True:
        connection, path, headers = _request(url, stall_s)
        patience = Patience(PATIENCE * stall_s)
        try:
            connection.connect()
            patience.watch(connection.sock)
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            if response.status != http.client.OK:
                # Not its own words, which may repeat the address.
                phrase = http.client.responses.get(response.status, "")
                raise SourceError(f"{name}: the server answers {response.status} {phrase}".rstrip())
            snapshot = response.getheader("Content-Type", "").lower().startswith("image/")
            yield from _pictures(response, patience, max_megapixels)
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
        if not snapshot:
            return
        time.sleep(SNAPSHOT_PAUSE_S)


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
        return http.client.HTTPSConnection(host, parts.port, timeout=stall_s, context=context), path, headers
    return http.client.HTTPConnection(host, parts.port, timeout=stall_s), path, headers


def _pictures(response: http.client.HTTPResponse, patience: Patience, max_megapixels: float) -> Connection:
    splitter = JpegSplitter()
    while data := response.read1(_BLOCK):
        for jpeg in splitter.feed(data):
            picture = peek(jpeg, max_megapixels)
            if picture is not None:
                patience.renew()
                yield picture


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
