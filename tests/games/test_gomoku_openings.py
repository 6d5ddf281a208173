"""Gomoku's openings and caro."""

from __future__ import annotations

import functools
import random

import pytest

import games
from games.gomoku import Choice, Gomoku, Move, Position
from games.gomoku.sgf import rules_of
from rules import MoveError, Outcome, PositionError, RuleError
from rules.turns import line_of_play
from tests.games.asked import game_of

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


gomoku = functools.partial(game_of, Gomoku)


def played(game: Gomoku, *moves: str) -> Position:
    position = line_of_play(game, moves)[-1]
    assert isinstance(position, Position)
    return position


def refusal(game: Gomoku, position: Position, text: str) -> MoveError:
    with pytest.raises(MoveError) as refused:
        game.parse_move(position, text)
    return refused.value


@pytest.mark.parametrize(("name", "least"), [("pro", 3), ("long_pro", 4)])
def test_the_first_stone_lies_in_the_middle_and_blacks_second_one_away_from_it(name: str, least: int) -> None:
    game = gomoku(set=name)
    assert [game.format_move(game.initial(), move) for move in game.legal_moves(game.initial())] == ["h8"]
    assert refusal(game, game.initial(), "a1").rule == "opening_rule"
    second = played(game, "h8")
    assert len(game.legal_moves(second)) == 224
    third = played(game, "h8", "a1")
    steps = {
        max(abs(move.cell // 15 - 7), abs(move.cell % 15 - 7))
        for move in game.legal_moves(third)
        if isinstance(move, Move)
    }
    assert min(steps) == least
    assert len(game.legal_moves(third)) == 224 - (2 * least - 1) ** 2
    assert str(least) in str(refusal(game, third, "h9"))
    assert len(game.forbidden(third)) == (2 * least - 1) ** 2 - 1 and game.forbidden(game.initial()) == ()
    assert len(game.legal_moves(played(game, "h8", "a1", "o15"))) == 222


def test_a_stone_that_the_opening_forbids_is_told() -> None:
    game = gomoku(set="pro")
    board = list(game.board(game.initial()))
    board[0] = "B"
    fault = game.fault(game.initial(), "".join(board))
    assert fault.rule == "opening_rule"
    assert fault.text == "In this opening the first stone lies on h8. Take the one on a15 back."
    third = played(game, "h8", "a1")
    board = list(game.board(third))
    board[game.geometry.index["h9"]] = "B"
    assert game.fault(third, "".join(board)).text.startswith("In this opening black's second stone lies 3 steps")


def test_after_three_stones_of_swap_the_second_side_takes_a_colour() -> None:
    game = gomoku(set="swap")
    position = played(game, "h8", "a1", "i9")
    assert game.sides[game.to_move(position)] == "second"
    assert [move for move in game.legal_moves(position) if isinstance(move, Choice)] == [Choice("black")]
    assert refusal(game, position, "two").rule == "no_choice"
    as_black = game.apply(position, Choice("black"))
    assert (as_black.side, as_black.black, game.colour(as_black)) == (0, 1, 1)
    as_white = game.apply(position, game.parse_move(position, "b2"))
    assert (as_white.side, as_white.black, game.colour(as_white)) == (0, 0, 0)
    text = game.format_position(played(gomoku(set="swap2"), "h8", "a1", "i9", "two"))
    with pytest.raises(PositionError):
        game.parse_position(text.replace(":second:lay", ":first:choose").replace(".", "X", 1).replace(".", "O", 1))


def slow_win(game: Gomoku, board: str, colour: str) -> bool:
    """Whether a colour has a winning row, looked for along every line from every stone."""
    size, other = game.size, "W" if colour == "B" else "B"

    def at(row: int, column: int) -> str:
        return board[row * size + column] if 0 <= row < size and 0 <= column < size else "#"

    for row in range(size):
        for column in range(size):
            for down, right in STEPS:
                if at(row, column) != colour or at(row - down, column - right) == colour:
                    continue
                length = next(n for n in range(20) if at(row + n * down, column + n * right) != colour)
                enclosed = at(row - down, column - right) == other == at(row + length * down, column + length * right)
                if (length == 5 and not (game.rules.caro and enclosed)) or (length > 5 and not game.rules.exact_five):
                    return True
    return False


@pytest.mark.parametrize(
    "rules", [{"caro": True}, {"caro": True, "exact_five": True}, {}, {"exact_five": True}], ids=str
)
def test_rows_win_as_a_slow_second_look_says(rules: dict[str, object]) -> None:
    game = gomoku(**rules)
    ends = {True: 0, False: 0}
    for seed in range(2000):
        draw, cells = random.Random(seed), list("." * 225)
        down, right = draw.choice(STEPS)
        row, column = draw.randrange(0, 8), draw.randrange(4 if right < 0 else 0, 8)
        for step in range(-1, draw.choice((5, 5, 6, 7))):
            r, c = row + step * down, column + step * right
            if 0 <= r < 15 and 0 <= c < 15:
                cells[r * 15 + c] = draw.choice("BBBBBBBBW" if step in range(5) else "BWWW.")
        board = "".join(cells)
        stones = tuple(sum(1 << cell for cell, letter in enumerate(board) if letter == one) for one in "BW")
        outcome = game.outcome(Position((stones[0], stones[1]), 1))
        wins = slow_win(game, board, "B")
        assert (outcome == Outcome(0, "five_in_a_row")) == wins, board
        assert bool(game.won_by(Position((stones[0], stones[1]), 1))) == wins
        ends[wins] += 1
    assert min(ends.values()) > 100


def test_the_edge_of_the_board_does_not_enclose_five_in_caro() -> None:
    game = gomoku(set="caro")
    line = ["a15", "f15", "b15", "f1", "c15", "g1", "d15", "h1", "e15"]
    assert game.outcome(played(game, *line)) == Outcome(0, "five_in_a_row")
    enclosed = played(game, "b15", "g15", "c15", "a15", "d15", "g1", "e15", "h1", "f15")
    assert game.outcome(enclosed) is None
    assert enclosed == game.parse_position(game.format_position(enclosed))


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"opening": "pro", "first": "white"}, "black begins"),
        ({"opening": "swap", "swap2": True}, "swap2 is an opening itself"),
    ],
)
def test_openings_that_do_not_go_together_are_refused(rules: dict[str, object], words: str) -> None:
    with pytest.raises(RuleError, match=words):
        games.load("gomoku", rules)


def test_renjus_forbidden_points_are_marked_while_black_is_to_move() -> None:
    game = gomoku(renju=True)
    position = played(game, "g8", "a1", "i8", "c1", "h9", "e1", "h7", "a3")
    assert [game.cells[cell] for cell in game.forbidden(position)] == ["h8"]
    assert game.forbidden(played(game, "g8", "a1", "i8", "c1", "h9", "e1", "h7")) == ()


@pytest.mark.parametrize("words", ["exact_five pro", "exact_five swap", "caro", "long_pro"])
def test_a_record_names_the_opening(words: str) -> None:
    game = games.load("gomoku", rules_of([{"RU": [words]}]))
    given = {name for name, value in vars(game.rules).items() if value is True} | {game.rules.opening} - {"free"}
    assert given == set(words.split())
