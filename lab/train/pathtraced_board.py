"""The body of a path-traced board, the table under it, and what lies around."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.camera import PinholeCamera
from lab.simulated.drawing import draw_face
from lab.simulated.light import Light, linear
from lab.simulated.style import BoardStyle, Colour, Style
from lab.simulated.texture import planks, surface
from lab.simulated.tile_painter import TilePainter
from lab.simulated.tiles import Tile
from lab.train.pathtraced_camera import is_before, seen_px
from lab.train.pathtraced_mesh import Mesh, block, in_mitsuba, joined, lathe, sheet
from lab.train.textures import as_colour

TEXELS_PER_MM = 3.0
TABLE_TEXELS_PER_MM = 1.6
TABLE_TILE_MM = 760.0
"""Millimetres on a side of the piece of table that is repeated."""
FLOOR_MM = 740.0
STAR_SHARE = 0.6
"""Share of boards with crossings that have the usual dots on some of them."""
USUAL: dict[str, tuple[tuple[Colour, Colour], ...]] = {
    "reversi": (((70, 120, 30), (56, 96, 24)), ((60, 140, 50), (50, 116, 40)), ((110, 120, 20), (90, 100, 16))),
    "gomoku": (((110, 178, 224), (84, 150, 200)), ((130, 190, 226), (104, 164, 206)), ((84, 150, 204), (64, 120, 172))),
}
"""Usual board colours of some games."""
USUAL_SHARE = 0.5
CHEQUERED: tuple[tuple[Colour, Colour], ...] = (
    ((170, 208, 230), (60, 88, 128)),
    ((200, 220, 230), (40, 62, 104)),
    ((206, 224, 232), (70, 110, 60)),
    ((214, 222, 226), (36, 36, 38)),
    ((136, 184, 214), (44, 66, 104)),
    ((110, 160, 200), (50, 76, 112)),
    ((150, 180, 196), (70, 84, 100)),
    ((186, 178, 236), (96, 124, 96)),
    ((60, 60, 200), (34, 34, 36)),
    ((220, 226, 230), (150, 96, 50)),
    ((190, 196, 200), (90, 94, 98)),
    ((190, 220, 236), (44, 50, 140)),
)
"""Usual colours of light and dark squares."""


@dataclasses.dataclass(frozen=True, eq=False)
class BoardBody:
    face: Float32Array
    """(h, w, 3) linear blue, green, red of the board's top, border included."""
    table: Float32Array
    """The same for a piece of the table."""
    style: Style
    low_mm: FloatArray
    """(2,) least x and y of the board, border included."""
    high_mm: FloatArray
    centre_mm: FloatArray
    """(3,)"""
    waves: FloatArray
    """(n, 4) height, two wave numbers and phase of each wave of a sheet that is not flat; height 0 for a rigid board.
    """

    @property
    def outline_mm(self) -> FloatArray:
        """(4, 2) corners of the board with its border, in the simulated table's frame."""
        (left, bottom), (right, top) = self.low_mm, self.high_mm
        return np.array([[left, -top], [right, -top], [right, -bottom], [left, -bottom]])

    @property
    def table_z(self) -> float:
        """Height of the table's top, below zero."""
        return -self.style.board.thickness_mm - float(np.abs(self.waves[:, 0]).sum())

    def height_mm(self, places_mm: FloatArray) -> FloatArray:
        """(n,) height of the board's face at (n, 2) places."""
        angles = places_mm @ self.waves[:, 1:3].T + self.waves[:, 3]
        return np.asarray(np.sin(angles) @ self.waves[:, 0], dtype=np.float64)

    def in_mitsuba(self, mi: Any) -> dict[str, Any]:
        board, ground = self.style.board, self.style.surface
        cells = 48 if self.waves[:, 0].any() else 1
        thick = board.thickness_mm
        if thick > 2:
            half = (self.high_mm - self.low_mm) / 2
            middle = (self.high_mm + self.low_mm) / 2
            mesh = block(half, thick, min(3.0, thick), min(1.2, 0.3 * thick)).placed((*middle, -thick))
        else:
            mesh = sheet(self.low_mm, self.high_mm, self.height_mm, cells)
        found = {
            "board": in_mitsuba(mi, "board", mesh, textured(mi, self.face, board.gloss)),
            "table": in_mitsuba(mi, "table", self._table(), textured(mi, self.table, ground.gloss, TABLE_TILE_MM)),
        }
        if board.frame_mm > 0 and thick > 2:
            colour = linear(board.accent)[::-1].astype(np.float64)
            found["rim"] = in_mitsuba(mi, "rim", self._rim().coloured(colour), plain(board.gloss))
        floor = sheet((-6e3, -6e3), (6e3, 6e3), lambda places: np.full(len(places), self.table_z - FLOOR_MM))
        colour = linear(ground.floor)[::-1].astype(np.float64)
        return found | {"floor": in_mitsuba(mi, "floor", floor.coloured(colour), plain(0.1))}

    def _table(self) -> Mesh:
        half, turn = np.array(self.style.surface.half_size_mm), np.radians(self.style.surface.angle_deg)
        mesh = sheet(-half, half, lambda places: np.zeros(len(places)))
        return mesh.placed((*self.centre_mm[:2], self.table_z), float(turn) if abs(turn) < 0.6 else 0.0)

    def _rim(self) -> Mesh:
        board = self.style.board
        width, rise = board.frame_mm, 0.8 * board.frame_mm
        size, middle = self.high_mm - self.low_mm, (self.high_mm + self.low_mm) / 2
        bars = []
        for axis in (0, 1):
            half = np.array([size[axis] / 2 + width, width / 2])
            for sign in (-1, 1):
                at = middle.copy()
                at[1 - axis] += sign * (size[1 - axis] + width) / 2
                bar = block(half, board.thickness_mm + rise, 1.0, 0.8)
                bars.append(bar.placed((*at, -board.thickness_mm), axis * np.pi / 2))
        return joined(bars)


