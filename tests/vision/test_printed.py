"""The drawing of a board's print shows the template's figures in the template's places."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from vision.frame import Image
from vision.pose import project
from vision.primitives.printed import draw_print, drawn_from_board

TEMPLATE = load_template("double_double_dominoes")

SCALE = 3.0


@pytest.fixture(scope="module")
def drawing() -> Image:
    return draw_print(TEMPLATE, SCALE)


def test_at_the_templates_scale_the_drawing_is_a_rectified_picture() -> None:
    height, width, channels = draw_print(TEMPLATE, TEMPLATE.pixels_per_mm).shape
    assert ((width, height), channels) == (TEMPLATE.rectified_size_px, 3)
    assert np.allclose(drawn_from_board(TEMPLATE, TEMPLATE.pixels_per_mm), TEMPLATE.rectified_from_board)


def test_every_space_of_the_track_shows_as_many_pips_as_its_value(drawing: Image) -> None:
    assert TEMPLATE.printed is not None
    grey = cv2.cvtColor(drawing, cv2.COLOR_BGR2GRAY)
    centres = project(drawn_from_board(TEMPLATE, SCALE), TEMPLATE.track_mm)
    half = round(8.2 * SCALE)
    counted = []
    for x, y in np.rint(centres).astype(int):
        dark = (grey[y - half : y + half + 1, x - half : x + half + 1] < 128).astype(np.uint8)
        counted.append(cv2.connectedComponents(dark)[0] - 1)
    assert tuple(counted) == TEMPLATE.printed.track_values


@pytest.mark.parametrize("scale", [1.3, 2.0, 3.0])
def test_figures_lie_to_a_fraction_of_a_pixel_where_the_template_puts_them(scale: float) -> None:
    """Checks the black and the white disc at the bottom left by the centroid of their difference from the board."""
    drawing = cv2.cvtColor(draw_print(TEMPLATE, scale), cv2.COLOR_BGR2GRAY).astype(np.float64)
    for place in ((-46.5, 346.2), (-46.5, 327.4)):
        x, y = project(drawn_from_board(TEMPLATE, scale), np.array([place]))[0]
        left, top, side = round(x - 9 * scale), round(y - 9 * scale), round(18 * scale)
        window = np.abs(drawing[top : top + side, left : left + side] - drawing[top, left])
        rows, columns = np.indices(window.shape)
        middle = left + (columns * window).sum() / window.sum(), top + (rows * window).sum() / window.sum()
        assert middle == pytest.approx((x, y), abs=0.15)


def test_a_template_without_print_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="nine_mens_morris"):
        draw_print(load_template("nine_mens_morris"), 1.0)
