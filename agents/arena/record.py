"""A tournament's file: its settings, then each finished game as a line of JSON, so that none is played twice.

`GameRunner` plays the games that are missing from it: in this process, on all cores, or on a cluster.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from agents.arena.play import Job, Played, play, prepare
from agents.jobs import ALONE, CLUSTER, Backend
from agents.jobs.running import run_jobs

FORMAT = "kibitzer-arena-1"


class RecordError(ValueError):
    pass


class Record:
    """Finished games by id, in memory and, if there is a path, appended to a file."""

    def __init__(self, settings: Mapping[str, Any], path: Path | None = None) -> None:
        """Opens or creates the file. Raises RecordError naming the first setting that differs."""
        self.settings = dict(settings)
        self.played: dict[str, Played] = {}
        self.found = 0
        self._path = path
        self._file: IO[bytes] | None = None
        if path is not None:
            try:
                if path.exists() and not (path.is_file() or path.is_dir()):
                    raise RecordError(f"{path}: it is a pipe or a device, not a file")
                self._file = path.open("a+b")
                self._open(self._file, path)
            except OSError as error:
                self.close()
                raise RecordError(f"{path}: {error.strerror}") from None
            except RecordError:
                self.close()
                raise

    def _open(self, file: IO[bytes], path: Path) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordError(f"{path} is written by another arena") from None
        file.seek(0)
        content = file.read()
        whole, _, torn = content.rpartition(b"\n")
        if not whole and torn and not torn.startswith(b'{"format"'):
            raise RecordError(f"{path} is no record of an arena")
        if whole:
            self._read(whole.split(b"\n"), path)
        if torn:  # the process was killed within a line: that game is replayed
            file.truncate(len(content) - len(torn))
        if not whole:
            self._write({"format": FORMAT, **self.settings})

    def _read(self, lines: list[bytes], path: Path) -> None:
        header = _object(lines[0], path, 1)
        if header.pop("format", None) != FORMAT:
            raise RecordError(f"{path} is no record of an arena: it does not begin with {FORMAT}")
        wanted = json.loads(json.dumps(self.settings))
        for key in (*wanted, *header):
            if header.get(key) != wanted.get(key):
                told = f"{key} is {json.dumps(header.get(key))} there and {json.dumps(wanted.get(key))} here"
                raise RecordError(f"{path} is of other settings: {told}")
        for number, line in enumerate(lines[1:], 2):
            try:
                played = Played.from_json(_object(line, path, number))
            except (KeyError, TypeError, ValueError) as error:
                raise RecordError(f"{path}, line {number}: no finished game: {error}") from None
            self.played[played.id] = played
        self.found = len(self.played)

    def add(self, played: Played) -> None:
        """Keeps a game; it is on disk before the next one is requested."""
        self.played[played.id] = played
        self._write(dataclasses.asdict(played))

    def _write(self, found: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(found, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(f"{path}, line {number}: no JSON") from None
    if not isinstance(found, dict):
        raise RecordError(f"{path}, line {number}: no JSON object")
    return found


class GameRunner:
    def __init__(
        self,
        record: Record,
        backend: Backend = ALONE,
        *,
        watch: Callable[[Job, Played], None] = lambda _job, _played: None,
    ) -> None:
        self.record, self._backend, self._watch = record, backend, watch

    def play(self, jobs: Sequence[Job], enough: Callable[[], bool] = lambda: False) -> None:
        """Plays the games missing from the record; stops early once `enough` is true, losing games in progress.

        Raises JobsError.
        """
        left = [job for job in jobs if job.id not in self.record.played]
        if not left or enough():
            return
        if self._backend.name != CLUSTER:
            for job in {job.players: job for job in left}.values():
                prepare(job)  # compiled here, then loaded from the disk cache by other processes
        with contextlib.closing(run_jobs(play, left, self._backend)) as finished:
            for job, played in finished:
                self.record.add(played)
                self._watch(job, played)
                if enough():
                    return
