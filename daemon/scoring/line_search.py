"""Lines of play that could have led to a series of dominoes photos: the rules correct the eyes, over a whole game.

Every photo shows one tile more than the one before, or as many more as photos are missing in between. A line is one
way to see that: which tile came with which photo, in which order. Several are carried along, so that a later photo
may overrule what an earlier one seemed to show.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Iterable, Iterator, Sequence

from daemon.scoring.sightings import Placed, Sightings
from games.double_double_dominoes import DoubleDoubleDominoes as Dominoes
from games.double_double_dominoes import Lay, Pass, Position
from games.double_double_dominoes.board import slots
from games.double_double_dominoes.position import LAST_SPACE, counted
from rules import EMPTY, Gain, MoveError, Side

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
class Line:
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
    off = sum(seen not in (None, space) for seen, space in zip(pawns, line.position.pawns, strict=True))
    looked = dataclasses.replace(line, pawns_off=line.pawns_off + off)
    return dataclasses.replace(looked, cost=line.cost + looked.expense - line.expense)


def best(lines: Iterable[Line]) -> tuple[Line, ...]:
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


BRANCHES = 12
"""Tiles tried for one move in one line, the likeliest first."""
ILLEGAL_NATS = 9.0
"""What a tile against the rules costs: more than one cell misread, less than two."""
COUNT_NATS = 6.0
"""What each tile more or fewer than photos were taken costs: less than one tile not seen at all."""
UNCOUNTED_NATS = 10.0
"""What it costs in the first place that a photo shows more tiles than it should: one such tile alone is rather
something printed on the board, unless others join it."""
MAX_UNCOUNTED = 3
"""So many tiles more than photos are looked for."""
PATIENCE = 2
"""So many counts of tiles in a row must be no better for the search to end."""
PASS_NATS = 2.3
"""What each pass costs where nobody wrote down who laid: in one turn of ten."""
MAX_PASSES = 2


@dataclasses.dataclass(frozen=True)
class Wanted:
    shot: int | None
    mover: Side | None
    """None: whoever's turn it is."""


Turns = list[tuple[Position, int]]


class _Limit:
    """The greatest cost with which a line is still among the best of those added."""

    def __init__(self) -> None:
        self._kept: list[float] = []
        """The least costs, negated, as a heap."""
        self.cost = float("inf")

    def add(self, cost: float) -> None:
        heapq.heappush(self._kept, -cost)
        if len(self._kept) > WIDTH:
            heapq.heappop(self._kept)
            self.cost = -self._kept[0]


