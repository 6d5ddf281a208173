"""The rules of gomoku and their options."""

from __future__ import annotations

import functools
import random
from pathlib import Path

import pytest

from agents.perft import perft
from calibration.template import load_template
from games.gomoku import Choice, Gomoku, Move, Position
from games.gomoku.board import board
from games.gomoku.renju import foul
from rules import Outcome, PositionError, RuleError
from rules.options import rules_from_words, switched_on
from rules.turns import cells_of, line_of_play
from tests.games.asked import game_of, refusal
from tests.games.gomoku_reference import Referee

DATA = Path(__file__).parent / "data"


gomoku = functools.partial(game_of, Gomoku)


def bits(game: Gomoku, names: str) -> int:
    return sum(1 << game.cells.index(name) for name in names.split())


def at(game: Gomoku, black: str, white: str, side: int = 0) -> Position:
    """A position with these stones."""
    return Position((bits(game, black), bits(game, white)), side)


def after(game: Gomoku, moves: str) -> Position:
    position: Position = line_of_play(game, moves.split())[-1]
    return position


def brute_force(game: Gomoku, position: Position, depth: int) -> int:
    """Counts sequences of stones using only a list of points and the reference implementation of fouls."""
    if depth == 0:
        return 1
    points = [divmod(cell, game.size) for cell in range(game.size**2)]
    black, white = (
        frozenset(divmod(cell, game.size) for cell in cells_of(position.stones[colour])) for colour in (0, 1)
    )
    if _has_five(white if position.side == 0 else black):
        return 0
    referee = Referee(black, white, game.size)
    total = 0
    for cell, point in enumerate(points):
        if point in black or point in white or (position.side == 0 and game.rules.renju and referee.foul(point)):
            continue
        stones = (
            position.stones[0] | (position.side == 0) << cell,
            position.stones[1] | (position.side == 1) << cell,
        )
        total += brute_force(game, Position(stones, 1 - position.side), depth - 1)
    return total


