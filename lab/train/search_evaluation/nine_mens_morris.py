"""The evaluation of nine men's morris: features of three phases; if both sides fly, the weights of `best` are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.nine_mens_morris import Move, NineMensMorris, Position
from games.nine_mens_morris.kernel import MorrisSearch
from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel import weights as kernel
from games.nine_mens_morris.kernel.evaluation import EARLY, evaluate
from lab.train.search_evaluation.protocol import TABLE_MB, Counted, Weights

U = np.uint64
BOTH_FLY = kernel.OWN[3]


class MorrisEvaluation:
    """`protocol.Evaluation` for any rules."""

    groups: tuple[str, ...] = ("nine or more to lay", "fewer to lay", "all laid")
    features: tuple[str, ...] = tuple(name for name in kernel.Weights._fields if name != "last")
    fewest, most = -1000, 1000
    games, nodes, plies = 2000, 2000, 200
    opening = (2, 10)
    astray, starts_anew = 0.05, False
    scale, strength = 100, 0.1
    where = "games/nine_mens_morris/kernel/weights.py, OWN"

    def __init__(self, game: NineMensMorris) -> None:
        self.game = game
        self._memory = layout.allocate(game, 1)

    def shipped(self) -> Weights:
        """The kernel's present weights."""
        return np.array([_row(phase) for phase in kernel.OWN[: len(self.groups)]], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        # `best` asks for no tables; its weights are overwritten except for the phase in which both sides fly.
        search = MorrisSearch(self.game, TABLE_MB, seed, "best")
        for phase, row in enumerate(weights):
            _write(search.memory, phase, 0, *row)
        _write(search.memory, len(weights), BOTH_FLY.last, *_row(BOTH_FLY))
        return search

    def counted(self, position: Position) -> Counted | None:
        """The position's features, each measured as its value with a weight of 1."""
        side, other, to_lay = position.side, 1 - position.side, sum(position.hands)
        if self.game.rules.flying and not to_lay and all(men.bit_count() == 3 for men in position.men):
            return None
        group = 0 if to_lay >= EARLY else 1 if to_lay else 2
        men = U(position.men[side]), U(position.men[other])
        found = []
        for unit in np.eye(len(self.features), dtype=np.int64):
            _write(self._memory, group, 0, *unit)
            found.append(evaluate(self._memory, *men, position.hands[side], position.hands[other], 0))
        return Counted(group, np.array(found, np.int64))

    def random_moves(self, position: Position) -> Sequence[Move]:
        return self.game.legal_moves(position)

    def text(self, weights: Weights) -> str:
        phases = [dict(zip(self.features, row, strict=True)) for row in weights.tolist()]
        lines = [
            f"    Weights({', '.join(f'{name}={value}' for name, value in phase.items() if value)}),"
            for phase in (*phases, BOTH_FLY._asdict())
        ]
        return "\n".join(("OWN: Phases = (", *lines, ")"))


def _row(phase: kernel.Weights) -> list[int]:
    return [getattr(phase, name) for name in MorrisEvaluation.features]


def _write(memory: NDArray[np.uint64], phase: int, *values: int) -> None:
    """Writes the weights of a phase, `last` first, in the order of the kernel's `Weights`."""
    start = int(layout.WEIGHTS) + 16 * phase
    memory[start : start + len(values)] = np.array(values, np.int64).view(np.uint64)
