"""The rules of Double Double Dominoes."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections import Counter
from pathlib import Path

import pytest

from agents.perft import perft
from games.double_double_dominoes import CELLS, DIAMONDS, STAR, TRACK, DoubleDoubleDominoes, Lay, Pass, Position
from rules import Gain, MoveError, Outcome, PositionError
from rules.tiles import tile_named
from rules.turns import line_of_play
from tests.games.asked import game_of

DATA = Path(__file__).parent / "data"


dominoes = functools.partial(game_of, DoubleDoubleDominoes)
GAME = dominoes()


def played(*words: str, start: Position | None = None) -> Position:
    """The position after some moves, with hidden hands."""
    position: Position = line_of_play(GAME, [text for word in words for text in word.split()], start)[-1]
    return position


def texts(position: Position) -> set[str]:
    return {GAME.format_move(position, move) for move in GAME.legal_moves(position)}


def refusal(position: Position, text: str) -> str:
    with pytest.raises(MoveError) as refused:
        GAME.parse_move(position, text)
    return refused.value.rule


def position_of(text: str) -> Position:
    return GAME.parse_position(text)


def _reversed(text: str) -> str:
    """A tile's text with the other end first."""
    return "-".join(reversed(text.split("-")))


# The board


def test_the_diamonds_are_as_many_as_the_rules_say() -> None:
    assert Counter(DIAMONDS) == {0: 225 - 68, 1: 16, 2: 16, 3: 16, 4: 16, 5: 4}
    assert DIAMONDS[::-1] == DIAMONDS
    assert [CELLS[cell] for cell, points in enumerate(DIAMONDS) if points == 5] == ["1A", "1O", "15A", "15O"]


def test_the_track_has_a_hundred_spaces() -> None:
    assert len(TRACK) == 100
    assert set(TRACK) == set(range(7))
    assert (TRACK[0], TRACK[3], TRACK[16], TRACK[23], TRACK[99]) == (1, 4, 5, 5, 0)


# Legal places for a tile


def test_the_first_tile_covers_the_star_in_any_of_four_ways() -> None:
    lays = [move for move in GAME.legal_moves(GAME.initial()) if isinstance(move, Lay)]
    assert len(lays) == 4 * 49
    assert all(STAR in lay.cells for lay in lays)
    assert refusal(GAME.initial(), "7G1-7H2") == "not_on_star"


def test_the_second_tile_fits_at_ten_places_a_side() -> None:
    """The tile 1-2 lies on 8H and 8I: three cells touch each end, and seven tiles fit each orientation there.

    The cell at the end of the row allows three orientations. The cells above and below each end allow two, and a third
    along the whole first tile, where only the same tile fits.
    """
    moves = texts(played("8H1-8I2"))
    assert len(moves) == 2 * 3 * 7 + 4 * 2 * 7 + 2 + 1
    assert {"8F0-8G1", "7G3-8G1", "8J2-8K6", "8J2-9J6", "7G4-7H1", "6H4-7H1", "7H1-7I2", "9H1-9I2", "pass"} <= moves
    assert not {"7H2-7I1", "8F1-8G0", "6H1-6I2", "7G1-7H4"} & moves


def test_perft_is_the_one_counted_by_hand() -> None:
    """The first tile, double or not, can be followed by a hundred lays or a pass; a first pass by 197 moves."""
    assert perft(GAME, GAME.initial(), 1) == 4 * 49 + 1
    assert perft(GAME, GAME.initial(), 2) == 4 * 49 * 101 + 197


@pytest.mark.parametrize(
    ("line", "text", "rule"),
    [
        ("8H1-8I2", "8H1-8G2", "occupied"),
        ("8H1-8I2", "5A1-5B2", "touches_nothing"),
        ("8H1-8I2", "7G1-6G2", "touches_nothing"),
        ("8H1-8I2", "8J3-8K4", "pips_differ"),
        ("8H1-8I2", "7H1-7I3", "pips_differ"),
        ("8H1-8I1 7H1-6H0", "7I1-7J3", "touches_two_tiles"),
        ("8H1-8I2 8G1-8F2 8E2-8D3", "8J2-8K1", "third_copy"),
        ("8H1-8I2 8J2-8K2", "8G1-8F3", "not_joined_to_double"),
    ],
)
def test_a_tile_that_may_not_lie_there_is_refused_with_its_rule(line: str, text: str, rule: str) -> None:
    position = played(line)
    assert refusal(position, text) == rule
    assert not {text, _reversed(text)} & texts(position)


