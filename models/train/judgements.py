"""The games whose judgements the recipe can make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games import AnyGame
from models.train.judged import Judgement
from models.train.judged_ganh import GanhJudgement
from models.train.judged_gomoku import GomokuJudgement
from models.train.judged_morris import MorrisJudgement

JUDGEMENTS: dict[str, Callable[[Any], Judgement]] = {
    "gomoku": GomokuJudgement,
    "nine_mens_morris": MorrisJudgement,
    "co_ganh": GanhJudgement,
}


def of(game: AnyGame) -> Judgement:
    """The judgement of a game under its rules. Raises ValueError if this recipe makes none for it."""
    if game.name not in JUDGEMENTS:
        raise ValueError(f"{game.name} has no judgement of this kind; the games that have are {', '.join(JUDGEMENTS)}")
    return JUDGEMENTS[game.name](game)
