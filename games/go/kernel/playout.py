"""Play at random to the end of a game: stones in atari first, then good shape beside the last move.

Nobody fills an eye or lays a stone so that its chain is caught at once, and nobody passes while anything else is left.
"""

from __future__ import annotations

from agents.kernels.compilation import compiled
from games.go.kernel import memory as w
from games.go.kernel.board import beside, in_atari, is_eye, is_shape, last_liberty, liberties, play
from games.go.kernel.memory import Memory

ANSWERED, SHAPED = 90, 85
"""How often of 100 times stones in atari are seen, and good shape."""
MOST = 3
"""Plies after which a playout is broken off, per point of the board."""


@compiled("int64(int64[::1], int64)", inlined=True)
def draw(memory: Memory, below: int) -> int:
    """A random number from 0 on, below a limit (Marsaglia, "Xorshift RNGs", 2003)."""
    bits = memory[w.SEED]
    bits ^= bits << 13
    bits ^= bits >> 7 & (1 << 57) - 1
    bits ^= bits << 17
    memory[w.SEED] = bits
    return (bits >> 20 & (1 << 31) - 1) * below >> 31  # type: ignore[no-any-return]


@compiled("boolean(int64[::1], int64, int64)")
def is_sensible(memory: Memory, point: int, colour: int) -> bool:
    """Whether a stone may be laid there, fills no eye of its colour, and puts no chain of two or more into atari."""
    empty, own = 0, False
    for number in range(4):
        other = memory[w.COLOUR + beside(memory, point, number)]
        empty += other == w.EMPTY
        own = own or other == colour
    if point == memory[w.KO]:
        return False
    if empty > 1:
        return True
    if empty == 0 and is_eye(memory, point, colour):
        return False
    return liberties(memory, point, colour) > (1 if own else 0)


@compiled("int64(int64[::1], int64)")
def rescue(memory: Memory, chain: int) -> int:
    """How the mover saves a chain in atari: by taking one beside it, or by a stone on its liberty; PASS if by none."""
    side, stone = memory[w.SIDE], chain
    while True:
        for number in range(4):
            near = beside(memory, stone, number)
            if memory[w.COLOUR + near] == 3 - side and in_atari(memory, memory[w.HEAD + near]):
                point = last_liberty(memory, memory[w.HEAD + near])
                if point != memory[w.KO]:
                    return point
        stone = memory[w.NEXT + stone]
        if stone == chain:
            break
    point = last_liberty(memory, chain)
    return point if liberties(memory, point, side) > 1 and point != memory[w.KO] else w.PASS


@compiled("int64(int64[::1])")
def answer(memory: Memory) -> int:
    """Takes the chain just laid if it is in atari, or saves one that it put there; PASS if there is neither."""
    last, side = memory[w.LAST], memory[w.SIDE]
    if in_atari(memory, memory[w.HEAD + last]):
        point = last_liberty(memory, memory[w.HEAD + last])
        if point != memory[w.KO]:
            return point
    for number in range(4):
        near = beside(memory, last, number)
        if memory[w.COLOUR + near] == side and in_atari(memory, memory[w.HEAD + near]):
            point = rescue(memory, memory[w.HEAD + near])
            if point != w.PASS:
                return point
    return w.PASS


@compiled("int64(int64[::1])")
def shape(memory: Memory) -> int:
    """A random point of good shape among the eight around the last move; PASS if there is none."""
    last, side, stride = memory[w.LAST], memory[w.SIDE], memory[w.STRIDE]
    found, count = w.PASS, 0
    for number in range(9):
        point = last + (number // 3 - 1) * stride + number % 3 - 1
        if memory[w.COLOUR + point] == w.EMPTY and is_shape(memory, point, side) and is_sensible(memory, point, side):
            count += 1
            if draw(memory, count) == 0:
                found = point
    return found


@compiled("int64(int64[::1])")
def choose(memory: Memory) -> int:
    """The mover's next move in a playout."""
    if memory[w.LAST] != w.PASS:
        if draw(memory, 100) < ANSWERED:
            point = answer(memory)
            if point != w.PASS:
                return point
        if draw(memory, 100) < SHAPED:
            point = shape(memory)
            if point != w.PASS:
                return point
    count, side = memory[w.EMPTIES], memory[w.SIDE]
    if count == 0:
        return w.PASS
    start = draw(memory, count)
    for place in range(count):
        at = start + place
        point = memory[w.FREE + (at if at < count else at - count)]
        if is_sensible(memory, point, side):
            return point  # type: ignore[no-any-return]
    return w.PASS


@compiled("int64(int64[::1], int64)")
def finish(memory: Memory, length: int) -> int:
    """Plays on until both pass, and adds the moves to the line of that length; returns its new length."""
    most = length + MOST * memory[w.SIZE] * memory[w.SIZE]
    memory[w.PASSES] = 0
    while length < most and memory[w.PASSES] < 2:
        point = choose(memory)
        memory[w.LINE + length] = point
        length += 1
        play(memory, point)
    return length


@compiled("int64(int64[::1])")
def lead(memory: Memory) -> int:
    """How many more stones and eyes black has than white at the end of a playout."""
    stride, total = memory[w.STRIDE], 0
    for point in range(stride + 1, stride * stride):
        owner = memory[w.COLOUR + point]
        if owner == w.EMPTY:
            owners = 0
            for number in range(4):
                other = memory[w.COLOUR + beside(memory, point, number)]
                if other != w.BORDER:
                    owners |= 1 << other
            owner = 1 if owners == 2 else 2 if owners == 4 else w.EMPTY
        total += 1 if owner == 1 else -1 if owner == 2 else 0
    return total
