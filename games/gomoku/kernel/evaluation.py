"""The evaluation: a network over what lies around every cell, learnt from the engine's own games.

A cell has HIDDEN numbers, half of them as black sees the board and half as white does: the sum of a row of weights for
each of the four lines through it, chosen by the nine cells of the line around it. What of these is above 0 is summed
over the board, and an inner layer turns the mover's and the enemy's totals into the logit of the mover's win.

The numbers follow the board only when a value is asked for: many stones are lifted before.
"""

from __future__ import annotations

from typing import Any

import numba.core.cgutils
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]

from agents.kernels.compilation import compiled, instructions, signed
from agents.kernels.loops import span
from agents.kernels.memory import Memory, Word
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.lines import line_of, place_in

cgutils: Any = numba.core.cgutils
ZERO, ONE, TWO, FOUR, SIX, NINE, SIXTEEN = map(Word, (0, 1, 2, 4, 6, 9, 16))
AROUND, HIDDEN, HALF, INNER = map(Word, (2**18 - 1, w.HIDDEN, w.HIDDEN // 2, w.INNER))
ROW, BY_ROWS = Word(w.HIDDEN // 4), FOUR * w.ROW_OF
SHORTS, LONGS = (ir.VectorType(ir.IntType(bits), w.HIDDEN) for bits in (16, 32))


def _at(builder: Any, memory: Any, word: Any, vector: Any) -> Any:
    return builder.bitcast(builder.gep(memory, [word]), vector.as_pointer())


def _above_zero(builder: Any, vector: Any) -> Any:
    positive = builder.icmp_signed(">", vector, ir.Constant(SHORTS, None))
    return builder.zext(builder.select(positive, vector, ir.Constant(SHORTS, None)), LONGS)


@instructions("int64(uint64[::1], uint64, uint64, uint64)")
def change(builder: Any, memory: Any, cell: Any, new: Any, old: Any) -> Any:
    """Changes a cell's numbers from one row to another, and TOTALS with them; all as words."""
    here = _at(builder, memory, cell, SHORTS)
    totals = _at(builder, memory, ir.Constant(cell.type, int(w.TOTALS)), LONGS)
    rows = [builder.load(_at(builder, memory, row, SHORTS), align=8) for row in (new, old)]
    was = builder.load(here, align=8)
    now = builder.add(was, builder.sub(*rows))
    builder.store(now, here, align=8)
    more = builder.sub(_above_zero(builder, now), _above_zero(builder, was))
    builder.store(builder.add(builder.load(totals, align=8), more), totals, align=8)
    return cell


@instructions("int64(uint64[::1], uint64, uint64, uint64)")
def product(builder: Any, memory: Any, first: Any, second: Any, added: Any) -> Any:
    """The sum of the products of HIDDEN numbers of 16 bits at two words, and of the third word."""
    factors = [builder.load(_at(builder, memory, word, SHORTS), align=8) for word in (first, second)]
    products = builder.mul(*(builder.sext(factor, LONGS) for factor in factors))
    name = f"llvm.vector.reduce.add.v{w.HIDDEN}i32"
    total = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), [LONGS]), name)
    found = builder.sext(builder.call(total, [products]), added.type)
    return builder.add(builder.load(builder.gep(memory, [added])), found)


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def row_of(memory: Memory, contents: Word) -> Word:
    """Where the row lies for these nine cells of a line."""
    return Word(w.ROWS + memory.view(np.uint16)[BY_ROWS + (contents & AROUND)] * ROW)


@compiled("void(uint64[::1], uint64)")
def turn(memory: Memory, stone: Word) -> None:
    """Puts a stone, cell << 1 | colour, on the network's board, or lifts it: the same change of the line's contents."""
    cell, content = stone >> ONE, ONE << (stone & ONE)
    for direction in span(ZERO, FOUR):
        slot, step = line_of(cell, direction) - w.LINES + w.SEEN_LINES, memory[w.STEP + direction]
        place = place_in(cell, direction)
        line = memory[slot]
        memory[slot] = line ^ content << TWO * place
        # From eight places before the stone, of which two at most lie before the line's first: beyond the edge.
        before = line << FOUR >> TWO * (place - SIX)
        after = before ^ content << SIXTEEN
        for number in span(ZERO, NINE):
            old, new = row_of(memory, before >> TWO * number), row_of(memory, after >> TWO * number)
            if old != new:
                change(memory, w.NEAR + (cell + (number - FOUR) * step) * ROW, new, old)


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, colour: Word) -> int:
    """Value for the mover, in seventieths of a logit of winning."""
    while memory[w.SEEN] < memory[w.STONE_COUNT]:
        turn(memory, memory[w.PLACED + memory[w.SEEN]])
        memory[w.SEEN] += ONE
    totals, shorts = memory.view(np.int32), memory.view(np.int16)
    for index in range(w.HIDDEN):
        found = totals[w.TOTALS * TWO + (Word(index) ^ colour * HALF)] >> w.TOTAL_BITS
        shorts[w.MOVERS * FOUR + Word(index)] = min(max(found, -w.MOST), w.MOST)
    value = 0
    for number in span(ZERO, INNER + ONE):
        inner = product(memory, w.MOVERS, w.FIRST + number * ROW, w.ADDED + number)
        value += (inner if number == INNER else max(inner, 0)) * signed(memory[w.LAST + number])
    return value >> w.VALUE_BITS
