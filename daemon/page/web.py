"""The web page for browsers, tablets and OBS: picture, state, announcements, health and metrics over HTTP.

One thread runs an aiohttp server. Callers of `WebPage` only replace the newest value and never wait; a slow viewer
skips pictures, and excess viewers are turned away. Commands (what the board does not show, set-up, a new game) are
accepted from programs and pages on this computer, and from others with a token; so are changes to recorded games.
All other paths are read-only.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import errno
import functools
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

import prometheus_client
from aiohttp import web

from daemon.commands.command import parse_command
from daemon.commands.game_choice import MAX_BYTES as MAX_CHOICE_BYTES
from daemon.commands.game_choice import parse_change, parse_choice
from daemon.commands.page_client import address_at
from daemon.commands.setup_requests import parse_demo_request, parse_setup_request
from daemon.drawing.board_style import STYLE
from daemon.page.answering import Problem
from daemon.page.archive import Archive
from daemon.page.arranging import Arranging
from daemon.page.clients import LOOPBACK, Network
from daemon.page.command_queue import CommandQueue
from daemon.page.connection_limits import SAY_S, ConnectionLimits, Refusals, RubbishFilter
from daemon.page.guard import admit, is_loopback, protect
from daemon.page.microphones import Microphones
from daemon.page.page_state import News, PageState
from daemon.page.permission import Permission
from daemon.page.phones.addresses import own_addresses
from daemon.page.phones.door import DoorError, Invitation, PhoneDoor
from daemon.page.phones.filming import Aim
from daemon.page.score_pad_page import ScorePadPage
from daemon.page.setup import Setup
from daemon.page.sounds import Sounds
from daemon.page.streams import Streams
from daemon.page.token import TokenError, page_token
from daemon.voice.listening.listening import Listening
from daemon.words import translation
from daemon.words.translation import worded, worded_n

_log = logging.getLogger(__name__)

PAGE = Path(__file__).with_name("assets")
OPEN_S = CLOSE_S = 5.0
SILENT_S = 10.0
"""Seconds after a wake-up without an iteration of the loop before the thread counts as hung."""
BACKLOG = 64
KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Types of the page's files: systems disagree on the type of `.js`, and browsers refuse a wrong one."""


class WebError(RuntimeError):
    """The page cannot be served as configured; the message says what to do."""


