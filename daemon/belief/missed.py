"""Plies that no look showed: the ways to a strange board, and a game that goes on after its end."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from daemon.belief.costs import EXTRA_PLY_NATS, FURTHER_NATS
from daemon.belief.line import Line, Ply, with_forced_passes
from daemon.belief.look import Evidence
from daemon.game.line_of_play import LineOfPlay, shares_pieces
from daemon.interpret.explain import is_reached
from daemon.judging.gap import is_beyond_one_hand
from daemon.judging.gap_search import MAX_MOVES, GapSearch
from rules import EMPTY, AnyGame, MoveError

MAX_MOVERS_TRIED = 24
"""Moves whose maker may have been the other side, from the last back."""
MAX_REOPENED = 4


def ways_to(game: AnyGame, line: Line, board: str, nats: float, most_moves: int = MAX_MOVES) -> list[Line]:
    """The line with long ways to a strange board; the first costs `nats`, others more: their order is assumed."""
    starts = game.starts if not line.plies and line.start in game.starts else (line.position,)
    found = []
    for start in starts:
        begin = line if line.plies else dataclasses.replace(line, start=start)
        for way in GapSearch(game, start, board, most_moves // len(starts)).ways():
            plies, before = list(begin.plies), start
            for move, after in zip(way.moves, way.positions, strict=True):
                side, seen = game.to_move(before), bool(game.steps(before, move))
                plies.append(Ply(move, after, side, seen, assumed=True))
                before = after
            found.append(dataclasses.replace(begin, plies=tuple(plies), board=board, unproved=True, undone=()))
    found.sort(key=lambda one: len(one.plies))
    return [
        dataclasses.replace(one, prior=nats + FURTHER_NATS * bool(number), loss=0.0, begun=None)
        for number, one in enumerate(found)
    ]


def may_be_missed(game: AnyGame, line: Line, board: str) -> bool:
    """Whether more cells were filled than one rule-breaking hand fills, and no game begins there."""
    return is_beyond_one_hand(game, line.position, board) and not begins_a_game(game, board)


def begins_a_game(game: AnyGame, board: str) -> bool:
    """Whether a board shows a start of the game, or one ply from it."""
    return any(board == game.board(start) or is_reached(game, start, board, 1) for start in game.starts)


def reopened(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """Lines in which a game that is over goes on, because a piece that belongs to nobody was the other side's.

    Nothing unless the look shows something new on empty cells, and nothing else.
    """
    amiss = evidence.amiss(line.board)
    if not shares_pieces(game) or game.outcome(line.position) is None or not amiss:
        return
    if any(line.board[cell] != EMPTY for cell in amiss) or len(evidence.wrong(line.board)) < 2:
        return
    believed = as_line_of_play(game, line)
    for number, other in enumerate(itertools.islice(_going_on(believed), MAX_REOPENED)):
        prior = line.prior + EXTRA_PLY_NATS + FURTHER_NATS * bool(number)
        after = from_line_of_play(other, line)
        yield with_forced_passes(game, dataclasses.replace(after, prior=prior, board=line.board, loss=line.loss))


def _going_on(line: LineOfPlay) -> Iterator[LineOfPlay]:
    """The lines with one mover changed, the last first, in which the game goes on after all plies."""
    known = [(ply.text, ply.side) for ply in line.plies if ply.known]
    for number in range(len(line.seen), max(0, len(line.seen) - MAX_MOVERS_TRIED), -1):
        ply = line.plies[line.seen[number - 1]]
        if ply.known:
            continue
        try:
            other = line.with_mover(number, 1 - ply.side, "")
        except MoveError:
            continue
        goes_on = not other.beyond and other.game.outcome(other.position) is None
        if goes_on and [(one.text, one.side) for one in other.plies if one.known] == known:
            yield other


def as_line_of_play(game: AnyGame, line: Line) -> LineOfPlay:
    """The line as one that can be replayed with other movers."""
    other = LineOfPlay(game, [line.start])
    for ply in line.plies:
        other.add(ply.move, ply.position, ply.known, assumed=ply.assumed)
    return other


def from_line_of_play(replayed: LineOfPlay, line: Line) -> Line:
    """The line with replayed plies; those that are as before stay the same objects."""
    plies = []
    for index, (one, after) in enumerate(zip(replayed.plies, replayed.positions[1:], strict=True)):
        ply = Ply(one.move, after, one.side, one.seen, one.known, one.assumed)
        same = index < len(line.plies) and line.plies[index]
        plies.append(same if same and dataclasses.replace(same, time_s=0.0) == ply else ply)
    return dataclasses.replace(line, start=replayed.positions[0], plies=tuple(plies), undone=(), begun=None)
