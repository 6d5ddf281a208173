"""Lines of play that could have led to a series of dominoes photos: the rules correct the eyes, over a whole game.

Every photo shows one tile more than the one before, or as many more as photos are missing in between. A line is one
way to see that: which tile came with which photo, in which order. Several are carried along, so that a later photo
may overrule what an earlier one seemed to show.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from daemon.sightings import Sightings
from games import EMPTY, Gain, MoveError, Side
from games.double_double_dominoes import DoubleDoubleDominoes as Dominoes
from games.double_double_dominoes import Lay, Pass, Position
from games.double_double_dominoes.board import FREE, slots
from games.double_double_dominoes.position import LAST_SPACE, counted

WIDTH = 96
"""Lines that are carried along."""
HOPELESS_NATS = 16.0
"""A line so much less likely than the best is given up: more than two cells seen wrongly beyond doubt."""
BRANCHES = 12
"""Tiles tried for one move in one line, the likeliest first."""
ILLEGAL_NATS = 9.0
"""What a tile against the rules costs: more than one cell misread, less than two."""
COUNT_NATS = 6.0
"""What each tile more or fewer than photos were taken costs: less than one tile not seen at all."""
MOST_UNCOUNTED = 12
"""So many tiles more than photos are looked for."""
LEAD_NATS = 0.23
"""Where photos are missing, each point by which a tile changes its player's lead: three make it twice as likely."""
MOST_PASSES = 2
PAWN_NATS = 3.0
"""What a pawn seen on another space than the points give costs, once a photo."""
MOST_PAWNS_OFF = 2
"""So often it costs: a pawn that was moved wrongly stays wrong, and says nothing more."""


Pawns = tuple[int | None, int | None]
"""Spaces on which red's and green's pawns are seen; None where one is not."""


@dataclasses.dataclass(frozen=True, slots=True)
class Placed:
    """A tile in a line of play."""

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
        return self.prior + PAWN_NATS * min(self.pawns_off, MOST_PAWNS_OFF)


@dataclasses.dataclass(frozen=True)
class Wanted:
    """A tile that a line has to find in the newest photo."""

    shot: int | None
    mover: Side | None
    """None: whoever's turn it is."""


