"""Loads what the vision of a table needs: the board's template and the table's profile."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import games
import places
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, load_template
from daemon.config.settings import Config
from daemon.perception.learning.generations import adapted_path
from games import AnyGame

LOGGER = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Sight:
    """Template and profile for one game at one table."""

    template: BoardTemplate
    profile: TableProfile | None = None
    adapted: Path | None = None
    """Folder of the heads adapted from the profile during play."""


def sight_of(config: Config, game: AnyGame) -> Sight:
    """Loads template and profile according to the settings. Raises TemplateError, ProfileError."""
    template = load_template(game.name, games.switched_on(game))
    if not config.board.profile:
        return Sight(template)
    path = places.resolved(config.board.profile)
    return Sight(template, TableProfile.load(path), adapted_path(path))


def sight_of_another(config: Config, game: AnyGame) -> Sight:
    """Like `sight_of` for a game chosen later: leaves the profile out if it belongs to another game.

    Raises TemplateError.
    """
    template = load_template(game.name, games.switched_on(game))
    try:
        sight = sight_of(config, game)
        if sight.profile is not None:
            sight.profile.check_game(game.name)
    except ProfileError as error:
        LOGGER.info("the board is looked for without a profile: %s", error)
        return Sight(template)
    return sight
