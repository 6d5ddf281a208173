"""The reference that the bench compares with finds the frame and describes the cells."""

from __future__ import annotations

import numpy as np

from calibration.template import load_template
from lab.train.thesis import Thesis
from tests.vision.drawn import draw
from vision.pose import rectify


def test_the_reference_finds_the_frame_again_and_describes_every_cell() -> None:
    template = load_template("nine_mens_morris")
    picture, pose = draw(template, cells="WB" * 12)
    moved = np.roll(picture, (4, 7), axis=(0, 1))
    thesis = Thesis(
        {"frame": moved, "reference": picture, "rectified": rectify(picture, pose, template), "game": template.game}
    )
    matrix = thesis.track()
    assert matrix is not None
    assert np.abs(matrix - [[1, 0, 7], [0, 1, 4], [0, 0, 1]]).max() < 0.5
    described = thesis.describe(48)
    assert described.shape == (24, 1000)
    assert np.linalg.norm(described[0] - described[1]) > np.linalg.norm(described[0] - described[2])
