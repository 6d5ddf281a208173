"""Counts the commands that an hour of other people's talk gives by mistake.

    kibitzer bench talk --sound --language en

The texts are Debian's: fortunes, fortunes-pl, fortunes-br, manpages-ro, manpages-vi; nothing of them is kept here. Nine
thousand words are about an hour. Each clause and each sentence is an utterance, in a game of morris with moves to make.
Prints the mistakes as Kibitzer listens, and as it would without its call. With --sound espeak-ng speaks the English
sentences too.
"""

from __future__ import annotations

import collections
import gzip
import itertools
import random
import re
import subprocess
import threading
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from scipy.signal import resample_poly

import games
from daemon.commands.spoken.conversation import QUESTIONS, Conversation, Table
from daemon.commands.spoken.grammar import NOTHING, phrases_of, understand
from daemon.voice.listening.recognisers import EmbeddedRecogniser
from daemon.voice.listening.utterances import RATE_HZ, Utterances

WORDS = 9000
WAKE = "Kibitzer"
PACKAGES = {"en": "fortunes", "ro": "manpages-ro", "pl": "fortunes-pl", "vi": "manpages-vi", "pt-br": "fortunes-br"}
LANGUAGES = list(PACKAGES)
HEAD_BYTES = 44
"""Of a wave file; espeak-ng writes 22,050 samples a second."""
QUIET_S = 0.5


def hour(language: str) -> list[str]:
    """Sentences of about nine thousand words, in an order of chance that is always the same."""
    command = ["dpkg", "-L", PACKAGES[language]]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    files = [Path(name) for name in listed if re.search(r"/man\d/.*\.gz$|/fortunes/.*[^.]{4}$", name)]
    found = []
    for path in sorted(file for file in files if file.is_file() and file.suffix not in (".dat", ".u8")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = re.sub(r"^[.'].*$|\\f.|\\[-&]|\[[0-9;]*m", " ", data.decode("utf-8", "replace"), flags=re.MULTILINE)
        for part in re.split(r"(?<=[.!?])\s|\n\s*\n|\n%\n", text):
            words = " ".join(part.split())
            if words and re.fullmatch(r"[\w\s.,;:!?'\"()-]+", words) and len(words) < 300:
                found.append(words)
    random.Random(3).shuffle(found)
    counts = itertools.accumulate(len(sentence.split()) for sentence in found)
    return [sentence for sentence, count in zip(found, counts, strict=True) if count <= WORDS]


def table_of(language: str) -> Table:
    """A game of morris in which men are still laid: a cell alone is a move."""
    game = games.load("nine_mens_morris")
    position = game.initial()
    return Table(language, "mark", [game.format_move(position, move) for move in game.legal_moves(position)])


def count_texts(language: str) -> None:
    table, talk = table_of(language), hour(language)
    clauses = [clause for sentence in talk for clause in re.split(r"[.,;:!?()\"]+", sentence) if clause.strip()]
    called, bare = 0, collections.Counter[str]()
    for text in [*talk, *clauses]:
        said = understand(text, language, table.moves)
        if said != NOTHING:
            bare[said.verb or "move"] += 1
        called += Conversation().hear(text, table, WAKE, 0.0) is not None
    lost = sum(count for verb, count in bare.items() if verb in QUESTIONS)
    words = sum(len(sentence.split()) for sentence in talk)
    print(f"{language}: {words} words, {len(talk)} sentences, {len(clauses)} clauses: {called} commands")
    print(f"    without the call: {bare.total()}, of them {lost} that lose something: {dict(bare)}", flush=True)


def spoken(text: str, voice: str = "en-us", noise: float = 20.0) -> bytes:
    """The text in 16 kHz, with a rest before and after it."""
    sound = subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "--stdout", text], capture_output=True, check=True)
    samples = resample_poly(np.frombuffer(sound.stdout[HEAD_BYTES:], np.int16).astype(float), 320, 441)
    rest = np.zeros(int(QUIET_S * RATE_HZ))
    whole = np.concatenate([rest, samples, rest, rest])
    whole += np.random.default_rng(5).normal(0, noise, len(whole))
    return whole.clip(-32768, 32767).astype(np.int16).tobytes()


def count_sounds() -> None:
    """Prints the mistakes of the embedded recogniser in an hour of English, spoken by four voices."""
    table, recogniser, stop = table_of("en"), EmbeddedRecogniser(WAKE), threading.Event()
    phrases, heard, utterances, seconds = phrases_of(table.moves, "en"), collections.Counter[str](), 0, 0.0
    voices = itertools.cycle(("en-us", "en-gb", "en-us+f3", "en-gb+m4"))
    conversation = Conversation()
    try:
        for text, voice in zip(hour("en"), voices, strict=False):
            sound = spoken(text, voice)
            seconds += len(sound) / 32000
            for utterance in Utterances().feed(sound):
                utterances += 1
                if written := recogniser.text(utterance, phrases, stop):
                    reply = conversation.hear(written, table, WAKE, seconds)
                    what = "nothing" if reply is None else type(reply.command).__name__ if reply.command else "question"
                    heard[what] += 1
                    print(f"    {text[:60]!r}: {written!r}: {what}", flush=True)
    finally:
        recogniser.close()
    print(f"en, sound: {seconds:.0f} s, {utterances} utterances: {dict(heard)}", flush=True)


def main(
    sound: Annotated[bool, typer.Option("--sound", help="speak English to the embedded recogniser, too")] = False,
    language: Annotated[list[str], typer.Option(help="only this one; repeatable")] = LANGUAGES,
) -> None:
    if not set(language) <= set(LANGUAGES):
        raise typer.BadParameter(f"the languages are {', '.join(LANGUAGES)}")
    for one in language:
        count_texts(one)
    if sound:
        count_sounds()
