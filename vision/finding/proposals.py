"""Proposes where a board lies in a picture: a small network's maps, and the quadrangle that they agree on.

The network (`lab/train/boards.py`) marks the inside of the field, its corners and its outline in a
picture shrunk to `LONGEST_PX`. What it proposes is right to about a hundredth of the side; lines make it exact.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray
from system.weights import find_weights
from vision.frame import Image
from vision.networks import open_network
from vision.pose import project
from vision.primitives.segments import aiming_at_one_point, find_segments

FloatImage = NDArray[np.float32]

Edge = Literal["left", "top", "right", "bottom"]

LONGEST_PX = 384
"""Pixels, longer side of the picture that the network sees."""
AROUND_PX = 16
"""Pixels of plain ground laid around it: a field that ends with the picture is seen to end."""
GROUND = 110
ROUND_PX = 32
"""Its sides are multiples of this."""
STRIDE = 4
GAMES = ("chess", "co_ganh", "double_double_dominoes", "draughts", "go", "gomoku", "nine_mens_morris", "reversi")
WORTH = 0.2
"""Least score of a proposal that is looked at again."""
LEAST = 0.25
"""Least score of a proposal that is told."""
TOLD = 3
FILLED = 0.8
"""Share of the picture that it fills then."""
PEAK = 0.08
"""Least height of a corner's spot."""
PEAKS = 6
SPOT_SIDE = 5
"""Cells of a spot's side: no other corner is within it."""
NEAR = 0.12
"""Shares of the side within which a corner of the inside's outline is moved to a spot."""
NO_SPOT = 0.05
"""Height counted for a corner without a spot."""
LEADING = 3, 0.03
"""Fewest lines that lead to an edge of the picture where a board goes beyond it: every board has so many that are
parallel. And the share of the board's side that each runs, and that they are apart: the outlines of men are shorter."""
MIN_CELLS = 60
"""Least area of the inside, in cells of the maps."""


@dataclasses.dataclass(frozen=True, eq=False)
class Proposal:
    """A quadrangle that may be a board's field."""

    corners_px: FloatArray
    """(4, 2) clockwise, the one nearest the picture's top left first."""
    score: float
    """0 to 1: how well the three maps agree on it."""


@functools.cache
def board_network() -> BoardNetwork:
    """The shipped network, loaded once per process. Raises WeightsError."""
    return BoardNetwork()


