"""Domino tiles of path-traced tables: bevelled boxes whose faces are drawn as the simulated table draws them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.light import Light
from lab.simulated.style import Style
from lab.simulated.tile_painter import TilePainter
from lab.simulated.tiles import Tile
from lab.train.pathtraced_board import BoardBody, textured
from lab.train.pathtraced_mesh import Mesh, block, in_mitsuba, joined


def tiles_mesh(mi: Any, template: BoardTemplate, style: Style, tiles: list[Tile], body: BoardBody) -> dict[str, Any]:
    half_mm = template.man_diameter_mm
    painter = TilePainter(style.tiles, half_mm, Light(style, (0.0, 0.0)))
    words = sorted({tile.letters for tile in tiles})
    faces = [painter.face(word) for word in words]
    height, width = faces[0].shape[0], max(face.shape[1] for face in faces)
    atlas = np.concatenate([np.pad(face, ((0, 0), (0, width - face.shape[1]), (0, 0)), mode="edge") for face in faces])
    meshes = []
    for tile in tiles:
        row = words.index(tile.letters)
        mesh = block(painter.extent_mm(tile), painter.height_mm, style.tiles.corner_mm, style.tiles.bevel_mm)
        mesh = _on_atlas(mesh, half_mm, len(tile.letters), faces[row].shape[1] / width, row, len(words))
        lift = float(body.height_mm(np.array([[tile.x_mm, -tile.y_mm]]))[0])
        meshes.append(mesh.placed((tile.x_mm, -tile.y_mm, lift), -tile.turn))
    assert atlas.shape[0] == height * len(words)
    gloss = 0.4 + 0.6 * style.tiles.gloss
    return {"tiles": in_mitsuba(mi, "tiles", joined(meshes), textured(mi, atlas, gloss))}


def _on_atlas(mesh: Mesh, half_mm: float, halves: int, share: float, row: int, rows: int) -> Mesh:
    """The tile's texture coordinates, moved to its face on the atlas, which fills `share` of its row."""
    across = share * (0.5 + mesh.places[:, 0] / (half_mm * halves))
    down = (row + np.clip(0.5 - mesh.places[:, 1] / half_mm, 0.01, 0.99)) / rows
    return dataclasses.replace(mesh, texels=np.stack([across, down], axis=1))
