"""Chess men of path-traced tables: turned bodies with the heads of many cuts of the Staunton pattern.

Lengths are shares of the king's height; a man stands on z = 0 and looks along x.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from lab.simulated.arrays import FloatArray, Rng
from lab.train.pathtraced_mesh import Mesh, block, joined, lathe

SEGMENTS = 32
HEIGHTS = {"king": (1.0, 1.0), "queen": (0.8, 0.97), "bishop": (0.64, 0.83), "knight": (0.58, 0.8),
           "rook": (0.5, 0.68), "pawn": (0.42, 0.6)}  # fmt: skip
"""Least and greatest height of each kind."""
FEET = {"king": (1.0, 1.0), "queen": (0.9, 1.02), "bishop": (0.76, 0.94), "knight": (0.8, 0.98),
        "rook": (0.78, 0.98), "pawn": (0.64, 0.86)}  # fmt: skip
"""Least and greatest diameter of each kind's foot, as shares of the king's."""
HORSES = (
    ((-0.42, 0.0), (-0.5, 0.3), (-0.36, 0.62), (-0.12, 0.84), (-0.02, 1.0), (0.1, 0.88), (0.3, 0.76), (0.56, 0.6),
     (0.62, 0.5), (0.5, 0.42), (0.28, 0.5), (0.14, 0.46), (0.3, 0.26), (0.38, 0.0)),
    ((-0.4, 0.0), (-0.56, 0.26), (-0.52, 0.6), (-0.3, 0.86), (-0.1, 0.92), (0.0, 1.0), (0.08, 0.88), (0.34, 0.7),
     (0.6, 0.44), (0.52, 0.34), (0.3, 0.42), (0.06, 0.4), (0.26, 0.16), (0.34, 0.0)),
    ((-0.4, 0.0), (-0.44, 0.36), (-0.3, 0.74), (-0.06, 0.94), (0.06, 1.0), (0.12, 0.9), (0.36, 0.84), (0.6, 0.76),
     (0.62, 0.64), (0.38, 0.6), (0.2, 0.62), (0.24, 0.4), (0.42, 0.2), (0.44, 0.0)),
    ((-0.46, 0.0), (-0.42, 0.4), (-0.26, 0.8), (-0.02, 1.0), (0.24, 0.86), (0.52, 0.56), (0.44, 0.44), (0.16, 0.5),
     (0.22, 0.2), (0.44, 0.0)),
)  # fmt: skip
"""Outlines of heads from the neck's back over ears and nose to the chest; x along the look, both in heads' heights."""


@dataclasses.dataclass(frozen=True)
class ChessForms:
    """The proportions of one set; everything that its six kinds share."""

    heights: dict[str, float]
    feet: dict[str, float]
    """Diameters, as shares of the king's foot."""
    foot: float
    """Diameter of the king's foot, as a share of his height."""
    steps: tuple[float, float, float]
    """The plinth: height, height of its rounded step, and the share of the radius left above it."""
    waist: float
    """Least radius of the body, as a share of the foot's."""
    collars: tuple[float, ...]
    """Radii of the collars under the head, as shares of the foot's, the lowest first."""
    head: float
    """Width of the heads, as a share of the foot's."""
    crown: tuple[float, int, float]
    """The queen's coronet: flare, number of points, their depth."""
    cross: str
    """What is on the king: cross, ball, spike."""
    mitre: tuple[float, float]
    """The bishop's head: how pointed, and the depth of its cut."""
    battlements: int
    """Number of gaps in the rook's wall."""
    horse: int
    horse_thickness: float
    horse_bend: FloatArray
    """(points, 2) by how much the outline differs from `HORSES`."""

    def man(self, kind: str, king_mm: float) -> Mesh:
        """A man of a king's height in millimetres."""
        height, radius = self.heights[kind], self.feet[kind] * self.foot / 2
        neck = {"pawn": 0.56, "rook": 0.6, "knight": 0.3, "bishop": 0.54, "queen": 0.66, "king": 0.62}[kind]
        build = getattr(self, f"_{kind}")
        mesh: Mesh = build(height, radius, height * neck)
        return mesh.placed((0.0, 0.0, 0.0), 0.0, king_mm)

    def _body(self, radius: float, neck: float, top: float, collars: int) -> FloatArray:
        """(n, 2) radius and height from the foot up to the neck, at whose end the radius is `top`."""
        plinth, step, left = self.steps
        plinth, step = min(plinth, 0.25 * neck), min(step, 0.18 * neck)
        bends = np.linspace(-np.pi / 2, np.pi / 2, 7)
        ring = np.stack(
            [left * radius + (1 - left) * radius * np.cos(bends), plinth + step * (np.sin(bends) + 1) / 2], 1
        )
        foot = np.array([[radius, 0.0], [radius, 0.75 * plinth], [0.97 * radius, plinth]])
        low = plinth + step
        share = np.linspace(0, 1, 12)[1:]
        waist = min(self.waist * radius, 1.2 * top)
        flare = (1 - share) ** 2.2
        stem = np.stack(
            [waist + (0.8 * left * radius - waist) * flare + (top - waist) * share**3, low + (neck - low) * share], 1
        )
        rims = []
        thick = 0.045 * neck + 0.008
        for number, wide in enumerate(self.collars[:collars]):
            middle = neck + thick * (number + 0.5)
            rims.append(np.stack([top + (wide * radius - top) * np.cos(bends), middle + thick / 2 * np.sin(bends)], 1))
        return np.concatenate([foot, ring, stem, *rims])

    def _pawn(self, height: float, radius: float, neck: float) -> Mesh:
        ball = min(self.head * radius * 1.05, (height - neck) * 0.62)
        body = self._body(radius, height - 1.9 * ball, 0.45 * radius, 1)
        bends = np.linspace(-1.1, np.pi / 2, 14)
        return lathe(
            np.concatenate([body, np.stack([ball * np.cos(bends), height - ball + ball * np.sin(bends)], 1)]), SEGMENTS
        )

    def _bishop(self, height: float, radius: float, neck: float) -> Mesh:
        body = self._body(radius, neck, 0.36 * radius, 3)
        base, point = body[-1, 1], self.mitre[0]
        ball = 0.13 * radius
        share = np.linspace(0.0, 1.0, 16)
        wide = self.head * radius * np.sin(np.pi * share**point) ** 0.75 + 0.28 * radius * (1 - share) * (share < 0.2)
        tall = height - ball - base
        head = np.stack([np.maximum(wide, 0.06 * radius), base + tall * share], 1)
        bends = np.linspace(-1.2, np.pi / 2, 7)
        top = np.stack([ball * np.cos(bends), height - ball + ball * np.sin(bends)], 1)
        mesh = lathe(np.concatenate([body, head, top]), SEGMENTS)
        # The mitre's cut: a slanting slab on one side, pressed in.
        x, z = mesh.places[:, 0], mesh.places[:, 2]
        cut = np.abs((z - base - 0.55 * tall) - 0.9 * (x - 0.3 * self.head * radius)) < 0.07 * tall
        depth = np.where(cut & (x > 0) & (z > base + 0.2 * tall), 1 - self.mitre[1], 1.0)
        return dataclasses.replace(mesh, places=mesh.places * np.stack([depth, depth, np.ones_like(depth)], 1))

    def _crowned(self, height: float, radius: float, neck: float, points: tuple[float, int, float]) -> Mesh:
        """A body with a flared head as high as `height`; the rim's outline goes up and down `points`."""
        flare, count, depth = points
        body = self._body(radius, neck, 0.38 * radius, 3)
        base = body[-1, 1]
        share = np.linspace(0, 1, 9)
        wide = radius * (0.4 + (flare - 0.4) * share**1.6)
        cup = np.stack([wide, base + (height - base) * share], 1)
        rim = flare * radius
        inside = np.array([[0.86 * rim, height], [0.7 * rim, height - 0.04], [0.0, height - 0.01]])
        mesh = lathe(np.concatenate([body, cup, inside]), SEGMENTS)
        near = (mesh.places[:, 2] > height - 0.3 * (height - base)) & (np.hypot(*mesh.places[:, :2].T) > 0.8 * rim)
        angle = np.arctan2(mesh.places[:, 1], mesh.places[:, 0])
        drop = near * depth * (height - base) * (0.5 + 0.5 * np.cos(count * angle))
        places = mesh.places - np.stack([np.zeros_like(drop), np.zeros_like(drop), drop], 1)
        return dataclasses.replace(mesh, places=places)

    def _queen(self, height: float, radius: float, neck: float) -> Mesh:
        ball = 0.16 * radius
        mesh = self._crowned(height - 1.6 * ball, radius, neck, self.crown)
        bends = np.linspace(-np.pi / 2, np.pi / 2, 8)
        dome = np.array([[0.5 * self.crown[0] * radius, height - 2.2 * ball], [0.5 * ball, height - 1.8 * ball]])
        top = lathe(
            np.concatenate([dome, np.stack([ball * np.cos(bends), height - ball + ball * np.sin(bends)], 1)]), 16
        )
        return joined([mesh, top])

    def _king(self, height: float, radius: float, neck: float) -> Mesh:
        tall = {"cross": 0.13, "ball": 0.07, "spike": 0.1}[self.cross]
        crown = height - tall
        mesh = self._crowned(crown - 0.02, radius, neck * 0.98, (self.crown[0] * 0.96, 1, 0.0))
        dome = lathe(
            np.array(
                [[0.85 * self.crown[0] * radius, crown - 0.02], [0.4 * radius, crown], [0.12 * radius, crown + 0.01]]
            ),
            16,
        )
        if self.cross == "cross":
            thick = 0.014 + 0.05 * radius
            upright = block((thick, thick), tall, 0.004, 0.003).placed((0, 0, crown))
            arms = block((thick, 0.4 * tall), 2 * thick, 0.004, 0.003).placed((0, 0, crown + 0.5 * tall))
            return joined([mesh, dome, upright, arms])
        bends = np.linspace(-np.pi / 2, np.pi / 2, 8)
        wide = tall / 2 if self.cross == "ball" else 0.07 * radius + 0.012
        top = lathe(np.stack([wide * np.cos(bends), crown + tall / 2 * (1 + np.sin(bends))], 1), 16)
        return joined([mesh, dome, top])

    def _rook(self, height: float, radius: float, neck: float) -> Mesh:
        body = self._body(radius, neck, 0.52 * radius, 1)
        base, wide = body[-1, 1], max(0.95 * self.head, 0.62) * radius
        wall = [[wide * 0.92, base + 0.02], [wide, base + 0.05], [wide, base + 0.5 * (height - base)]]
        top = [[wide, height], [0.68 * wide, height], [0.66 * wide, height - 0.06], [0.0, height - 0.06]]
        mesh = lathe(np.concatenate([body, wall, top]), SEGMENTS)
        angle = np.arctan2(mesh.places[:, 1], mesh.places[:, 0])
        gap = (np.cos(self.battlements * angle) > 0.72) & (mesh.places[:, 2] > height - 0.01)
        drop = np.where(gap, 0.05, 0.0)
        return dataclasses.replace(mesh, places=mesh.places - np.stack([0 * drop, 0 * drop, drop], 1))

    def _knight(self, height: float, radius: float, neck: float) -> Mesh:
        neck = min(neck, 0.3 * height)
        body = self._body(radius, neck, 0.62 * radius, 1)
        low = float(body[-1, 1])
        body = np.concatenate([body, [[0.0, low + 0.005]]])
        head = horse(np.array(HORSES[self.horse]) + self.horse_bend[: len(HORSES[self.horse])], self.horse_thickness)
        tall = height - low + 0.01
        scale = np.array([min(tall, 1.75 * radius), min(tall, 1.75 * radius), tall])
        return joined(
            [lathe(body, SEGMENTS), dataclasses.replace(head, places=head.places * scale + (0, 0, low - 0.01))]
        )


