"""The comparison of descriptors: splits, measures, and messages if something is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.labels import Label
from calibration.template import load_template
from lab.evaluation import cells
from lab.evaluation.cells import (
    MAX_EMPTY,
    balanced_accuracy,
    cut_cells,
    few_split,
    fold_split,
    in_natural_order,
    photos_of,
    read_left_out,
    scenes_of,
)
from lab.evaluation.cli import app
from system.weights import MODELS, write_entry
from tests.vision.drawn import draw
from vision.reading import descriptors

MORRIS = load_template("nine_mens_morris")
BOARDS = (
    "WB......WW..BB..........",
    ".W.B.W.B................",
    "...WWBB...........W.B...",
    "WWW...BBB...............",
)


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    images = {}
    for number, board in enumerate(BOARDS):
        picture, pose = draw(MORRIS, cells=board)
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
        images[f"{number}.png"] = {"corners_px": pose.corners_px(MORRIS).tolist(), "cells": board}
    (tmp_path / "labels.json").write_text(json.dumps({"images": images}))
    return tmp_path


@pytest.fixture
def no_published_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(descriptors, "MADE_HERE", tmp_path / "nowhere")
    descriptors.load_descriptor.cache_clear()


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.stdout, result.stderr


# Splits.


def test_no_picture_is_both_fitted_to_and_measured() -> None:
    for split in (fold_split(38, 5), fold_split(3, 3), few_split(38, 2), few_split(5, 4)):
        for part in split.parts:
            assert not set(part.fitted) & set(part.measured)
            assert part.rehearsal is None or set(part.rehearsal) <= set(part.fitted)


def test_folds_measure_every_picture_once_and_neighbours_together() -> None:
    parts = fold_split(100, 5).parts
    assert sorted(np.concatenate([part.measured for part in parts])) == list(range(100))
    assert [list(part.measured) for part in parts] == [list(range(start, start + 20)) for start in range(0, 100, 20)]


def test_a_few_pictures_come_from_all_over_and_all_others_are_measured() -> None:
    parts = few_split(38, 2).parts
    assert len({tuple(part.fitted) for part in parts}) == 5
    assert all(len(part.fitted) == 2 and np.ptp(part.fitted) == 19 and len(part.measured) == 36 for part in parts)


@pytest.mark.parametrize(("pictures", "folds"), [(2, 3), (10, 2), (10, 11)])
def test_folds_that_cannot_be_are_refused(pictures: int, folds: int) -> None:
    with pytest.raises(ValueError, match=f"--folds.*{pictures}"):
        fold_split(pictures, folds)
    with pytest.raises(ValueError, match="--fit"):
        few_split(pictures, pictures)


def test_photos_of_a_game_stand_in_the_order_they_were_taken() -> None:
    assert sorted(["1_10.jpg", "1_2.jpg", "empty.jpg"], key=in_natural_order) == ["1_2.jpg", "1_10.jpg", "empty.jpg"]


# Measures.


def test_a_descriptor_that_tells_classes_apart_reads_them_and_one_of_noise_does_not() -> None:
    chance = np.random.default_rng(0)
    pictures = np.repeat(np.arange(9), 40)
    labels = np.where(np.arange(360) % 4 == 0, "W", ".")
    telling = np.stack([labels == "W", chance.normal(0, 0.1, 360)], axis=1).astype(np.float32)
    noise = chance.normal(0, 1, (360, 2)).astype(np.float32)
    good, bad = (read_left_out(one, labels, pictures, fold_split(9, 3).parts) for one in (telling, noise))
    assert all(one.right.all() for one in good)
    assert np.mean([one.right.mean() for one in bad]) < 0.8
    assert all(len(one.truth) == 120 for one in good), "all cells are measured, also beyond those fitted to"
    assert MAX_EMPTY < 30


def test_what_is_learnt_of_one_table_fails_on_another_where_the_descriptor_turns_round() -> None:
    """If the measured pictures were used for fitting, they would be read right."""
    pictures = np.repeat(np.arange(3), 20)
    labels = np.tile(np.array(["W", "B"]), 30)
    described = ((labels == "W") ^ (pictures == 2)).astype(np.float32)[:, None]
    outcomes = read_left_out(described, labels, pictures, fold_split(3, 3).parts)
    assert not outcomes[2].right.any()


def test_balanced_accuracy_counts_classes_alike() -> None:
    truth, read = np.array(list("....W")), np.array(list("....."))
    assert balanced_accuracy(read, truth) == 0.5


# The cells.


def test_cells_of_photos_are_the_readers_and_blind_photos_are_named(shots: Path) -> None:
    cv2.imwrite(str(shots / "wall.png"), np.full((400, 600, 3), 120, np.uint8))
    labels = [Label("wall.png", "." * 24, None)]
    labels += [Label(f"{n}.png", board, draw(MORRIS)[1].corners_px(MORRIS)) for n, board in enumerate(BOARDS)]
    cut = cut_cells(photos_of(labels, shots), MORRIS)
    assert cut.left_out == ("wall.png",) and cut.names == ("0.png", "1.png", "2.png", "3.png")
    assert "".join(cut.labels[cut.pictures == 2]) == BOARDS[2]
    middles = cut.patches[:, 20:28, 20:28].mean(axis=(1, 2, 3))
    assert middles[cut.labels == "W"].min() > middles[cut.labels == "B"].max() + 60


def test_simulated_cells_are_the_same_for_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "SIZES_PX", ((480, 360), (480, 360)))
    one, same, other = (cut_cells(scenes_of(1, seed, MORRIS), MORRIS) for seed in (1, 1, 2))
    assert np.array_equal(one.patches, same.patches) and not np.array_equal(one.patches, other.patches)
    assert one.names == ("scene 1",)


# The command.


def test_the_table_has_its_rows_and_states_the_split(
    shots: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    shutil.copy(MODELS / "halves.onnx", made / "imagenet.onnx")
    write_entry(made, "imagenet", "imagenet.onnx", {})
    monkeypatch.setattr(descriptors, "MADE_HERE", made)
    descriptors.load_descriptor.cache_clear()
    words = ("--photos", str(shots), "--labels", str(shots / "labels.json"), "--folds", "4", "--weights", "imagenet")
    status, out, err = run(*words, "--json")
    descriptors.load_descriptor.cache_clear()
    assert status == 0, err
    table = json.loads(out)
    rows = {row["descriptor"]: row for row in table["rows"]}
    assert list(rows) == ["pixels", "grey_histogram", "rgb_histogram", "hog", "resnet18", "imagenet"]
    assert rows["resnet18"]["dimension"] == 512 and rows["resnet18"]["accuracy"] == 1.0
    assert rows["imagenet"]["dimension"] == 96, "the row of what was made here"
    assert table["measured"] == [["0.png"], ["1.png"], ["2.png"], ["3.png"]] and "4 folds" in table["split"]
    assert table["cells"] == 96 and "resnet18" in table["best"]
    assert all(row["present"] and row["milliseconds_per_patch"] > 0 for row in table["rows"])


@pytest.mark.usefixtures("no_published_weights")
def test_few_pictures_and_text_for_people(shots: Path) -> None:
    status, out, err = run("--photos", str(shots), "--labels", str(shots / "labels.json"), "--fit", "2")
    assert status == 0, err
    assert (
        "fitted to 2 of 4 pictures" in out
        and "ResNet-18, ours" in out
        and "not present: " in out
        and "./kibitzer train imagenet" in out
        and '"ResNet-18, ours" stands in' in out
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--photos FOLDER and --labels FILE, or --simulated"),
        (("--simulated", "3", "--photos", "x"), "leave --photos"),
        (("--simulated", "3", "--weights", "alexnet"), "alexnet"),
        (("--game", "parcheesi", "--simulated", "3"), "parcheesi"),
        (("--photos", "x", "--labels", "absent.json"), "absent.json"),
    ],
)
def test_wrong_usage_is_named_in_one_line(words: tuple[str, ...], said: str) -> None:
    status, out, err = run(*words)
    assert status == 2 and said in err and not out and len(err.splitlines()) == 1
