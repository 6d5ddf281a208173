"""Positions as text, as in the FEN tag of PDN: `B:W18,24,K10:B12,K22` is the mover and each side's pieces."""

from __future__ import annotations

import re
from typing import NamedTuple

from rules import PositionError, Side
from rules.turns import cells_of
from wording import sentence

LETTERS = "WB"
"""The sides' letters: light is White, dark is Black."""
TEXT = re.compile(r"([WB])((?::[WB](?:K?\d{1,2}(?:-\d{1,2})?(?:,K?\d{1,2}(?:-\d{1,2})?)*)?){2})\.?", re.IGNORECASE)
EXAMPLE = "B:W18,24,K10:B12,K22"


class Pieces(NamedTuple):
    pieces: tuple[int, int]
    """Pieces of light and of dark, as bit sets."""
    kings: int
    side: Side


def write(given: Pieces) -> str:
    sides = []
    for letter, pieces in zip(LETTERS, given.pieces, strict=True):
        names = [f"{'K' * (given.kings >> square & 1)}{square + 1}" for square in cells_of(pieces)]
        sides.append(letter + ",".join(names))
    return ":".join((LETTERS[given.side], *sides))


def read(text: str, squares: int) -> Pieces:
    """The position that the text tells, on a board of so many squares. Raises PositionError."""
    match = TEXT.fullmatch("".join(text.split()))
    if match is None:
        given = repr(text[:80])
        raise PositionError(
            sentence("{text} is no position of draughts; they look like {name}", text=given, name=EXAMPLE)
        )
    found, kings = [0, 0], 0
    named = match[2][1:].upper().split(":")
    if {one[0] for one in named} != set(LETTERS):
        raise PositionError(sentence("{text} tells one side's pieces twice", text=repr(text[:80])))
    for one in named:
        for word in filter(None, one[1:].split(",")):
            bits = _squares(word.lstrip("K"), squares)
            if bits & (found[0] | found[1]):
                raise PositionError(sentence("{text} has two pieces on {cell}", text=repr(text[:80]), cell=word))
            found[LETTERS.index(one[0])] |= bits
            kings |= bits if word[0] == "K" else 0
    return Pieces((found[0], found[1]), kings, LETTERS.index(match[1].upper()))


def _squares(word: str, squares: int) -> int:
    """The squares of `18`, or of `1-12`, as a bit set. Raises PositionError."""
    first, _, last = word.partition("-")
    low, high = int(first), int(last or first)
    if not 1 <= low <= high <= squares:
        raise PositionError(
            sentence("there is no square {cell}; they are numbered 1 to {most}", cell=word, most=squares)
        )
    return sum(1 << number - 1 for number in range(low, high + 1))
