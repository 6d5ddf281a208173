"""Films of a photographed game: real men on a real board, a real hand over every move, a hand-held camera's sway.

Every photo is shown free for a while; then a hand comes from one of four sides, and under the hand the next photo takes
its place. Beside the film is a file of one JSON object a photo: `s` (seconds into the film at which its free time
ends), `photo`, `cells`; and a .poses file of one object a picture: `s`, `corners_px` (where the square that the boards
are laid on truly is) and `hand` (whether one is over the board).
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.labels import Label
from lab.films.lens import SPOILT, Spoil, along
from lab.simulated.arrays import FloatArray, Rng
from vision.frame import Image

FPS = 15
PICTURE_PX, SIDE_PX = 960, 620
"""Pixels on a side of the picture, and of the board in its middle."""
LOW, HIGH = (PICTURE_PX - SIDE_PX) / 2, (PICTURE_PX + SIDE_PX) / 2
SQUARE = np.array([[LOW, LOW], [HIGH, LOW], [HIGH, HIGH], [LOW, HIGH]], np.float32)
AFTERWARDS_S = 3.0
"""Seconds that the last board stays in the picture."""
NOISE_LEVELS = 2.0
"""Standard deviation of the camera's noise, in grey values."""
BANK, ROOM_PX = 6, 256
"""Pictures of noise, and pixels by which each is larger than a frame: a frame uses a random part of one, flipped or
not."""


@dataclasses.dataclass(frozen=True)
class Plan:
    sway: float
    """Share of the recorded sway: 0 is a fixed camera, 1 the way as recorded."""
    nudge: float
    """Share of the offset between two photos' boards that is kept."""
    free: str
    """Seconds that a board is free: one number, or a range such as 0.8,4."""
    seed: int
    plies: int = 0
    """Photos after the first; 0 is the whole game."""
    spoilt: str = ""
    """The camera's effect on the film, one of SPOILT; empty for none."""

    @property
    def name(self) -> str:
        """The name of its files, without the number of plies and suffix."""
        spoilt = f"_{self.spoilt}" if self.spoilt else ""
        return f"s{self.sway:g}_n{self.nudge:g}_f{self.free}_r{self.seed}{spoilt}"

    @property
    def free_s(self) -> tuple[float, float]:
        """Least and greatest seconds. Raises ValueError."""
        numbers = [float(word) for word in self.free.split(",")]
        return numbers[0], numbers[-1]


@dataclasses.dataclass(frozen=True, eq=False)
class Shot:
    photo: str
    cells: str
    picture: Image


@dataclasses.dataclass(frozen=True, eq=False)
class Hand:
    sprites: tuple[Image, ...]
    """(PICTURE_PX, PICTURE_PX, 4) BGR and opacity; it enters from below."""

    @property
    def laid(self) -> int:
        return len(self.sprites) // 2

    @property
    def gone(self) -> int:
        """Index of the first picture without any of the hand."""
        return 1 + max((number for number, one in enumerate(self.sprites) if one[..., 3].any()), default=-1)


@dataclasses.dataclass(frozen=True)
class Showing:
    """One photo in a film; seconds from the film's beginning."""

    photo: str
    cells: str
    laid_s: float
    """When its board appears, under the hand."""
    free_s: float
    """When the hand is out of the picture."""
    ends_s: float
    """When the free time ends."""
    is_half: bool = False
    """Whether half a turn lies there, which is no ply."""


def hand_from(folder: Path) -> Hand:
    """The recorded hand, every second picture of it: it was filmed at twice the rate."""
    sprites = [cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in sorted(folder.glob("*.png"))[::2]]
    size = (PICTURE_PX, PICTURE_PX)
    return Hand(tuple(np.asarray(cv2.resize(one, size), np.uint8) for one in sprites if one is not None))


def shots_of(labels: Sequence[Label], folder: Path, nudge: float) -> list[Shot]:
    """The photos rectified; with a nudge below 1 each is moved nearer to the first one's place.

    Raises OSError for a photo that is absent, ValueError for one without corners.
    """
    shots: list[Shot] = []
    for label in labels:
        photo = cv2.imread(str(folder / label.name))
        if photo is None:
            raise FileNotFoundError(f"{folder / label.name}: no photo that can be read")
        if label.corners_px is None:
            raise ValueError(f"{label.name}: nobody marked the board's corners")
        picture = straightened(np.asarray(photo, np.uint8), label.corners_px)
        if shots and nudge != 1:
            picture = moved_to(picture, shots[0].picture, 1 - nudge)
        shots.append(Shot(label.name, label.cells, picture))
    return shots


def straightened(photo: Image, corners_px: FloatArray) -> Image:
    there = cv2.getPerspectiveTransform(corners_px.astype(np.float32), SQUARE)
    size = (PICTURE_PX, PICTURE_PX)
    return np.asarray(cv2.warpPerspective(photo, there, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT))


