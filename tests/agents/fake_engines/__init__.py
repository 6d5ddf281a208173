"""Engine programs for tests, and how a test registers one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from agents import engines
from agents.engines import process


def register(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    protocol: str,
    game: str,
    command: list[str],
    **settings: float,
) -> None:
    """Writes a file of engines with this one, and names it as the file that the program reads."""
    table = "".join(f"{key} = {value}\n" for key, value in settings.items())
    head = f'[engines.{name}]\nprotocol = "{protocol}"\ngame = "{game}"\ncommand = {command}\n'
    (folder / "engines.toml").write_text(head + table)
    monkeypatch.setenv(engines.FILE_VARIABLE, str(folder / "engines.toml"))


def silent_when(monkeypatch: pytest.MonkeyPatch, past: Callable[[], object]) -> None:
    """Lets every deadline for an engine's lines be over as soon as `past` is true, so that no test waits for it."""
    clock = SimpleNamespace(monotonic=lambda: math.inf if past() else time.monotonic())
    monkeypatch.setattr(process, "time", clock)
