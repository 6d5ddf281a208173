"""Pieces of path-traced tables: shapes, materials and colours."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import BoolArray, FloatArray, Rng
from lab.simulated.light import linear
from lab.simulated.style import Colour
from lab.train.pathtraced_chessmen import ChessForms, random_forms
from lab.train.pathtraced_mesh import Mesh, joined, lathe
from lab.train.textures import as_colour

Kind = Literal["disc", "domed", "lens", "tall", "pawn", "ring", "coin", "button", "glass", "chess"]
KINDS: tuple[Kind, ...] = get_args(Kind)[:-1]
"""Kinds of sets whose pieces of a side are alike."""
SHARES = (0.32, 0.14, 0.16, 0.06, 0.05, 0.06, 0.08, 0.06, 0.07)
"""Share of each kind."""
STONE_SHARE = 0.65
"""Share of lens-shaped stones in games on crossings of a narrow grid, overriding SHARES."""
METALS: dict[str, tuple[Colour, ...]] = {
    "light": ((190, 200, 206), (150, 196, 214), (200, 204, 206)),
    "dark": ((50, 82, 142), (40, 60, 96), (58, 60, 64)),
}
"""Blue, green, red of worn coins: silver, brass, nickel; copper, bronze, gun metal."""
CHESS_COLOURS: tuple[tuple[Colour, Colour], ...] = (
    ((196, 220, 234), (30, 30, 32)),
    ((214, 230, 238), (34, 36, 44)),
    ((136, 184, 214), (34, 34, 38)),
    ((136, 184, 214), (34, 48, 88)),
    ((120, 170, 206), (36, 60, 112)),
    ((150, 196, 222), (30, 40, 66)),
    ((104, 150, 192), (44, 66, 104)),
    ((176, 206, 226), (36, 34, 104)),
    ((226, 232, 236), (40, 36, 150)),
    ((220, 226, 230), (120, 80, 40)),
    ((120, 160, 190), (24, 24, 26)),
    ((96, 140, 188), (50, 76, 124)),
    ((66, 100, 152), (30, 30, 34)),
    ((70, 112, 170), (36, 44, 76)),
)
"""Usual colours of chess sets, blue, green, red: white's, then black's."""
USUAL_CHESS = 0.85
KING_FOOT = 0.58, 0.86
"""Diameter of a king's foot, as a share of a square's side."""
FACES_DEG = 18.0
"""Standard deviation of a knight's look from where its side's knights look."""


@dataclasses.dataclass(frozen=True)
class MenLook:
    kind: Kind
    radius_mm: float
    height_mm: float
    bevel_mm: float
    rings: int
    """Grooves in the face."""
    roughness: float
    """0 polished to 1 matt."""
    coat: float
    """Strength of a clear lacquer, 0 to 1."""
    metal: bool
    grain: float
    """Difference between pieces, and between neighbouring fibres of wood; 0 to 1."""
    two_sided: bool
    """Whether the lower half has the other side's colour, as in reversi's discs."""
    colours: dict[str, Colour]
    forms: ChessForms | None = None
    """The shapes of chess men; None where the pieces of a side are alike."""
    kinds: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What kind of chess man a letter is."""

    def bsdf(self) -> dict[str, Any]:
        return {
            "type": "principled",
            "base_color": {"type": "mesh_attribute", "name": "vertex_color"},
            "roughness": self.roughness,
            "metallic": 1.0 if self.metal else 0.0,
            "specular": 0.5,
            "clearcoat": self.coat,
            "clearcoat_gloss": 0.9,
            **({"spec_trans": 0.92} if self.kind == "glass" else {}),
        }


def random_men(rng: Rng, diameter_mm: float, colours: dict[str, Colour], game: str, board: Colour) -> MenLook:
    """A random set; `diameter_mm` is the template's, `colours` are by class letter, `board` lies under them."""
    kind: Kind = KINDS[int(rng.choice(len(KINDS), p=SHARES))]
    if game == "gomoku" and rng.random() < STONE_SHARE:
        kind = "lens"
    radius = diameter_mm / 2 * float(rng.uniform(0.72, 1.08))
    low, high = {
        "disc": (0.14, 0.5), "domed": (0.2, 0.5), "lens": (0.3, 0.5), "tall": (0.6, 1.0), "pawn": (0.9, 1.4),
        "ring": (0.12, 0.3), "coin": (0.07, 0.11), "button": (0.1, 0.2), "glass": (0.25, 0.5),
    }[kind]  # fmt: skip
    metal = kind == "coin" or (kind == "ring" and rng.random() < 0.5)
    if metal:
        shades = zip(colours, ("light", "dark"), strict=False)
        colours = {letter: METALS[shade][int(rng.integers(len(METALS[shade])))] for letter, shade in shades}
    elif rng.random() < 0.18:
        colours = _faint(colours, board, rng)
    wooden = kind in ("disc", "tall", "pawn", "domed") and rng.random() < 0.35
    return MenLook(
        kind=kind,
        radius_mm=radius,
        height_mm=2 * radius * float(rng.uniform(low, high)),
        bevel_mm=float(rng.uniform(0.3, 2.2)),
        rings=int(rng.integers(1, 4)) if kind == "disc" and rng.random() < 0.55 else 0,
        roughness=float(
            rng.uniform(0.15, 0.4) if metal else rng.uniform(0.02, 0.08) if kind == "glass" else rng.uniform(0.12, 0.75)
        ),
        coat=float(rng.uniform(0, 1)) if not metal and rng.random() < 0.4 else 0.0,
        metal=metal,
        grain=float(rng.uniform(0.3, 1)) if wooden or metal else float(rng.uniform(0, 0.15)),
        two_sided=game == "reversi" and kind in ("disc", "domed", "coin", "button") and rng.random() < 0.75,
        colours=colours,
    )


