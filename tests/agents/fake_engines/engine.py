"""An engine for any of the protocols that plays the first legal move, or misbehaves as MANNER says.

`engine.py PROTOCOL MANNER [FILE]`: manner is `good`, `stalls`, `lies`, `dies`, `garbage`, `floods`, `endless`, `deaf`,
`parents`, which stalls beside a child whose process id is in FILE, `wild`, which says much that is no protocol before
each move, `slow`, which computes for BURNT_S after its greeting and before its first move, `mortal`, which ends at its
third move, or `dies_once` and `lies_once`, which create FILE and behave well if it exists. Each start adds a line to
FILE.starts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import games
from agents.protocols import ggf, gtp, sanmill
from rules import AnyGame

PROTOCOL, MANNER = sys.argv[1], sys.argv[2]
FILE = Path(sys.argv[3]) if sys.argv[3:] else None
LIES = {"uci": "bestmove a1-g7", "nboard": "=== A1/0/0", "gomocup": "0,0", "gtp": "={number} H8\n"}
"""Moves that are illegal in the positions of the tests."""


BURNT_S = 0.3


def burn() -> None:
    until_s = time.process_time() + BURNT_S
    while time.process_time() < until_s:
        pass


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


asked = 0
"""Moves that this process was asked for."""
WILD = (
    b"\xff\xfe\x80 bestmove \xc3\r\n",
    b"\r\n" * (PROTOCOL != "gtp"),  # an empty line ends an answer of GTP
    b"info string " + b"x" * 65524 + b"bestmove a1\n",
    b"\xe2\x82 === , 1;1\r\n",
)
"""No UTF-8, empty lines, and a line whose end looks like a move where it is cut after 65536 bytes."""


def misbehave(number: str = "") -> bool:
    """Misbehaves as the manner says when a move is asked for; returns whether this replaces the move.

    The number is that of the command, for protocols that have one.
    """
    global asked
    asked += 1
    manner = MANNER
    if manner == "slow" and asked == 1:
        burn()
    if manner == "wild":
        sys.stdout.flush()
        sys.stdout.buffer.write(b"".join(WILD))
        sys.stdout.buffer.flush()
    if manner == "mortal" and asked == 3:
        os._exit(3)
    if manner.endswith("_once"):
        assert FILE is not None
        if FILE.exists():
            return False
        FILE.touch()
        manner = manner.removesuffix("_once")
    if manner == "parents":
        assert FILE is not None
        FILE.write_text(str(subprocess.Popen(["sleep", "600"]).pid))
    if manner in ("stalls", "parents"):
        time.sleep(600)
    if manner == "dies":
        os._exit(3)
    if manner == "lies":
        say(LIES[PROTOCOL].format(number=number))
    if manner == "garbage":
        say("\x00\x01 bestmove?? === , 7;7 \udcff".encode("utf-8", "replace").decode())
    if manner == "endless":
        say(f"={number} D3")
    while manner in ("floods", "endless"):
        say("info string nothing " * 20)
    return manner in ("lies", "garbage")


def uci() -> None:
    game, standing = games.load("morris"), None
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["uci"]:
            say("id name fake\nuciok")
        elif words[:1] == ["isready"]:
            say("readyok")
        elif words[:1] == ["position"]:
            standing = sanmill.read(game, words[1:])  # type: ignore[arg-type]
        elif words[:1] == ["go"] and not misbehave():
            assert standing is not None
            if standing.journey is not None:
                move = standing.removals(game)[0]  # type: ignore[arg-type]
                say("bestmove " + sanmill.tokens(game.format_move(standing.position, move))[1])
            else:
                move = game.legal_moves(standing.position)[0]
                say("info depth 3 score cp 7 nodes 99 pv x")
                say("bestmove " + sanmill.tokens(game.format_move(standing.position, move))[0])


def nboard() -> None:
    game, position = games.load("reversi"), None
    for line in sys.stdin:
        if line.startswith("ping"):
            say(line.replace("ping", "pong").strip())
            if MANNER == "slow" and line.split() == ["ping", "1"]:
                burn()
        elif line.startswith("set game"):
            position = ggf.read(game, line)  # type: ignore[arg-type]
        elif line.startswith("go") and not misbehave():
            assert position is not None
            move = ggf.format_move(game, position, game.legal_moves(position)[0])  # type: ignore[arg-type]
            say(f"status thinking\n=== {move}/1.50/0.0")


def gomocup() -> None:
    taken: set[str] = set()
    size, listing = 15, False
    for raw in sys.stdin:
        line = raw.strip()
        if listing and line != "DONE":
            taken.add(",".join(line.split(",")[:2]))
        elif line.startswith("START"):
            size = int(line.split()[1])
            say("OK - ready")
        elif line.startswith("RESTART"):
            say("OK")
        elif line == "BOARD":
            taken, listing = set(), True
        elif re.match("BEGIN|DONE", line):
            listing = False
            say("MESSAGE thinking, 1,2 is not it")
            if not misbehave():
                say(next(f"{x},{y}" for y in range(size) for x in range(size) if f"{x},{y}" not in taken))


def speak_gtp() -> None:
    game: AnyGame = games.load("reversi")
    position, taken = game.initial(), set[str]()
    for line in sys.stdin:
        number, command, *words = line.split()
        answer = ""
        if command == "protocol_version":
            answer = "2"
        elif command == "list_commands":
            answer = "boardsize\nclear_board\ngenmove\nlist_commands\nplay\nprotocol_version"
        elif command in ("boardsize", "clear_board"):
            game = games.load("reversi" if words in (["8"], []) and game.name == "reversi" else "gomoku")
            position, taken = game.initial(), set()
        elif command == "play" and game.name == "gomoku":
            taken.add(gtp.from_vertex(game, words[1]))
        elif command == "play":
            position = game.apply(position, game.parse_move(position, gtp.from_vertex(game, words[1])))
        elif command == "genmove":
            if misbehave(number):
                continue
            if game.name == "gomoku":
                text = next(cell for cell in game.cells if cell not in taken)
                taken.add(text)
            else:
                move = game.legal_moves(position)[0]
                text, position = game.format_move(position, move), game.apply(position, move)
            answer = gtp.to_vertex(game, text)
        else:
            say(f"?{number} unknown command\n")
            continue
        say(f"={number} {answer}\n")


if FILE is not None:
    with FILE.with_suffix(".starts").open("a") as starts:
        starts.write("started\n")
if MANNER == "deaf":
    time.sleep(600)
{"uci": uci, "nboard": nboard, "gomocup": gomocup, "gtp": speak_gtp}[PROTOCOL]()
