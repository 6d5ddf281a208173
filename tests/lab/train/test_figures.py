"""Training the networks of figures: from labelled pictures to files that the reader of figures takes."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from lab.train.figures import Recipe, labelled_boards, make_figures, varied
from system.weights import check_all
from tests.vision.tall_men import START, tall_table
from vision.pose import pose_from_corners
from vision.reading.figures import HEIGHT_PX, WIDTH_PX, FigureReader

TEMPLATE = load_template("chess")
LETTERS = {figure: TEMPLATE.figures[figure].letter for figure in TEMPLATE.figures} | {".": "."}


def folder_of_two(folder: Path) -> Path:
    images = {}
    for name, tilt in (("one.png", 20.0), ("two.png", 35.0)):
        table = tall_table(START, tilt)
        cv2.imwrite(str(folder / name), table.render())
        written = "".join(LETTERS[letter] for letter in START)
        images[name] = {
            "corners_px": table.corners_px().tolist(),
            "cells": TEMPLATE.seen(START),
            "figures": written,
        }
    (folder / "labels.json").write_text(json.dumps({"images": images}), encoding="utf-8")
    return folder


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore:# The axis name:UserWarning")
def test_networks_are_trained_written_and_read_again(tmp_path: Path) -> None:
    folder, out = folder_of_two(tmp_path), tmp_path / "out"
    out.mkdir()
    make_figures(out, TEMPLATE, [folder], folder, ["two.png"], Recipe(epochs=1.0, batch=2), "kibitzer train figures")
    assert check_all(out) == 2
    (board, *_), reader = labelled_boards(folder, TEMPLATE, ["two.png"]), FigureReader(TEMPLATE, out)
    image = np.asarray(cv2.imread(str(folder / "two.png")), dtype=np.uint8)
    pose = pose_from_corners(board.corners_px, TEMPLATE)
    described = reader.describe(image, pose, TEMPLATE, np.ones(64, dtype=np.bool_))
    alone, beside = reader.read(described), reader.read(described, [(described, START)])
    assert np.allclose(np.exp(alone.log_probabilities).sum(axis=1), 1)
    assert not np.allclose(alone.log_probabilities, beside.log_probabilities)


def test_boards_are_varied_each_time(tmp_path: Path) -> None:
    (board,) = labelled_boards(folder_of_two(tmp_path), TEMPLATE, ["one.png"])
    chance = np.random.default_rng(1)
    one, other = (varied(board, TEMPLATE, chance) for _ in range(2))
    assert one.patches.shape == (64, HEIGHT_PX, WIDTH_PX, 3)
    assert not np.array_equal(one.patches, other.patches)