def one_man(look: MenLook, letter: str, rng: Rng) -> Mesh:
    """A piece standing on z = 0 at the origin."""
    segments = 32 if look.radius_mm < 12 else 48
    mesh = lathe(profile(look), segments) if look.forms is None else look.forms.man(look.kinds[letter], look.height_mm)
    base = linear(look.colours.get(letter, (150.0, 150.0, 150.0)))[::-1].astype(np.float64)
    if look.kind == "glass":
        base = base**0.5 * 0.97  # light goes through twice
    base = base * (1 + 0.12 * look.grain * rng.normal()) * (1 + 0.04 * look.grain * rng.normal(size=3))
    colours = np.broadcast_to(base, mesh.places.shape).copy()
    if look.two_sided:
        other = next((key for key in look.colours if key != letter), letter)
        below = mesh.places[:, 2] < 0.48 * look.height_mm
        colours[below] = linear(look.colours[other])[::-1]
    if look.grain > 0.2 and not look.metal:
        colours *= 1 + 0.25 * look.grain * _fibres(mesh.places, look.radius_mm, rng)[:, None]
    if look.kind == "button":
        colours[_holes(mesh.places, look.radius_mm)] *= 0.08
    mesh = mesh.coloured(np.clip(colours, 0.002, 0.98))
    return _embossed(mesh, look, rng) if look.kind == "coin" else mesh


def random_chess_men(rng: Rng, pitch_mm: float, colours: dict[str, Colour], template: BoardTemplate) -> MenLook:
    """A random chess set for squares of that side; `colours` are those of the two classes."""
    forms = random_forms(rng)
    foot = pitch_mm * float(rng.uniform(*KING_FOOT))
    if rng.random() < USUAL_CHESS:
        gain = np.exp(rng.normal(0, 0.12, (2, 1)) + rng.normal(0, 0.04, (2, 3)))
        pair = np.clip(np.array(CHESS_COLOURS[int(rng.integers(len(CHESS_COLOURS)))]) * gain, 8, 250)
        colours = {"W": as_colour(pair[0]), "B": as_colour(pair[1])}
    wooden = rng.random() < 0.5
    return MenLook(
        kind="chess",
        radius_mm=foot / 2,
        height_mm=float(np.clip(foot / forms.foot, 0.9 * pitch_mm, 2.2 * pitch_mm)),
        bevel_mm=0.0,
        rings=0,
        roughness=float(rng.uniform(0.1, 0.7)),
        coat=float(rng.uniform(0, 1)) if rng.random() < 0.4 else 0.0,
        metal=False,
        grain=float(rng.uniform(0.2, 0.8)) if wooden else float(rng.uniform(0, 0.1)),
        two_sided=False,
        colours={letter: colours[figure.seen] for letter, figure in template.figures.items()},
        forms=forms,
        kinds={letter: figure.name for letter, figure in template.figures.items()},
    )


def looking(
    men: list[tuple[str, float, float, float]], template: BoardTemplate, rng: Rng
) -> list[tuple[str, float, float, float]]:
    """Chess men turned as people put them: the men of a side look one way, across or aside; some stand anyhow."""
    ahead = float(rng.choice([np.pi / 2, -np.pi / 2, 0.0, np.pi]) + rng.normal(0, 0.2))
    anyhow, spread = rng.random() < 0.25, np.radians(FACES_DEG)
    turned = []
    for letter, x, y, turn in men:
        own = ahead + (np.pi if template.figures[letter].seen == "B" else 0.0) + float(rng.normal(0, spread))
        turned.append((letter, x, y, turn if anyhow else own))
    return turned


