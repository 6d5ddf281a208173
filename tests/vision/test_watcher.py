"""How long each cell has looked the same, and what hides it: hands, shadows, lamps and noise, on drawn boards."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.template import load_template
from tests.vision.drawn import CORNERS, draw, noisy
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.watching.cell_places import CellPlaces
from vision.watching.surroundings import surroundings_of
from vision.watching.watcher import MAX_STEP_S, READ_THROUGH_S, REPORTED_S, ReadsThrough, Sight, Watcher

TEMPLATE = load_template("nine_mens_morris")

EMPTY = "." * 24
RATE_HZ = 8
"""Few pictures a second: the watcher counts seconds, and each picture costs the tests some milliseconds."""
SETTLE_S = 0.4
HIGHER = CORNERS - [0, 40]
"""The board with some table in view on all sides."""
HIDDEN = [15, 16, 18, 19, 21, 22]
"""Cells under an arm whose hand rests on d3."""


class Steady:
    """Shows noisy pictures of a board at rest to a watcher, and keeps the time."""

    def __init__(self, noise: float = 2.5, corners: NDArray[np.float64] = HIGHER) -> None:
        self.watcher = Watcher(CellPlaces.on(TEMPLATE), SETTLE_S)
        self.time_s = 0.0
        self.index = 0
        self.noise = noise
        self.reads_through: ReadsThrough = lambda _: False
        self._corners = corners
        self.pose = draw(TEMPLATE, corners)[1]

    def board(self, cells: str = EMPTY) -> Image:
        return draw(TEMPLATE, self._corners, cells)[0]

    def place(self, cell: int) -> tuple[int, int]:
        """A cell's place in the picture, in pixels."""
        x, y = project(self.pose.image_from_board, TEMPLATE.cells_mm[[cell]])[0]
        return round(x), round(y)

    def arm(self, picture: Image, cell: int = 16) -> Image:
        """The picture with an arm whose hand lies on a cell."""
        return with_arm(picture, self.place(cell))

    def show(self, picture: Image, seconds: float = 0.0, pose: BoardPose | None = None) -> list[Sight]:
        return [self._next(picture, pose or self.pose) for _ in range(max(1, round(seconds * RATE_HZ)))]

    def _next(self, picture: Image, pose: BoardPose) -> Sight:
        self.index += 1
        around = surroundings_of(noisy(picture, self.index, self.noise), pose, TEMPLATE)
        sight = self.watcher.update(around, self.time_s, reads_through=self.reads_through)
        if sight.settled:
            self.watcher.renew()
        self.time_s += 1 / RATE_HZ
        return sight


@pytest.fixture
def table() -> Steady:
    return Steady()


@pytest.fixture
def settled(table: Steady) -> Steady:
    """A table whose board has been seen with nothing over it for two seconds."""
    table.show(table.board(), 2)
    return table


def with_arm(picture: Image, tip: tuple[int, int]) -> Image:
    """The picture with an arm from its bottom edge whose hand lies at a place."""
    covered = picture.copy()
    cv2.line(covered, tip, (tip[0] + 40, picture.shape[0] + 60), (120, 90, 60), 40)
    cv2.circle(covered, tip, 26, (130, 160, 215), -1)
    return covered


def men(*cells: int, letter: str = "W") -> str:
    return "".join(letter if cell in cells else "." for cell in range(24))


def fresh(sights: list[Sight]) -> int:
    return sum(sight.fresh for sight in sights)


def which(cells: NDArray[np.bool_]) -> list[int]:
    return [int(cell) for cell in np.flatnonzero(cells)]


@pytest.mark.parametrize("noise", [0.0, 2.5, 8.0])
def test_a_still_board_settles_once_and_stays_settled(noise: float) -> None:
    table = Steady(noise)
    sights = table.show(table.board(), 4)
    assert fresh(sights) == 1
    assert not any(sight.settled for sight in sights[: int(SETTLE_S * RATE_HZ)])
    assert all(sight.settled for sight in sights[RATE_HZ:])
    assert sights[-1].alike.all() and not sights[-1].hidden.any()
    assert sights[-1].own_s.min() == pytest.approx(4 - 1 / RATE_HZ)


def test_a_moving_hand_is_motion_and_the_man_it_leaves_is_fresh(settled: Steady) -> None:
    x, y = settled.place(4)
    during = [sight for at in range(440, y, -20) for sight in settled.show(with_arm(settled.board(), (x, at)))]
    during += [sight for at in range(y, 440, 20) for sight in settled.show(with_arm(settled.board(men(4)), (x, at)))]
    assert not any(sight.settled for sight in during[3:])
    assert {sight.phase for sight in during[3:-1]} == {"moving"}
    after = settled.show(settled.board(men(4)), 1.5)
    assert fresh(after) == 1 and after[-1].phase == "settled"


