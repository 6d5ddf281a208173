"""Tournaments in which it is known before who meets whom: round robins, gauntlets, and the ladder of levels.

In a round robin every player meets every other, with a cross table and ratings; in a gauntlet one player meets several
others; on the ladder each level meets the one below.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents import levels, players
from agents.arena import elo
from agents.arena.elo import Rating
from agents.arena.match import Pairing, Terms, pairing
from agents.arena.play import Played
from agents.arena.report import Summary, Tally, summary
from agents.players import PlayerSpec

WANTED = 0.6
"""Share of the points that a level must take from the one below."""


def round_robin(terms: Terms, specs: Sequence[PlayerSpec], games: int) -> dict[tuple[int, int], Pairing]:
    return {
        (a, b): pairing(terms, specs[a], specs[b], games, f"{a + 1}-{b + 1}")
        for a, b in itertools.combinations(range(len(specs)), 2)
    }


@dataclasses.dataclass(frozen=True)
class Place:
    player: str
    tally: Tally
    rating: Rating
    against: tuple[Tally | None, ...]


@dataclasses.dataclass(frozen=True)
class Table:
    places: tuple[Place, ...]
    meetings: tuple[Summary, ...]

    @property
    def ranking(self) -> list[int]:
        return sorted(
            range(len(self.places)),
            key=lambda number: (-self.places[number].tally.points, -self.places[number].rating.elo),
        )

    def as_json(self) -> dict[str, Any]:
        places = [dataclasses.asdict(self.places[number]) for number in self.ranking]
        for place, number in zip(places, self.ranking, strict=True):
            place["points"] = self.places[number].tally.points
        return {"places": places, "meetings": [one.as_json() for one in self.meetings]}


def table(specs: Sequence[PlayerSpec], met: Mapping[tuple[int, int], Pairing], played: Mapping[str, Played]) -> Table:
    meetings = {numbers: summary(one, played) for numbers, one in met.items()}
    points = {
        numbers: (one.tally.points, one.tally.games - one.tally.points)
        for numbers, one in meetings.items()
        if one.tally.games
    }
    rated = elo.ratings(points, len(specs))
    places = []
    for number, spec in enumerate(specs):
        against = tuple(_against(meetings, number, other) for other in range(len(specs)))
        own = [tally for tally in against if tally is not None]
        total = Tally(
            sum(tally.wins for tally in own), sum(tally.draws for tally in own), sum(tally.losses for tally in own)
        )
        places.append(Place(spec.text, total, rated[number], against))
    return Table(tuple(places), tuple(meetings.values()))


def _against(meetings: Mapping[tuple[int, int], Summary], number: int, other: int) -> Tally | None:
    if number == other:
        return None
    if (number, other) in meetings:
        return meetings[number, other].tally
    theirs = meetings[other, number].tally
    return Tally(theirs.losses, theirs.draws, theirs.wins)


def table_lines(found: Table) -> list[str]:
    ranking = found.ranking
    width = max(12, *(len(place.player) for place in found.places))
    heads = "".join(f"{place:>7}" for place in range(1, len(ranking) + 1))
    lines = [f"    {'':<{width}}{heads}  points    won  drawn   lost    Elo   95 %"]
    for rank, number in enumerate(ranking, 1):
        place = found.places[number]
        cells = "".join(
            f"{'-' if tally is None else f'{tally.points:g}':>7}"
            for tally in (place.against[other] for other in ranking)
        )
        tally, rating = place.tally, place.rating
        lines.append(
            f"{rank:>2}. {place.player:<{width}}{cells}  {tally.points:>6g} {tally.wins:>6} {tally.draws:>6} "
            f"{tally.losses:>6} {rating.elo:>+6.0f} {rating.error:>6.0f}"
        )
    return lines + _faults(found.meetings)


@dataclasses.dataclass(frozen=True)
class Step:
    level: int
    player: str
    summary: Summary

    @property
    def is_won(self) -> bool:
        return self.summary.estimate is not None and self.summary.estimate.score >= WANTED

    def as_json(self) -> dict[str, Any]:
        return {"level": self.level, "player": self.player, "is_won": self.is_won, **self.summary.as_json()}


def ladder(terms: Terms, games: int, lowest: int, highest: int) -> dict[int, Pairing]:
    if not 2 <= lowest <= highest <= levels.NUMBERS[-1]:
        raise ValueError(f"levels that have one below are 2 to {levels.NUMBERS[-1]}, not {lowest} to {highest}")
    return {
        level: pairing(
            terms, players.parse(f"level-{level}"), players.parse(f"level-{level - 1}"), games, f"{level}-{level - 1}"
        )
        for level in range(lowest, highest + 1)
    }


def steps(terms: Terms, met: Mapping[int, Pairing], played: Mapping[str, Played]) -> list[Step]:
    return [Step(level, levels.player(terms.game, level).text, summary(one, played)) for level, one in met.items()]


def ladder_lines(found: Sequence[Step]) -> list[str]:
    width = max(6, *(len(step.player) for step in found))
    lines = [f"level  {'player':<{width}}    won  drawn   lost  score %  error  s/move  plies"]
    for step in found:
        one = step.summary
        under = "" if step.is_won else f"  under {100 * WANTED:g} %"
        row = f"{_results(one)} {one.spent[0].seconds:>7.3f} {one.plies:>6.1f}{under}"
        lines.append(f"{step.level:>5}  {step.player:<{width}} {row}")
    return lines + _faults(step.summary for step in found)


def gauntlet(terms: Terms, one: PlayerSpec, others: Sequence[PlayerSpec], games: int) -> list[Pairing]:
    """Pairings of the player with each of the others, all with the same openings. Raises ValueError."""
    return [pairing(terms, one, other, games, f"1-{number}") for number, other in enumerate(others, 2)]


def gauntlet_lines(found: Sequence[Summary]) -> list[str]:
    width = max(8, *(len(one.players[1]) for one in found))
    lines = [
        f"{found[0].players[0]} against",
        f"{'opponent':<{width}}    won  drawn   lost  score %  error  s/move  theirs  plies",
    ]
    for one in found:
        row = f"{_results(one)} {one.spent[0].seconds:>7.3f} {one.spent[1].seconds:>7.3f} {one.plies:>6.1f}"
        lines.append(f"{one.players[1]:<{width}} {row}")
    return lines + _faults(found)


def _results(one: Summary) -> str:
    tally = one.tally
    score, error = (one.estimate.score, one.estimate.error) if one.estimate else (0.0, 0.0)
    return f"{tally.wins:>6} {tally.draws:>6} {tally.losses:>6} {100 * score:>8.1f} {100 * error:>6.1f}"


def _faults(found: Iterable[Summary]) -> list[str]:
    return [f"lost by fault: {fault}" for one in found for fault in one.faults]
