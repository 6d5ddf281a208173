"""Paints men: short cylinders and stones, traced ray by ray, with the shadows they cast."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np

from lab.simulated.arrays import BoolArray, Float32Array
from lab.simulated.camera import PinholeCamera, Region
from lab.simulated.light import GAMMA, Light, display, dot, linear
from lab.simulated.scenery import eye
from lab.simulated.style import Colour, Form, ManStyle
from lab.simulated.texture import noise

SAMPLES = 3
"""Rays along each side of a pixel."""
SLICES = 18
"""Discs of which a turned man is made."""
SHADOW = {"disc": 1.0, "stone": 0.93, "turned": 0.7}
"""Radius of the disc that casts a man's shadow, relative to the man's."""
PLAIN = Form(1.0, ((0.0, 1.0), (0.15, 0.95), (0.25, 0.6), (0.7, 0.45), (0.75, 0.65), (0.9, 0.6), (1.0, 0.2)))
"""The form of a turned man whose letter has none."""


@dataclasses.dataclass(frozen=True)
class Man:
    letter: str
    x_mm: float
    y_mm: float
    turn: float = 0.0
    """Radians; visible in the grain."""
    lift_mm: float = 0.0
    """Height of its foot above the board."""


@dataclasses.dataclass(frozen=True)
class Pawn(Man):
    """A score pawn on a printed track; its letter is the name of its colour."""


@dataclasses.dataclass(frozen=True, eq=False)
class Patch:
    region: Region
    colour: Float32Array
    """(h, w, 3) pixel values."""
    cover: Float32Array
    """(h, w, 1) opacity, 0 to 1; (h, w, 3) for clear plastic."""

    def lay(self, image: Float32Array) -> None:
        below = image[self.region.slices]
        below += self.cover * (self.colour - below)


@dataclasses.dataclass(frozen=True, eq=False)
class Shade:
    """A shadow: the share of the pixel values that it leaves."""

    region: Region
    factor: Float32Array
    """(h, w, 1)"""

    def lay(self, image: Float32Array) -> None:
        image[self.region.slices] *= self.factor


def fine_rays(camera: PinholeCamera, region: Region) -> Float32Array:
    """(SAMPLES h, SAMPLES w, 2) slopes of several rays through each pixel of a region."""
    slopes = camera.slopes[region.slices]
    size = slopes.shape[1] * SAMPLES, slopes.shape[0] * SAMPLES
    return np.asarray(cv2.resize(slopes, size, interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def shrunk(region: Region, colour: Float32Array, hit: BoolArray) -> Patch:
    """The patch of a region, from the linear light on its fine rays and whether these hit anything."""
    size = hit.shape[1] // SAMPLES, hit.shape[0] // SAMPLES
    cover = hit.astype(np.float32)
    small = cv2.resize(np.dstack([colour * cover[..., None], cover]), size, interpolation=cv2.INTER_AREA)
    alpha = small[..., 3:]
    shown = display(np.asarray(small[..., :3] / np.maximum(alpha, 1e-4), dtype=np.float32))
    return Patch(region, shown, np.asarray(alpha, dtype=np.float32))


def shaded(
    light: Light,
    albedo: Float32Array,
    world: Float32Array,
    normals: Float32Array,
    rise: Float32Array,
    eye_mm: Float32Array,
    gloss: float,
) -> Float32Array:
    """(n, 3) linear light from points in the world; `rise` is (n, 1) 0 at a piece's foot, 1 at its top."""
    lit = light.diffuse(world, normals)
    # Ambient light reaches the foot of the wall less than the face.
    lit = lit * (1 - 0.45 * (1 - normals[:, 2:]) * (1 - rise))
    gleam = light.mirrored(world, normals, eye_mm, 6 + 120 * gloss**1.5)
    return np.asarray((albedo * lit + 0.45 * gloss * gleam) * light.exposure, dtype=np.float32)


