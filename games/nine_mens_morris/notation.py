"""Texts of the moves and positions of nine men's morris."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from games.nine_mens_morris.faults import PIECES, SIDES
from games.nine_mens_morris.position import Journey, Move, Position
from rules import EMPTY, MoveError, PositionError
from rules.turns import bits_of
from wording import Given, sentence

if TYPE_CHECKING:
    from games.nine_mens_morris import NineMensMorris

MOVE = re.compile(r"(?:([a-z]\d+)-)?([a-z]\d+)(?:x([a-z]\d+))?")
POSITION = re.compile(
    r"(?:(light|dark):)?([MEO]+)([0-9ABC]{4})(?:/([0-9a-f]+)/([0-9a-f]+))?((?:/(?:[a-g][1-7]-[a-g][1-7]|-)){2})?"
)
DIGITS = "0123456789ABC"
"""Digits of the counts in a position's text: one each, even for ten to twelve men."""


def format_move(game: NineMensMorris, move: Move) -> str:
    """`d2`, `a1-a4`, with a removal `d2xf4`, `a1-a4xg7`."""
    journey = game.cells[move.to] if move.origin is None else f"{game.cells[move.origin]}-{game.cells[move.to]}"
    return journey if move.removed is None else f"{journey}x{game.cells[move.removed]}"


def parse_move(game: NineMensMorris, text: str) -> Move:
    """The turn that the text describes, capitals allowed, legal or not. Raises MoveError if it is no turn."""
    match = MOVE.fullmatch(text.strip().lower())
    if match is None:
        said = sentence("{text} is no move; moves look like d2, a1-a4, d2xf4, a1-a4xg7", text=repr(text[:40]))
        raise MoveError("not_a_move", said)
    for name in match.groups():
        if name is not None and name not in game.cells:
            raise MoveError("no_such_cell", sentence("there is no point {name} on the board", name=repr(name)))
    origin, to, removed = (None if name is None else game.cells.index(name) for name in match.groups())
    assert to is not None
    return Move(to, origin, removed)


def format_position(game: NineMensMorris, position: Position) -> str:
    """The mover's name, a colon, and 28 characters from the mover's point of view.

    One letter per cell: `M` mine, `E` the enemy's, `O` empty. Then one digit each (`A` `B` `C` are ten to twelve):
    my men still to lay, the enemy's, my men on the board, the enemy's. Where the rules need them, there follow the
    lines that take no man again, mine and the enemy's (`/3/0`: a bit per mill), and the ways that may not be gone
    back (`/a7-d7/-`).
    """
    mine, theirs = position.side, 1 - position.side
    letters = game.board(position).translate(str.maketrans(PIECES[mine] + PIECES[theirs] + EMPTY, "MEO"))
    on_board = [men.bit_count() for men in position.men]
    counts = (position.hands[mine], position.hands[theirs], on_board[mine], on_board[theirs])
    text = f"{SIDES[mine]}:{letters}{''.join(DIGITS[count] for count in counts)}"
    if any(position.spent):
        text += f"/{position.spent[mine]:x}/{position.spent[theirs]:x}"
    if any(position.barred):
        ways = (position.barred[mine], position.barred[theirs])
        text += "".join("/-" if way is None else f"/{game.cells[way[0]]}-{game.cells[way[1]]}" for way in ways)
    return text


def parse_position(game: NineMensMorris, text: str) -> Position:
    """The position from `format_position`'s text; without the name and colon, light is the mover.

    Raises PositionError.
    """
    match, given = POSITION.fullmatch(text.strip()), repr(text[:60])
    if match is None or len(match[2]) != len(game.cells):
        said = sentence(
            "{text} is not {number} letters M, E, O and four digits, with light: or dark: before",
            text=given,
            number=len(game.cells),
        )
        raise PositionError(said)
    side = 0 if match[1] is None else SIDES.index(match[1])
    mine, theirs = bits_of(match[2], "ME")
    to_lay, theirs_to_lay, count, their_count = (DIGITS.index(digit) for digit in match[3])
    if (count, their_count) != (mine.bit_count(), theirs.bit_count()):
        raise PositionError(
            sentence(
                "{text} counts {ones} and {others} men, but shows others", text=given, ones=count, others=their_count
            )
        )
    if max(to_lay + count, theirs_to_lay + their_count) > game.rules.men:
        raise PositionError(sentence("{text} has more than {most} men of a side", text=given, most=game.rules.men))
    if to_lay - theirs_to_lay not in (0, 1) and not game.rules.move_early:
        raise PositionError(sentence("{text}: the mover has as many men to lay as the enemy, or one more", text=given))
    spent, ways = _parse_spent(game, match[4], match[5]), _parse_ways(game, match[6])
    order = (0, 1) if side == 0 else (1, 0)
    men, hands = (mine, theirs), (to_lay, theirs_to_lay)
    return Position(
        (men[order[0]], men[order[1]]),
        (hands[order[0]], hands[order[1]]),
        side,
        spent=(spent[order[0]], spent[order[1]]),
        barred=(ways[order[0]], ways[order[1]]),
    )


def _parse_spent(game: NineMensMorris, *words: str | None) -> tuple[int, ...]:
    """The lines of the mover and the enemy that take no man again. Raises PositionError."""
    spent = tuple(int(word[:9], 16) if word else 0 for word in words)
    if any(spent) and not game.rules.one_time_mills:
        raise PositionError(sentence("lines that take no man again are for rule option one_time_mills"))
    if max(spent) >> len(game.mills):
        told: dict[str, Given] = {"text": f"{max(spent):x}", "number": len(game.mills)}
        raise PositionError(sentence("{text} names more lines than the {number} of the board", **told))
    return spent


def _parse_ways(game: NineMensMorris, text: str | None) -> tuple[Journey | None, ...]:
    """The ways that the mover and the enemy may not go back. Raises PositionError."""
    words = (text or "/-/-").split("/")[1:]
    names = [word.split("-") for word in words if word != "-"]
    if names and not game.rules.no_return:
        raise PositionError(sentence("ways that may not be gone back are for rule option no_return"))
    if strange := [name for pair in names for name in pair if name not in game.cells]:
        raise PositionError(sentence("there is no point {cell} on the board", cell=repr(strange[0])))
    cells = game.cells.index
    pairs = [None if word == "-" else word.split("-") for word in words]
    return tuple(None if pair is None else (cells(pair[0]), cells(pair[1])) for pair in pairs)