def _has_five(stones: frozenset[tuple[int, int]]) -> bool:
    return any(
        all((row + step * down, column + step * right) in stones for step in range(5))
        for row, column in stones
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


@pytest.mark.parametrize(
    "line", [line for line in (DATA / "gomoku.perft").read_text().splitlines() if not line.startswith("#")]
)
def test_perft_is_the_recorded_one(line: str) -> None:
    depth, count, *words = line.split()
    rules, moves = [word for word in words if "=" in word], [word for word in words if "=" not in word]
    game = gomoku(**rules_from_words(rules))
    position = line_of_play(game, moves)[-1]
    assert perft(game, position, int(depth)) == int(count)
    if not game.rules.swap2 and not game.rules.exact_five and int(count) < 60_000:
        assert brute_force(game, position, int(depth)) == int(count)


def test_a_played_game_is_the_recorded_one() -> None:
    game = gomoku(renju=True, swap2=True)
    lines = (DATA / "gomoku.playthrough").read_text().splitlines()
    position = game.initial()
    rows: list[str] = []
    for line in lines:
        words = line.split()
        if line.startswith("  :"):
            assert game.format_position(position) == "/".join(rows) + line.strip()
            rows = []
        elif line.startswith("  "):
            rows.append(line.strip())
        elif not line.startswith("#"):
            assert game.sides[game.to_move(position)] == words[1], line
            position = game.apply(position, game.parse_move(position, words[2]))
            fouls = cells_of(game.fouls(position))
            told = [f"{game.cells[cell]}:{foul(game.geometry, *position.stones, cell)}" for cell in fouls]
            assert told == words[3:], line
    outcome = game.outcome(position)
    assert outcome is not None
    assert outcome.winner is not None
    assert lines[-1] == f"# {outcome.reason}, winner {game.sides[outcome.winner]}"


def test_points_are_named_from_the_bottom_left_and_listed_from_the_top() -> None:
    assert gomoku().cells[:2] == ("a15", "b15")
    assert gomoku().cells[-1] == "o1"
    assert gomoku().cells[7 * 15 + 7] == "h8"
    assert gomoku(size=19).cells[0] == "a19"
    assert gomoku(size=19).cells[-1] == "s1"


@pytest.mark.parametrize("size", [15, 19])
def test_the_template_has_a_line_through_every_point(size: int) -> None:
    game = gomoku(size=size)
    template = load_template("gomoku", switched_on(game))
    assert template.cell_names == game.cells
    assert len(template.lines_mm) == 2 * size
    assert template.pixels_per_mm == pytest.approx(load_template("gomoku").pixels_per_mm, abs=0.01)


@pytest.mark.parametrize("stones", ["h8 i8 j8 k8 l8", "h8 h9 h10 h11 h12", "h8 i9 j10 k11 l12", "h8 g9 f10 e11 d12"])
def test_five_in_a_row_win_in_every_direction(stones: str) -> None:
    game = gomoku()
    assert game.outcome(at(game, stones, "a1 b1 c1 d1", 1)) == Outcome(0, "five_in_a_row")
    assert game.geometry.five(bits(game, stones)) == tuple(sorted(cells_of(bits(game, stones))))
    assert game.outcome(at(game, stones.split(maxsplit=1)[1], "a1 b1 c1", 1)) is None
    assert game.legal_moves(at(game, stones, "a1 b1 c1 d1", 1)) == []


@pytest.mark.parametrize("stones", ["l8 m8 n8 o8 a7", "m3 n2 o1 a4 b3", "a12 b11 c10 d9 o14", "c15 c14 c13 c1 c2"])
def test_a_row_does_not_go_on_at_the_other_edge(stones: str) -> None:
    game = gomoku()
    assert game.outcome(at(game, stones, "h1 h3 h5 h7", 1)) is None


@pytest.mark.parametrize("seed", range(8))
def test_fives_are_those_that_a_search_point_by_point_finds(seed: int) -> None:
    draw = random.Random(seed)
    for size in (15, 19):
        for _ in range(40):
            density = draw.choice((0.4, 0.5, 0.6))
            stones = sum((draw.random() < density) << cell for cell in range(size * size))
            points = frozenset(divmod(cell, size) for cell in cells_of(stones))
            assert board(size).has_five(stones) == _has_five(points) == bool(board(size).five(stones))
            referee = Referee(points, frozenset(), size)
            exact = any(
                len(referee.unbroken(point, step)) == 5
                for point in points
                for step in ((0, 1), (1, 0), (1, 1), (1, -1))
            )
            assert board(size).has_five(stones, exactly=True) == exact == bool(board(size).five(stones, exactly=True))


SIX = "h8 i8 j8 k8 l8 m8"


def test_six_in_a_row_win_unless_just_five_are_asked_for() -> None:
    for rules, winner in (({}, 0), ({"exact_five": True}, None)):
        game = gomoku(**rules)
        outcome = game.outcome(at(game, SIX, "a1 b1 c1 d1 a3", 1))
        assert (outcome.winner if outcome else None) == winner


def test_with_renju_whites_six_win_unless_just_five_are_asked_for_too() -> None:
    white = at(gomoku(), "a1 b1 c1 d1 a3 c5", SIX, 0)
    assert gomoku(renju=True).outcome(white) == Outcome(1, "five_in_a_row")
    assert gomoku(renju=True, exact_five=True).outcome(white) is None


def test_fouls_are_no_legal_moves_for_black_and_named_when_refused() -> None:
    game = gomoku(renju=True)
    crossed = at(game, "g8 i8 h7 h9", "a1 c1 e1 g1")
    assert refusal(game, crossed, "h8") == "double_three"
    assert Move(game.cells.index("h8")) not in game.legal_moves(crossed)
    assert refusal(game, at(game, "d8 f8 g8 j8", "a1 c1 e1 g1"), "h8") == "double_four"
    assert refusal(game, at(game, "c8 d8 e8 g8 h8", "a1 c1 e1 g1 i1"), "f8") == "overline"
    assert gomoku().parse_move(crossed, "h8") == Move(game.cells.index("h8"))
    white = at(game, "a1 c1 e1 g1 i1", "g8 i8 h7 h9", 1)
    assert game.parse_move(white, "h8") == Move(game.cells.index("h8"))


def test_a_full_board_is_a_draw_and_so_is_one_where_black_has_only_fouls() -> None:
    game = gomoku()
    rows = ["XXOO" * 4, "OOXX" * 4]
    text = "/".join(rows[row % 2][:15] for row in range(15))
    black, white = (sum(1 << cell for cell, mark in enumerate(text.replace("/", "")) if mark == kind) for kind in "XO")
    full = Position((black, white), 1)
    assert game.outcome(full) == Outcome(None, "board_full")
    assert game.legal_moves(full) == []
    renju = gomoku(renju=True)
    hole = renju.cells.index("h8")
    lone = sum(1 << hole + step for step in (-3, -2, -1, 1, 2))
    black, white = (black | lone) & ~(1 << hole), white & ~lone & ~(1 << hole)
    stuck = Position((black, white), 0)
    assert game.outcome(stuck) is None
    assert renju.outcome(stuck) == Outcome(None, "no_legal_move")
    assert renju.legal_moves(stuck) == []


def test_who_begins_is_an_option() -> None:
    game = gomoku(first="white")
    assert game.board(after(game, "h8 h9")) == game.board(at(game, "h9", "h8"))
    assert game.outcome(after(game, "a1 a2 b1 b2 c1 c2 d1 d2 e1")) == Outcome(1, "five_in_a_row")


@pytest.mark.parametrize("option", ["renju", "swap2"])
def test_where_the_rules_say_that_black_begins_white_may_not(option: str) -> None:
    with pytest.raises(RuleError, match=f"{option}.*first is black, not 'white'"):
        gomoku(first="white", **{option: True})


def test_swap2_gives_the_second_side_the_choice_after_three_stones() -> None:
    game = gomoku(swap2=True)
    position = after(game, "h8 h9 i10")
    assert game.board(position) == game.board(at(game, "h8 i10", "h9"))
    assert (game.sides[position.side], position.stage) == ("second", "choose")
    assert game.legal_moves(position)[-2:] == [Choice("black"), Choice("two")]
    white = after(game, "h8 h9 i10 a1")
    assert (game.sides[white.side], white.black) == ("first", 0)
    swapped = after(game, "h8 h9 i10 black a1")
    assert (game.sides[swapped.side], swapped.black) == ("second", 1)
    assert game.board(swapped) == game.board(white)


def test_swap2_lets_the_second_side_lay_two_more_and_the_first_choose() -> None:
    game = gomoku(swap2=True)
    position = after(game, "h8 h9 i10 two a1 b1")
    assert (game.sides[position.side], position.stage) == ("first", "choose")
    assert game.board(position) == game.board(at(game, "h8 i10 b1", "h9 a1"))
    assert refusal(game, position, "two") == "no_choice"
    stays, takes = after(game, "h8 h9 i10 two a1 b1 c1"), after(game, "h8 h9 i10 two a1 b1 black c1")
    assert (game.sides[stays.side], stays.black) == ("second", 1)
    assert (game.sides[takes.side], takes.black) == ("first", 0)


def test_the_winner_is_the_seat_that_chose_the_winning_colour() -> None:
    game = gomoku(swap2=True)
    moves = "h8 a1 i8 black a3 j8 a5 k8 a7 l8"
    assert game.outcome(after(game, moves)) == Outcome(1, "five_in_a_row")
    assert game.outcome(after(game, moves.replace("black a3", "a3"))) == Outcome(0, "five_in_a_row")


def test_there_is_nothing_to_choose_before_the_third_stone_or_without_swap2() -> None:
    game = gomoku(swap2=True)
    assert refusal(game, after(game, "h8 h9"), "black") == "no_choice"
    assert refusal(game, after(game, "h8 h9 i10 a1"), "black") == "no_choice"
    assert refusal(gomoku(), after(gomoku(), "h8 h9 i10"), "black") == "not_a_move"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("h8", "occupied"),
        ("p1", "no_such_cell"),
        ("a16", "no_such_cell"),
        ("h8-h9", "not_a_move"),
        ("a0", "no_such_cell"),
    ],
)
def test_moves_that_cannot_be_are_refused_by_name(text: str, rule: str) -> None:
    game = gomoku()
    assert refusal(game, after(game, "h8"), text) == rule


