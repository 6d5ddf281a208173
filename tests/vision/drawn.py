"""Simple drawings of boards, for tests that need pictures with known truth."""

from __future__ import annotations

import dataclasses
import functools

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project

FloatArray = NDArray[np.float64]
SIZE_PX = (640, 480)
NOISES = 8
CORNERS = np.array([[190, 90], [450, 84], [500, 400], [140, 410]], dtype=np.float64)


@dataclasses.dataclass(frozen=True)
class Look:
    """Colours, sizes and noise of a drawn board."""

    table: tuple[int, int, int] = (60, 80, 110)
    board: tuple[int, int, int] = (150, 190, 210)
    lines: tuple[int, int, int] = (40, 45, 50)
    line_mm: float = 2.4
    border_mm: float = 25.0
    noise: float = 2.0


def draw(
    template: BoardTemplate, corners: FloatArray = CORNERS, cells: str = "", look: Look | None = None, seed: int = 0
) -> tuple[Image, BoardPose]:
    """Draws the board on a grained table with clutter; returns the picture and the board's pose."""
    picture, pose = _drawn(_Key(template), np.asarray(corners).tobytes(), cells, look or Look(), seed)
    return picture.copy(), pose


def noisy(picture: Image, index: int, level: float = 1.5) -> Image:
    """The picture with a camera's noise: the `index`-th of a few drawn once, which then come again."""
    return np.asarray(cv2.add(picture, _noise(picture.shape, level)[index % NOISES], dtype=cv2.CV_8U), np.uint8)


@functools.lru_cache(maxsize=4)
def _noise(shape: tuple[int, ...], level: float) -> list[NDArray[np.int16]]:
    rng = np.random.default_rng(0)
    return [np.rint(rng.normal(0, level, shape)).astype(np.int16) for _ in range(NOISES)]


class _Key:
    """A template as a key of a cache: itself, not what it holds."""

    def __init__(self, template: BoardTemplate) -> None:
        self.template = template

    def __hash__(self) -> int:
        return id(self.template)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.template is other.template


