"""Path-traced pictures of boards with their labels: one scene from a seed.

The table, the board's drawing, colours, lamps and the camera's place come from the same distributions as the simulated
table's; the pieces' shapes, the room, the sun, the clutter and the lens are added here. Nothing is learnt from
photographs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.camera import PinholeCamera, Region
from lab.simulated.drawing import with_print
from lab.simulated.men import Man
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_board, random_play, shaped_by_chance
from lab.simulated.style import Style
from lab.simulated.tiles import Piece, PlacedPieces, Tile, has_tiles
from lab.train.pathtraced_board import (
    BoardBody,
    board_body,
    chequered,
    plain,
    random_clutter,
    tiles_mesh,
    usual_colours,
)
from lab.train.pathtraced_camera import LensPlan, develop, place_camera, random_lens, sensor, straight_px
from lab.train.pathtraced_light import LightPlan, emitters, random_light
from lab.train.pathtraced_men import MenLook, all_men, looking, one_man, random_chess_men, random_men
from lab.train.pathtraced_mesh import Mesh, RendererError, in_mitsuba, load_mitsuba
from rules import EMPTY, AnyGame, figures_of
from vision.frame import Image

SAMPLES = 12
"""Paths through every pixel."""
BOUNCES, BOUNCES_GLASS = 4, 9
SIZES_PX = ((640, 480), (640, 480), (480, 640), (800, 600))
LARGE_PX = ((960, 720), (960, 720), (720, 960), (1120, 840))
"""Pixels for boards whose rectified picture is larger."""
TALL_SAMPLES, TALL_BOUNCES = 4, 3
"""Paths through every pixel of such pictures, which are then cut at half their size, and turns of each: a third of the
time."""
PAWN_SHARE = 3.0
"""Frequency of pawns among men anywhere, relative to other kinds."""
TALL_TILT_DEG = 62.0
"""Greatest tilt of the camera over shaped men, which people photograph from low, too."""
TALL_SIZES_PX = ((640, 480), (800, 600), (960, 720), (600, 800))
"""Pixels of pictures of shaped men, whose heads are small."""
TRIES = 5
LIT_PERCENTILE = 95
"""Percentile of the film's brightness at which there must be light."""


@dataclasses.dataclass(frozen=True, eq=False)
class TracedScene:
    image: Image
    corners_px: FloatArray
    """(4, 2) the frame's corners through the lens: top left first, clockwise."""
    cells: str
    figures: str | None
    """Which piece stands on each cell, by the letters of the template's figures; None where all of a side are alike."""
    jpeg_quality: int
    about: dict[str, Any]
    """The random choices, for finding out where a reader fails."""


def trace_scene(
    template: BoardTemplate, game: AnyGame, rng: Rng, size_px: tuple[int, int] | None = None
) -> TracedScene:
    """One random scene. Raises RendererError if the renderer cannot be used, or leaves every scene dark."""
    mi = load_mitsuba()
    for _ in range(TRIES):
        scene = _trace_once(mi, template, game, rng, size_px)
        if scene is not None:
            return scene
    raise RendererError(f"the renderer has left {TRIES} scenes of {game.name} black")


