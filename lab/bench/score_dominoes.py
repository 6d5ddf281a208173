"""Scores annotated photos of dominoes games, as they are and transformed, and counts what is right.

    kibitzer bench score-dominoes ../shared/data/dominoes --drop-every 4
    kibitzer bench score-dominoes ../shared/data/dominoes --variants turned_90,tilted,blurred

Variants are the views of lab/bench/reposing.py; `as_is` is the photo itself. Every game is scored with the pawns on
the track and as if there were none. Prints one JSON object a run: how many moves have the right position, pips and
points, of how many. `--drop-every n` leaves out every n-th photo of a game; then those counts cover the moves whose
photo and whose predecessor's photo exist, and it also prints how many of the moves left out were written down, and how
many of these rightly. Every miss is listed on standard error.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from calibration.annotations import Annotation, PhotoName, annotation_paths, read_annotation
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli.score import PhotoSeriesReader
from daemon.scoring.photo_series import Series, find_series
from daemon.scoring.score_words import line_of
from daemon.scoring.scorer import Look, Scorer
from games.double_double_dominoes import DoubleDoubleDominoes
from lab.bench.reposing import VIEWS, outermost, repose
from vision.cli import load_photo
from vision.finding.finder import find_board
from vision.frame import Image
from vision.reading.locate import PhotoReader

TEMPLATE = load_template(DoubleDoubleDominoes.name)
AS_IS = "as_is"
VARIANTS = "as_is,upright,turned_90,turned_180,tilted,darkened,brightened,blurred"

Truth = dict[PhotoName, Annotation]
Scored = Sequence[tuple[Series, Sequence[Look | None]]]
"""The games, each with the readings of its photos."""


@dataclasses.dataclass
class Tally:
    moves: int = 0
    position: int = 0
    pips: int = 0
    points: int = 0

    def add(self, found: Annotation | None, true: Annotation) -> bool:
        """Counts one more move; returns whether all of it is right."""
        self.moves += 1
        self.position += found is not None and found.cells == true.cells
        self.pips += found is not None and found.pips == true.pips
        self.points += found is not None and found.points == true.points
        return found == true


@functools.cache
def corners_in(photo: Path) -> NDArray[np.float64] | None:
    """(4, 2) corners of the whole board in the photo as it is, found once for all views."""
    image = load_photo(photo)
    found = None if image is None else find_board(image, TEMPLATE)
    return None if found is None else outermost(found.pose, found.template)


def reposed(series: Series, variant: str) -> Iterator[Image]:
    for number, shot in enumerate(series.shots):
        assert shot.photo is not None
        image = load_photo(shot.photo)
        assert image is not None
        corners_px = None if variant == AS_IS else corners_in(shot.photo)
        if corners_px is not None:
            image, _ = repose(image, corners_px, VIEWS[variant], np.random.default_rng([series.game, number]))
        yield image


def judge(scored: Scored, truth: Truth, dropped: int, pawns: bool) -> dict[str, object]:
    certain, left_out, written = Tally(), Tally(), 0
    for series, looks in scored:
        gone = {shot.name.number for shot in series.shots if dropped and shot.name.number % dropped == 0}
        shots = [dataclasses.replace(shot, photo=None) if shot.name.number in gone else shot for shot in series.shots]
        scorer = Scorer(dataclasses.replace(series, shots=tuple(shots)))
        for shot, look in zip(shots, looks, strict=True):
            usable = [] if look is None or shot.photo is None else [look if pawns else Look(look.reading)]
            scorer.look(usable)
        for move in scorer.moves():
            number, true = move.name.number, truth[move.name]
            if number in gone:
                written += move.annotation is not None
                left_out.add(move.annotation, true)
            elif number - 1 not in gone and not certain.add(move.annotation, true):
                expected = f"{' '.join(true.cells)} {true.pips[0]}-{true.pips[1]} for {true.points}"
                print(f"    expected {expected}: {line_of(move)}", file=sys.stderr)
    result: dict[str, object] = {"dropped_every": dropped, "pawns": pawns, **dataclasses.asdict(certain)}
    if dropped:
        result |= {"left_out": left_out.moves, "left_out_written": written, "left_out_right": left_out.points}
    return result


def main(
    photos: Annotated[Path, typer.Argument(help="Folder of photos and annotations.")],
    variants: Annotated[str, typer.Option(help="Names of views, by commas.")] = VARIANTS,
    drop_every: Annotated[int, typer.Option(help="Also score with every so manieth photo left out.")] = 0,
    only: Annotated[str, typer.Option(help="Numbers of games, by commas. Default: all.")] = "",
    profile: Path | None = None,
) -> None:
    truth = {name: read_annotation(path) for name, path in annotation_paths(photos).items()}
    games = find_series(photos, [int(number) for number in only.split(",") if number])
    reader = PhotoReader(TEMPLATE, None if profile is None else TableProfile.load(profile))
    for variant in variants.split(","):
        start_s = time.perf_counter()
        scored: list[tuple[Series, list[Look | None]]] = []
        for series in games:
            eyes = PhotoSeriesReader(reader)
            scored.append((series, [next(eyes.looks(image), None) for image in reposed(series, variant)]))
        taken_s = time.perf_counter() - start_s
        for dropped in (0, drop_every) if drop_every else (0,):
            for pawns in (True, False):
                result = {"variant": variant} | judge(scored, truth, dropped, pawns) | {"seconds": round(taken_s)}
                print(json.dumps(result), flush=True)
