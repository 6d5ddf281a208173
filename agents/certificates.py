"""CURVE certificates in `zmq.auth` file format: they decide who may join a bus that other computers can reach.

`NAME.key` holds a public key and may be shared; `NAME.key_secret` holds both keys and stays on the computer that
created it. `Admission` joins a bus with keys, and reconnects refused sockets: ZeroMQ gives up for good after a refusal.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
import stat
import struct
import time
from pathlib import Path
from typing import NamedTuple

import zmq

from system.named_files import read_bytes

MAX_BYTES = 4096
KEY_LENGTH = 40
_LINE = re.compile(rb'^\s*(public-key|secret-key)\s*=\s*["\']?([^"\'\s]{40})["\']?\s*$', re.MULTILINE)


class CertificateError(ValueError):
    """A file that is not a certificate, or that other users may read; the message names the file and the remedy."""


class Certificate(NamedTuple):
    public: bytes
    """Z85, 40 bytes."""
    secret: bytes | None = None
    """Z85, 40 bytes; None where the file holds the public key only."""

    @property
    def fingerprint(self) -> str:
        """Eight groups of two hexadecimal digits, to compare by eye or by telephone."""
        digest = hashlib.sha256(self.public).hexdigest()
        return ":".join(digest[start : start + 2] for start in range(0, 16, 2))


class WorkerKeys(NamedTuple):
    server: bytes
    own: Certificate

    def secure(self, sock: zmq.Socket[bytes]) -> None:
        """Sets up CURVE on a socket; call before it connects."""
        sock.setsockopt(zmq.CURVE_SERVERKEY, self.server)
        sock.setsockopt(zmq.CURVE_PUBLICKEY, self.own.public)
        sock.setsockopt(zmq.CURVE_SECRETKEY, self.own.secret or b"")


def read(path: Path) -> Certificate:
    """The keys in a file, checked to belong together. Raises CertificateError."""
    try:
        text = read_bytes(path, MAX_BYTES)
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read: {error.strerror}") from None
    found = {name.decode(): key for name, key in _LINE.findall(text)}
    public, secret = found.get("public-key"), found.get("secret-key")
    if public is None:
        raise CertificateError(f"{path}: is no certificate; `kibitzer keys new NAME` makes one")
    from zmq.utils import z85

    try:
        # Z85 encodes 32 bytes in only one way; text that decodes to more, or is not Z85, is no key.
        is_key = all(byte in z85.Z85CHARS for byte in public) and z85.encode(z85.decode(public)) == public
        if is_key and (secret is None or zmq.curve_public(secret) == public):
            return Certificate(public, secret)
    except (ValueError, struct.error, zmq.ZMQError):
        pass
    raise CertificateError(f"{path}: its keys are damaged or do not belong together")


def read_secret(path: Path) -> Certificate:
    """A key pair. Raises CertificateError, also if other users may read the file."""
    certificate = read(path)
    if certificate.secret is None:
        raise CertificateError(
            f"{path}: holds the public key only; the secret one is in the file ending in .key_secret"
        )
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise CertificateError(f"{path}: others may read this secret key; `chmod 600 {path}`, or make a new one")
    return certificate


def read_worker_keys(server: Path | None, own: Path | None) -> WorkerKeys | None:
    """The keys of `--server-key` and `--key`; None if neither is given. Raises CertificateError."""
    if server is None and own is None:
        return None
    if server is None or own is None:
        raise CertificateError("--server-key and --key belong together: the daemon's public key and this worker's pair")
    return WorkerKeys(read(server).public, read_secret(own))


_log = logging.getLogger(__name__)

AGAIN_S = 2.0
"""Seconds before a refused socket reconnects; its key may have been allowed meanwhile."""
TOLD_S = 60.0
"""Seconds before the same warning is logged again."""
_FAILED = zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH


class Admission:
    """Connects a worker's sockets to a bus. Used only by the thread that owns them."""

    def __init__(self, keys: WorkerKeys | None) -> None:
        self._keys = keys
        self._endpoints: dict[zmq.Socket[bytes], str] = {}
        self._monitors: dict[zmq.Socket[bytes], zmq.Socket[bytes]] = {}
        self._due_s: dict[zmq.Socket[bytes], float] = {}
        self._told_s = float("-inf")

    def connect(self, sock: zmq.Socket[bytes], endpoint: str) -> None:
        """Connects a socket, with keys if there are any. Raises ZMQError if the endpoint is invalid."""
        if self._keys is not None:
            self._keys.secure(sock)
        self._monitors[sock] = sock.get_monitor_socket(_FAILED)
        self._endpoints[sock] = endpoint
        sock.connect(endpoint)

    def look(self) -> None:
        """Reconnects sockets that were refused AGAIN_S ago; call it often."""
        now_s = time.monotonic()
        for sock, monitor in self._monitors.items():
            with contextlib.suppress(zmq.Again):
                while True:
                    event, _ = monitor.recv_multipart(zmq.NOBLOCK)
                    self._refused(sock, int.from_bytes(event[:2], "little"), now_s)
            if now_s >= self._due_s.get(sock, float("inf")):
                del self._due_s[sock]
                sock.connect(self._endpoints[sock])

    def close(self) -> None:
        """Stops monitoring; call before closing the sockets."""
        for sock, monitor in self._monitors.items():
            sock.disable_monitor()
            monitor.close()
        self._monitors.clear()

    def _refused(self, sock: zmq.Socket[bytes], event: int, now_s: float) -> None:
        """Disconnects, or ZeroMQ would try seven times a second, and says why, once in a while."""
        endpoint = self._endpoints[sock]
        if sock not in self._due_s:
            self._due_s[sock] = now_s + AGAIN_S
            with contextlib.suppress(zmq.ZMQError):  # ZeroMQ has dropped the connection already
                sock.disconnect(endpoint)
        if now_s - self._told_s < TOLD_S:
            return
        self._told_s = now_s
        if self._keys is None:
            _log.warning("%s lets nobody in without a key: see `kibitzer worker --help`", endpoint)
            return
        if event != zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            _log.warning("%s is not the daemon whose key this worker has: bring daemon.key from there", endpoint)
            return
        mine = self._keys.own.fingerprint
        _log.warning("%s does not take this worker's key (%s): `kibitzer keys allow` there", endpoint, mine)
