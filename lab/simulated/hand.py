"""A player's hand as the camera sees it: traced once per grip, then moved over the table as a relief."""

from __future__ import annotations

import dataclasses
import functools

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated import anatomy
from lab.simulated.anatomy import ARM_MM, Grip, Limb
from lab.simulated.arrays import BoolArray, Float32Array, Rng
from lab.simulated.light import GAMMA, Light, display, linear
from lab.simulated.style import HandStyle
from lab.simulated.texture import noise

PLANE_MM = 45.0
"""Millimetres above the fingertips of the plane that carries the relief."""
FRONT_MM, SIDE_MM, TOP_MM = -60.0, 110.0, 125.0
"""Millimetres: the relief extends from FRONT_MM to `ARM_MM` and SIDE_MM to both sides; no part is above TOP_MM."""
_STRIP_MM = 60.0
_STEPS = 28


@dataclasses.dataclass(frozen=True, eq=False)
class Relief:
    """A hand in one grip, seen along one direction, on the carrying plane."""

    colour: NDArray[np.uint8]
    """(h, w, 3) pixel values multiplied by cover."""
    clear: NDArray[np.uint8]
    """(h, w, 3) share left of the pixels behind it, in 255ths."""
    shade: NDArray[np.uint8]
    """(h, w) share of pixel values left by its shadow, in 255ths, as the lamp sees it."""
    scale: float
    """Texels per millimetre; the texel (0, 0) is at u = FRONT_MM, v = -SIDE_MM, and u runs along columns."""


def carve(
    style: HandStyle, grip: Grip, view: Float32Array, light: Light, towards: Float32Array, scale: float, seed: int
) -> Relief:
    """The relief of a hand.

    `view` is the camera's horizontal millimetres per millimetre of descent in the world, `towards` (2,) the unit
    vector from fingertips to elbow, by which light and view are turned into the hand's frame.
    """
    axes = np.stack([towards, np.array([-towards[1], towards[0]]) * (-1 if style.left else 1)]).astype(np.float32)
    body = grip, style.bare_mm, style.size, scale
    skin, points, normals, sleeve = _traced(*body, *(axes @ view).tolist())
    world = normals.copy()
    world[:, :2] = normals[:, :2] @ axes
    rng = np.random.default_rng(seed)
    lit = _shaded(style, grip, points, normals, world, sleeve, light, skin, rng)
    picture = np.zeros((*skin.shape, 3), dtype=np.float32)
    picture[skin] = display(lit * light.exposure)
    cover = cv2.GaussianBlur(skin.astype(np.float32), (0, 0), 0.7)
    # Colour is spread over the rim, so that the soft edge is not black.
    spread = (
        cv2.GaussianBlur(picture, (0, 0), 1.0)
        / np.maximum(cv2.GaussianBlur(skin.astype(np.float32), (0, 0), 1.0), 1e-3)[..., None]
    )
    picture = np.where(skin[..., None], picture, spread) * cover[..., None]
    clear = np.asarray(np.rint(255 * (1 - cover)), dtype=np.uint8)
    lean = light.lamps[0].lean(*light.centre_mm)
    dark = _shadow(*body, *(axes @ lean).tolist()).astype(np.float32)
    soft = light.lamps[0].size_mm / light.lamps[0].distance_mm * 2
    near, far = (cv2.GaussianBlur(dark, (0, 0), scale * spread_mm) for spread_mm in (1.0 + 20 * soft, 3 + 60 * soft))
    us = np.arange(dark.shape[1], dtype=np.float32)[None] / np.float32(scale) + FRONT_MM
    mix = np.clip((us - 15) / 90, 0, 1)
    # The arm also blocks part of the ambient light.
    left = 1 - (0.93 * light.share(0) + 0.05) * (near * (1 - mix) + far * mix)
    shade = np.asarray(np.rint(255 * left ** (1 / GAMMA)), dtype=np.uint8)
    colour = np.asarray(np.clip(picture + 0.5, 0, 255), dtype=np.uint8)
    return Relief(colour, np.dstack([clear, clear, clear]), shade, scale)


