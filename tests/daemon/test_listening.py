"""Listening: utterances cut from sound, recognisers that are right, hang or lie, and microphones over the WebSocket."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import itertools
import shutil
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest

import games
from daemon.commands.command import (
    Clocks,
    Command,
    HowMany,
    LastMove,
    MovesFrom,
    ReadBoard,
    WhatIsOn,
    WhereAre,
    WhoseTurn,
)
from daemon.commands.spoken.conversation import Conversation, Table
from daemon.commands.spoken.grammar import asking_phrases, called, phrases_of, understand
from daemon.commands.spoken.words import words_of
from daemon.page.microphones import MAX_MESSAGE, MAX_MICROPHONES
from daemon.page.web import WebPage
from daemon.run.move_words import named_words
from daemon.voice import VoiceError
from daemon.voice.listening.listening import MAX_WAITING, Listening
from daemon.voice.listening.recognisers import EmbeddedRecogniser, WyomingRecogniser
from daemon.voice.listening.utterances import FRAME_BYTES, LONGEST_S, RATE_HZ, Utterances
from rules import AnyGame
from tests.waiting import wait_for

pytest.importorskip("wyoming", reason="no Wyoming server: the package wyoming is not installed")

from tests.daemon.speech import spoken
from tests.daemon.test_wyoming_voice import answering
from tests.daemon.wyoming_server import TestServer, serving

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")
SECOND = 2 * RATE_HZ
PIECE = 3200
MOVES = ["d6-d5", "d6-d7", "a1-a4", "c5-d5xb6"]


def noise(seconds: float, loudness: float) -> bytes:
    samples = np.random.default_rng(1).normal(0, loudness, int(seconds * RATE_HZ))
    return bytes(samples.clip(-32768, 32767).astype(np.int16).tobytes())


def in_pieces(sound: bytes, size: int) -> list[bytes]:
    cutter = Utterances()
    return [one for place in range(0, len(sound), size) for one in cutter.feed(sound[place : place + size])]


@needs_espeak
def test_two_phrases_are_two_utterances_however_the_sound_arrives() -> None:
    sound = spoken("Kibitzer, undo") + spoken("Kibitzer, give me a hint", "en-gb")
    found = in_pieces(sound, PIECE)
    assert [round(len(one) / SECOND) for one in found] == [2, 3]
    assert in_pieces(sound, 1) == in_pieces(sound, len(sound)) == found


@needs_espeak
def test_a_loud_room_is_learnt_and_speech_in_it_is_still_heard() -> None:
    room = noise(30.0, 250.0)
    learnt = len(in_pieces(room, PIECE))
    *_, phrase = found = in_pieces(room + spoken("Kibitzer, undo", noise=250.0) + room[:SECOND], PIECE)
    assert len(found) == learnt + 1 and 1.5 < len(phrase) / SECOND < 3.0


@pytest.mark.parametrize(
    "sound", [noise(60, 20), noise(60, 9000), bytes(60 * SECOND), noise(0.1, 9000) + bytes(SECOND)]
)
def test_silence_hum_and_clicks_are_no_utterances(sound: bytes) -> None:
    assert in_pieces(sound, PIECE) == []


@needs_espeak
def test_long_talk_is_thrown_away_and_what_follows_is_heard() -> None:
    talk = spoken("and so on and on " * 12)
    assert len(talk) > LONGEST_S * SECOND
    assert len(in_pieces(talk + spoken("Kibitzer, undo"), PIECE)) == 1


@pytest.fixture
def server() -> Iterator[TestServer]:
    with serving() as opened:
        yield opened


@pytest.mark.parametrize(("language", "asked"), [("en", "en"), ("pt-br", "pt"), ("vi", "vi")])
def test_a_wyoming_server_gets_the_sound_and_writes_it_down(server: TestServer, language: str, asked: str) -> None:
    heard: list[bytes] = []
    server.hear = lambda sound: heard.append(sound) or " Kibitzer, undo. "  # type: ignore[func-returns-value]
    sound = noise(1.5, 500.0)
    recogniser = WyomingRecogniser(("127.0.0.1", server.port), language, 5.0)
    assert recogniser.text(sound, (), threading.Event()) == " Kibitzer, undo. "
    assert heard == [sound] and server.languages == [asked]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda _: time.sleep(30), "takes longer than 0.5 s"),
        (lambda _: None, "closes the connection"),
        (lambda one: one.sendall(b"\0" * 100_000), "no Wyoming events"),
        (lambda one: one.sendall(b'{"type": "transcript", "payload_length": 5}\nhello'), "no Wyoming events"),
    ],
)
def test_a_server_that_hangs_or_lies_is_left_within_the_deadline(answer: Any, fault: str) -> None:
    with answering(answer) as address:
        begun_s, deadline_s = time.monotonic(), 0.5 if "takes longer" in fault else 10.0
        with pytest.raises(VoiceError, match=fault):
            WyomingRecogniser(address, "en", deadline_s).text(noise(2.0, 500.0), (), threading.Event())
        assert time.monotonic() - begun_s < deadline_s + 3.0


class Slow:
    """A recogniser that a test lets go on."""

    def __init__(self) -> None:
        self.go_on, self.heard, self.fault = threading.Event(), [], ""

    def text(self, sound: bytes, _: object, stop: threading.Event) -> str:
        while not self.go_on.wait(0.01) and not stop.is_set():
            pass
        if self.fault:
            raise VoiceError(self.fault)
        self.heard.append(sound)
        return sound.decode()

    def close(self) -> None:
        self.go_on.set()


@pytest.fixture
def slow() -> Iterator[tuple[Slow, Listening]]:
    recogniser = Slow()
    listening = Listening(recogniser, "Kibitzer")
    yield recogniser, listening
    listening.close()


def test_utterances_wait_in_a_short_queue_and_the_oldest_are_dropped(slow: tuple[Slow, Listening]) -> None:
    recogniser, listening = slow
    listening.hear(b"0")
    wait_for(lambda: not listening._waiting)
    for number in range(1, 20):
        listening.hear(str(number).encode())
    recogniser.go_on.set()
    texts: list[str] = []
    wait_for(lambda: texts.extend(listening.texts()) or len(texts) == 1 + MAX_WAITING)  # type: ignore[func-returns-value]
    assert texts == ["0", "18", "19"]
    assert listening.status()["dropped"] == 17


def test_what_is_written_down_too_late_is_not_carried_out(
    slow: tuple[Slow, Listening], monkeypatch: pytest.MonkeyPatch
) -> None:
    recogniser, listening = slow
    monkeypatch.setattr("daemon.voice.listening.listening.OLD_S", 0.2)
    listening.hear(b"undo")
    time.sleep(0.3)
    recogniser.go_on.set()
    wait_for(lambda: listening.status()["heard"])
    assert listening.texts() == []


def test_a_recogniser_that_fails_is_told_and_tried_again(
    slow: tuple[Slow, Listening], caplog: pytest.LogCaptureFixture
) -> None:
    recogniser, listening = slow
    recogniser.fault = "it is gone"
    recogniser.go_on.set()
    for _ in range(3):
        listening.hear(b"undo")
        wait_for(lambda: not listening._waiting)
    wait_for(lambda: not listening.status()["ok"])
    assert listening.status()["text"] == "it is gone"
    recogniser.fault = ""
    listening.hear(b"undo")
    wait_for(lambda: listening.status()["ok"] and listening.texts() == ["undo"])
    assert [record.message for record in caplog.records].count("nothing is understood: it is gone") == 1


# The embedded recogniser


@needs_espeak
def test_english_verbs_and_moves_are_understood_or_asked_back_and_never_taken_for_others() -> None:
    """Spoken by espeak-ng heard by pocketsphinx."""
    pytest.importorskip("pocketsphinx", reason="no recogniser: the package pocketsphinx is not installed")
    recogniser, table = EmbeddedRecogniser("Kibitzer"), Table("en", "mark", MOVES)
    phrases, wanted = phrases_of(MOVES, "en"), dict(words_of("en").verbs)
    spoken_moves = {"delta six to delta five": "d6-d5", "alpha one to alpha four": "a1-a4", "d six to d seven": "d6-d7"}
    right = wrong = 0
    try:
        for voice, text in itertools.product(("en-us", "en-gb+f4"), (*wanted, *spoken_moves)):
            (utterance,) = Utterances().feed(spoken(f"Kibitzer, {text}", voice))
            written = recogniser.text(utterance, phrases, threading.Event())
            said = understand(called(written, "en", "Kibitzer") or "", "en", MOVES)
            meant = said.moves == (spoken_moves.get(text),) or (said.verb is not None and said.verb == wanted.get(text))
            reply = Conversation().hear(written, table, "Kibitzer", 0.0)
            right += meant
            wrong += not meant and reply is not None and reply.command is not None
        assert right >= 0.7 * 2 * (len(wanted) + len(spoken_moves)) and not wrong
        (talk,) = Utterances().feed(spoken("Would you like to go on with the game?"))
        assert recogniser.text(talk, phrases, threading.Event()) == ""
    finally:
        recogniser.close()


ASKED: dict[str, tuple[AnyGame, dict[str, Command]]] = {
    "chess": (
        games.load("chess"),
        {
            "what is on e four": WhatIsOn("e4"),
            "what stands on delta five": WhatIsOn("d5"),
            "what is on echo four": WhatIsOn("e4"),
            "what is on b seven": WhatIsOn("b7"),
            "what is on square g three": WhatIsOn("g3"),
            "what piece is on hotel eight": WhatIsOn("h8"),
            "what stands on c six": WhatIsOn("c6"),
            "where are the white knights": WhereAre("white knights"),
            "where is the black queen": WhereAre("black queen"),
            "what was the last move": LastMove(),
            "how many pieces": HowMany(),
            "whose turn is it": WhoseTurn(),
            "read the board": ReadBoard(),
            "legal moves from echo two": MovesFrom("e2"),
            "how much time is left": Clocks(),
        },
    ),
    "draughts": (
        games.load("draughts", {"size": 10}),
        {"what is on twenty two": WhatIsOn("22"), "what is on square forty five": WhatIsOn("45")},
    ),
    "go": (
        games.load("go", {"size": 19}),
        {"what is on kilo ten": WhatIsOn("K10"), "what is on q sixteen": WhatIsOn("Q16"), "how many stones": HowMany()},
    ),
}
"""Questions, and what they mean; the boards are the largest."""


@needs_espeak
def test_sixty_questions_are_answered_or_asked_back_and_none_is_taken_for_another() -> None:
    """Twenty questions by three voices of espeak-ng, heard by pocketsphinx; prints the counts."""
    pytest.importorskip("pocketsphinx", reason="no recogniser: the package pocketsphinx is not installed")
    counts = dict.fromkeys(("understood", "asked back", "nothing", "another"), 0)
    with contextlib.closing(EmbeddedRecogniser("Kibitzer")) as recogniser:
        for game, asked in ASKED.values():
            named = named_words(game, "en")
            table = Table("en", "mark", named=named, by_sound=True)
            phrases = [*phrases_of((), "en"), *asking_phrases("en", named)]
            for (text, meant), voice in itertools.product(asked.items(), ("en-us", "en-gb+f4", "en-gb+m3")):
                (utterance,) = Utterances().feed(spoken(f"Kibitzer, {text}", voice))
                written = recogniser.text(utterance, phrases, threading.Event())
                reply = Conversation().hear(written, table, "Kibitzer", 0.0)
                if reply is None:
                    counts["nothing"] += 1
                else:
                    counts["asked back" if reply.command is None else verdict(reply.command == meant)] += 1
    print(counts)
    assert sum(counts.values()) == 60 and counts["another"] == 0
    assert counts["understood"] >= 35 and counts["understood"] + counts["asked back"] >= 55


def verdict(right: bool) -> str:
    return "understood" if right else "another"


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("raise SystemExit", "does not start"),
        ('print(\'{"ready": false, "error": "no model"}\', flush=True)', "no model"),
        ("print('{\"ready\": true}', flush=True); import time; time.sleep(60)", "it hangs"),
        ("print('{\"ready\": true}', flush=True); input(); print('rubbish', flush=True); input()", "rubbish"),
    ],
)
def test_a_recogniser_process_that_dies_hangs_or_lies_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str, fault: str
) -> None:
    monkeypatch.setattr("daemon.voice.listening.recognisers.TEXT_S", 0.5)
    script = tmp_path / "recogniser.py"
    script.write_text(lines)
    made = EmbeddedRecogniser("Kibitzer", (sys.executable, str(script)))
    with contextlib.closing(made) as recogniser, pytest.raises(VoiceError, match=fault):
        recogniser.text(noise(1.0, 500.0), ["undo"], threading.Event())


# Microphones

Talk = Callable[[aiohttp.ClientWebSocketResponse], Any]


@pytest.fixture
def page(slow: tuple[Slow, Listening]) -> Iterator[WebPage]:
    made = WebPage(port=0)
    slow[0].go_on.set()
    made.listen_with(slow[1], lambda: False)
    yield made
    made.close()


def run(whole: Coroutine[Any, Any, Any]) -> Any:
    """Runs it in a thread: a browser's test may have left a loop in this one."""
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, whole).result(60)


