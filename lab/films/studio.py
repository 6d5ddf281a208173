"""Makes the film of a seed, or finds it made: plan, game, pictures and film, drawn again until people can read it.

People can read large cells, and lines and men that can be told apart."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import games
from calibration.template import BoardTemplate, load_template
from lab.films.films import Showing
from lab.films.lens import FilmCamera
from lab.films.plan import Board, FilmPlan, draw_plan, play
from lab.films.shoot import Shoot, write_truth
from lab.films.table import FilmTable
from lab.simulated.arrays import Float32Array, FloatArray
from lab.simulated.tiles import has_tiles
from rules import EMPTY
from rules.options import switched_on
from vision.frame import Image

PITCH_PX, TILE_PX = 15.0, 20.0
"""Least distance of neighbouring cells, of men and of tiles with their pips."""
MAN_LAB, SIDES_LAB = 7.0, 16.0
"""Least differences of colour between a man and the bare cell, and between the men of both sides."""
LINE_LEVELS = 7.0
"""Least difference between the lines and what is beside them, in grey values."""
DARK, BRIGHT = 35.0, 242.0
"""Least and greatest mean of the board's grey values."""
BESIDE_MM = 5.0
REACH = 0.22
"""Radius of the part of a cell that is compared, as a share of a man's diameter."""


def unreadable_plan(table: FilmTable) -> str:
    """Why nobody could read the board from where the camera stands; empty if one can."""
    least, pitch = TILE_PX if has_tiles(table.template) else PITCH_PX, table.pitch_px()
    return f"cells {pitch:.0f} px apart" if pitch < least else ""


def unreadable(table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image]) -> str:
    """Why nobody could read the board in these pictures; empty if one can."""
    inside = _board_levels(table, pictures[0])
    if not DARK <= inside <= BRIGHT:
        return f"board's grey value {inside:.0f}"
    lines = _line_levels(table, pictures[0])
    if lines is not None and lines < LINE_LEVELS:
        return f"lines {lines:.1f} grey values from the board"
    if has_tiles(table.template):
        return ""
    men = _man_differences(table, boards, pictures)
    for letter, apart in men.items():
        if apart < MAN_LAB:
            return f"men {letter} {apart:.0f} from the board"
    apart = _sides_apart(table, boards, pictures)
    return f"both sides' men {apart:.0f} apart" if apart < SIDES_LAB else ""


def _board_levels(table: FilmTable, picture: Image) -> float:
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(table.corners_px).astype(np.int32), (255,))
    return float(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)[mask > 0].mean())


def _line_levels(table: FilmTable, picture: Image) -> float | None:
    """The usual difference between a line and what is beside it; None for boards without lines."""
    lines = table.template.lines_mm
    if not len(lines) or len(table.template.dark_mm) or table.template.printed is not None:
        return None
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (0, 0), 0.7).astype(np.float32)
    shares = np.linspace(0.1, 0.9, 9)[:, None]
    found = []
    for start, end in lines:
        points = start + shares * (end - start)
        aside = np.array([-(end - start)[1], (end - start)[0]]) / np.linalg.norm(end - start) * BESIDE_MM
        on, left, right = (_levels(grey, table, points + shift) for shift in (0 * aside, aside, -aside))
        found.append(np.abs((left + right) / 2 - on))
    return float(np.median(np.concatenate(found)))


def _levels(grey: Float32Array, table: FilmTable, points_mm: FloatArray) -> FloatArray:
    """(n,) grey values at places on the board."""
    pixels = table.camera.project(np.column_stack([points_mm, np.zeros(len(points_mm))])).astype(np.float32)
    return np.asarray(cv2.remap(grey, pixels[None], np.empty(0, np.float32), cv2.INTER_LINEAR)[0], np.float64)


def _man_differences(table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image]) -> dict[str, float]:
    """For each side's letter, the median difference between a cell with its man and the same cell bare."""
    found: dict[str, list[float]] = {}
    for number in range(1, len(boards)):
        pairs = enumerate(zip(boards[number - 1].cells, boards[number].cells, strict=True))
        for cell, (before, after) in pairs:
            if before != after and EMPTY in (before, after):
                colours = [_cell_lab(table, pictures[at], cell) for at in (number - 1, number)]
                letter = after if before == EMPTY else before
                found.setdefault(letter, []).append(float(np.linalg.norm(colours[0] - colours[1])))
    return {letter: float(np.median(apart)) for letter, apart in found.items()}


def _sides_apart(table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image]) -> float:
    """The difference between the usual colours of both sides' men on the last board."""
    usual = []
    for letter in sorted({*boards[-1].cells} - {EMPTY}):
        cells = [cell for cell, there in enumerate(boards[-1].cells) if there == letter]
        usual.append(np.median([_cell_lab(table, pictures[-1], cell) for cell in cells], axis=0))
    return float(np.linalg.norm(usual[0] - usual[1])) if len(usual) == 2 else np.inf


def _cell_lab(table: FilmTable, picture: Image, cell: int) -> FloatArray:
    """(3,) median CIELAB colour of the middle of a cell, at half a man's height."""
    ((x, y),) = table.cells_px([cell], 0.5 * min(table.men_mm, 10.0))
    radius = max(
        2, round(REACH * table.template.man_diameter_mm * table.camera.pixels_per_mm(*table.template.cells_mm[cell]))
    )
    rows, columns = (slice(max(0, round(at) - radius), round(at) + radius + 1) for at in (float(y), float(x)))
    part = picture[rows, columns].astype(np.float32) / 255
    lab = cv2.cvtColor(part, cv2.COLOR_BGR2LAB) if part.size else np.zeros((1, 1, 3), np.float32)
    return np.asarray(np.median(lab.reshape(-1, 3), axis=0), np.float64)