def test_both_ends_may_touch_tiles_at_equal_numbers() -> None:
    """6J and 7J lie between the 5 on 5J and the 2 on 8J."""
    position = played("8H1-8I2 8J2-8K3 7H1-6H4 5H4-5I5 5J5-5K6")
    assert {"6J5-7J2", "6K6-7K3"} <= texts(position)
    assert not any(text.startswith("6J4") for text in texts(position))
    assert refusal(position, "6J4-7J2") == refusal(position, "6J5-7J3") == "pips_differ"


# Turns


def test_the_turn_goes_over_after_a_tile_with_unequal_ends() -> None:
    assert played("8H1-8I2").to_move == 1
    assert played("8H1-8I2 8J2-8K3").to_move == 0


def test_after_a_double_only_what_is_joined_to_it_may_follow_or_a_pass() -> None:
    position = played("8H1-8I2 8J2-8K2")
    assert position.to_move == 1
    assert position.open_double == Lay((CELLS.index("8J"), CELLS.index("8K")), (2, 2))
    moves = texts(position)
    assert {"8L2-8M4", "6K0-7K2", "pass"} <= moves
    assert not any("8G" in text for text in moves)
    assert played("8H1-8I2 8J2-8K2 pass").to_move == 0
    assert played("8H1-8I2 8J2-8K2 8L2-8M4").to_move == 0


def test_a_second_double_is_the_one_to_go_on_from() -> None:
    position = played("8H1-8I2 8J2-8K2 8L2-8M2")
    assert position.to_move == 1
    assert "8N2-8O5" in texts(position)
    assert refusal(position, "7K2-6K0") == "not_joined_to_double"


def test_a_double_to_which_no_tile_is_left_ends_the_turn_by_itself() -> None:
    text = "red;bag=0;holds=2,1;hand_red=2-2,3-4;hand_green=1-1;tiles=8H1-8I2"
    after = played("8J2-8K2", start=position_of(text))
    assert after.open_double is None
    assert after.to_move == 1


def test_the_same_double_stays_open_where_a_tile_in_hand_can_be_joined() -> None:
    text = "red;bag=0;holds=2,1;hand_red=2-2,2-4;hand_green=1-1;tiles=8H1-8I2"
    after = played("8J2-8K2", start=position_of(text))
    assert after.to_move == 0
    assert "8L2-8M4" in texts(after)
    assert not any(text.startswith("8G") for text in texts(after))


def test_who_begins_is_a_rule_or_shown_by_a_pass() -> None:
    green = dominoes(first="green").initial()
    assert (green.to_move, green.holds) == (1, (3, 4))
    assert played("pass").to_move == 1


# The bag and the hands


def test_at_the_start_all_tiles_are_dealt_and_the_mover_has_drawn() -> None:
    for seed in range(5):
        dealt = GAME.initial(seed)
        red, green, bag = dealt.hands[0] or (), dealt.hands[1] or (), dealt.order or ()
        assert (len(red), len(green), len(bag), dealt.bag) == (4, 3, 49, 49)
        assert set(Counter([*red, *green, *bag]).values()) == {2}
    assert GAME.initial(1) != GAME.initial(2)
    assert GAME.initial(1) == GAME.initial(1)


@pytest.mark.parametrize(
    ("line", "bag"),
    [
        ("", 49),
        ("8H1-8I2", 48),
        ("pass", 48),
        ("8H1-8I1", 49),
        ("8H1-8I1 pass", 48),
        ("8H1-8I1 8J1-8K3", 47),
        ("8H1-8I1 8J1-8K1", 49),
        ("8H1-8I1 8J1-8K1 8L1-8M4", 46),
        ("8H1-8I1 8J1-8K1 8L1-8M4 pass pass", 44),
    ],
)
def test_the_bag_is_counted_though_hands_are_hidden(line: str, bag: int) -> None:
    position = played(line)
    assert position.bag == bag
    mover = position.to_move
    assert position.holds[1 - mover] == 3
    assert position.holds[mover] == 4 - (len(position.tiles) if position.open_double else 0)


