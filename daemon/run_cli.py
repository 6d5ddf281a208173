"""`kibitzer run`: the daemon."""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated, NoReturn

import typer

import games
from calibration.profile import ProfileError, TableProfile
from calibration.template import TemplateError, load_template
from daemon.config import ROOT, SHIPPED, ConfigError, load_config
from daemon.learning.generations import adapted_path
from daemon.loop import Daemon
from daemon.messaging.endpoints import BusError, BusRefusedError
from daemon.pipeline import Pipeline
from daemon.records.journal import JournalError
from daemon.session import Session
from daemon.showing.web import WebError
from daemon.speaking.tongue import worded
from daemon.supervising.logs import Log
from daemon.supervising.overseer import LAST_WORDS_S, STUCK_STATUS
from daemon.supervising.retuning import Retuning
from daemon.tables.parent import SUMMARY, forget_dead, run_from_words
from vision.reading.weights import WeightsError

LOGGER = logging.getLogger(__name__)
REFUSALS = (ConfigError, games.GameError, TemplateError, ProfileError, WeightsError, BusRefusedError)
"""Wrong settings and files, which keep the daemon from starting, each with a message for a person."""
OBSTACLES = (JournalError, BusError, WebError)
"""A port in use, a record that cannot be opened: what may be gone at the next start."""
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
    forget_dead(SUMMARY)
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
        session.say(worded("I must start again. Nothing recorded is lost."), urgent=True)
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
