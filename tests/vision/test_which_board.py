"""Recognition of the known boards by the picture alone."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from tests.vision.drawn import CORNERS, draw
from tests.vision.test_markers import photo, sheet
from vision.finding.found import Found
from vision.finding.which_board import compared, drawings, name_board
from vision.pose import pose_from_corners


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
    assert len(calls) == len(drawings())


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


def test_drawings_with_the_same_cells_are_found_as_one() -> None:
    (family,) = [family for family in drawings() if family[0].game == "nine_mens_morris"]
    assert [sorted(one.options) for one in family] == [[], ["diagonals"]]
    assert all(one.cell_names == family[0].cell_names for one in family)
