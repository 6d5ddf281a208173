"""The process of the embedded recogniser, pocketsphinx with its English model: utterances in, texts out.

A separate program, so that its library can neither hang nor crash the daemon. One utterance at a time:

    in   {"id": 1}; the inherited file holds the phrases that may be said, as a JSON list of
         parts of a grammar in one line, and then the sound:
         16 kHz, 16 bits, one channel
    out  {"ready": true} once, or {"ready": false, "error": "..."} and the end
    out  {"id": 1, "text": "kibitzer undo"}; the text is empty without the call at its beginning
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from typing import Any

NAMES = {
    "kibitzer": ("K IH B IH T S ER", "K AH B IH T S ER", "K IH B AH T S ER"),
    "foxtrot": ("F AA K S T R AA T",),
    "juliet": ("JH UW L IY EH T",),
}
"""Pronunciations that the dictionary lacks."""
THRESHOLD = 1e-30
"""How much likelier than any other sounds the call must be: of commands spoken by espeak-ng 97 % are heard, and of
600 sentences of other talk none."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wake", required=True, help="the call, one or more English words")
    parser.add_argument("--file", required=True, help="where the phrases and the sound are")
    arguments = parser.parse_args()
    wake = arguments.wake.lower()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        decoder = _decoder(wake)
    except Exception as error:  # noqa: BLE001 - the daemon reports whatever is missing on this machine
        _answer(answers, {"ready": False, "error": str(error)})
        return
    _answer(answers, {"ready": True})
    for line in sys.stdin:
        with open(arguments.file, "rb") as file:  # noqa: PTH123 - an inherited file, which has no other name
            phrases, sound = json.loads(file.readline()), file.read()
        _answer(answers, {"id": json.loads(line)["id"], "text": _text(decoder, wake, sound, phrases)})


def grammar(wake: str, phrases: list[str]) -> str:
    """The phrases after the call, in the form that pocketsphinx reads."""
    return f"#JSGF V1.0;\ngrammar said;\npublic <said> = {wake} ({' | '.join(phrases)});\n"


def _decoder(wake: str) -> Any:
    """A decoder with a search for the call. Raises ImportError, ValueError."""
    import pocketsphinx

    path = pocketsphinx.get_model_path("en-us")
    decoder = pocketsphinx.Decoder(
        hmm=f"{path}/en-us",
        dict=f"{path}/cmudict-en-us.dict",
        lm=None,
        samprate=16000,
        kws_threshold=THRESHOLD,
        loglevel="FATAL",
    )
    for name, sounds in NAMES.items():
        if decoder.lookup_word(name) is None:
            for number, sound in enumerate(sounds, 1):
                decoder.add_word(name if number == 1 else f"{name}({number})", sound, True)
    if strange := [word for word in wake.split() if decoder.lookup_word(word) is None]:
        raise ValueError(f"pocketsphinx does not know how {strange[0]!r} sounds; set another wake")
    decoder.add_keyphrase("call", wake)
    return decoder


def _text(decoder: Any, wake: str, sound: bytes, phrases: list[str]) -> str:
    if not _heard(decoder, "call", sound):
        return ""
    known = [phrase for phrase in phrases if all(map(decoder.lookup_word, re.findall(r"[a-z]+", phrase)))]
    decoder.add_jsgf_string("said", grammar(wake, known))
    return _heard(decoder, "said", sound)


def _heard(decoder: Any, search: str, sound: bytes) -> str:
    decoder.activate_search(search)
    decoder.start_utt()
    decoder.process_raw(sound, no_search=False, full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return "" if found is None else str(found.hypstr)


def _answer(answers: Any, fields: dict[str, object]) -> None:
    answers.write(json.dumps(fields) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
