"""Cờ gánh's evaluation: all features of `games.co_ganh.kernel.evaluation`, the same for both sides' pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.co_ganh import CoGanh, Move, Position
from games.co_ganh.kernel import GanhSearch
from games.co_ganh.kernel import memory as layout
from games.co_ganh.kernel import weights as kernel
from games.co_ganh.kernel.evaluation import evaluate
from lab.train.search_evaluation.protocol import TABLE_MB, Counted, Weights, wrapped

U = np.uint64


class GanhEvaluation:
    """`protocol.Evaluation` for one way to capture."""

    groups: tuple[str, ...] = ("always",)
    features: tuple[str, ...] = ("men", *(name for name in kernel.NAMES if name not in ("own", "enemy", "looks")))
    fewest, most = -1000, 1000
    games, nodes, plies = 2000, 1000, 200
    opening = (2, 10)
    astray, starts_anew = 0.05, False
    scale, strength = 500, 0.1

    def __init__(self, game: CoGanh) -> None:
        self.game = game
        self._name = "OWN_FLIPPING" if game.rules.flips else "OWN"
        self.where = f"games/co_ganh/kernel/weights.py, {self._name}"
        self._memory = layout.allocate(game, 1)
        self._units = [self._words(unit) for unit in np.eye(len(self.features), dtype=np.int64)]

    def _words(self, row: NDArray[np.int64]) -> NDArray[np.uint64]:
        values = {"looks": 1, **dict(zip(self.features, row.tolist(), strict=True))}
        values["own"] = values["enemy"] = values["men"]
        return np.array([values[name] for name in kernel.NAMES], np.int64).view(np.uint64)

    def shipped(self) -> Weights:
        """The kernel's present weights."""
        words = kernel.of_heuristic("", self.game.rules.flips).view(np.int64)
        held = dict(zip(kernel.NAMES, words.tolist(), strict=True))
        return np.array([[held["own" if name == "men" else name] for name in self.features]], np.int64)

    def search(self, weights: Weights, seed: int) -> Any:
        search = GanhSearch(self.game, TABLE_MB, seed)
        _write(search.memory, self._words(weights[0]))
        return search

    def counted(self, position: Position) -> Counted | None:
        """The position's features, each measured as its value with a weight of 1."""
        men = U(position.men[position.side]), U(position.men[1 - position.side])
        found = []
        for words in self._units:
            _write(self._memory, words)
            found.append(evaluate(self._memory, *men))
        return Counted(0, np.array(found, np.int64))

    def random_moves(self, position: Position) -> Sequence[Move]:
        return self.game.legal_moves(position)

    def text(self, weights: Weights) -> str:
        values = dict(zip(self.features, weights[0].tolist(), strict=True))
        men = values.pop("men")
        kept = {"own": men, "enemy": men, "looks": 1, **{name: value for name, value in values.items() if value}}
        lines = wrapped(f'"{name}": {value}' for name, value in kept.items())
        return f"{self._name}: dict[str, int] = {{\n{lines}\n}}  # fmt: skip"


def _write(memory: NDArray[np.uint64], words: NDArray[np.uint64]) -> None:
    memory[int(layout.WEIGHTS) : int(layout.WEIGHTS) + len(words)] = words
