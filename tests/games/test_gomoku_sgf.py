"""SGF records of gomoku: what is read, and what is refused."""

from __future__ import annotations

import pytest

from games import GameError
from games.gomoku import Gomoku
from games.gomoku.sgf import CHOICE, game_of, main_line, plies_of, point_name


def read(text: str) -> tuple[Gomoku, list[str]]:
    """The game and the texts of its moves."""
    nodes = main_line(text)
    game = game_of(nodes)
    return game, [value if name == CHOICE else point_name(game, value) for name, value in plies_of(nodes)]


def test_the_main_line_is_the_first_variation_and_other_properties_are_passed_over() -> None:
    text = "(;GM[4] FF [4]\nC[a [remark\\], escaped]SZ[15];B[hh]\n(;W[ii];B[jj]) (;W[aa]))(;GM[4];B[aa])"
    assert read(text)[1] == ["h8", "i7", "j6"]


def test_a_choice_without_a_stone_is_a_ply() -> None:
    game, moves = read("(;GM[4]SZ[19]RU[swap2 exact_five];B[aa];W[ss];B[jj];KC[black])")
    assert moves == ["a19", "s1", "j10", "black"]
    assert (game.rules.swap2, game.rules.exact_five, game.rules.renju) == (True, True, False)


def test_white_begins_where_its_stone_is_the_first() -> None:
    assert read("(;GM[4];W[hh];B[ii])")[0].rules.first == "white"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no game in the text"),
        ("()", "no game in the text"),
        ("(;GM[4];B[hh]", "cut short"),
        ("(;GM[4];B[hh)", "'B\\[hh\\)' is no SGF"),
        ("(;GM[4]))", "not opened|outside"),
        ("(;GM[4]) and more", "'and more' is no SGF"),
        (";GM[4]", "outside the parentheses"),
        ("(GM[4])", "before the first node"),
        ("(;GM[1];B[aa])", "GM\\[1\\] is another game"),
        ("(;GM[4]SZ[13];B[aa])", "size is one of 15, 19, not '13'"),
        ("(;GM[4];B[hh];W[])", "nobody passes"),
        ("(;GM[4];B[tt])", "no point 'tt' on a board of 15 lines"),
        ("(;GM[4]RU[renju];W[hh])", "renju black begins"),
        ("(;GM[4];C[" + "x" * (1 << 20) + "])", "a record has at most"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_is_no_record_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(GameError, match=said):
        read(text)
