"""Measures how steadily and how rightly the board is followed through films whose true poses are known.

    kibitzer bench filmed --sway 0,0.2,1 --nudge 0,1 --free 1.2 --plies 10 --keep FILMS
    kibitzer bench poses FILMS/*.avi
    kibitzer bench poses --game chess FILM.avi

FILM.poses lies beside FILM.avi. It has a line of JSON for each picture: `corners_px` (4, 2), where the board's corners
are, and `hand`, whether one is over it. In the middle of a hand's visit the next photo takes the board's place. The
corners of each photo were marked by somebody, so they are off by a constant.

The board is found as `kibitzer watch` finds it. If it is not found within a second, it is begun at its true place
(begun 1). Once it was free for the settling time it counts as known. All distances are in per cent of the board's side,
of the corner that is farthest off:

jump: of the pose from picture to picture of one photo, beyond the true motion: median, 95 %, greatest
hand: the same with a hand over the board
off: from the photo's own median place: 95 %, greatest
place: the photos' median places from the marked ones: median, greatest
locks: found, found again, strange; lost: pictures without a pose; ms: CPU time a picture
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from calibration.template import BoardTemplate, load_template
from lab.films.films import FPS
from vision.frame import Frame
from vision.pose import pose_from_corners, project
from vision.watching.align import Aligner, side_px

FloatArray = NDArray[np.float64]
SETTLED = round(0.4 * FPS)
"""Pictures for which a board must be free to settle: the pipeline's default."""
PATIENCE = FPS
"""Pictures without a lock after which the board is begun at its true place."""


@dataclasses.dataclass(frozen=True, eq=False)
class Truth:
    corners_px: FloatArray
    hand: bool
    photo: int


@dataclasses.dataclass(eq=False)
class Followed:
    places: FloatArray
    """(pictures, 4, 2) corners as the aligner has them, the true motion since the film's beginning undone, in per cent
    of the side; NaN without a pose."""
    found: int = 0
    again: int = 0
    strange: int = 0
    begun: int = 0
    ms: float = 0.0


def truths(path: Path) -> list[Truth]:
    """The film's true poses. Raises OSError, ValueError."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    photo, told = 0, list[Truth]()
    for hand, run in itertools.groupby(lines, key=lambda line: bool(line["hand"])):
        visit = list(run)
        for index, line in enumerate(visit):
            later = hand and index >= len(visit) // 2
            told.append(Truth(np.array(line["corners_px"], dtype=np.float64), hand, photo + later))
        photo += hand
    return told


def follow(film: Path, told: Sequence[Truth], template: BoardTemplate) -> Followed:
    """Runs the aligner over a film. Raises OSError."""
    aligner = Aligner(template)
    done = Followed(np.full((len(told), 4, 2), np.nan))
    capture = cv2.VideoCapture(str(film))
    if not capture.isOpened():
        raise OSError(f"{film}: cannot be read as a video")
    free, before_locked, spent_s = 0, False, 0.0
    first = told[0].corners_px
    scale = 100 / side_px(pose_from_corners(first, aligner.template), aligner.template)
    for index, truth in enumerate(told):
        there, picture = capture.read()
        if not there:
            raise OSError(f"{film}: {index} pictures; there are {len(told)} true poses")
        frame = Frame(np.asarray(picture, np.uint8), index / FPS, index)
        began_s = time.process_time()
        alignment = aligner.update(frame)
        spent_s += time.process_time() - began_s
        locked = alignment.pose is not None
        done.found += locked and not before_locked
        done.again += alignment.relocked
        done.strange += alignment.strange
        before_locked = locked
        if index == PATIENCE and np.isnan(done.places).all() and not locked:
            done.begun = 1
            aligner.begin_at(pose_from_corners(truth.corners_px, aligner.template), frame)
        if alignment.pose is not None:
            back = cv2.getPerspectiveTransform(truth.corners_px.astype(np.float32), first.astype(np.float32))
            done.places[index] = scale * project(np.asarray(back), alignment.pose.corners_px(aligner.template))
        free = 0 if truth.hand else free + 1
        if free == SETTLED:
            aligner.renew(frame)
    capture.release()
    # A board that looks the same all round may have been found turned: that is for the men to tell.
    marked = scale * first
    if np.isfinite(done.places).any():
        usual = np.nanmedian(done.places, axis=0)
        turn = min(range(4), key=lambda turn: float(np.linalg.norm(np.roll(usual, turn, axis=0) - marked)))
        done.places = np.roll(done.places, turn, axis=1) - marked
    done.ms = 1000 * spent_s / len(told)
    return done


@dataclasses.dataclass(frozen=True, eq=False)
class Figures:
    """Distances in per cent of the side."""

    free: FloatArray
    hand: FloatArray
    off: FloatArray
    place: FloatArray


def figures(told: Sequence[Truth], done: Followed) -> Figures:
    """Jumps and errors; a picture without a pose has none."""
    photos, hand = np.array([one.photo for one in told]), np.array([one.hand for one in told])
    jumps = _farthest(np.diff(done.places, axis=0))
    same = (np.diff(photos) == 0) & np.isfinite(jumps)
    seen = [done.places[(photos == photo) & np.isfinite(done.places[:, 0, 0])] for photo in range(photos[-1] + 1)]
    usual = [np.median(places, axis=0) for places in seen if len(places)]
    off = [_farthest(places - np.median(places, axis=0)) for places in seen if len(places)]
    return Figures(
        jumps[same & ~hand[1:]], jumps[same & hand[1:]], np.concatenate([np.zeros(0), *off]), _farthest(np.array(usual))
    )


def _farthest(ways: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(ways, axis=-1).max(axis=-1)) if ways.size else np.zeros(0)


def row(name: str, measured: Sequence[tuple[Figures, Followed]]) -> list[str]:
    def spread(field: str, *shares: float) -> str:
        values = np.concatenate([getattr(one, field) for one, _ in measured])
        return " ".join(f"{np.quantile(values, share):.2f}" for share in shares) if len(values) else "-"

    done = [one for _, one in measured]
    counts = " ".join(str(sum(getattr(one, field) for one in done)) for field in ("found", "again", "strange", "begun"))
    missing = sum(int(np.isnan(one.places[:, 0, 0]).sum()) for one in done)
    jumps = spread("free", 0.5, 0.95, 1), spread("hand", 0.5, 0.95, 1)
    errors = spread("off", 0.95, 1), spread("place", 0.5, 1)
    return [name, *jumps, *errors, counts, str(missing), f"{np.mean([one.ms for one in done]):.1f}"]


def main(
    films: list[Path],
    game: Annotated[str, typer.Option(help="the game of the board")] = "nine_mens_morris",
    rule: Annotated[
        list[str] | None, typer.Option(help="a rule option that changes it, such as size=19; repeatable")
    ] = None,
) -> int:
    columns = "film", "jump", "hand", "off", "place", "locks, again, strange, begun", "lost", "ms"
    table, measured = Table(*columns), list[tuple[Figures, Followed]]()
    for film in films:
        try:
            told = truths(film.with_suffix(".poses"))
            done = follow(film, told, load_template(game, frozenset(rule or ())))
        except (OSError, ValueError, KeyError) as error:
            sys.stderr.write(f"poses: {error}\n")
            return 2
        measured.append((figures(told, done), done))
        table.add_row(*row(film.stem, measured[-1:]))
    if len(measured) > 1:
        table.add_section()
        table.add_row(*row("all", measured))
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    return 0
