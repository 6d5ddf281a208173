"""Who may send commands through the page: this computer, and others with the token; all at a limited rate."""

from __future__ import annotations

import collections
import dataclasses
import logging
import time
from pathlib import Path

from aiohttp import web

from daemon.outputs.connection_limits import Refusals
from daemon.outputs.guard import is_here
from daemon.outputs.token import TokenError, is_bearer, page_token

_log = logging.getLogger(__name__)

RATE_HZ = 5.0
"""Commands per second from one address, on average."""
BURST = 20.0
"""Commands in one burst."""
WRONG_TOKEN_COST = 5.0
"""Commands that an attempt with a wrong token counts as."""
MAX_ADDRESSES = 256
"""Most addresses whose rate is remembered."""
ALL = "all other computers"
ALL_FACTOR = 4.0
"""Rate of all other computers together, as a multiple of one address's rate."""


@dataclasses.dataclass
class _Allowance:
    """How many commands may still be sent; refilled over time."""

    commands: float
    time_s: float


class Permission:
    """Authorises requests that change something. Used by the page's thread."""

    def __init__(self, token: Path | None, refusals: Refusals) -> None:
        """`token` is the token's file; None allows only this computer to send commands."""
        self._token = token
        self._refusals = refusals
        self._allowances: collections.OrderedDict[str, _Allowance] = collections.OrderedDict()

    def refusal(self, request: web.Request) -> web.Response | None:
        """The response that refuses a request; None if it is allowed."""
        address, here = request.remote or "", is_here(request)
        if not self._take(address) or not (here or self._take(ALL, factor=ALL_FACTOR)):
            return self._refuse("rate", 429, "too_often", "too many commands; wait a few seconds", {"Retry-After": "5"})
        if here:
            return None
        if self._token is None:
            text = "commands are taken on the computer that watches the board only"
            return self._refuse("token", 403, "not_from_here", text)
        try:
            good = is_bearer(request.headers.get("Authorization"), page_token(self._token))
        except TokenError as error:
            _log.warning("a command from %s is refused: %s", address, error)
            good = False
        if good:
            return None
        self._take(address, cost=WRONG_TOKEN_COST)
        text = "commands from another computer need the token that `kibitzer keys token` prints on the table's"
        return self._refuse("token", 401, "token_needed", text, {"WWW-Authenticate": "Bearer"})

    def _take(self, address: str, *, cost: float = 1.0, factor: float = 1.0) -> bool:
        """Whether an address has a command left; charges `cost` in any case, down to zero."""
        now_s = time.monotonic()
        allowance = self._allowances.setdefault(address, _Allowance(BURST * factor, now_s))
        self._allowances.move_to_end(address)
        if len(self._allowances) > MAX_ADDRESSES:
            self._allowances.popitem(last=False)
        gained = (now_s - allowance.time_s) * RATE_HZ * factor
        filled = min(BURST * factor, allowance.commands + gained)
        allowance.commands, allowance.time_s = max(0.0, filled - cost), now_s
        return filled >= 1

    def _refuse(
        self, kind: str, status: int, code: str, text: str, headers: dict[str, str] | None = None
    ) -> web.Response:
        self._refusals.count(kind)
        return web.json_response({"code": code, "text": text}, status=status, headers=headers)
