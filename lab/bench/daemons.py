"""Daemons that a bench starts beside those of the user: their settings, and programs that end with the bench."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from system import paths

ROOT = paths.PROGRAM
END_S = 30.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fetch(url: str) -> dict[str, Any] | None:
    """The JSON object at an address; None if nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=2.0) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except (OSError, ValueError):
        return None


def wait(condition: Callable[[], object], trouble: str, longest_s: float = 60.0) -> None:
    """Waits until a condition holds. Raises TimeoutError."""
    deadline_s = time.monotonic() + longest_s
    while not condition():
        if time.monotonic() > deadline_s:
            raise TimeoutError(trouble)
        time.sleep(0.2)


def write_settings(path: Path, game: str, /, **sections: Mapping[str, object]) -> Path:
    """Writes the settings of a table that disturbs nobody: two people, no voice, no window, any port for the page.

    Record and bus lie beside the file. `sections` are further settings.
    """
    own: dict[str, Mapping[str, object]] = {
        "game": {"name": game},
        "players": {"second": {"agent": ""}},
        "bus": {"table": path.stem, "state": state_address(path), "reply": f"ipc://{path.with_suffix('')}-r"},
        "speech": {"enabled": False},
        "page": {"port": 0, "window": False},
        "journal": {"path": str(path.with_suffix(".sqlite"))},
    }
    merged = own | {name: {**own.get(name, {}), **more} for name, more in sections.items()}
    lines = [
        f"[{name}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in section.items())
        for name, section in merged.items()
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def state_address(settings: Path) -> str:
    """Where the daemon of that file publishes its states."""
    return f"ipc://{settings.with_suffix('')}-s"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


@contextlib.contextmanager
def program(*words: str, log: Path | None = None, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Runs `python -m WORDS` from the program's folder, and ends it."""
    with contextlib.ExitStack() as stack:
        told = stack.enter_context(log.open("ab")) if log is not None else None
        process = subprocess.Popen(
            [sys.executable, "-m", *words], stdout=told, stderr=told, cwd=ROOT, env={**os.environ, **environment}
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
