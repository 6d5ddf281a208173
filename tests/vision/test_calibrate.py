"""Calibration from a few photos, and the commands `read` and `calibrate`."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.labels import read_labels
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli.main import main
from tests.vision.drawn import draw, random_corners
from tests.vision.tall_men import LATER, START, tall_table
from vision.calibrating.calibrate import Calibration, CalibrationError, LabelledPhoto, calibrate, fit_profile
from vision.calibrating.lesson_check import LessonCheck
from vision.calibrating.verdict import Verdict, refusing
from vision.cli import load_photo, parse_corners
from vision.pose import Rectified, pose_from_corners
from vision.reading.locate import PhotoReader
from vision.reading.reader import reference_of

TEMPLATE = load_template("nine_mens_morris")
SHAPED = TEMPLATE.with_shape({"middle": 0.72, "inner": 0.4})
BOARDS = ("." * 24, "WB" * 6 + "." * 12, "." * 12 + "BW" * 6)
NEW = "BB.WW.B..W..B...W...BW.W"
ROOT = Path(__file__).resolve().parents[2]


def photos() -> list[LabelledPhoto]:
    chance, taken = np.random.default_rng(5), []
    for index, cells in enumerate(BOARDS):
        image, pose = draw(SHAPED, random_corners(chance), cells, seed=index)
        taken.append(LabelledPhoto(f"{index}.jpg", image, cells, pose.corners_px(SHAPED)))
    return taken


@pytest.fixture(scope="module")
def lit() -> Calibration:
    """From these photos, of which the emptiest comes last."""
    return calibrate(photos()[::-1], TEMPLATE)


def test_profile_measures_the_board_and_keeps_its_emptiest_picture(lit: Calibration) -> None:
    profile = lit.profile
    assert profile.shape["middle"] == pytest.approx(0.72, abs=0.015)
    assert profile.shape["inner"] == pytest.approx(0.4, abs=0.015)
    assert profile.accuracy > 0.95
    reference, empty = reference_of(profile), photos()[0]
    assert np.abs(reference.image.astype(float) - empty.image).mean() < 6
    assert empty.corners_px is not None
    corner = reference.image_from_board @ [0, 0, 1]
    assert np.linalg.norm(corner[:2] / corner[2] - empty.corners_px[0]) < 4


def test_profile_reads_a_photo_it_was_not_fitted_to(lit: Calibration) -> None:
    image, pose = draw(SHAPED, random_corners(np.random.default_rng(8)), NEW, seed=8)
    found = PhotoReader(TEMPLATE, lit.profile).read(image, pose.corners_px(SHAPED))
    assert found is not None
    assert found.reading.board == NEW


def test_a_board_that_is_not_found_again_is_no_good_calibration_however_well_its_cells_are_read(
    lit: Calibration,
) -> None:
    assert "found" not in {one.name for one in refusing(lit.conditions)}
    hidden = [dataclasses.replace(photo, image=(photo.image // 24 + 100).astype(np.uint8)) for photo in photos()]
    dim = calibrate(hidden, TEMPLATE)
    assert dim.expectation.accuracy > 0.9
    assert {one.name for one in refusing(dim.conditions)} == {"found", "contrast"}
    assert "found again in only" in " ".join(Verdict(dim.expectation, dim.conditions).doubts)


def test_corners_that_are_a_little_off_are_put_right_and_a_board_without_any_is_looked_for() -> None:
    (empty, *others), off = photos(), np.array([[3, -3], [-3, 2], [2, 3], [-2, -3]])
    unmarked = dataclasses.replace(empty, corners_px=None)
    rough = [dataclasses.replace(photo, corners_px=photo.corners_px + off) for photo in others]
    profile = fit_profile([unmarked, *rough], TEMPLATE)
    assert profile.accuracy > 0.95
    assert empty.corners_px is not None
    corner = reference_of(profile).image_from_board @ [0, 0, 1]
    assert np.linalg.norm(corner[:2] / corner[2] - empty.corners_px[0]) < 4


def test_picture_without_a_board_is_refused_by_name() -> None:
    blank = LabelledPhoto("blank.jpg", np.full((480, 640, 3), 90, dtype=np.uint8), "W" * 24)
    with pytest.raises(CalibrationError, match=r"blank\.jpg: no board found"):
        fit_profile([blank], TEMPLATE)


def test_corners_outside_the_picture_are_refused() -> None:
    photo = photos()[0]
    far = LabelledPhoto("far.jpg", photo.image, photo.cells, np.array([[0, 0], [2000, 0], [2000, 2000], [0, 2000.0]]))
    with pytest.raises(CalibrationError, match=r"far\.jpg: corners_px"):
        fit_profile([far], TEMPLATE)


def test_photos_without_men_are_refused() -> None:
    with pytest.raises(CalibrationError, match=r"only '\.' is labelled"):
        fit_profile(photos()[:1], TEMPLATE)


def test_no_photos_are_refused() -> None:
    with pytest.raises(CalibrationError, match="no photos"):
        fit_profile([], TEMPLATE)


def test_descriptor_without_weights_may_be_chosen() -> None:
    profile = fit_profile(photos(), TEMPLATE, descriptor="rgb_histogram")
    image, pose = draw(SHAPED, cells=NEW, seed=9)
    found = PhotoReader(TEMPLATE, profile).read(image, pose.corners_px(SHAPED))
    assert profile.weights_sha256 == ""
    assert found is not None
    assert sum(a == b for a, b in zip(found.reading.board, NEW, strict=True)) >= 20


@pytest.fixture
def kibitzer(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls a command in the checkout; returns its status and what it wrote."""
    monkeypatch.chdir(ROOT)

    def called(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return int(ended.value.code or 0), *capfd.readouterr()

    return called


def test_calibrate_and_read_from_the_command_line(kibitzer: Any, tmp_path: Path) -> None:
    labels = {}
    for photo in photos():
        assert photo.corners_px is not None
        cv2.imwrite(str(tmp_path / photo.name), photo.image)
        labels[photo.name] = {"corners_px": photo.corners_px.tolist(), "cells": photo.cells}
    (tmp_path / "labels.json").write_text(json.dumps({"images": labels}), encoding="utf-8")
    (tmp_path / "notes.jpg").write_text("no picture", encoding="utf-8")
    out = tmp_path / "table.npz"
    where = ["--photos", str(tmp_path), "--labels", str(tmp_path / "labels.json"), "--out", str(out)]
    status, made, errors = kibitzer("calibrate", "--game", "morris", *where, "--json")
    assert status == 0, errors
    assert json.loads(made)["cells"] == {".": 48, "W": 12, "B": 12}
    assert TableProfile.load(out).game == "nine_mens_morris"
    names = [str(tmp_path / name) for name in ("1.jpg", "notes.jpg", "absent.jpg")]
    status, read, errors = kibitzer("read", *names, "--game", "morris", "--profile", str(out), "--json")
    assert status == 1, errors  # one is absent
    first, *others = [json.loads(line) for line in read.splitlines()]
    assert (first["photo"], first["found"], first["cells"]) == ("1.jpg", True, BOARDS[1])
    assert len(first["corners_px"]) == 4
    assert len(first["probabilities"]) == 24
    assert all(abs(sum(cell.values()) - 1) < 1e-4 for cell in first["probabilities"])
    assert 0 < first["quality"] <= 1
    assert len(first["unknown"]) == 24 and all(0 <= share <= 1 for share in first["unknown"])
    assert [(other["photo"], other["found"]) for other in others] == [("notes.jpg", False), ("absent.jpg", False)]
    assert "not a picture" in errors
    assert "No such file" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["read", "x.jpg", "--game", "ludo"], "no game 'ludo'"),
        (["read", "x.jpg", "--game", "morris", "--rule", "speed=9"], "no rule option 'speed'"),
        (["read", "x.jpg", "--game", "morris", "--corners", "1,2 3,4"], "--corners is"),
        (["read", "x.jpg", "--game", "morris", "--profile", "README.md"], "no table profile"),
        (["calibrate", "--game", "morris", "--photos", ".", "--labels", "absent", "--out", "t.npz"], "absent: No such"),
    ],
)
def test_bad_input_is_one_line_and_status_2(kibitzer: Any, arguments: list[str], message: str) -> None:
    status, said, errors = kibitzer(*arguments)
    assert (status, said, errors.count("\n")) == (2, "", 1)
    assert message in errors


