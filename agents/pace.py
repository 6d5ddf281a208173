"""Keeps what a player uses of the processor, in the mean over all moves of its games, to what it is to have.

A program is told seconds of a clock or plies, and uses what it likes of them; anybody uses next to nothing of a forced
move, one from the book, or a solved ending. So each is asked for what brings its mean to its aim, by what asking has
brought until now. Of two players one may follow: it aims at what the other has really used.
"""

from __future__ import annotations

import dataclasses
from collections import deque

RECENT = 9
"""Moves that tell how much of the processor a player gets: the system counts in hundredths of a second."""
MOST = 8
"""Times as long, and as short, that a move may take for the processor time it is given: engines may sleep."""
SPAN = 20
"""Moves in which a player makes up for what it has used too much or too little, and for which it is trusted to use what
it is asked for. In 300 simulated duels of 20 games, with programs that use a fifth to three times of what they are
told, in steps of 2.5, never below 20 ms, or always the same, and with solved endings, means differ by 5 % at most; with
40 by 9 %; with 10 by 3 %, but the longest moves take a fifth longer.
"""
CATCH_UP = 2
"""Times the aim that a move is asked to use at most, to make up for others."""
LEAST_S = 0.001
"""The least that programs can be told."""


@dataclasses.dataclass
class Pace:
    """One player's account over the games of a pairing, in seconds of processor time."""

    processor_s: float
    """What it is to have a move, in the mean."""
    follows: Pace | None = None
    """Whose mean it aims at, in the proportion of what both are to have."""
    moves: int = 0
    used_s: float = 0.0
    asked_s: float = 0.0
    recent: deque[tuple[float, float]] = dataclasses.field(default_factory=lambda: deque(maxlen=RECENT))
    """Processor time and time of the latest moves that took what they were given."""

    @property
    def aim_s(self) -> float:
        other = self.follows
        if other is None or other.moves < SPAN:
            return self.processor_s
        return max(self.processor_s * other.used_s / other.moves / other.processor_s, LEAST_S)

    def next_s(self) -> float:
        """What to ask of the next move."""
        aim_s = self.aim_s
        behind_s = aim_s * self.moves - self.used_s
        brings = (self.used_s + aim_s * SPAN) / (self.asked_s + aim_s * SPAN)
        wanted_s = min(max(aim_s + behind_s / SPAN, aim_s / MOST), aim_s * CATCH_UP)
        return wanted_s / min(max(brings, 1 / MOST), MOST)

    def count(self, asked_s: float, used_s: float) -> None:
        self.moves, self.used_s, self.asked_s = self.moves + 1, self.used_s + used_s, self.asked_s + asked_s

    def share(self) -> float:
        """Seconds of the processor in a second of the clock, within MOST: all of it before that is known."""
        used_s, thought_s = map(sum, zip(*self.recent, strict=True)) if self.recent else (1.0, 1.0)
        return min(max(used_s / thought_s, 1 / MOST), MOST)
