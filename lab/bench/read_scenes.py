"""Reads random simulated tables, unseen and without a profile, and counts what was found and read.

    kibitzer bench read-scenes --scenes 100 --seed 1
    kibitzer bench read-scenes --game chess --wide

Every scene is another board, table, set of pieces, light, lens and camera pose of up to 50 degrees, without hands; with
--wide the camera looks from any side, and from down to 26 degrees.
Prints one JSON object: boards found, found in a wrong place (a corner off by more than 3 % of the side), and, of those
found in the right place, the share of cells and of whole boards that were read right before any rules help; of boards
of tiles also the share of tiles whose halves were read right and paired, and the number of tiles seen wrongly.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated

import numpy as np
import typer

from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.random_style import random_style
from lab.simulated.scenes import Scene, random_scene
from vision.reading.locate import PhotoReader, ReadPhoto

WRONG_PLACE = 0.03
SIZES_PX = ((960, 720), (1280, 960))
"""Pixels; the smaller size is enough if the rectified picture is no larger."""


def is_misplaced(photo: ReadPhoto, corners_px: FloatArray) -> bool:
    """Whether a corner is off by more than WRONG_PLACE of the side."""
    side_px = np.linalg.norm(corners_px[0] - corners_px[1])
    return bool(np.abs(photo.pose.corners_px(photo.template) - corners_px).max() > WRONG_PLACE * side_px)


def scene_of(template: BoardTemplate, rng: Rng, size_px: tuple[int, int], *, wide: bool) -> Scene:
    style = None
    if wide:
        azimuth, roll, tilt = rng.uniform(-45, 45), rng.normal(0, 6), rng.uniform(0, 64)
        style = random_style(template, rng)
        style = style.but("camera", azimuth_deg=float(azimuth), roll_deg=float(roll), tilt_deg=float(tilt))
    return random_scene(template, rng, size_px, hands=0.0, style=style)


def main(
    game: str = "nine_mens_morris",
    rule: Annotated[list[str] | None, typer.Option(help="Rule option that changes the drawing, as size=19.")] = None,
    scenes: int = 100,
    seed: int = 1,
    wide: Annotated[bool, typer.Option("--wide", help="From any side, and from low.")] = False,
) -> None:
    template = load_template(game, frozenset(rule or ()))
    reader = PhotoReader(template)
    size_px = SIZES_PX[template.rectified_px >= SIZES_PX[0][1]]
    found = misplaced = boards_right = cells_right = cells = tiles_right = tiles = strange_tiles = 0
    for number in range(scenes):
        scene = scene_of(template, np.random.default_rng([seed, number]), size_px, wide=wide)
        photo = reader.read(scene.image)
        if photo is None:
            continue
        found += 1
        if is_misplaced(photo, scene.corners_px):
            misplaced += 1
            continue
        reading, read = photo.reading, photo.reading.board
        seen = {(tile.cells, tile.pips) for tile in reading.tiles or ()}
        laid = {(one, "".join(scene.board[cell] for cell in one)) for one in scene.tiles}
        tiles_right, tiles = tiles_right + len(seen & laid), tiles + len(laid)
        strange_tiles += len(seen - laid)
        right = sum(one == other for one, other in zip(read, scene.board, strict=True))
        cells_right, cells, boards_right = cells_right + right, cells + len(read), boards_right + (read == scene.board)
    result = {
        "scenes": scenes,
        "found": found,
        "misplaced": misplaced,
        "cells_right": round(cells_right / max(cells, 1), 4),
        "boards_right": round(boards_right / max(found - misplaced, 1), 4),
    }
    if tiles:
        result |= {"tiles": tiles, "tiles_right": round(tiles_right / tiles, 4), "strange_tiles": strange_tiles}
    sys.stdout.write(json.dumps(result) + "\n")