class MenPainter:
    def __init__(self, style: ManStyle, diameter_mm: float, light: Light, seed: int) -> None:
        self._style = style
        self._light = light
        self.radius_mm = diameter_mm * style.diameter / 2
        rng = np.random.default_rng(seed)
        self._grain = noise((256, 256), (60, 2.5), rng) + 0.6 * noise((256, 256), (16, 1.5), rng)

    @property
    def height_mm(self) -> float:
        return self._style.height_mm

    def region(self, camera: PinholeCamera, man: Man) -> Region | None:
        r, corners = self.radius_mm, []
        for height in (man.lift_mm, man.lift_mm + self._height_of(man)):
            corners += [(man.x_mm + dx, man.y_mm + dy, height) for dx in (-r, r) for dy in (-r, r)]
        return camera.region(np.array(corners))

    def paint(self, camera: PinholeCamera, man: Man) -> Patch | None:
        """The man as the camera sees it; None where it is out of the picture."""
        region = self.region(camera, man)
        if region is None:
            return None
        rays = fine_rays(camera, region)
        if self._style.shape == "turned":
            hit, points, normals = self._meet_turned(camera, rays, man)
        elif self._style.shape == "stone":
            hit, points, normals = self._meet_stone(camera, rays, man)
        else:
            hit, points, normals = self._meet_disc(camera, rays, man)
        colour = np.zeros((*hit.shape, 3), dtype=np.float32)
        colour[hit] = self._shaded(camera, points[hit], normals[hit], man)
        patch = shrunk(region, colour, hit)
        if self._style.clear > 0:
            through = 1 - self._style.clear * np.array(colour_of(self._style, man.letter), dtype=np.float32) / 255
            patch = dataclasses.replace(patch, cover=np.asarray(patch.cover * through, dtype=np.float32))
        return patch

    def shadow(self, camera: PinholeCamera, man: Man) -> Shade | None:
        """The man's shadow on the board: a cast shadow per lamp, and the dark rim where it stands."""
        ground = min(man.lift_mm, 0.0)  # below 0 it stands beside the board
        lift, height = man.lift_mm - ground, self._height_of(man)
        centre = np.array([man.x_mm, man.y_mm], dtype=np.float32)
        throws = [lamp.lean(man.x_mm, man.y_mm) for lamp in self._light.lamps]
        widths = [(lift + height) * 2 * lamp.size_mm / lamp.distance_mm for lamp in self._light.lamps]
        reach = self.radius_mm + max(widths) + 0.9 * height + 2
        ends = [centre, *(centre + (lift + height) * throw for throw in throws)]
        corners = [(*(end + reach * np.array(d)), ground) for end in ends for d in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        region = camera.region(np.array(corners, dtype=np.float64))
        if region is None:
            return None
        offset = camera.plane(ground, region) - centre
        left = np.ones(offset.shape[:2], dtype=np.float32)
        for index, (lamp, throw) in enumerate(zip(self._light.lamps, throws, strict=True)):
            left -= (
                self._light.share(index)
                * 0.93
                * self._cast(offset, throw, lift, height, lamp.size_mm / lamp.distance_mm)
            )
        away = np.clip(np.hypot(offset[..., 0], offset[..., 1]) - self.radius_mm, 0, None)
        left *= 1 - 0.55 * np.exp(-away / (0.25 * height)) * np.exp(-lift / height)
        return Shade(region, np.clip(left, 0.02, 1)[..., None] ** np.float32(1 / GAMMA))

    def _cast(
        self, offset: Float32Array, throw: Float32Array, lift: float, height: float, softness: float
    ) -> Float32Array:
        """The shadow of a disc swept from foot to top along the light; the higher a part, the softer its shadow."""
        rise = np.float32(height)
        start, way = throw * np.float32(lift), throw * rise
        squared = max(float((way**2).sum()), 1e-6)
        along = np.clip(((offset - start) @ way) / squared, 0, 1)
        across = offset[..., 0] - start[0] - along * way[0]
        distance = np.hypot(across, offset[..., 1] - start[1] - along * way[1])
        radius = self.radius_mm * SHADOW[self._style.shape]
        width = 0.8 + 2 * softness * (lift + along * rise)
        ramp = np.clip(0.5 - (distance - radius) / (2 * width), 0, 1)
        return np.asarray(ramp * ramp * (3 - 2 * ramp), dtype=np.float32)

    def _meet_disc(
        self, camera: PinholeCamera, rays: Float32Array, man: Man
    ) -> tuple[BoolArray, Float32Array, Float32Array]:
        """Hits of rays on a cylinder whose edge is rounded by its normals: hit, (…, 3) points, (…, 3) normals."""
        radius, height = self.radius_mm, self._style.height_mm
        at_top = camera.meet(rays, man.lift_mm + height) - np.array([man.x_mm, man.y_mm], dtype=np.float32)
        far = dot(at_top, at_top)
        on_top = far <= radius**2
        # At a depth t below the top face, the ray is at at_top + t * rays.
        a = dot(rays, rays) + np.float32(1e-9)
        b = dot(at_top, rays)
        root = b * b - a * (far - radius**2)
        drop = np.where(on_top, 0, (-b - np.sqrt(np.clip(root, 0, None))) / a)
        hit = on_top | ((root > 0) & (drop >= 0) & (drop <= height))
        place = np.asarray(at_top + drop[..., None] * rays, dtype=np.float32)
        points = np.concatenate([place, (height - drop)[..., None]], axis=-1)
        away = np.sqrt(dot(place, place))
        outward = place / np.maximum(away, 1e-3)[..., None]
        bend = self._profile(away, drop, on_top)
        normals = np.concatenate([outward * np.sin(bend)[..., None], np.cos(bend)[..., None]], axis=-1)
        return hit, np.asarray(points, np.float32), np.asarray(normals, np.float32)

    def _height_of(self, man: Man) -> float:
        style = self._style
        return style.height_mm * (style.forms.get(man.letter, PLAIN).height if style.shape == "turned" else 1.0)

    def _meet_turned(
        self, camera: PinholeCamera, rays: Float32Array, man: Man
    ) -> tuple[BoolArray, Float32Array, Float32Array]:
        """Hits of rays on a pile of discs, the highest first; the normals are those of the smooth outline."""
        form, height = self._style.forms.get(man.letter, PLAIN), self._height_of(man)
        rises, radii = np.array(form.outline, dtype=np.float64).T
        levels = np.linspace(0, 1, SLICES + 1)
        widths = np.interp((levels[1:] + levels[:-1]) / 2, rises, radii) * self.radius_mm
        slopes = np.gradient(widths, height / SLICES)
        hit = np.zeros(rays.shape[:2], dtype=np.bool_)
        points, normals = np.zeros((*hit.shape, 3), dtype=np.float32), np.zeros((*hit.shape, 3), dtype=np.float32)
        centre, a = np.array([man.x_mm, man.y_mm], dtype=np.float32), dot(rays, rays) + np.float32(1e-9)
        for number in reversed(range(SLICES)):
            top, radius = np.float32(height * levels[number + 1]), np.float32(widths[number])
            at_top = camera.meet(rays, man.lift_mm + float(top)) - centre
            far, b = dot(at_top, at_top), dot(at_top, rays)
            root = b * b - a * (far - radius**2)
            drop = np.where(far <= radius**2, 0, (-b - np.sqrt(np.clip(root, 0, None))) / a)
            new = ~hit & ((far <= radius**2) | ((root > 0) & (drop >= 0) & (drop <= height / SLICES)))
            place = np.asarray((at_top + drop[..., None] * rays)[new], dtype=np.float32)
            outward = place / np.maximum(np.sqrt(dot(place, place)), 1e-3)[:, None]
            slant = np.column_stack([outward, np.full(len(place), -slopes[number], dtype=np.float32)])
            if number == SLICES - 1:
                slant[:, 2] = 2.0  # the top is rounded
            points[new] = np.column_stack([place, top - drop[new]])
            normals[new] = slant / np.linalg.norm(slant, axis=1, keepdims=True)
            hit |= new
        return hit, points, normals

    def _profile(self, distance: Float32Array, drop: Float32Array, on_top: BoolArray) -> Float32Array:
        """Radians by which the surface leans outwards: face with rim and grooves, rounded edge, vertical wall."""
        style, bevel = self._style, max(self._style.bevel_mm, 0.1)
        bend = np.clip((distance - (self.radius_mm - bevel)) / bevel, 0, 1) * (np.pi / 4)
        width = 0.05 * self.radius_mm
        grooves = np.zeros_like(distance)
        if style.rim > 0:
            inner = 0.80 * self.radius_mm
            grooves -= 0.9 * style.rim * np.exp(-(((distance - inner) / width) ** 2))
        for ring in range(style.rings):
            middle = self.radius_mm * (0.30 + 0.34 * (ring + 0.5) / style.rings)
            step = (distance - middle) / (0.8 * width)
            grooves += 1.1 * step * np.exp(-(step**2))
        upright = np.pi / 2 - np.clip(1 - drop / bevel, 0, 1) * (np.pi / 4)
        return np.asarray(np.where(on_top, bend + grooves, upright), dtype=np.float32)

    def _meet_stone(
        self, camera: PinholeCamera, rays: Float32Array, man: Man
    ) -> tuple[BoolArray, Float32Array, Float32Array]:
        radius, half = self.radius_mm, self._style.height_mm / 2
        middle = camera.meet(rays, man.lift_mm + half) - np.array([man.x_mm, man.y_mm], dtype=np.float32)
        # With t the descent below the middle: |middle + t rays|² / radius² + t² / half² = 1.
        a = dot(rays, rays) / radius**2 + 1 / half**2
        b = dot(middle, rays) / radius**2
        root = b * b - a * (dot(middle, middle) / radius**2 - 1)
        drop = (-b - np.sqrt(np.clip(root, 0, None))) / a
        place = middle + drop[..., None] * rays
        slant = np.concatenate([place / radius**2, (-drop / half**2)[..., None]], axis=-1)
        normals = slant / np.maximum(np.sqrt(dot(slant, slant)), 1e-9)[..., None]
        points = np.concatenate([place, (half - drop)[..., None]], axis=-1)
        return root > 0, np.asarray(points, np.float32), np.asarray(normals, np.float32)

    def _shaded(self, camera: PinholeCamera, points: Float32Array, normals: Float32Array, man: Man) -> Float32Array:
        """(n, 3) linear light from points relative to the man's foot."""
        style = self._style
        world = points + np.array([man.x_mm, man.y_mm, man.lift_mm], dtype=np.float32)
        rise = np.clip(points[:, 2:] / self._height_of(man), 0, 1)
        return shaded(self._light, self._albedo(points, normals, man), world, normals, rise, eye(camera), style.gloss)

    def _albedo(self, points: Float32Array, normals: Float32Array, man: Man) -> Float32Array:
        style = self._style
        base = linear(colour_of(style, man.letter))
        albedo = np.asarray(np.broadcast_to(base, (len(points), 3)), dtype=np.float32)
        if style.grain > 0:
            cos, sin = np.cos(man.turn), np.sin(man.turn)
            u = cos * points[:, 0] - sin * points[:, 1] + 7 * man.turn
            v = sin * points[:, 0] + cos * points[:, 1] + points[:, 2] + 31 * man.turn
            grain = self._grain[(v * 5).astype(int) % 256, (u * 5).astype(int) % 256]
            albedo = np.asarray(albedo * (1 + 0.3 * style.grain * grain[:, None]), dtype=np.float32)
        if style.shape == "disc" and style.rings:
            distance = np.hypot(points[:, 0], points[:, 1]) / self.radius_mm
            for ring in range(style.rings):
                middle = 0.30 + 0.34 * (ring + 0.5) / style.rings
                deep = np.exp(-(((distance - middle) / 0.035) ** 2)) * (normals[:, 2] > 0.3)
                albedo = np.asarray(albedo * (1 - 0.22 * deep[:, None]), dtype=np.float32)
        if style.holes:
            albedo = np.asarray(albedo * self._holes(points, man)[:, None], dtype=np.float32)
        return np.asarray(albedo, dtype=np.float32)

    def _holes(self, points: Float32Array, man: Man) -> Float32Array:
        """(n,) share of the light left where a button has its holes."""
        left = np.ones(len(points), dtype=np.float32)
        for turn in man.turn + 2 * np.pi * np.arange(self._style.holes) / self._style.holes:
            away = points[:, :2] - 0.27 * self.radius_mm * np.array([np.cos(turn), np.sin(turn)], dtype=np.float32)
            left *= 1 - 0.75 * np.clip(0.5 - 4 * (np.hypot(*away.T) / self.radius_mm - 0.12), 0, 1)
        return left


def colour_of(style: ManStyle, letter: str) -> Colour:
    """The colour of a class letter; letters that the style does not name get grey."""
    return style.colours.get(letter, (150.0, 150.0, 150.0))
