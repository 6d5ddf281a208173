"""The board as SVG: what a page finds in it, for every game."""

from __future__ import annotations

import dataclasses
import random
from typing import Any
from xml.etree import ElementTree

import pytest

import games
from calibration.template import BoardTemplate, Figure, load_template
from daemon.drawing.board_svg import PIPS, Marks, board_svg
from daemon.drawing.text_board import TextBoard
from rules import EMPTY, AnyGame, Step

SVG = "{http://www.w3.org/2000/svg}"
GAMES = ("nine_mens_morris", "reversi", "co_ganh", "gomoku", "double_double_dominoes")


def drawn(template: BoardTemplate, board: str = "", **rest: Any) -> ElementTree.Element:
    return ElementTree.fromstring(board_svg(template, board, **rest))


def played(game: AnyGame) -> tuple[Any, tuple[Step, ...]]:
    """A position after ten random moves, and the steps of one more move."""
    chance, position = random.Random(4), game.starts[0]
    for _ in range(10):
        position = game.apply(position, chance.choice(game.legal_moves(position)))
    return position, game.steps(position, game.legal_moves(position)[0])


@pytest.mark.parametrize("name", GAMES)
def test_every_cell_is_found_by_its_name_and_says_what_stands_on_it(name: str) -> None:
    game, template = games.load(name, {}), load_template(name)
    board = game.board(played(game)[0])
    found = {
        group.get("data-cell"): group for group in drawn(template, board).iter(f"{SVG}g") if group.get("data-cell")
    }
    assert tuple(found) == game.cells
    for cell, letter in zip(game.cells, board, strict=True):
        assert found[cell].get("aria-label") == f"{cell}: {template.classes[letter]}"
        man = found[cell].find(f"{SVG}g")
        if letter in PIPS:
            assert man is not None and len(man.findall(f"{SVG}circle")) == int(letter)
        elif letter != EMPTY:
            assert man is not None and man.get("class") == ("man light" if letter == "W" else "man dark")
        else:
            assert man is None


@pytest.mark.parametrize("name", GAMES)
def test_all_that_is_drawn_lies_within_the_picture(name: str) -> None:
    game, template = games.load(name, {}), load_template(name)
    position, steps = played(game)
    svg = drawn(template, game.board(position), marks=Marks(steps, steps, (0,), (1,), steps, (2,)))
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
    assert kinds.count(("line", "wanted")) == 1 + 2
    assert kinds.count(("polygon", "head wanted")) == 1


def test_a_hint_and_the_cells_that_won_have_marks_of_their_own() -> None:
    svg = drawn(load_template("gomoku"), marks=Marks(hint=(Step("place", 3, None, "B"),), won=(5, 6, 7, 8, 9)))
    kinds = [element.get("class") for element in svg.find(f"{SVG}g[@class='marks']") or ()]
    assert kinds.count("hint") == 1 and kinds.count("won") == 5


def test_a_title_is_text_whatever_it_holds() -> None:
    svg = drawn(load_template("reversi"), title="<script>&")
    assert svg.findtext(f"{SVG}title") == "<script>&"


def test_bare_leaves_the_board_out_and_keeps_the_men() -> None:
    template = load_template("reversi")
    svg = drawn(template, "B" + 63 * EMPTY, bare=True, labelled=False)
    assert svg.find(f".//{SVG}g[@class='board']") is None
    assert len(svg.findall(f"{SVG}g[@class='cells']/{SVG}g/{SVG}g")) == 1


def test_a_board_of_another_game_is_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match="24 letters, reversi has 64 cells"):
        board_svg(load_template("reversi"), 24 * EMPTY)


def test_the_last_move_lights_up_where_a_man_left_and_where_it_arrived() -> None:
    svg = drawn(load_template("co_ganh"), marks=Marks(last=(Step("move", 7, 2, "W"), Step("flip", 6, piece="W"))))
    kinds = [group.get("class") for group in svg.findall(f"{SVG}g[@class='cells']/{SVG}g")]
    assert [cell for cell, kind in enumerate(kinds) if kind == "cell last"] == [7]
    assert [cell for cell, kind in enumerate(kinds) if kind == "cell turned"] == [6]
    assert [cell for cell, kind in enumerate(kinds) if kind == "cell from"] == [2]


def test_two_halves_are_one_tile_with_a_seam_and_pawns_stand_on_the_track() -> None:
    template = load_template("double_double_dominoes")
    board = "34" + 223 * EMPTY
    svg = drawn(template, board, tiles=((0, 1),), pawns=(("red", 0), ("green", 12)))
    tiles = svg.find(f"{SVG}g[@class='tiles']")
    assert tiles is not None and [one.get("class") for one in tiles] == ["shade", "tile-body", "seam"]
    pawns = {one.get("aria-label"): one for one in svg.iter(f"{SVG}circle") if one.get("class") == "pawn"}
    assert set(pawns) == {"red: 0", "green: 12"}
    assert float(pawns["green: 12"].attrib["cx"]) == pytest.approx(template.track_mm[11][0], abs=0.01)


def test_a_whole_board_of_any_game_is_short_enough_to_be_sent_at_every_move() -> None:
    for name in GAMES:
        assert (
            len(board_svg(load_template(name), games.load(name, {}).classes[-1] * len(games.load(name, {}).cells)))
            < 200_000
        )


def test_a_figure_is_drawn_in_the_shade_of_what_the_camera_sees_and_named_as_what_it_is() -> None:
    figures = {"K": Figure("W", "\u2654", "M0 0H100V100Z"), "k": Figure("B", "\u265b", "M0 0H9V9Z", on_disc=True)}
    template = dataclasses.replace(load_template("reversi"), figures=figures)
    board = "KkWB" + 60 * EMPTY
    picture = drawn(
        template, board, names={"K": "white king", "k": "king of discs", "W": "man", "B": "man", ".": "empty"}
    )
    king, crowned, plain, _ = [one for one in picture.iter(f"{SVG}g") if one.get("data-cell")][:4]
    assert (king.get("aria-label"), crowned.get("aria-label")) == ("a1: white king", "b1: king of discs")
    man, crowned_man, plain_man = (one.find(f"{SVG}g") for one in (king, crowned, plain))
    assert man is not None and crowned_man is not None and plain_man is not None
    assert (man.get("class"), crowned_man.get("class")) == ("man light", "man dark")
    assert [one.tag for one in man] == [f"{SVG}path"] and crowned_man[-1].tag == f"{SVG}path"
    assert len(crowned_man) == len(plain_man) + 1
    assert TextBoard(template).draw(board).splitlines()[0].split()[1] == "\u2654"


@pytest.mark.parametrize(("corner", "dark"), [("bottom left", "a8"), ("bottom right", "h8"), ("top right", "h1")])
def test_a_chequered_board_has_its_named_corner_dark(corner: str, dark: str) -> None:
    plain = load_template("reversi")  # its row 1 is at the top
    template = dataclasses.replace(
        plain, game=corner, source=plain.source | {"grid": plain.source["grid"] | {"dark_corner": corner}}
    )
    centres = template.dark_mm.mean(axis=1)
    names = {template.cell_names[int(abs(template.cells_mm - centre).sum(axis=1).argmin())] for centre in centres}
    assert len(names) == 32 and dark in names and {"a1", "h8"} & names != {"a1"}
    squares = [one for one in drawn(template).iter(f"{SVG}rect") if one.get("class") == "board-dark"]
    assert len(squares) == 32 and not plain.dark_mm.size
