"""Keys of the window and their commands."""

from __future__ import annotations

import time
from collections.abc import Callable

from daemon.commands.command import (
    Adopt,
    Coach,
    Command,
    EndMove,
    Mover,
    NewGame,
    Pass,
    Pause,
    Repeat,
    Resign,
    Resume,
    Undo,
)
from daemon.i18n.translation import in_words
from wording import sentence

KEYS: dict[str, Command] = {
    " ": EndMove(),
    "u": Undo(),
    "p": Pass(),
    "m": Mover(),
    "c": Coach(),
    "r": Repeat(),
    "h": Pause(),
    "g": Resume(),
    "a": Adopt(),
    "n": NewGame(),
    "R": Resign(),
}
"""Keys of the window, in order: move made, undo, pass, last move was the other side's, coach, repeat, pause, resume,
adopt the board, new game, resign."""
TWICE = {
    "a": sentence("Press {key} again to take the board as it is.", key="a"),
    "n": sentence("Press {key} again to begin a new game.", key="n"),
    "R": sentence("Press {key} again to resign.", key="R"),
}
"""Keys that must be pressed twice within TWICE_S, so that nobody loses a game by leaning on a keyboard, and what is
said after the first press."""
TWICE_S = 4.0


class Keyboard:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pressed: tuple[str, float, str] = "", 0.0, ""

    def press(self, key: str, mark: str) -> Command | str | None:
        """The command of a key; what a second press would do, if one is needed; None for a key without meaning.

        `mark` identifies the position: a key first pressed in another one, or in another game, does not count.
        """
        command = KEYS.get(key)
        if command is None or key not in TWICE:
            return command
        (before, then_s, where), now_s = self._pressed, self._clock()
        if (before, where) == (key, mark) and now_s - then_s <= TWICE_S:
            self._pressed = "", 0.0, ""
            return command
        self._pressed = key, now_s, mark
        return in_words(TWICE[key])
