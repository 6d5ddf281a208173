"""One picture's evidence, and how strongly it contradicts a board."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from daemon.belief.costs import TENFOLD_NATS
from rules import EMPTY, Step
from rules.turns import letters_after
from vision.reading.board_reading import BoardReading


@dataclasses.dataclass(frozen=True, eq=False)
class Look:
    """What one picture shows, with all earlier evidence on every cell since it last changed."""

    time_s: float
    reading: BoardReading
    """All classes are equally likely on cells that are hidden, in motion, or have stood too short a time."""
    free: bool = True
    """Whether no hand is over or beside the board."""
    final: bool = False
    """Whether nothing more will be seen of this board, as in a photo: what is wrong is told at once."""


@dataclasses.dataclass(frozen=True)
class Change:
    """What steps of a hand do to a board's loss."""

    nats: float
    wrong: int
    """Touched cells that the look then contradicts; turned pieces do not count, a later ply may turn them back."""
    helped: bool
    """Whether the look shows any of it."""
    hidden: bool
    """Whether a piece arrives, or is taken off, where nothing is known."""


class Evidence:
    """Nats by which each class is less likely than the likeliest class of its cell."""

    def __init__(self, look: Look, before: Evidence | None = None) -> None:
        self.time_s, self.free, self.reading = look.time_s, look.free, look.reading
        logs = look.reading.log_probabilities
        rows = (logs.max(axis=1, keepdims=True) - logs).tolist()
        self._cells: list[dict[str, float]] = [dict(zip(look.reading.letters, row, strict=True)) for row in rows]
        self.unknown = frozenset(cell for cell, nats in enumerate(self._cells) if not any(nats.values()))
        """Cells of which nothing is known."""
        open_ = [sum(one <= TENFOLD_NATS for one in nats.values()) for nats in self._cells]
        self.unsure = frozenset(cell for cell, letters in enumerate(open_) if letters > 1)
        """Cells that may show more than one letter."""
        self._last, self._known_s = list(self._cells), [look.time_s] * len(self._cells)
        before = before or self
        for cell in self.unknown:
            self._last[cell], self._known_s[cell] = before._last[cell], before._known_s[cell]
        self._letters = [min(nats, key=nats.__getitem__) for nats in self._last]
        self.replaced = [
            (cell, before._known_s[cell], before._last[cell])
            for cell in range(len(self._cells))
            if (cell in self.unknown or self._letters[cell] != before._letters[cell]) and cell not in before.unknown
        ]
        """Known cells that are hidden now, or show something else: the time, and what was known then."""
        if self.reading.figures is None and self._letters == before._letters:
            self.reading = dataclasses.replace(self.reading, figures=before.reading.figures)

    def loss(self, board: str) -> float:
        """Nats by which the look contradicts a board."""
        return sum([nats[letter] for nats, letter in zip(self._cells, board, strict=True)])

    def of(self, cell: int, letter: str) -> float:
        """Nats by which it contradicts a letter on a cell."""
        return self._cells[cell][letter]

    def amiss(self, board: str) -> frozenset[int]:
        """Cells that may show something else."""
        pairs = enumerate(zip(self._cells, board, strict=True))
        other = (cell for cell, (nats, letter) in pairs if nats[letter] > 0 or cell in self.unsure)
        return frozenset(other) - self.unknown

    def wrong(self, board: str) -> tuple[int, ...]:
        """Cells on which the look contradicts a board, ascending."""
        pairs = enumerate(zip(self._cells, board, strict=True))
        return tuple(cell for cell, (nats, letter) in pairs if nats[letter] > TENFOLD_NATS)

    def strays(self, board: str) -> int:
        """Cells on which pieces came or went, against a board; all turned ones count as one, as a ply turns many."""
        pairs = [(board[cell], self._letters[cell]) for cell in self.wrong(board)]
        moved = sum(EMPTY in pair for pair in pairs)
        return moved + (moved < len(pairs))

    def likeliest(self, board: str) -> str:
        """The board that was read, as `board` has it where nothing is known."""
        pairs = zip(self._letters, board, strict=True)
        return "".join(there if cell in self.unknown else letter for cell, (letter, there) in enumerate(pairs))

    def change(self, board: str, steps: Sequence[Step]) -> Change:
        turned = {step.cell for step in steps if step.kind == "flip"}
        total, wrong, helped = 0.0, 0, False
        for cell, letter in letters_after(steps).items():
            losses = self._cells[cell]
            loss = losses[letter]
            total += loss - losses[board[cell]]
            wrong += loss > TENFOLD_NATS and cell not in turned
            helped = helped or (letter != board[cell] and loss <= TENFOLD_NATS and cell not in self.unknown)
        return Change(total, wrong, helped, any(step.cell in self.unknown for step in steps))
