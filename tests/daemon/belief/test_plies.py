"""Plies are believed one by one, several at once, at any rate of looks, and beside what nobody can see."""

from __future__ import annotations

import random
from typing import Any

import pytest

import games
from daemon.belief.belief import Belief
from rules import AnyGame
from tests.daemon.belief.table import BeliefTable

NAMES = ("morris", "reversi", "dominoes", "ganh", "gomoku", "chess", "go", "draughts")


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest) -> AnyGame:
    return games.load(request.param)


def played(game: AnyGame, plies: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """The moves of a game of random visible plies, with those that are forced, and the boards: the start first."""
    dice, position, moves = random.Random(seed), game.initial(), list[str]()
    boards = [game.board(position)]
    while len(boards) <= plies and game.outcome(position) is None:
        legal = list(game.legal_moves(position))
        move = dice.choice([one for one in legal if game.steps(position, one)] or legal)
        moves.append(game.format_move(position, move))
        position = game.apply(position, move)
        if game.board(position) != boards[-1]:
            boards.append(game.board(position))
    return moves, boards


@pytest.mark.parametrize(("a_second", "plies", "seed"), [(3.0, 40, 1), (5.0, 40, 2), (15.0, 25, 1)])
def test_plies_are_believed_one_by_one_at_any_rate_of_looks(
    game: AnyGame, a_second: float, plies: int, seed: int
) -> None:
    moves, boards = played(game, plies, seed)
    table = BeliefTable(game, a_second=a_second)
    for board in boards:
        table.stand(board, 0.4)
        assert table.board == board
    assert table.moves == moves
    assert table.most_lines <= 64


@pytest.mark.parametrize("together", [2, 3])
def test_plies_made_together_lead_to_the_same_board(game: AnyGame, together: int) -> None:
    if (game.about.short_name, together) == ("draughts", 3):
        return  # an exchange of three captures leaves too little of the first two
    moves, boards = played(game, 12)
    table = BeliefTable(game)
    for board in boards[::together]:
        table.stand(board, 0.4)
        assert table.board == board
    assert sorted(table.moves) == sorted(moves)[: len(table.moves)] or len(table.moves) == len(moves)


@pytest.mark.parametrize("name", ["gomoku", "reversi", "chess", "go"])
def test_the_game_goes_on_beside_a_corner_that_is_hidden_for_ever(name: str) -> None:
    game = games.load(name)
    side = round(len(game.cells) ** 0.5)
    corner = [0, 1, side, side + 1]
    position, dice, moves, table = game.initial(), random.Random(3), list[str](), BeliefTable(game)
    table.stand(game.board(position), hidden=corner)
    for _ in range(20):
        free = [one for one in game.legal_moves(position) if not touched(game, position, one) & set(corner)]
        move = dice.choice(free)
        moves.append(game.format_move(position, move))
        position = game.apply(position, move)
        table.stand(game.board(position), 0.4, hidden=corner)
    assert table.moves == moves


def touched(game: AnyGame, position: Any, move: Any) -> set[int | None]:
    return {cell for step in game.steps(position, move) for cell in (step.cell, step.origin)}


def test_a_ply_into_a_hidden_corner_is_believed_when_the_play_goes_on() -> None:
    game = games.load("chess")
    table = BeliefTable(game)
    corner = [game.cells.index(name) for name in ("a3", "b3", "a4", "b4")]
    moves, position = list[str](), game.initial()
    for text in ("e4", "e5", "Nc3", "Nc6"):
        position = game.apply(position, game.parse_move(position, text))
        table.stand(game.board(position), 0.4)
    moves = list(table.moves)
    position = game.apply(position, game.parse_move(position, "b3"))
    table.stand(game.board(position), 3, hidden=corner)
    assert table.moves == moves  # it may be in the fingers, or on b4
    position = game.apply(position, game.parse_move(position, "Nf6"))
    table.stand(game.board(position), 1, hidden=corner)
    assert table.moves == moves  # b3 or b4
    table.stand(game.board(position), 1)
    assert table.moves == [*moves, "b3", "Nf6"]


def test_a_doubtful_cell_delays_only_what_depends_on_it() -> None:
    game = games.load("gomoku")
    table, position, moves = BeliefTable(game), game.initial(), list[str]()
    table.stand(game.board(position))
    doubt = {"c3": ("W", 0.45)}
    for text in ("h8", "j9", "j8", "k8"):
        moves.append(text)
        position = game.apply(position, game.parse_move(position, text))
        table.stand(game.board(position), 1, doubts=doubt)
        assert table.moves == moves


def test_plies_that_leave_the_choice_are_told_apart_by_a_later_one() -> None:
    """A pawn went one step or two, into the shadow of a bowl; what it takes shows which."""
    game = games.load("chess")
    table, position = BeliefTable(game), game.initial()
    hidden = [game.cells.index(name) for name in ("e3", "e4")]
    table.stand(game.board(position))
    for text in ("e4", "d5"):
        position = game.apply(position, game.parse_move(position, text))
        table.stand(game.board(position), 3, hidden=hidden)
        assert table.moves == []
    assert "Torn" in [type(one).__name__ for one in table.decisions]
    position = game.apply(position, game.parse_move(position, "exd5"))
    table.stand(game.board(position), 1, hidden=hidden)
    assert table.moves == ["e4", "d5", "exd5"]


def test_forced_passes_are_made_by_themselves() -> None:
    game = games.load("reversi")
    for seed in range(40):
        moves, boards = played(game, 60, seed)
        if not any(move.startswith("pass") for move in moves):
            continue
        table = BeliefTable(game)
        for board in boards:
            table.stand(board, 0.2)
        assert table.moves == moves
        return
    raise AssertionError("no game with a pass")


def test_what_a_pawn_became_is_told_by_how_it_moves() -> None:
    game = games.load("chess")
    position = game.parse_position("7k/P6p/8/8/8/8/7P/K7 w - - 0 1")
    table = BeliefTable(game)
    table.belief = Belief.at(game, position)
    table.stand(game.board(position))
    for text in ("a8=N", "Kg7", "Nb6"):
        position = game.apply(position, game.parse_move(position, text))
        table.stand(game.board(position))
        if text == "a8=N":
            assert table.moves == ["a8=Q+"]
    assert table.moves == ["a8=N", "Kg7", "Nb6"]
