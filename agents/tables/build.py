"""Builds the endgame tables of some rules: subspaces of few men before those that lead to them by a capture.

A pair of subspaces, each of which leads to the other, is solved by counting back from the ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.jobs import Backend
from agents.jobs.running import run_jobs
from agents.kernels.memory import Memory
from agents.tables import MIN_MEN, TableError, files, numbering, retrograde
from agents.tables.slots import slot_count
from games.nine_mens_morris import NineMensMorris
from games.nine_mens_morris.kernel import memory


class Builder:
    def __init__(self, game: NineMensMorris, within: Path, report: Report) -> None:
        self.game, self.folder, self.report = game, files.of_rules(game, within), report
        self.key = files.rules_key(game)

    def missing(self, men: int) -> list[tuple[int, int]]:
        """Pairs of up to that many men whose tables are missing or damaged, small ones first."""
        wanted = [pair for total in range(MIN_MEN, men + 1) for pair in files.pairs(total)]
        return [pair for pair in wanted if not all(self._is_whole(*one) for one in files.both(*pair))]

    def steps(self, men: int) -> int:
        return sum(_steps(pair) for pair in self.missing(men))

    def build(self, men: int, backend: Backend) -> list[files.Header]:
        """Builds what is missing, pairs of as many men at the same time. Raises JobsError, TableError, OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        missing, headers = self.missing(men), []
        for total in range(MIN_MEN, men + 1):
            largest_first = [pair for pair in reversed(files.pairs(total)) if pair in missing]
            if largest_first:
                headers += self._build(largest_first, backend)
        return headers

    def _build(self, pairs: list[tuple[int, int]], backend: Backend) -> list[files.Header]:
        """Only threads of this process can report steps in between."""
        here = backend.name == "threading"
        work, headers = functools.partial(solve, report=self.report) if here else solve, []
        with contextlib.closing(run_jobs(work, map(self._pair, pairs), backend, in_order=True)) as solved:
            for pair, tables in solved:
                for header, codes in tables:
                    files.write(files.table_path(self.folder, header.own, header.opp), header, codes)
                    headers.append(header)
                self.report(f"{pair.men[0]}-{pair.men[1]} written", 0 if here else _steps(pair.men))
        return headers

    def _pair(self, men: tuple[int, int]) -> Pair:
        followed = [followed for one in files.both(*men) if (followed := after_capture(*one)) is not None]
        paths = {one: files.table_path(self.folder, *one) for one in followed}
        return Pair(self.game, men, {one: files.read(path, self.key, *one)[1] for one, path in paths.items()})

    def _is_whole(self, own: int, opp: int) -> bool:
        try:
            files.read(files.table_path(self.folder, own, opp), self.key, own, opp)
        except TableError:
            return False
        return True


def _steps(pair: tuple[int, int]) -> int:
    return sum(2 * slot_count(*one) for one in files.both(*pair))


