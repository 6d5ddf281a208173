"""Hands beside the board, of which the rectified picture shows almost nothing, on drawn boards."""

from __future__ import annotations

import dataclasses
import functools

import cv2
import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from tests.vision.drawn import draw, noisy
from vision.frame import Image
from vision.pose import BoardPose, project, rectify
from vision.watching.differences import Differences
from vision.watching.gate import Gate, GateState
from vision.watching.surroundings import Surroundings, small_picture, surroundings_of

RATE_HZ = 8
SKIN, SLEEVE = (130, 160, 215), (60, 40, 30)
MEN = ("h8", "c4", "m12")


@pytest.fixture(scope="module")
def template() -> BoardTemplate:
    return load_template("gomoku")


class Watched:
    """Shows pictures of a gomoku board to a gate, first at rest, and keeps the time."""

    def __init__(self, template: BoardTemplate, *, around: bool = True) -> None:
        self._template, self._around = template, around
        self.gate, self.frames = Gate(settle_s=0.4), 0
        self.pose: BoardPose
        self.show(self.board(), 3)

    def board(self, *more: str) -> Image:
        names = {*MEN, *more}
        cells = "".join("W" if name in names else "." for name in self._template.cell_names)
        image, self.pose = draw(self._template, cells=cells)
        return image

    def place(self, name: str) -> tuple[int, int]:
        """A cell's place in the picture, in pixels."""
        cell = self._template.cells_mm[[self._template.cell_names.index(name)]]
        x, y = project(self.pose.image_from_board, cell)[0]
        return round(x), round(y)

    def show(self, image: Image, seconds: float) -> list[GateState]:
        return [self._next(image) for _ in range(round(seconds * RATE_HZ))]

    def _next(self, image: Image) -> GateState:
        self.frames += 1
        shown = noisy(image, self.frames)
        look = functools.partial(surroundings_of, shown, self.pose, self._template) if self._around else None
        return self.gate.update(rectify(shown, self.pose, self._template), self.frames / RATE_HZ, look)


def with_fingers(image: Image, tip: tuple[int, int]) -> Image:
    """The picture with a hand from its top edge whose fingers end just above a place."""
    covered = image.copy()
    x, y = tip[0], tip[1] - 14
    cv2.line(covered, (x - 4, y), (x - 14, y - 45), SKIN, 7)
    cv2.line(covered, (x + 4, y), (x + 8, y - 45), SKIN, 7)
    cv2.rectangle(covered, (x - 30, 0), (x + 24, y - 40), SKIN, -1)
    return covered


def fresh(states: list[GateState]) -> int:
    return sum(state.fresh for state in states)


@pytest.mark.parametrize("cell", ["f15", "h15", "l15", "o15"])
def test_a_stone_on_the_edge_is_not_read_while_fingers_hold_it(template: BoardTemplate, cell: str) -> None:
    table = Watched(template)
    laid = table.board(cell)
    during = table.show(with_fingers(laid, table.place(cell)), 3)
    assert not fresh(during) and during[-1].phase == "occluded"
    assert fresh(table.show(laid, 1)) == 1


def test_the_boards_own_picture_shows_too_little_of_such_fingers(template: BoardTemplate) -> None:
    table = Watched(template, around=False)
    assert fresh(table.show(with_fingers(table.board("h15"), table.place("h15")), 3)) == 1


def test_a_hand_that_rests_beside_the_board_does_not_hold_up_play(template: BoardTemplate) -> None:
    table = Watched(template)
    beside = (table.place("h15")[0], table.place("h15")[1] - 25)
    assert fresh(table.show(with_fingers(table.board("h12"), beside), 1)) == 1
    assert fresh(table.show(with_fingers(table.board("h12", "c15"), beside), 1)) == 1


def test_the_shadow_of_an_arm_beside_the_board_does_not_hold_up_play(template: BoardTemplate) -> None:
    table = Watched(template)
    x, y = table.place("h15")
    shaded = table.board("h14").astype(np.float32)
    shaded[y - 40 : y + 60, x - 40 : x + 40] *= 0.6
    assert fresh(table.show(with_fingers(shaded.astype(np.uint8), (x, y - 25)), 1)) == 1


