"""Reads which piece stands on each cell, on boards whose pieces are tall and differ in shape.

Each cell is cut from the picture as a man on it stands: upright, from below his foot to above a king's head. A network
describes each cut; a second one reads all cells together, so that colours and heights are told by comparison with the
other men and squares of this picture, and with cells whose content is known.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

import games
from calibration.arrays import Flags, FloatArray, Indices
from calibration.template import BoardTemplate, load_template
from rules import EMPTY, Figures
from system.weights import MODELS, find_weights
from vision.finding.viewpoint import behind_mm
from vision.frame import Image
from vision.networks import open_network
from vision.pose import BoardPose, project
from vision.reading.board_reading import SeenFigures
from vision.reading.counted import within_counts
from vision.reading.descriptors import Descriptors
from vision.reading.heads import OTHER
from vision.reading.taught import square_colours

WIDTH_PX, HEIGHT_PX = 80, 128
FOOT_PX = HEIGHT_PX * 3 / 4
"""Pixels from a cut's top to the cell's middle."""
SQUARE_PX = 54.0
"""Pixels of a square's side across the camera's view."""
NETWORKS = "figures_cells", "figures_board"
UNTOLD = ""
"""Instead of the letter of a cell of which nothing is known."""
LEFT_OUT = 8
"""Parts of a known board of which each is told by the others."""


@dataclasses.dataclass(frozen=True, eq=False)
class StandingCells:
    patches: NDArray[np.uint8]
    """(cells, 128, 80, 3) BGR, each upright as a man stands in it."""
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
    up[~up.any(axis=1)] = 0, -1  # straight above any way is up
    up /= np.linalg.norm(up, axis=1, keepdims=True)
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


def letters_of(template: BoardTemplate) -> str:
    """The letters that the networks tell: EMPTY, the figures, and OTHER for whatever else lies over a cell."""
    return EMPTY + "".join(template.figures) + OTHER


class FigureReader:
    def __init__(self, template: BoardTemplate, folder: Path = MODELS) -> None:
        """Raises WeightsError."""
        self.letters = letters_of(template)
        self.classes = template.seen(self.letters[:-1])
        """The class of each letter but OTHER."""
        self._squares = np.where(square_colours(template), 1.0, -1.0).astype(np.float32)
        men = collections.Counter(man.piece for man in Figures.of(games.load(template.game)).men)
        self._most = tuple(men.values())
        """Men of each class in a set."""
        self._counted_as = np.array([1 + list(men).index(one) if one in men else 0 for one in self.classes + OTHER])
        """(letters,) which of them each letter is, from 1 on; 0 for what is no man."""
        self._cells, self._board = (open_network(find_weights(name, folder).path) for name in NETWORKS)

    def describe(self, image: Image, pose: BoardPose, template: BoardTemplate, cells: Flags) -> Descriptors:
        """(n, 2, length) descriptions of some (cells,) of a picture, as seen and mirrored; 1.5 ms for each."""
        seen = cut_standing(image, pose, template)
        patches, rise = seen.patches[cells], seen.rise[cells].astype(np.float32)
        views = [patches, np.ascontiguousarray(patches[:, :, ::-1])]
        described = [self._cells.run(["described"], {"patches": view, "rise": rise})[0] for view in views]
        return np.stack(described, axis=1).astype(np.float32)

    def read(self, described: Descriptors) -> SeenFigures:
        """What stands on the cells."""
        ways = self._read(described, [UNTOLD] * len(described))
        logs = self._counted(ways.mean(axis=0))
        figures = logs[:, :-1] - np.logaddexp.reduce(logs[:, :-1], axis=1, keepdims=True)
        return SeenFigures(figures, self.letters[:-1], np.exp(logs[:, -1]))

    def sides(self, image: Image, pose: BoardPose, template: BoardTemplate) -> FloatArray:
        """(cells, classes) log probabilities of the template's classes in a picture."""
        every = np.ones(len(template.cells_mm), dtype=np.bool_)
        return self.read(self.describe(image, pose, template, every)).of_classes(self.classes, template.letters)

    def left_out(self, described: Descriptors, figures: str, letters: str) -> FloatArray:
        """(2, ways, cells, classes) log probabilities of each cell, by what the others are known to hold.

        First by its looks alone, then also by the number of men that a set has. The columns are the classes of
        `letters`, and OTHER.
        """
        cells, found = len(described), list[tuple[Indices, FloatArray]]()
        for asked in np.array_split(np.random.default_rng(0).permutation(cells), LEFT_OUT):
            told = [UNTOLD if cell in asked else letter for cell, letter in enumerate(figures)]
            found.append((asked, self._read(described, told)[:, asked]))
        logs = np.concatenate([one for _, one in found], axis=1)
        logs = logs[:, np.argsort(np.concatenate([asked for asked, _ in found]))]
        both = np.stack([logs, [self._counted(way) for way in logs]])
        own = [[one == letter for one in self.classes + OTHER] for letter in letters + OTHER]
        return np.stack([np.logaddexp.reduce(both[..., one], axis=-1) for one in own], axis=-1)

    def _counted(self, logs: FloatArray) -> FloatArray:
        """(cells, letters) log probabilities of a whole board, on which no more men stand than a set has."""
        logs = logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)
        counted = [self._counted_as == number for number in range(1 + len(self._most))]
        sides = np.stack([np.logaddexp.reduce(logs[:, one], axis=1) for one in counted], axis=1)
        return np.asarray(logs + (within_counts(sides, self._most) - sides)[:, self._counted_as])

    def _read(self, described: Descriptors, told: Sequence[str]) -> FloatArray:
        """(ways, cells, letters) log probabilities of cells of which some letters are told, read in every way.

        As seen and mirrored, and with either colour of squares taken for the first.
        """
        letters = np.array([[self.letters.index(one) if one else len(self.letters) for one in told]])
        squares, ways = self._squares[None], list[FloatArray]()
        for view in range(described.shape[1]):
            for colour in (squares, -squares):
                inputs = {"described": described[None, :, view], "squares": colour, "known": letters}
                scores = np.asarray(self._board.run(["scores"], inputs)[0], dtype=np.float64)[0]
                ways.append(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        return np.stack(ways)


@functools.lru_cache(maxsize=1)
def _loaded(game: str) -> FigureReader:
    return FigureReader(load_template(game))


def figure_reader(template: BoardTemplate) -> FigureReader | None:
    """The reader of a board's figures, loaded once per process; None where they have no shapes. Raises WeightsError."""
    return _loaded(template.game) if template.shaped else None
