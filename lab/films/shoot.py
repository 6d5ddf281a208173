"""Shoots a film: turns, hands and pushes of the board, picture by picture, and the truth beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.films.hands import Hands, Hosts, Turn, is_seen
from lab.films.lens import FilmCamera
from lab.films.plan import Board, FilmPlan
from lab.films.table import FilmTable
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.camera import PinholeCamera
from vision.frame import Image

SOFT_PX = 60.0
"""Pixels around the board over which the table gives way."""
TURN_MM = 300.0
"""A shift's standard deviation, divided by this, is that of the turn in radians."""
KEPT = 0.7
"""Share of the way from its first place that a board keeps at the next push, so that it does not wander off."""


class Nudge:
    def __init__(self, camera: PinholeCamera, outline_mm: FloatArray, height_mm: float) -> None:
        """`outline_mm` is (4, 2), of the board with its border; `height_mm` that of the men."""
        self._image_from_world, self._centre = camera.image_from_world, outline_mm.mean(axis=0)
        width, height = camera.size_px
        points = [np.column_stack([outline_mm, np.full(4, rise)]) for rise in (0.0, height_mm)]
        hull = cv2.convexHull(camera.project(np.concatenate(points)).astype(np.float32))
        outside = np.full((height, width), 255, np.uint8)
        cv2.fillConvexPoly(outside, np.rint(hull).astype(np.int32), (0,))
        away = np.clip(cv2.distanceTransform(outside, cv2.DIST_L2, 3) / SOFT_PX, 0, 1)
        self._share = np.asarray(1 - away**2 * (3 - 2 * away), np.float32)[..., None]
        self._grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(np.float32)
        self._last: tuple[bytes, Float32Array] = (b"", self._grid)

    def matrix(self, shift: FloatArray) -> FloatArray:
        """(3, 3) from the picture's pixels to those of the board pushed by `shift`: x and y in mm, turn in radians."""
        x, y, turn = shift
        cosine, sine = np.cos(turn), np.sin(turn)
        about = np.array([[1, 0, self._centre[0]], [0, 1, self._centre[1]], [0, 0, 1]])
        moved = about @ np.array([[cosine, -sine, x], [sine, cosine, y], [0, 0, 1]]) @ np.linalg.inv(about)
        matrix = self._image_from_world @ moved @ np.linalg.inv(self._image_from_world)
        return np.asarray(matrix / matrix[2, 2], np.float64)

    def pushed(self, picture: Image, shift: FloatArray) -> Image:
        if not shift.any():
            return picture
        none = np.empty(0, np.float32)
        places = self._places(shift)
        return np.asarray(cv2.remap(picture, places, none, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT), np.uint8)

    def _places(self, shift: FloatArray) -> Float32Array:
        """(h, w, 2) where each pixel of the pushed picture comes from; the last answer is kept."""
        key = shift.tobytes()
        if self._last[0] != key:
            back = np.linalg.inv(self.matrix(shift))
            there = cv2.perspectiveTransform(self._grid.reshape(1, -1, 2), back).reshape(self._grid.shape)
            self._last = key, self._grid + self._share * (there - self._grid).astype(np.float32)
        return self._last[1]


def shifts(boards: int, nudge_mm: float, rng: Rng) -> FloatArray:
    """(boards, 3) the place of the board at each of them: x, y and turn; the first is 0."""
    places = np.zeros((boards, 3))
    for board in range(1, boards):
        push = rng.normal(0, 1, 3) * (nudge_mm, nudge_mm, nudge_mm / TURN_MM)
        places[board] = KEPT * places[board - 1] + push if nudge_mm else 0.0
    return places


AFTERWARDS_S = 3.0
"""Seconds that the last board stays in the picture."""
COARSE = 4
"""Pixels on a side of the squares that belong to one cell."""


