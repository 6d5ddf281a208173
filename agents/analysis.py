"""What a position is worth, and what each move of a game has lost.

Values come from the strongest level's agent: `alphabeta` with the game's own evaluation, its endgame tables, solver and
prover; in dominoes from expected points, in go from playouts. They are comparable within a game, whoever played it.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from typing import Any

from agents import levels, registry
from agents.agent import Answer, GameAgent, Limits
from agents.expectimax import Expectimax
from agents.mcts import Mcts
from agents.values import Value, value_of, value_of_end
from games.double_double_dominoes import Lay
from rules import AnyGame, HiddenHands
from rules.symmetry import images

TIME_S = 0.8
SEARCHES = 2
"""Into how many parts playouts divide that time: a move takes up to four searches by playouts, two by others."""
SURE = 2.0


@dataclasses.dataclass(frozen=True)
class Choice:
    move: Any
    value: Value
    line: tuple[str, ...]
    """The expected line of play as move texts, `move` first."""
    depth: int = 0
    doubt: float = 0.0
    """Standard deviation of the score, where it is a mean of playouts."""


@dataclasses.dataclass(frozen=True)
class Judged:
    """A move that was made, beside the best one that was found."""

    made: Choice
    best: Choice
    """The move made, where none better was found."""
    fair: bool = True
    """False where nothing can be said about the move: it came from a hidden hand."""

    @property
    def lost(self) -> float:
        """Share of the point that the move gave away, 0 to 1."""
        return max(0.0, self.best.value.chance - self.made.value.chance)

    @property
    def lost_amount(self) -> float | None:
        """What it gave away in `Scale.unit`."""
        best, made = self.best.value.amount, self.made.value.amount
        return None if best is None or made is None else max(0.0, best - made)


def _is_better(one: Choice, other: Choice) -> bool:
    return one.value.score - other.value.score > SURE * math.hypot(one.doubt, other.doubt)


class Analyst:
    """Values the positions and moves of one game. Keeps what its search has learnt; used by one thread."""

    def __init__(self, game: AnyGame, time_s: float = TIME_S) -> None:
        self.game, self.scale = game, levels.scale(game.name)
        strongest = levels.of(game.name)[-1]
        options = dict(strongest.options) | ({"book": "false"} if strongest.agent == "alphabeta" else {})
        self._agent: GameAgent = registry.load_agent(strongest.agent, game, options)
        self._search_s = time_s / SEARCHES if isinstance(self._agent, Mcts) else time_s

    def best(self, position: Any, stop: threading.Event) -> Choice:
        return self._choice(self._agent.choose(position, Limits(time_s=self._search_s), stop))

    def worth(self, position: Any, move: Any, depth: int, stop: threading.Event) -> Choice:
        """What a move is worth to its mover, as a search of `depth` plies from before the move sees it."""
        after = self.game.apply(position, move)
        if (end := self.end(after)) is not None:
            return self._leading_to(position, move, end)
        limits = Limits(time_s=self._search_s, depth=max(1, depth - 1))
        return self._leading_to(position, move, self._choice(self._agent.choose(after, limits, stop)))

    def judged(self, position: Any, move: Any, stop: threading.Event, after: Choice | None = None) -> Judged:
        """A move beside the best one. `after` is the best move of the position that it leads to, if that is known.

        Both are searched to the same depth, so that neither sees further than the other; what is proven about the
        position after the move counts more than any search.
        """
        if isinstance(self._agent, Expectimax):
            return self._judged_turn(self._agent, position, move)
        known = None if after is None else self._leading_to(position, move, after)
        if known is not None and len(self.game.legal_moves(position)) == 1:
            return Judged(known, known)
        best = self.best(position, stop)
        if isinstance(self._agent, Mcts):
            best = self.worth(position, best.move, best.depth, stop)  # the search's own mean is chosen as the highest
        if best.move != move and self._mirrors(position, best.move, move):
            best = dataclasses.replace(best, move=move, line=(self.game.format_move(position, move),))
        proven = known is not None and known.value.exact
        if known is not None and proven and best.move == move and known.value.chance < best.value.chance:
            best = self.best(position, stop)  # its own move is refuted, which the search has learnt by now
        if known is not None and proven:
            made = known
        else:
            made = best if best.move == move else self.worth(position, move, best.depth, stop)
        if best.move == move or not _is_better(best, made):
            # Only a win by a move proves what the position is worth: another move may be better than this one.
            exact = best.value.exact or (made.value.plies is not None and made.value.chance == 1)
            best = dataclasses.replace(made, value=dataclasses.replace(made.value, exact=exact))
        return Judged(made, best)

    def reconsidered(self, position: Any, judged: Judged, other: Any, stop: threading.Event) -> Judged:
        """The same once somebody else has proposed a move: it is the better one if our own search agrees."""
        if other in (judged.made.move, judged.best.move) or isinstance(self._agent, Expectimax):
            return judged
        proposed = self.worth(position, other, judged.best.depth, stop)
        return dataclasses.replace(judged, best=proposed) if _is_better(proposed, judged.best) else judged

    def _judged_turn(self, agent: Expectimax, position: Any, move: Any) -> Judged:
        """A turn of dominoes by its expected points, as its mover knew the game.

        From a hand that nobody saw, a tile is compared with itself in other places, and a pass with nothing.
        """
        rivals = list(self.game.legal_moves(position))
        hidden = HiddenHands.of(self.game).hand(position, self.game.to_move(position)) is None
        if hidden:
            rivals = [
                other for other in rivals if isinstance(move, Lay) and getattr(other, "tile", None) == move.tile
            ] or [move]
        expected = dict(zip(rivals, agent.expected(position, rivals), strict=True))
        made, best = (
            Choice(
                one, value_of(self.scale, expected[one]), (self.game.format_move(position, one),), agent.options.plies
            )
            for one in (move, max(rivals, key=lambda other: (expected[other], other == move)))
        )
        return Judged(made, best, not hidden or len(rivals) > 1)

    def _mirrors(self, position: Any, one: Any, other: Any) -> bool:
        """Whether two moves lead to the same board, turned or mirrored."""
        boards = [self.game.board(self.game.apply(position, move)) for move in (one, other)]
        return boards[1] in images(self.game, boards[0])

    def _leading_to(self, position: Any, move: Any, after: Choice) -> Choice:
        """A move as it is seen from the position that it leads to."""
        goes_on = self.game.to_move(self.game.apply(position, move)) == self.game.to_move(position)
        value = (after.value if goes_on else after.value.turned).later()
        return Choice(move, value, (self.game.format_move(position, move), *after.line), after.depth + 1, after.doubt)

    def end(self, position: Any) -> Choice | None:
        """The value of a game that is over, as a choice without a move; None while it goes on."""
        outcome = self.game.outcome(position)
        if outcome is None:
            return None
        return Choice(None, value_of_end(self.scale, outcome, self.game.to_move(position), len(self.game.cells)), ())

    def _choice(self, answer: Answer) -> Choice:
        if isinstance(self._agent, Mcts):  # the position's mean: that of the best of many children is too high
            mean, playouts = self._agent.standing
            return Choice(answer.move, value_of(self.scale, mean), answer.pv, answer.depth, playouts**-0.5)
        value = value_of(self.scale, answer.score or 0.0, answer.exact)
        return Choice(answer.move, value, answer.pv, answer.depth)
