"""The board in compiled code: it changes in place, and keeps chains with their pseudo-liberties."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from games.go.kernel import memory as w
from games.go.kernel.memory import Memory


@compiled("int64(int64[::1], int64, int64)", inlined=True)
def beside(memory: Memory, point: int, number: int) -> int:
    """The point beside another, to the left, right, up or down of it by the number 0 to 3."""
    step = 1 if number < 2 else memory[w.STRIDE]
    return point - step if number & 1 == 0 else point + step


@compiled("void(int64[::1], int64, int64, int64)", inlined=True)
def breathe(memory: Memory, chain: int, point: int, more: int) -> None:
    """Counts an empty point beside a chain once more, or with -1 once less."""
    memory[w.BREATH + chain] += more
    memory[w.SUM + chain] += more * point
    memory[w.SQUARES + chain] += more * point * point


@compiled("boolean(int64[::1], int64)", inlined=True)
def in_atari(memory: Memory, chain: int) -> bool:
    """Whether a chain, by its head, has a single liberty."""
    total = memory[w.SUM + chain]
    return memory[w.BREATH + chain] * memory[w.SQUARES + chain] == total * total  # type: ignore[no-any-return]


@compiled("int64(int64[::1], int64)", inlined=True)
def last_liberty(memory: Memory, chain: int) -> int:
    """The liberty of a chain in atari."""
    return memory[w.SUM + chain] // memory[w.BREATH + chain]  # type: ignore[no-any-return]


@compiled("void(int64[::1], int64, int64)")
def join(memory: Memory, one: int, other: int) -> None:
    """Makes one chain of two, by stones of them."""
    big, small = memory[w.HEAD + one], memory[w.HEAD + other]
    if big == small:
        return
    if memory[w.STONES + big] < memory[w.STONES + small]:
        big, small = small, big
    stone = small
    while True:
        memory[w.HEAD + stone] = big
        stone = memory[w.NEXT + stone]
        if stone == small:
            break
    memory[w.NEXT + big], memory[w.NEXT + small] = memory[w.NEXT + small], memory[w.NEXT + big]
    memory[w.STONES + big] += memory[w.STONES + small]
    memory[w.BREATH + big] += memory[w.BREATH + small]
    memory[w.SUM + big] += memory[w.SUM + small]
    memory[w.SQUARES + big] += memory[w.SQUARES + small]


@compiled("int64(int64[::1], int64)")
def take(memory: Memory, chain: int) -> int:
    """Takes a chain off the board; returns how many stones that are."""
    colour, stone, taken = memory[w.COLOUR + chain], chain, 0
    while True:
        memory[w.COLOUR + stone] = w.EMPTY
        memory[w.HASH] ^= memory[w.HASHES + colour * w.POINTS + stone]
        memory[w.FREE + memory[w.EMPTIES]], memory[w.PLACE + stone] = stone, memory[w.EMPTIES]
        memory[w.EMPTIES] += 1
        for number in range(4):
            near = beside(memory, stone, number)
            if memory[w.COLOUR + near] == 1 or memory[w.COLOUR + near] == 2:
                breathe(memory, memory[w.HEAD + near], stone, 1)
        stone = memory[w.NEXT + stone]
        taken += 1
        if stone == chain:
            return taken


@compiled("int64(int64[::1], int64, int64)")
def lay(memory: Memory, point: int, colour: int) -> int:
    """Puts a stone on an empty point and takes what has no liberty; how many enemy stones, or less than 0, own ones."""
    memory[w.EMPTIES] -= 1
    moved = memory[w.FREE + memory[w.EMPTIES]]
    memory[w.FREE + memory[w.PLACE + point]], memory[w.PLACE + moved] = moved, memory[w.PLACE + point]
    memory[w.HASH] ^= memory[w.HASHES + colour * w.POINTS + point]
    memory[w.BALANCE] += 3 - 2 * colour
    memory[w.COLOUR + point], memory[w.HEAD + point], memory[w.NEXT + point] = colour, point, point
    memory[w.STONES + point], memory[w.BREATH + point], memory[w.SUM + point], memory[w.SQUARES + point] = 1, 0, 0, 0
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[w.COLOUR + near]
        if other == w.EMPTY:
            breathe(memory, memory[w.HEAD + point], near, 1)
        elif other != w.BORDER:
            breathe(memory, memory[w.HEAD + near], point, -1)
            if other == colour:
                join(memory, point, near)
    taken = 0
    for number in range(4):
        near = beside(memory, point, number)
        if memory[w.COLOUR + near] == 3 - colour and memory[w.BREATH + memory[w.HEAD + near]] == 0:
            taken += take(memory, memory[w.HEAD + near])
    if memory[w.BREATH + memory[w.HEAD + point]] == 0:
        taken = -take(memory, memory[w.HEAD + point])
    return taken


@compiled("void(int64[::1], int64)")
def play(memory: Memory, point: int) -> None:
    """Makes the mover's move, which must be legal."""
    memory[w.BEFORE], memory[w.LAST], memory[w.KO] = memory[w.LAST], point, 0
    side = memory[w.SIDE]
    memory[w.SIDE] = 3 - side
    if point == w.PASS:
        memory[w.PASSES] += 1
        return
    memory[w.PASSES] = 0
    taken = lay(memory, point, side)
    if taken < 0:
        memory[w.LAST] = w.PASS
    elif taken == 1:
        chain = memory[w.HEAD + point]
        if memory[w.STONES + chain] == 1 and in_atari(memory, chain):
            memory[w.KO] = last_liberty(memory, chain)


