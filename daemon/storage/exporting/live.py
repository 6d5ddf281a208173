"""The game that is being played as one text, for those who follow it: relays, spectators, other programs."""

from __future__ import annotations

import games
from daemon.i18n.translation import worded
from daemon.storage.exporting.download import Download, download
from daemon.storage.exporting.formats import FORMATS, suiting
from daemon.storage.exporting.played import ExportError
from daemon.storage.stored_game import StoredGame
from rules import HiddenHands, UnknownGame


def live(stored: StoredGame, suffix: str = "", *, else_usual: bool = False) -> Download:
    """The game as far as it was played, in the format with that suffix, such as `.pgn`; without one the usual format.

    Raises ExportError if the game has no such format, unless `else_usual`, and while a game goes on that hides what its
    players hold.
    """
    names = [name for name in suiting(stored.game) if FORMATS[name].write is not None or name == "json"]
    fitting = [name for name in names if suffix in FORMATS[name].suffixes] if suffix else names
    if not fitting and else_usual:
        fitting = names
    if not fitting:
        known = ", ".join(one for name in names for one in FORMATS[name].suffixes)
        raise ExportError(worded("This game is not written as {wanted}, but as {listed}.", wanted=suffix, listed=known))
    refuse_hidden(stored)
    return download(stored, fitting[0])


def refuse_hidden(stored: StoredGame) -> None:
    """Raises ExportError where a text of all that is recorded would tell what the players of a running game hold."""
    try:
        hides = issubclass(games.find(stored.game), HiddenHands)
    except UnknownGame:
        hides = False
    if hides and stored.finished is None:
        raise ExportError(worded("This tells what the players hold. It can be had once the game is over."))
