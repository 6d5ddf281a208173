"""The path-traced table of a film: one picture for every board, all with the same light, camera and exposure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calibration.template import BoardTemplate
from lab.films.parts import blended, merged, part_of
from lab.films.plan import FilmPlan
from lab.films.strange_styles import DARK_OF, FORMS, KING, strange_style
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.camera import Region
from lab.simulated.drawing import with_print
from lab.simulated.men import Man
from lab.simulated.random_style import random_style
from lab.simulated.style import Style
from lab.simulated.tiles import Piece, PlacedPieces, Tile
from lab.train.pathtraced import _guarded, _on_board, _spares, contents_of, rendered
from lab.train.pathtraced_board import (
    _hides,
    _hull,
    _thing,
    board_body,
    plain,
    random_clutter,
    usual_colours,
)
from lab.train.pathtraced_camera import (
    LensPlan,
    Metered,
    develop,
    film_pad,
    meter,
    place_camera,
    random_lens,
    straight_px,
)
from lab.train.pathtraced_light import random_light
from lab.train.pathtraced_men import MenLook, one_man, random_men
from lab.train.pathtraced_mesh import Mesh, joined, lathe, load_mitsuba
from rules import Step
from vision.frame import Image

SAMPLES = 14
"""Paths through every pixel."""
AS_SOLD = ("chess", "draughts", "go")
"""Games whose boards and men are of the kinds that shops sell."""
FLAT = ("disc", "domed", "coin", "button")
SHAPES: Mapping[str, tuple[str, ...]] = {"reversi": FLAT, "draughts": FLAT[:2], "go": ("lens", "domed")}
"""Shapes of the men of some games; any shape in the others."""
BLUR_PX, FOCUS = 0.8, (0.93, 1.1)
"""Greatest blur of the lens, and least and greatest distance in focus: a phone focuses on the board."""
CORNER_TRIES = 40


class FilmTable:
    def __init__(self, plan: FilmPlan, template: BoardTemplate, cells: str, figures: str) -> None:
        """Raises RendererError."""
        rng = plan.rng("table")
        self._mi, self._seed, self.template = load_mitsuba(threads=2), int(rng.integers(2**31)), template
        self.style = _style(plan, template, rng)
        self.body = board_body(template, self.style, rng)
        self.camera = place_camera(self.body.outline_mm, plan.traced_px, self.style.camera)
        self.light = random_light(rng, self.style, self.body.centre_mm, self.camera)
        self._lens = _still_lens(random_lens(rng, dim=self.light.kind == "dim"))
        self.look = _men(self.style, template, rng)
        self._king_mm = template.pitch_mm * float(rng.uniform(*KING))
        self._around = self._surroundings(rng, plan)
        self.men = PlacedPieces(template, cells, self.style, rng, pawns=False)
        self._figures = dict(enumerate(figures))
        self._straight = straight_px(self.camera)
        self._film: Float32Array | None = None
        self._shown: set[Piece] = set()
        self._metered: Metered | None = None

    @property
    def corners_px(self) -> FloatArray:
        """(4, 2) where the corners of the board's frame are seen: top left first, clockwise."""
        return self.camera.project(_on_board(self.body, self.template.corners_mm))

    @property
    def men_mm(self) -> float:
        return self.template.man_height_mm or self.look.height_mm

    def cells_px(self, cells: Sequence[int], rise_mm: float = 0.0) -> FloatArray:
        """(n, 2) where points at that height above the middles of cells are seen."""
        points = _on_board(self.body, self.template.cells_mm[list(cells)])
        return self.camera.project(points + np.array([0.0, 0.0, rise_mm]))

    def pitch_px(self) -> float:
        """The least distance in the picture between two neighbouring cells."""
        cells = self.cells_px(range(len(self.template.cells_mm)))
        apart = np.linalg.norm(cells[:, None] - cells, axis=2)
        return float(apart[~np.eye(len(cells), dtype=bool)].min())

    def make(self, steps: tuple[Step, ...], figures: str) -> None:
        """Carries one handful of a move out, after which the board shows these figures."""
        step, cells = steps[0], tuple(one.cell for one in steps)
        if step.kind == "remove":
            self.men.take(step.cell)
        elif step.kind == "move":
            assert step.origin is not None
            self.men.take(step.cell)
            self.men.take(step.origin)
            self.men.put(cells, step.piece)
        else:
            self.men.take(step.cell)
            self.men.put(cells, "".join(one.piece for one in steps))
        self._figures = dict(enumerate(figures))

    def picture(self) -> Image:
        """The table as it stands, without the sensor's noise; only what has changed is rendered anew."""
        contents, now = self._contents(), set(self.men.pieces)
        if self._film is None:
            self._film = self._render(contents, None)
            self._metered = meter(self._film, self._straight, self._lens)
        else:
            changed = [self._part(piece) for piece in now ^ self._shown]
            for part in merged([part for part in changed if part is not None]):
                blended(self._film, part, self._render(contents, part))
        self._shown = now
        return develop(self._film, self._straight, self._lens, np.random.default_rng(0), self._metered)

    def _contents(self) -> dict[str, Any]:
        mi, look, pieces = self._mi, self.look, self.men.pieces
        parts = dict(self._around)
        meshes = [self._mesh(man) for man in pieces if isinstance(man, Man)]
        if meshes:
            parts["men"] = joined(meshes), look.bsdf()
        return contents_of(mi, self.template, self.style, pieces, self.body, self.light, parts)

    def _part(self, piece: Piece) -> Region | None:
        radius = self.template.man_diameter_mm * (1.0 if isinstance(piece, Tile) else 0.55)
        height = self._king_mm if self.template.game == "chess" else self.look.height_mm
        part = part_of(self.camera, self.light, (piece.x_mm, piece.y_mm), radius, height)
        pad = film_pad(self._straight, self.camera.size_px)
        return part and Region(part.left, part.top, part.right + 2 * pad, part.bottom + 2 * pad)

    def about(self) -> dict[str, Any]:
        return {
            "light": self.light.kind,
            "men": "tiles" if self.template.letters[1:].isdigit() else self.look.kind,
            "colours": {key: [round(level) for level in colour] for key, colour in self.look.colours.items()},
            "board": str(self.style.board.kind),
            "table": str(self.style.surface.kind),
            "pitch_px": round(self.pitch_px(), 1),
        }

    def _render(self, contents: dict[str, Any], part: Region | None) -> Float32Array:
        mi, camera, lens, straight = self._mi, self.camera, self._lens, self._straight
        return rendered(mi, contents, camera, lens, straight, self.look, self._seed, part, SAMPLES)

    def _mesh(self, man: Man) -> Mesh:
        rng = np.random.default_rng([self._seed, round(100 * man.x_mm) % 2**31, round(100 * man.y_mm) % 2**31])
        height = float(self.body.height_mm(np.array([[man.x_mm, -man.y_mm]]))[0])
        at, turn = (man.x_mm, -man.y_mm, height), -man.turn
        if self.template.game == "chess":
            return self._turned(man).placed(at, turn)
        return one_man(self.look, man.letter, rng).placed(at, turn)

    def _turned(self, man: Man) -> Mesh:
        """A chess man, of the kind that stands on the nearest cell."""
        away = np.linalg.norm(self.template.cells_mm - (man.x_mm, man.y_mm), axis=1)
        figure = self._figures[int(away.argmin())]
        light_of = {dark: light for light, dark in DARK_OF.items()}
        height, outline = FORMS[light_of.get(figure, figure)]
        rises, radii = np.array(outline).T
        smooth = np.linspace(0, 1, 40)
        profile = np.stack([self.look.radius_mm * np.interp(smooth, rises, radii), height * self._king_mm * smooth], 1)
        profile = np.concatenate([profile, [[0.0, height * self._king_mm]]])
        flat = dataclasses.replace(self.look, kind="disc", rings=0, grain=0.0)
        colour = one_man(flat, man.letter, np.random.default_rng(0)).colours[0]
        return lathe(profile, 32).coloured(colour)

    def _surroundings(self, rng: Rng, plan: FilmPlan) -> dict[str, tuple[Mesh | None, dict[str, Any]]]:
        body, look, spares = self.body, self.look, [] if plan.game == "chess" else _spares(self.look, rng)
        guarded = _guarded(self.template, body, self.men_mm)
        reach = self.camera, body.low_mm, body.high_mm, body.table_z, guarded
        parts: dict[str, tuple[Mesh | None, dict[str, Any]]] = {
            "shutters": (self.light.shutters, plain(0.0)),
            "clutter": (random_clutter(rng, *reach, []), plain(0.4)),
            "spares": (random_clutter(rng, *reach, spares) if spares else None, look.bsdf()),
        }
        if plan.on_corner:
            parts["corner"] = self._on_corner(rng, guarded), plain(0.4)
        return parts

    def _on_corner(self, rng: Rng, guarded_mm: FloatArray) -> Mesh | None:
        """Something that lies over a corner of the board's margin and hides no cell; None if there is no room."""
        guarded = _hull(self.camera, guarded_mm)
        low, high = self.body.low_mm, self.body.high_mm
        for _ in range(CORNER_TRIES):
            corner = np.where(rng.random(2) < 0.5, low, high)
            away = np.sign(corner - (low + high) / 2) * rng.uniform(-6, 50, 2)
            mesh = _thing(rng).placed((*(corner + away), 0.5), float(rng.uniform(0, 2 * np.pi)))
            touches = (np.abs(mesh.places[:, :2] - (low + high) / 2) < (high - low) / 2).all(axis=1).any()
            if touches and not _hides(self.camera, mesh, guarded):
                return mesh
        return None


