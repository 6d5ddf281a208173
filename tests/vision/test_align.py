"""Alignment of a board that rests, is bumped, covered or taken away, or is seen by a hand-held camera."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.simulated.phone import RandomWay
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from tests.vision.drawn import CORNERS, Look, cell_error, draw, noisy
from vision.finding.landmarks import pose_quality
from vision.frame import Frame, Image
from vision.pose import BoardPose, pose_from_corners, project
from vision.primitives.features import ReferenceMatcher
from vision.watching import align
from vision.watching.align import Aligner, Alignment, Reference
from vision.watching.locating import LOCK_QUALITY
from vision.watching.registration import KnownView, Registration

TEMPLATE = load_template("nine_mens_morris").with_shape({"middle": 0.7, "inner": 0.36})
BARE = draw(TEMPLATE)
"""A picture of the empty board, and its pose."""

CELLS = "W..B....W..B....W..B..WB"
SHIFTED = CORNERS + np.array([[22, 14], [24, 10], [18, 12], [26, 16]])


class Camera:
    """Feeds an aligner with pictures, ten a second, each with its own noise."""

    def __init__(self, aligner: Aligner) -> None:
        self.aligner = aligner
        self._index = 0

    def show(self, image: Image, times: int = 1, name: str = "") -> list[Alignment]:
        answers = []
        for _ in range(times):
            frame = Frame(noisy(image, self._index), self._index / 10, self._index, name)
            answers.append(self.aligner.update(frame))
            self._index += 1
        return answers


def camera(image: Image, pose: BoardPose) -> Camera:
    return Camera(Aligner(TEMPLATE, Reference(image, pose.image_from_board)))


@pytest.fixture
def table() -> Camera:
    return camera(*BARE)


def with_arm(image: Image, tip: tuple[int, int]) -> Image:
    """The picture with a sleeve and a hand from its bottom edge over the board."""
    covered = image.copy()
    cv2.line(covered, tip, (tip[0] + 60, 479), (120, 60, 40), 70)
    cv2.circle(covered, tip, 42, (140, 170, 220), -1)
    return covered


def with_hand(image: Image, x: int) -> Image:
    """The picture with a hand and a sleeve that hide about half of the board's lines."""
    covered = image.copy()
    cv2.rectangle(covered, (x - 75, 150), (x + 75, 479), (140, 170, 220), -1)
    return covered


def last_error(answers: list[Alignment], truth: BoardPose, template: BoardTemplate = TEMPLATE) -> float:
    pose = answers[-1].pose
    assert pose is not None
    return cell_error(pose, template, truth, template)


def test_the_reference_locks_a_board_full_of_men(table: Camera) -> None:
    image, truth = draw(TEMPLATE, SHIFTED, CELLS)
    answers = table.show(image, 5)
    assert [answer.state for answer in answers] == ["locked"] * 5
    assert not any(answer.relocked for answer in answers)
    assert last_error(answers, truth) < 0.01


def test_a_board_at_rest_gets_one_and_the_same_pose(table: Camera) -> None:
    answers = table.show(BARE[0], 25)
    matrices = [answer.pose.image_from_board for answer in answers if answer.pose is not None]
    assert len(matrices) == 25
    assert all(np.array_equal(matrix, matrices[0]) for matrix in matrices)


def test_a_bump_locks_again_and_says_so_once(table: Camera) -> None:
    table.show(draw(TEMPLATE, CORNERS, CELLS)[0], 5)
    image, truth = draw(TEMPLATE, SHIFTED, CELLS)
    answers = table.show(image, 15)
    assert sum(answer.relocked for answer in answers) == 1
    assert answers[0].moved_px > 10
    assert last_error(answers, truth) < 0.01


def test_a_slow_push_is_followed_and_reported_once_it_rests(table: Camera) -> None:
    table.show(BARE[0], 3)
    for step in range(1, 9):
        image, truth = draw(TEMPLATE, CORNERS + step * np.array([2.5, 1.5]))
        assert last_error(table.show(image), truth) < 0.02
    answers = table.show(image, 5)
    assert sum(answer.relocked for answer in answers) == 1
    assert last_error(answers, truth) < 0.01


