"""Request checks against foreign websites: only programs and pages of this address may use the page and its camera.

Any site can direct a browser to any address. The Host header shows whether the browser means to talk to us (a foreign
name that resolves to our address is refused), the Origin header whether another site's script makes the request.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import SplitResult, urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

from daemon.commands.declaration import CommandError
from daemon.page.answering import Problem
from daemon.page.clients import Address, Network, client_of
from daemon.page.connection_limits import ConnectionLimits, Refusals

_log = logging.getLogger(__name__)

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(self), geolocation=()",
    "Server": "Kibitzer",
}
"""Headers of every response. A page of the same address may frame ours; in OBS page or picture is a top-level page."""
FILMS = "/phone"
"""The page that may use a camera."""
SVG = "image/svg+xml"
DRAWING = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
"""Policy for drawings: inline styles for their colours, and nothing else."""
_FORWARDED = re.compile(r"forwarded|x-forwarded-.*|x-real-ip|via", re.IGNORECASE)
"""Matches the headers that a proxy adds: the peer is then not the sender."""


async def protect(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    if request.path == FILMS:
        response.headers["Permissions-Policy"] = "camera=(self), microphone=(self), geolocation=()"
    if response.content_type == SVG:
        response.headers["Content-Security-Policy"] = DRAWING
    response.headers.setdefault("Cache-Control", "no-store")


def admit(
    refusals: Refusals, limits: ConnectionLimits, allowed_hosts: tuple[str, ...] = (), proxies: Sequence[Network] = ()
) -> Middleware:
    """Middleware that accepts requests addressed to this computer by address, `localhost` or an allowed name."""

    @web.middleware
    async def middleware(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        with limits.served(request.transport):
            try:
                kind, fault = _fault(request, allowed_hosts)
                if fault:
                    refusals.count(kind)
                    _log.debug("a request from %s is refused: %s", request.remote, fault)
                    raise Problem(403, "forbidden", fault)
                if not is_here(request) and not limits.count_for(request.transport, client_of(request, proxies)):
                    why = "too many connections are open; close one and try again"
                    raise Problem(503, "too_many", why, {"Connection": "close"})
                return await handler(request)
            except Problem as problem:
                return problem.response()
            except CommandError as error:
                return Problem(400, "no_command", str(error)).response()
            except web.HTTPException as error:
                if error.status < 400:
                    raise
                return Problem(error.status, "not_here", error.reason).response()

    return middleware


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach a server listening on `host`."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def is_here(request: web.Request) -> bool:
    """Whether a request comes over this computer's loopback, and not through a proxy that may act for another.

    Its other addresses prove nothing: where containers share them, every stranger's request comes from there.
    """
    if any(_FORWARDED.fullmatch(name) for name in request.headers):
        return False
    own = None if request.transport is None else request.transport.get_extra_info("sockname")
    sender = request.remote
    return sender is not None and is_loopback(sender) and (own is None or is_loopback(own[0]))


def _fault(request: web.Request, allowed_hosts: tuple[str, ...]) -> tuple[str, str]:
    """Kind and text of the reason to refuse a request; empty if it is accepted."""
    host = _parts(f"//{request.host}").hostname
    if host is None or not (host == "localhost" or host in allowed_hosts or _address(host) is not None):
        return "host", f"this page is reached by address or localhost, not as {request.host[:100]!r}"
    origin = request.headers.get("Origin")
    if origin is not None and _parts(origin).netloc != request.host:
        return "origin", f"scripts of {origin[:100]!r} may not read this page"
    site = request.headers.get("Sec-Fetch-Site", "none")
    if request.method not in ("GET", "HEAD") and site not in ("same-origin", "none"):
        return "origin", "another site's page may not command here"
    return "", ""


def _parts(url: str) -> SplitResult:
    """The parts of an address; empty ones if it is invalid."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
