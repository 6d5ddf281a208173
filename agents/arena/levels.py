"""The ladder of levels: each plays the one below."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from agents import levels, players
from agents.arena.match import Pairing, Terms, pairing
from agents.arena.play import Played
from agents.arena.report import Summary, summary

WANTED = 0.6
"""Share of the points that a level must take from the one below."""


@dataclasses.dataclass(frozen=True)
class Step:
    """A level's result against the one below."""

    level: int
    player: str
    """Text of the player at this level."""
    summary: Summary

    @property
    def is_won(self) -> bool:
        return self.summary.estimate is not None and self.summary.estimate.score >= WANTED


def pairings(terms: Terms, games: int, lowest: int, highest: int) -> dict[int, Pairing]:
    """Pairings of every level from `lowest` to `highest` with the one below. Raises ValueError."""
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


def as_json(found: Sequence[Step]) -> list[dict[str, Any]]:
    return [
        {"level": step.level, "player": step.player, "is_won": step.is_won, **step.summary.as_json()} for step in found
    ]


def lines_of(found: Sequence[Step]) -> list[str]:
    width = max(6, *(len(step.player) for step in found))
    lines = [f"level  {'player':<{width}}    won  drawn   lost  score %  error  s/move  plies"]
    for step in found:
        tally, one = step.summary.tally, step.summary
        score, error = (one.estimate.score, one.estimate.error) if one.estimate else (0.0, 0.0)
        lines.append(
            f"{step.level:>5}  {step.player:<{width}} {tally.wins:>6} {tally.draws:>6} {tally.losses:>6} "
            f"{100 * score:>8.1f} {100 * error:>6.1f} {one.spent[0].seconds:>7.3f} {one.plies:>6.1f}"
            + ("" if step.is_won else f"  under {100 * WANTED:g} %")
        )
    lost = [fault for step in found for fault in step.summary.faults]
    return [*lines, *(f"lost by fault: {fault}" for fault in lost)]
