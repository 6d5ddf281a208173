"""`kibitzer read`: the output for photos with and without a board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.template import load_template
from tests.vision.drawn import CORNERS, draw
from tests.vision.test_markers import photo, sheet
from vision.reading.read_cli import app, in_words, rules_of

CELLS = "W..B..W......B.....W...B"


def read(*arguments: str) -> tuple[list[dict[str, Any]], str]:
    """Runs the command; returns the objects printed and the text on standard error."""
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    board, _ = draw(load_template("nine_mens_morris"), cells=CELLS)
    cv2.imwrite(str(folder / "morris.png"), board)
    cv2.imwrite(str(folder / "reversi.png"), photo(sheet("reversi"))[0])
    cv2.imwrite(str(folder / "dark.png"), board // 12)
    (folder / "notes.png").write_text("no picture", encoding="utf-8")
    return folder


def test_a_board_is_read_with_how_sure_its_place_is(folder: Path) -> None:
    (report,), _ = read(str(folder / "morris.png"), "--game", "morris")
    assert (report["found"], report["game"], report["rules"], report["cells"]) == (True, "nine_mens_morris", {}, CELLS)
    assert report["sure"] > 0.9
    assert report["reason"] is None
    assert report["advice"] is None
    assert np.abs(np.array(report["corners_px"]) - CORNERS).max() < 4


def test_why_no_board_is_read_is_a_code_and_a_sentence(folder: Path) -> None:
    names = [str(folder / name) for name in ("reversi.png", "dark.png", "notes.png")]
    reports, _ = read(*names, "--game", "co_ganh")
    assert [report["found"] for report in reports] == [False] * 3
    assert [report["reason"] for report in reports] == ["other_board", "dark", "no_picture"]
    assert "This sheet is for reversi" in reports[0]["advice"]
    assert all(report["sure"] == 0 and report["cells"] is None for report in reports)


def test_the_board_names_its_game(folder: Path) -> None:
    (morris, reversi), _ = read(str(folder / "morris.png"), str(folder / "reversi.png"), "--game", "auto")
    assert (morris["game"], morris["rules"], morris["cells"]) == ("nine_mens_morris", {}, CELLS)
    assert morris["others"] == []
    assert reversi["game"] == "reversi"
    assert reversi["cells"] == "." * 64
    assert in_words(reversi, named=True).startswith("reversi: ")


@pytest.mark.parametrize("option", [["--rule", "size=19"], ["--corners", "1,1 9,1 9,9 1,9"], ["--profile", "t.npz"]])
def test_auto_goes_by_the_picture_alone(folder: Path, option: list[str]) -> None:
    done = CliRunner().invoke(app, [str(folder / "morris.png"), "--game", "auto", *option])
    assert done.exit_code == 2
    assert f"{option[0]} needs a game" in done.stderr


def test_only_options_that_show_on_the_board_are_named() -> None:
    assert rules_of(load_template("gomoku", frozenset({"size=19", "overlines"}))) == {"size": "19"}
    assert rules_of(load_template("nine_mens_morris", frozenset({"diagonals", "flying"}))) == {"diagonals": "true"}


@pytest.mark.parametrize(
    ("corners", "fault"),
    [
        ("-900,-900 9000,0 9000,9000 0,9000", "the cell a7 would lie outside of the picture"),
        ("10,10 30,10 30,30 10,30", "smaller than 2% of the picture"),
        ("10,10 600,10 310,300 300,300", "times as long as another; 4 is the most"),
    ],
)
def test_corners_where_no_board_can_be_are_named(folder: Path, corners: str, fault: str) -> None:
    (report,), _ = read(str(folder / "morris.png"), "--game", "morris", "--corners", corners)
    assert (report["found"], report["reason"]) == (False, "wrong_corners")
    assert fault in report["advice"]
