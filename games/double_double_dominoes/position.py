"""A position of Double Double Dominoes and its text."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable

from games.double_double_dominoes.board import (
    CELLS,
    EACH,
    NEIGHBOURS,
    NUMBER_OF,
    STAR,
    TILES,
    Lay,
    Tile,
)
from rules import EMPTY, PositionError, Side
from wording import noun

SIDES = (noun("side", "red"), noun("side", "green"))
IN_HAND = 3
"""Tiles in a hand between turns; one more is drawn at the start of a turn."""
LAST_SPACE = 100
"""Space whose reaching wins the game."""
ALL_TILES = EACH * len(TILES)
LAY = re.compile(r"(\d{1,2}[A-O])([0-6])-(\d{1,2}[A-O])([0-6])")
TILE = re.compile(r"([0-6])-([0-6])")

Hand = tuple[Tile, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game, as far as it is known. Equal positions are those that the rules treat alike."""

    board: str = EMPTY * len(CELLS)
    tiles: tuple[Lay, ...] = dataclasses.field(default=(), compare=False)
    """Tiles in the order laid, which has no further effect; ascending where the position comes from a text."""
    pawns: tuple[int, int] = (0, 0)
    """Spaces 0 to 100 of both sides' pawns: their scores."""
    to_move: Side = 0
    open_double: Lay | None = None
    """The double just laid by the side to move, which may join another tile to it; None if nothing can be joined."""
    bag: int = 49
    """Tiles left in the bag; the side to move has drawn."""
    passes: int = 0
    """Consecutive turns, up to now, in which nothing was laid."""
    holds: tuple[int, int] = (4, 3)
    """How many tiles each side holds."""
    hands: tuple[Hand | None, Hand | None] = (None, None)
    """Tiles known to be in each hand, ascending: all, or fewer where some are hidden. None: the hand is unknown."""
    order: Hand | None = None
    """Tiles in the bag, the next to be drawn last; None where hidden."""
    copies: int = 0
    """Number of copies laid of each tile, two bits per tile, the first of TILES lowest."""

    def laid(self, tile: Tile) -> int:
        return self.copies >> 2 * NUMBER_OF[tile] & 3

    def knows_hand(self, side: Side) -> bool:
        """Whether all tiles that a side holds are known."""
        hand = self.hands[side]
        return hand is not None and len(hand) == self.holds[side]


def counted(lays: Iterable[Lay]) -> int:
    return sum(1 << 2 * NUMBER_OF[lay.pips] for lay in lays)


def board_of(lays: Iterable[Lay]) -> str:
    board = [EMPTY] * len(CELLS)
    for lay in lays:
        for cell, pip in zip(lay.cells, lay.pips, strict=True):
            board[cell] = str(pip)
    return "".join(board)


def format_position(position: Position) -> str:
    """The side to move, then `name=value` fields after semicolons, in this order; omitted fields are hidden or empty.

    `red;pawns=4,24;bag=41;holds=4,3;passes=1;double=8F2-8G2;hand_red=0-1,3-4;bag_order=0-0;tiles=8F2-8G2,8H2-8I1`: the
    tiles on the board ascending, the next to be drawn from the bag last.
    """
    parts = [SIDES[position.to_move], f"pawns={position.pawns[0]},{position.pawns[1]}", f"bag={position.bag}"]
    parts.append(f"holds={position.holds[0]},{position.holds[1]}")
    if position.passes:
        parts.append(f"passes={position.passes}")
    if position.open_double is not None:
        parts.append(f"double={position.open_double.text}")
    for name, tiles in zip((*(f"hand_{side}" for side in SIDES), "bag_order"), _secrets(position), strict=True):
        if tiles is not None:
            parts.append(f"{name}={','.join(f'{low}-{high}' for low, high in tiles)}")
    parts.append(f"tiles={','.join(lay.text for lay in sorted(position.tiles))}")
    return ";".join(parts)


def _secrets(position: Position) -> tuple[Hand | None, Hand | None, Hand | None]:
    return (*position.hands, position.order)