def _trace_once(
    mi: Any, template: BoardTemplate, game: AnyGame, rng: Rng, size_px: tuple[int, int] | None
) -> TracedScene | None:
    """A scene; None if the picture is black: something is in front of the lens or of the only lamp."""
    template = shaped_by_chance(template, rng)
    style = usual_colours(with_print(random_style(template, rng), template), template.game, rng)
    if template.figures:
        style = chequered(style, rng)
    if template.shaped:
        style = style.but("camera", tilt_deg=float(rng.uniform(0, TALL_TILT_DEG)))
    sizes = LARGE_PX if template.rectified_px > 512 or len(template.cell_names) > 100 else SIZES_PX
    sizes = TALL_SIZES_PX if template.shaped else sizes
    size = size_px or sizes[int(rng.integers(len(sizes)))]
    body = board_body(template, style, rng)
    camera = place_camera(body.outline_mm, size, style.camera)
    light = random_light(rng, style, body.centre_mm, camera)
    lens = random_lens(rng, dim=light.kind == "dim")
    cells = random_figures(game, template, rng) if template.shaped else random_position(game, template, rng)
    standing = PlacedPieces(template, cells, style, rng, pawns=False)
    if template.shaped:
        look = random_chess_men(rng, template.pitch_mm, dict(style.men.colours), template)
    else:
        colours = dict(style.men.colours)
        look = random_men(rng, template.man_diameter_mm, colours, template.game, style.board.colour)
    contents = _contents(mi, template, style, standing, body, camera, look, light, rng)
    straight = straight_px(camera)
    samples = TALL_SAMPLES if template.shaped else SAMPLES
    film = rendered(mi, contents, camera, lens, straight, look, int(rng.integers(2**31)), samples=samples)
    if not np.percentile(film, LIT_PERCENTILE) > 0:
        return None
    image = develop(film, straight, lens, rng)
    corners = camera.project(_on_board(body, template.corners_mm))
    about = _about(style, look, light, lens, template) | lens_of(camera)
    figures = standing.board if template.shaped else None
    return TracedScene(image, corners, template.seen(standing.board), figures, lens.jpeg_quality, about)


def random_position(game: AnyGame, template: BoardTemplate, rng: Rng) -> str:
    if has_tiles(template) or rng.random() < 0.33:
        return random_board(template, rng)
    most = {"reversi": 60, "gomoku": 140, "nine_mens_morris": 50, "co_ganh": 60}.get(game.name, 60)
    return game.board(random_play(game, rng, int(rng.integers(0, most))))


def random_figures(game: AnyGame, template: BoardTemplate, rng: Rng) -> str:
    """Pieces of a random play, the start among them, or any pieces anywhere; seldom an empty board."""
    chance = rng.random()
    if chance < 0.06:
        return EMPTY * len(template.cell_names)
    if chance < 0.5:
        plies = 0 if chance < 0.12 else int(rng.integers(1, 120))
        return figures_of(game, random_play(game, rng, plies))
    letters = list(template.figures)
    share = np.array([PAWN_SHARE if figure.name == "pawn" else 1.0 for figure in template.figures.values()])
    men = float(rng.uniform(0.1, 0.7))
    drawn = rng.choice(len(letters), len(template.cell_names), p=share / share.sum())
    return "".join(letters[each] if rng.random() < men else EMPTY for each in drawn)


def _contents(
    mi: Any,
    template: BoardTemplate,
    style: Style,
    standing: PlacedPieces,
    body: BoardBody,
    camera: PinholeCamera,
    look: MenLook,
    light: LightPlan,
    rng: Rng,
) -> dict[str, Any]:
    men = [(piece.letter, piece.x_mm, -piece.y_mm, -piece.turn) for piece in standing.pieces if type(piece) is Man]
    if look.forms is not None:
        men = looking(men, template, rng)
    parts: dict[str, tuple[Mesh | None, dict[str, Any]]] = {
        "men": (all_men(look, men, body.height_mm, rng), look.bsdf()),
        "shutters": (light.shutters, plain(0.0)),
    }
    if not has_tiles(template):
        spares = _spares(look, rng)
        guarded = _guarded(template, body, look.height_mm)
        low, high = body.low_mm, body.high_mm
        parts["clutter"] = (
            random_clutter(rng, camera, low, high, body.table_z, guarded, []),
            plain(float(rng.uniform(0.1, 0.8))),
        )
        parts["spares"] = random_clutter(rng, camera, low, high, body.table_z, guarded, spares), look.bsdf()
    return contents_of(mi, template, style, standing.pieces, body, light, parts)


