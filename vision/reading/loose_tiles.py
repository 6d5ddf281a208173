"""Finds and reads domino tiles that lie anywhere in a picture, apart or side by side, without a board.

Light rectangles are looked for at many grey levels; the network that knows halves on a board then reads each as a small
board of halves, and says where the other half of each lies. What it does not take for whole tiles is no tile.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import cv2
import numpy as np

from calibration.arrays import Grey
from calibration.template import load_template
from rules import EMPTY
from vision.frame import Image
from vision.reading.cells import cut_patch
from vision.reading.reader import Reader
from vision.reading.tiles import pair_halves

Points = tuple[tuple[float, float], ...]

GAME = "double_double_dominoes"
"""The game whose template names the network and its classes."""
LEVELS = range(50, 250, 8)
"""Grey levels at which light areas are cut out: faces in shade are darker than a table in the sun."""
MIN_HALF_PX, MAX_SHARE = 14.0, 0.9
"""Side of the smallest half that is read, and the longest area as a share of the picture's longer side."""
MIN_FILL = 0.86
"""Share of its rectangle that an area fills: corners are round, and pips reach the edge nowhere."""
MOST = 14
OFF = 0.16
"""Share of a half by which a rectangle's sides may differ from whole numbers of halves."""
SURE = 0.85
"""Probability of the number of pips from which a half counts as surely read."""
MIN_HALF = 0.6
"""Probability that each half is one, and lies beside its other half, from which a tile is believed."""
LONGEST_PX = 2400
"""Longer side of the picture that is searched; a larger one is made smaller."""
MOST_AREAS = 400
"""Areas read at most: a picture with more is none of tiles on a table."""
FACE_LIGHT = 0.75
"""Share of the tiles' lightness from which a place may be a tile's face."""
UNREAD = (0.6, 12.0)
"""Size of a place that may be a tile, or several, in tiles."""


@dataclasses.dataclass(frozen=True)
class LooseTile:
    corners_px: Points
    pips: tuple[int, int]
    sure: float
    """How likely both numbers are right, 0 to 1."""

    @property
    def is_sure(self) -> bool:
        return self.sure >= SURE


@dataclasses.dataclass(frozen=True)
class LooseTiles:
    tiles: tuple[LooseTile, ...]
    """From the top to the bottom."""
    unread_px: Points
    """The middles of light places as large as a tile, or several that touch, in which none was read."""

    @property
    def pips(self) -> int:
        return sum(sum(tile.pips) for tile in self.tiles)


@dataclasses.dataclass(frozen=True)
class _Area:
    centre: tuple[float, float]
    long_px: float
    short_px: float
    turn_rad: float
    fill: float

    def at(self, along: float, across: float) -> tuple[float, float]:
        """The point at these distances from the centre, in pixels, along the long and the short side."""
        cosine, sine = np.cos(self.turn_rad), np.sin(self.turn_rad)
        return (
            float(self.centre[0] + along * cosine - across * sine),
            float(self.centre[1] + along * sine + across * cosine),
        )


class LooseTileReader:
    def __init__(self) -> None:
        """Raises WeightsError."""
        self._reader = Reader(load_template(GAME))

    def read(self, image: Image) -> LooseTiles:
        scale = min(1.0, LONGEST_PX / max(image.shape[:2]))
        small = image
        if scale < 1:
            small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        light = np.asarray(cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2LAB)[:, :, 0], (0, 0), 1.0), np.uint8)
        found: list[tuple[float, LooseTile]] = []
        for area in _distinct(_areas(light))[:MOST_AREAS]:
            found += self._best(small, area)
        kept: list[LooseTile] = []
        for _, tile in sorted(found, key=lambda one: -one[0]):
            if not any(_overlap(tile, other) for other in kept):
                kept.append(tile)
        kept.sort(key=lambda one: (min(y for _, y in one.corners_px), min(x for x, _ in one.corners_px)))
        unread = _unread(light, kept)
        return LooseTiles(
            tuple(dataclasses.replace(one, corners_px=_scaled(one.corners_px, scale)) for one in kept),
            _scaled(unread, scale),
        )

    def _best(self, image: Image, area: _Area) -> list[tuple[float, LooseTile]]:
        """The tiles of an area by the division into halves that fits best, each with how well it fits."""
        divisions = [self._divided(image, area, rows, columns) for rows, columns in _divisions(area)]
        return max(divisions, key=lambda tiles: sum(fit for fit, _ in tiles), default=[])

    def _divided(self, image: Image, area: _Area, rows: int, columns: int) -> list[tuple[float, LooseTile]]:
        """The tiles of an area of that many halves; none if they are not tiles throughout."""
        half_px = (area.long_px / columns + area.short_px / rows) / 2
        places = [
            ((column + 0.5 - columns / 2) * area.long_px / columns, (row + 0.5 - rows / 2) * area.short_px / rows)
            for row in range(rows)
            for column in range(columns)
        ]
        side_px = self._reader.template.cell_mm / self._reader.template.man_diameter_mm * half_px
        patches = np.stack([cut_patch(image, *area.at(*place), side_px, turn_rad=area.turn_rad) for place in places])
        logs, ways = self._reader.judge_halves(patches)
        letters = self._reader.template.letters
        pairing = pair_halves(logs, letters, ways, rows, columns)
        halves = 1 - np.exp(logs[:, letters.index(EMPTY)])
        if 2 * len(pairing.tiles) < rows * columns or halves.min() < MIN_HALF:
            return []
        shares = np.exp(logs)
        shares[:, letters.index(EMPTY)] = 0
        shares /= shares.sum(axis=1, keepdims=True)
        tiles = []
        for one in pairing.tiles:
            first, second = one.cells
            towards = 2 if second == first + 1 else 3  # right or down
            joined = float(np.exp(ways[first, towards] + ways[second, {2: 4, 3: 1}[towards]]))
            if joined < MIN_HALF**2:
                return []
            (x0, y0), (x1, y1) = places[first], places[second]
            spots = [(x0 - half_px / 2, y0 - half_px / 2), (x1 + half_px / 2, y0 - half_px / 2)]
            spots += [(x1 + half_px / 2, y1 + half_px / 2), (x0 - half_px / 2, y1 + half_px / 2)]
            numbers = [int(letters[int(shares[cell].argmax())]) for cell in (first, second)]
            sure = float(shares[first].max() * shares[second].max())
            corners = tuple(area.at(*spot) for spot in spots)
            tiles.append(
                (
                    joined * float(halves[[first, second]].prod()) * area.fill,
                    LooseTile(corners, (numbers[0], numbers[1]), sure),
                )
            )
        return tiles


