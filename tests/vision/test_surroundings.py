"""Hands beside the board, of which the board's own picture shows almost nothing, on drawn boards."""

from __future__ import annotations

import dataclasses
import functools

import cv2
import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from tests.vision.drawn import NOISES, draw, noisy
from vision.frame import Image
from vision.pose import BoardPose, project, rectify
from vision.watching.cell_places import CellPlaces
from vision.watching.surroundings import Surroundings, small_picture, surroundings_of
from vision.watching.watcher import Sight, Watcher

TEMPLATE = load_template("gomoku")

RATE_HZ = 8
SETTLE_S = 0.4
SKIN, SLEEVE = (130, 160, 215), (60, 40, 30)
MEN = ("h8", "c4", "m12")


class Watched:
    """Shows pictures of a gomoku board to a watcher, first at rest, and keeps the time."""

    def __init__(self) -> None:
        self.watcher, self.frames = Watcher(CellPlaces.on(TEMPLATE), SETTLE_S), 0
        self.pose: BoardPose
        self.show(self.board(), 3)

    def board(self, *more: str) -> Image:
        names = {*MEN, *more}
        cells = "".join("W" if name in names else "." for name in TEMPLATE.cell_names)
        image, self.pose = draw(TEMPLATE, cells=cells)
        return image

    def index(self, name: str) -> int:
        return TEMPLATE.cell_names.index(name)

    def place(self, name: str) -> tuple[int, int]:
        """A cell's place in the picture, in pixels."""
        x, y = project(self.pose.image_from_board, TEMPLATE.cells_mm[[self.index(name)]])[0]
        return round(x), round(y)

    def show(self, image: Image, seconds: float) -> list[Sight]:
        """Seen with noise that comes again and again, so that each picture is looked at once."""
        looked = functools.cache(lambda noise: surroundings_of(noisy(image, noise), self.pose, TEMPLATE))
        sights = []
        for _ in range(round(seconds * RATE_HZ)):
            self.frames += 1
            sights.append(seen(self.watcher, looked(self.frames % NOISES), self.frames / RATE_HZ))
        return sights


def seen(watcher: Watcher, around: Surroundings, time_s: float) -> Sight:
    sight = watcher.update(around, time_s)
    if sight.settled:
        watcher.renew()
    return sight


def shown(template: BoardTemplate, *pictures: tuple[Surroundings, float]) -> list[Sight]:
    """What a watcher says last of each picture in turn, shown for so many seconds; the first is the free board."""
    watcher, time_s, told = Watcher(CellPlaces.on(template), SETTLE_S), 0.0, []
    for around, seconds in pictures:
        for _ in range(round(seconds * RATE_HZ)):
            time_s += 1 / RATE_HZ
            last = seen(watcher, around, time_s)
        told.append(last)
    return told


def with_fingers(image: Image, tip: tuple[int, int]) -> Image:
    """The picture with a hand from its top edge whose fingers end just above a place."""
    covered = image.copy()
    x, y = tip[0], tip[1] - 14
    cv2.line(covered, (x - 4, y), (x - 14, y - 45), SKIN, 7)
    cv2.line(covered, (x + 4, y), (x + 8, y - 45), SKIN, 7)
    cv2.rectangle(covered, (x - 30, 0), (x + 24, y - 40), SKIN, -1)
    return covered


def fresh(states: list[Sight]) -> int:
    return sum(state.fresh for state in states)


@pytest.mark.parametrize("cell", ["f15", "h15", "l15", "o15"])
def test_a_stone_on_the_edge_is_hidden_while_fingers_hold_it(cell: str) -> None:
    table = Watched()
    laid = table.board(cell)
    during = table.show(with_fingers(laid, table.place(cell)), 3)
    assert not fresh(during) and during[-1].phase == "occluded"
    assert all(sight.hidden[table.index(cell)] for sight in during)
    assert not during[-1].hidden[45:].any()
    after = table.show(laid, 1)
    assert fresh(after) == 1 and not after[-1].hidden.any()


def test_a_hand_that_rests_beside_the_board_does_not_hold_up_play() -> None:
    table = Watched()
    beside = (table.place("h15")[0], table.place("h15")[1] - 25)
    assert fresh(table.show(with_fingers(table.board("h12"), beside), 1)) == 1
    sights = table.show(with_fingers(table.board("h12", "c15"), beside), 1)
    assert fresh(sights) == 1 and not any(sight.hidden.any() for sight in sights)


def test_the_shadow_of_an_arm_beside_the_board_does_not_hold_up_play() -> None:
    table = Watched()
    x, y = table.place("h15")
    shaded = table.board("h14").astype(np.float32)
    shaded[y - 40 : y + 60, x - 40 : x + 40] *= 0.6
    sights = table.show(with_fingers(shaded.astype(np.uint8), (x, y - 25)), 1)
    assert fresh(sights) == 1 and not any(sight.hidden.any() for sight in sights)


def test_men_that_lie_beside_the_board_do_not_hold_up_play() -> None:
    table = Watched()
    x, y = table.place("h15")
    beside = table.board("h15")
    for aside in (-30, 0, 30):
        cv2.circle(beside, (x + aside, y - 38), 10, (225, 232, 235), -1)
    sights = table.show(beside, 1)
    assert fresh(sights) == 1 and not any(sight.hidden.any() for sight in sights)


