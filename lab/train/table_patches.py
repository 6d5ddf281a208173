"""Patches cut from pictures of simulated and of path-traced tables, which are more realistic than drawn patches."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.labels import Label, read_labels
from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.scenes import Scene, random_scene
from lab.train.joint import WholeBoard
from lab.train.patch_pool import PatchPool
from lab.train.patches import DARK, EMPTY, LIGHT, OTHER, PATCH_PX
from rules import EMPTY as EMPTY_LETTER
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project, rectify
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
    chance = np.random.default_rng(seed)
    return PatchPool.of(cell for template in _templates(count) for cell in _table(template, chance))


def whole_tables(count: int, seed: int) -> list[WholeBoard]:
    """So many simulated tables without hands, all cells of each, cut with the same small pose error."""
    chance = np.random.default_rng(seed)
    boards = []
    for template in _templates(count):
        size = SIZES_PX[int(chance.integers(len(SIZES_PX)))]
        scene = random_scene(template, np.random.default_rng(int(chance.integers(2**31))), size, hands=0.0)
        boards.append(
            whole_board(_rectified(scene, template), _centres(scene, template), scene.board, template, chance)
        )
    return boards


def _templates(count: int) -> Iterator[BoardTemplate]:
    """The boards of so many tables, in turn; says how far it has come."""
    cv2.setNumThreads(1)
    templates = [load_template(game) for game in GAMES]
    for index in range(count):
        yield templates[index % len(templates)]
        if index % LOG_EVERY == LOG_EVERY - 1:
            log.info("%d of %d tables simulated", index + 1, count)


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
    rectified, centres = _rectified(scene, template), _centres(scene, template)
    for cell in chance.permutation(len(centres))[:CELLS]:
        yield cut_cell(rectified, centres[cell], template, chance), LABELS[scene.board[cell]]
    if chance.random() < HANDS:
        # The same seed is the same table, to the last grain: only the hand differs.
        with_hand = random_scene(template, np.random.default_rng(seed), size, hands=1.0)
        yield from _hand(scene, with_hand, template, chance)


def _hand(
    scene: Scene, with_hand: Scene, template: BoardTemplate, chance: Rng
) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Places that the hand covers, and cells that it leaves alone."""
    before, after = _rectified(scene, template), _rectified(with_hand, template, scene)
    apart = cv2.absdiff(cv2.GaussianBlur(before, (0, 0), 2), cv2.GaussianBlur(after, (0, 0), 2)).max(axis=2)
    changed = (apart > CHANGED_LEVELS).astype(np.float32)
    side_px = template.cell_mm * template.pixels_per_mm
    share = cv2.blur(changed, (round(side_px), round(side_px)))
    centres = _centres(scene, template)
    for cell in chance.permutation(len(centres))[:CELLS]:
        x, y = np.clip(np.rint(centres[cell]), 0, np.array(share.shape[::-1]) - 1).astype(int)
        if share[y, x] < CLEAR and with_hand.board[cell] == scene.board[cell]:
            yield cut_cell(after, centres[cell], template, chance), LABELS[with_hand.board[cell]]
    covered = np.argwhere(share > COVERED)
    for row in chance.permutation(len(covered))[:12]:
        place = covered[row][::-1].astype(np.float64)
        if not _is_shadow(*(cut_patch(picture, place[0], place[1], side_px) for picture in (before, after))):
            yield cut_cell(after, place, template, chance), OTHER


def _is_shadow(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> bool:
    """Whether both show the same drawing, only darker; or, without a drawing, the same colour."""
    one, other = (cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY).astype(np.float64).ravel() for patch in (before, after))
    alike = float(np.corrcoef(one, other)[0, 1]) if one.std() > 0 and other.std() > 0 else 0.0
    ratios = (after.mean(axis=(0, 1)) + 1) / (before.mean(axis=(0, 1)) + 1)
    return alike > SAME_DRAWING or float(ratios.max() / ratios.min()) < SAME_COLOUR


def _rectified(scene: Scene, template: BoardTemplate, as_in: Scene | None = None) -> Image:
    """The board from above, by the pose of this scene or of another."""
    return rectify(scene.image, BoardPose((as_in or scene).image_from_board, 0.0, 1.0), template)


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


TRACED_CELLS = 64
"""Cells used of one picture at most, so that large boards do not outnumber small ones."""
KEPT_APART = 3
"""One picture in so many trains no network: the heads are fitted to it, for honest probabilities."""


