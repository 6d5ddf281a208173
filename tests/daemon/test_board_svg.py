"""The board as SVG: what a page finds in it, for every game."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import pytest

import games
from calibration.template import BoardTemplate, load_template
from daemon.showing.board_svg import PIPS, Marks, board_svg
from games import EMPTY, AnyGame, Step

SVG = "{http://www.w3.org/2000/svg}"
GAMES = ("nine_mens_morris", "reversi", "co_ganh", "gomoku", "double_double_dominoes")


def drawn(template: BoardTemplate, board: str = "", **rest: Any) -> ElementTree.Element:
    return ElementTree.fromstring(board_svg(template, board, **rest))


def played(game: AnyGame) -> tuple[Any, tuple[Step, ...]]:
    """A position after ten random moves, and what a hand does for one more."""
    chance, position = random.Random(4), game.starts[0]
    for _ in range(10):
        position = game.apply(position, chance.choice(game.legal_moves(position)))
    return position, game.steps(position, game.legal_moves(position)[0])


@pytest.mark.parametrize("name", GAMES)
def test_every_man_is_found_by_the_name_of_its_cell(name: str) -> None:
    game, template = games.load(name, {}), load_template(name)
    board = game.board(played(game)[0])
    found = {
        group.get("data-cell"): group for group in drawn(template, board).iter(f"{SVG}g") if group.get("data-cell")
    }
    assert set(found) == {cell for cell, letter in zip(game.cells, board, strict=True) if letter != EMPTY}
    for cell, letter in zip(game.cells, board, strict=True):
        if letter in PIPS:
            assert len(found[cell].findall(f"{SVG}circle")) == int(letter)
        elif letter != EMPTY:
            assert found[cell].get("class") == ("man light" if letter == "W" else "man dark")


@pytest.mark.parametrize("name", GAMES)
def test_all_that_is_drawn_lies_within_the_picture(name: str) -> None:
    game, template = games.load(name, {}), load_template(name)
    position, steps = played(game)
    svg = drawn(template, game.board(position), marks=Marks(steps, steps, (0,), (1,)))
    left, top, width, height = (float(value) for value in (svg.get("viewBox") or "").split())
    for form, across, down in (("circle", "cx", "cy"), ("line", "x1", "y1"), ("text", "x", "y"), ("rect", "x", "y")):
        for element in svg.iter(f"{SVG}{form}"):
            assert left <= float(element.attrib[across]) <= left + width
            assert top <= float(element.attrib[down]) <= top + height


def test_a_move_has_an_arrow_and_a_ring_and_a_removal_a_cross() -> None:
    template = load_template("nine_mens_morris")
    wanted = (Step("move", 4, 1, "W"), Step("remove", 23))
    svg = drawn(template, marks=Marks(wanted=wanted))
    kinds = [
        (element.tag.removeprefix(SVG), element.get("class")) for element in svg.find(f"{SVG}g[@class='marks']") or ()
    ]
    assert kinds.count(("circle", "wanted")) == 1
    assert kinds.count(("line", "wanted")) == 3
    assert kinds.count(("line", "taken")) == 2


def test_a_title_is_text_whatever_it_holds() -> None:
    svg = drawn(load_template("reversi"), title="<script>&")
    assert svg.findtext(f"{SVG}title") == "<script>&"


def test_bare_leaves_the_board_out_and_keeps_the_men() -> None:
    template = load_template("reversi")
    svg = drawn(template, "B" + 63 * EMPTY, bare=True, labelled=False)
    assert svg.find(f"{SVG}g[@class='board']") is None
    assert len(svg.findall(f"{SVG}g[@class='men']/{SVG}g")) == 1


def test_a_board_of_another_game_is_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match="24 letters, reversi has 64 cells"):
        board_svg(load_template("reversi"), 24 * EMPTY)