def test_men_that_lie_beside_the_board_do_not_hold_up_play(template: BoardTemplate) -> None:
    table = Watched(template)
    x, y = table.place("h15")
    beside = table.board("h15")
    for aside in (-30, 0, 30):
        cv2.circle(beside, (x + aside, y - 38), 10, (225, 232, 235), -1)
    assert fresh(table.show(beside, 1)) == 1


@pytest.mark.parametrize("game", ["gomoku", "nine_mens_morris", "reversi", "double_double_dominoes"])
def test_the_window_shows_what_the_boards_own_picture_shows(game: str) -> None:
    template = load_template(game)
    image, pose = draw(template)
    around, own = surroundings_of(image, pose, template), small_picture(rectify(image, pose, template))
    shown = around.picture[around.window]
    assert shown.shape == own.shape
    assert np.abs(shown - own)[2:-2, 2:-2].max() < 2.0
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


def test_fingers_that_rested_on_the_rim_prove_no_free_board_when_one_is_stretched(template: BoardTemplate) -> None:
    watched = Watched(template)
    board = watched.board()
    on_rim = over_the_rim(watched, board, 10)
    assert fresh(watched.show(on_rim, 2)) == 1  # they cover no cell, and the board is unchanged
    watched.show(board, 0.2)
    watched.show(on_rim, 2)
    stretched = on_rim.copy()
    x, y = watched.place("h15")
    cv2.line(stretched, (x + 7, 0), (x + 7, y + 4), SKIN, 9)
    assert fresh(watched.show(stretched, 2)) == 0


def test_fingers_that_come_from_beyond_the_cameras_picture_are_a_hand(template: BoardTemplate) -> None:
    """The fingers are invisible at the edge of the picture, where the table has the colour of their skin."""
    watched = Watched(template)
    _, top = watched.place("h15")
    cut = top - 45
    near = dataclasses.replace(
        watched.pose, image_from_board=np.array([[1, 0, 0], [0, 1, -cut], [0, 0, 1]]) @ watched.pose.image_from_board
    )

    def around(image: Image) -> Surroundings:
        return surroundings_of(np.ascontiguousarray(image[cut:]), near, template)

    board = watched.board()
    fingers = board.copy()
    for x in (-21, -7, 7, 21):
        cv2.line(fingers, (watched.place("h15")[0] + x, cut + 12), (watched.place("h15")[0] + x, top - 6), SKIN, 9)
    differences = Differences(0.0007, 0.11)
    assert around(board).unseen.any()
    assert differences.over_the_rim(around(board), around(fingers)).any()
    assert not differences.over_the_rim(around(board), around(board)).any()


@pytest.mark.parametrize("beyond_px", [6, 9, 12, 15])
@pytest.mark.parametrize("letter", ["W", "B"])
def test_a_man_near_the_end_of_the_cameras_picture_is_no_hand(letter: str, beyond_px: int) -> None:
    ganh = load_template("co_ganh")
    bare = "." * len(ganh.cell_names)
    cell = ganh.cell_names.index("a1")
    board, pose = draw(ganh)
    laid = draw(ganh, cells=bare[:cell] + letter + bare[cell + 1 :])[0]
    x, y = project(pose.image_from_board, ganh.cells_mm[[cell]])[0]
    end = round(y) + round(0.5 * ganh.man_diameter_mm / ganh.size_mm[1] * 320) + beyond_px
    sleeve = board.copy()
    cv2.line(sleeve, (round(x), end + 20), (round(x) + 20, round(y) - 60), SLEEVE, 20)

    def around(image: Image) -> Surroundings:
        return surroundings_of(image[:end], pose, ganh)

    differences = Differences(0.0007, 0.11)
    assert around(board).unseen.any()
    assert not differences.over_the_rim(around(board), around(laid)).any()
    assert differences.over_the_rim(around(board), around(sleeve)).any()


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
    known, seen = (
        surroundings_of(np.ascontiguousarray(image[: edge + 25]), where, ganh)
        for image, where in ((board, pose), (pushed, moved_pose))
    )
    assert (known.unseen != seen.unseen).any()
    assert not Differences(0.0007, 0.11).over_the_rim(known, seen).any()


