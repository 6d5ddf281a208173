"""Builds the scene keeper from a table's settings."""

from __future__ import annotations

import places
from daemon.bundles.bundle import PipelineSettings
from daemon.bundles.keeper import Limits, SceneKeeper
from daemon.bundles.packing import TableFacts
from daemon.bundles.stripping import stripped
from daemon.config.seats import Seat
from daemon.config.settings import Config
from games import AnyGame

MB = 1_000_000


def keeper_for(config: Config, game: AnyGame, seats: tuple[Seat, Seat]) -> SceneKeeper:
    """Opens the keeper for a table. Raises BundleError if the folder cannot be used."""
    section, eyes = config.bundles, config.eyes
    limits = Limits(section.seconds, section.memory_mb * MB, section.quota_mb * MB, section.rejected_s)
    facts = TableFacts(
        table=config.bus.table,
        game=game,
        agents=(seats[0].agent, seats[1].agent),
        seats=(seats[0].place, seats[1].place),
        eyes=PipelineSettings(settle_s=eyes.settle_s, readings=eyes.readings, lost_s=eyes.lost_s),
        config=stripped(config.model_dump(mode="json")),
        profile=None,
    )
    return SceneKeeper(places.resolved(section.folder), limits, facts)
