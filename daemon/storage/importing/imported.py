"""A game as read from a file, before it is checked by the rules."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Mapping
from typing import Any

from rules import Side
from wording.outside import visible

MAX_PLIES = 4096
"""Most plies of a game, as in a state message."""
MAX_COMMENT_LENGTH = 512
"""Characters kept of what a file says about one move, as many as a note of a document may have."""
AS_RECORDED = "as_recorded"
"""Reason for an end that a file states and the board does not show."""
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


class ImportFault(ValueError):
    """A file is not a game or contains an impossible move; the message tells a person which and why."""

    def __init__(self, text: str) -> None:
        super().__init__(visible(text))  # it may quote the file


@dataclasses.dataclass(frozen=True)
class Claim:
    """How the game ended according to the file."""

    winner: Side | None
    """None is a draw."""
    reason: str = ""
    """Code of the reason; empty if the file gives none."""


@dataclasses.dataclass(frozen=True)
class ImportedPly:
    """One move of a file."""

    text: str
    """In the form `Game.parse_move` reads."""
    side: Side | None = None
    """Who made it, if the file says so."""
    spent_s: float | None = None
    left_s: float | None = None
    """Seconds that its side had left after it."""
    score: float | None = None
    """An agent's evaluation."""
    comment: str = ""
    """What the file says about it in words."""
    number: str = ""
    """How the file numbers it, `2` or `2...` as in PGN; empty where each ply counts."""


@dataclasses.dataclass(frozen=True)
class Imported:
    """One game of a file."""

    game: str
    rules: Mapping[str, object]
    plies: tuple[ImportedPly, ...]
    players: tuple[str, str] = ("", "")
    """Names by side; empty if the file gives none."""
    started: str = ""
    """ISO 8601, UTC; empty if the file does not say."""
    start: str = ""
    """Text of the starting position, if it was set up."""
    first: Side | None = None
    """Who begins, if the file says so and the rules leave it open."""
    clock: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    claim: Claim | None = None
    """None if the file states no end."""
    event: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What it was played for, as `StoredGame.event` has it."""
    comment: str = ""
    """What the file says in words before the first move."""


def moment(day: str, time: str = "") -> str:
    """ISO 8601 of a day such as `2026-07-28` or `2026.07.28` and a time such as `12:00:00`; empty if invalid."""
    date = re.match(r"(\d{4})[-./](\d\d)[-./](\d\d)", day.strip())
    clock = re.match(r"\d\d:\d\d:\d\d", time.strip())
    if date is None:
        return ""
    try:
        text = f"{date[1]}-{date[2]}-{date[3]}T{clock[0] if clock else '00:00:00'}.000+00:00"
        return datetime.datetime.fromisoformat(text).isoformat(timespec="milliseconds")
    except ValueError:
        return ""


def control(kind: str, time_s: float, increment_s: float = 0.0) -> dict[str, Any]:
    """A time control as the journal stores it."""
    return {"kind": kind, "time_s": time_s, "increment_s": increment_s, "lose": False}


def seconds(text: str, most: float = 1e7) -> float | None:
    """Parses a number of seconds; None if it is invalid or its magnitude exceeds `most`."""
    if re.fullmatch(r"-?\d{1,8}(\.\d{1,6})?", text.strip()) is None:
        return None
    value = float(text)
    return value if abs(value) <= most else None


def clock_seconds(text: str) -> float | None:
    """Seconds of `1:02:03`, `02:03` or `0:00:02.3`; None if invalid."""
    match = re.fullmatch(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2}(?:\.\d{1,3})?)", text.strip())
    if match is None:
        return None
    return round(int(match[1] or 0) * 3600 + int(match[2]) * 60 + float(match[3]), 3)


def code(text: str) -> str:
    """The reason if it is a valid code, else empty."""
    return text if _CODE.fullmatch(text) else ""
