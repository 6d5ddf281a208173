"""`kibitzer settle`: the pictures of a source that count as settled."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from daemon.cli.settle import Window, app
from vision.frame import Image

SIZE = (240, 320)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """A folder of photos: three of a board, two with a hand over it, three with a man on it."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(8):
        cv2.imwrite(str(folder / f"{number}.png"), board(hand=number in (3, 4), man=number > 4))
    return folder


def board(*, hand: bool = False, man: bool = False) -> Image:
    picture = np.full((*SIZE, 3), (90, 120, 140), np.uint8)
    for x in range(60, 261, 40):
        cv2.line(picture, (x, 20), (x, 220), (30, 30, 30), 2)
    for y in range(20, 221, 40):
        cv2.line(picture, (60, y), (260, y), (30, 30, 30), 2)
    if man:
        cv2.circle(picture, (140, 100), 12, (240, 240, 240), -1)
    if hand:
        cv2.line(picture, (150, 110), (330, 130), (120, 140, 220), 44)
    return picture


def lines(output: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def test_settled_pictures_are_told_and_kept_and_a_resting_hand_is_not(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "settled"
    result = CliRunner().invoke(app, [str(photos), "--out", str(out), "--json"])
    assert result.exit_code == 0
    told = lines(result.output)
    assert [line["phase"] for line in told if line["frame"] in ("3.png", "4.png")] == ["moving", "occluded"]
    assert [line["picture"] for line in told if line["picture"]] == ["000001.png", "000006.png"]
    assert [line["arm"] for line in told if line["picture"]] == [None, "right"]
    assert sorted(path.name for path in out.iterdir()) == ["000001.png", "000006.png"]
    kept = cv2.imread(str(out / "000006.png"))
    assert kept is not None and (kept == board(man=True)).all()


def test_with_corners_the_board_is_rectified_with_a_margin(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "settled"
    arguments = [str(photos), "--out", str(out), "--corners", "60,20 260,20 260,220 60,220"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    kept = cv2.imread(str(out / "000001.png"))
    assert kept is not None and kept.shape == (512, 512, 3)
    margin = round(0.11 * 512)
    assert kept[256, margin].max() < 80 and kept[256, margin // 2].min() > 80, "the outer line lies at the margin"


def test_a_board_that_is_not_square_keeps_its_shape() -> None:
    shown = Window(np.array([[0.0, 0], [300, 0], [300, 150], [0, 150]])).show(board())
    height, width = shown.shape[:2]
    assert width == 512
    assert (height - 0.22 * 512) / (width - 0.22 * 512) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "words"), [(["nowhere.avi"], "there is no such"), (["PHOTOS", "--corners", "1,2 3"], "--corners is")]
)
def test_what_cannot_be_watched_is_said_in_a_line(
    photos: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    filled = [str(photos) if argument == "PHOTOS" else argument for argument in arguments]
    result = CliRunner().invoke(app, [*filled, "--out", str(tmp_path / "settled")])
    assert result.exit_code == 2
    assert words in result.stderr and result.stderr.startswith("kibitzer settle: ")
