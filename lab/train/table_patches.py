"""Patches cut from pictures of simulated tables, whose light, lens and hands are more realistic than drawn patches."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.scenes import Scene, random_scene
from lab.train.joint import WholeBoard
from lab.train.patch_pool import PatchPool
from lab.train.patches import DARK, EMPTY, LIGHT, OTHER, PATCH_PX
from rules import EMPTY as EMPTY_LETTER
from vision.frame import Image
from vision.pose import BoardPose, project, rectify
from vision.reading.cells import cut_patch

log = logging.getLogger(__name__)

GAMES = ("nine_mens_morris", "reversi", "co_ganh", "gomoku")
"""Games with light and dark pieces."""
CELLS = 48
"""Cells used of one table at most, so that large boards do not outnumber small ones."""
SIZES_PX = ((640, 480), (960, 540), (1280, 720))
POSE_OFF = 0.04
"""Standard deviation of a pose's error, in cells, when whole boards are cut."""
HANDS = 0.3
"""Share of the tables that are pictured a second time with a hand over them."""
COVERED, CLEAR = 0.75, 0.02
"""Share of a patch that a hand must change to make it OTHER, and may change at most to leave its label."""
CHANGED_LEVELS = 30
SAME_DRAWING, SAME_COLOUR = 0.5, 1.08
"""Correlation of brightness above which, and greatest ratio of the channels' changes below which, a change is a mere
shadow."""
LABELS = {EMPTY_LETTER: EMPTY, "W": LIGHT, "B": DARK}
LOG_EVERY = 50


def cut_tables(count: int, seed: int) -> PatchPool:
    """All cells of so many simulated tables; about a second a table."""
    cv2.setNumThreads(1)
    chance = np.random.default_rng(seed)
    templates = [load_template(game) for game in GAMES]
    images: list[NDArray[np.uint8]] = []
    labels: list[int] = []
    for index in range(count):
        template = templates[index % len(templates)]
        for image, label in _table(template, chance):
            images.append(image)
            labels.append(label)
        if index % LOG_EVERY == LOG_EVERY - 1:
            log.info("%d of %d tables simulated", index + 1, count)
    colours = np.full((len(images), 6), np.nan, dtype=np.float32)
    return PatchPool(np.stack(images), np.array(labels, dtype=np.int64), colours)


def whole_tables(count: int, seed: int) -> list[WholeBoard]:
    """So many simulated tables without hands, all cells of each, cut with the same small pose error."""
    cv2.setNumThreads(1)
    chance = np.random.default_rng(seed)
    templates = [load_template(game) for game in GAMES]
    boards = []
    for index in range(count):
        template = templates[index % len(templates)]
        size = SIZES_PX[int(chance.integers(len(SIZES_PX)))]
        scene = random_scene(template, np.random.default_rng(int(chance.integers(2**31))), size, hands=0.0)
        rectified = rectify(scene.image, BoardPose(scene.image_from_board, 0.0, 1.0), template)
        boards.append(whole_board(rectified, _centres(scene, template), scene.board, template, chance))
        if index % LOG_EVERY == LOG_EVERY - 1:
            log.info("%d of %d whole tables simulated", index + 1, count)
    return boards


def whole_board(rectified: Image, centres: FloatArray, board: str, template: BoardTemplate, chance: Rng) -> WholeBoard:
    """All cells of a rectified picture, all with the same small error."""
    side_px = template.cell_mm * template.pixels_per_mm
    places = centres + chance.normal(0, POSE_OFF, 2) * side_px
    width_px = side_px * chance.normal(1, POSE_OFF)
    return WholeBoard(np.stack([cut_patch(rectified, x, y, width_px, PATCH_PX) for x, y in places]), board)


