"""Measures the two tables of numbers that reversi's selective search rests on.

    kibitzer bench reversi-errors --positions 100

The program plays against itself at four plies a move, from random openings. Positions in which neither side is far
ahead (AHEAD) are then searched without any cut. Prints one JSON object:

- `errors`: a row for each stage of the game, a column for each depth from MIN_DEPTH plies to DEEPEST. A number is the
  standard deviation of the search's score less that of the shallow search that ProbCut asks, in hundredths of a disc.
  In `games.reversi.kernel.probcut`, ERRORS is the column of 8 plies and BY_DEPTH the mean row.
- `tempo`: by stage, half the mean difference between the scores of a search of 3 plies and of those of 2 and 4, plus
  the TEMPO in force (`games.reversi.kernel.patterns.TEMPO`). The positions are a stage's first, so that all three
  searches end within the stage: TEMPO counts where a search ends, not where it begins.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated

import numpy as np
import typer

DEEPEST, PLAYED, AHEAD = 8, 4, 1200
"""Plies of the deepest search and of the games; hundredths of a disc."""
GAMES_A_POSITION = 10


def main(positions: Annotated[int, typer.Option(help="positions of each stage")] = 100, seed: int = 1) -> None:
    # Compiling the kernel takes half a minute, which nobody waits for who asks how this is called.
    from agents.kernels.memory import BEST_MOVE, EXACT, GENERATION, HINT, NODES, STOP, trained
    from agents.kernels.negamax import LIMIT
    from games.reversi.kernel import memory as layout
    from games.reversi.kernel.memory import STAGES
    from games.reversi.kernel.midgame import evaluate, negamax, place
    from games.reversi.kernel.patterns import FIRST_DISCS, MAX_VALUE, STAGE_DISCS, TEMPO
    from games.reversi.kernel.probcut import MIN_DEPTH, PROBES, shallow_depth
    from lab.train.reversi import play

    def scores_of(mine: np.uint64, theirs: np.uint64, deepest: int) -> list[int]:
        """The scores of searches without cuts to 0, 1, ... `deepest` plies."""
        memory[[STOP, NODES, HINT, BEST_MOVE]] = 0
        memory[GENERATION] = (int(memory[GENERATION]) + 1) % 64
        place(memory, np.uint64(0), mine, theirs)
        return [int(negamax(memory, 0, depth, -LIMIT, LIMIT)) for depth in range(deepest + 1)]

    memory = layout.allocate(64)
    memory[EXACT] = 1
    games = play(trained(layout.TRAINED), GAMES_A_POSITION * positions, PLAYED, 1.0, seed, lambda _: None)
    discs = np.bitwise_count(games.mine | games.theirs)
    draw = np.random.default_rng(seed)
    errors, tempo = list[list[int]](), list[int]()
    for stage in range(STAGES):
        first = FIRST_DISCS + STAGE_DISCS * stage
        deepest = min(DEEPEST, 64 - first - 1)
        rows = list[list[int]]()
        for row in draw.permutation(np.flatnonzero(discs == first)):
            mine, theirs = games.mine[row], games.theirs[row]
            if abs(evaluate(memory, mine, theirs)) <= AHEAD:
                scores = scores_of(mine, theirs, deepest)
                if max(map(abs, scores)) <= MAX_VALUE:
                    rows.append(scores)
            if len(rows) == positions:
                break
        found = np.array(rows)
        pairs = [(depth, shallow_depth(depth, PROBES - 1)) for depth in range(MIN_DEPTH, deepest + 1)]
        errors.append([round(float((found[:, deep] - found[:, shallow]).std())) for deep, shallow in pairs])
        odd = found[:, 3] - (found[:, 2] + found[:, 4]) / 2
        tempo.append(round(float(TEMPO[stage] + odd.mean() / 2)))
        print(f"stage {stage}: {len(rows)} positions", file=sys.stderr, flush=True)
    print(json.dumps({"errors": errors, "tempo": tempo}))
