"""Monte Carlo tree search with RAVE: a move counts what it won itself, and at first also what it won later in the game.

Gelly and Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011. New moves begin with
playouts that were never played, more of them won the better the rules of thumb in `judge` like the move.
"""

from __future__ import annotations

import math

from agents.kernels.compilation import compiled
from games.go.kernel import memory as w
from games.go.kernel.board import beside, in_atari, is_eye, is_shape, liberties, may_lie, play
from games.go.kernel.memory import Memory
from games.go.kernel.playout import finish, lead

RIPE = 3
"""Playouts through a node before it gets children."""
TRUST = 1500
"""Playouts after which a move's own wins and its wins as a later move weigh alike, about."""
EVEN = 8
"""Playouts, half of them won, with which every move begins."""
LONGEST = 500
"""Plies of a line in the tree at most."""
PASS_SHARE = 24
"""One of so many playouts at the root tries the pass, late in the game."""
BY_LEAD = 60
"""Of the thousand that a playout brings: how many go by the size of its lead, so that points count in games decided."""


@compiled("boolean(int64[::1], int64, int64)")
def is_lonely(memory: Memory, row: int, column: int) -> bool:
    """Whether no stone is within three steps along the lines."""
    size, stride = memory[w.SIZE], memory[w.STRIDE]
    for down in range(max(-3, -row), min(3, size - 1 - row) + 1):
        wide = 3 - abs(down)
        for across in range(max(-wide, -column), min(wide, size - 1 - column) + 1):
            if memory[w.COLOUR + (row + down + 1) * stride + column + 1 + across] != w.EMPTY:
                return False
    return True


