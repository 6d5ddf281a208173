"""Compares the rules of go with GNU Go: legality, stones and captures of random games.

    kibitzer bench go-oracle --games 100
    kibitzer bench go-oracle --make tests/games/data/go_finished.jsonl --games 20

The first call compares every point's legality and every board of random games, on 9, 13 and 19 lines in turn, and stops
at the first difference. The second lets GNU Go play games against itself at level 1, and writes their moves with its
own dead stones and points, by area and by territory.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import games
from games.go import PASS, Go
from rules.turns import cells_of

GNUGO = shutil.which("gnugo") or "/usr/games/gnugo"
COLOURS = ("black", "white")
MOST_PLIES = 400
RULES: tuple[dict[str, object], ...] = ({}, {"suicide": True}, {"superko": True}, {"superko": True, "suicide": True})
OPTIONS = {"suicide": "--allow-suicide", "superko": "--positional-superko"}


class GnuGo:
    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [GNUGO, "--mode", "gtp", "--level", "1", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> GnuGo:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate("quit\n", timeout=60)

    def tell(self, *commands: str) -> list[str]:
        """The answers to commands sent at once. Raises ValueError with the first refusal."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("".join(f"{command}\n" for command in commands))
        self._process.stdin.flush()
        answers = []
        for command in commands:
            lines = []
            while (line := self._process.stdout.readline()).strip():
                lines.append(line.strip())
            if not lines or not lines[0].startswith("="):
                raise ValueError(f"{command}: {lines}")
            answers.append(" ".join(lines)[1:].strip())
        return answers


def compare(game: Go, gnugo: GnuGo, seed: int, plies: int = MOST_PLIES) -> int:
    """Plays a random game on both sides; returns its plies. Raises AssertionError at the first difference."""
    draw = random.Random(seed)
    position = game.initial()
    gnugo.tell(f"boardsize {game.size}", "clear_board")
    for ply in range(plies):
        empty = list(cells_of(game.empty(position)))
        side = COLOURS[position.side]
        told = gnugo.tell(*(f"is_legal {side} {game.cells[cell]}" for cell in empty))
        legal = {cell for cell, answer in zip(empty, told, strict=True) if answer == "1"}
        ours = set(cells_of(game.open(position)))
        differing = [game.cells[cell] for cell in legal ^ ours]
        assert not differing, f"seed {seed}, ply {ply}: {differing} in {game.format_position(position)}"
        move = draw.choice([move for move in game.legal_moves(position) if move != PASS] or [PASS])
        position = game.apply(position, move)
        gnugo.tell(f"play {side} {game.format_move(position, move)}")
        board = [set(game.geometry.names(stones)) for stones in position.stones]
        theirs = [set(answer.split()) for answer in gnugo.tell("list_stones black", "list_stones white")]
        assert board == theirs, f"seed {seed}, ply {ply}: {game.format_position(position)}"
        captured = tuple(map(int, gnugo.tell("captures black", "captures white")))
        assert captured == position.prisoners, f"seed {seed}, ply {ply}: captures {captured}, {position.prisoners}"
        if position.passes == 2:
            break
    return ply + 1


def finished(size: int, seed: int) -> dict[str, Any]:
    """A game of GNU Go against itself, with its dead stones and its points by territory and by area."""
    options = f"--seed {seed} --boardsize {size} --komi 6.5".split()
    with GnuGo(*options) as gnugo:
        moves: list[str] = []
        while moves[-2:] != ["PASS"] * 2 and len(moves) < MOST_PLIES:
            moves += gnugo.tell(f"genmove {COLOURS[len(moves) % 2]}")
        dead = gnugo.tell("final_status_list dead")[0].split()
        territory = gnugo.tell("final_score")[0]
    with GnuGo(*options, "--chinese-rules") as gnugo:
        gnugo.tell(*(f"play {COLOURS[ply % 2]} {move}" for ply, move in enumerate(moves)))
        area = gnugo.tell("final_score")[0]
    return {"size": size, "moves": " ".join(moves), "dead": dead, "territory": territory, "area": area}


def main(
    count: Annotated[int, typer.Option("--games", help="how many games")] = 100,
    seed: Annotated[int, typer.Option(help="seed of the first")] = 0,
    make: Annotated[Path | None, typer.Option(help="write finished games to this file instead")] = None,
) -> None:
    sizes = (9, 13, 19)
    if make is not None:
        found = [finished(sizes[number % 4 // 2], seed + number) for number in range(count)]
        make.write_text("".join(json.dumps(one) + "\n" for one in found), encoding="utf-8")
        return
    plies = 0
    for number in range(count):
        rules = {**RULES[number % 4], "size": sizes[number // 4 % 3]}
        game = games.load("go", rules)
        assert isinstance(game, Go)
        with GnuGo(*(option for name, option in OPTIONS.items() if rules.get(name))) as gnugo:
            plies += compare(game, gnugo, seed + number)
        sys.stderr.write(f"\r{number + 1} games, {plies} plies")
    sys.stdout.write(f"\n{count} games, {plies} plies: no difference\n")
