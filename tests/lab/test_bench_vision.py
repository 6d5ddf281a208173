"""The bench of the eyes: what it compares and what it concludes. Durations are not tested."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import games
from calibration.labels import Label
from calibration.template import load_template
from lab.bench.cli import app
from lab.bench.speed import steps, vision_report
from lab.bench.speed.figures import Figure
from lab.bench.speed.report import Machine
from lab.bench.speed.scenes import still_scene
from lab.bench.speed.vision_report import (
    BoardCost,
    VisionReport,
    bench_vision,
    compare,
    full_precision,
    lines_of,
    photographed,
    ratios_of,
    simulated,
    steady,
    targets_of,
)
from system.weights import WeightsError
from tests.vision.drawn import draw
from vision.frame import SourceError
from vision.reading.descriptors import Descriptors, load_descriptor

MORRIS = load_template("nine_mens_morris")


def silent(text: str) -> None:
    """Discards progress messages."""


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import json, sys\nfor _ in sys.stdin: print(json.dumps({n: 500.0 for n in sys.argv[3:]}), flush=True)"
    monkeypatch.setattr(steps, "COMMAND", (sys.executable, "-c", code))


class Blind:
    """A descriptor that gives the same values for every patch."""

    name, sha256, length = "resnet18", "", 512

    def describe(self, patches: np.ndarray) -> Descriptors:
        return np.ones((len(patches), 512), dtype=np.float32)


# Full precision.


def test_the_shipped_network_in_full_precision_says_nearly_the_same(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")
    full, what = full_precision("halves", tmp_path)
    rectified, _ = steady(*still_scene("morris"))
    patches = np.stack([rectified[y : y + 48, x : x + 48] for y in (40, 160, 290) for x in (40, 200, 330)])
    exact, rounded = full.describe(patches), load_descriptor("halves").describe(patches)
    assert "full precision" in what and full.sha256 != load_descriptor("halves").sha256
    assert 0 < np.abs(exact - rounded).mean() < 0.03 * np.abs(exact).max()


def test_full_precision_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vision_report, "WIDEN", (sys.executable, "-c", "raise SystemExit('onnx is missing')"))
    with pytest.raises(WeightsError, match="onnx is missing"):
        full_precision("halves", tmp_path)


# Measurements.


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_a_board_to_read(name: str) -> None:
    scene, corners_px = still_scene(name)
    rectified, template = steady(scene, corners_px)
    assert rectified.shape[:2] == template.rectified_size_px[::-1]


def test_cells_that_only_full_precision_reads_right_are_lost(tmp_path: Path) -> None:
    board = "WB......WW..BB.........."
    picture, pose = draw(MORRIS, cells=board)
    seeing = load_descriptor()
    shown = [(picture, pose.corners_px(MORRIS), board)]
    same = compare(iter(shown), "drawings", MORRIS, seeing, seeing, silent)
    assert (same.cells, same.eight_bits_right, same.differently, same.loss_points) == (24, 24, 0, 0)
    worse = compare(iter(shown), "drawings", MORRIS, Blind(), seeing, silent)
    assert worse.full_precision_right == 24 > worse.eight_bits_right
    assert worse.loss_points == pytest.approx(100 * (24 - worse.eight_bits_right) / 24, abs=1e-3)
    better = compare(iter(shown), "drawings", MORRIS, seeing, Blind(), silent)
    assert better.loss_points == -worse.loss_points


def test_pictures_without_a_board_are_refused(tmp_path: Path) -> None:
    wall = (np.full((400, 600, 3), 120, np.uint8), None, "." * 24)
    with pytest.raises(SourceError, match="no board is seen in any of the walls"):
        compare(iter([wall]), "walls", MORRIS, Blind(), Blind(), silent)
    with pytest.raises(SourceError, match=r"absent\.jpg is no picture"):
        list(photographed([Label("absent.jpg", "." * 24, None)], tmp_path))


def test_there_are_simulated_pictures_enough_for_the_cells_wanted() -> None:
    boards = [board for _, _, board in simulated(MORRIS, 30)]
    assert len(boards) == 2 and all(len(board) == 24 for board in boards)


@pytest.mark.usefixtures("answering")
def test_a_run_measures_in_turns_counts_and_judges(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")
    said: list[str] = []
    report = bench_vision(
        "morris", tmp_path, rounds=2, cells=24, reference=True, photos=None, labels=None, step=said.append
    )
    assert {name: one.count for name, one in report.read_ms.items()} == {"eight_bits": 2, "full_precision": 2}
    theirs = {"resnet18_224_cell_by_cell", "resnet18_48_cell_by_cell", "resnet18_48_all_cells"}
    assert set(report.reference_ms) == theirs and "round 2 of 2" in said
    assert (report.game, report.cells, report.network) == ("nine_mens_morris", 24, "resnet18")
    assert [one.source for one in report.precision] == ["simulated pictures"] and report.precision[0].cells == 24
    assert [one.limit for one in report.targets] == [15.0, 10.0, 0.05]


# Conclusions.


def figure_of(value: float) -> Figure:
    return Figure(median=value, p95=value, count=1)


def test_times_are_those_of_ours_in_eight_bits_and_limits_those_of_the_board() -> None:
    read = {"eight_bits": figure_of(20.0), "full_precision": figure_of(60.0)}
    theirs = {"resnet18_224_cell_by_cell": figure_of(190.0), "resnet18_48_all_cells": figure_of(100.0)}
    ratios = ratios_of(read, theirs)
    assert [one.times for one in ratios] == [3.0, 9.5, 5.0]
    morris, gomoku = (targets_of(game, read, ratios, []) for game in ("nine_mens_morris", "gomoku"))
    assert [(one.limit, one.met) for one in morris] == [(15.0, False), (10.0, False)]
    assert [(one.limit, one.met) for one in gomoku] == [(90.0, True), (10.0, False)]
    cost = BoardCost(
        game="gomoku", pictures="simulated table", cells=225, network="resnet18", full_precision="as trained",
        read_ms=read, reference_ms=theirs, ratios=ratios, precision=[], targets=gomoku,
    )  # fmt: skip
    here = Machine(date="2030-01-01T00:00:00+00:00", processor="slow", cores=2, python="3.11", load=(0.1, 0.2))
    report = VisionReport(machine=here, games=[cost])
    text = "\n".join(lines_of(report))
    assert "MISSED  times faster than the thesis' way: 9.5 (10)" in text and "met     whole board" in text
    assert VisionReport.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--photos", "x"), "--labels"),
        (("--photos", "x", "--labels", "y"), "exactly one --game"),
        (("--game", "parcheesi"), "parcheesi"),
        (("--game", "morris", "--photos", "x", "--labels", "absent.json"), "absent.json"),
    ],
)
def test_wrong_usage_is_named_in_one_line(words: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(app, ["vision", *words])
    assert result.exit_code == 2 and said in result.stderr and len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("answering")
def test_the_command_prints_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")
    result = CliRunner().invoke(app, ["vision", "--game", "morris", "--rounds", "1", "--cells", "0", "--json"])
    assert result.exit_code in (0, 1), result.stderr
    report = json.loads(result.stdout)
    assert report["games"][0]["cells"] == 24 and report["machine"]["cores"] >= 1
