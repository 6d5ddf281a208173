"""What an hour of other people's talk does to the table: texts, and with --sound the same spoken by espeak-ng.

    python -m lab.bench.talk [--sound] [--language en]

The texts are Debian's: fortunes, fortunes-pl, fortunes-br, manpages-ro, manpages-vi; nothing of them is kept here. Nine
thousand words are about an hour. Each clause and each sentence is an utterance, in a game of morris with moves to make.
Printed are the commands by mistake: as Kibitzer listens, and as it would without its call.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import itertools
import random
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import games
from daemon.commands.spoken.conversation import QUESTIONS, Conversation, Table
from daemon.commands.spoken.grammar import NOTHING, phrases_of, understand
from daemon.i18n.translation import LANGUAGES
from daemon.outputs.listening.embedded import EmbeddedRecogniser
from daemon.outputs.listening.utterances import Utterances
from tests.daemon.speech_sounds import spoken

WORDS = 9000
WAKE = "Kibitzer"
PACKAGES = {
    "en": "fortunes",
    "ro": "manpages-ro",
    "pl": "fortunes-pl",
    "vi": "manpages-vi",
    "pt-br": "fortunes-br",
}


def sentences(package: str) -> Iterator[str]:
    """The sentences of a package's texts, in an order of chance that is always the same."""
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True).stdout.split("\n")
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
    yield from found


def hour(language: str) -> list[str]:
    """Sentences of about nine thousand words."""
    told = list(sentences(PACKAGES[language]))
    counts = itertools.accumulate(len(sentence.split()) for sentence in told)
    return [sentence for sentence, count in zip(told, counts, strict=True) if count <= WORDS]


def table_of(language: str) -> Table:
    """A game of morris in which men are still laid: a cell alone is a move."""
    game = games.load("nine_mens_morris")
    position = game.initial()
    return Table(language, "mark", [game.format_move(position, move) for move in game.legal_moves(position)])


def count_texts(language: str) -> None:
    """Prints the mistakes in an hour of texts."""
    table, talk = table_of(language), hour(language)
    clauses = [clause for sentence in talk for clause in re.split(r"[.,;:!?()\"]+", sentence) if clause.strip()]
    called, bare = collections.Counter[str](), collections.Counter[str]()
    for text in [*talk, *clauses]:
        said = understand(text, language, table.moves)
        if said != NOTHING:
            bare[said.verb or "move"] += 1
        conversation = Conversation()
        if (reply := conversation.hear(text, table, WAKE, 0.0)) is not None:
            called[type(reply.command).__name__ if reply.command else "question"] += 1
    lost = sum(count for verb, count in bare.items() if verb in QUESTIONS)
    words = sum(len(sentence.split()) for sentence in talk)
    print(f"{language}: {words} words, {len(talk)} sentences, {len(clauses)} clauses: {sum(called.values())} commands")
    print(f"    without the call: {sum(bare.values())}, of them {lost} that lose something: {dict(bare)}", flush=True)


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
                written = recogniser.text(utterance, phrases, stop)
                reply = conversation.hear(written, table, WAKE, seconds) if written else None
                if written:
                    what = "nothing" if reply is None else type(reply.command).__name__ if reply.command else "question"
                    heard[what] += 1
                    print(f"    {text[:60]!r}: {written!r}: {what}", flush=True)
    finally:
        recogniser.close()
    print(f"en, sound: {seconds:.0f} s, {utterances} utterances: {dict(heard)}", flush=True)


def main() -> None:
    """Counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sound", action="store_true", help="speak the English hour to the embedded recogniser, too")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="only this one")
    arguments = parser.parse_args()
    for language in arguments.language or LANGUAGES:
        count_texts(language)
    if arguments.sound:
        count_sounds()


if __name__ == "__main__":
    main()
