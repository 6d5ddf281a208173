"""Joins a bus with keys, and reconnects refused sockets: ZeroMQ gives up for good after a refusal."""

from __future__ import annotations

import contextlib
import logging
import time

import zmq

from agents.certificates import WorkerKeys

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
                    monitor.recv_multipart(zmq.NOBLOCK)
                    self._due_s.setdefault(sock, now_s + AGAIN_S)
                    self._tell(self._endpoints[sock], now_s)
            if now_s >= self._due_s.get(sock, float("inf")):
                del self._due_s[sock]
                endpoint = self._endpoints[sock]
                with contextlib.suppress(zmq.ZMQError):  # ZeroMQ has dropped the connection already
                    sock.disconnect(endpoint)
                sock.connect(endpoint)

    def close(self) -> None:
        """Stops monitoring; call before closing the sockets."""
        for sock, monitor in self._monitors.items():
            sock.disable_monitor()
            monitor.close()
        self._monitors.clear()

    def _tell(self, endpoint: str, now_s: float) -> None:
        if now_s - self._told_s < TOLD_S:
            return
        self._told_s = now_s
        if self._keys is None:
            _log.warning("%s lets nobody in without a key: see `kibitzer worker --help`", endpoint)
            return
        mine = self._keys.own.fingerprint
        _log.warning("%s does not take this worker's key (%s): `kibitzer keys allow` there", endpoint, mine)
