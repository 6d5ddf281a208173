"""Makes the film of a seed, or finds it made: plan, game, pictures and film, drawn again until people can read it."""

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
from lab.films.plan import FilmPlan, draw_plan
from lab.films.play import Board, play
from lab.films.readable import unreadable, unreadable_plan
from lab.films.shoot import Shoot, write_truth
from lab.films.table import FilmTable
from rules.options import switched_on
from vision.frame import Image

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
    table: FilmTable,
    boards: Sequence[Board],
    kept: Path,
    reasons: list[str],
    on_progress: Callable[[float], None],
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
