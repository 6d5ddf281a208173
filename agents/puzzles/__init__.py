"""Puzzles: positions in which exactly one move wins, proven, with the answer to every other move.

Gomoku by continuous fours of both sides, reversi by solving the ending, morris by its tables, and morris and cờ gánh by
searching every line: there the one move is the only one that wins in so few moves.
"""

from __future__ import annotations

import dataclasses
import random
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from agents import kernels, players
from rules import AnyGame, HiddenHands

LONGEST_GAME = 100
NEAR = 3
"""Lines from the middle of a gomoku board within which its random opening is laid."""
PLAYERS = {
    "gomoku": ("alphabeta:heuristic=windows,depth=2", 8),
    "reversi": ("alphabeta:depth=1,error_percent=10", 4),
    "nine_mens_morris": ("alphabeta:heuristic=best,depth=2,error_percent=10", 4),
}
"""Who plays the games in which puzzles are found, and how many plies are random before."""
USUAL = ("alphabeta:depth=2,error_percent=10", 4)


MIN_PLIES, MAX_PLIES = 3, 40
"""Length of a win that is a puzzle: what wins at once is none."""


@dataclasses.dataclass(frozen=True)
class Reply:
    result: str
    """`loses`, `draws`, or `slower`: it does not win in as few moves."""
    amount: int = 0
    """Discs or plies of a loss; 0 where nothing is counted."""
    reply: str = ""
    """The move that shows it; empty where none does."""


@dataclasses.dataclass(frozen=True)
class Certificate:
    move: str
    plies: int
    discs: int
    """Discs by which it wins in reversi; else 0."""
    proof: str
    """How it is proven: `fours`, `exact`, `table` or `full_search`."""
    line: tuple[str, ...]
    """The win against the best defence, as far as it is known."""
    others: Mapping[str, Reply]

    def as_object(self) -> dict[str, object]:
        return dataclasses.asdict(self)


class Certifier(Protocol):
    """Certifies positions of one game; keeps its tables from one to the next."""

    def certify(self, position: Any) -> Certificate | None:
        """The certificate of a position that is a puzzle; None for any other."""


def certifiers(game: AnyGame) -> list[Certifier]:
    """The ways to certify positions of a game under its rules, the surest first; empty if there is none.

    Compiles the searches, which takes seconds the first time.
    """
    if isinstance(game, HiddenHands) or (game.name in kernels.names() and not kernels.supports(game)):
        return []  # in plain Python a search of every line takes too long
    if game.name == "gomoku":
        from agents.puzzles.fours import Fours

        free = dataclasses.replace(type(game.rules)(), size=game.rules.size, first=game.rules.first)
        return [Fours(game)] if game.rules == free else []
    if game.name == "reversi":
        from agents.puzzles.endings import Endings

        return [Endings(game)]
    from agents.puzzles.full_search import MAX_NODES, MIN_WIN, FullSearch

    if game.name not in kernels.names() and len(game.legal_moves(game.initial())) ** MIN_WIN > MAX_NODES:
        return []  # go
    found: list[Certifier] = [FullSearch(game)]
    if game.name == "nine_mens_morris":
        from agents.puzzles.known_endgames import KnownEndgames

        as_morris: Any = game
        found.insert(0, KnownEndgames(as_morris))
    return found


def certify(ways: list[Certifier], position: Any) -> Certificate | None:
    return next(filter(None, (way.certify(position) for way in ways)), None)


def played(game: AnyGame, seed: int, stop: threading.Event) -> Iterator[Any]:
    """The positions of a game that begins at random and is then played by `PLAYERS`; the same for the same seed."""
    chance = random.Random(seed)
    text, opening = PLAYERS.get(game.name, USUAL)
    player = players.Player(players.parse(f"{text},seed={1 + seed % 2**31}"), game)
    position = game.initial()
    for ply in range(LONGEST_GAME):
        if stop.is_set() or game.outcome(position) is not None:
            return
        if ply < opening:
            position = game.apply(position, chance.choice(_opening_moves(game, position)))
            continue
        yield position
        position = game.apply(position, player.choose(position, stop).move)


def _opening_moves(game: AnyGame, position: Any) -> list[Any]:
    moves = list(game.legal_moves(position))
    if game.name != "gomoku":
        return moves
    size = round(len(game.cells) ** 0.5)
    low, high = size // 2 - NEAR, size // 2 + NEAR
    places = ((one, divmod(game.steps(position, one)[0].cell, size)) for one in moves)
    return [one for one, (row, column) in places if low <= row <= high and low <= column <= high] or moves
