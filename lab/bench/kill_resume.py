"""Kills a daemon's processes at random instants of simulated games and checks that it ends with the right record.

    kibitzer bench kill-resume --kills 20
    kibitzer bench kill-resume --kills 60 --game reversi --game dominoes --any --longest-s 6

The simulated table lives in a process of its own and serves MJPEG, as a phone would; it alone knows the truth. The
daemon is killed with SIGKILL, started again, and must end with exactly the plies that were made on the table.

With --any the daemon watches the table twice, as two tables under one parent, the second one through a relay. It kills
any of the parent, the tables' processes, the agents' worker, the voice, the sound player and the relay, or all of them
at once. The bench restarts only a killed parent; the daemon must bring back the rest. Both records must be right. Games
follow one another until the number of kills is reached. In dominoes players wait for nobody: --think-s must be so long
that no more moves are made than are caught up with.

Prints one JSON object; exit status 1 if a record or a resumed board was wrong, or a process outlived its parent.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

import games
from daemon.game.line_of_play import shares_pieces
from daemon.record.journal import Journal
from lab.bench import processes
from lab.bench.daemons import ROOT, fetch, free_port, wait, write_settings
from lab.bench.processes import Process
from rules.options import rules_from_words

GAMES = ["nine_mens_morris"]
GAME_S = 1800.0
"""Seconds at most for one game."""
HAND_S = 1.5
"""Seconds at most that a hand takes to leave once its piece is down."""
STUCK_S = 120.0
"""Seconds without a new ply after which the game is abandoned and counted as it is."""
APART_S = 75.0
"""Seconds between two kills of one of several tables: the shorter it lived, the longer its parent waits."""
AWAY_S = 1.0
"""Seconds that the relay stays away."""
GONE_S = 20.0
"""Seconds at most that a killed process's children may outlive it."""
CATCH_UP_S = 60.0
"""Seconds at most to wait for the records before the next kill when players wait for nobody: the daemon can catch up
with seven unseen tiles, but not with any number."""
QUIET = "pcm.silent { type null }\n"


