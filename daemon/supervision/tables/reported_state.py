"""Status messages from the tables' processes to their parent: sd_notify messages, sent to our own sockets."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import socket
import tempfile
from pathlib import Path

from wording.outside import clean

MAX_BYTES = 4096
MAX_AT_A_TIME = 64
"""Most messages of one table that are read before the next table's."""
MAX_TEXT_LENGTH = 200


@dataclasses.dataclass
class ReportedState:
    ready: bool = False
    alive_s: float | None = None
    """Monotonic seconds of its last sign of life; None before the first."""
    text: str = ""


class NotifySockets:
    def __init__(self, count: int) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="kibitzer-tables-"))
        self.sockets: list[socket.socket] = []
        try:
            for number in range(count):
                one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
                self.sockets.append(one)
                one.bind(self.address(number))
        except OSError:
            self.close()
            raise

    def address(self, number: int) -> str:
        """The value of NOTIFY_SOCKET for that table's process."""
        return str(self._folder / f"{number}.sock")

    def read(self, number: int, reported: ReportedState, now_s: float) -> None:
        for _ in range(MAX_AT_A_TIME):
            try:
                data = self.sockets[number].recv(MAX_BYTES)
            except OSError:
                return
            take(data, reported, now_s)

    def close(self) -> None:
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def take(data: bytes, reported: ReportedState, now_s: float) -> None:
    for line in data.decode(errors="replace").splitlines():
        name, _, value = line.partition("=")
        if name == "READY" and value == "1":
            reported.ready, reported.alive_s = True, now_s
        elif name == "WATCHDOG" and value == "1":
            reported.alive_s = now_s
        elif name == "STATUS":
            reported.text = clean(value, MAX_TEXT_LENGTH)
