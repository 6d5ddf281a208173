"""Fits a search's evaluation to the results of its own games, and measures old and new weights.

A few random moves begin a game, and some come later, so that positions differ, and so that some look like a search's
leaves, whose last moves may be bad. A game ends by the rules, or when a search has found its forced end.
"""

from __future__ import annotations

import dataclasses
import functools
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

import games
from agents.arena.elo import estimate
from agents.jobs import Backend
from agents.jobs.running import run_jobs
from agents.search import MAX_DEPTH, WIN, Search
from lab.simulated.arrays import FloatArray
from lab.train.search_evaluations import Evaluation, Weights, evaluation_of
from rules import Side

GAMES_A_CHUNK = 20
"""Games that share a search and its tables, in one process: independent of the number of processes."""
FORCED = WIN // 2
"""Score beyond which a game is decided."""


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
            move = draw.choice(evaluation.random_moves(position))
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
            position = game.apply(position, draw.choice(evaluation.random_moves(position)))
        else:
            if game.outcome(position) is None:
                return position


def play_chunk(
    game: str, rules: Mapping[str, object], nodes: int, seed: int, numbers: range, _stop: threading.Event | None = None
) -> Positions:
    """Plays the games of those numbers; another process needs nothing else."""
    evaluation = evaluation_of(games.load(game, rules))
    # One search for each side: neither learns from the other's search.
    weights, noise = evaluation.shipped(), 2 * (seed * 100_003 + numbers[0]) % 2**30
    searches = [evaluation.search(weights, noise + side + 1) for side in (0, 1)]
    rows: list[tuple[Any, int, NDArray[np.int64], float, int]] = []
    for number in numbers:
        draw = random.Random(f"game {seed} {number}")  # a text seeds alike on every machine
        passed, winner = play_on(evaluation, begun(evaluation, draw), nodes, searches, draw, evaluation.astray)
        for position in passed[:: evaluation.every]:
            counted = evaluation.counted(position)
            if counted is not None:
                points = 0.5 if winner is None else float(winner == evaluation.game.to_move(position))
                rows.append((position, counted.group, counted.features, points, number))
    return Positions(
        [row[0] for row in rows],
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64).reshape(-1, len(evaluation.features)),
        np.array([row[3] for row in rows], np.float64),
        np.array([row[4] for row in rows], np.int64),
    )


def play(
    evaluation: Evaluation, count: int, nodes: int, seed: int, backend: Backend, say: Callable[[int], object]
) -> Positions:
    """Plays so many games; the same seed plays the same games. Calls `say` after every few games. Raises JobsError."""
    rules = dict(vars(evaluation.game.rules))
    chunks = [range(first, min(first + GAMES_A_CHUNK, count)) for first in range(0, count, GAMES_A_CHUNK)]
    work = functools.partial(play_chunk, evaluation.game.name, rules, nodes, seed)
    found = []
    for numbers, played in run_jobs(work, chunks, backend, in_order=True):
        found.append(played)
        say(len(numbers))
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


HELD_OUT = 10
"""One game in so many is held out."""
MIN_POSITIONS = 200
"""Positions below which a group keeps its weights."""


class Quality(NamedTuple):
    log_loss: float
    """Nats a position in the held-out games, with the steepness that suits the weights best in the other games."""
    winner_accuracy: float
    """Share of decided games in which the side that they prefer wins."""


def _regression(features: FloatArray, points: FloatArray, strength: float) -> FloatArray:
    """The weights of features of mean square 1. A draw counts as half a win and half a loss."""
    from sklearn.linear_model import LogisticRegression

    decided = points != 0.5
    rows = np.concatenate([features, features[~decided]])
    won = np.concatenate([points > 0, np.zeros(np.count_nonzero(~decided), bool)])
    shares = np.concatenate([np.where(decided, 1.0, 0.5), np.full(np.count_nonzero(~decided), 0.5)])
    model: Any = LogisticRegression(C=strength, fit_intercept=False, max_iter=2000)
    found: FloatArray = model.fit(rows, won, sample_weight=shares).coef_[0]
    return found


def fit_group(evaluation: Evaluation, features: NDArray[np.int64], points: FloatArray) -> NDArray[np.int64]:
    """Integer weights within the bounds; weights below the least are left out, and the rest is fitted again."""
    sizes = np.sqrt(np.mean(features.astype(float) ** 2, axis=0))
    free, whole = sizes > 0, np.zeros(len(sizes), np.int64)
    while free.any():
        exact = _regression(features[:, free] / sizes[free], points, evaluation.strength) / sizes[free]
        whole[:] = 0
        whole[free] = np.minimum(np.rint(exact * evaluation.scale), evaluation.most).astype(np.int64)
        if (whole >= evaluation.fewest).all():
            break
        free &= whole >= evaluation.fewest
    return np.maximum(whole, evaluation.fewest)


