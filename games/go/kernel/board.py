"""The board in compiled code: it changes in place, and keeps chains with their pseudo-liberties."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from games.go.kernel.memory import (
    ALLOW_SUICIDE,
    BALANCE,
    BEFORE,
    BOARD,
    BORDER,
    BREATH,
    COLOUR,
    EMPTIES,
    EMPTY,
    FREE,
    HASH,
    HASHES,
    HEAD,
    KO,
    LAST,
    NEXT,
    PASS,
    PASSES,
    PLACE,
    POINTS,
    SHAPES,
    SIDE,
    SIZE,
    SQUARES,
    STONES,
    STRIDE,
    SUM,
    Memory,
)


@compiled("int64(int64[::1], int64, int64)", inlined=True)
def beside(memory: Memory, point: int, number: int) -> int:
    """The point beside another, to the left, right, up or down of it by the number 0 to 3."""
    step = 1 if number < 2 else memory[STRIDE]
    return point - step if number & 1 == 0 else point + step


@compiled("void(int64[::1])")
def clear(memory: Memory) -> None:
    """An empty board, black to move."""
    size, stride = memory[SIZE], memory[STRIDE]
    for word in range(BOARD, COLOUR):
        memory[word] = 0
    for point in range(POINTS):
        memory[COLOUR + point] = BORDER
    memory[EMPTIES], memory[SIDE] = size * size, 1
    for cell in range(size * size):
        point = (cell // size + 1) * stride + cell % size + 1
        memory[COLOUR + point] = EMPTY
        memory[FREE + cell], memory[PLACE + point] = point, cell


@compiled("void(int64[::1], int64, int64, int64)", inlined=True)
def breathe(memory: Memory, chain: int, point: int, more: int) -> None:
    """Counts an empty point beside a chain once more, or with -1 once less."""
    memory[BREATH + chain] += more
    memory[SUM + chain] += more * point
    memory[SQUARES + chain] += more * point * point


@compiled("boolean(int64[::1], int64)", inlined=True)
def in_atari(memory: Memory, chain: int) -> bool:
    """Whether a chain, by its head, has a single liberty."""
    total = memory[SUM + chain]
    return memory[BREATH + chain] * memory[SQUARES + chain] == total * total  # type: ignore[no-any-return]


@compiled("int64(int64[::1], int64)", inlined=True)
def last_liberty(memory: Memory, chain: int) -> int:
    """The liberty of a chain in atari."""
    return memory[SUM + chain] // memory[BREATH + chain]  # type: ignore[no-any-return]


@compiled("void(int64[::1], int64, int64)")
def join(memory: Memory, one: int, other: int) -> None:
    """Makes one chain of two, by stones of them."""
    big, small = memory[HEAD + one], memory[HEAD + other]
    if big == small:
        return
    if memory[STONES + big] < memory[STONES + small]:
        big, small = small, big
    stone = small
    while True:
        memory[HEAD + stone] = big
        stone = memory[NEXT + stone]
        if stone == small:
            break
    memory[NEXT + big], memory[NEXT + small] = memory[NEXT + small], memory[NEXT + big]
    memory[STONES + big] += memory[STONES + small]
    memory[BREATH + big] += memory[BREATH + small]
    memory[SUM + big] += memory[SUM + small]
    memory[SQUARES + big] += memory[SQUARES + small]


@compiled("int64(int64[::1], int64)")
def take(memory: Memory, chain: int) -> int:
    """Takes a chain off the board; returns how many stones that are."""
    colour, stone, taken = memory[COLOUR + chain], chain, 0
    while True:
        memory[COLOUR + stone] = EMPTY
        memory[HASH] ^= memory[HASHES + colour * POINTS + stone]
        memory[FREE + memory[EMPTIES]], memory[PLACE + stone] = stone, memory[EMPTIES]
        memory[EMPTIES] += 1
        for number in range(4):
            near = beside(memory, stone, number)
            if memory[COLOUR + near] == 1 or memory[COLOUR + near] == 2:
                breathe(memory, memory[HEAD + near], stone, 1)
        stone = memory[NEXT + stone]
        taken += 1
        if stone == chain:
            return taken


@compiled("int64(int64[::1], int64, int64)")
def lay(memory: Memory, point: int, colour: int) -> int:
    """Puts a stone on an empty point and takes what has no liberty; how many enemy stones, or less than 0, own ones."""
    memory[EMPTIES] -= 1
    moved = memory[FREE + memory[EMPTIES]]
    memory[FREE + memory[PLACE + point]], memory[PLACE + moved] = moved, memory[PLACE + point]
    memory[HASH] ^= memory[HASHES + colour * POINTS + point]
    memory[BALANCE] += 3 - 2 * colour
    memory[COLOUR + point], memory[HEAD + point], memory[NEXT + point] = colour, point, point
    memory[STONES + point], memory[BREATH + point], memory[SUM + point], memory[SQUARES + point] = 1, 0, 0, 0
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[COLOUR + near]
        if other == EMPTY:
            breathe(memory, memory[HEAD + point], near, 1)
        elif other != BORDER:
            breathe(memory, memory[HEAD + near], point, -1)
            if other == colour:
                join(memory, point, near)
    taken = 0
    for number in range(4):
        near = beside(memory, point, number)
        if memory[COLOUR + near] == 3 - colour and memory[BREATH + memory[HEAD + near]] == 0:
            taken += take(memory, memory[HEAD + near])
    if memory[BREATH + memory[HEAD + point]] == 0:
        taken = -take(memory, memory[HEAD + point])
    return taken


@compiled("void(int64[::1], int64)")
def play(memory: Memory, point: int) -> None:
    """Makes the mover's move, which must be legal."""
    memory[BEFORE], memory[LAST], memory[KO] = memory[LAST], point, 0
    side = memory[SIDE]
    memory[SIDE] = 3 - side
    if point == PASS:
        memory[PASSES] += 1
        return
    memory[PASSES] = 0
    taken = lay(memory, point, side)
    if taken < 0:
        memory[LAST] = PASS
    elif taken == 1:
        chain = memory[HEAD + point]
        if memory[STONES + chain] == 1 and in_atari(memory, chain):
            memory[KO] = last_liberty(memory, chain)


