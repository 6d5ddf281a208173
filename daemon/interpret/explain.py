"""Finds the moves, if any, that explain a board reading: the rules correct the vision.

A reading gives every cell a probability for each class. Each board that the rules allow next is scored against it.
Nothing here is specific to one game.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from daemon.game.line_of_play import shares_pieces
from daemon.interpret.cell_losses import CellLosses
from daemon.interpret.explanation import FIT_NATS, Explanation, MoveEvent
from daemon.interpret.lookahead import MAX_MOVES, Lookahead
from rules import AnyGame, Side
from rules.turns import changed_cells
from vision.reading.board_reading import BoardReading

TAKEBACK_BOARDS = 8
"""Number of earlier boards to which a takeback is recognised: one ply each, passes not counted."""


def explain(
    game: AnyGame,
    history: Sequence[Any],
    reading: BoardReading,
    movers: Sequence[Side] = (),
    most_moves: int = MAX_MOVES,
) -> MoveEvent:
    """Ranks what may have happened since `history[-1]`, the last believed position; `history` starts with the game.

    `movers` are the sides that made the plies seen now, where known: the last of them made the last ply.
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
    """Whether exactly `plies` visible legal plies can lead from a position to a board."""
    lookahead = Lookahead(game, CellLosses(BoardReading.certain(board, game.classes, 0.0)), (), ())
    lookahead.search([position], game.board(position))
    return any((one.kind, one.board, one.seen) == ("plies", board, plies) for one in lookahead.found)


def _event(game: AnyGame, history: Sequence[Any], reading: BoardReading, found: Sequence[Explanation]) -> MoveEvent:
    fitting = sorted((one for one in found if one.fits), key=lambda one: one.cost)
    # Moves made and reversed, or taken back, lead to the same board with the same side to move.
    back = {(one.board, game.to_move(one.start)): one.cost for one in fitting if one.kind == "takeback"}
    fitting = [
        one
        for one in fitting
        if one.kind != "plies" or one.cost < back.get((one.board, game.to_move(one.positions[-1])), math.inf)
    ]
    # A whole turn is no half of another, as a rook's move is of castling, until more of it is seen.
    whole = {one.board for one in fitting if one.kind == "plies" and one.seen == 1}
    fitting = [one for one in fitting if one.kind != "unfinished" or one.board not in whole]
    doubtful = tuple(int(cell) for cell in np.flatnonzero(reading.confidence < 0.9))
    event = MoveEvent(reading, _distinct(game, fitting), doubtful, shared_pieces=shares_pieces(game))
    return dataclasses.replace(event, goes_back=_goes_back(game, history, event))


def _goes_back(game: AnyGame, history: Sequence[Any], event: MoveEvent) -> bool:
    """Whether a takeback is as likely as the best explanation, or the board looks like half of one.

    Neither a plain move nor a complete takeback counts: only several plies, half a turn, or an unexplained board.
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
    """Explanations that return to boards before the present one."""
    for ply, board in boards_before(game, history):
        yield Explanation("takeback", board, losses.of(board), history[ply], ply=ply)


def boards_before(game: AnyGame, history: Sequence[Any]) -> list[tuple[int, str]]:
    """The plies and boards to which play may be taken back, the last first.

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

    Several plies at once may have come in another order, or by other captures, to the same position: what counts is the
    position reached. A begun turn is the same however it will end. Of takebacks to one board that occurred several
    times people mean the shortest, and setting it up again could not show which one is meant.
    """
    kept: dict[object, Explanation] = {}
    for one in ranked:
        end = game.format_position(one.positions[-1]) if one.positions else ""
        kept.setdefault((one.kind, one.board, end), one)
    return tuple(kept.values())