def moved_to(picture: Image, first: Image, share: float) -> Image:
    sift = cv2.SIFT.create(3000)
    grey = [cv2.cvtColor(one, cv2.COLOR_BGR2GRAY) for one in (picture, first)]
    (points, marks), (points0, marks0) = (sift.detectAndCompute(one, None) for one in grey)
    pairs = cv2.BFMatcher().knnMatch(marks, marks0, 2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < 0.8 * pair[1].distance]
    if len(good) < 20:
        return picture
    here = np.array([points[one.queryIdx].pt for one in good], np.float32)
    there = np.array([points0[one.trainIdx].pt for one in good], np.float32)
    matrix: Any = cv2.findHomography(here, there, cv2.USAC_MAGSAC, 2.0)[0]
    if matrix is None:
        return picture
    part = np.eye(3) + share * (matrix / matrix[2, 2] - np.eye(3))
    size = (PICTURE_PX, PICTURE_PX)
    return np.asarray(cv2.warpPerspective(picture, part, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


def make_film(
    shots: Sequence[Shot], hand: Hand, way: FloatArray, plan: Plan, path: Path,
    *, on_progress: Callable[[float], None] = lambda _: None,
) -> None:  # fmt: skip
    """Writes the film and the file beside it; no half-written file is left behind. Raises OSError."""
    part, told = path.with_suffix(".part.avi"), []
    pick = np.random.default_rng(plan.seed)
    writer = cv2.VideoWriter(str(part), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (PICTURE_PX, PICTURE_PX))
    if not writer.isOpened():
        raise OSError(f"{part}: cannot be written as a video")
    camera = Camera(writer, way, plan.sway, pick, SPOILT.get(plan.spoilt))
    try:
        for number, shot in enumerate(shots):
            for _ in range(round(pick.uniform(*plan.free_s) * FPS)):
                camera.show(shot.picture)
            told.append({"s": round(camera.frames / FPS, 2), "photo": shot.photo, "cells": shot.cells})
            sprites = hand.sprites if number + 1 < len(shots) else ()
            turn = int(pick.integers(4))
            for index, sprite in enumerate(sprites):
                camera.show((shot if index < hand.laid else shots[number + 1]).picture, np.rot90(sprite, turn))
            on_progress((number + 1) / len(shots))
        for _ in range(round(AFTERWARDS_S * FPS)):
            camera.show(shots[-1].picture)
    finally:
        writer.release()
    for suffix, lines in ((".json", told), (".poses", camera.poses)):
        path.with_suffix(suffix).write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    part.replace(path)


class Camera:
    def __init__(
        self, writer: cv2.VideoWriter, way: FloatArray, sway: float, pick: Rng, spoil: Spoil | None = None
    ) -> None:
        self.frames = 0
        self.poses: list[dict[str, Any]] = []
        self._spoil = spoil
        self._writer, self._way, self._sway, self._pick = writer, way, sway, pick
        side = PICTURE_PX + ROOM_PX
        drawn = (pick.standard_normal((side, side, 3), dtype=np.float32) for _ in range(BANK))
        self._bank = [np.rint(NOISE_LEVELS * one).astype(np.int16) for one in drawn]

    def show(self, board: Image, sprite: Image | None = None) -> None:
        picture = board if sprite is None else covered(board, sprite)
        matrix = along(self._way, self._sway, self.frames / FPS, (PICTURE_PX, PICTURE_PX))
        corners_px = cv2.perspectiveTransform(SQUARE[None], matrix)[0].round(2).tolist()
        told = {"s": round(self.frames / FPS, 3), "corners_px": corners_px, "hand": sprite is not None}
        self.poses.append(told)
        if self._sway:
            picture = cv2.warpPerspective(picture, matrix, (PICTURE_PX, PICTURE_PX), borderMode=cv2.BORDER_REFLECT)  # type: ignore[assignment]
        picture = np.asarray(cv2.add(picture, self._noise(), dtype=cv2.CV_8U), np.uint8)
        self._writer.write(picture if self._spoil is None else self._spoil(picture, self.frames / FPS))
        self.frames += 1

    def _noise(self) -> NDArray[np.int16]:
        """Noise for a frame; drawing it anew each time would take longer than all the rest."""
        picture = self._bank[int(self._pick.integers(BANK))]
        x, y = (int(number) for number in self._pick.integers(0, ROOM_PX + 1, 2))
        window = picture[y : y + PICTURE_PX, x : x + PICTURE_PX]
        flip = int(self._pick.integers(-1, 3))
        return window if flip == 2 else np.asarray(cv2.flip(window, flip), np.int16)


def covered(board: Image, sprite: Image) -> Image:
    rows, columns = (np.flatnonzero(sprite[..., 3].any(axis=axis)) for axis in (1, 0))
    picture = board.copy()
    if rows.size:
        place = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        opacity = sprite[place][..., 3:].astype(np.float32) / 255
        picture[place] = picture[place] * (1 - opacity) + sprite[place][..., :3] * opacity
    return picture


def showings(path: Path, hand: Hand) -> list[Showing]:
    """The photos of a film with their times, from the file beside it. Raises OSError, ValueError."""
    laid, gone, shown = hand.laid / FPS, hand.gone / FPS, list[Showing]()
    for line in path.with_suffix(".json").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        before_s = shown[-1].ends_s if shown else None
        starts = (0.0, 0.0) if before_s is None else (before_s + laid, before_s + gone)
        shown.append(Showing(one["photo"], one["cells"], *starts, one["s"]))
    return shown


def film_of(folder: Path, plan: Plan, photos: int) -> tuple[Path, bool]:
    """The path of a film with that many photos, and whether it exists."""
    path = folder / f"{plan.name}_p{photos - 1}.avi"
    return path, path.is_file() and path.with_suffix(".json").is_file()


def in_order(labels: Sequence[Label], game: str) -> list[Label]:
    """The photos of one game, 1_2.jpg before 1_10.jpg."""
    numbers = {one: re.fullmatch(rf"{re.escape(game)}_(\d+)\.\w+", one.name) for one in labels}
    found = [(int(match[1]), label) for label, match in numbers.items() if match is not None]
    return [label for _, label in sorted(found, key=lambda pair: pair[0])]
