"""Watches a film with the program, as `kibitzer watch` does, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2


class WatchError(RuntimeError):
    """A program failed to watch its film; the message is its output."""


def watch(
    film: Path, game: str, rules: Mapping[str, str], on_progress: Callable[[float], None] = lambda _: None
) -> tuple[list[dict[str, Any]], float]:
    """The program's events for a film, and its CPU seconds since it was ready. Raises WatchError."""
    words = [word for name, value in rules.items() for word in ("--rule", f"{name}={value}")]
    command = [sys.executable, "-m", "daemon.cli", "watch", "--game", game, *words, "--source", str(film)]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        events: list[dict[str, Any]] = []
        ready_s = 0.0
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                ready_s = ready_s if events else cpu_s(process.pid)
                events.append(json.loads(line))
                if isinstance(events[-1]["frame"], float):
                    on_progress(events[-1]["frame"])
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise WatchError(f"{film.name}: {errors.read().strip()[-500:]}")
    return events, used.ru_utime + used.ru_stime - ready_s


def cpu_s(process: int) -> float:
    """CPU seconds of a process so far; 0 if the system does not say."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def frames_in(film: Path) -> int:
    capture = cv2.VideoCapture(str(film))
    try:
        return int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    finally:
        capture.release()
