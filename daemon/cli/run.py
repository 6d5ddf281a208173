"""`kibitzer run`: runs the daemon."""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.profile import ProfileError
from calibration.template import TemplateError
from daemon.bus.endpoints import BusError, BusRefusedError
from daemon.checks.machine import check_owners
from daemon.cli.browser import open_in_browser
from daemon.cli.wrong_call import BLOCKED
from daemon.cli.wrong_call import stop as ended
from daemon.commands.game_choice import Choice, ChoiceError, choice_of, chosen, path_of, restored, save
from daemon.config.settings import DEFAULT, Config, ConfigError, changed, load_config
from daemon.page.phones.door import Invitation
from daemon.page.web import WebError
from daemon.perception.pipeline import Pipeline
from daemon.record.journal import JournalError
from daemon.run.config_apply import ConfigApplier
from daemon.run.game_chooser import check_players
from daemon.run.loop import Daemon
from daemon.run.session import Session
from daemon.setup.catalogue import Catalogue
from daemon.setup.vision_setup import vision_setup_of
from daemon.supervision.camera import NONE
from daemon.supervision.logs import Log
from daemon.supervision.resources import share_one_heap
from daemon.supervision.tables import SUMMARY, forget_dead, run_from_words
from daemon.supervision.watchdog import LAST_WORDS_S, STUCK_STATUS
from daemon.words.translation import worded
from rules import GameError
from system import paths
from system.weights import WeightsError

LOGGER = logging.getLogger(__name__)
REFUSALS = (ChoiceError, ConfigError, GameError, TemplateError, ProfileError, WeightsError, BusRefusedError)
"""Errors in settings or files that keep the daemon from starting, each with a message for a person."""
IN_THE_WAY = (JournalError, BusError, WebError)
"""Errors that may be gone at the next start, such as a port in use or a record that cannot be opened."""
SIDES = ("first", "second")
AGENTS_S = 20.0
"""Seconds to wait for the list of agents; after that the players are taken as they are."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("run")
def run(
    configs: Annotated[
        list[Path],
        typer.Option("--config", help="Settings file; default: config.toml. Repeat it for several tables."),
    ] = [DEFAULT],  # noqa: B006
    source: Annotated[str, typer.Option(help="Camera or address, instead of the configured one.")] = "",
    game: Annotated[str, typer.Option(help="Game, such as chess, instead of the one configured or chosen last.")] = "",
    two_people: Annotated[
        bool | None,
        typer.Option(
            "--two-people/--no-two-people", help="Referee two people, or the players configured, not those chosen last."
        ),
    ] = None,
    profile: Annotated[Path | None, typer.Option(help="Table profile, instead of the configured one.")] = None,
    new_game: Annotated[
        bool, typer.Option("--new-game", help="Begin a new game instead of resuming an interrupted one.")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Runs the daemon: watches a board, referees, records, asks agents, speaks and serves the page, until stopped.

    After a crash or a power cut it resumes the interrupted game, and first compares it with the board.
    The page is on http://127.0.0.1:8765/ unless configured otherwise. Ctrl-C or SIGTERM ends it cleanly;
    SIGHUP or `kibitzer reload` makes it reload its settings.
    --game and --two-people are kept for the next start, as the page's choice is; the rules are the game's usual ones.

    With several --config options each table gets a process of its own, which is restarted if it fails; all of them
    end together. `var/tables.json` has the status of each. No two tables may share a name, record, port or camera.

    Example: kibitzer run --game chess --two-people --source phone

    Example: kibitzer run --config my-table.toml --source http://phone:8080/video

    Example: kibitzer run --config hall.toml --config garden.toml
    """
    if len(configs) > 1 and (open_page or game or two_people):
        raise ended("run", "--open, --game and --two-people go with one --config")
    if len(configs) > 1:
        raise typer.Exit(run_from_words(configs, source, profile, new_game=new_game))
    config = configs[0]
    share_one_heap()
    forget_dead(SUMMARY)
    faulthandler.enable()  # systemd's watchdog ends by SIGABRT: the stack of every thread goes to the journal
    try:
        settings = load_config(config)
        log, record = Log(settings.log), paths.resolved(settings.journal.path)
        if old := paths.left_behind(settings.journal.path):
            LOGGER.warning("a record is in %s; the one that is kept from now on is %s", old, record)
        if not (owners := check_owners(settings, config)).ok:
            LOGGER.warning("%s", owners.text)
    except (ConfigError, OSError) as error:
        raise ended("run", error) from None
    try:
        if settings.engines:
            os.environ["KIBITZER_ENGINES"] = str(config.resolve())  # the workers read them there, never from the bus
        settings = _named(settings, source, profile)
        catalogue = Catalogue()
        check_players(settings, catalogue.wait(AGENTS_S))
        wanted = _chosen(restored(path_of(record), settings, catalogue.newest), settings, game, two_people, catalogue)
        played = games.load(wanted.game.name, wanted.game.rules)
        sight = vision_setup_of(wanted, played, another=wanted.game != settings.game)
        if wanted.camera.source != NONE:
            # Refuses a profile of another game, or one made with other weights, before anything opens.
            Pipeline(sight.template, sight.profile)
        session = Session(wanted, played)
    except REFUSALS as error:
        raise ended("run", error) from None
    except IN_THE_WAY as error:
        raise ended("run", error, BLOCKED) from None
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: _stop(stop))
    try:
        daemon = Daemon(
            session,
            wanted,
            sight.template,
            sight.profile,
            wanted.camera.source,
            configured=settings,
            catalogue=catalogue,
            on_invitation=_show_invitation,
        )
        daemon.config_applier = ConfigApplier(
            config.resolve(), session, daemon.camera, daemon.supervision, daemon.watchdog, log
        )
        daemon.config_applier.overlaid = lambda read: daemon.choosing.overlaid(_named(read, source, profile))
        had_terminal = os.isatty(sys.stdin.fileno()) if sys.stdin else False
        signal.signal(signal.SIGHUP, lambda _number, _frame: _hang_up(daemon, stop, had_terminal))
        if open_page and session.services.page is not None:
            open_in_browser(session.services.page.address)
        daemon.run(stop, resume=not new_game)
        LOGGER.info("ended; the next start goes on from the record, %s", record)
    except JournalError as error:
        raise ended("run", error, BLOCKED) from None  # between games: nothing waits to be written
    except Exception:
        # The next frame may raise the same error, so the process restarts; the game goes on from the record.
        LOGGER.critical("the daemon ends by a fault of its own", exc_info=True)
        session.services.say(worded("I must start again. Nothing recorded is lost."), urgent=True)
        session.services.has_spoken(LAST_WORDS_S)
        raise typer.Exit(STUCK_STATUS) from None
    finally:
        session.close()
        log.close()


