"""Loads what the vision of a table needs: the board's template and the table's profile."""

from __future__ import annotations

import logging
from typing import NamedTuple

import places
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, load_template
from daemon.config.settings import Config
from rules import AnyGame
from rules.options import switched_on

LOGGER = logging.getLogger(__name__)


class VisionSetup(NamedTuple):
    template: BoardTemplate
    profile: TableProfile | None = None


def vision_setup_of(config: Config, game: AnyGame) -> VisionSetup:
    """Raises TemplateError, ProfileError."""
    template = load_template(game.name, switched_on(game))
    if not config.board.profile:
        return VisionSetup(template)
    return VisionSetup(template, TableProfile.load(places.resolved(config.board.profile)))


def vision_setup_of_another(config: Config, game: AnyGame) -> VisionSetup:
    """Like `vision_setup_of` for a game chosen later: leaves the profile out if it belongs to another game.

    Raises TemplateError.
    """
    try:
        sight = vision_setup_of(config, game)
        if sight.profile is not None:
            sight.profile.check_game(game.name)
    except ProfileError as error:
        LOGGER.info("the board is looked for without a profile: %s", error)
        return VisionSetup(load_template(game.name, switched_on(game)))
    return sight
