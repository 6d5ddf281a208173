"""What no line allows is reported with its rule, never believed; what nobody saw is found."""

from __future__ import annotations

import random

import pytest

import games
from daemon.belief.belief import Belief
from daemon.belief.deciding import Moved, Right, Unfinished, Wrong
from rules import AnyGame
from tests.daemon.belief.table import BeliefTable, plies_of, texts
from tests.daemon.belief.test_returning import boards, changed, shown
from tests.daemon.readings import board_with
from tests.daemon.test_reopening import LATER, NEARLY, PLAIN, POINT

MORRIS = games.load("morris")


def test_an_illegal_move_is_reported_with_its_rule_and_cells_and_put_back() -> None:
    table = shown(MORRIS, "d2")
    table.stand(board_with(MORRIS, W="d2 a1"))
    (wrong,) = table.decisions
    assert isinstance(wrong, Wrong)
    assert (wrong.kind, wrong.rule, [MORRIS.cells[cell] for cell in wrong.cells]) == (
        "illegal",
        "not_your_turn",
        ["a1"],
    )
    table.stand(board_with(MORRIS, W="d2"))
    assert [type(one) for one in table.decisions] == [Wrong, Right]
    assert table.moves == ["d2"]


def test_two_men_laid_at_once_are_called_so_not_a_ply_and_a_man_out_of_turn() -> None:
    table = shown(MORRIS, "d2", "f4")
    table.stand(board_with(MORRIS, W="d2 a1 g7", B="f4"))
    (wrong,) = table.decisions
    assert isinstance(wrong, Wrong)
    assert (wrong.kind, wrong.rule, len(wrong.cells)) == ("illegal", "two_men_laid", 2)


def test_nothing_is_said_of_a_board_under_a_hand_or_of_a_passing_one() -> None:
    table = shown(MORRIS, "d2")
    table.stand(board_with(MORRIS, W="d2 a1"), 5, free=False)
    table.stand(board_with(MORRIS, W="d2"), 0.2)
    table.stand(board_with(MORRIS, W="d2 a1"), 0.6)
    assert table.decisions == []


def test_a_strange_board_is_told_in_the_end_however_seldom_it_is_free() -> None:
    table = shown(MORRIS, "d2")
    table.stand(board_with(MORRIS, W="d2 a1"), 6, free=False)
    assert table.decisions == []
    table.stand(board_with(MORRIS, W="d2 a4"), 2, free=False)
    assert [type(one) for one in table.decisions] == [Wrong]
    table.stand(board_with(MORRIS, W="d2"))
    assert [type(one) for one in table.decisions] == [Wrong, Right]


def test_a_fault_is_told_once_though_a_hand_covers_it_meanwhile() -> None:
    table = shown(MORRIS, "d2")
    wrong, cell = board_with(MORRIS, W="d2 a1"), MORRIS.cells.index("a1")
    table.stand(wrong)
    table.stand(wrong, hidden=[cell], free=False)
    table.stand(wrong, hidden=[cell])
    table.stand(wrong)
    assert [type(one) for one in table.decisions] == [Wrong]
    table.stand(board_with(MORRIS, W="d2"))
    assert [type(one) for one in table.decisions] == [Wrong, Right]


def test_a_board_knocked_about_is_another_position() -> None:
    table = shown(MORRIS, "d2", "f4", "b6")
    table.stand(board_with(MORRIS, W="a7 a1", B="g7 g1 d1"))
    (wrong,) = table.decisions
    assert isinstance(wrong, Wrong)
    assert wrong.kind == "desync"
    table.stand(board_with(MORRIS, W="d2 b6", B="f4"))
    assert table.moves == ["d2", "f4", "b6"]


def test_a_disc_that_nobody_laid_is_told_once_and_the_game_goes_on_over_it() -> None:
    game = games.load("reversi")
    start, *played = boards(game, "f5", "f6", "e6", "f4")
    table = BeliefTable(game)
    for board in (start, played[0]):
        table.stand(board)
    seen = [changed(game, board, h3="B") for board in played[1:]]
    table.stand(seen[0])
    assert (table.moves, [type(one) for one in table.decisions]) == (["f5"], [Right, Moved, Wrong])
    table.stand(seen[1], 5)
    assert (table.moves, table.board) == (["f5", "f6", "e6"], played[2])
    assert [ply.assumed for ply in table.belief.told.plies] == [False, True, False]
    table.stand(seen[2], 5)
    assert (table.moves, table.board) == (["f5", "f6", "e6", "f4"], played[3])
    table.stand(played[3])
    assert [type(one) for one in table.decisions] == [Right, Moved, Wrong, Moved, Unfinished, Moved, Right]


def test_a_disc_of_the_wrong_colour_is_no_ply_that_people_play_on_from() -> None:
    game = games.load("reversi")
    start, *played = boards(game, "f5", "f6", "e6")
    table = BeliefTable(game)
    for board in (start, played[0]):
        table.stand(board)
    for board in played[1:]:
        table.stand(changed(game, board, f6="B"), 5)
    assert table.moves == ["f5"]


def test_a_piece_misread_at_the_start_holds_up_no_game() -> None:
    game = games.load("chess")
    table = BeliefTable(game)
    for board in boards(game, "d3", "e5"):
        table.stand(changed(game, board, a5="B"), 5)
    assert table.moves == ["d3", "e5"]
    assert [type(one) for one in table.decisions] == [Wrong, Moved, Moved]