class LineSearch:
    """The likeliest lines of one game's play."""

    def __init__(self, game: Dominoes, movers: Sequence[Side | None]) -> None:
        """`movers` says of every shot of the series who laid its tile, None where that is not known."""
        self.sightings = Sightings()
        self._game = game
        self._movers = movers
        self.lines: tuple[Line, ...] = (Line(game.initial()),)
        """The best first."""

    def skip(self, shot: int) -> None:
        """The shot shows nothing: its tile is looked for later."""
        self.lines = tuple(dataclasses.replace(line, pending=(*line.pending, shot)) for line in self.lines)

    def advance(self, shot: int, pawns: Pawns = (None, None)) -> None:
        """The newest of the sightings is of this shot; the pawns were seen there."""
        self.lines = tuple(
            dataclasses.replace(line, cost=line.expense + self.sightings.loss(line.placed)) for line in self.lines
        )
        found = self._after(shot, 0)
        pending = max(len(line.pending) for line in self.lines)
        # Fewer tiles than photos were taken, or more, where that may explain the picture better.
        for surpluses in (range(-1, -pending - 2, -1), range(1, MOST_UNCOUNTED + 1)):
            for surplus in surpluses:
                if found and not self._may_gain(found[0], surplus > 0):
                    break
                others = self._after(shot, surplus)
                worse = found and (not others or others[0].cost >= found[0].cost)
                found = _best([*found, *others])
                if worse:
                    break
        self.lines = _best(_with_pawns(line, pawns) for line in found)

    def _may_gain(self, line: Line, more: bool) -> bool:
        """Whether one tile more, or one fewer, could make a line better, for all that it costs."""
        if more:
            return next((nats for nats, _ in self.sightings.suggested(line.position.board)), 0.0) < -COUNT_NATS
        newest = [one.lay for one in line.placed if one.since == self.sightings.count - 1]
        before = "".join(
            EMPTY if any(cell in lay.cells for lay in newest) else letter
            for cell, letter in enumerate(line.position.board)
        )
        seen = {lay: nats for nats, lay in self.sightings.suggested(before)}
        return any(seen.get(lay, 0.0) > -COUNT_NATS for lay in newest) or any(one.fault for one in line.placed)

    def _after(self, shot: int, surplus: int) -> tuple[Line, ...]:
        """The lines with as many tiles more as the photo should show, and some more or fewer; the best first."""
        found: list[Line] = []
        for pending in dict.fromkeys(line.pending for line in self.lines):
            wanted = [Wanted(one, self._movers[one]) for one in (*pending, shot)]
            count = len(wanted) + surplus
            if count < 0:
                continue
            wanted = [Wanted(None, None)] * surplus + wanted[max(0, -surplus) :]
            left = (*pending, shot) if count == 0 else ()
            extra = COUNT_NATS * abs(surplus)
            found += [
                dataclasses.replace(line, prior=line.prior + extra, cost=line.cost + extra, pending=left)
                for line in self._laid([line for line in self.lines if line.pending == pending], wanted)
            ]
        return _best(found)

    def _laid(self, lines: Sequence[Line], wanted: Sequence[Wanted]) -> tuple[Line, ...]:
        """The best lines after the wanted tiles have been laid."""
        reached = tuple(lines)
        for one in wanted:
            longer: list[Line] = []
            best = float("inf")
            for line in reached:
                for after in self._with_tile(line, one, best + HOPELESS_NATS):
                    longer.append(after)
                    best = min(best, after.cost)
            reached = _best(longer if len(wanted) == 1 else map(_with_lead, longer))
        return reached

    def _with_tile(self, line: Line, wanted: Wanted, most_nats: float) -> Iterator[Line]:
        """The line with one more tile, in every way that the newest photo and the rules allow, the likeliest first."""
        turns = self._turns(line.position, wanted.mover)
        asked = {cells: (first, second) for cells, first, second in slots(line.position.board, None)}
        branches = 0
        for nats, lay in self.sightings.suggested(line.position.board):
            if branches == BRANCHES or line.cost + nats > most_nats:
                return
            lawful = all(pip in (FREE, own) for pip, own in zip(asked.get(lay.cells, ()), lay.pips, strict=False))
            laid = self._lawfully(line, wanted, lay, turns) if lawful and lay.cells in asked else None
            if laid is None and branches == 0:
                laid = self._unlawfully(line, wanted, lay, turns)
            if laid is not None:
                branches += 1
                yield dataclasses.replace(laid, cost=line.cost + laid.prior - line.prior + nats)

    def _turns(self, position: Position, mover: Side | None) -> list[tuple[Position, int]]:
        """The position after 0, 1, 2 passes, where the side that is to lay is on turn."""
        turns = []
        for passes in range(MOST_PASSES + 1):
            if mover is None or position.to_move == mover:
                turns.append((position, passes))
            try:
                position = self._game.apply(position, Pass())
            except MoveError:
                break
        return turns

    def _lawfully(self, line: Line, wanted: Wanted, lay: Lay, turns: list[tuple[Position, int]]) -> Line | None:
        """With the fewest passes that the rules ask for; None where they forbid the tile."""
        for position, passes in turns:
            try:
                after = self._game.apply(position, lay)
            except MoveError:
                continue
            gains = self._game.gains(position, lay)
            return self._longer(line, wanted, Placed(lay, None, position.to_move, gains, after.pawns, 0, passes), after)
        return None

    def _unlawfully(self, line: Line, wanted: Wanted, lay: Lay, turns: list[tuple[Position, int]]) -> Line:
        """As if it were allowed: what is seen is seen."""
        position, passes = turns[0] if turns else (dataclasses.replace(line.position, to_move=wanted.mover or 0), 0)
        try:
            self._game.apply(position, lay)
            fault = ""
        except MoveError as error:
            fault = str(error)
        gains = self._game.gains(position, lay)
        after = _forced(position, lay, gains)
        placed = Placed(lay, None, position.to_move, gains, after.pawns, 0, passes, fault)
        longer = self._longer(line, wanted, placed, after)
        return dataclasses.replace(longer, prior=longer.prior + ILLEGAL_NATS)

    def _longer(self, line: Line, wanted: Wanted, placed: Placed, after: Position) -> Line:
        placed = dataclasses.replace(placed, shot=wanted.shot, since=self.sightings.count - 1)
        return dataclasses.replace(line, position=after, placed=(*line.placed, placed))


def _with_lead(line: Line) -> Line:
    """The line where nothing shows in which order tiles came: players look for points."""
    newest = line.placed[-1]
    lead = newest.gains[newest.side].total - newest.gains[1 - newest.side].total
    return dataclasses.replace(line, prior=line.prior - LEAD_NATS * lead, cost=line.cost - LEAD_NATS * lead)


def _with_pawns(line: Line, pawns: Pawns) -> Line:
    """The line after a look at the track."""
    off = sum(seen not in (None, space) for seen, space in zip(pawns, line.position.pawns, strict=True))
    looked = dataclasses.replace(line, pawns_off=line.pawns_off + off)
    return dataclasses.replace(looked, cost=line.cost + looked.expense - line.expense)


def _best(lines: Iterable[Line]) -> tuple[Line, ...]:
    """The likeliest of different lines, the best first."""
    kept: dict[object, Line] = {}
    for line in sorted(lines, key=lambda one: one.cost):
        if kept and line.cost > next(iter(kept.values())).cost + HOPELESS_NATS:
            break
        kept.setdefault(tuple((one.lay, one.shot, one.side) for one in line.placed), line)
        if len(kept) == WIDTH:
            break
    return tuple(kept.values())


def _forced(position: Position, lay: Lay, gains: tuple[Gain, Gain]) -> Position:
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
