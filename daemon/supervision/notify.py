"""Notifications to systemd: the few datagrams of sd_notify(3), implemented here to avoid another library."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Mapping

from wording.outside import clean

LOGGER = logging.getLogger(__name__)
TURN_S = 0.5
"""Seconds, longest wait for a busy systemd, for messages it must not miss."""
MAX_STATUS_LENGTH = 200


class Notifier:
    """Reports the daemon's state to systemd; does nothing if it did not ask. No method fails or blocks for long."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        if self._address and self._address[0] not in "/@":
            LOGGER.warning(
                "NOTIFY_SOCKET = %r: neither a path nor an abstract name; systemd is not told", self._address
            )
            self._address = ""
        self.watchdog_s = _watchdog_s(environment)
        self._status = ""

    def ready(self, status: str) -> None:
        self._send(f"READY=1\nSTATUS={clean(status, MAX_STATUS_LENGTH)}", TURN_S)

    def alive(self) -> None:
        if self.watchdog_s is not None:
            self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        if text != self._status:
            self._status = text
            self._send(f"STATUS={clean(text, MAX_STATUS_LENGTH)}")

    def reloading(self) -> None:
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}", TURN_S)

    def stopping(self) -> None:
        self._send("STOPPING=1", TURN_S)

    def _send(self, text: str, wait_s: float = 0.0) -> None:
        if not self._address:
            return
        # A name that begins with @ is a Linux abstract socket: a zero byte replaces the @.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.settimeout(wait_s)
                sock.sendto(text.encode(), address)
        except OSError as error:
            LOGGER.debug("systemd cannot be told %r: %s", text, error)


def _watchdog_s(environment: Mapping[str, str]) -> float | None:
    wanted, pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not wanted.isascii() or not wanted.isdecimal() or int(wanted) == 0:
        return None
    return int(wanted) / 1e6 if pid in ("", str(os.getpid())) else None
