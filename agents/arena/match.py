"""The games of two players: every opening twice, with the sides exchanged."""

from __future__ import annotations

import dataclasses
import hashlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.arena import openings
from agents.arena.openings import Opening
from agents.arena.play import Job, Played
from agents.players import PlayerSpec
from rules import AnyGame

MAX_PLIES = 600


@dataclasses.dataclass(frozen=True)
class Terms:
    game: AnyGame
    seed: int = 1
    opening_plies: int | None = None
    """Random plies before the players take over; None is the game's default."""
    file: Path | None = None
    max_plies: int = MAX_PLIES

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, str(value)) for name, value in vars(self.game.rules).items())

    @property
    def plies(self) -> int:
        return openings.default_plies(self.game.name) if self.opening_plies is None else self.opening_plies

    def settings(self, players: Sequence[PlayerSpec]) -> dict[str, Any]:
        """All settings on which the meaning of a game id depends; a record with other settings is refused."""
        digest = None if self.file is None else hashlib.sha256(self.file.read_bytes()).hexdigest()[:16]
        return {
            "game": self.game.name,
            "rules": dict(self.rules),
            "players": [spec.text for spec in players],
            "seed": self.seed,
            "opening_plies": self.plies if self.file is None else None,
            "openings_sha256": digest,
            "max_plies": self.max_plies,
        }

    def openings(self, pairs: int, seed: int) -> tuple[Opening, ...]:
        if self.file is not None:
            return openings.read(self.game, self.file, seed, pairs)
        return openings.drawn(self.game, self.plies, seed, pairs)


@dataclasses.dataclass(frozen=True)
class Pairing:
    a: PlayerSpec
    b: PlayerSpec
    jobs: tuple[Job, ...]
    """Pairs of games with the same opening: first `a` has side 0, then `b`."""

    def half_points(self, job: Job, played: Played) -> int:
        """Half points of `a` in the game: 2, 1 or 0."""
        if played.winner is None:
            return 1
        return 2 if (played.winner == 0) == self.a_is_first(job) else 0

    def a_is_first(self, job: Job) -> bool:
        return job.id.endswith("a")

    def pairs(self, played: Mapping[str, Played]) -> list[int]:
        """Half points of `a`, 0 to 4, for every opening whose two games are finished."""
        twos = zip(self.jobs[::2], self.jobs[1::2], strict=True)
        return [
            self.half_points(one, played[one.id]) + self.half_points(two, played[two.id])
            for one, two in twos
            if one.id in played and two.id in played
        ]

    def first_pairs(self, played: Mapping[str, Played]) -> list[int]:
        """Like `pairs`, up to the first unfinished opening: independent of the number of processes."""
        whole = 0
        while 2 * whole + 1 < len(self.jobs) and all(job.id in played for job in self.jobs[2 * whole : 2 * whole + 2]):
            whole += 1
        return dataclasses.replace(self, jobs=self.jobs[: 2 * whole]).pairs(played)


def pairing(terms: Terms, a: PlayerSpec, b: PlayerSpec, games: int, name: str = "", seed: int | None = None) -> Pairing:
    """The games of `a` and `b`; `name` distinguishes pairings of one tournament, which share openings by seed.

    Raises OpeningError.
    """
    if games < 2 or games % 2:
        raise ValueError(f"the games of two players are an even number, as every opening is played twice, not {games}")
    jobs = []
    for number, opening in enumerate(terms.openings(games // 2, terms.seed if seed is None else seed)):
        draw = random.Random(f"players {terms.seed} {name} {number}")
        mine, theirs = (draw.randrange(1, 2**31) for _ in "ab")
        for order, specs, seeds in (("a", (a, b), (mine, theirs)), ("b", (b, a), (theirs, mine))):
            id_ = f"{name}{':' if name else ''}{number + 1}{order}"
            jobs.append(Job(id_, terms.game.name, terms.rules, specs, seeds, opening, terms.max_plies))
    return Pairing(a, b, tuple(jobs))
