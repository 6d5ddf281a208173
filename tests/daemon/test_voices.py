"""Cells as they are heard, how much is spoken, and voices of other programs."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import wave
from pathlib import Path

import pytest

from daemon.config.settings import SpeechSection
from daemon.game.effects import Announcement
from daemon.voice import VoiceError
from daemon.voice.command_voice import CommandVoice
from daemon.voice.speech import Speaker
from daemon.voice.spelling import spelled
from daemon.voice.verbosity import is_spoken, wants_advice
from daemon.voice.voice import FallbackVoice
from system import family
from wording import untranslated


def sound(text: str = "") -> bytes:
    """A wave file of a tenth of a second."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, 8000, 0, "NONE", ""))
        writer.writeframes(b"\0\1" * 800)
    return file.getvalue()


class Known:
    """A voice that remembers what it said, or fails."""

    def __init__(self, fault: str = "") -> None:
        self.said: list[str] = []
        self.fault, self.starts = fault, 0

    def render(self, text: str, _stop: threading.Event) -> bytes:
        self.said.append(text)
        if self.fault:
            raise VoiceError(self.fault)
        return sound()

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("Dark: f4.", "Dark: f, 4."),
        ("a1 to a4, taking g7 and h15", "a, 1 to a, 4, taking g, 7 and h, 15"),
        ("Take a7, b4 and d2 away.", "Take a, 7; b, 4 and d, 2 away."),
        ("The 3-4 on 7H, 8J", "The 3\u20134 on 7, H; 8, J"),
        ("a1-a4xg7 and 8H6-8I1", "a, 1; a, 4; g, 7 and 8, H, 6; 8, I, 1"),
        ("level-5, mcts2 and the year 1984", "level-5, mcts2 and the year 1984"),
    ],
)
def test_cells_are_spelled_and_nothing_else_is(written: str, heard: str) -> None:
    assert spelled(written) == heard


def test_of_moves_only_what_must_be_acted_on_is_spoken_besides_moves() -> None:
    def one(code: str, *, urgent: bool = False) -> Announcement:
        return Announcement(code, (untranslated("Something."),), "", 1, urgent=urgent)  # type: ignore[arg-type]

    assert is_spoken(one("move"), "moves") and is_spoken(one("illegal", urgent=True), "moves")
    assert is_spoken(one("trouble", urgent=True), "moves") and not is_spoken(one("start"), "moves")
    assert is_spoken(one("start"), "normal") and is_spoken(one("start"), "coach")
    assert not is_spoken(Announcement("refused_reply", (), "", 1), "coach")
    assert wants_advice(one("move"), "coach") and not wants_advice(one("move"), "normal")


def command(tmp_path: Path, lines: str) -> list[str]:
    """Writes a third-party voice program in Python; returns the command that starts it."""
    program = tmp_path / "voice.py"
    program.write_text(lines)
    return [sys.executable, "-I", str(program)]


def test_a_command_gets_the_phrase_and_gives_the_sound(tmp_path: Path) -> None:
    heard, file = tmp_path / "heard.txt", tmp_path / "sound.wav"
    file.write_bytes(sound())
    lines = (
        f"import sys; open({str(heard)!r}, 'wb').write(sys.stdin.buffer.read()); "
        f"sys.stdout.buffer.write(open({str(file)!r}, 'rb').read())"
    )
    voice = CommandVoice(command(tmp_path, lines), 20.0)
    assert voice.render("Rândul negrului: d, 2.", threading.Event()) == sound()
    assert heard.read_text(encoding="utf-8") == "Rândul negrului: d, 2.\n"
    silent = CommandVoice(command(tmp_path, "import sys; sys.stdin.read()"), 20.0)
    assert silent.render("It played this itself.", threading.Event()) == b""


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("import time; time.sleep(60)", "takes longer than 0.5 s"),
        ("import os; os.close(1); import time; time.sleep(60)", "does not take the phrase"),
        ("raise SystemExit(3)", "status 3"),
        ("print('no sound at all')", "no wave file"),
    ],
)
def test_a_command_that_hangs_or_fails_is_killed_and_named(tmp_path: Path, lines: str, fault: str) -> None:
    voice = CommandVoice(command(tmp_path, lines), 0.5 if "sleep" in lines else 20.0)
    with pytest.raises(VoiceError, match=fault):
        voice.render("One.", threading.Event())


@pytest.mark.parametrize(
    ("lines", "fault"),
    [("raise SystemExit(3)", "status 3"), ("print('no sound')", "no wave file"), ("", "does not take the phrase")],
)
def test_a_command_that_ends_before_it_has_the_phrase_is_named_by_how_it_ended(
    tmp_path: Path, lines: str, fault: str
) -> None:
    with pytest.raises(VoiceError, match=fault):
        CommandVoice(command(tmp_path, lines), 20.0).render("x" * 200_000, threading.Event())  # no pipe holds so much


def test_a_command_that_is_not_there_is_named() -> None:
    with pytest.raises(VoiceError, match="/nowhere/piper cannot be run"):
        CommandVoice(["/nowhere/piper"], 5.0).render("One.", threading.Event())


def test_the_trouble_of_a_command_is_told_once_and_it_is_tried_again_later() -> None:
    now = [0.0]
    first, second = Known("broken"), Known()
    voice = FallbackVoice(first, second, lambda: now[0])
    for text in ("One.", "Two."):
        assert voice.render(text, threading.Event()) == sound()
    assert second.said == ["My other voice does not work, so I speak with this one. One.", "Two."]
    assert first.said == ["One."] and voice.trouble == "broken"
    now[0] = 61.0
    voice.render("Three.", threading.Event())
    assert second.said[-1] == "Three."
    first.fault, now[0] = "", 200.0
    voice.render("Four.", threading.Event())
    assert (first.said[-1], second.said[-1], voice.trouble) == ("I have my own voice back. Four.", "Three.", "")


def test_a_speaker_renders_what_a_command_makes(tmp_path: Path) -> None:
    (tmp_path / "sound.wav").write_bytes(sound())
    lines = f"import sys; sys.stdin.read(); sys.stdout.buffer.write(open({str(tmp_path / 'sound.wav')!r}, 'rb').read())"
    with contextlib.closing(Speaker(SpeechSection(command=command(tmp_path, lines)), tmp_path / "said")) as speaker:
        speaker.say("Dark: d2.")
        assert speaker.wait_until_silent(30.0)
        assert (tmp_path / "said" / "0001.wav").read_bytes() == sound()
        assert speaker.status()["text"] == "speaks"


def test_voice_that_leaves_a_child_holding_its_output_is_heard_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    """A wrapper may start a server beside the voice."""
    noted = tmp_path / "pid"
    lines = f"import sys; sys.stdin.read(); sys.stdout.buffer.write({sound()!r})"
    wrapper = ["sh", "-c", f'sleep 600 & echo $! > {noted}; exec "$@"', "sh", *command(tmp_path, lines)]
    assert CommandVoice(wrapper, 120.0).render("One.", threading.Event()) == sound()
    assert family.is_gone(int(noted.read_text()))