def test_with_known_hands_only_what_is_held_may_be_laid_or_put_away() -> None:
    dealt = position_of("red;hand_red=0-1,2-2,3-4,3-4;tiles=")
    moves = GAME.legal_moves(dealt)
    assert {move.tile for move in moves if isinstance(move, Lay)} == {(0, 1), (2, 2), (3, 4)}
    assert [move for move in moves if isinstance(move, Pass)] == [Pass((0, 1)), Pass((2, 2)), Pass((3, 4))]
    assert refusal(dealt, "8H0-8I0") == "not_in_hand"
    assert refusal(dealt, "pass") == "must_discard"
    assert refusal(dealt, "pass:6-6") == "not_in_hand"
    assert refusal(GAME.initial(), "pass:6-6") == "nothing_to_discard"


def test_a_passed_turn_puts_one_tile_away_and_the_other_side_draws() -> None:
    dealt = GAME.initial(3)
    red, green, order = dealt.hands[0] or (), dealt.hands[1] or (), dealt.order or ()
    after = GAME.apply(dealt, Pass(red[0]))
    assert after.hands == (red[1:], tuple(sorted((*green, order[-1]))))
    assert (after.order, after.bag, after.passes) == (order[:-1], 48, 1)


def test_after_two_tiles_of_a_turn_two_are_drawn() -> None:
    text = "red;bag=4;holds=4,3;hand_red=0-1,2-2,2-4,5-5;hand_green=0-0,1-1,6-6;bag_order=3-3,4-4,0-6,1-6;tiles=8H1-8I2"
    after = played("8J2-8K2 8L2-8M4", start=position_of(text))
    assert after.hands[0] == ((0, 1), (1, 6), (5, 5))
    assert after.hands[1] == ((0, 0), (0, 6), (1, 1), (6, 6))
    assert after.order == ((3, 3), (4, 4))


def test_a_view_hides_the_other_hand_and_the_bag() -> None:
    dealt = GAME.initial(3)
    for side in (0, 1):
        view = GAME.view(dealt, side)
        assert view.hands[side] == dealt.hands[side]
        assert view.hands[1 - side] is None
        assert view.order is None
        assert (view.bag, view.holds) == (dealt.bag, dealt.holds)
    assert set(GAME.legal_moves(GAME.view(dealt, 0))) == set(GAME.legal_moves(dealt))


def test_a_side_that_sees_a_tiles_copies_knows_that_the_other_does_not_hold_it() -> None:
    view = position_of("red;hand_green=1-3,1-3,2-2;tiles=8H1-8I2")
    assert "8G1-8F3" not in texts(view)
    assert not any(isinstance(move, Lay) and move.tile == (1, 3) for move in GAME.legal_moves(view))


def test_a_hand_is_made_known_and_what_it_draws_later_is_not() -> None:
    position = GAME.hold(GAME.initial(), 0, [(4, 3), (0, 0), (6, 6), (5, 1)])
    assert position.hands[0] == ((0, 0), (1, 5), (3, 4), (6, 6))
    after = played("8H3-8I4 8J4-8K5", start=position)
    assert after.hands[0] == ((0, 0), (1, 5), (6, 6))
    assert (after.holds[0], after.knows_hand(0)) == (4, False)
    # The fourth tile may be any, and nobody knows which tile a pass puts away.
    assert "8F2-8G3" in texts(after)
    assert played("pass", start=after).hands[0] is None
    with pytest.raises(PositionError, match="3-4"):
        GAME.hold(GAME.initial(), 0, [(3, 4)] * 3)
    with pytest.raises(PositionError, match="hand"):
        GAME.hold(GAME.initial(), 1, [(3, 4), (0, 1), (0, 2), (0, 3)])


def test_dealing_fills_in_what_is_hidden_and_keeps_what_is_known() -> None:
    seen = position_of("green;bag=30;holds=3,4;hand_green=0-0,1-1,2-2,3-3;tiles=8H1-8I2")
    dealt = GAME.deal(seen, 5)
    assert dealt.hands[1] == seen.hands[1]
    assert len(dealt.hands[0] or ()) == 3
    assert len(dealt.order or ()) == 30
    tiles = Counter([(1, 2), *(dealt.hands[0] or ()), *(dealt.hands[1] or ()), *(dealt.order or ())])
    assert max(tiles.values()) == 2
    assert dataclasses.replace(dealt, hands=seen.hands, order=None) == seen


