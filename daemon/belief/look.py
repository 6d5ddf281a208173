"""One picture's evidence, and how strongly it contradicts a board."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from daemon.belief.costs import HELPED_NATS, WRONG_CELL_NATS
from rules import EMPTY, Step
from vision.reading.board_reading import BoardReading


@dataclasses.dataclass(frozen=True, eq=False)
class Look:
    """What one picture shows, with all earlier evidence on every cell since it last changed."""

    time_s: float
    reading: BoardReading
    """All classes are equally likely on cells that are hidden, in motion, or have stood too short a time."""
    free: bool = True
    """Whether no hand is over or beside the board."""


@dataclasses.dataclass(frozen=True)
class Change:
    """What steps of a hand do to a board's loss."""

    nats: float
    wrong: int
    """Touched cells that the look then contradicts; turned pieces do not count, a later ply may turn them back."""
    helped: bool
    """Whether the look shows any of it."""
    hidden: bool
    """Whether a piece arrives where nothing is known."""


class Evidence:
    """Nats by which each class is less likely than the likeliest class of its cell."""

    def __init__(self, look: Look, said: Mapping[int, str], before: Evidence | None = None) -> None:
        """`said` are letters that people named, by cell: nothing else can stand there. `before` is what was known."""
        self.time_s, self.free = look.time_s, look.free
        logs = look.reading.log_probabilities
        rows = (logs.max(axis=1, keepdims=True) - logs).tolist()
        self._cells: list[dict[str, float]] = [dict(zip(look.reading.letters, row, strict=True)) for row in rows]
        for cell, letter in said.items():
            self._cells[cell] = {one: 0.0 if one == letter else SAID_NATS for one in look.reading.letters}
        self.unknown = frozenset(cell for cell, nats in enumerate(self._cells) if not any(nats.values()))
        """Cells of which nothing is known."""
        self._last, self._known_s = list(self._cells), [look.time_s] * len(self._cells)
        for cell in self.unknown if before is not None else ():
            assert before is not None
            self._last[cell], self._known_s[cell] = before._last[cell], before._known_s[cell]
        self._letters = [min(nats, key=nats.__getitem__) for nats in self._last]
        self.replaced: list[tuple[int, float, dict[str, float]]] = []
        """Cells that show something else than when they were last known: that time, and what was known then."""
        if before is not None and self._letters != before._letters:
            pairs = enumerate(zip(self._letters, before._letters, strict=True))
            changed = [cell for cell, (one, other) in pairs if one != other]
            self.replaced = [(cell, before._known_s[cell], before._last[cell]) for cell in changed]

    def loss(self, board: str) -> float:
        """Nats by which the look contradicts a board."""
        return sum([nats[letter] for nats, letter in zip(self._cells, board, strict=True)])

    def of(self, cell: int, letter: str) -> float:
        """Nats by which it contradicts a letter on a cell."""
        return self._cells[cell][letter]

    def amiss(self, board: str) -> frozenset[int]:
        """Cells that are likelier to show something else."""
        pairs = enumerate(zip(self._cells, board, strict=True))
        return frozenset(cell for cell, (nats, letter) in pairs if nats[letter] > HELPED_NATS)

    def wrong(self, board: str) -> tuple[int, ...]:
        """Cells on which the look contradicts a board, ascending."""
        pairs = enumerate(zip(self._cells, board, strict=True))
        return tuple(cell for cell, (nats, letter) in pairs if nats[letter] > WRONG_CELL_NATS)

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
        """What the steps change for a board."""
        after: dict[int, str] = {}
        for step in steps:
            if step.origin is not None:
                after[step.origin] = EMPTY
            after[step.cell] = step.piece
        turned = {step.cell for step in steps if step.kind == "flip"}
        total, wrong, helped, hidden = 0.0, 0, False, False
        for cell, letter in after.items():
            losses = self._cells[cell]
            loss, before = losses[letter], losses[board[cell]]
            total += loss - before
            wrong += loss > WRONG_CELL_NATS and cell not in turned
            helped = helped or before - loss > HELPED_NATS
            hidden = hidden or (letter != EMPTY and cell in self.unknown)
        return Change(total, wrong, helped, hidden)


SAID_NATS = 100.0
"""Nats that anything else costs where people named what stands on a cell."""
