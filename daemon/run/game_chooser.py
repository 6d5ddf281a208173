"""Takes choices for a new game from the page of one table. Used by the loop's thread, except for the menu."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import games
from calibration.template import TemplateError, load_template
from daemon.commands import game_choice
from daemon.commands.command import Answer
from daemon.commands.sources import check_source, meant
from daemon.config.settings import Config, ConfigError
from daemon.run.session import Session
from daemon.setup.catalogue import Catalogue
from daemon.setup.menu import menu_of
from daemon.supervision.camera import NONE
from daemon.words.translation import worded
from rules import UnknownGame
from rules.options import switched_on
from system.weights import WeightsError
from vision.reading.reader import Reader
from vision.sources.cameras import cameras
from vision.sources.phone import PHONE

LOGGER = logging.getLogger(__name__)
LOOK_S = 2.0
"""Seconds to wait at most for the catalogue of agents if somebody chooses before it is loaded."""


def check_players(config: Config, catalogue: Mapping[str, Any]) -> None:
    try:
        faults = game_choice.player_faults(config, games.find(config.game.name).name, catalogue)
    except UnknownGame as error:
        raise ConfigError(str(error)) from error
    if faults:
        raise ConfigError("\n".join(faults))


class GameChooser:
    def __init__(self, session: Session, configured: Config, source: str, catalogue: Catalogue | None = None) -> None:
        """`configured` holds the settings without any choice, `source` the camera they name."""
        self._session, self._services = session, session.services
        self._configured, self._source = configured, source
        self._catalogue = catalogue or Catalogue()
        self.start: Any = None
        """The position from which the game chosen last is to begin; None where it begins as usual."""
        session.menu = self.menu

    def menu(self) -> Mapping[str, object]:
        """Everything that can be chosen; called by the page's thread."""
        workers = self._services.bus.workers()
        joined = {
            game: sorted({name for one in workers if game in one.games for name in one.agents})
            for game in games.names()
        }
        return menu_of(self._services.config, self._source, self._catalogue.newest, cameras(), joined)

    def overlaid(self, configured: Config) -> Config:
        """Reloaded settings with the choice that is still in force applied. Raises ConfigError for wrong players."""
        check_players(configured, self._catalogue.newest)
        self._configured = configured
        return game_choice.restored(
            game_choice.path_of(self._services.journal.path), configured, self._catalogue.newest
        )

    def poll(self) -> Config | None:
        """Returns the settings of a new choice, to be applied; its sender has already been answered."""
        page, taken = self._services.page, None
        for request in () if page is None else page.choices.take():
            try:
                config = self._checked(request.command, taken or self._services.config)
                start = game_choice.start_of(request.command, games.load(config.game.name, config.game.rules))
            except game_choice.ChoiceError as error:
                request.answer(Answer(False, str(error)))
            else:
                taken, self.start = config, start
                request.answer(Answer(True, worded("A new game.")))
        return taken

    def changed(self) -> None:
        """Applies the changes of language, voice and clock to the game that is played, and answers their senders."""
        page = self._services.page
        for request in () if page is None else page.changes.take():
            try:
                config = game_choice.chosen(self._services.config, request.command, {})
            except game_choice.ChoiceError as error:
                request.answer(Answer(False, str(error)))
                continue
            self._session.retune(config)
            self.keep(config)
            anew = "clock" in request.command and config.clock.control != "none"
            request.answer(Answer(True, worded("The clock starts anew for both.") if anew else worded("Done.")))

    def keep(self, config: Config) -> None:
        choice = game_choice.choice_of(config) | {"camera": {"source": config.camera.source}}
        game_choice.save(game_choice.path_of(self._services.journal.path), self._configured, choice)

    def _checked(self, choice: game_choice.Choice, now: Config) -> Config:
        if self._session.setting_up.active:
            raise game_choice.ChoiceError(worded("A calibration is under way. Stop it on the set-up page first."))
        config = self._with_camera(game_choice.chosen(now, choice, self._catalogue.wait(LOOK_S)), now)
        game = games.load(config.game.name, config.game.rules)
        try:
            template = load_template(game.name, switched_on(game))
            if config.camera.source != NONE:
                Reader(template)  # refuses a game whose learnt files are damaged before the choice is kept
        except (TemplateError, WeightsError) as error:
            raise game_choice.ChoiceError(f"game: {error}") from error
        return config

    def _with_camera(self, config: Config, now: Config) -> Config:
        known = NONE, PHONE, now.camera.source, self._source
        source = meant(config.camera.source, known)
        try:
            if source not in known:
                check_source(source, cameras())
        except ValueError as error:
            raise game_choice.ChoiceError(f"camera.source = {error}") from None
        return game_choice.with_source(config, source)
