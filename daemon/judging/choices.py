"""Choices that the board does not show, such as what a pawn becomes, as people tell them.

The first of the moves that look alike is believed (`rules.turns.seen_moves`); here it is replaced by another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from daemon.game.effects import Effect, Known
from daemon.game.line_of_play import LineOfPlay
from daemon.i18n.translation import called
from daemon.judging import phrases
from daemon.judging.play import Play
from rules import AnyGame, MoveError
from rules.turns import alike
from wording import sentence


def choose(play: Play, text: str) -> list[Effect] | None:
    """Corrects the last move that the text may mean: a move's text or the choice's name, "knight"; None if none is.

    The plies after it stay.
    """
    for index, move in _others(play.line):
        before, ply = play.line.positions[index], play.line.plies[index]
        if ply.known == "agent" or not _means(play.game, before, move, text):
            continue
        try:
            other = with_move(play.line, index, move, "said")
        except MoveError:
            continue
        ended = play.outcome
        same = play.line.become(other)
        play.believe()
        words = phrases.spoken_move(play.game, before, move)
        said = sentence("{side:Nom}: {move}.", side=phrases.named(play.game, ply.side), move=words)
        effects: list[Effect] = [
            play.line.rewrite(same, play.outcome),
            play.announce("corrected", said, *play.next_turn()),
        ]
        if play.outcome is not None and play.outcome != ended:
            effects.append(play.announce_end(play.outcome))
        return effects
    return None


def _means(game: AnyGame, before: Any, move: Any, text: str) -> bool:
    term = game.choice(before, move)
    if term is not None and text.strip().casefold() in called(term):
        return True
    try:
        return bool(game.parse_move(before, text) == move)
    except MoveError:
        return False


def _others(line: LineOfPlay) -> Iterator[tuple[int, Any]]:
    """The plies that may have been another move to the same board, the last first, each with such a move."""
    for index in range(len(line.plies) - 1, -1, -1):
        if line.plies[index].move is not None:
            for move in alike(line.game, line.positions[index], line.plies[index].move):
                yield index, move


def with_move(line: LineOfPlay, index: int, move: Any, known: Known = "") -> LineOfPlay:
    """A copy of the line with another move as ply `index`, from 0. Raises MoveError if a later ply cannot follow it."""
    game = line.game
    again = LineOfPlay(game, line.positions[: index + 1])
    again.plies = line.plies[:index]
    again.add(move, game.apply(again.position, move), known)
    for late in range(index + 1, len(line.plies)):
        ply, before = line.plies[late], line.positions[late]
        hand = line.steps(late), game.choice(before, ply.move)
        same = (
            one
            for one in game.legal_moves(again.position)
            if (game.steps(again.position, one), game.choice(again.position, one)) == hand
        )
        following = next(same, None)
        if following is None:
            raise MoveError("cannot_be", sentence("{move} could not have followed", move=ply.text))
        again.add(following, game.apply(again.position, following), ply.known, assumed=ply.assumed)
    return again
