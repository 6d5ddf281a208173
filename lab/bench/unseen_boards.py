"""Shows boards that cannot be seen whole: counts boards believed in a wrong place, and checks the reasons named.

    .venv/bin/python -m lab.bench.unseen_boards --scenes 10 --seed 1 [--game gomoku --rule size=19] [--places-only]

Every scene is another simulated table; its camera cuts the board off at one edge or at two that meet (10 to 40 % of the
board), is too far away, or sees it in the dark; an object covers a part of the board; or the board has no lines. Prints
a row for every game and kind: boards believed, those believed in a wrong place (a corner off by more than 3 % of the
side; for a board without lines every place is wrong), how often the right reason was given and, for boards cut off, the
right edges, how often each reason was given, and the median time in seconds.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import sys
import time
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_scene
from lab.simulated.style import Style
from vision.finding.finder import find_board
from vision.frame import Image

FloatArray = NDArray[np.float64]

BOARDS = (
    ("nine_mens_morris", ""),
    ("reversi", ""),
    ("co_ganh", ""),
    ("gomoku", ""),
    ("gomoku", "size=19"),
    ("double_double_dominoes", ""),
)
KINDS = {
    "cut_off": "cut_off",
    "corner": "cut_off",
    "small": "too_small",
    "dark": "dark",
    "covered": "covered",
    "no_lines": "no_board",
}
"""The expected reason for each kind of scene."""
SIZE_PX = (960, 720)
WRONG_PLACE = 0.03


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """A picture in which the board cannot, or can hardly, be seen whole."""

    image: Image
    corners_px: FloatArray | None
    """The board's corners; None if there is no board to find."""
    edges: frozenset[str]
    """Edges of the picture beyond which the board extends."""


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="", help="module name of one game; else all")
    parser.add_argument("--rule", default="", help="rule option that changes the drawing, such as size=19")
    parser.add_argument("--kinds", default=",".join(KINDS), help="separated by commas")
    parser.add_argument("--scenes", type=int, default=10, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--places-only", action="store_true", help="do not ask for reasons")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    for game, rule in ((given.game, given.rule),) if given.game else BOARDS:
        template = load_template(game, frozenset({rule} - {""}))
        for kind in given.kinds.split(","):
            count(template, kind, given.scenes, given.seed, reasons=not given.places_only)
    return 0


def count(template: BoardTemplate, kind: str, scenes: int, seed: int, *, reasons: bool) -> None:
    """Prints the row of one kind of scene."""
    believed = misplaced = right_edges = 0
    codes, times_s = collections.Counter[str](), []
    for case in cases(template, kind, scenes, seed):
        found = find_board(case.image, template)
        if found is not None:
            believed += 1
            misplaced += is_misplaced(found.pose.corners_px(found.template), case)
        elif reasons:
            from vision.finding.why_unseen import why_unseen

            started_s = time.perf_counter()
            why = why_unseen(case.image, template)
            times_s.append(time.perf_counter() - started_s)
            codes[why.code] += 1
            right_edges += why.code == KINDS[kind] and set(why.edges) == case.edges
    row = f"{template.game} {' '.join(sorted(template.options)):8} {kind:9} scenes {scenes}  believed {believed}"
    row += f"  misplaced {misplaced}"
    if reasons:
        right = codes[KINDS[kind]]
        row += f"  right reason {right}  right edges {right_edges}  {dict(codes.most_common())}"
        row += f"  {np.median(times_s):.1f} s" if times_s else ""
    sys.stdout.write(row + "\n")
    sys.stdout.flush()


def cases(template: BoardTemplate, kind: str, scenes: int, seed: int) -> Iterator[Case]:
    """The pictures of one kind."""
    for number in range(scenes):
        rng = np.random.default_rng([seed, sorted(KINDS).index(kind), number])
        style = styled(random_style(template, rng), kind, rng)
        scene = random_scene(template, rng, SIZE_PX, hands=0.0, style=style)
        corners, image = scene.corners_px, scene.image
        if kind == "covered":
            image = covered(image, corners, rng)
        edges = {
            "left": corners[:, 0].min() < 0,
            "top": corners[:, 1].min() < 0,
            "right": corners[:, 0].max() > SIZE_PX[0] - 1,
            "bottom": corners[:, 1].max() > SIZE_PX[1] - 1,
        }
        yield Case(image, None if kind == "no_lines" else corners, frozenset(edge for edge in edges if edges[edge]))


def styled(style: Style, kind: str, rng: np.random.Generator) -> Style:
    """The style for a scene of that kind."""
    camera, board, sensor = style.camera, style.board, style.sensor
    if kind in ("cut_off", "corner"):
        # The shift first uses up the room between the board and the edge; the rest cuts the board off.
        room = (1 - camera.fill * np.array([SIZE_PX[1] / SIZE_PX[0], 1.0])) / 2
        cut = room + rng.uniform(0.1, 0.4, 2) * camera.fill * np.array([SIZE_PX[1] / SIZE_PX[0], 1.0])
        shift = cut * rng.choice([-1, 1], 2)
        if kind == "cut_off":
            shift[int(rng.integers(0, 2))] = 0.0
        camera = dataclasses.replace(camera, shift=(float(shift[0]), float(shift[1])))
    if kind == "small":
        camera = dataclasses.replace(camera, fill=float(rng.uniform(0.06, 0.1)))
    if kind == "dark":
        sensor = dataclasses.replace(sensor, exposure=0.05)
    if kind == "no_lines":
        board = dataclasses.replace(board, line_colour=board.colour, dot_mm=0.0, line_mm=0.2)
    return dataclasses.replace(style, camera=camera, board=board, sensor=sensor)


def covered(image: Image, corners: FloatArray, rng: np.random.Generator) -> Image:
    """A cloth of one colour over one side of the board, of 30 to 50 % of it."""
    side, share = int(rng.integers(0, 4)), float(rng.uniform(0.3, 0.5))
    one, two, three, four = np.roll(corners, -side, axis=0)
    away = 0.25
    quad = np.array([one + away * (one - four), two + away * (two - three), two + share * (three - two)])
    quad = np.concatenate([quad, [one + share * (four - one)]]) + rng.normal(0, 4, (4, 2))
    colour = tuple(float(value) for value in rng.uniform(30, 220, 3))
    cloth = cv2.fillConvexPoly(image.copy(), np.rint(quad).astype(np.int32), colour, cv2.LINE_AA)
    noise = rng.normal(0, 3, image.shape)
    return np.clip(cloth + np.where(cloth != image, noise, 0), 0, 255).astype(np.uint8)


def is_misplaced(seen: FloatArray, case: Case) -> bool:
    """Whether the board is not where it was found, whichever corner is called the first."""
    if case.corners_px is None:
        return True
    side_px = float(np.linalg.norm(case.corners_px[0] - case.corners_px[1]))
    worst = min(float(np.abs(np.roll(seen, turn, axis=0) - case.corners_px).max()) for turn in range(4))
    return worst > WRONG_PLACE * side_px


if __name__ == "__main__":
    sys.exit(main())
