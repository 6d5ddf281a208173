"""The process that judges the moves of a recorded game (`kibitzer analyse`), line by line."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from system import paths
from system.processes import LineProcess

COMMAND = (sys.executable, "-m", "daemon.cli", "analyse")
START_S = 300.0
"""Seconds until the first move is judged: after an update the search has to be compiled, perhaps on a slow computer."""
LATE = 20.0
"""A judgement may take this many times its thinking time: other processes may want the processor."""
PATIENCE_S = 60.0
LOOK_S = 0.2
"""Seconds until a wait notices that it was stopped."""
MAX_ERROR = 4096


class AnalysisError(ValueError):
    """A game cannot be analysed; the message says why."""


@contextlib.contextmanager
def analysis(
    game: str,
    rules: Mapping[str, str],
    asked: Mapping[str, object],
    time_s: float,
    *,
    engine: str = "",
    engines: Path | None = None,
    background: bool = False,
    command: Sequence[str] = COMMAND,
    stop: threading.Event | None = None,
) -> Iterator[Iterator[dict[str, Any]]]:
    """The judgements of a game whose `moves`, `start` and `positions` are `asked`, each as soon as it is found.

    They end early once `stop` is set. The process ends with the context. Raises AnalysisError.
    """
    words = [*command, "--game", game, "--moves", "-", "--time-s", f"{time_s:g}"]
    words += [word for name, value in rules.items() for word in ("--rule", f"{name}={value}")]
    words += ["--engine", engine] if engine else []
    words += ["--engines", str(engines)] if engines else []
    words += ["--background"] if background else []
    with tempfile.TemporaryFile() as errors:
        try:
            process = LineProcess(words, cwd=paths.PROGRAM, stderr=errors)
        except OSError as error:
            raise AnalysisError(f"the analysis cannot be started: {error.strerror}") from None
        try:
            # In a thread: a long game may fill the pipe before the process reads.
            threading.Thread(target=process.say, args=(json.dumps(asked),), kwargs={"last": True}, daemon=True).start()
            yield _told(process, errors, time_s, stop or threading.Event())
        finally:
            process.close()


def _told(process: LineProcess, errors: IO[bytes], time_s: float, stop: threading.Event) -> Iterator[dict[str, Any]]:
    wait_s = START_S + LATE * time_s
    deadline_s = time.monotonic() + wait_s
    while not stop.is_set():
        if time.monotonic() > deadline_s:
            raise AnalysisError(f"the analysis gave no answer within {wait_s:.0f} seconds")
        try:
            line = process.hear(LOOK_S)
        except EOFError:
            _check_end(process, errors)
            return
        if line is None:
            continue
        try:
            told = json.loads(line)
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise AnalysisError("the analysis answers with rubbish")
        yield told
        wait_s = max(PATIENCE_S, LATE * time_s)
        deadline_s = time.monotonic() + wait_s


def _check_end(process: LineProcess, errors: IO[bytes]) -> None:
    """Raises AnalysisError with what the process said last, unless it ended well."""
    status = process.wait(PATIENCE_S)
    if status == 0:
        return
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - MAX_ERROR))
    said = errors.read(MAX_ERROR).decode(errors="replace").strip().splitlines()
    why = said[-1].removeprefix("kibitzer analyse: ") if said else f"it ended with status {status}"
    raise AnalysisError(why[:500])
