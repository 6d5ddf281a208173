"""Kills the daemon at random instants of a simulated game and checks that it resumes with the right board and record.

    .venv/bin/python -m tests.bench.kill_resume --kills 20

The simulated table lives in a process of its own and serves MJPEG, as a phone would; it alone knows the truth. The
daemon is killed with SIGKILL, started again, and must end with exactly the plies that were made on the table.
Prints one JSON object; exit status 1 if the record or a resumed board was wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from daemon.records.journal import Journal

ROOT = Path(__file__).resolve().parents[2]
GAME_S = 1800.0
"""Longest time for the whole game."""
HAND_S = 1.5
"""Longest time that a hand takes to leave once its man is down."""
STUCK_S = 60.0
"""Time without a new ply after which the game is given up and counted as it stands."""


def free_port() -> int:
    """A port nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fetch(url: str) -> dict[str, Any] | None:
    """The JSON object at an address; None where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=2.0) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except (OSError, ValueError):
        return None


class Bench:
    """A table, a daemon, and who kills it."""

    def __init__(self, folder: Path, seed: int, game: str, pace: float, rules: list[str]) -> None:
        self.random = random.Random(seed)
        self.page, self.video = free_port(), free_port()
        self.folder = folder
        self.journal = folder / "journal.sqlite"
        profile = folder / "table.npz"
        rule_words = [word for rule in rules for word in ("--rule", rule)]
        self.table = self._start(
            "table", "--game", game, *rule_words, "--seed", str(seed), "--port", str(self.video), "--pace", str(pace),
            "--humans", "light", "--follow", f"http://127.0.0.1:{self.page}/state", "--write-profile", str(profile),
        )  # fmt: skip
        pairs = (rule.split("=", 1) for rule in rules)
        toml_rules = ", ".join(f'{name} = "{value}"' for name, value in pairs)
        self.config = folder / "config.toml"
        self.config.write_text(
            f'[game]\nname = "{game}"\nrules = {{ {toml_rules} }}\n'
            f'[players.second]\nagent = "alphabeta"\ntime_s = 0.1\n'
            f'[camera]\nsource = "http://127.0.0.1:{self.video}/video"\n[board]\nprofile = "{profile}"\n'
            f'[bus]\nstate = "tcp://127.0.0.1:{free_port()}"\nreply = "tcp://127.0.0.1:{free_port()}"\n'
            f"[speech]\nenabled = false\n[page]\nport = {self.page}\nwindow = false\n"
            f'[journal]\npath = "{self.journal}"\n',
            encoding="utf-8",
        )
        deadline_s = time.monotonic() + 60
        while not (profile.exists() and self.truth()):
            assert time.monotonic() < deadline_s, "the simulated table did not start"
            time.sleep(0.2)

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{words[0]}.log").open("ab") as log:
            return subprocess.Popen([sys.executable, "-m", "daemon.cli", *words], stdout=log, stderr=log, cwd=ROOT)

    def truth(self) -> dict[str, Any] | None:
        """What the table knows."""
        return fetch(f"http://127.0.0.1:{self.video}/truth")

    def start_daemon(self) -> subprocess.Popen[bytes]:
        """Starts the daemon, as a user or systemd would."""
        return self._start("run", "--config", str(self.config))

    def recorded(self) -> list[str]:
        """The moves in the record, read while nobody writes."""
        if not self.journal.exists():
            return []
        journal = Journal(self.journal, read_only=True)
        try:
            games = journal.games()
            return list(games[-1].moves) if games else []
        finally:
            journal.close()

    def play(self, kills: int, longest_s: float) -> dict[str, object]:
        """Kills and restarts the daemon, lets the game end, and compares."""
        wrong_resumes, done, begun_s = 0, 0, time.monotonic()
        plies, progress_s = 0, begun_s
        daemon = self.start_daemon()
        while time.monotonic() - begun_s < GAME_S and time.monotonic() - progress_s < STUCK_S:
            time.sleep(self.random.uniform(0.3, longest_s))
            truth = self.truth()
            assert truth is not None, "the simulated table died"
            if len(truth["moves"]) != plies:
                plies, progress_s = len(truth["moves"]), time.monotonic()
            if truth["finished"] and (done >= kills or self.recorded() == truth["moves"]):
                break
            if done >= kills:
                continue
            daemon.kill()
            daemon.wait()
            done += 1
            before = self.recorded()
            # The record may lag behind the table, and the table's own account behind a hand that is still leaving.
            time.sleep(HAND_S)
            truth = self.truth()
            assert truth is not None
            wrong_resumes += before != truth["moves"][: len(before)]
            daemon = self.start_daemon()
        self._settle()
        truth, recorded = self.truth(), self.recorded()
        assert truth is not None
        self._end(daemon)
        return {
            "kills": done,
            "plies": len(truth["moves"]),
            "recorded": len(recorded),
            "wrong_records_at_kill": wrong_resumes,
            "record_right": recorded == truth["moves"],
            "finished": truth["finished"],
            "seconds": round(time.monotonic() - begun_s, 1),
        }

    def _settle(self) -> None:
        deadline_s = time.monotonic() + 30
        while time.monotonic() < deadline_s:
            truth = self.truth()
            if truth is not None and self.recorded() == truth["moves"]:
                return
            time.sleep(0.5)

    def _end(self, daemon: subprocess.Popen[bytes]) -> None:
        for process in (daemon, self.table):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="how often the daemon is killed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", default="nine_mens_morris")
    parser.add_argument("--rule", action="append", default=[], help="rule option k=v")
    parser.add_argument("--pace", type=float, default=1.5, help="speed of the player's hand")
    parser.add_argument("--longest-s", type=float, default=12.0, help="longest life of a daemon")
    parser.add_argument("--keep", type=Path, help="folder for logs and record, kept")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="kibitzer-kill-") as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        result = Bench(folder, given.seed, given.game, given.pace, given.rule).play(given.kills, given.longest_s)
    sys.stdout.write(json.dumps(result) + "\n")
    return 0 if result["record_right"] and not result["wrong_records_at_kill"] else 1


if __name__ == "__main__":
    sys.exit(main())
