"""Captures of draughts seen on their way: the man on any of its squares, the men taken in any order, or not yet."""

from __future__ import annotations

import random

import pytest

import games
from daemon.belief.belief import Belief
from daemon.page.instruction import requested
from games.draughts import Draughts, Move, Position
from rules import Step
from rules.turns import begins_turn, carry_out
from tests.daemon.belief.once import played, referee_at, said, show
from tests.daemon.belief.table import BeliefTable

BEGINNINGS = ("Take the piece", "Move the", "The light", "The dark", "Light's", "Dark's")
"""Of what is said of a turn that is not finished."""


def on_its_way(game: Draughts, position: Position, move: Move, dice: random.Random) -> str:
    """The board with the man on one of its squares, or in the hand, and some of the men taken; not all."""
    place = dice.randrange(len(move.path))
    taken = dice.sample(move.taken, dice.randrange(len(move.taken) + (move.path[place] != move.path[-1])))
    board = carry_out(game.board(position), [Step("remove", cell) for cell in taken])
    if place == 0:
        return carry_out(board, [Step("remove", move.path[0])])
    return carry_out(board, [Step("move", move.path[place], move.path[0], board[move.path[0]])])


@pytest.mark.parametrize("rules", ["english", "international"])
@pytest.mark.parametrize("seed", range(12))
def test_a_capture_on_its_way_is_unfinished_and_done_it_is_the_move(rules: str, seed: int) -> None:
    game, dice = games.load("draughts", {"set": rules}), random.Random(seed)
    assert isinstance(game, Draughts)
    referee, position = referee_at(game), game.initial()
    while moves := game.legal_moves(position):
        move = dice.choice(list(moves))
        if len(move.taken) > 1:
            board, before = on_its_way(game, position, move, dice), referee.moves
            assert begins_turn(game, position, board)
            told = said(show(referee, board))
            assert (referee.verdict, referee.moves) == ("unfinished", before)
            assert referee.belief.standing.board == board
            assert told.startswith(BEGINNINGS), told
        text, position = game.format_move(position, move), game.apply(position, move)
        assert played(referee, game.board(position))[:1] == [text]


def test_what_a_hand_must_do_for_an_agent_names_the_whole_way() -> None:
    game = games.load("draughts")
    position = game.parse_position("W:W24,32:B19,11,4")
    asked = [str(one) for one in requested(game, position, game.parse_move(position, "24x8"))]
    assert asked == [
        "Please move the light man 24 → 15 → 8 for the computer.",
        "Take the pieces on 19 and 11 off the board.",
    ]
    referee = referee_at(game, start=position)
    effects = show(referee, carry_out(game.board(position), [Step("move", 14, 23, "W"), Step("remove", 10)]))
    assert said(effects) == "Move the light man from 15 to 8 to finish the turn."


def test_a_capture_counts_once_the_taken_man_is_seen_to_be_gone() -> None:
    """The man has landed, and the hand still covers the one that it jumped over."""
    game = games.load("draughts")
    position = game.parse_position("W:W24,32:B19,4")
    after = game.apply(position, game.parse_move(position, "24x15"))
    table = BeliefTable(game)
    table.belief = Belief.at(game, position)
    table.stand(game.board(position))
    hidden = [game.cells.index(name) for name in ("24", "19")]
    table.stand(game.board(after), 1.0, hidden=hidden, free=False)
    assert table.moves == []
    table.look(game.board(after))
    assert table.moves == ["24x15"]