@contextmanager
def only_builder(within: Path, wait: bool) -> Iterator[bool]:
    """Holds the folder's lock; yields False at once if another process builds there and `wait` is false."""
    import fcntl

    within.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(within / ".lock", os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


U = np.uint64
CHUNK = 100_000
"""Slots between two progress reports and checks of `stop`."""
MAX_PLIES = 253
"""Plies; the most distant end that a byte can hold."""

Report = Callable[[str, int], None]
"""Called as `(activity, steps)`: two steps per slot, when it is prepared and when its value is final."""
Table = tuple[files.Header, files.Codes]


class Stopped(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Pair:
    game: NineMensMorris
    men: tuple[int, int]
    captured: Mapping[tuple[int, int], files.Codes]
    """Tables that captures lead to, by the men of mover and enemy."""


@dataclasses.dataclass
class Subspace:
    own: int
    opp: int
    codes: NDArray[np.uint8]
    pending: NDArray[np.uint8]
    left: NDArray[np.uint16]
    orbits: int = 0

    @classmethod
    def empty(cls, own: int, opp: int) -> Subspace:
        length = slot_count(own, opp)
        codes, pending = np.zeros(length, dtype=np.uint8), np.zeros(length, dtype=np.uint8)
        return cls(own, opp, codes, pending, np.zeros(length, dtype=np.uint16))

    @property
    def arrays(self) -> retrograde.Space:
        return self.codes, self.pending, self.left

    @property
    def men(self) -> tuple[np.uint64, np.uint64]:
        """The men of both sides as the kernels need them."""
        return U(self.own), U(self.opp)


def solve(pair: Pair, stop: threading.Event | None = None, report: Report = lambda _what, _steps: None) -> list[Table]:
    """The tables of both subspaces, or of one if they are the same. Raises Stopped, TableError."""
    return _Solver(pair, stop, report).solve()


def after_capture(own: int, opp: int) -> tuple[int, int] | None:
    """The subspace that a capture leads to, with the reduced side to move. None if the capture ends the game."""
    return (opp - 1, own) if opp > 3 else None


class _Solver:
    def __init__(self, pair: Pair, stop: threading.Event | None, report: Report) -> None:
        self._pair, self._stop, self._report = pair, stop, report

    def _look(self, what: str, steps: int) -> None:
        if self._stop is not None and self._stop.is_set():
            raise Stopped
        self._report(what, steps)

    def solve(self) -> list[Table]:
        words = numbering.index(max(self._pair.men))
        base, rules = U(words.ctypes.data), memory.allocate(self._pair.game, 1)
        spaces = [Subspace.empty(*one) for one in files.both(*self._pair.men)]
        for space in spaces:
            self._prepare(rules, base, space)
        self._settle(rules, base, spaces)
        return [self._finish(base, space) for space in spaces]

    def _prepare(self, rules: Memory, base: np.uint64, space: Subspace) -> None:
        follows = after_capture(space.own, space.opp)
        captured = None if follows is None else np.ascontiguousarray(self._pair.captured[follows])
        address = U(0 if captured is None else captured.ctypes.data)
        length = len(space.codes)
        for first in range(0, length, CHUNK):
            end = min(first + CHUNK, length)
            found = retrograde.prepare(rules, base, address, *space.men, U(first), U(end), space.arrays)
            space.orbits += int(found)
            self._look(f"{space.own}-{space.opp} captures", end - first)

    def _settle(self, rules: Memory, base: np.uint64, spaces: list[Subspace]) -> None:
        """Works backwards from the ends, one ply at a time."""
        name = f"{spaces[0].own}-{spaces[0].opp}"
        for code in range(1, MAX_PLIES + 2):
            goes_on = 0
            for space, other in zip(spaces, reversed(spaces), strict=True):
                found = int(retrograde.settle(rules, base, *space.men, U(code), space.arrays, other.arrays))
                goes_on |= found
                self._look(f"{name} ends in {code - 1} plies", 0 if found >> 63 else found)
            if not goes_on:
                return
        raise TableError(
            f"an end of {name} under the rules {files.rules_key(self._pair.game)} is over {MAX_PLIES} plies away: "
            "too far for a byte"
        )

    def _finish(self, base: np.uint64, space: Subspace) -> Table:
        sums = np.zeros(256, dtype=np.uint64)
        known = int(np.count_nonzero((space.codes != 0) & (space.codes != 255)))
        retrograde.finish(base, *space.men, space.codes, sums)
        header = files.Header(
            files.rules_key(self._pair.game), space.own, space.opp, len(space.codes), space.orbits,
            **counts(sums), checksum=files.checksum(space.codes),
        )  # fmt: skip
        self._look(f"{space.own}-{space.opp} draws", len(space.codes) - known)
        return header, space.codes


def counts(sums: NDArray[np.uint64]) -> dict[str, int]:
    """The counts for a header, from the number of positions with each of the 256 codes."""
    used = np.flatnonzero(sums[:255])
    return {
        "wins": int(sums[2:255:2].sum()),
        "losses": int(sums[1:255:2].sum()),
        "draws": int(sums[0]),
        "longest_win": max((int(code) - 1 for code in used if code and code % 2 == 0), default=0),
        "longest_loss": max((int(code) - 1 for code in used if code % 2), default=0),
    }
