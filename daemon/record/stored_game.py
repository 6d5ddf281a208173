"""A game as stored in the journal."""

from __future__ import annotations

import dataclasses
import datetime
import secrets
from collections.abc import Mapping
from typing import Any

from daemon.game.effects import Known, Thought
from rules import AnyGame, Outcome

ASSUMED = "assumed"
"""Verdict on a ply that nobody saw: inferred as one possible way to a board that was seen later."""
REWRITTEN = "rewritten"
"""Kind of the note that a rewrite leaves; its `beyond` lists the seen plies that no longer counted then."""

EVENT = "event"
"""Kind of the note that tells what a game is played for, with some of `TOLD` in its data."""
TOLD = ("name", "site", "round", "table", "date", "control")
"""Of an imported game also the date, where it is not a whole one, and a time control that we do not keep."""

COMMENT = "comment"
"""Kind of the note that a comment in an imported file leaves, with the ply that it stands after; 0 before the first."""

DEPARTURE = "departure"
"""Kind of the note of what in an imported file departs from its format or from the rules, and how it was taken."""

AGENT_MOVE, THOUGHT = "agent_move", "thought"
"""Kind of the note that an agent's answer leaves, and the key in its data for what the agent reported."""

LEVEL = "level-"
"""What the names of the levels begin with, and no other agent's."""


@dataclasses.dataclass(frozen=True)
class StoredPly:
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
    """The agent's own evaluation; None for a person's move."""
    frame: str
    """Photo name or seconds of the picture it was seen in; empty if there is none."""
    time: str
    """When it was recorded: ISO 8601, UTC."""
    known: Known = ""
    """How it is known who made the move."""
    spent_s: float | None = None
    """Seconds the side to move spent on it; None if no clock was kept, as in the fields below."""
    left_first_s: float | None = None
    left_second_s: float | None = None
    """Seconds left for each side after it; None if there was no time limit."""
    depth: int | None = None
    nodes: int | None = None
    thought_s: float | None = None
    """The agent's report on its search: depth, nodes and seconds; None for a person's move."""

    @property
    def left_s(self) -> tuple[float, float] | None:
        if self.left_first_s is None or self.left_second_s is None:
            return None
        return self.left_first_s, self.left_second_s


@dataclasses.dataclass(frozen=True)
class StoredNote:
    """An event between plies."""

    kind: str
    text: str
    data: Mapping[str, Any]
    ply: int
    """Plies played when it happened."""
    time: str


@dataclasses.dataclass(frozen=True)
class GameSummary:
    game_id: str
    game: str
    players: tuple[str, ...]
    started: str
    finished: str | None
    plies: int
    outcome: Outcome | None


@dataclasses.dataclass(frozen=True)
class StoredGame:
    game_id: str
    game: str
    rules: Mapping[str, str]
    players: tuple[str, ...]
    started: str
    finished: str | None
    outcome: Outcome | None
    plies: tuple[StoredPly, ...]
    """The plies that stand, in order, without gaps."""
    undone: tuple[StoredPly, ...] = ()
    """The plies that were taken back, in the order in which they were played."""
    notes: tuple[StoredNote, ...] = ()
    clock: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The time control as `TimeControl.as_object` writes it; empty if time was only measured, or not at all."""
    start: str = ""
    """Text of the set-up starting position; empty for the game's usual start."""
    source: str = ""
    """Name of the file it was imported from; empty if it was watched. An imported game is never resumed."""

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(ply.move for ply in self.plies)

    @property
    def known(self) -> tuple[Known, ...]:
        return tuple(ply.known for ply in self.plies)

    @property
    def assumed(self) -> tuple[bool, ...]:
        return tuple(ply.verdict == ASSUMED for ply in self.plies)

    @property
    def event(self) -> dict[str, str]:
        """What the game is played for: some of `TOLD`."""
        told = next((note.data for note in self.notes if note.kind == EVENT), {})
        return {name: str(told[name]) for name in TOLD if told.get(name)}

    def was_an_agents(self, side: int) -> bool:
        """Whether an agent has moved for that side, or its name is that of a level."""
        answered = {note.ply + 1 for note in self.notes if note.kind == AGENT_MOVE}
        moved = any(ply.side == side and ply.ply in answered for ply in self.plies)
        return moved or self.players[side].startswith(LEVEL)

    @property
    def departures(self) -> tuple[str, ...]:
        """What in the file it was imported from departs from its format or from the rules, and how it was taken."""
        return tuple(note.text for note in self.notes if note.kind == DEPARTURE)

    @property
    def comments(self) -> dict[int, str]:
        """The comments of the file it was imported from, by ply; 0 is before the first."""
        told: dict[int, str] = {}
        for note in self.notes:
            if note.kind == COMMENT and note.text.strip():
                told[note.ply] = f"{told.get(note.ply, '')} {note.text}".strip()
        return told

    @property
    def asked_thought(self) -> Thought | None:
        """The agent's report on the last move it asked for; None if it has asked for none since the last ply."""
        for note in reversed(self.notes):
            if note.kind == AGENT_MOVE:
                said = note.data.get(THOUGHT) if note.ply == len(self.plies) else None
                return None if said is None else Thought(**said)
        return None

    @property
    def beyond(self) -> tuple[tuple[str, int, Known], ...]:
        """Text, side and `known` of the moves on the board after the end, as last corrected."""
        for note in reversed(self.notes):
            if note.kind == REWRITTEN and self.finished is not None:
                return tuple((text, side, known) for text, side, known in note.data["beyond"])
        return ()


def rule_texts(game: AnyGame) -> dict[str, str]:
    """Every rule option in force, in the form used by the record and the bus."""
    return {name: str(value).lower() for name, value in vars(game.rules).items()}


def now() -> str:
    """The time in UTC, to a millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def new_id(started: str = "") -> str:
    """An id for a game that began then, by default now; ids sort by that."""
    return f"{(started or now())[:19].replace('-', '').replace(':', '')}-{secrets.token_hex(4)}"
