"""`score-dominoes` and `evaluate-dominoes` from photos to files, with eyes that know what each photo shows."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner, Result

import daemon.cli.score
from calibration.annotations import annotation_paths, format_annotation, read_annotation
from calibration.template import load_template
from daemon.cli.score import app
from daemon.scoring.report import Scored, cells_of_row
from tests.daemon.dominoes_play import GAME, Laid, random_game
from tests.daemon.readings import reading_of
from vision.frame import Image
from vision.pose import BoardPose
from vision.reading.locate import ReadPhoto
from vision.reading.pawns import Pawn
from vision.sheet.files import picture_of

TILES = 6
DARK = 7


class KnowingEyes:
    """Replaces `PhotoReader`: a photo's mean grey level, divided by 20, is the number of tiles on its board."""

    laid: tuple[Laid, ...] = ()
    pawns: Mapping[str, Pawn] = {}

    def __init__(self, template: object, profile: object = None) -> None:
        pass

    def read(self, image: Image, corners_px: NDArray[np.float64] | None = None) -> ReadPhoto | None:
        tiles = round(float(image.mean()) / 20)
        if not 1 <= tiles <= len(self.laid):
            return None
        reading = reading_of(GAME, self.laid[tiles - 1].board)
        return ReadPhoto(BoardPose(np.eye(3), 0.0, 1.0), load_template(GAME.name), reading, self.pawns)


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game of six photos, with the list of who laid."""
    monkeypatch.setattr(daemon.cli.score, "PhotoReader", KnowingEyes)
    monkeypatch.setattr(KnowingEyes, "laid", tuple(random_game(3, TILES)))
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(1, TILES + 1):
        take(folder / f"1_{number:02d}.png", 20 * number)
    movers = [f"1_{number:02d}.jpg player{laid.side + 1}" for number, laid in enumerate(KnowingEyes.laid, 1)]
    (folder / "1_mutari.txt").write_bytes("\r\n".join(movers).encode())
    return folder


def take(path: Path, grey: int) -> None:
    assert cv2.imwrite(str(path), np.full((30, 40, 3), grey, dtype=np.uint8))


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_photos_become_annotations_and_a_line_a_move(photos: Path, tmp_path: Path) -> None:
    result = run("score-dominoes", photos, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    for number, laid in enumerate(KnowingEyes.laid, 1):
        assert (tmp_path / "out" / f"1_{number:02d}.txt").read_bytes() == format_annotation(laid.annotation).encode()
    lines = result.stdout.splitlines()
    assert [line[:4] for line in lines[:TILES]] == [f"1_{number:02d}" for number in range(1, TILES + 1)]
    red, green = KnowingEyes.laid[-1].pawns
    assert f"red {red}, green {green}" in lines[TILES - 1]
    assert lines[-1] == f"game 1: red {red}, green {green}; 6 of 6 moves written"


def test_a_report_has_a_page_with_the_board_and_one_with_the_scores(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Scored] = []
    drawn = daemon.cli.score.pages_of
    monkeypatch.setattr(daemon.cli.score, "pages_of", lambda scored, of: told.append(scored) or drawn(scored, of))
    report, template = tmp_path / "report.pdf", load_template(GAME.name)
    assert run("score-dominoes", photos, "--out", tmp_path / "out", "--pdf", report).exit_code == 0
    document = pypdfium2.PdfDocument(report.read_bytes())
    last = KnowingEyes.laid[-1]
    assert [page.get_size() for page in document] == [pytest.approx((595.3, 841.9), abs=0.1)] * 2
    assert document.get_metadata_dict()["Title"].endswith(f"red {last.pawns[0]}, green {last.pawns[1]}")
    (scored,) = told
    for move, laid in zip(scored.moves, KnowingEyes.laid, strict=True):
        cells = cells_of_row(move)
        assert cells[1:3] == [GAME.sides[laid.side], "-".join(map(str, laid.annotation.pips))]
        assert cells[3] == " ".join(laid.annotation.cells) and cells[6] == str(laid.annotation.points)
        assert int(cells[4]) + int(cells[5]) == laid.annotation.points
        assert cells[8:] == [str(pawn) for pawn in laid.pawns]
    # Where the pages differ from those of a game without tiles, the tiles lie.
    bare = dataclasses.replace(scored, moves=(), pawns=(0, 0))
    with_tiles, without = (picture_of(drawn(one, template)[0], 4.0).astype(int) for one in (scored, bare))
    differ = (np.abs(with_tiles - without).max(axis=2) > 40)[4 * 26 :]
    share = differ.mean() * differ.size / 16 / (9.0 * 9.0)  # squares of 20 mm are 8.6 mm wide here, with their rims
    assert 0.7 * 2 * TILES < share < 1.3 * 2 * TILES + 3


def test_a_report_is_not_written_over_somebody_elses_file(photos: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.pdf"
    report.write_bytes(b"%PDF-1.4 of somebody else")
    called = ("score-dominoes", photos, "--out", tmp_path / "out", "--pdf", report)
    refused = run(*called)
    assert refused.exit_code == 2 and "not written by this command" in refused.stderr
    assert run(*called, "--force").exit_code == 0 and run(*called).exit_code == 0
    assert run(*called[:-1], tmp_path / "report.txt").exit_code == 2
    assert "no folder" in run(*called[:-1], tmp_path / "none" / "report.pdf").stderr


def test_a_photo_without_a_tile_is_told_in_the_report(photos: Path, tmp_path: Path) -> None:
    take(photos / "1_06.png", DARK)
    report = tmp_path / "report.pdf"
    assert run("score-dominoes", photos, "--out", tmp_path / "out", "--pdf", report).exit_code == 1
    assert len(pypdfium2.PdfDocument(report.read_bytes())) == 2


def test_json_has_an_object_a_move(photos: Path, tmp_path: Path) -> None:
    result = run("score-dominoes", photos, "--out", tmp_path / "out", "--json")
    moves = [json.loads(line) for line in result.stdout.splitlines()]
    assert [move["move"] for move in moves] == [f"1_{number:02d}" for number in range(1, TILES + 1)]
    for move, laid in zip(moves, KnowingEyes.laid, strict=True):
        assert (move["points"], move["player"], move["totals"]) == (
            laid.annotation.points,
            laid.side + 1,
            [*laid.pawns],
        )
        assert (tuple(move["cells"]), tuple(move["pips"])) == (laid.annotation.cells, laid.annotation.pips)


def test_photos_that_are_missing_broken_or_show_no_board_stop_nothing(photos: Path, tmp_path: Path) -> None:
    (photos / "1_02.png").unlink()
    (photos / "1_04.png").write_bytes(b"no picture")
    take(photos / "1_06.png", DARK)
    result = run("score-dominoes", photos, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "1_04.png: not a picture" in result.stderr
    assert "1_06  no board is seen; no file" in result.stdout
    assert "1_02" in result.stdout and "inferred" in result.stdout
    written = {name.number: read_annotation(path) for name, path in annotation_paths(tmp_path / "out").items()}
    assert set(written) >= {1, 3, 5} and 6 not in written
    assert written[1] == KnowingEyes.laid[0].annotation


def test_annotations_of_somebody_else_are_not_written_over(photos: Path) -> None:
    (photos / "1_03.txt").write_text("8H 6\n8I 1\n0", encoding="utf-8")
    result = run("score-dominoes", photos, "--out", photos)
    assert result.exit_code == 2
    assert "1_03.txt was not written by this command" in result.stderr
    assert len(list(photos.glob("1_0*.txt"))) == 1
    assert run("score-dominoes", photos, "--out", photos, "--force").exit_code == 0
    assert read_annotation(photos / "1_03.txt") == KnowingEyes.laid[2].annotation


def test_pawn_that_stands_elsewhere_is_told(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KnowingEyes, "pawns", {"red": Pawn(77, 0.99), "green": Pawn(50, 0.6)})
    output = run("score-dominoes", photos, "--out", tmp_path / "out").stdout
    assert "red's pawn stands on 77, the moves give" in output
    assert "green's pawn" not in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "1,x"), "--only takes numbers of games, such as 1,3, not 'x'"),
        (("--only", "4"), "there are no photos of game 4; the games are 1"),
        (("--profile", "absent.npz"), "absent.npz: No such file"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(
    photos: Path, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    result = run("score-dominoes", photos, "--out", tmp_path / "out", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr and result.stderr.count("\n") == 1


def test_unknown_player_is_named_with_its_line(photos: Path, tmp_path: Path) -> None:
    (photos / "1_mutari.txt").write_text("1_01.jpg player1\n1_02.jpg player3\n", encoding="utf-8")
    result = run("score-dominoes", photos, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "line 2: there is no player 3; the players are 1 and 2" in result.stderr


def test_scores_are_evaluated_with_every_miss(photos: Path, tmp_path: Path) -> None:
    out, truth = tmp_path / "out", tmp_path / "truth"
    run("score-dominoes", photos, "--out", out)
    run("score-dominoes", photos, "--out", truth)
    (truth / "1_02.txt").write_text("15N 5\n15O 5\n14", encoding="utf-8")
    (out / "1_05.txt").unlink()
    result = run("evaluate-dominoes", out, truth)
    assert result.exit_code == 0
    assert "1_02  position: expected 15N 15O, found " in result.stdout
    assert "1_05  points: expected" in result.stdout and "found no file" in result.stdout
    assert result.stdout.splitlines()[-1] == "in all: position 4/6, pips 4/6, points 4/6; 0.36 of 0.54"
    found = json.loads(run("evaluate-dominoes", out, truth, "--json").stdout)
    assert found["total"] == {"moves": 6, "position": 4, "pips": 4, "points": 4, "worth": 0.36, "most": 0.54}
    assert len(found["misses"]) == 6 and found["games"]["1"]["position"] == 4


def test_evaluation_needs_the_truth(tmp_path: Path) -> None:
    result = run("evaluate-dominoes", tmp_path, tmp_path / "absent")
    assert result.exit_code == 2
    assert "absent: No such file" in result.stderr
