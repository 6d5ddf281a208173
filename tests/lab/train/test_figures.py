"""Training the networks of figures: from labelled pictures to files that the reader of figures takes."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from lab.train.figures import (
    COVERED,
    Recipe,
    covered,
    hidden_shares,
    labelled_boards,
    make_figures,
    stretched,
    varied,
)
from lab.train.textures import Textures
from system.weights import check_all
from tests.vision.tall_men import START, tall_table
from vision.pose import pose_from_corners, project
from vision.reading.figures import FOOT_PX, HEIGHT_PX, WIDTH_PX, FigureReader, cut_standing

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
    alone = reader.read(described)
    assert np.allclose(np.exp(alone.log_probabilities).sum(axis=1), 1)
    told = reader.left_out(described, START, TEMPLATE.letters)
    assert told.shape == (2, 4, 64, 4) and not np.allclose(told[1, ..., 0].mean(axis=0), alone.log_probabilities[:, 0])


def test_boards_are_varied_each_time(tmp_path: Path) -> None:
    (board,) = labelled_boards(folder_of_two(tmp_path), TEMPLATE, ["one.png"])
    chance, textures = np.random.default_rng(1), Textures(np.random.default_rng(1), 6)
    (_, one, _), (_, other, may_be) = (varied(board, TEMPLATE, textures, 40, chance) for _ in range(2))
    assert one.patches.shape == (40, HEIGHT_PX, WIDTH_PX, 3) and may_be[:32, 1:].any(axis=1).all()
    assert not np.array_equal(one.patches, other.patches)


def test_what_a_thing_covers_is_no_man_and_what_it_touches_is_not_asked(tmp_path: Path) -> None:
    (board,) = labelled_boards(folder_of_two(tmp_path), TEMPLATE, ["one.png"])
    image = np.asarray(cv2.imread(str(tmp_path / "one.png")), dtype=np.uint8)
    pose, mask = pose_from_corners(board.corners_px, TEMPLATE), np.zeros_like(image)
    ((left, top),) = project(pose.image_from_board, TEMPLATE.cells_mm[[27]]).astype(int).tolist()
    mask[top - 60 : top + 20, left - 20 : left + 20] = 255
    shares = hidden_shares(cut_standing(mask, pose, TEMPLATE))
    assert shares[27] > COVERED and shares[0] == 0
    drawn, hidden = covered(image, 40, Textures(np.random.default_rng(1), 6), np.random.default_rng(2))
    assert hidden.any() and np.abs(drawn.astype(int) - image)[~hidden.any(axis=2)].mean() < 20


def test_cuts_of_men_are_stretched_from_their_feet() -> None:
    patches = np.zeros((1, HEIGHT_PX, WIDTH_PX, 3), dtype=np.uint8)
    foot, middle = round(FOOT_PX), WIDTH_PX // 2
    patches[0, foot - 20 : foot, middle - 5 : middle + 5] = 200
    high, wide = (stretched(patches, np.array(by)) for by in ((1.5, 1.0), (1.0, 1.5)))
    rows, columns = (one[0, :, :, 0] > 100 for one in (high, wide))
    assert rows.any(axis=1).sum() == 30 and rows[foot - 1].any() and not rows[foot + 1].any()
    assert 14 <= columns.any(axis=0).sum() <= 16 and columns.any(axis=1).sum() == 20
    assert np.array_equal(stretched(patches, np.ones(2)), patches)
