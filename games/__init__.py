"""The games: one package each, behind the `rules.Game` protocol.

Every package in this folder is a game and names its class `GAME`; `names()` lists the folder. An installed package adds
a game through an entry point of the group `kibitzer.games`. A game's files lie beside its rules: the board to look for
in `boards/<game>.toml`, its levels of play in `levels/<game>.toml`, what a position is worth in `heuristics.py`, what a
move is good for in `merits.py`, a compiled search in `kernel/`, its words in `languages/<language>.mo`. But for
`kernel/`, which stands with the agents, nothing here depends on pictures, clocks, sockets or any package outside the
standard library but `rules` and `wording`.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import types
import unicodedata
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rules import AnyGame, UnknownGame
from rules.options import parse_rules

ENTRY_POINTS = "kibitzer.games"
"""Entry-point group by which installed packages add games; each entry gives the game's name and its module."""


@functools.cache
def shipped() -> tuple[str, ...]:
    """Names of the games in this folder, sorted. Read once: a reader of records asks thousands of times."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def names() -> tuple[str, ...]:
    """Names of all games, in this folder and from installed packages, sorted."""
    return tuple(sorted({*shipped(), *_brought()}))


def find(name: str) -> type[AnyGame]:
    """The class of the game with that name, short name, title or other usual name. Raises UnknownGame.

    Of the other games' modules as few as possible are imported: none for a name.
    """
    wanted = _plain(name)
    for candidate in sorted(names(), key=lambda one: (one != wanted, not one.endswith(wanted))):
        game = _class_of(candidate)
        if wanted in map(_plain, (candidate, game.about.short_name, game.title, *game.about.also)):
            return game
    known = {one: _class_of(one).about.short_name for one in names()}
    told = ", ".join(one if one == short else f"{one} ({short})" for one, short in known.items())
    raise UnknownGame(f"there is no game {name!r}; the games are {told}" if name else f"name a game: {told}")


def _plain(name: str) -> str:
    """A name as it is compared: without case, marks on letters, and what stands between its words."""
    bare = unicodedata.normalize("NFKD", name.casefold().replace("ł", "l"))
    return "_".join("".join(one if one.isalnum() else " " for one in bare if not unicodedata.combining(one)).split())


def file_of(name: str, path: str) -> Path:
    """A file of a game's package, such as `levels/chess.toml` beside its module; it need not exist."""
    module = _brought().get(name)
    package = Path(__file__).parent / name if module is None else Path(module.__file__ or "").parent
    return package / path


def part_of(name: str, part: str) -> types.ModuleType | None:
    """A module of a game's package besides its rules, such as `heuristics`; None where it has none."""
    if name not in names() or not hasattr(_module_of(name), "__path__"):
        return None
    full = module_name(name, part)
    return None if importlib.util.find_spec(full) is None else importlib.import_module(full)


def module_name(name: str, part: str) -> str:
    """The full name of a module of a game's package, which need not exist."""
    brought = _brought().get(name)
    return f"games.{name}.{part}" if brought is None else f"{brought.__name__}.{part}"


def _class_of(name: str) -> type[AnyGame]:
    game: type[AnyGame] = _module_of(name).GAME
    return game


def _module_of(name: str) -> types.ModuleType:
    return _brought().get(name) or importlib.import_module(f"games.{name}")


@functools.cache
def _brought() -> Mapping[str, types.ModuleType]:
    """Installed packages' game modules by name. An entry must have its game's own name, and not one of `shipped()`."""
    found = {}
    for name, module in installed(ENTRY_POINTS).items():
        if name in shipped() or getattr(getattr(module, "GAME", None), "name", "") != name:
            warnings.warn(f"{ENTRY_POINTS}: {module.__name__} brings no game of the name {name!r}", stacklevel=2)
        else:
            found[name] = module
    return found


@functools.cache
def installed(group: str) -> Mapping[str, types.ModuleType]:
    """Modules that installed packages register in an entry-point group, by entry name.

    A module that fails to import is left out with a warning.
    """
    found: dict[str, types.ModuleType] = {}
    for entry in sorted(importlib.metadata.entry_points(group=group), key=lambda entry: entry.name):
        try:
            found[entry.name] = entry.load()
        except Exception as error:  # noqa: BLE001 - a stranger's package may fail in any way
            warnings.warn(f"{group}: {entry.value} cannot be loaded: {error!r}", stacklevel=2)
    return found


def load(name: str, rules: Mapping[str, object] | None = None) -> AnyGame:
    """The game with that name or short name, under these rule options; texts such as "true" and "6" are converted.

    Raises UnknownGame, RuleError.
    """
    game = find(name)
    return game(parse_rules(game, rules or {}))  # type: ignore[call-arg]


def rule_choices(name: str, option: str) -> tuple[str, ...]:
    """The allowed values of a game's rule option; empty if there is no such option. Raises UnknownGame."""
    kind: Any = getattr(find(name), "Rules")  # noqa: B009
    for field in dataclasses.fields(kind):
        if field.name == option:
            return tuple(field.metadata["choices"] or ())
    return ()
