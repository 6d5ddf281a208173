"""Faults named for boards that no turn of Double Double Dominoes leads to."""

from __future__ import annotations

import pytest

from games.double_double_dominoes import CELLS, DoubleDoubleDominoes, Position
from rules import EMPTY, Fault
from rules.turns import begins_turn, line_of_play

GAME = DoubleDoubleDominoes()
LINE = ["8H1-8I2", "8J2-8K3", "7H1-6H4"]
PLAYED: Position = line_of_play(GAME, LINE)[-1]
"""Green is to move: 1-2 on 8H and 8I, 2-3 on 8J and 8K, 1-4 on 7H and 6H."""
DOUBLE: Position = line_of_play(GAME, [*LINE, "8L3-8M3"])[-1]
"""Green has just laid the double 3-3 on 8L and 8M."""


def after(position: Position, changes: str) -> str:
    """The board with other letters on some cells: `8L3 8M5 7H.`."""
    board = list(position.board)
    for change in changes.split():
        board[CELLS.index(change[:-1])] = change[-1]
    return "".join(board)


def judged(position: Position, changes: str) -> Fault:
    board = after(position, changes)
    assert not begins_turn(GAME, position, board)
    return GAME.fault(position, board)


def names(fault: Fault) -> str:
    return " ".join(CELLS[cell] for cell in fault.cells)


@pytest.mark.parametrize(
    ("changes", "rule", "cells", "said"),
    [
        ("2B3 2C4", "touches_nothing", "2B 2C", "touches no other tile. Take the 3-4 from 2B and 2C away."),
        ("7G3 6G4", "pips_differ", "6G 7G", "The 3 on 7G lies beside the 1 on 7H"),
        ("8L4 8M3", "pips_differ", "8L 8M", "The 4 on 8L lies beside the 3 on 8K, and ends that touch must be equal."),
        ("8L4 8M3", "pips_differ", "8L 8M", "Take the 3-4 from 8L and 8M away."),
        ("7I2 7J2", "pips_differ", "7I 7J", "The 2 on 7I lies beside the 1 on 7H"),
        ("5H4 5I6 3K1 4K1", "touches_nothing", "3K 4K", "The tile on 3K and 4K touches no other tile."),
        ("8L3 8M1 8N2 8O2", "pips_differ", "8N 8O", "The 2 on 8N lies beside the 1 on 8M"),
        ("8M3", "not_a_tile", "8M", "The 3 on 8M is half a tile. A tile lies on two cells side by side."),
        ("8L3 9N3", "not_a_tile", "8L 9N", "The 3 on 8L and the 3 on 9N are no whole tile."),
        ("8L3 8M4 8N4", "not_a_tile", "8L 8M 8N", "8L, 8M and 8N are no whole tiles."),
        ("8L3 8M4 2B4", "not_a_tile", "2B", "The 4 on 2B is half a tile."),
        ("1A3 1B4 1C4 1D4 1E4 1F4 1G4 1H4 1I4", "several_tiles", "1A 1B 1C 1D 1E 1F 1G 1H 1I", "one by one"),
        ("5H4 5I6 8L3 8M5", "several_tiles", "5H 5I 8L 8M", "Green laid 2 tiles at once, on 5H, 5I, 8L and 8M."),
        # Two tiles 3-4 may lie there side by side, but not a 3-3 and a 4-4 across.
        ("8L3 8M4 9L3 9M4", "several_tiles", "8L 8M 9L 9M", "Green laid 2 tiles at once"),
        ("8J. 8K.", "tile_removed", "8J 8K", "A tile is missing: put it back, the 2-3 on 8J and 8K."),
        ("8J.", "tile_removed", "8J", "the 2-3 on 8J and 8K"),
        ("6H. 7H. 8K.", "tile_removed", "6H 7H 8K", "put them back, the 1-4 on 6H and 7H and the 2-3 on 8J and 8K."),
        ("8J. 8K. 8L2 8M3", "tile_moved", "8J 8K 8L 8M", "from 8J and 8K to 8L and 8M. Put it back on 8J and 8K."),
        ("8J. 8K2 8L3", "tile_moved", "8J 8K 8L", "The 2-3 was moved from 8J and 8K to 8K and 8L."),
        ("8J. 8K. 8L2 8M4", "tiles_rearranged", "8J 8K 8L 8M", "Take what lies on 8L and 8M away. Put the 2-3 on 8J"),
        ("8K5", "tile_changed", "8K", "The 2-3 on 8J and 8K now shows a 5 on 8K. Put it back as it was."),
        ("8J3 8K2", "tile_changed", "8J 8K", "now shows a 3 on 8J and a 2 on 8K."),
        ("7H5 8K5", "tile_changed", "7H 8K", "The 1-4 on 6H and 7H and the 2-3 on 8J and 8K now show a 5 on 7H"),
        ("8J. 8K5", "tiles_rearranged", "8J 8K", "Put the 2-3 on 8J and 8K back."),
        ("", "unexplained", "", "Nothing has changed on the board. It is green's turn."),
    ],
)
def test_every_wrong_board_is_named(changes: str, rule: str, cells: str, said: str) -> None:
    fault = judged(PLAYED, changes)
    assert (fault.rule, names(fault)) == (rule, cells)
    assert said in fault.text


