"""Plain minimax to a fixed depth, in plain Python over the rules: the reference that alpha-beta must match exactly."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any

from agents import heuristics
from agents.agent import Answer, GameAgent, Limits
from agents.move_request import Luck, MoveRequest, as_seen, imagined
from agents.plain_search import final_score
from agents.search import MAX_DEPTH
from rules import AnyGame
from rules.heuristics import Heuristic
from rules.options import rule


class Interrupted(Exception):
    pass


def minimax(
    game: AnyGame,
    position: Any,
    depth: int,
    heuristic: Heuristic,
    last: Any = None,
    ply: int = 0,
    visit: Callable[[], None] = lambda: None,
) -> int:
    """The minimax score for the side to move, of the whole tree to that depth, and beyond it where nothing is quiet.

    `last` is the move that led here, `ply` the number of plies before it; `visit` is called for every position and may
    raise to end the search. A won end scores `WIN` minus its plies, a drawn one 0.
    """
    visit()
    side = game.to_move(position)
    if (outcome := game.outcome(position)) is not None:
        return final_score(outcome, side, ply)
    if depth <= 0 and heuristics.is_quiet(game, position):
        return heuristic(game, position, last)
    scores = []
    for move in game.legal_moves(position):
        child = game.apply(position, move)
        score = minimax(game, child, depth - 1, heuristic, move, ply + 1, visit)
        # In dominoes the same side may continue after a double.
        scores.append(score if game.to_move(child) == side else -score)
    return max(scores)


@dataclasses.dataclass(frozen=True)
class MinimaxOptions:
    heuristic: str = rule("", "name of the heuristic that judges positions; empty is the game's usual one")
    depth: int = rule(0, "plies to search; 0 is the usual depth for the game", minimum=0, maximum=MAX_DEPTH)
    opening_depth: int = rule(0, "plies to search in the opening instead; 0 is depth", minimum=0, maximum=MAX_DEPTH)
    seed: int = rule(0, "chooses among moves that are equally good; 0 takes the first", minimum=0, maximum=2**31)


class Minimax(GameAgent):
    name = "minimax"
    options: MinimaxOptions
    Options = MinimaxOptions

    def __init__(self, game: AnyGame, options: MinimaxOptions | None = None) -> None:
        super().__init__(game, options)
        self._heuristic = heuristics.named(game, self.options.heuristic)
        self._luck = Luck(self.options.seed)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The best move at the depth; if interrupted, the best so far. Raises ValueError where the game is over."""
        request = MoveRequest(self.game, position, limits, stop)
        world = imagined(self.game, position, self.options.seed)
        depth = limits.depth or heuristics.depth_at(self.game, position, self.options)
        depth = depth or heuristics.depths_of(self.game).usual
        nodes = 0

        def visit() -> None:
            nonlocal nodes
            if request.is_over(nodes):
                raise Interrupted
            nodes += 1

        scores: dict[Any, int] = {}
        moves = self.game.legal_moves(world)
        try:
            for move in moves:
                scores[move] = self._score(world, move, depth, visit)
        except Interrupted:
            depth = 0
        most = max(scores.values(), default=0)
        equal = [move for move in moves if scores.get(move, None if scores else 0) == most]
        move = as_seen(self.game, position, world, self._luck.one_of(equal))
        return request.answer(move, float(most) if scores else None, nodes, depth)

    def _score(self, position: Any, move: Any, depth: int, visit: Callable[[], None]) -> int:
        child = self.game.apply(position, move)
        score = minimax(self.game, child, depth - 1, self._heuristic, move, 1, visit)
        return score if self.game.to_move(child) == self.game.to_move(position) else -score


AGENT = Minimax
