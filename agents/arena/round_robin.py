"""Round robin: every player meets every other; a cross table and ratings."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from agents.arena import elo
from agents.arena.elo import Rating
from agents.arena.match import Pairing, Terms, pairing
from agents.arena.play import Played
from agents.arena.report import Summary, Tally, summary
from agents.players import PlayerSpec


def pairings(terms: Terms, specs: Sequence[PlayerSpec], games: int) -> dict[tuple[int, int], Pairing]:
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


def lines_of(found: Table) -> list[str]:
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
    faults = [fault for one in found.meetings for fault in one.faults]
    return [*lines, *(f"lost by fault: {fault}" for fault in faults)]
