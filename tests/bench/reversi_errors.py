"""Measures what reversi's selective search rests on: `python -m tests.bench.reversi_errors [--positions 3000]`.

Positions from games of the program against itself, at three plies a move, begun by 2 to 14 random plies and with one
random move in twelve, are searched to every depth up to DEEPEST without any cut. Printed are, as JSON:
- `errors`: by depth, the standard deviation of the score less that of the shallow search that ProbCut asks, in
  hundredths of a disc (`agents.kernels.reversi.probcut.ERRORS`);
- `tempo`: by stage, half the mean difference between the scores of odd and even depths from FIRST_FITTED plies on,
  added to the TEMPO in force (`agents.kernels.reversi.patterns.TEMPO`).
"""

from __future__ import annotations

import argparse
import json
import random
import sys

import numpy as np

from agents.kernels.reversi import memory as layout
from agents.kernels.reversi.memory import STAGES
from agents.kernels.reversi.midgame import LOWEST, negamax
from agents.kernels.reversi.patterns import MAX_VALUE, TEMPO, stage_of
from agents.kernels.reversi.probcut import MIN_DEPTH, shallow_depth
from agents.kernels.reversi.weights import weights
from games.reversi import Move, Position, Reversi

DEEPEST, FIRST_FITTED = 10, 4
GAME, PLAYED, OF_A_GAME = Reversi(), 3, 4
U = np.uint64


def search(memory: layout.Memory, position: Position, depth: int) -> int:
    """The score of an exact search to the depth, for the side to move."""
    memory[[layout.STOP, layout.NODES, layout.HINT, layout.BEST_MOVE]] = 0
    memory[layout.GENERATION] = (int(memory[layout.GENERATION]) + 1) % 64
    mine, theirs = U(position.discs[position.side]), U(position.discs[1 - position.side])
    return int(negamax(memory, mine, theirs, depth, LOWEST, -LOWEST, 0))


def game_of(memory: layout.Memory, draw: random.Random) -> list[Position]:
    """The positions of a game in which a side could still move."""
    position, line, opening = GAME.initial(), list[Position](), draw.randint(2, 14)
    while GAME.outcome(position) is None:
        legal = GAME.legal_moves(position)
        if len(line) >= opening and draw.random() * 12 >= 1:
            search(memory, position, PLAYED)
            best = Move(int(memory[layout.BEST_MOVE]) - 1)
            move = best if best in legal else legal[0]
        else:
            move = draw.choice(legal)
        position = GAME.apply(position, move)
        line.append(position)
    return line[:-DEEPEST]


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw, memory = random.Random(given.seed), layout.allocate(64, "", weights())
    memory[layout.EXACT] = 1
    stages, rows = list[int](), list[list[int]]()
    while len(rows) < given.positions:
        line = game_of(memory, draw)
        for position in draw.sample(line, min(OF_A_GAME, len(line))):
            scores = [search(memory, position, depth) for depth in range(DEEPEST + 1)]
            if max(map(abs, scores)) <= MAX_VALUE:
                stages.append(int(stage_of(U(position.discs[0]), U(position.discs[1]))))
                rows.append(scores)
    found, stage = np.array(rows), np.array(stages)
    deep = range(MIN_DEPTH, DEEPEST + 1)
    errors = [round(float((found[:, depth] - found[:, shallow_depth(depth)]).std())) for depth in deep]
    sign = np.array([1 if depth % 2 else -1 for depth in range(FIRST_FITTED + 1, DEEPEST + 1)])
    halves = (found[:, FIRST_FITTED + 1 :] * sign).mean(axis=1)
    tempo = {one: round(float(halves[stage == one].mean()) + int(TEMPO[one])) for one in range(STAGES) if one in stage}
    print(json.dumps({"positions": len(rows), "errors": errors, "tempo": tempo}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