@functools.lru_cache(maxsize=64)
def _drawn(key: _Key, corners_bytes: bytes, cells: str, look: Look, seed: int) -> tuple[Image, BoardPose]:
    template, corners = key.template, np.frombuffer(corners_bytes).reshape(4, 2)
    rng = np.random.default_rng(seed)
    pose = pose_from_corners(corners, template)
    picture = _table(look, rng)
    scale = 4.0
    border = look.border_mm
    width, height = template.size_mm
    size = round((width + 2 * border) * scale), round((height + 2 * border) * scale)
    sheet = np.full((size[1], size[0], 3), look.board, dtype=np.float32)
    sheet += _grain((size[1], size[0]), rng)[..., None] * 6
    sheet_from_board = np.array([[scale, 0, border * scale], [0, scale, border * scale], [0, 0, 1.0]])
    ends = np.rint(project(sheet_from_board, template.lines_mm.reshape(-1, 2))).astype(int).reshape(-1, 2, 2)
    for start, end in ends:
        cv2.line(
            sheet, tuple(map(int, start)), tuple(map(int, end)), look.lines, round(look.line_mm * scale), cv2.LINE_AA
        )
    centres = np.rint(project(sheet_from_board, template.cells_mm)).astype(int)
    for letter, centre in zip(cells or "." * len(centres), centres, strict=True):
        if letter != ".":
            radius = round(template.man_diameter_mm / 2 * scale)
            shadow = (int(centre[0]) + radius // 5, int(centre[1]) + radius // 4)
            cv2.circle(sheet, shadow, radius, tuple(0.6 * c for c in look.board), -1, cv2.LINE_AA)
            colour = (225, 232, 235) if letter == "W" else (30, 28, 30)
            cv2.circle(sheet, tuple(map(int, centre)), radius, colour, -1, cv2.LINE_AA)
            cv2.circle(sheet, tuple(map(int, centre)), radius // 2, tuple(0.85 * c for c in colour), 6, cv2.LINE_AA)
    matrix = pose.image_from_board @ np.linalg.inv(sheet_from_board)
    shrink = scale / max(0.5, float(np.sqrt(cv2.contourArea(corners.astype(np.float32)) / (width * height))))
    sheet = cv2.GaussianBlur(sheet, (0, 0), max(0.3, 0.35 * shrink))
    cover = cv2.warpPerspective(np.ones(sheet.shape[:2], np.float32), matrix, SIZE_PX)[..., None]
    picture = picture * (1 - cover) + cv2.warpPerspective(sheet, matrix, SIZE_PX) * cover
    picture += rng.normal(0, look.noise, picture.shape)
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8), pose


def random_corners(rng: np.random.Generator) -> FloatArray:
    """(4, 2) random corners of a board as a hand-held camera sees it: turned, tilted, nearer or farther."""
    side = rng.uniform(170, 300)
    angle = rng.uniform(-0.5, 0.5)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    ground = square @ turn.T
    tilt = rng.uniform(0.0, 0.9)
    depth = 1 - ground[:, 1] * np.sin(tilt) / rng.uniform(500, 1200)
    seen = np.stack([ground[:, 0] / depth, ground[:, 1] * np.cos(tilt) / depth], axis=1)
    corners = seen + np.array([320, 240]) + rng.uniform(-40, 40, 2)
    low, high = corners.min(axis=0), corners.max(axis=0)
    corners -= np.minimum(low - 15, 0) + np.maximum(high - np.array(SIZE_PX) + 15, 0)
    return np.roll(corners, -int(np.argmin(corners.sum(axis=1))), axis=0)


def random_look(rng: np.random.Generator) -> Look:
    """A random look: dark lines on a light board or the reverse, thin or thick, on any table."""
    light, dark = rng.uniform(150, 225, 3), rng.uniform(20, 80, 3)
    board, lines = (light, dark) if rng.random() < 0.7 else (dark, light)
    return Look(
        table=tuple(int(c) for c in rng.uniform(30, 200, 3)),
        board=tuple(int(c) for c in board),
        lines=tuple(int(c) for c in lines),
        line_mm=float(rng.uniform(1.5, 6.0)),
        border_mm=float(rng.uniform(18, 60)),
        noise=float(rng.uniform(0.5, 5.0)),
    )


def random_cells(rng: np.random.Generator, template: BoardTemplate) -> str:
    """A random board with up to nine men of either side."""
    cells = ["."] * len(template.cells_mm)
    places = rng.permutation(len(cells))
    for side, count in (("W", int(rng.integers(0, 10))), ("B", int(rng.integers(0, 10)))):
        for _ in range(count):
            cells[places[-1]] = side
            places = places[:-1]
    return "".join(cells)


def cell_error(pose: BoardPose, template: BoardTemplate, truth: BoardPose, drawn: BoardTemplate) -> float:
    """Greatest distance of a cell's centre from its true place, as a share of the board's side."""
    side = np.sqrt(cv2.contourArea(truth.corners_px(drawn).astype(np.float32)))
    found, real = project(pose.image_from_board, template.cells_mm), project(truth.image_from_board, drawn.cells_mm)
    return float(np.linalg.norm(found - real, axis=1).max() / side)


def _table(look: Look, rng: np.random.Generator) -> NDArray[np.float32]:
    width, height = SIZE_PX
    picture = np.full((height, width, 3), look.table, dtype=np.float32)
    picture += _grain((height, width), rng)[..., None] * 14
    for _ in range(6):
        centre = rng.uniform([0, 0], SIZE_PX)
        box = cv2.boxPoints((centre.tolist(), rng.uniform(20, 110, 2).tolist(), float(rng.uniform(0, 180))))
        cv2.fillConvexPoly(picture, box.astype(np.int32), rng.uniform(20, 230, 3).tolist(), cv2.LINE_AA)
    return picture


def _grain(size: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    streaks = rng.normal(0, 1, (size[0], size[1] // 8 + 1)).astype(np.float32)
    streaks = cv2.resize(streaks, (size[1], size[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.GaussianBlur(streaks, (0, 0), sigmaX=6, sigmaY=1), dtype=np.float32) * 2
