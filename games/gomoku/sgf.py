"""Gomoku in the Smart Game Format, GM[4]: gomoku and renju.

RU lists the names of the rule options that are on and the opening's, or `free` if there is none. The format has no
property for the openings' decisions that lay no stone: each is a node of its own with the private property KC,
`KC[black]` or `KC[two]`, which other programs ignore.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.gomoku import NEAR, Choice, Gomoku, Move, Position
from rules import MoveError

NUMBER = "4"
SIZE = "15"
CHOICE = "KC"
MOVES = ("B", "W", CHOICE)
PASS = ""
FREE = "free"


def mend(nodes: Sequence[Mapping[str, Sequence[str]]]) -> list[str]:
    """Nothing of gomoku is known to be written otherwise."""
    return []


def rules_of(nodes: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, object]:
    """The rules that a record names, other options off; who begins follows from the stones and who lays the first."""
    root = nodes[0]
    words = "".join(root.get("RU", [FREE])[:1]).lower().split()
    rules: dict[str, object] = {name: True for name in ("exact_five", "renju", "swap2", "caro") if name in words}
    if opening := next((name for name in (*NEAR, "swap") if name in words), ""):
        rules["opening"] = opening
    laid = next((name for node in nodes for name in MOVES[:2] if name in node), "B")
    mover = "".join(root.get("PL", [laid])[:1]).upper()[:1]
    lead = len(root.get("AB", ())) - len(root.get("AW", ()))
    return {**rules, "first": "white" if lead < 0 or (lead == 0 and mover == "W") else "black"}


def root_of(game: Gomoku) -> dict[str, str]:
    """The rule options that differ from free gomoku, the opening by its name."""
    opening = [] if game.rules.opening == "free" else [game.rules.opening]
    on = [name for name, value in vars(game.rules).items() if value is True] + opening
    return {"RU": " ".join(on) or FREE}


def text_of(name: str, value: str, point: str) -> str:
    """The text of a move. Raises MoveError for a pass."""
    if name == CHOICE:
        return value
    if not point:
        raise MoveError("no_such_cell", f"{name}[{value[:20]}] is no point; nobody passes")
    return point


def property_of(game: Gomoku, position: Position, move: Move | Choice) -> tuple[str, str]:
    """`B` or `W` with the cell's name, or the choice."""
    if isinstance(move, Choice):
        return CHOICE, move.word
    return MOVES[game.colour(position)], game.cells[move.cell]


def black(position: Position) -> int:
    return position.black


def territory(game: Gomoku, position: Position) -> dict[str, list[str]]:
    return {}


def last(game: Gomoku, position: Position, text: str, territory: Mapping[str, Sequence[str]]) -> str:
    return text
