"""Three plies spoken by a Wyoming server, and three beside one that hangs; `test_demo.py` plays a whole game."""

from __future__ import annotations

import contextlib
import shutil
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import games
from calibration.template import load_template
from daemon.cli.voices import is_heard
from daemon.run.session import Session
from daemon.voice.spelling import spelled
from daemon.voice.verbosity import is_spoken
from daemon.words.translation import in_words
from lab.demo.cli import demo_config
from lab.demo.demo import Demo, Tally

if TYPE_CHECKING:
    from daemon.game.effects import Announcement

pytest.importorskip("wyoming", reason="no Wyoming server: the package wyoming is not installed")
from tests.daemon.wyoming_server import serving

pytestmark = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")


PLIES = 3


def play(folder: Path, port: int, voice_s: float) -> tuple[Tally, list[str], dict[str, object]]:
    """The beginning of a game of morris; its tally, what was to be spoken, and how the voice is."""
    game = games.load("morris", {"men": 3})
    config = demo_config(game.name, headless=True, fast=True)
    speech = config.speech.model_copy(update={"voice": f"wyoming://127.0.0.1:{port}", "voice_s": voice_s})
    journal = config.journal.model_copy(update={"path": str(folder / "j.sqlite")})
    session = Session(config.model_copy(update={"speech": speech, "journal": journal}), game, render_to=folder)
    said: list[str] = []

    def hear(announcement: Announcement) -> None:
        if is_spoken(announcement, "normal"):
            said.append(spelled(in_words(*announcement.said)))

    session.listeners.append(hear)
    try:
        tally = Demo(session, fast=True, most_plies=PLIES).play(load_template(game.name), seed=3)
        assert session.services.speaker.wait_until_silent(60.0)
        return tally, said, session.services.speaker.status()
    finally:
        session.close()


def test_a_wyoming_server_speaks_all_that_is_said_in_a_game(tmp_path: Path) -> None:
    with serving() as server:
        tally, said, status = play(tmp_path, server.port, 20.0)
        asked = [text for text, _ in server.asked]
    assert (tally.plies, tally.wrong_boards, tally.missed_plies) == (PLIES, 0, 0)
    assert asked and set(asked) <= set(said)
    assert len(asked) == len(said) - int(str(status["dropped"]))
    sounds = sorted(tmp_path.glob("*.wav"))
    assert len(sounds) == len(asked) and all(is_heard(path.read_bytes()) for path in sounds)
    assert status["text"] == "speaks"


def test_a_server_that_hangs_costs_the_game_nothing_and_espeak_speaks(tmp_path: Path) -> None:
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as deaf:
        tally, said, status = play(tmp_path, deaf.getsockname()[1], 1.0)
    assert (tally.plies, tally.wrong_boards, tally.missed_plies) == (PLIES, 0, 0)
    assert said and "takes longer than 1 s" in str(status["text"]) and status["ok"]
    sounds = sorted(tmp_path.glob("*.wav"))
    assert sounds and all(is_heard(path.read_bytes()) for path in sounds)
