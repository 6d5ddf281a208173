"""Builds the endgame tables of some rules: subspaces of few men before those that lead to them by a capture."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.jobs import Backend
from agents.jobs.running import run_jobs
from agents.tables import MIN_MEN, TableError, files, folder
from agents.tables.solving import Pair, Report, after_capture, solve
from games.nine_mens_morris import NineMensMorris
from games.nine_mens_morris.kernel import endgame_index


class Builder:
    def __init__(self, game: NineMensMorris, within: Path, report: Report) -> None:
        self.game, self.folder, self.report = game, folder.of_rules(game, within), report
        self.key = folder.rules_key(game)

    def missing(self, men: int) -> list[tuple[int, int]]:
        """Pairs of up to that many men whose tables are missing or damaged, small ones first."""
        wanted = [pair for total in range(MIN_MEN, men + 1) for pair in folder.pairs(total)]
        return [pair for pair in wanted if not all(self._is_whole(*one) for one in folder.both(*pair))]

    def steps(self, men: int) -> int:
        """Number of steps that `build` will report."""
        return sum(_steps(pair) for pair in self.missing(men))

    def build(self, men: int, backend: Backend) -> list[files.Header]:
        """Builds what is missing, pairs of as many men at the same time. Raises JobsError, TableError, OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        missing, headers = self.missing(men), []
        for total in range(MIN_MEN, men + 1):
            largest_first = [pair for pair in reversed(folder.pairs(total)) if pair in missing]
            if largest_first:
                headers += self._build(largest_first, backend)
        return headers

    def _build(self, pairs: list[tuple[int, int]], backend: Backend) -> list[files.Header]:
        """Only threads of this process can report steps in between."""
        here = backend.name == "threading"
        work, headers = functools.partial(solve, report=self.report) if here else solve, []
        with contextlib.closing(run_jobs(work, map(self._pair, pairs), backend, in_order=True)) as solved:
            for pair, tables in solved:
                headers += [self._write(*table) for table in tables]
                self.report(f"{pair.men[0]}-{pair.men[1]} written", 0 if here else _steps(pair.men))
        return headers

    def _pair(self, men: tuple[int, int]) -> Pair:
        followed = [followed for one in folder.both(*men) if (followed := after_capture(*one)) is not None]
        paths = {one: folder.table_path(self.folder, *one) for one in followed}
        return Pair(self.game, men, {one: files.read(path, self.key, *one)[1] for one, path in paths.items()})

    def _is_whole(self, own: int, opp: int) -> bool:
        try:
            files.read(folder.table_path(self.folder, own, opp), self.key, own, opp)
        except TableError:
            return False
        return True

    def _write(self, header: files.Header, codes: files.Codes) -> files.Header:
        files.write(folder.table_path(self.folder, header.own, header.opp), header, codes)
        return header


def _steps(pair: tuple[int, int]) -> int:
    return sum(2 * endgame_index.slots(*one) for one in folder.both(*pair))


@contextmanager
def only_builder(within: Path, wait: bool) -> Iterator[bool]:
    """Holds the folder's lock; yields False at once if another process builds there and `wait` is false."""
    import fcntl

    within.mkdir(parents=True, exist_ok=True)
    with (within / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