# Points


def gains(position: Position, text: str) -> tuple[Gain, Gain]:
    return GAME.gains(position, GAME.parse_move(position, text))


def test_a_diamond_counts_for_the_mover_and_twice_under_a_double() -> None:
    assert gains(position_of("red;tiles=8H1-8I2"), "8J2-7J3") == (Gain(), Gain())
    beside = "8H1-8I2,7I2-6I4"
    assert DIAMONDS[CELLS.index("5I")] == 1
    assert gains(position_of(f"red;tiles={beside}"), "5I4-5J6") == (Gain(1), Gain())
    assert gains(position_of(f"green;tiles={beside}"), "5I4-5J4") == (Gain(), Gain(2))


def test_the_bonus_goes_to_both_pawns_once_a_tile_by_the_spaces_before_the_move() -> None:
    """Space 4 shows a 4, space 17 a 5; values that the pawns pass on their way do not count."""
    position = position_of("red;pawns=4,4;tiles=8H1-8I2,7I2-6I4")
    assert gains(position, "5I4-5J4") == (Gain(2, 3), Gain(0, 3))
    assert GAME.apply(position, GAME.parse_move(position, "5I4-5J4")).pawns == (9, 7)
    assert gains(position_of("red;pawns=0,17;tiles=8H1-8I2,7I2-6I4"), "5I4-5J5") == (Gain(1), Gain(0, 3))
    # A pawn at the start is on no value, not even that of the last space.
    assert gains(position_of("red;pawns=0,0;tiles=8H0-8I2"), "8G0-8F0") == (Gain(), Gain())


WORKED_EXAMPLE = [
    ("7H2-8H1", (0, 0)),
    ("5H2-6H2", (0, 0)),
    ("pass", (0, 0)),
    ("4G1-5G2", (0, 1)),
    ("5I2-5J3", (1, 1)),
    ("3F6-4F1", (4, 6)),
    ("pass", (4, 6)),
    ("2E6-2F6", (4, 17)),
    ("1D5-2D6", (4, 24)),
]
"""Seven tiles of one game, in which green begins; red passes after its double, and again before the last two tiles."""


def test_the_worked_example_ends_with_the_pawns_on_spaces_4_and_24() -> None:
    game = dominoes(first="green")
    position, movers = game.initial(), []
    for text, pawns in WORKED_EXAMPLE:
        if text != "pass":
            movers.append(game.sides[position.to_move])
        position = game.apply(position, game.parse_move(position, text))
        assert position.pawns == pawns, text
    assert movers == ["green", "red", "green", "red", "green", "green", "green"]


def annotated(folder: Path, game: int) -> list[tuple[str, int, int]]:
    """The move text, the mover and the mover's points of every annotated photo of a game."""
    movers = dict(re.findall(r"(\d_\d\d)\.jpg player(\d)", (folder / f"{game}_mutari.txt").read_text()))
    found = []
    for photo, player in sorted(movers.items()):
        first, second, points = (folder / f"{photo}.txt").read_text().split("\n")[:3]
        text = f"{first}-{second}".replace(" ", "")
        found.append((text, int(player) - 1, int(points)))
    return found


def test_the_annotated_moves_are_legal_and_bring_the_annotated_points(real_data: Path) -> None:
    moves = 0
    for number in range(1, 6):
        line = annotated(real_data / "dominoes", number)
        game = dominoes(first=GAME.sides[line[0][1]])
        position = game.initial()
        for text, mover, points in line:
            if mover != position.to_move:
                position = game.apply(position, Pass())
            move = game.parse_move(position, text)
            assert game.gains(position, move)[mover].total == points, f"game {number}, {text}"
            position = game.apply(position, move)
            moves += 1
    assert moves == 100


# The end


def test_the_first_pawn_on_the_last_space_wins_at_once_and_stays_there() -> None:
    position = position_of("red;pawns=98,99;tiles=8H1-8I2,7I2-6I4")
    after = played("5I4-5J4", start=position)
    assert after.pawns == (100, 99)
    assert GAME.outcome(after) == Outcome(0, "space_100", (100, 99))
    assert GAME.legal_moves(after) == []
    with pytest.raises(MoveError) as refused:
        GAME.apply(after, Pass())
    assert refused.value.rule == "game_over"


