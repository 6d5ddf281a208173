"""What a file says of a game, before the rules have judged it."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Mapping
from typing import Any

from games import Side

MAX_PLIES = 4096
"""Plies of a game, as many as a state has."""
AS_RECORDED = "as_recorded"
"""Reason of an end that a file tells and the board does not show."""
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


class ImportFault(ValueError):
    """A file that is no game, or a move in it that cannot be; the message says which and why, for a person."""


@dataclasses.dataclass(frozen=True)
class Claim:
    """How the game ended, as the file says."""

    winner: Side | None
    """None is a draw."""
    reason: str = ""
    """Code of the reason; empty where the file says none."""


@dataclasses.dataclass(frozen=True)
class ImportedPly:
    """One move of a file."""

    text: str
    """As `Game.parse_move` reads it."""
    side: Side | None = None
    """Who made it, where the file says so."""
    spent_s: float | None = None
    left_s: float | None = None
    """Seconds that its side had left after it."""
    score: float | None = None
    """An agent's figure."""


@dataclasses.dataclass(frozen=True)
class Imported:
    """One game of a file."""

    game: str
    rules: Mapping[str, object]
    plies: tuple[ImportedPly, ...]
    players: tuple[str, str] = ("", "")
    """By side; empty where the file names nobody."""
    started: str = ""
    """ISO 8601, UTC; empty where the file does not say."""
    start: str = ""
    """Text of the position it begins with, where that was set up."""
    first: Side | None = None
    """Who begins, where the file says so and the rules leave it open."""
    clock: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    claim: Claim | None = None
    """None where the file tells no end."""


def moment(day: str, time: str = "") -> str:
    """ISO 8601 of a day such as `2026-07-28` or `2026.07.28` and a time such as `12:00:00`; empty for anything else."""
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
    """A time control as the record keeps it."""
    return {"kind": kind, "time_s": time_s, "increment_s": increment_s, "lose": False}


def seconds(text: str, most: float = 1e7) -> float | None:
    """A number of seconds, 0 or more; None where it is none."""
    if re.fullmatch(r"-?\d{1,8}(\.\d{1,6})?", text.strip()) is None:
        return None
    value = float(text)
    return value if abs(value) <= most else None


def clock_seconds(text: str) -> float | None:
    """Seconds of `1:02:03`, `02:03` or `0:00:02.3`; None where it is none."""
    match = re.fullmatch(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2}(?:\.\d{1,3})?)", text.strip())
    if match is None:
        return None
    return round(int(match[1] or 0) * 3600 + int(match[2]) * 60 + float(match[3]), 3)


def code(text: str) -> str:
    """A reason as a code; empty where it is none."""
    return text if _CODE.fullmatch(text) else ""
