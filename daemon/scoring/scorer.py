"""Scores a dominoes game photo by photo: which tile came, what points it brought, and how that is told."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Literal

import games
from calibration.annotations import Annotation, PhotoName
from daemon.scoring.line_search import MAX_UNCOUNTED, LineSearch, Pawns
from daemon.scoring.photo_series import Series
from daemon.scoring.sightings import Placed
from games.double_double_dominoes import CELLS, DoubleDoubleDominoes
from games.double_double_dominoes.position import SIDES
from vision.reading.board_reading import BoardReading

SURE = 0.9
"""A tile whose photo is missing is written down from this probability on; a tile that is less likely is unsure."""
MAX_WRONG_CELLS = 20
"""A photo that contradicts more cells of every board that could be there shows something else, such as a hand."""

SUSPECT_CELLS = 3
"""A photo that contradicts more cells than this may speak against the one before."""
MAX_AT_FIRST = 27
"""So many tiles may lie there before the first photo is taken."""

Status = Literal["seen", "inferred", "no_tile", "no_board", "covered", "no_photo"]


@dataclasses.dataclass(frozen=True, eq=False)
class Look:
    reading: BoardReading
    pawns: Pawns = (None, None)


@dataclasses.dataclass(frozen=True)
class ScoredMove:
    name: PhotoName
    status: Status
    """`seen` in its own photo, `inferred` from a later one; else why there is no tile."""
    placed: Placed | None
    probability: float
    """Of tile and points together, among all that could be."""
    rivals: tuple[Placed, ...] = ()
    """Other tiles or points that are nearly as likely, the likeliest first."""
    wrong_cells: int = 0
    """Cells on which the photo contradicts every board that could be there."""
    pawns: Pawns = (None, None)

    @property
    def annotation(self) -> Annotation | None:
        """What the move's annotation file holds; None where it should have none."""
        if self.placed is None or (self.status != "seen" and self.probability < SURE):
            return None
        first, second = (CELLS[cell] for cell in self.placed.lay.cells)
        return Annotation((first, second), self.placed.lay.pips, self.placed.gains[self.placed.side].total)


class Scorer:
    def __init__(self, series: Series) -> None:
        movers = [shot.mover for shot in series.shots]
        # Where only a later mover is known, the players are taken to have laid in turn until then.
        first = next(((mover + shot) % 2 for shot, mover in enumerate(movers) if mover is not None), 0)
        game = games.load(DoubleDoubleDominoes.name, {"first": DoubleDoubleDominoes.sides[first]})
        assert isinstance(game, DoubleDoubleDominoes)
        self._shots = series.shots
        self._search = LineSearch(game, movers)
        self._earlier: tuple[LineSearch, int] | None = None
        """The search before the last photo that was taken in, and which shot that was."""
        self._status: dict[int, tuple[Status, int]] = {}
        self._pawns: dict[int, Pawns] = {}
        self.done = 0

    @property
    def pawns(self) -> tuple[int, int]:
        """Spaces of both pawns, red's first: the scores so far."""
        return self._search.lines[0].position.pawns

    @property
    def board(self) -> str:
        return self._search.lines[0].position.board

    def look(self, looks: Iterable[Look]) -> None:
        """The next move's photo was read, in one way or in several, the likeliest first: the first that fits counts.

        None at all where the photo is missing or shows no board.
        """
        shot, self.done = self.done, self.done + 1
        self._status[shot] = ("no_photo" if self._shots[shot].photo is None else "no_board", 0)
        for look in looks:
            if self._take(shot, look):
                return
        self._search.skip(shot)

    def _take(self, shot: int, look: Look) -> bool:
        """Goes on with the look if it shows a board that could be there."""
        most = MAX_UNCOUNTED if self._earlier else MAX_AT_FIRST
        before, after = self._search, _advanced(self._search, shot, look, most)
        if after.wrong_cells > SUSPECT_CELLS and self._earlier is not None:
            # Perhaps the photo before showed tiles that were none.
            search, passed_over = self._earlier
            without = search.copy()
            for missed in range(passed_over, shot):
                without.skip(missed)
            better = _advanced(without, shot, look)
            if better.wrong_cells <= min(after.wrong_cells - SUSPECT_CELLS, MAX_WRONG_CELLS):
                self._status[passed_over] = ("covered", after.wrong_cells)
                before, after = without, better
        covered = after.wrong_cells > MAX_WRONG_CELLS
        self._status[shot] = ("covered" if covered else "no_tile", after.wrong_cells)
        if not covered:
            self._search, self._earlier, self._pawns[shot] = after, (before, shot), look.pawns
        return not covered

    def moves(self) -> list[ScoredMove]:
        """What is believed of all moves looked at so far; a later photo may change it."""
        best = self._search.lines[0].cost
        weights = [math.exp(best - line.cost) for line in self._search.lines]
        return [self._move(shot, weights) for shot in range(self.done)]

    def uncounted(self) -> list[Placed]:
        return [placed for placed in self._search.lines[0].placed if placed.shot is None]

    def _move(self, shot: int, weights: Sequence[float]) -> ScoredMove:
        """Weighs what the lines of play say of one move."""
        found: dict[object, Placed | None] = {}
        shares: dict[object, float] = {}
        for line, weight in zip(self._search.lines, weights, strict=True):
            placed = next((one for one in line.placed if one.shot == shot), None)
            key = None if placed is None else (placed.lay, placed.side, placed.gains[placed.side].total)
            found.setdefault(key, placed)
            shares[key] = shares.get(key, 0.0) + weight / sum(weights)
        best = next(iter(found))
        status, wrong = self._status[shot]
        placed = found.pop(best)
        if placed is not None:
            status = "seen" if status == "no_tile" else "inferred"
        near = [key for key in found if shares[key] > (1 - SURE) / 2]
        rivals = tuple(one for key in sorted(near, key=lambda k: -shares[k]) if (one := found[key]) is not None)
        return ScoredMove(
            self._shots[shot].name, status, placed, shares[best], rivals, wrong, self._pawns.get(shot, (None, None))
        )


