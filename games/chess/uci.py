"""Positions and moves as UCI writes them, with the moves that may be repeated, so that an engine knows them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from games.chess import CLAIM, Chess, Move, Position, notation
from games.chess.moves import State, after, legal
from games.chess.position import text_of
from rules import PositionError

SWITCH = "UCI_Chess960"
"""The option by which castling is told as the king to his rook."""


def options(game: Chess) -> Mapping[str, str]:
    """Options that an engine needs for the game's rules."""
    return {SWITCH: "true"} if game.shuffled else {}


def is_switched(game: Chess) -> bool:
    return game.shuffled


def switched(game: Chess, *, on: bool) -> Chess:
    """The game with the option set; it begins as before."""
    other = Chess(game.rules)
    other.shuffled = on
    return other


def line(game: Chess, position: Position) -> str:
    """`fen ...`, followed by `moves ...` since the last that cannot be repeated."""
    states = (*position.past, position.state)
    plies = len(position.past)
    first = Position(
        states[0], max(0, position.quiet - plies), number=position.number - (plies + (position.side == 0)) // 2
    )
    moves = [text(game, Position(one), _between(one, then)) for one, then in itertools.pairwise(states)]
    return f"fen {text_of(first)}" + (" moves " + " ".join(moves) if moves else "")


def alone(position: Position) -> Position:
    """The position as if it came for the first time, right after a capture: nothing may be claimed in it."""
    return Position(position.state, number=position.number)


def _between(state: State, then: State) -> Move:
    return next(move for move in legal(state) if after(state, move) == then)


def text(game: Chess, position: Position, move: Move) -> str:
    """A move as UCI has it: cells, and the letter of a promotion; empty for a claim, which it has no word for."""
    return "" if move == CLAIM else notation.uci(position.state, move, shuffled=game.shuffled)


def read(game: Chess, words: Sequence[str]) -> Any:
    """The position of `startpos`, or `fen` and its fields, after the `moves` that follow. Raises GameError."""
    at = list(words).index("moves") if "moves" in words else len(words)
    match list(words[:at]):
        case ["startpos"]:
            position = game.initial()
        case ["fen", *fields]:
            position = game.parse_position(" ".join(fields))
        case _:
            raise PositionError(f"a position begins with startpos or fen, not {' '.join(words)[:60]!r}")
    for word in words[at + 1 :]:
        position = game.apply(position, game.parse_move(position, word))
    return position
