"""Numbers endgame positions: from a position to its slot in a table, by an index that `agents.tables.numbering` makes.

A table holds one byte per slot of a subspace: `own` men of the mover, `opp` of the enemy, all laid. The 16
symmetries (the 8 of the square, each with the inner and outer ring exchanged) turn the mover's men into the
representative of their class; the slot is class * C(24 - own, opp) + rank of the enemy's men among the free points.
If a symmetry other than the identity maps a representative to itself, several slots can mean the same position. The
lowest is its true slot; the others repeat its value, so that a reader need not tell them apart.
"""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, word_at
from agents.kernels.loops import each_bit
from agents.kernels.memory import Word
from games.nine_mens_morris import CELLS

ZERO, ONE, FOUR, EIGHT, SIXTEEN, BYTE = map(Word, (0, 1, 4, 8, 16, 255))
POINTS = len(CELLS)
SYMMETRIES = 16

BINOMIALS = Word(0)
"""25 x 16 words: C(n, k) at 16 n + k."""
PERMUTED = Word(512)
"""16 x 3 x 256 words: image of each byte of a bit set under each symmetry."""
RANKS = PERMUTED + Word(SYMMETRIES * 3 * 256)
"""16 words: start of the entries by rank, by number of men; class << 4 | symmetry to the representative."""
CLASSES = RANKS + SIXTEEN
"""16 words: start of the classes, by number of men; representative | symmetries that fix it, a bit each, << 24."""
DATA = CLASSES + SIXTEEN
STABILISER, MEN = map(Word, (24, 2**24 - 1))


@compiled("uint64(uint64, uint64)", inlined=True)
def read(base: Word, word: Word) -> Word:
    """A word of the `index` at an address."""
    return word_at(base + word * EIGHT)  # type: ignore[no-any-return]


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def ways(base: Word, free: Word, men: Word) -> Word:
    """In how many ways men can stand on free points."""
    return read(base, BINOMIALS + free * SIXTEEN + men)


@compiled("uint64(uint64, uint64, uint64)")
def permute(base: Word, symmetry: Word, men: Word) -> Word:
    """The image of a bit set under a symmetry; `base` is the address of an `index`."""
    row = PERMUTED + symmetry * Word(768)
    image = read(base, row + (men & BYTE)) | read(base, row + Word(256) + (men >> EIGHT & BYTE))
    return image | read(base, row + Word(512) + (men >> SIXTEEN))


@compiled("uint64(uint64, uint64, uint64)")
def rank(base: Word, men: Word, taken: Word) -> Word:
    """The rank, in ascending order, of a bit set among those of equally many men that avoid the taken points."""
    number, nth = ZERO, ONE
    for cell in each_bit(men):
        number += ways(base, cell - bit_count(taken & ((ONE << cell) - ONE)), nth)
        nth += ONE
    return number


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def class_at(base: Word, own: Word, number: Word) -> Word:
    """A class of that many men, by its number: its representative and the symmetries that fix it."""
    return read(base, read(base, CLASSES + own) + number)


@compiled("UniTuple(uint64, 3)(uint64, uint64, uint64)", inlined=True)
def turned(base: Word, mine: Word, theirs: Word) -> tuple[Word, Word, Word]:
    """The mover's class as `class_at` has it, its first slot, and the enemy's men turned as the mover's are to be."""
    own = bit_count(mine)
    found = read(base, read(base, RANKS + own) + rank(base, mine, ZERO))
    number = found >> FOUR
    first = number * ways(base, Word(POINTS) - own, bit_count(theirs))
    return class_at(base, own, number), first, permute(base, found & Word(15), theirs)


@compiled("uint64(uint64, uint64, uint64)")
def slot_of(base: Word, mine: Word, theirs: Word) -> Word:
    """A slot that holds the position's value in a finished table; the true one if no symmetry fixes `mine`."""
    own, first, enemy = turned(base, mine, theirs)
    return first + rank(base, enemy, own & MEN)
