"""The bench that films a photographed game: the film it makes, and how it judges the result of watching."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import games
from calibration.labels import Label
from calibration.template import load_template
from lab.films import filmed
from lab.films.films import (
    FPS,
    NOISE_LEVELS,
    PICTURE_PX,
    Camera,
    Hand,
    Plan,
    Shot,
    Showing,
    film_of,
    make_film,
    moved_to,
    showings,
    straightened,
)
from lab.films.judge import Due, by_the_rules, judge
from lab.films.lens import SPOILT
from lab.films.played_on import played_on
from lab.simulated.table import SimulatedTable
from vision.frame import Image

EMPTY = "." * 24
STILL = np.tile(np.eye(3), (5, 1, 1))


def board(*men: str) -> str:
    """A morris board, from words such as Wa7."""
    cells = games.load("morris").cells
    letters = {man[1:]: man[0] for man in men}
    return "".join(letters.get(cell, ".") for cell in cells)


def laid_out(*boards: str) -> list[Due]:
    """These boards shown for 4 s each, free of hands from second 1 to 3 of each, with what the rules make of them."""
    shown = [Showing(f"1_{n}.jpg", cells, 4.0 * n, 4.0 * n + 1, 4.0 * n + 3) for n, cells in enumerate(boards)]
    return by_the_rules(games.load("morris", filmed.RULES), shown)


def event(time_s: float | str, cells: str, code: str = "move") -> dict[str, object]:
    return {"event": code, "frame": time_s, "cells": cells}


ONE, TWO = board("Wa7"), board("Wa7", "Bd7")
AGAIN = board("Wa7", "Bd7", "Ba4")
FOUR = board("Wa7", "Bd7", "Wg7", "Ba4")
"""At AGAIN dark lays out of turn; FOUR adds light's man."""


def test_the_rules_say_which_photos_are_legal_and_how_many_plies_they_hold() -> None:
    dues = laid_out(EMPTY, ONE, TWO, AGAIN, FOUR)
    assert [due.legal for due in dues] == [True, True, True, False, True]
    assert [due.plies for due in dues] == [0, 1, 1, 0, 2]


def test_boards_told_in_order_are_followed_and_timed_from_the_hand_that_is_gone() -> None:
    said = [event("", EMPTY, "start"), event(5.5, ONE), event(9.25, TWO)]
    judged = judge(laid_out(EMPTY, ONE, TWO, AGAIN), said)
    assert (judged.boards, judged.followed, judged.wrong, judged.lost) == (2, 2, (), ())
    assert judged.delays_s == (0.5, 0.25)


def test_a_board_told_late_is_followed_but_one_told_again_later_is_wrong() -> None:
    late = judge(laid_out(EMPTY, ONE, TWO), [event(9.5, ONE), event(9.5, TWO)])
    assert (late.followed, late.wrong, late.delays_s) == (2, (), (4.5, 0.5))
    back = judge(laid_out(EMPTY, ONE, TWO), [event(5.5, ONE), event(9.5, TWO), event(10.0, ONE, "takeback")])
    assert back.followed == 2 and back.wrong == (f"10.00 s: {ONE}",)


def test_a_board_that_is_believed_before_it_lies_there_is_wrong_and_not_followed() -> None:
    judged = judge(laid_out(EMPTY, ONE, TWO), [event(5.5, ONE), event(7.5, TWO)])
    assert judged.followed == 1 and judged.wrong == (f"7.50 s: {TWO}",) and judged.lost == ("1_2.jpg",)


def test_of_plies_told_at_once_only_the_last_must_stand_there() -> None:
    between = board("Wa7", "Bd7", "Wg7")
    both = [event(5.5, ONE), event(9.5, TWO), event(17.5, between), event(17.5, FOUR)]
    assert judge(laid_out(EMPTY, ONE, TWO, AGAIN, FOUR), both).wrong == ()
    assert judge(laid_out(EMPTY, ONE, TWO, AGAIN, FOUR), both[:-1]).wrong == (f"17.50 s: {between}",)


def test_an_illegal_board_is_told_only_while_it_lies_there_and_never_believed() -> None:
    dues = laid_out(EMPTY, ONE, TWO, AGAIN, FOUR)
    told = judge(dues, [event(13.5, AGAIN, "illegal")])
    assert (told.illegal, told.told, told.complaints) == (1, 1, 0)
    assert judge(dues, [event(17.5, AGAIN, "illegal")]).told == 0
    assert judge(dues, [event(9.5, TWO, "illegal")]).complaints == 1
    assert judge(dues, [event(5.5, ONE), event(9.5, TWO), event(13.5, AGAIN)]).wrong == (f"13.50 s: {AGAIN}",)