class WebPage:
    """Serves the page. Every method is thread-safe, and none blocks."""

    def __init__(
        self,
        port: int = 8765,
        host: str = "127.0.0.1",
        allowed_hosts: tuple[str, ...] = (),
        health_deadline_s: float = 30.0,
        token: Path | None = None,
        journal: Path | None = None,
        proxies: Sequence[Network] = LOOPBACK,
        door: PhoneDoor | None = None,
    ) -> None:
        """Opens the port; 0 takes any free one, which `port` then names.

        Names in `allowed_hosts` are accepted in the Host header besides addresses and `localhost`. Health not updated
        for `health_deadline_s` counts as a fault. `token` is the file of the token that commands from other computers
        must carry; it is created if others can reach the page. `journal` is the record to browse; None shows none.
        `proxies` are trusted to name the clients they forward for. Phones are let in by `door`, which opens once one is
        invited; None lets none in.
        Raises WebError.
        """
        if token is not None and not is_loopback(host):
            try:
                page_token(token)
            except TokenError as error:
                raise WebError(str(error)) from None
        self._page_state = PageState(health_deadline_s)
        self.sounds = Sounds(self._page_state)
        self._allowed_hosts, self._proxies = allowed_hosts, tuple(proxies)
        self._refusals = Refusals()
        self._limits = ConnectionLimits(self._refusals)
        permission = self._permission = Permission(token, self._refusals, self._proxies)
        self.commands = CommandQueue(permission, self._refusals, parse_command)
        self.setups = CommandQueue(permission, self._refusals, parse_setup_request)
        self.choices = CommandQueue(permission, self._refusals, parse_choice, MAX_CHOICE_BYTES)
        self.changes = CommandQueue(permission, self._refusals, parse_change)
        self.demos = CommandQueue(permission, self._refusals, parse_demo_request)
        """What people ask for: commands, set-up, a new game, changes of language, voice and clock, a demo."""
        self.menu: Callable[[], Mapping[str, object]] | None = None
        """Lists the choices for a new game, in another thread; None if nothing can be chosen."""
        self.setup, self._arranging = Setup(permission), Arranging(permission)
        self._microphones = Microphones(permission)
        self._archive = (
            None
            if journal is None
            else Archive(
                journal, permission, lambda: self._page_state.now.state, commands_from_elsewhere=token is not None
            )
        )
        self._pads = None if journal is None else ScorePadPage(journal, permission)
        self._failure = ""
        self._beat_s = self._woken_s = time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._streams = Streams(self._page_state, self.commands, commands_from_elsewhere=token is not None)
        self._door = door
        self._streams.filming = None if door is None else door.filming
        opened: queue.Queue[int | WebError] = queue.Queue(maxsize=1)
        self._thread = threading.Thread(target=self._serve, args=(host, port, opened), name="web", daemon=True)
        self._thread.start()
        try:
            answer = opened.get(timeout=OPEN_S)
        except queue.Empty:
            answer = WebError(f"the page did not open within {OPEN_S:.0f} s")
        if isinstance(answer, WebError):
            self.close()
            raise answer
        self.port = answer
        self.address = f"{address_at(host, answer)}/"
        """Where this computer opens the page."""
        self.elsewhere = _elsewhere(host, answer)
        """Where other devices open it; empty if none can, or nobody knows."""
        if not is_loopback(host):
            who = "nobody" if token is None else f"who brings the token in {token}"
            shown = self.elsewhere or self.address
            _log.warning("%s can be seen by everybody on this network; %s may command from there", shown, who)

    def invite_phone(self) -> Invitation:
        """Opens the door for phones, unless it is open, and returns what a phone must scan.

        Unlike all other methods it waits, for the door. Raises DoorError.
        """
        if self._door is None:
            raise DoorError("no phone can be let in here")
        try:
            return asyncio.run_coroutine_threadsafe(self._invite(), self._loop).result(OPEN_S)
        except (TimeoutError, RuntimeError, concurrent.futures.CancelledError) as error:
            if isinstance(error, DoorError):
                raise
            raise DoorError(f"the door for phones did not open within {OPEN_S:.0f} s") from None

    async def _invite(self) -> Invitation:
        assert self._door is not None
        return await self._door.invite(lambda: self.runner(door=True), self._limits)

    def update_aim(self, aim: Aim) -> None:
        """Replaces how the filming phone is aimed, which it is told with each picture."""
        if self._door is not None:
            self._door.filming.aim = aim

    def end_filming(self) -> None:
        """Tells the phone that films that its pictures are not wanted any more."""
        if self._door is not None:
            with contextlib.suppress(RuntimeError):  # closed
                asyncio.run_coroutine_threadsafe(self._door.filming.stop(), self._loop)

    def publish(self, **news: Unpack[News]) -> None:
        """Shows what has changed, all of it at once: no move without the view of the position after it."""
        self._page_state.publish(**news)
        if news.keys() & {"state", "view", "board", "health"} or ("picture" in news and self._streams.videos):
            self._wake()

    def take_commands(self) -> None:
        """Opens the page for commands; all that is asked of it must be taken, and answered, often from then on."""
        for one in (self.commands, self.setups, self.choices, self.changes, self.demos, self.setup.preview):
            one.is_open = True

    def listen_with(self, listening: Listening | None, is_talking: Callable[[], bool]) -> None:
        """Passes what pages' microphones hear to `listening`, if anybody, except while the computer itself talks."""
        self._microphones.listening, self._microphones.is_talking = listening, is_talking

    def announce(self, text: str, kind: str = "said", *, spoken: bool = True) -> None:
        """Adds an announcement, which pages speak if it is to be `spoken`; `kind` is a stable snake_case code."""
        self._page_state.announce(text, kind, spoken=spoken)
        self._wake()

    @property
    def viewers(self) -> int:
        """Picture streams being watched; at 0 no picture needs to be drawn."""
        return self._streams.videos

    @property
    def pages(self) -> int:
        """Pages that are open somewhere."""
        return self._streams.lives

    def status(self) -> dict[str, object]:
        if self._failure or not self._thread.is_alive():
            return {"ok": False, "text": self._failure or worded("closed")}
        if self._woken_s > self._beat_s and time.monotonic() - self._woken_s > SILENT_S:
            return {"ok": False, "text": worded("it hangs")}
        count = self._streams.videos
        text = worded_n("{address}, {count} viewer", "{address}, {count} viewers", count, address=self.address)
        return {"ok": True, "text": text}

    def close(self) -> None:
        """Stops the server and closes all its connections; may be called twice."""
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(self._end)
        self._thread.join(CLOSE_S)
        self.setup.close()
        self.sounds.close()
        if self._archive is not None:
            self._archive.close()

    def _wake(self) -> None:
        """Wakes everybody waiting for a change, unless they are about to wake."""
        if self._woken_s > self._beat_s:
            return
        self._woken_s = time.monotonic()
        with contextlib.suppress(RuntimeError):  # closed
            self._loop.call_soon_threadsafe(self._turn)

    def _turn(self) -> None:
        self._beat_s = time.monotonic()
        self._streams.turn()

    def _end(self) -> None:
        self._streams.ended.set()
        self._turn()

    def _serve(self, host: str, port: int, opened: queue.Queue[int | WebError]) -> None:
        """The thread: runs the server until `close`, and records why if it fails."""
        try:
            self._loop.run_until_complete(self._run(host, port, opened))
        except Exception as error:  # noqa: BLE001 - the top of the thread
            self._failure = f"the page has stopped: {error}"
            _log.exception("the page has stopped")
            with contextlib.suppress(queue.Full):
                opened.put_nowait(WebError(self._failure))
        finally:
            self._loop.run_until_complete(_cancel_others())
            self._loop.run_until_complete(self._limits.close())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _run(self, host: str, port: int, opened: queue.Queue[int | WebError]) -> None:
        runner = self.runner()
        await runner.setup()
        watch = asyncio.create_task(self._limits.watch())
        assert runner.server is not None
        try:
            try:
                server = await self._loop.create_server(
                    self._limits.factory(runner.server), host, port, backlog=BACKLOG, reuse_address=True
                )
            except OSError as error:
                opened.put(_refusal(host, port, error))
                return
            async with server:
                opened.put(int(server.sockets[0].getsockname()[1]))
                await self._streams.ended.wait()
        finally:
            watch.cancel()
            if self._door is not None:
                await self._door.close()
            await runner.cleanup()

    def runner(self, *, door: bool = False) -> web.AppRunner:
        """The page's application, ready to serve, or that behind the phones' door."""
        logger = logging.Logger(f"{__name__}.http")
        logger.parent = _log
        logger.setLevel(logging.DEBUG)  # aiohttp logs some malformed requests at this level only
        logger.addFilter(RubbishFilter(self._refusals))
        return web.AppRunner(
            self._application(door=door),
            access_log=None,
            logger=logger,
            shutdown_timeout=1.0,
            keepalive_timeout=SAY_S,
            auto_decompress=False,
        )

    def _application(self, *, door: bool = False) -> web.Application:
        middlewares = [admit(self._refusals, self._limits, self._allowed_hosts, self._proxies)]
        files = [file for file in sorted(PAGE.iterdir()) if file.suffix in KINDS]
        if door and self._door is not None:
            middlewares.append(self._door.guard([_address_of(file) for file in files if file.suffix != ".html"]))
        application = web.Application(middlewares=middlewares, client_max_size=1024)
        application.on_response_prepare.append(protect)
        if door and self._door is not None:
            self._door.add_routes(application.router, self._permission)
        elif self._door is not None:
            invited = functools.partial(self._door.shown, self._invite, self._permission)
            application.router.add_post("/phone", invited)
            application.router.add_delete("/phone", invited)
        for file in files:
            application.router.add_get(_address_of(file), functools.partial(_file, file, KINDS[file.suffix]))
        for path, handler in (
            ("/video", self._streams.video),
            ("/live", self._streams.live),
            ("/listen", self._microphones.listen),
            ("/snapshot.jpg", self._streams.snapshot),
            (r"/voice/{number:\d{1,9}}", self.sounds.sound),
            ("/board.svg", self._streams.board),
            ("/board.css", _board_style),
            ("/words", _words),
            ("/state", self._state),
            ("/legal", self._legal_moves),
            ("/menu", self._menu_now),
            ("/events", self._events),
            ("/healthz", self._healthz),
            ("/readyz", self._readyz),
            ("/metrics", self._metrics),
        ):
            application.router.add_get(path, handler)
        application.router.add_post("/tell", self.commands.receive)
        application.router.add_post("/menu", self.choices.receive)
        application.router.add_post("/settings", self.changes.receive)
        application.router.add_post("/arrange", self._arranging.arranged)
        application.router.add_post("/demo", self.demos.receive)
        application.router.add_post("/wish", self.setups.receive)
        self.setup.add_routes(application.router)
        if self._archive is not None:
            self._archive.add_routes(application.router)
        if self._pads is not None:
            self._pads.add_routes(application.router)
        return application

    async def _state(self, _: web.Request) -> web.Response:
        state = self._page_state.now.state
        if state is None:
            raise Problem(503, "no_state", "no game has begun yet")
        return web.Response(text=state.model_dump_json(), content_type="application/json")

    async def _menu_now(self, _: web.Request) -> web.Response:
        if self.menu is None:
            raise Problem(503, "no_menu", "nothing can be chosen here")
        return web.json_response(await asyncio.to_thread(self.menu))

    async def _legal_moves(self, _: web.Request) -> web.Response:
        return web.json_response(self._page_state.now.legal)

    async def _events(self, _: web.Request) -> web.Response:
        return web.json_response(self._page_state.announcements())

    async def _healthz(self, _: web.Request) -> web.Response:
        health = self._page_state.health()
        return web.json_response(health, status=200 if health["ok"] else 503)

    async def _readyz(self, _: web.Request) -> web.Response:
        readiness = self._page_state.ready()
        return web.json_response(readiness, status=200 if readiness["ready"] else 503)

    async def _metrics(self, _: web.Request) -> web.Response:
        self._page_state.publish(figures=self._refusals.figures())
        registry = prometheus_client.CollectorRegistry()
        registry.register(self._page_state)
        return web.Response(
            body=prometheus_client.generate_latest(registry),
            headers={"Content-Type": prometheus_client.CONTENT_TYPE_LATEST},
        )