class LineSearch:
    def __init__(self, game: Dominoes, movers: Sequence[Side | None]) -> None:
        """`movers` says of every shot of the series who laid its tile, None where that is not known."""
        self.sightings = Sightings()
        self._game = game
        self._movers = movers
        self.lines: tuple[Line, ...] = (Line(game.initial()),)
        self._shows_pawns = False
        """Whether the newest photo shows a pawn, which may tell who laid."""

    @property
    def wrong_cells(self) -> int:
        return len(self.sightings.wrong_cells(self.lines[0].position.board))

    def copy(self) -> LineSearch:
        other = LineSearch(self._game, self._movers)
        other.sightings, other.lines = self.sightings.copy(), self.lines
        return other

    def skip(self, shot: int) -> None:
        """The shot shows nothing: its tile is looked for later."""
        self.lines = tuple(dataclasses.replace(line, pending=(*line.pending, shot)) for line in self.lines)

    def advance(self, shot: int, pawns: Pawns = (None, None), most: int = MAX_UNCOUNTED) -> None:
        """The newest of the sightings is of this shot; the pawns were seen there.

        `most` is how many tiles more than photos may lie there.
        """
        self.lines = tuple(
            dataclasses.replace(line, cost=line.expense + self.sightings.loss(line.placed)) for line in self.lines
        )
        self._shows_pawns = pawns != (None, None)
        found = self._after(shot, 0)
        pending = max(len(line.pending) for line in self.lines)
        # Fewer tiles than photos were taken, or more, where that may explain the picture better.
        for surpluses in (range(-1, -pending - 2, -1), range(1, most + 1)):
            worse = 0
            for surplus in surpluses:
                if worse == PATIENCE or (found and not self._may_gain(found[0], surplus > 0)):
                    break
                others = self._after(shot, surplus)
                worse = worse + 1 if found and (not others or others[0].cost >= found[0].cost) else 0
                found = best([*found, *others])
        self.lines = best(with_pawns(line, pawns) for line in found)

    def _may_gain(self, line: Line, more: bool) -> bool:
        """Whether one tile more, or one fewer, could make a line better, for all that it costs."""
        if more:
            return any(nats < -COUNT_NATS for nats, _ in self.sightings.suggested.free(line.position.board))
        newest = [one.lay for one in line.placed if one.since == self.sightings.count - 1]
        before = "".join(
            EMPTY if any(cell in lay.cells for lay in newest) else letter
            for cell, letter in enumerate(line.position.board)
        )
        seen = {lay: nats for nats, lay in self.sightings.suggested.free(before)}
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
            extra = COUNT_NATS * abs(surplus) + UNCOUNTED_NATS * (surplus > 0)
            found += [
                dataclasses.replace(line, prior=line.prior + extra, cost=line.cost + extra, pending=left)
                for line in self._laid([line for line in self.lines if line.pending == pending], wanted)
            ]
        return best(found)

    def _laid(self, lines: Sequence[Line], wanted: Sequence[Wanted]) -> tuple[Line, ...]:
        reached = tuple(lines)
        for one in wanted:
            found: list[Line] = []
            limit = _Limit()
            for line in reached:
                found += self._with_tile(line, one, limit)
                if one.mover is None and self._shows_pawns:
                    other = 1 - line.position.to_move
                    found += self._with_tile(_passed(line), Wanted(one.shot, other), limit)
            reached = best(found if len(wanted) == 1 else map(with_lead, found))
        return reached

    def _with_tile(self, line: Line, wanted: Wanted, limit: _Limit) -> Iterator[Line]:
        """The line with one more tile, in every way that the newest photo and the rules allow, the likeliest first."""
        turns = self._turns(line.position, wanted.mover)
        board, suggested = line.position.board, self.sightings.suggested
        seen = next(suggested.free(board), None)
        branches = 0
        for nats, lay in suggested.fitting(slots(board, None)):
            if branches == BRANCHES or line.cost + nats > limit.cost:
                break
            laid = self._legally(line, wanted, lay, nats, turns)
            if laid is not None:
                branches += 1
                limit.add(laid.cost)
                yield laid
            if (nats, lay) == seen and laid is not None:
                seen = None
        if seen is not None and line.cost + seen[0] + ILLEGAL_NATS <= limit.cost:
            illegal = self._against_rules(line, wanted, seen[1], seen[0], turns)
            limit.add(illegal.cost)
            yield illegal

    def _turns(self, position: Position, mover: Side | None) -> Turns:
        """The mover's turn, after the fewest passes, and after those that end the turn of a double first."""
        turns = []
        for passes in range(MAX_PASSES + 1):
            if mover is None or position.to_move == mover:
                turns.append((position, passes))
                if position.open_double is None:
                    break
            try:
                position = self._game.apply(position, Pass())
            except MoveError:
                break
        return turns

    def _legally(self, line: Line, wanted: Wanted, lay: Lay, nats: float, turns: Turns) -> Line | None:
        """With the fewest passes that the rules ask for; None where they forbid the tile."""
        for position, passes in turns:
            try:
                after = self._game.apply(position, lay)
            except MoveError:
                continue
            gains = self._game.gains(position, lay)
            placed = Placed(lay, wanted.shot, position.to_move, gains, after.pawns, self.sightings.count - 1, passes)
            return longer(line, placed, after, nats)
        return None

    def _against_rules(self, line: Line, wanted: Wanted, lay: Lay, nats: float, turns: Turns) -> Line:
        """As if it were allowed: what is seen is seen."""
        position, passes = turns[0] if turns else (dataclasses.replace(line.position, to_move=wanted.mover or 0), 0)
        try:
            self._game.apply(position, lay)
            fault = ""
        except MoveError as error:
            fault = str(error)
        gains = self._game.gains(position, lay)
        after = forced(position, lay, gains)
        since = self.sightings.count - 1
        placed = Placed(lay, wanted.shot, position.to_move, gains, after.pawns, since, passes, fault)
        return longer(line, placed, after, nats, ILLEGAL_NATS)


def _passed(line: Line) -> Line:
    return dataclasses.replace(line, prior=line.prior + PASS_NATS, cost=line.cost + PASS_NATS)
