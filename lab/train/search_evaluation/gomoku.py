"""Gomoku's evaluation: counts of empty cells, by the three best of a colour's four patterns there; and the turn.

What it is worth to be to move depends on the threats that both sides have on the board.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.gomoku import Gomoku, Move, Position
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel import weights as kernel
from games.gomoku.kernel.by_threats import ThreatSearch
from games.gomoku.kernel.negamax import OWN_FOURS, has_fours
from games.gomoku.kernel.prover import write_stones
from lab.train.search_evaluation.protocol import TABLE_MB, Counted, Weights, wrapped

TRIPLES = tuple(
    triple
    for triple in itertools.product((8, 5, 4, 3, 2, 0), repeat=3)
    if triple[0] >= triple[1] >= triple[2] and triple[1] < 8 and triple[0]
)
"""The three best patterns of a cell, the best first, that are not fitted as a win."""
SPANS = tuple(len(bounds) + 1 for bounds in kernel.COUNTED)
"""Number of values of each part of a row of `weights.TURNS`."""
NEAR = 3
"""Lines from another stone within which a random stone is laid."""


class GomokuEvaluation:
    """`protocol.Evaluation` for any rules but swap2, whose opening the evaluation does not cover."""

    groups: tuple[str, ...] = ("always",)
    features: tuple[str, ...] = (
        *map(str, TRIPLES),
        "wins",
        *(f"turn {row} {part} {value}" for row in (0, 1) for part, span in enumerate(SPANS) for value in range(span)),
    )
    fewest, most = 0, 120
    games, nodes, plies = 4000, 1000, 110
    opening = (1, 7)
    astray, starts_anew = 0.15, True
    scale, strength = 70, 0.003
    where = "games/gomoku/kernel/weights.py, TRIPLES, WINS and TURNS"

    def __init__(self, game: Gomoku) -> None:
        """Raises ValueError for swap2."""
        if game.rules.swap2:
            raise ValueError("gomoku: rule option swap2 only changes the opening: train without swap2=true")
        self.game = game
        self._memory = self.search(self.shipped(), 0).memory

    def shipped(self) -> Weights:
        """The kernel's present weights."""
        turns = (value for row in kernel.TURNS for part in row for value in part)
        return np.array([[*(kernel.TRIPLES.get(triple, 0) for triple in TRIPLES), kernel.WINS, *turns]], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        search = ThreatSearch(self.game, TABLE_MB, seed)
        memory, (triples, wins, turns) = search.memory, _parts(weights)
        judged = kernel.cell_values(triples, wins)
        memory[int(layout.JUDGED) : int(layout.JUDGED) + 2**13] = judged.view(np.uint64)
        memory[int(layout.TURNS) : int(layout.FOUR_CELLS)] = kernel.turn_values(turns).view(np.uint64)
        patterns = _empty_patterns(memory)
        memory[layout.SUMS] = int(judged[patterns & 0xFFFF].sum())
        memory[layout.SUMS + layout.Word(1)] = int(judged[patterns >> 16].sum())
        return search

    def counted(self, position: Position) -> Counted | None:
        """Cells of each kind, the mover's minus the enemy's, and the parts of the turn; None if a move is forced."""
        memory, mover = self._memory, self.game.colour(position)
        write_stones(memory, self.game.size, position.stones)
        sets = memory[int(layout.SETS) : int(layout.ZOBRIST)].reshape(2, layout.SIDE_SETS, layout.SET_WORDS)
        own, enemy = np.bitwise_count(sets).sum(axis=2)[[mover, 1 - mover]].tolist()
        if own[layout.FIVE] or enemy[layout.FIVE] or own[layout.WINNING]:
            return None
        if has_fours(memory, np.uint64(mover), OWN_FOURS):
            return None
        patterns = _empty_patterns(memory)
        black, white = (_kinds(patterns >> shift & 0xFFFF) for shift in (0, 16))
        counts = own[layout.FOUR], own[layout.THREE], enemy[layout.FOUR], enemy[layout.THREE]
        turn = np.zeros((2, sum(SPANS)), np.int64)
        start = 0
        for bounds, span, count in zip(kernel.COUNTED, SPANS, counts, strict=True):
            turn[int(enemy[layout.WINNING] > 0), start + int(np.digitize(count, bounds))] = 1
            start += span
        return Counted(0, np.concatenate([black - white if mover == 0 else white - black, turn.ravel()]))

    def random_moves(self, position: Position) -> Sequence[Any]:
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

    def text(self, weights: Weights) -> str:
        triples, wins, turns = _parts(weights)
        lines = wrapped(f"{triple}: {value}" for triple, value in triples.items() if value)
        rows = "\n".join(f"    {row}," for row in turns)
        return f"TRIPLES: Triples = {{\n{lines}\n}}  # fmt: skip\nWINS = {wins}\nTURNS: Turns = (\n{rows}\n)"


def _parts(weights: Weights) -> tuple[kernel.Triples, int, kernel.Turns]:
    """The weights as `weights.TRIPLES`, WINS and TURNS."""
    values = iter(weights[0].tolist())
    triples: kernel.Triples = {triple: next(values) for triple in TRIPLES}
    wins = next(values)
    return triples, wins, tuple(tuple(tuple(itertools.islice(values, span)) for span in SPANS) for _ in (0, 1))


def _empty_patterns(memory: NDArray[np.uint64]) -> NDArray[np.int64]:
    stones = memory[int(layout.STONES) : int(layout.STONES) + layout.CELLS]
    patterns = memory[int(layout.PATTERNS) : int(layout.PATTERNS) + layout.CELLS]
    found: NDArray[np.int64] = patterns[stones == 0].astype(np.int64)
    return found


def _kinds(patterns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of cells with each of TRIPLES as the three best of their four patterns, and of cells that win."""
    best = kernel.triple_of(patterns)
    counts = np.bincount((best[0] * 16 + best[1]) * 16 + best[2], minlength=16**3)
    found = [counts[(first * 16 + second) * 16 + third] for first, second, third in TRIPLES]
    return np.array([*found, np.count_nonzero(kernel.wins(best))], np.int64)
