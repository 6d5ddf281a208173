"""Engines that need no configuration: `known.toml` says how each is started, and what its eight levels are."""

from __future__ import annotations

import dataclasses
import functools
import os
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from agents.engines import GRACE_S, Engine

FILE = Path(__file__).with_name("known.toml")
FOLDERS = ("/usr/games", "/usr/local/games")
"""Folders of Debian's games, which a service's PATH often lacks."""


@dataclasses.dataclass(frozen=True)
class KnownEngine:
    name: str
    game: str
    protocol: str
    program: str
    package: str
    levels: Mapping[str, Sequence[object]]
    """Values for the eight levels, by the name that stands in braces."""
    arguments: tuple[str, ...] = ()
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    grace_s: float = GRACE_S
    reviews: bool = False
    """Whether reviews ask for its opinion where nobody names another: it is stronger than our own players."""

    @property
    def path(self) -> str | None:
        folders = os.pathsep.join((os.environ.get("PATH", os.defpath), *FOLDERS))
        return shutil.which(self.program, path=folders)

    def at(self, level: int) -> Engine:
        """The engine at a level from 1 to 8. Raises FileNotFoundError if it is not installed."""
        if (path := self.path) is None:
            raise FileNotFoundError(f"{self.program} is not installed: apt install {self.package}")
        values = {name: str(of[level - 1]) for name, of in self.levels.items()}
        return Engine(
            self.name,
            self.protocol,
            self.game,
            (path, *(word.format(**values) for word in self.arguments)),
            {name: text.format(**values) for name, text in self.options.items()},
            grace_s=self.grace_s,
        )


@functools.cache
def known() -> tuple[KnownEngine, ...]:
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        KnownEngine(name, **{**table, "arguments": tuple(table.get("arguments", ()))}) for name, table in tables.items()
    )
