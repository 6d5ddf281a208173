"""What the referee decides, as values: announcements, and entries of the record."""

from __future__ import annotations

import dataclasses
from typing import Literal

from games import Gain, Outcome, Side
from wording import Said, plain

Code = Literal[
    "start",
    "move",
    "pass",
    "mover",
    "undo",
    "agent_move",
    "illegal",
    "unfinished",
    "put_back",
    "takeback",
    "ambiguous",
    "unclear",
    "desync",
    "resumed",
    "board_lost",
    "board_found",
    "refused_reply",
    "game_over",
    "clock",
    "cleared",
    "restored",
    "assumed",
    "reopened",
    "corrected",
    "hand",
    "adopted",
    "paused",
    "continued",
    "new_game",
    "left",
    "nothing_new",
    "coach",
    "reminder",
    "repeat",
    "trouble",
]
"""What an announcement is about; `docs/referee.md` says when each is made."""

Verdict = Literal[
    "start",
    "unchanged",
    "legal",
    "illegal",
    "unfinished",
    "put_back",
    "takeback",
    "ambiguous",
    "unclear",
    "desync",
    "paused",
    "over",
]
"""What the referee makes of the board as it was seen last."""

Known = Literal["", "seat", "said", "agent"]
"""How it is known who made a ply: assumed by turn, by the seat from which the hand came, said by somebody at the
table, or asked for by an agent."""


@dataclasses.dataclass(frozen=True)
class Announcement:
    """Something that happened, for the voice, the page, the log and the record."""

    code: Code
    said: Said
    """One sentence for a person, in games with points a few; empty where nothing needs to be said."""
    board: str
    """The board that the announcement is about, a class letter per cell: for a move the board after it."""
    ply: int
    """Plies made so far."""
    move: str = ""
    """Text of the move."""
    rule: str = ""
    """Code of the broken rule."""
    cells: tuple[int, ...] = ()
    """Cells that are meant: what to put back, what differs, what cannot be seen."""
    urgent: bool = False
    """Whether a player must act."""
    side: Side | None = None
    """Who made the move or passed."""
    gains: tuple[Gain, Gain] | None = None
    """Points that the move brought each side; None in games without points."""
    scores: tuple[int, int] | None = None
    """Points of both sides after it; None in games without points."""
    thought: Thought | None = None
    """What an agent said of its move, where that is announced."""

    @property
    def text(self) -> str:
        """What is said, in English."""
        return plain(self.said)


@dataclasses.dataclass(frozen=True)
class PlyTimes:
    """What the clock says of one ply, in seconds."""

    spent_s: float
    left_s: tuple[float, float] | None = None
    """What both sides have left after it, below zero beyond the end; None where no time is set."""


@dataclasses.dataclass(frozen=True)
class Thought:
    """What an agent said of its answer, besides the move."""

    score: float | None = None
    """In the agent's own unit, positive is good for the agent."""
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    masked: int = 0
    """Illegal choices that a network liked better, and that were passed over."""


@dataclasses.dataclass(frozen=True)
class Record:
    """A ply to be written down before anything else is done."""

    ply: int
    side: Side
    move: str
    position: str
    board: str
    known: Known = ""
    times: PlyTimes | None = None
    """None where no clock is kept."""
    thought: Thought | None = None
    """None for a person's move."""
    assumed: bool = False
    """Whether nobody saw the ply: it is one way, of others perhaps, to a board that was seen later."""


@dataclasses.dataclass(frozen=True)
class TakeBack:
    """The plies after `ply` are no longer part of the game."""

    ply: int


@dataclasses.dataclass(frozen=True)
class Rewrite:
    """The plies after `ply` were others than was believed."""

    ply: int
    records: tuple[Record, ...]
    outcome: Outcome | None
    """How the game ends with them; None where it goes on."""
    beyond: tuple[tuple[str, Side, Known], ...] = ()
    """Text, side and knowledge of the moves that come after this end, and count no more."""


@dataclasses.dataclass(frozen=True)
class Finish:
    """The game is over."""

    outcome: Outcome


Effect = Announcement | Record | TakeBack | Rewrite | Finish