def _named(settings: Config, source: str, profile: Path | None) -> Config:
    """The settings with what the command line names. Raises ConfigError."""
    named = changed(settings, "camera", source=source) if source else settings
    return changed(named, "board", profile=str(profile.resolve())) if profile else named


def _chosen(now: Config, configured: Config, game: str, two_people: bool | None, catalogue: Catalogue) -> Config:
    """The settings with what the command line chooses, which is kept as a choice on the page is.

    Raises ChoiceError and UnknownGame.
    """
    choice: Choice = {}
    if game and games.find(game).name != games.find(now.game.name).name:
        choice["game"] = {"name": games.find(game).name}
    if two_people is not None:
        people = [{"name": one.name, "seat": one.seat} for one in now.players.both]
        people = people if two_people else [one.model_dump() for one in configured.players.both]
        choice["players"] = dict(zip(SIDES, people, strict=True))
    if not choice:
        return now
    wanted = chosen(now, choice, catalogue.newest)
    kept = choice_of(wanted) | {"camera": {"source": wanted.camera.source}}
    save(path_of(paths.resolved(now.journal.path)), configured, kept)
    return wanted


def _show_invitation(invitation: Invitation) -> None:
    """Shows the code on a terminal; never in a log, which others may read."""
    if not sys.stderr.isatty():
        LOGGER.info("a phone is invited by the code on the page, under /phone")
        return
    told = worded("Scan this code with a phone to film the board with it. The page explains the browser's warning.")
    others = "".join(f"\n{address}" for address in invitation.addresses)
    sys.stderr.write(f"{invitation.in_terminal()}{told}{others}\n")


def _stop(stop: threading.Event) -> None:
    if stop.is_set():
        os._exit(130)
    stop.set()


def _hang_up(daemon: Daemon, stop: threading.Event, had_terminal: bool) -> None:
    """SIGHUP reloads the settings; if a closed terminal sent it, it ends the daemon, as is usual."""
    if had_terminal and not os.isatty(0):
        stop.set()
    daemon.wants_reading = True
