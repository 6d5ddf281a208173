"""Plays a tournament's unfinished games: in this process, on all cores, or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from agents.arena.play import Job, Played, play, prepare
from agents.arena.record import Record
from agents.jobs import ALONE, CLUSTER, Backend
from agents.jobs.running import run_jobs


class GameRunner:
    def __init__(
        self,
        record: Record,
        backend: Backend = ALONE,
        *,
        watch: Callable[[Job, Played], None] = lambda _job, _played: None,
    ) -> None:
        """`watch` is called with every game finished here."""
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
