"""Finds boards where the network proposes them, in simulated or labelled pictures.

    kibitzer bench find-boards --scenes 10 --seed 1
    kibitzer bench find-boards --photos FOLDER --game go --rule size=19
    kibitzer bench find-boards --network var/train/board_proposals.onnx

Every scene is another simulated table, seen from any side and by cameras down to 26 degrees, with things around the
board. FOLDER holds photos and `labels.json` with their corners. Prints a row for every game: pictures; first proposals
within 6 % of the side, from where a fit begins; the boards found with every corner within 1.5 % and 3 % of the side,
those believed elsewhere, and the median and mean milliseconds of processor time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_board, shaped_by_chance
from lab.simulated.table import SimulatedTable
from vision.finding.finder import find_drawn
from vision.finding.proposals import BoardNetwork, board_network
from vision.frame import Image

Picture = tuple[Image, FloatArray]

BOARDS = (
    ("nine_mens_morris", ""),
    ("reversi", ""),
    ("co_ganh", ""),
    ("gomoku", ""),
    ("gomoku", "size=19"),
    ("double_double_dominoes", ""),
    ("chess", ""),
    ("draughts", ""),
    ("draughts", "size=10"),
    ("go", "size=19"),
)
SIZE_PX = (960, 720)
CLOSE, RIGHT, PROPOSED = 0.015, 0.03, 0.06
"""Distances of the worst corner, as shares of the side."""
ROOM_MM = 3.0
"""Least distance of things from the board."""
THINGS = 8


def error(corners_px: FloatArray, truth_px: FloatArray) -> float:
    """Distance of the worst corner, as a share of the side, whichever corner is called the first."""
    side_px = float(np.linalg.norm(truth_px - np.roll(truth_px, 1, axis=0), axis=1).mean())
    turns = (np.roll(corners_px, turn, axis=0) for turn in range(4))
    return min(float(np.linalg.norm(corners - truth_px, axis=1).max()) for corners in turns) / side_px


def scenes(template: BoardTemplate, count: int, seed: int) -> Iterator[Picture]:
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        shaped = shaped_by_chance(template, rng)
        style = random_style(shaped, rng)
        style = style.but(
            "camera",
            azimuth_deg=float(rng.uniform(-45, 45)),
            roll_deg=float(rng.normal(0, 6)),
            tilt_deg=float(rng.uniform(0, 64)),
        )
        table = SimulatedTable(shaped, random_board(shaped, rng), style, int(rng.integers(2**31)), SIZE_PX)
        image = table.render()
        outwards = (style.board.border_mm + ROOM_MM) * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        lay_things(image, table.seen_px(shaped.corners_mm + outwards), rng)
        yield image, table.corners_px()


def lay_things(image: Image, outline_px: FloatArray, rng: Rng) -> None:
    """Draws sheets, boxes and bars around the board, never over it."""
    height, width = image.shape[:2]
    board = np.zeros((height, width), dtype=np.uint8)
    cv2.fillConvexPoly(board, np.rint(outline_px).astype(np.int32), (255,))
    drawn = image.copy()
    for _ in range(int(rng.integers(0, THINGS))):
        size = rng.uniform(0.02, 0.3, 2) * width
        centre = rng.uniform(0, 1, 2) * (width, height)
        box = cv2.boxPoints((tuple(map(float, centre)), tuple(map(float, size)), float(rng.uniform(0, 180))))
        colour = tuple(float(value) for value in rng.uniform(15, 235, 3))
        cv2.fillConvexPoly(drawn, np.rint(box).astype(np.int32), colour, cv2.LINE_AA)
        if rng.random() < 0.4:
            for share in np.linspace(0.1, 0.9, int(rng.integers(3, 12))):
                start, end = box[0] + share * (box[1] - box[0]), box[3] + share * (box[2] - box[3])
                cv2.line(drawn, tuple(map(int, start)), tuple(map(int, end)), (30, 30, 30), 1, cv2.LINE_AA)
    image[board == 0] = cv2.GaussianBlur(drawn, (0, 0), 0.8)[board == 0]


def labelled(folder: Path) -> Iterator[Picture]:
    for name, label in json.loads((folder / "labels.json").read_text(encoding="utf-8"))["images"].items():
        image = cv2.imread(str(folder / name))
        if image is not None and label["corners_px"] is not None:
            yield np.asarray(image, dtype=np.uint8), np.array(label["corners_px"], dtype=np.float64)


def measure(name: str, pictures: Iterator[Picture], template: BoardTemplate, network: BoardNetwork) -> None:
    proposed, errors, times_ms = 0, list[float](), list[float]()
    for image, truth_px in pictures:
        proposals = network.propose(image, template.game)[:1]
        proposed += any(error(one.corners_px, truth_px) < PROPOSED for one in proposals)
        started_s = time.process_time()
        found = find_drawn(image, template, network)
        times_ms.append((time.process_time() - started_s) * 1000)
        if found is not None:
            errors.append(error(found.pose.corners_px(found.template), truth_px))
    close, right = (sum(one < limit for one in errors) for limit in (CLOSE, RIGHT))
    print(
        f"{name:32} {len(times_ms):3}  proposed {proposed:3}  close {close:3}  right {right:3}  "
        f"elsewhere {len(errors) - right:2}  {np.median(times_ms):.0f} {np.mean(times_ms):.0f} ms",
        flush=True,
    )


def main(
    network: Annotated[Path | None, typer.Option(help="Other weights than the shipped ones.")] = None,
    game: Annotated[str, typer.Option(help="Module name of the game; all boards without it.")] = "",
    rule: Annotated[str, typer.Option(help="Rule option that changes the drawing, such as size=19.")] = "",
    scene_count: Annotated[int, typer.Option("--scenes", help="Of each board.")] = 10,
    seed: int = 1,
    photos: Annotated[Path | None, typer.Option(help="Folder with photos and labels.json instead of scenes.")] = None,
) -> None:
    cv2.setNumThreads(1)
    weights = BoardNetwork(network) if network else board_network()
    for name, option in ((game, rule),) if game else BOARDS:
        template = load_template(name, frozenset({option} - {""}))
        pictures = labelled(photos) if photos else scenes(template, scene_count, seed)
        measure(f"{name} {option}", pictures, template, weights)
