"""Solves reversi endgames and compares the exact scores and best moves with published ones.

    kibitzer bench solve-endgames ../shared/data/engines/ffo-1-59.jsonl --first 40 --last 44

A line of the file is a JSON object with `id` ("FFO#40"), `board` (64 of X O -), `side`, `empties`, `score` and `moves`
(score of each move). Prints the positions visited and the seconds of each. Exit status 1 if anything differs, 2 if the
file is not such a list.
"""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.command_line import refusing
from agents.endgames import Solver
from games.reversi import Position, Reversi
from system.named_files import read_text

MAX_BYTES = 10 << 20
EXPECTED = "a JSON object with id, board, side, empties, score and moves"


@dataclasses.dataclass(frozen=True)
class Published:
    id: str
    number: int
    position: Position
    empties: int
    score: int
    moves: dict[str, int]
    """Score of each move."""


def main(
    file: Annotated[Path, typer.Argument(help="published positions")],
    first: Annotated[int, typer.Option(help="number of the first position")] = 1,
    last: Annotated[int, typer.Option(help="number of the last")] = 19,
    table_mb: int = 256,
) -> int:
    with refusing("bench solve-endgames"):
        game = Reversi()
        chosen = [one for one in read(game, file) if first <= one.number <= last]
        if not chosen:
            raise ValueError(f"{file} has no position numbered {first} to {last}")
    solver = Solver(table_mb)
    nodes, seconds, busy_s, wrong = 0, 0.0, 0.0, 0
    for published in chosen:
        began_s = time.process_time()
        solution = solver.solve(published.position)
        used_s = time.process_time() - began_s
        best = [game.format_move(published.position, move) for move in solution.best]
        right = {solution.score, *map(published.moves.get, best)} == {published.score}
        print(
            f"{published.id:8} {published.empties:2} empty  {solution.score:+3d} {best[0]}"
            f"  {solution.nodes:>11,} nodes  {solution.seconds:7.3f} s  {used_s:7.3f} s of processor",
            "" if right else " WRONG",
            flush=True,
        )
        nodes, seconds = nodes + solution.nodes, seconds + solution.seconds
        busy_s, wrong = busy_s + used_s, wrong + (not right)
    print(f"together {nodes:,} nodes, {seconds:.2f} s, {busy_s:.2f} s of processor, {wrong} wrong")
    return int(wrong > 0)


def read(game: Reversi, file: Path) -> list[Published]:
    """The positions of a file. Raises ValueError naming the file, the line and what is expected there."""
    try:
        lines = read_text(file, MAX_BYTES).splitlines()
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file} is no text: expected is one position a line, {EXPECTED}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_published(game, line))
            except ValueError as error:
                raise ValueError(f"{file}, line {number}: {error}") from None
    if not found:
        raise ValueError(f"{file} is empty: expected is one position a line, {EXPECTED}")
    return found


def _published(game: Reversi, line: str) -> Published:
    """The position of a line. Raises ValueError saying what is expected."""
    try:
        told: Any = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise ValueError(f"expected is {EXPECTED}, not {line[:60]!r}")
    kinds = {"id": str, "board": str, "side": str, "empties": int, "score": int, "moves": dict}
    for name, kind in kinds.items():
        if type(told.get(name)) is not kind:
            raise ValueError(f"expected is {EXPECTED}; {name} is {_short(told.get(name))}")
    number = told["id"].rpartition("#")[2]
    if not (number.isascii() and number.isdecimal()):
        raise ValueError(f"expected is an id that ends with # and a number, such as FFO#40, not {_short(told['id'])}")
    if not all(type(score) is int for score in told["moves"].values()):
        raise ValueError("expected is a whole number as the score of each of the moves")
    position = game.parse_position(f"{told['board']} {told['side']}")
    if game.outcome(position) is not None:
        raise ValueError("expected is a position in which a side can move")
    return Published(told["id"], int(number), position, told["empties"], told["score"], told["moves"])


def _short(value: object) -> str:
    return "missing" if value is None else repr(value)[:60]
