"""Single pictures of random tables with known answers, for training classifiers and for testing finders."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from lab.simulated.random_style import random_style
from lab.simulated.style import Style
from lab.simulated.table import SimulatedTable
from lab.simulated.tiles import has_tiles, random_tiles
from rules import EMPTY
from vision.frame import Image

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    image: Image
    image_from_board: FloatArray
    """(3, 3) homography for a lens without distortion."""
    corners_px: FloatArray
    """(4, 2) corners of the frame as seen through the lens: top left, top right, bottom right, bottom left."""
    cells_px: FloatArray
    """(cells, 2) centres of the cells as seen through the lens."""
    board: str
    tiles: tuple[tuple[int, ...], ...]
    """Cells of each tile, ascending, on boards of tiles."""
    hand_present: bool
    style: Style


def random_scene(
    template: BoardTemplate,
    rng: np.random.Generator,
    size_px: tuple[int, int] | None = None,
    *,
    hands: float = 0.1,
    style: Style | None = None,
) -> Scene:
    """A random table: style, pose (0 to 50 degrees) and content, with a hand in the share `hands` of scenes."""
    shaped = shaped_by_chance(template, rng)
    table = SimulatedTable(
        shaped, random_board(shaped, rng), style or random_style(shaped, rng), int(rng.integers(0, 2**31)), size_px
    )
    if rng.random() < hands:
        table.hover(2.0, int(rng.integers(0, 2)))
        table.advance(float(rng.uniform(0.8, 3.0)))
    return Scene(
        table.render(),
        table.image_from_board,
        table.corners_px(),
        table.seen_px(shaped.cells_mm),
        table.board,
        tuple(tile.cells for tile in table.standing.tiles),
        table.hand_in_view,
        table.style,
    )


def shaped_by_chance(template: BoardTemplate, rng: np.random.Generator) -> BoardTemplate:
    shape = {name: float(rng.uniform(low, high)) for name, (low, high) in _usual(template).items()}
    return template.with_shape(shape) if shape else template


def random_board(template: BoardTemplate, rng: np.random.Generator) -> str:
    """Random content, from empty to nearly full, with classes in random shares."""
    if has_tiles(template):
        return random_tiles(template, rng)
    letters = template.letters[1:]
    men = rng.random() * 0.9 if rng.random() < 0.9 else 0.0
    share = rng.dirichlet(np.full(len(letters), 2.0))
    cells = len(template.cell_names)
    return "".join(
        letters[int(rng.choice(len(letters), p=share))] if rng.random() < men else EMPTY for _ in range(cells)
    )


def _usual(template: BoardTemplate) -> dict[str, tuple[float, float]]:
    """The middle 35 % of each shape parameter's range around its default."""
    usual = {}
    for name, (low, high) in template.shape_range.items():
        middle = template.shape[name]
        usual[name] = (middle + 0.35 * (low - middle), middle + 0.35 * (high - middle))
    return usual
