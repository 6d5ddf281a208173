"""The simulated table: its pictures agree with its truth."""

from __future__ import annotations

import statistics
import time

import cv2
import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from lab.simulated.style import CameraStyle, ManStyle, SensorStyle, Style
from lab.simulated.table import SimulatedTable
from rules import Step
from rules.turns import carry_out
from vision.frame import Image
from vision.pose import project

TEMPLATE = load_template("nine_mens_morris")

SIZE_PX = (480, 270)
EMPTY_BOARD = "." * 24


def table_with(template: BoardTemplate, board: str = EMPTY_BOARD, style: Style | None = None, seed: int = 5):
    return SimulatedTable(template, board, style, seed=seed, size_px=SIZE_PX)


def finish(table: SimulatedTable) -> None:
    for _ in range(2000):
        if not table.busy:
            return
        table.advance(0.05)
    raise AssertionError("the hand never left")


def brightness(image: Image, place_px: np.ndarray, radius: int = 2) -> float:
    x, y = np.round(place_px).astype(int)
    return float(image[y - radius : y + radius + 1, x - radius : x + radius + 1].mean())


@pytest.fixture
def table() -> SimulatedTable:
    return table_with(TEMPLATE)


def test_the_same_seed_gives_the_same_pictures() -> None:
    tables = [table_with(TEMPLATE, "W.B" * 8) for _ in range(2)]
    for table in tables:
        table.perform([Step("move", 1, 0, "W")], side=0)
    for _ in range(5):
        first, second = (table.render() for table in tables)
        assert (first == second).all()
        for table in tables:
            table.advance(0.3)
    assert (table_with(TEMPLATE, "W.B" * 8, seed=6).render() != first).any()


def test_men_are_seen_where_the_truth_says_they_stand() -> None:
    table = table_with(TEMPLATE, "W.B" * 8)
    image = table.render()
    seen = [brightness(image, place) for place in table.seen_px(TEMPLATE.cells_mm)]
    light, dark = seen[0::3], seen[2::3]
    assert min(light) > max(dark) + 60


def test_lines_are_seen_where_the_lens_shows_them() -> None:
    style = Style(camera=CameraStyle(tilt_deg=40, distortion=(-0.35, 0.05)))
    table = SimulatedTable(TEMPLATE, EMPTY_BOARD, style, seed=1, size_px=(960, 540))
    grey = cv2.cvtColor(table.render(), cv2.COLOR_BGR2GRAY).astype(float)
    for start, end in TEMPLATE.lines_mm:
        on_line = table.seen_px(np.linspace(start, end, 15)[1:-1])
        way = (end - start) / np.linalg.norm(end - start)
        beside = table.seen_px(np.linspace(start, end, 15)[1:-1] + 8 * np.array([-way[1], way[0]]))
        darkest = [grey[int(y) - 2 : int(y) + 4, int(x) - 2 : int(x) + 4].min() for x, y in on_line]
        ground = [np.median(grey[int(y) - 1 : int(y) + 3, int(x) - 1 : int(x) + 3]) for x, y in beside]
        assert np.median(np.array(ground) - np.array(darkest)) > 40


def test_without_distortion_the_homography_gives_the_seen_corners() -> None:
    table = table_with(TEMPLATE, style=Style(camera=CameraStyle(tilt_deg=50, azimuth_deg=20, distortion=(0.0, 0.0))))
    table.bump((7.0, -4.0), 3.0, over_s=0.0)
    assert np.abs(project(table.image_from_board, TEMPLATE.corners_mm) - table.corners_px()).max() < 1e-6


@pytest.mark.parametrize(
    "steps",
    [
        (Step("place", 4, None, "W"),),
        (Step("move", 1, 0, "W"),),
        (Step("move", 1, 0, "W"), Step("remove", 2)),
        (Step("place", 4, None, "B"), Step("flip", 0, None, "B"), Step("flip", 3, None, "B")),
    ],
    ids=["place", "move", "mill", "flips"],
)
def test_a_visit_carries_the_steps_out(steps: tuple[Step, ...]) -> None:
    before = "W.BW.." + "." * 18
    table = table_with(TEMPLATE, before)
    table.perform(steps, side=1)
    assert table.busy and table.board == before
    finish(table)
    assert table.board == carry_out(before, steps)


def test_a_man_in_the_hand_is_not_on_the_board() -> None:
    table = table_with(TEMPLATE, "W" + "." * 23)
    table.perform([Step("move", 9, 0, "W")], side=0)
    boards = []
    while table.busy:
        table.advance(0.05)
        if not boards or boards[-1] != table.board:
            boards.append(table.board)
    assert boards == ["W" + "." * 23, EMPTY_BOARD, "." * 9 + "W" + "." * 14]


def test_the_hand_comes_from_its_players_side() -> None:
    for side, rows in ((0, slice(225, 270)), (1, slice(0, 45))):
        table = table_with(TEMPLATE)
        empty = table.render().astype(int)
        table.hover(3.0, side)
        table.advance(2.0)
        changed = np.abs(table.render().astype(int) - empty).max(axis=2) > 40
        other = changed[225:270] if side else changed[0:45]
        assert table.hand_in_view
        assert changed[rows].mean() > 0.04
        assert other.mean() < 0.005


