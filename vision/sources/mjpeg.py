"""MJPEG over HTTP, the way phones and network cameras serve pictures."""

from __future__ import annotations

import base64
import http.client
import ssl
import time
import urllib.parse

from vision.frame import SourceError
from vision.sources.encoded import JpegSplitter, peek
from vision.sources.live import Connection
from wording.outside import shown_address

STALL_S = 5.0
"""Seconds of silence after which the connection counts as dead."""
SNAPSHOT_PAUSE_S = 0.1
"""Seconds between requests to an address that answers with one picture at a time."""
_BLOCK = 65536


def mjpeg_frames(url: str, stall_s: float = STALL_S) -> Connection:
    """The pictures of an http:// or https:// address, until it ends, stalls or answers with an error."""
    while True:
        connection, path, headers = _request(url, stall_s)
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            if response.status != http.client.OK:
                # Not its own words, which may repeat the address.
                phrase = http.client.responses.get(response.status, "")
                raise SourceError(f"{shown_address(url)}: the server answers {response.status} {phrase}".rstrip())
            snapshot = response.getheader("Content-Type", "").lower().startswith("image/")
            yield from _pictures(url, response, stall_s)
        except http.client.HTTPException as error:
            raise SourceError(f"{shown_address(url)}: {type(error).__name__}") from error
        finally:
            connection.close()
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


def _pictures(url: str, response: http.client.HTTPResponse, stall_s: float) -> Connection:
    splitter = JpegSplitter()
    last_s = time.monotonic()
    while True:
        try:
            data = response.read1(_BLOCK)
        except TimeoutError:
            raise SourceError(f"{shown_address(url)}: nothing came for {stall_s:g} s") from None
        for jpeg in splitter.feed(data):
            picture = peek(jpeg)
            if picture is not None:
                last_s = time.monotonic()
                yield picture
        if not data:
            return
        if time.monotonic() - last_s > 2 * stall_s:
            raise SourceError(f"{shown_address(url)}: it sends bytes but no pictures")
