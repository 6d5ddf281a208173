"""`kibitzer voices`: speaks every phrase of every language once."""

from __future__ import annotations

import dataclasses
import io
import json
import sys
import threading
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress

from daemon.cli.wrong_call import stop
from daemon.voice import VoiceError
from daemon.voice.player import seconds
from daemon.voice.speech import MAX_LENGTH, clean
from daemon.voice.spelling import spelled
from daemon.voice.voice import Voice
from daemon.words.phrase_book import examples, spoken_messages
from daemon.words.translation import LANGUAGES

QUIET = 200.0
"""Root mean square of 16-bit samples below which a sound counts as silent."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@dataclasses.dataclass
class Count:
    language: str
    phrases: int = 0
    silent: int = 0
    too_long: int = 0
    seconds: float = 0.0
    longest_s: float = 0.0


@app.command("voices")
def voices(
    out: Annotated[
        Path | None, typer.Option(help="Folder for the wave files and phrases.tsv. Default: keep none.")
    ] = None,
    language: Annotated[list[str], typer.Option(help="Only this language. Repeatable.")] = [],  # noqa: B006
    rate_wpm: Annotated[int, typer.Option(min=80, max=450, help="Words per minute.")] = 165,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per language.")] = False,
) -> None:
    """Speaks every phrase of Kibitzer once in every language, and checks that there is sound.

    Examples stand in for names, cells and numbers; a phrase with several plural forms is spoken in each. Exit status:
    1 if a phrase is silent or too long to be said at once, 2 if there is no voice.

    Example: kibitzer voices --language ro --out /tmp/voices
    """
    if strange := sorted(set(language) - set(LANGUAGES)):
        raise stop("voices", f"there is no language {strange[0]!r}; there are {', '.join(LANGUAGES)}")
    counts = []
    try:
        for code in language or LANGUAGES:
            counts.append(_speak_all(code, rate_wpm, out, Console(stderr=True)))
            _show(counts[-1], as_json)
    except (VoiceError, OSError) as error:
        raise stop("voices", error) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    raise typer.Exit(int(any(count.silent or count.too_long for count in counts)))


def phrases_of(language: str) -> Iterator[str]:
    yield from dict.fromkeys(text for message in spoken_messages() for text in examples(message, language))


def is_heard(sound: bytes) -> bool:
    with wave.open(io.BytesIO(sound)) as reader:
        samples = np.frombuffer(reader.readframes(reader.getnframes()), np.int16).astype(float)
    return bool(samples.size and np.sqrt((samples**2).mean()) >= QUIET)


def _speak_all(language: str, rate_wpm: int, out: Path | None, console: Console) -> Count:
    count, voice, stop = Count(language), Voice(language, rate_wpm), threading.Event()
    texts, lines = list(phrases_of(language)), []
    folder = None if out is None else out / language
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with Progress(console=console, transient=True) as progress:
            for text in progress.track(texts, description=LANGUAGES[language]):
                sound = voice.render(spelled(clean(text)), stop)
                length_s = seconds(sound)
                count.phrases += 1
                count.silent += not is_heard(sound)
                count.too_long += len(text) > MAX_LENGTH
                count.seconds += length_s
                count.longest_s = max(count.longest_s, length_s)
                if folder is not None:
                    (folder / f"{count.phrases:04d}.wav").write_bytes(sound)
                    lines.append(f"{count.phrases:04d}\t{length_s:.2f}\t{text}\n")
    finally:
        voice.close()
    if folder is not None:
        (folder / "phrases.tsv").write_text("".join(lines), encoding="utf-8")
    return count


def _show(count: Count, as_json: bool) -> None:
    if as_json:
        rounded = {name: round(one, 1) if isinstance(one, float) else one for name, one in vars(count).items()}
        sys.stdout.write(json.dumps(rounded) + "\n")
    else:
        sys.stdout.write(
            f"{count.language}: {count.phrases} phrases in {count.seconds:.0f} s, {count.silent} silent, "
            f"{count.too_long} too long, the longest {count.longest_s:.1f} s\n"
        )
    sys.stdout.flush()