def board_body(template: BoardTemplate, style: Style, rng: Rng) -> BoardBody:
    border = style.board.border_mm
    width, height = template.size_mm
    face = draw_face(template, style.board, TEXELS_PER_MM, rng)
    if template.game in ("gomoku", "co_ganh") and style.board.dot_mm == 0 and rng.random() < STAR_SHARE:
        _stars(face, template, style.board, rng)
    ground = style.surface
    size = (TABLE_TILE_MM, TABLE_TILE_MM)
    table = surface(ground.kind, size, TABLE_TEXELS_PER_MM, ground.colour, ground.accent, rng)
    if ground.kind == "wood":
        table = planks(table, TABLE_TEXELS_PER_MM, rng)
    waves = np.zeros((3, 4))
    if style.board.thickness_mm < 2 and rng.random() < 0.6:
        waves[:, 0] = rng.uniform(0, 0.35, 3)
        waves[:, 1:3] = rng.normal(0, 2 * np.pi / 260, (3, 2))
        waves[:, 3] = rng.uniform(0, 2 * np.pi, 3)
    low, high = np.array([-border, -height - border]), np.array([width + border, border])
    centre = np.array([width / 2, -height / 2, 0.0])
    return BoardBody(face, np.asarray(table, np.float32), style, low, high, centre, waves)


def usual_colours(style: Style, game: str, rng: Rng) -> Style:
    """The style; in half of the scenes with the usual colours of that game's boards."""
    if game not in USUAL or rng.random() > USUAL_SHARE:
        return style
    gain = float(rng.uniform(0.75, 1.15))
    pair = USUAL[game][int(rng.integers(len(USUAL[game])))]
    colour, accent = (as_colour(gain * np.array(one, dtype=np.float64)) for one in pair)
    return style.but("board", colour=colour, accent=accent, line_colour=(24.0, 30.0, 34.0))


def chequered(style: Style, rng: Rng) -> Style:
    """The style with the usual squares of chess boards in most scenes; few have lines, and hardly any dots."""
    changes: dict[str, Any] = {
        "dot_mm": style.board.dot_mm if rng.random() < 0.03 else 0.0,
        "coordinates": rng.random() < 0.6,
    }
    if rng.random() < 0.7:
        changes["line_mm"] = 0.3
    if rng.random() < 0.75:
        gain = np.exp(rng.normal(0, 0.12) + rng.normal(0, 0.05, (2, 3)))
        pair = np.clip(np.array(CHEQUERED[int(rng.integers(len(CHEQUERED)))]) * gain, 8, 245)
        light, dark = as_colour(pair[0]), as_colour(pair[1])
        changes |= {"colour": light, "accent": as_colour(0.86 * pair[0]), "dark": dark, "line_colour": dark}
    return style.but("board", **changes)


