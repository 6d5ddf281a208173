"""Fits a table profile to a simulated table as a user would: from pictures of the empty board and of a few pieces."""

from __future__ import annotations

import numpy as np

from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from lab.simulated.table import SimulatedTable
from lab.simulated.tiles import has_tiles, random_tiles
from rules import EMPTY, AnyGame
from vision.calibrating.calibrate import LabelledPhoto, fit_profile
from vision.reading.heads import OTHER

PHOTOS = 3
MAX_EMPTY = 48
"""Most empty cells that are labelled in a picture."""
SEED_STEP = 7919
"""Step between the calibration pictures' seeds, so that their pieces are not exactly where the game's will be."""


def profile_of(game: AnyGame, template: BoardTemplate, table: SimulatedTable, seed: int) -> TableProfile:
    photos = []
    rng = np.random.default_rng([seed, 6])
    for number, board in enumerate(_boards(game, template, rng)):
        twin = table.with_board(board, seed=seed + SEED_STEP * (number + 1))
        labels = _some(board, rng)
        photos.append(LabelledPhoto(f"picture {number + 1}", twin.render(), labels, twin.corners_px()))
    return fit_profile(photos, template)


def _boards(game: AnyGame, template: BoardTemplate, rng: np.random.Generator) -> list[str]:
    """The empty board, and boards with every class on alternate cells, or with tiles at random."""
    empty = EMPTY * len(game.cells)
    if has_tiles(template):
        return [empty, *(random_tiles(template, rng) for _ in range(PHOTOS - 1))]
    letters, cells = game.classes, range(len(game.cells))
    mixed = ["".join(letters[(cell + shift) % len(letters)] for cell in cells) for shift in range(PHOTOS - 1)]
    return [empty, *mixed]


def _some(board: str, rng: np.random.Generator) -> str:
    """The board with at most MAX_EMPTY empty cells: they are much alike, and more take longer to learn from."""
    empty = np.flatnonzero(np.array(list(board)) == EMPTY)
    spare = set(rng.permutation(empty)[MAX_EMPTY:].tolist())
    return "".join(OTHER if cell in spare else letter for cell, letter in enumerate(board))
