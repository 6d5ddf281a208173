"""`kibitzer run`: the daemon."""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, NoReturn

import typer

import games
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, TemplateError, load_template
from daemon.config import ROOT, SHIPPED, Config, ConfigError, load_config
from daemon.learning.generations import adapted_path
from daemon.messaging.endpoints import BusError, BusRefusedError
from daemon.pipeline import Pipeline
from daemon.records.journal import JournalError
from daemon.session import Session
from daemon.showing.web import WebError
from daemon.showing.window import Window
from daemon.speaking import phrases
from daemon.supervising.camera import Camera
from daemon.supervising.logs import Log
from daemon.supervising.notify import Notifier
from daemon.supervising.overseer import LAST_WORDS_S, STUCK_STATUS, Overseer
from daemon.supervising.pulse import BEGINNING, Pulse
from daemon.supervising.retuning import Retuning
from daemon.supervising.supervision import Supervision
from daemon.tables.parent import run_from_words
from vision.frame import SourceEnded
from vision.reading.weights import WeightsError

LOGGER = logging.getLogger(__name__)
REFUSALS = (ConfigError, games.GameError, TemplateError, ProfileError, WeightsError, BusRefusedError)
"""Wrong settings and files, which keep the daemon from starting, each with a message for a person."""
OBSTACLES = (JournalError, BusError, WebError)
"""A port in use, a record that cannot be opened: what may be gone at the next start."""
READ_S = 0.2
"""Longest wait for a frame, so that agents and signals are answered meanwhile."""
REFUSED, BLOCKED = 2, 75
"""Exit status: what is asked for is wrong, and no restart heals it; something else is in the way, and one may."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("run")
def run(
    configs: Annotated[
        list[Path],
        typer.Option("--config", help="Settings; see config.toml, which is the default. One for each table."),
    ] = [SHIPPED],  # noqa: B006
    source: Annotated[str, typer.Option(help="Camera or address instead of the configured one.")] = "",
    profile: Annotated[Path | None, typer.Option(help="Table profile instead of the configured one.")] = None,
    new_game: Annotated[bool, typer.Option("--new-game", help="Do not resume the game that was interrupted.")] = False,
) -> None:
    """Watches a board until it is stopped: referees, records, asks agents, speaks, shows.

    After a crash or a power cut it resumes the interrupted game and compares it with the board first.
    The page is on http://127.0.0.1:8765/ unless configured otherwise. Ctrl-C or SIGTERM ends it cleanly;
    SIGHUP or `kibitzer reload` lets it read its settings again.

    With several --config each table gets a process of its own, which is started again when it ends by a fault; all
    end together. `var/tables.json` says how each is. Tables share neither name, record, ports nor camera.

    Example: kibitzer run --config my-table.toml --source http://phone:8080/video

    Example: kibitzer run --config hall.toml --config garden.toml
    """
    if len(configs) > 1:
        raise typer.Exit(run_from_words(configs, source, profile, new_game=new_game))
    config = configs[0]
    faulthandler.enable()  # systemd's watchdog ends by SIGABRT: where every thread stands goes to the journal
    try:
        settings = load_config(config)
        log = Log(settings.log)
    except (ConfigError, OSError) as error:
        _fail(str(error), REFUSED)
    try:
        if settings.engines:
            os.environ["KIBITZER_ENGINES"] = str(config.resolve())  # the workers read them there, never from the bus
        game = games.load(settings.game.name, settings.game.rules)
        template = load_template(game.name, games.switched_on(game))
        path = profile or (Path(settings.board.profile) if settings.board.profile else None)
        path = path if path is None or path.is_absolute() or profile else ROOT / path
        table = None if path is None else TableProfile.load(path)
        # Refuses a profile of another game, or made with other weights, before anything opens.
        Pipeline(template, table)
        session = Session(settings, game)
    except REFUSALS as error:
        _fail(str(error), REFUSED)
    except OBSTACLES as error:
        _fail(str(error), BLOCKED)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: _stop(stop))
    try:
        adapted = None if path is None else adapted_path(path)
        daemon = Daemon(session, settings, template, table, source or settings.camera.source, adapted)
        daemon.retuning = Retuning(
            config.resolve(), session, daemon.camera, daemon.supervision, daemon.overseer, log, source
        )
        had_terminal = os.isatty(sys.stdin.fileno()) if sys.stdin else False
        signal.signal(signal.SIGHUP, lambda _number, _frame: _hang_up(daemon, stop, had_terminal))
        daemon.run(stop, resume=not new_game)
    except Exception:
        # What went wrong may go wrong again with the next frame: begun anew, the game goes on from the record.
        LOGGER.critical("the daemon ends by a fault of its own", exc_info=True)
        session.say("I must start again. Nothing recorded is lost.", urgent=True)
        session.has_spoken(LAST_WORDS_S)
        raise typer.Exit(STUCK_STATUS) from None
    finally:
        session.close()
        log.close()


def _fail(text: str, status: int) -> NoReturn:
    sys.stderr.write(f"kibitzer run: {text}\n")
    raise typer.Exit(status) from None


def _stop(stop: threading.Event) -> None:
    """The first signal ends the loop; a second one ends the process, should something hang."""
    if stop.is_set():
        os._exit(130)
    stop.set()


def _hang_up(daemon: Daemon, stop: threading.Event, had_terminal: bool) -> None:
    """SIGHUP means to read the settings again; from a terminal that was closed it means to end, as it always did."""
    if had_terminal and not os.isatty(0):
        stop.set()
    daemon.wants_reading = True


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
        notifier: Notifier | None = None,
    ) -> None:
        """`adapted` is where the heads are kept that the profile is adapted to while people play."""
        self._session = session
        self._template = template
        self._profile = profile
        self._adapted = adapted
        self._window: Window | None = None
        self._patience = BEGINNING
        """With the next frame: the first one of a game takes longer."""
        self.wants_reading = False
        """Set by a signal: the settings are to be read again."""
        self.retuning: Retuning | None = None
        """Reads the settings again; None where there is no file to read."""
        self._notifier = notifier or Notifier()
        self.pulse = Pulse()
        self.camera = Camera(source, config.camera, self._say)
        self.supervision = Supervision(session, self.camera, self.pulse, config.supervision)
        self.overseer = Overseer(
            self.pulse,
            session,
            lambda: self.supervision.signs,
            self._notifier,
            stuck_s=config.supervision.stuck_s,
            end_s=config.supervision.end_s,
        )

    def run(self, stop: threading.Event, *, resume: bool = True) -> None:
        """Goes round until `stop` is set, or a file or folder has ended."""
        self.overseer.start()
        try:
            self.pulse.begin("beginning a game", BEGINNING)
            self._begin(resume=resume)
            self._show_window()
            if self._session.page is not None:
                LOGGER.info("page: %s", self._session.page.address)
            while not stop.is_set():
                self._turn()
        except SourceEnded:
            LOGGER.info("the source has ended")
        finally:
            self.overseer.close()
            self.camera.close()
            if self._window is not None:
                self._window.close()

    def _turn(self) -> None:
        self.pulse.begin("waiting for a frame")
        frame = self.camera.read(READ_S)
        self._session.camera_trouble = self.camera.trouble
        self.pulse.begin("waiting for a frame" if frame is None else f"frame {frame.index}", self._patience)
        age_s = 0.0 if frame is None or not self.camera.is_live else time.monotonic() - frame.time_s
        observation = self._session.tick(frame)
        if frame is not None:
            self.pulse.frame_done(age_s)
            self._patience = 1.0
        self.supervision.turn(observation)
        self._watch_for_new_game()
        self._session.show_in(self._window)
        for key in [] if self._window is None else self._window.keys():
            self._session.press(key)
        if self.wants_reading:
            self._read_settings()

    def _read_settings(self) -> None:
        self.wants_reading = False
        if self.retuning is None:
            return
        self.pulse.begin("reading the settings")
        self._notifier.reloading()
        self.retuning.read()
        self._show_window()
        self._notifier.ready(self.supervision.signs.text)

    def _show_window(self) -> None:
        """Opens or closes the window as the settings have it."""
        wanted = self._session.config.page.window
        if wanted and self._window is None:
            self._window = Window(f"Kibitzer: {self._session.game.title}")
        elif not wanted and self._window is not None:
            self._window.close()
            self._window = None

    def _begin(self, *, resume: bool) -> None:
        self._patience = BEGINNING
        eyes = self._session.config.eyes
        pipeline = Pipeline(self._template, self._profile, settle_s=eyes.settle_s, readings=eyes.readings)
        match = self._session.begin(pipeline, resume=resume, adapted=self._adapted)
        side = self._session.game.sides[self._session.game.to_move(match.referee.position)]
        if match.referee.ply:
            totals = phrases.totals(self._session.game, match.referee.position)
            count = len(match.referee.line.seen)
            text = f"I resume the game after {count} {'move' if count == 1 else 'moves'}."
            text = " ".join(filter(None, [text, totals, f"It is {side}'s turn."]))
        else:
            text = f"A new game of {self._session.game.title}. {side.capitalize()} begins."
        self._session.say(text, code="start")
        if self._profile is not None and self._profile.caution:
            self._session.say(self._profile.caution)

    def _say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        self._session.say(text, urgent=urgent, code=code)

    def _watch_for_new_game(self) -> None:
        """Begins the next game when the board was set up for it, or somebody asks for it."""
        if self._session.match is not None and self._session.match.new_game_due:
            self._begin(resume=False)
