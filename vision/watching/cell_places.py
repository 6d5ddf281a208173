"""Which pixels of a small picture of the board, with its surroundings, belong to which cell."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray, Indices
from calibration.template import BoardTemplate
from vision.pose import project
from vision.watching.surroundings import Surroundings

MAX_UNSEEN = 0.2
"""Share of a cell that may lie beyond the picture."""


@dataclasses.dataclass(frozen=True, eq=False)
class CellPlaces:
    """Where the cells are in the picture of the board, margins included."""

    centres: FloatArray
    """(cells, 2) shares of the picture's width and height."""
    side: float
    """Side of a cell's patch, as a share of the width."""

    @classmethod
    def on(cls, template: BoardTemplate) -> CellPlaces:
        places = project(template.rectified_from_board, template.cells_mm) / template.rectified_size_px
        return cls(places, template.cell_mm * template.pixels_per_mm / template.rectified_size_px[0])

    @classmethod
    def grid(cls, count: int) -> CellPlaces:
        """`count` by `count` patches all over a picture."""
        centres = (np.stack(np.meshgrid(np.arange(count), np.arange(count)), axis=-1).reshape(-1, 2) + 0.5) / count
        return cls(centres, 1 / count)

    def within(self, around: Surroundings) -> CellPixels:
        """The same in pixels of pictures of that size."""
        rows, columns = around.window
        size = np.array([columns.stop - columns.start, rows.stop - rows.start])
        last = np.array(around.places.shape[::-1]) - 1
        places = self.centres * size + [columns.start, rows.start] - 0.5
        centres = np.clip(np.rint(places).astype(np.intp), 0, last)
        half = max(1, round(self.side * size[0] / 2))
        offsets = np.stack(np.meshgrid(*[np.arange(-half, half + 1)] * 2), axis=-1).reshape(-1, 2)
        pixels = np.clip(centres[:, None] + offsets, 0, last)
        return CellPixels(pixels[..., 1], pixels[..., 0], centres[:, 1], centres[:, 0])


@dataclasses.dataclass(frozen=True, eq=False)
class CellPixels:
    rows: Indices
    """(cells, pixels), like `columns`."""
    columns: Indices
    centre_rows: Indices
    """(cells,), like `centre_columns`."""
    centre_columns: Indices

    def of(self, picture: NDArray[Any]) -> NDArray[Any]:
        """(cells, pixels) the values of a (height, width) picture."""
        return picture[self.rows, self.columns]

    def covering(self, cells: Flags, shape: tuple[int, ...]) -> Flags:
        """A (height, width) mask of the patches of some cells."""
        mask = np.zeros(shape[:2], dtype=np.bool_)
        mask[self.rows[cells], self.columns[cells]] = True
        return mask

    def under(self, things: Flags, man_px: float) -> Flags:
        """(cells,) whether a mask reaches over the place for a man on each cell."""
        if not things.any():
            return np.zeros(len(self.centre_rows), dtype=np.bool_)
        apart = cv2.distanceTransform((~things).astype(np.uint8), cv2.DIST_L2, 3)
        return np.asarray(apart[self.centre_rows, self.centre_columns] < man_px / 2)

    def beyond(self, around: Surroundings) -> Flags:
        """(cells,) whether each cell lies beyond the camera's picture."""
        return np.asarray(self.of(around.unseen).mean(axis=1) > MAX_UNSEEN)
