"""Finds boards by where the network proposes them.

    .venv/bin/python -m lab.bench.find_boards --scenes 10 --seed 1
    .venv/bin/python -m lab.bench.find_boards --photos FOLDER --game go --rule size=19
    .venv/bin/python -m lab.bench.find_boards --network var/train/board_proposals.onnx

Every scene is another simulated table, seen from any side and by cameras down to 26 degrees, with things around the
board. FOLDER holds photos and `labels.json` with their corners. Prints a row for every game: pictures; first proposals
within 6 % of the side, from where a fit begins; the boards found with every corner within 1.5 % and 3 % of the side,
those believed elsewhere, and the median and mean milliseconds of processor time.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.bench import unseen_boards
from lab.bench.find_grids import labelled, lay_things, outline_px, turned
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_board, shaped_by_chance
from lab.simulated.table import SimulatedTable
from vision.finding.finder import find_drawn
from vision.finding.found import Found
from vision.finding.proposals import BoardNetwork, board_network
from vision.frame import Image

FloatArray = NDArray[np.float64]
Picture = tuple[Image, FloatArray]

BOARDS = (
    *unseen_boards.BOARDS,
    ("chess", ""),
    ("draughts", ""),
    ("draughts", "size=10"),
    ("go", "size=19"),
)
SIZE_PX = (960, 720)
CLOSE, RIGHT, PROPOSED = 0.015, 0.03, 0.06
"""Distances of the worst corner, as shares of the side."""


@dataclasses.dataclass
class Count:
    """Results of one finder."""

    errors: list[float] = dataclasses.field(default_factory=list)
    times_ms: list[float] = dataclasses.field(default_factory=list)

    def look(self, find: Callable[[], Found | None], truth_px: FloatArray) -> None:
        """Looks for the board in one more picture."""
        started_s = time.process_time()
        found = find()
        self.times_ms.append((time.process_time() - started_s) * 1000)
        if found is not None:
            self.errors.append(error(found.pose.corners_px(found.template), truth_px))

    def text(self) -> str:
        """The results as text."""
        close, right = (sum(one < limit for one in self.errors) for limit in (CLOSE, RIGHT))
        times = f"{np.median(self.times_ms):.0f} {np.mean(self.times_ms):.0f} ms"
        return f"close {close:3}  right {right:3}  elsewhere {len(self.errors) - right:2}  {times}"


def error(corners_px: FloatArray, truth_px: FloatArray) -> float:
    """Distance of the worst corner, as a share of the side, whichever corner is called the first."""
    side_px = float(np.linalg.norm(truth_px - np.roll(truth_px, 1, axis=0), axis=1).mean())
    turns = (np.roll(corners_px, turn, axis=0) for turn in range(4))
    return min(float(np.linalg.norm(corners - truth_px, axis=1).max()) for corners in turns) / side_px


def scenes(template: BoardTemplate, count: int, seed: int) -> Iterator[Picture]:
    """Simulated tables and the corners of the boards on them."""
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        shaped = shaped_by_chance(template, rng)
        style = turned(random_style(shaped, rng), rng)
        camera = dataclasses.replace(style.camera, tilt_deg=float(rng.uniform(0, 64)))
        style = dataclasses.replace(style, camera=camera)
        table = SimulatedTable(shaped, random_board(shaped, rng), style, int(rng.integers(2**31)), SIZE_PX)
        image = table.render()
        lay_things(image, outline_px(table, style), rng)
        yield image, table.corners_px()


def measure(name: str, pictures: Iterator[Picture], template: BoardTemplate, network: BoardNetwork) -> None:
    """Prints the row of these pictures."""
    proposed, found = 0, Count()
    for image, truth_px in pictures:
        proposals = network.propose(image, template.game)[:1]
        proposed += any(error(one.corners_px, truth_px) < PROPOSED for one in proposals)
        found.look(lambda image=image: find_drawn(image, template, network), truth_px)  # type: ignore[misc]
    sys.stdout.write(f"{name:32} {len(found.times_ms):3}  proposed {proposed:3}  {found.text()}\n")
    sys.stdout.flush()


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", type=Path, help="other weights than the shipped ones")
    parser.add_argument("--game", default="", help="module name of the game; all boards without it")
    parser.add_argument("--rule", default="", help="rule option that changes the drawing, such as size=19")
    parser.add_argument("--scenes", type=int, default=10, help="of each board")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--photos", type=Path, help="folder with photos and labels.json instead of scenes")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    network = BoardNetwork(given.network) if given.network else board_network()
    for game, rule in ((given.game, given.rule),) if given.game else BOARDS:
        template = load_template(game, frozenset({rule} - {""}))
        photos = given.photos and ((image, corners) for _, image, corners in labelled(given.photos))
        pictures = photos or itertools.islice(scenes(template, given.scenes, given.seed), given.scenes)
        measure(f"{game} {rule}", pictures, template, network)
    return 0


if __name__ == "__main__":
    sys.exit(main())
