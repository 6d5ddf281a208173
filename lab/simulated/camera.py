"""The pinhole camera with lens distortion that looks at the simulated table, and its chip."""

from __future__ import annotations

import dataclasses
import functools

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.light import GAMMA
from lab.simulated.style import SensorStyle
from vision.frame import Image

STEEPEST = 12.0
"""Greatest horizontal travel of a ray per unit of descent; rays nearer to the horizon are clipped to it."""


FAR_PX = 1e6


@dataclasses.dataclass(frozen=True)
class Region:
    left: int
    top: int
    right: int
    bottom: int

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def within(self, other: Region) -> Region | None:
        """The intersection of both; None where they have none."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Region(left, top, right, bottom) if left < right and top < bottom else None

    def offset(self, inner: Region) -> tuple[slice, slice]:
        rows = slice(inner.top - self.top, inner.bottom - self.top)
        return rows, slice(inner.left - self.left, inner.right - self.left)


@dataclasses.dataclass(frozen=True, eq=False)
class PinholeCamera:
    size_px: tuple[int, int]
    """Width and height."""
    matrix: FloatArray
    """(3, 3) intrinsic matrix K."""
    camera_from_world: FloatArray
    """(3, 3) rotation; camera axes are right, down, forward."""
    centre_mm: FloatArray
    """(3,) the lens in the world; z points down into the table, so it is negative."""
    distortion: tuple[float, float] = (0.0, 0.0)
    """Radial coefficients k1 and k2 of the usual polynomial model."""

    @property
    def image_from_world(self) -> FloatArray:
        """(3, 3) homography of the plane of height 0, without lens distortion."""
        translation = -self.camera_from_world @ self.centre_mm
        columns = [self.camera_from_world[:, 0], self.camera_from_world[:, 1], translation]
        matrix = self.matrix @ np.stack(columns, axis=1)
        return np.asarray(matrix / matrix[2, 2], dtype=np.float64)

    def project(self, points_mm: FloatArray) -> FloatArray:
        """(n, 2) pixels where (n, 3) points (x, y, height) are seen, lens distortion included."""
        world = np.asarray(points_mm, dtype=np.float64) * (1.0, 1.0, -1.0)
        seen = (world - self.centre_mm) @ self.camera_from_world.T
        flat = seen[:, :2] / np.maximum(seen[:, 2:], 1e-6)
        squared = (flat**2).sum(axis=1, keepdims=True)
        flat = flat * (1 + self.distortion[0] * squared + self.distortion[1] * squared**2)
        return np.asarray(flat * self.matrix[[0, 1], [0, 1]] + self.matrix[:2, 2], dtype=np.float64)

    def pixels_per_mm(self, x_mm: float, y_mm: float) -> float:
        """Scale of the picture at a point of the board, across the line of sight."""
        depth = self.camera_from_world[2] @ (np.array([x_mm, y_mm, 0.0]) - self.centre_mm)
        return float(self.matrix[0, 0] / max(depth, 1.0))

    @functools.cached_property
    def slopes(self) -> Float32Array:
        """(height, width, 2) horizontal millimetres that each pixel's ray travels per millimetre of descent."""
        width, height = self.size_px
        xs = (np.arange(width) - self.matrix[0, 2]) / self.matrix[0, 0]
        ys = (np.arange(height) - self.matrix[1, 2]) / self.matrix[1, 1]
        bent_x, bent_y = (axis.astype(np.float32) for axis in np.meshgrid(xs, ys))
        first, second = (np.float32(value) for value in self.distortion)
        flat_x, flat_y = bent_x, bent_y
        for _ in range(5 if first or second else 0):
            squared = flat_x * flat_x + flat_y * flat_y
            shrink = 1 / (1 + squared * (first + second * squared))
            flat_x, flat_y = bent_x * shrink, bent_y * shrink
        right, down, forward = self.camera_from_world.astype(np.float32)
        sink = np.maximum(flat_x * right[2] + flat_y * down[2] + forward[2], np.float32(1 / STEEPEST))
        slopes = np.empty((height, width, 2), dtype=np.float32)
        for axis in (0, 1):
            slopes[..., axis] = (flat_x * right[axis] + flat_y * down[axis] + forward[axis]) / sink
        return slopes

    def plane(self, height_mm: float, region: Region | None = None) -> Float32Array:
        """(h, w, 2) world x and y where the region's rays meet the plane of that height."""
        slopes = self.slopes if region is None else self.slopes[region.slices]
        return self.meet(slopes, height_mm)

    def meet(self, slopes: Float32Array, height_mm: float) -> Float32Array:
        """Like `plane`, for any rays given by their slopes."""
        return np.asarray(cv2.transform(slopes, self.plane_from_slopes(height_mm)), dtype=np.float32)

    def plane_from_slopes(self, height_mm: float) -> Float32Array:
        """(2, 3) affine map from a ray's slopes to its intersection with the plane of that height."""
        drop = -self.centre_mm[2] - height_mm
        return np.array([[drop, 0, self.centre_mm[0]], [0, drop, self.centre_mm[1]]], dtype=np.float32)

    def region(self, points_mm: FloatArray, pad_px: int = 2) -> Region | None:
        """The pixels that contain all these points (x, y, height); None where that is outside the picture."""
        pixels = self.project(points_mm)
        pixels = np.clip(pixels, -FAR_PX, FAR_PX)  # those of points beside the camera are anywhere
        low, high = np.floor(pixels.min(axis=0)).astype(int) - pad_px, np.ceil(pixels.max(axis=0)).astype(int) + pad_px
        left, top = max(int(low[0]), 0), max(int(low[1]), 0)
        right, bottom = min(int(high[0]) + 1, self.size_px[0]), min(int(high[1]) + 1, self.size_px[1])
        return Region(left, top, right, bottom) if left < right and top < bottom else None


