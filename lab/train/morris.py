"""The recipe for morris' evaluation: play, fit, play better, fit again; it starts from a published heuristic."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel.memory import Memory
from games.nine_mens_morris.kernel.weights import NAMED
from games.nine_mens_morris.kernel.weights import PATTERNS as NAME
from lab.train.morris_fit import Fitted, accuracy, fit
from lab.train.morris_games import play
from places.weights import write_entry

FILE = f"{NAME}.npz"
ROUNDS = ((1 / 4, 3, 0.8), (1 / 2, 4, 0.7), (1.0, 4, 0.6), (1.0, 4, 0.6))
"""Share of the games, depth of their searches, and trust in what comes later (`morris_games.play`)."""
EPOCHS = 10
MEASURED = 4
"""Depth of the searches in the games that measure how often the winner is told."""
FIRST = "best"
"""The heuristic by which the first games are played."""


def make_morris(out: Path, *, games: int, seed: int, command: str) -> None:
    """Writes `morris_patterns.npz` and its manifest entry into the folder.

    Key `weights`: int16 (STAGES, 4 PATTERN_WORDS), hundredths of a logit, ordered as in
    `games.nine_mens_morris.kernel.patterns`.
    """
    fitted: Fitted | None = None
    with Progress(console=Console(stderr=True)) as progress:
        for number, (share, depth, trust) in enumerate(ROUNDS, 1):
            count = max(round(share * games), 40)
            task = progress.add_task(f"round {number}: games at depth {depth}", total=count)
            prepare = functools.partial(_judge_by, None if fitted is None else fitted.weights)
            advance = functools.partial(progress.advance, task)
            positions = play(prepare, count, depth, trust, seed + number - 1, advance)
            task = progress.add_task(f"round {number}: {len(positions.mine)} positions, fitting", total=layout.STAGES)
            fitted = fit(positions, EPOCHS, seed, functools.partial(progress.advance, task))
        assert fitted is not None
        count = games // 20
        task = progress.add_task("games to measure by", total=count)
        prepare = functools.partial(_judge_by, fitted.weights)
        fresh = play(prepare, count, MEASURED, 1.0, seed + len(ROUNDS), functools.partial(progress.advance, task))
    np.savez_compressed(out / FILE, weights=fitted.weights)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (lab/train/morris_games.py)",
        "licence": "MIT",
        "command": command,
        "held_out_error_points": round(fitted.error, 4),
        "fresh_games_winner_accuracy": round(accuracy(fresh, fitted.weights), 4),
    }
    write_entry(out, NAME, FILE, facts)


def _judge_by(weights: np.ndarray | None, memory: Memory) -> None:
    """Lets a search judge by these patterns; before there are any, by a heuristic."""
    if weights is None:
        for phase, features in enumerate(NAMED[FIRST]):
            start = int(layout.WEIGHTS) + 16 * phase
            memory[start : start + len(features)] = np.array(features, dtype=np.int64).astype(np.uint64)
        return
    memory[int(layout.PATTERNS) : int(layout.PATTERNS_END)] = np.ascontiguousarray(weights.reshape(-1)).view(np.uint64)
    memory[layout.JUDGE] = 1
