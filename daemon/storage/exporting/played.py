"""A recorded game played through again by the rules: what every export is written from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import games
from daemon.game.line_of_play import LineOfPlay, Ply
from daemon.storage.stored import StoredGame, StoredPly
from daemon.storage.stored_line import line_of
from games import AnyGame, Outcome


class ExportError(ValueError):
    """A game that cannot be written as asked; the message says why, for a person."""


class PlayedPly(NamedTuple):
    """One ply."""

    before: Any
    """The position before it."""
    made: Ply
    stored: StoredPly


@dataclasses.dataclass(frozen=True)
class Played:
    """A game of the record with its rules and positions."""

    game: AnyGame
    stored: StoredGame
    line: LineOfPlay

    @property
    def positions(self) -> list[Any]:
        """From the start on."""
        return self.line.positions

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, also where the board does not show it; None where it was not finished."""
        return self.stored.outcome

    @property
    def players(self) -> tuple[str, str]:
        """Names of both sides' players."""
        first, second = (*self.stored.players, "", "")[:2]
        return first, second

    def plies(self) -> Iterator[PlayedPly]:
        """All plies, passes too."""
        for before, made, stored in zip(self.positions, self.line.plies, self.stored.plies, strict=False):
            yield PlayedPly(before, made, stored)


def play_again(stored: StoredGame) -> Played:
    """The game as the record has it. Raises ExportError where its rules or a move are not understood any more."""
    try:
        game = games.load(stored.game, stored.rules)
        return Played(game, stored, line_of(game, stored))
    except games.GameError as error:
        raise ExportError(
            f"{stored.game_id} cannot be played again: {error}; --format json writes it as it is"
        ) from None


def day_of(stored: StoredGame, joined: str = "-") -> str:
    """The day on which the game began, as 2026-11-21."""
    return stored.started[:10].replace("-", joined)
