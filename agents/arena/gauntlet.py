"""A gauntlet: one player meets each of several others, who do not meet each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents import heuristics, players
from agents.arena.bracket import Depths
from agents.arena.match import Pairing, Terms, pairing
from agents.arena.play import Played
from agents.arena.report import Summary, summary
from agents.players import PlayerSpec
from rules import AnyGame


def pairings(terms: Terms, one: PlayerSpec, others: Sequence[PlayerSpec], games: int) -> list[Pairing]:
    """Pairings of the player with each of the others, all with the same openings. Raises ValueError."""
    return [pairing(terms, one, other, games, f"1-{number}") for number, other in enumerate(others, 2)]


def heuristic_players(game: AnyGame, depths: Depths) -> list[str]:
    """Alpha-beta with each of the game's heuristics, at one depth in the opening and another afterwards."""
    return [depths.of(players.parse(f"alphabeta:heuristic={name}")).text for name in heuristics.of(game)]


def summaries(met: Sequence[Pairing], played: Mapping[str, Played]) -> list[Summary]:
    return [summary(one, played) for one in met]


def as_json(found: Sequence[Summary]) -> dict[str, Any]:
    return {"meetings": [one.as_json() for one in found]}


def lines_of(found: Sequence[Summary]) -> list[str]:
    width = max(8, *(len(one.players[1]) for one in found))
    lines = [
        f"{found[0].players[0]} against",
        f"{'opponent':<{width}}    won  drawn   lost  score %  error  s/move  theirs  plies",
    ]
    for one in found:
        tally = one.tally
        score, error = (one.estimate.score, one.estimate.error) if one.estimate else (0.0, 0.0)
        lines.append(
            f"{one.players[1]:<{width}} {tally.wins:>6} {tally.draws:>6} {tally.losses:>6} {100 * score:>8.1f} "
            f"{100 * error:>6.1f} {one.spent[0].seconds:>7.3f} {one.spent[1].seconds:>7.3f} {one.plies:>6.1f}"
        )
    return [*lines, *(f"lost by fault: {fault}" for one in found for fault in one.faults)]
