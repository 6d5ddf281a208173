"""Measures the method of Preda's thesis (docs/results.md) in a process of its own, because it needs torch."""

from __future__ import annotations

import contextlib
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE
from types import TracebackType

import numpy as np

from daemon.config.settings import ROOT
from lab.bench.speed.scenes import Scene
from processes import Process
from vision.frame import Image

COMMAND = (sys.executable, "-m", "lab.train.thesis")
END_S = 10.0


class NoReference(RuntimeError):
    """The reference cannot be measured; the message says why."""


class Reference:
    """Measures the reference a round at a time; a context manager."""

    def __init__(self, scene: Scene, rectified: Image, folder: Path, arguments: Sequence[str] = ()) -> None:
        """Starts the process; its pictures go into `folder`, and `arguments` are those of `lab.train.thesis`."""
        self.spent_ms: dict[str, list[float]] = defaultdict(list)
        """Milliseconds of each step, round by round."""
        path = folder / f"{scene.game.name}.npz"
        np.savez(path, frame=scene.after[0], reference=scene.before[0], rectified=rectified, game=scene.game.name)
        self._process = Process([*COMMAND, str(path), *arguments], stdin=PIPE, stdout=PIPE, cwd=ROOT, text=True)

    def __enter__(self) -> Reference:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.close()

    def round(self) -> None:
        """Measures every step once. Raises NoReference."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write("round\n")
            stdin.flush()
            answer = json.loads(stdout.readline())
        except (OSError, ValueError) as error:
            self.close()
            raise NoReference(f"the reference has ended with status {self._process.returncode}") from error
        for name, value in answer.items():
            self.spent_ms[name].append(float(value))

    def close(self) -> None:
        """Ends the process; may be called twice."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.end(END_S)
        if self._process.stdout is not None:
            self._process.stdout.close()
