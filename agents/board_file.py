"""A reversi board in a JSON file: a list of eight rows of eight numbers, 0 empty, 1 black (X), 2 white (O)."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path

from games.reversi import CELLS, Position
from places.named_files import read_bytes

SIZE = 8
SYMBOLS = (1, 2)
"""Numbers of black's and white's discs, indexed by `Side`."""
MAX_BYTES = 65536


class BoardFileError(ValueError):
    """A file that holds no board; the message names the file and the error, with row and value."""


def read(path: Path) -> tuple[int, int]:
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


def write(path: Path, discs: tuple[int, int]) -> None:
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
