"""What a reversi search does most, as vectors of LLVM: a whole set of lines or of groups of squares at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numba.core.cgutils
from llvmlite import ir  # type: ignore[import-untyped]

from agents.kernels.compilation import NONZERO, instructions
from games.reversi.kernel.groups import LANES

cgutils: Any = numba.core.cgutils
WORD, CONSTANTS = numba.uint64, numba.types.Array(numba.uint64, 1, "C", readonly=True)
LONG, SHORT, BYTE = ir.IntType(64), ir.IntType(16), ir.IntType(8)
INNER = 0x7E7E7E7E7E7E7E7E
"""All columns but a and h, whose discs cannot be turned over along a row or diagonal."""
STEPS = (1, 8, 7, 9)
"""From a square to the next along a row, a column and both diagonals."""


def _vector(values: Sequence[int], kind: Any = LONG) -> Any:
    return ir.Constant(ir.VectorType(kind, len(values)), list(values))


def _spread(builder: Any, value: Any) -> Any:
    """A number in each of four lanes."""
    lanes = ir.Constant(ir.VectorType(value.type, 4), ir.Undefined)
    first = builder.insert_element(lanes, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, lanes, _vector([0] * 4, ir.IntType(32)))


def _any_lane(builder: Any, lanes: Any) -> Any:
    """The bits that are set in one of four lanes."""
    for order in ([2, 3, 0, 1], [1, 0, 3, 2]):
        lanes = builder.or_(lanes, builder.shuffle_vector(lanes, lanes, _vector(order, ir.IntType(32))))
    return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _from(builder: Any, address: Any, kind: Any, count: int) -> Any:
    return builder.load(_pointer(builder, address, ir.VectorType(kind, count)), align=kind.width // 8)


def _beyond(builder: Any, mine: Any, theirs: Any) -> Any:
    """The squares behind rows of `theirs` that begin beside mine, both ways along four lines, in doubling steps."""
    one, two = _vector(STEPS), _vector([2 * step for step in STEPS])
    pair = builder.and_(theirs, builder.shl(theirs, one))
    found = []
    for shift, pairs in ((builder.shl, pair), (builder.lshr, builder.lshr(pair, one))):
        row = builder.and_(theirs, shift(mine, one))
        row = builder.or_(row, builder.and_(theirs, shift(row, one)))
        for _ in range(2):
            row = builder.or_(row, builder.and_(pairs, shift(row, two)))
        found.append(shift(row, one))
    return builder.or_(*found)


@instructions("uint64(uint64, uint64)")
def turning(builder: Any, mine: Any, theirs: Any) -> Any:
    """The empty squares where a move turns discs over."""
    lines = builder.and_(_spread(builder, theirs), _vector([INNER, -1, INNER, INNER]))
    found = _any_lane(builder, _beyond(builder, _spread(builder, mine), lines))
    return builder.and_(found, builder.not_(builder.or_(mine, theirs)))


@instructions(WORD(CONSTANTS, WORD, WORD, WORD))
def turned_over(builder: Any, rays: Any, mine: Any, theirs: Any, square: Any) -> Any:
    """The discs that a move turns over, by the words of `discs.RAYS`."""
    at = builder.add(builder.ptrtoint(rays, LONG), builder.shl(square, LONG(6)))
    mine, theirs, one = _spread(builder, mine), _spread(builder, theirs), _vector([1] * 4)
    up, down = (_from(builder, builder.add(at, LONG(start)), LONG, 4) for start in (0, 32))
    end = builder.and_(builder.add(builder.or_(theirs, builder.not_(up)), one), builder.and_(up, mine))
    some = builder.sext(builder.icmp_unsigned("!=", end, _vector([0] * 4)), end.type)
    turned = builder.and_(builder.add(end, some), up)
    stop = builder.or_(builder.and_(down, builder.not_(theirs)), one)
    kind = ir.FunctionType(stop.type, [stop.type, ir.IntType(1)])
    zeros = cgutils.get_or_insert_function(builder.module, kind, "llvm.ctlz.v4i64")
    end = builder.lshr(_vector([1 << 63] * 4), builder.call(zeros, [stop, NONZERO]))
    end = builder.and_(end, builder.and_(mine, down))
    below = builder.and_(builder.sub(_vector([0] * 4), builder.shl(end, one)), down)
    return _any_lane(builder, builder.or_(turned, below))


def contents(builder: Any, table: Any, mine: Any, theirs: Any) -> Any:
    """The contents of all groups, by a table of what each row's discs add to each of them."""
    sums = [_vector([0] * LANES, SHORT)] * 2
    for row in range(8):
        for side, discs in enumerate((mine, theirs)):
            byte = builder.and_(builder.lshr(discs, LONG(8 * row)), LONG(255))
            at = builder.add(table, builder.mul(builder.add(byte, LONG(256 * row)), LONG(2 * LANES)))
            sums[side] = builder.add(sums[side], _from(builder, at, SHORT, LANES))
    return builder.add(sums[0], builder.add(sums[1], sums[1]))


def summing(table_word: int, starts: Sequence[int]) -> Any:
    """A function of memory, discs and the byte where the weights begin: the sum of the groups' weights, a byte each.

    The table of contents lies in the memory from that word on; `starts` is where each group's weights begin.
    """

    @instructions("int64(uint64[::1], uint64, uint64, uint64)")
    def total(builder: Any, memory: Any, mine: Any, theirs: Any, first: Any) -> Any:
        base, wide = builder.ptrtoint(memory, LONG), ir.IntType(32)
        lanes = contents(builder, builder.add(base, LONG(8 * table_word)), mine, theirs)
        with builder.goto_entry_block():
            found = builder.alloca(lanes.type)
        builder.store(lanes, found)
        weights, total = builder.add(base, first), wide(0)
        for lane, start in enumerate(starts):
            at = builder.add(builder.ptrtoint(found, LONG), LONG(2 * lane))
            index = builder.add(builder.zext(builder.load(_pointer(builder, at, SHORT)), LONG), LONG(start))
            weight = builder.load(_pointer(builder, builder.add(weights, index), BYTE))
            total = builder.add(total, builder.sext(weight, wide))
        return builder.sext(total, LONG)

    return total
