"""Names the board in pictures, by the picture alone, and prints which board was taken for which.

    .venv/bin/python -m lab.bench.name_boards --scenes 10 --sheets 5 --seed 1
    .venv/bin/python -m lab.bench.name_boards --folders var/scenes/morris var/scenes/ganh --first 20
    .venv/bin/python -m lab.bench.name_boards --photos "photos/*.jpg" --is gomoku:size=19

Uses simulated tables and printed sheets of every drawing of every board, folders written by `kibitzer train scenes`,
and photos whose board is known. Prints a row a drawing: the number of pictures; how many were named right, including
diagonals or the number of lines; how many of these in their place (no corner off by more than 5 % of the side, if it is
known); how many got no name, and which other names were given. Then come, by how sure the names were, how many were
right; and the median and the longest time per picture in seconds.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.bench.read_sheets import photograph
from lab.simulated.scenes import random_scene
from vision.finding.found import Found
from vision.frame import Image
from vision.reading.which_board import drawings, name_board

SIZES_PX = ((960, 720), (1280, 960))
"""Pixels; the smaller size if the rectified picture is no larger."""
WRONG_PLACE = 0.05
PAPERS = {"double_double_dominoes": "a2", "gomoku:size=19": "a3"}
BANDS = (0.0, 0.8, 0.9, 0.95, 0.98, 1.01)
"""Limits of the bands of sureness."""

Picture = tuple[str, str, Image, NDArray[np.float64] | None]
"""Name, true board, the picture, and the board's corners if known."""


@dataclasses.dataclass
class Row:
    """How the pictures of one board were named."""

    pictures: int = 0
    right: int = 0
    placed: int = 0
    nothing: int = 0
    others: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)


class Bench:
    """Names one picture after another."""

    def __init__(self, *, tell_wrong: bool) -> None:
        self._tell_wrong = tell_wrong
        self._rows: dict[str, Row] = collections.defaultdict(Row)
        self._sure: list[tuple[float, bool]] = []
        self._times_s: list[float] = []

    def look(self, picture: Picture) -> None:
        """Names one more picture."""
        name, truth, image, corners_px = picture
        started_s = time.process_time()
        board = name_board(image).board
        self._times_s.append(time.process_time() - started_s)
        row, named = self._rows[truth], "" if board is None else drawing(board.template)
        row.pictures += 1
        if board is None:
            row.nothing += 1
        else:
            right = named == truth
            in_place = right and (corners_px is None or not is_misplaced(board, corners_px))
            row.right, row.placed = row.right + right, row.placed + in_place
            self._sure.append((board.sure, in_place))
            if not right:
                row.others[named] += 1
        if self._tell_wrong and (board is None or not in_place):
            sys.stdout.write(f"  {name}: {truth} named {named or 'nothing'}\n")
        sys.stdout.flush()

    def report(self) -> None:
        """Prints the tables."""
        for truth, row in sorted(self._rows.items()):
            sys.stdout.write(
                f"{truth:28} pictures {row.pictures:3}  right {row.right:3}  in place {row.placed:3}  "
                f"nothing {row.nothing:3}  {dict(row.others) or ''}\n"
            )
        for low, high in itertools.pairwise(BANDS):
            band = [right for sure, right in self._sure if low <= sure < high]
            if band:
                sys.stdout.write(f"sure {low:.2f} to {min(high, 1):.2f}: right {sum(band)} of {len(band)}\n")
        if self._times_s:
            sys.stdout.write(f"seconds: median {np.median(self._times_s):.1f}, longest {max(self._times_s):.1f}\n")


def drawing(template: BoardTemplate) -> str:
    """A board's name: the game, and the options that change its drawing."""
    known = {one.options for family in drawings() for one in family if one.game == template.game}
    options = max((options for options in known if options <= template.options), key=len)
    return ":".join([template.game, *sorted(options)])


def is_misplaced(board: Found, corners_px: NDArray[np.float64]) -> bool:
    """Whether the board is elsewhere than found, whichever corner is called the first."""
    seen = board.pose.corners_px(board.template)
    worst = min(float(np.abs(np.roll(seen, turn, axis=0) - corners_px).max()) for turn in range(4))
    return worst > WRONG_PLACE * float(np.linalg.norm(corners_px[0] - corners_px[1]))


def simulated(scenes: int, seed: int) -> Iterator[Picture]:
    """Random tables with random pieces."""
    for number in range(scenes):
        for template in (one for family in drawings() for one in family):
            size_px = SIZES_PX[template.rectified_px >= 640]
            scene = random_scene(template, np.random.default_rng([seed, number]), size_px, hands=0.0)
            yield f"scene {number}", drawing(template), scene.image, scene.corners_px


def printed(scenes: int, seed: int) -> Iterator[Picture]:
    """Photographs of sheets, with coins and buttons."""
    for number in range(scenes):
        for template in (one for family in drawings() for one in family):
            name = drawing(template)
            photo = photograph(template, PAPERS.get(name, "a4"), "plain", np.random.default_rng([seed, number]))
            yield f"sheet {number}", name, photo.image, photo.corners_px


def traced(folder: Path, first: int) -> Iterator[Picture]:
    """The pictures of a folder of scenes."""
    head = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    name = drawing(load_template(head["game"], frozenset(head["rules"])))
    for photo, label in list(head["images"].items())[:first]:
        image = cv2.imread(str(folder / photo))
        if image is not None:
            yield photo, name, np.asarray(image, dtype=np.uint8), np.array(label["corners_px"], dtype=np.float64)


def photos(pattern: str, truth: str) -> Iterator[Picture]:
    """Photos of a known board."""
    for path in sorted(Path(pattern).parent.glob(Path(pattern).name)):
        image = cv2.imread(str(path))
        if image is not None:
            yield path.name, truth, np.asarray(image, dtype=np.uint8), None


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=0, help="simulated tables of every drawing")
    parser.add_argument("--sheets", type=int, default=0, help="printed sheets of every drawing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", nargs="*", type=Path, default=[], metavar="DIR", help="of kibitzer train scenes")
    parser.add_argument("--first", type=int, default=1000, help="pictures of each folder")
    parser.add_argument("--photos", nargs="*", default=[], metavar="PATTERN", help='such as "photos/*.jpg"')
    parser.add_argument("--is", nargs="*", default=[], dest="truths", metavar="BOARD", help="of each pattern")
    parser.add_argument("--wrong", action="store_true", help="tell which pictures were named wrong, or nothing")
    given = parser.parse_args()
    if len(given.photos) != len(given.truths):
        parser.error(f"--is must name a board for each of the {len(given.photos)} patterns of --photos")
    cv2.setNumThreads(1)
    bench = Bench(tell_wrong=given.wrong)
    sources = [simulated(given.scenes, given.seed), printed(given.sheets, given.seed)]
    sources += [traced(folder, given.first) for folder in given.folders]
    sources += [photos(pattern, truth) for pattern, truth in zip(given.photos, given.truths, strict=True)]
    for source in sources:
        for picture in source:
            bench.look(picture)
    bench.report()
    return 0


if __name__ == "__main__":
    sys.exit(main())
