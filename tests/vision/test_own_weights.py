"""`--weights imagenet`: profiles that use weights made on this computer, and messages if these are missing."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner

from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli.calibrate import app
from system.weights import MODELS, WeightsError, write_entry
from tests.vision.drawn import draw
from vision.calibrating.calibrate import LabelledPhoto, fit_profile
from vision.reading import descriptors
from vision.reading.descriptors import IMAGENET, load_descriptor
from vision.reading.locate import PhotoReader
from vision.reading.reader import Reader

BOARDS = ("WB......WW..BB..........", ".W.B.W.B...............B")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for the weights made on this computer."""
    monkeypatch.setattr(descriptors, "MADE_HERE", tmp_path / "made")
    load_descriptor.cache_clear()
    yield tmp_path / "made"
    load_descriptor.cache_clear()


@pytest.fixture
def made(nowhere: Path) -> Path:
    """A folder with the program's own network under that name, which has the same inputs and outputs."""
    nowhere.mkdir()
    (nowhere / "imagenet.onnx").write_bytes((MODELS / "resnet18.onnx").read_bytes())
    write_entry(nowhere, IMAGENET, "imagenet.onnx", {"known_as": "published"})
    return nowhere


@functools.cache
def profile() -> TableProfile:
    """A profile fitted once, with the weights found under that name."""
    template = load_template("nine_mens_morris")
    photos = []
    for number, cells in enumerate(BOARDS):
        picture, pose = draw(template, cells=cells)
        photos.append(LabelledPhoto(f"{number}.png", picture, cells, pose.corners_px(template)))
    return fit_profile(photos, template, descriptors.descriptor_for("imagenet"))


def test_no_word_is_the_boards_own_descriptor_and_another_is_refused() -> None:
    assert descriptors.descriptor_for("") is None
    with pytest.raises(ValueError, match="--weights is \"imagenet\" or left away, not 'alexnet'"):
        descriptors.descriptor_for("alexnet")


@pytest.mark.usefixtures("made")
def test_a_profile_by_them_is_read_by_them(tmp_path: Path) -> None:
    fitted = profile()
    assert fitted.descriptor == IMAGENET and fitted.weights_sha256 == "published" and fitted.accuracy > 0.95
    fitted.save(tmp_path / "table.npz")
    again = TableProfile.load(tmp_path / "table.npz")
    reader = PhotoReader(again.template(), again)
    picture, pose = draw(again.template(), cells="..WB....B..WW...........")
    photo = reader.read(picture, pose.corners_px(again.template()))
    assert photo is not None and photo.reading.board == "..WB....B..WW..........."


def test_a_profile_by_them_elsewhere_says_how_to_make_them(made: Path) -> None:
    fitted = profile()
    (made / "imagenet.onnx").unlink()
    load_descriptor.cache_clear()
    with pytest.raises(WeightsError, match=r"not on this computer; make them with `\./kibitzer train imagenet`"):
        Reader(fitted.template(), fitted)


@pytest.mark.usefixtures("made")
def test_without_a_profile_there_is_nothing_to_read_by() -> None:
    template = dataclasses.replace(profile().template(), descriptor=IMAGENET)
    with pytest.raises(ValueError, match="in general with imagenet: calibrate"):
        Reader(template)


def test_absent_weights_are_made_in_another_process(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import shutil; from pathlib import Path; from system.weights import write_entry\n"
        f"folder = Path({str(nowhere)!r}); folder.mkdir(parents=True)\n"
        f"shutil.copy({str(MODELS / 'halves.onnx')!r}, folder / 'imagenet.onnx')\n"
        "write_entry(folder, 'imagenet', 'imagenet.onnx', {})"
    )
    monkeypatch.setattr(descriptors, "COMMAND", (sys.executable, "-c", code))
    assert descriptors.descriptor_for("imagenet") == IMAGENET


@pytest.mark.usefixtures("nowhere")
def test_where_they_cannot_be_made_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "COMMAND", (sys.executable, "-c", "raise SystemExit(2)"))
    with pytest.raises(WeightsError, match=r"no ImageNet weights; \./kibitzer train imagenet makes them"):
        descriptors.descriptor_for("imagenet")


def test_calibrate_fits_by_them_and_asks_for_every_kind_of_man(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template, images = load_template("nine_mens_morris"), {}
    for number, cells in enumerate((*BOARDS, "." * 24)):
        picture, pose = draw(template, cells=cells)
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
        images[f"{number}.png"] = {"corners_px": pose.corners_px(template).tolist(), "cells": cells}
    (tmp_path / "labels.json").write_text(json.dumps({"images": images}))
    words = ["--game", "morris", "--photos", str(tmp_path), "--labels", str(tmp_path / "labels.json")]
    words += ["--out", str(tmp_path / "table.npz"), "--weights", "imagenet", "--accept"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.stderr
    assert TableProfile.load(tmp_path / "table.npz").descriptor == IMAGENET
    images["0.png"]["cells"], images["1.png"]["cells"] = (one.replace("B", ".") for one in BOARDS)
    (tmp_path / "labels.json").write_text(json.dumps({"images": images}))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and "no dark" in result.stderr and "only what the photos show" in result.stderr


def test_other_weights_are_refused_before_anything_is_read() -> None:
    words = ["--game", "morris", "--photos", "x", "--labels", "y", "--out", "z", "--weights", "alexnet"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and "alexnet" in result.stderr and len(result.stderr.splitlines()) == 1
