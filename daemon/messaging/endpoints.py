"""Addresses the daemon listens on: this computer only, and never one that somebody else holds."""

from __future__ import annotations

import contextlib
import re
import socket
import stat
from pathlib import Path

import zmq

LONGEST_PATH = 100
"""Bytes; the system's limit for ipc paths is 107."""
_TCP = re.compile(r"tcp://(?P<host>127(?:\.\d{1,3}){3}|localhost|\[::1\]):(?P<port>\*|\d{1,5})")


class BusError(RuntimeError):
    """The bus cannot be opened or used as asked; the message says what to do."""


def checked(endpoint: str) -> str:
    """The endpoint in the form ZeroMQ takes. Raises BusError where it is not on this computer, or no endpoint."""
    if endpoint.startswith("ipc://"):
        path = endpoint.removeprefix("ipc://")
        if not path.startswith("/") or len(path.encode()) > LONGEST_PATH:
            raise BusError(f"{endpoint!r}: an ipc path is absolute and has at most {LONGEST_PATH} bytes")
        return endpoint
    match = _TCP.fullmatch(endpoint)
    if match is None:
        raise BusError(
            f"{endpoint!r} is refused: without keys only this computer may connect; "
            "use tcp://127.0.0.1:PORT, tcp://[::1]:PORT or ipc:///PATH"
        )
    if match["port"] != "*" and not 1 <= int(match["port"]) <= 65535:
        raise BusError(f"{endpoint!r}: a port is between 1 and 65535, or * for any free one")
    host = "127.0.0.1" if match["host"] == "localhost" else match["host"]
    return f"tcp://{host}:{match['port']}"


def bind(sock: zmq.Socket[bytes], endpoint: str) -> str:
    """Binds to a `checked` endpoint and returns the one in force, where `*` has become a port. Raises BusError."""
    path = Path(endpoint.removeprefix("ipc://")) if endpoint.startswith("ipc://") else None
    if path is not None and _is_listening(path):
        raise BusError(f"{endpoint} is in use: is another kibitzer running? Stop it, or set another endpoint")
    if path is None:
        sock.setsockopt(zmq.IPV6, int("[" in endpoint))
    try:
        sock.bind(endpoint)
        if path is not None:
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    except zmq.ZMQError as error:
        if error.errno == zmq.EADDRINUSE:
            port = endpoint.rpartition(":")[2]
            raise BusError(
                f"port {port} is in use ({endpoint}): is another kibitzer running? Stop it, or set another endpoint"
            ) from error
        raise BusError(f"{endpoint} cannot be opened: {error}") from error
    except OSError as error:
        raise BusError(f"{endpoint} cannot be opened: {error}") from error
    return sock.getsockopt_string(zmq.LAST_ENDPOINT)


def _is_listening(path: Path) -> bool:
    """Whether a program answers at an ipc path; ZeroMQ would take the path away from it without a word."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.settimeout(0.5)
        probe.connect(str(path))
        return True
    return False
