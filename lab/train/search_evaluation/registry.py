"""The games whose evaluations the recipe can make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab.train.search_evaluation.co_ganh import GanhEvaluation
from lab.train.search_evaluation.gomoku import GomokuEvaluation
from lab.train.search_evaluation.nine_mens_morris import MorrisEvaluation
from lab.train.search_evaluation.protocol import Evaluation
from rules import AnyGame

EVALUATIONS: dict[str, Callable[[Any], Evaluation]] = {
    "gomoku": GomokuEvaluation,
    "nine_mens_morris": MorrisEvaluation,
    "co_ganh": GanhEvaluation,
}


def of(game: AnyGame) -> Evaluation:
    """The evaluation of a game under its rules. Raises ValueError if this recipe makes none for it."""
    if game.name not in EVALUATIONS:
        raise ValueError(f"{game.name} has no such evaluation; the games that have one are {', '.join(EVALUATIONS)}")
    return EVALUATIONS[game.name](game)