def test_corners_are_parsed() -> None:
    assert parse_corners("1,2 30.5,4 35,60 7,80").tolist() == [[1, 2], [30.5, 4], [35, 60], [7, 80]]


def test_four_photos_of_a_real_game_are_enough_to_read_the_others(real_data: Path) -> None:
    folder = real_data / "morris"
    shown = ("1_1.jpg", "1_12.jpg", "1_20.jpg", "1_30.jpg")
    labels = read_labels(folder / "labels.json", TEMPLATE)
    examples = []
    for label in labels:
        image = load_photo(folder / label.name)
        assert image is not None
        examples.append(LabelledPhoto(label.name, image, label.cells, label.corners_px))
    reader = PhotoReader(TEMPLATE, fit_profile([photo for photo in examples if photo.name in shown], TEMPLATE))
    others = [photo for photo in examples if photo.name not in shown][::3]
    read = [reader.read(photo.image, photo.corners_px) for photo in others]
    assert [None if found is None else found.reading.board for found in read] == [photo.cells for photo in others]


def test_a_profile_of_men_who_differ_in_shape_keeps_the_place_and_fits_nothing() -> None:
    template = load_template("chess")
    boards = (START, LATER)
    tables = [tall_table(board, 55.0) for board in boards]
    photos = [
        LabelledPhoto(str(number), table.render(), template.seen(board), table.corners_px())
        for number, (table, board) in enumerate(zip(tables, boards, strict=True))
    ]
    made = calibrate(photos, template)
    assert not made.profile.head and made.expectation.judged == 128
    assert {one.name: one.grade for one in made.conditions}["elevation"] == "fine"
    photo = PhotoReader(template, made.profile).read(photos[1].image)
    assert photo is not None and photo.reading.board == template.seen(LATER)
    assert photo.reading.figures is not None


def test_a_lesson_with_men_who_differ_in_shape_is_checked_by_what_is_known_of_other_sets() -> None:
    template, table = load_template("chess"), tall_table(START, 50.0)
    check = LessonCheck(template)
    pose = pose_from_corners(table.corners_px(), template)
    look = check.look(Rectified(table.render(), pose, template))
    start = template.seen(START)
    assert not check.mistakes(look, start)
    assert check.mistakes(look, "." + start[1:]).extra == (0,)
    assert check.mistakes(look, start[:20] + "W" + start[21:]).missing == (20,)
    assert check.mistakes(look, "W" + start[1:]).odd == ((0, "B"),)
