"""Speech: real sound where espeak-ng and aplay are installed; misbehaving voices and players as whole programs."""

import array
import os
import shutil
import sys
import textwrap
import time
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.config.settings import SpeechSection
from daemon.supervision import restarts
from daemon.voice import player, speech, voice
from daemon.voice.speech import Speaker, clean
from tests.daemon.test_cli import children
from tests.waiting import wait_for

HAS_VOICE = shutil.which("espeak-ng") is not None
HAS_PLAYER = shutil.which("aplay") is not None
needs_voice = pytest.mark.skipif(not HAS_VOICE, reason="espeak-ng is not installed")
needs_sound = pytest.mark.skipif(not (HAS_VOICE and HAS_PLAYER), reason="espeak-ng or alsa-utils is not installed")

VOICE = """
    import json, os, sys, time, wave
    path = sys.argv[sys.argv.index("--file") + 1]
    def answer(**fields): print(json.dumps(fields), flush=True)
    def sound(seconds):
        with wave.open(path, "wb") as file:
            file.setnchannels(1); file.setsampwidth(2); file.setframerate(8000)
            file.writeframes(bytes(int(16000 * seconds)))
"""
GOOD = (
    VOICE
    + """
    answer(ready=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "hang" in request["text"]: time.sleep(60)
        if "die" in request["text"]: sys.exit(1)
        if "rubbish" in request["text"]: print("}{", flush=True)
        if "refuse" in request["text"]: answer(id=request["id"], ok=False, error="no such word"); continue
        sound(0.05)
        answer(id=request["id"], ok=True)
"""
)
MISSING = """
    print('{"ready": false, "error": "libespeak-ng.so.1: cannot open shared object file"}', flush=True)
"""
PLAYER = "import sys, time, pathlib; sys.stdin.buffer.read(); "


