"""Output of `kibitzer score-dominoes` about a move: a line for people, and JSON."""

from __future__ import annotations

from daemon.scoring.line_search import Placed
from daemon.scoring.photo_series import Series
from daemon.scoring.scorer import SURE, ScoredMove, Scorer, Status
from games.double_double_dominoes import CELLS
from games.double_double_dominoes.position import SIDES

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