class Shoot:
    def __init__(
        self, plan: FilmPlan, table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image], camera: FilmCamera
    ) -> None:
        """`pictures` are of the boards, in their order."""
        self._plan, self._table, self._boards, self._pictures = plan, table, boards, pictures
        self._camera = camera
        self._hands = Hands(table, pictures[0], plan.seed)
        shoulders = [arm.shoulder_mm for arm in self._hands.arms]
        self._hosts = Hosts(plan, table.template, self._hands.rest, shoulders)
        self._nudge = Nudge(table.camera, table.body.outline_mm, table.men_mm)
        self._shifts = shifts(len(boards), plan.nudge_mm, plan.rng("nudge"))
        self.told: list[dict[str, Any]] = []
        self.poses: list[dict[str, Any]] = []

    def run(self, on_progress: Callable[[float], None] = lambda _: None) -> None:
        rng = self._plan.rng("times")
        self._tell(0, 0.0)
        self._free(0, self._plan.start_s)
        for number, board in enumerate(self._boards[1:], 1):
            self._turn(number, self._hosts.turn(board))
            seconds = float(rng.uniform(*self._plan.free_s))
            resting = self._hosts.resting()
            if resting is not None:
                self._free(number, seconds)
                self._turn(number, resting)
            self._free(number, seconds)
            on_progress(number / len(self._boards))
        self._free(len(self._boards) - 1, AFTERWARDS_S)
        hands_s = [pose["s"] for pose in self.poses if pose["hand"]]
        for told in self.told:  # a hand that has set out is not seen at once
            told["ends_s"] = next((time_s for time_s in hands_s if time_s >= told["ends_s"]), told["ends_s"])

    def _free(self, number: int, seconds: float) -> None:
        still = self._nudge.pushed(self._pictures[number], self._shifts[number])
        for _ in range(max(1, round(seconds * self._plan.fps))):
            self._show(still, still, self._shifts[number])
        self.told[-1]["ends_s"] = round(self._camera.time_s, 3)

    def _turn(self, number: int, turn: Turn) -> None:
        """The pictures with hands in them; without swaps the board stays."""
        change = Change(self._table, self._boards, self._pictures, number) if turn.swaps else None
        begun_s, laid = self._camera.time_s, change is None
        for index in range(max(1, round(turn.duration_s * self._plan.fps))):
            time_s = (index + 1) / self._plan.fps
            picture, shift = self._pictures[number], self._shifts[number]
            if change is not None:
                done = turn.swapped(time_s)
                share = len(done) / len(turn.swaps)
                picture = change.picture(done)
                shift = shift + (1 - share) * (self._shifts[number - 1] - shift)
                if share == 1 and not laid:
                    laid = True
                    self._tell(number, self._camera.time_s)
            still = self._nudge.pushed(picture, shift)
            self._show(self._hands.paint(still, turn.hands(time_s)), still, shift)
        if not laid:
            self._tell(number, self._camera.time_s)
        if change is not None:
            self.told[-1]["free_s"] = self._gone_s(begun_s)

    def _show(self, picture: Image, still: Image, shift: FloatArray) -> None:
        time_s = self._camera.time_s
        matrix = self._camera.show(picture, still) @ self._nudge.matrix(shift)
        corners = cv2.perspectiveTransform(self._table.corners_px[None], matrix)[0]
        told = {"s": round(time_s, 3), "corners_px": corners.round(2).tolist(), "hand": is_seen(picture, still)}
        self.poses.append(told)

    def _tell(self, number: int, laid_s: float) -> None:
        board = self._boards[number]
        ply = "unfinished" if board.ply is None else board.ply
        times = {"laid_s": round(laid_s, 3), "free_s": round(laid_s, 3), "ends_s": round(laid_s, 3)}
        self.told.append({"ply": ply, "move": board.move, **times, "cells": board.cells})

    def _gone_s(self, begun_s: float) -> float:
        """When the first picture without a hand is shown, after those of a visit that began then."""
        seen = [pose["s"] for pose in self.poses if pose["hand"] and pose["s"] >= begun_s - 1e-6]
        last = max(seen, default=begun_s)
        return float(round(max(last + 1 / self._plan.fps, self.told[-1]["laid_s"]), 3))


class Change:
    """Two pictures of the table, and which cell each pixel that differs belongs to."""

    def __init__(self, table: FilmTable, boards: Sequence[Board], pictures: Sequence[Image], number: int) -> None:
        before, after = boards[number - 1].cells, boards[number].cells
        self._before, self._after = pictures[number - 1], pictures[number]
        self._cells = [cell for cell, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
        self._owner = self._owners(table)
        self._last: tuple[frozenset[int], Image] = (frozenset(), self._before)

    def picture(self, done: frozenset[int]) -> Image:
        if self._last[0] != done:
            mask = np.isin(self._owner, [self._cells.index(cell) for cell in done if cell in self._cells])
            full = done >= set(self._cells)
            picture = self._after if full else np.where(mask[..., None], self._after, self._before)
            self._last = done, np.asarray(picture, np.uint8)
        return self._last[1]

    def _owners(self, table: FilmTable) -> NDArray[np.intp]:
        """(h, w) index among the changed cells of the one whose man, from foot to head, is nearest."""
        height, width = self._before.shape[:2]
        grid = np.stack(np.meshgrid(np.arange(0, width, COARSE), np.arange(0, height, COARSE)), axis=-1)
        feet, heads = (table.cells_px(self._cells, rise) for rise in (0.0, table.men_mm))
        away = [_distance(grid, foot, head) for foot, head in zip(feet, heads, strict=True)]
        owner = np.argmin(away, axis=0).astype(np.uint8)
        return np.asarray(cv2.resize(owner, (width, height), interpolation=cv2.INTER_NEAREST), np.intp)


def _distance(grid: NDArray[np.intp], start: FloatArray, end: FloatArray) -> FloatArray:
    """(h, w) pixels from the grid's points to a segment."""
    way = end - start
    share = np.clip(((grid - start) @ way) / max(float(way @ way), 1e-9), 0, 1)
    return np.asarray(np.linalg.norm(grid - start - share[..., None] * way, axis=2), np.float64)


def write_truth(path: Path, shoot: Shoot) -> None:
    for suffix, lines in ((".boards.jsonl", shoot.told), (".pictures.jsonl", shoot.poses)):
        text = "".join(json.dumps(one) + "\n" for one in lines)
        path.with_suffix(suffix).write_text(text, encoding="utf-8")
