"""The evaluation: a network over what lies around every cell, learnt from the engine's own games.

A cell has HIDDEN numbers, half of them as black sees the board and half as white does: the sum of a row of weights for
each of the four lines through it, chosen by the nine cells of the line around it. What of these is above 0 is summed
over the board, and an inner layer turns the mover's and the enemy's totals into the logit of the mover's win. GUIDING
further numbers of a cell tell how good a move there is, each times a weight.

The numbers follow the board only when a value or an order is asked for: many stones are lifted before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba.core.cgutils
from llvmlite import ir  # type: ignore[import-untyped]

from agents.kernels.compilation import compiled, instructions
from agents.kernels.loops import span
from agents.kernels.memory import Memory, Word
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.patterns import line_of, place_in

cgutils: Any = numba.core.cgutils
ZERO, ONE, TWO, FOUR, SIX, SIXTEEN = map(Word, (0, 1, 2, 4, 6, 16))
AROUND = Word(2**18 - 1)
ROW, OF_VALUE, OF_MOVES, BY_ROWS = Word(w.NUMBERS // 4), Word(w.HIDDEN // 4), Word(w.GUIDING // 4), FOUR * w.ROW_OF
VALUE, MOVES, ALL = (ir.VectorType(ir.IntType(16), count) for count in (w.HIDDEN, w.GUIDING, w.NUMBERS))
TOTALS, FLOATS = ir.VectorType(ir.IntType(32), w.HIDDEN), ir.VectorType(ir.FloatType(), w.INNER)


def _at(builder: Any, memory: Any, word: Any, vector: Any) -> Any:
    return builder.bitcast(builder.gep(memory, [word]), vector.as_pointer())


def _read(builder: Any, memory: Any, word: Any, vector: Any) -> Any:
    return builder.load(_at(builder, memory, word, vector), align=8)


def _above_zero(builder: Any, vector: Any) -> Any:
    zeros = ir.Constant(vector.type, None)
    return builder.select(builder.icmp_signed(">", vector, zeros), vector, zeros)


def _lanes(builder: Any, vector: Any, lanes: Sequence[int]) -> Any:
    return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes)))


def _changing(kept: bool) -> Any:
    """A function of memory, a line's first cell, the distance to its next, the contents around it before and after.

    It changes what nine cells in a line have by the rows of their contents, and the totals with it. If not `kept`, the
    totals and what the cell in the middle has come from the last two words, and go to LOOKED and LOOKED_CELL; what is
    for the moves stays.
    """

    @instructions("int64(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64)")
    def change(
        builder: Any, memory: Any, cell: Any, step: Any, before: Any, after: Any, begun: Any, middle: Any
    ) -> Any:
        numbers = ALL if kept else VALUE
        rows = builder.bitcast(memory, ir.IntType(16).as_pointer())
        totals = _read(builder, memory, begun, TOTALS)
        for number in range(9):
            found = []
            for contents in (after, before):
                nine = builder.and_(builder.lshr(contents, contents.type(2 * number)), contents.type(int(AROUND)))
                row = builder.load(builder.gep(rows, [builder.add(nine, nine.type(int(BY_ROWS)))]))
                row = builder.mul(builder.zext(row, nine.type), nine.type(int(ROW)))
                row = builder.add(row, row.type(int(w.ROWS)))
                found.append(_read(builder, memory, row, numbers))
            slot = builder.add(builder.mul(cell, cell.type(int(ROW))), cell.type(int(w.NEAR)))
            if number == 4 and not kept:
                slot = middle
            was = _read(builder, memory, slot, numbers)
            now = builder.add(was, builder.sub(*found))
            if kept or number == 4:
                slot = slot if kept else slot.type(int(w.LOOKED_CELL))
                builder.store(now, _at(builder, memory, slot, numbers), align=8)
            now, was = (_above_zero(builder, _lanes(builder, one, range(w.HIDDEN))) for one in (now, was))
            totals = builder.add(totals, builder.sext(builder.sub(now, was), TOTALS))
            cell = builder.add(cell, step)
        end = begun if kept else begun.type(int(w.LOOKED))
        builder.store(totals, _at(builder, memory, end, TOTALS), align=8)
        return cell

    return change


keep, look = _changing(True), _changing(False)


@instructions("int64(uint64[::1], uint64, uint64)")
def judged(builder: Any, memory: Any, totals: Any, colour: Any) -> Any:
    """The value for the colour by the totals at a word."""

    def floats(word: Any) -> Any:
        return _read(builder, memory, colour.type(int(word)), FLOATS)

    seen = builder.sitofp(_read(builder, memory, totals, TOTALS), FLOATS)
    half = w.HIDDEN // 2
    others = _lanes(builder, seen, [*range(half, w.HIDDEN), *range(half)])
    seen = builder.select(builder.icmp_unsigned("!=", colour, colour.type(0)), others, seen)
    sums = [floats(w.ADDED), ir.Constant(FLOATS, [0.0] * w.INNER)]
    for number in range(w.HIDDEN):
        one = builder.fmul(_lanes(builder, seen, [number] * w.INNER), floats(w.FIRST + number * w.INNER // 2))
        sums[number % 2] = builder.fadd(sums[number % 2], one)
    inner, least = builder.fadd(*sums), ir.Constant(FLOATS, [0.0] * (w.INNER - 1) + [-1e30])
    found = builder.fmul(builder.select(builder.fcmp_ordered(">", inner, least), inner, least), floats(w.LAST))
    while (half := found.type.count // 2) > 0:
        found = builder.fadd(*(_lanes(builder, found, range(first, first + half)) for first in (0, half)))
    return builder.fptosi(builder.extract_element(found, ir.Constant(ir.IntType(32), 0)), colour.type)


@instructions("int64(uint64[::1], uint64, uint64)")
def guided(builder: Any, memory: Any, numbers: Any, weights: Any) -> Any:
    """The sum of the products of what is above 0 of GUIDING numbers at a word, and of the weights at another."""
    wide = ir.VectorType(ir.IntType(32), w.GUIDING)
    factors = _above_zero(builder, _read(builder, memory, numbers, MOVES)), _read(builder, memory, weights, MOVES)
    products = builder.mul(*(builder.sext(one, wide) for one in factors))
    kind = ir.FunctionType(ir.IntType(32), [wide])
    total = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.add.v{w.GUIDING}i32")
    return builder.sext(builder.call(total, [products]), numbers.type)


@compiled("void(uint64[::1], uint64, boolean)")
def turn(memory: Memory, stone: Word, kept: bool) -> None:
    """Puts a stone, cell << 1 | colour, on the network's board, or lifts it: the same change of the line's contents.

    If not `kept`, only what the totals would be is written, to LOOKED.
    """
    cell, content = stone >> ONE, ONE << (stone & ONE)
    begun, middle = w.TOTALS, w.NEAR + cell * ROW
    for direction in span(ZERO, FOUR):
        slot, step = line_of(cell, direction) - w.LINES + w.SEEN_LINES, memory[w.STEP + direction]
        place = place_in(cell, direction)
        line = memory[slot]
        # From eight places before the stone, of which two at most lie before the line's first: beyond the edge.
        before = line << FOUR >> TWO * (place - SIX)
        after = before ^ content << SIXTEEN
        if kept:
            memory[slot] = line ^ content << TWO * place
            keep(memory, cell - FOUR * step, step, before, after, begun, middle)
        else:
            look(memory, cell - FOUR * step, step, before, after, begun, middle)
            begun, middle = w.LOOKED, w.LOOKED_CELL


@compiled("void(uint64[::1], uint64)")
def follow(memory: Memory, count: Word) -> None:
    """Lets the network see the first stones on the board, that many."""
    while memory[w.SEEN] < count:
        turn(memory, memory[w.PLACED + memory[w.SEEN]], True)
        memory[w.SEEN] += ONE


@compiled("int64(uint64[::1], uint64, uint64)")
def guide(memory: Memory, cell: Word, colour: Word) -> int:
    """How good the colour's stone on an empty cell seems, as order; every stone must have been seen."""
    return int(guided(memory, w.NEAR + cell * ROW + OF_VALUE, w.GUIDES + colour * OF_MOVES) >> w.GUIDE_BITS)


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, colour: Word) -> int:
    """Value for the mover, in seventieths of a logit of winning."""
    count, seen = memory[w.STONE_COUNT], w.TOTALS
    if memory[w.SEEN] < count:
        follow(memory, count - ONE)
        turn(memory, memory[w.PLACED + count - ONE], False)
        seen = w.LOOKED
    return int(judged(memory, seen, colour))