class Bench:
    def __init__(
        self,
        folder: Path,
        seed: int,
        game: str,
        pace: float,
        rules: Sequence[str],
        chance: random.Random,
        *,
        any_: bool,
        think_s: float = 2.0,
    ) -> None:
        self.random = chance
        self.folder, self._any = folder, any_
        given = rules_from_words(rules)
        self._game = the_game = games.load(game, given)
        self._shares_pieces = shares_pieces(the_game)
        self.page, self.video = free_port(), free_port()
        self.killed: collections.Counter[str] = collections.Counter()
        self.outlived: list[str] = []
        """Processes that did not end when their parent was killed."""
        self._killed_s: dict[str, float] = {}
        self._relay: subprocess.Popen[bytes] | None = None
        self._daemon: subprocess.Popen[bytes] | None = None
        self._words: list[str] = []
        self.journals: list[Path] = []
        (folder / "asound.conf").write_text(QUIET, encoding="utf-8")
        profile = folder / "table.npz"
        words = [word for rule in rules for word in ("--rule", rule)]
        self.table = self._start(
            "table", "--game", game, *words, "--seed", str(seed), "--port", str(self.video), "--pace", str(pace),
            "--think-s", str(think_s), "--write-profile", str(profile), *([] if self._shares_pieces else [
                "--humans", the_game.sides[0], "--follow", f"http://127.0.0.1:{self.page}/state"
            ]),
        )  # fmt: skip
        speech = {"enabled": True, "device": "silent"} if any_ else {}
        board: dict[str, Mapping[str, object]] = {
            "game": {"rules": {name: str(value) for name, value in given.items()}},
            "board": {"profile": str(profile)},
            "speech": speech,
        }
        agent = {"agent": "" if self._shares_pieces else "alphabeta", "time_s": 0.1}
        self._configure("config", self.video, players={"second": agent}, page={"port": self.page}, **board)
        if any_:
            self._relay_port = free_port()
            self._plug_in()
            self._configure("watcher", self._relay_port, page={"enabled": False}, **board)
        wait(lambda: profile.exists() and self.truth(), "the simulated table did not start", 120)

    def _configure(self, name: str, video: int, **sections: Mapping[str, object]) -> None:
        config, camera = self.folder / f"{name}.toml", {"source": f"http://127.0.0.1:{video}/video"}
        write_settings(config, self._game.name, camera=camera, **sections)
        self.journals.append(config.with_suffix(".sqlite"))
        self._words += ["--config", str(config)]

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        return self._spawn(words[0], [sys.executable, "-m", "daemon.cli", *words])

    def _spawn(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "ALSA_CONFIG_PATH": str(self.folder / "asound.conf")}
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT, env=environment)

    def _plug_in(self) -> None:
        self._relay = self._spawn(
            "relay", [sys.executable, "-m", "lab.bench.relay", str(self._relay_port), str(self.video)]
        )

    def truth(self) -> dict[str, Any] | None:
        return fetch(f"http://127.0.0.1:{self.video}/truth")

    def start_daemon(self) -> subprocess.Popen[bytes]:
        self._daemon = self._start("run", *self._words)
        return self._daemon

    def recorded(self, path: Path) -> list[str]:
        """The recorded moves of the last game that has any; may be read while another process writes."""
        if not path.exists():
            return []
        with contextlib.closing(Journal(path, read_only=True)) as journal:
            played = [game.moves for game in journal.games() if game.moves]
            return list(played[-1]) if played else []

    def records(self) -> list[list[str]]:
        return [self.recorded(path) for path in self.journals]

    def _is_right(self, recorded: Sequence[str], truth: dict[str, Any], *, whole: bool) -> bool:
        """Whether a record matches what was played; unless `whole`, it may end earlier.

        Plies that nobody saw may be recorded as another legal line that leads to the same board. If the pieces belong
        to nobody, passes are not seen, and tiles that appeared together may be in either order.
        """
        moves = truth["moves"]
        if self._shares_pieces:
            ours, true = (
                collections.Counter(move for move in one if not move.startswith("pass")) for one in (recorded, moves)
            )
            return ours == true if whole else ours <= true
        if whole and len(recorded) != len(moves):
            return False
        if list(recorded) == moves[: len(recorded)]:
            return True
        if len(recorded) > len(moves):
            return False
        position = self._game.initial()
        for move in recorded:
            position = self._game.apply(position, self._game.parse_move(position, move))
        return bool(self._game.board(position) == truth["boards"][len(recorded) - 1])

    def play(self, kills: int, longest_s: float) -> dict[str, Any]:
        """Kills and restarts `kills` times, lets the game end, and compares."""
        wrong_resumes, begun_s = 0, time.monotonic()
        plies, progress_s = 0, begun_s
        daemon = self.start_daemon()
        while time.monotonic() - begun_s < GAME_S and time.monotonic() - progress_s < STUCK_S:
            caught_up = not self._shares_pieces or self._settle(CATCH_UP_S)
            time.sleep(self.random.uniform(0.3, longest_s))
            truth = self.truth()
            assert truth is not None, "the simulated table died"
            if len(truth["moves"]) != plies:
                plies, progress_s = len(truth["moves"]), time.monotonic()
            done = self.killed.total() >= kills
            if truth["finished"] and (done or all(self._is_right(one, truth, whole=True) for one in self.records())):
                break
            if done or not caught_up:
                continue
            daemon = self._kill_one(daemon)
            before = self.records()
            # The record may lag behind the table, and the table's own account behind a hand that is still leaving.
            time.sleep(HAND_S)
            truth = self.truth()
            assert truth is not None
            wrong_resumes += not all(self._is_right(one, truth, whole=False) for one in before)
        self._settle()
        truth, records = self.truth(), self.records()
        assert truth is not None
        return {
            "kills": self.killed.total(),
            "killed": dict(self.killed),
            "plies": len(truth["moves"]),
            "recorded": [len(one) for one in records],
            "wrong_records_at_kill": wrong_resumes,
            "other_lines": sum(not self._shares_pieces and one != truth["moves"] for one in records),
            "record_right": all(self._is_right(one, truth, whole=True) for one in records),
            "outlived": self.outlived,
            "finished": truth["finished"],
            "seconds": round(time.monotonic() - begun_s, 1),
        }

    def _kill_one(self, daemon: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """Kills a process of the daemon, or all; returns the daemon that runs afterwards."""
        family = processes.family(daemon.pid)
        role = "daemon" if not self._any else self._choose({one.role for one in family})
        self.killed[role] += 1
        self._killed_s[role] = time.monotonic()
        if role == "relay":
            assert self._relay is not None
            self._relay.kill()
            self._relay.wait()
            time.sleep(AWAY_S)
            self._plug_in()
            return daemon
        doomed = family if role == "everything" else [self.random.choice([one for one in family if one.role == role])]
        for one in doomed:
            processes.kill(one)
        if daemon.pid not in {one.pid for one in doomed}:
            return daemon
        daemon.wait()
        self._await_end(family)
        return self.start_daemon()

    def _choose(self, roles: set[str]) -> str:
        choice = sorted(roles | {"relay", "everything"})
        if time.monotonic() - self._killed_s.get("table", float("-inf")) < APART_S:
            choice = [role for role in choice if role != "table"]
        return self.random.choice(choice)

    def _await_end(self, family: list[Process]) -> None:
        """Waits for a killed daemon's children, which must end by themselves, unless a new daemon can begin."""
        deadline_s = time.monotonic() + GONE_S
        while left := [one for one in family if processes.is_alive(one)]:
            if time.monotonic() > deadline_s:
                self.outlived += [f"{one.role} {one.pid}" for one in left]
                for one in left:
                    processes.kill(one)
                return
            time.sleep(0.1)

    def _settle(self, longest_s: float = 60.0) -> bool:
        """Waits until all that was played is recorded; returns whether it is."""
        deadline_s = time.monotonic() + longest_s
        while time.monotonic() < deadline_s:
            truth = self.truth()
            if truth is not None and all(self._is_right(one, truth, whole=True) for one in self.records()):
                return True
            time.sleep(0.5)
        return False

    def close(self) -> None:
        started = [one for one in (self._daemon, self.table, self._relay) if one is not None]
        for process in started:
            process.send_signal(signal.SIGTERM)
        for process in started:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def totals(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    killed = sum((collections.Counter(one["killed"]) for one in results), collections.Counter[str]())
    return {
        "kills": killed.total(),
        "killed": dict(killed),
        "games": len(results),
        "plies": sum(one["plies"] for one in results),
        "recorded": sum(min(one["recorded"]) for one in results),
        "wrong_records": sum(not one["record_right"] for one in results),
        "wrong_records_at_kill": sum(one["wrong_records_at_kill"] for one in results),
        "outlived": [name for one in results for name in one["outlived"]],
        "seconds": round(sum(one["seconds"] for one in results), 1),
    }


def main(
    kills: Annotated[int, typer.Option(help="how many, over all games")] = 20,
    any_: Annotated[bool, typer.Option("--any", help="kill any process, not only the daemon itself")] = False,
    seed: int = 1,
    game: Annotated[list[str], typer.Option(help="repeatable, in turn")] = GAMES,
    rule: Annotated[list[str] | None, typer.Option(help="rule option k=v; repeatable")] = None,
    pace: Annotated[float, typer.Option(help="speed of the player's hand")] = 1.5,
    think_s: Annotated[float, typer.Option(help="thought before a move; long where players wait for nobody")] = 2.0,
    longest_s: Annotated[float, typer.Option(help="longest time between two kills")] = 12.0,
    most_games: Annotated[int, typer.Option(help="ends after so many games, whatever was killed")] = 50,
    keep: Annotated[Path | None, typer.Option(help="folder for logs and record, kept")] = None,
) -> bool:
    chance, results = random.Random(seed), list[dict[str, Any]]()
    with TemporaryDirectory(prefix="kibitzer-kill-") as temporary, contextlib.suppress(KeyboardInterrupt):
        for number in range(most_games):
            left = kills - sum(one["kills"] for one in results)
            if left <= 0:
                break
            folder = (keep or Path(temporary)) / f"game{number}"
            folder.mkdir(mode=0o700, parents=True)  # sockets are only opened in folders that nobody else may enter
            name = game[number % len(game)]
            bench = Bench(folder, seed + number, name, pace, rule or [], chance, any_=any_, think_s=think_s)
            with contextlib.closing(bench):
                results.append({"game": name, **bench.play(left, longest_s)})
            sys.stderr.write(json.dumps(results[-1]) + "\n")
    total = totals(results)
    sys.stdout.write(json.dumps(total) + "\n")
    return bool(total["wrong_records"] or total["wrong_records_at_kill"] or total["outlived"])
