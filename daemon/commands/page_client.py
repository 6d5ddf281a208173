"""Client for the page of a daemon on this computer."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from daemon.commands.command import Command, as_object
from daemon.config.settings import PageSection

ANSWER_S = 10.0
LOOK_S = 2.0
MAX_BYTES = 1 << 20
STRANGE = "what answers there is no Kibitzer"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens addresses without a proxy: this computer needs none."""


def address_of(page: PageSection, port: int = 0) -> str:
    """Address at which this computer reaches the page, such as http://127.0.0.1:8765."""
    return address_at(page.host, port or page.port)


def address_at(host: str, port: int) -> str:
    here = {"0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}.get(host, host)
    return f"http://{f'[{here}]' if ':' in here else here}:{port}"


def playing(page: PageSection) -> str:
    """The id of the game that a daemon is playing; empty if none runs."""
    try:
        with OPENER.open(f"{address_of(page)}/state", timeout=LOOK_S) as response:
            return str(json.loads(response.read(MAX_BYTES))["game_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def send(address: str, command: Command) -> tuple[int, str]:
    """Sends a command to `http://host:port`; returns HTTP status and text, status 0 if no daemon answers."""
    status, told = ask(f"{address}/tell", "POST", as_object(command))
    return status, str(told.get("text", STRANGE))


def ask(address: str, method: str, words: Mapping[str, object] = MappingProxyType({})) -> tuple[int, dict[str, Any]]:
    """Sends an object; returns HTTP status and the object answered, status 0 and a `text` if no daemon answers."""
    body, kind = json.dumps(dict(words)).encode(), {"Content-Type": "application/json"}
    try:
        with OPENER.open(urllib.request.Request(address, body, kind, method=method), timeout=ANSWER_S) as response:
            return response.status, _object(response.read(MAX_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _object(error.read(MAX_BYTES))
    except (OSError, ValueError) as error:
        why, page = getattr(error, "reason", error), "/".join(address.split("/")[:3])
        text = f"no daemon answers at {page} ({why}); start `kibitzer run`, or name its settings with --config"
        return 0, {"text": text}


def _object(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    return told if isinstance(told, dict) else {"text": STRANGE}
