"""`kibitzer calibrate --source` as a program, from its first message to the profile or to an end without one."""

from __future__ import annotations

import json
import shlex
import signal
from pathlib import Path
from typing import Any

import cv2
import pytest
from typer.testing import CliRunner

import games
from calibration.guide import lessons
from calibration.labels import read_labels
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli import calibrate
from daemon.cli.calibrate import app
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from tests.daemon.test_cli import start
from tests.vision.test_calibrate import photos
from tests.waiting import PATIENCE_S
from vision.calibrating import guided, guided_inspection
from vision.calibrating.verdict import Condition
from vision.cli import load_photo
from vision.reading.locate import PhotoReader
from vision.sources.cameras import Camera
from wording import sentence

TEMPLATE = load_template("nine_mens_morris")
LESSONS = lessons(games.load("morris"), TEMPLATE)


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    """A folder of pictures of the requested boards; extra empty ones keep the empty board in view long enough."""
    folder = tmp_path / "shots"
    folder.mkdir()
    table = SimulatedTable(TEMPLATE, "." * 24, default_style(), seed=6, size_px=(640, 360))
    for number, board in enumerate(["." * 24] * 2 + [lesson.board for lesson in LESSONS]):
        cv2.imwrite(str(folder / f"{number}.png"), table.with_board(board, seed=number).render())
    return folder


@pytest.fixture
def slow(tmp_path: Path) -> list[str]:
    """Settings for slow photos: 3 frames a second, each photo held for 2 s."""
    path = tmp_path / "slow.toml"
    path.write_text("[camera]\nrate_hz = 3.0\nphoto_hold_s = 2.0\n", encoding="utf-8")
    return ["--config", str(path), "--silent"]


def test_profile_comes_out_where_the_boards_are_shown(shots: Path, slow: list[str], tmp_path: Path) -> None:
    out, kept = tmp_path / "table.npz", tmp_path / "kept"
    words = ["--game", "morris", "--source", str(shots), "--out", str(out), "--photos", str(kept), "--json"]
    result = CliRunner().invoke(app, words + slow)
    assert result.exit_code == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    codes = [event.get("event") for event in events]
    assert codes.count("lay") == codes.count("taken") == 4 and "correct" not in codes
    assert [event["board"] for event in events if event.get("event") == "lay"] == [one.board for one in LESSONS]
    assert events[-1]["cells"] == {".": 72, "W": 12, "B": 12} and events[-1]["accuracy"] > 0.97
    assert events[-1]["expected_boards"] > 0.7 and events[-1]["accepted"] and not events[-1]["doubts"]
    assert {"pixels", "glare", "contrast"} <= {condition["name"] for condition in events[-1]["conditions"]}
    labels = read_labels(kept / "labels.json", TEMPLATE)
    assert [label.cells for label in labels] == [lesson.board for lesson in LESSONS]
    image = load_photo(kept / labels[2].name)
    assert image is not None
    found = PhotoReader(TEMPLATE, TableProfile.load(out)).read(image)
    assert found is not None and found.reading.board == LESSONS[2].board


def test_source_that_ends_too_early_leaves_no_profile(shots: Path, slow: list[str], tmp_path: Path) -> None:
    (shots / "5.png").unlink()
    out = tmp_path / "table.npz"
    result = CliRunner().invoke(app, ["--game", "morris", "--source", str(shots), "--out", str(out), *slow])
    assert result.exit_code == 130
    assert "3 of 4 pictures are taken" in result.stderr and "nothing is written" in result.stderr
    assert not list(tmp_path.glob("*.npz*"))


