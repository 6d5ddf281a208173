"""Loads what the vision of a table needs: the board's template and the table's profile."""

from __future__ import annotations

import logging
from typing import NamedTuple

from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, load_template
from daemon.config.settings import Config
from rules import AnyGame
from rules.options import switched_on
from system import paths

LOGGER = logging.getLogger(__name__)


class VisionSetup(NamedTuple):
    template: BoardTemplate
    profile: TableProfile | None = None


def vision_setup_of(config: Config, game: AnyGame, *, another: bool = False) -> VisionSetup:
    """For `another` game than the settings' a profile that does not fit is left out.

    Raises TemplateError, ProfileError.
    """
    profile = None
    try:
        if config.board.profile:
            profile = TableProfile.load(paths.resolved(config.board.profile))
            if another:
                profile.check_game(game.name)
    except ProfileError as error:
        if not another:
            raise
        LOGGER.info("the board is looked for without a profile: %s", error)
        profile = None
    return VisionSetup(load_template(game.name, switched_on(game)), profile)
