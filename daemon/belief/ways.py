"""What a look shows, from any position, as if people alone played: for complaints, advice and adopted boards."""

from __future__ import annotations

import dataclasses

from daemon.belief.costs import BELIEVE_NATS, MAX_BACK, ODD_NATS
from daemon.belief.line import Line
from daemon.belief.look import Evidence
from daemon.belief.plies import MAX_MOVES, MAX_MOVES_BESIDES, MAX_PLIES, Manner, PlySearch
from rules import AnyGame, Side


def ways(game: AnyGame, line: Line, evidence: Evidence, most_moves: int = MAX_MOVES_BESIDES) -> list[Line]:
    """The line as it is and with a few plies, or half a turn, where the look contradicts nothing; likeliest first."""
    starts = game.starts if not line.plies and line.start in game.starts else (line.start,)
    found = list[Line]()
    for start in starts:
        root = Line(start, line.plies)
        board = game.board(root.position)
        root = root.showing(board, evidence.loss(board))
        search = PlySearch(game, evidence, Manner())
        found += [root, *search.search(root, lambda: MAX_PLIES * ODD_NATS, most_moves)]
    return sorted((one for one in found if not evidence.wrong(one.shown)), key=lambda one: one.cost)


def undoubted(game: AnyGame, found: list[Line]) -> Line | None:
    """The likeliest of some lines if no turn is begun in it, and none that leads elsewhere is nearly as likely."""
    if not found or found[0].begun is not None:
        return None
    first = found[0]
    here = first.shown, game.to_move(first.position)
    rivals = (one for one in found[1:] if one.cost < first.cost + BELIEVE_NATS)
    return first if all((one.shown, game.to_move(one.position)) == here for one in rivals) else None


def back_to(game: AnyGame, line: Line, evidence: Evidence, side: Side | None = None) -> Line | None:
    """The line that keeps most plies of this one and surely leads to the board in view; None if there is none.

    `side` is the one that moves next, if known: it decides between two ways.
    """
    for count in range(len(line.plies), max(-1, len(line.plies) - MAX_BACK - 1), -1):
        most_moves = MAX_MOVES if count == len(line.plies) else MAX_MOVES_BESIDES
        found = ways(game, dataclasses.replace(line, plies=line.plies[:count]), evidence, most_moves)
        if side is None:
            way = undoubted(game, found)
        else:
            way = next((one for one in found if one.begun is None and side in _to_move(game, one)), None)
        if way is not None:
            return way
    return None


def _to_move(game: AnyGame, line: Line) -> tuple[Side, ...]:
    """Who may be the next to move: nobody is wrong about that once the game is over."""
    return (0, 1) if game.outcome(line.position) is not None else (game.to_move(line.position),)
