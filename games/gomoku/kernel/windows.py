"""The heuristic `windows` in machine code, and plain alpha-beta with it over every legal move.

A stone affects only the windows of seven cells that contain it, in four directions. The table holds the value of every
window's content, black's patterns minus white's, so a move's effect is known without laying it.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.loops import span
from agents.kernels.memory import HINT, MAX_PLY, NODES, NOISE, PV_LENGTH, STOP, Memory, write
from agents.kernels.negamax import must_stop
from agents.kernels.table import SPREAD
from agents.search import WIN
from games.gomoku.heuristics import MOST, PATTERNS
from games.gomoku.kernel.memory import BORDER, CELLS, PATTERN_TABLE, SIZE, START, STEP, STEPS, STONES, WIDTH, cell_of
from games.gomoku.kernel.memory import PATTERNS as CENTRE
from games.gomoku.kernel.negamax import insert, settle
from games.gomoku.kernel.patterns import is_five

U = np.uint64
ZERO, ONE, TWO, TEN, TWELVE = U(0), U(1), U(2), U(10), U(12)
EDGE, ROW, CELL, SEVEN_CELLS, BACK, BEFORE = U(BORDER), U(WIDTH), U(1023), U(2**14 - 1), U(6), U(2**12 - 1)
EXACT_BLACK = START + U(24)
"""Two words of the memory: whether a line of six or more does not win, for black and for white."""
MOVES = PATTERN_TABLE + U(2**14)
"""512 words per ply."""
MOVES_A_PLY = U(512)
END = MOVES + MOVES_A_PLY * U(MAX_PLY)
FIVE_MADE = 2**40
"""Added to a move's gain if it makes five."""


def allocate(size: int, exact_five: tuple[bool, bool]) -> Memory:
    """Allocates memory for an empty board."""
    memory = np.zeros(int(END), dtype=np.uint64)
    memory[SIZE] = size
    memory[int(EXACT_BLACK) : int(EXACT_BLACK) + 2] = exact_five
    write(memory, STEP, STEPS)
    memory[int(STONES) : int(STONES) + CELLS] = 3
    middle = size // 2
    for index in range(size * size):
        cell, away = cell_of(index, size), max(abs(index // size - middle), abs(index % size - middle))
        memory[int(STONES) + cell] = 0
        memory[int(CENTRE) + cell] = middle - away
    codes = np.arange(2**14)
    values = np.zeros(2**14, dtype=np.int64)
    for pattern, weight in PATTERNS:
        for colour, sign in ((1, 1), (2, -1)):
            fits = np.ones(2**14, dtype=bool)
            for place, letter in enumerate(pattern):
                there = codes >> 2 * place & 3
                fits &= there == (colour if letter == "x" else 0) if letter != "n" else there & ~colour != 0
            values += sign * weight * fits
    memory[int(PATTERN_TABLE) : int(PATTERN_TABLE) + 2**14] = values.view(np.uint64)
    return memory


@compiled("int64(uint64[::1], uint64, uint64)")
def change(memory: Memory, cell: np.uint64, colour: np.uint64) -> int:
    """The colour's gain by a stone on the cell, plus FIVE_MADE if it makes five."""
    stone = ONE << colour
    more = ZERO
    fives = 0
    for direction in range(4):
        step = memory[STEP + U(direction)]
        near = cell - BACK * step
        code = ZERO
        for place in range(13):
            code |= memory[STONES + near] << TWO * U(place)
            near += step
        with_stone = code | stone << TWELVE
        if is_five(code & BEFORE | code >> TWO & ~BEFORE, TWELVE, stone, memory[EXACT_BLACK + colour]):
            fives = 1
        for start in range(7):
            shift = TWO * U(start)
            more += memory[PATTERN_TABLE + (with_stone >> shift & SEVEN_CELLS)]
            more -= memory[PATTERN_TABLE + (code >> shift & SEVEN_CELLS)]
    gain = signed(more) if colour == ZERO else -signed(more)
    return gain + signed(memory[CENTRE + cell]) + fives * FIVE_MADE


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, colour: np.uint64, ply: int) -> np.uint64:
    """Writes all empty cells as order << 10 | cell, best first, or only one that makes five; returns how many."""
    moves = MOVES + U(ply) * MOVES_A_PLY
    count = ZERO
    for row in span(EDGE, EDGE + memory[SIZE]):
        for cell in span(row * ROW + EDGE, row * ROW + EDGE + memory[SIZE]):
            if memory[STONES + cell] != ZERO:
                continue
            gain = change(memory, cell, colour)
            if gain >= FIVE_MADE:
                memory[moves] = cell
                return ONE
            order = U(gain + change(memory, cell, colour ^ ONE) % FIVE_MADE + 4 * MOST)
            if ply == 0 and memory[NOISE] != ZERO:
                order = order + ((cell + memory[NOISE]) * SPREAD >> U(62))
            if ply == 0 and cell == memory[HINT]:
                order = U(2**50)
            count = insert(memory, moves, count, MOVES_A_PLY, order << TEN | cell)
    return count


@compiled("int64(uint64[::1], uint64, int64, int64, int64, int64, int64, int64)")
def search_windows(
    memory: Memory, colour: np.uint64, value: int, empty: int, ply: int, depth: int, alpha: int, beta: int
) -> int:
    """The score of plain minimax, fail-soft; `value` is the position's unclipped value for the side to move."""
    memory[PV_LENGTH + U(ply)], memory[PV_LENGTH + U(ply) + ONE] = ZERO, ZERO
    if must_stop(memory):
        return 0
    best = -2 * WIN
    if depth == 1:
        # The last stone is not laid: its gain suffices.
        for row in span(EDGE, EDGE + memory[SIZE]):
            for cell in span(row * ROW + EDGE, row * ROW + EDGE + memory[SIZE]):
                if memory[STONES + cell] != ZERO:
                    continue
                gain = change(memory, cell, colour)
                score = WIN - ply - 1 if gain >= FIVE_MADE else 0 if empty == 1 else max(-MOST, min(MOST, value + gain))
                memory[NODES] += ONE
                if score > best:
                    best = settle(memory, ply, cell, score)
                    if best >= beta:
                        return best
        return best
    count = write_moves(memory, colour, ply)
    for done in range(count):
        cell = memory[MOVES + U(ply) * MOVES_A_PLY + U(done)] & CELL
        gain = change(memory, cell, colour)
        if gain >= FIVE_MADE:
            score = WIN - ply - 1
        elif empty == 1:
            score = 0
        else:
            memory[STONES + cell] = ONE << colour
            score = -search_windows(
                memory, colour ^ ONE, -(value + gain), empty - 1, ply + 1, depth - 1, -beta, -max(alpha, best)
            )
            memory[STONES + cell] = ZERO
        if memory[STOP] != ZERO:
            return 0
        if score > best:
            best = settle(memory, ply, cell, score)
            if best >= beta:
                break
    return best


@compiled("int64(uint64[::1], uint64, uint64)")
def lay(memory: Memory, cell: np.uint64, colour: np.uint64) -> int:
    """Lays a stone; returns its colour's gain, without FIVE_MADE."""
    gain = change(memory, cell, colour)
    memory[STONES + cell] = ONE << colour
    return gain - FIVE_MADE if gain >= FIVE_MADE else gain
