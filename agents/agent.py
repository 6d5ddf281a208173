"""The interface of an agent: position and limits in; a move, its score and the search effort out."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Any

from rules import AnyGame

ENTRY_POINTS = "kibitzer.agents"
"""Entry-point group by which installed packages add agents; each names a module like those of this folder."""


class AgentError(ValueError):
    """An agent that does not exist, an option it does not have, or a game it does not play."""


class NoMove(AgentError):
    """A player who is asked makes no move, such as a person who resigns: nothing may be played for it."""

    def __init__(self, why: str, *, resigned: bool = False) -> None:
        super().__init__(why)
        self.resigned = resigned


@dataclasses.dataclass(frozen=True)
class Limits:
    """When to stop thinking, whichever comes first. All None: the agent's own default."""

    time_s: float | None = None
    depth: int | None = None
    """Plies of full-width search."""
    nodes: int | None = None


@dataclasses.dataclass(frozen=True)
class Answer:
    move: Any
    score: float | None
    """Score on the agent's own scale, positive is good for the side to move; None where it has no opinion."""
    nodes: int
    depth: int
    """Plies of the last complete iteration; 0 without search."""
    seconds: float
    pv: tuple[str, ...]
    """The expected line of play as move texts, `move` first."""
    masked: int = 0
    """Illegal choices that the agent rated higher and skipped; only networks have any."""
    exact: bool = False
    """Whether the score is the position's own: a forced end, a solved ending, or an endgame table's."""
    from_book: bool = False
    """Whether it is an opening book's, and nothing was searched."""
    stopgap: bool = False
    """Whether the score is on another scale than the later ones, because the evaluation is still loading."""

    @property
    def told_score(self) -> float | None:
        """The score as others may hear it: None also where it is on another scale."""
        return None if self.stopgap else self.score


class GameAgent:
    """A player of one game. Created once per game and kept, so that it can keep its table between moves.

    It plays every game and needs no preparation, unless the class says otherwise.
    """

    name: str
    """Name used in the configuration."""
    Options: type[Any]
    """A frozen dataclass of `rules.options.rule` fields."""
    coarseness = 0
    """How hard it is to make it use so much processor time: 0 in this process, by seconds; more for other programs."""

    def __init__(self, game: Any, options: Any = None) -> None:
        """Raises AgentError if an option is out of range, or the game does not know it."""
        self.game: AnyGame = game
        self.options: Any = options or self.Options()

    def prepare(self, stop: threading.Event) -> None:
        """Waits for what a move needs, such as compiled code or a program's start; `choose` does so too."""

    def rehearse(self, position: Any, stop: threading.Event) -> None:
        """Does what it would do in its first move alone, so that its processor time has none of that."""

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """Chooses for the side to move; once `stop` is set it answers at once with the best move so far.

        Raises ValueError where the game is over.
        """
        raise NotImplementedError

    def processor_s(self) -> float:
        """A clock of the processor time that it uses: only differences mean anything."""
        return time.process_time()

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        """Whether it can play that game under its rules."""
        return True

    @classmethod
    def warm_up(cls, game: AnyGame) -> None:
        """Prepares in advance what would slow the first move in that game; may take seconds."""
