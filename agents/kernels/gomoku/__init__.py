"""Gomoku in machine code: a prover of forced wins with alpha-beta around it, and alpha-beta by `windows`."""

from __future__ import annotations

from agents import heuristics
from agents.kernels.gomoku.by_threats import ThreatSearch
from agents.kernels.gomoku.by_windows import WindowsSearch
from agents.plain_search import PlainSearch
from agents.search import Search
from games.gomoku import Gomoku

HEURISTICS: tuple[str, ...] = ("windows",)


def search(game: Gomoku, table_mb: int, seed: int, heuristic: str = "") -> Search:
    """A search of the game: with the engine's own evaluation for "", else with a heuristic alone.

    With a heuristic, games with renju or swap2 are searched in plain Python.
    """
    if not heuristic:
        return ThreatSearch(game, table_mb, seed)
    if game.rules.renju or game.rules.swap2:
        return PlainSearch(game, heuristics.of(game)[heuristic], seed)
    return WindowsSearch(game, seed)


SEARCH = search
