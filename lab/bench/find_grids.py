"""Finds ruled boards by their grid: in simulated scenes by how full the board is, and in photos with labels.

    .venv/bin/python -m lab.bench.find_grids --scenes 40 --seed 1 [--game gomoku --rule size=19]
    .venv/bin/python -m lab.bench.find_grids --photos FOLDER --game gomoku --rule size=19

Every scene is another board, table, set of pieces, light, lens and camera pose of up to 50 degrees, turned by up to 45,
with other straight-edged objects around the board. Prints a row for every game and share of occupied cells: found in
the right place, misplaced (a corner off by half a cell or more; the board looks alike from all four sides), not found,
the median and the worst error of the rest in cells, and the median and the longest processor time. FOLDER holds photos
and `labels.json` with their corners.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.simulated.random_style import random_style
from lab.simulated.style import Style
from lab.simulated.table import SimulatedTable
from rules import EMPTY
from vision.finding.finder import find_board
from vision.frame import Image

FloatArray = NDArray[np.float64]

BOARDS = (("gomoku", "size=19"), ("gomoku", ""), ("reversi", ""), ("co_ganh", ""))
OCCUPANCIES = (0.0, 0.3, 0.6, 0.9)
SIZE_PX = (1280, 960)
MISPLACED = 0.5
"""Cells that a corner may be off."""
LIGHTS = {
    "as it is": (1.0, 1.0, 1.0),
    "red": (0.03, 0.05, 1.0),
    "blue": (1.0, 0.15, 0.03),
    "sodium": (0.01, 0.5, 1.0),
    "dark": (0.05, 0.05, 0.05),
}
"""Share that the light leaves of blue, green and red."""
THINGS = 8


@dataclasses.dataclass
class Count:
    """Results of the pictures of one row."""

    name: str
    errors: list[float] = dataclasses.field(default_factory=list)
    """Error of each found board's worst corner, in cells."""
    missed: int = 0
    times_ms: list[float] = dataclasses.field(default_factory=list)

    def line(self) -> str:
        """The row as text."""
        right = [error for error in self.errors if error < MISPLACED]
        wrong, total = len(self.errors) - len(right), len(self.errors) + self.missed
        errors = f"{np.median(right):.2f} {max(right):.2f}" if right else "-"
        times = f"{np.median(self.times_ms):.0f} {max(self.times_ms):.0f}" if self.times_ms else "-"
        return f"{self.name:28} found {len(right):3} of {total:3}  misplaced {wrong:2}  not found {self.missed:3}" + (
            f"  error {errors} cells  {times} ms"
        )

    def look(self, image: Image, truth_px: FloatArray, template: BoardTemplate) -> float | None:
        """Looks for the board in one more picture; the error in cells, or None if none is found."""
        started_s = time.process_time()
        found = find_board(image, template)
        self.times_ms.append((time.process_time() - started_s) * 1000)
        if found is None:
            self.missed += 1
            return None
        self.errors.append(error_cells(found.pose.corners_px(found.template), truth_px, template))
        return self.errors[-1]


def error_cells(corners_px: FloatArray, truth_px: FloatArray, template: BoardTemplate) -> float:
    """Distance of the worst corner, in cells, under the best of the board's four turns."""
    turned = (np.roll(corners_px, turn, axis=0) for turn in range(4))
    worst = min(float(np.linalg.norm(corners - truth_px, axis=1).max()) for corners in turned)
    side_px = float(np.linalg.norm(truth_px - np.roll(truth_px, 1, axis=0), axis=1).mean())
    return worst / (side_px / (len(grid_lines(template)) - 1))


def grid_lines(template: BoardTemplate) -> FloatArray:
    """Positions of the grid's upright lines, in millimetres."""
    upright = template.lines_mm[np.isclose(template.lines_mm[:, 0, 0], template.lines_mm[:, 1, 0])]
    return np.unique(np.round(upright[:, 0, 0], 3))