KEPT = 8
"""Hands that are kept once traced, though their table is gone: two players' with both grips, twice."""


@functools.lru_cache(maxsize=KEPT)
def _traced(
    grip: Grip, bare_mm: float, size: float, scale: float, along: float, across: float
) -> tuple[BoolArray, Float32Array, Float32Array, BoolArray]:
    """Which texels hit the hand, and for those in row order: points, normals, whether it is sleeve."""
    strips = _strips(anatomy.limb(grip, bare_mm, size), scale, np.array([along, across], dtype=np.float32))
    shape = (*strips[0][1].shape[:1], sum(found.shape[1] for _, found, _ in strips))
    points, normals = np.zeros((*shape, 3), np.float32), np.zeros((*shape, 3), np.float32)
    hit, sleeve = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    left = 0
    for limb, found, where in strips:
        part = (slice(None), slice(left, left + found.shape[1]))
        left += found.shape[1]
        hit[part] = found
        points[part][found] = where.T
        normals[part][found] = _slope_of(limb, where).T
        if limb.sleeve:
            sleeve[part][found] = limb.sleeve_distance(where) < limb.skin_distance(where)
    result = hit, points[hit], normals[hit], sleeve[hit]
    for one in result:
        one.flags.writeable = False
    return result


@functools.lru_cache(maxsize=KEPT)
def _shadow(grip: Grip, bare_mm: float, size: float, scale: float, along: float, across: float) -> BoolArray:
    """Which texels hit the hand."""
    strips = _strips(anatomy.limb(grip, bare_mm, size), scale, np.array([along, across], dtype=np.float32))
    return np.hstack([found for _, found, _ in strips])


def _strips(whole: Limb, scale: float, slope: Float32Array) -> list[tuple[Limb, BoolArray, Float32Array]]:
    """Sphere tracing along parallel rays, in strips so that each ray meets few bones.

    For each strip the limb near it, which of its texels hit, and where (3, n).
    """
    rows, columns = round(2 * SIDE_MM * scale), round((ARM_MM - FRONT_MM) * scale)
    wide = max(round(_STRIP_MM * scale), 1)
    way = np.array([[slope[0]], [slope[1]], [-1]], dtype=np.float32)
    vs = np.arange(rows) / scale - SIDE_MM
    strips = []
    for left in range(0, columns, wide):
        us = np.arange(left, min(left + wide, columns)) / scale + FRONT_MM
        aside_mm = abs(slope[0]) * TOP_MM + 12
        limb = whole.near(us[0] - aside_mm, us[-1] + aside_mm)
        flat = np.stack([*np.meshgrid(us, vs), np.full((rows, len(us)), PLANE_MM)]).astype(np.float32)
        where = _march(flat.reshape(3, -1) - way * np.float32(TOP_MM - PLANE_MM), way, limb)
        found = np.isfinite(where[0])
        strips.append((limb, found.reshape(rows, -1), where[:, found]))
    return strips


def _march(start: Float32Array, way: Float32Array, limb: Limb) -> Float32Array:
    """(3, n) points where rays from (3, n) points along (3, 1) meet the hand; infinite where they do not."""
    length = float(np.linalg.norm(way))
    drop = np.full(start.shape[1], np.inf, dtype=np.float32)
    alive, depth, here = np.arange(start.shape[1]), np.zeros(start.shape[1], dtype=np.float32), start
    for _ in range(_STEPS):
        away = limb.distance(here)
        close = away < 0.4
        drop[alive[close]] = depth[close]
        depth = depth + away / length
        going = ~close & (depth < TOP_MM)
        alive, depth = alive[going], depth[going]
        if not len(alive):
            break
        here = start[:, alive] + way * depth
    return np.asarray(start + way * drop, dtype=np.float32)