def test_nobody_plays_on_over_two_pieces_that_should_not_stand_so() -> None:
    game = games.load("chess")
    table = shown(game, "d3")
    strange = {"b1": ".", "b3": "W"}
    for board in boards(game, "d3", "e5", "a3")[1:]:
        table.stand(changed(game, board, **strange), 5)
    assert table.moves == ["d3"]


def test_a_cell_in_doubt_that_nothing_explains_is_unclear() -> None:
    table = shown(MORRIS, "d2")
    table.stand(board_with(MORRIS, W="d2 a1"), unclear="a1", seconds=3)
    assert table.moves == ["d2"]
    assert [(one.kind, one.cells) for one in table.decisions if isinstance(one, Wrong)] == [
        ("unclear", (MORRIS.cells.index("a1"),))
    ]


@pytest.mark.parametrize("name", ["morris", "gomoku", "reversi"])
def test_six_missed_plies_are_believed_when_the_game_goes_on(name: str) -> None:
    game = games.load(name)
    dice, position, table, seen = random.Random(5), game.initial(), BeliefTable(game), list[str]()
    for _ in range(10):
        move = dice.choice([one for one in game.legal_moves(position) if game.steps(position, one)])
        position = game.apply(position, move)
        seen.append(game.board(position))
    for board in (game.board(game.initial()), seen[0], seen[1]):
        table.stand(board)
    before = table.moves
    table.stand(seen[7], 4)
    assert table.moves == before
    assert [one.maybe_missed for one in table.decisions if isinstance(one, Wrong)] == [True]
    table.stand(seen[8])
    assert table.board == seen[8]
    (missed,) = [one for one in table.decisions if isinstance(one, Moved)][-1:]
    assert any(ply.assumed for ply in missed.made)
    table.stand(seen[9])
    assert table.board == seen[9]


def test_nobody_goes_on_from_men_that_are_put_back() -> None:
    game = games.load("morris")
    table = shown(game, "d2", "f4")
    strange = board_with(game, W="d2 a1 a4 b6", B="f4 b4 f2 d6")
    table.stand(strange, 2)
    assert len(table.belief.lines) > 1
    for name in ("a1", "a4", "b6", "b4", "f2"):
        strange = changed(game, strange, **{name: "."})
        table.stand(strange, 1.2)
        assert table.moves == ["d2", "f4"]
    table.stand(board_with(game, W="d2", B="f4"))
    assert table.moves == ["d2", "f4"]


def asked(texts_before: list[str], move: str) -> BeliefTable:
    table = BeliefTable(MORRIS, agents=(1,))
    for board in boards(MORRIS, *texts_before):
        table.stand(board)
    position = table.belief.position
    table.belief = table.belief.expecting(frozenset((1,)), (position, MORRIS.parse_move(position, move)))
    table.decisions.clear()
    return table


def test_an_agents_move_that_is_carried_out_otherwise_is_not_believed() -> None:
    table = asked(["d2"], "f4")
    table.stand(board_with(MORRIS, W="d2", B="g4"))
    assert table.moves == ["d2"]
    assert [one.against is not None for one in table.decisions if isinstance(one, Wrong)] == [True]
    table.stand(board_with(MORRIS, W="d2", B="f4"))
    assert table.moves == ["d2", "f4"]
    assert table.belief.told.plies[-1].known == "agent"


def test_a_move_for_an_agent_that_has_not_answered_is_not_believed() -> None:
    table = BeliefTable(MORRIS, agents=(1,))
    for board in boards(MORRIS, "d2", "f4"):
        table.stand(board)
    assert table.moves == ["d2"]
    assert [one.against is not None for one in table.decisions if isinstance(one, Wrong)] == [True]


def test_a_game_that_goes_on_after_its_end_had_another_mover() -> None:
    game = games.load("dominoes")
    position, table = game.parse_position(f"green;{NEARLY.replace('98', '99')}"), BeliefTable(game)
    table.belief, board = Belief.at(game, position), game.board(position)
    table.stand(board)
    for tile in (PLAIN, POINT, LATER):
        ends = {end[:2]: end[2] for end in tile.split("-")}
        board = changed(game, board, **ends)
        table.stand(board)
    assert table.moves == [PLAIN, "pass", POINT, LATER]
    assert [ply.side for ply in table.belief.told.plies] == [1, 0, 1, 0]


def test_a_finished_board_that_is_cleared_stays_finished() -> None:
    game: AnyGame = games.load("morris", {"men": 3})
    line = ["a7", "b6", "d7", "b4", "g7xb6", "f4"]
    table, position = BeliefTable(game), plies_of(game, line)[-1].position
    while game.outcome(position) is None:
        move = min(game.legal_moves(position), key=lambda one: game.outcome(game.apply(position, one)) is None)
        line.append(game.format_move(position, move))
        position = game.apply(position, move)
    for board in boards(game, *line):
        table.stand(board, 0.6)
    assert table.moves == line
    table.decisions.clear()
    board = game.board(position)
    for cell in [cell for cell, letter in enumerate(board) if letter != "."]:
        board = board[:cell] + "." + board[cell + 1 :]
        table.stand(board, 1.5)
    assert not any(isinstance(one, Wrong) for one in table.decisions)
    assert texts(game, table.belief.told) == line
