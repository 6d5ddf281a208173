"""The rules of nine men's morris and their options."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import games
from agents.perft import perft
from games.nine_mens_morris import CELLS, Move, NineMensMorris, Position
from rules import Outcome, PositionError, RuleError
from rules.turns import line_of_play
from tests.games.asked import game_of, refusal, texts

DATA = Path(__file__).parent / "data"
PUBLISHED = {"flying": True, "mill_protected": True, "repetition": 0, "quiet_plies": 0}


morris = functools.partial(game_of, NineMensMorris)


def bits(names: str) -> int:
    return sum(1 << CELLS.index(name) for name in names.split())


def moving(light: str, dark: str, side: int = 0) -> Position:
    """A position with all men laid."""
    return Position((bits(light), bits(dark)), (0, 0), side)


def test_perft_is_the_published_one() -> None:
    game = morris(**PUBLISHED)
    lines = [line.split() for line in (DATA / "nine_mens_morris.perft").read_text().splitlines() if line[:1].isdigit()]
    assert len(lines) == 5
    for depth, count in lines:
        assert perft(game, game.initial(), int(depth), removals_as_plies=True) == int(count)


def test_perft_without_the_removals_as_plies_counts_whole_turns() -> None:
    game = morris()
    position = line_of_play(game, ["a7", "a1", "d7", "d1"])[-1]
    # Light closes a7-d7-g7 in one way and takes one of two men, or lays on one of 19 other points.
    assert perft(game, position, 1) == 19 + 2
    assert perft(game, position, 1, removals_as_plies=True) == 20
    assert perft(game, position, 0) == 1


def test_a_played_game_is_the_recorded_one() -> None:
    game = morris(flying=True)
    lines = (DATA / "nine_mens_morris.playthrough").read_text().splitlines()
    position = game.initial()
    plies = [line for line in lines if line and not line.startswith("#")]
    assert len(plies) > 30
    for line in plies:
        ply, text, board, after = line.split()
        position = game.apply(position, game.parse_move(position, text))
        assert (game.board(position), game.format_position(position)) == (board, after), f"ply {ply}"
    outcome = game.outcome(position)
    assert outcome is not None
    assert f"# {outcome.reason}, winner {outcome.winner}" in lines


def test_there_are_sixteen_mills_and_four_more_with_diagonals() -> None:
    assert len(morris().mills) == 16
    assert len(morris(diagonals=True).mills) == 20
    assert bits("d7 d6 d5") in morris().mills
    assert bits("d5 d3 d6") not in morris().mills
    assert bits("a7 b6 c5") in morris(diagonals=True).mills


def test_points_are_joined_along_the_drawn_lines() -> None:
    plain, diagonal = morris(), morris(diagonals=True)
    assert plain.neighbours[CELLS.index("d6")] == bits("d7 d5 b6 f6")
    assert plain.neighbours[CELLS.index("a7")] == bits("d7 a4")
    assert diagonal.neighbours[CELLS.index("a7")] == bits("d7 a4 b6")
    assert plain.neighbours[CELLS.index("d5")] == bits("d6 c5 e5")


def test_the_seeds_rules_take_any_man_and_protected_mills_only_when_alone() -> None:
    light, dark = "a7 d7 g4", "a1 d1 g1 b2"
    position = moving(light, dark)
    assert {f"g4-g7x{man}" for man in dark.split()} <= texts(morris(), position)
    protected = texts(morris(mill_protected=True), position)
    assert "g4-g7xb2" in protected
    assert not {"g4-g7xa1", "g4-g7xd1", "g4-g7xg1"} & protected
    alone = moving(light, "a1 d1 g1")
    assert "g4-g7xd1" in texts(morris(mill_protected=True), alone)


def test_two_mills_closed_at_once_take_one_man() -> None:
    game = morris()
    position = moving("a7 d7 g1 g4 f6", "b2 d2 b4 c3")
    position = Position(position.men, (1, 1), 0)
    assert [move for move in texts(game, position) if move.startswith("g7")] != []
    assert all(move.count("x") == 1 for move in texts(game, position) if move.startswith("g7"))


def test_three_men_fly_only_where_the_rule_says_so() -> None:
    position = moving("a7 d6 g1", "b2 d2 f2 c3")
    assert "a7-e3" not in texts(morris(), position)
    assert "a7-e3" in texts(morris(flying=True), position)
    four = moving("a7 d6 g1 e3", "b2 d2 f2 c3")
    assert "a7-c5" not in texts(morris(flying=True), four)


def test_nobody_flies_while_men_are_to_be_laid() -> None:
    game = morris(flying=True)
    position = Position((bits("a7 d6 g1"), bits("b2 d2 f2")), (1, 1), 0)
    assert all("-" not in move for move in texts(game, position))


def test_a_mill_closed_over_an_empty_hand_of_enemies_takes_nothing() -> None:
    game = morris()
    position = Position((bits("a7 d7"), 0), (5, 5), 0)
    assert "g7" in texts(game, position)
    assert refusal(game, position, "g7xa1") == "nothing_to_remove"
    assert game.board(game.apply(position, Move(CELLS.index("g7")))).count("W") == 3


def test_two_men_left_lose_once_all_are_laid_and_not_before() -> None:
    game = morris()
    assert game.outcome(moving("a7 d7", "a1 d1 g1")) == Outcome(1, "two_men_left")
    assert game.outcome(moving("a7 d7 g4", "a1 d1", side=1)) == Outcome(0, "two_men_left")
    assert game.outcome(Position((bits("a7 d7"), bits("a1")), (1, 1), 0)) is None


def test_a_side_that_cannot_move_has_lost() -> None:
    game = morris()
    position = moving("a7 d7 a4", "g7 d6 a1 b4")
    assert game.outcome(position) == Outcome(1, "no_legal_move")
    assert game.legal_moves(position) == []
    assert refusal(game, position, "a7-d7") == "game_over"


def test_a_board_full_after_twelve_men_each_is_lost_by_who_must_move() -> None:
    game = morris(men=12)
    full = Position((bits(" ".join(CELLS[:12])), bits(" ".join(CELLS[12:]))), (0, 0), 0)
    assert game.outcome(full) == Outcome(1, "no_legal_move")


def test_the_third_occurrence_is_a_draw_and_the_number_is_an_option() -> None:
    shuffle = ["a7-d7", "a1-d1", "d7-a7", "d1-a1"]
    start = moving("a7 g7 f4", "a1 g1 b4")
    for times in (2, 3, 4):
        game = morris(repetition=times)
        line = line_of_play(game, shuffle * (times - 1), start)
        assert [game.outcome(position) for position in line[:-1]] == [None] * (4 * (times - 1))
        assert game.outcome(line[-1]) == Outcome(None, "repetition")
    assert morris(repetition=0).outcome(line_of_play(morris(repetition=0), shuffle * 5, start)[-1]) is None


def test_a_removal_makes_earlier_positions_unreachable_and_forgets_them() -> None:
    game = morris()
    line = line_of_play(game, ["a7-d7", "a1-d1", "d7-a7"], moving("a7 g7 f4 b6 f6", "a1 g1 b4 c3"))
    assert len(line[-1].earlier) == line[-1].quiet == 3
    taken = line_of_play(game, ["d1-a1", "a7-d7", "a1-d1", "d7-d6xc3"], line[-1])[-1]
    assert (taken.earlier, taken.quiet) == ((), 0)


def test_quiet_plies_are_a_draw_when_they_reach_the_number_but_a_loss_comes_first() -> None:
    game = morris(quiet_plies=4, repetition=0)
    start = moving("a7 g7 f4", "a1 g1 b4")
    line = line_of_play(game, ["a7-d7", "a1-d1", "d7-a7", "b4-c4"], start)
    assert game.outcome(line[-2]) is None
    assert game.outcome(line[-1]) == Outcome(None, "quiet_plies")
    blocked = Position(moving("a7 d7 a4", "g7 d6 a1 b4").men, (0, 0), 0, quiet=4)
    assert game.outcome(blocked) == Outcome(1, "no_legal_move")


def test_positions_are_equal_when_the_same_ones_came_before_in_another_order() -> None:
    game = morris()
    start = moving("a7 g1 d6", "a1 e4 c5")
    one = line_of_play(game, ["a7-d7", "a1-d1", "g1-g4", "e4-e3", "d7-a7", "d1-a1"], start)[-1]
    other = line_of_play(game, ["g1-g4", "e4-e3", "a7-d7", "a1-d1", "d7-a7", "d1-a1"], start)[-1]
    assert one.men == other.men
    assert one != other  # the earlier positions, which may recur, are different
    assert one.earlier == tuple(sorted(one.earlier))


def test_who_begins_is_an_option_and_auto_offers_both() -> None:
    assert [start.side for start in morris().starts] == [0]
    assert [start.side for start in morris(first="dark").starts] == [1]
    assert [start.side for start in morris(first="auto").starts] == [0, 1]
    assert morris(first="auto").initial().side == 0


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("d2", "nothing_to_place"),
        ("d6-b6", "not_your_man"),
        ("a1-a4", "not_your_man"),
        ("a7-d7", "occupied"),
        ("a7-a7", "occupied"),
        ("a7-a1", "occupied"),
        ("a7-g4", "not_adjacent"),
        ("a7-a4xa1", "nothing_to_remove"),
        ("f6-d6", "must_remove"),
        ("f6-d6xb6", "not_an_enemy_man"),
        ("f6-d6xd1", "protected_by_mill"),
        ("h1-a1", "no_such_cell"),
        ("a7-a2", "no_such_cell"),
        ("a7 a4", "not_a_move"),
        ("a7xa4-a1", "not_a_move"),
    ],
)
def test_a_refused_move_names_its_rule(text: str, rule: str) -> None:
    position = moving("a7 d5 d7 f6 g7", "a1 d1 g1 b2")
    assert refusal(morris(mill_protected=True), position, text) == rule


def test_men_are_laid_before_any_moves() -> None:
    game = morris()
    position = line_of_play(game, ["a7", "a1"])[-1]
    assert refusal(game, position, "a7-d7") == "must_place"
    assert refusal(game, position, "a1") == "occupied"


def test_capital_letters_and_blanks_around_a_move_are_forgiven() -> None:
    assert morris().parse_move(morris().initial(), " D2 ") == Move(CELLS.index("d2"))


def test_the_text_of_a_position_says_the_side_and_counts_from_the_movers_side() -> None:
    game = morris()
    position = line_of_play(game, ["a7", "d2", "b6"])[-1]
    assert game.format_position(position) == "dark:EOOEOOOOOOOOOOOOOOOMOOOO8712"
    assert game.parse_position("dark:EOOEOOOOOOOOOOOOOOOMOOOO8712") == position
    swapped = game.parse_position("EOOEOOOOOOOOOOOOOOOMOOOO8712")
    assert (swapped.side, game.board(swapped)[0]) == (0, "B")


def test_ten_to_twelve_men_are_one_digit_too() -> None:
    game = morris(men=12)
    text = game.format_position(game.initial())
    assert text == f"light:{'O' * 24}CC00"
    assert game.parse_position(text) == game.initial()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("M" + "O" * 23 + "8900", "counts"),
        ("O" * 24 + "9A00", "more than 9"),
        ("O" * 24 + "8900", "one more"),
        ("O" * 23 + "9900", "24 letters"),
        ("X" + "O" * 23 + "9900", "24 letters"),
        ("red:" + "O" * 24 + "9900", "24 letters"),
    ],
)
def test_an_impossible_position_is_refused_and_said_why(text: str, said: str) -> None:
    with pytest.raises(PositionError, match=said):
        morris().parse_position(text)


def test_rule_options_outside_their_range_are_refused() -> None:
    for rules in ({"men": 2}, {"men": 13}, {"repetition": 1}, {"first": "green"}, {"quiet_plies": -1}):
        with pytest.raises(RuleError, match=next(iter(rules))):
            games.load("morris", rules)


def test_all_positions_of_the_public_data_set_are_read_and_their_moves_are_legal(real_data: Path) -> None:
    game = morris(flying=True, mill_protected=True)
    lines = (real_data / "morris" / "good-moves.train.txt").read_text().split()
    for line in lines[::40]:
        text, move = line.split("-")
        position = game.parse_position(text)
        assert game.format_position(position) == f"light:{text}"
        names = [move[index : index + 2] for index in range(0, len(move), 2)]
        if not position.hands[0]:
            names = ["-".join(names[:2]), *names[2:]]
        assert game.parse_move(position, "x".join(names))
