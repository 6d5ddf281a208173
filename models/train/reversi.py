"""The recipe for reversi's evaluation: play, fit, play better, fit again; it starts from the rules alone."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from agents.kernels.reversi.memory import STAGE_WORDS, STAGES
from models.train.manifest import write_entry
from models.train.reversi_fit import fit
from models.train.reversi_games import play

FILE, NAME = "reversi_patterns.npz", "reversi_patterns"
ROUNDS = ((1 / 6, 1, 1.0, 6), (1 / 6, 2, 0.8, 8), (1 / 3, 4, 0.6, 12), (1 / 3, 4, 0.4, 12), (1.0, 4, 0.5, 12))
"""Share of the games, depth of their searches, trust in what comes later (`reversi_games.play`), and passes over their
positions. The last round's weights are kept."""


def make_reversi(out: Path, *, games: int, seed: int, command: str) -> None:
    """Writes `reversi_patterns.npz` and its manifest entry into the folder.

    Key `weights`: int16 (STAGES, 4 STAGE_WORDS), hundredths of a disc, ordered as in `agents.kernels.reversi.patterns`.
    """
    weights = np.zeros((STAGES, 4 * STAGE_WORDS), np.int16)
    error = accuracy = 0.0
    with Progress(console=Console(stderr=True)) as progress:
        for number, (share, depth, trust, epochs) in enumerate(ROUNDS, 1):
            count = max(round(share * games), 40)
            task = progress.add_task(f"round {number}: games at depth {depth}", total=count)
            packed = np.ascontiguousarray(weights.reshape(-1)).view(np.uint64)
            advance = functools.partial(progress.advance, task)
            positions = play(packed, count, depth, trust, seed + number - 1, advance)
            task = progress.add_task(f"round {number}: {len(positions.mine)} positions, fitting", total=STAGES)
            weights, error, accuracy = fit(positions, epochs, seed, functools.partial(progress.advance, task))
    np.savez_compressed(out / FILE, weights=weights)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (models/train/reversi_games.py)",
        "licence": "MIT",
        "command": command,
        "held_out_error_discs": round(error, 2),
        "held_out_winner_accuracy": round(accuracy, 4),
    }
    write_entry(out, NAME, FILE, facts)
