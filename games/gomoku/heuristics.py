"""How good a gomoku position looks: `windows`, the weighted count of patterns along the lines.

Every row, column and diagonal, also the short ones, is written from its first point to its last in the eyes of one
colour: `x` its stone, `e` an empty point, `n` an enemy stone; and one `n` more at each end, the edge. A pattern of
PATTERNS counts once for every place of a line from which on the line reads so. Places overlap and patterns do too: six
in a row are two fives, `eexxee` is two twos, and `exxxexe` is an open three and a broken four. No pattern fits where
five in a row cannot come: each has five places in a row without `n`. What is closed at both ends counts nothing, also
`nxxxexn`. The patterns are the same under all rule options.

The value is what the mover's patterns weigh less what the enemy's weigh, plus the centre mask likewise. A final state
is worth its utility, twice the patterns without the mask. All is clipped to MOST, below every forced win: that earlier
wins are worth more is the search's part, which counts the plies to the end (`agents.search.WIN`). In the opening swap2
the colours are not given yet: who will choose has the better one.
"""

from __future__ import annotations

import functools
import re

from games.gomoku import Gomoku, Move, Position
from games.gomoku.board import board
from rules import EMPTY
from rules.heuristics import Depths, Heuristic
from rules.stones import PIECES

PATTERNS: tuple[tuple[str, int], ...] = (
    ("xxxxx", 200_000),
    ("exxxxe", 120_000),
    ("nxxxxe", 50_000),
    ("exxxxn", 50_000),
    ("exxxe", 30_000),
    ("nxxxee", 15_000),
    ("eexxxn", 15_000),
    ("exxxexe", 7_000),
    ("exexxxe", 7_000),
    ("nxxxexe", 3_000),
    ("exxxexn", 3_000),
    ("nxexxxe", 3_000),
    ("exexxxn", 3_000),
    ("eexxe", 1_000),
    ("exxee", 1_000),
    ("nxxeee", 400),
    ("eeexxn", 400),
    ("exxexe", 100),
    ("exexxe", 100),
    ("nxxexe", 40),
    ("exxexn", 40),
    ("nxexxe", 40),
    ("exexxn", 40),
)
"""Five; four, three, broken four (three and one with a hole), two, broken three (two and one): open at both ends or at
one. What each weighs."""
MOST = 900_000
"""Limit of the value, either way, for a position that is not over."""
EDGE = "#"
EYES = tuple(str.maketrans({mine: "x", EMPTY: "e", theirs: "n", EDGE: "n"}) for mine, theirs in (PIECES, PIECES[::-1]))
"""Translation of board letters to black's and to white's view."""
COMPILED = tuple((re.compile(f"(?={pattern})"), weight) for pattern, weight in PATTERNS)
"""Patterns as lookaheads, found at every place even where they overlap."""
OPENING_STONES = 8
"""Stones on the board from which the opening is over."""


def windows(game: Gomoku, position: Position, last: Move | None) -> int:
    """Patterns along all lines plus the centre mask; the utility of a final state."""
    if game.outcome(position) is not None:
        return utility(game, position)
    value = _clipped(_patterns(game, position) + _mask(game, position))
    return value if position.stage == "play" else abs(value) if position.stage == "choose" else -abs(value)


def utility(game: Gomoku, position: Position) -> int:
    """Value of a final state by the patterns alone: twice their value, without the mask."""
    return _clipped(2 * _patterns(game, position))


def is_opening(game: Gomoku, position: Position) -> bool:
    """Whether fewer than eight stones are on the board."""
    black, white = position.stones
    return (black | white).bit_count() < OPENING_STONES


def candidates(game: Gomoku, position: Position, reach: int) -> int:
    """The empty points at most `reach` rows and columns from a stone, as a bit set; the middle of an empty board.

    For searches that skip distant moves. Renju fouls are included.
    """
    near = position.stones[0] | position.stones[1]
    if not near:
        return 1 << len(game.cells) // 2
    left, right = _columns(game.size, 0), _columns(game.size, game.size - 1)
    for _ in range(reach):
        near |= (near & ~right) << 1 | (near & ~left) >> 1
        near |= near << game.size | near >> game.size
    return near & game.empty(position)


def _columns(size: int, column: int) -> int:
    return sum(1 << row * size + column for row in range(size))


def _clipped(value: int) -> int:
    return max(-MOST, min(MOST, value))


def _patterns(game: Gomoku, position: Position) -> int:
    """Weights of the mover's patterns minus the enemy's."""
    letters = game.board(position) + EDGE
    text = "".join(letters[cell] for cell in _lines(game.size))
    mine = game.colour(position)
    return _weighed(text, mine) - _weighed(text, 1 - mine)


def _weighed(text: str, colour: int) -> int:
    """Total weight of one colour's patterns in a text of all lines."""
    seen = text.translate(EYES[colour])
    return sum(weight * len(pattern.findall(seen)) for pattern, weight in COMPILED)


@functools.cache
def _lines(size: int) -> tuple[int, ...]:
    """The cells of all lines one after another, with an edge (-1) before, between and after them."""
    found = [-1]
    for rays in zip(*board(size).rays, strict=True):
        for cell, (behind, ahead) in enumerate(rays):
            if not behind:
                found += [cell, *ahead, -1]
    return tuple(found)


def _mask(game: Gomoku, position: Position) -> int:
    """Centre mask of the mover's stones minus the enemy's."""
    centre, mine = _centre(game.size), game.colour(position)
    own, enemy = position.stones[mine], position.stones[1 - mine]
    return sum(value for cell, value in enumerate(centre) if own >> cell & 1) - sum(
        value for cell, value in enumerate(centre) if enemy >> cell & 1
    )


@functools.cache
def _centre(size: int) -> tuple[int, ...]:
    """Value of a stone on each cell: 7 in the middle of 15 lines, one less with each ring, 0 on the edge."""
    middle = size // 2
    return tuple(middle - max(abs(row - middle), abs(column - middle)) for row in range(size) for column in range(size))


DEPTHS = Depths(usual=1, measured=2, opening=8, positions=1)
"""Two plies, as the original program searches (docs/results.md), are 50,000 positions here, a minute."""
HEURISTICS: dict[str, Heuristic] = {"windows": windows}
