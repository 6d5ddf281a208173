"""The gate that decides when the board may be read: hands, shadows, lamps and noise, on drawn boards."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from tests.vision.drawn import draw, noisy
from vision.frame import Image
from vision.pose import rectify
from vision.watching.cover import Flags
from vision.watching.gate import REPORTED_S, Gate, GateState
from vision.watching.surroundings import Surroundings
from vision.watching.surroundings import surroundings_of as around

EMPTY = "." * 24
RATE_HZ = 8
"""Few pictures a second: the gate counts seconds, and each picture costs the tests some milliseconds."""


@pytest.fixture(scope="module")
def template() -> BoardTemplate:
    return load_template("nine_mens_morris")


class Steady:
    """Feeds a gate with noisy pictures of a board at rest, and keeps the time."""

    def __init__(self, template: BoardTemplate, noise: float = 2.5) -> None:
        self.gate = Gate(settle_s=0.4)
        self.time_s = 0.0
        self._template = template
        self._noise = noise
        self.index = 0
        self.around: Surroundings | None = None
        self.reads_through: Callable[[Flags], bool] | None = None

    def board(self, cells: str = EMPTY) -> Image:
        image, pose = draw(self._template, cells=cells)
        return rectify(image, pose, self._template)

    def show(self, picture: Image, seconds: float = 0.0) -> list[GateState]:
        states = []
        for _ in range(max(1, round(seconds * RATE_HZ))):
            seen = self.around
            look_around = None if seen is None else lambda known=seen: known
            self.index += 1
            shown = noisy(picture, self.index, self._noise)
            states.append(self.gate.update(shown, self.time_s, look_around, self.reads_through))
            self.time_s += 1 / RATE_HZ
        return states


def with_arm(picture: Image, tip: tuple[int, int]) -> Image:
    covered = picture.copy()
    cv2.line(covered, tip, (tip[0] + 40, picture.shape[0] + 60), (120, 90, 60), 60)
    cv2.circle(covered, tip, 40, (130, 160, 215), -1)
    return covered


def man(cell: int, letter: str = "W") -> str:
    return EMPTY[:cell] + letter + EMPTY[cell + 1 :]


def fresh(states: list[GateState]) -> int:
    return sum(state.fresh for state in states)


@pytest.mark.parametrize("noise", [0.0, 2.5, 8.0])
def test_a_still_board_settles_once_and_stays_settled(template: BoardTemplate, noise: float) -> None:
    table = Steady(template, noise)
    states = table.show(table.board(), 4)
    assert fresh(states) == 1
    assert not any(state.settled for state in states[: int(0.4 * RATE_HZ)])
    assert all(state.settled for state in states[RATE_HZ:])


def test_a_moving_hand_is_motion_and_the_man_it_leaves_is_fresh(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 2)
    during = [state for y in range(500, 150, -25) for state in table.show(with_arm(table.board(), (250, y)))]
    during += [state for y in range(150, 500, 25) for state in table.show(with_arm(table.board(man(4)), (250, y)))]
    assert not any(state.settled for state in during[3:])
    after = table.show(table.board(man(4)), 1.5)
    assert fresh(after) == 1 and after[-1].phase == "settled"


@pytest.mark.parametrize(("cell", "letter"), [(4, "W"), (23, "B"), (0, "W")])
def test_a_man_laid_between_two_frames_is_fresh(template: BoardTemplate, cell: int, letter: str) -> None:
    table = Steady(template)
    table.show(table.board(), 2)
    states = table.show(table.board(man(cell, letter)), 1.5)
    assert states[0].phase == "moving"
    assert fresh(states) == 1


def test_a_hand_that_rests_over_the_board_is_not_settled(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 2)
    states = table.show(with_arm(table.board(), (260, 230)), 4)
    assert {state.phase for state in states[RATE_HZ:]} == {"occluded"}
    assert not any(state.settled for state in states)
    back = table.show(table.board(man(9)), 1.5)
    assert fresh(back) == 1


def test_a_hand_that_rests_for_ever_is_reported_and_never_taken_for_the_board(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 10)
    states = table.show(with_arm(table.board(), (260, 230)), 20)
    assert not any(state.settled for state in states)
    assert not any(state.blocked for state in states[: 4 * RATE_HZ])
    assert all(state.blocked for state in states[6 * RATE_HZ :])
    back = table.show(table.board(man(4)), 1.5)
    assert fresh(back) == 1 and not back[-1].blocked


def test_a_hand_in_the_very_first_picture_may_go_away(template: BoardTemplate) -> None:
    table = Steady(template)
    assert fresh(table.show(with_arm(table.board(), (260, 230)), 2)) == 1
    after = table.show(table.board(man(4)), 9)
    assert after[-1].settled and fresh(after) == 1


@pytest.mark.parametrize("known", [True, False])
def test_a_hand_in_the_very_first_picture_is_told_by_one_of_another_time(template: BoardTemplate, known: bool) -> None:
    table = Steady(template)
    if known:
        image, pose = draw(template, cells=man(9))
        table.gate.know(rectify(cv2.convertScaleAbs(image, alpha=0.8), pose, template), around(image, pose, template))
    assert table.show(with_arm(table.board(), (260, 230)), 2)[-1].settled
    assert table.show(table.board(man(4)), 1.5)[-1].settled == known
    assert not table.show(with_arm(table.board(man(4)), (120, 330)), 4)[-1].settled


def test_what_hands_pass_over_and_leave_unchanged_is_part_of_the_scene(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 10)
    lid = table.board()
    cv2.rectangle(lid, (150, 330), (330, 511), (40, 60, 190), -1)
    assert table.show(lid, 10)[-1].blocked
    for y in (500, 420, 340, 260, 340, 420, 500):
        table.show(with_arm(lid, (220, y)))
    assert table.show(lid, 1.5)[-1].settled


def test_a_hand_elsewhere_does_not_make_a_resting_one_part_of_the_scene(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 10)
    rested = with_arm(table.board(), (380, 300))
    table.show(rested, 10)
    for y in (500, 420, 340, 260, 340, 420, 500):
        table.show(with_arm(rested, (100, y)))
    assert not any(state.settled for state in table.show(rested, 3))


@pytest.mark.parametrize(("through", "slept_s"), [(True, 0), (False, 0), (True, 7200)])
def test_what_the_board_is_read_through_is_no_hand(template: BoardTemplate, through: bool, slept_s: float) -> None:
    """The reflection of a lamp, present from the beginning, disappears."""
    table, asked = Steady(template), []
    lit = table.board()
    cv2.rectangle(lit, (200, 300), (330, 511), (255, 255, 255), -1)
    table.show(lit, 20)

    def reads_through(things: Flags) -> bool:
        asked.append((table.time_s, things.mean()))
        return through

    table.reads_through = reads_through
    table.time_s += slept_s
    table.show(lit, 5)
    gone_s = table.time_s
    states = table.show(table.board(), 6)
    assert len(asked) == 1
    assert 3.0 <= asked[0][0] - gone_s < 3.5 and asked[0][1] > 0.05
    assert states[-1].settled == through and not states[RATE_HZ].settled
    assert not states[-1].sure or not through


@pytest.mark.parametrize(("live", "settled"), [(True, False), (False, True)])
def test_a_hand_in_the_picture_of_a_camera_that_froze_is_no_hand_that_rested(
    template: BoardTemplate, live: bool, settled: bool
) -> None:
    """The hand is in the first picture after a bump. A hand that really rested for ten seconds would count as part of
    the scene for thirty more."""
    table = Steady(template)
    reaching = with_arm(table.board(), (250, 300))
    table.show(reaching, 0.6)
    table._noise = 2.5 if live else 0.0
    table.show(reaching, 12)
    assert table.gate.rested(table.time_s) == live
    table._noise = 2.5
    assert table.show(table.board(), 12)[-1].settled == settled


def test_the_first_broken_pictures_of_a_camera_are_no_motion(template: BoardTemplate) -> None:
    table = Steady(template)
    broken = table.board()
    broken[:200] = (150, 90, 60)
    states = table.show(broken) + table.show(np.zeros_like(broken)) + table.show(table.board(), 1.5)
    assert {state.phase for state in states} == {"settling", "settled"}
    assert fresh(states) == 1


def test_men_put_down_beside_the_board_do_not_hide_it(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 2)
    picture = table.board()
    cv2.circle(picture, (12, 250), 19, (235, 235, 235), -1)
    assert fresh(table.show(picture, 1.5)) == 1


@pytest.mark.parametrize("gain", [0.5, 0.75, 1.3])
def test_a_lamp_is_light_and_not_motion(template: BoardTemplate, gain: float) -> None:
    table = Steady(template)
    picture = table.board(man(4))
    table.show(picture, 2)
    slope = np.linspace(0.9, 1.1, picture.shape[1])[None, :, None]
    tinted = np.clip(picture * gain * slope * np.array([0.94, 1.0, 1.05]), 0, 255).astype(np.uint8)
    states = table.show(tinted, 1.5)
    assert states[0].phase == "light"
    assert not any(state.phase in ("moving", "occluded") for state in states)
    assert fresh(states) == 1
    assert states[0].light_gain == pytest.approx(gain, abs=0.1)


def test_dusk_that_falls_slowly_disturbs_nothing_but_a_reading_now_and_then(template: BoardTemplate) -> None:
    table = Steady(template)
    picture = table.board(man(4))
    table.show(picture, 2)
    states = [state for step in range(120) for state in table.show((picture * (1 - step / 400)).astype(np.uint8))]
    assert not any(state.phase in ("moving", "occluded") for state in states)
    assert sum(state.settled for state in states) > 60


def test_the_shadow_of_an_onlooker_does_not_count_as_a_hand(template: BoardTemplate) -> None:
    table = Steady(template)
    picture = table.board(man(4))
    table.show(picture, 2)
    shade = np.ones(picture.shape[:2], dtype=np.float32)
    cv2.rectangle(shade, (0, 0), (190, 511), (0.62,), -1)
    shade = cv2.GaussianBlur(shade, (0, 0), 14)
    states = table.show((picture * shade[..., None]).astype(np.uint8), 2)
    assert states[-1].settled and fresh(states) == 1


def test_a_pose_that_shivers_by_a_pixel_is_no_motion(template: BoardTemplate) -> None:
    table = Steady(template)
    picture = table.board(man(4))
    table.show(picture, 2)
    states = []
    for step in range(40):
        shift = np.array([[1, 0, np.sin(step)], [0, 1, np.cos(2 * step)]])
        shifted = cv2.warpAffine(picture, shift, (512, 512), borderMode=cv2.BORDER_REPLICATE)
        states += table.show(np.asarray(shifted, dtype=np.uint8))
    assert all(state.settled for state in states)


def test_after_a_reset_the_board_is_fresh_again(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 2)
    table.gate.reset()
    assert fresh(table.show(table.board(), 2)) == 1


def test_only_a_free_board_seen_before_makes_a_still_picture_sure(template: BoardTemplate) -> None:
    steady = Steady(template)
    first = steady.show(steady.board(), 1)
    later = steady.show(steady.board(man(4)), 1)
    assert first[-1].settled and not first[-1].sure
    assert later[-1].settled and later[-1].sure


@pytest.mark.parametrize(("hand", "sure"), [(False, True), (True, False)])
def test_a_free_board_known_from_another_time_makes_the_first_picture_sure_where_no_hand_is(
    template: BoardTemplate, hand: bool, sure: bool
) -> None:
    steady, (image, pose) = Steady(template), draw(template)
    surroundings = around(image, pose, template)
    steady.gate.know(rectify(image, pose, template), surroundings)
    steady.around = surroundings
    board = steady.board(man(4))
    first = steady.show(with_arm(board, (256, 256)) if hand else board, 1)[-1]
    assert first.settled and first.sure == sure


def test_a_picture_that_was_refused_does_not_settle_and_shows_no_free_board(template: BoardTemplate) -> None:
    steady = Steady(template)
    hand = with_arm(steady.board(), (256, 256))
    assert steady.show(hand, 0.6)[-1].settled
    assert steady.gate.refuse(steady.time_s).phase == "occluded"
    assert not any(state.settled for state in steady.show(hand, 1))
    assert fresh(steady.show(steady.board(), 1)) == 1


def test_what_is_refused_again_and_again_is_reported(template: BoardTemplate) -> None:
    steady = Steady(template)
    hand, blocked = with_arm(steady.board(), (256, 256)), False
    for _ in range(12 * RATE_HZ):
        state = steady.show(hand)[0]
        blocked |= (steady.gate.refuse(steady.time_s) if state.fresh else state).blocked
    assert blocked


def test_what_is_refused_is_looked_at_once_more_before_it_is_reported(template: BoardTemplate) -> None:
    steady = Steady(template)
    steady.show(steady.board(), 3)
    lit, refusals = steady.board(man(4)), 0
    for _ in range(12 * RATE_HZ):
        state = steady.show(lit)[0]
        if state.fresh and steady.gate.still_s(steady.time_s) < REPORTED_S - 0.1:
            state, refusals = steady.gate.refuse(steady.time_s), refusals + 1
        assert not state.blocked
    assert refusals >= 2 and state.settled


def test_time_that_nobody_watched_is_no_stillness(template: BoardTemplate) -> None:
    table = Steady(template)
    table.show(table.board(), 4)
    resting = with_arm(table.board(), (250, 250))
    assert table.show(resting, 2)[-1].phase == "occluded"
    table.time_s += 36_000  # the computer slept, or its clock jumped
    state = table.show(resting)[-1]
    assert (state.phase, state.blocked) == ("occluded", False)
