"""Cells cut from path-traced pictures: the lens, every third picture kept for the heads, the share in a pool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.template import load_template
from lab.simulated.camera import look_at
from lab.train import scenes
from lab.train.cli import app
from lab.train.patch_pool import PatchPool
from lab.train.patches import DARK, EMPTY, LIGHT
from lab.train.pathtraced import lens_of
from lab.train.table_patches import TRACED_CELLS, cells_px, cut_traced, with_share
from rules import AnyGame

MORRIS = load_template("nine_mens_morris")
GREY, COLOURS = 128, {".": 128, "W": 240, "B": 10}


def pool_of(label: int, count: int) -> PatchPool:
    return PatchPool(
        np.full((count, 48, 48, 3), label, dtype=np.uint8),
        np.full(count, label, dtype=np.int64),
        np.full((count, 6), np.nan, dtype=np.float32),
    )


def folder_of_discs(folder: Path, count: int, game: str = "nine_mens_morris") -> Path:
    """Writes pictures of plain discs on grey, seen through a lens with barrel distortion."""
    template = load_template(game)
    images: dict[str, Any] = {}
    for number in range(count):
        camera = look_at(template.corners_mm, (480, 400), focal=0.9, tilt_deg=30, fill=0.8, distortion=(-0.1, 0.02))
        letters = template.letters * len(template.cell_names)
        cells = letters[number : number + len(template.cell_names)]
        image = np.full((400, 480, 3), GREY, dtype=np.uint8)
        seen = camera.project(np.column_stack([template.cells_mm, np.zeros(len(cells))]))
        for letter, (x, y) in zip(cells, seen, strict=True):
            cv2.circle(image, (round(float(x)), round(float(y))), 9, (COLOURS.get(letter, 60),) * 3, -1)
        corners = camera.project(np.column_stack([template.corners_mm, np.zeros(4)]))
        about = {"shape": dict(template.shape)} | lens_of(camera)
        images[f"{number}.png"] = {"corners_px": corners.tolist(), "cells": cells, "about": about}
        cv2.imwrite(str(folder / f"{number}.png"), image)
    (folder / "labels.json").write_text(json.dumps({"game": game, "rules": [], "images": images}))
    return folder


def test_cells_are_where_the_lens_shows_them() -> None:
    camera = look_at(MORRIS.corners_mm, (640, 480), focal=0.8, tilt_deg=40, fill=0.9, distortion=(-0.1, 0.03))
    shape = {"middle": 0.6, "inner": 0.3}
    shaped = MORRIS.with_shape(shape)
    corners, cells = (
        camera.project(np.column_stack([points, np.zeros(len(points))]))
        for points in (shaped.corners_mm, shaped.cells_mm)
    )
    image = np.zeros((480, 640, 3), dtype=np.uint8)
    found = cells_px(corners, MORRIS, {"shape": shape} | lens_of(camera), image)
    assert np.abs(found - cells).max() < 0.3


def test_every_third_picture_is_kept_for_the_heads(tmp_path: Path) -> None:
    traced = cut_traced([folder_of_discs(tmp_path, 6)], seed=1)
    assert len(traced.network.labels) == 4 * 24
    assert len(traced.head.labels) == 2 * 24
    assert set(traced.network.labels) == {EMPTY, LIGHT, DARK}


def test_pictures_kept_apart_are_whole_boards_too(tmp_path: Path) -> None:
    boards = cut_traced([folder_of_discs(tmp_path, 3)], seed=1).boards
    assert len(boards) == 1
    middle = boards[0].patches[:, 22:26, 22:26].mean(axis=(1, 2, 3))
    assert "".join(".WB"[1 + (shade < 90) if abs(shade - GREY) > 30 else 0] for shade in middle) == boards[0].letters


def test_patches_show_what_their_label_says(tmp_path: Path) -> None:
    network = cut_traced([folder_of_discs(tmp_path, 3)], seed=1).network
    middle = network.images[:, 20:28, 20:28].mean(axis=(1, 2, 3))
    assert middle[network.labels == LIGHT].min() > 200
    assert middle[network.labels == DARK].max() < 60
    assert np.abs(middle[network.labels == EMPTY] - GREY).max() < 20


def test_large_boards_give_a_bounded_number_of_cells(tmp_path: Path) -> None:
    assert len(cut_traced([folder_of_discs(tmp_path, 2, "gomoku")], seed=1).network.labels) == 2 * TRACED_CELLS


def test_games_without_men_of_two_sides_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="double_double_dominoes has no light and dark men"):
        cut_traced([folder_of_discs(tmp_path, 1, "double_double_dominoes")], seed=1)


@pytest.mark.parametrize("count", [5, 400])
def test_a_source_takes_the_share_it_is_given(count: int) -> None:
    both = with_share(pool_of(0, 90), pool_of(1, count), 0.25, np.random.default_rng(1))
    assert (both.labels == 1).sum() == 30
    assert (both.labels == 0).sum() == 90


def test_no_scenes_leave_the_recipe_as_it_was() -> None:
    pool = pool_of(0, 9)
    assert with_share(pool, PatchPool.of([]), 0.3, np.random.default_rng(1)) is pool
    assert with_share(pool, pool_of(1, 4), 0.0, np.random.default_rng(1)) is pool
    assert not len(cut_traced([], seed=1).network.labels)


def test_a_folder_of_something_else_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["resnet18", "--out", str(tmp_path), "--work", str(tmp_path), "--scenes", str(tmp_path / "none")]
    )
    assert result.exit_code == 2
    assert "--scenes" in result.stderr


def test_the_shipped_scenes_are_made_once_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, int, int]] = []

    def fake(out: Path, game: AnyGame, *, count: int, seed: int, **given: Any) -> int:
        asked.append((out.name, game.name, count, seed))
        given["progress"](count)
        return count

    monkeypatch.setattr(scenes, "write_scenes", fake)
    folders = scenes.trace_scene_set(tmp_path)
    assert [folder.name for folder in folders] == [name for name, *_ in asked]
    assert {game for _, game, _, _ in asked} == {"nine_mens_morris", "reversi", "co_ganh", "gomoku"}
    assert {seed for *_, seed in asked} == {scenes.SEED} and len({name for name, *_ in asked}) == len(asked)