def visit(page: WebPage, talk: Talk) -> Any:
    """Opens the WebSocket and talks to it."""

    async def opened() -> Any:
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{page.address}listen") as socket:
            return await asyncio.wait_for(talk(socket), 20)

    return run(opened())


async def _send(socket: aiohttp.ClientWebSocketResponse, sound: bytes) -> Any:
    await socket.send_json({})
    answer = await socket.receive_json()
    for place in range(0, len(sound), PIECE):
        await socket.send_bytes(sound[place : place + PIECE])
    return answer


class Counting(Slow):
    def text(self, sound: bytes, _: object, stop: threading.Event) -> str:
        return str(len(sound) // FRAME_BYTES)


@needs_espeak
def test_a_microphone_is_heard_except_while_the_computer_speaks(page: WebPage) -> None:
    listening, talking = Listening(Counting(), "Kibitzer"), threading.Event()
    page.listen_with(listening, talking.is_set)
    sound = spoken("Kibitzer, undo")
    try:

        async def talk(socket: aiohttp.ClientWebSocketResponse) -> list[str]:
            assert await _send(socket, sound) == {"listens": True}
            texts: list[str] = []
            while not texts:
                texts = listening.texts()
                await asyncio.sleep(0.01)
            assert listening.status()["microphones"] == 1
            talking.set()
            for place in range(0, len(sound), PIECE):
                await socket.send_bytes(sound[place : place + PIECE])
            await asyncio.sleep(0.5)
            return listening.texts()

        assert visit(page, talk) == []
        wait_for(lambda: listening.status()["microphones"] == 0)
        assert listening.status()["heard"] == 1
    finally:
        listening.close()


def test_what_is_no_sound_or_too_much_of_it_ends_the_microphone(page: WebPage) -> None:
    async def text(socket: aiohttp.ClientWebSocketResponse) -> Any:
        await _send(socket, b"")
        await socket.send_str("hello")
        return (await socket.receive()).type

    async def large(socket: aiohttp.ClientWebSocketResponse) -> Any:
        await _send(socket, b"")
        await socket.send_bytes(bytes(MAX_MESSAGE + 1))
        return (await socket.receive()).type

    async def fast(socket: aiohttp.ClientWebSocketResponse) -> Any:
        await _send(socket, bytes(60 * SECOND))
        return (await socket.receive()).type

    for talk in (text, large, fast):
        with contextlib.suppress(ConnectionError, aiohttp.ClientError):  # closed while it was still sending
            assert visit(page, talk) in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)


