"""Single pictures of random tables with known answers, and the profile that some pictures of one table give."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.random_style import random_style
from lab.simulated.style import Style
from lab.simulated.table import SimulatedTable
from lab.simulated.tiles import has_tiles, random_tiles
from rules import EMPTY, AnyGame
from vision.calibrating.calibrate import LabelledPhoto, fit_profile
from vision.frame import Image
from vision.reading.heads import OTHER


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
    rng: Rng,
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


def shaped_by_chance(template: BoardTemplate, rng: Rng) -> BoardTemplate:
    shape = {name: float(rng.uniform(low, high)) for name, (low, high) in _usual(template).items()}
    return template.with_shape(shape) if shape else template


def random_board(template: BoardTemplate, rng: Rng) -> str:
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


def random_play(game: AnyGame, rng: Rng, plies: int) -> Any:
    """The position after so many random plies from the start, or after the last that is possible."""
    position = game.initial()
    for _ in range(plies):
        moves = game.legal_moves(position)
        if not moves:
            break
        position = game.apply(position, moves[int(rng.integers(len(moves)))])
    return position


def _usual(template: BoardTemplate) -> dict[str, tuple[float, float]]:
    """The middle 35 % of each shape parameter's range around its default."""
    usual = {}
    for name, (low, high) in template.shape_range.items():
        middle = template.shape[name]
        usual[name] = (middle + 0.35 * (low - middle), middle + 0.35 * (high - middle))
    return usual


PHOTOS = 3
MAX_EMPTY = 48
"""Most empty cells that are labelled in a picture."""
SEED_STEP = 7919
"""Step between the calibration pictures' seeds, so that their pieces are not exactly where the game's will be."""


def profile_of(game: AnyGame, template: BoardTemplate, table: SimulatedTable, seed: int) -> TableProfile:
    photos = []
    rng = np.random.default_rng([seed, 6])
    for number, board in enumerate(_boards(game, template, rng)):
        twin = table.with_board(board, seed=seed + SEED_STEP * (number + 1))
        labels = _some(board, rng)
        photos.append(LabelledPhoto(f"picture {number + 1}", twin.render(), labels, twin.corners_px()))
    return fit_profile(photos, template)


def _boards(game: AnyGame, template: BoardTemplate, rng: Rng) -> list[str]:
    """The empty board, and boards with every class on alternate cells, or with tiles at random."""
    empty = EMPTY * len(game.cells)
    if has_tiles(template):
        return [empty, *(random_tiles(template, rng) for _ in range(PHOTOS - 1))]
    letters, cells = game.classes, range(len(game.cells))
    mixed = ["".join(letters[(cell + shift) % len(letters)] for cell in cells) for shift in range(PHOTOS - 1)]
    return [empty, *mixed]


def _some(board: str, rng: Rng) -> str:
    """The board with at most MAX_EMPTY empty cells: they are much alike, and more take longer to learn from."""
    empty = np.flatnonzero(np.array(list(board)) == EMPTY)
    spare = set(rng.permutation(empty)[MAX_EMPTY:].tolist())
    return "".join(OTHER if cell in spare else letter for cell, letter in enumerate(board))
