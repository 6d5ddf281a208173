"""CURVE authentication for the bus: only connections with an allowed public key are accepted.

If the thread that checks keys dies, nobody can connect any more: the sockets require its answer.
"""

from __future__ import annotations

import logging
from pathlib import Path

import zmq
from zmq.auth.thread import ThreadAuthenticator

from agents.certificates import CertificateError
from daemon.bus.endpoints import BusRefusedError
from daemon.bus.keys import AllowedKeys, KeyFolder

_log = logging.getLogger(__name__)
_quiet = logging.getLogger(f"{__name__}.zap")
_quiet.setLevel(logging.CRITICAL)  # rejected connections are counted here, so that strangers cannot fill the log

DOMAIN = "bus"
HANDSHAKE_MS = 5000
"""Milliseconds: a connection that has not proved its key by then is closed."""
_FAILED = zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH


class CurveAuth:
    def __init__(self, path: Path) -> None:
        folder = KeyFolder(path)
        try:
            self._certificate = folder.daemon()
            self._allowed = AllowedKeys(folder)
        except CertificateError as error:
            raise BusRefusedError(str(error)) from None
        self._let_in: set[bytes] = set()
        """Keys accepted and not revoked since; the authenticator thread adds to it."""
        self._authenticator: ThreadAuthenticator | None = None
        self.strangers = 0
        """Connections refused so far because their key is not allowed."""
        self.keyless = 0
        """Connections refused so far that presented no key or did not speak ZeroMQ."""
        self.worker_options = ("--server-key", str(folder.public_path), "--key", str(folder.own_path))

    def open(self, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        self._authenticator = ThreadAuthenticator(context, log=_quiet)
        self._authenticator.start()
        self._authenticator.configure_curve_callback(domain=DOMAIN, credentials_provider=self)

    def secure(self, sock: zmq.Socket[bytes]) -> zmq.Socket[bytes]:
        """Restricts a socket, before it is bound, to allowed keys. Returns the monitor socket that reports refusals."""
        sock.setsockopt(zmq.CURVE_SERVER, 1)
        sock.setsockopt(zmq.CURVE_PUBLICKEY, self._certificate.public)
        sock.setsockopt(zmq.CURVE_SECRETKEY, self._certificate.secret or b"")
        sock.setsockopt_string(zmq.ZAP_DOMAIN, DOMAIN)
        # If the authenticator is gone, nobody is accepted, instead of everybody.
        sock.setsockopt(zmq.SocketOption.ZAP_ENFORCE_DOMAIN, 1)
        return sock.get_monitor_socket(_FAILED)

    def watch(self, monitor: zmq.Socket[bytes]) -> None:
        """Counts the refusals a monitor reports; `callback` has already counted those with a wrong key."""
        while True:
            try:
                event, _ = monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            if int.from_bytes(event[:2], "little") != zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                self.keyless += 1
                _tell("without a key, or with the key of another daemon", self.keyless)

    def callback(self, domain: str, key: bytes) -> bool:
        allowed = False
        try:
            allowed = key in self._allowed()
        except Exception:  # noqa: BLE001 - the top of the authenticator's thread
            _log.exception("the keys cannot be read; nobody is let in")
        if not allowed:
            self.strangers += 1
            _tell("with a key that is not allowed", self.strangers)
            return False
        self._let_in.add(key)
        return True

    def has_revoked(self) -> bool:
        """Whether an accepted key has been revoked, in which case every connection must be reopened."""
        gone = self._let_in.copy() - self._allowed()
        self._let_in -= gone
        return bool(gone)

    @property
    def is_open(self) -> bool:
        return self._authenticator is not None and self._authenticator.is_alive()

    def close(self) -> None:
        if self._authenticator is not None:
            self._authenticator.stop()
            self._authenticator = None


def _tell(how: str, count: int) -> None:
    """Logs the 1st, 2nd, 4th, 8th refusal, so that a flood fills no log."""
    if count & (count - 1) == 0:
        _log.warning("a worker %s was refused (%d so far)", how, count)