def look_at(
    outline_mm: FloatArray,
    size_px: tuple[int, int],
    *,
    focal: float,
    tilt_deg: float,
    azimuth_deg: float = 0.0,
    roll_deg: float = 0.0,
    fill: float = 0.8,
    shift: tuple[float, float] = (0.0, 0.0),
    distortion: tuple[float, float] = (0.0, 0.0),
) -> PinholeCamera:
    """A camera placed so that the outline on the table is centred and fills `fill` of the picture's tighter side.

    `tilt_deg` is measured from straight above, `azimuth_deg` from the viewer's side (positive: from the right), `focal`
    in picture widths; `shift` moves the outline in the picture by shares of its size.
    """
    width, height = size_px
    tilt, azimuth, roll = np.radians([tilt_deg, azimuth_deg, roll_deg])
    backward = np.array([np.sin(azimuth) * np.sin(tilt), np.cos(azimuth) * np.sin(tilt), -np.cos(tilt)])
    rotation = _orientation(-backward, roll)
    middle_px = np.array([(width - 1) / 2, (height - 1) / 2])
    matrix = np.array([[focal * width, 0, middle_px[0]], [0, focal * width, middle_px[1]], [0, 0, 1]])
    target = outline_mm.mean(axis=0)
    wanted_px = middle_px + np.array(shift) * size_px
    points = np.column_stack([outline_mm, np.zeros(len(outline_mm))])
    for _ in range(6):
        camera = _at_distance(target, backward, rotation, matrix, size_px, distortion, points, fill)
        seen = camera.project(points)
        off_px = (seen.min(axis=0) + seen.max(axis=0)) / 2 - wanted_px
        # The new target is the table point seen where the picture's middle should be.
        there = np.linalg.inv(camera.image_from_world) @ (*(middle_px + off_px), 1.0)
        target = there[:2] / there[2]
    return _at_distance(target, backward, rotation, matrix, size_px, distortion, points, fill)


def _at_distance(
    target_mm: FloatArray,
    backward: FloatArray,
    rotation: FloatArray,
    matrix: FloatArray,
    size_px: tuple[int, int],
    distortion: tuple[float, float],
    points: FloatArray,
    fill: float,
) -> PinholeCamera:
    near, far = 50.0, 20000.0
    for _ in range(30):
        distance = float(np.sqrt(near * far))
        centre = np.array([*target_mm, 0.0]) + distance * backward
        camera = PinholeCamera(size_px, matrix, rotation, centre, distortion)
        behind = ((points - centre) @ rotation[2] <= 1.0).any()
        span = np.ptp(camera.project(points), axis=0) / size_px
        near, far = (distance, far) if behind or span.max() > fill else (near, distance)
    return camera


def _orientation(forward: FloatArray, roll: float) -> FloatArray:
    down = np.array([0.0, 1.0, 0.0]) - forward[1] * forward
    down /= np.linalg.norm(down)
    right = np.cross(down, forward)
    turned_right = np.cos(roll) * right + np.sin(roll) * down
    turned_down = np.cos(roll) * down - np.sin(roll) * right
    return np.stack([turned_right, turned_down, forward])