def horse(outline: FloatArray, thickness: float) -> Mesh:
    """A cushion over an outline (n, 2) of x and z, as thick at its middle as `thickness`."""
    smooth = _smooth(outline, 4)
    middle = np.array([smooth[:, 0].mean() - 0.04, 0.5])
    levels = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 9))
    rings = []
    for level in levels:
        shrink = (1 - abs(level) ** 3) ** 0.5 * 0.75 + 0.25 * (abs(level) < 1)
        ring = middle + (smooth - middle) * max(shrink, 0.02)
        thin = thickness / 2 * (1.15 - 0.5 * ring[:, 1])  # the nose is thinner than the neck
        rings.append(np.stack([ring[:, 0], level * thin, np.maximum(ring[:, 1], 0)], 1))
    count = len(smooth)
    places = np.concatenate(rings)
    row, along = np.meshgrid(np.arange(len(levels) - 1), np.arange(count), indexing="ij")
    a, b = row * count + along, row * count + (along + 1) % count
    c, d = b + count, a + count
    faces = np.concatenate([np.stack([a, c, b], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)])
    normals = np.zeros_like(places)
    sides = np.cross(places[faces[:, 1]] - places[faces[:, 0]], places[faces[:, 2]] - places[faces[:, 0]])
    for corner in range(3):
        np.add.at(normals, faces[:, corner], sides)
    middles = places[faces].mean(axis=1)
    if float((sides * (middles - places.mean(axis=0))).sum()) < 0:
        normals, faces = -normals, faces[:, ::-1]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    return Mesh(places, normals, faces.astype(np.uint32), np.full(places.shape, 0.5), np.zeros((len(places), 2)))


