"""Solves reversi endgames and compares the exact scores and best moves with published ones.

    kibitzer bench solve-endgames ../shared/data/engines/ffo-1-59.jsonl --first 40 --last 44

A line of the file is a JSON object with `id` ("FFO#40"), `board` (64 of X O -), `side`, `empties`, `score` and `moves`
(score of each move). Prints the positions visited and the seconds of each. Exit status 1 if anything differs.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from agents.endgames import Solver
from games.reversi import Reversi


def main(
    file: Annotated[Path, typer.Argument(help="published positions")],
    first: Annotated[int, typer.Option(help="number of the first position")] = 1,
    last: Annotated[int, typer.Option(help="number of the last")] = 19,
    table_mb: int = 256,
) -> int:
    game, solver = Reversi(), Solver(table_mb)
    nodes, seconds, busy_s, wrong = 0, 0.0, 0.0, 0
    for line in file.read_text(encoding="utf-8").splitlines():
        published = json.loads(line)
        if not first <= int(published["id"].rpartition("#")[2]) <= last:
            continue
        position = game.parse_position(f"{published['board']} {published['side']}")
        began_s = time.process_time()
        solution = solver.solve(position)
        used_s = time.process_time() - began_s
        best = [game.format_move(position, move) for move in solution.best]
        right = {solution.score, *map(published["moves"].get, best)} == {published["score"]}
        print(
            f"{published['id']:8} {published['empties']:2} empty  {solution.score:+3d} {best[0]}"
            f"  {solution.nodes:>11,} nodes  {solution.seconds:7.3f} s  {used_s:7.3f} s of processor",
            "" if right else " WRONG",
            flush=True,
        )
        nodes, seconds = nodes + solution.nodes, seconds + solution.seconds
        busy_s, wrong = busy_s + used_s, wrong + (not right)
    print(f"together {nodes:,} nodes, {seconds:.2f} s, {busy_s:.2f} s of processor, {wrong} wrong")
    return int(wrong > 0)
