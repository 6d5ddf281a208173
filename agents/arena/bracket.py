"""A knock-out: neighbours in the list meet, the winner advances.

The player who wins more games advances, as in the championship of the eight morris heuristics. If both win equally
many, the player with more wins as the second player advances; then the one whose wins took fewer plies; then the one
listed first.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from agents.arena.match import Pairing, Terms, pairing
from agents.arena.play import Job, Played
from agents.arena.record import GameRunner
from agents.players import PlayerSpec


@dataclasses.dataclass(frozen=True)
class Depths:
    opening: int | None
    """Plies during the opening, while men are laid; None if the game has no opening of its own."""
    other: int

    @classmethod
    def parse(cls, text: str) -> Depths:
        words = text.strip().split("/")
        if not (1 <= len(words) <= 2 and all(word.isdecimal() and 1 <= int(word) <= 100 for word in words)):
            raise ValueError(f"--depths are such as 3/3,3/5 (opening/afterwards, 1 to 100 plies), not {text!r}")
        return cls(int(words[0]) if len(words) == 2 else None, int(words[-1]))

    @property
    def text(self) -> str:
        return f"{self.other}" if self.opening is None else f"{self.opening}/{self.other}"

    def of(self, spec: PlayerSpec) -> PlayerSpec:
        """The player with these depths. Raises ValueError if it sets depths itself."""
        limits = {name for name, value in vars(spec.limits).items() if value is not None}
        named = {"depth", "opening_depth"} & ({name for name, _ in spec.options} | limits)
        if named:
            raise ValueError(f"{spec.text} names its {', '.join(sorted(named))}: leave it out, or leave out --depths")
        opening = () if self.opening is None else (("opening_depth", str(self.opening)),)
        return dataclasses.replace(spec, options=(*spec.options, *opening, ("depth", str(self.other))))


@dataclasses.dataclass(frozen=True)
class Meeting:
    a: int
    b: int
    wins: tuple[int, int]
    wins_as_second: tuple[int, int]
    plies_of_wins: tuple[float, float]
    """Mean plies; 0 without a win."""
    draws: int
    by_depths: dict[str, tuple[int, int, int]]
    """Games won, drawn and lost by `a`, for each of the depths."""
    winner: int
    decided_by: str
    """`wins`, `wins_as_second`, `fewer_plies` or `listed_first`."""


@dataclasses.dataclass(frozen=True)
class Bracket:
    players: tuple[str, ...]
    rounds: tuple[tuple[Meeting, ...], ...]
    byes: tuple[int, ...]
    """Players who entered the second round without playing."""
    champion: int | None
    """None if it was stopped before the end."""

    def as_json(self) -> dict[str, Any]:
        return {
            **dataclasses.asdict(self),
            "champion_player": None if self.champion is None else self.players[self.champion],
        }


def first_round(count: int) -> tuple[list[tuple[int, int]], list[int]]:
    """The first pairs, and the players with a bye: the first listed, if the number is not a power of two."""
    size = 1 << (count - 1).bit_length()
    byes = list(range(size - count))
    rest = list(range(size - count, count))
    return list(zip(rest[::2], rest[1::2], strict=True)), byes


class KnockOut:
    def __init__(self, terms: Terms, specs: Sequence[PlayerSpec], games: int, depths: Sequence[Depths]) -> None:
        """Each pair plays `games`, in equal parts with each of the depths. Raises ValueError."""
        parts = max(1, len(depths))
        if games % (2 * parts):
            raise ValueError(f"--games is a multiple of {2 * parts}: twice as many as there are --depths, not {games}")
        if len(specs) < 2:
            raise ValueError("a knock-out needs two players or more")
        if len({spec.text for spec in specs}) < len(specs):
            raise ValueError("a player is listed twice")
        self.terms, self.specs, self.games, self.depths = terms, list(specs), games, list(depths)
        for spec in specs:
            for one in depths:
                one.of(spec)

    def play(self, runner: GameRunner) -> None:
        while jobs := self._walk(runner.record.played)[1]:
            runner.play(jobs)

    def result(self, played: Mapping[str, Played]) -> Bracket:
        rounds, left = self._walk(played)
        champion = None if left else rounds[-1][0].winner
        return Bracket(
            tuple(spec.text for spec in self.specs), tuple(rounds), tuple(first_round(len(self.specs))[1]), champion
        )

    def _walk(self, played: Mapping[str, Played]) -> tuple[list[tuple[Meeting, ...]], list[Job]]:
        """The finished rounds, and the games of the next one."""
        meetings, through = first_round(len(self.specs))
        rounds: list[tuple[Meeting, ...]] = []
        while meetings:
            met = [self.pairings(len(rounds) + 1, a, b) for a, b in meetings]
            jobs = [job for parts in met for part in parts.values() for job in part.jobs]
            if any(job.id not in played for job in jobs):
                return rounds, jobs
            rounds.append(tuple(judge(a, b, parts, played) for (a, b), parts in zip(meetings, met, strict=True)))
            going, through = [*through, *(meeting.winner for meeting in rounds[-1])], []
            meetings = list(zip(going[::2], going[1::2], strict=False))  # of the last two, one is left alone
        return rounds, []

    def pairings(self, number: int, a: int, b: int) -> dict[str, Pairing]:
        """The games of two players in a round, by depths; each part has its own openings."""
        found = {}
        share = self.games // max(1, len(self.depths))
        for depths in self.depths or (None,):
            text = "" if depths is None else depths.text
            one, two = (self.specs[player] if depths is None else depths.of(self.specs[player]) for player in (a, b))
            name = f"{number}:{a + 1}-{b + 1}:{text}"
            seed = int(hashlib.sha256(f"{self.terms.seed} {name}".encode()).hexdigest()[:8], 16)
            found[text] = pairing(self.terms, one, two, share, name, seed)
        return found


def judge(a: int, b: int, parts: Mapping[str, Pairing], played: Mapping[str, Played]) -> Meeting:
    wins, second, plies, draws = [0, 0], [0, 0], [0, 0], 0
    by_depths = {}
    for text, part in parts.items():
        count = [0, 0, 0]
        for job in part.jobs:
            game, half = played[job.id], part.half_points(job, played[job.id])
            count[2 - half] += 1
            if half == 1:
                draws += 1
                continue
            who = 0 if half == 2 else 1
            wins[who] += 1
            second[who] += (who == 0) != part.a_is_first(job)
            plies[who] += game.plies
        by_depths[text] = (count[0], count[1], count[2])
    mean = [plies[who] / wins[who] if wins[who] else 0.0 for who in (0, 1)]
    won, reason = 0 if a < b else 1, "listed_first"
    for code, one, two in (
        ("wins", wins[0], wins[1]),
        ("wins_as_second", second[0], second[1]),
        ("fewer_plies", -mean[0], -mean[1]),
    ):
        if one != two:
            won, reason = int(two > one), code
            break
    return Meeting(
        a, b, (wins[0], wins[1]), (second[0], second[1]), (mean[0], mean[1]), draws, by_depths, (a, b)[won], reason
    )  # fmt: skip


def lines_of(found: Bracket) -> list[str]:
    width = max(len(player) for player in found.players)
    lines: list[str] = []
    for number, meetings in enumerate(found.rounds, 1):
        title = f"round {number}" if len(meetings) > 1 or number < len(found.rounds) else "final"
        lines += ([""] if lines else []) + [title]
        if number == 1:
            lines += [f"  {found.players[player]} goes through without a game" for player in found.byes]
        for one in meetings:
            a, b, winner = (found.players[number] for number in (one.a, one.b, one.winner))
            lines.append(
                f"  {a:<{width}}  {one.wins[0]:>3} won, {one.draws:>3} drawn, {one.wins[1]:>3} lost  "
                f"{b:<{width}}  -> {winner}"
                + ("" if one.decided_by == "wins" else f" (by {one.decided_by.replace('_', ' ')})")
            )
            if len(one.by_depths) > 1:
                parts = "; ".join(f"{text}: {w}-{d}-{lost}" for text, (w, d, lost) in one.by_depths.items())
                lines.append(f"  {'':<{width}}  won-drawn-lost by depths {parts}")
    champion = "nobody yet: it was stopped" if found.champion is None else found.players[found.champion]
    return [*lines, "", f"champion: {champion}"]
