"""A match of Kibitzer in xboard, by polyglot, against programs that speak xboard's own protocol; no screen is needed.

xboard judges the moves and the clocks, and python-chess reads the games that it has written.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from pathlib import Path
from subprocess import DEVNULL

import chess
import chess.pgn

from lab.bench import processes
from lab.bench.talks.tally import OPINION, Tally, our_engine, program
from system import paths
from system.processes import Process

OPPONENTS = ("fairymax", "hoichess")
"""GNU Chess 6.2.7 is none of them: it does not move by a clock of seconds."""
CLOCK = ("-tc", "0:05", "-inc", "0.1")
"""Five seconds for a game, and a tenth more for each move."""
LONGEST_S = 180.0
"""Seconds for one game: 700 plies would last twice five seconds and 70 more, and a busy machine is slower."""
LOOK_S = 0.5
ALLOWED = r"(?i)checkmate|stalemate|material|repetition|50.move|fifty|draw|resign|mates"
"""Ends of a game by its rules; any other, such as a flag or an illegal move, is a fault of one program."""


def play(tally: Tally, count: int, folder: Path) -> None:
    found = [name for name in OPPONENTS if program(name) is not None]
    if not found:
        tally.missing = f"{' or '.join(OPPONENTS)} is not installed"
    for number, name in enumerate(found):
        games = count // len(found) + (number < count % len(found))
        if games:
            _match(tally, games, name, folder / name)


def _match(tally: Tally, count: int, opponent: str, folder: Path) -> None:
    folder.mkdir()
    engine, games = folder / "kibitzer", folder / "games.pgn"
    ours = our_engine("chess", "uci", "alphabeta:depth=2")
    engine.write_text(f"#!/bin/sh\ncd {shlex.quote(str(paths.PROGRAM))} && exec {shlex.join(ours)}\n")
    engine.chmod(0o755)
    adapter = f"{program('polyglot')} -noini -ec {engine} -ed {folder}"
    other = program(opponent) or opponent
    process = Process(
        [
            *(program("xvfb-run") or "", "-a", program("xboard") or "", "-fcp", adapter, "-scp", other, *CLOCK),
            *("-mg", str(count), "-sgf", str(games), "-autoflag", "-soundProgram", "true", "-xexit"),
        ],
        env={**os.environ, "HOME": str(folder)},
        stdout=DEVNULL,
        stderr=DEVNULL,
    )  # fmt: skip
    spent_s: dict[int, tuple[bool, float]] = {}
    deadline_s = time.monotonic() + LONGEST_S * count
    while process.poll() is None and time.monotonic() < deadline_s:
        for one in processes.family(process.pid):
            if (mine := "daemon.cli" in one.words) or one.words[0] == other:
                spent_s[one.pid] = mine, processes.cpu_s(one.pid)
        time.sleep(LOOK_S)
    process.end()
    tally.ours_s += sum(used for mine, used in spent_s.values() if mine)
    tally.theirs_s += sum(used for mine, used in spent_s.values() if not mine)
    played = read(tally, games, opponent) if games.exists() else 0
    if played != count:
        tally.fault(f"{count} games were asked for against {opponent}, {played} were played in time", "late")


def read(tally: Tally, file: Path, opponent: str) -> int:
    """Counts the games of a file and what is wrong with them; returns how many there are."""
    count = 0
    with file.open(encoding="utf-8", errors="replace") as text:
        while (game := chess.pgn.read_game(text)) is not None:
            end = game.end()
            told = re.sub(r"[+-]\d\S*", "", end.comment).strip()
            if game.errors:
                tally.fault(f"against {opponent}: {game.errors[0]}", OPINION)
            elif not re.search(ALLOWED, told):
                tally.fault(
                    f"against {opponent}: {told or 'no reason told'} {game.headers['Result']}, {end.board().fen()}"
                )
            elif (outcome := end.board().outcome()) is not None and outcome.result() != game.headers["Result"]:
                tally.fault(f"against {opponent}: {told} {game.headers['Result']}, {outcome}", OPINION)
            tally.plies += end.ply()
            tally.games += 1
            count += 1
    return count
