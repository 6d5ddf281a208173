"""Reversi moves seen half done: a hand may turn the discs in any order."""

from __future__ import annotations

import random

import pytest

from daemon.belief.deciding import Unfinished
from daemon.game.effects import Announcement
from games.reversi import PASS, Position, Reversi
from rules import Step
from rules.turns import begins_turn, carry_out
from tests.daemon.belief.once import played, referee_at, said, show, trouble


@pytest.fixture
def game() -> Reversi:
    return Reversi()


@pytest.mark.parametrize("seed", range(4))
def test_discs_turned_in_any_order_are_a_turn_not_yet_finished(game: Reversi, seed: int) -> None:
    dice, position, referee, seen = random.Random(seed), game.initial(), referee_at(game), 0
    while moves := game.legal_moves(position):
        move = dice.choice(moves)
        first, *flips = game.steps(position, move) or (None,)
        if first is not None and len(flips) > 1:
            dice.shuffle(flips)
            done = dice.randrange(1, len(flips))
            board = carry_out(game.board(position), [first, *flips[:done]])
            assert begins_turn(game, position, board)
            told = said(show(referee, board))
            asked = trouble(referee)
            assert isinstance(asked, Unfinished)
            assert (referee.verdict, asked.board, asked.moves) == ("unfinished", board, (move,))
            assert {step.cell for step in asked.missing} == {step.cell for step in flips[done:]}
            assert told.startswith("Turn the piece on " if len(flips) == done + 1 else "Turn the pieces on ")
            seen += 1
        text, position = game.format_move(position, move), game.apply(position, move)
        if first is not None:
            assert played(referee, game.board(position))[:1] == [text]
    assert seen > 20


def test_a_disc_that_the_turn_does_not_turn_is_no_part_of_it(game: Reversi) -> None:
    position = referee_at(game, "d3", "c3").position
    flips = [step.cell for move in game.legal_moves(position) for step in game.steps(position, move)]
    for move in game.legal_moves(position):
        first = game.steps(position, move)[0]
        others = set(flips) - {step.cell for step in game.steps(position, move)}
        stranger = next(cell for cell in sorted(others) if game.board(position)[cell] == "W")
        board = carry_out(game.board(position), [first, Step("flip", stranger, None, "B")])
        assert not begins_turn(game, position, board)
        referee = referee_at(game, "d3", "c3")
        (told,) = show(referee, board)
        assert isinstance(told, Announcement)
        assert (told.rule, referee.moves) == ("wrong_disc_turned", ["d3", "c3"])


def test_a_forced_pass_is_seen_with_the_move_after_it(game: Reversi) -> None:
    start = game.parse_position("XO" + "-" * 62 + " O")
    passed = game.apply(start, PASS)
    move = game.legal_moves(passed)[0]
    referee = referee_at(game, start=start)
    texts = [game.format_move(start, PASS), game.format_move(passed, move)]
    assert played(referee, game.board(game.apply(passed, move))) == texts
    assert referee.belief.lines[0].cost == 0.0


def test_two_fast_plies_of_which_the_second_turns_many_discs_back_are_both_made(game: Reversi) -> None:
    rows = (".WWW...W", "BBWBBBBB", ".BBWBWBB", ".BBWWWBB", ".BBBBWBB", "..BBBBWB", ".B.WBBWW", ".....B.W")
    board = "".join(rows)
    discs = [sum(1 << cell for cell, letter in enumerate(board) if letter == man) for man in "BW"]
    start = Position((discs[0], discs[1]), 1)
    for first in game.legal_moves(start):
        between = game.apply(start, first)
        for second in game.legal_moves(between):
            after = game.board(game.apply(between, second))
            referee = referee_at(game, start=start)
            show(referee, after)
            assert (referee.verdict, game.board(referee.position)) == ("legal", after)