def test_the_bonus_alone_may_bring_the_other_pawn_to_the_end() -> None:
    """Space 98 shows a 6."""
    after = played("8G6-8F1", start=position_of("red;pawns=10,98;tiles=8H6-8I2"))
    assert GAME.outcome(after) == Outcome(1, "space_100", (10, 100))


def test_both_pawns_on_the_last_space_by_one_tile_are_a_draw() -> None:
    after = played("8G6-8F1", start=position_of("red;pawns=98,98;tiles=8H6-8I2"))
    assert GAME.outcome(after) == Outcome(None, "space_100", (100, 100))


@pytest.mark.parametrize(("pawns", "winner"), [("9,8", 0), ("8,9", 1), ("9,9", None)])
def test_with_an_empty_bag_and_nothing_to_lay_more_points_win(pawns: str, winner: int | None) -> None:
    stuck = position_of(f"red;pawns={pawns};bag=0;holds=1,1;hand_red=3-4;hand_green=5-6;tiles=8H1-8I2")
    outcome = GAME.outcome(stuck)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (winner, "nothing_to_lay")


def test_the_game_goes_on_while_one_side_can_lay() -> None:
    position = position_of("red;bag=0;holds=1,1;hand_red=3-4;hand_green=2-6;tiles=8H1-8I2")
    assert texts(position) == {"pass"}
    after = played("pass 8J2-8K6", start=position)
    assert after.holds == (1, 0)
    assert GAME.outcome(after) == Outcome(None, "nothing_to_lay", (0, 0))


def test_the_game_goes_on_while_the_bag_has_tiles_though_neither_can_lay() -> None:
    position = position_of("red;bag=1;hand_red=3-4,3-5,3-6,4-4;hand_green=5-6,5-5,6-6;tiles=8H1-8I2")
    assert GAME.outcome(position) is None
    assert all(isinstance(move, Pass) for move in GAME.legal_moves(position))


def test_with_hidden_hands_two_passes_in_a_row_end_the_game_once_the_bag_is_empty() -> None:
    position = position_of("red;bag=0;holds=3,3;tiles=8H1-8I2")
    assert GAME.outcome(played("pass", start=position)) is None
    assert GAME.outcome(played("pass 8J2-8K3 pass", start=position)) is None
    assert GAME.outcome(played("pass pass", start=position)) == Outcome(None, "nothing_to_lay", (0, 0))
    assert GAME.outcome(played("pass pass pass pass")) is None


def test_with_empty_hands_hidden_or_not_nothing_can_be_laid() -> None:
    after = played("8J2-8K3 8L3-8M4", start=position_of("red;bag=0;holds=1,1;tiles=8H1-8I2"))
    assert after.holds == (0, 0)
    assert GAME.outcome(after) == Outcome(None, "nothing_to_lay", after.pawns)


def test_a_played_game_is_the_recorded_one() -> None:
    lines = (DATA / "double_double_dominoes.playthrough").read_text().splitlines()
    plies = [line for line in lines if line and not line.startswith("#")]
    assert len(plies) > 50
    position = GAME.initial(2)
    assert f"# {GAME.format_position(position)}" in lines
    for line in plies:
        ply, side, text, *after = line.split()
        assert side == GAME.sides[position.to_move]
        position = GAME.apply(position, GAME.parse_move(position, text))
        assert after == summary(position), f"ply {ply}"
    assert f"# {GAME.format_position(position)}" in lines
    outcome = GAME.outcome(position)
    assert outcome is not None
    assert f"# {outcome.reason}, winner {outcome.winner}, {outcome.scores}" in lines


def summary(position: Position) -> list[str]:
    """The words after the move in a line of the recorded game."""
    hands = ["".join(f"{low}{high}," for low, high in hand or ()).rstrip(",") or "-" for hand in position.hands]
    return [f"{position.pawns[0]}:{position.pawns[1]}", f"bag={position.bag}", *hands]


def test_tiles_are_named_as_people_do() -> None:
    named = [str(tile_named(*tile)) for tile in ("35", "66", "00", "04")]
    assert named == ["three-five", "double six", "double blank", "blank-four"]
