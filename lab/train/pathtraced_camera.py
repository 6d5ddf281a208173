"""The camera of path-traced tables: thin lens, the sensor's processing of the light, and projection of points."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np

from lab.simulated.arrays import BoolArray, Float32Array, FloatArray, Rng
from lab.simulated.camera import PinholeCamera, look_at
from lab.simulated.style import CameraStyle
from vision.frame import Image

MIRROR = np.array([1.0, -1.0, 1.0])
"""From the simulated table's frame, whose y runs towards the viewer, to the meshes' frame."""

BRIGHTEST = 1.1
"""Light of the picture's brightest twentieth, at most: cameras expose so that little is burnt out."""
SPARK = 1.8
"""Greatest brightness of a pixel as a multiple of its neighbours'."""


@dataclasses.dataclass(frozen=True)
class LensPlan:
    aperture_mm: float
    """Radius of the lens's opening."""
    focus: float
    """Distance in focus, as a multiple of the board's middle's."""
    exposure: float
    """Target level of the picture's mean; 0.18 is usual."""
    balance: float
    """Share of the light's colour that the camera removes, 0 to 1."""
    tint: tuple[float, float, float]
    """Error of the white balance: blue, green, red."""
    contrast: float
    """Strength of the tone curve, 0 to 1."""
    vignette: float
    blur_px: float
    sharpen: float
    shot_noise: float
    """Standard deviation at full light, as a share of it."""
    read_noise: float
    """The same without light."""
    jpeg_quality: int


def random_lens(rng: Rng, *, dim: bool) -> LensPlan:
    """A random camera: mostly a phone's, focused on the board; noisy if the light is dim."""
    noise = float(np.exp(rng.normal(1.0 if dim else -0.3, 0.5)))
    off_focus = float(rng.normal(0, 0.25)) if rng.random() < 0.3 else float(rng.normal(0, 0.04))
    blue, red = (float(value) for value in np.exp(rng.normal(0, 0.07, 2)))
    return LensPlan(
        aperture_mm=float(np.exp(rng.uniform(np.log(0.3), np.log(2.5)))),
        focus=float(np.clip(1 + off_focus, 0.6, 1.8)),
        exposure=0.2 * float(np.exp(rng.normal(-0.3 if dim else 0, 0.35))),
        balance=float(rng.uniform(0, 0.9)),
        tint=(blue, 1.0, red),
        contrast=float(rng.uniform(0, 0.8)),
        vignette=float(rng.uniform(0, 0.45)),
        blur_px=float(rng.uniform(0.2, 1.1)),
        sharpen=float(rng.uniform(0, 0.8)),
        shot_noise=0.012 * noise,
        read_noise=0.003 * noise,
        jpeg_quality=int(rng.integers(45, 96)),
    )


def place_camera(outline_mm: FloatArray, size_px: tuple[int, int], style: CameraStyle) -> PinholeCamera:
    """The camera that sees the board's outline (4, 2) as the style asks."""
    longer = max(1.0, size_px[1] / size_px[0])
    return look_at(outline_mm, size_px, **vars(dataclasses.replace(style, focal=style.focal * longer)))


def eye_mm(camera: PinholeCamera) -> FloatArray:
    """(3,) position of the lens in the meshes' frame."""
    return np.asarray(camera.centre_mm * (1, -1, -1), dtype=np.float64)


def seen_px(camera: PinholeCamera, points_mm: FloatArray) -> FloatArray:
    """(n, 2) pixels of (n, 3) points in the meshes' frame."""
    return camera.project(points_mm * MIRROR)


def is_before(camera: PinholeCamera, points_mm: FloatArray) -> BoolArray:
    """(n,) whether points in the meshes' frame are in front of the lens."""
    return np.asarray((points_mm * (1, -1, -1) - camera.centre_mm) @ camera.camera_from_world[2] > 1.0)


def straight_px(camera: PinholeCamera) -> Float32Array:
    """(h, w, 2) for every pixel the place where a lens without distortion would see the same."""
    width, height = camera.size_px
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 1, 2).astype(np.float64)
    bent = np.array([*camera.distortion, 0.0, 0.0])
    return cv2.undistortPoints(grid, camera.matrix, bent, P=camera.matrix).reshape(height, width, 2).astype(np.float32)


def sensor(mi: Any, camera: PinholeCamera, plan: LensPlan, straight: Float32Array, samples: int) -> dict[str, Any]:
    """The renderer's camera; its film is larger than the picture by the margin that the distortion pulls in."""
    pad = film_pad(straight, camera.size_px)
    width, height = camera.size_px[0] + 2 * pad, camera.size_px[1] + 2 * pad
    right, down, forward = camera.camera_from_world * (1, -1, -1)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([-right, -down, forward], axis=1)
    matrix[:3, 3] = eye_mm(camera)
    middle = np.abs(eye_mm(camera)[2] / forward[2])
    return {
        "type": "thinlens",
        "fov": float(2 * np.degrees(np.arctan(width / 2 / camera.matrix[0, 0]))),
        "fov_axis": "x",
        "to_world": mi.ScalarTransform4f(matrix),
        "aperture_radius": plan.aperture_mm,
        "focus_distance": float(plan.focus * middle),
        "near_clip": 5.0,
        "far_clip": 50000.0,
        "film": {"type": "hdrfilm", "width": width, "height": height, "rfilter": {"type": "box"}},
        "sampler": {"type": "multijitter", "sample_count": samples},
    }


