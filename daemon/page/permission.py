"""Who may send commands through the page: this computer, and others with the token; all at a limited rate.

This computer, holders of the token, and others have separate limits: nobody is kept out by what strangers send.
"""

from __future__ import annotations

import collections
import dataclasses
import logging
import time
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from daemon.page.answering import Problem
from daemon.page.clients import Network, client_of
from daemon.page.connection_limits import Refusals
from daemon.page.guard import is_here
from daemon.page.token import TokenError, is_bearer, page_token

_log = logging.getLogger(__name__)

PHONE = web.RequestKey("phone", str)
"""Key under which a request holds the name of the paired phone that sends it."""
RATE_HZ = 5.0
"""Commands per second from one client, on average."""
BURST = 20.0
WRONG_TOKEN_COST = 5.0
"""Commands that an attempt without the token counts as."""
MAX_CLIENTS = 256
ALL_FACTOR = 4.0
"""Rate of all clients together, as a multiple of one client's rate."""


@dataclasses.dataclass
class Allowance:
    """How many commands may still be sent; refilled over time."""

    most: float
    rate_hz: float
    commands: float
    time_s: float

    def take(self, cost: float) -> bool:
        """Whether a command was left; charges `cost` in any case, down to zero."""
        now_s = time.monotonic()
        filled = min(self.most, self.commands + (now_s - self.time_s) * self.rate_hz)
        self.commands, self.time_s = max(0.0, filled - cost), now_s
        return filled >= 1


class Allowances:
    """What each client and all of them together may still send; remembers a limited number of clients."""

    def __init__(self) -> None:
        self._all = _full(ALL_FACTOR)
        self._each: collections.OrderedDict[str, Allowance] = collections.OrderedDict()

    def take(self, client: str, cost: float = 1.0) -> bool:
        """Whether this client has a command left, and all have one together."""
        allowance = self._each.setdefault(client, _full())
        self._each.move_to_end(client)
        if len(self._each) > MAX_CLIENTS:
            self._each.popitem(last=False)
        return allowance.take(cost) and self._all.take(cost)


class Permission:
    """Authorises requests that change something. Used by the page's thread."""

    def __init__(self, token: Path | None, refusals: Refusals, proxies: Sequence[Network] = ()) -> None:
        """`token` is the token's file; None allows only this computer to send commands."""
        self._token, self._refusals, self._proxies = token, refusals, proxies
        self._here = _full()
        self._trusted, self._strangers = Allowances(), Allowances()

    def check(self, request: web.Request, token: str = "") -> None:
        """Raises Problem if a request is not allowed.

        A WebSocket brings its `token` in a message: browsers give it no headers.
        """
        client = client_of(request, self._proxies)
        if (phone := request.get(PHONE)) is not None:
            self._take(self._trusted.take(phone))
        elif is_here(request):
            self._take(self._here.take(1.0))
        elif self._has_token(request, client, token):
            self._take(self._trusted.take(client))
        else:
            self._take(self._strangers.take(client, WRONG_TOKEN_COST))
            self._refusals.count("token")
            if self._token is None:
                why = "commands are taken on the computer that watches the board only"
                raise Problem(403, "not_from_here", why)
            why = "commands from another computer need the token that `kibitzer keys token` prints on the table's"
            raise Problem(401, "token_needed", why, {"WWW-Authenticate": "Bearer"})

    def check_stranger(self, request: web.Request) -> None:
        """Charges somebody unknown for a wrong attempt to prove who it is; raises Problem if there were too many."""
        self._take(self._strangers.take(client_of(request, self._proxies), WRONG_TOKEN_COST))

    def _has_token(self, request: web.Request, client: str, token: str) -> bool:
        if self._token is None:
            return False
        try:
            header = f"Bearer {token}" if token else request.headers.get("Authorization")
            return is_bearer(header, page_token(self._token))
        except TokenError as error:
            _log.warning("a command from %s is refused: %s", client, error)
            return False

    def _take(self, left: bool) -> None:
        if not left:
            self._refusals.count("rate")
            raise Problem(429, "too_often", "too many commands; wait a few seconds", {"Retry-After": "5"})


def _full(factor: float = 1.0) -> Allowance:
    return Allowance(BURST * factor, RATE_HZ * factor, BURST * factor, time.monotonic())
