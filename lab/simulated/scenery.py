"""Paints everything that does not move, as one picture: floor, table, board and their shadows."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.camera import PinholeCamera
from lab.simulated.drawing import draw_face
from lab.simulated.light import Light, display, linear
from lab.simulated.style import Style
from lab.simulated.texture import planks, sample, surface

FLOOR_MM = 740.0
TILE_MM = 760.0
"""Millimetres, side of the piece of table surface that is repeated."""
_COARSE = 4
"""Step in pixels at which light is computed: it changes slowly."""


class Scenery:
    """The static objects of one scene; `paint` renders them for a camera and a board position."""

    def __init__(self, template: BoardTemplate, style: Style, scale: float, rng: Rng) -> None:
        """`scale` is the picture's pixels per millimetre at the board; textures are made a little finer."""
        self._style = style
        self._template = template
        self._scale = float(np.clip(1.3 * scale, 0.6, 6.0))
        table = style.surface
        self._table_scale = float(np.clip(1.1 * scale, 0.4, 3.0))
        size = (TILE_MM, TILE_MM)
        self._table = surface(table.kind, size, self._table_scale, table.colour, table.accent, rng)
        if table.kind == "wood":
            self._table = planks(self._table, self._table_scale, rng)
        self._face = self._draw_face(rng)
        self._offset_mm = rng.uniform(0, TILE_MM, 2)

    def paint(self, camera: PinholeCamera, light: Light, world_from_board: FloatArray) -> Float32Array:
        """(h, w, 3) pixel values 0 to 255, without vignette, blur and noise."""
        board = self._style.board
        board_from_world = np.asarray(np.linalg.inv(world_from_board), dtype=np.float64)
        ground = camera.plane(-board.thickness_mm)
        top = _carry(board_from_world, camera.plane(0.0))
        pixel_mm = 1 / camera.pixels_per_mm(*(np.array(self._template.size_mm) / 2))
        on_top = _cover(self._outside(top), pixel_mm)
        below = _carry(board_from_world, ground)
        on_wall = np.maximum(_cover(self._outside(below), pixel_mm) - on_top, 0)

        picture = self._lit_table(camera, light, ground, board_from_world)
        wall = self._lit_wall(light, below, camera)
        picture += on_wall[..., None] * (wall - picture)
        face = self._lit_face(camera, light, top)
        picture += on_top[..., None] * (face - picture)
        return display(picture * light.exposure)

    def _draw_face(self, rng: Rng) -> Float32Array:
        """(h, w, 3) linear colour of the board's top, border included, at `_scale` texels per millimetre."""
        return draw_face(self._template, self._style.board, self._scale, rng)

    def _outside(self, board_mm: Float32Array) -> Float32Array:
        """Signed distance to the board's outline, negative within."""
        size = np.array(self._template.size_mm, dtype=np.float32)
        half = size / 2 + np.float32(self._style.board.border_mm)
        across = np.abs(board_mm[..., 0] - size[0] / 2) - half[0]
        along = np.abs(board_mm[..., 1] - size[1] / 2) - half[1]
        within = np.minimum(np.maximum(across, along), 0)
        return np.asarray(within + cv2.magnitude(np.maximum(across, 0), np.maximum(along, 0)), dtype=np.float32)

    def _lit_table(
        self, camera: PinholeCamera, light: Light, ground: Float32Array, board_from_world: FloatArray
    ) -> Float32Array:
        style = self._style.surface
        turn = np.radians(style.angle_deg)
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]], dtype=np.float32)
        texel_from_world = np.column_stack([rotation, self._offset_mm]) * self._table_scale
        texel = np.asarray(cv2.transform(ground, texel_from_world.astype(np.float32)), dtype=np.float32)
        albedo = sample(self._table, texel, cv2.BORDER_REFLECT)
        coarse = ground[::_COARSE, ::_COARSE]
        lit = _widen(light.flat(coarse, -self._style.board.thickness_mm), ground.shape)
        lit *= self._board_shadow(light, coarse, board_from_world, ground.shape)[..., None]
        picture = albedo * lit
        if style.gloss > 0:
            gleam = light.gleam(coarse, eye(camera), 8 + 50 * style.gloss)
            # Reflected light shows the grain too.
            picture += _widen(gleam, ground.shape) * np.float32(0.16 * style.gloss) * (0.6 + 0.8 * albedo)
        self._add_floor(picture, camera, light, ground)
        return np.asarray(picture, dtype=np.float32)

    def _add_floor(self, picture: Float32Array, camera: PinholeCamera, light: Light, ground: Float32Array) -> None:
        style = self._style.surface
        centre = np.array(self._template.size_mm, dtype=np.float32) / 2
        across = np.abs(ground[..., 0] - centre[0]) - np.float32(style.half_size_mm[0])
        beyond = np.maximum(across, np.abs(ground[..., 1] - centre[1]) - np.float32(style.half_size_mm[1]))
        if beyond.max() <= -2:
            return
        floor = linear(style.floor) * (light.ambient + 0.25 * light.flat(camera.plane(-FLOOR_MM), -FLOOR_MM))
        edge = np.clip(1 - np.abs(beyond + 4) / 5, 0, 1)[..., None]
        picture *= 1 + 0.25 * edge
        cover = np.clip(beyond / 1.5 + 0.5, 0, 1)[..., None]
        picture += cover * (floor - picture)

    def _board_shadow(
        self, light: Light, coarse: Float32Array, board_from_world: FloatArray, shape: tuple[int, ...]
    ) -> Float32Array:
        """(h, w) share of the light that the board's shadow leaves on the table."""
        thickness = self._style.board.thickness_mm
        share = np.ones(coarse.shape[:2], dtype=np.float32)
        for lamp in light.lamps:
            middle = np.array(self._template.size_mm) / 2
            thrown = coarse - thickness * lamp.lean(*middle)
            soft = 1.2 + thickness * lamp.size_mm / lamp.distance_mm * 2
            part = float(lamp.strength.mean() / (light.ambient + sum(each.strength for each in light.lamps)).mean())
            share *= 1 - 0.9 * part * _cover(self._outside(_carry(board_from_world, thrown)), 2 * soft)
        distance = np.clip(self._outside(_carry(board_from_world, coarse)), 0, None)
        share *= 1 - 0.38 * np.exp(-distance / (1 + 0.7 * thickness))
        return _widen(share, shape)

    def _lit_wall(self, light: Light, below: Float32Array, camera: PinholeCamera) -> Float32Array:
        style, size = self._style.board, np.array(self._template.size_mm, dtype=np.float32)
        sideways = np.abs(below[..., 0] - size[0] / 2) - size[0] / 2 > np.abs(below[..., 1] - size[1] / 2) - size[1] / 2
        lit = 0.55 * light.ambient + 0.3 * light.flat(below[::_COARSE, ::_COARSE]).mean(axis=(0, 1))
        shade = np.where(sideways, 0.75, 1.0).astype(np.float32)[..., None]
        mixed = 0.5 * (linear(style.colour) + linear(style.accent))
        return np.asarray(mixed * lit * shade, dtype=np.float32)

    def _lit_face(self, camera: PinholeCamera, light: Light, top: Float32Array) -> Float32Array:
        style = self._style.board
        origin = style.border_mm * self._scale - 0.5
        texel = _carry(np.array([[self._scale, 0, origin], [0, self._scale, origin]]), top)
        albedo = sample(self._face, texel, cv2.BORDER_REPLICATE)
        coarse = camera.plane(0.0)[::_COARSE, ::_COARSE]
        picture = albedo * _widen(light.flat(coarse), top.shape)
        # The edge catches the light: it is never perfectly sharp.
        worn = np.clip(1 - np.abs(self._outside(top) + 0.8) / 1.2, 0, 1)[..., None]
        picture *= 1 + 0.18 * worn * (style.thickness_mm > 2)
        if style.gloss > 0:
            gleam = light.gleam(coarse, eye(camera), 8 + 50 * style.gloss)
            picture += _widen(gleam, top.shape) * np.float32(0.14 * style.gloss)
        return np.asarray(picture, dtype=np.float32)


def eye(camera: PinholeCamera) -> Float32Array:
    """(3,) position of the lens as x, y, height."""
    return np.asarray(camera.centre_mm * (1, 1, -1), dtype=np.float32)


def _carry(matrix: FloatArray, points: Float32Array) -> Float32Array:
    return np.asarray(cv2.transform(points, matrix[:2].astype(np.float32)), dtype=np.float32)


def _cover(distance: Float32Array, width: float) -> Float32Array:
    return np.asarray(np.clip(0.5 - distance / np.float32(width), 0, 1), dtype=np.float32)


def _widen(coarse: Float32Array, shape: tuple[int, ...]) -> Float32Array:
    """The coarse field interpolated to full resolution, with its samples where they were taken."""
    step = np.float32(1 / _COARSE)
    matrix = np.array([[step, 0, 0], [0, step, 0]], dtype=np.float32)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    wide = cv2.warpAffine(coarse, matrix, (shape[1], shape[0]), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(wide, dtype=np.float32)
