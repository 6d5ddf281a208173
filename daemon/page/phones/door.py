"""The phones' door: an HTTPS listener on the network, opened when a phone is wanted.

Browsers give pages the camera over HTTPS only. Without pairing the door shows its landing page and no more; a paired
phone may see and command what a page on this computer may.
"""

from __future__ import annotations

import asyncio
import dataclasses
import io
import os
import ssl
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Middleware

from daemon.page.answering import Problem, refusing, words_of
from daemon.page.connection_limits import ConnectionLimits
from daemon.page.guard import is_here
from daemon.page.permission import PHONE, Permission
from daemon.page.phones.addresses import own_addresses
from daemon.page.phones.certificate import CertificateError, DoorCertificates
from daemon.page.phones.filming import Filming
from daemon.page.phones.pairing import MAX_SECRET, Pairing
from daemon.words.translation import worded
from vision.sources.phone import PhoneFeed

BACKLOG = 16
YEAR_S = 365 * 24 * 3600
MAX_BYTES = 256
LANDING = ("/phone", "/words", "/board.css", "/authority.crt", "/pair")
"""What may be had without pairing, besides the files that the landing page loads."""


class DoorError(RuntimeError):
    """The door cannot be opened; the message says what to do."""


@dataclasses.dataclass(frozen=True)
class Invitation:
    """What a phone scans."""

    addresses: tuple[str, ...]
    """Whole addresses with the code in them, the likeliest first; they are secret."""
    ends_s: float
    """Seconds until the code must be renewed."""
    phones: int

    def in_svg(self, number: int) -> str:
        import segno  # imported here because few tables have a phone

        drawn = io.BytesIO()
        segno.make_qr(self.addresses[number], error="m").save(drawn, kind="svg", light="#fff", xmldecl=False)
        return drawn.getvalue().decode()

    def in_terminal(self) -> str:
        """The QR code of the first address in characters, two rows a line."""
        import segno

        drawn = io.StringIO()
        segno.make_qr(self.addresses[0], error="m").terminal(drawn, compact=True, border=2)
        return drawn.getvalue()


