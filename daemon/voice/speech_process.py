"""The voice's process: JSON lines in, sound into an inherited file, JSON lines out.

A separate program because pyttsx3 hangs across threads and prints to standard output, and because a hung
synthesis can only be ended by killing it. One phrase at a time:

    in   {"id": 1, "text": "Your move."}
    out  {"ready": true} once,
         or {"ready": false, "error": "..."} and the end
    out  {"id": 1, "ok": true, "seconds": 1.2} when the wave file is whole,
         or {"id": 1, "ok": false, "error": "..."}

It ends when its standard input does, even in the middle of a phrase, so that it never outlives the daemon.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import threading
import time
import wave
from typing import Any, TextIO

FALLBACK = "en"
TRIES = 3
"""Most attempts at a phrase."""
MIN_S = 0.1
"""Seconds: less sound counts as none; espeak-ng makes more for any phrase with a letter or digit."""
REST_S = 0.2
"""Seconds of rest for the engine before another attempt."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", required=True, help="where each phrase's wave file is written, over the last one")
    parser.add_argument("--language", default=FALLBACK)
    parser.add_argument("--rate", type=int, default=165, help="words a minute")
    arguments = parser.parse_args()
    answers = _own_stdout()
    requests: queue.Queue[str] = queue.Queue(maxsize=4)
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    try:
        engine = _engine(arguments.language, arguments.rate)
        _render(engine, "ready", arguments.file)  # the first phrase warms up: it may come back early or empty
        warning = _settle_voice(engine, arguments.language)
    except Exception as error:  # noqa: BLE001 - the daemon reports whatever is missing on this machine
        _answer(answers, {"ready": False, "error": f"{type(error).__name__}: {error}"})
        return
    _answer(answers, {"ready": True, "warning": warning})
    while True:
        request = json.loads(requests.get())
        try:
            _answer(
                answers,
                {"id": request["id"], "ok": True, "seconds": _render_whole(engine, request["text"], arguments.file)},
            )
        except Exception as error:  # noqa: BLE001 - one phrase is lost; the next may succeed
            _answer(answers, {"id": request["id"], "ok": False, "error": f"{type(error).__name__}: {error}"})


def _own_stdout() -> TextIO:
    """Reserves standard output for the answers; what libraries print now goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _listen(requests: queue.Queue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)  # at once, even if the synthesis hangs


def _engine(language: str, rate_wpm: int) -> Any:
    """A pyttsx3 engine; its settings take effect with the first phrase."""
    import pyttsx3

    engine = pyttsx3.init()
    engine.setProperty("rate", rate_wpm)
    engine.setProperty("voice", language)
    return engine


def _settle_voice(engine: Any, language: str) -> str:
    """A warning if the engine, after its first phrase, uses another voice than the wanted one; empty if not.

    Neither espeak-ng nor pyttsx3 reports an unknown name. A voice's name looks like `roa/pt-br`.
    """
    name = str(engine.getProperty("voice")).rpartition("/")[2]
    if name == language or name.startswith(f"{language}-"):
        return ""
    engine.setProperty("voice", FALLBACK)
    return f"there is no voice for {language!r}; {FALLBACK!r} speaks"


def _render_whole(engine: Any, text: str, path: str) -> float:
    """Seconds of sound made for the phrase. Raises EOFError if there are none.

    On a busy machine pyttsx3 may mistake the end of the previous phrase for the end of this one, and write no sound.
    """
    for _ in range(TRIES):
        _render(engine, text, path)
        seconds = _seconds(path)
        if seconds >= MIN_S or not any(letter.isalnum() for letter in text):
            return seconds
        time.sleep(REST_S)
    raise EOFError("the engine makes no sound of it")


def _render(engine: Any, text: str, path: str) -> None:
    """One `save_to_file` per `runAndWait`: of two, pyttsx3 loses the first. Always discards the file's old content."""
    with open(path, "wb"):  # noqa: PTH123 - truncates an inherited file, which has no other name
        pass
    engine.save_to_file(text, path)
    engine.runAndWait()


def _seconds(path: str) -> float:
    with wave.open(path, "rb") as sound:
        return sound.getnframes() / sound.getframerate()


def _answer(answers: TextIO, fields: dict[str, object]) -> None:
    answers.write(json.dumps(fields) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
