"""Captures of draughts seen on their way: the man on any of its squares, the men taken in any order, or not yet."""

from __future__ import annotations

import random

import pytest

import games
from daemon.interpret.explain import explain
from daemon.judging.phrases import missing_steps
from daemon.outputs.instruction import requested
from games.draughts import Draughts, Move, Position
from rules import EMPTY, Step
from rules.turns import begins_turn, carry_out
from tests.daemon.readings import reading_of


def on_its_way(game: Draughts, position: Position, move: Move, dice: random.Random) -> str:
    """The board with the man on one of its squares, or in the hand, and some of the men taken; not all."""
    place = dice.randrange(len(move.path))
    taken = dice.sample(move.taken, dice.randrange(len(move.taken) + (move.path[place] != move.path[-1])))
    board = carry_out(game.board(position), [Step("remove", cell) for cell in taken])
    if place == 0:
        return carry_out(board, [Step("remove", move.path[0])])
    return carry_out(board, [Step("move", move.path[place], move.path[0], board[move.path[0]])])


@pytest.mark.parametrize("rules", ["english", "international"])
def test_a_capture_on_its_way_is_unfinished_and_done_it_is_the_move(rules: str) -> None:
    game, seen = games.load("draughts", {"set": rules}), 0
    assert isinstance(game, Draughts)
    for seed in range(12):
        dice, history = random.Random(seed), [game.initial()]
        while moves := game.legal_moves(history[-1]):
            move = dice.choice(list(moves))
            if len(move.taken) > 1:
                board = on_its_way(game, history[-1], move, dice)
                assert begins_turn(game, history[-1], board)
                best = explain(game, history, reading_of(game, board)).explanations[0]
                assert (best.kind, best.board) == ("unfinished", board)
                said = str(missing_steps(game, history[-1], best.moves[0], best.missing, board))
                assert said.startswith(("Take the piece", "Move the", "The light", "The dark", "Light's", "Dark's")), (
                    said
                )
                after = game.apply(history[-1], move)
                best = explain(game, history, reading_of(game, game.board(after))).explanations[0]
                assert (best.kind, best.positions) == ("plies", (after,))
                seen += 1
            history = [*history[-6:], game.apply(history[-1], move)]
    assert seen > 15


def test_what_a_hand_must_do_for_an_agent_names_the_whole_way() -> None:
    game = games.load("draughts")
    position = game.parse_position("W:W24,32:B19,11,4")
    said = [str(one) for one in requested(game, position, game.parse_move(position, "24x8"))]
    assert said == [
        "Please move the light man 24 → 15 → 8 for the computer.",
        "Take the pieces on 19 and 11 off the board.",
    ]
    missing = Step("move", 7, 14, "W"), Step("remove", 18, piece=EMPTY)
    board = carry_out(game.board(position), [Step("move", 14, 23, "W"), Step("remove", 10)])
    told = str(missing_steps(game, position, game.parse_move(position, "24x8"), missing, board))
    assert told == "Move the light man from 15 to 8 to finish the turn."
