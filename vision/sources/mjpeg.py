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
from vision.sources.picture_size import MAX_MEGAPIXELS

STALL_S = 5.0
"""Seconds of silence after which the connection counts as dead."""
SNAPSHOT_PAUSE_S = 0.1
"""Seconds between requests to an address that answers with one picture at a time."""
_BLOCK = 65536


def mjpeg_frames(url: str, stall_s: float = STALL_S, max_megapixels: float = MAX_MEGAPIXELS) -> Connection:
    """The pictures of an http:// or https:// address, until it ends, stalls, or answers with an error or too large."""
    while True:
        connection, path, headers = _request(url, stall_s)
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            if response.status != http.client.OK:
                raise SourceError(f"{url}: the server answers {response.status} {response.reason}")
            snapshot = response.getheader("Content-Type", "").lower().startswith("image/")
            yield from _pictures(url, response, stall_s, max_megapixels)
        except http.client.HTTPException as error:
            raise SourceError(f"{url}: {type(error).__name__} {error}") from error
        finally:
            connection.close()
        if not snapshot:
            return
        time.sleep(SNAPSHOT_PAUSE_S)


def check_address(url: str) -> None:
    """Raises SourceError where the text is no address to connect to."""
    try:
        parts = urllib.parse.urlsplit(url)
        if parts.hostname and (parts.port is None or parts.port > 0):
            return
        reason = "there is no host in it"
    except ValueError as error:
        reason = str(error)
    raise SourceError(f"{url}: this is no address ({reason})")


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


def _pictures(url: str, response: http.client.HTTPResponse, stall_s: float, max_megapixels: float) -> Connection:
    splitter = JpegSplitter()
    last_s = time.monotonic()
    while True:
        try:
            data = response.read1(_BLOCK)
        except TimeoutError:
            raise SourceError(f"{url}: nothing came for {stall_s:g} s") from None
        for jpeg in splitter.feed(data):
            picture = peek(jpeg, max_megapixels)
            if picture is not None:
                last_s = time.monotonic()
                yield picture
        if not data:
            return
        if time.monotonic() - last_s > 2 * stall_s:
            raise SourceError(f"{url}: it sends bytes but no pictures")
