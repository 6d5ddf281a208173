"""Games of a kernel's search against itself: positions with results to fit, and matches of two evaluations.

A few random moves begin a game, and some come later, so that positions differ, and so that some look like a search's
leaves, whose last moves may be bad. A game ends by the rules, or when a search has found its forced end.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import games
from agents.jobs import Backend
from agents.jobs.running import run_jobs
from agents.search import MAX_DEPTH, WIN, Search
from lab.simulated.arrays import FloatArray
from lab.train.search_evaluation.co_ganh import GanhEvaluation
from lab.train.search_evaluation.gomoku import GomokuEvaluation
from lab.train.search_evaluation.nine_mens_morris import MorrisEvaluation
from lab.train.search_evaluation.protocol import Evaluation, Weights, drawn_move
from rules import AnyGame, Side

GAMES_A_CHUNK = 20
"""Games that share a search and its tables, in one process: independent of the number of processes."""
FORCED = WIN // 2
"""Score beyond which a game is decided."""
EVALUATIONS: dict[str, Callable[[Any], Evaluation]] = {
    "gomoku": GomokuEvaluation,
    "nine_mens_morris": MorrisEvaluation,
    "co_ganh": GanhEvaluation,
}


def evaluation_of(game: AnyGame) -> Evaluation:
    """The evaluation of a game under its rules. Raises ValueError if this recipe makes none for it."""
    if game.name not in EVALUATIONS:
        raise ValueError(f"{game.name} has no such evaluation; the games that have one are {', '.join(EVALUATIONS)}")
    return EVALUATIONS[game.name](game)


class Chunk(NamedTuple):
    """Some games to play; another process needs nothing else."""

    game: str
    rules: Mapping[str, object]
    nodes: int
    seed: int
    first: int
    """Number of the first game."""
    games: int


class Positions(NamedTuple):
    positions: Sequence[Any]
    group: NDArray[np.int64]
    features: NDArray[np.int64]
    """(positions, features)"""
    points: FloatArray
    """Points of the side to move: 1 won, 0.5 drawn, 0 lost."""
    game: NDArray[np.int64]
    """Number of the position's game."""


def think(search: Search, position: Any, nodes: int) -> tuple[Any, int]:
    search.begin(position, nodes, exact=False)
    move, score = None, 0
    for depth in range(1, MAX_DEPTH + 1):
        found = search.deepen(depth)
        if found.move is not None:
            move, score = found.move, found.score
        if found.final or not found.whole or abs(found.score) > FORCED:
            break
    return move, score


def play_on(
    evaluation: Evaluation, position: Any, nodes: int, searches: Sequence[Search], draw: random.Random, astray: float
) -> tuple[list[Any], Side | None]:
    """The positions from here on to which the game's result applies, and its winner; `searches` by side."""
    game, passed, plies = evaluation.game, list[Any](), 0
    while (over := game.outcome(position)) is None and plies < evaluation.plies:
        side = game.to_move(position)
        move, score = think(searches[side], position, nodes)
        if abs(score) > FORCED:
            return passed, side if score > 0 else 1 - side
        passed.append(position)
        if move is None or draw.random() < astray:
            move = drawn_move(evaluation, position, draw)
            passed = [] if evaluation.starts_anew and astray else passed
        position = game.apply(position, move)
        plies += 1
    return passed, over.winner if over else None


def begun(evaluation: Evaluation, draw: random.Random) -> Any:
    game = evaluation.game
    while True:
        position = game.starts[0]
        for _ in range(draw.randint(*evaluation.opening)):
            if game.outcome(position) is not None:
                break
            position = game.apply(position, drawn_move(evaluation, position, draw))
        else:
            if game.outcome(position) is None:
                return position


def play_chunk(chunk: Chunk, _stop: threading.Event | None = None) -> Positions:
    evaluation = evaluation_of(games.load(chunk.game, chunk.rules))
    # One search for each side: neither learns from the other's search.
    weights, noise = evaluation.shipped(), 2 * (chunk.seed * 100_003 + chunk.first) % 2**30
    searches = [evaluation.search(weights, noise + side + 1) for side in (0, 1)]
    rows: list[tuple[Any, int, NDArray[np.int64], float, int]] = []
    for number in range(chunk.first, chunk.first + chunk.games):
        draw = random.Random(f"game {chunk.seed} {number}")  # a text seeds alike on every machine
        passed, winner = play_on(evaluation, begun(evaluation, draw), chunk.nodes, searches, draw, evaluation.astray)
        for position in passed:
            counted = evaluation.counted(position)
            if counted is not None:
                points = 0.5 if winner is None else float(winner == evaluation.game.to_move(position))
                rows.append((position, counted.group, counted.features, points, number))
    return _gathered(rows, len(evaluation.features))


def _gathered(rows: Sequence[tuple[Any, int, NDArray[np.int64], float, int]], features: int) -> Positions:
    return Positions(
        [row[0] for row in rows],
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64).reshape(-1, features),
        np.array([row[3] for row in rows], np.float64),
        np.array([row[4] for row in rows], np.int64),
    )


def play(
    evaluation: Evaluation, count: int, nodes: int, seed: int, backend: Backend, say: Callable[[int], object]
) -> Positions:
    """Plays so many games; the same seed plays the same games. Calls `say` after every few games. Raises JobsError."""
    rules = dict(vars(evaluation.game.rules))
    chunks = [
        Chunk(evaluation.game.name, rules, nodes, seed, first, min(GAMES_A_CHUNK, count - first))
        for first in range(0, count, GAMES_A_CHUNK)
    ]
    found = []
    for chunk, played in run_jobs(play_chunk, chunks, backend, in_order=True):
        found.append(played)
        say(chunk.games)
    parts = [np.concatenate(parts) for parts in list(zip(*found, strict=True))[1:]]
    return Positions([position for played in found for position in played.positions], *parts)


def match(
    evaluation: Evaluation, a: Weights, b: Weights, openings: int, nodes: int, seed: int, say: Callable[[int], object]
) -> list[int]:
    """Half points of `a` against `b` from each opening, played twice with the sides exchanged: 0 to 4."""
    searches = [evaluation.search(weights, 1) for weights in (a, b)]
    found = []
    for number in range(openings):
        draw, points = random.Random(f"match {seed} {number}"), 0
        opening = begun(evaluation, draw)
        for side in (0, 1):
            by_side = searches if side == 0 else searches[::-1]
            winner = play_on(evaluation, opening, nodes, by_side, draw, 0.0)[1]
            points += 1 if winner is None else 2 * (winner == side)
        found.append(points)
        say(1)
    return found