def _smooth(points: FloatArray, steps: int) -> FloatArray:
    """A closed line through the points with `steps` parts between two of them (Catmull and Rom's spline)."""
    before, after, later = (np.roll(points, -shift, axis=0) for shift in (-1, 1, 2))
    parts = []
    for t in np.arange(steps) / steps:
        parts.append(
            0.5 * (2 * points + (after - before) * t + (2 * before - 5 * points + 4 * after - later) * t**2
                   + (3 * points - before - 3 * after + later) * t**3)
        )  # fmt: skip
    return np.stack(parts, axis=1).reshape(-1, 2)


def random_forms(rng: Rng) -> ChessForms:
    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    collars = sorted((between(0.5, 0.78) for _ in range(3)), reverse=True)
    return ChessForms(
        heights={kind: between(*limits) for kind, limits in HEIGHTS.items()},
        feet={kind: between(*limits) for kind, limits in FEET.items()},
        foot=between(0.34, 0.5),
        steps=(between(0.02, 0.07), between(0.02, 0.07), between(0.6, 0.9)),
        waist=between(0.26, 0.46),
        collars=tuple(collars),
        head=between(0.52, 0.72),
        crown=(between(0.55, 0.8), int(rng.integers(6, 10)), between(0.0, 0.35)),
        cross=str(rng.choice(["cross", "ball", "spike"], p=[0.7, 0.18, 0.12])),
        mitre=(between(0.6, 1.0), between(0.0, 0.55)),
        battlements=int(rng.choice([4, 5, 6])),
        horse=int(rng.integers(len(HORSES))),
        horse_thickness=between(0.32, 0.62),
        horse_bend=rng.normal(0, 0.025, (16, 2)),
    )
