"""One way in which a dominoes game may have gone, tile by tile, and what it costs in likelihood."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from games.double_double_dominoes import Lay, Position
from games.double_double_dominoes.position import LAST_SPACE, counted
from rules import Gain, Side

WIDTH = 64
"""Lines that are carried along."""
HOPELESS_NATS = 16.0
"""A line so much less likely than the best is given up: more than two cells seen wrongly beyond doubt."""
LEAD_NATS = 0.23
"""Where photos are missing, each point by which a tile changes its player's lead: three make it twice as likely."""
PAWN_NATS = 3.0
"""What a pawn seen on another space than the points give costs, once a photo."""
MAX_PAWNS_OFF = 4
"""So often it costs: a pawn that was moved wrongly stays wrong, and says nothing more."""

Pawns = tuple[int | None, int | None]
"""Spaces on which red's and green's pawns are seen; None where one is not."""


@dataclasses.dataclass(frozen=True, slots=True)
class Placed:
    lay: Lay
    shot: int | None
    """Index of the move in its series; None where no number is left for the tile."""
    side: Side
    gains: tuple[Gain, Gain]
    pawns: tuple[int, int]
    """Spaces of both pawns afterwards."""
    since: int
    """Photos before the first that shows it."""
    passes: int = 0
    """Turns passed just before it."""
    fault: str = ""
    """Why the rules forbid it; empty where they do not."""


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One way in which the game may have gone so far."""

    position: Position
    placed: tuple[Placed, ...] = ()
    pending: tuple[int, ...] = ()
    """Shots whose tiles nothing has shown yet."""
    prior: float = 0.0
    """Nats that the line costs by the rules alone."""
    pawns_off: int = 0
    """How often a pawn was seen elsewhere than the points give."""
    cost: float = 0.0
    """Nats in all, pictures included."""

    @property
    def expense(self) -> float:
        """Nats that the line costs without what the pictures say of its tiles."""
        return self.prior + PAWN_NATS * min(self.pawns_off, MAX_PAWNS_OFF)


def longer(line: Line, placed: Placed, after: Position, nats: float, extra: float = 0.0) -> Line:
    """The line with one more tile; the picture costs `nats`, the rules `extra`."""
    return Line(
        after, (*line.placed, placed), line.pending, line.prior + extra, line.pawns_off, line.cost + extra + nats
    )


def with_lead(line: Line) -> Line:
    """The line where nothing shows in which order tiles came: players look for points."""
    newest = line.placed[-1]
    lead = newest.gains[newest.side].total - newest.gains[1 - newest.side].total
    return dataclasses.replace(line, prior=line.prior - LEAD_NATS * lead, cost=line.cost - LEAD_NATS * lead)


def with_pawns(line: Line, pawns: Pawns) -> Line:
    """The line after a look at the track."""
    off = sum(seen not in (None, space) for seen, space in zip(pawns, line.position.pawns, strict=True))
    looked = dataclasses.replace(line, pawns_off=line.pawns_off + off)
    return dataclasses.replace(looked, cost=line.cost + looked.expense - line.expense)


def best(lines: Iterable[Line]) -> tuple[Line, ...]:
    """The likeliest of different lines, the best first."""
    kept: dict[object, Line] = {}
    for line in sorted(lines, key=lambda one: one.cost):
        if kept and line.cost > next(iter(kept.values())).cost + HOPELESS_NATS:
            break
        kept.setdefault(tuple((one.lay, one.shot, one.side) for one in line.placed), line)
        if len(kept) == WIDTH:
            break
    return tuple(kept.values())


def forced(position: Position, lay: Lay, gains: tuple[Gain, Gain]) -> Position:
    """The position with a tile that the rules forbid."""
    board = list(position.board)
    for cell, pips in zip(lay.cells, lay.pips, strict=True):
        board[cell] = str(pips)
    red, green = position.pawns
    return dataclasses.replace(
        position,
        board="".join(board),
        tiles=(*position.tiles, lay),
        pawns=(min(LAST_SPACE, red + gains[0].total), min(LAST_SPACE, green + gains[1].total)),
        to_move=1 - position.to_move,
        open_double=None,
        passes=0,
        copies=counted((*position.tiles, lay)),
    )
