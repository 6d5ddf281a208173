"""Many states and moves as arrays, from the rules' positions and from files of good moves.

A line of such a file is a state, a hyphen and a good move, such as `EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2`. The move is TO
and an optional REMOVE while men are laid, afterwards FROM, TO and an optional REMOVE.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks import NONE, POINTS
from agents.morris_networks.board import SYMMETRIES
from games.nine_mens_morris import CELLS, MIN_MEN, Move, NineMensMorris, Position
from system.named_files import read_bytes

LETTERS = "OME"
"""Content of a point: empty, mine, the enemy's; a state's `cells` hold the index."""
STATE = re.compile(r"[OME]{24}[0-9]{4}")
LINE = re.compile(rf"({STATE.pattern})-((?:[a-g][1-7]){{1,3}})")
PHASES = ("placing", "moving", "flying")
HELD_OUT_FOLDS = 5
MAX_MEN = 9
MAX_BYTES = 64 << 20


@dataclasses.dataclass(frozen=True)
class States:
    cells: NDArray[np.int8]
    """(n, 24): indices into LETTERS."""
    counts: NDArray[np.int8]
    """(n, 4): men in my hand, in the enemy's hand, mine on the board, the enemy's on the board."""

    def __len__(self) -> int:
        return len(self.cells)

    def rows(self, index: NDArray[np.generic] | slice) -> States:
        return States(self.cells[index], self.counts[index])

    def phases(self) -> NDArray[np.intp]:
        """(n,): indices into PHASES; a side with three men left and none to lay flies."""
        flying = self.counts[:, 2] == MIN_MEN
        return np.where(self.counts[:, 0] > 0, 0, np.where(flying, 2, 1))


@dataclasses.dataclass(frozen=True)
class GoodMoves:
    states: States
    moves: NDArray[np.int8]
    """(n, 3): TO, FROM, REMOVE; NONE is no point."""

    def __len__(self) -> int:
        return len(self.moves)

    def rows(self, index: NDArray[np.generic] | slice) -> GoodMoves:
        return GoodMoves(self.states.rows(index), self.moves[index])

    def and_those_of(self, other: GoodMoves) -> GoodMoves:
        """These rows followed by the others."""
        return GoodMoves(join_states([self.states, other.states]), np.concatenate([self.moves, other.moves]))

    def turned(self, symmetries: NDArray[np.intp]) -> GoodMoves:
        """Each row mapped by its own symmetry, an index into `board.SYMMETRIES`."""
        to = np.concatenate([SYMMETRIES, np.full((len(SYMMETRIES), 1), NONE)], axis=1)[symmetries]
        cells = np.empty_like(self.states.cells)
        np.put_along_axis(cells, to[:, :POINTS], self.states.cells, axis=1)
        moves = np.take_along_axis(to, self.moves.astype(np.intp), axis=1).astype(np.int8)
        return GoodMoves(States(cells, self.states.counts), moves)


def join_states(parts: Sequence[States]) -> States:
    return States(np.concatenate([part.cells for part in parts]), np.concatenate([part.counts for part in parts]))


def read_states(texts: Sequence[str]) -> States:
    """States from texts of 28 characters. Raises ValueError naming the first invalid one."""
    wrong = next((text for text in texts if not STATE.fullmatch(text)), None)
    if wrong is not None:
        raise ValueError(f"a state is 24 letters of O, M and E and four digits, not {wrong[:40]!r}")
    letters = np.frombuffer("".join(texts).encode(), dtype=np.uint8).reshape(len(texts), POINTS + 4)
    codes = np.zeros(256, dtype=np.int8)
    codes[[ord(letter) for letter in LETTERS]] = range(len(LETTERS))
    return States(codes[letters[:, :POINTS]], (letters[:, POINTS:] - ord("0")).astype(np.int8))


def check_counts(states: States) -> NDArray[np.bool_]:
    """(n,): whether the counted men match those on the board and no side has more than nine."""
    on_board = np.stack([(states.cells == code).sum(axis=1) for code in (1, 2)], axis=1)
    in_all = states.counts[:, :2] + states.counts[:, 2:]
    return np.asarray((on_board == states.counts[:, 2:]).all(axis=1) & (in_all <= MAX_MEN).all(axis=1))


def read_good_moves(path: Path) -> GoodMoves:
    try:
        lines = read_bytes(path, MAX_BYTES).decode("ascii").split()
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text file of good moves") from None
    if not lines:
        raise ValueError(f"{path} holds no good move")
    states, moves = [], []
    for number, line in enumerate(lines, 1):
        match = LINE.fullmatch(line)
        move = _move(match[2], placing=match[1][POINTS] != "0") if match else None
        if match is None or move is None:
            raise ValueError(f"{path}, line {number}: not a state, a hyphen and a move: {line[:60]!r}")
        states.append(match[1])
        moves.append(move)
    found = GoodMoves(read_states(states), np.array(moves, dtype=np.int8))
    sound = check_counts(found.states)
    if not sound.all():
        number = int(np.argmin(sound))
        raise ValueError(f"{path}, line {number + 1}: its digits do not count the men: {lines[number][:60]!r}")
    return found


def _move(text: str, placing: bool) -> tuple[int, int, int] | None:
    names = [text[start : start + 2] for start in range(0, len(text), 2)]
    if not all(name in CELLS for name in names) or not (1, 2)[not placing] <= len(names) <= (2, 3)[not placing]:
        return None
    cells = [CELLS.index(name) for name in names]
    origin = NONE if placing else cells.pop(0)
    return cells[0], origin, cells[1] if len(cells) > 1 else NONE


def held_out(states: States, seed: int) -> NDArray[np.bool_]:
    """(n,): True for the fifth of all states that is held out from training.

    Decided for each class of states that symmetries exchange, by the digest of the seed and the class's first member:
    neither the order of a file nor its other lines change it.
    """
    turned = np.empty((len(SYMMETRIES), *states.cells.shape), dtype=np.int8)
    for number, symmetry in enumerate(SYMMETRIES):
        turned[number][:, symmetry] = states.cells
    firsts = np.concatenate([_least(turned), states.counts], axis=1)
    kept = (hashlib.sha256(f"{seed}:".encode() + row.tobytes()).digest() for row in firsts)
    return np.array([int.from_bytes(digest[:8], "big") % HELD_OUT_FOLDS == 0 for digest in kept], dtype=np.bool_)


def _least(turned: NDArray[np.int8]) -> NDArray[np.int8]:
    """For each state, the image whose cells form the least number when read as digits."""
    keys = (turned.astype(np.int64) * 3 ** np.arange(POINTS)).sum(axis=2)
    rows = np.arange(turned.shape[1])
    return np.asarray(turned[keys.argmin(axis=0), rows])


def state_of(game: NineMensMorris, position: Position) -> States:
    """The position as a one-row state, from the mover's view."""
    return read_states([game.format_position(position).partition(":")[2]])


def as_rows(moves: Sequence[Move]) -> NDArray[np.intp]:
    """(m, 3): TO, FROM, REMOVE of whole turns."""
    rows = [
        (move.to, NONE if move.origin is None else move.origin, NONE if move.removed is None else move.removed)
        for move in moves
    ]
    return np.array(rows, dtype=np.intp).reshape(-1, 3)


def position_of(states: States, row: int) -> Position:
    """The position of a state, with the mover as side 0; it has no history."""
    cells = states.cells[row]
    mine, theirs = (sum(1 << int(point) for point in np.flatnonzero(cells == code)) for code in (1, 2))
    return Position((mine, theirs), (int(states.counts[row, 0]), int(states.counts[row, 1])), 0)