@compiled("int64(int64[::1], int64, int64)")
def judge(memory: Memory, point: int, colour: int) -> int:
    """What rules of thumb say of a move: playouts won for it, or if less than 0, lost, beside EVEN."""
    good, own, most, breath = 0, 0, 0, liberties(memory, point, colour)
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[w.COLOUR + near]
        if other in (w.EMPTY, w.BORDER):
            continue
        chain = memory[w.HEAD + near]
        own += other == colour
        if in_atari(memory, chain) and (other != colour or breath > 1):
            most = max(most, (12 if other != colour else 8) + 3 * min(memory[w.STONES + chain], 6))
    good += most
    if breath < 2:
        good -= 12 if own else 6
    elif is_shape(memory, point, colour):
        good += 8
    stride = memory[w.STRIDE]
    row, column = point // stride - 1, point % stride - 1
    for word in (w.LAST, w.BEFORE):
        last = memory[word]
        if last != w.PASS:
            across, down = abs(last % stride - 1 - column), abs(last // stride - 1 - row)
            far = across + down + max(across, down)
            good += max(0, (12 if word == w.LAST else 6) - far)
    line = min(row, column, memory[w.SIZE] - 1 - row, memory[w.SIZE] - 1 - column)
    if line < 3 and is_lonely(memory, row, column):
        good += (-14, -6, 4)[line]
    return good


@compiled("void(int64[::1], int64, int64, int64)", inlined=True)
def add(memory: Memory, at: int, move: int, good: int) -> None:
    """Writes a new node."""
    memory[at + w.MOVE], memory[at + w.CHILDREN], memory[at + w.NUMBER] = move, 0, 0
    prior = EVEN + abs(good)
    memory[at + w.VISITS], memory[at + w.GOOD], memory[at + w.LEADS] = prior, good, 0
    memory[at + w.WINS] = w.UNIT * EVEN // 2 + w.UNIT * max(0, good)
    memory[at + w.FIRSTS], memory[at + w.FIRST_WINS] = prior, memory[at + w.WINS]


@compiled("int64(int64[::1], int64)", inlined=True)
def played(memory: Memory, at: int) -> int:
    """How many playouts went through a node."""
    return memory[at + w.VISITS] - EVEN - abs(memory[at + w.GOOD])  # type: ignore[no-any-return]


@compiled("void(int64[::1], int64)")
def expand(memory: Memory, node: int) -> None:
    """Gives a node a child for each move that is legal but for superko and fills no own eye; the pass is the last."""
    count, side = memory[w.EMPTIES], memory[w.SIDE]
    begin = at = memory[w.USED]
    for place in range(count):
        point = memory[w.FREE + place]
        if may_lie(memory, point, side) and not is_eye(memory, point, side):
            add(memory, w.TREE + at * w.NODE_WORDS, point, judge(memory, point, side))
            at += 1
    add(memory, w.TREE + at * w.NODE_WORDS, w.PASS, -8)
    at += 1
    memory[w.USED], memory[node + w.CHILDREN], memory[node + w.NUMBER] = at, begin, at - begin


@compiled("int64(int64[::1], int64)")
def promising(memory: Memory, node: int) -> int:
    """The child with the best mean of its own wins and its wins as a later move."""
    best, most = 0, -1.0
    at = w.TREE + memory[node + w.CHILDREN] * w.NODE_WORDS
    for _ in range(memory[node + w.NUMBER]):
        visits, firsts = memory[at + w.VISITS], memory[at + w.FIRSTS]
        weight = firsts / (firsts + visits + firsts * visits / TRUST)
        value = weight * memory[at + w.FIRST_WINS] / firsts + (1.0 - weight) * memory[at + w.WINS] / visits
        if value > most and memory[at + w.MOVE] != w.ILLEGAL:
            best, most = at, value
        at += w.NODE_WORDS
    return best


@compiled("boolean(int64[::1], int64)")
def repeats(memory: Memory, depth: int) -> bool:
    """Whether the board was in the game or the line before; notes it if not."""
    length = memory[w.HISTORY_LENGTH] + depth
    for word in range(w.HISTORY, w.HISTORY + length):
        if memory[word] == memory[w.HASH]:
            return True
    memory[w.HISTORY + length] = memory[w.HASH]
    return False


@compiled("boolean(int64[::1])")
def is_late(memory: Memory) -> bool:
    """Whether enough of the board is filled that a pass may be right."""
    return 3 * memory[w.EMPTIES] < 2 * memory[w.SIZE] * memory[w.SIZE]  # type: ignore[no-any-return]


@compiled("int64(int64[::1])")
def descend(memory: Memory) -> int:
    """Plays from the root to a leaf of the tree; the plies of that line, or -1 if superko forbids the last."""
    node, depth, laid = memory[w.ROOT], 0, 0
    memory[w.PATH] = node
    late = is_late(memory)
    while depth < LONGEST:
        if memory[node + w.CHILDREN] == 0:
            full = memory[w.USED] + w.POINTS > memory[w.LIMIT]
            if memory[w.PASSES] == 2 or full or played(memory, node) < RIPE:
                break
            expand(memory, node)
        child = promising(memory, node)
        if depth == 0 and late:
            at = w.TREE + (memory[node + w.CHILDREN] + memory[node + w.NUMBER] - 1) * w.NODE_WORDS
            if played(memory, at) * PASS_SHARE < memory[w.PLAYED]:
                child = at
        play(memory, memory[child + w.MOVE])
        if memory[w.FORBID_REPEATS] != 0 and memory[child + w.MOVE] != w.PASS:
            if repeats(memory, laid):
                memory[child + w.MOVE] = w.ILLEGAL
                return -1
            laid += 1
        memory[w.LINE + depth] = memory[child + w.MOVE]
        depth += 1
        memory[w.PATH + depth] = child
        node = child
    return depth


@compiled("void(int64[::1], int64, int64, int64, int64)")
def credit(memory: Memory, depth: int, length: int, side: int, ahead: int) -> None:
    """Counts a playout at each node of the path; `ahead` is twice black's lead, and `side` the root's mover."""
    share = math.tanh(ahead / (1.0 * memory[w.SIZE] * memory[w.SIZE]))
    half = 2 if ahead > 0 else 1 if ahead == 0 else 0
    won = (w.UNIT - BY_LEAD) * half // 2 + int(BY_LEAD * (1.0 + share) / 2)
    for point in range(w.POINTS):
        memory[w.FIRST + point] = 0
    for ply in range(length, -1, -1):
        mover = side if ply & 1 == 0 else 3 - side
        if ply < length:
            memory[w.FIRST + memory[w.LINE + ply]] = mover
        if ply > depth:
            continue
        at, worth = memory[w.PATH + ply], won if mover == 1 else w.UNIT - won
        memory[at + w.VISITS] += 1
        memory[at + w.WINS] += w.UNIT - worth
        memory[at + w.LEADS] += -ahead if mover == 1 else ahead
        child = w.TREE + memory[at + w.CHILDREN] * w.NODE_WORDS
        for _ in range(memory[at + w.NUMBER]):
            move = memory[child + w.MOVE]
            if move > 0 and memory[w.FIRST + move] == mover:
                memory[child + w.FIRSTS] += 1
                memory[child + w.FIRST_WINS] += worth
            child += w.NODE_WORDS


@compiled("int64(int64[::1], int64)")
def simulate(memory: Memory, count: int) -> int:
    """Plays `count` playouts from the root, whose board is saved; how many were counted."""
    done = 0
    for _ in range(count):
        for word in range(w.BOARD_WORDS):
            memory[w.BOARD + word] = memory[w.SAVED + word]
        side = memory[w.SIDE]
        depth = descend(memory)
        if depth < 0:
            continue
        laid = memory[w.BALANCE] if memory[w.COUNT_TERRITORY] != 0 else 0
        length = finish(memory, depth)
        ahead = 2 * (lead(memory) - laid) - memory[w.KOMI]
        memory[w.PLAYED] += 1
        credit(memory, depth, length, side, ahead)
        done += 1
    return done
