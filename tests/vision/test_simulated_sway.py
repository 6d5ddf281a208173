"""Random motions of a hand-held camera resemble the recorded one."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.simulated.phone import EDGES_HZ, PARTS, SPECTRUM, RandomWay
from vision.pose import project

FloatArray = NDArray[np.float64]
RATE_HZ = 30.0
UNIT = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
BOARD = 0.5 + 0.33 * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
"""Corners of a board that fills two thirds of the picture."""


def parts_of(way: FloatArray) -> FloatArray:
    """(n, 6) PARTS of (n, 3, 3) homographies of the unit square."""
    about = np.linalg.inv(UNIT) @ way @ UNIT
    about = about / about[:, 2:, 2:]
    shift, tilt = about[:, :2, 2], about[:, 2, :2]
    linear = about[:, :2, :2] - shift[:, :, None] * tilt[:, None, :]
    turn = np.arctan2(linear[:, 1, 0] - linear[:, 0, 1], linear[:, 0, 0] + linear[:, 1, 1])
    return np.column_stack([shift, turn, 0.5 * np.log(np.linalg.det(linear)), tilt])


def octaves(parts: FloatArray) -> FloatArray:
    """(8, 6) root mean square of each part in each octave, of a motion that is mirrored in time."""
    still = parts - parts.mean(axis=0)
    mirrored = np.concatenate([still, still[-2:0:-1]])
    power = 2 * np.abs(np.fft.rfft(mirrored, axis=0) / len(mirrored)) ** 2
    hertz = np.fft.rfftfreq(len(mirrored), 1 / RATE_HZ)
    bands = [(hertz >= low) & (hertz < high) for low, high in itertools.pairwise(EDGES_HZ)]
    bands[-1] |= hertz >= EDGES_HZ[-1]
    return np.sqrt([power[band].sum(axis=0) for band in bands])


def drawn(seed: int, seconds: float, share: float = 1.0) -> FloatArray:
    """(n, 3, 3) a random motion in the unit square."""
    way = RandomWay(seed, share)
    scale = np.array([[1000, 0, -0.5], [0, 1000, -0.5], [0, 0, 1.0]])  # coordinates of pixel centres
    matrices = [way.picture_from_rest(k / RATE_HZ, (1000, 1000)) for k in range(round(seconds * RATE_HZ))]
    return np.linalg.inv(scale) @ np.array(matrices) @ scale


def corner_steps(way: FloatArray) -> float:
    """Root mean square of a board's corners' motion from one picture to the next, in sides of the picture."""
    seen = np.array([project(one, BOARD) for one in way])
    return float(np.sqrt(np.mean(np.sum(np.diff(seen, axis=0) ** 2, axis=2))))


@pytest.fixture
def recorded(real_data: Path) -> FloatArray:
    return np.array(json.loads((real_data / "hand" / "sway.json").read_text(encoding="utf-8"))["way"])


def test_random_ways_have_the_spectrum_that_is_stated() -> None:
    measured = np.sqrt(np.mean([octaves(parts_of(drawn(seed, 240))) ** 2 for seed in range(5)], axis=0))
    assert measured.shape == SPECTRUM.shape == (len(EDGES_HZ) - 1, len(PARTS))
    # Leakage from the neighbouring octaves raises the weakest ones slightly.
    assert measured == pytest.approx(SPECTRUM, rel=0.3)
    assert np.median(measured / SPECTRUM) == pytest.approx(1, abs=0.05)


def test_the_spectrum_that_is_stated_is_that_of_the_recording(recorded: FloatArray) -> None:
    assert octaves(parts_of(recorded[8:266])) == pytest.approx(SPECTRUM, abs=2e-5)


def test_a_board_moves_from_picture_to_picture_as_far_as_in_the_recording(recorded: FloatArray) -> None:
    random = np.sqrt(np.mean([corner_steps(drawn(seed, 9)) ** 2 for seed in range(12)]))
    assert random == pytest.approx(corner_steps(recorded[8:266]), rel=0.25)


def test_a_way_is_the_same_for_the_same_seed_and_grows_with_its_share() -> None:
    first, again, other = RandomWay(3), RandomWay(3), RandomWay(4)
    assert (first.parts(2.5) == again.parts(2.5)).all() and (first.parts(2.5) != other.parts(2.5)).all()
    assert RandomWay(3, 0.2).parts(2.5) == pytest.approx(0.2 * first.parts(2.5))
    assert RandomWay(3, 0).picture_from_rest(2.5, (640, 360)) == pytest.approx(np.eye(3))


def test_a_turn_stays_a_turn_in_a_picture_that_is_wider_than_high(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RandomWay, "parts", lambda _self, _time_s: np.array([0.01, -0.02, 0.1, 0.0, 0.0, 0.0]))
    moved = project(RandomWay(1).picture_from_rest(0, (1281, 721)), np.array([[640.0, 360], [740, 360]]))
    assert moved[0] == pytest.approx([640 + 12.81, 360 - 25.62])
    assert moved[1] - moved[0] == pytest.approx([100 * np.cos(0.1), 100 * np.sin(0.1)])
