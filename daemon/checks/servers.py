"""Checks the Wyoming servers of the settings, and whether somebody can write down what is said."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Mapping
from typing import Any

from daemon.checks import CheckResult
from daemon.config.settings import Config, wyoming_address
from daemon.outputs.wyoming import Connection, WyomingError

ANSWER_S = 5.0


def check_voice_server(config: Config) -> CheckResult:
    """Checks the Wyoming server that is to speak."""
    speech = config.speech
    if not speech.voice:
        return CheckResult("voice server", True, "none is wanted")
    return _check("voice server", speech.voice, "tts", "voices", speech.language)


def check_listening(config: Config) -> CheckResult:
    """Checks who is to write down what is said."""
    listening, language = config.listening, config.speech.language
    if not listening.enabled:
        return CheckResult("listening", True, "switched off in the settings")
    if listening.recogniser:
        return _check("listening", listening.recogniser, "asr", "models", language)
    if importlib.util.find_spec("pocketsphinx") is None:
        return CheckResult("listening", False, 'pocketsphinx is not installed: pip install "kibitzer[listen]"')
    if language != "en":
        fix = 'set recogniser = "wyoming://HOST:PORT" under [listening]'
        return CheckResult("listening", False, f"pocketsphinx hears English alone, not {language}: {fix}")
    return CheckResult("listening", True, "pocketsphinx, English")


def _check(name: str, address: str, service: str, parts: str, language: str) -> CheckResult:
    """Asks a server what it offers: `parts` of `service`, with the languages of each."""
    try:
        with Connection(wyoming_address(address), ANSWER_S, threading.Event()) as server:
            server.send("describe", {})
            while (event := server.receive()).type != "info":
                pass
    except WyomingError as error:
        return CheckResult(name, False, str(error))
    known = sorted(set(_languages(event.data, service, parts)))
    if not known:
        return CheckResult(name, False, f"{address} offers no {parts}; is it the right server?")
    if not any(one.lower().split("-")[0].split("_")[0] == language.split("-")[0] for one in known):
        return CheckResult(name, False, f"{address} does not know {language}, only {', '.join(known[:20])}")
    return CheckResult(name, True, f"{address}, language {language}")


def _languages(info: Mapping[str, Any], service: str, parts: str) -> list[str]:
    """The languages of what is installed; none if the description is no such thing."""
    try:
        return [
            str(language)
            for program in info.get(service) or ()
            for part in program.get(parts) or ()
            if part.get("installed", True)
            for language in part.get("languages") or ()
        ]
    except (AttributeError, TypeError):
        return []
