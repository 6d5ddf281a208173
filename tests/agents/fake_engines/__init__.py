"""Engine programs for tests, and how a test registers one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents import engines


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