class Taken:
    """Replaces a video file and keeps the pictures written."""

    def __init__(self) -> None:
        self.pictures: list[NDArray[np.float64]] = []

    def write(self, picture: Image) -> None:
        self.pictures.append(picture.astype(np.float64))


def grey(level: int) -> Image:
    return np.full((PICTURE_PX, PICTURE_PX, 3), level, np.uint8)


def dot(x: int, y: int) -> Image:
    return np.asarray(cv2.circle(grey(40), (x, y), 30, (220, 220, 220), -1), np.uint8)


def centre(picture: NDArray[Any]) -> NDArray[np.float64]:
    """(x, y) in pixels of the bright spot's centre."""
    rows, columns = np.nonzero(picture[..., 0] > 130)
    return np.array([columns.mean(), rows.mean()])


def drawn_hand() -> Hand:
    """A hand that covers part of the lower picture, gone in the last two sprites."""
    sprites = [np.zeros((PICTURE_PX, PICTURE_PX, 4), np.uint8) for _ in range(8)]
    for sprite in sprites[:6]:
        sprite[600:, 300:700] = (128, 160, 212, 255)
    return Hand(tuple(sprites))


def test_the_cameras_noise_is_as_strong_as_said_and_another_in_each_picture() -> None:
    taken = Taken()
    camera = Camera(taken, STILL, 0, np.random.default_rng(3))  # type: ignore[arg-type]
    for _ in range(6):
        camera.show(grey(120))
    noise = np.array(taken.pictures) - 120
    # Rounding to whole levels adds a twelfth to the variance.
    assert noise.std() == pytest.approx((NOISE_LEVELS**2 + 1 / 12) ** 0.5, rel=0.01)
    assert abs(noise.mean()) < 0.02
    alike = np.corrcoef(noise[:, ::3, ::3].reshape(6, -1)) - np.eye(6)
    assert np.abs(alike).max() < 0.02


def test_the_way_is_gone_to_its_end_and_back_as_far_as_the_sway_says() -> None:
    way = STILL.copy()
    way[:, 0, 2] = np.arange(5) / 10  # each step is a tenth of the picture; each frame takes two steps
    taken = Taken()
    camera = Camera(taken, way, 0.5, np.random.default_rng(3))  # type: ignore[arg-type]
    for _ in range(5):
        camera.show(dot(300, 400))
    places = np.array([centre(picture) for picture in taken.pictures])
    assert places[:, 0] - 300 == pytest.approx([0, 96, 192, 96, 0], abs=1)
    assert places[:, 1] == pytest.approx(400, abs=1)


def test_a_film_shows_each_board_free_and_changes_it_under_the_hand(tmp_path: Path) -> None:
    shots = [Shot("1_1.jpg", EMPTY, dot(200, 200)), Shot("1_2.jpg", ONE, dot(400, 300))]
    hand, path = drawn_hand(), tmp_path / "film.avi"
    make_film(shots, hand, STILL, Plan(0, 1, "0.4,0.8", 7), path)
    first, second = showings(path, hand)
    assert (first.cells, second.cells) == (EMPTY, ONE)
    assert 0.4 <= first.ends_s <= 0.8 and 0.4 <= second.ends_s - first.ends_s - 8 / FPS <= 0.81
    assert second.laid_s == pytest.approx(first.ends_s + 4 / FPS)
    assert second.free_s == pytest.approx(first.ends_s + 6 / FPS)
    capture, pictures = cv2.VideoCapture(str(path)), []
    while (read := capture.read())[0]:
        pictures.append(read[1])
    assert len(pictures) == round((second.ends_s + 3) * FPS)
    for number, picture in enumerate(pictures):
        time_s = number / FPS + 0.001
        hidden = first.ends_s <= time_s < second.free_s
        skin = cv2.inRange(picture, (104, 136, 188), (152, 184, 236))
        assert (cv2.countNonZero(skin) > 0.1 * skin.size) == hidden, number
        if not hidden:
            assert centre(picture) == pytest.approx((400, 300) if time_s > second.laid_s else (200, 200), abs=1)


