"""Recognition of the known boards by the picture alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.template import load_template
from lab.simulated.table import SimulatedTable
from tests.vision.drawn import CORNERS, draw
from tests.vision.test_markers import photo, sheet
from vision.calibrating import guided_inspection
from vision.calibrating.guided_inspection import other_board_named
from vision.finding.found import Found
from vision.pose import pose_from_corners
from vision.reading.locate import PhotoReader
from vision.reading.which_board import compared, drawings, have_same_cells, name_board, searches
from vision.sources.files import read_photo
from wording import plain


def board(game: str, sure: float) -> Found:
    template = load_template(game)
    return Found(pose_from_corners(CORNERS, template), template, sure=sure)


def test_every_drawing_of_every_game_is_known() -> None:
    known = {(one.game, option) for family in drawings() for one in family for option in (one.options or {""})}
    assert known >= {("gomoku", ""), ("gomoku", "size=19"), ("nine_mens_morris", "diagonals"), ("reversi", "")}
    assert {game for game, _ in known} >= {"co_ganh", "double_double_dominoes"}
    assert not {option for _, option in known} & {"board=six", "board=three"}, "only their markers name them"


@pytest.mark.parametrize("options", [(), ("diagonals",)])
def test_a_morris_board_is_named_with_its_diagonals(options: tuple[str, ...]) -> None:
    image, _ = draw(load_template("nine_mens_morris", frozenset(options)), cells="W..B..W......B.....W...B")
    named = name_board(image).board
    assert named is not None
    assert (named.template.game, named.template.options) == ("nine_mens_morris", frozenset(options))
    assert named.sure > 0.9


@pytest.mark.parametrize(
    ("game", "option"), [("reversi", ""), ("gomoku", "size=19"), ("nine_mens_morris", "board=six")]
)
def test_a_printed_board_is_named_by_its_markers(game: str, option: str) -> None:
    calls: list[str] = []
    named = name_board(photo(sheet(game, option))[0], lambda done, total, what: calls.append(what)).board
    assert named is not None
    assert (named.template.game, named.template.options) == (game, frozenset({option} - {""}))
    assert named.sure > 0.99
    assert not calls, "no other board is looked for"


def test_an_empty_picture_is_named_nothing() -> None:
    calls: list[str] = []
    naming = name_board(np.full((240, 320, 3), 90, np.uint8), lambda done, total, what: calls.append(what))
    assert naming.board is None
    assert naming.others == ()
    assert len(calls) == len(searches())
    assert sum(map(len, searches())) == len(drawings())


def test_of_two_boards_the_surer_is_named_and_the_other_mentioned() -> None:
    naming = compared([board("co_ganh", 0.7), board("nine_mens_morris", 0.98)])
    assert naming.board is not None
    assert naming.board.template.game == "nine_mens_morris"
    assert naming.board.sure < 0.98
    assert [other.template.game for other in naming.others] == ["co_ganh"]


def test_boards_that_are_as_sure_as_each_other_are_none() -> None:
    naming = compared([board("co_ganh", 0.95), board("nine_mens_morris", 0.95)])
    assert naming.board is None
    assert [other.template.game for other in naming.others] == ["co_ganh", "nine_mens_morris"]
    assert compared([board("reversi", 0.4)]).board is None


@pytest.mark.parametrize(
    ("game", "cells"),
    [
        ("reversi", "." * 18 + "B.W" + "." * 6 + "WBW" + "." * 5 + "BWB" + "." * 26),
        ("go", "." * 20 + "B..W" + "." * 15 + "WB" + "." * 20 + "B.W" + "." * 17),
    ],
)
def test_boards_with_the_same_lines_are_told_apart_by_their_men(game: str, cells: str) -> None:
    named = name_board(SimulatedTable(load_template(game), cells, seed=4, size_px=(640, 480)).render()).board
    assert named is not None
    assert (named.template.game, named.template.options) == (game, frozenset())


@pytest.mark.parametrize(
    ("game", "options", "cells"),
    [
        ("chess", "", "B" * 16 + "." * 32 + "W" * 16),
        ("chess", "", "." * 8 + "..B..B...W......B....W.B..W......W...B.." + "." * 16),
        ("draughts", "", "B" * 12 + "." * 8 + "W" * 12),
        ("draughts", "size=10", "B" * 20 + "." * 10 + "W" * 20),
    ],
)
def test_chequered_boards_are_told_apart_by_the_squares_that_are_used(game: str, options: str, cells: str) -> None:
    template = load_template(game, frozenset({options} - {""}))
    named = name_board(SimulatedTable(template, cells, seed=4, size_px=(960, 720)).render()).board
    assert named is not None
    assert (named.template.game, named.template.options) == (game, template.options)


def test_draughts_on_the_light_squares_is_told_and_turned() -> None:
    light = "B.B.B.B." + ".B.B.B.B" + "B.B.B.B." + "." * 16 + ".W.W.W.W" + "W.W.W.W." + ".W.W.W.W"
    image = SimulatedTable(load_template("chess"), light, seed=4, size_px=(960, 720)).render()
    named = name_board(image).board
    assert named is not None
    assert named.template.game == "draughts"
    read = PhotoReader(named.template).read_at(image, named).reading.board
    assert sorted(read) == sorted("B" * 12 + "." * 8 + "W" * 12)


def test_an_empty_chequered_board_may_be_for_chess_or_draughts() -> None:
    naming = name_board(SimulatedTable(load_template("chess"), "." * 64, seed=4, size_px=(960, 720)).render())
    assert {one.template.game for one in (naming.board, *naming.others) if one is not None} == {"chess", "draughts"}


def test_an_empty_board_that_may_be_either_game_is_not_named_but_both_are_mentioned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image = SimulatedTable(load_template("reversi"), "." * 64, seed=4, size_px=(640, 480)).render()
    naming = name_board(image)
    assert naming.board is None
    assert {other.template.game for other in naming.others} == {"go", "reversi"}
    monkeypatch.setattr(guided_inspection, "name_board", lambda image: naming)
    told = other_board_named(image, load_template("nine_mens_morris"))
    assert told is not None
    assert plain([told]) == (
        "This looks like a board for go or reversi, not for nine men's morris. "
        "Lay out the right one, or calibrate with --game go or reversi."
    )
    assert other_board_named(image, load_template("reversi")) is None


def test_boards_that_differ_in_nothing_that_is_seen_are_no_other_game() -> None:
    nineteen = frozenset({"size=19"})
    assert have_same_cells(load_template("go", nineteen), load_template("gomoku", nineteen))
    assert not have_same_cells(load_template("go"), load_template("reversi"))
    assert not have_same_cells(load_template("chess"), load_template("reversi"))


def test_drawings_with_the_same_cells_are_found_as_one() -> None:
    (family,) = [family for family in drawings() if family[0].game == "nine_mens_morris"]
    assert [sorted(one.options) for one in family] == [[], ["diagonals"]]
    assert all(one.cell_names == family[0].cell_names for one in family)


def test_an_empty_chequered_board_is_for_chess_or_for_draughts(real_data: Path) -> None:
    """Its squares, read by their colours, were men on the dark ones: draughts, .996."""
    naming = name_board(read_photo(real_data / "chess" / "wf_004.jpg"))
    assert naming.board is None
    assert {other.template.game for other in naming.others} == {"chess", "draughts"}
