"""The simulated table as a frame source, and random scenes."""

from __future__ import annotations

import time

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from lab.simulated.phone import Phone, RandomWay
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_board, random_scene
from lab.simulated.source import SimulatedSource
from lab.simulated.table import SimulatedTable
from vision.frame import Frame, SourceEnded

TEMPLATE = load_template("nine_mens_morris")
SMALL_PX = (320, 180)


def small_table() -> SimulatedTable:
    return SimulatedTable(TEMPLATE, "." * 24, seed=1, size_px=SMALL_PX)


def test_every_read_is_one_frame_later() -> None:
    seen: list[Frame] = []
    source = SimulatedSource(small_table(), rate_hz=10, on_frame=seen.append)
    frames = [source.read(0.0) for _ in range(3)]
    assert not source.live
    assert [frame.index for frame in frames if frame] == [0, 1, 2]
    assert [frame.time_s for frame in frames if frame] == pytest.approx([0.1, 0.2, 0.3])
    assert seen == frames


def test_a_phone_in_a_hand_films_the_table_as_its_way_goes() -> None:
    still, filmed = SimulatedSource(small_table()), SimulatedSource(small_table(), phone=Phone(RandomWay(3)))
    for _ in range(4):
        rest, swayed = still.read(0.0), filmed.read(0.0)
    assert rest is not None and swayed is not None
    matrix = RandomWay(3).picture_from_rest(swayed.time_s, SMALL_PX)
    moved = cv2.warpPerspective(rest.image, matrix, SMALL_PX, borderMode=cv2.BORDER_REFLECT)
    assert np.abs(moved.astype(int) - swayed.image).max() <= 1
    assert np.abs(rest.image.astype(int) - swayed.image).mean() > 3


def test_in_real_time_frames_come_by_the_clock() -> None:
    source = SimulatedSource(small_table(), rate_hz=20, real_time=True)
    assert source.live
    begun_s = time.monotonic()
    frames = [frame for _ in range(6) if (frame := source.read(1.0)) is not None]
    assert time.monotonic() - begun_s > 0.24
    assert frames[-1].time_s == pytest.approx(time.monotonic(), abs=0.5)
    assert source.table.time_s == pytest.approx(time.monotonic() - begun_s, abs=0.2)


def test_a_frame_that_is_not_due_is_not_waited_for() -> None:
    source = SimulatedSource(small_table(), rate_hz=0.5, real_time=True)
    assert source.read(0.1) is not None
    assert source.read(0.05) is None


def test_a_closed_source_has_ended() -> None:
    source = SimulatedSource(small_table())
    source.close()
    source.close()
    with pytest.raises(SourceEnded):
        source.read(0.1)
    with pytest.raises(ValueError, match="rate_hz"):
        SimulatedSource(small_table(), rate_hz=0)


def test_scenes_show_what_they_say() -> None:
    rng, differences = np.random.default_rng(3), []
    for _ in range(10):
        scene = random_scene(TEMPLATE, rng, SMALL_PX, hands=0.0)
        height, width = scene.image.shape[:2]
        assert (scene.cells_px > 0).all() and (scene.cells_px < (width, height)).all()
        assert not scene.hand_present
        if {"W", "B"} <= set(scene.board):
            grey = scene.image.mean(axis=2)
            seen = np.array([grey[int(y), int(x)] for x, y in scene.cells_px])
            letters = np.array(list(scene.board))
            differences.append(np.median(seen[letters == "W"]) - np.median(seen[letters == "B"]))
    assert len(differences) >= 4
    assert min(differences) > 8


def test_some_scenes_have_hands() -> None:
    rng = np.random.default_rng(5)
    assert any(random_scene(TEMPLATE, rng, SMALL_PX, hands=1.0).hand_present for _ in range(3))


def test_styles_depend_on_the_seed_alone() -> None:
    styles = [random_style(TEMPLATE, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert styles[0] == styles[1] != styles[2]
    assert set(styles[0].men.colours) == {"W", "B"}


def test_random_boards_range_from_empty_to_full() -> None:
    rng = np.random.default_rng(1)
    men = [24 - random_board(TEMPLATE, rng).count(".") for _ in range(200)]
    assert min(men) == 0 and max(men) >= 20