VERSION, TABLE_VERSION = 4, 2
"""Counted up when the same plans become other films, or other pictures: those kept from before are made again."""
ATTEMPTS = 30
CHECKED = (0, 4)
"""Boards after whose pictures it is checked whether people can read them, as after the last."""


@dataclasses.dataclass(frozen=True)
class SeededFilm:
    path: Path
    plan: FilmPlan
    about: dict[str, Any]
    """What the table's own chance decided, the path of the film and the seconds that it took to make."""

    @property
    def boards(self) -> list[dict[str, Any]]:
        text = self.path.with_suffix(".boards.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def showings(self) -> list[Showing]:
        return [
            Showing(
                f"{number:02d} {one['move'] or one['ply']}",
                one["cells"],
                one["laid_s"],
                one["free_s"],
                one["ends_s"],
                one["ply"] == "unfinished",
            )
            for number, one in enumerate(self.boards)
        ]


def film_of_seed(
    seed: int, folder: Path, recorded: Path, on_progress: Callable[[float], None] = lambda _: None
) -> SeededFilm:
    """The film of a seed, made unless it is there; `recorded` may have a recorded sway.

    Raises OSError, RendererError, ValueError if no attempt gives a film that can be read.
    """
    about = folder / f"film_{seed:04d}.about.json"
    if about.is_file():
        told = json.loads(about.read_text(encoding="utf-8"))
        plan = draw_plan(seed, told["attempt"])
        made_of = told.get("version"), told["kept"]
        if made_of == (VERSION, _key(plan, _boards(plan))) and (folder / told["film"]).is_file():
            return SeededFilm(folder / told["film"], plan, told)
    reasons: list[str] = []
    for attempt in range(ATTEMPTS):
        made = _make(draw_plan(seed, attempt), folder, recorded, reasons, on_progress)
        if made is not None:
            about.write_text(json.dumps(made.about, indent=1) + "\n", encoding="utf-8")
            return made
    raise ValueError(f"seed {seed}: no film that can be read in {ATTEMPTS} attempts: {'; '.join(reasons)}")


def _make(
    plan: FilmPlan, folder: Path, recorded: Path, reasons: list[str], on_progress: Callable[[float], None]
) -> SeededFilm | None:
    """The film; None, with a reason, if nobody could read the board."""
    begun_s = time.monotonic()
    boards = _boards(plan)
    table = FilmTable(plan, _template(plan), boards[0].cells, boards[0].figures)
    kept = _key(plan, boards)
    pictures = _pictures(table, boards, folder / f"{plan.name}_{kept}", reasons, lambda share: on_progress(share / 2))
    if pictures is None:
        return None
    traced_s = time.monotonic() - begun_s
    path = folder / f"{plan.name}.{'avi' if plan.codec == 'jpeg' else 'mp4'}"
    part = path.with_stem(path.stem + ".part")
    camera = FilmCamera(plan, part, recorded / "sway.json")
    try:
        shoot = Shoot(plan, table, boards, pictures, camera)
        shoot.run(lambda share: on_progress((1 + share) / 2))
    finally:
        camera.close()
    write_truth(path, shoot)
    part.replace(path)
    took = {"traced_s": round(traced_s, 1), "filmed_s": round(time.monotonic() - begun_s - traced_s, 1)}
    told = {"version": VERSION, "film": path.name, "kept": kept, "attempt": plan.attempt, "reasons": reasons, **took}
    return SeededFilm(path, plan, told | {"frames": camera.frames} | table.about() | {"plan": dataclasses.asdict(plan)})


def _pictures(
    table: FilmTable, boards: Sequence[Board], kept: Path, reasons: list[str], on_progress: Callable[[float], None]
) -> list[Image] | None:
    """A picture of every board; those kept in a folder are not rendered again.

    None, with a reason, as soon as it is clear that nobody could read them.
    """
    reason, pictures = unreadable_plan(table), list[Image]()
    paths = [kept / f"{number:02d}.png" for number in range(len(boards))]
    are_kept = all(path.is_file() for path in paths)
    for number, (board, path) in enumerate(zip(boards, paths, strict=True)):
        if reason:
            break
        kept.mkdir(parents=True, exist_ok=True)
        for steps in board.steps:
            table.make(steps, board.figures)
        pictures.append(np.asarray(cv2.imread(str(path)) if are_kept else table.picture(), np.uint8))
        cv2.imwrite(str(path), pictures[-1])
        if number in CHECKED or number == len(boards) - 1:
            reason = unreadable(table, boards[: number + 1], pictures)
        on_progress((number + 1) / len(boards))
    if reason:
        reasons.append(reason)
        return None
    return pictures


def _boards(plan: FilmPlan) -> list[Board]:
    return play(games.load(plan.game, plan.rules), _template(plan), plan.plies, plan.halves, plan.rng("play"))


def _template(plan: FilmPlan) -> BoardTemplate:
    game = games.load(plan.game, plan.rules)
    return load_template(game.name, switched_on(game))


def _key(plan: FilmPlan, boards: Sequence[Board]) -> str:
    """A name for this plan and game: what was kept for another is made again."""
    return hashlib.sha256(repr((TABLE_VERSION, plan, boards)).encode()).hexdigest()[:10]