def test_capitals_and_blanks_around_a_move_do_not_matter() -> None:
    game = gomoku()
    assert game.parse_move(game.initial(), " H8 ") == game.parse_move(game.initial(), "h8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("black", "red"), "rows of X, O"),
        (lambda text: text.replace("/", "", 1), "14 rows; the board has 15"),
        (lambda text: text.replace(".", "", 1), "row 15, '..............', has 14 points"),
        (lambda text: text.replace("black", "white"), "1 black and 1 white stones: black is to lay, not white"),
        (lambda text: text.replace(".", "X", 2), "black begins and the colours take turns"),
        (lambda text: text + ":choose", "opening swap2, which is not played"),
        (lambda text: "XXXXX..........\n".join(["", text]), "rows of X"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_what_is_wrong(change: object, said: str) -> None:
    game = gomoku()
    text = game.format_position(after(game, "h8 h9"))
    assert callable(change)
    with pytest.raises(PositionError, match=said):
        game.parse_position(change(text))


def test_a_position_in_which_the_game_was_over_before_is_refused() -> None:
    game = gomoku()
    won = at(game, "a1 b1 c1 d1 e1", "a3 b3 c3 d3 e3")
    with pytest.raises(PositionError, match="black has five in a row and is to lay"):
        game.parse_position(game.format_position(won))


@pytest.mark.parametrize(
    ("moves", "change", "said"),
    [
        ("h8 h9", ":second:lay", "2 stones: second does not lay"),
        ("h8 h9 i10", ":first:choose", "3 stones: first does not choose"),
        ("h8 h9 i10 a1", ":first:choose", "4 stones: first does not choose"),
        ("h8 h9", ":first", "lays 3 before"),
        ("h8", ":black", "first or second"),
    ],
)
def test_an_opening_that_cannot_be_is_refused(moves: str, change: str, said: str) -> None:
    game = gomoku(swap2=True)
    rows = game.format_position(after(game, moves)).partition(":")[0]
    with pytest.raises(PositionError, match=said):
        game.parse_position(rows + change)


def test_the_five_that_won_are_told() -> None:
    game = gomoku()
    won = game.won_by(after(game, "a1 a3 b1 b3 c1 c3 d1 d3 e1"))
    assert [game.cells[cell] for cell in won] == ["a1", "b1", "c1", "d1", "e1"]
    assert game.won_by(after(game, "a1 a3 b1 b3 c1 c3 d1 d3")) == ()
