"""A recorded game replayed by the rules: the basis of every export."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import games
from daemon.game.line_of_play import LineOfPlay, Ply
from daemon.record.reviews import JudgedPly, Review, comment
from daemon.record.stored_game import StoredGame, StoredPly
from daemon.record.stored_line import line_of
from rules import AnyGame, GameError

SITE = "Kibitzer"
"""Where games are played if the settings do not say it."""


class ExportError(ValueError):
    """A game cannot be exported as asked; the message tells a person why."""


class PlayedPly(NamedTuple):
    before: Any
    made: Ply
    stored: StoredPly
    judged: JudgedPly | None
    """What the review says about it, where comments are wanted."""
    review: str
    """The same in words; empty without a review."""
    comment: str
    """What the file that the game came from says about it."""


@dataclasses.dataclass(frozen=True)
class Played:
    game: AnyGame
    stored: StoredGame
    line: LineOfPlay
    review: Review | None = None
    """The review whose values and mistakes are written as comments; None without comments."""

    @property
    def positions(self) -> list[Any]:
        return self.line.positions

    @property
    def players(self) -> tuple[str, str]:
        first, second = (*self.stored.players, "", "")[:2]
        return first, second

    def plies(self) -> Iterator[PlayedPly]:
        judged = {} if self.review is None else self.review.judged
        unit = "" if self.review is None else self.review.unit
        comments = self.stored.comments
        for before, made, stored in zip(self.positions, self.line.plies, self.stored.plies, strict=False):
            one = judged.get(stored.ply)
            words = "" if one is None else comment(one, unit)
            yield PlayedPly(before, made, stored, one, words, comments.get(stored.ply, ""))


def play_again(stored: StoredGame, review: Review | None = None) -> Played:
    """Replays the recorded game; a review gives comments.

    Raises ExportError if its rules or a move can no longer be read.
    """
    try:
        game = games.load(stored.game, stored.rules)
        return Played(game, stored, line_of(game, stored), review)
    except GameError as error:
        raise ExportError(
            f"{stored.game_id} cannot be played again: {error}; --format json writes it as it is"
        ) from None


def day_of(stored: StoredGame, joined: str = "-") -> str:
    """The day on which the game began, as 2026-11-21."""
    return stored.started[:10].replace("-", joined)
