"""Which piece stands where, weighed over the whole board, because a set has only so many pieces of each kind."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from calibration.arrays import Flags, FloatArray
from rules import EMPTY, AnyGame, Figures, PositionError, Side, arranged_by, figures_of
from vision.reading.board_reading import CERTAIN_NATS, SURE, BoardReading, SeenFigures

SURE_NATS = float(np.log(SURE) - np.log1p(-SURE))
"""Lead of what is read without doubt."""
AT_HOME = 0.73
"""Share of the men on cells on which their side began that are those which began there, in chess after 40 plies made at
random; in games played well more stay."""


@dataclasses.dataclass(frozen=True)
class SeenPosition:
    positions: tuple[Any, ...]
    """One for each side that may be to move where the pieces stand so."""
    figures: str
    """As `rules.figures_of` has them."""
    doubtful: tuple[int, ...]
    """Cells on which another figure is nearly as likely, with whatever must then stand elsewhere."""

    @property
    def position(self) -> Any:
        """With the first of these sides to move."""
        return self.positions[0]


def position_seen(game: AnyGame, reading: BoardReading, *sides: Side) -> SeenPosition:
    """The likeliest position, of those that the game allows with one of these sides to move.

    The reading has `figures`. Rights that no piece shows are as is usual. Raises PositionError where none of the
    likeliest boards is a position; as many are tried as there are cells.
    """
    weighed, refused = Arrangements(game, reading, played=True), list[PositionError]()
    for figures in itertools.islice(itertools.chain(weighed.likeliest(), [weighed.by_cell]), len(game.cells)):
        positions = []
        for side in sides:
            try:
                positions.append(arranged_by(game, figures, side, {}))
            except PositionError as error:
                refused.append(error)
        if positions:
            return SeenPosition(tuple(positions), figures, weighed.doubtful(figures))
    raise refused[0]


class Arrangements:
    """All boards that a full set of pieces allows: each cell shows a piece of its own, or is empty."""

    def __init__(self, game: AnyGame, reading: BoardReading, *, played: bool = False) -> None:
        """`played`: of what stands where play began, nothing else is known; most of it has stayed there."""
        assert isinstance(game, Figures) and reading.figures is not None
        men, cells = game.men, len(game.cells)
        classes = {EMPTY: EMPTY} | {letter: man.piece for man in men for letter in man.cells}
        self._letters = "".join(classes)
        home = figures_of(game, game.initial()) if played else ""
        self._nats = _nats(reading, reading.figures, classes, home)
        stands = [{**man.cells} for man in men] + cells * [{EMPTY: range(cells)}]
        self._may = np.zeros((len(stands), len(classes), cells), dtype=np.bool_)
        """Whether a piece, or nothing at all, may show a letter on a cell: by the rules, and by the side read there."""
        for of_man, where in zip(self._may, stands, strict=True):
            for letter, there in where.items():
                of_man[self._letters.index(letter), list(there)] = True
        sides = reading.log_probabilities[:, [reading.letters.index(one) for one in classes.values()]]
        self._may &= (sides.max(axis=1, keepdims=True) - sides <= SURE_NATS).T
        self._stays = [index for index, man in enumerate(men) if man.stays]

    @property
    def by_cell(self) -> str:
        """The likeliest letter of each cell by itself, which no set may allow."""
        return "".join(self._letters[index] for index in self._nats.argmin(axis=0))

    def nats(self, figures: str) -> float:
        """What the reading has against a board; only differences between boards mean anything."""
        return float(sum(self._nats[self._letters.index(letter), cell] for cell, letter in enumerate(figures)))

    def likeliest(self) -> Iterator[str]:
        """The boards, the likeliest first.

        After each, the others are parted by the first cell on which they differ from it (Murty, 1968).
        """
        number = itertools.count()
        nowhere = np.zeros(self._nats.shape, dtype=np.bool_)
        waiting = [(*self._best(nowhere), next(number), nowhere)]
        while waiting:
            nats, figures, _, barred = heapq.heappop(waiting)
            if math.isinf(nats):
                return
            yield figures
            for cell, letter in enumerate(map(self._letters.index, figures)):
                other = barred.copy()
                other[letter, cell] = True
                heapq.heappush(waiting, (*self._best(other), next(number), other))
                barred = barred.copy()
                barred[:, cell] = np.arange(len(barred)) != letter

    def doubtful(self, figures: str) -> tuple[int, ...]:
        """The cells on which a board is not sure: one that differs there is nearly as likely, or likelier."""
        most, found = self.nats(figures) + SURE_NATS, list[int]()
        for cell, letter in enumerate(map(self._letters.index, figures)):
            barred = np.zeros(self._nats.shape, dtype=np.bool_)
            barred[letter, cell] = True
            if self._best(barred)[0] < most:
                found.append(cell)
        return tuple(found)

    def _best(self, barred: Flags) -> tuple[float, str]:
        """The likeliest board without the barred letters, (letters, cells); infinite nats if there is none."""
        from scipy.optimize import linear_sum_assignment  # slow to import

        costs = np.where(self._may & ~barred, self._nats, np.inf)
        table = costs.min(axis=1)
        # A board without a piece that is never captured costs more than any that has it.
        table[self._stays] -= 1 + 2 * CERTAIN_NATS * table.shape[1]
        try:
            men, cells = linear_sum_assignment(table)
        except ValueError:  # no assignment
            return math.inf, ""
        if not set(self._stays) <= set(men):
            return math.inf, ""
        by_cell = sorted(zip(cells, men, strict=True))
        figures = "".join(self._letters[costs[man, :, cell].argmin()] for cell, man in by_cell)
        return self.nats(figures), figures


def _nats(reading: BoardReading, seen: SeenFigures, classes: Mapping[str, str], home: str) -> FloatArray:
    """(letters, cells) what the reading has against each letter of `classes`, which has the class of each.

    Of the figures only those of one class are weighed against each other: the class is told by the reading itself.
    `home` has the figures with which play began, if most have stayed.
    """
    rows, logs = [], seen.log_probabilities
    for letter, of_class in classes.items():
        alike = [one for one, its in classes.items() if its == of_class]
        stays = np.array([[one == there for one in alike] for there in home])
        weighed = logs[:, [seen.letters.index(one) for one in alike]]
        if stays.any():
            left = 1 - AT_HOME * stays.max(axis=1, keepdims=True)
            weighed = weighed + np.log(AT_HOME * stays + left / len(alike))
        among = weighed[:, alike.index(letter)] - np.logaddexp.reduce(weighed, axis=1)
        side = reading.log_probabilities[:, reading.letters.index(of_class)]
        rows.append(-np.maximum(side, -CERTAIN_NATS) - np.maximum(among, -CERTAIN_NATS))
    return np.array(rows)
