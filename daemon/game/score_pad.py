"""A score pad: the points of each round that people write down themselves, for any game that is played in rounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from daemon.words.translation import worded
from system.numbers import whole
from wording.outside import clean

FORMAT = 1
PLAYERS = range(2, 9)
MAX_NAME_LENGTH = 32
MAX_POINTS, MAX_TARGET = 9_999, 99_999
MAX_ROUNDS = 500


class ScorePadError(ValueError):
    """What cannot be written on a pad; the message tells a person why."""


@dataclasses.dataclass(frozen=True)
class ScorePad:
    players: tuple[str, ...]
    target: int = 0
    """Total that ends the game once somebody reaches it; 0 is none."""
    lowest: bool = False
    """Whether the lowest total wins, as where the pips left in the hand are written down."""
    rounds: tuple[tuple[int, ...], ...] = ()
    pad_id: str = ""
    begun: str = ""

    def __post_init__(self) -> None:
        """Raises ScorePadError."""
        names = [clean(name, MAX_NAME_LENGTH + 1) for name in self.players]
        if len(names) not in PLAYERS:
            limits = {"low": PLAYERS[0], "high": PLAYERS[-1], "number": len(names)}
            raise ScorePadError(worded("a score pad has {low} to {high} players, not {number}", **limits))
        for name in names:
            if not 0 < len(name) <= MAX_NAME_LENGTH:
                raise ScorePadError(worded("a name has 1 to {most} characters", most=MAX_NAME_LENGTH))
        if len(set(names)) < len(names):
            raise ScorePadError(worded("two players have the same name"))
        if type(self.target) is not int or not 0 <= self.target <= MAX_TARGET:
            raise ScorePadError(f"the target is a whole number from 0 (none) to {MAX_TARGET}, not {self.target!r}")
        if len(self.rounds) > MAX_ROUNDS:
            raise ScorePadError(f"a pad has room for {MAX_ROUNDS} rounds")
        for one in self.rounds:
            if len(one) != len(names):
                raise ScorePadError(f"a round has a number for each of {', '.join(names)}, not {len(one)} numbers")
            for points in one:
                if type(points) is not int or not -MAX_POINTS <= points <= MAX_POINTS:
                    raise ScorePadError(f"points are whole numbers from -{MAX_POINTS} to {MAX_POINTS}, not {points!r}")
        object.__setattr__(self, "players", tuple(names))

    @property
    def totals(self) -> tuple[int, ...]:
        return tuple(sum(column) for column in zip(*self.rounds, strict=True)) or (0,) * len(self.players)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won, several where they are level; empty while the game goes on."""
        if not self.target or max(self.totals) < self.target:
            return ()
        best = min(self.totals) if self.lowest else max(self.totals)
        return tuple(name for name, total in zip(self.players, self.totals, strict=True) if total == best)

    def add(self, points: Sequence[int]) -> ScorePad:
        """With one more round. Raises ScorePadError, also once the game is over."""
        if self.winners:
            raise ScorePadError(worded("the game is over: undo the last round, or begin a new score pad"))
        return dataclasses.replace(self, rounds=(*self.rounds, tuple(points)))

    def undo(self) -> ScorePad:
        """Without the last round. Raises ScorePadError if there is none."""
        if not self.rounds:
            raise ScorePadError(worded("there is no round to undo"))
        return dataclasses.replace(self, rounds=self.rounds[:-1])

    def as_object(self) -> dict[str, Any]:
        """The pad as JSON has it; `of` reads it."""
        return {"format": FORMAT, **dataclasses.asdict(self), "totals": self.totals, "winners": self.winners}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> ScorePad:
        """From an object. Raises ScorePadError, KeyError, TypeError."""
        if whole(told["format"]) != FORMAT:
            raise ScorePadError(f"format {told['format']!r} is not {FORMAT}")
        fields = {name: told[name] for name in ("target", "lowest", "pad_id", "begun")}
        return cls(tuple(told["players"]), rounds=tuple(map(tuple, told["rounds"])), **fields)
