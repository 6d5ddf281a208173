"""Solves subspaces of endgames, the small ones before those that lead to them by a capture; writes each to a file."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.kernels.nine_mens_morris import endgame_index, memory, retrograde
from agents.tables import MIN_MEN, TableError, files, folder
from games.nine_mens_morris import NineMensMorris

U = np.uint64
CHUNK = 100_000
"""Slots between two progress reports and checks of `stop`."""
MAX_PLIES = 253
"""Plies; the most distant end that a byte can hold."""

Report = Callable[[str, int], None]
"""Called as `(activity, steps)`: two steps per slot, when it is prepared and when its value is final."""


class Stopped(Exception):
    """The build was asked to stop; complete subspaces are kept."""


@dataclasses.dataclass
class Subspace:
    """A subspace being solved."""

    own: int
    opp: int
    codes: NDArray[np.uint8]
    pending: NDArray[np.uint8]
    left: NDArray[np.uint16]
    orbits: int = 0

    @classmethod
    def empty(cls, own: int, opp: int) -> Subspace:
        """A subspace with nothing known yet."""
        slots = endgame_index.slots(own, opp)
        codes, pending = np.zeros(slots, dtype=np.uint8), np.zeros(slots, dtype=np.uint8)
        return cls(own, opp, codes, pending, np.zeros(slots, dtype=np.uint16))

    @property
    def men(self) -> tuple[np.uint64, np.uint64]:
        """The men of both sides as the kernels need them."""
        return U(self.own), U(self.opp)


class Builder:
    """Builds the tables of one game's rules in one folder."""

    def __init__(self, game: NineMensMorris, within: Path, report: Report, stop: threading.Event) -> None:
        self.game, self.folder, self.report, self.stop = game, folder.of_rules(game, within), report, stop
        self.key = folder.rules_key(game)

    def missing(self, men: int) -> list[tuple[int, int]]:
        """Pairs of up to that many men whose tables are missing or damaged, small ones first."""
        wanted = [pair for total in range(MIN_MEN, men + 1) for pair in folder.pairs(total)]
        return [pair for pair in wanted if not all(self._is_whole(*one) for one in folder.both(*pair))]

    def steps(self, men: int) -> int:
        """Number of steps that `build` will report."""
        return sum(2 * endgame_index.slots(*one) for pair in self.missing(men) for one in folder.both(*pair))

    def build(self, men: int, jobs: int) -> list[files.Header]:
        """Builds what is missing, `jobs` pairs at a time. Raises Stopped, TableError, OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        missing, headers = self.missing(men), []
        for total in range(MIN_MEN, men + 1):
            largest_first = [pair for pair in reversed(folder.pairs(total)) if pair in missing]
            with ThreadPoolExecutor(jobs) as threads:
                try:
                    headers += [header for made in threads.map(self._solve, largest_first) for header in made]
                except BaseException:
                    self.stop.set()  # Ctrl-C: the other threads stop at their next check
                    raise
        return headers

    def _is_whole(self, own: int, opp: int) -> bool:
        try:
            files.read(folder.table_path(self.folder, own, opp), self.key, own, opp)
        except TableError:
            return False
        return True

    def _look(self, what: str, steps: int) -> None:
        if self.stop.is_set():
            raise Stopped
        self.report(what, steps)

    def _solve(self, pair: tuple[int, int]) -> list[files.Header]:
        """Solves a pair of subspaces and writes their files."""
        words = endgame_index.index(max(pair))
        base, rules = U(words.ctypes.data), memory.allocate(self.game, 1)
        spaces = [Subspace.empty(*one) for one in folder.both(*pair)]
        for space in spaces:
            self._prepare(rules, base, space)
        self._settle(rules, base, spaces)
        return [self._write(base, space) for space in spaces]

    def _prepare(self, rules: memory.Memory, base: np.uint64, space: Subspace) -> None:
        """Sets the values that captures and blockades decide."""
        captured = self._captured(space)
        address = U(0 if captured is None else captured.ctypes.data)
        sums, slots = np.zeros(4, dtype=np.uint64), len(space.codes)
        for first in range(0, slots, CHUNK):
            end = min(first + CHUNK, slots)
            space.orbits += int(
                retrograde.prepare(
                    rules, base, address, *space.men, U(first), U(end), space.codes, space.pending, space.left, sums
                )
            )
            self._look(f"{space.own}-{space.opp} captures", end - first)

    def _captured(self, space: Subspace) -> files.Codes | None:
        """The table that a capture leads to, with the reduced side to move. None if the capture ends the game."""
        own, opp = space.opp - 1, space.own
        if own < 3:
            return None
        return files.read(folder.table_path(self.folder, own, opp), self.key, own, opp)[1]

    def _settle(self, rules: memory.Memory, base: np.uint64, spaces: list[Subspace]) -> None:
        """Works backwards from the ends, one ply at a time."""
        name = f"{spaces[0].own}-{spaces[0].opp}"
        for code in range(1, MAX_PLIES + 2):
            goes_on = 0
            for space, other in zip(spaces, reversed(spaces), strict=True):
                found = int(
                    retrograde.settle(
                        rules, base, *space.men, U(code), space.codes, space.pending, space.left,
                        other.codes, other.pending, other.left,
                    )
                )  # fmt: skip
                goes_on |= found
                self._look(f"{name} ends in {code - 1} plies", 0 if found >> 63 else found)
            if not goes_on:
                return
        raise TableError(
            f"an end of {name} under the rules {self.key} is over {MAX_PLIES} plies away: too far for a byte"
        )

    def _write(self, base: np.uint64, space: Subspace) -> files.Header:
        sums = np.zeros(256, dtype=np.uint64)
        known = int(np.count_nonzero((space.codes != 0) & (space.codes != 255)))
        retrograde.finish(base, *space.men, space.codes, sums)
        header = files.Header(
            self.key, space.own, space.opp, len(space.codes), space.orbits,
            **counts(sums), checksum=files.checksum(space.codes),
        )  # fmt: skip
        files.write(folder.table_path(self.folder, space.own, space.opp), header, space.codes)
        self.report(f"{space.own}-{space.opp} written", len(space.codes) - known)
        return header


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