def film_pad(straight: Float32Array, size_px: tuple[int, int]) -> int:
    """Pixels that the film extends beyond the picture on each side."""
    low, high = straight.min(axis=(0, 1)), straight.max(axis=(0, 1)) - (np.array(size_px) - 1)
    return int(np.ceil(max(0.0, float(-low.min()), float(high.max()))))


@dataclasses.dataclass(frozen=True, eq=False)
class Metered:
    balance: Float32Array
    """(3,) factors of blue, green, red."""
    gain: float


def develop(
    film: Float32Array, straight: Float32Array, plan: LensPlan, rng: Rng, metered: Metered | None = None
) -> Image:
    """The picture (h, w, 3) BGR from the light (h + pad, w + pad, 3) RGB on the film.

    With `metered`, that of another picture, it is neither lighter nor of another colour than that one.
    """
    light = _light_of(film, straight)
    found = metered or _metered(light, plan)
    light *= found.balance
    light *= np.float32(found.gain) * _vignette((straight.shape[1], straight.shape[0]), plan.vignette)
    light = np.asarray(cv2.GaussianBlur(light, (0, 0), plan.blur_px), dtype=np.float32)
    sigma = np.sqrt(plan.read_noise**2 + plan.shot_noise**2 * light)
    light += sigma * _grain(light.shape, rng)
    return _toned(light, plan)


def meter(film: Float32Array, straight: Float32Array, plan: LensPlan) -> Metered:
    return _metered(_light_of(film, straight), plan)


def _light_of(film: Float32Array, straight: Float32Array) -> Float32Array:
    """(h, w, 3) the light for every pixel, in blue, green, red."""
    height, width = straight.shape[:2]
    pad = film_pad(straight, (width, height))
    light = without_sparks(np.ascontiguousarray(film[..., ::-1]))
    light = np.asarray(cv2.remap(light, straight + np.float32(pad), None, cv2.INTER_CUBIC), dtype=np.float32)  # type: ignore[call-overload]
    return np.maximum(light, 0)


def _metered(light: Float32Array, plan: LensPlan) -> Metered:
    means = light.mean(axis=(0, 1)) + 1e-9
    balance = ((means.mean() / means) ** plan.balance * np.array(plan.tint)).astype(np.float32)
    grey = (light * balance).mean(axis=2)
    level = float(np.exp(np.log(grey + 1e-4 * means.mean()).mean()))
    return Metered(balance, min(plan.exposure / level, BRIGHTEST / float(np.percentile(grey, 95))))


def without_sparks(light: Float32Array) -> Float32Array:
    """The light without single bright pixels, whose few paths met a lamp by way of a mirror: no lens sees those."""
    light = np.nan_to_num(light, nan=0.0, posinf=0.0)
    light = np.minimum(light, 30 * light.mean()).astype(np.float32)
    usual = np.asarray(cv2.medianBlur(light, 3), dtype=np.float32)
    spark = light.max(axis=2) > SPARK * usual.max(axis=2) + 0.05 * light.mean()
    return np.where(spark[..., None], usual, light)


def _toned(light: Float32Array, plan: LensPlan) -> Image:
    """sRGB's curve with a soft shoulder and some contrast, then sharpened as phones do."""
    light = np.clip(light, 0, None)
    light = np.where(light < 0.8, light, 0.8 + 0.2 * (1 - np.exp(-(light - 0.8) / 0.2)))
    value = np.where(light < 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    value = value + plan.contrast * (value * value * (3 - 2 * value) - value)
    value = np.asarray(value, dtype=np.float32)
    value += plan.sharpen * (value - cv2.GaussianBlur(value, (0, 0), 1.2))
    return np.asarray(np.clip(255 * value + 0.5, 0, 255).astype(np.uint8))


def _grain(shape: tuple[int, ...], rng: Rng) -> Float32Array:
    """Noise of standard deviation 1, a little blotchy as after demosaicing."""
    noise = rng.standard_normal(shape, dtype=np.float32)
    blotchy = np.asarray(cv2.GaussianBlur(noise, (0, 0), 0.7), dtype=np.float32)
    return np.asarray(blotchy / blotchy.std(), dtype=np.float32)


def _vignette(size_px: tuple[int, int], loss: float) -> Float32Array:
    xs = np.linspace(-1, 1, size_px[0], dtype=np.float32)[None]
    ys = np.linspace(-1, 1, size_px[1], dtype=np.float32)[:, None] * (size_px[1] / size_px[0])
    factor = 1 - loss * (xs**2 + ys**2) / (1 + (size_px[1] / size_px[0]) ** 2)
    return np.asarray(factor[..., None], dtype=np.float32)
