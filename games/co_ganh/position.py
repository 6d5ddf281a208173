"""Rule options, position, move and position text of cờ gánh."""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple

from games.co_ganh.board import CELLS, NEIGHBOURS, flanked
from rules import PositionError, Side
from rules.options import rule
from rules.turns import bits_of, letters_of
from wording import Given, noun, sentence

SIDES = (noun("side", "up"), noun("side", "down"))
PIECES = ("W", "B")
MEN = 8
"""Men of each side at the start."""
START_ROWS = "WWWWWW...WB...WB...BBBBBB"
TEXT = re.compile(r"(?:(?P<before>up|down)\s*:)?\s*(?P<men>[^\s:]+)(?:\s+(?P<after>up|down))?(?P<rest>(?::\w+=\w+)*)")
LETTERS = str.maketrans("WwUu1BbDd2.-0", "WWWWWBBBBB...")
"""Maps other notations' letters for men and empty points to ours."""


@dataclasses.dataclass(frozen=True)
class GanhRules:
    """The rule options; the defaults take captured men off the board."""

    capture: str = rule(
        "remove",
        "remove takes captured men away and allows jumps; flip turns them over, flanked (gánh) or shut in (vây)",
        choices=("remove", "flip"),
    )
    mo: bool = rule(False, "with capture=flip: a point just left open between two enemy men must be entered (mở)")
    limit: int = rule(200, "plies after which the game ends and more men win", minimum=1, maximum=1000)
    first: str = rule("up", "who begins", choices=SIDES)

    @property
    def flips(self) -> bool:
        """Whether captured men change sides instead of leaving the board."""
        return self.capture == "flip"

    @property
    def forces(self) -> bool:
        """Whether a point left open must be entered: only where captured men are turned."""
        return self.mo and self.flips


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game. Equal positions are those that the rules treat alike from here on."""

    men: tuple[int, int]
    """Men of each side, a bit per point."""
    side: Side
    """Who moves next."""
    ply: int = 0
    """Moves made since the start."""
    opened: int | None = None
    """The point the enemy has just left open and the mover must enter; None where nothing is forced."""


class Move(NamedTuple):
    """One man's step or jump, as indices into `CELLS`; its captures follow from the position."""

    origin: int
    to: int


def starts(rules: GanhRules) -> tuple[Position, ...]:
    return (Position(bits_of(START_ROWS, PIECES), SIDES.index(rules.first)),)


def board(position: Position) -> str:
    """One letter per point: `W` Up, `B` Down, row by row from Up's side."""
    return letters_of(position.men, PIECES, len(CELLS))


def opened_by(vacated: int, enemy: int, mine: int) -> int | None:
    """`vacated` if it lies between two enemy men on a line and one of my men can step onto it; else None."""
    return vacated if flanked(vacated, enemy) and NEIGHBOURS[vacated] & mine else None


def format_position(position: Position) -> str:
    """The side to move, a colon and 25 letters; then `:ply=` and `:vacated=` where they are not 0 and None."""
    text = f"{SIDES[position.side]}:{board(position)}"
    text += f":ply={position.ply}" if position.ply else ""
    return text if position.opened is None else f"{text}:vacated={CELLS[position.opened]}"


def parse_position(rules: GanhRules, text: str) -> Position:
    """The position from `format_position`'s text, or from 25 letters and a side. Raises PositionError.

    Men may also be written `U D` or `1 2`, empty points `-` or `0`; `/` may separate rows. Without a side Up moves.
    """
    match, given = TEXT.fullmatch(text.strip()), repr(text[:80])
    letters = match["men"].replace("/", "").translate(LETTERS) if match else ""
    if match is None or len(letters) != len(CELLS) or set(letters) - set("WB."):
        raise PositionError(
            sentence("{text} is not 25 letters W, B and . with up: or down: before, or a side after", text=given)
        )
    if match["before"] and match["after"]:
        raise PositionError(sentence("{text} names the side to move twice", text=given))
    men, side = bits_of(letters, PIECES), SIDES.index(match["before"] or match["after"] or "up")
    total, most = men[0].bit_count() + men[1].bit_count(), MEN if not rules.flips else 2 * MEN
    if total > 2 * MEN or max(men[0].bit_count(), men[1].bit_count()) > most:
        counts: dict[str, Given] = {"text": given, "most": most, "number": 2 * MEN}
        raise PositionError(
            sentence("{text} has more than {most} men of a side, or more than {number} in all", **counts)
        )
    ply, vacated = _extras(rules, match["rest"])
    if vacated is None:
        return Position(men, side, ply)
    if not rules.forces:
        raise PositionError(
            sentence("{text} names a vacated point, which matters only with capture=flip and mo=true", text=given)
        )
    if (men[0] | men[1]) >> vacated & 1:
        raise PositionError(sentence("{text}: the vacated point {cell} is occupied", text=given, cell=CELLS[vacated]))
    return Position(men, side, ply, opened_by(vacated, men[1 - side], men[side]))


def _extras(rules: GanhRules, rest: str) -> tuple[int, int | None]:
    """The plies made and the point vacated, from text such as `:ply=12:vacated=c3`. Raises PositionError."""
    ply, vacated = 0, None
    for word in filter(None, rest.split(":")):
        name, _, value = word.partition("=")
        if name == "ply" and value.isascii() and value.isdigit() and len(value) < 5 and int(value) <= rules.limit:
            ply = int(value)
        elif name == "vacated" and value in CELLS:
            vacated = CELLS.index(value)
        else:
            told: dict[str, Given] = {"text": repr(word[:40]), "limit": rules.limit}
            raise PositionError(sentence("{text} is neither ply=0 to ply={limit} nor vacated=a1 to e5", **told))
    return ply, vacated