def test_a_board_is_straightened_and_laid_where_the_first_one_lies() -> None:
    chance = np.random.default_rng(5)
    photo = cv2.resize(chance.integers(0, 255, (60, 60, 3), dtype=np.uint8), (900, 900), interpolation=cv2.INTER_CUBIC)
    corners = np.array([[200.0, 200], [700, 200], [700, 700], [200, 700]])
    first, nudged = straightened(photo, corners), straightened(photo, corners + np.array([6, -4]))
    assert (first.shape, nudged.shape) == ((PICTURE_PX, PICTURE_PX, 3),) * 2
    inside = (slice(100, -100), slice(100, -100))

    def apart(picture: Image) -> float:
        return float(np.abs(picture[inside].astype(float) - first[inside]).mean())

    moved = apart(moved_to(nudged, first, 1.0))
    assert moved < apart(moved_to(nudged, first, 0.5)) < apart(nudged)
    assert moved < 0.1 * apart(nudged)


def test_a_film_that_is_there_is_used_only_with_as_many_photos_as_asked_for(tmp_path: Path) -> None:
    plan = Plan(0.2, 1, "0.8,4", 7, plies=2)
    (tmp_path / "s0.2_n1_f0.8,4_r7_p2.avi").write_bytes(b"film")
    (tmp_path / "s0.2_n1_f0.8,4_r7_p2.json").write_text(3 * "{}\n")
    assert film_of(tmp_path, plan, 3) == (tmp_path / "s0.2_n1_f0.8,4_r7_p2.avi", True)
    assert film_of(tmp_path, plan, 2) == (tmp_path / "s0.2_n1_f0.8,4_r7_p1.avi", False)
    assert film_of(tmp_path, dataclasses.replace(plan, seed=8), 3) == (tmp_path / "s0.2_n1_f0.8,4_r8_p2.avi", False)


def test_photos_that_are_absent_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert filmed.main(photos=tmp_path / "none") == 2
    assert str(tmp_path / "none") in capsys.readouterr().err


def test_a_real_game_is_filmed_watched_and_followed(real_data: Path, tmp_path: Path) -> None:
    where = {"photos": real_data / "morris", "hand": real_data / "hand", "keep": tmp_path}
    assert filmed.main(sway="0", plies=4, results=tmp_path / "out.json", **where) == 0
    total = json.loads((tmp_path / "out.json").read_text())["total"]
    assert (total["boards"], total["followed"], total["wrong"], total["complaints"]) == (4, 4, 0, 0)
    assert (tmp_path / "s0_n1_f2_r7_p4.avi").is_file()


@pytest.mark.parametrize("name", SPOILT)
def test_what_a_camera_does_to_a_picture_changes_it_and_leaves_its_size(name: str) -> None:
    picture = np.zeros((96, 96, 3), np.uint8)
    picture[24:72, 24:72] = 180
    spoilt = SPOILT[name](picture, 1.25)
    assert spoilt.shape == picture.shape and spoilt.dtype == np.uint8
    assert (spoilt != picture).any() and np.corrcoef(spoilt.ravel(), picture.ravel())[0, 1] > 0.9


@pytest.mark.parametrize("turn", [0, 1])
def test_a_photo_of_the_start_is_played_on_by_copying_cells(turn: int) -> None:
    game, template = games.load("reversi"), load_template("reversi")
    start = game.board(game.initial())
    table = SimulatedTable(template, start, seed=3, size_px=(640, 480))
    photo, corners = table.render(), np.roll(table.corners_px(), -turn, axis=0)
    seen = "".join(np.rot90(np.array(list(start)).reshape(8, 8), turn).ravel())
    shown = list(played_on(photo, Label("start.jpg", seen, corners), game, template, plies=4, seed=1))
    assert shown[0][1] == start and len({cells for _, cells, _ in shown}) == 5
    for (before, was, corners), (after, now, _) in itertools.pairwise(shown):
        to_board = cv2.getPerspectiveTransform(corners.astype(np.float32), template.corners_mm.astype(np.float32))
        size = tuple(int(side) for side in template.size_mm)
        differs = cv2.warpPerspective(
            np.abs(before.astype(np.int16) - after).max(axis=2).astype(np.uint8), to_board, size
        )
        stirred = {cell for cell, (x, y) in enumerate(template.cells_mm.astype(int)) if differs[y, x] > 20}
        assert stirred == {cell for cell in range(64) if was[cell] != now[cell]}
