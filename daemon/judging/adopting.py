"""Accepts the board in view on a player's word: as far as legal play leads to it, or else as one set up by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

import numpy as np

from daemon.belief.deciding import Torn, Wrong, decide
from daemon.belief.gap_search import MAX_MOVES_ASKED
from daemon.belief.line import Line, common
from daemon.belief.look import Evidence, Look
from daemon.belief.missed import back_to, ways_to
from daemon.game.effects import Effect, TakeBack
from daemon.judging import exchanged, offering, phrases
from daemon.judging.corrections import Refusal, side_of
from daemon.judging.exchanged import Exchange, where
from daemon.judging.referee import Referee
from rules import AnyGame, HiddenHands, PositionError, Side, figures_of
from rules.turns import changed_cells
from vision.reading.board_reading import SURE, BoardReading
from wording import Sentences, sentence, sentence_n

HIDDEN = sentence("What is held is not to be seen on the board: a game begins from its start.")
OVER = sentence("On this board the game is over: nothing can be played from it.")


@dataclasses.dataclass(frozen=True)
class SetUp:
    """A position that no legal play from the present line leads to; a new game begins with it."""

    position: Any


def way_to(referee: Referee, reading: BoardReading, mover: Side | None = None) -> Line | None:
    """The line that keeps most plies and surely leads to a board; `mover` is the side that moves next, if known."""
    return back_to(referee.game, referee.belief.told, Evidence(Look(0.0, reading)), mover)


def take(referee: Referee, way: Line) -> list[Effect]:
    """Makes the line that leads to the board the believed one, and says what changed."""
    same = max(0, common(referee.belief.told, way))
    undone, plies = referee.line.plies[same:], way.plies[same:]
    referee.line.cut(same)
    referee.believe()
    referee.forget_answer()
    effects: list[Effect] = [TakeBack(same)] if undone else []
    if plies and referee.ply == 0:
        referee.line.start = way.start
    for number, ply in enumerate(plies, 1):
        effects += referee.make(dataclasses.replace(ply, known="said", assumed=False), goes_on=number < len(plies))
    referee.believe()
    again = {one.text for one in referee.line.plies[same:]}
    gone = [one.text for one in undone if one.seen and one.text not in again]
    sentences = [sentence("I take the board as it is."), referee.whose_turn()]
    if gone:
        moves = phrases.listed(gone)
        sentences.insert(0, sentence_n("{moves} no longer counts.", "{moves} no longer count.", len(gone), moves=moves))
    effects.append(referee.announce("adopted", *sentences))
    return [*effects, *referee.pass_if_forced()]


def adopt(referee: Referee, reading: BoardReading, side: str = "") -> list[Effect] | SetUp:
    """Believes the board in view: by legal play if some leads to it, otherwise as a position set up by hand.

    `side` names who moves next. Raises Refusal if the board cannot be seen clearly or cannot be a position.
    """
    game = referee.game
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    mover, doubtful = side_of(game, side) if side else None, np.flatnonzero(reading.confidence < SURE)
    if offered := [one for one in referee.offered if game.board(one) == reading.board]:
        return _played_on(referee, offered, mover)
    # Of lines between which the last look left the choice, that in which this side moves next.
    near = (one for one in referee.belief.near if one.begun is None and one.board == reading.board)
    way = next((one for one in near if game.to_move(one.position) == mover), None) or way_to(referee, reading, mover)
    same = -1 if way is None else max(0, common(referee.belief.told, way))
    if way is not None and (same == referee.ply or len(doubtful)):
        return take(referee, way)
    if len(exchanges := exchanged.explaining(referee.line, reading.board)) == 1:
        return _begun_otherwise(referee, exchanges[0])
    # Prefer missed moves if they are fewer than those that would be dropped and made instead.
    most = None
    if way is not None:
        most = sum(ply.seen for ply in referee.line.plies[same:]) + sum(ply.seen for ply in way.plies[same:]) - 1
    if not len(doubtful) and (effects := _caught_up(referee, reading.board, mover, most)):
        return effects
    if way is not None:
        return take(referee, way)
    if len(doubtful):
        names = phrases.named_cells(game, [int(cell) for cell in doubtful])
        raise Refusal(sentence("I cannot see {cells} clearly: first choose or type what stands there.", cells=names))
    return SetUp(_set_up(referee, reading, mover))


def _played_on(referee: Referee, offered: list[Any], mover: Side | None) -> list[Effect] | SetUp:
    """Believes the position that was offered with this side to move, by missed moves if some lead to its pieces."""
    game, board = referee.game, referee.game.board(offered[0])
    positions = [one for one in offered if mover in (None, game.to_move(one))]
    if not positions:
        side = phrases.named(game, game.to_move(offered[0]))
        raise Refusal(sentence("Where the pieces stand so, it is {side:gen}'s move.", side=side))
    figures = {figures_of(game, one) for one in positions}
    if board != game.board(referee.position) and (effects := _caught_up(referee, board, mover, None, figures)):
        return effects
    return SetUp(min(positions, key=lambda one: game.to_move(one) != game.to_move(referee.position)))


def position_of(game: AnyGame, text: str) -> Any:
    """The position of a text, from which a game can begin. Raises Refusal."""
    if isinstance(game, HiddenHands):
        raise Refusal(HIDDEN)
    try:
        position = game.parse_position(text)
    except PositionError as error:
        raise Refusal(sentence("This board is no position to go on from: {why}.", why=error.said)) from error
    if game.outcome(position) is not None:
        raise Refusal(OVER)
    return position


def _begun_otherwise(referee: Referee, exchange: Exchange) -> list[Effect]:
    """Believes that the game began with these pieces exchanged; the board is to be judged again."""
    referee.rewritten(exchange.line)
    referee.forget_answer()
    referee.believe()
    start = referee.game.format_position(referee.line.start)
    rewrite = dataclasses.replace(referee.line.rewrite(0, referee.outcome), start=start)
    said = sentence(
        "I take it that at the start the {piece} stood on {cell} and the {exchanged} on {origin}.", **where(exchange)
    )
    return [rewrite, referee.announce("adopted", said)]


def _caught_up(
    referee: Referee, board: str, mover: Side | None, most: int | None, figures: Collection[str] = ()
) -> list[Effect]:
    """Believes the fewest unseen moves that lead to the board; later boards may show that it was others.

    `figures` are those with which it was seen, where that is known.
    """
    game, certain = referee.game, referee.belief.told
    if not referee.belief.seen or referee.outcome is not None:
        return []
    ways = [
        way
        for way in ways_to(game, certain, board, 0.0, MAX_MOVES_ASKED)
        if mover is None or game.outcome(way.position) is not None or game.to_move(way.position) == mover
        if not figures or figures_of(game, way.position) in figures
    ]
    if not ways or (most is not None and len(ways[0].plies) - referee.ply > most):
        return []
    if not referee.ply:
        referee.line.start = ways[0].start
    effects = referee.caught_up(ways[0].plies[referee.ply :])
    referee.believe(ways)
    told = referee.announce("adopted", sentence("I take the board as it is."), referee.whose_turn())
    return [*effects, told, *referee.pass_if_forced()]


def _set_up(referee: Referee, reading: BoardReading, mover: Side | None) -> Any:
    """The position with that board. Raises Refusal if there is none."""
    game = referee.game
    first = game.to_move(referee.position)
    try:
        sides = (first, 1 - first) if mover is None else (mover,)
        position = offering.positions_of(game, reading, referee.position, *sides)[0][0]
    except PositionError as error:
        raise Refusal(sentence("This board is no position to go on from: {why}.", why=error.said)) from None
    if game.outcome(position) is not None:
        raise Refusal(OVER)
    return position


def why_not(referee: Referee, reading: BoardReading) -> Sentences:
    """Why a corrected board still is no legal play, in sentences; empty if it is."""
    belief = referee.belief.forgiving
    after = belief.after(Look(0.0, reading, final=True))
    for decision in decide(belief, after):
        if isinstance(decision, Torn):
            return (sentence("More than one move leads to that board."),)
        if isinstance(decision, Wrong):
            return referee.complaint(decision, after)[1]
    return ()


def differing(referee: Referee, board: str) -> int:
    return len(changed_cells(referee.game.board(referee.position), board))
