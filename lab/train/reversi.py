"""The recipe for reversi's evaluation: play, fit, play better, fit again; it starts from the rules alone."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress

from games.reversi.kernel.memory import STAGE_WORDS, STAGES
from lab.train.reversi_fit import fit
from lab.train.reversi_games import play
from places.manifest import write_entry
from places.weights import find_weights

FILE, NAME = "reversi_patterns.npz", "reversi_patterns"


class Round(NamedTuple):
    share: float
    """Share of the games asked for."""
    depth: int
    """Plies of the searches that play them."""
    trust: float
    """Trust in what comes later (`reversi_games.play`)."""
    epochs: int
    """Passes over the positions."""


ROUNDS: tuple[Round, ...] = (
    Round(1 / 6, 1, 1.0, 6),
    Round(1 / 6, 2, 0.8, 8),
    Round(1 / 3, 4, 0.6, 12),
    Round(1 / 3, 4, 0.4, 12),
    Round(1.0, 4, 0.5, 12),
    Round(1 / 40, 8, 0.6, 5),
)
"""Each but the last fits from nothing. The last moves the weights of the round before: its games are few but deep."""


def make_reversi(out: Path, *, games: int, seed: int, further: bool, command: str) -> None:
    """Writes `reversi_patterns.npz` and its manifest entry into the folder; with `further` by the last round alone.

    Key `weights`: int16 (STAGES, 4 STAGE_WORDS), hundredths of a disc, ordered as in `games.reversi.kernel.patterns`.
    Raises WeightsError if the weights to go further from are not there.
    """
    weights = np.zeros((STAGES, 4 * STAGE_WORDS), np.int16)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (lab/train/reversi_games.py)",
        "licence": "MIT",
        "command": command,
    }
    if further:
        earlier = find_weights(NAME)
        facts["further_from"] = earlier.sha256
        with np.load(earlier.path) as stored:
            weights = stored["weights"]
    error = accuracy = 0.0
    with Progress(console=Console(stderr=True)) as progress:
        for number, (share, depth, trust, epochs) in enumerate(ROUNDS, 1):
            last = number == len(ROUNDS)
            if further and not last:
                continue
            count = max(round(share * games), 40)
            task = progress.add_task(f"round {number}: games at depth {depth}", total=count)
            packed = np.ascontiguousarray(weights.reshape(-1)).view(np.uint64)
            advance = functools.partial(progress.advance, task)
            positions = play(packed, count, depth, trust, seed + number - 1, advance)
            task = progress.add_task(f"round {number}: {len(positions.mine)} positions, fitting", total=STAGES)
            start = weights if last else None
            weights, error, accuracy = fit(positions, epochs, seed, functools.partial(progress.advance, task), start)
    np.savez_compressed(out / FILE, weights=weights)
    facts |= {"held_out_error_discs": round(error, 2), "held_out_winner_accuracy": round(accuracy, 4)}
    write_entry(out, NAME, FILE, facts)
