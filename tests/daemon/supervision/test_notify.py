"""What systemd receives, at a socket that the test reads."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.supervision.notify import Notifier


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(5)
        yield sock


def environment(ear: socket.socket, **more: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": str(ear.getsockname()), **more}


def heard(ear: socket.socket) -> list[str]:
    ear.setblocking(False)
    messages = []
    while True:
        try:
            messages.append(ear.recv(4096).decode())
        except BlockingIOError:
            return messages


def test_start_signs_of_life_status_and_end_are_told(ear: socket.socket) -> None:
    notifier = Notifier(environment(ear, WATCHDOG_USEC="60000000", WATCHDOG_PID=str(os.getpid())))
    notifier.ready("Reversi,\n3 plies")
    notifier.alive()
    notifier.status("no camera")
    notifier.status("no camera")
    notifier.stopping()
    assert heard(ear) == ["READY=1\nSTATUS=Reversi, 3 plies", "WATCHDOG=1", "STATUS=no camera", "STOPPING=1"]
    assert notifier.watchdog_s == 60.0


def test_reloading_bears_its_time_and_is_ended_by_ready(ear: socket.socket) -> None:
    notifier = Notifier(environment(ear))
    notifier.reloading()
    notifier.ready("new settings")
    first, second = heard(ear)
    assert first.startswith("RELOADING=1\nMONOTONIC_USEC=") and first.rpartition("=")[2].isdecimal()
    assert second.startswith("READY=1")


@pytest.mark.parametrize(
    "watchdog",
    [{}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "soon"}, {"WATCHDOG_USEC": "9", "WATCHDOG_PID": "1"}],
)
def test_watchdog_that_is_not_ours_gets_no_sign_of_life(ear: socket.socket, watchdog: dict[str, str]) -> None:
    notifier = Notifier(environment(ear, **watchdog))
    notifier.alive()
    assert notifier.watchdog_s is None and heard(ear) == []


def test_abstract_sockets_are_spoken_to() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0kibitzer-test-{os.getpid()}")
        Notifier({"NOTIFY_SOCKET": f"@kibitzer-test-{os.getpid()}"}).stopping()
        assert heard(ear) == ["STOPPING=1"]


def test_nobody_who_listens_is_no_fault(tmp_path: Path, ear: socket.socket) -> None:
    Notifier({}).ready("alone")
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready("alone")
    full = Notifier(environment(ear))
    for number in range(5000):  # a listener that never reads only loses messages
        full.status(f"{number} plies")
    assert heard(ear)


def test_socket_that_is_neither_path_nor_abstract_is_refused_by_name(caplog: pytest.LogCaptureFixture) -> None:
    assert not Notifier({"NOTIFY_SOCKET": "vsock:2:1"})._address
    assert "vsock:2:1" in caplog.text
