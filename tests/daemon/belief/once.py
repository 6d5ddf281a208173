"""A referee to which each board is shown once, as if nothing more were seen of it, and what it makes of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daemon.belief.deciding import Decision, decide
from daemon.belief.plies import PlySearch
from daemon.game.effects import Announcement, Effect
from daemon.judging.referee import Referee
from rules import AnyGame, Side
from rules.turns import line_of_play
from tests.daemon.readings import judged, reading_of

TOGETHER = "They came together, so I assume their order."


def referee_at(game: AnyGame, *texts: str, start: Any = None) -> Referee:
    """A referee that has seen the board after these plies."""
    positions = line_of_play(game, texts, start)
    referee = Referee(game, history=positions, moves=texts)
    show(referee, game.board(positions[-1]))
    assert referee.verdict == "unchanged"
    return referee


def show(referee: Referee, board: str, movers: Sequence[Side] = ()) -> list[Effect]:
    return judged(referee, reading_of(referee.game, board), movers)


def played(referee: Referee, board: str, movers: Sequence[Side] = ()) -> list[str]:
    """The moves that are believed when a board is shown, after those that were believed before."""
    before = referee.moves
    show(referee, board, movers)
    assert referee.verdict == "legal"
    assert referee.moves[: len(before)] == before
    return referee.moves[len(before) :]


def said(effects: Sequence[Effect]) -> str:
    """All that is said."""
    return " ".join(effect.text for effect in effects if isinstance(effect, Announcement))


def trouble(referee: Referee) -> Decision:
    """What is not right with the board shown last."""
    (decision,) = decide(referee.belief.forgiving, referee.belief)
    return decision


class Counted(PlySearch):
    """A search that is remembered, so that its work can be counted."""

    made: list[PlySearch]

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.made.append(self)

    @classmethod
    def moves(cls) -> int:
        """Number of moves examined by all of them."""
        return sum(one.looked_at for one in cls.made)
