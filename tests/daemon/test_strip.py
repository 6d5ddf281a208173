"""Picture strips: which boards are shown, and that each drawing shows its board."""

from __future__ import annotations

import random
from pathlib import Path

import cv2
import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.drawing.diagram import MEN, Diagram
from daemon.record.formats import strip
from daemon.record.formats.played import ExportError, Played, play_again
from daemon.record.formats.strip import USUAL_BOARDS, boards_of, draw_strip, strip_png
from daemon.record.journal import Journal
from rules.options import switched_on
from tests.daemon.recorded_games import random_moves, record_game
from vision.pose import project


def played_game(folder: Path, name: str, most: int, **rules: object) -> Played:
    """A random game, replayed from a journal."""
    game = games.load(name, rules)
    start, texts = random_moves(game, random.Random(4), most)
    journal = Journal(folder / "journal.sqlite")
    try:
        return play_again(record_game(journal, game, start, texts))
    finally:
        journal.close()


def test_a_short_game_is_shown_move_by_move_from_its_start(tmp_path: Path) -> None:
    played = played_game(tmp_path, "morris", 5)
    shown = boards_of(played)
    assert [one.board for one in shown] == [played.game.board(position) for position in played.positions]
    moves = [f"{number}. {ply.text}" for number, ply in enumerate(played.line.plies, 1)]
    assert [one.caption for one in shown] == ["start", *moves]


def test_of_a_long_game_every_nth_board_is_shown_and_always_the_last(tmp_path: Path) -> None:
    played = played_game(tmp_path, "gomoku", 130)
    usual = boards_of(played)
    assert len(usual) <= USUAL_BOARDS + 2
    assert usual[-1].board == played.game.board(played.positions[-1])
    seventh = boards_of(played, 7)
    assert [one.board for one in seventh[:3]] == [played.game.board(played.positions[index]) for index in (0, 7, 14)]
    texts = " ".join(ply.text for ply in played.line.plies[7:14])
    assert seventh[2].caption == f"8-14. {texts}"


def test_more_boards_than_a_picture_holds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = played_game(tmp_path, "ganh", 30)
    monkeypatch.setattr(strip, "MAX_BOARDS", 20)
    with pytest.raises(ExportError, match=r"31 boards are too many for a picture, which holds 20: use --every"):
        boards_of(played, 1)
    assert len(boards_of(played, 2)) == 16


def test_passes_are_no_boards_and_points_stand_under_them(tmp_path: Path) -> None:
    played = played_game(tmp_path, "dominoes", 30)
    shown = boards_of(played)
    assert len(shown) == 1 + sum(ply.seen for ply in played.line.plies)
    first, second = played.game.scores(played.positions[-1]) or (0, 0)
    assert shown[-1].caption.endswith(f"   {first} : {second}")
    assert len(shown[-1].tiles) == len(shown) - 1


@pytest.mark.parametrize("name", ["morris", "reversi", "gomoku", "ganh"])
def test_a_diagram_shows_every_man_in_its_colour_where_it_stands(tmp_path: Path, name: str) -> None:
    played = played_game(tmp_path, name, 20)
    template = load_template(played.game.name)
    diagram = Diagram(template, 480)
    board = played.game.board(played.positions[-1])
    bare, picture = diagram.draw("." * len(board)), diagram.draw(board)
    scale = diagram.size_px[0] / (template.size_mm[0] + 2 * 0.62 * template.man_diameter_mm)
    offset = 0.62 * template.man_diameter_mm * scale
    view = np.array([[scale, 0, offset], [0, scale, offset], [0, 0, 1]])
    for letter, (x, y) in zip(board, project(view, template.cells_mm).round().astype(int), strict=True):
        expected = bare[y, x] if letter == "." else MEN[letter]
        assert (picture[y, x].mean() > 200) == (letter == "W") or letter == "."
        assert np.abs(picture[y, x].astype(int) - np.array(expected, dtype=int)).max() <= 12


def test_the_last_move_is_marked(tmp_path: Path) -> None:
    played = played_game(tmp_path, "ganh", 8)
    diagram = Diagram(load_template("co_ganh"), 240)
    board = played.game.board(played.positions[-1])
    assert (diagram.draw(board) != diagram.draw(board, played.line.steps(7))).any()


@pytest.mark.parametrize("name", games.names())
def test_a_strip_is_a_png_of_the_size_that_was_drawn(tmp_path: Path, name: str) -> None:
    played = played_game(tmp_path, name, 9)
    data = strip_png(played, 4)
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert (picture == draw_strip(played, 4)).all()


def test_a_board_with_other_lines_is_drawn_with_them(tmp_path: Path) -> None:
    played = played_game(tmp_path, "gomoku", 3, size=19)
    assert len(load_template("gomoku", switched_on(played.game)).cells_mm) == 19**2
    assert draw_strip(played).shape[2] == 3
