"""Pieces of the same look that stood exchanged at the start, as a later move shows: told to people, never believed."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from daemon.game.line_of_play import LineOfPlay
from daemon.judging import phrases
from rules import EMPTY, Arranged, Figures, GameError, arranged_by, figures_of, piece_noun
from rules.turns import carry_out, changed_cells
from wording import Given, Sentence, sentence


@dataclasses.dataclass(frozen=True)
class Exchange:
    """Two pieces that stood exchanged at the start, which makes a board the result of a legal move."""

    cells: tuple[int, int]
    """Where they stood."""
    line: LineOfPlay
    """The line of play so far, from that start."""
    move: Any


def explaining(line: LineOfPlay, board: str) -> list[Exchange]:
    """The exchanges that explain a board by one move, by those pieces first that are easily exchanged; none if none do.

    Only one of a moved piece counts beyond those: no other makes it move otherwise.
    """
    game, start = line.game, line.start
    figures, seen = figures_of(game, start), game.board(start)
    if figures == seen:
        return []
    moved = set(_origins(line, board))
    easy, other = list[tuple[int, int]](), list[tuple[int, int]]()
    for pair in itertools.combinations((cell for cell, letter in enumerate(seen) if letter != EMPTY), 2):
        one, two = (figures[cell] for cell in pair)
        if one != two and seen[pair[0]] == seen[pair[1]]:
            if {one, two} in map(set, Figures.of(game).easily_exchanged):
                easy.append(pair)
            elif moved.intersection(pair):
                other.append(pair)
    return list(_explaining(line, board, easy)) or list(_explaining(line, board, other))


def _explaining(line: LineOfPlay, board: str, pairs: list[tuple[int, int]]) -> Iterator[Exchange]:
    game = line.game
    for pair in pairs:
        if (again := _replayed(line, pair)) is None:
            continue
        position, before = again.position, game.board(again.position)
        moves = (one for one in game.legal_moves(position) if carry_out(before, game.steps(position, one)) == board)
        if (move := next(moves, None)) is not None:
            yield Exchange(pair, again, move)


def _origins(line: LineOfPlay, board: str) -> Iterator[int]:
    """Where the pieces that have left their cells on a board stood at the start."""
    before = line.game.board(line.position)
    for cell in changed_cells(before, board):
        if before[cell] == EMPTY or board[cell] != EMPTY:
            continue
        for index in reversed(line.seen):
            came = next((step for step in line.steps(index) if step.cell == cell and step.piece != EMPTY), None)
            cell = cell if came is None or came.origin is None else came.origin
        yield cell


def _replayed(line: LineOfPlay, pair: tuple[int, int]) -> LineOfPlay | None:
    """The line with the same hands, from the start with these pieces exchanged; None where the rules forbid it."""
    game, start = line.game, line.start
    one, two = pair
    figures = list(figures_of(game, start))
    figures[one], figures[two] = figures[two], figures[one]
    told = {right.code: right.held for right in Arranged.of(game).rights(start)}
    try:
        return line.replayed(LineOfPlay(game, arranged_by(game, "".join(figures), game.to_move(start), told)))
    except GameError:
        return None


def offer(found: list[Exchange]) -> Sentence:
    """Tells people that pieces may have stood exchanged, and how to have that taken over."""
    if len(found) > 1:
        return sentence("Perhaps two pieces stood exchanged at the start: then set up anew what stands on the board.")
    (one,) = found
    move = phrases.spoken_move(one.line.game, one.line.position, one.move)
    return sentence(
        "If at the start the {piece} stood on {cell} and the {exchanged} on {origin}, it is {move}: "
        "then tell me to adopt the board.",
        **where(one),
        move=move,
    )


def where(one: Exchange) -> dict[str, Given]:
    """The exchanged pieces and where each stood, for a sentence."""
    game, figures = one.line.game, figures_of(one.line.game, one.line.start)
    (origin, cell), names = one.cells, one.line.game.cells
    piece, exchanged = piece_noun(game, figures[cell]), piece_noun(game, figures[origin])
    return {"piece": piece, "cell": names[cell], "exchanged": exchanged, "origin": names[origin]}
