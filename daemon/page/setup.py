"""Web handlers for setting a table up: the camera's own picture, the list of cameras, boards to print."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import random
import threading
import time
from collections.abc import Callable, Mapping

import cv2
import numpy as np
from aiohttp import web

import games
from calibration.sheet import SheetError, layout_of
from calibration.template import TemplateError, load_template
from daemon.commands.command import CommandError
from daemon.commands.sources import MAX_ADDRESS, check_source, is_same, meant
from daemon.drawing.board_svg import Marks, board_svg
from daemon.game.hands import dealt
from daemon.page.answering import Busy, Problem, WorkThread, words_of
from daemon.page.guard import SVG
from daemon.page.page_state import JPEG_QUALITY
from daemon.page.permission import Permission
from daemon.page.view import template_of
from daemon.words.translation import worded
from rules import GameError, HiddenHands, figures_of
from rules.options import rules_from_words, switched_on
from rules.turns import example_of
from vision.frame import Frame, FrameSource, Image, SourceEnded, SourceError
from vision.sheet.ink import PAPERS_MM
from vision.sources.cameras import cameras
from vision.sources.live import LiveSource
from vision.sources.opening import open_source
from vision.sources.slot import Attempt

MAX_BYTES = 1024
OPEN_S, LOOK_S = 4.0, 5.0
"""Seconds, longest wait for a camera to open, and then for its first picture."""
EXPOSE_S = 0.8
"""Seconds within which a camera settles its exposure."""
CAMERA_PX = (1280, 720)
PREVIEW_PX = 960
DRAW_S = 10.0
MAX_RULES = 8
PICTURE_S = 3600
PLIES, SEED, CHOICES = 16, 7, 4
"""Plies after which a board shows what the game is about; the seed of their choice; and from how many moves the one
nearest to the middle is chosen, so that stones lie together as in a game."""
FORMATS = {"pdf": "application/pdf", "svg": "image/svg+xml"}


class Setup:
    """Handles the set-up page's requests. Used by the page's thread; any thread may replace the picture."""

    def __init__(self, permission: Permission) -> None:
        self.preview = Preview(permission)
        self._lock = threading.Lock()
        self._draw: Callable[[], Image] | None = None
        self._source = ""
        self._drawing = WorkThread("setup", 4, DRAW_S)

    def set_frame(self, draw: Callable[[], Image] | None, source: str = "") -> None:
        """Replaces the camera's picture, drawn on request, and which camera it is from; None for no picture."""
        with self._lock:
            self._draw, self._source = draw, source

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/frame.jpg", self.frame)
        router.add_get("/cameras", self.listed)
        router.add_post("/preview", self.looked)
        router.add_get(r"/sheet.{format:(?:pdf|svg)}", self.sheet)
        router.add_get(r"/picture/{name:\w{1,64}}.svg", self.picture)
        router.add_get(r"/picture/{name:\w{1,64}}/{rule:\d{1,2}}.svg", self.picture)

    def close(self) -> None:
        self._drawing.close()
        self.preview.close()

    async def frame(self, _: web.Request) -> web.Response:
        with self._lock:
            draw = self._draw
        if draw is None:
            raise Problem(503, "no_picture", "no picture has come yet")
        data = await self._worked(lambda: _jpeg(draw()), "try again in a moment")
        return web.Response(body=data, content_type="image/jpeg")

    async def looked(self, request: web.Request) -> web.Response:
        """A picture from a camera that may be chosen; a camera already in use is not opened a second time."""
        wanted = await self.preview.receive(request)
        with self._lock:
            used = self._draw is not None and is_same(meant(wanted, [self._source]), self._source)
        return await self.frame(request) if used else await self.preview.look(wanted)

    async def listed(self, _: web.Request) -> web.Response:
        found = [{"source": one.stable or str(one.number), "text": one.text} for one in cameras()]
        titles = [{"name": name, "title": games.find(name).title} for name in games.names()]
        return web.json_response({"cameras": found, "papers": list(PAPERS_MM), "games": titles})

    async def sheet(self, request: web.Request) -> web.Response:
        """A board for printing; query: `game`, any number of `rule=name=value`, `paper`, `plain`."""
        query, form = request.query, request.match_info["format"]
        rules, paper = query.getall("rule", []), query.get("paper", "a4").lower()
        if paper not in PAPERS_MM or len(rules) > MAX_RULES:
            raise Problem(400, "invalid", f"paper is one of {', '.join(PAPERS_MM)}")
        name, plain = query.get("game", "")[:64], query.get("plain", "") not in ("", "0", "no")
        busy = "a sheet is being drawn; try again in a moment"
        try:
            data = await self._worked(lambda: _sheet(name, rules, paper, plain, form), busy)
        except (GameError, SheetError, TemplateError, CommandError, ValueError) as error:
            raise Problem(400, "invalid", str(error)[:512]) from None
        file = f'attachment; filename="{games.find(name).about.short_name}-{paper}.{form}"'
        return web.Response(body=data, content_type=FORMATS[form], headers={"Content-Disposition": file})

    async def picture(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in games.names():
            raise Problem(404, "not_here", f"there is no game {name!r}; there are {', '.join(games.names())}")
        if (rule := request.match_info.get("rule")) is None:
            drawn = await asyncio.to_thread(game_picture, name)
        elif int(rule) in games.find(name).about.examples:
            drawn = await asyncio.to_thread(example_picture, name, int(rule))
        else:
            raise Problem(404, "not_here", f"rule {rule} of {name} has no picture")
        response = web.Response(text=drawn, content_type=SVG, headers={"Cache-Control": f"max-age={PICTURE_S}"})
        response.enable_compression()
        return response

    async def _worked(self, work: Callable[[], bytes], busy: str) -> bytes:
        """Runs the work in its own thread. Raises Problem if too many are waiting or it takes too long."""
        try:
            return await self._drawing.result(work)
        except (Busy, TimeoutError):
            raise Problem(503, "busy", busy) from None


def _jpeg(image: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])


