"""One HTTP request, and its answer whatever its status."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from email.message import Message
from typing import Any, NamedTuple

from tests.waiting import PATIENCE_S


class Reply(NamedTuple):
    status: int
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(address: str, body: object = None, *, method: str | None = None, **headers: str) -> Reply:
    """A body makes the request a POST of JSON; a header like Sec_Fetch stands for Sec-Fetch."""
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    named = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, sent, named, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=PATIENCE_S)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return Reply(answer.status, answer.headers, answer.read())