@compiled("boolean(int64[::1], int64, int64)")
def may_lie(memory: Memory, point: int, colour: int) -> bool:
    """Whether the rules allow a stone on an empty point, but for superko."""
    if point == memory[w.KO]:
        return False
    joins = False
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[w.COLOUR + near]
        if other == w.EMPTY or (other != w.BORDER and (other == colour) != in_atari(memory, memory[w.HEAD + near])):
            return True
        joins = joins or other == colour
    return joins and memory[w.ALLOW_SUICIDE] != 0


@compiled("boolean(int64[::1], int64, int64)")
def is_eye(memory: Memory, point: int, colour: int) -> bool:
    """Whether a colour's stones are on all points beside an empty one, and on enough of its corners to hold it."""
    edge = 0
    for number in range(4):
        other = memory[w.COLOUR + beside(memory, point, number)]
        if other == w.BORDER:
            edge = 1
        elif other != colour:
            return False
    across, enemies, stride = 3 - colour, 0, memory[w.STRIDE]
    for corner in (point - stride - 1, point - stride + 1, point + stride - 1, point + stride + 1):
        enemies += memory[w.COLOUR + corner] == across
    return enemies + edge < 2


@compiled("int64(int64[::1], int64, int64)")
def liberties(memory: Memory, point: int, colour: int) -> int:
    """What a stone's chain would have once laid: 0 no liberty, 1 one, 2 more; captures count as more."""
    breath, total, squares = 0, 0, 0
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[w.COLOUR + near]
        if other == w.EMPTY:
            breath, total, squares = breath + 1, total + near, squares + near * near
        elif other != w.BORDER:
            chain = memory[w.HEAD + near]
            if other != colour:
                if in_atari(memory, chain):
                    return 2
                continue
            seen = False
            for earlier in range(number):
                at = beside(memory, point, earlier)
                seen = seen or (memory[w.COLOUR + at] == colour and memory[w.HEAD + at] == chain)
            if not seen:
                breath, total = breath + memory[w.BREATH + chain], total + memory[w.SUM + chain]
                squares += memory[w.SQUARES + chain]
            breath, total, squares = breath - 1, total - point, squares - point * point
    if breath == 0:
        return 0
    return 1 if breath * squares == total * total else 2


@compiled("boolean(int64[::1], int64, int64)")
def is_shape(memory: Memory, point: int, colour: int) -> bool:
    """Whether a stone there makes good shape with the eight points around it."""
    up, down = w.COLOUR + point - memory[w.STRIDE], w.COLOUR + point + memory[w.STRIDE]
    here = w.COLOUR + point
    code = memory[up - 1] | memory[up] << 2 | memory[up + 1] << 4 | memory[here - 1] << 6 | memory[here + 1] << 8
    code |= memory[down - 1] << 10 | memory[down] << 12 | memory[down + 1] << 14
    word = memory[w.SHAPES + 1024 * (colour - 1) + (code >> 6)]
    return word >> (code & 63) & 1 == 1  # type: ignore[no-any-return]