def _preview_jpeg(image: Image) -> bytes:
    height, width = image.shape[:2]
    scale = min(1.0, PREVIEW_PX / width)
    size = round(width * scale), round(height * scale)
    return _jpeg(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8))


def _sheet(name: str, rules: list[str], paper: str, plain: bool, form: str) -> bytes:
    # Imported here because they bring the fonts.
    from vision.sheet.drawing import draw_sheet
    from vision.sheet.files import pdf_of, svg_of

    game = games.load(name, rules_from_words(rules))
    template = load_template(game.name, switched_on(game))
    lying = template.size_mm[0] >= template.size_mm[1]
    page = draw_sheet(layout_of(template, lying), paper, tinted=not plain).page
    return pdf_of(page) if form == "pdf" else svg_of(page).encode()


@functools.lru_cache(maxsize=32)
def game_picture(name: str) -> str:
    """The SVG of a game by its name. Raises GameError if there is none."""
    game, chance = games.load(name), random.Random(SEED)
    position = dealt(game, SEED) or game.initial()
    template = template_of(game)
    middle = template.cells_mm.mean(axis=0)

    def away(cell: int) -> float:
        return float(np.hypot(*(template.cells_mm[cell] - middle)))

    for _ in range(PLIES):
        moves = [move for move in game.legal_moves(position) if game.steps(position, move)]
        if not moves:
            break
        some = chance.sample(moves, min(CHOICES, len(moves)))
        position = game.apply(position, min(some, key=lambda move: away(game.steps(position, move)[0].cell)))
    return board_svg(template, figures_of(game, position), tiles=HiddenHands.of(game).tiles(position), labelled=False)


def example_picture(name: str, rule: int) -> str:
    """The SVG of a board with the move that shows a rule of `About.in_short`, by its index, still to be made."""
    game = games.load(name)
    before, move = example_of(game, rule)
    marks = Marks(hint=tuple(game.steps(before, move)))
    return board_svg(template_of(game), figures_of(game, before), marks=marks, labelled=False)


class Preview:
    """Previews one camera at a time. Used by the page's thread; a separate thread waits for the camera."""

    def __init__(self, permission: Permission, opener: Callable[[str], FrameSource] | None = None) -> None:
        self.is_open = False
        """Whether cameras may be chosen here at all."""
        self._permission = permission
        self._opener = opener or (lambda source: open_source(source, rate_hz=15.0, size_px=CAMERA_PX))
        self._closing = threading.Event()
        self._hanging: Attempt | None = None
        """An abandoned opening that has not ended yet: no second one starts beside it."""
        self._thread = WorkThread("preview", 1, None)

    def close(self) -> None:
        self._closing.set()
        self._thread.close()

    async def receive(self, request: web.Request) -> str:
        """The camera named by a POST of `{"source": "..."}`. Raises Problem, CommandError."""
        self._permission.check(request)
        if not self.is_open:
            raise Problem(409, "no_commands", "No camera can be chosen here.")
        return parse_preview(await words_of(request, MAX_BYTES))

    async def look(self, source: str) -> web.Response:
        """The camera's picture. Raises Problem."""
        try:
            data = await self._thread.result(lambda: self._picture(source))
        except Busy:
            why = worded("I am looking through a camera already: one moment.")
            raise Problem(503, "busy", "the page is being closed" if self._closing.is_set() else why) from None
        except (SourceError, SourceEnded, ValueError, OSError, cv2.error) as error:
            why = str(error)[:512] or worded("No picture came from this camera.")
            raise Problem(409, "no_picture", why) from None
        return web.Response(body=data, content_type="image/jpeg")

    def _picture(self, source: str) -> bytes:
        """Opens the camera and returns a JPEG; runs in the preview thread."""
        try:
            check_source(source, cameras())
        except ValueError as error:
            raise ValueError(f"source = {error}") from None
        if self._hanging is not None and not self._hanging.wait(0):
            raise SourceError(worded("The camera does not answer. Unplug it and plug it in again."))
        self._hanging = None
        attempt = Attempt(lambda: self._opener(source))
        if not attempt.wait(OPEN_S):
            attempt.abandon()
            self._hanging = attempt
            raise SourceError(worded("The camera does not answer. Unplug it and plug it in again."))
        with contextlib.closing(attempt.result()) as frames:
            return _preview_jpeg(self._looked(frames).image)

    def _looked(self, frames: FrameSource) -> Frame:
        """The newest picture once the exposure has settled. Raises SourceError if none arrives in time."""
        began_s, first_s, newest = time.monotonic(), 0.0, None
        while newest is None or time.monotonic() - first_s < EXPOSE_S:
            if self._closing.is_set() or (newest is None and time.monotonic() - began_s > LOOK_S):
                why = frames.trouble if isinstance(frames, LiveSource) else ""
                raise SourceError(why or worded("No picture came from this camera."))
            frame = frames.read(0.2)
            first_s = time.monotonic() if newest is None else first_s
            newest = frame or newest
        return newest


def parse_preview(words: object) -> str:
    """The camera in an object such as {"source": "0"}. Raises CommandError."""
    source = words.get("source") if isinstance(words, Mapping) and len(words) == 1 else None
    if not isinstance(source, str) or not source or len(source) > MAX_ADDRESS:
        raise CommandError(f"a look is an object with the source, a text of at most {MAX_ADDRESS} characters")
    return source