def test_lines_hidden_for_two_seconds_are_forgiven_also_after_a_long_rest(
    table: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = list[int]()
    table.show(BARE[0], 120)
    monkeypatch.setattr(table.aligner._locator, "recognized", lambda _image, _men: None)
    monkeypatch.setattr(align, "pose_quality", unseen(table, missed))
    monkeypatch.setattr(KnownView, "same_share", lambda _known, _grey, _pose: 0.0)
    states = [answer.state for answer in table.show(BARE[0], 100)]
    assert 20 < 120 + states.index("lost") - missed[0] < 40


def test_hidden_lines_of_what_looks_as_before_are_forgiven_longer_but_not_for_ever(
    table: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = list[int]()
    table.show(BARE[0], 20)
    monkeypatch.setattr(table.aligner._locator, "recognized", lambda _image, _men: None)
    monkeypatch.setattr(align, "pose_quality", unseen(table, missed))
    monkeypatch.setattr(align, "MAX_HIDDEN_S", 6.0)
    states = [answer.state for answer in table.show(BARE[0], 100)]
    assert 60 < 20 + states.index("lost") - missed[0] < 80


def unseen(table: Camera, missed: list[int]) -> Callable[..., float]:
    """A replacement for `pose_quality` that sees no lines, and records when it was called."""

    def quality(*_given: object) -> float:
        missed.append(table._index)
        return 0.0

    return quality


def test_a_board_that_stands_under_a_hand_is_not_lost_however_long_the_hand_hovers(table: Camera) -> None:
    image, truth = draw(TEMPLATE, CORNERS, CELLS)
    table.show(image, 3)
    answers = [table.show(with_hand(image, 300 + round(8 * np.sin(step / 3))))[0] for step in range(100)]
    assert min(answer.quality for answer in answers) < 0.6 * answers[0].quality
    assert all(answer.state == "locked" and not answer.relocked for answer in answers)
    assert last_error(table.show(image, 3), truth) < 0.01


def test_a_board_taken_away_under_a_hand_is_soon_lost(table: Camera) -> None:
    image, _ = draw(TEMPLATE, CORNERS, CELLS)
    bare = np.asarray(draw(TEMPLATE, look=Look(board=Look().table, lines=Look().table))[0])
    table.show(image, 3)
    assert table.show(with_hand(image, 300), 60)[-1].state == "locked"
    assert table.show(with_hand(bare, 300), 40)[-1].state == "lost"


def test_a_board_pushed_under_a_hand_is_never_taken_to_lie_where_it_lay(table: Camera) -> None:
    table.show(draw(TEMPLATE, CORNERS, CELLS)[0], 3)
    table.show(with_hand(draw(TEMPLATE, CORNERS, CELLS)[0], 300), 30)
    pushed, truth = draw(TEMPLATE, SHIFTED, CELLS)
    later = table.show(with_hand(pushed, 300), 40)[-1]
    assert later.pose is None or cell_error(later.pose, TEMPLATE, truth, TEMPLATE) < 0.02
    assert last_error(table.show(pushed, 40), truth) < 0.01


def test_an_arm_over_the_board_does_not_move_it(table: Camera) -> None:
    image, truth = draw(TEMPLATE, CORNERS, CELLS)
    table.show(image, 3)
    for x in range(150, 480, 15):
        answers = table.show(with_arm(image, (x, 250)))
        assert answers[0].state == "locked" and not answers[0].relocked
        assert last_error(answers, truth) < 0.01
    assert last_error(table.show(image, 12), truth) < 0.01


def test_a_lamp_switched_off_does_not_move_the_board(table: Camera) -> None:
    image, truth = draw(TEMPLATE, CORNERS, CELLS)
    table.show(image, 3)
    answers = table.show((image * 0.45).astype(np.uint8), 12)
    assert not any(answer.relocked for answer in answers)
    assert last_error(answers, truth) < 0.01


def test_a_board_taken_away_is_lost_and_found_when_it_returns(table: Camera) -> None:
    table.show(BARE[0], 5)
    bare = np.asarray(draw(TEMPLATE, look=Look(board=Look().table, lines=Look().table))[0])
    assert table.show(bare, 90)[-1].state == "lost"
    answers = table.show(BARE[0], 60)
    assert answers[-1].state == "locked"
    assert sum(answer.relocked for answer in answers) == 1


def test_photos_that_jump_lock_each_by_itself(table: Camera) -> None:
    rng = np.random.default_rng(5)
    for number in range(4):
        corners = CORNERS + rng.uniform(-25, 25, (1, 2)) + rng.uniform(-8, 8, (4, 2))
        image, truth = draw(TEMPLATE, corners, CELLS, seed=number)
        answers = table.show(image, 3, name=f"{number}.jpg")
        assert [answer.relocked for answer in answers] == [number > 0, False, False]
        assert last_error(answers, truth) < 0.01


def test_a_camera_that_is_turned_upright_still_shows_the_board_it_knew(table: Camera) -> None:
    image, truth = draw(TEMPLATE, CORNERS, CELLS)
    table.show(image, 5)
    aside = np.array([[1, 0, -90], [0, 1, 80], [0, 0, 1.0]])
    upright = np.asarray(cv2.warpPerspective(image, aside, (480, 640)), dtype=np.uint8)
    answers = table.show(upright, 3)
    assert [answer.state for answer in answers] == ["locked"] * 3
    assert not any(answer.strange for answer in answers)
    assert last_error(answers, BoardPose(aside @ truth.image_from_board, 0, 0)) < 0.01


def test_a_board_in_a_mirror_is_not_taken_for_the_one_that_is_known() -> None:
    rng, knotty = np.random.default_rng(2), BARE[0].copy()
    for x, y, shade in zip(
        rng.integers(170, 470, 90), rng.integers(95, 400, 90), rng.integers(40, 200, 90), strict=True
    ):
        cv2.circle(knotty, (int(x), int(y)), int(rng.integers(2, 7)), (int(shade), int(shade) // 2, 90), -1)
    table, mirror = camera(knotty, BARE[1]), np.ascontiguousarray(knotty[:, ::-1])
    assert [answer.state for answer in table.show(mirror, 3)] == ["lost"] * 3
    assert table.aligner.is_mirrored(mirror) and not table.aligner.is_mirrored(knotty)
    assert table.show(knotty, 30)[-1].state == "locked"


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_a_board_before_a_swaying_camera_is_followed_under_hands_and_never_strange(table: Camera, share: float) -> None:
    way = RandomWay(3, share)
    board, truth = draw(TEMPLATE, CORNERS, CELLS)
    errors = []
    for step in range(60):
        moved = way.picture_from_rest(step / 10, (640, 480))
        image = with_arm(board, (150 + 10 * (step % 20), 250)) if step % 40 >= 20 else board
        swayed = cv2.warpPerspective(image, moved, (640, 480), borderMode=cv2.BORDER_REFLECT)
        answers = table.show(np.asarray(swayed, dtype=np.uint8))
        assert answers[0].state == "locked" and not answers[0].strange
        errors.append(last_error(answers, BoardPose(moved @ truth.image_from_board, 0, 0)))
    assert np.median(errors) < 0.01
    assert max(errors) < 0.03


def test_a_board_with_other_men_turned_about_while_out_of_sight_is_strange(table: Camera) -> None:
    table.show(draw(TEMPLATE, CORNERS, CELLS)[0], 5)
    bare = np.asarray(draw(TEMPLATE, look=Look(board=Look().table, lines=Look().table))[0])
    table.show(bare, 60)
    answers = table.show(draw(TEMPLATE, np.roll(CORNERS, 2, axis=0), CELLS, seed=9)[0], 60)
    assert answers[-1].state == "locked"
    assert sum(answer.strange for answer in answers) == 1


def test_a_followed_board_is_not_taken_to_lie_where_only_a_look_at_what_a_hand_leaves_says(
    table: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, truth = draw(TEMPLATE, CORNERS, CELLS)
    shown = table.show(image, 5)
    wrongly = dataclasses.replace(pose_from_corners(CORNERS + 40.0, TEMPLATE), quality=0.8)
    monkeypatch.setattr(table.aligner._locator, "recognized", lambda _image, _men: wrongly)
    answers = table.show(with_hand(image, 300), 60)
    assert min(answer.quality for answer in answers) < 0.6 * shown[-1].quality
    assert all(answer.state == "locked" and not answer.strange for answer in answers)
    assert last_error(answers, truth) < 0.01


def test_a_board_found_where_it_was_followed_to_is_not_strange_though_nothing_of_it_is_recognised(
    table: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, truth = draw(TEMPLATE, CORNERS, CELLS)
    table.show(image, 5)
    monkeypatch.setattr(KnownView, "find", lambda _known, _grey, _near: None)
    roughly = dataclasses.replace(pose_from_corners(CORNERS + 4.0, TEMPLATE), quality=0.8)
    monkeypatch.setattr(table.aligner._locator, "recognized", lambda _image, _men: roughly)
    answers = table.show(image, 20)
    assert all(answer.state == "locked" and not answer.strange for answer in answers)
    assert last_error(answers, truth) < 0.01


def test_without_a_reference_the_drawing_is_enough_and_the_shape_is_measured() -> None:
    image, truth = draw(TEMPLATE, CORNERS, CELLS)
    table = Camera(Aligner(load_template("nine_mens_morris")))
    pose = table.show(image, 3)[-1].pose
    assert pose is not None
    assert cell_error(pose, table.aligner.template, truth, TEMPLATE) < 0.02
    assert table.aligner.template.shape["inner"] == pytest.approx(0.36, abs=0.015)


def test_a_picture_is_not_compared_with_its_own_mirror_image(table: Camera, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Image] = []
    monkeypatch.setattr(Aligner, "is_mirrored", lambda _, image: compared.append(image))
    assert Camera(Aligner(load_template("nine_mens_morris"))).show(BARE[0])[0].state == "locked"
    assert not compared
    assert table.show(BARE[0])[0].state == "locked"
    assert len(compared) == 1


def test_a_board_whose_men_hide_most_lines_is_found_anew_and_kept(go_table: GoTable) -> None:
    aligner = Aligner(go_table.template, Reference(go_table.empty, go_table.pose.image_from_board))
    full = go_table.full
    answers = []
    for second in range(40):
        answers.append(aligner.update(Frame(full, float(second), second)))
        aligner.men = go_table.men
    assert all(answer.state == "locked" for answer in answers)
    assert min(answer.quality for answer in answers[2:]) > LOCK_QUALITY
    assert last_error(answers, go_table.pose, go_table.template) < 0.05
    bare = np.full_like(full, full[2, 2])
    assert [aligner.update(Frame(bare, 40.0 + second, 40 + second)).state for second in range(5)][-1] == "lost"


@dataclasses.dataclass(frozen=True)
class GoTable:
    """A simulated board of go, empty and with stones on four points of five."""

    template: BoardTemplate
    pose: BoardPose
    empty: Image
    full: Image
    men: NDArray[np.bool_]


@pytest.fixture(scope="module")
def go_table() -> GoTable:
    template = load_template("go")
    board = "".join(np.random.default_rng(1).choice(list(".BW"), 81, p=[0.2, 0.4, 0.4]))
    table = SimulatedTable(template, "." * 81, default_style(), seed=1, size_px=(960, 540))
    pose = pose_from_corners(table.corners_px(), template)
    men = np.array([letter != "." for letter in board])
    return GoTable(template, pose, table.render(), table.with_board(board, seed=2).render(), men)


def test_lines_under_men_prove_nothing(go_table: GoTable) -> None:
    template, men = go_table.template, go_table.men
    assert pose_quality(go_table.full, go_table.pose, template) < 0.3
    assert pose_quality(go_table.full, go_table.pose, template, men) > 0.9
    for aside in ((0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (4.0, 4.0)):
        there = pose_from_corners(
            project(go_table.pose.image_from_board, template.corners_mm + np.array(aside) * template.pitch_mm), template
        )
        assert pose_quality(go_table.full, there, template, men) < LOCK_QUALITY
    assert pose_quality(go_table.empty, go_table.pose, template, men) > 0.9


def test_another_picture_does_not_match_the_reference(table: Camera) -> None:
    noise: NDArray[np.uint8] = np.random.default_rng(1).integers(0, 255, (480, 640, 3), dtype=np.uint8)
    matcher = ReferenceMatcher(Reference(BARE[0], BARE[1].image_from_board), TEMPLATE)
    assert matcher.locate(noise) is None
    assert matcher.locate(np.zeros((480, 640, 3), dtype=np.uint8)) is None
    assert all(answer.state == "lost" for answer in table.show(noise, 3))


@pytest.mark.parametrize("hand", [False, True])
def test_an_empty_board_of_equal_cells_that_jumps_by_a_cell_is_followed_there(hand: bool) -> None:
    gomoku = load_template("gomoku")
    image, pose = draw(gomoku)
    seen = Camera(Aligner(gomoku, Reference(image, pose.image_from_board)))
    seen.show(image, 10)
    moved, there = draw(gomoku, CORNERS + (CORNERS[1] - CORNERS[0]) * gomoku.pitch_mm / gomoku.size_mm[0])
    if hand:
        seen.show(with_arm(moved, (300, 200)), 5)
    assert last_error(seen.show(moved, 3), there, gomoku) < 0.02


def test_a_camera_that_sways_has_not_come_to_rest_elsewhere(table: Camera) -> None:
    table.show(BARE[0], 3)
    swaying: list[Alignment] = []
    for step in range(25):
        move = np.array([[1, 0, 3.0 * step], [0, 1, 1.0 * step]])
        swaying += table.show(np.asarray(cv2.warpAffine(BARE[0], move, BARE[0].shape[1::-1]), np.uint8))
    assert not any(one.relocked for one in swaying) and swaying[-1].pose is not None
    still = np.asarray(cv2.warpAffine(BARE[0], move, BARE[0].shape[1::-1]), np.uint8)
    assert sum(one.relocked for one in table.show(still, 25)) == 1


def test_a_pose_that_no_camera_could_see_is_never_followed(table: Camera, monkeypatch: pytest.MonkeyPatch) -> None:
    before = table.show(BARE[0], 3)[-1]
    find = KnownView.find

    def collapsed(known: KnownView, grey: NDArray[np.uint8], near: NDArray[np.float64]) -> Registration | None:
        found = find(known, grey, near)
        return found and dataclasses.replace(found, image_from_board=found.image_from_board @ np.diag([0.01, 0.01, 1]))

    with monkeypatch.context() as hand:
        hand.setattr(KnownView, "find", collapsed)
        assert last_error(table.show(BARE[0], 3), BARE[1]) < 1
    after = table.show(BARE[0], 3)
    assert before.pose is not None and not any(one.relocked or one.strange for one in after)


def test_a_board_of_equal_cells_that_leaps_is_not_followed_to_others_that_look_alike() -> None:
    """The camera slips by a fifth of the board between two pictures, and back a second later.

    Flow then fits a motion to points that were taken for their neighbours, and later checks saw lines enough.
    """
    template, chance, cells = load_template("gomoku"), np.random.default_rng(7), ["."] * 225
    for number, cell in enumerate(chance.choice(225, 24, replace=False)):
        cells[cell] = "BW"[number % 2]
    table = SimulatedTable(template, "".join(cells), seed=7, size_px=(960, 720))
    right, down = table.style.camera.shift
    away = 0.8 * ((table.corners_px() / table.picture_px).min(axis=0)[1] + 0.02)
    seen = Camera(Aligner(template))
    seen.show(table.render(), 4)
    table.move_camera(shift=(right, down - away))
    seen.show(table.render(), 8)
    table.move_camera(shift=(right, down))
    pose = seen.show(table.render(), 10)[-1].pose
    assert pose is not None
    assert cell_error(pose, template, table.pose, template) < 0.01