@compiled("boolean(int64[::1], int64, int64)")
def may_lie(memory: Memory, point: int, colour: int) -> bool:
    """Whether the rules allow a stone on an empty point, but for superko."""
    if point == memory[KO]:
        return False
    joins = False
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[COLOUR + near]
        if other == EMPTY or (other != BORDER and (other == colour) != in_atari(memory, memory[HEAD + near])):
            return True
        joins = joins or other == colour
    return joins and memory[ALLOW_SUICIDE] != 0


@compiled("boolean(int64[::1], int64, int64)")
def is_eye(memory: Memory, point: int, colour: int) -> bool:
    """Whether a colour's stones are on all points beside an empty one, and on enough of its corners to hold it."""
    edge = 0
    for number in range(4):
        other = memory[COLOUR + beside(memory, point, number)]
        if other == BORDER:
            edge = 1
        elif other != colour:
            return False
    across, enemies, stride = 3 - colour, 0, memory[STRIDE]
    enemies += memory[COLOUR + point - stride - 1] == across
    enemies += memory[COLOUR + point - stride + 1] == across
    enemies += memory[COLOUR + point + stride - 1] == across
    enemies += memory[COLOUR + point + stride + 1] == across
    return enemies + edge < 2  # type: ignore[no-any-return]


@compiled("int64(int64[::1], int64, int64)")
def liberties(memory: Memory, point: int, colour: int) -> int:
    """What a stone's chain would have once laid: 0 no liberty, 1 one, 2 more; captures count as more."""
    breath, total, squares = 0, 0, 0
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[COLOUR + near]
        if other == EMPTY:
            breath, total, squares = breath + 1, total + near, squares + near * near
        elif other != BORDER:
            chain = memory[HEAD + near]
            if other != colour:
                if in_atari(memory, chain):
                    return 2
                continue
            seen = False
            for earlier in range(number):
                at = beside(memory, point, earlier)
                seen = seen or (memory[COLOUR + at] == colour and memory[HEAD + at] == chain)
            if not seen:
                breath, total = breath + memory[BREATH + chain], total + memory[SUM + chain]
                squares += memory[SQUARES + chain]
            breath, total, squares = breath - 1, total - point, squares - point * point
    if breath == 0:
        return 0
    return 1 if breath * squares == total * total else 2


@compiled("boolean(int64[::1], int64, int64)")
def is_shape(memory: Memory, point: int, colour: int) -> bool:
    """Whether a stone there makes good shape with the eight points around it."""
    up, down = COLOUR + point - memory[STRIDE], COLOUR + point + memory[STRIDE]
    here = COLOUR + point
    code = memory[up - 1] | memory[up] << 2 | memory[up + 1] << 4 | memory[here - 1] << 6 | memory[here + 1] << 8
    code |= memory[down - 1] << 10 | memory[down] << 12 | memory[down + 1] << 14
    word = memory[SHAPES + 1024 * (colour - 1) + (code >> 6)]
    return word >> (code & 63) & 1 == 1  # type: ignore[no-any-return]
