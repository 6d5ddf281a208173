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
        self.line: tuple[int, ...] = ()
        """The cells of every stone up to the five, the attacker's first; empty until a win is proven."""
        self.hopeless = False
        """Whether these threats cannot win, as far as the inner searches saw."""

    def by_fours(self, limit: int = FOURS_FIRST) -> bool:
        """Searches for a win in which every stone makes a four; returns whether there is one."""
        won = bool(wins_by_fours(self.memory, self.attacker, Word(limit)))
        if won:
            self.line = self._fours()
        return won

    def by_threats(self, nodes: int) -> bool:
        """Continues the search for about `nodes` more positions, keeping earlier results; returns whether it won."""
        self.memory[w.THREATS_LIMIT] = self.memory[NODES] + Word(nodes)
        proven, _ = self._settle(ATTACK)
        if proven:
            self.memory[w.THREATS_LIMIT] += Word(FOLLOWING)
            self.line = self._follow()
        self.hopeless = proven is False
        return bool(self.line)

    def within(self, seconds: float) -> None:
        """Searches by fours, then by threats, until a win is proven, time is up or the search is stopped."""
        end = time.perf_counter() + seconds
        won = self.by_fours()
        while not (won or self.hopeless or self.memory[STOP]) and time.perf_counter() < end:
            won = self.by_threats(SLICE)

    def _settle(self, turn: Word) -> tuple[bool | None, list[int]]:
        """Searches on, from what is known; returns what is known then."""
        threats.prove(self.memory, self.attacker, turn, Word(0), threats.SURE, threats.SURE)
        return self._known(turn)

    def _known(self, turn: Word) -> tuple[bool | None, list[int]]:
        """Whether the win is proven (True) or disproven (False), and the position's moves."""
        memory, key = self.memory, threats.threat_key(self.memory, self.attacker, turn)
        slot = threats.slot_of(memory, key)
        if memory[slot] != key:
            return None, []
        count, numbers = int(threats.fetch(memory, slot, Word(0))), memory[slot + Word(1)]
        proof, disproof = numbers & threats.NUMBER, numbers >> threats.AT_DISPROOF & threats.NUMBER
        return None if proof and disproof else not proof, memory[int(w.MOVES) :][:count].tolist()

    def _fours(self) -> tuple[int, ...]:
        """The line of the win by fours found last."""
        return tuple(self.memory[int(w.LINE) :][: int(self.memory[w.LINE_LENGTH])].tolist())

    def _follow(self) -> tuple[int, ...]:
        """The line of a proven win against the answers that seem to hold out longest; empty if the proof is lost."""
        memory, line = self.memory, list[int]()
        while not (won := wins_by_fours(memory, self.attacker, Word(FOURS_FIRST))):
            move = self._winning_move()
            if move is None:
                break
            place(memory, Word(move), self.attacker)
            answer = self._answer()
            place(memory, Word(answer), self.attacker ^ Word(1))
            line += [move, answer]
        whole = (*line, *self._fours()) if won else ()
        for _ in line:
            lift(memory)
        return whole

    def _winning_move(self) -> int | None:
        """A proven move of the attacker, searched for again if the table has lost it; None if it is not found."""
        proven, moves = self._settle(ATTACK)
        for cell in moves if proven else ():
            place(self.memory, Word(cell), self.attacker)
            proven, _ = self._known(DEFENCE)
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
        empty = np.flatnonzero(memory[int(w.STONES) : int(w.LINES)] == 0)
        lengths = {}
        for cell in self._settle(DEFENCE)[1] or empty[:1].tolist():
            place(memory, Word(cell), defender)
            fours = wins_by_fours(memory, self.attacker, threats.INNER_FOURS)
            lengths[cell] = int(memory[w.LINE_LENGTH]) if fours else w.MAX_PLY
            lift(memory)
        return max(lengths, key=lambda cell: lengths[cell])
