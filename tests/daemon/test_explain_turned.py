"""Reversi moves seen half done: a hand may turn the discs in any order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from daemon.interpret.explain import explain
from daemon.judging.phrases import missing_steps
from games.reversi import PASS, Position, Reversi
from rules import Step
from rules.turns import begins_turn, carry_out, line_of_play
from tests.daemon.readings import reading_of


@pytest.fixture
def game() -> Reversi:
    return Reversi()


def half_done(game: Reversi, seed: int) -> Iterator[tuple[list[Position], Any, list[Step], list[Step]]]:
    """Histories of a random game, each with a move, the steps done so far in random order, and the turns left."""
    dice, history = random.Random(seed), [game.initial()]
    while moves := game.legal_moves(history[-1]):
        move = dice.choice(moves)
        first, *flips = game.steps(history[-1], move) or (None,)
        if first is not None and len(flips) > 1:
            dice.shuffle(flips)
            done = dice.randrange(1, len(flips))
            yield history, move, [first, *flips[:done]], flips[done:]
        history = [*history, game.apply(history[-1], move)]


@pytest.mark.parametrize("seed", range(4))
def test_discs_turned_in_any_order_are_a_turn_not_yet_finished(game: Reversi, seed: int) -> None:
    seen = 0
    for history, move, done, left in half_done(game, seed):
        board = carry_out(game.board(history[-1]), done)
        assert begins_turn(game, history[-1], board)
        best = explain(game, history, reading_of(game, board)).explanations[0]
        assert (best.kind, best.board, best.moves) == ("unfinished", board, (move,))
        assert {step.cell for step in best.missing} == {step.cell for step in left}
        told = "Turn the piece on " if len(left) == 1 else "Turn the pieces on "
        assert str(missing_steps(game, history[-1], move, best.missing, best.board)).startswith(told)
        seen += 1
    assert seen > 20


def test_a_disc_that_the_turn_does_not_turn_is_no_part_of_it(game: Reversi) -> None:
    history = line_of_play(game, ["d3", "c3"])
    flips = [step.cell for move in game.legal_moves(history[-1]) for step in game.steps(history[-1], move)]
    for move in game.legal_moves(history[-1]):
        first = game.steps(history[-1], move)[0]
        others = set(flips) - {step.cell for step in game.steps(history[-1], move)}
        stranger = next(cell for cell in sorted(others) if game.board(history[-1])[cell] == "W")
        board = carry_out(game.board(history[-1]), [first, Step("flip", stranger, None, "B")])
        assert not begins_turn(game, history[-1], board)
        assert not explain(game, history, reading_of(game, board)).explanations
        assert game.fault(history[-1], board).rule == "wrong_disc_turned"


def test_a_forced_pass_is_seen_with_the_move_after_it(game: Reversi) -> None:
    start = game.parse_position("XO" + "-" * 62 + " O")
    moves = [PASS, game.legal_moves(game.apply(start, PASS))[0]]
    after = game.apply(game.apply(start, PASS), moves[1])
    best = explain(game, [start], reading_of(game, game.board(after))).explanations[0]
    assert list(best.moves) == moves
    assert best.extra_nats == 0


def test_two_fast_plies_of_which_the_second_turns_many_discs_back_are_both_made(game: Reversi) -> None:
    rows = (".WWW...W", "BBWBBBBB", ".BBWBWBB", ".BBWWWBB", ".BBBBWBB", "..BBBBWB", ".B.WBBWW", ".....B.W")
    board = "".join(rows)
    discs = [sum(1 << cell for cell, letter in enumerate(board) if letter == man) for man in "BW"]
    start = Position((discs[0], discs[1]), 1)
    for first in game.legal_moves(start):
        between = game.apply(start, first)
        for second in game.legal_moves(between):
            after = game.apply(between, second)
            best = explain(game, [start], reading_of(game, game.board(after))).explanations[0]
            assert (best.kind, best.board) == ("plies", game.board(after))