@pytest.mark.parametrize("hand", [False, True])
def test_a_board_that_a_corner_of_leaves_the_cameras_picture_is_read_and_a_hand_on_it_is_seen(hand: bool) -> None:
    template = load_template("nine_mens_morris")
    image, pose = draw(template)
    pushed = np.array([[1, 0, 120], [0, 1, 90], [0, 0, 1.0]])
    cut = np.asarray(cv2.warpPerspective(image, pushed, (640, 480), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
    after = dataclasses.replace(pose, image_from_board=pushed @ pose.image_from_board)
    if hand:
        cv2.line(cut, (639, 430), (430, 330), (90, 120, 190), 60)
    gate, states = Gate(settle_s=0.4), []
    for number in range(60):
        shown, at = (image, pose) if number < 30 else (cut, after)
        picture = noisy(shown, number)
        look = functools.partial(surroundings_of, picture, at, template)
        states.append(gate.update(rectify(picture, at, template), number / RATE_HZ, look))
    assert fresh(states[:30]) == 1
    assert fresh(states[30:]) == (0 if hand else 1)


def test_what_stirs_again_and_again_does_not_drive_out_the_pictures_from_before(template: BoardTemplate) -> None:
    """The shadow of a hovering hand would look like an object once it has gone."""
    watched = Watched(template)
    before = watched.gate.picture
    assert before is not None
    for stone in ("e5", "f6", "k6", "l7", "m8", "n9"):
        assert fresh(watched.show(watched.board(stone), 1)) == 1
    assert any(np.abs(before - kept.picture).max() < 20 for kept in watched.gate._free)


def test_what_lies_on_the_rim_for_a_minute_belongs_to_the_scene(template: BoardTemplate) -> None:
    watched = Watched(template)
    cup = over_the_rim(watched, watched.board(), 10)
    for _ in range(3):
        watched.show(over_the_rim(watched, watched.board("d4"), 10), 1)
        watched.show(cup, 35)
    assert len(watched.gate._free) > 1
    assert fresh(watched.show(over_the_rim(watched, watched.board("d4"), 10), 1)) == 1


def test_a_hand_in_the_very_first_pictures_holds_up_play_once(template: BoardTemplate) -> None:
    watched = Watched(template)
    board = watched.board()
    x, y = watched.place("h11")
    reaching = board.copy()
    cv2.rectangle(reaching, (x - 30, 0), (x + 24, y), SLEEVE, -1)
    watched.gate.reset()
    assert fresh(watched.show(reaching, 1)) == 1  # it cannot be recognised as a hand yet
    assert fresh(watched.show(board, 12)) == 1  # after a while
    assert fresh(watched.show(watched.board("d4"), 1)) == 1


@pytest.mark.parametrize(("first_s", "belongs"), [(0.7, True), (4.0, False)])
def test_what_is_there_ever_since_a_short_first_look_is_the_free_board_whatever_hands_do_meanwhile(
    template: BoardTemplate, first_s: float, belongs: bool
) -> None:
    """A daemon that starts while a hand hovers sees the board without the hand only later; that change resembles a hand
    on the rim."""
    watched = Watched(template)
    hovering = watched.board()
    x, y = watched.place("h15")
    cv2.rectangle(hovering, (x - 40, 0), (x + 40, y - 10), SLEEVE, -1)
    watched.gate.reset()
    assert fresh(watched.show(hovering, first_s)) == 1
    x, y = watched.place("d4")
    for count in range(1, 6):
        stones = ("d4", "e5", "f6", "g7", "k9")[:count]
        for tip in (200, y, 200):
            reaching = watched.board(*stones)
            cv2.rectangle(reaching, (x - 60, tip), (x - 20, 480), SLEEVE, -1)
            watched.show(reaching, 0.2)
        assert fresh(watched.show(watched.board(*stones), 2.5)) == 1
    assert (watched.gate.beside is None) == belongs
    assert (len(watched.gate._free) > 1) == belongs
