"""Patches of cells: place, order and size."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from tests.vision.drawn import draw
from vision.pose import rectify
from vision.reading.cells import cut_patch, cut_patches

TEMPLATE = load_template("nine_mens_morris")


def test_each_patch_shows_its_own_cell() -> None:
    cells = "W" + "." * 9 + "B" + "." * 12 + "W"
    image, pose = draw(TEMPLATE, cells=cells)
    patches = cut_patches(rectify(image, pose, TEMPLATE), TEMPLATE)
    assert patches.shape == (24, 48, 48, 3)
    middles = patches[:, 18:30, 18:30].mean(axis=(1, 2, 3))
    assert [index for index in range(24) if middles[index] > 200] == [0, 23]
    assert int(middles.argmin()) == 10


def test_patches_follow_the_measured_shape() -> None:
    shaped = TEMPLATE.with_shape({"middle": 0.75, "inner": 0.4})
    image, pose = draw(shaped, cells="." * 6 + "WWW" + "." * 15)
    middles = cut_patches(rectify(image, pose, shaped), shaped)[:, 18:30, 18:30].mean(axis=(1, 2, 3))
    assert sorted(np.argsort(middles)[-3:]) == [6, 7, 8]


def test_patch_of_a_turned_square_turns_the_picture() -> None:
    image = np.zeros((60, 60, 3), dtype=np.uint8)
    image[:30] = 200
    upright = cut_patch(image, 29.5, 29.5, 40)
    turned = cut_patch(image, 29.5, 29.5, 40, turn_rad=np.pi / 2)
    assert upright[:20].mean() > 190 and upright[-20:].mean() < 10
    assert turned[:, -20:].mean() > 190 or turned[:, :20].mean() > 190
    assert abs(float(turned[:20].mean()) - float(turned[-20:].mean())) < 20


@pytest.mark.parametrize("size_px", [16, 48, 96])
def test_patches_have_the_size_that_was_asked_for(size_px: int) -> None:
    image, pose = draw(TEMPLATE)
    assert cut_patches(rectify(image, pose, TEMPLATE), TEMPLATE, size_px).shape == (24, size_px, size_px, 3)


def test_patch_beyond_the_picture_repeats_its_edge() -> None:
    image = np.full((40, 40, 3), 90, dtype=np.uint8)
    assert (cut_patch(image, 0, 0, 36) == 90).all()