def _areas(light: Grey) -> Iterator[_Area]:
    """Light areas that fill a rectangle, at every level."""
    most_px = MAX_SHARE * max(light.shape)
    for level in LEVELS:
        _, mask = cv2.threshold(light, level, 255, cv2.THRESH_BINARY)
        outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for outline in outlines:
            if len(outline) < 4 * MIN_HALF_PX:
                continue
            centre, (width, height), turn = cv2.minAreaRect(outline)
            long_px, short_px = max(width, height), min(width, height)
            if short_px < MIN_HALF_PX or long_px > most_px:
                continue
            fill = cv2.contourArea(outline) / (long_px * short_px)
            if fill >= MIN_FILL:
                turn_rad = float(np.deg2rad(turn if width >= height else turn + 90))
                yield _Area((float(centre[0]), float(centre[1])), long_px, short_px, turn_rad, fill)


def _distinct(areas: Iterator[_Area]) -> list[_Area]:
    """Of areas that are nearly the same, at neighbouring levels, the one that fills its rectangle best."""
    kept: list[_Area] = []
    for area in sorted(areas, key=lambda one: -one.fill):
        near = 0.15 * area.short_px
        if not any(
            abs(area.centre[0] - one.centre[0]) < near
            and abs(area.centre[1] - one.centre[1]) < near
            and abs(area.long_px - one.long_px) < 2 * near
            and abs(area.short_px - one.short_px) < 2 * near
            for one in kept
        ):
            kept.append(area)
    return kept


def _divisions(area: _Area) -> Iterator[tuple[int, int]]:
    """Rows and columns of halves that the rectangle may have, by its sides; an even number in all."""
    for rows in range(1, MOST + 1):
        half_px = area.short_px / rows
        columns = round(area.long_px / half_px)
        off = abs(area.long_px / half_px - columns)
        if half_px >= MIN_HALF_PX and rows <= columns <= MOST and not rows * columns % 2 and off <= OFF * columns / 2:
            yield rows, columns


def _overlap(tile: LooseTile, other: LooseTile) -> bool:
    """Whether two tiles share more than a tenth of the smaller one."""
    one, two = (cv2.convexHull(np.array(each.corners_px, np.float32)) for each in (tile, other))
    shared, _ = cv2.intersectConvexConvex(one, two)
    return bool(shared > 0.1 * min(cv2.contourArea(one), cv2.contourArea(two)))


def _unread(light: Grey, tiles: list[LooseTile]) -> Points:
    """The middles of places as light as the tiles that none of them covers; nothing is known without a tile."""
    if not tiles:
        return ()
    covered = np.zeros_like(light)
    shapes = [np.array(tile.corners_px, np.int32) for tile in tiles]
    cv2.fillPoly(covered, shapes, 255)
    size_px = float(np.median([cv2.contourArea(shape) for shape in shapes]))
    half_px = int((size_px / 2) ** 0.5)
    mask = np.asarray(light > FACE_LIGHT * np.median(light[covered > 0]), np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _square(half_px / 4)), np.uint8)  # pips are dark
    mask[cv2.dilate(covered, _square(half_px / 4)) > 0] = 0
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, _square(half_px / 3)), np.uint8)
    count, _, stats, middles = cv2.connectedComponentsWithStats(mask)
    height, width = light.shape
    places = []
    for index in range(1, count):
        x, y, across, down, size = (int(one) for one in stats[index])
        inside = x > 0 and y > 0 and x + across < width and y + down < height
        if inside and UNREAD[0] * size_px <= size <= UNREAD[1] * size_px:
            places.append((float(middles[index][0]), float(middles[index][1])))
    return tuple(places)


def _square(side_px: float) -> Grey:
    return np.ones((max(1, round(side_px)),) * 2, np.uint8)


def _scaled(points: Points, scale: float) -> Points:
    return tuple((x / scale, y / scale) for x, y in points)
