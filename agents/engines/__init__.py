"""External engines: which are configured, and how each is started.

They are tables `[engines.NAME]` in a TOML file, such as the daemon's `config.toml`, which the environment variable
KIBITZER_ENGINES names. They never come over the bus: a message names an engine, never what to run.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path

from agents import protocols
from agents.agent import AgentError
from system.named_files import read_toml

FILE_VARIABLE = "KIBITZER_ENGINES"
"""Environment variable with the path of the file; if unset, there are no engines."""
TIMEOUT_S = 30.0
GRACE_S = 5.0
MIN_S, MAX_S = 0.1, 3600.0
KEYS = {"protocol", "game", "command", "options", "timeout_s", "grace_s"}
NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
OPTION = re.compile(r"[^\x00-\x1f]{1,200}")


@dataclasses.dataclass(frozen=True)
class Engine:
    name: str
    protocol: str
    game: str
    command: tuple[str, ...]
    """Program and arguments; no shell interprets them."""
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """In the protocol's own way: `setoption` (uci), `INFO` (gomocup), a command (gtp), `set` (nboard)."""
    timeout_s: float = TIMEOUT_S
    """Seconds to wait for one answer at most before the engine is killed."""
    grace_s: float = GRACE_S
    """Seconds beyond its thinking time, after it was told to stop, before the engine is killed."""


def load() -> dict[str, Engine]:
    path = os.environ.get(FILE_VARIABLE, "")
    return read(Path(path)) if path else {}


def use(path: Path) -> dict[str, Engine]:
    """Registers the engines of a file in this process and in those it starts. Raises AgentError."""
    found = read(path)
    os.environ[FILE_VARIABLE] = str(path.resolve())
    return found


def read(path: Path) -> dict[str, Engine]:
    """The engines of a file; its other tables are ignored. Raises AgentError naming file, key and value."""
    try:
        tables = read_toml(path).get("engines", {})
    except OSError as error:
        raise AgentError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise AgentError(f"{path}: is not TOML: {error}") from None
    if not isinstance(tables, dict):
        raise AgentError(f"{path}: engines are tables [engines.NAME], not {tables!r}")
    return {name: _engine(path, name, table) for name, table in tables.items()}


def _engine(path: Path, name: str, table: object) -> Engine:
    where = f"{path}: engines.{name}"
    if not NAME.fullmatch(name):
        raise AgentError(f"{where}: a name is letters, digits, dots, hyphens and underscores, at most 64")
    if not isinstance(table, dict):
        raise AgentError(f"{where} is a table, not {table!r}")
    if unknown := set(table) - KEYS:
        raise AgentError(f"{where}.{min(unknown)}: there is no such key; there are {', '.join(sorted(KEYS))}")
    protocol, command = table.get("protocol"), table.get("command")
    if protocol not in protocols.NAMES:
        raise AgentError(f"{where}.protocol is one of {', '.join(protocols.NAMES)}, not {protocol!r}")
    if not isinstance(command, list) or not command or not all(isinstance(word, str) and word for word in command):
        raise AgentError(f"{where}.command is a list of the program and its arguments, not {command!r}")
    seconds = {key: table.get(key, usual) for key, usual in (("timeout_s", TIMEOUT_S), ("grace_s", GRACE_S))}
    for key, value in seconds.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not MIN_S <= value <= MAX_S:
            raise AgentError(f"{where}.{key} is {MIN_S:g} to {MAX_S:g} seconds, not {value!r}")
    return Engine(
        name,
        protocol,
        _game(where, protocol, table.get("game")),
        tuple(command),
        _options(where, table.get("options", {})),
        **seconds,
    )


def _game(where: str, protocol: str, game: object) -> str:
    """The game named, which may be left out where the protocol has one only."""
    known = protocols.games_of(protocol)
    if game is None and (usual := protocols.usual_game(protocol)):
        return usual
    if game not in known:
        raise AgentError(f"{where}.game is one of {', '.join(known)} for {protocol}, not {game!r}")
    return str(game)


def _options(where: str, options: object) -> dict[str, str]:
    if not isinstance(options, dict):
        raise AgentError(f"{where}.options is a table of names and values, not {options!r}")
    texts = {}
    for name, value in options.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not isinstance(value, bool | int | float | str) or not OPTION.fullmatch(name) or not OPTION.fullmatch(text):
            raise AgentError(f"{where}.options.{name} is one line of text, a number or true or false, not {value!r}")
        texts[name] = text
    return texts
