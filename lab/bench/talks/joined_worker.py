"""The worker of docs/protocol.md, as it stands there, at a daemon's table: games one after the other in one session.

A person without a camera plays against it, and is restless before the first move: states then follow each other faster
than the worker's heart beats. All along the daemon must be in order, and miss nobody.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from daemon.bus.worker_registry import ALIVE_S
from lab.bench import daemons
from lab.bench.talks.tally import Tally, spent_s
from system import paths

DOCUMENT = paths.PROGRAM / "docs" / "protocol.md"
AGENT = "mascot"
LOOK_S, TELL_S = 0.05, 0.25
"""Seconds between two looks, and between two commands: the page takes five a second."""
RESTLESS_S = ALIVE_S + 2
JOIN_S, LONGEST_S = 60.0, 600.0
"""Seconds until daemon and worker have met, and for one game at the pace of TELL_S."""


class Seat:
    """The person's seat at the daemon's page."""

    def __init__(self, address: str, tally: Tally) -> None:
        self._address, self._tally = address, tally

    def get(self, path: str, body: bytes | None = None) -> Any:
        """The answer, also one of a daemon that is not in order; empty if nobody answers."""
        request = urllib.request.Request(f"{self._address}/{path}", body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=JOIN_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return json.load(error)
        except OSError:
            return {}

    def tell(self, **words: object) -> Any:
        time.sleep(TELL_S)
        return self.get("tell", json.dumps(words).encode())

    def is_well(self) -> bool:
        parts: dict[str, dict[str, Any]] = self.get("healthz").get("parts", {})
        return bool(parts) and all(part["ok"] for part in parts.values())

    def examine(self) -> None:
        """Counts every part of the daemon that is not in order."""
        for name, part in self.get("healthz").get("parts", {}).items():
            if not part["ok"]:
                self._tally.fault(f"{name}: {part['text']}")


def play(tally: Tally, count: int, folder: Path) -> None:
    port = daemons.free_port()
    settings = daemons.write_settings(
        folder / "table.toml",
        "morris",
        players={"second": {"agent": f"bus:{AGENT}"}},
        camera={"source": "none"},
        page={"port": port},
    )
    bus = daemons.state_address(settings), f"ipc://{settings.with_suffix('')}-r"
    code = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)[0]
    command = [sys.executable, "-I", "-c", code, *bus]
    seat = Seat(f"http://127.0.0.1:{port}", tally)
    with daemons.program("daemon.cli", "run", "--config", str(settings), log=folder / "daemon.log"), _running(command):
        try:
            daemons.wait(seat.is_well, "the daemon and the worker have not met", JOIN_S)
        except TimeoutError as error:
            tally.fault(f"{error}: {(folder / 'daemon.log').read_text(errors='replace')[-300:]!r}", "late")
            seat.examine()
            return
        session = seat.get("state")["session"]
        for number in range(count):
            _game(seat, tally, random.Random(number))
            if seat.get("state").get("session") != session:
                tally.fault("the daemon has begun another session")
            tally.games += 1
            seat.tell(command="new_game")
        daemon = [sys.executable, "-m", "daemon.cli", "run", "--config", str(settings)]
        tally.ours_s, tally.theirs_s = spent_s(daemon), spent_s(command)
        for text in (one["text"] for one in seat.get("events")):
            if AGENT in text:
                tally.fault(text)


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[None]:
    program = subprocess.Popen(command)
    try:
        yield
    finally:
        program.kill()
        program.wait()


def _game(seat: Seat, tally: Tally, draw: random.Random) -> None:
    restless_until_s, end_s = time.monotonic() + RESTLESS_S, time.monotonic() + LONGEST_S
    for command in itertools.cycle(("pause", "resume")):
        if command == "pause" and time.monotonic() > restless_until_s:
            break
        seat.tell(command=command)
        seat.examine()
    while time.monotonic() < end_s:
        seat.examine()
        state = seat.get("state")
        if state.get("outcome"):
            tally.plies += state["ply"]
            return
        if state.get("awaiting") == "move" and (moves := seat.get("legal").get("moves")):
            told = seat.tell(command="move", move=draw.choice(moves)["move"], ply=state["ply"])
            if told["code"] not in ("done", "refused"):
                tally.fault(f"told a move: {told}")
        time.sleep(LOOK_S)
    tally.fault("the game did not end", "late")
