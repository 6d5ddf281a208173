"""Who may ask the page: programs and pages of this address only, so that no strange site looks through the camera.

A browser can be led to any address by any site. The Host header tells whether it believes to talk to us (a name that
was bent to our address is refused), the Origin header whether another site's script is asking.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

_log = logging.getLogger(__name__)

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; "
    "base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def admit(allowed_hosts: tuple[str, ...] = ()) -> Middleware:
    """A middleware that lets in what is addressed to this computer by address, `localhost` or an allowed name."""

    @web.middleware
    async def middleware(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        fault = _fault(request, allowed_hosts)
        if fault:
            _log.info("a request from %s is refused: %s", request.remote, fault)
            return web.json_response({"code": "forbidden", "text": fault}, status=403)
        try:
            response = await handler(request)
        except web.HTTPException as error:
            if error.status >= 400:
                return web.json_response({"code": "not_here", "text": error.reason}, status=error.status)
            raise
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    return middleware


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_here(request: web.Request) -> bool:
    """Whether a request comes from this computer."""
    own = None if request.transport is None else request.transport.get_extra_info("sockname")
    sender = request.remote
    return sender is not None and (is_loopback(sender) or (own is not None and sender == own[0]))


def _fault(request: web.Request, allowed_hosts: tuple[str, ...]) -> str:
    """Why a request is refused; empty where it is not."""
    host = _name(request.host)
    if host is None or not (host == "localhost" or host in allowed_hosts or _is_address(host)):
        return f"this page is reached by address or localhost, not as {request.host!r}"
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        return f"scripts of {origin!r} may not read this page"
    return ""


def _name(host: str) -> str | None:
    """The name or address in a Host header, without its port; None where it is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
