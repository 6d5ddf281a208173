"""A player who lays requested boards on the simulated table, sometimes wrongly, and corrects them when asked."""

from __future__ import annotations

from typing import Literal

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.random_style import random_style
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from lab.simulated.tiles import has_tiles, pair_cells
from rules import EMPTY, Step
from vision.frame import Frame

PIECES_A_VISIT = 2
"""Number of pieces laid before the hand is withdrawn."""
PAUSE_S = 0.6
Pieces = dict[tuple[int, ...], str]
"""Letters of each piece by the cells on which it lies, ascending."""
Slip = Literal["none", "left out", "wrong cell", "wrong class"]
SLIPS: tuple[Slip, ...] = ("none", "left out", "wrong cell", "wrong class")


class CalibrationPlayer:
    """Lays boards by hand. `update` is called every frame; the player never sees what the camera sees."""

    def __init__(self, table: SimulatedTable, seed: int = 0, pace: float = 1.0) -> None:
        self.table = table
        self.slips: list[str] = []
        """Its mistakes so far, in words."""
        self._wanted = self._laid = self._pieces(table.board)
        self._rng = np.random.default_rng([seed, 5])
        self._pace = pace
        self._rested_s = table.time_s

    @property
    def idle(self) -> bool:
        return not self.table.busy and not self._next_steps()

    def lay(self, board: str, slip: Slip = "none") -> None:
        """Starts laying that board; with a slip it lays a different one and takes it for the right one."""
        self._wanted = self._pieces(board)
        self._laid = dict(self._wanted) if slip == "none" or not self._wanted else self._slipped(slip)

    def mend(self) -> None:
        """Corrects a slip: lays the wanted board."""
        self._laid = self._wanted

    def update(self) -> None:
        if self.table.busy:
            self._rested_s = self.table.time_s
        elif self.table.time_s - self._rested_s > PAUSE_S / self._pace and (steps := self._next_steps()):
            self.table.perform(steps, int(self._rng.integers(0, 2)), self._pace)

    def _pieces(self, board: str) -> Pieces:
        template = self.table.template
        cells = [(cell,) for cell, letter in enumerate(board) if letter != EMPTY]
        groups = pair_cells(template, board) if has_tiles(template) else cells
        return {group: "".join(board[cell] for cell in group) for group in groups}

    def _lying(self) -> Pieces:
        if not has_tiles(self.table.template):
            return self._pieces(self.table.board)
        return {tile.cells: tile.letters for tile in self.table.standing.tiles}

    def _next_steps(self) -> list[Step]:
        lying = self._lying()
        away = [cells for cells, letters in lying.items() if self._laid.get(cells) != letters]
        short = [cells for cells, letters in self._laid.items() if lying.get(cells) != letters]
        if not away:
            return [step for cells in short[:PIECES_A_VISIT] for step in _placed(cells, self._laid[cells])]
        steps: list[Step] = []
        for cells in away[:PIECES_A_VISIT]:
            letters, free = (
                lying[cells],
                [place for place in short if not set(place) & {c for one in lying for c in one}],
            )
            home = next((place for place in free if self._laid[place] == letters and len(place) == 1), None)
            if home is None:
                steps.append(Step("remove", cells[0]))
            else:
                short.remove(home)
                steps.append(Step("move", home[0], cells[0], letters))
        return steps

    def _slipped(self, slip: Slip) -> Pieces:
        laid, names = dict(self._wanted), self.table.template.cell_names
        places = list(laid)
        cells = places[int(self._rng.integers(0, len(places)))]
        letters = laid.pop(cells)
        self.slips.append(f"{slip}: {'-'.join(names[cell] for cell in cells)}")
        if slip == "wrong cell":
            laid[self._other_place(cells)] = letters
        elif slip == "wrong class":
            classes = sorted({other for other in self._wanted.values() if set(other) != set(letters)})
            laid[cells] = (
                letters[::-1] if letters != letters[::-1] else classes[int(self._rng.integers(0, len(classes)))]
            )
        return laid

    def _other_place(self, cells: tuple[int, ...]) -> tuple[int, ...]:
        template = self.table.template
        taken = {cell for place in self._wanted for cell in place}
        middles = template.cells_mm - template.cells_mm[cells[0]]
        places = []
        for shift in middles:
            wanted = template.cells_mm[list(cells)] + shift
            near = np.linalg.norm(template.cells_mm[:, None] - wanted[None], axis=2).argmin(axis=0)
            fits = np.allclose(template.cells_mm[near], wanted)
            if fits and not taken & set(map(int, near)):
                places.append(tuple(map(int, near)))
        return places[int(self._rng.integers(0, len(places)))]


def _placed(cells: tuple[int, ...], letters: str) -> list[Step]:
    return [Step("place", cell, piece=letter) for cell, letter in zip(cells, letters, strict=True)]


class CalibrationTable:
    """A simulated table with a player who lays requested boards, as an endless frame source in real time."""

    live = True

    def __init__(
        self,
        template: BoardTemplate,
        *,
        seed: int = 0,
        pace: float = 1.0,
        chance: bool = False,
        size_px: tuple[int, int] | None = None,
    ) -> None:
        style = random_style(template, np.random.default_rng([seed, 4])) if chance else default_style()
        self.table = SimulatedTable(template, EMPTY * len(template.cell_names), style, seed=seed, size_px=size_px)
        self.player = CalibrationPlayer(self.table, seed, pace)
        self._source = SimulatedSource(self.table, real_time=True)

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; the player acts if something is due."""
        frame = self._source.read(timeout_s)
        self.player.update()
        return frame

    def close(self) -> None:
        self._source.close()

    def hear(self, request: object) -> dict[str, object]:
        """Lays the board of `{"board": CELLS, "slip": ...}`; `{"mend": true}` corrects a slip. Raises ValueError."""
        if not isinstance(request, dict):
            raise ValueError("a request is a JSON object")
        if request.get("mend"):
            self.player.mend()
            return self.truth()
        board, slip = request.get("board"), request.get("slip", "none")
        letters, cells = set(self.table.template.letters), len(self.table)
        if not isinstance(board, str) or len(board) != cells or not set(board) <= letters:
            raise ValueError(f"board is {cells} of the letters {self.table.template.letters!r}")
        if slip not in SLIPS:
            raise ValueError(f"slip is one of {', '.join(SLIPS)}")
        self.player.lay(board, slip)
        return self.truth()

    def truth(self) -> dict[str, object]:
        return {"board": self.table.board, "idle": self.player.idle, "slips": list(self.player.slips)}