class PhoneDoor:
    """The listener, its certificate and the paired phones. Used by the page's thread."""

    def __init__(self, feed: PhoneFeed, folder: Path, port: int = 8766, addresses: Sequence[str] = ()) -> None:
        """`addresses` are those to invite to; empty finds this computer's own. `folder` keeps keys and phones."""
        self.filming = Filming(feed)
        self._folder, self._port, self._named = folder, port, tuple(addresses)
        self._certificates = DoorCertificates(folder)
        self._pairing: Pairing | None = None
        self._context: ssl.SSLContext | None = None
        self._server: asyncio.Server | None = None
        self._runner: web.AppRunner | None = None
        self._opening = asyncio.Lock()

    async def invite(self, runner: Callable[[], web.AppRunner], limits: ConnectionLimits) -> Invitation:
        """Opens the door unless it is open, renews the certificate if need be. Raises DoorError."""
        async with self._opening:
            addresses = self._named or tuple(await asyncio.to_thread(own_addresses))
            if not addresses:
                raise DoorError(worded("This computer is in no network that a phone could reach it by."))
            context = self._context or ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            try:
                await asyncio.to_thread(self._certificates.load_into, context, addresses)
            except CertificateError as error:
                raise DoorError(str(error)) from None
            self._context = context
            self._pairing = self._pairing or Pairing(self._folder / "phones.json")
            if self._server is None:
                await self._open(runner(), limits, context)
        code = self.pairing.code
        whole = tuple(f"https://{one}:{self._port}/phone#{code.secret}" for one in addresses)
        return Invitation(whole, max(0.0, code.ends_s - time.monotonic()), self.pairing.count)

    async def _open(self, runner: web.AppRunner, limits: ConnectionLimits, context: ssl.SSLContext) -> None:
        await runner.setup()
        assert runner.server is not None
        try:
            self._server = await asyncio.get_running_loop().create_server(
                limits.encrypted(runner.server, context),
                "0.0.0.0",
                self._port,
                backlog=BACKLOG,
                reuse_address=True,
            )
        except OSError as error:
            await runner.cleanup()
            why = os.strerror(error.errno or 0)  # asyncio's own text is a sentence with the address
            raise DoorError(
                worded("Port {port} for phones cannot be opened: {why}.", port=self._port, why=why)
            ) from None
        self._runner, self._port = runner, int(self._server.sockets[0].getsockname()[1])

    @property
    def pairing(self) -> Pairing:
        """The paired phones; there is one once somebody was invited."""
        assert self._pairing is not None
        return self._pairing

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        if self._runner is not None:
            await self._runner.cleanup()

    def guard(self, files: Collection[str]) -> Middleware:
        """Middleware that lets paired phones in, and everybody to the landing page and its `files`."""
        free = {*LANDING, *files}

        @web.middleware
        async def middleware(
            request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            phone = self.pairing.phone(request.cookies.get(self._cookie, ""))
            if phone is not None:
                request[PHONE] = phone
            elif request.path not in free:
                raise Problem(401, "not_paired", worded("Scan the code with this phone first."))
            return await handler(request)

        return middleware

    def add_routes(self, router: web.UrlDispatcher, permission: Permission) -> None:
        async def pair(request: web.Request) -> web.Response:
            try:
                return await self._pair(request)
            except Problem as problem:
                if problem.status == 403:  # the right code always gets in, whatever strangers have tried
                    permission.check_stranger(request)
                raise

        router.add_post("/pair", pair)
        router.add_get("/authority.crt", self._authority)

    @property
    def _cookie(self) -> str:
        """The name of the cookie: cookies do not tell ports apart."""
        return f"__Host-kibitzer-{self._port}"

    async def _pair(self, request: web.Request) -> web.Response:
        words = await words_of(request, MAX_BYTES, "a code")
        code = words.get("code") if isinstance(words, Mapping) else None
        own = self.pairing.pair(code) if isinstance(code, str) and 0 < len(code) <= MAX_SECRET else None
        if own is None:
            if PHONE in request:
                return web.json_response({"code": "paired", "text": ""})
            if code == "":
                raise Problem(403, "not_paired", worded("Scan the code with this phone first."))
            raise Problem(403, "wrong_code", worded("This code was used already, or is old. Scan the new one."))
        response = web.json_response({"code": "paired", "text": ""})
        response.set_cookie(self._cookie, own, max_age=YEAR_S, path="/", secure=True, httponly=True, samesite="Strict")
        return response

    async def _authority(self, _: web.Request) -> web.Response:
        data = await asyncio.to_thread(self._certificates.authority)
        return web.Response(body=data, content_type="application/x-x509-ca-cert")

    async def shown(
        self, invite: Callable[[], Awaitable[Invitation]], permission: Permission, request: web.Request
    ) -> web.Response:
        """Opens the door and says where to, on this computer's page; `?new` renews the code.

        DELETE forgets all paired phones, ends their connections, and renews the code.
        """
        if PHONE in request or not is_here(request):  # the code is for those who sit there
            why = "the code for phones is shown on the computer that watches the board only"
            raise Problem(403, "not_from_here", why)
        permission.check(request)
        with refusing(DoorError, 409, "no_door"):
            invitation = await invite()
            if request.method == "DELETE":
                self.pairing.forget()
                await self.filming.close()
            elif "new" in request.query:
                self.pairing.renew()
            invitation = await invite()
        shown = [
            {"address": address, "svg": invitation.in_svg(number)}
            for number, address in enumerate(invitation.addresses)
        ]
        told = {"ends_s": round(invitation.ends_s), "phones": invitation.phones, "films": self.filming.films}
        return web.json_response({"addresses": shown, **shown[0], **told})
