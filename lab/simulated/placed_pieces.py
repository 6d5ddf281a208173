"""The pieces on a simulated board and their exact places: men and tiles on cells, pawns on the printed track."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from lab.simulated.men import Man, Pawn
from lab.simulated.style import Style
from lab.simulated.tiles import Tile, has_tiles, pair_cells
from rules import EMPTY

FloatArray = NDArray[np.float64]
Piece = Man | Tile
WORST_PLACEMENT_MM = 3.0
PAWN_MM = 1.2
"""Millimetres, standard deviation of a pawn's place on its space."""
BESIDE_MM = 5.0
"""Millimetres of shift, along x and y, of a pawn whose space already holds another."""


class PlacedPieces:
    def __init__(
        self, template: BoardTemplate, board: str, style: Style, rng: np.random.Generator, *, pawns: bool = True
    ) -> None:
        self._template, self._style, self._rng = template, style, rng
        self._on: dict[int, Piece] = {}
        self.pawns: dict[str, Pawn] = {}
        """The pawns by the template's names for them."""
        self.spaces: dict[str, int] = {}
        """The space of each pawn: 0 is the start, then the spaces of the track."""
        self.beside: tuple[Man, ...] = ()
        """Men on the table beside the board, such as captured ones; in board coordinates."""
        taken = [(cell,) for cell, letter in enumerate(board) if letter != EMPTY]
        for cells in pair_cells(template, board) if has_tiles(template) else taken:
            self.put(cells, "".join(board[cell] for cell in cells))
        for name in template.source.get("pawns", {}) if pawns else ():
            self.put_pawn(name, 0)

    @property
    def board(self) -> str:
        letters = [EMPTY] * len(self._template.cell_names)
        for cell, piece in self._on.items():
            letters[cell] = piece.letters[piece.cells.index(cell)] if isinstance(piece, Tile) else piece.letter
        return "".join(letters)

    @property
    def tiles(self) -> tuple[Tile, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Tile))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces, ordered by their first cell, the pawns and those beside the board last."""
        return (*dict.fromkeys(self._on[cell] for cell in sorted(self._on)), *self.pawns.values(), *self.beside)

    def put(self, cells: tuple[int, ...], letters: str) -> None:
        offset = self._rng.normal(0, self._style.placement_mm, 2)
        offset *= min(1.0, WORST_PLACEMENT_MM / max(float(np.linalg.norm(offset)), 1e-9))
        if has_tiles(self._template):
            x, y = self._template.cells_mm[list(cells)].mean(axis=0) + self._style.tiles.stray * offset
            turn = self.turn_of(cells) + np.radians(self._rng.normal(0, self._style.tiles.turn_deg))
            tile = Tile(letters, cells, float(x), float(y), float(turn))
            self._on |= dict.fromkeys(cells, tile)
        else:
            x, y = self._template.cells_mm[cells[0]] + offset
            self._on[cells[0]] = Man(letters, float(x), float(y), float(self._rng.uniform(0, 2 * np.pi)))

    def turn_of(self, cells: tuple[int, ...]) -> float:
        """Radians from the x axis to the direction from the first cell to the last."""
        way = self._template.cells_mm[cells[-1]] - self._template.cells_mm[cells[0]]
        return float(np.arctan2(way[1], way[0]))

    def take(self, cell: int) -> Piece | None:
        """Picks up the piece on a cell; None where there is none."""
        piece = self._on.get(cell)
        for each in [each for each, one in self._on.items() if one is piece]:
            del self._on[each]
        return piece

    def nudge(self, cell: int, dx_mm: float, dy_mm: float) -> None:
        """Shifts the piece on a cell. Raises ValueError where there is none."""
        piece = self._on.get(cell)
        if piece is None:
            raise ValueError(f"there is no man on {self._template.cell_names[cell]}")
        moved = dataclasses.replace(piece, x_mm=piece.x_mm + dx_mm, y_mm=piece.y_mm + dy_mm)
        self._on |= {each: moved for each, one in self._on.items() if one is piece}

    def place_mm(self, cells: tuple[int, ...]) -> FloatArray:
        """(2,) the middle of some cells, or of the piece on the first."""
        piece = self._on.get(cells[0])
        if piece is not None:
            return np.array([piece.x_mm, piece.y_mm])
        return np.asarray(self._template.cells_mm[list(cells)].mean(axis=0), dtype=np.float64)

    def space_mm(self, name: str, space: int) -> FloatArray:
        """(2,) the place for a pawn on a space; beside another that is already there."""
        if space <= 0 or not len(self._template.track_mm):
            return np.array(self._template.source["pawns"][name], dtype=np.float64)
        middle: FloatArray = self._template.track_mm[min(space, len(self._template.track_mm)) - 1]
        shared = any(other != name and there == space for other, there in self.spaces.items())
        return middle + (BESIDE_MM if shared else 0.0) * np.array([1.0, -1.0])

    def put_pawn(self, name: str, space: int) -> None:
        x, y = self.space_mm(name, space) + np.clip(self._rng.normal(0, PAWN_MM, 2), -2 * PAWN_MM, 2 * PAWN_MM)
        self.spaces[name] = space
        self.pawns[name] = Pawn(name, float(x), float(y), float(self._rng.uniform(0, 2 * np.pi)))