def fit_around(
    evaluation: Evaluation, features: NDArray[np.int64], points: FloatArray, shipped: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Integer weights within the bounds that are drawn to the shipped ones, rarely seen ones most."""
    from scipy.optimize import minimize

    rows, wanted = (features / evaluation.scale).astype(np.float32), points.astype(np.float32)

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        logits, apart = rows @ weights.astype(np.float32), (weights - shipped) / evaluation.spread
        missed = float(np.sum(np.logaddexp(0, logits) - wanted * logits))
        slope = rows.T @ (1 / (1 + np.exp(-logits)) - wanted)
        return missed + float(apart @ apart) / 2, slope.astype(float) + apart / evaluation.spread

    found = minimize(loss, shipped.astype(float), jac=True, method="L-BFGS-B").x
    whole: NDArray[np.int64] = np.clip(np.rint(found), evaluation.fewest, evaluation.most).astype(np.int64)
    return whole


def fit(evaluation: Evaluation, positions: Positions, say: Callable[[int], object]) -> Weights:
    """The weights of all groups; a rarely seen group keeps its own. Calls `say` after every group."""
    weights, learnt = evaluation.shipped(), positions.game % HELD_OUT != 0
    for group in range(len(evaluation.groups)):
        rows = learnt & (positions.group == group)
        if np.count_nonzero(rows) >= MIN_POSITIONS and len(set(positions.points[rows]) - {0.5}) == 2:
            learnt_from = positions.features[rows], positions.points[rows]
            if evaluation.spread:
                weights[group] = fit_around(evaluation, *learnt_from, weights[group])
            else:
                weights[group] = fit_group(evaluation, *learnt_from)
        say(1)
    return weights


def quality(weights: Weights, positions: Positions) -> Quality:
    values = (positions.features * weights[positions.group]).sum(axis=1) / 100
    apart = positions.game % HELD_OUT == 0
    learnt, known = values[~apart, None], positions.points[~apart]
    both = len(set(known) - {0.5}) == 2
    steepness = _regression(learnt, known, 1e6)[0] if learnt.any() and both else 1.0
    logits, points = steepness * values[apart], positions.points[apart]
    loss = points * np.logaddexp(0, -logits) + (1 - points) * np.logaddexp(0, logits)
    decided = points != 0.5
    right = np.sign(values[apart][decided]) == np.sign(points[decided] - 0.5)
    return Quality(float(np.mean(loss)) if len(loss) else 0.0, float(np.mean(right)) if len(right) else 0.0)


@dataclasses.dataclass(frozen=True)
class Made:
    evaluation: Evaluation
    games: int
    nodes: int
    seed: int
    positions: int
    weights: Weights
    new: Quality | None
    shipped: Quality | None
    """Quality of the kernel's weights in the same games, which were played with them; None where none were."""
    match: tuple[int, ...] = ()
    """Half points of the new weights against the shipped ones from each opening, 0 to 4."""
    match_nodes: int = 0

    def as_json(self) -> dict[str, Any]:
        evaluation, score = self.evaluation, estimate(self.match)
        return {
            "game": evaluation.game.name,
            "rules": vars(evaluation.game.rules),
            "games": self.games,
            "nodes": self.nodes,
            "seed": self.seed,
            "positions": self.positions,
            "weights": {
                group: dict(zip(evaluation.features, row, strict=True))
                for group, row in zip(evaluation.groups, self.weights.tolist(), strict=True)
            },
            "new": self.new and self.new._asdict(),
            "shipped": self.shipped and self.shipped._asdict(),
            "match": score
            and {
                "games": 2 * len(self.match),
                "nodes": self.match_nodes,
                "score": round(score.score, 4),
                "standard_error": round(score.error, 4),
            },
            "where": evaluation.where,
            "text": evaluation.text(self.weights),
        }

    def lines(self) -> list[str]:
        found = [self.evaluation.text(self.weights), ""]
        if self.positions:
            apart = f"in each {HELD_OUT}th, which was kept apart"
            found.append(f"{self.positions} positions of {self.games} games; {apart}:")
        for name, held in (("these weights", self.new), ("shipped", self.shipped)):
            if held is not None:
                right = f"winner right {100 * held.winner_accuracy:.1f} %"
                found.append(f"  {name:<14} log loss {held.log_loss:.4f}, {right}")
        if score := estimate(self.match):
            found.append(
                f"{2 * len(self.match)} games of these against the shipped weights at {self.match_nodes} positions a "
                f"move: score {score.score:.3f}, standard error {score.error:.3f}"
            )
        return [*found, f"Nothing was written. Paste them into {self.evaluation.where}, if they are better."]


def make_evaluation(
    name: str,
    rules: dict[str, object],
    *,
    count: int | None,
    nodes: int | None,
    seed: int,
    backend: Backend,
    match_games: int,
    match_nodes: int,
) -> Made:
    """New weights from so many games at so many nodes a move; None for the evaluation's own numbers.

    Raises ValueError if the game is unknown, has no such evaluation, or has no such rule; JobsError.
    """
    evaluation = evaluation_of(games.load(name, rules))
    count, nodes = count or evaluation.games, nodes or evaluation.nodes
    with Progress(console=Console(stderr=True)) as progress:

        def bar(text: str, total: int) -> Any:
            task = progress.add_task(text, total=total, visible=total > 0)
            return lambda done: progress.advance(task, done)

        positions = play(evaluation, count, nodes, seed, backend, bar("games", count))
        weights = fit(evaluation, positions, bar(f"{len(positions.game)} positions, fitting", len(evaluation.groups)))
        pairs = match_games // 2
        points = match(evaluation, weights, evaluation.shipped(), pairs, match_nodes, seed, bar("openings", pairs))
    return Made(
        evaluation,
        count,
        nodes,
        seed,
        len(positions.game),
        weights,
        quality(weights, positions),
        quality(evaluation.shipped(), positions),
        tuple(points),
        match_nodes,
    )
