"""Monte Carlo tree search with RAVE: a move counts what it won itself, and at first also what it won later in the game.

Gelly and Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011. New moves begin with
playouts that were never played, more of them won the better the rules of thumb in `judge` like the move.
"""

from __future__ import annotations

import math

from agents.kernels.compilation import compiled
from games.go.kernel.board import beside, in_atari, is_eye, is_shape, liberties, may_lie, play
from games.go.kernel.memory import (
    BALANCE,
    BEFORE,
    BOARD,
    BOARD_WORDS,
    BORDER,
    CHILDREN,
    COLOUR,
    COUNT_TERRITORY,
    EMPTIES,
    EMPTY,
    FIRST,
    FIRST_WINS,
    FIRSTS,
    FORBID_REPEATS,
    FREE,
    GOOD,
    HASH,
    HEAD,
    HISTORY,
    HISTORY_LENGTH,
    ILLEGAL,
    KOMI,
    LAST,
    LEADS,
    LIMIT,
    LINE,
    MOVE,
    NODE_WORDS,
    NUMBER,
    PASS,
    PASSES,
    PATH,
    PLAYED,
    POINTS,
    ROOT,
    SAVED,
    SIDE,
    SIZE,
    STONES,
    STRIDE,
    TREE,
    UNIT,
    USED,
    VISITS,
    WINS,
    Memory,
)
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
    size, stride = memory[SIZE], memory[STRIDE]
    for down in range(max(-3, -row), min(3, size - 1 - row) + 1):
        wide = 3 - abs(down)
        for across in range(max(-wide, -column), min(wide, size - 1 - column) + 1):
            if memory[COLOUR + (row + down + 1) * stride + column + 1 + across] != EMPTY:
                return False
    return True


