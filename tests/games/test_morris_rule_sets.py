"""The games of the morris family: their rules against a slow second implementation, and what is particular to each."""

from __future__ import annotations

import functools
import random

import pytest

import games
from agents.perft import perft
from games.nine_mens_morris import NineMensMorris, Position
from games.nine_mens_morris.rule_sets import RULE_SETS
from rules import Outcome, PositionError, RuleError
from rules.options import rule_set_of, rules_from_words
from tests.games.asked import game_of, refusal
from tests.games.morris_reference import Reference, State

MIXTURES: list[dict[str, object]] = [
    {"men": 5, "move_early": True, "one_time_mills": True, "no_return": True, "mill_protected": True, "flying": True},
    {"board": "six", "men": 8, "full_draw": True, "one_time_mills": True, "flying": True},
    {"board": "three", "men": 4, "flying": True, "repetition": 2},
    {"set": "morabaraba", "men": 6, "three_men_plies": 4, "repetition": 0},
]
NAMES: list[dict[str, object]] = [*({"set": name} for name in RULE_SETS), *MIXTURES]


morris = functools.partial(game_of, NineMensMorris)


def bits(game: NineMensMorris, names: str) -> int:
    return sum(1 << game.cells.index(name) for name in names.split())


def standing(game: NineMensMorris, light: str, dark: str, side: int = 0, hands: tuple[int, int] = (0, 0)) -> Position:
    return Position((bits(game, light), bits(game, dark)), hands, side)


def texts(game: NineMensMorris, position: Position) -> list[str]:
    return sorted(game.format_move(position, move) for move in game.legal_moves(position))


def played(game: NineMensMorris, position: Position, *moves: str) -> Position:
    for text in moves:
        position = game.apply(position, game.parse_move(position, text))
    return position


def reference_of(game: NineMensMorris) -> Reference:
    return Reference(dict(vars(game.rules)))


@pytest.mark.parametrize("rules", NAMES, ids=str)
def test_random_games_are_those_of_the_second_implementation(rules: dict[str, object]) -> None:
    game = morris(**rules)
    other, reasons = reference_of(game), set()
    for seed in range(12):
        draw, position, state = random.Random(seed), game.initial(), other.start()
        for _ in range(400):
            outcome = game.outcome(position)
            assert other.result(state) == (None if outcome is None else (outcome.winner, outcome.reason))
            turns = texts(game, position)
            assert turns == sorted(other.turns(state))
            if outcome is not None:
                reasons.add(outcome.reason)
                break
            # Takers' games are short; the others wander, and come to their draws.
            takes = [turn for turn in turns if "x" in turn]
            turn = draw.choice(takes if takes and seed % 3 == 0 else turns)
            position, state = played(game, position, turn), other.play(state, turn)
    assert reasons


def count(other: Reference, state: State, depth: int) -> int:
    turns = other.turns(state)
    return len(turns) if depth == 1 else sum(count(other, other.play(state, turn), depth - 1) for turn in turns)


@pytest.mark.parametrize("rules", NAMES, ids=str)
def test_perft_is_that_of_the_second_implementation(rules: dict[str, object]) -> None:
    game = morris(**rules)
    depth = 5 if len(game.cells) < 16 else 3
    assert perft(game, game.initial(), depth) == count(reference_of(game), reference_of(game).start(), depth)


def test_lasker_lays_or_moves_from_the_start() -> None:
    game = morris(set="lasker")
    position = played(game, game.initial(), "d6", "a1")
    assert {"d6-d7", "d6-d5", "d6-b6", "d6-f6", "g7"} <= set(texts(game, position))
    position = played(game, position, "d6-d7")
    assert position.hands == (9, 9) and position.quiet == 1
    # Three men on the board with others in hand do not fly.
    early = standing(game, "a7 d6 g1", "b2 d2 f2", hands=(2, 2))
    assert "a7-e3" not in texts(game, early) and "a7-d7" in texts(game, early)


def test_a_side_with_men_in_hand_has_not_lost_with_two_on_the_board() -> None:
    game = morris(set="lasker")
    assert game.outcome(standing(game, "a7 d7", "a1 d1 g1", hands=(1, 0))) is None
    assert game.outcome(standing(game, "a7 d7", "a1 d1 g1")) == Outcome(1, "two_men_left")


def test_a_board_filled_while_laying_is_a_draw_in_twelve_mens_morris() -> None:
    light = "a7 d7 f6 c5 d5 a4 f4 g4 d3 b2 g1 c3"
    dark = " ".join(cell for cell in morris().cells if cell not in light.split())
    for name, expected in (("twelve", Outcome(None, "board_full")), ("tintar", Outcome(1, "no_legal_move"))):
        game = morris(set=name, men=12)
        assert game.outcome(standing(game, light, dark)) == expected


def test_in_morabaraba_a_man_may_not_go_back_and_forth_between_two_mills() -> None:
    game = morris(set="morabaraba")
    position = standing(game, "a7 d7 g7 b6 f6 a1", "b2 d2 e3 c4 g1 f4")
    position = played(game, position, "d7-d6xg1", "e3-d3")
    assert refusal(game, position, "d6-d7xb2") == "may_not_return"
    assert not any(text.startswith("d6-d7") for text in texts(game, position))
    parsed = game.parse_position(game.format_position(position))
    assert texts(game, parsed) == texts(game, position)
    later = played(game, position, "a1-a4", "d3-e3")
    assert "d6-d7xb2" in texts(game, later)
    assert "d6-d7xb2" in texts(morris(set="twelve"), standing(game, "a7 d6 g7 b6 f6", "b2 d2 c4 d3"))


