"""Compares solved endgames with published results: exact scores, best moves, positions visited and processor time.

    .venv/bin/python -m lab.bench.solve_endgames ../shared/data/engines/ffo-1-59.jsonl --first 40 --last 44

A line of the file is a JSON object with `id` ("FFO#40"), `board` (64 of X O -), `side`, `score` and `moves` (score of
each move). Ends with status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from agents.endgames import Solver
from games.reversi import Reversi


def main() -> int:
    """Prints one line a position, then the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--first", type=int, default=1, help="number of the first position")
    parser.add_argument("--last", type=int, default=19, help="number of the last")
    parser.add_argument("--table-mb", type=int, default=256)
    chosen = parser.parse_args()
    game, solver = Reversi(), Solver(chosen.table_mb)
    nodes, seconds, busy_s, wrong = 0, 0.0, 0.0, 0
    for line in chosen.file.read_text(encoding="utf-8").splitlines():
        published = json.loads(line)
        if not chosen.first <= int(published["id"].rpartition("#")[2]) <= chosen.last:
            continue
        position = game.parse_position(f"{published['board']} {published['side']}")
        began_s = time.process_time()
        solution = solver.solve(position)
        used_s = time.process_time() - began_s
        best = [game.format_move(position, move) for move in solution.best]
        right = solution.score == published["score"] and all(
            published["moves"].get(move) == published["score"] for move in best
        )
        verdict = "" if right else "WRONG"
        print(
            f"{published['id']:8} {published['empties']:2} empty  {solution.score:+3d} {best[0]}"
            f"  {solution.nodes:>11,} nodes  {solution.seconds:7.3f} s  {used_s:7.3f} s of processor  {verdict}",
            flush=True,
        )
        nodes, seconds, busy_s, wrong = (
            nodes + solution.nodes,
            seconds + solution.seconds,
            busy_s + used_s,
            wrong + 1 - right,
        )
    print(f"together {nodes:,} nodes, {seconds:.2f} s, {busy_s:.2f} s of processor, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