def scenes(template: BoardTemplate, occupancy: float, count: int, seed: int) -> Iterator[tuple[Image, FloatArray]]:
    """Pictures and the corners of the board in them."""
    for number in range(count):
        rng = np.random.default_rng([seed, round(100 * occupancy), number])
        style = turned(random_style(template, rng), rng)
        share = rng.uniform(0.35, 0.65)
        kinds = rng.choice(
            [EMPTY, "W", "B"], len(template.cell_names), p=[1 - occupancy, occupancy * share, occupancy * (1 - share)]
        )
        table = SimulatedTable(template, "".join(kinds), style, int(rng.integers(0, 2**31)), SIZE_PX)
        image, corners = table.render(), table.corners_px()
        lay_things(image, outline_px(table, style), rng)
        yield image, corners


def lit(image: Image, light: str, rng: np.random.Generator) -> Image:
    """The picture as a camera sees it in other light, with the noise of dim light."""
    if light == "as it is":
        return image
    linear = (image.astype(np.float32) / 255) ** 2.2 * np.array(LIGHTS[light], dtype=np.float32)
    linear += rng.normal(0, 0.002, linear.shape).astype(np.float32)
    return np.asarray(np.rint(255 * np.clip(linear, 0, 1) ** (1 / 2.2)), dtype=np.uint8)


def turned(style: Style, rng: np.random.Generator) -> Style:
    """The style with a random camera direction and roll."""
    camera = dataclasses.replace(
        style.camera, azimuth_deg=float(rng.uniform(-45, 45)), roll_deg=float(rng.normal(0, 6))
    )
    return dataclasses.replace(style, camera=camera)


def outline_px(table: SimulatedTable, style: Style) -> FloatArray:
    """(4, 2) the corners of the board, border included, in the picture."""
    border, (width, height) = style.board.border_mm + 3, table.template.size_mm
    low, right, bottom = -border, width + border, height + border
    return table.seen_px(np.array([[low, low], [right, low], [right, bottom], [low, bottom]]))


def lay_things(image: Image, outline: FloatArray, rng: np.random.Generator) -> None:
    """Draws sheets, boxes and bars around the board, never over it."""
    height, width = image.shape[:2]
    board = np.zeros((height, width), dtype=np.uint8)
    cv2.fillConvexPoly(board, np.rint(outline).astype(np.int32), (255,))
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


def labelled(folder: Path) -> Iterator[tuple[str, Image, FloatArray]]:
    """The photos of a folder whose corners are known."""
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["images"]
    for name, label in labels.items():
        image = cv2.imread(str(folder / name))
        if image is not None and label["corners_px"] is not None:
            yield name, np.asarray(image, dtype=np.uint8), np.array(label["corners_px"], dtype=np.float64)


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="", help="module name of the game; all boards without it")
    parser.add_argument("--rule", default="", help="rule option that changes the drawing, such as size=19")
    parser.add_argument("--scenes", type=int, default=20, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--light", choices=sorted(LIGHTS), default="as it is", help="lays other light over scenes")
    parser.add_argument("--photos", type=Path, help="folder with photos and labels.json instead of scenes")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    for game, rule in ((given.game, given.rule),) if given.game else BOARDS:
        template = load_template(game, frozenset({rule} - {""}))
        if given.photos is not None:
            count = Count(given.photos.name)
            for name, image, corners in labelled(given.photos):
                error = count.look(image, corners, template)
                sys.stdout.write(f"{name:40} {'not found' if error is None else f'{error:.2f} cells'}\n")
            sys.stdout.write(count.line() + "\n")
            continue
        for occupancy in OCCUPANCIES:
            count = Count(f"{game} {rule} {occupancy:.0%}")
            for image, corners in scenes(template, occupancy, given.scenes, given.seed):
                count.look(lit(image, given.light, np.random.default_rng(given.seed)), corners, template)
            sys.stdout.write(count.line() + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
