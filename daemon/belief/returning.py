"""Ways back and forth: takebacks, plies made again, steps finished late, and a board that is cleared after the end."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Sequence

from daemon.belief.costs import MAX_BACK, RARE_NATS, TENFOLD_NATS
from daemon.belief.line import Begun, Line, boards_before, with_forced_passes
from daemon.belief.look import Evidence
from daemon.game.line_of_play import Ply
from rules import EMPTY, AnyGame, Step
from rules.turns import changed_cells

MAX_BACK_FROM_END = 2
"""Plies from the end of a game beyond which a takeback is a board that is being cleared."""


def finished_late(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """The line with those steps carried out that the look shows, each cell by itself; nothing if it shows none."""
    wanted = game.board(line.position)
    board = list(line.board)
    for cell in changed_cells(line.board, wanted):
        board[cell] = min((line.board[cell], wanted[cell], EMPTY), key=lambda one: evidence.of(cell, one))
    after = "".join(board)
    if after != line.board:
        yield line.showing(after, evidence.loss(after))


def taken_back(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """The line after each takeback that the look shows something of; of equal boards the last costs least."""
    true, amiss = game.board(line.position), evidence.amiss(line.board)
    together = next((first for first, _ in line.together(1)), 0)
    """Beyond plies that came in one look a takeback hardly goes: lifting some of them is likelier."""
    times: collections.Counter[str] = collections.Counter()
    most = MAX_BACK if game.outcome(line.position) is None else MAX_BACK_FROM_END
    for count, board in boards_before(game, line.positions, most):
        shown = still_owed(line.board, true, board)
        if not amiss.isdisjoint(changed_cells(line.board, shown)):
            nats = takeback_nats(evidence) + TENFOLD_NATS * times[board] + RARE_NATS * (count < together)
            if line.over is not None and _seen(line.plies[:count]) == _seen(line.over.plies):
                yield dataclasses.replace(line.over, prior=line.prior, loss=evidence.loss(shown), board=shown)
            else:
                kept = _kept(line, count)
                plies, undone = line.plies[:kept], (*line.plies[kept:], *line.undone)
                cut = line.showing(shown, evidence.loss(shown), nats, plies=plies, undone=undone)
                yield with_forced_passes(game, cut)
        times[board] += 1


def takeback_nats(evidence: Evidence) -> float:
    """What a takeback costs: while a hand is over the board its men may as well be in the fingers."""
    return RARE_NATS + RARE_NATS * (not evidence.free)


def made_again(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    true, amiss = game.board(line.position), evidence.amiss(line.board)
    for count, ply in enumerate(line.undone, 1):
        shown = still_owed(line.board, true, game.board(ply.position))
        if not amiss.isdisjoint(changed_cells(line.board, shown)):
            plies, undone = (*line.plies, *line.undone[:count]), line.undone[count:]
            yield line.showing(shown, evidence.loss(shown), plies=plies, undone=undone)


def cleared(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """A finished line whose board is being cleared: only pieces of its own are left, some are gone."""
    ended = dataclasses.replace(line, plies=(*line.plies, *line.undone), undone=())
    if line.over is not None:
        ended = dataclasses.replace(line.over, prior=line.prior)
    if game.outcome(ended.position) is None:
        return
    board = game.board(ended.position)
    left = "".join(EMPTY if evidence.of(cell, EMPTY) == 0 else letter for cell, letter in enumerate(board))
    gone = tuple(Step("remove", cell) for cell in changed_cells(left, board))
    if gone:
        begun = Begun(None, gone, left, 2 * RARE_NATS)
        yield dataclasses.replace(ended, board=board, begun=begun, loss=evidence.loss(left))


def still_owed(shown: str, true: str, board: str) -> str:
    """The board of another position, but for what hands still owe and that position does not change."""
    triples = zip(shown, true, board, strict=True)
    return "".join(now if now != due and then == due else then for now, due, then in triples)


def _kept(line: Line, count: int) -> int:
    """The number of plies that stay: a pass that was told remains, whatever becomes of the ply after it."""
    while line.plies[count].known == "said" and not line.plies[count].seen:
        count += 1
    return count


def _seen(plies: Sequence[Ply]) -> int:
    return sum(ply.seen for ply in plies)