@pytest.mark.parametrize("game", ["gomoku", "nine_mens_morris", "reversi", "double_double_dominoes"])
def test_the_window_shows_what_the_boards_own_picture_shows(game: str) -> None:
    template = load_template(game)
    image, pose = draw(template)
    around, own = surroundings_of(image, pose, template), small_picture(rectify(image, pose, template))
    shown = around.picture[around.window]
    assert shown.shape == own.shape
    off, moved = np.abs(shown - own)[2:-2, 2:-2], np.abs(own[:, 1:] - own[:, :-1])[2:-2, 2:-2]
    assert off.mean() < 0.25 * moved.mean()
    assert around.places.any() and not around.places.all()


def test_how_far_around_the_board_is_looked_does_not_depend_on_the_games_margin() -> None:
    """It is 0.3 of the frame's side for all games; for dominoes, the rectified picture already shows most of that."""
    for game in ("gomoku", "co_ganh", "double_double_dominoes"):
        template = load_template(game)
        image, pose = draw(template)
        around = surroundings_of(image, pose, template)
        per_mm = small_picture(rectify(image, pose, template)).shape[1] / (template.size_mm[0] + 2 * template.margin_mm)
        assert around.picture.shape[1] / per_mm == pytest.approx(1.6 * template.size_mm[0], rel=0.02)


def over_the_rim(watched: Watched, image: Image, reach: int) -> Image:
    """The picture with fingers from its top edge that end `reach` pixels above the first row."""
    covered = image.copy()
    x, y = watched.place("h15")
    for finger in (-21, -7, 7, 21):
        cv2.line(covered, (x + finger, 0), (x + finger, y - reach), SKIN, 9)
    return covered


def test_fingers_that_rested_on_the_rim_prove_no_free_board_when_one_is_stretched() -> None:
    watched = Watched()
    board = watched.board()
    on_rim = over_the_rim(watched, board, 10)
    resting = watched.show(on_rim, 2)[-1]
    assert resting.settled and not resting.hidden.any()  # they cover no cell, and the board is unchanged
    watched.show(board, 0.2)
    watched.show(on_rim, 2)
    stretched = on_rim.copy()
    x, y = watched.place("h15")
    cv2.line(stretched, (x + 7, 0), (x + 7, y + 4), SKIN, 9)
    sights = watched.show(stretched, 2)
    assert fresh(sights) == 0


@pytest.mark.parametrize("moved", [False, True])
def test_a_board_pushed_to_the_end_of_the_cameras_picture_has_nothing_over_its_rim(moved: bool) -> None:
    """The area beyond that picture is unknown; it is no black object."""
    ganh = load_template("co_ganh")
    men = ["."] * len(ganh.cell_names)
    men[ganh.cell_names.index("a2")] = "B"
    board, pose = draw(ganh, cells="".join(men))
    if moved:
        men[ganh.cell_names.index("a2")], men[ganh.cell_names.index("a1")] = ".", "B"
    after = draw(ganh, cells="".join(men))[0]
    edge = round(max(project(pose.image_from_board, ganh.cells_mm)[:, 1]) + 0.6 * ganh.man_diameter_mm)
    turned = cv2.getRotationMatrix2D((320, edge), -3.0, 1.0)
    pushed = cv2.warpAffine(after, turned, (640, 480), borderMode=cv2.BORDER_REPLICATE)
    moved_pose = dataclasses.replace(pose, image_from_board=np.vstack([turned, [0, 0, 1]]) @ pose.image_from_board)
    known, pushed_there = (
        surroundings_of(np.ascontiguousarray(image[: edge + 25]), where, ganh)
        for image, where in ((board, pose), (pushed, moved_pose))
    )
    assert (known.unseen != pushed_there.unseen).any()
    assert not shown(ganh, (known, 2), (pushed_there, 2))[-1].hidden.any()


def test_what_lies_on_the_rim_for_long_does_not_hold_up_play() -> None:
    watched = Watched()
    cup = over_the_rim(watched, watched.board(), 10)
    for _ in range(2):
        watched.show(over_the_rim(watched, watched.board("d4"), 10), 1)
        watched.show(cup, 12)
    laid = watched.show(over_the_rim(watched, watched.board("d4"), 10), 1)
    assert fresh(laid) == 1 and not any(sight.hidden.any() for sight in laid)


def test_a_hand_in_the_very_first_pictures_holds_up_play_once() -> None:
    watched = Watched()
    board = watched.board()
    x, y = watched.place("h11")
    reaching = board.copy()
    cv2.rectangle(reaching, (x - 30, 0), (x + 24, y), SLEEVE, -1)
    watched.watcher.reset()
    assert fresh(watched.show(reaching, 1)) == 1  # it cannot be recognised as a hand yet
    assert fresh(watched.show(board, 12)) == 1  # after a while
    assert fresh(watched.show(watched.board("d4"), 1)) == 1


@pytest.mark.parametrize("first_s", [0.7, 4.0])
def test_a_hand_over_the_rim_in_the_first_pictures_holds_up_nothing_elsewhere(first_s: float) -> None:
    """A daemon that starts while a hand hovers sees the rim without the hand only later."""
    watched = Watched()
    hovering = watched.board()
    x, y = watched.place("h15")
    cv2.rectangle(hovering, (x - 40, 0), (x + 40, y - 16), SLEEVE, -1)
    watched.watcher.reset()
    assert fresh(watched.show(hovering, first_s)) == 1
    x, y = watched.place("d4")
    for count in range(1, 6):
        stones = ("d4", "e5", "f6", "g7", "k9")[:count]
        for tip in (200, y, 200):
            reaching = watched.board(*stones)
            cv2.rectangle(reaching, (x - 60, tip), (x - 20, 480), SLEEVE, -1)
            watched.show(reaching, 0.2)
        left = watched.show(watched.board(*stones), 2.5)
        assert fresh(left) == 1 and not left[-1].hidden.any() and left[-1].alike.all()
