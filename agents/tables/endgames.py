"""The endgame tables available to a search, and perfect play from them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.search import WIN, Iteration
from agents.tables import DRAW, MAX_MEN, MIN_MEN, TableError, files, numbering, outcome, plies
from games.nine_mens_morris import Move, NineMensMorris, Position
from games.nine_mens_morris.kernel import endgame_index

_log = logging.getLogger(__name__)
U = np.uint64
LINE = 12
"""Plies of the expected line to look up."""


class Worth(NamedTuple):
    """Rank of a move in a known endgame, compared field by field; the greatest is played."""

    result: int
    """1 wins, 0 draws, -1 loses; an immediate draw by the rules counts as a draw."""
    in_time: bool
    """Whether the end comes, or a man is taken, before the limit on quiet moves makes a draw."""
    haste: int
    """Plies to the end: negative for a win, positive for a loss."""
    traps: float
    """Share of the enemy's replies that lose, in a draw."""
    lasting: bool
    """Whether the game continues after the move."""


class Endgames:
    """All tables for a game's rules up to some number of men, memory-mapped: pages load from disk when read."""

    def __init__(self, game: NineMensMorris, within: Path) -> None:
        self.game = game
        self._tables: dict[tuple[int, int], files.Codes] = {}
        here = files.of_rules(game, within)
        for men in range(MIN_MEN, min(MAX_MEN, 2 * game.rules.men) + 1):
            spaces = [one for pair in files.pairs(men, game.rules.men) for one in files.both(*pair)]
            try:
                tables = {
                    (own, opp): files.read(files.table_path(here, own, opp), files.rules_key(game), own, opp)[1]
                    for own, opp in spaces
                }
            except TableError as error:
                if any(files.table_path(here, own, opp).exists() for own, opp in spaces):
                    _log.warning("no endgame of %d men is looked up: %s; `kibitzer tables build` makes it", men, error)
                break
            self._tables |= tables
        self.men = max((own + opp for own, opp in self._tables), default=0)
        """Every endgame with up to this many men, both sides together, is known; 0 means none."""
        self._index = numbering.index(max((own for own, _ in self._tables), default=3))
        self.base = int(self._index.ctypes.data)
        """Address of the index. It and `addresses` are valid as long as this object lives."""
        self.addresses = {space: int(codes.ctypes.data) for space, codes in self._tables.items()}

    def code(self, mine: int, theirs: int) -> int | None:
        """The code of a position for its mover, all men laid; None if no table has it."""
        codes = self._tables.get((mine.bit_count(), theirs.bit_count()))
        if codes is None:
            return None
        return int(codes[int(endgame_index.slot_of(U(self.base), U(mine), U(theirs)))])

    def best_move(self, position: Position) -> Iteration | None:
        """The best move of a position that is not over, in a search's form; None if no table has it.

        A win is shortened and a loss lengthened, so that a position never recurs in a win; in a draw
        the enemy gets as large a share of losing replies as possible.
        """
        code = self._of(position)
        if code is None:
            return None
        line: list[Move] = []
        worth, here = None, position
        while len(line) < LINE and self.game.outcome(here) is None:
            ranked = [(self.worth(here, move), move) for move in self.game.legal_moves(here)]
            best = max(ranked, key=lambda one: one[0])
            worth = worth or best[0]
            line.append(best[1])
            here = self.game.apply(here, best[1])
        assert worth is not None
        score = 0 if worth.result == 0 else worth.result * (WIN - abs(worth.haste))
        nodes = len(self.game.legal_moves(position)) + 1
        return Iteration(True, line[0], score, tuple(line), nodes, final=True, exact=True)

    def _of(self, position: Position) -> int | None:
        if any(position.hands):
            return None
        return self.code(position.men[position.side], position.men[1 - position.side])

    def worth(self, position: Position, move: Move) -> Worth:
        """The rank of a legal move in a position that a table has."""
        after = self.game.apply(position, move)
        ended = self.game.outcome(after)
        if ended is not None:
            result = 0 if ended.winner is None else 1
            return Worth(result, True, -result, 0.0, False)
        code = self._of(after)
        assert code is not None  # a position is only in a table if all tables with fewer men exist
        away, limit = plies(code), self.game.rules.quiet_plies
        if away is None:
            return Worth(0, True, 0, self._traps(after), True)
        result = -outcome(code)
        in_time = move.removed is not None or limit == 0 or position.quiet + 1 + away <= limit
        return Worth(result, in_time, -result * (away + 1), 0.0, True)

    def _traps(self, position: Position) -> float:
        """The share of the mover's moves that lose."""
        codes = []
        for move in self.game.legal_moves(position):
            after = self.game.apply(position, move)
            ended = self.game.outcome(after)
            code = DRAW if ended is not None else self._of(after)
            codes.append(code is not None and outcome(code) == 1)
        return sum(codes) / len(codes)
