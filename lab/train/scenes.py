"""Path-traced scenes in folders, for measuring and training: made once, and continued."""

from __future__ import annotations

import dataclasses
import json
import logging
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import games
from calibration.template import load_template
from lab.simulated.arrays import Rng
from lab.train.pathtraced import trace_scene
from rules import AnyGame
from rules.options import rules_from_words, switched_on

NOTE = "path-traced by kibitzer train scenes; no photographs, no real boards"
MAX_SCENES = 4000
"""Scenes of one folder: more labels are not read at once."""


class SceneFolderError(ValueError):
    """A folder that holds other scenes, or cannot be written; the message names it."""


def write_scenes(
    out: Path,
    game: AnyGame,
    *,
    count: int,
    seed: int,
    size_px: tuple[int, int] | None = None,
    flat: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Writes the missing ones of scenes 0 to `count` - 1 of a seed; returns the number of scenes made.

    Calls `progress` with the number there after each. A scene depends on game, rules, seed and its number alone. `flat`
    men of a side are all alike, whatever the game's are. Raises SceneFolderError, and RendererError if the renderer
    cannot be used.
    """
    if not 0 < count <= MAX_SCENES:
        raise SceneFolderError(f"--count is from 1 to {MAX_SCENES}, not {count}")
    template = load_template(game.name, switched_on(game))
    if flat:
        template = dataclasses.replace(template, man_height_mm=0.0)
    labels = _labels(out, game, seed, flat=flat)
    made = 0
    for number in range(count):
        name = f"{game.about.short_name}_{seed}_{number:04d}.jpg"
        if name not in labels["images"] or not (out / name).is_file():
            scene = trace_scene(template, game, scene_chance(game, seed, number), size_px)
            quality = [cv2.IMWRITE_JPEG_QUALITY, scene.jpeg_quality]
            _write(out / name, bytes(cv2.imencode(".jpg", scene.image, quality)[1]))
            corners = [[round(float(value), 2) for value in point] for point in scene.corners_px]
            label: dict[str, Any] = {"corners_px": corners, "cells": scene.cells}
            if scene.figures is not None:
                label["figures"] = template.written(scene.figures)
            labels["images"][name] = label | {"about": scene.about}
            _write(out / "labels.json", _text(labels).encode())
            made += 1
        progress(number + 1)
    return made


def scene_chance(game: AnyGame, seed: int, number: int) -> Rng:
    """The random generator of one scene: different for every game, rule that changes the board, seed and number."""
    rules = ",".join(sorted(switched_on(game)))
    return np.random.default_rng([seed, number, zlib.crc32(f"{game.name} {rules}".encode())])


def _labels(out: Path, game: AnyGame, seed: int, *, flat: bool) -> dict[str, Any]:
    """The folder's labels of the same scenes; an empty set of labels if there are none."""
    about = {"game": game.name, "rules": sorted(switched_on(game)), "seed": seed, "flat": flat}
    fresh: dict[str, Any] = {"note": NOTE, **about, "images": {}}
    path = out / "labels.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            return fresh
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SceneFolderError(f"--out {out}: {error}") from error
    same = isinstance(found, dict) and about.items() <= ({"flat": False} | found).items()
    if not same or not isinstance(found.get("images"), dict):
        raise SceneFolderError(f"--out {out}: its labels.json is of other scenes; name another folder")
    return dict(found)


def _text(labels: dict[str, Any]) -> str:
    """The labels as JSON, one line an image, so that a person can look one up."""
    head = {key: value for key, value in labels.items() if key != "images"}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in labels["images"].items())
    return json.dumps(head)[:-1] + ', "images": {\n' + lines + "\n}}\n"


def _write(path: Path, content: bytes) -> None:
    """Writes the file atomically, so that an interrupted run leaves no half-written one."""
    draft = path.with_suffix(".part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        raise SceneFolderError(f"{path}: {error.strerror}") from error


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

    def say(done: int) -> None:
        if done % LOG_EVERY == 0 or done == part.count:
            log.info("%d of %d scenes of %s", done, part.count, part.name)

    for part in SHIPPED:
        game = games.load(part.game, rules_from_words(list(part.rules)))
        write_scenes(folder / part.name, game, count=part.count, seed=SEED, size_px=part.size_px, progress=say)
    return [folder / part.name for part in SHIPPED]