def textured(mi: Any, texture: Float32Array, gloss: float, repeat_mm: float = 0.0) -> dict[str, Any]:
    """The material of a drawn surface; `repeat_mm` is for tables, whose texture is repeated."""
    bitmap = mi.Bitmap(np.ascontiguousarray(np.clip(texture[..., ::-1], 0, 0.95), dtype=np.float32))
    picture: dict[str, Any] = {"type": "bitmap", "bitmap": bitmap, "raw": True, "wrap_mode": "repeat"}
    if repeat_mm:
        picture["to_uv"] = mi.ScalarTransform4f().scale([2.2, 1.6, 1.0])
    return plain(gloss) | {"base_color": picture}


def plain(gloss: float) -> dict[str, Any]:
    """The material of a mesh that carries its own colours; a gloss of 0 is matt, 1 polished."""
    return {
        "type": "principled",
        "base_color": {"type": "mesh_attribute", "name": "vertex_color"},
        "roughness": float(np.clip(0.85 - 0.9 * gloss, 0.08, 1.0)),
        "specular": 0.5 if gloss > 0 else 0.1,
    }


def _stars(face: Float32Array, template: BoardTemplate, board: BoardStyle, rng: Rng) -> None:
    """Draws the usual dots in place: five or nine on crossings."""
    count = round(len(template.cell_names) ** 0.5)
    step = 3 if count >= 13 else 1
    marks = [step, count // 2, count - 1 - step]
    few = rng.random() < 0.5
    radius = max(board.line_mm, float(rng.uniform(1.2, 2.2)))
    for row in marks:
        for column in marks:
            if few and (row == count // 2) != (column == count // 2):
                continue
            x, y = (template.cells_mm[row * count + column] + board.border_mm) * TEXELS_PER_MM - 0.5
            colour = [float(value) for value in linear(board.line_colour)]
            cv2.circle(face, (round(x * 16), round(y * 16)), round(radius * TEXELS_PER_MM * 16), colour, -1, 16, 4)


TRIES = 12
CLEAR_MM = 6.0
"""Millimetres left free between the board and the objects beside it."""


def random_clutter(
    rng: Rng,
    camera: PinholeCamera,
    low_mm: FloatArray,
    high_mm: FloatArray,
    table_z: float,
    guarded_mm: FloatArray,
    spares: list[Mesh],
) -> Mesh | None:
    """Objects on the table outside the board from `low_mm` to `high_mm` (2,), and `spares` as they are.

    None of them hides the points `guarded_mm` (n, 3) from the camera.
    """
    guarded = _hull(camera, guarded_mm)
    placed: list[Mesh] = []
    taken: list[tuple[FloatArray, float]] = []
    things = [_thing(rng) for _ in range(int(rng.choice([0, 1, 2, 3, 5, 7], p=[0.2, 0.2, 0.2, 0.2, 0.12, 0.08])))]
    for thing in [*things, *spares]:
        reach = float(np.linalg.norm(thing.places[:, :2], axis=1).max())
        for _ in range(TRIES):
            at = _beside(rng, low_mm, high_mm, reach + CLEAR_MM)
            if any(np.linalg.norm(at - other) < reach + there for other, there in taken):
                continue
            mesh = thing.placed((*at, table_z), float(rng.uniform(0, 2 * np.pi)))
            if is_before(camera, mesh.box).all() and not _hides(camera, mesh, guarded):
                placed.append(mesh)
                taken.append((at, reach))
                break
    return joined(placed) if placed else None


def _hides(camera: PinholeCamera, mesh: Mesh, guarded: Float32Array) -> bool:
    return float(cv2.intersectConvexConvex(_hull(camera, mesh.box), guarded)[0]) > 0


def _hull(camera: PinholeCamera, points_mm: FloatArray) -> Float32Array:
    return np.asarray(cv2.convexHull(seen_px(camera, points_mm).astype(np.float32)), dtype=np.float32)


def _beside(rng: Rng, low_mm: FloatArray, high_mm: FloatArray, reach: float) -> FloatArray:
    """A random place outside the board, nearer ones being likelier."""
    away = reach + float(rng.exponential(60.0))
    side = int(rng.integers(4))
    along = rng.uniform(low_mm - 60, high_mm + 60)
    across = (low_mm - away, high_mm + away)[side % 2]
    return np.array([across[0], along[1]]) if side < 2 else np.array([along[0], across[1]])


def _thing(rng: Rng) -> Mesh:
    kind = rng.random()
    colour = rng.uniform(0.02, 0.8, 3) if rng.random() < 0.6 else np.full(3, rng.uniform(0.02, 0.85))
    if kind < 0.22:
        return block(rng.uniform((50, 40), (120, 90)), float(rng.uniform(4, 45)), 2.0, 1.0).coloured(colour)
    if kind < 0.38:
        return block(rng.uniform((40, 25), (110, 80)), 0.4, 0.6, 0.2).coloured(np.full(3, rng.uniform(0.5, 0.85)))
    if kind < 0.55:
        return _cup(rng, colour)
    if kind < 0.75:
        radius = float(rng.uniform(3, 5.5))
        return block((float(rng.uniform(55, 95)), radius), 2 * radius, radius, 0.9 * radius).coloured(colour)
    if kind < 0.87:
        return block((75.0, 37.0), 8.0, 9.0, 2.0).coloured(np.full(3, rng.uniform(0.01, 0.06)))
    bends = np.linspace(-np.pi / 2 + 0.2, np.pi / 2, 20)
    ball = lathe(np.stack([np.cos(bends), 1 + np.sin(bends)], axis=1), 32)
    return ball.placed((0, 0, 0), scale=float(rng.uniform(8, 32))).coloured(colour)


def _cup(rng: Rng, colour: FloatArray) -> Mesh:
    radius, height = float(rng.uniform(28, 44)), float(rng.uniform(30, 105))
    outline = [[0.8, 0], [0.85, 0.05], [0.97, 0.7], [1.0, 1.0], [0.94, 1.0], [0.9, 0.7], [0.8, 0.55], [0.0, 0.55]]
    cup = lathe(np.array(outline) * (radius, height), 40).coloured(colour)
    inside = cup.places[:, 2] < 0.56 * height
    near = np.linalg.norm(cup.places[:, :2], axis=1) < 0.83 * radius
    drink = rng.uniform(0.01, 0.3, 3)
    return cup.coloured(np.where((inside & near)[:, None], drink, cup.colours))


def tiles_mesh(mi: Any, template: BoardTemplate, style: Style, tiles: list[Tile], body: BoardBody) -> dict[str, Any]:
    half_mm = template.man_diameter_mm
    painter = TilePainter(style.tiles, half_mm, Light(style, (0.0, 0.0)))
    words = sorted({tile.letters for tile in tiles})
    faces = [painter.face(word) for word in words]
    width = max(face.shape[1] for face in faces)
    atlas = np.concatenate([np.pad(face, ((0, 0), (0, width - face.shape[1]), (0, 0)), mode="edge") for face in faces])
    meshes = []
    for tile in tiles:
        row = words.index(tile.letters)
        mesh = block(painter.extent_mm(tile), painter.height_mm, style.tiles.corner_mm, style.tiles.bevel_mm)
        mesh = _on_atlas(mesh, half_mm, len(tile.letters), faces[row].shape[1] / width, row, len(words))
        lift = float(body.height_mm(np.array([[tile.x_mm, -tile.y_mm]]))[0])
        meshes.append(mesh.placed((tile.x_mm, -tile.y_mm, lift), -tile.turn))
    return {"tiles": in_mitsuba(mi, "tiles", joined(meshes), textured(mi, atlas, 0.4 + 0.6 * style.tiles.gloss))}


def _on_atlas(mesh: Mesh, half_mm: float, halves: int, share: float, row: int, rows: int) -> Mesh:
    """The tile's texture coordinates, moved to its face on the atlas, which fills `share` of its row."""
    across = share * (0.5 + mesh.places[:, 0] / (half_mm * halves))
    down = (row + np.clip(0.5 - mesh.places[:, 1] / half_mm, 0.01, 0.99)) / rows
    return dataclasses.replace(mesh, texels=np.stack([across, down], axis=1))
