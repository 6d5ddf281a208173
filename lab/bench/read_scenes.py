"""Reads random simulated tables, unseen and without a profile, and counts what was found and read.

    kibitzer bench read-scenes --scenes 100 --seed 1
    kibitzer bench read-scenes --game chess --wide
    kibitzer bench read-scenes --game go --rule size=19 --photos FOLDER

Every scene is another board, table, set of pieces, light, lens and camera pose of up to 50 degrees, without hands; with
--wide the camera looks from any side, and from down to 26 degrees. FOLDER holds photos and `labels.json`.
Prints one JSON object: boards found, found in a wrong place (a corner off by more than 3 % of the side), and, of those
found in the right place, the share of cells and of whole boards that were read right before any rules help; of boards
of tiles also the share of tiles whose halves were read right and paired, and the number of tiles seen wrongly.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from calibration.labels import read_labels
from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_scene
from vision.frame import Image
from vision.reading.locate import PhotoReader, ReadPhoto

WRONG_PLACE = 0.03
SIZES_PX = ((960, 720), (1280, 960))
"""Pixels; the smaller size is enough if the rectified picture is no larger."""
Shown = tuple[Image, FloatArray, str, set[tuple[tuple[int, ...], str]]]
"""A picture, the board's corners in it, its cells, and its tiles with their pips."""


def is_misplaced(photo: ReadPhoto, corners_px: FloatArray) -> bool:
    """Whether a corner is off by more than WRONG_PLACE of the side."""
    side_px = np.linalg.norm(corners_px[0] - corners_px[1])
    return bool(np.abs(photo.pose.corners_px(photo.template) - corners_px).max() > WRONG_PLACE * side_px)


def simulated(template: BoardTemplate, scenes: int, seed: int, *, wide: bool) -> Iterator[Shown]:
    size_px = SIZES_PX[template.rectified_px >= SIZES_PX[0][1]]
    for number in range(scenes):
        rng = np.random.default_rng([seed, number])
        style = None
        if wide:
            azimuth, roll, tilt = rng.uniform(-45, 45), rng.normal(0, 6), rng.uniform(0, 64)
            style = random_style(template, rng)
            style = style.but("camera", azimuth_deg=float(azimuth), roll_deg=float(roll), tilt_deg=float(tilt))
        scene = random_scene(template, rng, size_px, hands=0.0, style=style)
        laid = {(one, "".join(scene.board[cell] for cell in one)) for one in scene.tiles}
        yield scene.image, scene.corners_px, scene.board, laid


def photographed(template: BoardTemplate, folder: Path) -> Iterator[Shown]:
    for label in read_labels(folder / "labels.json", template):
        if label.corners_px is not None:
            image = np.asarray(cv2.imread(str(folder / label.name)), dtype=np.uint8)
            yield image, label.corners_px, label.cells, set()


def main(
    game: str = "nine_mens_morris",
    rule: Annotated[list[str] | None, typer.Option(help="Rule option that changes the drawing, as size=19.")] = None,
    scenes: int = 100,
    seed: int = 1,
    wide: Annotated[bool, typer.Option("--wide", help="From any side, and from low.")] = False,
    photos: Annotated[Path | None, typer.Option(help="Folder with photos and labels.json instead of scenes.")] = None,
) -> None:
    template = load_template(game, frozenset(rule or ()))
    reader = PhotoReader(template)
    shown = found = misplaced = boards_right = cells_right = cells = tiles_right = tiles = strange_tiles = 0
    for image, corners_px, board, laid in (
        photographed(template, photos) if photos else simulated(template, scenes, seed, wide=wide)
    ):
        shown += 1
        photo = reader.read(image)
        if photo is None:
            continue
        found += 1
        if is_misplaced(photo, corners_px):
            misplaced += 1
            continue
        reading, read = photo.reading, photo.reading.board
        seen = {(tile.cells, tile.pips) for tile in reading.tiles or ()}
        tiles_right, tiles = tiles_right + len(seen & laid), tiles + len(laid)
        strange_tiles += len(seen - laid)
        right = sum(one == other for one, other in zip(read, board, strict=True))
        cells_right, cells, boards_right = cells_right + right, cells + len(read), boards_right + (read == board)
    result = {
        "scenes": shown,
        "found": found,
        "misplaced": misplaced,
        "cells_right": round(cells_right / max(cells, 1), 4),
        "boards_right": round(boards_right / max(found - misplaced, 1), 4),
    }
    if tiles:
        result |= {"tiles": tiles, "tiles_right": round(tiles_right / tiles, 4), "strange_tiles": strange_tiles}
    sys.stdout.write(json.dumps(result) + "\n")
