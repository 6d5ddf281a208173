"""Makes the film of a seed, or finds it made: plan, game, pictures and film, drawn again until people can read it."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import games
from calibration.template import load_template
from rules.options import switched_on
from tests.bench.film_lens import FilmCamera
from tests.bench.film_plan import FilmPlan, draw_plan
from tests.bench.film_play import Board, play
from tests.bench.film_readable import unreadable, unreadable_plan
from tests.bench.film_shoot import Shoot, write_truth
from tests.bench.film_table import FilmTable
from tests.bench.films import Showing
from vision.frame import Image

VERSION = 1
"""Counted up when films of the same seeds become other films: those kept from before are made again."""
ATTEMPTS = 30


@dataclasses.dataclass(frozen=True)
class SeededFilm:
    """A film that was made, and what is true of it."""

    path: Path
    plan: FilmPlan
    about: dict[str, Any]
    """What the table's own chance decided, the path of the film and the seconds that it took to make."""

    @property
    def boards(self) -> list[dict[str, Any]]:
        """The lines of the truth about its boards."""
        text = self.path.with_suffix(".boards.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def showings(self) -> list[Showing]:
        """Its boards with their times."""
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
        if told["version"] == VERSION and (folder / told["film"]).is_file():
            return SeededFilm(folder / told["film"], draw_plan(seed, told["attempt"]), told)
    reasons: list[str] = []
    for attempt in range(ATTEMPTS):
        plan = draw_plan(seed, attempt)
        made = _make(plan, folder, recorded, reasons, on_progress)
        if made is not None:
            about.write_text(json.dumps(made.about, indent=1) + "\n", encoding="utf-8")
            return made
    raise ValueError(f"seed {seed}: no film that can be read in {ATTEMPTS} attempts: {'; '.join(reasons)}")


def _make(
    plan: FilmPlan, folder: Path, recorded: Path, reasons: list[str], on_progress: Callable[[float], None]
) -> SeededFilm | None:
    """The film; None, with a reason, if nobody could read the board."""
    begun_s = time.monotonic()
    game = games.load(plan.game, plan.rules)
    template = load_template(game.name, switched_on(game))
    boards = play(game, template, plan.plies, plan.halves, plan.rng("play"))
    table = FilmTable(plan, template, boards[0].cells, boards[0].figures)
    reason = unreadable_plan(table)
    if not reason:
        pictures = _pictures(plan, table, boards, folder, lambda share: on_progress(0.6 * share))
        reason = unreadable(table, boards, pictures)
    if reason:
        reasons.append(reason)
        return None
    traced_s = time.monotonic() - begun_s
    path = folder / f"{plan.name}.{'avi' if plan.codec == 'jpeg' else 'mp4'}"
    part = path.with_stem(path.stem + ".part")
    camera = FilmCamera(plan, part, recorded / "sway.json")
    try:
        shoot = Shoot(plan, table, boards, pictures, camera)
        shoot.run(lambda share: on_progress(0.6 + 0.4 * share))
    finally:
        camera.close()
    write_truth(path, shoot)
    part.replace(path)
    took = {"traced_s": round(traced_s, 1), "filmed_s": round(time.monotonic() - begun_s - traced_s, 1)}
    told = {"version": VERSION, "film": path.name, "attempt": plan.attempt, "reasons": reasons, **took}
    return SeededFilm(path, plan, told | {"frames": camera.frames} | table.about() | {"plan": dataclasses.asdict(plan)})


def _pictures(
    plan: FilmPlan, table: FilmTable, boards: Sequence[Board], folder: Path, on_progress: Callable[[float], None]
) -> list[Image]:
    """A picture of every board; those kept in the folder are not rendered again."""
    kept = folder / f"{plan.name}_{plan.attempt}_v{VERSION}"
    paths = [kept / f"{number:02d}.png" for number in range(len(boards))]
    found = [cv2.imread(str(path)) for path in paths if path.is_file()]
    if len(found) == len(boards):
        return [np.asarray(one, np.uint8) for one in found if one is not None]
    kept.mkdir(parents=True, exist_ok=True)
    pictures: list[Image] = []
    for number, board in enumerate(boards):
        for steps in board.steps:
            table.make(steps, board.figures)
        pictures.append(table.picture())
        cv2.imwrite(str(paths[number]), pictures[-1])
        on_progress((number + 1) / len(boards))
    return pictures
