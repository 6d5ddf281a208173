"""What people and agents say is evidence too: each word gives the next belief, or is refused.

Refusals are `MoveError`s and `PositionError`s of the rules; nothing has changed then.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from daemon.belief.belief import Belief, believed
from daemon.belief.costs import EXTRA_PLY_NATS
from daemon.belief.line import Line, Ply, with_forced_passes
from daemon.belief.missed import as_line_of_play, from_line_of_play, ways_to
from daemon.belief.plies import MAX_MOVES, MAX_MOVES_BESIDES, MAX_PLIES, Manner, PlySearch
from daemon.game.effects import Known
from daemon.judging.gap_search import MAX_MOVES_ASKED
from rules import AnyGame, PositionError, Side

MAX_BACK = 8
"""Plies back from which another way to an adopted board is looked for."""


@dataclasses.dataclass(frozen=True)
class Undo:
    """The plies after the first `count` do not count; what stands of them is to be put back."""

    count: int


@dataclasses.dataclass(frozen=True)
class Adopt:
    """The board in view is right, with that side to move if it is named."""

    side: Side | None = None


@dataclasses.dataclass(frozen=True)
class Correct:
    """A side made that move, counted from 1 without passes."""

    number: int
    side: Side


@dataclasses.dataclass(frozen=True)
class Holds:
    """A letter stands on a cell, whatever it looks like, until it looks otherwise."""

    cell: int
    letter: str


@dataclasses.dataclass(frozen=True)
class Asked:
    """An agent asks for a move in the last certain position; None takes it back."""

    move: Any


@dataclasses.dataclass(frozen=True)
class Made:
    """A move was made that no look need show: a pass, or one that is entered."""

    move: Any
    known: Known = "said"


@dataclasses.dataclass(frozen=True)
class NewGame:
    """A game begins from that position; None is the usual start."""

    start: Any = None


Word = Undo | Adopt | Correct | Holds | Asked | Made | NewGame


@functools.singledispatch
def told(word: Word, belief: Belief) -> Belief:
    """The belief after a word."""
    raise TypeError(word)


@told.register
def _undo(word: Undo, belief: Belief) -> Belief:
    line = belief.told
    kept = dataclasses.replace(line, plies=line.plies[: word.count])
    return _only(belief, _as_seen(belief, kept))


@told.register
def _correct(word: Correct, belief: Belief) -> Belief:
    replayed = as_line_of_play(belief.game, belief.told)
    replayed.correct(word.number, word.side)
    line = with_forced_passes(belief.game, from_line_of_play(replayed, belief.told))
    return _only(belief, _as_seen(belief, line))


@told.register
def _holds(word: Holds, belief: Belief) -> Belief:
    if belief.look is None:
        return belief
    reading = belief.look.reading
    read = reading.letters[int(reading.log_probabilities[word.cell].argmax())]
    said = tuple(one for one in belief.said if one[0] != word.cell)
    return dataclasses.replace(belief, said=(*said, (word.cell, word.letter, read))).after(belief.look)


@told.register
def _asked(word: Asked, belief: Belief) -> Belief:
    asked = None if word.move is None else (belief.position, word.move)
    return dataclasses.replace(belief, manner=dataclasses.replace(belief.manner, asked=asked))


@told.register
def _made(word: Made, belief: Belief) -> Belief:
    game, line = belief.game, belief.told
    before = line.position
    seen = bool(game.steps(before, word.move))
    ply = Ply(word.move, game.apply(before, word.move), game.to_move(before), seen, word.known)
    line = with_forced_passes(game, dataclasses.replace(line, plies=(*line.plies, ply)))
    return _only(belief, _as_seen(belief, line))


@told.register
def _new_game(word: NewGame, belief: Belief) -> Belief:
    return Belief.at(belief.game, word.start, agents=belief.manner.agents)


@told.register
def _adopt(word: Adopt, belief: Belief) -> Belief:
    line = _way_to(belief, word.side)
    plies = tuple(
        dataclasses.replace(ply, known=ply.known or "said") if number >= len(belief.told.plies) else ply
        for number, ply in enumerate(line.plies)
    )
    return _only(belief, with_forced_passes(belief.game, dataclasses.replace(line, plies=plies)))


def _way_to(belief: Belief, side: Side | None) -> Line:
    """The likeliest line that shows the board in view; a game that begins with it where none does."""
    game, board = belief.game, _in_view(belief)
    carried = [line for line in belief.lines if line.board == board == game.board(line.position)]
    for lines in (carried, _by_plies(belief), ways_to(game, belief.told, board, 0.0, MAX_MOVES_ASKED)):
        for line in lines:
            if side is None or game.outcome(line.position) is not None or game.to_move(line.position) == side:
                return line
    return Line(_set_up(game, board, side, belief.position), board=board)


def _by_plies(belief: Belief) -> list[Line]:
    """Lines by a few plies from the certain line, or from its beginning where the last ones were misread."""
    game, evidence, plies = belief.game, belief.evidence, belief.told.plies
    assert evidence is not None
    for count in range(len(plies), max(-1, len(plies) - MAX_BACK - 1), -1):
        cut = Line(belief.told.start, plies[:count])
        board = game.board(cut.position)
        cut = dataclasses.replace(cut, board=board, loss=evidence.loss(board))
        most = MAX_MOVES if count == len(plies) else MAX_MOVES_BESIDES
        found = PlySearch(game, evidence, Manner()).search(cut, lambda: MAX_PLIES * EXTRA_PLY_NATS, most)
        lines = [line for line in (cut, *found) if line.begun is None and not evidence.wrong(line.board)]
        if lines:
            return sorted(lines, key=lambda line: line.cost)
    return []


def _set_up(game: AnyGame, board: str, side: Side | None, before: Any) -> Any:
    """The position with that board, from which the game goes on. Raises PositionError."""
    first = game.to_move(before)
    for one in (first, 1 - first) if side is None else (side,):
        try:
            position = game.set_up(board, one, before)
        except PositionError as error:
            refused = error
            continue
        if game.outcome(position) is not None:
            raise PositionError("the game is over on this board")
        return position
    raise refused


def _in_view(belief: Belief) -> str:
    """The board of the newest look; the certain one where nothing was seen."""
    board: str = belief.game.board(belief.position)
    return board if belief.evidence is None else belief.evidence.likeliest(board)


def _as_seen(belief: Belief, line: Line) -> Line:
    """The line with what stands on the board; with no board in view nothing is left to be done by hand."""
    true: str = belief.game.board(line.position)
    return dataclasses.replace(line, board=true if belief.evidence is None else belief.evidence.likeliest(true))


def _only(belief: Belief, line: Line) -> Belief:
    """The belief in one line, whose board is what stands there."""
    line = dataclasses.replace(line, prior=0.0, loss=0.0, undone=(), unproved=False, begun=None)
    certain = believed(belief.game, line, [line])
    again = dataclasses.replace(belief, lines=(line,), told=certain, by_one_hand=False)
    return again if belief.look is None else again.after(belief.look)
