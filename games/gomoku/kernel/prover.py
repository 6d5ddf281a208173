"""Proves wins of one side, by fours alone, then by threats, and gives the winning line."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from agents.kernels.memory import NODES, STOP, Memory, Word
from games.gomoku.kernel import memory as w
from games.gomoku.kernel import threats
from games.gomoku.kernel.board import first_in, lift, place
from games.gomoku.kernel.fours import wins_by_fours
from rules.turns import cells_of

FOURS_FIRST = 200_000
"""Most positions of a search for a win by fours alone."""
SLICE = 20_000
"""Positions between two checks of the clock, some 20 ms."""
FOLLOWING = 200_000
"""Positions to spend on a proven line if the table has lost part of it."""
ATTACK, DEFENCE = Word(1), Word(0)
PROVEN, DISPROVEN = 1, 2


def write_stones(memory: Memory, size: int, stones: Sequence[int]) -> None:
    """Sets the board to these stones: bit sets of black and white, with bit row * size + column."""
    while memory[w.STONE_COUNT]:
        lift(memory)
    for colour in (0, 1):
        for index in cells_of(stones[colour]):
            place(memory, Word(w.cell_of(index, size)), Word(colour))


class Proof:
    """A search for a forced win of `attacker`, who is to move, in the position that `memory` holds."""

    def __init__(self, memory: Memory, attacker: int) -> None:
        self.memory = memory
        self.attacker = Word(attacker)
        self.line: tuple[int, ...] | None = None
        """The cells of every stone up to the five, the attacker's first; None until a win is proven."""
        self.hopeless = False
        """Whether these threats cannot win, as far as the inner searches saw."""

    def by_fours(self, limit: int = FOURS_FIRST) -> bool:
        """Searches for a win in which every stone makes a four; returns whether there is one."""
        if wins_by_fours(self.memory, self.attacker, Word(limit)):
            self.line = self._written()
        return self.line is not None

    def by_threats(self, nodes: int) -> bool:
        """Continues the search for about `nodes` more positions, keeping earlier results; returns whether it won."""
        self.memory[w.THREATS_LIMIT] = self.memory[NODES] + Word(nodes)
        settled = self._settle(ATTACK)
        if settled == PROVEN:
            self.memory[w.THREATS_LIMIT] += Word(FOLLOWING)
            line = self._follow()
            self.line = tuple(line) if line else None
        self.hopeless = settled == DISPROVEN
        return self.line is not None

    def within(self, seconds: float) -> bool:
        """Searches by fours, then by threats, until time is up or the search is stopped; True: a win is proven."""
        end = time.perf_counter() + seconds
        if self.by_fours():
            return True
        while not self.hopeless and not self.memory[STOP] and time.perf_counter() < end:
            if self.by_threats(SLICE):
                return True
        return False

    def _settle(self, turn: Word) -> int:
        """Searches on; returns PROVEN, DISPROVEN or 0."""
        memory = self.memory
        threats.prove(memory, self.attacker, turn, Word(0), threats.SURE, threats.SURE)
        return self._state(turn)

    def _state(self, turn: Word) -> int:
        slot = int(threats.find(self.memory, threats.threat_key(self.memory, self.attacker, turn)))
        if not slot:
            return 0
        word = self.memory[slot + 1]
        proof, disproof = word & threats.NUMBER, word >> threats.AT_DISPROOF & threats.NUMBER
        return PROVEN if not proof else DISPROVEN if not disproof else 0

    def _written(self) -> tuple[int, ...]:
        start, length = int(w.LINE), int(self.memory[w.LINE_LENGTH])
        return tuple(int(cell) for cell in self.memory[start : start + length])

    def _follow(self) -> list[int]:
        """The line of a proven win against the answers that seem to hold out longest; [] if the proof is lost."""
        memory, attacker = self.memory, self.attacker
        line: list[int] = []
        while True:
            if wins_by_fours(memory, attacker, Word(FOURS_FIRST)):
                whole = [*line, *self._written()]
                break
            move = self._winning_move()
            if move is None:
                whole = []
                break
            place(memory, Word(move), attacker)
            line.append(move)
            answer = self._answer()
            place(memory, Word(answer), attacker ^ Word(1))
            line.append(answer)
        for _ in line:
            lift(memory)
        return whole

    def _winning_move(self) -> int | None:
        """A proven move of the attacker, searched for again if the table has lost it; None if it is not found."""
        if self._state(ATTACK) != PROVEN and self._settle(ATTACK) != PROVEN:
            return None
        for cell in self._moves(ATTACK):
            place(self.memory, Word(cell), self.attacker)
            proven = self._state(DEFENCE) == PROVEN
            lift(self.memory)
            if proven:
                return cell
        return None

    def _answer(self) -> int:
        """The defender's answer after which the win by fours is farthest away, or gone."""
        memory, defender = self.memory, self.attacker ^ Word(1)
        forced = int(first_in(memory, self.attacker, w.FIVE))
        if forced != w.NOWHERE:
            return forced
        if self._state(DEFENCE) != PROVEN:
            self._settle(DEFENCE)
        best, longest = 0, -1
        empty = np.flatnonzero(memory[int(w.STONES) : int(w.LINES)] == 0)
        for cell in self._moves(DEFENCE) or empty[:1].tolist():
            place(memory, Word(cell), defender)
            fours = wins_by_fours(memory, self.attacker, threats.INNER_FOURS)
            length = int(memory[w.LINE_LENGTH]) if fours else w.MAX_PLY
            lift(memory)
            if length > longest:
                best, longest = cell, length
        return best

    def _moves(self, turn: Word) -> list[int]:
        slot = int(threats.find(self.memory, threats.threat_key(self.memory, self.attacker, turn)))
        if not slot:
            return []
        count = int(threats.fetch(self.memory, Word(slot), Word(0)))
        return [int(cell) for cell in self.memory[int(w.MOVES) : int(w.MOVES) + count]]
