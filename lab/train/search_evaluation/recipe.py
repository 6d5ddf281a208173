"""The recipe for evaluations: play games, count features of their positions, fit weights to the results, compare."""

from __future__ import annotations

import dataclasses
from typing import Any

from rich.console import Console
from rich.progress import Progress

import games
from agents.arena.elo import Estimate, estimate
from agents.jobs import Backend
from lab.train.search_evaluation import registry
from lab.train.search_evaluation.fit import HELD_OUT, Quality, fit, quality
from lab.train.search_evaluation.protocol import Evaluation, Weights
from lab.train.search_evaluation.self_play import match, play


@dataclasses.dataclass(frozen=True)
class Made:
    evaluation: Evaluation
    games: int
    nodes: int
    seed: int
    positions: int
    weights: Weights
    new: Quality
    shipped: Quality
    """Quality of the kernel's weights in the same games, which were played with them."""
    match: tuple[int, ...] = ()
    """Half points of the new weights against the shipped ones from each opening, 0 to 4."""
    match_nodes: int = 0

    @property
    def estimate(self) -> Estimate | None:
        """Estimate from the match; None if there was none."""
        return estimate(self.match)

    def as_json(self) -> dict[str, Any]:
        evaluation, score = self.evaluation, self.estimate
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
            "new": self.new._asdict(),
            "shipped": self.shipped._asdict(),
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
        found.append(f"{self.positions} positions of {self.games} games; in each {HELD_OUT}th, which was kept apart:")
        for name, held in (("these weights", self.new), ("shipped", self.shipped)):
            found.append(f"  {name:<14} log loss {held.log_loss:.4f}, winner right {100 * held.winner_accuracy:.1f} %")
        if score := self.estimate:
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
    evaluation = registry.of(games.load(name, rules))
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
