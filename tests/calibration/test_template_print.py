"""A template file's description of a board's print: the track, the diamonds, and inconsistent descriptions."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import games
from calibration.printed import Print, parse_print
from calibration.template import TemplateError, load_template, template_path
from games.double_double_dominoes import DIAMONDS, TRACK

TEMPLATE = load_template("double_double_dominoes")


@pytest.fixture(scope="module")
def printed() -> Print:
    assert TEMPLATE.printed is not None
    return TEMPLATE.printed


def changed(**changes: Any) -> dict[str, Any]:
    source = tomllib.loads(template_path("double_double_dominoes").read_text(encoding="utf-8"))["print"]
    return {**source, **changes}


def test_the_printed_track_has_the_values_that_the_rules_count_with(printed: Print) -> None:
    assert printed.track_values == TRACK


def test_the_printed_diamonds_score_what_the_rules_say(printed: Print) -> None:
    assert printed.squares == DIAMONDS


def test_each_space_of_the_track_touches_the_next() -> None:
    steps = np.abs(np.diff(TEMPLATE.track_mm, axis=0))
    assert len(TEMPLATE.track_mm) == 100
    assert (steps.max(axis=1) < 21).all() and (steps.max(axis=1) > 18).all()
    assert (steps.min(axis=1) < 2.5).all(), "a step is to a neighbour, never across a corner"


def test_no_two_spaces_of_the_track_lie_upon_each_other() -> None:
    gaps = np.linalg.norm(TEMPLATE.track_mm[:, None] - TEMPLATE.track_mm[None], axis=2)
    assert gaps[~np.eye(100, dtype=np.bool_)].min() > 18


def test_the_track_runs_anticlockwise_around_the_squares_from_the_bottom_left() -> None:
    middle = np.array(TEMPLATE.size_mm) / 2
    x, y = (TEMPLATE.track_mm - middle).T
    turned = np.unwrap(np.arctan2(-y, x))
    assert x[0] < 0 < y[0]
    assert 1.7 * np.pi < turned[-1] - turned[0] < 2 * np.pi
    assert (np.maximum(np.abs(x), np.abs(y)) > 160).all()


def test_all_that_is_printed_but_the_board_itself_lies_within_the_margin(printed: Print) -> None:
    reach = [
        max(abs(centre - half_board) + size / 2)
        for shape in printed.shapes
        for centre, size, half_board in [(np.array(shape.centre_mm), np.array(shape.size_mm), TEMPLATE.size_mm[0] / 2)]
    ]
    assert max(reach) <= TEMPLATE.size_mm[0] / 2 + TEMPLATE.margin_mm


def test_landmarks_out_of_play_lie_where_no_man_does(printed: Print) -> None:
    inside = [
        bool((np.array(mark.centre_mm) > 0).all() and (np.array(mark.centre_mm) < 300).all())
        for mark in printed.landmarks
    ]
    assert [mark.in_play for mark in printed.landmarks] == inside
    assert inside.count(False) == len(TRACK) // 2


def test_a_template_without_print_has_no_track() -> None:
    morris = load_template("nine_mens_morris")
    assert morris.printed is None
    assert morris.track_mm.shape == (0, 2)


@pytest.mark.parametrize(
    "changes",
    [
        {"line_colour": "purple"},
        {"colours": {"black": "181a20"}},
        {"areas": [[0, 0, 300, "teal"]]},
        {"diamonds": {**changed()["diamonds"], "rows": ["5..4"]}},
        {"track": {**changed()["track"], "tiles": [[0, 0, "north", 1, 2]]}},
        {"track": {**changed()["track"], "tiles": [[0, 0, "up", 1, 7]]}},
    ],
)
def test_a_print_that_does_not_hold_together_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        parse_print(changed(**changes), TEMPLATE.cells_mm, TEMPLATE.lines_mm)


@pytest.mark.parametrize(
    "text", ["", "size_mm = [", 'size_mm = "large"', "size_mm = [1]", "cells = 3", "lines = 3", "\0", "shape = 3"]
)
def test_a_damaged_board_names_its_file(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = template_path("nine_mens_morris").read_text(encoding="utf-8")
    key = text.partition(" ")[0]
    lines = [line for line in whole.splitlines() if not line.startswith((f"{key} ", f"[{key}"))] if key else []
    (tmp_path / "nine_mens_morris.toml").write_text("\n".join([text, *lines]), encoding="utf-8")
    monkeypatch.setattr(games, "file_of", lambda _name, path: tmp_path / Path(path).name)
    with pytest.raises(TemplateError, match=r"/nine_mens_morris\.toml: "):
        load_template("nine_mens_morris")


def test_a_fault_in_the_print_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = template_path("double_double_dominoes").read_text(encoding="utf-8")
    (tmp_path / "double_double_dominoes.toml").write_text(text.replace('"#1796a6"', '"teal"'), encoding="utf-8")
    monkeypatch.setattr(games, "file_of", lambda _name, path: tmp_path / Path(path).name)
    with pytest.raises(TemplateError, match=r"double_double_dominoes\.toml.*#rrggbb"):
        load_template("double_double_dominoes")
