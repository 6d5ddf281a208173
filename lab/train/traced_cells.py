"""Patches cut from path-traced pictures: a training source with a share of its own."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.labels import Label, read_labels
from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray, Rng
from lab.train.joint import WholeBoard
from lab.train.patch_pool import PatchPool, empty_pool
from lab.train.table_patches import LABELS, cut_cell, whole_board
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project, rectify

CELLS = 64
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
    network, head = (PatchPool.joined([empty_pool(), *part]) for part in pools)
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
    chosen = chance.permutation(len(centres))[:CELLS]
    images = np.stack([cut_cell(rectified, centres[cell], template, chance) for cell in chosen])
    labels = np.array([LABELS[label.cells[cell]] for cell in chosen], dtype=np.int64)
    return PatchPool(images, labels, np.full((len(chosen), 6), np.nan, dtype=np.float32))