def contents_of(
    mi: Any,
    template: BoardTemplate,
    style: Style,
    pieces: Sequence[Piece],
    body: BoardBody,
    light: LightPlan,
    parts: Mapping[str, tuple[Mesh | None, dict[str, Any]]],
) -> dict[str, Any]:
    """Everything but the camera, as the renderer's dictionary; `parts` are meshes with their materials."""
    found = body.in_mitsuba(mi) | emitters(mi, light)
    found |= {name: in_mitsuba(mi, name, mesh, bsdf) for name, (mesh, bsdf) in parts.items() if mesh is not None}
    tiles = [piece for piece in pieces if isinstance(piece, Tile)]
    return found | (tiles_mesh(mi, template, style, tiles, body) if tiles else {})


def rendered(
    mi: Any,
    contents: dict[str, Any],
    camera: PinholeCamera,
    lens: LensPlan,
    straight: Float32Array,
    look: MenLook,
    seed: int,
    part: Region | None = None,
    samples: int = SAMPLES,
) -> Float32Array:
    """The light on the film, or on a part of it; `straight` is that of the camera."""
    seen = sensor(mi, camera, lens, straight, samples)
    if part is not None:
        seen["film"] |= {
            "crop_offset_x": part.left,
            "crop_offset_y": part.top,
            "crop_width": part.right - part.left,
            "crop_height": part.bottom - part.top,
        }
    bounces = {"glass": BOUNCES_GLASS, "chess": TALL_BOUNCES}.get(look.kind, BOUNCES)
    integrator = {"type": "path", "max_depth": bounces}
    scene = mi.load_dict({"type": "scene", "integrator": integrator, "sensor": seen, **contents})
    return np.array(mi.render(scene, seed=seed), dtype=np.float32)[..., :3]


def _spares(look: MenLook, rng: Rng) -> list[Mesh]:
    """Pieces out of play beside the board; none in half of the scenes."""
    letters = list(look.colours)
    count = int(rng.integers(1, 12)) if rng.random() < 0.5 else 0
    return [one_man(look, letters[int(rng.integers(len(letters)))], rng) for _ in range(count)]


def _guarded(template: BoardTemplate, body: BoardBody, height_mm: float) -> FloatArray:
    """(8, 3) corners of what nothing may hide: the frame, with the pieces on it."""
    reach = template.man_diameter_mm * 0.7
    width, height = template.size_mm
    flat = [[x, y] for x in (-reach, width + reach) for y in (reach, -height - reach)]
    return np.array([[x, y, z] for x, y in flat for z in (0.0, height_mm)])


def _on_board(body: BoardBody, board_mm: FloatArray) -> FloatArray:
    """(n, 3) points on the board's face from points in the simulated table's frame."""
    return np.column_stack([board_mm, body.height_mm(board_mm * (1, -1))])


def _about(style: Style, look: MenLook, light: LightPlan, lens: LensPlan, template: BoardTemplate) -> dict[str, Any]:
    return {
        "men": "tiles" if has_tiles(template) else look.kind,
        "metal": look.metal,
        "colours": {letter: [round(value) for value in colour] for letter, colour in look.colours.items()},
        "diameter": round(2 * look.radius_mm / template.man_diameter_mm, 2),
        "light": light.kind,
        "shadows": light.shutters is not None,
        "board": str(style.board.kind),
        "board_colour": [round(value) for value in style.board.colour],
        "line_mm": round(style.board.line_mm, 1),
        "gloss": round(style.board.gloss, 2),
        "tilt_deg": round(style.camera.tilt_deg),
        "focus": round(lens.focus, 2),
        "noise": round(lens.shot_noise, 3),
        "shape": {name: round(value, 4) for name, value in template.shape.items()},
    }


def lens_of(camera: PinholeCamera) -> dict[str, Any]:
    """The lens: focal length and radial distortion; its axis is in the picture's middle."""
    first, second = camera.distortion
    focal = round(float(camera.matrix[0, 0]), 2)
    return {"lens": {"focal_px": focal, "k1": round(first, 5), "k2": round(second, 5)}}
