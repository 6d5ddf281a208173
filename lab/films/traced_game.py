"""Makes path-traced photographs of a game: one of the same table after every ply.

    kibitzer bench traced-game --out var/traced

Nobody played the game, so that its photographs may be published, which other people's may not. Table, men, lamps and
lens are those of `kibitzer train scenes`. It needs the extra `train`, and LLVM 17 or newer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer

import games
from calibration.template import load_template
from lab.simulated.drawing import with_print
from lab.simulated.men import Man
from lab.simulated.random_style import random_style
from lab.simulated.tiles import PlacedPieces
from lab.train.pathtraced import _guarded, _spares, contents_of, rendered
from lab.train.pathtraced_board import board_body, plain, random_clutter, usual_colours
from lab.train.pathtraced_camera import develop, place_camera, random_lens, straight_px
from lab.train.pathtraced_light import random_light
from lab.train.pathtraced_men import one_man, random_men
from lab.train.pathtraced_mesh import joined, load_mitsuba
from rules import AnyGame, Step
from rules.options import switched_on
from vision.frame import Image

JPEG_QUALITY = 92
MORRIS = ["a7", "d6", "g7", "f4", "d7xf4", "f6", "b6", "d5"]
"""A mill and what it takes, among the first moves."""
WOOD_IN_THE_SUN = 5
"""Seed of a wooden board in the sun, in the shadow of a plant."""


class TracedTable:
    def __init__(self, game: AnyGame, seed: int, size_px: tuple[int, int]) -> None:
        rng = np.random.default_rng(seed)
        self._seed, self._template = seed, load_template(game.name, switched_on(game))
        self._mi = load_mitsuba(threads=2)
        style = usual_colours(with_print(random_style(self._template, rng), self._template), game.name, rng)
        self._style, self._body = style, board_body(self._template, style, rng)
        self._camera = place_camera(self._body.outline_mm, size_px, style.camera)
        self._light = random_light(rng, style, self._body.centre_mm, self._camera)
        self._lens = random_lens(rng, dim=self._light.kind == "dim")
        colours = dict(style.men.colours)
        self._look = random_men(rng, self._template.man_diameter_mm, colours, game.name, style.board.colour)
        self._spares = _spares(self._look, rng)
        self.men = PlacedPieces(self._template, game.board(game.initial()), style, rng, pawns=False)

    def make(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if step.kind == "remove":
                self.men.take(step.cell)
                continue
            man = None if step.origin is None else self.men.take(step.origin)
            self.men.put((step.cell,), man.letter if isinstance(man, Man) else step.piece)

    def photo(self, number: int) -> Image:
        """The table as it stands; each number has its own noise."""
        mi, body, look, light = self._mi, self._body, self._look, self._light
        parts: dict[str, tuple[Any, dict[str, Any]]] = {"shutters": (light.shutters, plain(0.0))}
        meshes = [self._mesh(man) for man in self.men.pieces if isinstance(man, Man)]
        if meshes:
            parts["men"] = joined(meshes), look.bsdf()
        guarded = _guarded(self._template, body, look.height_mm)
        for name, spares, bsdf in (("clutter", [], plain(0.4)), ("spares", self._spares, look.bsdf())):
            rng = np.random.default_rng([self._seed, len(spares)])
            mesh = random_clutter(rng, self._camera, body.low_mm, body.high_mm, body.table_z, guarded, spares)
            parts[name] = mesh, bsdf
        contents = contents_of(mi, self._template, self._style, (), body, light, parts)
        straight = straight_px(self._camera)
        film = rendered(mi, contents, self._camera, self._lens, straight, look, number)
        return develop(film, straight, self._lens, np.random.default_rng([self._seed, number]))

    def _mesh(self, man: Man) -> Any:
        rng = np.random.default_rng([self._seed, round(100 * man.x_mm), round(100 * man.y_mm)])
        height = float(self._body.height_mm(np.array([[man.x_mm, -man.y_mm]]))[0])
        return one_man(self._look, man.letter, rng).placed((man.x_mm, -man.y_mm, height), -man.turn)


def main(
    out: Annotated[Path, typer.Option(metavar="FOLDER")],
    game: str = "morris",
    moves: Annotated[list[str], typer.Option(help="a move; repeatable")] = MORRIS,
    seed: Annotated[int, typer.Option(help="of the table, its men, lamps and camera")] = WOOD_IN_THE_SUN,
    width: Annotated[int, typer.Option(help="pixels")] = 800,
) -> None:
    played = games.load(game)
    out.mkdir(parents=True, exist_ok=True)
    table, position = TracedTable(played, seed, (width, width * 3 // 4)), played.initial()
    for number, text in enumerate(moves, 1):
        move = played.parse_move(position, text)
        table.make(played.steps(position, move))
        position = played.apply(position, move)
        cv2.imwrite(str(out / f"{number:02d}.jpg"), table.photo(number), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        sys.stderr.write(f"photo {number} of {len(moves)}\n")
