"""Examines every point of a lattice in a picture: pieces of lines towards its neighbours, a man, or bare board."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray, Indices
from vision.frame import Image
from vision.pose import FEWEST, project

FloatImage = NDArray[np.float32]

AROUND = 3
"""Cells examined around the lattice's middle beyond the board's number of lines; the middle is on the board."""


@dataclasses.dataclass(frozen=True)
class LatticeGeometry:
    """Where to look for lines and men around a point."""

    tile_px: int
    """Side of a cell in the warped picture; even, so that a point lies between its middle pixels."""
    arm: tuple[int, int]
    """First and last pixel from a point that show its arms."""
    men_on_points: bool


ON_POINTS = LatticeGeometry(tile_px=20, arm=(4, 9), men_on_points=True)
"""For men on points: the far half of an arm, which most men leave free."""
ON_SQUARES = LatticeGeometry(tile_px=32, arm=(2, 9), men_on_points=False)
"""For men in squares: the near part of an arm, which most men leave free."""
ASIDE_PX = 2
"""Greatest offset of a line from its place."""
BESIDE_PX = 3, 5
"""Distances at one of which a line must stand out from both sides."""
DARK = 24.0
LEVELS = np.rint(255 * np.log1p(np.arange(256) / DARK) / np.log1p(255 / DARK)).astype(np.uint8)
WHOLE = 0.45
"""Cells from a point that must be in the picture for its arm in that direction to be judged."""
CLEAR = 0.4
"""Least response of a line, as a share of the typical response of the clearer lines."""
NOISE = 2.2
"""Least response of a line in units of the typical response off lines."""
FLOOR = 1.0
EVEN = 1.6
"""Greatest range of levels within bare board, in units of the least response of a line."""
NOBODY = np.zeros((0, 2))
ASTRAY = 0.27
"""Cells along either axis by which a man may stand beside his point, or appear to, because he is tall."""
MAN_APART = 14.0
"""Least difference, in levels, of a man from the board at the four corners of his cell."""


@dataclasses.dataclass(frozen=True, eq=False)
class Evidence:
    origin: tuple[int, int]
    """Lattice coordinates (column, row) of the first point."""
    arms: FloatArray
    """(rows, columns, 4) -1 (bare board) to 1 (a clear line), 0 where nothing is known: right, down, left, up."""
    aside: FloatArray
    """(rows, columns, 4) offset of a line from its place, in cells; positive to the right or down."""
    men: FloatArray
    """(rows, columns) 1 where something stands on the point."""
    seen: Flags
    """(rows, columns) whether the point is in the picture."""


def in_levels(picture: Image) -> Image:
    """The picture in logarithmic levels: the same contrast makes the same difference in shade and in light."""
    return np.asarray(cv2.LUT(picture, LEVELS), dtype=np.uint8)


def look_at(
    image: Image,
    grey: NDArray[np.uint8],
    picture_from_lattice: FloatArray,
    middle: FloatArray,
    look: LatticeGeometry,
    around: int,
    round_men: FloatArray = NOBODY,
) -> list[Evidence]:
    """The evidence up to `around` cells from a lattice's `middle`, for dark and for light lines; empty if out of view.

    Lines are searched in `grey`, men in `image`; both must come from `in_levels`. `round_men`, (n, 2) pixels, are men
    already found.
    """
    size = grey.shape[1], grey.shape[0]
    low, high = _range(picture_from_lattice, middle, size, around)
    if (high - low < 3).any():
        return []
    columns, rows = (high - low + 1).tolist()
    warp, extent = _warp(picture_from_lattice, low, look.tile_px), (columns * look.tile_px, rows * look.tile_px)
    seen = _seen(picture_from_lattice, low, (rows, columns), size, 0.0)[..., 0]
    whole = _seen(picture_from_lattice, low, (rows, columns), size, WHOLE)
    men = np.zeros((rows, columns))
    if look.men_on_points:
        men = _men(_warped(image, warp, extent), (rows, columns))
        if len(round_men):
            places = project(np.asarray(np.linalg.inv(picture_from_lattice)), round_men) - low
            men = np.maximum(men, _standing(places, (rows, columns)))
    plain = _plain(seen, men)
    profiles, off = _profiles(_warped(grey, warp, extent), (rows, columns), look)
    found = []
    for polarity in (1, -1):
        judged = _judged(polarity * profiles, polarity * off, seen, plain, look)
        arms = _crossed(np.where((men > 0)[..., None] | ~whole, 0.0, judged))
        found.append(Evidence((int(low[0]), int(low[1])), arms, _aside(polarity * profiles, look), men * seen, seen))
    return found


def _crossed(arms: FloatArray) -> FloatArray:
    """The arms without lines that no line of the other direction crosses: a board's rim is no line."""
    crossing = np.minimum(arms[..., ::2].max(axis=2), arms[..., 1::2].max(axis=2)) > 0
    return np.where(crossing[..., None], arms, np.minimum(arms, 0.0))


