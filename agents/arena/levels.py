"""The ladder of levels, each of which plays the one below, and a gauntlet: one player meets several others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents import levels, players
from agents.arena.match import Pairing, Terms, pairing
from agents.arena.play import Played
from agents.arena.report import Summary, summary
from agents.players import PlayerSpec

WANTED = 0.6
"""Share of the points that a level must take from the one below."""


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


def pairings(terms: Terms, games: int, lowest: int, highest: int) -> dict[int, Pairing]:
    if not 2 <= lowest <= highest <= levels.NUMBERS[-1]:
        raise ValueError(f"levels that have one below are 2 to {levels.NUMBERS[-1]}, not {lowest} to {highest}")
    return {
        level: pairing(
            terms, players.parse(f"level-{level}"), players.parse(f"level-{level - 1}"), games, f"{level}-{level - 1}"
        )
        for level in range(lowest, highest + 1)
    }


def player_text(terms: Terms, level: int) -> str:
    return levels.player(terms.game, level).text


def steps(terms: Terms, met: Mapping[int, Pairing], played: Mapping[str, Played]) -> list[Step]:
    return [Step(level, player_text(terms, level), summary(one, played)) for level, one in met.items()]


def lines_of(found: Sequence[Step]) -> list[str]:
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
