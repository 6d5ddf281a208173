"""Games of gomoku as SGF records."""

from __future__ import annotations

import random

import pytest

import games
from games.gomoku import Choice, Gomoku, Move
from games.gomoku.sgf import SgfError, from_sgf, to_sgf


def gomoku(**rules: object) -> Gomoku:
    game = games.load("gomoku", rules)
    assert isinstance(game, Gomoku)
    return game


def test_a_record_is_the_standard_one() -> None:
    game = gomoku()
    moves = [game.parse_move(game.initial(), text) for text in ("a15", "o1", "h8")]
    assert to_sgf(game, moves) == "(;FF[4]GM[4]CA[UTF-8]AP[Kibitzer]SZ[15]RU[free]\n;B[aa];W[oo];B[hh])\n"


def test_the_result_is_the_colour_that_won() -> None:
    game = gomoku(swap2=True)
    position = game.initial()
    moves: list[Move | Choice] = []
    for text in "h8 a1 i8 black a3 j8 a5 k8 a7 l8".split():
        moves.append(game.parse_move(position, text))
        position = game.apply(position, moves[-1])
    record = to_sgf(game, moves)
    assert "RE[B+]" in record
    assert ";KC[black]" in record


@pytest.mark.parametrize(
    "rules",
    [{}, {"size": 19, "exact_five": True}, {"renju": True, "swap2": True}, {"first": "white"}],
    ids=lambda rules: " ".join(rules) or "free",
)
@pytest.mark.parametrize("seed", range(5))
def test_a_game_comes_back_from_its_record(rules: dict[str, object], seed: int) -> None:
    draw, game = random.Random(seed), gomoku(**rules)
    position = game.initial()
    moves: list[Move | Choice] = []
    while game.outcome(position) is None and len(moves) < 60:
        legal = game.legal_moves(position)
        moves.append(legal[-1] if seed % 2 and isinstance(legal[-1], Choice) else draw.choice(legal))
        position = game.apply(position, moves[-1])
    read, found = from_sgf(to_sgf(game, moves))
    assert read.rules == game.rules
    assert found == moves


def test_the_main_line_is_the_first_variation_and_other_properties_are_passed_over() -> None:
    text = "(;GM[4] FF [4]\nC[a [remark\\], escaped]SZ[15];B[hh]\n(;W[ii];B[jj]) (;W[aa]))(;GM[4];B[aa])"
    game, moves = from_sgf(text)
    assert [game.cells[move.cell] for move in moves if not isinstance(move, Choice)] == ["h8", "i7", "j6"]


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
        ("(;GM[4]AB[aa][bb])", "AB sets up a position"),
        ("(;GM[4];B[hh];B[hi])", "move 2, B\\[hi\\]: it is the other colour's turn"),
        ("(;GM[4];B[hh];W[hh])", "move 2, W\\[hh\\]: h8 is occupied"),
        ("(;GM[4];B[hh];W[])", "move 2.*nobody passes"),
        ("(;GM[4];B[tt])", "no point 'tt' on a board of 15 lines"),
        ("(;GM[4];KC[black])", "move 1, KC\\[black\\]: 'black' is no move"),
        ("(;GM[4]RU[renju];W[hh])", "renju black begins"),
        ("(;GM[4];C[" + "x" * (1 << 20) + "])", "a record has at most"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_is_no_record_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(SgfError, match=said):
        from_sgf(text)