def test_the_first_tile_beside_the_star_is_named() -> None:
    fault = judged(GAME.initial(), "7G3 7H4")
    assert (fault.rule, names(fault)) == ("not_on_star", "7G 7H")
    assert fault.text == "The first tile covers the star on 8H, not 7G and 7H. Take the 3-4 from 7G and 7H away."


def test_a_third_copy_is_named_with_the_places_of_the_two() -> None:
    position = line_of_play(GAME, ["8H1-8I2", "8G1-8F2", "8E2-8D3"])[-1]
    fault = judged(position, "8J2 8K1")
    assert (fault.rule, names(fault)) == ("third_copy", "8J 8K")
    assert "Both tiles 1-2 lie already, on 8F and 8G and on 8H and 8I." in fault.text


def test_an_end_beside_two_tiles_is_named() -> None:
    position = line_of_play(GAME, ["8H1-8I1", "7H1-6H0"])[-1]
    fault = judged(position, "7I1 7J3")
    assert fault.rule == "touches_two_tiles"
    assert "The end on 7I touches two tiles, on 7H and 8I." in fault.text


def test_a_tile_away_from_the_double_just_laid_is_named() -> None:
    assert DOUBLE.open_double is not None
    fault = judged(DOUBLE, "5H4 5I6")
    assert (fault.rule, names(fault)) == ("not_joined_to_double", "5H 5I")
    assert "The 4-6 on 5H and 5I is not joined to the 3-3 on 8L and 8M just laid." in fault.text


def test_a_tile_that_the_known_hand_does_not_hold_is_named() -> None:
    position = GAME.parse_position("red;hand_red=0-0,0-1,0-2,0-3;tiles=8H1-8I2")
    fault = judged(position, "8J2 8K2")
    assert fault.rule == "not_in_hand"
    assert "Red does not hold the 2-2." in fault.text


def test_a_tile_laid_after_the_end_is_named() -> None:
    position = GAME.parse_position("red;pawns=100,3;tiles=8H1-8I2")
    fault = judged(position, "8J2 8K2")
    assert (fault.rule, fault.text) == ("game_over", "The game is over. Take what lies on 8J and 8K away.")


def test_a_swept_board_has_a_sentence_of_bearable_length() -> None:
    position = GAME.initial(4)
    while (lays := [move for move in GAME.legal_moves(position) if GAME.steps(position, move)]) and len(
        position.tiles
    ) < 30:
        position = GAME.apply(position, lays[0])
    fault = GAME.fault(position, EMPTY * len(CELLS))
    assert fault.rule == "tile_removed"
    assert len(fault.text) <= 512
    assert len(fault.cells) == 2 * len(position.tiles)
