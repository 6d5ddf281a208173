"""Any game: every line is searched, and one move is the only one that wins in so few moves."""

from __future__ import annotations

from typing import Any

from agents.move_request import texts_of
from agents.plain_search import PlainSearch, search_of
from agents.puzzles import Certificate, Reply
from agents.search import WIN
from rules import AnyGame

MIN_WIN, MAX_WIN = 3, 7
"""Plies of a win that is looked for."""
TABLE_MB = 32
MAX_NODES = 5_000
"""Positions that a search in plain Python visits to prove one move, in about a second."""
MAX_COMPILED_NODES = 300_000
"""Those of a compiled search, in about a fifth of a second: in chess they mostly reach a mate in three."""


class FullSearch:
    """Searches without any selection, as plain minimax does."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._search = search_of(game, TABLE_MB)
        self._nodes = MAX_NODES if isinstance(self._search, PlainSearch) else MAX_COMPILED_NODES

    def certify(self, position: Any) -> Certificate | None:
        """The certificate; None unless the shortest win found has 3 to 7 plies and begins with one move only."""
        game, search = self._game, self._search
        moves = game.legal_moves(position)
        search.begin(position, self._nodes, exact=True)
        plies, found = 0, None
        for depth in range(1, MAX_WIN + 1):
            found = search.deepen(depth)
            if not found.whole:
                return None
            if found.score >= WIN - depth:
                plies = WIN - found.score
                break
        if found is None or not MIN_WIN <= plies <= MAX_WIN or len(moves) < 2:
            return None
        others = {}
        for move in moves:
            if move == found.move:
                continue
            reply = self._slower(position, move, plies)
            if reply is None:
                return None
            others[game.format_move(position, move)] = reply
        texts = texts_of(game, position, found.pv)
        return Certificate(texts[0], plies, 0, "full_search", tuple(texts), others)

    def _slower(self, position: Any, move: Any, plies: int) -> Reply | None:
        """What the enemy answers to a move that does not win in that many plies; None if it does, or is not proven."""
        game, search = self._game, self._search
        after = game.apply(position, move)
        ended = game.outcome(after)
        if ended is not None:
            won = ended.winner == game.to_move(position)
            return None if won else Reply("draws" if ended.winner is None else "loses", 1)
        search.begin(after, self._nodes, exact=True)
        best = None
        for depth in range(1, plies):
            best = search.deepen(depth)
            if not best.whole:
                return None
        assert best is not None and best.move is not None
        if best.score <= -(WIN - plies):
            return None
        reply = game.format_move(after, best.move)
        if best.score >= WIN - plies:
            return Reply("loses", WIN - best.score + 1, reply)
        return Reply("slower", 0, reply)
