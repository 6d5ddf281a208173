"""Reads which piece stands on each cell, on boards whose pieces are tall and differ in shape.

Each cell is cut from the picture as a man on it stands: upright, from below his foot to above a king's head. A network
describes each cut; a second one reads all cells together, so that colours and heights are told by comparison with the
other men and squares of this picture, and with cells whose content is known.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate, load_template
from rules import EMPTY
from system.weights import MODELS, find_weights
from vision.finding.viewpoint import behind_mm
from vision.frame import Image
from vision.networks import open_network
from vision.pose import BoardPose, project
from vision.reading.board_reading import SeenFigures
from vision.reading.descriptors import Descriptors
from vision.reading.taught import square_colours

WIDTH_PX, HEIGHT_PX = 40, 64
FOOT_PX = 48.0
"""Pixels from a cut's top to the cell's middle."""
SQUARE_PX = 27.0
"""Pixels of a square's side across the camera's view."""
NETWORKS = "figures_cells", "figures_board"
TEMPERATURE = 1.0
UPRIGHT = 0.05
"""Height of a man as seen, as a share of a square's side, below which the camera is straight above."""


@dataclasses.dataclass(frozen=True, eq=False)
class StandingCells:
    patches: NDArray[np.uint8]
    """(cells, 64, 40, 3) BGR, each upright as a man stands in it."""
    rise: FloatArray
    """(cells,) how high a man of a square's side is seen, as a share of it: 0 straight above, nearly 1 from low."""


def cut_standing(image: Image, pose: BoardPose, template: BoardTemplate) -> StandingCells:
    """Cuts every cell from the picture."""
    height, width = image.shape[:2]
    pitch = template.pitch_mm
    feet = project(pose.image_from_board, template.cells_mm)
    heads = project(pose.image_from_board, behind_mm(pose, template, (width, height), pitch))
    sides = [project(pose.image_from_board, template.cells_mm + step) - feet for step in np.eye(2) * pitch / 2]
    # Across the view a length is seen as it is; towards the camera it is shortened.
    across = 2 * np.linalg.svd(np.stack(sides, axis=2), compute_uv=False)[:, 0]
    up = heads - feet
    rise = np.linalg.norm(up, axis=1) / across
    up = np.where((rise > UPRIGHT)[:, None], up / np.maximum(np.linalg.norm(up, axis=1), 1e-9)[:, None], (0.0, -1.0))
    patches = np.empty((len(feet), HEIGHT_PX, WIDTH_PX, 3), dtype=np.uint8)
    scales = across / SQUARE_PX
    smooth = image
    if (blur := float(np.median(scales))) > 1.5:  # a warp samples single pixels
        smooth = np.asarray(cv2.GaussianBlur(image, (0, 0), blur / 3), dtype=np.uint8)
    for index, (foot, way, scale) in enumerate(zip(feet, up, scales, strict=True)):
        down, right = -way * scale, np.array([-way[1], way[0]]) * scale
        origin = foot - down * FOOT_PX - right * (WIDTH_PX - 1) / 2
        matrix = np.column_stack([right, down, origin])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        patches[index] = cv2.warpAffine(
            smooth, matrix, (WIDTH_PX, HEIGHT_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE
        )
    return StandingCells(patches, np.clip(rise, 0, 1))


class FigureReader:
    def __init__(self, template: BoardTemplate, folder: Path = MODELS) -> None:
        """Raises WeightsError."""
        self.letters = EMPTY + "".join(template.figures)
        self.classes = template.seen(self.letters)
        """The class of each letter."""
        self._squares = np.where(square_colours(template), 1.0, -1.0).astype(np.float32)
        self._cells, self._board = (open_network(find_weights(name, folder).path) for name in NETWORKS)

    def describe(self, image: Image, pose: BoardPose, template: BoardTemplate, cells: Flags) -> Descriptors:
        """(n, length) descriptions of some (cells,) of a picture; 0.6 ms for each."""
        seen = cut_standing(image, pose, template)
        inputs = {"patches": seen.patches[cells], "rise": seen.rise[cells].astype(np.float32)}
        return np.asarray(self._cells.run(["described"], inputs)[0])

    def read(self, described: Descriptors, known: Sequence[tuple[Descriptors, str]] = ()) -> SeenFigures:
        """What stands on the cells; `known` are boards of the same set whose letters are known."""
        every = np.concatenate([described, *(cells for cells, _ in known)])
        told = [self.letters.index(letter) for _, board in known for letter in board]
        inputs = {
            "described": every[None],
            "squares": np.tile(self._squares, 1 + len(known))[None],
            "known": np.array([[len(self.letters)] * len(described) + told]),
        }
        scores = np.asarray(self._board.run(["scores"], inputs)[0], dtype=np.float64)[0, : len(described)]
        scores /= TEMPERATURE
        return SeenFigures(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True), self.letters)


@functools.lru_cache(maxsize=1)
def _loaded(game: str) -> FigureReader:
    return FigureReader(load_template(game))


def figure_reader(template: BoardTemplate) -> FigureReader | None:
    """The reader of a board's figures, loaded once per process; None where they have no shapes. Raises WeightsError."""
    return _loaded(template.game) if template.shaped else None
