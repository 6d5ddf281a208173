"""The rules of cờ gánh, with removal and with turning of captured men, and their options."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

import pytest

from agents.perft import perft
from games.co_ganh import CELLS, CoGanh, Position
from rules import Outcome, PositionError, RuleError, Step
from tests.games import co_ganh_reference as reference
from tests.games.asked import game_of, refusal, texts

DATA = Path(__file__).parent / "data"
TURNING = {"capture": "flip"}
FORCING = {"capture": "flip", "mo": True}


ganh = functools.partial(game_of, CoGanh)


def position_of(state: reference.State) -> Position:
    men, side, plies = state
    up, down = (sum(1 << 5 * row + column for (row, column), man in men.items() if man == one) for one in "UD")
    return Position((up, down), "UD".index(side), plies)


def name(point: reference.Point) -> str:
    return f"{'abcde'[point[1]]}{5 - point[0]}"


def text_of(move: tuple[reference.Point, reference.Point]) -> str:
    start, end = move
    return f"{name(start)}{'-' if end in reference.joined(start) else 'x'}{name(end)}"


def at(men: dict[str, str], side: int = 0, ply: int = 0) -> Position:
    """A position from `{"W": "a1 b2", "B": "c3"}`."""
    up, down = (sum(1 << CELLS.index(point) for point in men.get(piece, "").split()) for piece in "WB")
    return Position((up, down), side, ply)


def after(game: CoGanh, position: Position, text: str) -> dict[str, str]:
    """The men after a move, in the form of `at`."""
    board = game.board(game.apply(position, game.parse_move(position, text)))
    return {piece: " ".join(CELLS[cell] for cell in range(25) if board[cell] == piece) for piece in "WB"}


def rows_of(file: str) -> list[list[str]]:
    return [line.split() for line in (DATA / file).read_text().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize(("capture", "mo", "depth", "count"), rows_of("co_ganh.perft"))
def test_perft_is_the_recorded_one(capture: str, mo: str, depth: str, count: str) -> None:
    game = ganh(capture=capture, mo=mo)
    assert perft(game, game.initial(), int(depth)) == int(count)


@pytest.mark.parametrize("rules", [{}, TURNING, FORCING], ids=["removal", "turning", "forcing"])
def test_a_played_game_is_the_recorded_one(rules: dict[str, object]) -> None:
    game = ganh(**rules)
    wanted = f"{game.rules.capture}-{game.rules.mo}".lower()
    plies = [row for row in rows_of("co_ganh.playthrough") if row[0] == wanted]
    assert len(plies) > 20
    position = game.initial()
    for _, text, after_it in plies[:-1]:
        position = game.apply(position, game.parse_move(position, text))
        assert game.format_position(position) == after_it, text
    outcome = game.outcome(position)
    assert outcome is not None
    assert plies[-1][1:] == [outcome.reason, str(outcome.winner)]


def test_the_slow_generator_counts_the_same_leaves() -> None:
    game = ganh()
    for depth in range(1, 5):
        assert reference.leaves(reference.START, depth) == perft(game, game.initial(), depth)


@pytest.mark.parametrize("capture", ["remove", "flip"])
def test_the_slow_generator_plays_the_same_games_and_sees_the_same_ends(capture: str) -> None:
    game, draw, jumps = ganh(capture=capture), random.Random(7), capture == "remove"
    play = reference.play_by_removal if jumps else reference.play_by_turning
    ends = set()
    for number in range(150):
        state = reference.START if number % 4 == 0 else reference.scattered(draw)
        state = reference.SHUT_IN if number == 1 else state
        position = position_of(state)
        while True:
            won, outcome = reference.winner(state, jumps, 200), game.outcome(position)
            assert won == (None if outcome is None else "draw" if outcome.winner is None else "UD"[outcome.winner])
            if outcome is not None:
                ends.add((outcome.reason, outcome.winner))
                break
            moves = reference.moves(state[0], state[1], jumps)
            assert sorted(map(text_of, moves)) == sorted(
                game.format_move(position, move) for move in game.legal_moves(position)
            )
            move = draw.choice(moves)
            state = play(state, move)
            position = game.apply(position, game.parse_move(position, text_of(move)))
            assert position == position_of(state)
            if number % 4 and draw.random() < 0.1:
                break
    assert {reason for reason, _ in ends} == {"no_men_left", "no_legal_move", "more_men", "equal_men"}


def test_men_stand_as_drawn_at_the_start() -> None:
    game = ganh()
    assert game.board(game.initial()) == "WWWWWW...WB...WB...BBBBBB"
    assert [game.board(game.initial())[CELLS.index(point)] for point in ("a5", "e3", "a3", "e1", "c3")] == list("WWBB.")
    assert game.to_move(game.initial()) == 0
    assert ganh(first="down").initial().side == 1


def test_diagonals_are_drawn_from_every_second_point_only() -> None:
    game = ganh()
    assert texts(game, at({"W": "c3", "B": "a5"})) == {f"c3-{p}" for p in "b2 b3 b4 c2 c4 d2 d3 d4".split()}
    assert texts(game, at({"W": "b3", "B": "e5"})) == {"b3-a3", "b3-c3", "b3-b2", "b3-b4"}
    assert texts(game, at({"W": "a1", "B": "e5"})) == {"a1-a2", "a1-b1", "a1-b2"}


def test_arriving_between_two_men_captures_both_and_every_such_pair() -> None:
    position = at({"W": "c4", "B": "b3 d3 b2 d4 c2 e5"})
    assert after(ganh(), position, "c4-c3") == {"W": "c3", "B": "e5 c2"}
    assert after(ganh(**TURNING), position, "c4-c3") == {"W": "d4 b3 c3 d3 b2", "B": "e5 c2"}


def test_a_pair_across_a_point_without_a_drawn_line_is_not_captured() -> None:
    position = at({"W": "b4", "B": "a4 c2 a2 c4 e1"})
    assert after(ganh(), position, "b4-b3") == {"W": "b3", "B": "a4 c4 a2 c2 e1"}


def test_moving_between_one_enemy_man_and_ones_own_captures_nobody() -> None:
    assert after(ganh(), at({"W": "c4 b3", "B": "d3 e5"}), "c4-c3") == {"W": "b3 c3", "B": "e5 d3"}


def test_standing_between_two_men_that_come_later_captures_nobody() -> None:
    assert after(ganh(), at({"W": "c3", "B": "b3 d4"}, side=1), "d4-d3") == {"W": "c3", "B": "b3 d3"}


def test_a_jump_takes_the_man_leapt_over_and_the_men_between_which_it_lands() -> None:
    game = ganh()
    position = at({"W": "c5", "B": "c4 b3 d3 c2 e1"})
    assert "c5xc3" in texts(game, position)
    # The man from c4 is already off the board when c3 is reached, so c2 has no partner any more.
    assert after(game, position, "c5xc3") == {"W": "c3", "B": "c2 e1"}
    (move,) = [move for move in game.legal_moves(position) if game.format_move(position, move) == "c5xc3"]
    assert game.steps(position, move) == (
        Step("move", CELLS.index("c3"), CELLS.index("c5"), "W"),
        *(Step("remove", CELLS.index(point)) for point in ("c4", "b3", "d3")),
    )


def test_jumps_are_not_forced_not_doubled_and_not_part_of_the_turning_rules() -> None:
    position = at({"W": "a1", "B": "b2 d4"})
    assert texts(ganh(), position) == {"a1-a2", "a1-b1", "a1xc3"}
    assert after(ganh(), position, "a1xc3") == {"W": "c3", "B": "d4"}
    assert texts(ganh(**TURNING), position) == {"a1-a2", "a1-b1"}
    assert refusal(ganh(**TURNING), position, "a1xc3") == "no_jumps"


def test_men_shut_in_are_turned_once_after_the_flanked_ones() -> None:
    game = ganh(**TURNING)
    # Down's corner man loses its last free point.
    assert after(game, at({"W": "b1 b2 a3", "B": "a1 e5"}), "a3-a2") == {"W": "a2 b2 a1 b1", "B": "e5"}
    # A group lives as long as one of its men has a free point.
    assert after(game, at({"W": "b2 a3", "B": "a1 b1 e5"}), "a3-a2") == {"W": "a2 b2", "B": "e5 a1 b1"}
    assert after(game, at({"W": "b2 a3 c1", "B": "a1 b1 e5"}), "a3-a2")["B"] == "e5"


def test_the_mover_is_never_turned_by_its_own_move() -> None:
    game = ganh(**TURNING)
    position = at({"W": "b1", "B": "a2 b2 c1 c2 e5"})
    assert after(game, position, "b1-a1")["W"] == "a1"


def test_a_point_left_open_between_two_enemy_men_must_be_entered() -> None:
    game = ganh(**FORCING)
    position = at({"W": "a5 c3 e5", "B": "c4 a4 b3 d5"})
    opened = game.apply(position, game.parse_move(position, "c3-d3"))
    assert opened.opened is None
    before = at({"W": "b3 c3 d3 e5", "B": "c1 b2 a5"})
    opened = game.apply(before, game.parse_move(before, "c3-c4"))
    assert CELLS[opened.opened or 0] == "c3"
    assert texts(game, opened) == {"b2-c3"}
    assert refusal(game, opened, "a5-a4") == "must_enter"
    assert texts(ganh(**TURNING), Position(opened.men, 1)) > {"b2-c3", "a5-a4"}


def test_a_point_left_open_counts_only_where_it_can_be_entered_and_lies_on_a_line() -> None:
    game = ganh(**FORCING)
    far = at({"W": "b3 c3 d3 e5", "B": "c1 a1 a5"})
    assert game.apply(far, game.parse_move(far, "c3-c4")).opened is None
    one_flank = at({"W": "b3 c3 e5", "B": "b2 a5"})
    assert game.apply(one_flank, game.parse_move(one_flank, "c3-c4")).opened is None


def test_mo_changes_nothing_where_captured_men_are_removed() -> None:
    plain, with_mo = ganh(), ganh(mo=True)
    assert perft(plain, plain.initial(), 3) == perft(with_mo, with_mo.initial(), 3)


@pytest.mark.parametrize(
    ("position", "outcome"),
    [
        (at({"W": "a1", "B": ""}), Outcome(0, "no_men_left")),
        (at({"W": "", "B": "a1"}), Outcome(1, "no_men_left")),
        (at({"W": "a1", "B": "a2 b1 b2 c3 a3 c1"}), Outcome(1, "no_legal_move")),
        (at({"W": "a1", "B": "a2 b1 b2 c3 a3 c1"}, side=1), None),
        (at({"W": "a1 b1", "B": "e5"}, ply=199), None),
        (at({"W": "a1 b1", "B": "e5"}, ply=200), Outcome(0, "more_men")),
        (at({"W": "a1", "B": "e5 d5"}, ply=200), Outcome(1, "more_men")),
        (at({"W": "a1", "B": "e5"}, ply=200), Outcome(None, "equal_men")),
        (at({"W": "a1", "B": "a2 b1 b2 c3 a3 c1"}, ply=200), Outcome(1, "no_legal_move")),
    ],
)
def test_the_game_ends_as_the_rules_say(position: Position, outcome: Outcome | None) -> None:
    assert ganh().outcome(position) == outcome
    assert bool(ganh().legal_moves(position)) == (outcome is None)


def test_the_limit_is_an_option() -> None:
    assert ganh(limit=100).outcome(at({"W": "a1 b1", "B": "e5"}, ply=100)) == Outcome(0, "more_men")
    with pytest.raises(RuleError, match="limit is between 1 and 1000, not 0"):
        ganh(limit=0)
    with pytest.raises(RuleError, match="capture is one of remove, flip, not 'eat'"):
        ganh(capture="eat")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a5-b4", None),
        ("A5-B4", None),
        ("a5-c4", "not_adjacent"),
        ("b5-a4", "occupied"),
        ("a4-b3", "not_adjacent"),
        ("a1-b2", "not_your_man"),
        ("c3-c4", "not_your_man"),
        ("a5-a4", "occupied"),
        ("a5xc3", "nothing_to_jump"),
        ("a5xb4", "not_a_move"),
        ("a5-z9", "no_such_cell"),
        ("a5", "not_a_move"),
    ],
)
def test_a_move_that_is_refused_names_the_rule(text: str, rule: str | None) -> None:
    game = ganh()
    if rule is None:
        assert game.format_move(game.initial(), game.parse_move(game.initial(), text)) == "a5-b4"
    else:
        assert refusal(game, game.initial(), text) == rule


def test_positions_are_read_in_the_letters_that_people_use() -> None:
    game = ganh()
    start = game.initial()
    for text in (
        "up:WWWWWW...WB...WB...BBBBBB",
        "WWWWWW...WB...WB...BBBBBB up",
        "11111/1...1/2...1/2...2/22222",
        "UUUUU/U---U/D---U/D---D/DDDDD up",
    ):
        assert game.parse_position(text) == start
    later = game.parse_position("down:WWWWWW...WB...WB...BBBBBB:ply=57")
    assert (later.side, later.ply) == (1, 57)


@pytest.mark.parametrize(
    ("text", "match", "rules"),
    [
        ("up:WWW", "not 25 letters", {}),
        ("up:WWWWWW...WB...WB...BBBBBX", "not 25 letters", {}),
        ("up:WWWWWW...WB...WB...BBBBBB down", "twice", {}),
        ("up:WWWWWWWWWWB...WB...BBBBBB", "more than 8 men", {}),
        ("up:WWWWWWWWWWB...WB...BBBBBB", "more than 16 in all", TURNING),
        ("up:WWWWWW...WB...WB...BBBBBB:ply=201", "ply=0 to ply=200", {}),
        ("up:WWWWWW...WB...WB...BBBBBB:vacated=c3", "capture=flip and mo=true", TURNING),
        ("up:WWWWWW...WB...WB...BBBBBB:vacated=a1", "occupied", FORCING),
        ("up:WWWWWW...WB...WB...BBBBBB:vacated=f9", "nor vacated", FORCING),
    ],
)
def test_a_position_that_is_refused_names_what_is_wrong(text: str, match: str, rules: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=match):
        ganh(**rules).parse_position(text)
