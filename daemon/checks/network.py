"""Checks ports, addresses and keys, and the Wyoming servers that speak and write down what is said."""

from __future__ import annotations

import importlib.util
import json
import socket
import threading
import urllib.error
from collections.abc import Mapping
from typing import Any

from daemon.bus import endpoints
from daemon.bus.endpoints import BusError
from daemon.checks import CheckResult
from daemon.commands.page_client import OPENER, address_of
from daemon.config.settings import Config, wyoming_address
from daemon.voice import VoiceError
from daemon.voice.wyoming import Connection
from system import paths
from system.numbers import whole

ANSWER_S = 5.0
ASK_S = 2.0
MAX_BYTES = 1 << 20


def check_ports(config: Config) -> CheckResult:
    """Checks whether the ports of page and bus are allowed and free, or who uses them."""
    wanted = [("page", config.page.host, config.page.port)] if config.page.enabled else []
    faults = []
    for name, endpoint in (("state", config.bus.state), ("reply", config.bus.reply)):
        try:
            endpoints.checked(endpoint, has_keys=bool(config.bus.keys))
        except (BusError, ValueError) as error:
            faults.append(str(error))
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        if endpoint.startswith("tcp://") and port.isdecimal():
            wanted.append((name, host, int(port)))
    taken = [f"{name} {host}:{port}" for name, host, port in wanted if port and not _is_free(host, port)]
    if taken:
        who = _who_serves(config) or "is another kibitzer running? Else change them"
        faults.append(f"in use: {', '.join(taken)}; {who}")
    shown = ", ".join(f"{name} {port or 'any'}" for name, _, port in wanted)
    return CheckResult("ports", not faults, "; ".join(faults) or shown or "none")


def check_keys(config: Config) -> CheckResult:
    """Checks the folder of keys, if workers need keys."""
    if not config.bus.keys:
        return CheckResult("keys", True, "none wanted: the bus is for this computer only")
    folder = paths.resolved(config.bus.keys)
    if not folder.is_dir():
        return CheckResult("keys", False, f"{folder} is not there: `kibitzer keys new`")
    if folder.stat().st_mode & 0o077:
        return CheckResult("keys", False, f"{folder} can be entered by others: chmod 700 {folder}")
    return CheckResult("keys", True, str(folder))


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError:
            return False
    return True


def parts_at(address: str) -> dict[str, Any]:
    """The components on a daemon's health page; empty if what answers has none. Raises OSError, ValueError."""
    try:
        with OPENER.open(f"{address}/healthz", timeout=ASK_S) as response:
            body = response.read(MAX_BYTES)
    except urllib.error.HTTPError as error:
        with error:
            body = error.read(MAX_BYTES)
    try:
        parts = json.loads(body)["parts"]
    except (ValueError, KeyError, TypeError):
        parts = {}
    return parts if isinstance(parts, dict) else {}


def _who_serves(config: Config) -> str:
    """Describes a daemon that already uses the page's port; empty if none answers."""
    try:
        process = parts_at(address_of(config.page))["process"]
        return f"a kibitzer runs there already, process {whole(process['pid'])}, {str(process['text'])[:40]}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


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
    except VoiceError as error:
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