def parse_position(text: str) -> Position:
    """The position from `format_position`'s text. Raises PositionError.

    Defaults for omitted fields: pawns at the start, four tiles held by the side to move and three by the other, and all
    other tiles in the bag.
    """
    first, *parts = text.strip().split(";")
    fields = dict(part.partition("=")[::2] for part in parts)
    known = ["pawns", "bag", "holds", "passes", "double", "hand_red", "hand_green", "bag_order", "tiles"]
    if first not in SIDES or len(fields) < len(parts) or not set(fields) <= set(known):
        names = ", ".join(known)
        raise PositionError(f"{text[:60]!r} is not red or green, then ;name=value with the names {names}")
    lays = [parse_lay(word) for word in _words(fields.get("tiles", ""))]
    holds = _two(fields.get("holds", "4,3" if first == SIDES[0] else "3,4"), IN_HAND + 1)
    others = max(0, ALL_TILES - len(lays) - sum(holds))
    position = Position(
        board=board_of(lays),
        tiles=tuple(sorted(lays)),
        pawns=_two(fields.get("pawns", "0,0"), LAST_SPACE),
        to_move=SIDES.index(first),
        open_double=parse_lay(fields["double"]) if "double" in fields else None,
        bag=_number(fields.get("bag", str(others)), ALL_TILES),
        passes=_number(fields.get("passes", "0"), ALL_TILES),
        holds=holds,
        hands=(_hand(fields, "hand_red"), _hand(fields, "hand_green")),
        order=_tiles(fields["bag_order"]) if "bag_order" in fields else None,
        copies=counted(lays),
    )
    if (fault := inconsistency(position)) is not None:
        raise PositionError(f"{text[:60]!r}: {fault}")
    return position


def inconsistency(position: Position) -> str | None:
    """What makes the position impossible in any game, as a sentence; None if nothing does."""
    lays, double = position.tiles, position.open_double
    cells = [cell for lay in lays for cell in lay.cells]
    if len(set(cells)) < len(cells):
        return "two tiles lie on one cell"
    if lays and STAR not in cells:
        return "no tile covers the star on 8H"
    if lays and not _hangs_together(position.board, cells):
        return "the tiles do not hang together, or unequal ends touch"
    if double is not None and not (double in lays and double.is_double):
        return f"double={double.text} is no double on the board"
    if any(hand is not None and len(hand) > holds for hand, holds in zip(position.hands, position.holds, strict=True)):
        return "a hand has more tiles than it holds"
    if position.order is not None and len(position.order) != position.bag:
        return f"bag_order has {len(position.order)} tiles, but the bag {position.bag}"
    if len(lays) + sum(position.holds) + position.bag > ALL_TILES:
        return f"there are more than {ALL_TILES} tiles"
    seen = Counter(lay.tile for lay in lays)
    for tiles in _secrets(position):
        seen.update(tiles or ())
    many = [f"{low}-{high}" for (low, high), count in seen.items() if count > EACH]
    return f"there are only {EACH} tiles {many[0]}" if many else None


def _hangs_together(board: str, cells: list[int]) -> bool:
    """Whether all tiles connect to the star and every touching pair of ends is equal."""
    mate = dict(zip(cells[::2], cells[1::2], strict=True))
    mate |= {b: a for a, b in mate.items()}
    reached, waiting = set(), [STAR] if STAR in mate else []
    while waiting:
        cell = waiting.pop()
        reached.add(cell)
        beside = [other for other in NEIGHBOURS[cell] if other in mate]
        if any(other != mate[cell] and board[other] != board[cell] for other in beside):
            return False
        waiting += [other for other in beside if other not in reached]
    return len(reached) == len(cells)


def parse_lay(text: str) -> Lay:
    """The lay of a text such as `8H6-8I1`, either end first. Raises PositionError."""
    match = LAY.fullmatch(text.strip().upper())
    if match is None or not {match[1], match[3]} <= _CELL_NAMES:
        raise PositionError(f"{text[:40]!r} is no tile on the board; they look like 8H6-8I1")
    ends = sorted([(CELLS.index(match[1]), int(match[2])), (CELLS.index(match[3]), int(match[4]))])
    if ends[1][0] not in NEIGHBOURS[ends[0][0]]:
        raise PositionError(f"{match[1]} and {match[3]} do not lie side by side")
    return Lay((ends[0][0], ends[1][0]), (ends[0][1], ends[1][1]))


_CELL_NAMES = frozenset(CELLS)


def parse_tile(text: str) -> Tile:
    """The tile of a text such as `3-4`. Raises PositionError."""
    match = TILE.fullmatch(text.strip())
    if match is None:
        raise PositionError(f"{text[:40]!r} is no tile; tiles look like 3-4")
    a, b = int(match[1]), int(match[2])
    return (min(a, b), max(a, b))


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _tiles(text: str) -> Hand:
    return tuple(parse_tile(word) for word in _words(text))


def _hand(fields: dict[str, str], name: str) -> Hand | None:
    return tuple(sorted(_tiles(fields[name]))) if name in fields else None


def _number(text: str, most: int) -> int:
    if not re.fullmatch("[0-9]{1,3}", text) or int(text) > most:
        raise PositionError(f"{text[:20]!r} is no number from 0 to {most}")
    return int(text)


def _two(text: str, most: int) -> tuple[int, int]:
    first, _, second = text.partition(",")
    return _number(first, most), _number(second, most)
