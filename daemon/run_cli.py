"""`kibitzer run`: the daemon."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, TemplateError, load_template
from daemon.config import ROOT, SHIPPED, Config, ConfigError, load_config
from daemon.learning.generations import adapted_path
from daemon.messaging.endpoints import BusError
from daemon.pipeline import Pipeline
from daemon.records.journal import JournalError
from daemon.session import Session
from daemon.showing.web import WebError
from daemon.showing.window import Window
from daemon.speaking import phrases
from vision.frame import Frame, SourceEnded, SourceError
from vision.reading.weights import WeightsError
from vision.sources.opening import open_source
from vision.sources.slot import NewestFrame

LOGGER = logging.getLogger(__name__)
REFUSALS = (
    ConfigError,
    games.GameError,
    TemplateError,
    ProfileError,
    WeightsError,
    JournalError,
    BusError,
    WebError,
)
"""What keeps the daemon from starting, each with a message for a person."""
READ_S = 0.2
"""Longest wait for a frame, so that agents and signals are answered meanwhile."""
REOPEN_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Waits between attempts to open a camera that is not there; the last one repeats."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("run")
def run(
    config: Annotated[Path, typer.Option(help="Settings; see config.toml, which is the default.")] = SHIPPED,
    source: Annotated[str, typer.Option(help="Camera or address instead of the configured one.")] = "",
    profile: Annotated[Path | None, typer.Option(help="Table profile instead of the configured one.")] = None,
    new_game: Annotated[bool, typer.Option("--new-game", help="Do not resume the game that was interrupted.")] = False,
) -> None:
    """Watches a board until it is stopped: referees, records, asks agents, speaks, shows.

    After a crash or a power cut it resumes the interrupted game and compares it with the board first.
    The page is on http://127.0.0.1:8765/ unless configured otherwise. Ctrl-C or SIGTERM ends it cleanly.

    Example: kibitzer run --config my-table.toml --source http://phone:8080/video
    """
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname).1s %(name)s: %(message)s"
    )
    try:
        settings = load_config(config)
        if settings.engines:
            os.environ["KIBITZER_ENGINES"] = str(config.resolve())  # the workers read them there, never from the bus
        game = games.load(settings.game.name, settings.game.rules)
        template = load_template(game.name, games.switched_on(game))
        path = profile or (Path(settings.board.profile) if settings.board.profile else None)
        table = None if path is None else TableProfile.load(path if path.is_absolute() or profile else ROOT / path)
        Pipeline(
            template, table
        )  # refuses a profile of another game, or made with other weights, before anything opens
        session = Session(settings, game)
    except REFUSALS as error:
        sys.stderr.write(f"kibitzer run: {error}\n")
        raise typer.Exit(2) from None
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: _stop(stop))
    try:
        adapted = None if path is None else adapted_path(path if path.is_absolute() or profile else ROOT / path)
        Daemon(session, settings, template, table, source or settings.camera.source, adapted).run(
            stop, resume=not new_game
        )
    finally:
        session.close()


def _stop(stop: threading.Event) -> None:
    """The first signal ends the loop; a second one ends the process, should something hang."""
    if stop.is_set():
        os._exit(130)
    stop.set()


class Daemon:
    """The loop of a table: frames in, everything else follows."""

    def __init__(
        self,
        session: Session,
        config: Config,
        template: BoardTemplate,
        profile: TableProfile | None,
        source: str,
        adapted: Path | None = None,
    ) -> None:
        """`adapted` is where the heads are kept that the profile is adapted to while people play."""
        self._session = session
        self._config = config
        self._template = template
        self._profile = profile
        self._source = source
        self._adapted = adapted
        self._frames: NewestFrame | None = None
        self._attempts = 0
        self._retry_s = 0.0
        self._picture_s = time.monotonic()

    def run(self, stop: threading.Event, *, resume: bool = True) -> None:
        """Goes round until `stop` is set, or a file or folder has ended."""
        self._begin(resume=resume)
        window = Window(f"Kibitzer: {self._session.game.title}") if self._config.page.window else None
        if self._session.page is not None:
            LOGGER.info("page: %s", self._session.page.address)
        try:
            while not stop.is_set():
                frame = self._read(stop)
                self._session.tick(frame)
                self._watch_for_new_game()
                self._session.show_in(window)
                for key in [] if window is None else window.keys():
                    self._session.press(key)
        except SourceEnded:
            LOGGER.info("the source has ended")
        finally:
            if self._frames is not None:
                self._frames.close()
            if window is not None:
                window.close()

    def _begin(self, *, resume: bool) -> None:
        eyes = self._config.eyes
        pipeline = Pipeline(self._template, self._profile, settle_s=eyes.settle_s, readings=eyes.readings)
        match = self._session.begin(pipeline, resume=resume, adapted=self._adapted)
        side = self._session.game.sides[self._session.game.to_move(match.referee.position)]
        if match.referee.ply:
            totals = phrases.totals(self._session.game, match.referee.position)
            text = f"I resume the game after {len(match.referee.line.seen)} moves."
            text = " ".join(filter(None, [text, totals, f"It is {side}'s turn."]))
        else:
            text = f"A new game of {self._session.game.title}. {side.capitalize()} begins."
        self._session.say(text, code="start")
        if self._profile is not None and self._profile.caution:
            self._session.say(self._profile.caution)

    def _read(self, stop: threading.Event) -> Frame | None:
        """The newest frame; None where there is none, also while the camera is away."""
        if self._frames is None and not self._open(stop):
            return None
        assert self._frames is not None
        try:
            frame = self._frames.read(READ_S)
        except SourceError as error:
            self._camera_lost(str(error))
            return None
        self._watch_camera(frame)
        return frame

    def _watch_camera(self, frame: Frame | None) -> None:
        """Says so when the picture stays away or stands still, and when it is there again."""
        now_s, session = time.monotonic(), self._session
        if frame is not None:
            self._picture_s = now_s
        missing = now_s - self._picture_s > self._config.camera.frozen_s
        frozen = self._frames is not None and self._frames.frozen
        if (missing or frozen) and not session.camera_trouble:
            what = "No picture comes from the camera." if missing else "The camera's picture is frozen."
            session.camera_trouble = what
            session.say(what, urgent=True)
        elif session.camera_trouble and frame is not None and not frozen:
            session.camera_trouble = ""
            session.say("The camera's picture is back.")

    def _open(self, stop: threading.Event) -> bool:
        if time.monotonic() < self._retry_s:
            stop.wait(READ_S)
            return False
        camera = self._config.camera
        try:
            source = open_source(
                self._source,
                hold_s=camera.photo_hold_s,
                rate_hz=camera.rate_hz,
                size_px=(camera.width_px, camera.height_px),
                give_up_s=camera.give_up_s or None,
            )
        except SourceError as error:
            self._camera_lost(str(error))
            return False
        self._attempts = 0
        self._picture_s = time.monotonic()
        self._frames = NewestFrame(source, frozen_after_s=camera.frozen_s)
        return True

    def _camera_lost(self, why: str) -> None:
        """Says so once, and tries again after a while that grows."""
        if self._frames is not None:
            self._frames.close()
            self._frames = None
        if not self._session.camera_trouble:
            self._session.camera_trouble = f"I have no camera ({why})."
            self._session.say(f"{self._session.camera_trouble} I keep trying.", urgent=True)
        self._retry_s = time.monotonic() + REOPEN_S[min(self._attempts, len(REOPEN_S) - 1)]
        self._attempts += 1

    def _watch_for_new_game(self) -> None:
        """Begins the next game when one is over and the board shows the start position again."""
        if self._session.match is not None and self._session.match.start_in_view:
            self._begin(resume=False)
