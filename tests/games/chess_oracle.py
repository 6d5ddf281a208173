"""Random games of chess compared, ply by ply, with the package `chess`: moves, texts, positions and outcomes.

As a command it compares more of them: `python -m tests.games.chess_oracle 100`.
"""

from __future__ import annotations

import random
import sys

import chess

import games
from games.chess import CLAIM, Chess
from games.chess.notation import uci

WINNERS = {True: 0, False: 1, None: None}


def compare(seed: int, *, shuffled: bool) -> int:
    """The number of plies of one random game in which both programs agree; any difference is an AssertionError."""
    chance = random.Random(seed)
    number = chance.randrange(960) if shuffled else 518
    game, theirs = games.load("chess", {"start": number}), chess.Board.from_chess960_pos(number)
    theirs.chess960 = shuffled
    assert isinstance(game, Chess)
    position, plies = game.initial(), 0
    while True:
        assert game.format_position(position) == theirs.fen()
        assert game.format_position(game.parse_position(theirs.fen())) == theirs.fen()
        assert game.format_position(game.parse_position(theirs.fen(shredder=True))) == theirs.fen()
        outcome, other = game.outcome(position), theirs.outcome()
        assert (outcome is None) == (other is None), theirs.fen()
        if outcome is not None and other is not None:
            assert outcome.winner == WINNERS[other.winner], theirs.fen()
            return plies
        legal = game.legal_moves(position)
        assert (CLAIM in legal) == (theirs.is_repetition(3) or theirs.is_fifty_moves()), theirs.fen()
        ours = {uci(position.state, move, shuffled=shuffled): move for move in legal if move != CLAIM}
        moves = {theirs.uci(move): move for move in theirs.legal_moves}
        assert ours.keys() == moves.keys(), theirs.fen()
        for text, move in ours.items():
            assert game.format_move(position, move) == theirs.san(moves[text]), theirs.fen()
            assert game.parse_move(position, theirs.san(moves[text])) == game.parse_move(position, text) == move
        text = chance.choice(sorted(ours))
        position = game.apply(position, ours[text])
        theirs.push(moves[text])
        plies += 1


if __name__ == "__main__":
    count = int(sys.argv[1])
    for shuffled in (False, True):
        total = sum(compare(seed, shuffled=shuffled) for seed in range(count))
        print(f"{count} games{' of Chess960' * shuffled}: {total} plies alike")
