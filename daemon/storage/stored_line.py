"""Converts a recorded game to a line of play, and corrects a mover afterwards."""

from __future__ import annotations

from typing import Any

import games
from daemon.game.effects import Announcement, Rewrite
from daemon.game.line_of_play import LineOfPlay, Ply
from daemon.i18n.translation import in_words
from daemon.judging import corrections
from daemon.judging.referee import Referee
from daemon.storage.journal import Journal
from daemon.storage.stored_game import StoredGame
from games import AnyGame
from wording import Sentence


def history_of(game: AnyGame, stored: StoredGame) -> list[Any]:
    """The positions of a recorded game, from the start whose side made the first ply. Raises GameError."""
    start = game.parse_position(stored.start) if stored.start else game.initial()
    if stored.plies and not stored.start:
        start = next((one for one in game.starts if game.to_move(one) == stored.plies[0].side), start)
    return games.line_of_play(game, stored.moves, start)


def line_of(game: AnyGame, stored: StoredGame) -> LineOfPlay:
    """The line of a recorded game, with the moves after its end that no longer count. Raises GameError."""
    line = LineOfPlay(game, history_of(game, stored), stored.moves, stored.known, stored.assumed)
    line.beyond = tuple(Ply(None, text, side, True, known) for text, side, known in stored.beyond)
    return line


def correct_mover(journal: Journal, stored: StoredGame, side: str, number: int) -> str:
    """Records that move `number` was made by that side, and returns what follows from it.

    Raises Refusal if that is impossible, GameError if the game cannot be read, and JournalError.
    """
    game = games.load(stored.game, stored.rules)
    referee = Referee(game)
    referee.line = line_of(game, stored)
    effects = corrections.set_mover(referee, side, number)
    told: list[Sentence] = []
    for effect in effects:
        if isinstance(effect, Rewrite):
            journal.rewrite(stored.game_id, effect)
        elif isinstance(effect, Announcement):
            journal.note(stored.game_id, effect.code, in_words(*effect.said))
            told += effect.said
    return in_words(*told)
