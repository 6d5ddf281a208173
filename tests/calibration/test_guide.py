"""The boards that the guided calibration asks for."""

from __future__ import annotations

import collections
import itertools

import numpy as np
import pytest

import games
from calibration.guide import Piece, lessons, listed, plural
from calibration.template import load_template
from rules import EMPTY, AnyGame

GAMES = [games.load(name) for name in games.names()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_class_is_asked_for_on_several_cells_and_on_every_board(game: AnyGame) -> None:
    template = load_template(game.name)
    empty, *boards = lessons(game, template)
    assert set(empty.board) == {EMPTY}
    for letter in game.classes[1:]:
        cells = {cell for lesson in boards for cell, seen in enumerate(lesson.board) if seen == letter}
        assert len(cells) >= 4
        assert all(letter in lesson.board for lesson in boards)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_corners_and_the_middle_are_covered(game: AnyGame) -> None:
    template = load_template(game.name)
    covered = {cell for lesson in lessons(game, template) for piece in lesson.pieces for cell in piece.cells}
    middle = template.cells_mm.mean(axis=0)
    (left, top), (right, bottom) = template.cells_mm.min(axis=0), template.cells_mm.max(axis=0)
    corners = itertools.product((left, right), (top, bottom))
    for place in [*corners, middle]:
        distances = np.linalg.norm(template.cells_mm - place, axis=1)
        assert covered & set(np.flatnonzero(distances <= distances.min() + 1e-6))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_pieces_and_board_and_sentence_say_the_same(game: AnyGame) -> None:
    template = load_template(game.name)
    for lesson in lessons(game, template):
        cells = [EMPTY] * len(template.cell_names)
        for piece in lesson.pieces:
            assert all(cells[cell] == EMPTY for cell in piece.cells)
            for cell, letter in zip(piece.cells, piece.letters, strict=True):
                cells[cell] = letter
                assert template.cell_names[cell] in lesson.text
        assert "".join(cells) == lesson.board


def test_no_more_men_are_asked_for_than_the_game_has() -> None:
    game = games.load("morris", {"men": "6"}) if "men" in vars(games.load("morris").rules) else games.load("morris")
    for lesson in lessons(game, load_template(game.name)):
        assert max(lesson.board.count("W"), lesson.board.count("B")) <= 9


def test_men_may_have_another_colour_on_every_point() -> None:
    boards = [lesson.board for lesson in lessons(games.load("morris"), load_template("nine_mens_morris"))]
    both = [cell for cell in range(24) if {"W", "B"} <= {board[cell] for board in boards}]
    assert both


def test_tiles_are_real_ones_and_none_is_needed_twice() -> None:
    game = games.load("dominoes")
    template = load_template(game.name)
    tiles = collections.Counter(
        "".join(sorted(piece.letters)) for lesson in lessons(game, template) for piece in lesson.pieces
    )
    assert max(tiles.values()) == 1 and sum(tiles.values()) == 21
    for lesson in lessons(game, template):
        for piece in lesson.pieces:
            one, other = template.cells_mm[list(piece.cells)]
            assert np.abs(one - other).sum() == pytest.approx(20.0)


def test_the_last_tiles_touch_and_the_others_lie_apart() -> None:
    template = load_template("double_double_dominoes")
    _, first, _, last = lessons(games.load("dominoes"), template)

    def nearest(pieces: tuple[Piece, ...]) -> float:
        ends = [template.cells_mm[list(piece.cells)] for piece in pieces]
        return min(
            float(np.linalg.norm(one[:, None] - other[None], axis=2).min())
            for one, other in itertools.combinations(ends, 2)
        )

    assert nearest(first.pieces) > 25 and nearest(last.pieces) == pytest.approx(20)


def test_pieces_are_named_as_people_name_them() -> None:
    morris, dominoes = load_template("nine_mens_morris"), load_template("double_double_dominoes")
    men = listed([Piece((0,), "W"), Piece((1,), "B"), Piece((2,), "B")], morris)
    assert str(men) == "a light man on a7, and dark men on d7 and g7"
    assert str(listed([Piece((0, 1), "34")], dominoes)) == "the tile 3-4 on 1A-1B"
    assert plural("black stone") == "black stones"
    assert plural("half of a tile with 2 pips") == "halves of a tile with 2 pips"
