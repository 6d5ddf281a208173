"""Reversi positions in OBF files.

A line of an OBF file is 64 characters X, O and - from a1 along the rows, a space, the side to move, a semicolon; the
rest, such as published results, is ignored. Empty lines and lines that begin with % or # are skipped.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from games.reversi import Position, Reversi
from places.named_files import read_text
from rules import PositionError

MAX_BYTES = 64 << 20


@dataclasses.dataclass(frozen=True)
class Endgame:
    line: int
    position: Position

    @property
    def empties(self) -> int:
        return 64 - sum(discs.bit_count() for discs in self.position.discs)


def read_obf(path: Path) -> list[Endgame]:
    game, found = Reversi(), []
    try:
        text = read_text(path, MAX_BYTES)
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text file") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip()[0] in "%#":
            continue
        position, _, _ = line.partition(";")
        try:
            found.append(Endgame(number, game.parse_position(position)))
        except PositionError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if not found:
        raise ValueError(f"{path} holds no position")
    return found


def table_for(endgames: list[Endgame]) -> int:
    """Mebibytes of table for the hardest of the positions; a large table itself costs time."""
    return 16 if max(endgame.empties for endgame in endgames) <= 17 else 256