_SPARE_PX = 96
"""Pixels by which the noise tile is larger than the frame, so that every frame can use another part of it."""


class Sensor:
    def __init__(self, style: SensorStyle, size_px: tuple[int, int], rng: Rng) -> None:
        self._style = style
        self._size_px = size_px
        self._tile = _noise_tile(size_px, style.chroma, rng)
        self.vignette = _vignette(size_px, style.vignette)
        """(h, w, 3) factor on pixel values."""
        self.vignette_levels = np.asarray(np.rint(255 * self.vignette), dtype=np.uint8)
        """The same in 255ths."""

    def develop(self, picture: Float32Array) -> Image:
        """The noiseless picture of a static scene; vignette is already in it."""
        blurred = cv2.GaussianBlur(picture, (0, 0), self._style.blur_px) if self._style.blur_px > 0 else picture
        image = np.clip(blurred + 0.5, 0, 255).astype(np.uint8)
        if self._style.jpeg_quality > 0:
            image = jpeg(image, self._style.jpeg_quality)
        return np.asarray(image, dtype=np.uint8)

    def grain(self, image: Image) -> NDArray[np.int16]:
        """(h, w, 3) standard deviation of the noise of each pixel value, in sixteenths of a level."""
        levels = np.arange(256) / 255
        # Shot noise grows with the square root of the light; the power law then stretches the dark.
        sigma = np.sqrt(self._style.read_noise**2 + self._style.shot_noise**2 * levels ** (2 - GAMMA / 2))
        table = np.clip(sigma * 16, 0, 255).astype(np.uint8)
        return np.asarray(cv2.LUT(image, table), dtype=np.int16)

    def expose(self, image: Image, grain: NDArray[np.int16], rng: Rng) -> Image:
        if not self._style.read_noise and not self._style.shot_noise:
            return image.copy()
        width, height = self._size_px
        x, y = rng.integers(0, _SPARE_PX, 2)
        tile = self._tile[y : y + height, x : x + width]
        noise = cv2.multiply(tile, grain, scale=1 / 1024)
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), dtype=np.uint8)

    def brighten(self, image: Image, gain: FloatArray) -> Image:
        """The image under light multiplied by (3,) `gain`."""
        levels = np.arange(256)[:, None] * np.asarray(gain)[None] ** (1 / GAMMA)
        table = np.clip(levels + 0.5, 0, 255).astype(np.uint8)[:, None]
        return np.asarray(cv2.LUT(image, table), dtype=np.uint8)


def jpeg(image: Image, quality: int) -> Image:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)


def _noise_tile(size_px: tuple[int, int], chroma: float, rng: Rng) -> NDArray[np.int16]:
    """Noise of standard deviation 64, a little blotchy as after demosaicing."""
    height, width = size_px[1] + _SPARE_PX, size_px[0] + _SPARE_PX
    # Blurred uniform bytes are very nearly normally distributed, and much faster to draw.
    grey = _blurred(rng, (height, width), 0.6)
    coloured = _blurred(rng, (height, width, 3), 0.9)
    grey *= (1 - chroma) / grey.std()
    coloured *= chroma / coloured.std()
    mixed = coloured + cv2.merge([grey, grey, grey])
    mixed *= 64 / mixed.std()
    return np.asarray(np.rint(mixed), dtype=np.int16)


def _blurred(rng: Rng, shape: tuple[int, ...], sigma_px: float) -> Float32Array:
    draws = rng.integers(0, 256, shape, dtype=np.uint8).astype(np.float32) - np.float32(127.5)
    return np.asarray(cv2.GaussianBlur(draws, (0, 0), sigma_px), dtype=np.float32)


def _vignette(size_px: tuple[int, int], loss: float) -> Float32Array:
    xs = np.linspace(-1, 1, size_px[0], dtype=np.float32)[None]
    ys = np.linspace(-1, 1, size_px[1], dtype=np.float32)[:, None] * (size_px[1] / size_px[0])
    squared = (xs**2 + ys**2) / (1 + (size_px[1] / size_px[0]) ** 2)
    factor = (1 - loss * squared) ** np.float32(1 / GAMMA)
    return np.asarray(cv2.merge([factor, factor, factor]), dtype=np.float32)