def _range(
    picture_from_lattice: FloatArray, middle: FloatArray, size: tuple[int, int], around: int
) -> tuple[Indices, Indices]:
    """First and last column and row that may be in the picture."""
    middle = np.rint(middle)
    steps = np.arange(-around, around + 1)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2).astype(np.float64) + middle
    depth = np.concatenate([grid, np.ones((len(grid), 1))], axis=1) @ picture_from_lattice[2]
    ahead = depth * float(np.append(middle, 1.0) @ picture_from_lattice[2]) > 0
    pixels = project(picture_from_lattice, grid)
    inside = ahead & (pixels >= 0).all(axis=1) & (pixels <= np.array(size) - 1).all(axis=1)
    if not inside.any():
        return np.zeros(2, np.intp), np.zeros(2, np.intp)
    return grid[inside].min(axis=0).astype(np.intp), grid[inside].max(axis=0).astype(np.intp)


def _warp(picture_from_lattice: FloatArray, low: Indices, tile_px: int) -> FloatArray:
    """(3, 3) canvas_from_picture, which puts each point in the middle of its tile."""
    offset = tile_px / 2 - 0.5
    canvas_from_lattice = np.array(
        [[tile_px, 0, offset - tile_px * low[0]], [0, tile_px, offset - tile_px * low[1]], [0, 0, 1.0]]
    )
    return np.asarray(canvas_from_lattice @ np.linalg.inv(picture_from_lattice))


def _warped(picture: Image, warp: FloatArray, extent: tuple[int, int]) -> Image:
    warped = cv2.warpPerspective(picture, warp, extent, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, dtype=np.uint8)


def _seen(
    picture_from_lattice: FloatArray, low: Indices, shape: tuple[int, int], size: tuple[int, int], out: float
) -> Flags:
    """(rows, columns, 4) whether the place `out` cells right, below, left and above each point is in the picture."""
    rows, columns = shape
    grid = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2) + low
    sides = []
    for step in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        pixels = project(picture_from_lattice, grid + out * np.array(step))
        sides.append(((pixels >= 0) & (pixels <= np.array(size) - 1)).all(axis=1))
    return np.stack(sides, axis=1).reshape(rows, columns, 4)


def _profiles(canvas: Image, shape: tuple[int, int], look: LatticeGeometry) -> tuple[FloatImage, FloatImage]:
    """(rows, columns, 4, tile) grey levels across each arm, averaged along it; and the same half a cell to the side."""
    (rows, columns), tile, half = shape, look.tile_px, look.tile_px // 2
    first, last = look.arm
    length = last - first + 1
    along_x = cv2.blur(canvas, (length, 1), anchor=(0, 0))
    along_y = cv2.blur(canvas, (1, length), anchor=(0, 0))
    height, width = canvas.shape
    found = []
    for aside in (0, half):
        across = np.roll(along_x, aside, axis=0) if aside else along_x
        beside = np.roll(along_y, aside, axis=1) if aside else along_y
        sides = []
        for start in (half + first, half - last - 1):
            at_x = (start - aside + tile * np.arange(columns)) % width
            at_y = (start - aside + tile * np.arange(rows)) % height
            sides.append(
                (
                    across[:, at_x].reshape(rows, tile, columns).transpose(0, 2, 1),
                    beside[at_y].reshape(rows, columns, tile),
                )
            )
        (right, down), (left, up) = sides
        found.append(np.stack([right, down, left, up], axis=2).astype(np.float32))
    return found[0], found[1]


