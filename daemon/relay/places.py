"""Places that show a game to who follows it: any address that takes text, a round of a broadcast, a study.

Broadcasts and studies are those of a Lichess server, by its public API: https://lichess.org/api.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import os
import re
import urllib.parse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import aiohttp

from wording.outside import clean

ANSWER_S = 20.0
MAX_ANSWER = 1 << 20
"""Bytes of the longest answer; the rest is left unread."""
FULL_MINUTE_S = 60.0
"""What Lichess asks to wait after a 429: https://lichess.org/api, "Rate limiting"."""
FORBIDDEN = (401, 403, 404)
"""Statuses that no other text of a game will change."""
CHESS = "chess"
"""What broadcasts and studies show."""
ROUND = re.compile(r"(?:/api)?/broadcast/(?:[^/]+/){1,2}(\w{8})(?:/push)?/?")
STUDY = re.compile(r"(?:/api)?/study/(\w{8})(?:/\w{8})?/?")


class AddressError(ValueError):
    """An address or a token that cannot be used; the message says why."""


class Unreached(Exception):
    """A place does not answer now; after a while it may."""

    def __init__(self, text: str, wait_s: float = 0.0) -> None:
        super().__init__(text)
        self.wait_s = wait_s
        """Seconds that the place asks to wait; 0 if it does not say."""


class Refused(Exception):
    """A place does not take a game as it stands."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status

    @property
    def is_final(self) -> bool:
        """Whether it would refuse anything else, too."""
        return self.status in FORBIDDEN or 300 <= self.status < 400


@dataclasses.dataclass(frozen=True)
class Sheet:
    """A game as far as it was played."""

    game_id: str
    game: str
    text: str
    kind: str
    """Media type of the text."""
    plies: int
    over: bool


class Place(Protocol):
    @property
    def suffix(self) -> str:
        """Ending of the format that it takes; empty for the usual one of each game."""

    @property
    def numbered(self) -> bool:
        """Whether it tells games apart by their rounds, so that each needs one."""

    async def send(self, client: Client, sheet: Sheet, mark: str) -> str:
        """Shows the game as it stands; returns by which mark the place knows it, to be given the next time.

        Raises Unreached and Refused.
        """


class Client:
    """Asks over HTTP. The token goes to the origin of the address alone: redirections are not followed."""

    def __init__(self, session: aiohttp.ClientSession, token: str) -> None:
        self.session = session
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def ask(
        self,
        method: str,
        url: str,
        body: str | None = None,
        kind: str = "",
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """The answer of a server that agrees. Raises Unreached and Refused."""
        told = dict(self._headers) | dict(headers) | ({"Content-Type": f"{kind}; charset=utf-8"} if kind else {})
        data: Any = body.encode() if body is not None else form
        try:
            async with self.session.request(method, url, data=data, headers=told, allow_redirects=False) as answer:
                content = (await _read(answer)).decode("utf-8", "replace")
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise Unreached(why_unreached(error)) from None
        if 200 <= answer.status < 300:
            return content
        said = f"{answer.status} {clean(answer.reason or '', 80)}: {_reason(content)}".rstrip(": ")
        if answer.status == 429:
            raise Unreached(said, max(FULL_MINUTE_S, _seconds(answer.headers.get("Retry-After", ""))))
        if answer.status == 408 or answer.status >= 500:
            raise Unreached(said, _seconds(answer.headers.get("Retry-After", "")))
        if 300 <= answer.status < 400:
            said = f"{answer.status}: it is at {clean(answer.headers.get('Location', 'another address'), 200)} now"
        raise Refused(said, answer.status)


def why_unreached(error: Exception) -> str:
    """In the system's words where it has any."""
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None) or 0
    return clean(os.strerror(number) if number > 0 else str(cause)) or "it does not answer"


async def _read(answer: aiohttp.ClientResponse) -> bytes:
    content = b""
    async for chunk in answer.content.iter_any():
        content += chunk
        if len(content) > MAX_ANSWER:
            break
    return content[:MAX_ANSWER]


def _seconds(text: str) -> float:
    return min(3600.0, float(text)) if text.isdecimal() and len(text) < 10 else 0.0


def _reason(content: str) -> str:
    """What an answer gives as its reason: the `error` of an object, else its text."""
    told = as_object(content).get("error", content)
    return clean(told if isinstance(told, str) else json.dumps(told), 200)


def as_object(content: str) -> dict[str, Any]:
    """The object that a text is; empty if it is none."""
    try:
        told = json.loads(content)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _only_chess(sheet: Sheet, place: str) -> None:
    if sheet.game != CHESS:
        raise Refused(f"{place} shows {CHESS}, and this is {sheet.game}")


@dataclasses.dataclass(frozen=True)
class Post:
    """Any address: each text is the whole game so far, with its id in the header `Kibitzer-Game`."""

    url: str
    suffix: str = ""
    numbered: bool = False

    async def send(self, client: Client, sheet: Sheet, _mark: str) -> str:
        await client.ask("POST", self.url, sheet.text, sheet.kind, headers={"Kibitzer-Game": sheet.game_id})
        return ""


@dataclasses.dataclass(frozen=True)
class BroadcastRound:
    origin: str
    round_id: str
    suffix: str = ".pgn"
    numbered: bool = True

    async def send(self, client: Client, sheet: Sheet, _mark: str) -> str:
        _only_chess(sheet, "a broadcast")
        url = f"{self.origin}/api/broadcast/round/{self.round_id}/push"
        told = as_object(await client.ask("POST", url, sheet.text, "text/plain")).get("games")
        faults = [one["error"] for one in told or () if isinstance(one, dict) and one.get("error")]
        if faults or not told:
            raise Refused(clean(str(faults[0])) if faults else "it took no game from the text")
        return ""


@dataclasses.dataclass(frozen=True)
class Study:
    """Each game is a chapter; its mark is the chapter's id."""

    origin: str
    study_id: str
    suffix: str = ".pgn"
    numbered: bool = False

    async def send(self, client: Client, sheet: Sheet, mark: str) -> str:
        _only_chess(sheet, "a study")
        url, form = f"{self.origin}/api/study/{self.study_id}", {"pgn": sheet.text}
        if mark:
            try:
                for part in ("moves", "tags"):
                    await client.ask("POST", f"{url}/{mark}/{part}", form=form)
            except Refused as refusal:
                if refusal.status not in (400, 404):
                    raise
                # Somebody has deleted the chapter, or the text is wrong: a new chapter shows which.
            else:
                return mark
        told = as_object(await client.ask("POST", f"{url}/import-pgn", form=form))
        made = [one.get("id") for one in told.get("chapters") or () if isinstance(one, dict)]
        if len(made) != 1 or re.fullmatch(r"\w{8}", str(made[0])) is None:
            raise Refused(clean(str(told.get("error") or "it made no chapter of the game")))
        return str(made[0])


def origin_of(url: str) -> str:
    """Scheme, host and port of an address that a token may be sent to. Raises AddressError."""
    try:
        parts = urllib.parse.urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        raise AddressError(f"{url[:200]!r} is no address: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise AddressError(f"{url[:200]!r} is no address that begins with https:// or http://")
    if "@" in parts.netloc:
        raise AddressError("name no password in an address: --token FILE has one that stays secret")
    return f"{parts.scheme}://{parts.netloc}"


def is_private_to(url: str) -> bool:
    """Whether nobody on the way can read what goes to that address: it is encrypted, or goes to this computer."""
    parts = urllib.parse.urlsplit(url)
    try:
        here = ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        here = parts.hostname == "localhost"
    return parts.scheme == "https" or here
