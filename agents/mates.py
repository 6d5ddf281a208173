"""Forced wins of gomoku for a file of positions: searched, proven, and returned move by move."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from games.gomoku.board import board
from system.named_files import read_text
from system.numbers import whole

SIZE = 15
TABLE_MB = 64
MAX_BYTES = 64 << 20
SPREAD = 0x9E3779B97F4A7C15


def solve_mates(path: Path, time_s: float) -> Iterator[dict[str, object]]:
    """What can be proven of each position, in file order, with at most `time_s` seconds for each.

    A line is a JSON object whose `moves` are the stones so far, black's first, as [x, y] from the top left corner, 0 to
    14. `to_move`, if given, must be the side to move, 0 for black. Other fields are ignored. The results have `proven`;
    `move`, the winning stone, or None; `line`, all stones of both sides up to the five; `milliseconds` of searching;
    and `nodes`. The rules are free gomoku. Raises ValueError with the number of a line that is no position.
    """
    positions = list(read_positions(path))
    for stones, side in positions:
        yield _solved(stones, side, time_s)


def read_positions(path: Path) -> Iterator[tuple[tuple[int, int], int]]:
    """The stones of black and white, as bit sets of y * 15 + x, and the side to move. Raises ValueError."""
    try:
        lines = read_text(path, MAX_BYTES).splitlines()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    for number, text in enumerate(lines, 1):
        if text.strip():
            try:
                yield _position(text)
            except ValueError as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from None


def _position(text: str) -> tuple[tuple[int, int], int]:
    try:
        entry: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"this is no JSON: {text[:60]!r}") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("moves"), list):
        raise ValueError('a position is an object with "moves", a list of [x, y]')
    stones = [0, 0]
    for place, move in enumerate(entry["moves"]):
        index = _index(move)
        if (stones[0] | stones[1]) >> index & 1:
            raise ValueError(f"move {place + 1}, {move}, is on an occupied point")
        stones[place % 2] |= 1 << index
        if board(SIZE).has_five(stones[place % 2]):
            raise ValueError(f"the game is over with move {place + 1}, {move}: it makes five")
    side = len(entry["moves"]) % 2
    if whole(entry.get("to_move", side)) != side:
        raise ValueError(f"to_move is {side} after {len(entry['moves'])} moves, not {entry['to_move']!r}")
    return (stones[0], stones[1]), side


def _index(move: object) -> int:
    if not (isinstance(move, list) and len(move) == 2 and all(type(part) is int for part in move)):
        raise ValueError(f"a move is [x, y], not {json.dumps(move)[:40]}")
    x, y = move
    if not (0 <= x < SIZE and 0 <= y < SIZE):
        raise ValueError(f"the move {move} is off the board: x and y go from 0 to {SIZE - 1}")
    index: int = y * SIZE + x
    return index


@functools.cache
def _memory() -> Any:
    # Imported here because listing the agents imports the modules beside this one, which must not load compiled code.
    from games.gomoku.kernel.board import allocate

    return allocate(SIZE, (False, False), TABLE_MB)


def _solved(stones: tuple[int, int], side: int, time_s: float) -> dict[str, object]:
    from agents.kernels.memory import NODES, begin_search
    from games.gomoku.kernel import memory as layout
    from games.gomoku.kernel.prover import Proof, write_stones

    memory = _memory()
    begin_search(memory)
    write_stones(memory, SIZE, stones)
    # Each position is searched independently: a new salt makes earlier table entries unreadable.
    memory[layout.KEY] = (int(memory[layout.KEY]) + SPREAD) % 2**64
    began_s = time.perf_counter()
    proof = Proof(memory, side)
    proof.within(time_s)
    milliseconds = round((time.perf_counter() - began_s) * 1e3, 3)
    line = [[index % SIZE, index // SIZE] for index in (layout.index_of(cell, SIZE) for cell in proof.line)]
    return {
        "proven": bool(line),
        "move": line[0] if line else None,
        "line": line,
        "milliseconds": milliseconds,
        "nodes": int(memory[NODES]),
    }
