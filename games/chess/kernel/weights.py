"""Evaluation weights of each named heuristic and of the engine's own evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agents.kernels.memory import Memory, Word
from agents.kernels.memory import write as write_words
from games.chess import heuristics as plain
from games.chess.kernel import evaluation, memory

Pair = tuple[int, int]
"""Weights in the middlegame and in the endgame, in hundredths of a pawn."""
LETTERS = tuple(memory.KINDS)


class Weights(NamedTuple):
    worth: Mapping[str, Pair]
    """By letter of a piece, without the king."""
    places: Mapping[str, Sequence[Pair]]
    """By letter: 32 cells of the left half of the board for a white piece, a8 first; what is added to its worth."""
    features: Mapping[str, Sequence[Pair]]
    """By name in FEATURES."""


def _each(pair: Pair, counts: Iterable[int]) -> list[Pair]:
    return [(pair[0] * count, pair[1] * count) for count in counts]


def _place(letter: str, cell: int) -> Pair:
    """By rule: near the middle is better, pawns run; the king hides while there are pieces."""
    middle, row = plain.MIDDLE[cell], 6 - cell // 8
    return {"P": (4 * row, 8 * row), "N": (6 * middle - 18, 4 * middle - 12), "K": (-8 * middle, 6 * middle)}.get(
        letter, (2 * middle - 6, middle - 3)
    )


OWN = Weights(
    {"P": (100, 100), "N": (300, 300), "B": (310, 310), "R": (480, 520), "Q": (900, 920)},
    {letter: [_place(letter, 8 * row + column) for row in range(8) for column in range(4)] for letter in LETTERS},
    {
        "knight": _each((4, 4), range(-4, 5)),
        "bishop": _each((4, 4), range(-6, 8)),
        "rook": _each((2, 4), range(-7, 8)),
        "queen": _each((1, 2), range(-14, 14)),
        "passed": _each((2, 5), (0, 0, 1, 3, 6, 10, 15, 0)),
        "free": _each((1, 4), (0, 0, 1, 2, 3, 5, 8, 0)),
        "king_near": _each((0, -4), range(8)),
        "enemy_near": _each((0, 6), range(8)),
        "pawns": [(-10, -10), (-8, -14), (6, 6), (-6, -6)],
        "pair": [(25, 45)],
        "columns": [(25, 10), (12, 6)],
        "outpost": [(20, 10), (12, 6)],
        "shelter": [(14, 0), (8, 0), (2, 0), (0, 0), (0, 0), (0, 0), (0, 0), (-14, 0)],
        "storm": [(0, 0), (-10, 0), (-6, 0), (-3, 0), (0, 0), (0, 0), (0, 0), (0, 0)],
        "hits": _each((6, 0), range(16)),
        "hitters": _each((8, 0), (0, 0, 2, 5, 8, 10, 12, 12)),
        "threats": [(40, 30), (50, 40), (60, 50), (25, 25), (30, 30)],
        "hanging": [(20, 20)],
        "tempo": [(15, 10)],
    },
)
"""The engine's own weights; the features in the order of `evaluation`."""


def _features() -> dict[str, tuple[int, int]]:
    """First word of each feature, and number of its weights; after those of mobility some words are free."""
    word, found = int(evaluation.MOBILITY), {}
    for name, weights in OWN.features.items():
        found[name] = word, len(weights)
        word += evaluation.MOST_MOVES if word < evaluation.PASSED else len(weights)
    assert word == evaluation.TEMPO + 1
    return found


FEATURES = _features()


def packed(pair: Pair) -> int:
    """Two numbers in one, so that sums of it add both: the middlegame's above, the endgame's below."""
    return (pair[0] << 32) + pair[1]


def mirrored(cell: int) -> int:
    """Index of a cell among those of the left half of the board."""
    row, column = divmod(cell, 8)
    return 4 * row + min(column, 7 - column)


def write(target: Memory, weights: Weights) -> None:
    """Makes a search judge by these weights."""
    target[memory.JUDGE] = evaluation.OWN
    for letter in LETTERS:
        worth = weights.worth.get(letter, (0, 0))
        for cell in range(64):
            early, late = weights.places[letter][mirrored(cell)]
            _write_worth(target, letter, cell, packed((worth[0] + early, worth[1] + late)))
    for name, (first, _) in FEATURES.items():
        write_words(target, Word(first), map(packed, weights.features[name]))


def _write_worth(target: Memory, letter: str, cell: int, value: int) -> None:
    """Writes White's worth of a white piece on a cell, and of the black one that mirrors it."""
    first = int(memory.WORTHS) + 64 * int(memory.KINDS[letter])
    target[first + cell] = value % 2**64
    target[first + 8 * 64 + (cell ^ 56)] = -value % 2**64


def write_named(target: Memory, heuristic: str) -> None:
    """Makes a search judge by a heuristic of `games.chess.heuristics`."""
    target[memory.JUDGE] = evaluation.EXCHANGES if heuristic == "exchanges" else evaluation.NAMED
    alone = heuristic == "material"
    for letter in LETTERS:
        for cell in range(64):
            _write_worth(target, letter, cell, plain.WORTH[letter] + (0 if alone else plain.place(letter, cell)))
    early, late = (0, 0) if alone else plain.KING_STEPS
    write_words(target, evaluation.KINGS_EARLY, (early, late, plain.ENDGAME))
