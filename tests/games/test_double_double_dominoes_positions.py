"""Texts of positions and moves of Double Double Dominoes, and invariants of every game."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.double_double_dominoes import DoubleDoubleDominoes, Lay, Move, Pass, Position, Tile
from games.double_double_dominoes.board import NEIGHBOURS
from rules import MoveError, PositionError

GAME = DoubleDoubleDominoes()

SEEDS = st.integers(0, 2**32)


def random_line(start: Position, seed: int, passing: float = 0.15) -> list[tuple[Position, Move]]:
    """Every position of a random game but the last, each with the move made in it."""
    draw, position, line = random.Random(seed), start, []
    while moves := GAME.legal_moves(position):
        lays = [move for move in moves if isinstance(move, Lay)]
        move = draw.choice(lays) if lays and draw.random() > passing else draw.choice(moves)
        line.append((position, move))
        position = GAME.apply(position, move)
    return line


def tiles_of(position: Position) -> list[Tile]:
    """Every tile that is laid, or known in a hand or the bag."""
    hidden = [tile for tiles in (*position.hands, position.order) for tile in tiles or ()]
    return [lay.tile for lay in position.tiles] + hidden


@settings(max_examples=25)
@given(seed=SEEDS, dealt=st.booleans())
def test_pawns_stand_where_the_gains_bring_them(seed: int, dealt: bool) -> None:
    pawns = [0, 0]
    for position, move in random_line(GAME.initial(seed if dealt else None), seed):
        assert list(position.pawns) == pawns
        pawns = [min(100, pawn + gain.total) for pawn, gain in zip(pawns, GAME.gains(position, move), strict=True)]


@settings(max_examples=25)
@given(seed=SEEDS)
def test_no_tile_is_there_more_than_twice_and_none_comes_out_of_nothing(seed: int) -> None:
    discards = 0
    for position, move in random_line(GAME.initial(seed), seed):
        tiles = tiles_of(position)
        assert len(tiles) + discards == 56
        assert max(Counter(tiles).values()) <= 2
        assert all(position.laid(lay.tile) <= 2 for lay in position.tiles)
        assert all(position.knows_hand(side) for side in (0, 1))
        discards += isinstance(move, Pass) and move.discard is not None


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_same_line_with_hidden_hands_leaves_as_many_tiles_in_the_bag(seed: int) -> None:
    """A known hand that cannot continue from its double ends the turn by itself; a hidden one has to pass."""
    hidden = GAME.initial()
    for position, move in random_line(GAME.initial(seed), seed):
        if hidden.to_move != position.to_move:
            assert hidden.open_double is not None
            hidden = GAME.apply(hidden, Pass())
        assert (hidden.bag, hidden.holds, hidden.pawns) == (position.bag, position.holds, position.pawns)
        assert (hidden.to_move, hidden.passes, hidden.board) == (position.to_move, position.passes, position.board)
        seen = Pass() if isinstance(move, Pass) else move
        assert seen in GAME.legal_moves(hidden)
        hidden = GAME.apply(hidden, seen)


@settings(max_examples=15)
@given(seed=SEEDS)
def test_a_view_allows_what_the_hand_allows_and_more(seed: int) -> None:
    for position, move in random_line(GAME.initial(seed), seed)[::5]:
        mover = position.to_move
        assert move in GAME.legal_moves(GAME.view(position, mover))
        theirs = set(GAME.legal_moves(GAME.view(position, 1 - mover)))
        assert {lay for lay in GAME.legal_moves(position) if isinstance(lay, Lay)} <= theirs


@settings(max_examples=10)
@given(seed=SEEDS, dealt=st.booleans())
def test_legal_lays_are_those_that_break_no_rule(seed: int, dealt: bool) -> None:
    """Compares the fast generator with checking the rules one by one, on all kinds of lays near the tiles."""
    draw = random.Random(seed)
    for position, _ in random_line(GAME.initial(seed if dealt else None), seed)[::8]:
        legal = set(GAME.legal_moves(position))
        near = {cell for lay in position.tiles for cell in lay.cells} or {112}
        near |= {beside for cell in near for beside in NEIGHBOURS[cell]}
        for _ in range(200):
            first = draw.choice(sorted(near))
            second = draw.choice(NEIGHBOURS[first])
            lay = Lay((min(first, second), max(first, second)), (draw.randrange(7), draw.randrange(7)))
            try:
                GAME.apply(position, lay)
            except MoveError:
                assert lay not in legal
            else:
                assert lay in legal


@settings(max_examples=25)
@given(seed=SEEDS, dealt=st.booleans())
def test_a_position_is_its_text(seed: int, dealt: bool) -> None:
    for position, _ in random_line(GAME.initial(seed if dealt else None), seed)[::4]:
        for one in (position, GAME.view(position, 0), GAME.view(position, 1)):
            parsed = GAME.parse_position(GAME.format_position(one))
            assert parsed == one
            assert hash(parsed) == hash(one)
            assert sorted(parsed.tiles) == sorted(one.tiles)
            assert " " not in GAME.format_position(one)


def test_positions_are_equal_by_whatever_way_they_came_about() -> None:
    first = play(["8H1-8I2", "8J2-8K0", "8F0-8G1", "6H4-7H1"])
    other = play(["8H1-8I2", "6H4-7H1", "8F0-8G1", "8J2-8K0"])
    assert first == other
    assert hash(first) == hash(other)
    assert first.tiles != other.tiles
    assert GAME.format_position(first) == GAME.format_position(other)
    assert first != play(["8H1-8I2", "8J2-8K0", "8F0-8G1", "6H3-7H1"])
    assert first != play(["8H1-8I2", "8J2-8K0", "8F0-8G1", "pass"])


def play(texts: list[str]) -> Position:
    position = GAME.initial()
    for text in texts:
        position = GAME.apply(position, GAME.parse_move(position, text))
    return position


def test_a_text_says_all_there_is_to_a_position() -> None:
    position = play(["8H1-8I2", "8J2-8K2"])
    text = "green;pawns=0,0;bag=48;holds=3,3;double=8J2-8K2;tiles=8H1-8I2,8J2-8K2"
    assert GAME.format_position(position) == text
    assert GAME.format_position(play(["pass"])) == "green;pawns=0,0;bag=48;holds=3,4;passes=1;tiles="


def test_what_a_text_leaves_out_is_as_at_the_start() -> None:
    assert GAME.parse_position("red") == GAME.initial()
    position = GAME.parse_position("green;tiles=8I2-8H1")
    assert (position.holds, position.bag, position.hands) == ((3, 4), 48, (None, None))
    assert position == play(["8H1-8I2"])
    assert GAME.parse_position("red;hand_red=4-3,1-0").hands == (((0, 1), (3, 4)), None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("blue", "red or green"),
        ("red;colour=1", "with the names"),
        ("red;bag=1;bag=2", "with the names"),
        ("red;tiles=8H1-8I", "no tile on the board"),
        ("red;tiles=8H1-8P2", "no tile on the board"),
        ("red;tiles=8H7-8I1", "no tile on the board"),
        ("red;tiles=16H1-8H1", "no tile on the board"),
        ("red;tiles=8H1-8J2", "side by side"),
        ("red;tiles=8O1-9A2", "side by side"),
        ("red;tiles=8H1-8I2,8I2-8J3", "two tiles lie on one cell"),
        ("red;tiles=7G1-7H2", "no tile covers the star"),
        ("red;tiles=8H1-8I2,1A1-1B2", "hang together"),
        ("red;tiles=8H1-8I2,8J3-8K2", "unequal ends"),
        ("red;tiles=8H1-8I2,8J2-8K1,8L1-8M2", "only 2 tiles 1-2"),
        ("red;tiles=8H1-8I2;double=8H1-8I2", "is no double"),
        ("red;tiles=8H1-8I2;double=8J2-8K2", "is no double"),
        ("red;pawns=101,0", "0 to 100"),
        ("red;pawns=1", "is no number"),
        ("red;holds=5,3", "0 to 4"),
        ("red;bag=-1", "is no number"),
        ("red;bag=50", "more than 56 tiles"),
        ("red;hand_red=1-7", "no tile"),
        ("red;hand_red=1-1,1-1,1-1", "only 2 tiles 1-1"),
        ("red;hand_green=1-1,1-2,1-3,1-4", "more tiles than it holds"),
        ("red;bag=1;bag_order=1-1,1-2", "bag_order has 2 tiles"),
    ],
)
def test_a_text_that_is_no_position_says_why(text: str, said: str) -> None:
    with pytest.raises(PositionError, match=said):
        GAME.parse_position(text)


@pytest.mark.parametrize("text", ["8I1-8H6", "8h6-8i1", " 8H6-8I1 "])
def test_a_move_is_read_either_end_first_and_in_small_letters(text: str) -> None:
    move = GAME.parse_move(GAME.initial(), text)
    assert move == Lay((112, 113), (6, 1))
    assert GAME.format_move(GAME.initial(), move) == "8H6-8I1"


@pytest.mark.parametrize("text", ["8H6", "8H6-9I1", "8H6-8I7", "pass:7-1", "pass:", "passes", "8H6-8I1-8J1"])
def test_a_text_that_is_no_move_says_what_moves_look_like(text: str) -> None:
    with pytest.raises(MoveError, match="moves look like") as refused:
        GAME.parse_move(GAME.initial(), text)
    assert refused.value.rule == "not_a_move"