def test_hovering_changes_nothing() -> None:
    table = table_with(TEMPLATE, "WB" * 12)
    table.hover(1.0, 0)
    finish(table)
    assert table.board == "WB" * 12
    assert not table.hand_in_view


def test_a_still_table_shows_only_noise() -> None:
    table = table_with(TEMPLATE, "WB" * 12)
    first = table.render().astype(int)
    table.advance(0.5)
    second = table.render().astype(int)
    difference = np.abs(first - second)
    assert 0.2 < difference.mean() < 4
    assert difference.max() < 30


def test_the_lamp_dims_within_the_time_given(table: SimulatedTable) -> None:
    bright = table.render().mean()
    table.switch_lamp(0.4, over_s=1.0)
    table.advance(0.5)
    half = table.render().mean()
    table.advance(0.6)
    dim = table.render().mean()
    assert bright * 0.95 > half > dim * 1.05
    assert dim / bright == pytest.approx(0.4 ** (1 / 2.2), abs=0.03)


def test_a_tinted_lamp_changes_the_colour(table: SimulatedTable) -> None:
    before = table.render().mean(axis=(0, 1))
    table.switch_lamp(1.0, tint=(140, 200, 255))
    after = table.render().mean(axis=(0, 1))
    assert after[2] / after[0] > 1.5 * before[2] / before[0]


def test_a_bump_takes_board_and_men_along() -> None:
    table = table_with(TEMPLATE, "W.B" * 8)
    before = table.corners_px()
    table.bump((25.0, 0.0), 5.0, over_s=0.2)
    table.advance(0.5)
    after = table.corners_px()
    assert np.linalg.norm(after - before, axis=1).min() > 5
    image = table.render()
    seen = [brightness(image, place) for place in table.seen_px(TEMPLATE.cells_mm)]
    assert min(seen[0::3]) > max(seen[2::3]) + 60
    assert table.board == "W.B" * 8


def test_moving_the_camera_moves_the_corners(table: SimulatedTable) -> None:
    before = table.corners_px()
    table.move_camera(tilt_deg=45.0, azimuth_deg=-20.0)
    assert np.abs(table.corners_px() - before).max() > 10
    assert table.render().shape == (270, 480, 3)


def test_nudging_needs_a_man() -> None:
    table = table_with(TEMPLATE, "W" + "." * 23)
    before = table.render().astype(int)
    table.nudge(0, 20.0, 20.0)
    assert (np.abs(table.render().astype(int) - before) > 60).any()
    with pytest.raises(ValueError, match="no man on d7"):
        table.nudge(1, 1.0, 1.0)


def test_a_twin_shows_other_men_on_the_same_table(table: SimulatedTable) -> None:
    twin = table.with_board("WB" * 12, seed=9)
    assert twin.board == "WB" * 12 and table.board == EMPTY_BOARD
    assert (twin.corners_px() == table.corners_px()).all()
    beside = np.abs(twin.render()[:, :60].astype(int) - table.render()[:, :60].astype(int))
    assert beside.mean() < 4


def test_a_nearer_man_hides_the_one_behind() -> None:
    style = Style(
        camera=CameraStyle(tilt_deg=50, azimuth_deg=0, roll_deg=0),
        men=ManStyle(height_mm=20, rings=0, rim=0, gloss=0),
        sensor=SensorStyle(read_noise=0, shot_noise=0, jpeg_quality=0),
        placement_mm=0.0,
    )
    near, far = TEMPLATE.cell_names.index("d6"), TEMPLATE.cell_names.index("d7")
    empty = SimulatedTable(TEMPLATE, EMPTY_BOARD, style, seed=1)
    alone = empty.with_board("".join("B" if cell == near else "." for cell in range(24)), seed=1)
    both = empty.with_board("".join({near: "B", far: "W"}.get(cell, ".") for cell in range(24)), seed=1)
    both.nudge(far, 0.0, TEMPLATE.cells_mm[near][1] - TEMPLATE.cells_mm[far][1] - 28)
    man = (alone.render().max(axis=2) < 70) & (empty.render().min(axis=2) > 90)
    assert man.sum() > 500
    assert np.quantile(both.render().max(axis=2)[man], 0.99) < 90


def test_a_wrong_board_is_refused() -> None:
    with pytest.raises(ValueError, match="24 cells, not 3"):
        SimulatedTable(TEMPLATE, "WB.")
    with pytest.raises(ValueError, match="pace"):
        table_with(TEMPLATE).perform([Step("place", 0, None, "W")], 0, pace=0)


def test_only_so_many_visits_wait(table: SimulatedTable) -> None:
    for _ in range(64):
        table.hover(1.0, 0)
    with pytest.raises(ValueError, match="at most 64"):
        table.perform([Step("place", 0, None, "W")], 0)


def test_frames_are_quick() -> None:
    table = SimulatedTable(TEMPLATE, "WB." * 8, seed=1)
    table.prepare()
    table.render()
    assert median_ms(table, 0.0) < 12
    table.hover(6.0, 0)
    table.advance(1.5)
    assert table.hand_in_view
    assert median_ms(table, 0.1) < 20


def median_ms(table: SimulatedTable, dt_s: float) -> float:
    """Median milliseconds of processor time per picture; a busy machine does not matter."""
    times = []
    for _ in range(15):
        begun = time.process_time()
        table.advance(dt_s)
        table.render()
        times.append(1000 * (time.process_time() - begun))
    return statistics.median(times)