def program(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", textwrap.dedent(code))


class Make:
    """Makes speakers, and closes them after the test."""

    def __init__(self) -> None:
        self.made: list[Speaker] = []

    def __call__(
        self, code: str | None = GOOD, play: str | None = "pass", render_to: Path | None = None, **settings: object
    ) -> Speaker:
        makes = voice.PROCESS if code is None else program(code)
        plays = player.APLAY if play is None else program(PLAYER + play)
        self.made.append(Speaker(SpeechSection().model_copy(update=settings), render_to, makes, plays))
        return self.made[-1]


@pytest.fixture
def make() -> Iterator[Make]:
    made = Make()
    yield made
    for speaker in made.made:
        speaker.close()


def loudness(path: Path) -> tuple[float, float]:
    """Seconds and root mean square (0 to 1) of a 16-bit wave file; the length in its header may be missing."""
    data = path.read_bytes()
    with wave.open(str(path), "rb") as file:
        rate, channels = file.getframerate(), file.getnchannels()
    samples = array.array("h", data[44 : 44 + (len(data) - 44) // 2 * 2])
    mean = sum(sample * sample for sample in samples) / max(1, len(samples))
    return len(samples) / rate / channels, mean**0.5 / 32768


@needs_voice
def test_phrases_are_rendered_into_numbered_wave_files_with_sound_in_them(make: Make, tmp_path: Path) -> None:
    speaker = make(None, None, render_to=tmp_path / "said")
    phrases = ("Your move.", "Dark moves from d six to d seven and takes the man on a one.", "Light has won.")
    for phrase in phrases:
        speaker.say(phrase)
    assert speaker.wait_until_silent(30)
    files = sorted((tmp_path / "said").iterdir())
    assert [file.name for file in files] == ["0001.wav", "0002.wav", "0003.wav"]
    for file, phrase in zip(files, phrases, strict=True):
        seconds, level = loudness(file)
        assert 0.4 + 0.03 * len(phrase) < seconds < 1.5 + 0.1 * len(phrase)
        assert level > 0.01
    assert len({file.read_bytes() for file in files}) == 3
    assert speaker.status()["spoken"] == 3


@needs_voice
@pytest.mark.parametrize("language", ["ro", "pl", "vi", "pt-br"])
def test_every_configured_language_has_a_voice(
    make: Make, tmp_path: Path, language: str, caplog: pytest.LogCaptureFixture
) -> None:
    speaker = make(None, None, render_to=tmp_path, language=language)
    speaker.say("1 2 3")
    assert speaker.wait_until_silent(30)
    assert not caplog.records
    assert loudness(tmp_path / "0001.wav")[1] > 0.01


@needs_voice
def test_an_unknown_language_is_spoken_in_english_with_a_warning(
    make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    speaker = make(None, None, render_to=tmp_path, language="nolang")
    speaker.say("hello")
    assert speaker.wait_until_silent(30)
    assert "no voice for 'nolang'" in caplog.text
    assert speaker.status()["spoken"] == 1


@needs_sound
def test_a_phrase_is_really_heard_by_the_sound_device(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured, config = tmp_path / "heard.wav", tmp_path / "asound.conf"
    config.write_text(
        f'pcm.capture {{ type file slave.pcm "null" file "{captured}" format "wav" }}\n'
        "pcm.null { type null }\npcm.!default { type null }\n"
    )
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(config))
    speaker = make(None, None, device="capture")
    speaker.say("Dark moves from d six to d seven, and takes the man on a one.")
    assert speaker.wait_until_silent(30)
    assert speaker.status()["text"] == "speaks"
    seconds, level = loudness(captured)
    assert 2.0 < seconds < 8.0
    assert level > 0.01


@needs_sound
def test_a_device_that_does_not_exist_is_said_once_and_what_was_said_stays_in_writing(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    speaker = make(None, None, device="nosuchdevice")
    for number in range(3):
        speaker.say(f"phrase {number}")
    assert speaker.wait_until_silent(30)
    assert len(caplog.records) == 1
    assert "no sound from device nosuchdevice" in caplog.text and "aplay -L" in caplog.text
    status = speaker.status()
    assert (status["state"], status["ok"], status["failed"], status["last"]) == ("written_only", False, 3, "phrase 2")
    assert status["text"] == "no loudspeaker answers: connect one, or set another sound device"


def test_saying_never_waits_and_the_oldest_phrase_that_is_not_urgent_is_dropped(make: Make) -> None:
    speaker = make(play="time.sleep(60)")
    speaker.say("first")
    wait_for(lambda: speaker.status()["waiting"] == 0)
    speaker.say("urgent", urgent=True)
    for number in range(100):
        speaker.say(f"phrase {number}")
    speaker.say("more urgent", urgent=True)
    assert [text for _, text in speaker._waiting] == [
        *("urgent", "more urgent"),
        *(f"phrase {number}" for number in range(94, 100)),
    ]
    assert speaker.status()["dropped"] == 94


@pytest.mark.parametrize(
    ("phrase", "restarts"), [("please hang", 1), ("please die", 1), ("talk rubbish", 1), ("refuse this", 0)]
)
def test_a_phrase_that_fails_keeps_none_from_being_said_and_only_a_broken_voice_is_started_again(
    make: Make, monkeypatch: pytest.MonkeyPatch, phrase: str, restarts: int
) -> None:
    if "hang" in phrase:
        monkeypatch.setattr(voice, "RENDER_S", 0.3)
        monkeypatch.setattr(voice, "RENDER_S_PER_CHARACTER", 0.0)
    speaker = make()
    for text in ("begin", phrase, "then go on"):
        speaker.say(text)
    assert speaker.wait_until_silent(10)
    status = speaker.status()
    assert (status["spoken"], status["failed"], status["restarts"], status["ok"]) == (2, 1, restarts, True)


def test_a_voice_that_keeps_dying_is_left_alone_for_a_while(
    make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(restarts, "PAUSES_S", (0.0, 0.0, 0.1, 0.3, 8.0))
    speaker = make()
    for number in range(8):
        speaker.say(f"die {number}")
    assert speaker.wait_until_silent(20)
    status = speaker.status()
    assert (status["restarts"], status["failed"], status["ok"]) == (3, 8, False)
    assert "failed too often" in str(status["text"])
    assert len(caplog.records) == 1


def test_a_computer_without_a_voice_says_so_once_and_goes_on_in_writing(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    speaker = make(MISSING)
    for number in range(20):
        speaker.say(f"phrase {number}")
    assert speaker.wait_until_silent(10)
    speaker.say("the last word")
    status = speaker.status()
    assert (status["state"], status["last"], status["waiting"]) == ("written_only", "the last word", 0)
    assert len(caplog.records) == 1 and "there is no voice on this computer: libespeak" in caplog.text
    assert speaker._voice.starts == 1


def test_a_missing_player_names_the_package(
    make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(player, "APLAY", ("/nonexistent/aplay",))
    speaker = make(play=None)
    speaker.say("hello")
    assert speaker.wait_until_silent(10)
    assert "install alsa-utils" in caplog.text and "/nonexistent/aplay" in caplog.text
    assert speaker.status()["text"] == "the program that plays sounds is missing: install alsa-utils"


def test_a_player_that_hangs_is_killed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "GRACE_S", 0.3)
    speaker = make(play="time.sleep(60)")
    speaker.say("hello")
    assert speaker.wait_until_silent(10)
    assert "hangs on the sound device default" in str(speaker.status()["text"])


def test_a_sound_card_that_is_plugged_in_later_is_used(
    make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    card = tmp_path / "card"
    speaker = make(play=f"sys.exit(0 if pathlib.Path({str(card)!r}).exists() else 1)")
    speaker.say("silent")
    assert speaker.wait_until_silent(10)
    assert speaker.status()["ok"] is False
    card.touch()
    speaker.say("heard")
    assert speaker.wait_until_silent(10)
    assert speaker.status()["ok"] is True
    assert "speech works again" in caplog.text


def test_closing_falls_silent_at_once_and_leaves_no_process_and_no_file(make: Make, tmp_path: Path) -> None:
    before = set(children(os.getpid()))
    speaker = make(play="time.sleep(3600)", render_to=None)
    speaker.say("a long story")
    wait_for(lambda: len(set(children(os.getpid())) - before) == 2)
    files = set(Path("/proc/self/fd").iterdir())
    speaker.close()
    speaker.close()
    assert set(children(os.getpid())) == before
    assert len(set(Path("/proc/self/fd").iterdir())) < len(files)
    speaker.say("after the end")
    assert speaker.status()["waiting"] == 0


def test_a_voice_ends_with_the_daemon_even_where_it_hangs() -> None:
    reader, writer = os.pipe()
    code = (
        "import runpy, sys, types, time\n"
        "class Engine:\n"
        "    def setProperty(self, *_): pass\n"
        "    def save_to_file(self, *_): pass\n"
        "    def runAndWait(self): time.sleep(60)\n"
        "sys.modules['pyttsx3'] = types.SimpleNamespace(init=Engine)\n"
        "sys.argv = ['speech_process', '--file', '/dev/null']\n"
        f"runpy.run_path({voice.PROCESS[-1]!r}, run_name='__main__')\n"
    )
    process = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", code],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, reader, 0), (os.POSIX_SPAWN_CLOSE, writer)],
    )
    os.close(reader)
    time.sleep(0.5)
    assert os.waitpid(process, os.WNOHANG) == (0, 0)
    os.close(writer)
    wait_for(lambda: os.waitpid(process, os.WNOHANG) == (process, 0))


ENGINE = f"""
    import runpy, sys, types, wave
    class Engine:
        tries = 0
        def setProperty(self, *_): pass
        def getProperty(self, name): return "gmw/en"
        def save_to_file(self, text, path): self.text, self.path = text, path
        def runAndWait(self):
            self.tries += 1
            with wave.open(self.path, "wb") as file:
                file.setnchannels(1); file.setsampwidth(2); file.setframerate(8000)
                file.writeframes(b"" if "never" in self.text or self.tries % 2 else bytes(8000))
    sys.modules["pyttsx3"] = types.SimpleNamespace(init=Engine)
    runpy.run_path({voice.PROCESS[-1]!r}, run_name="__main__")
"""


def test_a_phrase_of_which_the_engine_makes_no_sound_is_made_again(make: Make, tmp_path: Path) -> None:
    speaker = make(ENGINE, None, render_to=tmp_path)
    for phrase in ("Your move.", "Dark moves.", "..."):
        speaker.say(phrase)
    assert speaker.wait_until_silent(30)
    assert [loudness(file)[0] > 0.1 for file in sorted(tmp_path.iterdir())] == [True, True, False]
    assert speaker.status()["spoken"] == 3


def test_a_phrase_that_stays_without_a_sound_is_told(
    make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    speaker = make(ENGINE, None, render_to=tmp_path)
    speaker.say("never")
    assert speaker.wait_until_silent(30)
    assert speaker.status()["failed"] == 1
    assert "the engine makes no sound of it" in caplog.text


def test_speech_that_is_switched_off_starts_nothing(make: Make) -> None:
    before = set(children(os.getpid()))
    speaker = make(enabled=False)
    speaker.say("hello")
    status = speaker.status()
    assert (status["state"], status["ok"], status["last"]) == ("off", True, "hello")
    assert set(children(os.getpid())) == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Your\tmove.\r\n", "Your move."),
        ("a\x00b\x1b[31mc\u202ed", "a b [31mc d"),
        ("  \n ", ""),
        ("c\u1edd g\u00e1nh", "c\u1edd g\u00e1nh"),
        ("word " * 200, ("word " * 60).strip()),
        ("x" * 1000, "x" * speech.MAX_LENGTH),
    ],
)
def test_text_from_strangers_is_cleaned(text: str, said: str) -> None:
    assert clean(text) == said
