"""`kibitzer run` as a process: notifications for systemd, commands, and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from daemon.cli import reload
from tests.daemon.http_client import ask
from tests.waiting import wait_for

WAIT_S = 60.0


class Table:
    """Settings of a table whose camera is absent, without a process."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.config, self.log = folder / "table.toml", folder / "log" / "kibitzer.log"
        self.settings = f"""
[players.second]
agent = ""
[camera]
source = "97"
[bus]
state = "tcp://127.0.0.1:*"
reply = "tcp://127.0.0.1:*"
[speech]
enabled = false
[page]
port = {self.port}
window = false
token = "{folder}/token"
[journal]
path = "{folder}/journal.sqlite"
[log]
path = "{self.log}"
"""
        self.config.write_text(self.settings, encoding="utf-8")


class Process(Table):
    """Its daemon, and the socket at which a test plays systemd."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ear.bind(str(folder / "notify"))
        self.ear.settimeout(0.1)
        self.heard: list[str] = []
        self._deaf = threading.Event()
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()
        environment = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "3000000"}
        command = [sys.executable, "-m", "daemon.cli", "run", "--config", str(self.config)]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def _listen(self) -> None:
        while not self._deaf.is_set():
            with contextlib.suppress(TimeoutError):
                self.heard += self.ear.recv(4096).decode().splitlines()

    def hears(self, wanted: str) -> None:
        """Waits until systemd would have received a line that begins like this."""
        wait_for(lambda: any(line.startswith(wanted) for line in self.heard))

    def part(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = ask(f"http://127.0.0.1:{self.port}/healthz").json["parts"].get(name, {})
        return found

    def run(self, config: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "daemon.cli", "run", "--config", str(config)]
        return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S)

    def reload(self, config: Path) -> Result:
        return CliRunner().invoke(reload.app, ["--config", str(config)])

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self._deaf.set()
        self._listener.join()
        self.ear.close()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Process]:
    process = Process(tmp_path)
    yield process
    process.close()


def test_daemon_without_a_camera_is_started_kept_alive_reloaded_and_ended_by_systemd(daemon: Process) -> None:
    daemon.hears("READY=1")
    daemon.hears("STATUS=degraded: camera: I have no camera")
    daemon.hears("WATCHDOG=1")
    other = daemon.config.with_name("other.toml")
    other.write_text(daemon.settings, encoding="utf-8")
    another = daemon.reload(other)
    assert another.exit_code == 2 and f"runs with {daemon.config}" in another.stderr
    same = daemon.reload(daemon.config)
    assert (same.exit_code, same.stdout) == (0, "The settings are as they were.\n"), same.stderr
    daemon.config.write_text(daemon.settings + "[eyes]\nsettle_s = 0.8\n[advice]\nmoves = 4\n", encoding="utf-8")
    taken = daemon.reload(daemon.config)
    assert taken.stdout == "New settings: eyes.settle_s. advice.moves waits for a restart.\n", taken.stderr
    daemon.hears("RELOADING=1")
    daemon.config.write_text(daemon.settings + "[eyes]\nsettle_s = 99\n", encoding="utf-8")
    wrong = daemon.reload(daemon.config)
    assert wrong.exit_code == 2 and "eyes.settle_s = 99" in wrong.stderr and "nothing was changed" in wrong.stderr
    daemon.process.send_signal(signal.SIGHUP)
    wait_for(lambda: daemon.part("settings")["ok"] is False)
    assert "eyes.settle_s = 99" in daemon.part("settings")["text"]
    second = daemon.run(daemon.config.with_name("absent.toml"))
    assert second.returncode == 2 and "absent.toml: cannot be read" in second.stderr
    daemon.config.write_text(daemon.settings.replace("journal.sqlite", "other.sqlite"), encoding="utf-8")
    taken_port = daemon.run(daemon.config)
    assert taken_port.returncode == 75 and f"port {daemon.port}" in taken_port.stderr
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(WAIT_S) == 0
    daemon.hears("STOPPING=1")
    assert "I have no camera" in daemon.log.read_text(encoding="utf-8")
    gone = daemon.reload(daemon.config)
    assert gone.exit_code == 2 and "no daemon answers at" in gone.stderr


FAULTY = """
import sys
from daemon.cli import run
def fail(self):
    raise ZeroDivisionError("a fault of the program")
run.Daemon._turn = fail
run.app(["--config", sys.argv[1]])
"""


def test_fault_of_the_program_is_logged_said_and_ends_with_the_status_of_a_restart(tmp_path: Path) -> None:
    table = Table(tmp_path)
    command = [sys.executable, "-c", FAULTY, str(table.config)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == 70, done.stderr
    log = table.log.read_text(encoding="utf-8")
    assert "ZeroDivisionError: a fault of the program" in log and "I must start again. Nothing recorded is lost." in log