def _table(template: BoardTemplate, chance: Rng) -> Iterator[tuple[NDArray[np.uint8], int]]:
    size = SIZES_PX[int(chance.integers(len(SIZES_PX)))]
    seed = int(chance.integers(2**31))
    scene = random_scene(template, np.random.default_rng(seed), size, hands=0.0)
    yield from _cells(scene, template, chance)
    if chance.random() < HANDS:
        # The same seed is the same table, to the last grain: only the hand differs.
        with_hand = random_scene(template, np.random.default_rng(seed), size, hands=1.0)
        yield from _hand(scene, with_hand, template, chance)


def _cells(scene: Scene, template: BoardTemplate, chance: Rng) -> Iterator[tuple[NDArray[np.uint8], int]]:
    pose = BoardPose(scene.image_from_board, 0.0, 1.0)
    rectified = rectify(scene.image, pose, template)
    centres = _centres(scene, template)
    for cell in chance.permutation(len(centres))[:CELLS]:
        yield cut_cell(rectified, centres[cell], template, chance), LABELS[scene.board[cell]]


def _hand(
    scene: Scene, with_hand: Scene, template: BoardTemplate, chance: Rng
) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Places that the hand covers, and cells that it leaves alone."""
    pose = BoardPose(scene.image_from_board, 0.0, 1.0)
    before, after = rectify(scene.image, pose, template), rectify(with_hand.image, pose, template)
    apart = cv2.absdiff(cv2.GaussianBlur(before, (0, 0), 2), cv2.GaussianBlur(after, (0, 0), 2)).max(axis=2)
    changed = (apart > CHANGED_LEVELS).astype(np.float32)
    side = round(template.cell_mm * template.pixels_per_mm)
    share = cv2.blur(changed, (side, side))
    centres = _centres(scene, template)
    for cell in chance.permutation(len(centres))[:CELLS]:
        x, y = np.clip(np.rint(centres[cell]), 0, np.array(share.shape[::-1]) - 1).astype(int)
        if share[y, x] < CLEAR and with_hand.board[cell] == scene.board[cell]:
            yield cut_cell(after, centres[cell], template, chance), LABELS[with_hand.board[cell]]
    covered = np.argwhere(share > COVERED)
    for row in chance.permutation(len(covered))[:12]:
        place = covered[row][::-1].astype(np.float64)
        if not _is_shadow(_cell(before, place, template), _cell(after, place, template)):
            yield cut_cell(after, place, template, chance), OTHER


def _is_shadow(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> bool:
    """Whether both show the same drawing, only darker; or, without a drawing, the same colour."""
    one, other = (cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY).astype(np.float64).ravel() for patch in (before, after))
    alike = float(np.corrcoef(one, other)[0, 1]) if one.std() > 0 and other.std() > 0 else 0.0
    ratios = (after.mean(axis=(0, 1)) + 1) / (before.mean(axis=(0, 1)) + 1)
    return alike > SAME_DRAWING or float(ratios.max() / ratios.min()) < SAME_COLOUR


def _cell(rectified: Image, place: FloatArray, template: BoardTemplate) -> NDArray[np.uint8]:
    return cut_patch(rectified, place[0], place[1], template.cell_mm * template.pixels_per_mm)


def _centres(scene: Scene, template: BoardTemplate) -> FloatArray:
    """(cells, 2) the cells' places in the rectified picture, lens and this table's shape included."""
    rectified_from_image = template.rectified_from_board @ np.linalg.inv(scene.image_from_board)
    return project(rectified_from_image, scene.cells_px)


def cut_cell(rectified: Image, centre: FloatArray, template: BoardTemplate, chance: Rng) -> NDArray[np.uint8]:
    """The cell around a place of a rectified picture, cut with a small pose error and a random quarter turn."""
    side_px = template.cell_mm * template.pixels_per_mm
    x, y = centre + chance.normal(0, 0.05, 2) * side_px
    turn = chance.normal(0, 0.05) + np.pi / 2 * int(chance.integers(4))
    return cut_patch(rectified, x, y, side_px * chance.normal(1, 0.06), PATCH_PX, float(turn))
