"""Levels 1 to 8 of each game, from a child's first opponent to full strength: a TOML file per game, named as the game.

A game of an installed package may bring its own, `levels/<game>.toml` beside its module.

Such a file has one table, `[levels]`, with the keys "1" to "8"; each is a player in one word (`agents.players`), such
as `3 = "alphabeta:depth=2,error_percent=10"`. Fixed depths and nodes play alike on every machine.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

import games
from agents import players, registry
from agents.agent import AgentError
from agents.players import PlayerSpec
from games import AnyGame

NUMBERS = tuple(range(1, 9))
FOLDER = Path(__file__).parent
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
"""Players for a game without a file."""


@functools.cache
def of(name: str) -> tuple[PlayerSpec, ...]:
    """The eight players of a game, weakest first. Raises AgentError naming the file and the level."""
    path = games.file_of(name, f"levels/{name}.toml") or FOLDER / f"{name}.toml"
    if not path.exists():
        return tuple(players.parse(text) for text in USUAL)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))["levels"]
        texts = [table[str(number)] for number in NUMBERS]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AgentError(f"{path} has no table [levels] with the keys 1 to {NUMBERS[-1]}: {error}") from None
    if unknown := set(table) - {str(number) for number in NUMBERS}:
        raise AgentError(f"{path}: there is no level {', '.join(sorted(unknown))}")
    return tuple(_player(path, number, text) for number, text in zip(NUMBERS, texts, strict=True))


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


def player(game: AnyGame, number: int) -> PlayerSpec:
    """The player of a level, 1 to 8. Raises AgentError."""
    spec = of(game.name)[number - 1]
    if not registry.find(spec.agent).plays(game):
        raise AgentError(f"level {number} of {game.name} is {spec.agent}, which does not play it under these rules")
    return spec