@pytest.mark.parametrize(("cell", "letter"), [(4, "W"), (23, "B"), (0, "W")])
def test_a_man_laid_between_two_frames_is_fresh_and_changes_its_cell_alone(
    settled: Steady, cell: int, letter: str
) -> None:
    sights = settled.show(settled.board(men(cell, letter=letter)), 1.5)
    assert sights[0].phase == "moving"
    assert fresh(sights) == 1
    assert which(~sights[0].alike) == [cell] and which(sights[0].own_s == 0) == [cell]
    assert sights[-1].own_s[cell] == pytest.approx(1.5 - 1 / RATE_HZ)
    assert np.delete(sights[-1].own_s, cell).min() > 3


def test_a_hand_that_rests_over_the_board_hides_the_cells_under_it_and_no_others(settled: Steady) -> None:
    sights = settled.show(settled.arm(settled.board()), 4)
    assert {sight.phase for sight in sights[RATE_HZ:]} == {"occluded"}
    assert not any(sight.settled for sight in sights)
    assert {16, 19} <= set(which(sights[-1].hidden)) <= set(HIDDEN)
    assert sights[-1].alike[:15].all() and sights[-1].still_s[:15].min() > 4
    back = settled.show(settled.board(men(16)), 1.5)
    assert fresh(back) == 1 and not back[-1].hidden.any()
    assert which(back[-1].own_s < 2)


def test_while_something_lies_over_the_board_for_ever_play_goes_on_beside_it(table: Steady) -> None:
    table.show(table.board(), 3)
    table.show(table.arm(table.board()), 8)
    laid = table.show(table.arm(table.board(men(4))), 2)
    assert laid[0].phase == "moving" and laid[-1].settled and fresh(laid) == 1
    assert not laid[-1].hidden[4] and laid[-1].still_s[4] > 1.5
    reached = [sight for cell in (23, 14, 8, 14, 23) for sight in table.show(table.arm(table.arm(table.board()), cell))]
    assert {sight.phase for sight in reached} == {"moving"}


def test_a_hand_in_the_very_first_picture_is_told_by_one_of_another_time(table: Steady) -> None:
    image, pose = draw(TEMPLATE, HIGHER, men(9))
    table.watcher.know(surroundings_of(cv2.convertScaleAbs(image, alpha=0.8), pose, TEMPLATE))
    sights = table.show(table.arm(table.board()), 2)
    assert {16, 19} <= set(which(sights[0].hidden)) <= set(HIDDEN)
    assert sights[-1].phase == "occluded"
    assert table.show(table.board(), 1.5)[-1].settled


def test_before_any_picture_was_free_nothing_is_known_of_a_hand(table: Steady) -> None:
    sights = table.show(table.arm(table.board()), 2)
    assert not sights[0].known.any() and not sights[0].alike.any()
    assert not any(sight.hidden.any() for sight in sights)
    assert fresh(sights) == 1


def test_while_nothing_is_known_all_is_as_young_as_what_moves(table: Steady) -> None:
    for cell in (16, 22, 16, 22, 16):
        (sight,) = table.show(table.arm(table.board(), cell))
    assert not sight.known.any() and sight.still_s.max() == 0 < sight.own_s[0]


@pytest.mark.parametrize(("through", "slept_s"), [(True, 0), (False, 0), (True, 7200)])
def test_what_the_board_is_read_through_is_no_hand(through: bool, slept_s: float) -> None:
    """The reflection of a lamp, present from the beginning, disappears."""
    table, asked = Steady(), []
    lit = table.arm(table.board())
    table.show(lit, REPORTED_S + 3)

    def reads_through(under: NDArray[np.bool_]) -> bool:
        asked.append((table.time_s, which(under)))
        return through

    table.reads_through = reads_through
    table.time_s += slept_s
    table.show(lit, 5)
    gone_s = table.time_s
    sights = table.show(table.board(), 4)
    assert len(asked) == 1
    assert READ_THROUGH_S <= asked[0][0] - gone_s < READ_THROUGH_S + 0.5 and {16, 19} <= set(asked[0][1]) <= set(HIDDEN)
    assert not sights[RATE_HZ].settled
    assert sights[-1].settled == through and sights[-1].hidden.any() == (not through)
    assert sights[-1].alike.all() == through


def test_the_first_broken_pictures_of_a_camera_leave_nothing_behind(table: Steady) -> None:
    broken = table.board()
    broken[:200] = (150, 90, 60)
    sights = table.show(broken) + table.show(np.zeros_like(broken)) + table.show(table.board(), 1.5)
    assert fresh(sights) == 1
    assert sights[-1].settled and not sights[-1].hidden.any() and sights[-1].alike.all()


