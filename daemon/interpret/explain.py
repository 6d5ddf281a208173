"""What moves, if any, explain a board reading: the rules correct the eyes.

A reading gives every cell a probability for every class. Each board that the rules allow next is scored against it.
Nothing here is specific to a game.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from daemon.game.line_of_play import shares_men
from daemon.interpret.cell_losses import CellLosses
from daemon.interpret.explanation import FIT_NATS, Explanation, MoveEvent
from daemon.interpret.lookahead import MAX_MOVES, Lookahead
from games import AnyGame, Side, changed_cells
from vision.reading.board_reading import BoardReading

CERTAIN_NATS = 100.0
"""What a cell that is known costs where it shows anything else."""
TAKEBACK_BOARDS = 8
"""As many boards back a takeback is recognised: a ply each, and passes for nothing."""


def explain(
    game: AnyGame,
    history: Sequence[Any],
    reading: BoardReading,
    movers: Sequence[Side] = (),
    most_moves: int = MAX_MOVES,
) -> MoveEvent:
    """Ranks what may have happened since `history[-1]`, the last position believed; `history` starts at the start.

    `movers` are the sides that made the plies seen now, where they are known: the last made the last ply.
    """
    losses = CellLosses(reading)
    present = game.board(history[-1])
    unchanged = Explanation("unchanged", present, losses.of(present), history[-1])
    if unchanged.loss == 0 and losses.least_change(present) > max(FIT_NATS.values()):
        return _event(game, history, reading, [unchanged])  # the picture rules out every other board
    lookahead = Lookahead(game, losses, movers, [unchanged, *_takebacks(game, history, losses)], most_moves)
    starts = game.starts if len(history) == 1 and history[0] in game.starts else history[-1:]
    lookahead.search(starts, present)
    return _event(game, history, reading, lookahead.found)


def is_reached(game: AnyGame, position: Any, board: str, plies: int) -> bool:
    """Whether so many legal plies that are seen may lead from a position to a board."""
    at = np.array([[letter == shown for letter in game.classes] for shown in board])
    certain = BoardReading(np.where(at, 0.0, -CERTAIN_NATS), game.classes, 0.0)
    lookahead = Lookahead(game, CellLosses(certain), (), ())
    lookahead.search([position], game.board(position))
    return any((one.kind, one.board, one.seen) == ("plies", board, plies) for one in lookahead.found)


def _event(game: AnyGame, history: Sequence[Any], reading: BoardReading, found: Sequence[Explanation]) -> MoveEvent:
    fitting = sorted((one for one in found if one.fits), key=lambda one: one.cost)
    # Moves made and moved back again, or taken back: what stands there and who moves is the same.
    back = {(one.board, game.to_move(one.start)): one.cost for one in fitting if one.kind == "takeback"}
    fitting = [
        one
        for one in fitting
        if one.kind != "plies" or one.cost < back.get((one.board, game.to_move(one.positions[-1])), math.inf)
    ]
    doubtful = tuple(int(cell) for cell in np.flatnonzero(reading.confidence < 0.9))
    event = MoveEvent(reading, _distinct(game, fitting), doubtful, shared_men=shares_men(game))
    return dataclasses.replace(event, goes_back=_goes_back(game, history, event))


def _goes_back(game: AnyGame, history: Sequence[Any], event: MoveEvent) -> bool:
    """Whether a takeback is as likely as the best explanation, or the board looks like half of one.

    A plain move is none, nor is a whole takeback: only several plies, half a turn and what nothing explains.
    """
    best = event.explanations[0] if event.explanations else None
    if best is not None:
        if event.ambiguous:
            return any(one.kind == "takeback" for one in (best, *event.rivals))
        if best.kind in ("unchanged", "takeback") or (best.kind == "plies" and best.seen < 2):
            return False
    seen = event.board if best is None else best.board
    cells = changed_cells(game.board(history[-1]), seen)
    return any(all(board[cell] == seen[cell] for cell in cells) for _, board in boards_before(game, history))


def _takebacks(game: AnyGame, history: Sequence[Any], losses: CellLosses) -> Iterator[Explanation]:
    """Returns to the boards before the present one."""
    for ply, board in boards_before(game, history):
        yield Explanation("takeback", board, losses.of(board), history[ply], ply=ply)


def boards_before(game: AnyGame, history: Sequence[Any]) -> list[tuple[int, str]]:
    """The plies and boards to which men may be taken back, the last first.

    A pass, which changes nothing, goes with the next ply.
    """
    present = later = game.board(history[-1])
    boards: list[tuple[int, str]] = []
    for ply in range(len(history) - 2, -1, -1):
        board = game.board(history[ply])
        if board == later and boards:
            boards[-1] = ply, board
        elif board != later:
            if len(boards) == TAKEBACK_BOARDS:
                break
            boards.append((ply, board))
        later = board
    return [(ply, board) for ply, board in boards if board != present]


def _distinct(game: AnyGame, ranked: Sequence[Explanation]) -> tuple[Explanation, ...]:
    """The best explanation of each outcome.

    Several plies at once may have come in another order, or by other captures, to the same position: what counts is
    the position reached. A begun turn is the same whatever its end will be. Of takebacks to one board that stood there
    several times people mean the shortest, and nobody could show them which by laying it again.
    """
    kept: dict[object, Explanation] = {}
    for one in ranked:
        end = game.format_position(one.positions[-1]) if one.positions else ""
        kept.setdefault((one.kind, one.board, end), one)
    return tuple(kept.values())
