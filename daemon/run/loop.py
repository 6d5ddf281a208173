"""The loop of a table: takes in frames and commands, from which everything else follows."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import games
from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from daemon.config.settings import Config
from daemon.judging import phrases
from daemon.match.match import Match
from daemon.page.phones.door import Invitation
from daemon.page.window import Window
from daemon.perception.pipeline import Pipeline
from daemon.run.config_apply import ConfigApplier
from daemon.run.demonstration import Demonstration
from daemon.run.game_chooser import GameChooser
from daemon.run.health import Supervision
from daemon.run.phone_guest import PhoneGuest
from daemon.run.session import Session
from daemon.run.session_runner import SessionRunner
from daemon.setup.catalogue import Catalogue
from daemon.setup.vision_setup import vision_setup_of
from daemon.supervision.camera import Camera, opener_with
from daemon.supervision.notify import Notifier
from daemon.supervision.watchdog import BEGINNING, Heartbeat, Watchdog
from daemon.words.translation import in_words, worded
from rules.options import named
from vision.frame import SourceEnded
from wording import sentence, sentence_n

LOGGER = logging.getLogger(__name__)
PACE_S = 1.0
"""Seconds that two agents on the page wait before each move, so that people can follow."""
READ_S = 0.2
"""Seconds to wait at most for a frame, so that agents and signals are served meanwhile."""


class Daemon:
    def __init__(
        self,
        session: Session,
        config: Config,
        template: BoardTemplate,
        profile: TableProfile | None,
        source: str,
        notifier: Notifier | None = None,
        *,
        configured: Config | None = None,
        catalogue: Catalogue | None = None,
        on_invitation: Callable[[Invitation], None] | None = None,
    ) -> None:
        """`on_invitation` shows what a phone must scan, where one is wanted or no camera is there."""
        self._session, self._services = session, session.services
        session.pace_s = PACE_S
        self._runner = SessionRunner(session)
        self._template = template
        self._profile = profile
        self._window: Window | None = None
        self._patience = BEGINNING
        """Watchdog patience for the next frame: the first one of a game takes longer."""
        self.wants_reading = False
        self.config_applier: ConfigApplier | None = None
        """Reloads the settings; None if there is no file to read."""
        self.choosing = GameChooser(session, configured or config, (configured or config).camera.source, catalogue)
        self._demonstration = Demonstration(session)
        self._invited = False
        self._notifier = notifier or Notifier()
        self.heartbeat = Heartbeat()
        opener = opener_with(session.services.phone_feed)
        self.camera = Camera(source, config.camera, session.services.say, opener)
        self._phones = PhoneGuest(session, self.camera, on_invitation, lambda: self.heartbeat.is_late)
        self.supervision = Supervision(session, self.camera, self.heartbeat, config.supervision)
        self.watchdog = Watchdog(
            self.heartbeat,
            session.services,
            lambda: self.supervision.liveness,
            self._notifier,
            stuck_s=config.supervision.stuck_s,
            end_s=config.supervision.end_s,
        )

    def run(self, stop: threading.Event, *, resume: bool = True) -> None:
        self.watchdog.start()
        try:
            self.heartbeat.begin("beginning a game", BEGINNING)
            self._begin(resume=resume)
            self._show_window()
            if (page := self._services.page) is not None:
                LOGGER.info("page: %s%s", page.address, page.elsewhere and f", on other devices {page.elsewhere}")
            while not stop.is_set():
                self._turn()
        except SourceEnded:
            LOGGER.info("the source has ended")
        finally:
            self.watchdog.close()
            self.camera.close()
            if self._window is not None:
                self._window.close()

    def _turn(self) -> None:
        self.heartbeat.begin("waiting for a frame")
        frame = self.camera.read(READ_S)
        self._session.camera_trouble = self.camera.trouble
        self.heartbeat.begin("waiting for a frame" if frame is None else f"frame {frame.index}", self._patience)
        age_s = 0.0 if frame is None or not self.camera.is_live else time.monotonic() - frame.time_s
        observation = self._runner.tick(frame)
        if frame is not None:
            self.heartbeat.frame_done(age_s)
            self._patience = 1.0
        self.supervision.turn(observation)
        if (config := self._phones.turn(observation)) is not None:
            self._take_camera(config)
        self._watch_for_new_game()
        self.choosing.changed()
        self._demonstration.turn()
        self._invite()
        self._take_choice()
        self._runner.ui.show_in(self._window)
        for key in [] if self._window is None else self._window.keys():
            self._runner.press(key)
        if self.wants_reading:
            self._read_settings()

    def _invite(self) -> None:
        """Says once, where no camera is there, that the page offers what can be done without."""
        page = self._services.page
        if page is not None and not self._invited and self._session.at_entrance and self._session.camera_trouble:
            self._invited = True
            LOGGER.info("no camera: play on the page, or choose a camera or your phone there: %s", page.address)

    def _read_settings(self) -> None:
        self.wants_reading = False
        if self.config_applier is None:
            return
        self.heartbeat.begin("reading the settings")
        self._notifier.reloading()
        self.config_applier.read()
        self._show_window()
        self._notifier.ready(self.supervision.liveness.text)

    def _show_window(self) -> None:
        wanted = self._services.config.page.window and self.camera.wanted
        if wanted and self._window is None:
            self._window = Window(f"Kibitzer: {self._session.game.title}")
        elif not wanted and self._window is not None:
            self._window.close()
            self._window = None

    def _begin(self, *, resume: bool, start: Any = None) -> None:
        self._patience = BEGINNING
        match = self._session.begin(self._eyes(), resume=resume, start=start)
        self._services.say(self._beginning(match), code="start")
        if self._session.eyes is None:
            self._services.say(worded("No camera: tap to move."), code="start")
        elif self._profile is not None and self._profile.caution:
            self._services.say(self._profile.caution)

    def _take_choice(self) -> None:
        session = self._session
        if session.match is not None and session.match.backlog.waiting:
            return
        if (config := self.choosing.poll()) is None:
            return
        self.heartbeat.begin("beginning another game", BEGINNING)
        game = games.load(config.game.name, config.game.rules)
        if game.name != session.game.name or game.rules != session.game.rules:
            sight = vision_setup_of(config, game, another=True)
            self._template, self._profile = sight.template, sight.profile
        if config.camera.source != session.services.config.camera.source:
            self.camera.change(config.camera.source, config.camera)
        session.change(config, game)
        self.choosing.keep(config)
        self._begin(resume=False, start=self.choosing.start)
        self._show_window()

    def _take_camera(self, config: Config) -> None:
        """Goes on with another camera in the same game; `_watch_for_new_game` opens the eyes if there were none."""
        self._services.config = config
        self.camera.change(config.camera.source, config.camera)
        self.choosing.keep(config)

    def _eyes(self) -> Pipeline | None:
        if not self.camera.wanted:
            return None
        eyes = self._services.config.eyes
        return Pipeline(self._template, self._profile, settle_s=eyes.settle_s, readings=eyes.readings)

    def _beginning(self, match: Match) -> str:
        game, position = self._session.game, match.referee.position
        side = phrases.named(game, game.to_move(position))
        if not match.referee.ply:
            title = named(game)
            if len(game.starts) > 1 and position in game.starts:
                return in_words(sentence("A new game of {game}.", game=title), match.referee.whose_turn())
            if match.referee.is_yours:
                return worded("A new game of {game}. You begin.", game=title)
            return worded("A new game of {game}. {side:Nom} begins.", game=title, side=side)
        resumed = sentence_n(
            "I resume the game after {count} move.",
            "I resume the game after {count} moves.",
            len(match.referee.line.seen),
        )
        return in_words(resumed, *phrases.totals(game, position), match.referee.whose_turn())

    def _watch_for_new_game(self) -> None:
        """Begins the next game if the board was set up for it or somebody asks for it.

        If a settings change added or removed the camera, the present game continues with or without it.
        """
        session = self._session
        if session.match is not None and session.match.backlog.waiting:
            return  # unwritten entries belong to this game and would be lost with it
        if (made := session.setting_up.made) is not None:
            session.setting_up.made = None
            self._profile = TableProfile.load(made)
            self._begin(resume=True)
        elif session.new_game_due:
            session.entered = True
            self._begin(resume=False)
        elif session.match is not None and self.camera.wanted != (session.eyes is not None):
            self._begin(resume=True)
            self._show_window()