def _advanced(search: LineSearch, shot: int, look: Look, most: int = MAX_UNCOUNTED) -> LineSearch:
    longer = search.copy()
    longer.sightings.add(look.reading)
    longer.advance(shot, look.pawns, most)
    return longer


WHY: dict[Status, str] = {
    "seen": "",
    "inferred": "",
    "no_tile": "no new tile is seen",
    "no_board": "no board is seen",
    "covered": "the photo shows no board that follows ({wrong} cells differ): is something over it?",
    "no_photo": "there is no photo",
}


def line_of(move: ScoredMove) -> str:
    placed = move.placed
    if placed is None:
        return f"{move.name}  {WHY[move.status].format(wrong=move.wrong_cells)}; no file"
    remarks = "".join(f"; {remark}" for remark in _remarks(move, placed))
    red, green = placed.pawns
    return (
        f"{move.name}  {SIDES[placed.side]:<5}  {_tile(placed):<14}  {_points(placed):<26}  "
        f"red {red}, green {green}{remarks}"
    )


def object_of(move: ScoredMove) -> dict[str, object]:
    found: dict[str, object] = {"move": str(move.name), "status": move.status}
    found |= {"written": move.annotation is not None, "probability": round(move.probability, 4)}
    placed = move.placed
    if placed is None:
        return found | {"wrong_cells": move.wrong_cells}
    own, other = placed.gains[placed.side], placed.gains[1 - placed.side]
    found |= {"player": placed.side + 1, "side": SIDES[placed.side], "passes": placed.passes}
    found |= {"cells": [CELLS[cell] for cell in placed.lay.cells], "pips": list(placed.lay.pips)}
    found |= {"points": own.total, "diamonds": own.points, "bonus": own.bonus, "other_bonus": other.bonus}
    found |= {"totals": list(placed.pawns), "fault": placed.fault}
    found |= {"pawns_seen": list(move.pawns)}
    return found | {"rivals": [{"tile": rival.lay.text, "points": _own_points(rival)} for rival in move.rivals]}


def summary_of(series: Series, scorer: Scorer, moves: list[ScoredMove]) -> str:
    red, green = scorer.pawns
    written = sum(move.annotation is not None for move in moves)
    return f"game {series.game}: red {red}, green {green}; {written} of {len(moves)} moves written"


def _remarks(move: ScoredMove, placed: Placed) -> list[str]:
    remarks = []
    if move.status == "inferred":
        certain = "seen in a later photo" if move.annotation else "seen in a later photo, not sure, so no file"
        remarks.append(f"inferred: {certain}")
    if placed.fault:
        remarks.append(f"against the rules ({placed.fault}), written as seen")
    for side, seen, space in zip(SIDES, move.pawns, placed.pawns, strict=True):
        if move.status == "seen" and seen not in (None, space):
            remarks.append(f"{side}'s pawn stands on {seen}, the moves give {space}")
    if move.probability < SURE:
        others = " or ".join(f"{_tile(rival)} for {_own_points(rival)}" for rival in move.rivals)
        remarks.append(f"unsure ({move.probability:.0%})" + (f": it could be {others}" if others else ""))
    return remarks


def _tile(placed: Placed) -> str:
    first, second = (CELLS[cell] for cell in placed.lay.cells)
    return f"{placed.lay.pips[0]}-{placed.lay.pips[1]} on {first} {second}"


def _points(placed: Placed) -> str:
    own, other = placed.gains[placed.side], placed.gains[1 - placed.side]
    text = f"{own.points} + {own.bonus} bonus = {own.total}" if own.bonus else f"{own.points}"
    return text + (f", {SIDES[1 - placed.side]} +{other.bonus}" if other.bonus else "")


def _own_points(placed: Placed) -> int:
    return placed.gains[placed.side].total
