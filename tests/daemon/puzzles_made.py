"""Puzzles for tests, certified here by the real solvers, and a store that holds them."""

from __future__ import annotations

import functools
import threading
from pathlib import Path

import games
from agents import puzzles
from daemon.storage.puzzles import Puzzle, PuzzleStore, puzzle_of
from rules import AnyGame


@functools.cache
def made(name: str, seed: int = 1) -> Puzzle:
    """The first puzzle in the solver's games from that seed on."""
    game = games.load(name)
    ways = puzzles.certifiers(game)
    while True:
        for position in puzzles.played(game, seed, threading.Event()):
            if (found := puzzles.certify(ways, position)) is not None:
                return puzzle_of(game, {"position": game.format_position(position), "certificate": found.as_object()})
        seed += 1


def store_with(path: Path, *names: str) -> PuzzleStore:
    """A store with one puzzle of each game."""
    store = PuzzleStore(path)
    store.add([made(name) for name in names])
    return store


def opened(puzzle: Puzzle) -> tuple[AnyGame, object]:
    """Its game and its position."""
    return puzzle.opened()