class BoardNetwork:
    """The network that marks boards. Raises WeightsError."""

    def __init__(self, path: Path | None = None) -> None:
        self._session = open_network(find_weights("board_proposals").path if path is None else path)

    def maps(self, image: Image, game: str) -> tuple[FloatImage, float]:
        """(3, h, w) inside, corners and outline, 0 to 1, ground included; and the scale of the shrunk picture."""
        height, width = image.shape[:2]
        scale = LONGEST_PX / max(height, width)
        size = round(width * scale), round(height * scale)
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        padded = [-(-(side + 2 * AROUND_PX) // ROUND_PX) * ROUND_PX for side in size]
        canvas = np.full((padded[1], padded[0], 3), GROUND, dtype=np.uint8)
        inner = slice(AROUND_PX, AROUND_PX + size[1]), slice(AROUND_PX, AROUND_PX + size[0])
        canvas[inner] = small if small.ndim == 3 else small[..., None]
        return self._run(canvas, game), scale

    def propose(self, image: Image, game: str) -> list[Proposal]:
        """The quadrangles that the maps may show, likeliest first; at most one a place.

        The likeliest is looked at again, upright and as large as fits.
        """
        maps, scale = self.maps(image, game)
        found = [
            dataclasses.replace(one, corners_px=((one.corners_px + 0.5) * STRIDE - AROUND_PX) / scale - 0.5)
            for one in decode(maps)
        ]
        if found and found[0].score >= WORTH:
            found = _distinct(found + self._closer(image, game, found[0].corners_px))
        return [one for one in found if one.score >= LEAST][:TOLD]

    def edges_beyond(self, image: Image, game: str) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
        """The edges of the picture that a board reaches, and those of them beyond which it goes: its lines lead there.

        A board that ends just before the edge reaches it in the maps, too.
        """
        maps, scale = self.maps(image, game)
        rim = AROUND_PX // STRIDE
        height, width = (round(side * scale) // STRIDE for side in image.shape[:2])
        inside = np.asarray(maps[0, rim : rim + height, rim : rim + width] > 0.5, dtype=np.bool_)
        strips: dict[Edge, Flags] = {
            "left": inside[:, 1],
            "top": inside[1],
            "right": inside[:, -2],
            "bottom": inside[-2],
        }
        reached = tuple(edge for edge, strip in strips.items() if strip.any())
        if not reached:
            return (), ()
        cell_px = 2 * STRIDE  # lines are looked for in a picture twice as fine as what the network sees
        size = width * cell_px, height * cell_px
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if image.shape[1] > size[0] else cv2.INTER_LINEAR)
        grey = small if small.ndim == 2 else cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        lines = find_segments(np.asarray(grey)).ends / cell_px
        fewest, share = LEADING
        apart = share * float(np.sqrt(inside.sum()))
        led = tuple(edge for edge in reached if _leading(lines, edge, strips[edge], inside.shape, apart) >= fewest)
        return reached, led

    def _closer(self, image: Image, game: str, corners_px: FloatArray) -> list[Proposal]:
        """Proposals in a picture of that place alone, turned upright."""
        side = corners_px[1] - corners_px[0]
        quarter = np.pi / 2
        turn = -(((np.arctan2(side[1], side[0]) + quarter / 2) % quarter) - quarter / 2)
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        turned = corners_px @ rotation.T
        scale = FILLED * LONGEST_PX / float(np.ptp(turned, axis=0).max())
        middle = (turned.min(axis=0) + turned.max(axis=0)) / 2
        matrix = np.eye(3)
        matrix[:2, :2], matrix[:2, 2] = scale * rotation, LONGEST_PX / 2 - scale * middle
        shrunk = float(max(1.0, 0.5 / scale))
        if shrunk > 1:
            image = np.asarray(cv2.resize(image, None, fx=1 / shrunk, fy=1 / shrunk, interpolation=cv2.INTER_AREA))
        small = cv2.warpPerspective(
            image,
            matrix @ np.diag([shrunk, shrunk, 1.0]),
            (LONGEST_PX, LONGEST_PX),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(GROUND, GROUND, GROUND),
        )
        maps = self._run(np.asarray(small if small.ndim == 3 else np.repeat(small[..., None], 3, axis=2)), game)
        back = np.asarray(np.linalg.inv(matrix))
        return [
            dataclasses.replace(one, corners_px=_clockwise(project(back, (one.corners_px + 0.5) * STRIDE - 0.5)))
            for one in decode(maps)
        ]

    def _run(self, canvas: Image, game: str) -> FloatImage:
        told = np.array([[float(game == one) for one in GAMES]], dtype=np.float32)
        (logits,) = self._session.run(None, {"picture": canvas[None], "game": told})
        return np.asarray(1 / (1 + np.exp(-logits[0])), dtype=np.float32)


def _leading(lines: FloatArray, edge: Edge, strip: Flags, shape: tuple[int, ...], apart: float) -> int:
    """How many lines, (n, 2, 2) in cells of the maps, lead from the picture of that shape to its edge, as one's would.

    They end there at the flags of the strip, run that far, and aim at one point.
    """
    axis = 0 if edge in ("left", "right") else 1
    far = np.abs(lines[..., axis] - (0 if edge in ("left", "top") else shape[1 - axis]))
    at = np.take_along_axis(lines[..., 1 - axis], far.argmin(axis=1)[:, None], axis=1)[:, 0]
    on_board = strip[np.clip(at, 0, len(strip) - 1).astype(int)]
    ends_there = on_board & (far.min(axis=1) < 1) & (far.max(axis=1) > apart)
    places = np.sort(at[ends_there][aiming_at_one_point(lines[ends_there])])
    return int((np.diff(places, prepend=-np.inf) > apart).sum())


def decode(maps: FloatImage) -> list[Proposal]:
    """As `BoardNetwork.propose`, in cells of the maps."""
    inside, corners, _ = maps
    spots, heights = _spots(corners)
    quads: list[FloatArray] = []
    for ground in _grounds(inside):
        quads.append(ground)
        side = float(np.sqrt(max(cv2.contourArea(ground.astype(np.float32)), 1.0)))
        snapped = ground.copy()
        for row, corner in enumerate(ground):
            near = _nearest(spots, corner, NEAR * side)
            snapped[row] = corner if near is None else spots[near]
        quads.append(snapped)
    # Spots alone, where the inside is frayed.
    quads += [spots[list(four)] for four in itertools.combinations(range(len(spots)), 4)]
    proposals = [_judged(quad, maps, spots, heights) for quad in map(_clockwise, quads) if _is_sound(quad)]
    return _distinct(proposals)


def _nearest(spots: FloatArray, corner: FloatArray, limit: float) -> int | None:
    """Index of the spot nearest to a corner; None if none is nearer than that."""
    apart = np.linalg.norm(spots - corner, axis=1)
    return int(apart.argmin()) if apart.min(initial=np.inf) < limit else None


def _distinct(proposals: list[Proposal]) -> list[Proposal]:
    """Likeliest first, without those near a likelier one."""
    kept: list[Proposal] = []
    for one in sorted(proposals, key=lambda one: -one.score):
        size = np.sqrt(cv2.contourArea(one.corners_px.astype(np.float32)))
        if all(_apart(one.corners_px, other.corners_px) > 0.03 * size for other in kept):
            kept.append(one)
    return kept


def _spots(corners: FloatImage) -> tuple[FloatArray, FloatArray]:
    """(n, 2) peaks of the corners' map to a fraction of a cell, and their (n,) heights, highest first."""
    tops = (corners == cv2.dilate(corners, np.ones((SPOT_SIDE, SPOT_SIDE), np.uint8))) & (corners > PEAK)
    rows, columns = np.nonzero(tops)
    order = np.argsort(-corners[rows, columns])[:PEAKS]
    rows, columns = rows[order], columns[order]
    places: FloatArray = np.zeros((len(rows), 2))
    padded = np.pad(corners, SPOT_SIDE // 2)
    steps = np.arange(SPOT_SIDE) - SPOT_SIDE // 2
    for place, row, column in zip(places, rows, columns, strict=True):
        window = padded[row : row + SPOT_SIDE, column : column + SPOT_SIDE].astype(np.float64) ** 2
        aside = np.array([(window.sum(axis=axis) * steps).sum() for axis in (0, 1)]) / window.sum()
        place[:] = np.array([column, row]) + aside
    return places, np.asarray(corners[rows, columns], dtype=np.float64)


def _grounds(inside: FloatImage) -> list[FloatArray]:
    pieces, _ = cv2.findContours((inside > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = []
    for piece in sorted(pieces, key=cv2.contourArea, reverse=True)[:2]:
        hull = cv2.convexHull(piece)
        if cv2.contourArea(hull) < MIN_CELLS or len(hull) < 4:
            continue
        found.append(np.asarray(cv2.approxPolyN(hull, 4), dtype=np.float64).reshape(-1, 2))
    return [quad for quad in found if len(quad) == 4]


def _clockwise(quad: FloatArray) -> FloatArray:
    middle = quad.mean(axis=0)
    quad = quad[np.argsort(np.arctan2(quad[:, 1] - middle[1], quad[:, 0] - middle[0]))]
    return np.asarray(np.roll(quad, -int(np.argmin(quad.sum(axis=1))), axis=0))


def _is_sound(quad: FloatArray) -> bool:
    shape = quad.astype(np.float32)
    return bool(cv2.isContourConvex(shape)) and cv2.contourArea(shape) > MIN_CELLS


def _judged(quad: FloatArray, maps: FloatImage, spots: FloatArray, heights: FloatArray) -> Proposal:
    inside, _, outline = maps
    filled = np.zeros(inside.shape, dtype=np.uint8)
    cv2.fillConvexPoly(filled, np.rint(quad * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    share = filled.astype(np.float32) / 255
    overlap = float(np.minimum(inside, share).sum() / max(float(np.maximum(inside, share).sum()), 1.0))
    near = [_nearest(spots, corner, SPOT_SIDE / 2) for corner in quad]
    at = [NO_SPOT if one is None else max(float(heights[one]), NO_SPOT) for one in near]
    places = np.concatenate(
        [quad + share * (np.roll(quad, -1, axis=0) - quad) for share in np.linspace(0.05, 0.95, 19)]
    )
    along = cv2.remap(outline, places[:, :1].astype(np.float32), places[:, 1:].astype(np.float32), cv2.INTER_LINEAR)
    # Intersection over union; geometric mean of the corners' spots; mean of the outline's map along the sides.
    return Proposal(quad, float(overlap * np.sqrt(np.exp(np.log(at).mean())) * np.sqrt(float(along.mean()))))


def _apart(one: FloatArray, other: FloatArray) -> float:
    """Distance of the worst corner, whichever is called the first."""
    return min(float(np.linalg.norm(np.roll(one, turn, axis=0) - other, axis=1).max()) for turn in range(4))