def profile(look: MenLook) -> FloatArray:
    """(n, 2) radius and height of the outline, up the outside and in over the top."""
    radius, height = look.radius_mm, look.height_mm
    if look.kind == "lens":
        bends = np.linspace(-np.pi / 2, np.pi / 2, 26)
        return np.stack([radius * np.cos(bends), height / 2 * (1 + np.sin(bends))], axis=1)
    if look.kind in ("domed", "glass"):
        wall_mm = 0.25 * height
        bends = np.linspace(0, np.pi / 2, 18)
        dome = np.stack([radius * np.cos(bends), wall_mm + (height - wall_mm) * np.sin(bends)], axis=1)
        foot = np.array([[0.0, 0.0], [0.96 * radius, 0.0], [radius, 0.06 * height]])
        return np.concatenate([foot if look.kind == "glass" else foot[1:], dome])
    if look.kind == "pawn":
        return _pawn(radius, height)
    bevel = min(look.bevel_mm, 0.3 * height, 0.2 * radius)
    bends = np.linspace(0, np.pi / 2, 6)
    edge = np.stack([radius - bevel * (1 - np.cos(bends)), height - bevel * (1 - np.sin(bends))], axis=1)
    wall = np.array([[radius, 0.0], [radius, 0.3 * height], [radius, 0.47 * height], [radius, 0.49 * height]])
    if look.kind == "ring":
        inner = float(0.42 * radius)
        back = np.stack([inner + bevel * (1 - np.sin(bends)), height - bevel * (1 - np.cos(bends))], axis=1)
        return np.concatenate([wall, edge, back, [[inner, 0.0]]])
    distance = np.linspace(radius - bevel - 0.05, 0, 34 if look.kind in ("coin", "button") else 26)
    return np.concatenate([wall, edge, np.stack([distance, height + _relief(distance, look)], axis=1)])


def _relief(distance: FloatArray, look: MenLook) -> FloatArray:
    """Height over the face's rim: grooves, a coin's or a button's raised edge."""
    share = distance / look.radius_mm
    rise = np.zeros_like(distance)
    if look.kind in ("coin", "button"):
        depth = 0.12 if look.kind == "coin" else 0.3
        rise -= depth * look.height_mm / (1 + np.exp((share - 0.82) / 0.02))
    for ring in range(look.rings):
        middle = 0.86 - 0.2 * ring
        rise -= min(0.9, 0.15 * look.height_mm) * np.exp(-(((share - middle) / 0.035) ** 2))
    return rise


def _pawn(radius: float, height: float) -> FloatArray:
    head = 0.42 * radius
    bends = np.linspace(-1.0, np.pi / 2, 14)
    ball = np.stack([head * 1.15 * np.cos(bends), height - head * 1.15 * (1 - np.sin(bends))], axis=1)
    body = np.array([[1, 0], [1, 0.1], [0.95, 0.15], [0.72, 0.22], [0.5, 0.36], [0.38, 0.5], [0.36, 0.58]])
    return np.concatenate([body * (radius, height), ball[ball[:, 1] > 0.6 * height]])


def _fibres(places: FloatArray, radius: float, rng: Rng) -> FloatArray:
    """(n,) -1 to 1, stripes along x as in wood."""
    total, phase = np.zeros(len(places)), rng.uniform(0, 2 * np.pi, 4)
    for index, wave in enumerate((9.0, 17.0, 31.0, 6.0)):
        bend = 0.3 * np.sin(2 * places[:, 0] / radius + phase[index])
        total += np.sin(wave * (places[:, 1] / radius + bend * 0.2 + 0.4 * places[:, 2] / radius) + phase[index])
    return total / 4


def _holes(places: FloatArray, radius: float) -> BoolArray:
    spots = 0.24 * radius * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    away = np.linalg.norm(places[:, None, :2] - spots, axis=2).min(axis=1)
    return np.asarray(away < 0.13 * radius)


def _embossed(mesh: Mesh, look: MenLook, rng: Rng) -> Mesh:
    """Normals that lean as on a coin's head and letters."""
    waves = rng.normal(0, 7 / look.radius_mm, (6, 2))
    phase = rng.uniform(0, 2 * np.pi, 6)
    angle = mesh.places[:, :2] @ waves.T + phase
    slope = (np.cos(angle) @ waves) * look.radius_mm * 0.012
    on_face = (mesh.normals[:, 2] > 0.9)[:, None]
    normals = mesh.normals - on_face * np.column_stack([slope, np.zeros(len(slope))])
    return dataclasses.replace(mesh, normals=normals / np.linalg.norm(normals, axis=1, keepdims=True))


def _faint(colours: dict[str, Colour], board: Colour, rng: Rng) -> dict[str, Colour]:
    """Makes one side's pieces nearly as light as the board, if the other side's stay clearly lighter or darker."""
    letters = list(colours)
    which = int(rng.integers(0, len(letters)))
    near = np.clip(np.array(board) * rng.uniform(0.85, 1.15, 3), 6, 252)
    changed = colours | {letters[which]: as_colour(near)}
    light, dark = (float(linear(changed[letter]).mean()) for letter in letters[:2])
    return changed if light > 2.5 * dark else colours


def all_men(look: MenLook, men: list[tuple[str, float, float, float]], height_mm: Any, rng: Rng) -> Mesh | None:
    """Pieces at (letter, x, y, turn) in the right-handed frame, on a board of that height; None if there are none."""
    placed = [
        one_man(look, letter, rng).placed((x, y, float(height_mm(np.array([[x, y]]))[0])), turn)
        for letter, x, y, turn in men
    ]
    return joined(placed) if placed else None
