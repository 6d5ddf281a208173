"""Nine men's morris: the tables know that one move wins and no other does."""

from __future__ import annotations

from typing import Any

from agents.move_request import texts_of
from agents.puzzles import MAX_PLIES, MIN_PLIES, Certificate, Reply
from agents.tables import files
from agents.tables.endgames import Endgames
from games.nine_mens_morris import NineMensMorris


class KnownEndgames:
    def __init__(self, game: NineMensMorris) -> None:
        self._game = game
        root = files.root()
        self._tables = None if root is None else Endgames(game, root)

    def certify(self, position: Any) -> Certificate | None:
        """The certificate; None where no table reaches, or several moves win."""
        game, tables = self._game, self._tables
        if tables is None or tables.best_move(position) is None:
            return None
        worth = {move: tables.worth(position, move) for move in game.legal_moves(position)}
        winning = [move for move, one in worth.items() if one.result > 0 and one.in_time]
        unsure = [move for move, one in worth.items() if one.result > 0 and not one.in_time]
        if len(winning) != 1 or unsure or len(worth) < 2:
            return None
        plies = -worth[winning[0]].haste
        if not MIN_PLIES <= plies <= MAX_PLIES:
            return None
        others = {}
        for move, one in worth.items():
            if move != winning[0]:
                result = "loses" if one.result < 0 else "draws"
                others[game.format_move(position, move)] = Reply(
                    result, max(0, one.haste), _reply(game, tables, position, move)
                )
        line = [game.format_move(position, winning[0])]
        here = game.apply(position, winning[0])
        if game.outcome(here) is None and (following := tables.best_move(here)) is not None:
            line += texts_of(game, here, following.pv[: plies - 1])
        return Certificate(line[0], plies, 0, "table", tuple(line), others)


def _reply(game: NineMensMorris, tables: Endgames, position: Any, move: Any) -> str:
    """The best answer to a move; empty where it ends the game."""
    after = game.apply(position, move)
    best = None if game.outcome(after) is not None else tables.best_move(after)
    return "" if best is None else game.format_move(after, best.move)
