"""Puzzles for tests, certified here by the real solvers, and a store that holds them."""

from __future__ import annotations

import functools
from pathlib import Path

import games
from agents import puzzles
from daemon.record.puzzles import Puzzle, PuzzleStore, puzzle_of
from rules import AnyGame

GOMOKU = """
.............../.............../......O..X..O../.......XOOOXX../......OXXXXOOX./.....OXXOXXXOO./....XXXOXOXX.O./
.......OOXOO.OX/.....XOOOOXOOO./......OXO..OXX./.....X.OO.XX.../......X.X.X..../.............../.............../
...............:white
"""
POSITIONS = {
    ("gomoku", 1): "".join(GOMOKU.split()),
    ("reversi", 1): "----OO---OOOOOXXXOOOXXXO-OXXXXOO-OXXOOOOXOXOOXO-OOOOXOO-XOOOOOOO O",
    ("reversi", 40): "O-XOOX--OOXOOO--OOOOOOOOOOOOXOOOOXOOOOOOOXXOOOO-OXXXO-O-XXX---O- X",
    ("morris", 1): "light:MMMOOMOOOEMEEMOMEMEOMOOO0095",
    ("ganh", 1): "down:..W.....B.BB.......BB.B.B:ply=41",
}
"""The first puzzles in the games that `agents.puzzles.played` plays from that seed on."""


@functools.cache
def made(name: str, seed: int = 1) -> Puzzle:
    game, text = games.load(name), POSITIONS[name.replace("nine_mens_", ""), seed]
    found = puzzles.certify(puzzles.certifiers(game), game.parse_position(text))
    assert found is not None
    return puzzle_of(game, {"position": text, "certificate": found.as_object()})


def store_with(path: Path, *names: str) -> PuzzleStore:
    """A store with one puzzle of each game."""
    store = PuzzleStore(path)
    store.add([made(name) for name in names])
    return store


def opened(puzzle: Puzzle) -> tuple[AnyGame, object]:
    """Its game and its position."""
    return puzzle.opened()
