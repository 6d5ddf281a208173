"""Legal moves as codes: arrival | origin << 5 | removed << 10; `NONE` for no origin or no removal."""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import HISTORY, MOVES, STRIDE, Memory, Word
from agents.kernels.past import place_of
from games.nine_mens_morris.kernel import memory as w
from games.nine_mens_morris.kernel.evaluation import FULL, flies, has_room

ZERO, ONE, FOUR, FIVE, TEN, ORDER = map(Word, (0, 1, 4, 5, 10, 32))
AT_THEIRS, AT_SIDE, CLOSING = map(Word, (24, 48, 1 << 24))


@compiled("uint64(uint64[::1], uint64)")
def takeable(memory: Memory, theirs: Word) -> Word:
    """The men that a mill may take."""
    in_mills = ZERO
    for line in span(ZERO, memory[w.LINE_COUNT] if memory[w.PROTECTED] != ZERO else ZERO):
        cells = memory[w.LINES + line]
        if cells & theirs == cells:
            in_mills |= cells
    free = theirs & ~in_mills
    return free if free != ZERO else theirs


@compiled("boolean(uint64[::1], uint64, uint64)")
def closes(memory: Memory, men: Word, to: Word) -> bool:
    """Whether a man arriving on `to` closes a mill with `men`, the men that stay."""
    word = w.PARTNERS + FOUR * to
    while memory[word] != ZERO:
        if memory[word] & men == memory[word]:
            return True
        word += ONE
    return False


@compiled("boolean(uint64[::1], uint64, uint64, int64)")
def can_move(memory: Memory, mine: Word, theirs: Word, my_hand: int) -> bool:
    """Whether the mover has a legal move."""
    empty = FULL & ~(mine | theirs)
    if my_hand > 0 or flies(memory, mine, my_hand):
        return bool(empty != ZERO)
    return has_room(memory, mine, empty)


@compiled("uint64(uint64[::1], uint64, uint64)")
def worth(memory: Memory, theirs: Word, cell: Word) -> Word:
    """Ordering value of taking that man: the number of other enemy men on the lines through it."""
    count, first = ZERO, w.PARTNERS + FOUR * cell
    for word in span(first, first + FOUR):
        count += bit_count(memory[word] & theirs)
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64, uint64)")
def write_journeys(
    memory: Memory, slot: Word, origin: Word, targets: Word, staying: Word, theirs: Word, prey: Word, parity: Word
) -> Word:
    """Writes one man's moves, starting at `slot`; returns the slot after them."""
    for to in each_bit(targets):
        journey = to | origin << FIVE
        if prey != ZERO and closes(memory, staying, to):
            for removed in each_bit(prey):
                order = CLOSING + worth(memory, theirs, removed)
                memory[slot] = order << ORDER | journey | removed << TEN
                slot += ONE
        else:
            order = memory[HISTORY + (parity << TEN) + journey]
            memory[slot] = order << ORDER | journey | w.NONE << TEN
            slot += ONE
    return slot


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, ply: Word, depth: int) -> Word:
    """As `agents.kernels.negamax`; adds the position to KEYS."""
    at, parity = place_of(ply), ply & ONE
    mine, theirs, my_hand = memory[at], memory[at + w.THEIRS], signed(memory[at + w.MY_HAND])
    memory[w.KEYS + memory[at + w.LAST_KEY]] = mine | theirs << AT_THEIRS | parity << AT_SIDE
    empty = FULL & ~(mine | theirs)
    prey = takeable(memory, theirs)
    start = slot = MOVES + ply * STRIDE
    if my_hand > 0:
        slot = write_journeys(memory, slot, w.NONE, empty, mine, theirs, prey, parity)
        if memory[w.MOVE_EARLY] == ZERO:
            return slot - start
    anywhere = flies(memory, mine, my_hand)
    for origin in each_bit(mine):
        targets = empty if anywhere else empty & memory[w.NEIGHBOURS + origin]
        slot = write_journeys(memory, slot, origin, targets, mine & ~(ONE << origin), theirs, prey, parity)
    return slot - start
