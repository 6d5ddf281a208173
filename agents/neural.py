"""Morris networks trained on good moves: they choose TO, FROM and REMOVE; the rules mask illegal choices.

With search, a tree of positions is searched by PUCT: likely moves are tried first, good ones more often. A move is
worth `Q + c P sqrt(N) / (1 + n)` to the side making it, with its mean value Q, prior probability P, visits n and its
position's visits N; Rosin, "Multi-armed bandits with episode context", 2011, as used by Silver et al., 2017.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.alphabeta import AlphaBeta, AlphaBetaOptions
from agents.morris_networks.good_moves import as_rows, state_of
from agents.morris_networks.networks import load_networks
from agents.move_request import MoveRequest
from agents.search import MAX_DEPTH, WIN
from games.nine_mens_morris import CELLS, NineMensMorris
from rules import AnyGame
from rules.options import rule

SEARCH_S = 1.0
GLANCE = 0.3
"""Share of the time in which the engine finds its own move, which then gets the same prior as all others together."""
LEAF_NODES = 1000
"""Positions that the engine searches to evaluate a new leaf of the tree."""
LOGIT = 200.0
"""Engine score that maps to tanh(1), in hundredths of a logit of winning."""
TABLE_MB = 16
MEN = 9


@dataclasses.dataclass(frozen=True)
class NeuralOptions:
    design: str = rule(
        "ours", "how the networks are built: our own, or three as the paper has them", choices=("ours", "paper")
    )
    search: bool = rule(
        False, "searches with the networks: they say which moves to try, the engine what positions are worth"
    )
    c: int = rule(150, "how much the search follows the networks, in hundredths", minimum=1, maximum=10_000)


class Neural(GameAgent):
    """Plays nine men's morris with nine men, flying or not, mills protected or not."""

    name = "neural"
    game: NineMensMorris
    Options = NeuralOptions

    def __init__(self, game: NineMensMorris, options: NeuralOptions | None = None) -> None:
        """Raises AgentError if the networks are missing or do not match the manifest."""
        super().__init__(game, options)
        try:
            self._networks = load_networks(self.options.design)
        except ValueError as error:
            raise AgentError(f"neural: {error}") from None
        self._engine: AlphaBeta | None = None

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        if not isinstance(game, NineMensMorris) or game.rules.men != MEN or len(game.cells) != len(CELLS):
            return False
        rules = game.rules
        return not (rules.diagonals or rules.move_early or rules.one_time_mills or rules.no_return)

    @classmethod
    def warm_up(cls, game: AnyGame) -> None:
        """Compiles the engine that evaluates leaves, or loads it from the disk cache."""
        AlphaBeta.warm_up(game)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The networks' best legal move; the score is its probability, 0 to 1.

        With search the score is the move's value, -1 lost to 1 won. Raises ValueError where the game is over.
        """
        if limits.time_s is None and limits.nodes is None:
            limits = dataclasses.replace(limits, time_s=SEARCH_S)
        request = MoveRequest(self.game, position, limits, stop)
        moves = request.moves
        choice = self._networks.choose(state_of(self.game, position), as_rows(moves))
        if not self.options.search or len(moves) == 1:
            return request.answer(moves[choice.row], choice.probability, masked=choice.masked)
        return self._search(request, stop, choice.masked)

    def _search(self, request: MoveRequest, stop: threading.Event, masked: int) -> Answer:
        """Runs PUCT from the position until time is up or the tree has `limits.nodes` positions."""
        position, moves, limits = request.position, request.moves, request.limits
        engine = self._engine = self._engine or AlphaBeta(self.game, AlphaBetaOptions(table_mb=TABLE_MB))
        time_s, nodes = limits.time_s, limits.nodes
        glance = Limits(time_s and GLANCE * time_s, limits.depth, nodes and nodes * LEAF_NODES // 2)
        seen = engine.choose(position, glance, stop)
        if seen.score is not None and abs(seen.score) >= WIN - MAX_DEPTH:
            score = math.copysign(1.0, seen.score)
            return dataclasses.replace(seen, score=score, seconds=request.seconds, masked=masked)
        likely = self._priors(position, moves)
        likely[moves.index(seen.move)] += 1.0
        root = Node(position, moves, likely / 2)
        tree = Puct(self.game, root, self._priors, self._worth, self.options.c / 100)
        count = 0
        while not request.is_over(count):
            tree.visit()
            count += 1
        row = root.best() if count else moves.index(seen.move)
        score = root.values[row] / root.visits[row] if count else math.tanh((seen.score or 0.0) / LOGIT)
        return request.answer(moves[row], score, count + seen.nodes, seen.depth, masked)

    def _priors(self, position: Any, moves: Sequence[Any]) -> NDArray[np.float64]:
        state = state_of(self.game, position)
        return self._networks.probabilities(state, as_rows(moves)).astype(np.float64)

    def _worth(self, position: Any) -> float:
        """The engine's value of a position that is not over, -1 to 1."""
        assert self._engine is not None
        score = self._engine.choose(position, Limits(nodes=LEAF_NODES), threading.Event()).score
        return 0.0 if score is None else math.tanh(score / LOGIT)


