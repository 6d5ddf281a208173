"""Draughts: published counts, a second implementation, captures, kings, draws, and every way to write it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import games
from agents.minimax import minimax
from agents.perft import perft
from agents.plain_search import PlainSearch
from calibration.template import load_template
from games.draughts import Draughts, Position, heuristics
from rules import MoveError, Outcome, PositionError, RuleError, Step
from rules.turns import begins_turn, carry_out, cells_of, line_of_play
from tests.games import draughts_reference

DATA = Path(__file__).parent / "data" / "draughts.perft"
CHEAP = 10_000
"""Leaves counted here; `kibitzer perft --game draughts --depth 8` counts more."""
COUNTS = [line.split() for line in DATA.read_text().splitlines() if not line.startswith("#")]


def game_of(rules: str = "english", **more: object) -> Draughts:
    game = games.load("draughts", {"set": rules, **more})
    assert isinstance(game, Draughts)
    return game


def texts(game: Draughts, position: Position) -> list[str]:
    return [game.format_move(position, move) for move in game.legal_moves(position)]


@pytest.mark.parametrize(("rules", "start", "counts"), [(one[0], one[1], one[2:]) for one in COUNTS])
def test_perft_is_the_published_one(rules: str, start: str, counts: list[str]) -> None:
    game = game_of(rules, repetition=0, king_plies=0, last_pieces=False)
    position = game.initial() if start == "start" else game.parse_position(start)
    for depth, count in enumerate(map(int, counts), 1):
        if count < CHEAP:
            assert perft(game, position, depth) == count


@pytest.mark.parametrize("rules", Draughts.about.rule_sets)
def test_a_second_implementation_agrees_on_every_ply(rules: str) -> None:
    assert sum(draughts_reference.compare(rules, seed) for seed in range(2)) > 60


def test_whoever_can_take_must_and_a_man_takes_forwards_only() -> None:
    english, pool, text = game_of(), game_of("pool"), "W:W14,22:B9,17,18"
    position = english.parse_position(text)
    assert texts(english, position) == ["14x5", "22x6", "22x15"]
    assert set(texts(pool, pool.parse_position(text))) == {"14x5", "14x21", "14x23", "22x6", "22x15"}
    with pytest.raises(MoveError, match="light must take: 14x5, 22x6 or 22x15") as refused:
        english.parse_move(position, "22-26")
    assert refused.value.rule == "must_take"


def test_the_most_pieces_must_be_taken_where_the_rules_say_so() -> None:
    game, text = game_of("international"), "W:W36,28:B31,22,23"
    position = game.parse_position(text)
    assert texts(game, position) == ["36x29"]
    assert "28x17" in texts(game_of("russian", size=10), position)
    for move, rule, said in (("28x17", "must_take_most", "the most pieces: 36x29"), ("36x27", "must_take_on", "36x29")):
        with pytest.raises(MoveError, match=said) as refused:
            game.parse_move(position, move)
        assert refused.value.rule == rule


def test_a_man_that_is_crowned_ends_its_turn_and_passing_the_last_row_crowns_only_in_russia() -> None:
    english = game_of()
    position = english.parse_position("W:W10:B6,7,8,20")
    after = english.apply(position, english.parse_move(position, "10x3"))
    assert english.figures(after)[2] == "K" and after.side == 1
    said = english.spoken(position, english.parse_move(position, "10x3"))
    assert str(said) == "10 to 3, taking 7, becomes a light king"
    for rules, moves, end in (("pool", ["9x11"], "W"), ("russian", ["9x11", "9x16"], "K")):
        game = game_of(rules)
        position = game.parse_position("W:W9:B6,7,20")
        assert texts(game, position) == moves
        assert game.figures(game.apply(position, game.parse_move(position, "9x11")))[10] == end


def test_pieces_taken_stay_until_the_turn_ends_and_none_is_jumped_twice() -> None:
    game = game_of("international")
    position = game.parse_position("W:WK47:B42,38,33,29")
    assert all(len(set(move.taken)) == len(move.taken) for move in game.legal_moves(position))
    position = game.parse_position("B:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46:BK17,K24")
    longest = game.legal_moves(position)
    assert {len(move.taken) for move in longest} == {max(len(move.taken) for move in longest)}


def test_ways_that_take_the_same_men_to_the_same_square_are_one_move() -> None:
    game = game_of()
    position = game.parse_position("W:WK31:B26,27,18,19")
    (move,) = game.legal_moves(position)
    assert (game.format_move(position, move), len(move.taken)) == ("31x31", 4)
    assert {game.parse_move(position, text) for text in ("31x22x15x24x31", "31x24x15x22x31", "31x15x31")} == {move}
    steps = game.steps(position, move)
    assert carry_out(game.board(position), steps) == game.board(game.apply(position, move))


def test_captures_to_one_square_are_told_apart_by_all_squares() -> None:
    game = game_of()
    position = game.parse_position("W:W27:B23,24,15,16,8")
    assert texts(game, position) == ["27x18x11x4", "27x20x11x4"]
    assert [game.format_move(position, game.parse_move(position, text)) for text in ("27x18x4", "27x20x4")] == texts(
        game, position
    )
    with pytest.raises(MoveError, match="may be 27x18x11x4 and 27x20x11x4") as refused:
        game.parse_move(position, "27x4")
    assert refused.value.rule == "ambiguous"


def test_moves_are_read_in_all_the_usual_spellings() -> None:
    game = game_of()
    start = game.initial()
    assert game.parse_move(start, "11-15") == game.parse_move(start, "F6-E5") == game.parse_move(start, "11x15")
    for text, rule in (
        ("11-45", "no_such_cell"),
        ("a1-b3", "no_such_cell"),
        ("11", "not_a_move"),
        ("21-17", "not_your_man"),
        ("11-18", "not_a_step"),
        ("1-5", "occupied"),
    ):
        with pytest.raises(MoveError) as refused:
            game.parse_move(start, text)
        assert refused.value.rule == rule, text


@pytest.mark.parametrize("text", ["B:W18,24,K10:B12,K22", "w:bk3,4:w30-32.", "W:W:B1"])
def test_positions_are_read_in_the_usual_spellings(text: str) -> None:
    game = game_of()
    position = game.parse_position(text)
    assert game.parse_position(game.format_position(position)) == position


@pytest.mark.parametrize("text", ["B:W33:B1", "B:W1:B1", "B:W1:W2", "X:W1:B2", "W:W1-13:B20", "W:W9-4:B20"])
def test_positions_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(PositionError):
        game_of().parse_position(text)


def test_a_repetition_kings_alone_and_the_last_pieces_are_drawn() -> None:
    game = game_of(king_plies=0)
    line = ["32-28", "1-5", "28-32", "5-1"] * 2
    positions = line_of_play(game, line, game.parse_position("W:WK32:BK1,K2"))
    assert [game.outcome(one) for one in positions[:-1]] == [None] * len(line)
    assert Outcome(None, "repetition") == game.outcome(positions[-1])
    quiet = game_of(repetition=0, king_plies=4)
    outcome = quiet.outcome(line_of_play(quiet, line[:4], quiet.parse_position("W:WK32:BK1,K2"))[-1])
    assert outcome == Outcome(None, "king_plies")
    last = game_of("international", repetition=0)
    again = ["50-44", "1-6", "44-50", "6-1"] * 3
    end = line_of_play(last, again[:10], last.parse_position("W:WK50,K46:BK1"))[-1]
    assert last.outcome(end) == Outcome(None, "last_pieces")


def test_whoever_cannot_move_has_lost() -> None:
    game = game_of()
    assert game.outcome(game.parse_position("W:W5:B1,K14")) == Outcome(1, "no_legal_move")
    assert game.outcome(game.parse_position("W:W:B1")) == Outcome(1, "no_pieces")


def test_a_set_up_keeps_the_kings_that_stayed() -> None:
    game = game_of()
    before = game.parse_position("W:WK18,30:B3,K12")
    made = game.set_up(game.board(before), 1, before)
    assert (made.pieces, made.kings, made.side) == (before.pieces, before.kings, 1)
    moved = list(game.board(before))
    moved[17], moved[13], moved[1] = ".", "W", "W"
    assert game.figures(game.set_up("".join(moved), 0, before)).count("K") == 1  # on the last row


def test_a_turn_may_be_half_done_in_any_order_and_the_man_put_straight_on_its_last_square() -> None:
    game = game_of()
    position = game.parse_position("W:W24,32:B19,11,4")
    (move,) = game.legal_moves(position)
    assert game.steps(position, move)[:2] == (Step("move", 14, 23, "W"), Step("move", 7, 14, "W"))
    before = game.board(position)
    for changes in ({23: ".", 14: "W"}, {23: ".", 7: "W"}, {23: ".", 14: "W", 18: "."}, {23: ".", 7: "W", 10: "."}):
        board = "".join(changes.get(cell, letter) for cell, letter in enumerate(before))
        assert begins_turn(game, position, board)
        assert board != game.board(game.apply(position, move))
    both = "".join({14: "W", 18: "."}.get(cell, letter) for cell, letter in enumerate(before))
    assert not begins_turn(game, position, both)


def test_the_board_has_its_dark_squares_only_with_their_numbers() -> None:
    template = load_template("draughts")
    assert template.cell_names[:5] == ("1", "2", "3", "4", "5") and template.pitch_mm == 40
    assert template.cells_mm[0].tolist() == [60, 20] and template.cells_mm[31].tolist() == [260, 300]
    assert len(load_template("draughts", frozenset({"size=10"})).numbers_mm) == 50


@pytest.mark.parametrize("rules", ["english", "international"])
def test_positions_are_judged_alike_for_both_sides(rules: str) -> None:
    game = game_of(rules)
    count = len(game.cells)
    position = game.parse_position("W:W22,18,K10,31:B4,12,K25,6")

    def turned(bits: int) -> int:
        return sum(1 << count - 1 - cell for cell in cells_of(bits))

    light, dark = position.pieces
    other = Position((turned(dark), turned(light)), turned(position.kings), 1)
    for judge in heuristics.HEURISTICS.values():
        assert judge(game, position, None) == judge(game, other, None)
        assert judge(game, position, None) == -judge(game, Position(position.pieces, position.kings, 1), None)
    assert heuristics.placed(game, position, None) != 0


def test_the_search_finds_what_plain_minimax_finds_looking_on_where_something_is_to_be_taken() -> None:
    game, dice, looked_on = game_of(), random.Random(4), 0
    for _ in range(6):
        position = game.initial()
        for _ in range(dice.randrange(6, 40)):
            if moves := game.legal_moves(position):
                position = game.apply(position, dice.choice(list(moves)))
        if game.outcome(position) is None:
            search = PlainSearch(game)
            search.begin(position, None, exact=True)
            scores = [search.deepen(depth).score for depth in (1, 2, 3)]
            assert scores == [minimax(game, position, depth, heuristics.placed) for depth in (1, 2, 3)]
            looked_on += not heuristics.is_quiet(game, position)
    assert looked_on


def test_rules_that_cannot_be_are_refused() -> None:
    with pytest.raises(RuleError, match="repetition is 0 or at least 2"):
        game_of(repetition=1)
