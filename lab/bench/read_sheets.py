"""Reads photographs of printed boards, simulated and unseen, without a profile, and counts what was found and read.

    kibitzer bench read-sheets --scenes 40 --seed 1

Every scene is one of the pages that `kibitzer print-board` makes (upright or lying, tinted or plain, printed well or
badly, folded, wavy), on another table, with coins, buttons or pieces of a set, in other light, seen through another
lens from up to 50 degrees. Each fifth of the scenes is undisturbed, has a hand over a marker, is out of focus, has
glare on the page, or is very dark. Prints one JSON object a game: sheets found, found in a wrong place (a corner off by
more than 3 % of the side), wrong names (another game's sheet), and the share of cells and of whole boards that were
read right; cells under a hand do not count. Swapped are boards on which only the two colours are exchanged: in some
sets they are nearly equally light.
"""

from __future__ import annotations

import collections
import dataclasses
import json
from typing import Annotated

import cv2
import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from calibration.sheet import layout_of
from calibration.template import BoardTemplate, load_template
from lab.bench.read_scenes import is_misplaced
from lab.simulated.arrays import BoolArray, FloatArray, Rng
from lab.simulated.scenes import random_board
from lab.simulated.sheets import SheetTable, random_print, sheet_style
from vision.finding.markers import OtherSheetError, name_sheet
from vision.frame import Image
from vision.reading.locate import PhotoReader
from vision.sheet.drawing import draw_sheet

SWAPPED = str.maketrans("BW", "WB")
SIZE_PX = (1280, 960)
KINDS = ("plain", "hand", "blurred", "glare", "dark")
SHEETS = (
    ("reversi", (), "a4"),
    ("nine_mens_morris", (), "a4"),
    ("co_ganh", (), "a4"),
    ("gomoku", (), "a4"),
    ("gomoku", ("size=19",), "a3"),
    ("double_double_dominoes", (), "a2"),
)


@dataclasses.dataclass(frozen=True, eq=False)
class Photo:
    image: Image
    board: str
    corners_px: FloatArray
    hidden: BoolArray
    """(cells,) whether a hand is over the cell."""


def main(
    game: Annotated[str, typer.Option(help="module name of one game; else all")] = "",
    scenes: Annotated[int, typer.Option(help="of each sheet")] = 20,
    seed: int = 1,
) -> None:
    for name, options, paper in SHEETS:
        if game in ("", name):
            counts = count(load_template(name, frozenset(options)), paper, scenes, seed)
            print(json.dumps({"game": " ".join([name, *options]), "paper": paper} | counts), flush=True)


def count(template: BoardTemplate, paper: str, scenes: int, seed: int) -> dict[str, object]:
    reader, counts = PhotoReader(template), collections.Counter[str]()
    missed: list[str] = []
    for number in track(range(scenes), template.game, console=Console(stderr=True), transient=True):
        kind = KINDS[number % len(KINDS)]
        photo = photograph(template, paper, kind, np.random.default_rng([seed, number]))
        name = name_sheet(photo.image)
        counts["wrong_names"] += name is not None and name.game != template.game
        try:
            read = reader.read(photo.image)
        except OtherSheetError:
            read = None
        if read is None:
            missed.append(f"{number} {kind}")
            continue
        counts["found"] += 1
        if is_misplaced(read, photo.corners_px):
            counts["misplaced"] += 1
            missed.append(f"{number} {kind} misplaced")
            continue
        board = np.array(list(read.reading.board))
        right, swapped = (board == list(laid) for laid in (photo.board, photo.board.translate(SWAPPED)))
        wrong = int((~right & ~photo.hidden).sum())
        cells = int((~photo.hidden).sum())
        counts.update(cells=cells, right=cells - wrong, whole=not wrong)
        if wrong:
            counts["swapped"] += bool((swapped | photo.hidden).all())
            missed.append(f"{number} {kind} {wrong} cells")
    return {
        "scenes": scenes,
        "found": counts["found"],
        "misplaced": counts["misplaced"],
        "wrong_names": counts["wrong_names"],
        "cells_right": round(counts["right"] / max(counts["cells"], 1), 5),
        "boards_right": counts["whole"],
        "boards_swapped": counts["swapped"],
        "faults": missed,
    }


def photograph(template: BoardTemplate, paper: str, kind: str, rng: Rng) -> Photo:
    layout = layout_of(template, landscape=bool(rng.random() < 0.5))
    sheet = draw_sheet(layout, paper, tinted=bool(rng.random() < 0.7))
    style = sheet_style(sheet, rng)
    if kind == "dark":
        style = style.but("sensor", exposure=0.22)
    board = random_board(template, rng)
    table = SheetTable(sheet, board, style, random_print(rng), int(rng.integers(0, 2**31)), SIZE_PX)
    image = table.render()
    cells, hidden = table.seen_px(template.cells_mm), np.zeros(len(template.cells_mm), dtype=np.bool_)
    if kind == "hand":
        bare = cv2.GaussianBlur(image, (0, 0), 2)
        table.cover(int(rng.integers(0, 4)))
        image = table.render()
        changed = np.abs(cv2.GaussianBlur(image, (0, 0), 2).astype(np.int16) - bare).max(axis=2) > 24
        reach = round(0.5 * float(np.linalg.norm(cells[0] - cells[1])))
        near = cv2.dilate(changed.astype(np.uint8), np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
        hidden = np.array([bool(near[int(y), int(x)]) for x, y in cells])
    elif kind == "blurred":
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(1.0, 1.8))), dtype=np.uint8)
    elif kind == "glare":
        image = glaring(image, table.seen_px(layout.markers_mm.reshape(-1, 2)), rng)
    return Photo(image, board, table.corners_px(), hidden)


def glaring(image: Image, markers_px: FloatArray, rng: Rng) -> Image:
    """The picture with a lamp's reflection in the page, over a marker: white in its middle."""
    x, y = markers_px.reshape(4, 4, 2).mean(axis=1)[int(rng.integers(0, 4))]
    ys, xs = np.indices(image.shape[:2])
    wide = float(rng.uniform(0.02, 0.05)) * image.shape[1]
    gleam = 300 * np.exp(-(((xs - x) / (1.6 * wide)) ** 2 + ((ys - y) / wide) ** 2))
    return np.asarray(np.clip(image + gleam[..., None], 0, 255), dtype=np.uint8)