def _style(plan: FilmPlan, template: BoardTemplate, rng: Rng) -> Style:
    if plan.game in AS_SOLD:
        style = strange_style(template, rng)
    else:
        style = usual_colours(with_print(random_style(template, rng), template), plan.game, rng)
    room = plan.traced_px[0] / plan.size_px[0]
    camera = dataclasses.replace(
        style.camera, tilt_deg=plan.tilt_deg, azimuth_deg=plan.azimuth_deg, fill=plan.fill / room, shift=(0.0, 0.0)
    )
    half = np.maximum(np.array(style.surface.half_size_mm), np.array(template.size_mm) * (1.1, 0.9))
    surface = dataclasses.replace(style.surface, half_size_mm=(float(half[0]), float(half[1])))
    return dataclasses.replace(style, camera=camera, surface=surface, seats_deg=plan.seats_deg)


def _men(style: Style, template: BoardTemplate, rng: Rng) -> MenLook:
    while True:
        look = random_men(rng, template.man_diameter_mm, dict(style.men.colours), template.game, style.board.colour)
        if template.game in AS_SOLD and (look.metal or look.colours != style.men.colours):
            continue
        if template.game == "chess":
            return dataclasses.replace(look, kind="disc", metal=False, two_sided=False)
        if look.kind in SHAPES.get(template.game, (look.kind,)):
            return look


def _still_lens(lens: LensPlan) -> LensPlan:
    """A lens in focus; noise is added to the film's pictures."""
    focus = float(np.clip(lens.focus, *FOCUS))
    return dataclasses.replace(lens, focus=focus, blur_px=min(lens.blur_px, BLUR_PX), shot_noise=0.0, read_noise=0.0)