def _ridges(profiles: FloatImage, look: LatticeGeometry) -> FloatImage:
    """(rows, columns, 4, places) grey levels by which each place near a line's stands out from both its sides."""
    half = look.tile_px // 2
    first, last = half - 1 - ASIDE_PX, half + 1 + ASIDE_PX

    def moved(step: int) -> FloatImage:
        return profiles[..., first + step : last + step]

    sides = [np.minimum(moved(-beside), moved(beside)) for beside in BESIDE_PX]
    return np.asarray(np.maximum(*sides) - moved(0))


def _aside(profiles: FloatImage, look: LatticeGeometry) -> FloatArray:
    """(rows, columns, 4) offset of the ridge from its place, in cells: its centre of mass, as lines may be broad."""
    ridges = np.maximum(_ridges(profiles, look), 0.0)
    places = np.arange(ridges.shape[-1]) - (ridges.shape[-1] - 1) / 2
    return np.asarray((ridges @ places) / np.maximum(ridges.sum(axis=-1), 1e-6) / look.tile_px)


def _plain(seen: Flags, men: FloatArray) -> Flags:
    """(rows, columns) whether the cell up and left of a point shows only board; all seen cells if few do."""
    standing = cv2.dilate(men, np.ones((2, 2)), anchor=(1, 1)) > 0
    plain = seen & ~standing
    return np.asarray(plain if plain.sum() >= FEWEST else seen, dtype=np.bool_)


def _judged(profiles: FloatImage, off: FloatImage, seen: Flags, plain: Flags, look: LatticeGeometry) -> FloatArray:
    """-1 to 1 for each arm, relative to the responses of the clearer arms and to those off lines.

    A line is missing only where there is even board all over; anything else may hide it.
    """
    arms, beside = (_ridges(one, look).max(axis=-1) for one in (profiles, off))
    noise = float(np.median(np.maximum(beside[plain], 0.0))) + FLOOR if plain.any() else FLOOR
    clear = arms[seen]
    clear = clear[clear > NOISE * noise]
    typical = float(np.median(clear)) if len(clear) else 1.0
    limit = max(CLEAR * typical, NOISE * noise)
    judged = np.clip((arms - limit) / (0.5 * limit), -1.0, 1.0)
    half = look.tile_px // 2
    spread = np.ptp(profiles[..., half - BESIDE_PX[1] : half + BESIDE_PX[1]], axis=-1)
    return np.asarray(np.where((judged < 0) & (spread > EVEN * limit), 0.0, judged))


def _men(canvas: Image, shape: tuple[int, int]) -> FloatArray:
    """(rows, columns) 1 where the middle of a point's cell differs from all its corners: something stands there."""
    (rows, columns), tile, half = shape, ON_POINTS.tile_px, ON_POINTS.tile_px // 2
    blurred = np.asarray(cv2.blur(canvas, (3, 3)), dtype=np.uint8)
    small = blurred.reshape(rows, tile, columns, tile, -1)
    # Inner places beside the lines, so that an empty crossing looks like the board.
    inner = _at(small, (half - 4, half + 3))
    # Outer places a little inside the tile's corners, where a bare board shows board, not a crossing of lines.
    outer = _at(small, (2, tile - 3))
    apart = np.abs(outer[:, :, None] - inner[:, :, :, None]).max(axis=4).min(axis=3)
    # At least three of the four inner places must differ: a man may lie a little aside; the board's rim meets only two.
    return np.asarray(np.sort(apart, axis=2)[:, :, 1] > MAN_APART, dtype=np.float64)


def _standing(places: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """(rows, columns) 1 at each point near which one of the places lies; these are in cells from the first point."""
    at = np.rint(places).astype(np.intp)
    there = (np.abs(places - at) < ASTRAY).all(axis=1) & (at >= 0).all(axis=1) & (at < shape[::-1]).all(axis=1)
    standing = np.zeros(shape)
    standing[at[there, 1], at[there, 0]] = 1.0
    return standing


def _at(tiles: Image, places: tuple[int, int]) -> FloatImage:
    """(rows, columns, 4, channels) pixels of (rows, tile, columns, tile, channels) at each pair of the two places."""
    return np.stack([tiles[:, y, :, x] for y in places for x in places], axis=2).astype(np.float32)
