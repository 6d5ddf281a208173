"""Gomoku in machine code: a prover of forced wins with alpha-beta around it, and alpha-beta by `windows`."""

from __future__ import annotations

from agents import heuristics
from agents.plain_search import PlainSearch
from agents.search import Search
from games.gomoku import Gomoku
from games.gomoku.kernel.by_threats import ThreatSearch
from games.gomoku.kernel.by_windows import WindowsSearch

HEURISTICS: tuple[str, ...] = ("windows",)


def search(game: Gomoku, table_mb: int, seed: int, heuristic: str = "") -> Search:
    """A search of the game: with the engine's own evaluation for "", else with a heuristic alone.

    The engine's own does not know caro, which is then played by `windows`.

    With a heuristic, games with renju, caro or an opening are searched in plain Python.
    """
    if not heuristic and not game.rules.caro:
        return ThreatSearch(game, table_mb, seed)
    if game.rules.renju or game.rules.caro or game.seats or game.rules.opening != "free":
        return PlainSearch(game, heuristics.of(game)[heuristic or "windows"], seed)
    return WindowsSearch(game, seed)


SEARCH = search
