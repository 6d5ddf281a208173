"""Paints domino tiles: flat boxes with rounded corners, traced ray by ray, with pips and the shadows they cast."""

from __future__ import annotations

import functools

import cv2
import numpy as np

from calibration.printed import PIPS
from lab.simulated.arrays import BoolArray, Float32Array
from lab.simulated.camera import PinholeCamera, Region
from lab.simulated.light import GAMMA, Light, dot
from lab.simulated.men import Patch, Shade, fine_rays, shaded, shrunk
from lab.simulated.scenery import eye
from lab.simulated.style import Colour, TileStyle
from lab.simulated.texture import sample
from lab.simulated.tiles import Tile

FINE = 6
"""Texels per millimetre on a tile's face."""
MARCHES = 5
"""Steps along a ray until it reaches a wall."""
AT_WALL_MM = 0.08
SHADOW_STEPS = 3


class TilePainter:
    def __init__(self, style: TileStyle, half_mm: float, light: Light) -> None:
        """`half_mm` is the side of the cell on which half a tile lies."""
        self._style, self._half_mm, self._light = style, half_mm, light
        self._face = functools.lru_cache(maxsize=64)(self._draw_face)

    def face(self, letters: str) -> Float32Array:
        """(h, w, 3) linear colour of a tile along x, its first half to the left; FINE texels per millimetre."""
        return self._face(letters)

    @property
    def height_mm(self) -> float:
        return self._style.height_mm

    def extent_mm(self, tile: Tile) -> tuple[float, float]:
        """Half the length and half the width of a tile; for half a tile, half the width twice."""
        width = self._style.width * self._half_mm / 2
        return (self._style.length * self._half_mm / 2 if len(tile.letters) > 1 else width), width

    def paint(self, camera: PinholeCamera, tile: Tile) -> Patch | None:
        """The tile as the camera sees it; None where it is out of the picture."""
        region = self._region(camera, tile)
        if region is None:
            return None
        rays = fine_rays(camera, region)
        hit, points, normals = self._meet(camera, rays, tile)
        albedo = self._albedo(points, tile)[hit]
        points, normals = points[hit], normals[hit]
        colour = np.zeros((*hit.shape, 3), dtype=np.float32)
        out = _turned(points, tile.turn) + np.array([tile.x_mm, tile.y_mm, tile.lift_mm], dtype=np.float32)
        style = self._style
        colour[hit] = shaded(
            self._light,
            albedo,
            np.asarray(out, np.float32),
            _turned(normals, tile.turn),
            np.clip(points[:, 2:] / style.height_mm, 0, 1),
            eye(camera),
            style.gloss,
        )
        return shrunk(region, colour, hit)

    def shadow(self, camera: PinholeCamera, tile: Tile) -> Shade | None:
        """The tile's shadow on the board: a cast shadow per lamp, and the dark rim where it lies."""
        lift, height = tile.lift_mm, self._style.height_mm
        centre = np.array([tile.x_mm, tile.y_mm], dtype=np.float32)
        throws = [lamp.lean(tile.x_mm, tile.y_mm) for lamp in self._light.lamps]
        softness = [2 * lamp.size_mm / lamp.distance_mm for lamp in self._light.lamps]
        reach = float(np.hypot(*self.extent_mm(tile))) + max(softness) * (lift + height) + 0.5 * height + 2
        ends = [centre, *(centre + (lift + height) * throw for throw in throws)]
        corners = [(*(end + reach * np.array(d)), 0.0) for end in ends for d in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        region = camera.region(np.array(corners, dtype=np.float64))
        if region is None:
            return None
        offset = camera.plane(0.0, region) - centre
        left = np.ones(offset.shape[:2], dtype=np.float32)
        for index, throw in enumerate(throws):
            left -= self._light.share(index) * 0.93 * self._cast(offset, throw, tile, softness[index])
        away = np.clip(self._outside(_turned(offset, -tile.turn), tile), 0, None)
        left *= 1 - 0.55 * np.exp(-away / (0.25 * height)) * np.exp(-lift / height)
        return Shade(region, np.clip(left, 0.02, 1)[..., None] ** np.float32(1 / GAMMA))

    def _cast(self, offset: Float32Array, throw: Float32Array, tile: Tile, softness: float) -> Float32Array:
        """The shadow of the outline swept from foot to top along the light; the higher a part, the softer it is."""
        darkest = np.zeros(offset.shape[:2], dtype=np.float32)
        for share in np.linspace(0, 1, SHADOW_STEPS):
            above = tile.lift_mm + share * self._style.height_mm
            distance = self._outside(_turned(offset - throw * np.float32(above), -tile.turn), tile)
            ramp = np.clip(0.5 - distance / (0.8 + softness * above) / 2, 0, 1)
            np.maximum(darkest, ramp * ramp * (3 - 2 * ramp), out=darkest)
        return darkest

    def _region(self, camera: PinholeCamera, tile: Tile) -> Region | None:
        corners = []
        along = abs(np.cos(tile.turn)), abs(np.sin(tile.turn))
        length, width = self.extent_mm(tile)
        wide, high = (along[0] * length + along[1] * width, along[1] * length + along[0] * width)
        for height in (tile.lift_mm, tile.lift_mm + self._style.height_mm):
            corners += [(tile.x_mm + dx, tile.y_mm + dy, height) for dx in (-wide, wide) for dy in (-high, high)]
        return camera.region(np.array(corners))

    def _outside(self, local: Float32Array, tile: Tile) -> Float32Array:
        """Signed distance of (…, 2) points in the tile's own frame from its outline, negative within."""
        past = np.abs(local) - (np.array(self.extent_mm(tile), dtype=np.float32) - np.float32(self._style.corner_mm))
        outer = cv2.magnitude(np.maximum(past[..., 0], 0), np.maximum(past[..., 1], 0)).reshape(local.shape[:-1])
        inner = np.minimum(np.maximum(past[..., 0], past[..., 1]), 0)
        return np.asarray(outer + inner - np.float32(self._style.corner_mm), dtype=np.float32)

    def _outward(self, local: Float32Array, tile: Tile) -> Float32Array:
        """(…, 2) unit vectors from the outline outwards."""
        past = np.abs(local) - (np.array(self.extent_mm(tile), dtype=np.float32) - np.float32(self._style.corner_mm))
        flat = np.stack([past[..., 0] >= past[..., 1], past[..., 0] < past[..., 1]], axis=-1).astype(np.float32)
        corner = np.maximum(past, 0)
        way = np.where((past > 0).all(axis=-1, keepdims=True), corner, flat)
        length = np.maximum(np.sqrt(dot(way, way)), 1e-6)[..., None]
        return np.asarray(way / length * np.sign(local), dtype=np.float32)

    def _meet(
        self, camera: PinholeCamera, rays: Float32Array, tile: Tile
    ) -> tuple[BoolArray, Float32Array, Float32Array]:
        """Hits of rays on the box, in the tile's own frame: hit, (…, 3) points above its foot, (…, 3) normals."""
        height, bevel = np.float32(self._style.height_mm), np.float32(max(self._style.bevel_mm, 0.1))
        top = camera.meet(rays, tile.lift_mm + float(height)) - np.array([tile.x_mm, tile.y_mm], dtype=np.float32)
        top, rays = _turned(np.asarray(top, np.float32), -tile.turn), _turned(rays, -tile.turn)
        speed = np.maximum(np.sqrt(dot(rays, rays)), 1e-4)
        away = self._outside(top, tile)
        on_top = away <= 0
        # At depth `drop` below the top face the ray is at top + drop * rays; each step is as long as the wall is far.
        drop = np.zeros_like(away)
        for _ in range(MARCHES):
            drop = np.minimum(drop + np.maximum(away, 0) / speed, 2 * height)
            place = np.asarray(top + drop[..., None] * rays, dtype=np.float32)
            away = self._outside(place, tile)
        hit = on_top | ((away < AT_WALL_MM) & (drop <= height))
        upright = np.pi / 2 - np.clip(1 - drop / bevel, 0, 1) * (np.pi / 4)
        bend = np.where(on_top, np.clip(1 + away / bevel, 0, 1) * (np.pi / 4), upright)[..., None]
        normals = np.concatenate([self._outward(place, tile) * np.sin(bend), np.cos(bend)], axis=-1)
        points = np.concatenate([place, (height - drop)[..., None]], axis=-1)
        return hit, np.asarray(points, np.float32), np.asarray(normals, np.float32)

    def _albedo(self, points: Float32Array, tile: Tile) -> Float32Array:
        """(h, w, 3) the face's drawing, continued over the edge on to the walls."""
        face = self._face(tile.letters)
        middle = np.array([face.shape[1], face.shape[0]], dtype=np.float32) / 2 - 0.5
        texels = np.asarray(points[..., :2] * FINE + middle, dtype=np.float32)
        return sample(face, texels, cv2.BORDER_REPLICATE)

    def _draw_face(self, letters: str) -> Float32Array:
        """(h, w, 3) linear colour of a tile that lies along x, its first half to the left."""
        style, half = self._style, self._half_mm * FINE
        width, height = round(half * len(letters)), round(half)
        face = np.empty((height, width, 3), dtype=np.float32)
        face[:] = style.face
        if len(letters) > 1 and style.line > 0:
            _bar(face, (width / 2, height / 2), (style.line * half, 0.8 * style.width * half), style.line_colour)
        for number, letter in enumerate(letters):
            middle = width / 2 + (number - (len(letters) - 1) / 2) * half * style.length / 2
            for along, across in PIPS[int(letter)]:
                at = (middle + along * style.pip_gap * half, height / 2 + across * style.pip_gap * half)
                _disc(face, at, style.pip / 2 * half, style.pips[int(letter) % len(style.pips)])
        return np.asarray((cv2.GaussianBlur(face, (0, 0), 0.6) / 255) ** np.float32(GAMMA), dtype=np.float32)


def _bar(face: Float32Array, middle: tuple[float, float], size: tuple[float, float], colour: Colour) -> None:
    low, high = (
        (round((middle[0] + sign * size[0] / 2) * 16), round((middle[1] + sign * size[1] / 2) * 16)) for sign in (-1, 1)
    )
    points = np.array([low, (high[0], low[1]), high, (low[0], high[1])], dtype=np.int32)
    cv2.fillConvexPoly(face, points, colour, cv2.LINE_AA, 4)


def _disc(face: Float32Array, at: tuple[float, float], radius: float, colour: Colour) -> None:
    place = (round((at[0] - 0.5) * 16), round((at[1] - 0.5) * 16))
    cv2.circle(face, place, round(radius * 16), colour, -1, cv2.LINE_AA, 4)


def _turned(points: Float32Array, turn: float) -> Float32Array:
    """(…, 2 or 3) points turned about the vertical through the origin."""
    cosine, sine = np.float32(np.cos(turn)), np.float32(np.sin(turn))
    result = np.array(points, dtype=np.float32)
    result[..., 0] = cosine * points[..., 0] - sine * points[..., 1]
    result[..., 1] = sine * points[..., 0] + cosine * points[..., 1]
    return result
