"""A Wyoming server of the package `wyoming`: text to speech by espeak-ng, or answers that a test sets.

python -m tests.daemon.wyoming_server PORT      speaks until it is interrupted
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import subprocess
import sys
import threading
import wave
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event
from wyoming.info import Attribution, Describe, Info, TtsProgram, TtsVoice
from wyoming.server import AsyncEventHandler, AsyncServer
from wyoming.tts import Synthesize

LANGUAGES = ("en", "ro", "pl", "vi", "pt-br")
CHUNK_BYTES = 2048
NOBODY = Attribution(name="", url="")


class Handler(AsyncEventHandler):
    """One connection."""

    def __init__(self, server: TestServer, *args: object, **named: object) -> None:
        super().__init__(*args, **named)  # type: ignore[arg-type]
        self._server = server
        self._audio = b""

    async def handle_event(self, event: Event) -> bool:
        if Describe.is_type(event.type):
            await self.write_event(self._server.info().event())
        elif Synthesize.is_type(event.type):
            asked = Synthesize.from_event(event)
            self._server.asked.append((asked.text, "" if asked.voice is None else asked.voice.language or ""))
            await self._server.speak(self, *self._server.asked[-1])
        elif Transcribe.is_type(event.type):
            self._server.languages.append(Transcribe.from_event(event).language or "")
        elif AudioChunk.is_type(event.type):
            self._audio += AudioChunk.from_event(event).audio
        elif AudioStop.is_type(event.type):
            await self.write_event(Transcript(text=self._server.hear(self._audio)).event())
        return True


class TestServer:
    """What a server answers, and what it was asked."""

    __test__ = False

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        """Texts with their languages."""
        self.languages: list[str] = []
        """Languages in which it was to listen."""
        self.speak: Callable[[Handler, str, str], Awaitable[None]] = spoken
        self.hear: Callable[[bytes], str] = lambda _: ""
        self.port = 0

    def info(self) -> Info:
        """The voices."""
        one = partial(TtsVoice, attribution=NOBODY, installed=True, description=None, version=None)
        voices = [one(name=f"espeak-{code}", languages=[code]) for code in LANGUAGES]
        program = TtsProgram(
            name="espeak-ng", attribution=NOBODY, installed=True, description=None, version=None, voices=voices
        )
        return Info(tts=[program])


async def spoken(handler: Handler, text: str, language: str) -> None:
    """Speaks with espeak-ng, in the language asked for."""
    command = ["espeak-ng", "-v", language or "en", "--stdout", text]
    sound = (await asyncio.to_thread(subprocess.run, command, stdout=subprocess.PIPE, check=True)).stdout
    with wave.open(io.BytesIO(sound)) as reader:
        rate, width, channels = reader.getframerate(), reader.getsampwidth(), reader.getnchannels()
    samples = sound[44:]  # espeak-ng writes no length
    await handler.write_event(AudioStart(rate=rate, width=width, channels=channels).event())
    for place in range(0, len(samples), CHUNK_BYTES):
        audio = samples[place : place + CHUNK_BYTES]
        await handler.write_event(AudioChunk(rate=rate, width=width, channels=channels, audio=audio).event())
    await handler.write_event(AudioStop().event())


@contextlib.contextmanager
def serving() -> Iterator[TestServer]:
    """A server in a thread of its own, on a free port of this computer."""
    server, loop, ready, ended = TestServer(), asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        tcp = await asyncio.start_server(lambda *pipes: Handler(server, *pipes).run(), "127.0.0.1", 0)
        async with tcp:
            server.port = tcp.sockets[0].getsockname()[1]
            ready.set()
            await ended.wait()
            left = asyncio.all_tasks() - {asyncio.current_task()}
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def run() -> None:
        try:
            loop.run_until_complete(serve())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10), "the server did not open"
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main = TestServer()
        asyncio.run(AsyncServer.from_uri(f"tcp://127.0.0.1:{sys.argv[1]}").run(partial(Handler, main)))
