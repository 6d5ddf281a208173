"""Gomoku's evaluation: counts of empty cells, by the two best of a colour's four patterns there; and the turn.

The value of the turn cannot be learnt from results: in games with good moves, the side that has just moved has gained
as much as the mover is about to gain. A search's leaves are no such positions, and without a value for the turn its
scores rise and fall with its depth. So the turn gets the value for which, on average, they do not.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.kernels.gomoku import memory as layout
from agents.kernels.gomoku import weights as kernel
from agents.kernels.gomoku.by_threats import ThreatSearch
from agents.kernels.gomoku.prover import write_stones
from agents.search import WIN
from games.gomoku import Gomoku, Move, Position
from models.train.search_evaluation.protocol import TABLE_MB, Counted, Weights, wrapped

PAIRS = tuple((high, low) for high in (3, 4, 5, 8) for low in (0, 1, 2, 3, 4, 5, 8) if low <= high and low + high < 16)
"""Pairs of the two best patterns of a cell that are fitted; less promising ones, and cells that win at once, are not.
"""
FORCED = [layout.SIDE_SETS * colour + kind for colour in (0, 1) for kind in (layout.FIVE, layout.WINNING)]
"""Sets of cells that a search never leaves to the evaluation."""
NEAR = 3
"""Lines from another stone within which a random stone is laid."""
DEPTHS = (2, 3, 4)
SWINGS = 300
"""Positions in which searches to these depths are compared."""


class GomokuEvaluation:
    """`protocol.Evaluation` for any rules but swap2, whose opening the evaluation does not cover."""

    groups: tuple[str, ...] = ("always",)
    features: tuple[str, ...] = (*map(str, PAIRS), "turn")
    fewest, most = 0, kernel.MOST
    games, nodes, plies = 4000, 1000, 110
    opening = (1, 7)
    astray, starts_anew = 0.15, True
    scale, strength = 100, 0.003
    finishing = SWINGS
    where = "agents/kernels/gomoku/weights.py, PAIRS and TURN"

    def __init__(self, game: Gomoku) -> None:
        """Raises ValueError for swap2."""
        if game.rules.swap2:
            raise ValueError("gomoku: rule option swap2 only changes the opening: train without swap2=true")
        self.game = game
        self._memory = self.search(self.shipped(), 0).memory

    def shipped(self) -> Weights:
        """The kernel's present weights."""
        return np.array([[*(kernel.PAIRS.get(pair, 0) for pair in PAIRS), kernel.TURN]], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        """A search that judges by these weights, except that the turn's value is compiled in and stays."""
        search = ThreatSearch(self.game, TABLE_MB, seed)
        memory, judged = search.memory, kernel.cell_values(dict(zip(PAIRS, weights[0, :-1].tolist(), strict=True)))
        memory[int(layout.JUDGED) : int(layout.JUDGED) + 2**13] = judged.view(np.uint64)
        patterns = _empty_patterns(memory)
        memory[layout.SUMS] = int(judged[patterns & 0xFFFF].sum())
        memory[layout.SUMS + layout.Word(1)] = int(judged[patterns >> 16].sum())
        return search

    def counted(self, position: Position) -> Counted | None:
        """Cells of each pair of patterns, the mover's minus the enemy's; None if the next move is forced."""
        memory, mover = self._memory, self.game.colour(position)
        write_stones(memory, self.game.size, position.stones)
        sets = memory[int(layout.SETS) : int(layout.ZOBRIST)].reshape(-1, layout.SET_WORDS)
        if sets[FORCED].any():
            return None
        patterns = _empty_patterns(memory)
        black, white = (_pairs(patterns >> shift & 0xFFFF) for shift in (0, 16))
        return Counted(0, np.append(black - white if mover == 0 else white - black, 1))

    def random_moves(self, position: Position) -> Sequence[Any]:
        """Stones not far from another, or in the middle of an empty board."""
        size, stones = self.game.size, position.stones[0] | position.stones[1]
        taken = [divmod(cell, size) for cell in range(size * size) if stones >> cell & 1] or [(size // 2, size // 2)]
        near = {
            row * size + column
            for line, place in taken
            for row in range(line - NEAR, line + NEAR + 1)
            for column in range(place - NEAR, place + NEAR + 1)
            if 0 <= row < size and 0 <= column < size
        }
        legal = self.game.legal_moves(position)
        return [move for move in legal if isinstance(move, Move) and move.cell in near] or legal

    def finish(self, weights: Weights, positions: Sequence[Any], say: Callable[[int], object]) -> Weights:
        """The weights with the turn's value for which searches to odd and to even depths agree on average.

        At an even depth the turn counts for the mover at the root, at an odd one against them: the compiled value is
        off by half of the difference between their scores.
        """
        search, swings = self.search(weights, 1), []
        for position in _spread(positions, self.finishing):
            search.begin(position, None, exact=True)
            shallow, odd, deep = ([search.deepen(depth).score for depth in (1, *DEPTHS)])[1:]
            if max(map(abs, (shallow, odd, deep))) < WIN // 2:
                swings.append(odd - (shallow + deep) / 2)
            say(1)
        found = weights.copy()
        found[0, -1] = kernel.TURN + (round(statistics.fmean(swings) / 2) if swings else 0)
        return found

    def text(self, weights: Weights) -> str:
        """The weights as source text for the kernel's module."""
        pairs = dict(zip(PAIRS, weights[0, :-1].tolist(), strict=True))
        lines = wrapped(f"{pair}: {value}" for pair, value in pairs.items() if value)
        return f"PAIRS = {{\n{lines}\n}}  # fmt: skip\nTURN = {weights[0, -1]}"


def _spread(positions: Sequence[Any], count: int) -> list[Any]:
    """`count` of them at even distances, or all."""
    return [positions[index * len(positions) // count] for index in range(count)] if positions else []


def _empty_patterns(memory: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Both colours' patterns on each empty cell."""
    stones = memory[int(layout.STONES) : int(layout.STONES) + layout.CELLS]
    patterns = memory[int(layout.PATTERNS) : int(layout.PATTERNS) + layout.CELLS]
    found: NDArray[np.int64] = patterns[stones == 0].astype(np.int64)
    return found


def _pairs(patterns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of cells with each of PAIRS as the two best of their four patterns."""
    four = np.sort(np.stack([patterns >> shift & 15 for shift in (0, 4, 8, 12)]), axis=0)
    counts = np.bincount(four[3] * 16 + four[2], minlength=256)
    return counts[[high * 16 + low for high, low in PAIRS]]