Priors = Callable[[Any, Sequence[Any]], NDArray[np.float64]]
"""Prior probabilities of a position's legal moves; they sum to 1."""
Value = Callable[[Any], float]
"""Value of a position for the side to move, -1 lost to 1 won."""


class Node:
    __slots__ = ("children", "moves", "position", "priors", "values", "visits")

    def __init__(self, position: Any, moves: Sequence[Any], priors: NDArray[np.float64]) -> None:
        self.position, self.moves, self.priors = position, moves, priors
        self.children: list[Node | None] = [None] * len(moves)
        self.visits = np.zeros(len(moves))
        self.values = np.zeros(len(moves))
        """Sum of the values of each move, for the side that makes it."""

    def promising(self, c: float) -> int:
        """Index of the move to try next; an untried move is assumed to have its position's mean value."""
        visits = self.visits.sum()
        mean = self.values.sum() / visits if visits else 0.0
        means = np.where(self.visits > 0, self.values / np.maximum(self.visits, 1), mean)
        return int((means + c * self.priors * math.sqrt(visits + 1) / (1 + self.visits)).argmax())

    def best(self) -> int:
        """Index of the move tried most; ties go to the higher sum of values, then to the higher prior."""
        return max(range(len(self.moves)), key=lambda row: (self.visits[row], self.values[row], self.priors[row]))


class Puct:
    def __init__(self, game: AnyGame, root: Node, priors: Priors, value: Value, c: float) -> None:
        self.game, self.root = game, root
        self._priors, self._value, self._c = priors, value, c

    def visit(self) -> None:
        """Walks down the tree once, to a new position or to one that ends the game, and updates the path."""
        node, path = self.root, []
        while True:
            row = node.promising(self._c)
            path.append((node, row))
            child = node.children[row]
            if child is None:
                worth = self._grow(node, row)
                break
            if not child.moves:
                worth = self._final(child.position)
                break
            node = child
        for passed, row in reversed(path):
            worth = -worth
            passed.visits[row] += 1
            passed.values[row] += worth

    def _grow(self, node: Node, row: int) -> float:
        position = self.game.apply(node.position, node.moves[row])
        moves = self.game.legal_moves(position)
        priors = self._priors(position, moves) if moves else np.empty(0)
        node.children[row] = Node(position, moves, priors)
        return self._value(position) if moves else self._final(position)

    def _final(self, position: Any) -> float:
        outcome = self.game.outcome(position)
        if outcome is None or outcome.winner is None:
            return 0.0
        return 1.0 if outcome.winner == self.game.to_move(position) else -1.0


AGENT = Neural
