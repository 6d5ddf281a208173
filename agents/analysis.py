"""What a position is worth, and what each move of a game has lost.

Values come from the search of the strongest players: `alphabeta` with the game's own evaluation, its endgame tables,
solver and prover; in dominoes from expected points. They are comparable within a game, whoever played it.
"""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from agents import levels, registry
from agents.agent import Agent, Answer, Limits
from agents.expectimax import Expectimax
from agents.values import Value, value_of, value_of_end
from games import AnyGame

TIME_S = 0.8
"""Seconds to think about a position."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """A move and what it is worth to its mover."""

    move: Any
    value: Value
    line: tuple[str, ...]
    """The expected line of play as move texts, `move` first."""
    depth: int = 0
    """Plies searched."""


@dataclasses.dataclass(frozen=True)
class Judged:
    """A move that was made, beside the best one that was found."""

    made: Choice
    best: Choice
    """The move made, where none better was found."""
    fair: bool = True
    """False where the move's loss cannot be said: a hand was hidden."""

    @property
    def lost(self) -> float:
        """Share of the point that the move gave away, 0 to 1."""
        return max(0.0, self.best.value.chance - self.made.value.chance)

    @property
    def lost_amount(self) -> float | None:
        """What it gave away in `Scale.unit`."""
        best, made = self.best.value.amount, self.made.value.amount
        return None if best is None or made is None else max(0.0, best - made)


class Analyst:
    """Values the positions and moves of one game. Keeps what its search has learnt; used by one thread."""

    def __init__(self, game: AnyGame, time_s: float = TIME_S) -> None:
        """Raises AgentError."""
        self.game, self.time_s, self.scale = game, time_s, levels.scale(game.name)
        self._expects = Expectimax.plays(game)
        self._agent: Agent = registry.load_agent("expectimax" if self._expects else "alphabeta", game)

    def best(self, position: Any, stop: threading.Event) -> Choice:
        """The best move that a search finds. Raises ValueError where the game is over."""
        return self._choice(self._agent.choose(position, Limits(time_s=self.time_s), stop))

    def worth(self, position: Any, move: Any, depth: int, stop: threading.Event) -> Choice:
        """What a move is worth to its mover, as a search of `depth` plies from before the move sees it."""
        text = self.game.format_move(position, move)
        if isinstance(self._agent, Expectimax):
            return Choice(move, value_of(self.scale, self._agent.expected(position, move)), (text,), depth)
        after = self.game.apply(position, move)
        if (end := self.end(after)) is not None:
            return self._leading_to(position, move, end)
        limits = Limits(time_s=self.time_s, depth=max(1, depth - 1))
        return self._leading_to(position, move, self._choice(self._agent.choose(after, limits, stop)))

    def judged(self, position: Any, move: Any, stop: threading.Event, after: Choice | None = None) -> Judged:
        """A move beside the best one. `after` is the best move of the position that it leads to, if that is known.

        Both are searched to the same depth, so that neither sees further than the other; what is proven about the
        position after the move counts more than any search.
        """
        # In dominoes a value is that of a turn: the positions after it do not tell what it was worth.
        known = None if after is None or self._expects else self._leading_to(position, move, after)
        if known is not None and len(self.game.legal_moves(position)) == 1:
            return Judged(known, known)
        best = self.best(position, stop)
        proven = known is not None and known.value.exact
        if known is not None and proven and best.move == move and known.value.chance < best.value.chance:
            best = self.best(position, stop)  # its own move is refuted, which the search has learnt by now
        if known is not None and proven:
            made = known
        else:
            made = best if best.move == move else self.worth(position, move, best.depth, stop)
        if best.move == move or made.value.score >= best.value.score:
            # Only a win by a move proves what the position is worth: another move may be better than this one.
            exact = best.value.exact or (made.value.plies is not None and made.value.chance == 1)
            best = dataclasses.replace(made, value=dataclasses.replace(made.value, exact=exact))
        return Judged(made, best)

    def _leading_to(self, position: Any, move: Any, after: Choice) -> Choice:
        """A move as it is seen from the position that it leads to."""
        goes_on = self.game.to_move(self.game.apply(position, move)) == self.game.to_move(position)
        value = (after.value if goes_on else after.value.turned).later()
        return Choice(move, value, (self.game.format_move(position, move), *after.line), after.depth + 1)

    def end(self, position: Any) -> Choice | None:
        """The value of a game that is over, as a choice without a move; None while it goes on."""
        outcome = self.game.outcome(position)
        if outcome is None:
            return None
        return Choice(None, value_of_end(self.scale, outcome, self.game.to_move(position)), ())

    def _choice(self, answer: Answer) -> Choice:
        value = value_of(self.scale, answer.score or 0.0, answer.exact)
        return Choice(answer.move, value, answer.pv, answer.depth)
