"""A game as the journal keeps it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from daemon.game.effects import Known, Thought
from games import Outcome

ASSUMED = "assumed"
"""Verdict on a ply that nobody saw: one way, of others perhaps, to a board that was seen later."""
REWRITTEN = "rewritten"
"""Kind of the note that a rewriting leaves; its `beyond` are the seen plies that counted no more then."""

AGENT_MOVE, THOUGHT = "agent_move", "thought"
"""Kind of the note that an agent's answer leaves, and what in its data the agent said of it."""


@dataclasses.dataclass(frozen=True)
class StoredPly:
    """One move of the record."""

    ply: int
    """Counts from 1."""
    move: str
    side: int
    position: str
    """The position's text after the move."""
    board: str
    """The believed board after the move: a class letter per cell."""
    verdict: str
    score: float | None
    """The agent's own figure; None for a person's move."""
    frame: str
    """Photo name or seconds of the picture it was seen in; empty where there is none."""
    time: str
    """When it was recorded: ISO 8601, UTC."""
    known: Known = ""
    """How it is known who made it."""
    spent_s: float | None = None
    """Seconds that the side to move had used for it; None where no clock was kept, as in those below."""
    left_first_s: float | None = None
    left_second_s: float | None = None
    """Seconds that the sides had left after it; None where no time was set."""
    depth: int | None = None
    nodes: int | None = None
    thought_s: float | None = None
    """What the agent said of its search; None for a person's move."""

    @property
    def left_s(self) -> tuple[float, float] | None:
        """What both sides had left."""
        if self.left_first_s is None or self.left_second_s is None:
            return None
        return self.left_first_s, self.left_second_s


@dataclasses.dataclass(frozen=True)
class StoredNote:
    """Something that happened between the plies."""

    kind: str
    text: str
    data: Mapping[str, Any]
    ply: int
    """Plies played when it happened."""
    time: str


@dataclasses.dataclass(frozen=True)
class GameSummary:
    """One line of a list of games."""

    game_id: str
    game: str
    players: tuple[str, ...]
    started: str
    """ISO 8601, UTC."""
    finished: str | None
    plies: int
    outcome: Outcome | None


@dataclasses.dataclass(frozen=True)
class StoredGame:
    """One game of the record."""

    game_id: str
    game: str
    rules: Mapping[str, str]
    players: tuple[str, ...]
    started: str
    """ISO 8601, UTC."""
    finished: str | None
    """None while it goes on."""
    outcome: Outcome | None
    plies: tuple[StoredPly, ...]
    """The plies that stand, in order, without a hole."""
    undone: tuple[StoredPly, ...] = ()
    """The plies that were taken back, in the order in which they were played."""
    notes: tuple[StoredNote, ...] = ()
    clock: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The time control, as `TimeControl.as_object` writes it; empty where time was only measured, or not at all."""
    start: str = ""
    """Text of the position that was set up for its beginning; empty where it began as the game does."""
    source: str = ""
    """Name of the file that it was imported from; empty where it was watched. An imported game is never resumed."""

    @property
    def moves(self) -> tuple[str, ...]:
        """The move texts that stand."""
        return tuple(ply.move for ply in self.plies)

    @property
    def known(self) -> tuple[Known, ...]:
        """How it is known who made each of them."""
        return tuple(ply.known for ply in self.plies)

    @property
    def assumed(self) -> tuple[bool, ...]:
        """Which of them nobody saw."""
        return tuple(ply.verdict == ASSUMED for ply in self.plies)

    @property
    def asked_thought(self) -> Thought | None:
        """What an agent said of the move that it asked for last; None where it asked for none since the last ply."""
        for note in reversed(self.notes):
            if note.kind == AGENT_MOVE:
                said = note.data.get(THOUGHT) if note.ply == len(self.plies) else None
                return None if said is None else Thought(**said)
        return None

    @property
    def beyond(self) -> tuple[tuple[str, int, Known], ...]:
        """Text, side and knowledge of the moves that lie on the board after the end, as it was last corrected."""
        for note in reversed(self.notes):
            if note.kind == REWRITTEN and self.finished is not None:
                return tuple((text, side, known) for text, side, known in note.data["beyond"])
        return ()
