"""Someone who lays what is asked for on the simulated table, now and then wrongly, and mends it when told."""

from __future__ import annotations

from typing import Literal

import numpy as np

from calibration.template import BoardTemplate
from games import EMPTY, Step
from vision.frame import Frame
from vision.simulated.chance import random_style
from vision.simulated.source import SimulatedSource
from vision.simulated.style import default_style
from vision.simulated.table import SimulatedTable

STEPS_A_VISIT = 2
"""Men laid before the hand is withdrawn."""
PAUSE_S = 0.6
SLIPS = ("none", "left out", "wrong cell", "wrong class")
Slip = Literal["none", "left out", "wrong cell", "wrong class"]


class Sitter:
    """Lays boards with its hand. `update` is called every frame; it never sees what the camera sees."""

    def __init__(self, table: SimulatedTable, seed: int = 0, pace: float = 1.0) -> None:
        self.table = table
        self.slips: list[str] = []
        """What it did wrong so far, in words."""
        self._wanted = self._laid = table.board
        self._rng = np.random.default_rng([seed, 5])
        self._pace = pace
        self._rested_s = table.time_s

    @property
    def idle(self) -> bool:
        """Whether it has laid what it means to lay, and its hand is gone."""
        return not self.table.busy and self.table.board == self._laid

    def lay(self, board: str, slip: Slip = "none") -> None:
        """Wants that board from now on; with a slip it lays another one, and takes it for the right one."""
        self._wanted = board
        self._laid = self._slipped(board, slip)

    def mend(self) -> None:
        """Was told of a mistake: lays what was wanted."""
        self._laid = self._wanted

    def update(self) -> None:
        """Does what is due now."""
        if self.table.busy:
            self._rested_s = self.table.time_s
        elif self.table.board != self._laid and self.table.time_s - self._rested_s > PAUSE_S / self._pace:
            self.table.perform(self._next_steps(), int(self._rng.integers(0, 2)), self._pace)

    def _next_steps(self) -> list[Step]:
        now, wanted = self.table.board, self._laid
        away = [cell for cell, letter in enumerate(now) if letter not in (EMPTY, wanted[cell])]
        short = [cell for cell, letter in enumerate(wanted) if letter != EMPTY and now[cell] == EMPTY]
        steps: list[Step] = []
        for cell in away[:STEPS_A_VISIT]:
            home = next((other for other in short if wanted[other] == now[cell]), None)
            if home is None:
                steps.append(Step("remove", cell))
            else:
                short.remove(home)
                steps.append(Step("move", home, cell, now[cell]))
        short = short if not steps else []
        return steps or [Step("place", cell, piece=wanted[cell]) for cell in short[:STEPS_A_VISIT]]

    def _slipped(self, board: str, slip: Slip) -> str:
        men = [cell for cell, letter in enumerate(board) if letter != EMPTY]
        if slip == "none" or not men:
            return board
        cells = list(board)
        cell = men[int(self._rng.integers(0, len(men)))]
        if slip == "left out":
            cells[cell] = EMPTY
        elif slip == "wrong cell":
            free = [other for other, letter in enumerate(board) if letter == EMPTY]
            other = free[int(self._rng.integers(0, len(free)))]
            cells[cell], cells[other] = EMPTY, board[cell]
        else:
            others = sorted({letter for letter in board if letter not in (EMPTY, board[cell])})
            cells[cell] = others[int(self._rng.integers(0, len(others)))]
        self.slips.append(f"{slip}: {self.table.template.cell_names[cell]}")
        return "".join(cells)


class GuidedSitting:
    """A simulated table with a sitter who is told what to lay, as an endless frame source in real time."""

    live = True

    def __init__(
        self,
        template: BoardTemplate,
        *,
        seed: int = 0,
        pace: float = 1.0,
        chance: bool = False,
        size_px: tuple[int, int] = (960, 540),
    ) -> None:
        style = random_style(template, np.random.default_rng([seed, 4])) if chance else default_style()
        self.table = SimulatedTable(template, EMPTY * len(template.cell_names), style, seed=seed, size_px=size_px)
        self.sitter = Sitter(self.table, seed, pace)
        self._source = SimulatedSource(self.table, real_time=True)

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; the sitter does what is due."""
        frame = self._source.read(timeout_s)
        self.sitter.update()
        return frame

    def close(self) -> None:
        """Ends it."""
        self._source.close()

    def hear(self, request: object) -> dict[str, object]:
        """Of `{"board": CELLS, "slip": ...}` lays it, of `{"mend": true}` puts a slip right. Raises ValueError."""
        if not isinstance(request, dict):
            raise ValueError("a request is a JSON object")
        if request.get("mend"):
            self.sitter.mend()
            return self.truth()
        board, slip = request.get("board"), request.get("slip", "none")
        letters, cells = set(self.table.template.letters), len(self.table)
        if not isinstance(board, str) or len(board) != cells or not set(board) <= letters:
            raise ValueError(f"board is {cells} of the letters {self.table.template.letters!r}")
        if slip not in SLIPS:
            raise ValueError(f"slip is one of {', '.join(SLIPS)}")
        self.sitter.lay(board, slip)
        return self.truth()

    def truth(self) -> dict[str, object]:
        """What stands on the board, and what was done wrong so far."""
        return {"board": self.table.board, "idle": self.sitter.idle, "slips": list(self.sitter.slips)}