def _slope_of(limb: Limb, points: Float32Array) -> Float32Array:
    """(3, n) unit normals of the surface at (3, n) points, by differences over a tetrahedron."""
    corners = np.array([[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [1, 1, 1]], dtype=np.float32)
    normals = np.zeros_like(points)
    for corner in corners[:, :, None]:
        normals += corner * limb.distance(points + np.float32(0.6) * corner)
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=0), 1e-6), dtype=np.float32)


def _shaded(
    style: HandStyle,
    grip: Grip,
    points: Float32Array,
    normals: Float32Array,
    world: Float32Array,
    sleeve: BoolArray,
    light: Light,
    mask: BoolArray,
    rng: Rng,
) -> Float32Array:
    """(n, 3) linear light of the texels in the mask."""
    size_px = (mask.shape[1], mask.shape[0])
    height = np.zeros(mask.shape, dtype=np.float32)
    height[mask] = points[:, 2]
    smooth = cv2.GaussianBlur(height, (0, 0), 7) / np.maximum(
        cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 7), 0.05
    )
    hollow = np.clip((smooth - height)[mask] / 26, 0, 0.6)[:, None]
    mottle = (noise(size_px, (9, 9), rng) + 0.7 * noise(size_px, (3, 3), rng))[mask][:, None]
    world = world.copy()
    ripple = noise(size_px, (26, 8), rng)
    lumps = cv2.Sobel(ripple, cv2.CV_32F, 1, 0)[mask], cv2.Sobel(ripple, cv2.CV_32F, 0, 1)[mask]
    strength = np.where(sleeve, 0.35, 0.05).astype(np.float32)
    world[:, 0] += strength * lumps[0]
    world[:, 1] += strength * lumps[1]
    world /= np.linalg.norm(world, axis=1, keepdims=True)
    place = np.array([*light.centre_mm, 60.0], dtype=np.float32) + 0 * points
    hard, soft = light.diffuse(place, world, 0.05), light.diffuse(place, world, 0.45)
    skin = _skin_colour(style, grip, points, normals) * (1 + 0.05 * mottle)
    # Light spreads through skin, red the farthest.
    creep = np.array([0.15, 0.35, 0.85], dtype=np.float32)
    lit_skin = skin * (hard + creep * (soft - hard))
    eye = place + np.array([0, 300, 600], dtype=np.float32)
    lit_skin += 0.035 * light.mirrored(place, world, eye, 14)
    weave = 1 + 0.12 * noise(size_px, (2.0, 2.0), rng)[mask][:, None] + 0.10 * mottle
    lit_cloth = linear(style.sleeve) * weave * (0.85 * hard + 0.15 * soft)
    return np.asarray(np.where(sleeve[:, None], lit_cloth, lit_skin) * (1 - hollow), dtype=np.float32)


def _skin_colour(style: HandStyle, grip: Grip, points: Float32Array, normals: Float32Array) -> Float32Array:
    colour = np.broadcast_to(linear(style.skin), points.shape).copy()
    size = np.float32(style.size)
    flush = np.zeros(len(points), dtype=np.float32)
    for joint in anatomy.knuckles(grip) * size:
        flush += np.exp(-((points - joint) ** 2).sum(axis=1) / np.float32(90 * size**2))
    # Fingertips carry more blood than the back of the hand.
    flush = np.clip(flush + 0.8 * np.exp(-((points[:, 0] / 30) ** 2)), 0, 1)
    colour *= 1 - flush[:, None] * np.array([0.22, 0.16, 0.03], dtype=np.float32)
    for centre, along in anatomy.nails(grip):
        offset = points - centre * size
        forward = offset @ along
        aside = np.sqrt(np.clip((offset**2).sum(axis=1) - forward**2, 0, None))
        up = normals[:, 2] - 0.3 * np.abs(normals @ along)
        nail = (np.abs(forward) < 6.5 * size) & (aside < 9 * size) & (up > 0.62)
        colour[nail] = colour[nail] * np.array([1.22, 1.16, 1.06], dtype=np.float32) + np.float32(0.03)
    return np.asarray(np.clip(colour, 0, 1), dtype=np.float32)