@compiled("int64(int64[::1], int64, int64)")
def judge(memory: Memory, point: int, colour: int) -> int:
    """What rules of thumb say of a move: playouts won for it, or if less than 0, lost, beside EVEN."""
    good, own, most, breath = 0, 0, 0, liberties(memory, point, colour)
    for number in range(4):
        near = beside(memory, point, number)
        other = memory[COLOUR + near]
        if other in (EMPTY, BORDER):
            continue
        chain = memory[HEAD + near]
        own += other == colour
        if in_atari(memory, chain):
            if other != colour:
                most = max(most, 12 + 3 * min(memory[STONES + chain], 6))
            elif breath > 1:
                most = max(most, 8 + 3 * min(memory[STONES + chain], 6))
    good += most
    if breath < 2:
        good -= 12 if own else 6
    elif is_shape(memory, point, colour):
        good += 8
    stride = memory[STRIDE]
    row, column = point // stride - 1, point % stride - 1
    for word in (LAST, BEFORE):
        last = memory[word]
        if last != PASS:
            across, down = abs(last % stride - 1 - column), abs(last // stride - 1 - row)
            far = across + down + max(across, down)
            good += max(0, (12 if word == LAST else 6) - far)
    line = min(row, column, memory[SIZE] - 1 - row, memory[SIZE] - 1 - column)
    if line < 3 and is_lonely(memory, row, column):
        good += (-14, -6, 4)[line]
    return good


@compiled("void(int64[::1], int64, int64, int64)", inlined=True)
def add(memory: Memory, at: int, move: int, good: int) -> None:
    """Writes a new node."""
    memory[at + MOVE], memory[at + CHILDREN], memory[at + NUMBER] = move, 0, 0
    prior = EVEN + abs(good)
    memory[at + VISITS], memory[at + GOOD], memory[at + LEADS] = prior, good, 0
    memory[at + WINS] = UNIT * EVEN // 2 + UNIT * max(0, good)
    memory[at + FIRSTS], memory[at + FIRST_WINS] = prior, memory[at + WINS]


@compiled("int64(int64[::1], int64)", inlined=True)
def played(memory: Memory, at: int) -> int:
    """How many playouts went through a node."""
    return memory[at + VISITS] - EVEN - abs(memory[at + GOOD])  # type: ignore[no-any-return]


@compiled("void(int64[::1], int64)")
def expand(memory: Memory, node: int) -> None:
    """Gives a node a child for each move that is legal but for superko and fills no own eye; the pass is the last."""
    count, side = memory[EMPTIES], memory[SIDE]
    begin = at = memory[USED]
    for place in range(count):
        point = memory[FREE + place]
        if may_lie(memory, point, side) and not is_eye(memory, point, side):
            add(memory, TREE + at * NODE_WORDS, point, judge(memory, point, side))
            at += 1
    add(memory, TREE + at * NODE_WORDS, PASS, -8)
    at += 1
    memory[USED], memory[node + CHILDREN], memory[node + NUMBER] = at, begin, at - begin


@compiled("int64(int64[::1], int64)")
def promising(memory: Memory, node: int) -> int:
    """The child with the best mean of its own wins and its wins as a later move."""
    best, most = 0, -1.0
    at = TREE + memory[node + CHILDREN] * NODE_WORDS
    for _ in range(memory[node + NUMBER]):
        visits, firsts = memory[at + VISITS], memory[at + FIRSTS]
        weight = firsts / (firsts + visits + firsts * visits / TRUST)
        value = weight * memory[at + FIRST_WINS] / firsts + (1.0 - weight) * memory[at + WINS] / visits
        if value > most and memory[at + MOVE] != ILLEGAL:
            best, most = at, value
        at += NODE_WORDS
    return best


@compiled("boolean(int64[::1], int64)")
def repeats(memory: Memory, depth: int) -> bool:
    """Whether the board was in the game or the line before; notes it if not."""
    length = memory[HISTORY_LENGTH] + depth
    for word in range(HISTORY, HISTORY + length):
        if memory[word] == memory[HASH]:
            return True
    memory[HISTORY + length] = memory[HASH]
    return False


@compiled("boolean(int64[::1])")
def is_late(memory: Memory) -> bool:
    """Whether enough of the board is filled that a pass may be right."""
    return 3 * memory[EMPTIES] < 2 * memory[SIZE] * memory[SIZE]  # type: ignore[no-any-return]


@compiled("int64(int64[::1])")
def descend(memory: Memory) -> int:
    """Plays from the root to a leaf of the tree; the plies of that line, or -1 if superko forbids the last."""
    node, depth, laid = memory[ROOT], 0, 0
    memory[PATH] = node
    late = is_late(memory)
    while depth < LONGEST:
        if memory[node + CHILDREN] == 0:
            full = memory[USED] + POINTS > memory[LIMIT]
            if memory[PASSES] == 2 or full or played(memory, node) < RIPE:
                break
            expand(memory, node)
        child = promising(memory, node)
        if depth == 0 and late:
            at = TREE + (memory[node + CHILDREN] + memory[node + NUMBER] - 1) * NODE_WORDS
            if played(memory, at) * PASS_SHARE < memory[PLAYED]:
                child = at
        play(memory, memory[child + MOVE])
        if memory[FORBID_REPEATS] != 0 and memory[child + MOVE] != PASS:
            if repeats(memory, laid):
                memory[child + MOVE] = ILLEGAL
                return -1
            laid += 1
        memory[LINE + depth] = memory[child + MOVE]
        depth += 1
        memory[PATH + depth] = child
        node = child
    return depth


@compiled("void(int64[::1], int64, int64, int64, int64)")
def credit(memory: Memory, depth: int, length: int, side: int, ahead: int) -> None:
    """Counts a playout at each node of the path; `ahead` is twice black's lead, and `side` the root's mover."""
    share = math.tanh(ahead / (1.0 * memory[SIZE] * memory[SIZE]))
    half = 2 if ahead > 0 else 1 if ahead == 0 else 0
    won = (UNIT - BY_LEAD) * half // 2 + int(BY_LEAD * (1.0 + share) / 2)
    for point in range(POINTS):
        memory[FIRST + point] = 0
    for ply in range(length, -1, -1):
        mover = side if ply & 1 == 0 else 3 - side
        if ply < length:
            memory[FIRST + memory[LINE + ply]] = mover
        if ply > depth:
            continue
        at, worth = memory[PATH + ply], won if mover == 1 else UNIT - won
        memory[at + VISITS] += 1
        memory[at + WINS] += UNIT - worth
        memory[at + LEADS] += -ahead if mover == 1 else ahead
        child = TREE + memory[at + CHILDREN] * NODE_WORDS
        for _ in range(memory[at + NUMBER]):
            move = memory[child + MOVE]
            if move > 0 and memory[FIRST + move] == mover:
                memory[child + FIRSTS] += 1
                memory[child + FIRST_WINS] += worth
            child += NODE_WORDS


@compiled("int64(int64[::1], int64)")
def simulate(memory: Memory, count: int) -> int:
    """Plays `count` playouts from the root, whose board is saved; how many were counted."""
    done = 0
    for _ in range(count):
        for word in range(BOARD_WORDS):
            memory[BOARD + word] = memory[SAVED + word]
        side = memory[SIDE]
        depth = descend(memory)
        if depth < 0:
            continue
        laid = memory[BALANCE] if memory[COUNT_TERRITORY] != 0 else 0
        length = finish(memory, depth)
        ahead = 2 * (lead(memory) - laid) - memory[KOMI]
        memory[PLAYED] += 1
        credit(memory, depth, length, side, ahead)
        done += 1
    return done
