"""`kibitzer read`: the output for photos with and without a board."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

import games
from calibration.template import load_template
from daemon.cli.read import app, figures_in, position_in
from lab.simulated.table import SimulatedTable
from rules import figures_of
from tests.daemon.readings import reading_of, with_figures
from tests.vision.chequered_tables import START, laid
from tests.vision.drawn import CORNERS, draw
from tests.vision.test_markers import photo, sheet
from vision.pose import pose_from_corners, project
from vision.reading import which_board
from vision.reading.board_reading import BoardReading
from vision.reading.photo_report import BESIDE, CUT_SHORT, figures_report, rules_of
from vision.sources.files import read_photo, write_picture

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
    assert report["foreign"] == []
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


def test_the_board_names_its_game(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [family for family in which_board.drawings() if family[0].game in ("co_ganh", "nine_mens_morris")]
    monkeypatch.setattr(which_board, "drawings", lambda: few)  # the whole list is tried in test_which_board
    (morris, reversi), _ = read(str(folder / "morris.png"), str(folder / "reversi.png"), "--game", "auto")
    assert (morris["game"], morris["rules"], morris["cells"]) == ("nine_mens_morris", {}, CELLS)
    assert morris["others"] == []
    assert reversi["game"] == "reversi"
    assert reversi["cells"] == "." * 64


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


def test_a_person_reads_a_drawn_board(folder: Path) -> None:
    done = CliRunner().invoke(app, [str(folder / "morris.png"), str(folder / "notes.png"), "--game", "morris"])
    assert done.exit_code == 0
    seen, none = done.stdout.split("\n\nnotes.png: ")
    first, *board = seen.splitlines()
    assert first.startswith("morris.png: nine men's morris: 3 light men, 3 dark men (sure of the place: ")
    assert board[0].startswith("7  ○───────────┬───────────┐") and board[-1].split() == list("abcdefg")
    assert none.startswith("This is no picture that can be read.")


def test_a_file_that_is_not_there_is_told_also_by_the_exit_status(folder: Path) -> None:
    done = CliRunner().invoke(app, [str(folder / "none.png"), "--game", "morris", "--json"])
    assert done.exit_code == 1 and json.loads(done.stdout)["reason"] == "no_picture" and "No such file" in done.stderr
    done = CliRunner().invoke(app, [str(folder / "none.png"), "--game", "morris"])
    assert done.exit_code == 1 and done.stdout == "" and "No such file" in done.stderr


def test_a_board_of_another_game_than_was_named_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [family for family in which_board.drawings() if family[0].game in ("co_ganh", "nine_mens_morris")]
    monkeypatch.setattr(which_board, "drawings", lambda: few)
    done = CliRunner().invoke(app, [str(folder / "morris.png"), "--game", "chess"])
    assert "It looks like nine men's morris: try --game auto." in done.stdout


def test_what_is_seen_is_drawn_on_the_photo(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "seen"
    names = ["morris.png", "dark.png", "notes.png"]
    done = CliRunner().invoke(app, [*(str(folder / name) for name in names), "--game", "morris", "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    assert sorted(path.name for path in out.iterdir()) == ["dark.png", "morris.png"]
    photo, drawn = read_photo(folder / "morris.png"), read_photo(out / "morris.png")
    height, width = photo.shape[:2]
    assert drawn.shape[1] == width and drawn.shape[0] > height
    marks = (photo != drawn[:height]).any(axis=2)
    template, middles = load_template("nine_mens_morris"), {"W": 180, "B": 60}
    pose = pose_from_corners(np.array(CORNERS, dtype=np.float64), template)
    for (x, y), letter in zip(project(pose.image_from_board, template.cells_mm), CELLS, strict=True):
        dot = drawn[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3]
        if letter == "W":
            assert dot.min() > middles["W"]
        elif letter == "B":
            assert dot.max() < middles["B"]
    assert marks.mean() < 0.15  # the photo itself stays in view


@pytest.mark.parametrize(
    ("photos", "out", "fault"),
    [
        (["morris.png"], "morris.png", "that is a photo itself, which is never overwritten"),
        (["morris.png", "dark.png"], "", "that is a photo itself, which is never overwritten"),
        (["morris.png"], "seen.gif", "ends in .png, .jpg, .jpeg, .webp, not 'seen.gif'"),
        (["morris.png", "dark.png"], "seen.png", "for 2 photos it is a folder, such as seen/"),
        (["morris.png", "../photos/morris.png"], "seen", "two of the photos are called morris.png"),
    ],
)
def test_a_picture_that_cannot_be_meant_is_refused_before_anything_is_read(
    folder: Path, tmp_path: Path, photos: list[str], out: str, fault: str
) -> None:
    own = tmp_path / "photos"
    own.mkdir()
    for name in ("morris.png", "dark.png"):
        (own / name).write_bytes((folder / name).read_bytes())
    before = {path: path.read_bytes() for path in own.iterdir()}
    done = CliRunner().invoke(app, [*(str(own / name) for name in photos), "--game", "morris", "--out", str(own / out)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert fault in done.stderr
    assert {path: path.read_bytes() for path in own.iterdir()} == before


def test_a_full_disk_is_said_and_leaves_no_half_picture(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _data: bytes) -> None:
        _path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    out = tmp_path / "seen.png"
    done = CliRunner().invoke(app, [str(folder / "morris.png"), "--game", "morris", "--out", str(out)])
    assert done.exit_code == 75
    assert f"--out {out}: No space left on device" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_cell_that_may_hold_something_else_is_in_doubt() -> None:
    shares = np.array([[0.98, 0.01, 0.01], [0.5, 0.48, 0.02], [0.97, 0.02, 0.01]])
    reading = BoardReading(np.log(shares), ".WB", 0.0, unknown=np.array([0.1, 0.1, 0.7]))
    assert reading.doubtful == (1, 2)


def test_the_position_of_chess_is_told_whichever_way_the_board_lies() -> None:
    """A queen on d1 that looks like a second king is told as one that is not sure."""
    game, template = games.load("chess"), load_template("chess")
    shown = figures_of(game, game.initial())
    reading = with_figures(game, reading_of(game, game.board(game.initial())), shown, {"d1": {"♔": 0.55, "♕": 0.45}})
    told = figures_report(template, reading)
    assert told["figures"] == "rnbqkbnrpppppppp" + "." * 32 + "PPPPPPPPRNBQKBNR"
    assert told["position"] == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert (told["first_side"], told["doubtful_figures"]) == ("bottom", [])
    turned = figures_report(template, reading.turned(np.arange(64)[::-1]))
    assert turned["figures"] == str(told["figures"])[::-1]
    assert (turned["position"], turned["first_side"]) == (told["position"], "top")
    assert "upside down" in position_in(turned)
    assert figures_in(turned, template) == shown[::-1]


@pytest.mark.parametrize(("turn", "side"), [(1, "right"), (3, "left")])
@pytest.mark.parametrize("mirrored", [False, True])
def test_men_set_up_across_the_board_are_no_position_of_pawns_on_all_ranks(
    turn: int, side: str, mirrored: bool
) -> None:
    """A board turned by a quarter under its men looks like one in a mirror: both are said, and no other is told."""
    game, template = games.load("chess"), load_template("chess")
    shown, cells = figures_of(game, game.initial()), np.rot90(np.arange(64).reshape(8, 8), turn)
    cells = (cells[::-1] if mirrored else cells).ravel()
    reading = with_figures(game, reading_of(game, game.board(game.initial())), shown).turned(cells)
    told = figures_report(template, reading)
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq"
    seen_wrongly = "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w -"
    assert told["position"] == f"{seen_wrongly if mirrored else start} - 0 1"
    assert told["first_side"] == side
    assert "turned by a quarter" in str(told["note"]) and "mirrored" in str(told["note"])
    assert position_in(told).startswith("Position, if the picture is not mirrored: ")


def test_pieces_that_make_no_position_are_shown_with_the_reason() -> None:
    game, template = games.load("chess"), load_template("chess")
    shown = "♟" + "." * 63
    reading = with_figures(game, reading_of(game, template.seen(shown)), shown)
    told = figures_report(template, reading)
    assert (told["figures"], told["position"]) == ("p" + "." * 63, None)
    assert "king" in position_in(told)


def test_a_board_of_another_size_is_read_as_it_is_and_said(tmp_path: Path) -> None:
    cells = "B" * 20 + "." * 10 + "W" * 20
    large = load_template("draughts", frozenset({"size=10"}))
    write_picture(tmp_path / "ten.png", SimulatedTable(large, cells, seed=4, size_px=(960, 720)).render())
    nine = "." * 20 + "B..W" + "." * 15 + "WB" + "." * 20 + "B.W" + "." * 17
    write_picture(tmp_path / "nine.png", SimulatedTable(load_template("go"), nine, seed=4, size_px=(640, 480)).render())
    (ten,), _ = read(str(tmp_path / "ten.png"), "--game", "draughts")
    assert (ten["rules"], ten["note"]) == ({"size": "10"}, "I see 10 by 10 squares, not 8 by 8.")
    assert sorted(ten["cells"]) == sorted(cells)
    (go,), _ = read(str(tmp_path / "nine.png"), "--game", "go", "--rule", "size=19")
    assert (go["rules"], go["note"]) == ({}, "I see 9 lines each way, not 19.")
    assert go["cells"] == nine
    said = CliRunner().invoke(app, [str(tmp_path / "ten.png"), "--game", "draughts"]).stdout
    assert "I see 10 by 10 squares" in said


def test_a_picture_that_is_too_large_is_told_with_its_size_and_the_limit(folder: Path) -> None:
    (told,), err = read(str(folder / "morris.png"), "--game", "morris", "--max-megapixels", "1")
    assert told["found"]
    write_picture(folder / "huge.png", np.zeros((1001, 1000, 3), np.uint8))
    (told,), err = read(str(folder / "huge.png"), "--game", "morris", "--max-megapixels", "1")
    assert (told["found"], told["reason"]) == (False, "too_large")
    assert told["advice"].startswith("The picture has 1.001 megapixels; at most 1 are read.")
    assert "1000x1001" in err


def test_a_jpeg_without_its_end_is_read_as_far_as_it_goes(folder: Path) -> None:
    write_picture(folder / "whole.jpg", read_photo(folder / "morris.png"))
    data = (folder / "whole.jpg").read_bytes()
    assert data.endswith(b"\xff\xd9")
    (folder / "cut.jpg").write_bytes(data[:-2])
    (folder / "half.jpg").write_bytes(data[: len(data) // 2])
    whole, cut, half = read(*(str(folder / f"{name}.jpg") for name in ("whole", "cut", "half")), "--game", "morris")[0]
    assert (cut["cells"], cut["note"]) == (CELLS, str(CUT_SHORT))
    assert whole["note"] is None
    assert half["note"] == str(CUT_SHORT)
    assert not half["found"]


def test_squares_that_a_file_lacks_are_not_told_to_be_empty(tmp_path: Path) -> None:
    table = laid(START)
    write_picture(tmp_path / "whole.jpg", table.render())
    data = (tmp_path / "whole.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(data[: round(len(data) * 0.72)])
    whole, cut = read(str(tmp_path / "whole.jpg"), str(tmp_path / "cut.jpg"), "--game", "chess")[0]
    assert whole["found"] and cut["found"] and "position" not in cut
    hidden = [cell for cell, shares in enumerate(cut["probabilities"]) if max(shares.values()) < 0.4]
    assert set(range(56, 64)) <= set(hidden) and not set(hidden) & set(range(32))
    seen = [cell for cell in range(64) if cell not in hidden]
    assert [cut["cells"][cell] for cell in seen] == [whole["cells"][cell] for cell in seen]


@pytest.mark.parametrize("larger", ["left", "right"])
@pytest.mark.parametrize("game", ["chess", "auto"])
def test_of_two_boards_the_larger_is_read_and_the_other_told(tmp_path: Path, game: str, larger: str) -> None:
    one, empty = laid(START).render(), laid("." * 64, seed=3).render()
    small = cv2.copyMakeBorder(cv2.resize(empty, None, fx=0.7, fy=0.7), 144, 0, 0, 0, cv2.BORDER_REPLICATE)
    write_picture(tmp_path / "two.png", np.hstack([one, small] if larger == "left" else [small, one]))
    write_picture(tmp_path / "one.png", one)
    two, alone = read(str(tmp_path / "two.png"), str(tmp_path / "one.png"), "--game", game)[0]
    assert (alone["note"], two["note"]) == (None, str(BESIDE))
    assert two["cells"] == alone["cells"]
