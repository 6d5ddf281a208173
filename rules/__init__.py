"""What the rules of a board game are: the `Game` protocol, the values it speaks of, and its errors.

Nothing here depends on pictures, clocks, sockets or any package outside the standard library but `wording`.

    game          the protocol and the values
    capabilities  what only some games have, such as hidden hands or points
    options       the options of a game's rules: what there is to set, from texts and back
    turns         how a turn looks on the board, step by step, and half done
    symmetry      the ways to turn and mirror a board that change nothing
    tiles         what people call a domino tile
    faults        how a wrong board differs from a position's, and what puts it right
    stones        the same for stones that are laid on points

All errors are `ValueError`s; the hierarchy lets a caller catch only what it can handle:

    GameError
    |-- UnknownGame      no module of that name
    |-- RuleError        a rule option that does not exist, or a value outside its range
    |-- PositionError    a text that is no position of this game
    `-- MoveError        a text that is no move, or a move that is not legal; `.rule` is its stable code
"""

from __future__ import annotations

from rules.capabilities import (
    Arranged,
    Counts,
    DeadPieces,
    Described,
    Figures,
    HiddenHands,
    Man,
    MarkedCells,
    RandomPlay,
    Words,
    arranged_by,
    figures_of,
    piece_noun,
    worth_trying,
)
from rules.game import (
    EMPTY,
    About,
    AnyGame,
    Fault,
    Gain,
    Game,
    GameError,
    MoveError,
    Outcome,
    PositionError,
    Right,
    RuleError,
    RuleSet,
    Side,
    Step,
    UnknownGame,
)

__all__ = [
    "EMPTY", "About", "AnyGame", "Arranged", "Counts", "DeadPieces", "Described", "Fault", "Figures", "Gain", "Game",
    "GameError", "HiddenHands", "Man", "MarkedCells", "MoveError", "Outcome", "PositionError", "RandomPlay", "Right",
    "RuleError", "RuleSet", "Side", "Step", "UnknownGame", "Words", "arranged_by", "figures_of", "piece_noun",
    "worth_trying",
]  # fmt: skip
