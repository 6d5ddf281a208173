"""Plies that no look showed: the ways to a strange board from any position, and a game that goes on after its end."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence

from daemon.belief.costs import BELIEVE_NATS, MAX_BACK, ODD_NATS, RARE_NATS, TENFOLD_NATS
from daemon.belief.gap_search import GapSearch, fills
from daemon.belief.line import Line, with_forced_passes
from daemon.belief.look import Evidence
from daemon.belief.plies import BEAM, MAX_MOVES, MAX_MOVES_BESIDES, MAX_PLIES, MIN_LINES, Manner, PlySearch
from daemon.game.effects import Known
from daemon.game.line_of_play import LineOfPlay, Ply, played, shares_pieces
from rules import EMPTY, AnyGame, MoveError, Side
from rules.turns import carry_out, changed_cells, seen_moves


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


MAX_BY_HAND = 2
"""Plies' worth of cells that one rule-breaking hand may fill, a piece placed or moved, or two together; the cells of a
tile."""


def ways_to(game: AnyGame, line: Line, board: str, nats: float, most_moves: int = MAX_MOVES) -> list[Line]:
    """The line with long ways to a strange board; the first costs `nats`, others more: their order is assumed."""
    starts = game.starts if not line.plies and line.start in game.starts else (line.position,)
    found = []
    for start in starts:
        begin = line if line.plies else dataclasses.replace(line, start=start)
        for way in GapSearch(game, start, board, most_moves // len(starts)).ways():
            plies = (*begin.plies, *way)
            found.append(dataclasses.replace(begin, plies=plies, board=board, unproved=True, undone=()))
    found.sort(key=lambda one: len(one.plies))
    return [
        dataclasses.replace(one, prior=nats + TENFOLD_NATS * bool(number), loss=0.0, begun=None)
        for number, one in enumerate(found)
    ]


def overlooked(game: AnyGame, line: Line, board: str, time_s: float, agents: frozenset[Side]) -> list[Line]:
    """The line, or it with a ply that no agent chooses, and one piece that should not stand so, but people may play on.

    Either they see no harm in it, or it was misread. With a ply no piece is missing, nor is the strange one its
    own: then another ply was made.
    """
    ways, before = [line], game.board(line.position)
    if len(changed_cells(before, board)) != 1:
        ways = []
        is_free = game.outcome(line.position) is None and game.to_move(line.position) not in agents
        for move, steps in seen_moves(game, line.position) if is_free else ():
            amiss = changed_cells(carry_out(before, steps), board)
            own = [step.cell for step in steps if step.kind != "flip"]
            if steps and len(amiss) == 1 and board[amiss[0]] != EMPTY and amiss[0] not in own:
                ply = played(game, line.position, move, assumed=True, time_s=time_s)
                ways.append(with_forced_passes(game, dataclasses.replace(line, plies=(*line.plies, ply), undone=())))
    return [dataclasses.replace(way.showing(board, 0.0, ODD_NATS + RARE_NATS), unproved=True) for way in ways]


def may_be_missed(game: AnyGame, line: Line, board: str) -> bool:
    by_ply = max((fills(game.steps(line.position, move)) for move in game.legal_moves(line.position)), default=1)
    filled = sum(one == EMPTY != other for one, other in zip(game.board(line.position), board, strict=True))
    return filled > MAX_BY_HAND * by_ply


def begins_a_game(game: AnyGame, board: str) -> bool:
    """Whether a board shows a start of the game, or one ply from it."""
    starts = [(start, game.board(start)) for start in game.starts]
    return any(
        board == before or any(carry_out(before, steps) == board for _, steps in seen_moves(game, start))
        for start, before in starts
    )


def would_go_on(game: AnyGame, evidence: Evidence, line: Line) -> bool:
    """Whether the look shows a game that is over going on, if whoever is known to have moved had not."""
    plies = tuple(dataclasses.replace(ply, known="") for ply in line.plies)
    forgetful = dataclasses.replace(line, plies=plies, loss=evidence.loss(line.board))
    return any(
        way.begun is None and len(way.plies) > len(one.plies)
        for one in reopened(game, evidence, forgetful)
        for way in ways(game, one, evidence)
    )


def reopened(game: AnyGame, evidence: Evidence, line: Line) -> Iterator[Line]:
    """Lines in which a game that is over goes on, because a piece that belongs to nobody was the other side's.

    Nothing unless the look shows something new on empty cells, and nothing else.
    """
    amiss = evidence.amiss(line.board)
    if not shares_pieces(game) or game.outcome(line.position) is None or not amiss:
        return
    if any(line.board[cell] != EMPTY for cell in amiss) or len(amiss - evidence.unsure) < MAX_BY_HAND:
        return
    believed = LineOfPlay(game, line.start, line.plies)
    for number, other in enumerate(itertools.islice(_going_on(believed), MIN_LINES)):
        prior = line.prior + ODD_NATS + TENFOLD_NATS * bool(number)
        plies = plies_of(other, line.plies)
        after = Line(other.start, plies, line.board, prior, unproved=line.unproved, over=line, loss=line.loss)
        yield with_forced_passes(game, after)


def _going_on(line: LineOfPlay) -> Iterator[LineOfPlay]:
    """The lines in which the game goes on after all plies, those that change fewest movers first."""
    known = _movers(line)
    for other in itertools.islice(_turned(line), BEAM):
        goes_on = other is not None and not other.beyond and other.game.outcome(other.position) is None
        if other is not None and goes_on and _movers(other) == known:
            yield other


def _turned(line: LineOfPlay) -> Iterator[LineOfPlay | None]:
    """Every line with one mover changed, the last first, then with two; None for each impossible line."""
    ones = []
    for number in range(len(line.seen), 0, -1):
        ones.append((number, turned(line, number)))
        yield ones[-1][1]
    for first, one in ones:
        for number in range(0 if one is None else len(one.seen), first, -1):
            assert one is not None
            yield turned(one, number)


def turned(line: LineOfPlay, number: int) -> LineOfPlay | None:
    """The line in which the other side made a move; None if it cannot have, or the maker is known."""
    ply = line.plies[line.seen[number - 1]]
    if ply.known:
        return None
    try:
        return line.with_mover(number, 1 - ply.side, "")
    except MoveError:
        return None


def _movers(line: LineOfPlay) -> list[tuple[str, Side, Known]]:
    return [(ply.text, ply.side, ply.known) for ply in (*line.plies, *line.beyond) if ply.known]


def plies_of(replayed: LineOfPlay, before: Sequence[Ply]) -> tuple[Ply, ...]:
    """The replayed plies; those that are as `before` stay as they were seen, no others came together."""
    plies = []
    for index, ply in enumerate(replayed.plies):
        same = before[index] if index < len(before) and before[index] == ply else None
        plies.append(same or dataclasses.replace(ply, time_s=float(index - len(replayed.plies))))
    return tuple(plies)
