"""Reversi: the ending is solved, and one disc wins it."""

from __future__ import annotations

from typing import Any

from agents.endgames import Solver
from agents.puzzles import Certificate, Reply
from agents.values import final_lead
from rules import AnyGame

MIN_EMPTIES, MAX_EMPTIES = 4, 12
"""Empty squares of a puzzle: people can count it out, and all moves are solved in less than a second."""
TABLE_MB = 16


class Endings:
    def __init__(self, game: AnyGame) -> None:
        self._game, self._solver = game, Solver(TABLE_MB)

    def certify(self, position: Any) -> Certificate | None:
        game = self._game
        empties = 64 - (position.discs[0] | position.discs[1]).bit_count()
        moves = game.legal_moves(position)
        if not MIN_EMPTIES <= empties <= MAX_EMPTIES or len(moves) < 2:
            return None
        scores = {move: self._score(position, move) for move in moves}
        winning = [move for move in moves if scores[move] > 0]
        if len(winning) != 1:
            return None
        line = self._line(position, winning[0])
        others = {}
        for move in moves:
            if move != winning[0]:
                reply = self._line(position, move)[1:2]
                result = "loses" if scores[move] < 0 else "draws"
                others[game.format_move(position, move)] = Reply(result, -scores[move], reply[0] if reply else "")
        text = game.format_move(position, winning[0])
        return Certificate(text, len(line), scores[winning[0]], "exact", tuple(line), others)

    def _score(self, position: Any, move: Any) -> int:
        after = self._game.apply(position, move)
        return self._value(after) * (1 if after.side == position.side else -1)

    def _value(self, position: Any) -> int:
        ended = self._game.outcome(position)
        if ended is None:
            return self._solver.solve(position).score
        assert ended.scores is not None
        return final_lead(ended.scores) * (1 if position.side == 0 else -1)

    def _line(self, position: Any, move: Any) -> list[str]:
        game, here, texts = self._game, position, []
        while True:
            texts.append(game.format_move(here, move))
            here = game.apply(here, move)
            if game.outcome(here) is not None:
                return texts
            move = self._solver.solve(here).best[0]
