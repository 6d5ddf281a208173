"""All that the terminal game prints is translated: with the pseudo-language, no ordinary Latin letter remains."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

import games
from calibration.template import load_template
from daemon.cli import play as play_cli
from daemon.run.session import Session
from daemon.run.terminal import HELP, WORDS, TerminalGame, TypedLines
from tests.daemon.pseudo import LANGUAGE, untranslated

TYPED = frozenset(
    {"new", "undo", "quit"} | set(WORDS) | {word for typed, _ in HELP for word in re.findall("[A-Za-z]+", typed)}
)
"""Words that people type; they are the same in every language."""


class Scripted(TypedLines):
    """Typed lines taken from a list."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.interactive = self.ended = False

    def take(self, timeout_s: float) -> str | None:
        """The next line; None after the last."""
        self.ended = not self._lines
        return self._lines.pop(0) if self._lines else None


@pytest.mark.parametrize("name", games.names())
def test_a_terminal_game_is_translated_to_the_last_word(name: str, tmp_path: Path, pseudo: None) -> None:
    game = games.load(name)
    config = play_cli._config(game, ("me", "me"), 5.0, LANGUAGE, False, 5, tmp_path / "journal.sqlite")
    session = Session(config, game)
    start = game.initial(5)
    first = game.format_move(start, game.legal_moves(start)[0])
    lines = ["help", first, first, "e9e9", "hint", "pass", "repeat", "pause", first, "resume", "undo", "undo", "undo"]
    shown = io.StringIO()
    try:
        terminal = TerminalGame(session, load_template(game.name), Scripted([*lines, "resign", "?", "hint"]), shown)
        terminal.play(resume=False)
    finally:
        session.close()
    text = "\n".join(line for line in shown.getvalue().splitlines() if not set("─·┼") & set(line))
    assert text.count("\n") > 20
    english = [line for line in text.splitlines() if untranslated(line, TYPED)]
    assert english == []
