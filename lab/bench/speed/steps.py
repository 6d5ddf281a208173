"""Measures the milliseconds of each step from a frame to a verdict, on the pipeline as the daemon runs it.

The method of Preda's thesis (docs/results.md) is measured in a process of its own, because it needs torch."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import PIPE
from types import TracebackType

import cv2
import numpy as np

from daemon.belief.belief import Belief
from daemon.belief.line import Line
from daemon.belief.look import Look
from daemon.config.settings import ROOT
from daemon.perception.pipeline import Observation, Pipeline, Spent
from lab.bench.speed.scenes import Scene
from system.processes import Process
from vision.frame import Frame, Image, SourceError
from vision.sources.encoded import decode, peek

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


RATE_HZ = 15.0
MAX_STEPS = 150
"""Frames after which a picture should have been read."""
JPEG_QUALITY = 85


class Steps:
    def __init__(self, scene: Scene) -> None:
        self.spent_ms: dict[str, list[float]] = defaultdict(list)
        """Milliseconds of each step, one measurement after the other."""
        self.cells_read: list[int] = []
        """Cells read for each settled change."""
        self.verdicts = self.right = 0
        """Changes that were explained, and those explained by the move that was made."""
        self.rectified: Image | None = None
        """The newest rectified picture."""
        self._scene = scene
        self._pipeline = Pipeline(scene.template, None)
        self._frames = itertools.count()
        self._before, self._after = itertools.cycle(scene.before), itertools.cycle(scene.after)
        self._encoded = cv2.imencode(".jpg", scene.before[0], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()

    def prepare(self) -> None:
        """Finds the board and reads it for the first time. Raises SourceError if the position is not as expected."""
        seen, _ = self._settle(self._before)
        assert seen.reading is not None
        game, history = self._scene.game, self._scene.history
        self._belief = Belief.at(game, None if history is None else history[-1]).after(
            Look(0.0, seen.reading, final=True)
        )
        if self._belief.standing.state != "right":
            why = f"the {self._scene.what} is not read as it stands: {seen.reading.board}"
            if history is None:
                why = "no start of a game explains the first photo: take photos of a game's first two moves"
            raise SourceError(why)
        self.spent_ms.clear()

    def round(self) -> None:
        """Shows the move, has it judged, undoes it, and measures the single steps as well."""
        self._judge(*self._settle(self._after))
        self._measure("read_whole_board", self._read_whole)
        self._measure("decode", lambda: decode(self._encoded))
        self._measure("glance", lambda: peek(self._encoded))
        self._settle(self._before)

    def _settle(self, pictures: Iterator[Image]) -> tuple[Observation, Spent]:
        """Shows a picture until it has settled; returns it with what all of its looks took to read.

        Raises SourceError if that never happens.
        """
        spent = list[Spent]()
        for _ in range(MAX_STEPS):
            index = next(self._frames)
            seen = self._pipeline.feed(Frame(next(pictures), index / RATE_HZ, index))
            if seen.spent is not None and seen.rectified is not None:
                self._note(seen.spent)
                spent.append(seen.spent)
                self.rectified = seen.rectified.picture
            if seen.reading is not None and seen.gate is not None and seen.gate.fresh:
                cells, read_s = sum(one.cells for one in spent), sum(one.read_s for one in spent)
                return seen, dataclasses.replace(spent[-1], cells=cells, read_s=read_s)
        raise SourceError(f"the board of the {self._scene.what} is not found, or does not come to rest")

    def _note(self, spent: Spent) -> None:
        for name in ("track", "rectify", "gate"):
            self.spent_ms[name].append(1000 * getattr(spent, f"{name}_s"))

    def _judge(self, seen: Observation, spent: Spent) -> None:
        assert seen.reading is not None
        reading = seen.reading
        began_s = time.perf_counter()
        after = self._belief.after(Look(self._belief.standing.until_s + 1.0, reading, final=True))
        judge_s = time.perf_counter() - began_s
        self.cells_read.append(spent.cells)
        self.verdicts += 1
        first = len(self._belief.told.plies)
        moves = [self._text(after.told, index) for index in range(first, len(after.told.plies))]
        self.right += moves == [self._scene.move] if self._scene.move else len(moves) == 1
        for name, seconds in (("read_changed_cells", spent.read_s), ("judge", judge_s)):
            self.spent_ms[name].append(1000 * seconds)
        settled_s = spent.rectify_s + spent.gate_s + spent.read_s + judge_s
        self.spent_ms["settled_change"].append(1000 * settled_s)
        self.spent_ms["settled_change_with_track"].append(1000 * (settled_s + spent.track_s))

    def _text(self, line: Line, index: int) -> str:
        return str(self._scene.game.format_move(line.before(index), line.plies[index].move))

    def _read_whole(self) -> object:
        assert self.rectified is not None
        return self._pipeline.reader.read(self.rectified, 0.0)

    def _measure(self, name: str, step: Callable[[], object]) -> None:
        began_s = time.perf_counter()
        step()
        self.spent_ms[name].append(1000 * (time.perf_counter() - began_s))
