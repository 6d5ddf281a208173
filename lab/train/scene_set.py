"""The path-traced scenes that the shipped network was trained on: their settings, and how to make them."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import games
from lab.train.scenes import write_scenes
from rules.options import rules_from_words

log = logging.getLogger(__name__)

SEED = 7
"""Seed of the training scenes; measurements use others."""
LOG_EVERY = 10


@dataclasses.dataclass(frozen=True)
class SceneFolder:
    name: str
    game: str
    rules: tuple[str, ...]
    count: int
    size_px: tuple[int, int] | None = None
    """None for a random size."""


SHIPPED = (
    SceneFolder("morris", "nine_mens_morris", (), 196),
    SceneFolder("reversi", "reversi", (), 110),
    SceneFolder("ganh", "co_ganh", (), 134),
    SceneFolder("gomoku", "gomoku", (), 70, (800, 600)),
    SceneFolder("go", "gomoku", ("size=19",), 60),
)


def trace_scene_set(folder: Path) -> list[Path]:
    """Makes the missing scenes below the folder, and returns their folders.

    About half an hour on one core. Raises SceneFolderError, RendererError.
    """
    return [_trace(folder / part.name, part) for part in SHIPPED]


def _trace(out: Path, part: SceneFolder) -> Path:
    game = games.load(part.game, rules_from_words(list(part.rules)))

    def progress(done: int) -> None:
        if done % LOG_EVERY == 0 or done == part.count:
            log.info("%d of %d scenes of %s", done, part.count, part.name)

    write_scenes(out, game, count=part.count, seed=SEED, size_px=part.size_px, progress=progress)
    return out