def _elsewhere(host: str, port: int) -> str:
    if is_loopback(host):
        return ""
    found = own_addresses() if host == "0.0.0.0" else [] if host == "::" else [host]
    return f"{address_at(found[0], port)}/" if found else ""


def _address_of(path: Path) -> str:
    """`/` for the page itself, `/overlay` for another document, `/page.js` for the files they load."""
    if path.suffix != ".html":
        return f"/{path.name}"
    return "/" if path.stem == "index" else f"/{path.stem}"


async def _board_style(_: web.Request) -> web.Response:
    """The style of the drawn board, for pages that may not use a style inside the SVG."""
    return web.Response(text=STYLE, content_type="text/css")


async def _words(_: web.Request) -> web.Response:
    """The page's own texts in the players' language, keyed by the English text."""
    code = translation.language()
    return web.json_response(translation.page_words(code), headers={"Content-Language": code})


async def _file(path: Path, kind: str, _: web.Request) -> web.FileResponse:
    return web.FileResponse(path, headers={"Content-Type": f"{kind}; charset=utf-8"})


async def _cancel_others() -> None:
    """Ends what connections have left running on this loop, as `asyncio.run` does."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _refusal(host: str, port: int, error: OSError) -> WebError:
    if error.errno == errno.EADDRINUSE:
        running = f"port {port} on {host} is in use: is another kibitzer running?"
        return WebError(f"{running} Stop it, or set another port in the settings")
    if error.errno == errno.EACCES:
        return WebError(f"port {port} may not be opened: ports below 1024 are the system's; set another port")
    return WebError(f"the page cannot be served on {host} port {port}: {error.strerror or error}")