def test_men_put_down_beside_the_board_do_not_hide_it(settled: Steady) -> None:
    picture = settled.board()
    for y in (200, 240, 280):
        cv2.circle(picture, (100, y), 16, (235, 235, 235), -1)
    sights = settled.show(picture, 1.5)
    assert sights[-1].settled and not any(sight.hidden.any() for sight in sights)
    assert sights[-1].alike.all() and sights[-1].still_s.min() > 3


def test_what_lies_at_the_rim_for_long_does_not_hide_a_cell_beside_it(settled: Steady) -> None:
    """A cup that covers no cell stands there; a man laid beside it counts at once."""
    x, y = settled.place(21)

    def with_cup(picture: Image) -> Image:
        cv2.circle(picture, (x - 75, y + 20), 45, (160, 60, 40), -1)
        return picture

    settled.show(with_cup(settled.board()), REPORTED_S + 2)
    laid = settled.show(with_cup(settled.board(men(21))), 1.5)
    assert fresh(laid) == 1 and not any(sight.hidden.any() for sight in laid)


def test_what_most_pictures_of_a_place_show_outweighs_one_of_them(
    settled: Steady, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = which(settled.show(settled.arm(settled.board()), 1)[-1].hidden)
    assert {16, 19} <= set(hidden)
    with monkeypatch.context() as blind:
        blind.setattr("vision.watching.free_view.things_over", lambda *_: [])
        assert which(settled.show(settled.arm(settled.board()))[-1].hidden) == hidden
        assert not settled.show(settled.board())[-1].hidden.any()


@pytest.mark.parametrize("gain", [0.5, 0.75, 1.3])
def test_a_lamp_is_light_and_not_motion(table: Steady, gain: float) -> None:
    picture = table.board(men(4))
    table.show(picture, 2)
    slope = np.linspace(0.9, 1.1, picture.shape[1])[None, :, None]
    tinted = np.clip(picture * gain * slope * np.array([0.94, 1.0, 1.05]), 0, 255).astype(np.uint8)
    sights = table.show(tinted, 1.5)
    assert not any(sight.phase in ("moving", "occluded") for sight in sights)
    assert not any(sight.hidden.any() for sight in sights)
    assert sights[-1].settled and sights[-1].alike.all()


def test_dusk_that_falls_slowly_disturbs_nothing(table: Steady) -> None:
    picture = table.board(men(4))
    table.show(picture, 2)
    sights = [sight for step in range(120) for sight in table.show((picture * (1 - step / 400)).astype(np.uint8))]
    assert not any(sight.phase in ("moving", "occluded") or sight.hidden.any() for sight in sights)
    assert sum(sight.settled for sight in sights) > 60
    assert sights[-1].alike.all()


def test_the_shadow_of_an_onlooker_does_not_count_as_a_hand(table: Steady) -> None:
    picture = table.board(men(4))
    table.show(picture, 2)
    shade = np.ones(picture.shape[:2], dtype=np.float32)
    cv2.rectangle(shade, (0, 0), (270, 479), (0.62,), -1)
    shade = cv2.GaussianBlur(shade, (0, 0), 9)
    sights = table.show((picture * shade[..., None]).astype(np.uint8), REPORTED_S + 2)
    assert not any(sight.hidden.any() for sight in sights)
    assert sights[2 * RATE_HZ].settled and sights[-1].alike.all()


def test_a_pose_that_shivers_by_a_pixel_is_no_motion(table: Steady) -> None:
    picture = table.board(men(4))
    table.show(picture, 2)
    sights = []
    for step in range(40):
        shift = np.array([[1, 0, np.sin(step)], [0, 1, np.cos(2 * step)], [0, 0, 1]])
        pose = dataclasses.replace(table.pose, image_from_board=shift @ table.pose.image_from_board)
        sights += table.show(picture, pose=pose)
    assert all(sight.settled and sight.alike.all() for sight in sights)
    assert sights[-1].own_s.min() > 6


def test_after_a_reset_the_board_is_fresh_again(settled: Steady) -> None:
    settled.watcher.reset()
    again = settled.show(settled.board(men(4)), 2)
    assert fresh(again) == 1
    assert not again[0].known.any() and again[-1].known.all() and again[-1].alike.all()


def test_time_that_nobody_watched_is_no_stillness(table: Steady) -> None:
    table.show(table.board(), 4)
    resting = table.arm(table.board())
    before = table.show(resting, 2)[-1]
    assert before.phase == "occluded"
    table.time_s += 36_000  # the computer slept, or its clock jumped
    sight = table.show(resting)[-1]
    assert (sight.phase, sight.blocked) == ("occluded", False)
    assert (sight.own_s - before.own_s).max() <= MAX_STEP_S


@pytest.mark.parametrize("gain", [0.6, 0.8, 1.07])
def test_pictures_taken_together_stay_in_one_light_when_the_exposure_jumps_and_stays(
    settled: Steady, gain: float
) -> None:
    laid = [8, 12, 19, 3, 23]
    for count in range(1, len(laid) + 1):
        now = gain if count % 2 else 1.0  # each man that is laid makes the camera choose another exposure
        picture = cv2.convertScaleAbs(settled.board(men(*laid[:count])), alpha=now)
        sights = settled.show(picture, 2)
        assert which(sights[0].own_s == 0) == [laid[count - 1]]
        assert which(~sights[0].alike) == [laid[count - 1]]
        assert not any(sight.hidden.any() for sight in sights)
        assert fresh(sights) == 1
    last = settled.show(cv2.convertScaleAbs(settled.board(men(*laid)), alpha=0.8), 2)[-1]
    assert last.alike.all() and last.own_s.min() > 3.5


def test_a_cell_that_changes_elsewhere_than_the_hand_counts_though_the_hand_moves_all_the_time(settled: Steady) -> None:
    sights = [
        sight
        for step in range(24)
        for sight in settled.show(settled.arm(settled.board(men(1) if step > 3 else EMPTY), (16, 17, 20)[step % 3]))
    ]
    assert {sight.phase for sight in sights[1:]} == {"moving"}
    assert sights[-1].still_s[1] == pytest.approx(19 / RATE_HZ) and not sights[-1].hidden[1]
    assert not sights[-1].alike[1]
    assert sights[-1].still_s[:9][sights[-1].alike[:9]].min() > 4
    assert sights[-1].still_s[20] == 0 and sights[-1].hidden[20]


def test_a_hand_that_reaches_a_man_makes_him_as_young_as_itself(settled: Steady) -> None:
    settled.show(settled.board(men(16)), 0.5)
    x, y = settled.place(16)
    for step in range(10):
        (sight,) = settled.show(with_arm(settled.board(men(16)), (x - 14 * (step % 2), y + 30)))
    assert sight.still_s[16] == 0


def test_what_shows_as_it_should_is_taken_into_the_free_view_cell_by_cell_while_a_hand_moves(settled: Steady) -> None:
    for step in range(8):
        (sight,) = settled.show(settled.arm(settled.board(men(1)), (16, 17)[step % 2]))
    assert which(~sight.alike & ~sight.hidden)[:1] == [1]
    settled.watcher.renew(np.arange(24) == 1)
    (sight,) = settled.show(settled.arm(settled.board(men(1)), 16))
    assert sight.alike[1]
    lifted = settled.show(settled.board(), 1)
    assert not lifted[0].alike[1] and lifted[0].alike[16]


def leaning(table: Steady, cell: int, over: int) -> Image:
    """The board with a tall man on a cell whose head is seen over another."""
    picture = table.board()
    cv2.line(picture, table.place(cell), table.place(over), (225, 232, 235), 22)
    return picture


def test_a_tall_man_who_leans_over_a_neighbour_is_not_taken_into_the_free_view_with_that_neighbour(
    settled: Steady,
) -> None:
    picture = leaning(settled, 16, 7 + 4)  # d3, seen over c4
    for step in range(8):
        settled.show(settled.arm(picture, (19, 20)[step % 2]))
    sight = settled.show(picture)[-1]
    assert {16, 11} <= set(which(~sight.alike))
    settled.watcher.renew(np.isin(np.arange(24), [11, 0]))
    assert not settled.show(picture)[-1].alike[[11, 16]].any()
    settled.watcher.renew(np.isin(np.arange(24), [11, 15, 16, 12]))
    assert settled.show(picture)[-1].alike[[11, 16]].all()


def test_a_cell_that_is_taken_into_the_free_view_only_in_part_does_not_look_as_before(settled: Steady) -> None:
    picture, (x, y) = settled.board(), settled.place(16)
    cv2.circle(picture, (x, y + 10), 8, (235, 235, 235), -1)
    cv2.rectangle(picture, (x - 150, y - 42), (x + 150, y - 30), (60, 60, 60), -1)
    for step in range(8):
        settled.show(settled.arm(picture, (21, 22)[step % 2]))
    settled.show(picture)
    assert not settled.watcher.renew(np.arange(24) == 16)[16]
    assert not settled.show(picture)[-1].alike[16]


def test_a_board_that_is_known_once_tells_what_changes_from_the_first_picture_on(table: Steady) -> None:
    image, pose = draw(TEMPLATE, HIGHER)
    table.watcher.know_cells(surroundings_of(image, pose, TEMPLATE))
    (first,) = table.show(table.board())
    assert first.known.all() and first.alike.all()
    (laid,) = table.show(table.board(men(4)))
    assert which(~laid.alike) == [4]
