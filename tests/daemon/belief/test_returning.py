"""Takebacks, men that are lifted, and turns that hands finish late."""

from __future__ import annotations

import pytest

import games
from daemon.belief.belief import Belief
from daemon.belief.deciding import Moved, Right, Unfinished
from rules import AnyGame
from rules.turns import boards_of_turn
from tests.daemon.belief.table import BeliefTable, plies_of
from tests.daemon.readings import board_with

MORRIS = games.load("morris")
CHESS = games.load("chess")


def boards(game: AnyGame, *moves: str) -> list[str]:
    start = game.initial()
    return [game.board(start), *(game.board(ply.position) for ply in plies_of(game, moves))]


def shown(game: AnyGame, *moves: str, seconds: float = 0.6) -> BeliefTable:
    table = BeliefTable(game)
    for board in boards(game, *moves):
        table.stand(board, seconds)
    assert table.moves == list(moves)
    table.decisions.clear()
    return table


def changed(game: AnyGame, board: str, **cells: str) -> str:
    return "".join(cells.get(name, letter) for name, letter in zip(game.cells, board, strict=True))


def test_one_ply_and_several_are_taken_back_and_the_game_goes_on() -> None:
    table = shown(MORRIS, "a7", "b6", "d7", "b4", "d3")
    made = boards(MORRIS, "a7", "b6", "d7", "b4", "d3")
    table.stand(made[4])
    assert table.moves == ["a7", "b6", "d7", "b4"]
    table.stand(made[1])
    assert table.moves == ["a7"]
    table.stand(boards(MORRIS, "a7", "f4")[-1])
    assert table.moves == ["a7", "f4"]
    undone = [len(one.undone) for one in table.decisions if isinstance(one, Moved)]
    assert undone == [1, 3, 0]


def test_plies_that_were_taken_back_are_made_again_all_at_once() -> None:
    made = boards(MORRIS, "a7", "b6", "d7", "b4", "d3")
    table = shown(MORRIS, "a7", "b6", "d7", "b4", "d3")
    table.stand(made[1])
    table.stand(made[5])
    assert table.moves == ["a7", "b6", "d7", "b4", "d3"]


def test_a_man_that_is_lifted_and_put_back_changes_nothing() -> None:
    table = shown(CHESS, "e4", "e5")
    board = boards(CHESS, "e4", "e5")[-1]
    table.stand(changed(CHESS, board, g1="."), 3)
    assert [type(one) for one in table.decisions] == [Unfinished]
    table.stand(board)
    assert table.moves == ["e4", "e5"]
    assert [type(one) for one in table.decisions] == [Unfinished, Right]


def test_what_was_half_of_a_takeback_is_one() -> None:
    """Men are lifted one after the other, not the last one first."""
    table = shown(MORRIS, "a7", "b6", "d7", "b4", "d3", "g1")
    last, before = boards(MORRIS, "a7", "b6", "d7", "b4", "d3", "g1")[-1], boards(MORRIS, "a7", "b6", "d7", "b4")[-1]
    table.stand(changed(MORRIS, last, d3="."), 1.5)
    assert table.decisions == []
    table.stand(before)
    assert table.moves == ["a7", "b6", "d7", "b4"]