def test_who_breaks_a_mill_without_closing_another_may_go_back() -> None:
    game = morris(set="morabaraba")
    position = played(game, standing(game, "a7 d7 g7 f4 a1", "b2 d2 e3 c4 g1"), "d7-d6", "e3-d3")
    assert "d6-d7xd2" in texts(game, position)


def test_ten_quiet_moves_of_each_with_three_men_are_a_draw_in_morabaraba() -> None:
    game = morris(set="morabaraba", repetition=0)
    position = standing(game, "a7 d6 g1", "b2 d2 f2 c3")
    for _ in range(5):
        position = played(game, position, "a7-d7", "c3-d3", "d7-a7", "d3-c3")
    assert game.outcome(position) == Outcome(None, "quiet_plies")
    four = standing(game, "a7 d6 g1 g4", "b2 d2 f2 c3")
    for _ in range(5):
        four = played(game, four, "a7-d7", "c3-d3", "d7-a7", "d3-c3")
    assert game.outcome(four) is None


def test_a_one_time_mill_may_be_closed_again_and_takes_nothing() -> None:
    game = morris(set="russian")
    position = standing(game, "a7 d6 g7 c3 a1", "b2 d2 f2 e3 f4 c4")
    position = played(game, position, "d6-d7xb2", "c4-b4", "d7-d6", "b4-c4")
    assert "d6-d7" in texts(game, position)
    assert refusal(game, position, "d6-d7xd2") == "mill_spent"
    parsed = game.parse_position(game.format_position(position))
    assert texts(game, parsed) == texts(game, position)
    # The enemy's lines are its own.
    assert position.spent[1] == 0 and position.spent[0].bit_count() == 1


def test_a_man_taken_for_a_spent_mill_is_told() -> None:
    game = morris(set="russian")
    position = standing(game, "a7 d6 g7 c3 a1", "b2 d2 f2 e3 f4 c4")
    position = played(game, position, "d6-d7xb2", "c4-b4", "d7-d6", "b4-c4")
    shown = list(game.board(position))
    for cell, letter in (("d6", "."), ("d7", "W"), ("d2", ".")):
        shown[game.cells.index(cell)] = letter
    fault = game.fault(position, "".join(shown))
    assert fault.rule == "mill_spent"
    assert fault.text == "The line through d7 has taken a man before, but d2 was taken. Put it back."


def test_a_man_that_went_straight_back_is_told() -> None:
    game = morris(set="morabaraba")
    position = played(game, standing(game, "a7 d7 g7 b6 f6 a1", "b2 d2 e3 c4 g1 f4"), "d7-d6xg1", "e3-d3")
    shown = list(game.board(position))
    shown[game.cells.index("d6")], shown[game.cells.index("d7")] = ".", "W"
    fault = game.fault(position, "".join(shown))
    assert fault.rule == "may_not_return"
    assert "d7" in fault.text and fault.text.endswith("Move it back to d6.")


def test_the_small_boards_have_their_points_lines_and_mills() -> None:
    six, three = morris(set="six"), morris(set="three")
    assert (len(six.cells), len(six.mills)) == (16, 8)
    assert (len(three.cells), len(three.mills)) == (9, 8)
    assert six.neighbours[six.cells.index("c5")] == bits(six, "a5 e5 c4")
    assert three.neighbours[three.cells.index("b2")].bit_count() == 8
    assert three.neighbours[three.cells.index("b3")] == bits(three, "a3 c3 b2")


def test_the_first_mill_wins_three_mens_morris() -> None:
    game = morris(set="three")
    position = played(game, game.initial(), "b2", "a3", "c3", "a1", "b1", "a2")
    assert game.outcome(position) == Outcome(1, "mill_closed")
    assert [game.cells[cell] for cell in game.won_by(position)] == ["a3", "a2", "a1"]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"set": "chess"}, "no rule set 'chess'.*lasker"),
        ({"board": "six", "men": 9}, "at most 8"),
        ({"board": "six", "men": 6, "diagonals": True}, "diagonals"),
        ({"board": "three"}, "at most 4"),
    ],
)
def test_rules_that_do_not_go_together_are_refused(rules: dict[str, object], words: str) -> None:
    with pytest.raises(RuleError, match=words):
        games.load("morris", rules)


def test_options_beside_a_rule_set_override_it() -> None:
    assert morris(set="lasker", men=9).rules.men == 9
    assert morris(**rules_from_words(["lasker", "flying=false"])).rules.flying is False
    assert rule_set_of(morris(set="lasker", first="dark")) is RULE_SETS["lasker"]
    assert rule_set_of(morris(set="lasker", men=9)) is None
    assert rule_set_of(morris()) is RULE_SETS["tintar"]


@pytest.mark.parametrize(
    "text",
    [
        "light:" + "M" + "O" * 23 + "8910/1/0",
        "light:" + "M" + "O" * 23 + "8910/a7-d7/-",
        "light:" + "M" + "O" * 15 + "8910",
    ],
)
def test_a_position_of_other_rules_is_refused(text: str) -> None:
    with pytest.raises(PositionError):
        morris().parse_position(text)


def test_a_record_from_before_these_rules_goes_on() -> None:
    game = morris(
        men=9, flying=True, mill_protected=True, diagonals=False, first="light", repetition=3, quiet_plies=100
    )
    assert rule_set_of(game) is RULE_SETS["standard"]
