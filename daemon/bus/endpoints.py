"""Addresses the daemon listens on: loopback only unless there are keys, and never one already in use."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
import socket
import stat
from pathlib import Path

import zmq

MAX_PATH_LENGTH = 100
_TCP = re.compile(r"tcp://(?P<host>\*|localhost|[0-9.]{7,15}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<port>\*|[0-9]{1,5})")


class BusError(RuntimeError):
    """The bus cannot be opened or used as requested; the message says what to do."""


class BusRefusedError(BusError):
    """A permanent refusal: it lasts until somebody changes the settings, the keys or a folder's permissions."""


def checked(endpoint: str, *, has_keys: bool = False) -> str:
    """The endpoint in the form ZeroMQ takes.

    Raises BusRefusedError if it is invalid, or if other computers could reach it and there are no keys.
    """
    if endpoint.startswith("ipc://"):
        path = endpoint.removeprefix("ipc://")
        if not path.startswith("/") or not path.isprintable() or len(path.encode()) > MAX_PATH_LENGTH:
            raise BusRefusedError(f"{endpoint!r}: an ipc path is absolute and has at most {MAX_PATH_LENGTH} bytes")
        return endpoint
    match = _TCP.fullmatch(endpoint)
    host = None if match is None else _host(match["host"])
    if match is None or host is None:
        what = "an address and a port" if has_keys else "without keys only this computer may connect"
        raise BusRefusedError(f"{endpoint!r}: {what}; use tcp://127.0.0.1:PORT, tcp://[::1]:PORT or ipc:///PATH")
    if not has_keys and not (host != "*" and ipaddress.ip_address(host.strip("[]")).is_loopback):
        raise BusRefusedError(
            f"{endpoint!r} is refused: without keys only this computer may connect; use tcp://127.0.0.1:PORT, "
            'or make keys (`kibitzer keys new daemon`) and set keys = "var/keys" under [bus]'
        )
    if match["port"] != "*" and not 1 <= int(match["port"]) <= 65535:
        raise BusRefusedError(f"{endpoint!r}: a port is between 1 and 65535, or * for any free one")
    return f"tcp://{host}:{match['port']}"


def reachable(endpoint: str) -> str:
    return endpoint.replace("tcp://0.0.0.0:", "tcp://127.0.0.1:").replace("tcp://[::]:", "tcp://[::1]:")


def bind(sock: zmq.Socket[bytes], endpoint: str) -> str:
    """Binds to a `checked` endpoint and returns the actual one, with a port in place of `*`. Raises BusError."""
    path = Path(endpoint.removeprefix("ipc://")) if endpoint.startswith("ipc://") else None
    if path is not None and _is_listening(path):
        raise BusError(f"{endpoint} is in use: is another kibitzer running? Stop it, or set another endpoint")
    if path is None:
        sock.setsockopt(zmq.IPV6, int("[" in endpoint))
    try:
        if path is not None:
            _own_folder(path.parent)
        sock.bind(endpoint)
        if path is not None:
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    except (zmq.ZMQError, OSError) as error:
        if isinstance(error, zmq.ZMQError) and error.errno == zmq.EADDRINUSE:
            in_use = f"port {endpoint.rpartition(':')[2]} is in use ({endpoint}): is another kibitzer running?"
            raise BusError(f"{in_use} Stop it, or set another endpoint") from error
        raise BusError(f"{endpoint} cannot be opened: {error}") from error
    return sock.getsockopt_string(zmq.LAST_ENDPOINT)


def _host(host: str) -> str | None:
    """An address as ZeroMQ writes it; None if it is invalid."""
    if host == "*":
        return host
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        return None
    return f"[{address}]" if address.version == 6 else str(address)


def _own_folder(folder: Path) -> None:
    """Creates the folder of an ipc path; refuses one in which other users could replace the socket."""
    folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BusRefusedError(
            f"{folder} must be yours alone for an ipc address; `chmod 700 {folder}`, or name another folder"
        )


def _is_listening(path: Path) -> bool:
    """Whether a program answers at an ipc path; ZeroMQ would silently take the path over."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.settimeout(0.5)
        probe.connect(str(path))
        return True
    return False