@pytest.mark.parametrize(
    ("moves", "rook", "answer", "sides"),
    [
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", "Rf1", "Nf6", "O-O"),
        ("d4 d5 Nc3 Nc6 Bf4 Bf5 Qd3 e6", "Rd1", "Nf6", "O-O-O"),
        ("e4 e5 Nf3 Nf6 Bc4 Bc5 d3", "Rf8", "Nc3", "O-O"),
        ("d4 d5 Nc3 Nc6 Bf4 Bf5 e3 Qd7 Be2", "Rd8", "Nf3", "O-O-O"),
    ],
)
def test_the_rook_follows_when_the_other_side_has_answered(moves: str, rook: str, answer: str, sides: str) -> None:
    """Each order of king and rook, the answer between them."""
    before = moves.split()
    for order in (0, 1):
        table = shown(CHESS, *before)
        position = plies_of(CHESS, before)[-1].position
        whole = CHESS.parse_move(position, sides)
        parts = [
            {CHESS.cells[step.origin or 0]: ".", CHESS.cells[step.cell]: step.piece}
            for step in CHESS.steps(position, whole)
        ]
        first, second = parts[order], parts[1 - order]
        after = CHESS.apply(position, whole)
        answered = CHESS.board(CHESS.apply(after, CHESS.parse_move(after, answer)))
        table.stand(changed(CHESS, CHESS.board(position), **first), 2.4)
        half = changed(CHESS, CHESS.board(position), **first)
        reply = {
            name: answered[cell] for cell, name in enumerate(CHESS.cells) if answered[cell] != CHESS.board(after)[cell]
        }
        assert table.moves[len(before) :] == ([] if order == 0 else [rook])
        table.decisions.clear()
        table.stand(changed(CHESS, half, **reply), 4)
        if order == 0:
            assert table.moves == [*before, sides, answer]
            (asked,) = [one for one in table.decisions if isinstance(one, Unfinished)]
            assert {CHESS.cells[step.cell] for step in asked.missing} == set(second) - {
                name for name in second if second[name] == "."
            }
        table.stand(answered)
        assert table.moves == [*before, sides, answer]


def test_a_captured_man_is_taken_away_two_plies_later() -> None:
    game = games.load("draughts")
    position = game.parse_position("W:W18,31,32:B15,1,2")
    table, moves = BeliefTable(game), ["18x11", "1-5", "31-27"]
    table.belief = Belief.at(game, position)
    table.stand(game.board(position))
    for text in moves:
        position = game.apply(position, game.parse_move(position, text))
        board = game.board(position)
        table.stand(changed(game, board, **{"15": "B"}), 1.2)
    assert table.moves == moves
    table.stand(changed(game, board, **{"15": "B"}), 3)
    (asked,) = [one for one in table.decisions if isinstance(one, Unfinished)]
    assert [(step.kind, game.cells[step.cell]) for step in asked.missing] == [("remove", "15")]
    table.stand(board)
    assert table.moves == moves
    assert table.belief.standing.state == "right"


def cells(game: AnyGame, position: object, move: object) -> set[int | None]:
    return {cell for step in game.steps(position, move) for cell in (step.cell, step.origin)}


def test_the_removal_of_a_mill_comes_when_the_other_side_has_moved() -> None:
    table = shown(MORRIS, "a7", "b6", "d7", "b4")
    half = board_with(MORRIS, W="a7 d7 g7", B="b6 b4")
    table.stand(half, 3)
    (asked,) = [one for one in table.decisions if isinstance(one, Unfinished)]
    assert [step.kind for step in asked.missing] == ["remove"]
    assert len(asked.moves) == 2
    table.stand(board_with(MORRIS, W="a7 d7 g7", B="b6 b4 f4"), 3)
    assert table.moves == ["a7", "b6", "d7", "b4"]
    table.stand(board_with(MORRIS, W="a7 d7 g7", B="b4 f4"))
    assert table.moves == ["a7", "b6", "d7", "b4", "g7xb6", "f4"]


def test_discs_are_turned_when_the_other_side_has_answered() -> None:
    game = games.load("reversi")
    table, position = BeliefTable(game), game.initial()
    first = game.legal_moves(position)[0]
    table.stand(game.board(position))
    after = game.apply(position, first)
    half = boards_of_turn(game, position, first)[0]
    table.stand(half, 3)
    assert [type(one) for one in table.decisions] == [Right, Unfinished]
    flipped = next(step.cell for step in game.steps(position, first) if step.kind == "flip")
    answer = next(one for one in game.legal_moves(after) if flipped not in cells(game, after, one))
    both = game.board(game.apply(after, answer))
    table.stand(both[:flipped] + half[flipped] + both[flipped + 1 :], 1)
    assert table.moves == [game.format_move(position, first), game.format_move(after, answer)]
    table.stand(both)
    assert table.belief.standing.state == "right"
