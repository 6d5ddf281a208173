"""The scene of a simulated table for one camera: paints static pictures, and frames with a hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arm import ArmPainter, Reach
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.camera import PinholeCamera, Region, Sensor, look_at
from lab.simulated.drawing import with_print
from lab.simulated.light import Light
from lab.simulated.men import Man, MenPainter, Patch, Pawn, Shade
from lab.simulated.scenery import Scenery
from lab.simulated.style import CameraStyle, Style
from lab.simulated.tile_painter import TilePainter
from lab.simulated.tiles import Piece, Tile, has_tiles
from vision.frame import Image

PAWN_MM = 15.0
"""Millimetres, diameter of a score pawn."""


class Stage:
    """Scenery, light, pieces, arms and sensor of one scene, seen by one camera."""

    def __init__(self, template: BoardTemplate, style: Style, size_px: tuple[int, int], seed: int) -> None:
        style = with_print(style, template)
        self.template, self.style, self.size_px, self.seed = template, style, size_px, seed
        centre = (template.size_mm[0] / 2, template.size_mm[1] / 2)
        self.light = Light(style, centre)
        self.camera = self._camera_of(style)
        scale = self.camera.pixels_per_mm(*centre)
        rng = np.random.default_rng([seed, 1])
        self._scenery = self._scenery_of(scale, rng)
        self.sensor = Sensor(style.sensor, size_px, rng)
        self._painters: dict[type, MenPainter | TilePainter] = {
            Man: MenPainter(style.men, template.man_diameter_mm, self.light, seed),
            Tile: TilePainter(style.tiles, template.man_diameter_mm, self.light),
            Pawn: MenPainter(style.pawns, PAWN_MM, self.light, seed),
        }
        self._meet_camera()

    _bare: Float32Array
    """The scenery with its vignette; not painted yet if `_scenery_key` is empty."""
    _scenery_key: bytes

    def with_camera(self, camera: CameraStyle) -> Stage:
        other = object.__new__(Stage)
        other.__dict__.update(self.__dict__)
        other.style = dataclasses.replace(self.style, camera=camera)
        other.camera = self._camera_of(other.style)
        other._meet_camera()
        return other

    def still(self, pieces: Sequence[Piece], world_from_board: FloatArray) -> Image:
        """The noiseless picture without a hand; `pieces` are in board coordinates."""
        key = world_from_board.tobytes()
        if self._scenery_key != key:
            self._bare, self._scenery_key = self._scenery.paint(self.camera, self.light, world_from_board), key
            self._bare *= self.sensor.vignette
            self._patches.clear()
        picture = self._bare.copy()
        placed = [self._patch(piece, world_from_board) for piece in self._far_first(pieces)]
        for _, shade in placed:
            if shade is not None:
                shade.lay(picture)
        for patch, _ in placed:
            if patch is not None:
                patch.lay(picture)
        return self.sensor.develop(picture)

    def with_hand(self, still: Image, side: int, reach: Reach, held: Piece | None) -> Image:
        arm = self.arms[side]
        region = arm.region(reach)
        if region is None:
            return still
        image = still.copy()
        picture = np.ascontiguousarray(image[region.slices])
        arm.shade(picture, region, reach)
        if held is not None:
            self._lay_held(picture, region, held)
        arm.lay(picture, region, reach, self.sensor.vignette_levels)
        image[region.slices] = picture
        return image

    def _scenery_of(self, scale: float, rng: Rng) -> Scenery:
        return Scenery(self.template, self.style, scale, rng)

    def _outline_mm(self) -> FloatArray:
        """(4, 2) corners of what the camera is aimed at: the board with its border."""
        (width, height), border = self.template.size_mm, self.style.board.border_mm
        low, high = -border, border
        return np.array([[low, low], [width + high, low], [width + high, height + high], [low, height + high]])

    def _camera_of(self, style: Style) -> PinholeCamera:
        return look_at(self._outline_mm(), self.size_px, **vars(style.camera))

    def _lay_held(self, picture: Image, region: Region, held: Piece) -> None:
        shade, patch = self._paint(held)
        for part in (shade, patch):
            if part is None:
                continue
            inner = part.region.within(region)
            if inner is None:
                continue
            offset = part.region.offset(inner)
            place = region.offset(inner)
            below = picture[place].astype(np.float32)
            if isinstance(part, Shade):
                below *= part.factor[offset]
            else:
                colour = part.colour[offset] * self.sensor.vignette[inner.slices]
                below += part.cover[offset] * (colour - below)
            picture[place] = np.clip(below + 0.5, 0, 255).astype(np.uint8)

    def _meet_camera(self) -> None:
        height_mm = self._painters[Tile if has_tiles(self.template) else Man].height_mm
        self.arms = tuple(
            ArmPainter(self.style, side, self.light, self.camera, height_mm, self.seed) for side in (0, 1)
        )
        self._bare = np.zeros((0, 0, 3), dtype=np.float32)
        self._scenery_key = b""
        self._patches: dict[Piece, tuple[Patch | None, Shade | None]] = {}

    def _far_first(self, pieces: Sequence[Piece]) -> list[Piece]:
        eye = self.camera.centre_mm
        return sorted(pieces, key=lambda piece: -((piece.x_mm - eye[0]) ** 2 + (piece.y_mm - eye[1]) ** 2))

    def _patch(self, piece: Piece, world_from_board: FloatArray) -> tuple[Patch | None, Shade | None]:
        if piece not in self._patches:
            x, y, _ = world_from_board @ (piece.x_mm, piece.y_mm, 1.0)
            turn = piece.turn + float(np.arctan2(world_from_board[1, 0], world_from_board[0, 0]))
            shade, patch = self._paint(dataclasses.replace(piece, x_mm=float(x), y_mm=float(y), turn=turn))
            if patch is not None:
                colour = patch.colour * self.sensor.vignette[patch.region.slices]
                patch = dataclasses.replace(patch, colour=np.asarray(colour, dtype=np.float32))
            if len(self._patches) > 256:
                self._patches.clear()
            self._patches[piece] = patch, shade
        return self._patches[piece]

    def _paint(self, piece: Piece) -> tuple[Shade | None, Patch | None]:
        """Paints a piece given in world coordinates."""
        painter: Any = self._painters[type(piece)]
        return painter.shadow(self.camera, piece), painter.paint(self.camera, piece)
