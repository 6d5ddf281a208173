"""The referee's decisions as values: announcements and entries of the record."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from rules import Gain, Outcome, Side
from wording import Sentences, plain

Code = Literal[
    "start", "move", "pass", "mover", "undo", "agent_move", "illegal", "unfinished", "put_back", "takeback",
    "ambiguous", "unclear", "desync", "resumed", "board_lost", "board_found", "refused_reply", "game_over",
    "counted", "agreed", "clock", "cleared", "restored", "assumed", "reopened", "corrected", "hand", "adopted",
    "paused", "continued", "pace", "new_game", "left", "nothing_new", "coach", "best", "practice", "puzzle",
    "answer", "reminder", "repeat", "stand_in", "trouble",
]  # fmt: skip
"""Kind of announcement; `docs/referee.md` says when each is made."""

Verdict = Literal[
    "start", "unchanged", "legal", "illegal", "unfinished", "put_back", "takeback", "ambiguous", "unclear",
    "desync", "paused", "over",
]  # fmt: skip

Known = Literal["", "seat", "said", "agent"]
"""How the maker of a ply is known: assumed by turn, by the seat from which the hand came, said by somebody at the
table, or because an agent asked for it."""


@dataclasses.dataclass(frozen=True)
class Announcement:
    """Something that happened, for the voice, the page, the log and the record."""

    code: Code
    said: Sentences
    """One sentence for people, several in games with points; empty if nothing needs to be said."""
    board: str
    """The board that the announcement is about, a class letter per cell: for a move the board after it."""
    ply: int
    move: str = ""
    rule: str = ""
    cells: tuple[int, ...] = ()
    """The cells concerned: what to put back, what differs, what cannot be seen."""
    urgent: bool = False
    """Whether a player must act."""
    side: Side | None = None
    gains: tuple[Gain, Gain] | None = None
    """Points that the move brought each side; None in games without points."""
    scores: tuple[int, int] | None = None
    """Points of both sides after it; None in games without points."""
    thought: Thought | None = None
    """The agent's remarks on its move, if they are announced."""
    positions: tuple[Any, ...] = ()
    """The board as positions from which people may play on, one for each side that may be to move."""

    @property
    def text(self) -> str:
        return plain(self.said)


@dataclasses.dataclass(frozen=True)
class PlyTimes:
    spent_s: float
    left_s: tuple[float, float] | None = None
    """Time left for both sides after it, below zero once overrun; None if no time is set."""


@dataclasses.dataclass(frozen=True)
class Thought:
    """What an agent reported with its answer, besides the move."""

    score: float | None = None
    """In the agent's own unit; positive is good for the agent."""
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    masked: int = 0
    """Number of illegal choices that a network preferred and that were skipped."""


@dataclasses.dataclass(frozen=True)
class Record:
    """A ply to be recorded before anything else is done."""

    ply: int
    side: Side
    move: str
    position: str
    board: str
    known: Known = ""
    times: PlyTimes | None = None
    """None if no clock is kept."""
    thought: Thought | None = None
    """None for a person's move."""
    assumed: bool = False
    """Whether the ply was not seen: it is one way, perhaps of several, to a board that was seen later."""


@dataclasses.dataclass(frozen=True)
class TakeBack:
    """The plies after `ply` are no longer part of the game."""

    ply: int


@dataclasses.dataclass(frozen=True)
class Rewrite:
    """The plies after `ply` were different from what was believed."""

    ply: int
    records: tuple[Record, ...]
    outcome: Outcome | None
    """Outcome of the game with them; None if it continues."""
    beyond: tuple[tuple[str, Side, Known], ...] = ()
    """Text, side and `known` of the moves after the game's end, which no longer count."""
    start: str = ""
    """Text of the position with which the game begins after all; empty where that stays."""


@dataclasses.dataclass(frozen=True)
class Finish:
    """The game is over."""

    outcome: Outcome


Effect = Announcement | Record | TakeBack | Rewrite | Finish
