"""Scores annotated photos of dominoes games, as they are and transformed, and counts what is right.

    kibitzer bench score-dominoes ../shared/data/dominoes --drop-every 4
    kibitzer bench score-dominoes ../shared/data/dominoes --variants turned_90,tilted,blurred

Variants are the VIEWS below; `as_is` is the photo itself. Every game is scored with the pawns on
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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from calibration.annotations import Annotation, PhotoName, annotation_paths, read_annotation
from calibration.profile import TableProfile
from calibration.template import BoardTemplate, load_template
from daemon.cli.score import PhotoSeriesReader
from daemon.scoring.photo_series import Series, find_series
from daemon.scoring.scorer import Look, Scorer, line_of
from games.double_double_dominoes import DoubleDoubleDominoes
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from vision.cli import load_photo
from vision.finding.finder import find_board
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.reading.locate import PhotoReader

DISTANCE = 2.2
"""Sides of the board between the camera and the board."""
ROOM = 0.04
"""Share of the picture left around the board at least."""


@dataclasses.dataclass(frozen=True)
class View:
    """How a photo is transformed; by default it is only moved into the middle."""

    turn_deg: float = 0.0
    """Clockwise turn."""
    any_turn: bool = False
    """Whether to turn by a random angle instead."""
    tilt_deg: float = 0.0
    """Tilt of the camera from straight above, towards a random side."""
    gain: float = 1.0
    """Brightness; values beyond white are clipped."""
    shade: float = 0.0
    """Share by which one side of the picture is darker than the other."""
    blur_px: float = 0.0
    """Standard deviation of the blur."""
    noise: float = 0.0
    """Standard deviation of the sensor's noise, in grey values."""
    size_px: tuple[int, int] | None = None
    """Width and height; None for those of the photo."""
    share: float | None = None
    """Board's side as a share of the picture's shorter side; None for that of the photo, if there is room."""


VIEWS: Mapping[str, View] = {
    "upright": View(),
    "turned_90": View(turn_deg=90),
    "turned_180": View(turn_deg=180),
    "turned_270": View(turn_deg=270),
    "turned": View(any_turn=True),
    "tilted": View(tilt_deg=30),
    "tilted_far": View(tilt_deg=45, any_turn=True),
    "darkened": View(gain=0.35, noise=3),
    "brightened": View(gain=1.9),
    "blurred": View(blur_px=2.5),
    "small": View(size_px=(1280, 720), share=0.83),
    "tiny": View(size_px=(640, 480), share=0.85),
    "hand_held": View(
        any_turn=True, tilt_deg=25, gain=0.7, shade=0.4, blur_px=0.8, noise=3, size_px=(1280, 720), share=0.9
    ),
}


def outermost(pose: BoardPose, template: BoardTemplate) -> FloatArray:
    """(4, 2) corners of the whole board, margin included, in the picture."""
    outwards = template.margin_mm * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return project(pose.image_from_board, template.corners_mm + outwards)


def repose(image: Image, corners_px: FloatArray, view: View, rng: Rng) -> tuple[Image, FloatArray]:
    """The photo as it would look from there, and the (3, 3) homography destination_from_source.

    `corners_px` (4, 2) are the outermost corners of the board, all of which stay in the picture. Areas that the photo
    does not show are filled with the table's colour.
    """
    height, width = image.shape[:2]
    size = view.size_px or (width, height)
    matrix = _look(corners_px, view, rng)
    matrix = _framed(matrix, corners_px, size, view.share or _share(corners_px, (width, height))) @ matrix
    table = np.median(np.concatenate([image[0], image[-1]]), axis=0)
    # Shrunk by more than two, the picture would lose points: it is smoothed first.
    shrink = float(np.sqrt(_area(corners_px) / _area(project(matrix, corners_px))))
    smooth = cv2.GaussianBlur(image, (0, 0), 0.45 * shrink) if shrink > 1.3 else image
    moved = cv2.warpPerspective(
        smooth, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT, borderValue=table.tolist()
    )
    return _exposed(np.asarray(moved, dtype=np.float32), view, rng), matrix


def _look(corners_px: FloatArray, view: View, rng: Rng) -> FloatArray:
    """(3, 3) the plane as the turned and tilted camera sees it, the board's middle at the origin."""
    centre, side = corners_px.mean(axis=0), float(np.sqrt(_area(corners_px)))
    turn = rng.uniform(0, 2 * np.pi) if view.any_turn else np.radians(view.turn_deg)
    towards, tilt = rng.uniform(0, 2 * np.pi), np.radians(view.tilt_deg)
    to_middle = np.array([[1 / side, 0, -centre[0] / side], [0, 1 / side, -centre[1] / side], [0, 0, 1.0]])
    seen = np.array([[np.cos(tilt), 0, 0], [0, 1, 0], [np.sin(tilt) / DISTANCE, 0, 1]])
    plane: FloatArray = _rotation(towards) @ seen @ _rotation(turn - towards) @ to_middle
    return plane


def _framed(matrix: FloatArray, corners_px: FloatArray, size: tuple[int, int], share: float) -> FloatArray:
    """(3, 3) moves and scales the view so that the whole board is in the picture."""
    seen = project(matrix, corners_px)
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = (1 - 2 * ROOM) * np.array(size) / (high - low)
    scale = min(float(room.min()), share * min(size) / float(np.sqrt(_area(seen))))
    x, y = np.array(size) / 2 - scale * (low + high) / 2
    return np.array([[scale, 0, x], [0, scale, y], [0, 0, 1.0]])


def _exposed(picture: Float32Array, view: View, rng: Rng) -> Image:
    height, width = picture.shape[:2]
    if view.blur_px:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), view.blur_px), dtype=np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    across = np.cos(angle) * np.linspace(-0.5, 0.5, width) + np.sin(angle) * np.linspace(-0.5, 0.5, height)[:, None]
    light = view.gain * (1 - view.shade * (0.5 + across / 1.42))
    picture = picture * light[..., None].astype(np.float32)
    picture += rng.normal(0, view.noise, picture.shape).astype(np.float32) if view.noise else 0
    return np.asarray(np.clip(np.rint(picture), 0, 255), dtype=np.uint8)


def _rotation(angle: float) -> FloatArray:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def _share(corners_px: FloatArray, size: tuple[int, int]) -> float:
    return float(np.sqrt(_area(corners_px))) / min(size)


def _area(corners: FloatArray) -> float:
    return abs(float(cv2.contourArea(corners.astype(np.float32))))


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
def corners_in(photo: Path) -> FloatArray | None:
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
