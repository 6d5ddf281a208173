"""Levels 1 to 8 of each game, from a child's first opponent to full strength, and the agents `level-1` to `level-8`.

`levels/<game>.toml` in a game's package has one table, `[levels]`, with the keys "1" to "8"; each is a player in one
word (`agents.players`), such as `3 = "alphabeta:depth=2,error_percent=10"`. Fixed depths and nodes play alike on every
machine. The key `lead` is optional: the score of level 8, in its own unit, from which three of four games are won (of
60 between levels 5 and 6, after random openings). `unit` is what people count, such as `disc`, `unit_score` the score
of one, and `won_score` the score that a won game adds where the search counts on to the result.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import games
from agents import players, registry
from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.players import PlayerSpec
from agents.search import WIN
from agents.values import SCORE, Scale
from rules import AnyGame
from rules.options import rule

THINKER = "alphabeta"
NUMBERS = tuple(range(1, 9))
KEYS = {"lead", "unit", "unit_score", "won_score"}
UNITS = ("disc", "man", "point")
USUAL = (
    "random",
    "alphabeta:depth=1,error_percent=40",
    "alphabeta:depth=1,error_percent=15",
    "alphabeta:depth=1",
    "alphabeta:depth=2",
    "alphabeta:depth=3",
    "alphabeta:time_s=0.3",
    "alphabeta:time_s=1",
)


@functools.cache
def of(name: str) -> tuple[PlayerSpec, ...]:
    """The eight players of a game, weakest first. Raises AgentError naming the file and the level."""
    path, table = _file(name)
    if not table:
        return tuple(players.parse(text) for text in USUAL)
    return tuple(_player(path, number, table[str(number)]) for number in NUMBERS)


@functools.cache
def scale(name: str) -> Scale:
    """What scores mean in a game. Raises AgentError."""
    path, table = _file(name)
    unit, numbers = table.get("unit", ""), {key: _number(path, table, key) for key in ("unit_score", "won_score")}
    if unit not in ("", *UNITS):
        raise AgentError(f"{path}: unit is one of {', '.join(UNITS)}, not {unit!r}")
    if not unit and lead(name) is None:
        return Scale(unit=SCORE)  # nobody has said what it promises
    return Scale(lead(name), unit, numbers["unit_score"] or 1.0, numbers["won_score"])


@functools.cache
def lead(name: str) -> float | None:
    return _number(*_file(name), "lead")


def _number(path: Path, table: Mapping[str, Any], key: str) -> float | None:
    given = table.get(key)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < WIN:
        raise AgentError(f"{path}: {key} is a number between 0 and {WIN}, not {given!r}")
    return float(given)


def _file(name: str) -> tuple[Path, dict[str, Any]]:
    path = games.file_of(name, f"levels/{name}.toml")
    if not path.exists():
        return path, {}
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["levels"]
        missing = [str(number) for number in NUMBERS if str(number) not in table]
        if missing:
            raise KeyError(missing[0])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AgentError(f"{path} has no table [levels] with the keys 1 to {NUMBERS[-1]}: {error}") from None
    if unknown := set(table) - {str(number) for number in NUMBERS} - KEYS:
        raise AgentError(f"{path}: there is no level {', '.join(sorted(unknown))}")
    return path, table


def _player(path: Path, number: int, text: object) -> PlayerSpec:
    where = f"{path}, level {number}"
    if not isinstance(text, str):
        raise AgentError(f"{where} is a player's text, not {text!r}")
    if text.startswith("level-"):
        raise AgentError(f"{where} is an agent that is no level itself, not {text!r}")
    try:
        return players.parse(text)
    except AgentError as error:
        raise AgentError(f"{where}: {error}") from None


def strongest(name: str) -> PlayerSpec:
    """The player of a game's level 8, with no limit of its own where its agent goes by time. Raises AgentError."""
    best = of(name)[-1]
    return PlayerSpec(best.agent) if best.agent == THINKER else best


def player(game: AnyGame, number: int) -> PlayerSpec:
    spec = of(game.name)[number - 1]
    if not registry.find(spec.agent).plays(game):
        raise AgentError(f"level {number} of {game.name} is {spec.agent}, which does not play it under these rules")
    return spec


@dataclasses.dataclass(frozen=True)
class LevelOptions:
    seed: int = rule(0, "the seed of the player behind the level", minimum=0, maximum=2**31)
    book: bool = rule(True, "answers from the opening book where it knows the position and nothing limits the depth")


class _Level(GameAgent):
    """Plays as `levels/<game>.toml` says, under its own or the given limits, whichever are stricter."""

    number: int
    options: LevelOptions
    Options = LevelOptions

    def __init__(self, game: AnyGame, options: LevelOptions | None = None) -> None:
        """Raises AgentError if the file names no player of the game."""
        super().__init__(game, options)
        self.spec = player(game, self.number)
        chosen, taken = dict(self.spec.options), registry.options_of(self.spec.agent)
        if self.options.seed and "seed" in taken:
            chosen["seed"] = str(self.options.seed)
        if not self.options.book and "book" in taken:
            chosen["book"] = "false"
        self._player: GameAgent = registry.load_agent(self.spec.agent, game, chosen)

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        return registry.find(of(game.name)[cls.number - 1].agent).plays(game)

    @classmethod
    def warm_up(cls, game: AnyGame) -> None:
        registry.find(of(game.name)[cls.number - 1].agent).warm_up(game)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The answer of the level's player.

        A given time limit only interrupts its thinking. It is not passed on, because a depth search with a time limit
        no longer gives plain minimax's scores.
        """
        if (prepare := getattr(self._player, "prepare", None)) is not None:
            prepare(stop)
        own = self.spec.limits
        time_s = own.time_s if limits.time_s is None or own.time_s is None else min(own.time_s, limits.time_s)
        allowed = Limits(time_s, _least(own.depth, limits.depth), _least(own.nodes, limits.nodes))
        return self._player.choose(position, allowed, stop if limits.time_s is None else _Deadline(stop, limits.time_s))


def _least(own: int | None, given: int | None) -> int | None:
    return given if own is None else own if given is None else min(own, given)


class _Deadline(threading.Event):
    """Set when another event is set or a time has passed."""

    def __init__(self, stop: threading.Event, time_s: float) -> None:
        super().__init__()
        self._stop, self._end_s = stop, time.monotonic() + time_s

    def is_set(self) -> bool:
        return self._stop.is_set() or time.monotonic() >= self._end_s


AGENTS = tuple(type(f"Level{one}", (_Level,), {"name": f"level-{one}", "number": one}) for one in NUMBERS)
