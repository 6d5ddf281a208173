"""Parses what pages ask besides commands: where the board is, a guided calibration, a demo."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import games
from daemon.commands.command import CommandError

ACTIONS = ("corners", "calibrate", "right", "stop")
Point = tuple[float, float]


@dataclasses.dataclass(frozen=True)
class SetupRequest:
    action: str
    """`corners`: the board is there. `calibrate`: start a guided calibration. `right`: the board is right, whatever it
    looks like. `stop`: cancel the calibration."""
    corners: tuple[Point, ...] = ()
    """Four corners, clockwise from the board's top left, as shares of the picture's width and height; or none."""


def parse_setup_request(words: object) -> SetupRequest:
    """Parses an object such as {"action": "calibrate"}. Raises CommandError."""
    if not isinstance(words, Mapping) or words.get("action") not in ACTIONS:
        raise CommandError(f"a set-up request is an object whose action is {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}")
    action, corners = str(words["action"]), words.get("corners")
    strange = sorted(str(field)[:32] for field in words if field not in ("action", "corners"))
    if strange:
        raise CommandError(f"{action} takes no {strange[0]}")
    if corners is None and action != "corners":
        return SetupRequest(action)
    if action not in ("corners", "calibrate"):
        raise CommandError(f"{action} takes no corners")
    if not isinstance(corners, list) or len(corners) != 4:
        raise CommandError("corners are four points, clockwise from the board's top left")
    return SetupRequest(action, tuple(_point(point) for point in corners))


def _point(point: object) -> Point:
    if not isinstance(point, list) or len(point) != 2:
        raise CommandError("a corner is [x, y]")
    # Compare before converting: JSON integers may be longer than a float can hold.
    if not all(isinstance(part, int | float) and not isinstance(part, bool) and -0.5 <= part <= 1.5 for part in point):
        raise CommandError("a corner's x and y are shares of the picture, 0 to 1, and at most half of it outside")
    return float(point[0]), float(point[1])


@dataclasses.dataclass(frozen=True)
class DemoRequest:
    game: str = ""
    """Name of the game to show; empty for the one that is played."""
    end: bool = False


def parse_demo_request(words: object) -> DemoRequest:
    """Parses `{"game": "reversi"}`, `{"end": true}` or `{}`. Raises CommandError."""
    if not isinstance(words, Mapping) or set(words) - {"game", "end"}:
        raise CommandError("a demo is asked for by an object with a game, or ended by one with end")
    game, end = words.get("game", ""), words.get("end", False)
    if not isinstance(end, bool):
        raise CommandError("end is true or false")
    if game != "" and game not in games.names():
        raise CommandError(f"game is one of {', '.join(games.names())}")
    return DemoRequest(game, end)
