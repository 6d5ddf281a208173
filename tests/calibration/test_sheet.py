"""The markers of printed boards: their places, and the boards they stand for."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import games
from calibration.sheet import IDS_A_SHEET, SheetError, coordinates, known_sheets, layout_of
from calibration.template import load_template

NUMBERS = {
    ("co_ganh", ""): 1,
    ("reversi", ""): 2,
    ("nine_mens_morris", ""): 3,
    ("nine_mens_morris", "diagonals"): 4,
    ("nine_mens_morris", "board=six"): 8,
    ("nine_mens_morris", "board=three"): 9,
    ("gomoku", ""): 5,
    ("gomoku", "size=19"): 6,
    ("double_double_dominoes", ""): 7,
    ("chess", ""): 10,
    ("go", ""): 20,
    ("go", "size=13"): 21,
    ("go", "size=19"): 22,
    ("draughts", ""): 12,
    ("draughts", "size=10"): 13,
}
"""Must never change, since sheets that were printed once must stay readable."""


def test_a_sheet_that_was_printed_once_is_known_for_ever() -> None:
    known = {(name.game, " ".join(name.options)): marker // IDS_A_SHEET for marker, name in known_sheets().items()}
    assert known == NUMBERS
    assert {game for game, _ in known} == set(games.names())


@pytest.mark.parametrize(("game", "option"), NUMBERS)
@pytest.mark.parametrize("landscape", [False, True])
def test_nothing_that_is_read_comes_near_a_marker(game: str, option: str, landscape: bool) -> None:
    layout = layout_of(load_template(game, frozenset({option} - {""})), landscape)
    template, module = layout.template, np.ptp(layout.markers_mm[0, :, 0]) / 7
    reach = template.cell_mm / 2
    for corners in layout.markers_mm:
        low, high = corners.min(axis=0), corners.max(axis=0)
        away = np.maximum(low - template.cells_mm, template.cells_mm - high).max(axis=1) - reach
        assert away.min() > module
    left, top, right, bottom = layout.extent_mm
    outermost = [layout.markers_mm[..., 0].min(), layout.markers_mm[..., 1].min()]
    outermost += [layout.markers_mm[..., 0].max(), layout.markers_mm[..., 1].max()]
    assert outermost == pytest.approx([left, top, right, bottom])


def test_a_sheet_is_drawn_with_the_usual_shape_whatever_was_measured_elsewhere() -> None:
    template = load_template("nine_mens_morris")
    other = template.with_shape({"middle": 0.8, "inner": 0.2})
    assert layout_of(other, landscape=False).template.shape == template.shape


def test_coordinates_are_the_parts_of_the_cells_names() -> None:
    letters, numbers = coordinates(load_template("nine_mens_morris"))
    assert "".join(letters) == "adgbfce"
    assert letters["a"] == 0 and letters["g"] == 280 and numbers["7"] == 0 and numbers["1"] == 280
    _, numbers = coordinates(load_template("double_double_dominoes"))
    assert numbers["1"] == 10 and numbers["15"] == 290


def test_a_game_without_a_number_has_no_sheet() -> None:
    template = load_template("reversi")
    source = {key: value for key, value in template.source.items() if key != "sheet"}
    with pytest.raises(SheetError, match=r"reversi\.toml has no \[sheet\]"):
        layout_of(dataclasses.replace(template, source=source), landscape=False)
