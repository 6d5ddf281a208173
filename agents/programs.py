"""Two programs play reversi against each other on one board file, called in turn as `PROGRAM SYMBOL FILE`.

The file is JSON: a list of eight rows of eight numbers, 0 empty, 1 black (X), 2 white (O). A program reads it, plays
one move for its symbol and overwrites it; if its side has no move, it leaves the file as it is. Anything else forfeits
the game: the file is checked after every call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import DEVNULL, TimeoutExpired

from games.reversi import CELLS, PASS, Move, Position, Reversi
from rules import Outcome, Side
from rules.turns import changed_cells
from system.named_files import read_bytes
from system.processes import Process

SIZE = 8
SYMBOLS = (1, 2)
"""Numbers of black's and white's discs, indexed by `Side`."""
MAX_BYTES = 65536
NAMES = ("A", "B")
MAX_TAIL_LENGTH = 200


@dataclasses.dataclass(frozen=True)
class Forfeit:
    rule: str
    text: str


@dataclasses.dataclass(frozen=True)
class Played:
    position: Position
    moves: tuple[str, ...]
    winner: Side | None
    outcome: Outcome | None
    """None where a program forfeited."""
    forfeit: Forfeit | None = None


def program(name: str, command: str) -> list[str]:
    """The words of a command line. Raises ValueError if there is no such program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"program {name}: {command!r} is no command: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"program {name}: {command!r} cannot be run: there is no program {(words or [''])[0]!r}")
    return words


class Match:
    def __init__(
        self,
        pair: tuple[list[str], list[str]],
        path: Path,
        timeout_s: float,
        on_turn: Callable[[Position, str], None],
    ) -> None:
        """The first program is black, symbol 1. `on_turn` gets each position after a move, and the move's text."""
        self._pair, self._path, self._timeout_s, self._on_turn = pair, path, timeout_s, on_turn
        self._game = Reversi()

    def play(self, position: Position) -> Played:
        """Plays until the game is over or a program forfeits; the file then holds the last valid board.

        Raises BoardFileError if the file cannot be written.
        """
        game = self._game
        moves: list[str] = []
        write_board(self._path, position.discs)
        while (outcome := game.outcome(position)) is None:
            result = self._turn(position)
            if isinstance(result, Forfeit):
                write_board(self._path, position.discs)
                return Played(position, tuple(moves), 1 - position.side, None, result)
            moves.append(game.format_move(position, result))
            position = game.apply(position, result)
            self._on_turn(position, moves[-1])
        return Played(position, tuple(moves), outcome.winner, outcome)

    def _turn(self, position: Position) -> Move | Forfeit:
        if (failure := self._call(position.side)) is not None:
            return failure
        try:
            discs = read_board(self._path)
        except BoardFileError as error:
            return Forfeit("broken_file", f"left no board behind: {error}")
        return self._judge(position, discs)

    def _judge(self, position: Position, discs: tuple[int, int]) -> Move | Forfeit:
        game = self._game
        legal = game.legal_moves(position)
        for move in legal:
            if game.apply(position, move).discs == discs:
                return move
        if discs == position.discs:
            names = ", ".join(game.format_move(position, move) for move in legal)
            return Forfeit("no_move_made", f"left the board as it was, though it could play {names}")
        board = game.board(Position(discs, position.side))
        if legal == [PASS]:
            changed = ", ".join(game.cells[cell] for cell in changed_cells(game.board(position), board))
            return Forfeit("must_pass", f"has no move and must leave the board as it is, but changed {changed}")
        fault = game.fault(position, board)
        return Forfeit(fault.rule, fault.text)

    def _call(self, side: Side) -> Forfeit | None:
        command = [*self._pair[side], str(SYMBOLS[side]), str(self._path)]
        with tempfile.TemporaryFile() as output:
            try:
                process = Process(command, stdin=DEVNULL, stdout=output, stderr=output)
            except OSError as error:
                return Forfeit("program_failed", f"cannot be started: {error.strerror}")
            try:
                status = process.wait(self._timeout_s)
            except TimeoutExpired:
                return Forfeit("out_of_time", f"gave no answer within {self._timeout_s:g} s")
            finally:
                process.end()
            if status:
                output.seek(max(0, output.tell() - MAX_TAIL_LENGTH))
                tail = " ".join(output.read(MAX_TAIL_LENGTH).decode("utf-8", "replace").split())
                return Forfeit("program_failed", f"ended with status {status}" + (f": {tail}" if tail else ""))
        return None


def start(discs: tuple[int, int], side: Side) -> Position:
    position = Position(discs, side)
    if Reversi().outcome(position) is not None:
        raise ValueError("on this board neither side can lay a disc: the game is over already")
    return position


class BoardFileError(ValueError):
    """A file that holds no board; the message names the file and the error, with row and value."""


def read_board(path: Path) -> tuple[int, int]:
    """Black's and white's discs on the board in the file, a bit per cell. Raises BoardFileError."""
    try:
        data = read_bytes(path, MAX_BYTES)
    except OSError as error:
        raise BoardFileError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BoardFileError(f"{path}: is not JSON: {error}") from None
    if not isinstance(rows, list) or len(rows) != SIZE:
        what = f"{len(rows)} rows" if isinstance(rows, list) else type(rows).__name__
        raise BoardFileError(f"{path}: a board is a list of {SIZE} rows, not {what}")
    discs = [0, 0]
    for number, row in enumerate(rows):
        _read_row(path, number, row, discs)
    return discs[0], discs[1]


def _read_row(path: Path, number: int, row: object, discs: list[int]) -> None:
    if not isinstance(row, list) or len(row) != SIZE:
        what = f"{len(row)} values" if isinstance(row, list) else repr(row)[:40]
        raise BoardFileError(f"{path}: row {number + 1} is a list of {SIZE} values, not {what}")
    for column, value in enumerate(row):
        if type(value) is not int or value not in (0, *SYMBOLS):
            where = f"row {number + 1}, column {column + 1} ({CELLS[number * SIZE + column]})"
            raise BoardFileError(f"{path}: {where} is 0, 1 or 2, not {repr(value)[:40]}")
        if value:
            discs[SYMBOLS.index(value)] |= 1 << number * SIZE + column


def write_board(path: Path, discs: tuple[int, int]) -> None:
    """Replaces the file atomically: a reader sees the old board or the new one. Raises BoardFileError."""
    black, white = discs
    cells = [1 if black >> cell & 1 else 2 if white >> cell & 1 else 0 for cell in range(SIZE * SIZE)]
    rows = [cells[row : row + SIZE] for row in range(0, SIZE * SIZE, SIZE)]
    target = path.resolve()
    name = ""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(rows) + "\n")
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        Path(name).replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise BoardFileError(f"{path}: cannot be written: {error.strerror}") from None


def shown(position: Position) -> str:
    black, white = position.discs
    letters = ["X" if black >> cell & 1 else "O" if white >> cell & 1 else "." for cell in range(len(CELLS))]
    rows = [f"{row + 1} {' '.join(letters[row * SIZE : row * SIZE + SIZE])}" for row in range(SIZE)]
    return "\n".join(["  a b c d e f g h", *rows])
