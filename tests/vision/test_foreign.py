"""Things and lamps on a board are no men."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.labels import read_labels
from calibration.template import load_template
from lab.bench.things import with_things
from vision.frame import Image
from vision.reading.foreign import HIDDEN, without_foreign
from vision.reading.locate import PhotoReader


def picture(path: Path) -> Image:
    return np.asarray(cv2.imread(str(path)), dtype=np.uint8)


@pytest.mark.parametrize("name", ["lamp_1.jpg", "lamp_3.jpg", "lamp_4.jpg"])
def test_a_mirrored_lamp_is_no_disc(real_data: Path, name: str) -> None:
    folder, template = real_data / "reversi" / "lamp", load_template("reversi")
    (label,) = read_labels(folder / "labels.json", template, [name])
    photo = PhotoReader(template).read(picture(folder / name), label.corners_px)
    assert photo is not None
    assert photo.reading.board == label.cells


def test_what_is_most_probably_no_man_says_nothing_of_its_cell() -> None:
    logs = np.log(np.array([[0.01, 0.98, 0.01]] * 3 + [[0.98, 0.01, 0.01]] * 61))
    told = np.exp(without_foreign(logs, np.array([0.0, 0.5, HIDDEN + 0.1] + [0.0] * 61), load_template("reversi")))
    assert np.allclose(told.sum(axis=1), 1)
    assert np.allclose(told[0], np.exp(logs[0]))
    assert told[1, 1] == pytest.approx(0.98 / 2 + 1 / 6)
    assert np.ptp(told[2]) == 0


def test_the_same_seed_lays_the_same_things(real_data: Path) -> None:
    folder, template = real_data / "reversi" / "lamp", load_template("reversi")
    (label,) = read_labels(folder / "labels.json", template, ["lamp_1.jpg"])
    image = picture(folder / "lamp_1.jpg")
    first, again, other = (with_things(image, label, template, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert (first == again).all()
    assert (first != other).any()
