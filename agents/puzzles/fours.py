"""Gomoku: one stone wins by continuous fours, and after any other the enemy does."""

from __future__ import annotations

from typing import Any

from agents.kernels.memory import begin_search
from agents.move_request import texts_of
from agents.puzzles import MAX_PLIES, MIN_PLIES, Certificate, Reply
from games.gomoku import Move
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.board import allocate
from games.gomoku.kernel.prover import Proof, write_stones
from rules import AnyGame

TABLE_MB = 32
LIMIT = 50_000
"""Most positions of one search for fours."""
DEEPEST = 3
"""Most fours in a row that are tried before another stone, for a move that is to lose."""


class Fours:
    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._size = round(len(game.cells) ** 0.5)
        self._memory = allocate(self._size, (False, False), TABLE_MB)

    def certify(self, position: Any) -> Certificate | None:
        game = self._game
        line = self._fours(position)
        if line is None or not MIN_PLIES < len(line) <= MAX_PLIES:
            return None
        others = {}
        for move in game.legal_moves(position):
            if move.cell == line[0]:
                continue
            reply = self._refuted(position, move, DEEPEST)
            if reply is None:
                return None
            others[game.format_move(position, move)] = reply
        texts = texts_of(game, position, map(Move, line))
        return Certificate(texts[0], len(line), 0, "fours", tuple(texts), others)

    def _fours(self, position: Any) -> list[int] | None:
        """The cells of a win by fours of the side to move; None if there is none."""
        memory = self._memory
        begin_search(memory)
        write_stones(memory, self._size, position.stones)
        proof = Proof(memory, position.side)
        if not proof.by_fours(LIMIT):
            return None
        return [layout.index_of(cell, self._size) for cell in proof.line]

    def _refuted(self, position: Any, move: Any, depth: int) -> Reply | None:
        """How the enemy wins by fours after the stone; None if that is not proven.

        If the stone makes a four the enemy must stop it: then every stone after that must be refuted in turn.
        """
        game = self._game
        after = game.apply(position, move)
        if game.outcome(after) is not None:
            return None
        line = self._fours(after)
        if line is not None:
            return Reply("loses", len(line) + 1, game.format_move(after, Move(line[0])))
        fives = self._fives(after, position.side)
        if len(fives) != 1 or not depth:
            return None
        stop = Move(fives[0])
        stopped = game.apply(after, stop)
        if game.outcome(stopped) is not None or self._fours(stopped) is not None:
            return None
        for again in game.legal_moves(stopped):
            if self._refuted(stopped, again, depth - 1) is None:
                return None
        return Reply("loses", 0, game.format_move(after, stop))

    def _fives(self, position: Any, side: int) -> list[int]:
        stones = position.stones[side]
        empty = [move.cell for move in self._game.legal_moves(position)]
        geometry = self._game.geometry  # type: ignore[attr-defined]
        return [cell for cell in empty if geometry.has_five(stones | 1 << cell)]
