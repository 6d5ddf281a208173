"""The weights of chess' evaluation in one row, as the recipe fits them, and the pieces of a position to match."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from games.chess.kernel.weights import FEATURES, LETTERS, Pair, Weights, mirrored
from rules import EMPTY

HALF_BOARD = 32
"""Cells of the left half of the board, four a row: the right half mirrors it."""
NAMES = (
    *(f"worth {letter}" for letter in LETTERS[:-1]),
    *(f"place {letter} {cell}" for letter in LETTERS for cell in range(HALF_BOARD)),
    *(f"{name} {number}" for name, (_, count) in FEATURES.items() for number in range(count)),
)
"""Every pair of weights, in the order of `listed`."""


def listed(weights: Weights) -> list[Pair]:
    """All pairs of weights in one row."""
    places = [pair for letter in LETTERS for pair in weights.places[letter]]
    features = [pair for name in FEATURES for pair in weights.features[name]]
    return [*(weights.worth[letter] for letter in LETTERS[:-1]), *places, *features]


def unlisted(pairs: Sequence[Pair]) -> Weights:
    """The contrary of `listed`."""
    left = iter(pairs)
    worth = {letter: next(left) for letter in LETTERS[:-1]}
    places = {letter: list(itertools.islice(left, HALF_BOARD)) for letter in LETTERS}
    return Weights(worth, places, {name: list(itertools.islice(left, count)) for name, (_, count) in FEATURES.items()})


def text_of(weights: Weights) -> str:
    """The weights as the source of OWN."""
    parts = []
    for rows in (weights.worth, weights.places, weights.features):
        entries = [f'"{name}": {row if isinstance(row, tuple) else list(row)},' for name, row in rows.items()]
        parts.append("    {\n" + "\n".join(f"        {entry}" for entry in entries) + "\n    },\n")
    return "OWN = Weights(\n" + "".join(parts) + ")"


def pieces(board: str, side: int) -> list[int]:
    """The mover's pieces less the enemy's, in the order of `listed` as far as it tells of pieces."""
    worth, places = dict.fromkeys(LETTERS, 0), {letter: [0] * HALF_BOARD for letter in LETTERS}
    for cell, letter in enumerate(board):
        if letter == EMPTY:
            continue
        sign = 1 if letter.isupper() == (side == 0) else -1
        worth[letter.upper()] += sign
        places[letter.upper()][mirrored(cell if letter.isupper() else cell ^ 56)] += sign
    return [*(worth[letter] for letter in LETTERS[:-1]), *(count for row in places.values() for count in row)]
