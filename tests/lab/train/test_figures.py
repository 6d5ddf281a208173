"""Training the networks of figures: from labelled pictures to files that the reader of figures takes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from lab.train.figures import (
    COVERED,
    Examples,
    Recipe,
    covered,
    hidden_shares,
    labelled_boards,
    make_figures,
    varied,
)
from lab.train.textures import Textures
from system.weights import check_all
from tests.vision.tall_men import START, tall_table
from vision.pose import pose_from_corners, project
from vision.reading.figures import HEIGHT_PX, WIDTH_PX, FigureReader, KnownMen, cut_standing

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
    alone, beside = reader.read(described), reader.read(described, KnownMen(described, START, reader.sha256))
    assert np.allclose(np.exp(alone.log_probabilities).sum(axis=1), 1)
    assert not np.allclose(alone.log_probabilities, beside.log_probabilities)


def test_boards_are_varied_each_time(tmp_path: Path) -> None:
    (board,) = labelled_boards(folder_of_two(tmp_path), TEMPLATE, ["one.png"])
    chance, textures = np.random.default_rng(1), Textures(np.random.default_rng(1), 6)
    (one, _), (other, _) = (varied(board, TEMPLATE, textures, chance) for _ in range(2))
    assert one.patches.shape == (64, HEIGHT_PX, WIDTH_PX, 3)
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


def test_boards_of_one_set_are_shown_beside_each_other(tmp_path: Path) -> None:
    boards = [dataclasses.replace(one, set="a") for one in labelled_boards(folder_of_two(tmp_path), TEMPLATE)]
    examples, chance = Examples(boards, TEMPLATE, 1), np.random.default_rng(3)
    lengths = {len(examples.draw(0, 40, chance).known) for _ in range(20)}
    assert lengths == {40, 80}
    both = next(one for one in (examples.draw(0, 40, chance) for _ in range(99)) if len(one.known) == 80)
    assert both.known[40:].mean() > 0.8 and both.may_be[:, :-1].any()