def test_nobody_is_heard_where_listening_is_off_and_only_so_many_at_once(page: WebPage) -> None:
    async def crowd() -> list[Any]:
        async with aiohttp.ClientSession() as session:
            sockets = [await session.ws_connect(f"{page.address}listen") for _ in range(MAX_MICROPHONES + 1)]
            answers = [await _send(socket, b"") for socket in sockets]
            for socket in sockets:
                await socket.close()
            return answers

    answers = run(crowd())
    assert [one["listens"] for one in answers] == [True] * MAX_MICROPHONES + [False]
    page.listen_with(None, lambda: False)
    assert visit(page, lambda socket: _send(socket, b""))["code"] == "off"


def test_a_microphone_elsewhere_needs_the_token(tmp_path: Path, slow: tuple[Slow, Listening]) -> None:
    """A proxy's header marks a request as somebody else's."""
    page = WebPage(port=0, token=tmp_path / "token")
    page.listen_with(slow[1], lambda: False)

    async def ask(token: object) -> Any:
        headers = {"X-Forwarded-For": "192.0.2.7"}
        address = f"{page.address}listen"
        async with aiohttp.ClientSession() as session, session.ws_connect(address, headers=headers) as socket:
            await socket.send_json({"token": token})
            return await asyncio.wait_for(socket.receive_json(), 10)

    try:
        assert run(ask(""))["code"] == "token_needed"
        token = (tmp_path / "token").read_text().strip()
        assert run(ask(token)) == {"listens": True}
        for wrong in (["x"], 7, None, "é" * 40, "x" * 43):
            assert run(ask(wrong))["listens"] is False
    finally:
        page.close()
