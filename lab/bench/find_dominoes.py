"""Finds the Double Double Dominoes board in real photos, and in transformed copies of the same photos.

    .venv/bin/python -m lab.bench.find_dominoes [--every 5] [--views upright,tilted] [--photos FOLDER]

Only the template is known beforehand. For every original photo the truth comes from its grid lines: the board found by
its print is compared with where these lines are. For every other view (lab/bench/reposing.py) the truth is that of
the photo, transformed with it. Prints a row a view: found of all, misplaced (a corner off by more than a quarter of a
square), the median and the worst error of a corner in squares, and milliseconds of one core. The last row counts the
photos of other games in which a board was found, of which there should be none.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.bench.reposing import VIEWS, repose
from vision.finding.finder import find_board
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.primitives.lines import refine_pose

GAME = "double_double_dominoes"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
OTHERS = ("morris", "reversi", "go/boards19", "gomoku")
MISPLACED = 0.25
SQUARES = 15


@dataclasses.dataclass
class Count:
    """Results of the photos in one view."""

    name: str
    photos: int = 0
    errors: list[float] = dataclasses.field(default_factory=list)
    """Error of each found board's worst corner, in squares."""
    times_ms: list[float] = dataclasses.field(default_factory=list)

    def add(self, found: BoardPose | None, truth_px: NDArray[np.float64] | None, template: BoardTemplate) -> None:
        """Counts one more photo; `truth_px` is None if it shows no such board."""
        self.photos += 1
        if found is None:
            return
        if truth_px is None:
            self.errors.append(float("inf"))
            return
        side = float(np.sqrt(cv2.contourArea(truth_px.astype(np.float32))))
        off = np.linalg.norm(found.corners_px(template) - truth_px, axis=1)
        self.errors.append(float(off.max()) / side * SQUARES)

    def row(self) -> str:
        """The counts as a line of the table."""
        found, misplaced = len(self.errors), sum(error > MISPLACED for error in self.errors)
        median, worst = (float(np.median(self.errors)), max(self.errors)) if self.errors else (0.0, 0.0)
        return (
            f"{self.name:12} found {found:4} of {self.photos:4}  misplaced {misplaced:3} of {found:4}  "
            f"corner {median:6.3f} worst {worst:6.3f}  "
            f"ms {np.median(self.times_ms):5.0f} worst {max(self.times_ms):5.0f}"
        )


def timed(image: Image, template: BoardTemplate, count: Count) -> BoardPose | None:
    """Finds the board in the picture; records the processor time, so that other programs do not matter."""
    start = time.process_time()
    found = find_board(image, template)
    count.times_ms.append((time.process_time() - start) * 1e3)
    return found.pose if found is not None else None


def outermost(pose: BoardPose, template: BoardTemplate) -> NDArray[np.float64]:
    """(4, 2) corners of the whole board in the picture."""
    margin, (width, height) = template.margin_mm, template.size_mm
    low, right, bottom = -margin, width + margin, height + margin
    return project(pose.image_from_board, np.array([[low, low], [right, low], [right, bottom], [low, bottom]]))


def measure(photos: Iterable[Path], views: Iterable[str], template: BoardTemplate) -> list[Count]:
    """Measures every photo as it is, and in every one of the views."""
    counts = {name: Count(name) for name in ("as it is", *views)}
    for number, path in enumerate(photos):
        image = np.asarray(cv2.imread(str(path)), np.uint8)
        pose = timed(image, template, counts["as it is"])
        lines = refine_pose(image, pose, template).corners_px(template) if pose is not None else None
        counts["as it is"].add(pose, lines, template)
        if pose is None:
            continue
        for name in views:
            moved, matrix = repose(image, outermost(pose, template), VIEWS[name], np.random.default_rng(number))
            truth = project(matrix, pose.corners_px(template))
            counts[name].add(timed(moved, template, counts[name]), truth, template)
    return list(counts.values())


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="only every so manieth photo")
    parser.add_argument("--views", default=",".join(VIEWS), help="names of views, by commas")
    parser.add_argument("--photos", type=Path, default=DATA / "dominoes")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    template = load_template(GAME)
    find_board(np.zeros((90, 90, 3), dtype=np.uint8), template)  # makes the board's drawing once
    photos = sorted(given.photos.glob("*.jpg"))[:: given.every]
    for count in measure(photos, [name for name in given.views.split(",") if name], template):
        sys.stdout.write(count.row() + "\n")
    others = Count("no board")
    for path in [path for folder in OTHERS for path in sorted((DATA / folder).glob("*.[jp][pn]g"))][:: given.every]:
        others.add(timed(np.asarray(cv2.imread(str(path)), np.uint8), template, others), None, template)
    sys.stdout.write((others.row() if others.photos else "no photos of other games") + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
