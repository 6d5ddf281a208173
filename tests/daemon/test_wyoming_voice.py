"""The voice of a Wyoming server: a real one with espeak-ng behind it, and some that hang, lie or never end."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import socket
import threading
import time
import wave
from collections.abc import Callable, Iterator

import pytest

from daemon.cli.voices import is_heard
from daemon.config.settings import Config, SpeechSection, wyoming_address
from daemon.voice import VoiceError
from daemon.voice.voice import voice_of
from daemon.voice.wyoming_voice import WyomingVoice

pytest.importorskip("wyoming", reason="no Wyoming server: the package wyoming is not installed")

from tests.daemon.wyoming_server import LANGUAGES, TestServer, serving

Served = Callable[[socket.socket], None]
START = {"type": "audio-start", "data": {"rate": 22050, "width": 2, "channels": 1}}


@pytest.fixture
def server() -> Iterator[TestServer]:
    if not shutil.which("espeak-ng"):
        pytest.skip("espeak-ng is not installed")
    with serving() as opened:
        yield opened


@contextlib.contextmanager
def answering(answer: Served) -> Iterator[tuple[str, int]]:
    """A server of raw bytes, each connection in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.recv(4096)
            answer(connection)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):  # to close with something unread would take back what was sent
                pass

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def line(told: object) -> bytes:
    return json.dumps(told).encode() + b"\n"


def render(address: tuple[str, int], deadline_s: float = 10.0) -> bytes:
    return WyomingVoice(address, "en", deadline_s).render("Dark: d, 2.", threading.Event())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wyoming_server_speaks_a_phrase_in_every_language(server: TestServer, language: str) -> None:
    voice = WyomingVoice(("127.0.0.1", server.port), language, 10.0)
    sound = voice.render("d, 6; d, 5", threading.Event())
    assert is_heard(sound)
    with wave.open(io.BytesIO(sound)) as reader:
        assert reader.getnframes() / reader.getframerate() > 0.5
    assert server.asked == [("d, 6; d, 5", language)]


def _endless(connection: socket.socket) -> None:
    connection.sendall(line(START))
    while True:
        connection.sendall(line({"type": "audio-chunk", "payload_length": 100_000}) + bytes(100_000))


def _pings(connection: socket.socket) -> None:
    while True:
        connection.sendall(line({"type": "ping"}))
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda _: time.sleep(30), "takes longer than 0.5 s"),
        (_pings, "takes longer than 0.5 s"),
        (lambda _: None, "closes the connection"),
        (lambda one: one.sendall(line(START) + b'{"type": "audio-ch'), "closes the connection"),
        (_endless, "sends no Wyoming events"),
        (lambda one: one.sendall(b"\xff" * 200_000), "sends no Wyoming events"),
        (lambda one: one.sendall(b"GET / HTTP/1.1\r\n\r\n"), "sends no Wyoming events"),
        (lambda one: one.sendall(b"[" * 60_000 + b"\n"), "sends no Wyoming events"),
        (lambda one: one.sendall(line([1])), "sends no Wyoming events"),
        (lambda one: one.sendall(line({"type": "audio-start", "data_length": -1})), "sends no Wyoming events"),
        (lambda one: one.sendall(line({"data_length": 10**12, "type": "info"})), "sends no Wyoming events"),
        (lambda one: one.sendall(line({"type": "audio-start", "data": {"rate": "fast"}})), "no rate"),
        (lambda one: one.sendall(line(START | {"data": START["data"] | {"rate": 10**9}})), "sound of 1000000000 Hz"),
        (lambda one: one.sendall(line(START) + line({"type": "audio-stop"})), "made no sound"),
        (lambda one: one.sendall(line({"type": "error", "data": {"text": "no such voice"}})), "answers: no such voice"),
        (
            lambda one: one.sendall(line(START) + line({"type": "audio-chunk", "payload_length": 10**9})),
            "sends no Wyoming events",
        ),
    ],
)
def test_a_server_that_hangs_lies_or_never_ends_is_left_within_the_deadline(answer: Served, fault: str) -> None:
    with answering(answer) as address:
        begun_s, deadline_s = time.monotonic(), 0.5 if "takes longer" in fault else 10.0
        with pytest.raises(VoiceError, match=fault):
            render(address, deadline_s)
        assert time.monotonic() - begun_s < deadline_s + 3.0


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(VoiceError, match=rf"wyoming://127.0.0.1:{port} cannot be reached"):
        render(("127.0.0.1", port))


def test_closing_ends_the_wait_for_a_server() -> None:
    stop = threading.Event()
    with answering(lambda _: time.sleep(30)) as address:
        threading.Timer(0.2, stop.set).start()
        begun_s = time.monotonic()
        with pytest.raises(VoiceError, match="closing"):
            WyomingVoice(address, "en", 30.0).render("One.", stop)
        assert time.monotonic() - begun_s < 5.0


def test_espeak_speaks_while_the_server_hangs_and_the_server_again_when_it_is_back() -> None:
    """The change is said once each time; what is said is what reaches either voice."""
    hangs = threading.Event()
    hangs.set()
    heard: list[str] = []

    def answer(connection: socket.socket) -> None:
        if hangs.is_set():
            time.sleep(30)
        connection.sendall(line(START) + line({"type": "audio-chunk", "payload_length": 4000}) + b"\1\2" * 2000)
        connection.sendall(line({"type": "audio-stop"}))

    with answering(answer) as (host, port):
        voice = voice_of(SpeechSection(voice=f"wyoming://{host}:{port}").model_copy(update={"voice_s": 0.5}))
        first, second, now_s = voice._first, voice._second, [0.0]  # type: ignore[attr-defined]
        voice._clock = lambda: now_s[0]  # type: ignore[attr-defined]
        asked = first.render
        first.render = lambda text, stop: asked(text, heard.append(text) or stop)
        second.render = lambda text, _: heard.append(f"espeak: {text}") or b"own"
        stop = threading.Event()
        assert [voice.render(text, stop) for text in ("One.", "Two.")] == [b"own", b"own"]
        hangs.clear()
        now_s[0] = 61.0
        assert [voice.render(text, stop)[:4] for text in ("Three.", "Four.")] == [b"RIFF", b"RIFF"]
        voice.close()
    assert heard == [
        "One.",
        "espeak: My other voice does not work, so I speak with this one. One.",
        "espeak: Two.",
        "I have my own voice back. Three.",
        "Four.",
    ]


@pytest.mark.parametrize(
    "address", ["http://here:1", "wyoming://here", "wyoming://:10200", "wyoming://a:b", "here:10200", "wyoming://a:1/x"]
)
def test_what_is_no_address_of_a_server_is_refused_by_name(address: str) -> None:
    with pytest.raises(ValueError, match="wyoming://HOST:PORT"):
        wyoming_address(address)
    with pytest.raises(ValueError, match=r"speech\.voice"):
        Config.model_validate({"speech": {"voice": address}})


def test_a_command_and_a_server_together_are_refused() -> None:
    with pytest.raises(ValueError, match="leave one of them empty"):
        Config.model_validate({"speech": {"voice": "wyoming://a:1", "command": ["piper"]}})