@dataclasses.dataclass(frozen=True, eq=False)
class TracedCells:
    network: PatchPool
    """Cells that the network is trained on."""
    head: PatchPool
    """Cells of other pictures, to which the generic head is fitted."""
    boards: list[WholeBoard]
    """Those other pictures as whole boards, to which the joint model of a board's classes is fitted."""


def cut_traced(folders: Sequence[Path], seed: int) -> TracedCells:
    """Cells of all pictures in folders that `kibitzer train scenes` wrote. Raises LabelError, ValueError.

    Games whose cells show neither light nor dark pieces are refused.
    """
    chance = np.random.default_rng(seed)
    pools: tuple[list[PatchPool], list[PatchPool]] = ([], [])
    boards: list[WholeBoard] = []
    for folder in folders:
        labels = read_labels(folder / "labels.json", template := _template(folder))
        about = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["images"]
        for number, label in enumerate(labels):
            apart = number % KEPT_APART == KEPT_APART - 1
            rectified, centres = _flattened(folder, label, about[label.name]["about"], template)
            pools[apart].append(_cut(rectified, centres, label, template, chance))
            if apart:
                boards.append(whole_board(rectified, centres, label.cells, template, chance))
    network, head = (PatchPool.joined([PatchPool.of([]), *part]) for part in pools)
    return TracedCells(network, head, boards)


def with_share(pool: PatchPool, other: PatchPool, share: float, chance: Rng) -> PatchPool:
    """Both pools as one, in which `other` is repeated or thinned until it has that share."""
    if not 0 <= share < 1:
        raise ValueError(f"the share of a source is from 0 to below 1, not {share}")
    if not len(other.labels) or not share:
        return pool
    wanted = round(len(pool.labels) * share / (1 - share))
    rows = np.resize(chance.permutation(len(other.labels)), wanted)
    return PatchPool.joined([pool, other.rows(rows)])


def cells_px(corners_px: FloatArray, template: BoardTemplate, about: dict[str, Any], image: Image) -> FloatArray:
    """(cells, 2) pixels of the cells as seen through the scene's lens."""
    shaped = template.with_shape(about["shape"]) if about["shape"] else template
    lens = about["lens"]
    height, width = image.shape[:2]
    matrix = np.array([[lens["focal_px"], 0, (width - 1) / 2], [0, lens["focal_px"], (height - 1) / 2], [0, 0, 1]])
    bent = np.array([lens["k1"], lens["k2"], 0.0, 0.0])
    seen_straight = cv2.undistortPoints(corners_px.reshape(-1, 1, 2), matrix, bent, P=matrix)
    straight = np.asarray(seen_straight.reshape(4, 2), dtype=np.float64)
    flat = project(pose_from_corners(straight, shaped).image_from_board, shaped.cells_mm)
    rays = np.column_stack([(flat - matrix[:2, 2]) / lens["focal_px"], np.ones(len(flat))])
    seen, _ = cv2.projectPoints(rays.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), matrix, bent)
    return np.asarray(seen.reshape(-1, 2), dtype=np.float64)


def _template(folder: Path) -> BoardTemplate:
    try:
        head = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        template = load_template(head["game"], frozenset(head["rules"]))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"--scenes {folder}: not written by kibitzer train scenes: {error}") from error
    if not set(template.letters) <= set(LABELS):
        raise ValueError(f"--scenes {folder}: {template.game} has no light and dark men")
    return template


def _flattened(folder: Path, label: Label, about: dict[str, Any], template: BoardTemplate) -> tuple[Image, FloatArray]:
    """The rectified picture, and (cells, 2) the cells' places in it."""
    image = cv2.imread(str(folder / label.name))
    if image is None or label.corners_px is None:
        raise ValueError(f"--scenes {folder}: {label.name} cannot be read")
    picture = np.asarray(image, dtype=np.uint8)
    pose: BoardPose = pose_from_corners(label.corners_px, template)
    rectified_from_image = template.rectified_from_board @ np.linalg.inv(pose.image_from_board)
    centres = project(rectified_from_image, cells_px(label.corners_px, template, about, picture))
    return rectify(picture, pose, template), centres


def _cut(rectified: Image, centres: FloatArray, label: Label, template: BoardTemplate, chance: Rng) -> PatchPool:
    chosen = chance.permutation(len(centres))[:TRACED_CELLS]
    return PatchPool.of((cut_cell(rectified, centres[c], template, chance), LABELS[label.cells[c]]) for c in chosen)
