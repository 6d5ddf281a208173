"""Ways back and forth: takebacks, plies made again, steps finished late, and a board that is cleared after the end."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

from daemon.belief.costs import AGAIN_NATS, CLEARED_NATS, FURTHER_NATS, TAKEBACK_NATS
from daemon.belief.line import Begun, Line, with_forced_passes
from daemon.belief.look import Evidence
from rules import EMPTY, AnyGame, Step
from rules.turns import changed_cells

MAX_BACK = 8
"""Boards to which a takeback is recognised."""
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
        yield dataclasses.replace(line, board=after, loss=evidence.loss(after), begun=None)


def taken_back(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """The line after each takeback that the look shows something of; of equal boards the last costs least."""
    true, amiss = game.board(line.position), evidence.amiss(line.board)
    times: collections.Counter[str] = collections.Counter()
    for count, board in _boards_before(game, line):
        shown = still_owed(line.board, true, board)
        if not amiss.isdisjoint(changed_cells(line.board, shown)):
            nats = TAKEBACK_NATS + FURTHER_NATS * times[board]
            yield with_forced_passes(game, _cut(evidence, line, _kept(line, count), shown, nats))
        times[board] += 1


def _boards_before(game: AnyGame, line: Line) -> list[tuple[int, str]]:
    """Boards before the present one, the last first, each with the plies made then; a pass goes with the next ply."""
    most = MAX_BACK if game.outcome(line.position) is None else MAX_BACK_FROM_END
    later, boards = game.board(line.position), list[tuple[int, str]]()
    for count in range(len(line.plies) - 1, -1, -1):
        board = game.board(line.before(count))
        if board == later and boards:
            boards[-1] = count, board
        elif board != later:
            if len(boards) == most:
                break
            boards.append((count, board))
        later = board
    return boards


def made_again(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """The line after plies that had been taken back are made again."""
    true, amiss = game.board(line.position), evidence.amiss(line.board)
    for count, ply in enumerate(line.undone, 1):
        shown = still_owed(line.board, true, game.board(ply.position))
        if not amiss.isdisjoint(changed_cells(line.board, shown)):
            yield dataclasses.replace(
                line,
                plies=(*line.plies, *line.undone[:count]),
                undone=line.undone[count:],
                board=shown,
                prior=line.prior + AGAIN_NATS,
                loss=evidence.loss(shown),
                begun=None,
            )


def cleared(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """A finished line whose board is being cleared: only pieces of its own are left, some are gone."""
    ended = dataclasses.replace(line, plies=(*line.plies, *line.undone), undone=())
    if game.outcome(ended.position) is None:
        return
    board = game.board(ended.position)
    left = "".join(EMPTY if evidence.of(cell, EMPTY) == 0 else letter for cell, letter in enumerate(board))
    gone = tuple(Step("remove", cell) for cell in changed_cells(left, board))
    if gone:
        begun = Begun(None, gone, left, CLEARED_NATS)
        yield dataclasses.replace(ended, board=board, begun=begun, loss=evidence.loss(left))


def still_owed(shown: str, true: str, board: str) -> str:
    """The board of another position, but for what hands still owe and that position does not change."""
    cells = (cell for cell in changed_cells(shown, true) if board[cell] == true[cell])
    kept = {cell: shown[cell] for cell in cells}
    return "".join(kept.get(cell, letter) for cell, letter in enumerate(board)) if kept else board


def _kept(line: Line, count: int) -> int:
    """The number of plies that stay: a pass that was told remains, whatever becomes of the ply after it."""
    while line.plies[count].known == "said" and not line.plies[count].seen:
        count += 1
    return count


def _cut(evidence: Evidence, line: Line, count: int, shown: str, nats: float) -> Line:
    return dataclasses.replace(
        line,
        plies=line.plies[:count],
        undone=(*line.plies[count:], *line.undone),
        board=shown,
        prior=line.prior + nats,
        loss=evidence.loss(shown),
        begun=None,
    )