def test_bad_labels_are_refused_with_status_1_unless_they_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, out, fit, fitted = {}, tmp_path / "table.npz", calibrate.fit_table, list[Any]()

    def fit_once(*words: Any) -> Any:
        fitted.extend([] if fitted else [fit(*words)])
        return fitted[0]

    monkeypatch.setattr(calibrate, "fit_table", fit_once)  # both commands fit the same photos, which takes long
    for photo, cells in zip(photos(), ("." * 24, "W.B" * 8, ".BW" * 8), strict=True):
        cv2.imwrite(str(tmp_path / photo.name), photo.image)
        labels[photo.name] = {"corners_px": photo.corners_px.tolist(), "cells": cells}  # type: ignore[union-attr]
    (tmp_path / "labels.json").write_text(json.dumps({"images": labels}), encoding="utf-8")
    words = ["--game", "morris", "--photos", str(tmp_path), "--labels", str(tmp_path / "labels.json"), "--json"]
    result = CliRunner().invoke(app, [*words, "--out", str(out)])
    summary = json.loads(result.stdout)
    assert result.exit_code == 1 and not out.exists()
    assert summary["accepted"] is False and summary["profile"] is None and summary["expected_boards"] < 0.5
    assert "refused: I expect about" in result.stderr and "With --accept" in result.stderr
    result = CliRunner().invoke(app, [*words, "--out", str(out), "--accept"])
    assert result.exit_code == 0 and json.loads(result.stdout)["accepted"] is True
    assert TableProfile.load(out).caution.startswith("This table's profile was made against advice. I expect about")


def test_conditions_that_stay_bad_end_the_run_with_status_1(
    shots: Path, slow: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    low = Condition("elevation", 10.0, sentence("Raise the camera."))
    monkeypatch.setattr(guided_inspection, "survey", lambda shown, template: (low,))
    monkeypatch.setattr(guided, "HOLD_S", 0.1)
    out = tmp_path / "table.npz"
    result = CliRunner().invoke(app, ["--game", "morris", "--source", str(shots), "--out", str(out), *slow])
    assert result.exit_code == 1 and not out.exists()
    assert "refused: Raise the camera." in result.stderr


def test_ctrl_c_while_the_camera_is_away_ends_it_without_a_profile(tmp_path: Path) -> None:
    out = tmp_path / "table.npz"
    process = start(
        "calibrate", "--game", "morris", "--source", "http://127.0.0.1:9/video", "--out", str(out), "--silent"
    )
    assert process.stderr is not None
    lines = [process.stderr.readline().decode()]
    while "[1/4] Clear the board" not in lines[-1]:
        assert lines[-1], lines
        lines.append(process.stderr.readline().decode())
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"0 of 4 pictures are taken" in said and b"Traceback" not in said
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "t.npz", "--source", "97"], "there is no /dev/video97"),
        (["--out", "t.npz", "--source", "0", "--labels", "l.json"], "takes its own pictures"),
        (["--out", "/nowhere/t.npz", "--source", "http://phone/"], "there is no folder /nowhere"),
        (["--out", "t.npz", "--source", "http://phone/", "--corners", "1,2"], "--corners is"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["--game", "morris", *words])
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1


def test_without_a_camera_named_the_cameras_are_listed_with_what_to_type_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [Camera(0, "HD Pro Webcam C920", by_id="/dev/v4l/by-id/usb-046d_C920-video-index0"), Camera(2, "Cheap cam")]
    monkeypatch.setattr(calibrate, "cameras", lambda: found)
    out = tmp_path / "my table.npz"
    result = CliRunner().invoke(app, ["--game", "morris", "--out", str(out)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "  /dev/v4l/by-id/usb-046d_C920-video-index0 (HD Pro Webcam C920, now /dev/video0)\n" in result.stderr
    assert "  /dev/video2 (Cheap cam)\n" in result.stderr
    typed = [
        shlex.split(line, comments=False) for line in result.stderr.splitlines() if "kibitzer calibrate --" in line
    ]
    assert typed[0] == ["kibitzer", "calibrate", "--game", "morris", "--source", found[0].stable, "--out", str(out)]
    assert not list(tmp_path.iterdir())


def test_on_a_computer_without_a_camera_a_phone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate, "cameras", list)
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    assert "No camera on a cable is found here." in result.stderr and "--source 0" not in result.stderr
    assert "--source http://PHONE:8080/video" in result.stderr
    assert all(games.load(name).about.short_name in result.stderr for name in games.names())


@pytest.mark.parametrize(
    ("words", "missing"),
    [(["--source", "0"], "--game (chess"), (["--source", "0", "--game", "morris"], "name --out FILE.npz too")],
)
def test_what_else_must_be_named_is_said(words: list[str], missing: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and missing in result.stderr
