"""Accepts the board in view on a player's word, as far as legal play or the rules allow it.

This repairs earlier misreadings: the line of play is cut at the latest ply from which legal play leads to the board,
and continues from there.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from daemon.game.effects import Effect, TakeBack
from daemon.interpret.explain import explain
from daemon.interpret.explanation import Explanation, MoveEvent
from daemon.interpret.lookahead import MAX_MOVES, MAX_MOVES_BESIDES
from daemon.judging import complaints, phrases
from daemon.judging.corrections import Refusal, side_of
from daemon.judging.exchanged import Exchange, where
from daemon.judging.gap import missed
from daemon.judging.gap_search import MAX_MOVES_ASKED
from daemon.judging.other_lines import OtherLine
from daemon.judging.referee import Referee
from rules import AnyGame, PositionError, Side
from rules.turns import changed_cells
from vision.reading.board_reading import BoardReading
from wording import Sentences, sentence, sentence_n

HIDDEN = sentence("What is held is not to be seen on the board: a game begins from its start.")
OVER = sentence("On this board the game is over: nothing can be played from it.")
MAX_BACK = 8
"""Greatest number of plies back at which another line of play is looked for."""


@dataclasses.dataclass(frozen=True)
class Way:
    """A way in which legal play leads to a board."""

    ply: int
    """The ply up to which the line is unchanged."""
    best: Explanation


@dataclasses.dataclass(frozen=True)
class SetUp:
    """A position that no legal play from the present line leads to; a new game begins with it."""

    position: Any


def way_to(referee: Referee, reading: BoardReading, mover: Side | None = None) -> Way | None:
    """The latest ply from which legal play explains a reading beyond doubt; None if there is none.

    `mover` is the side that moves next, if known: it decides between two ways.
    """
    game = referee.game
    for ply in range(referee.ply, max(-1, referee.ply - MAX_BACK - 1), -1):
        most_moves = MAX_MOVES if ply == referee.ply else MAX_MOVES_BESIDES
        event = explain(game, referee.history[: ply + 1], reading, (), most_moves)
        ways = [Way(ply, one) for one in event.explanations if one.kind in ("unchanged", "plies")]
        if mover is None and (event.ambiguous or ways[:1] != [Way(ply, one) for one in event.explanations[:1]]):
            continue
        for way in ways:
            after = way.best.positions[-1] if way.best.positions else referee.history[way.ply]
            if mover is None or game.outcome(after) is not None or game.to_move(after) == mover:
                return way
    return None


def take(referee: Referee, way: Way) -> list[Effect]:
    """Makes the line that leads to the board the believed one, and says what changed."""
    undone = referee.line.plies[way.ply :]
    referee.line.cut(way.ply)
    referee.forget_answer()
    referee.withdrawn = None
    effects: list[Effect] = [TakeBack(way.ply)] if undone else []
    if way.best.moves and referee.ply == 0:
        referee.history[0] = way.best.start
    for number, (move, position) in enumerate(zip(way.best.moves, way.best.positions, strict=True), 1):
        effects += referee.make(move, position, "said", goes_on=number < len(way.best.moves))
    referee.believe()
    again = {one.text for one in referee.line.plies[way.ply :]}
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
    if referee.exchange is not None and referee.exchange.board == reading.board:
        return _begun_otherwise(referee, referee.exchange)
    doubtful = [cell for cell, sure in enumerate(reading.confidence) if sure < 0.9]
    mover = side_of(game, side) if side else None
    if mover is not None and (effects := referee.settle(reading.board, mover)):
        return effects
    way = way_to(referee, reading, mover)
    undone = 0 if way is None else sum(ply.seen for ply in referee.line.plies[way.ply :])
    if way is not None and not (undone and not doubtful):
        return take(referee, way)
    # Prefer missed moves if they are fewer than those that would be dropped and made instead.
    most = None if way is None else undone + way.best.seen - 1
    if not doubtful and (effects := _caught_up(referee, reading.board, mover, most)):
        return effects
    if way is not None:
        return take(referee, way)
    if doubtful:
        names = phrases.named_cells(game, doubtful)
        raise Refusal(sentence("I cannot see {cells} clearly: say what stands there first, with correct.", cells=names))
    return SetUp(_in_play(game, _set_up(referee, reading.board, mover)))


def position_of(game: AnyGame, text: str) -> Any:
    """The position of a text, from which a game can begin. Raises Refusal."""
    if game.hides:
        raise Refusal(HIDDEN)
    try:
        position = game.parse_position(text)
    except PositionError as error:
        raise Refusal(sentence("This board is no position to go on from: {why}.", why=error.said)) from error
    return _in_play(game, position)


def _in_play(game: AnyGame, position: Any) -> Any:
    if game.outcome(position) is not None:
        raise Refusal(OVER)
    return position


def _begun_otherwise(referee: Referee, exchange: Exchange) -> list[Effect]:
    """Believes that the game began with these pieces exchanged; the board is to be judged again."""
    referee.line.become(exchange.line)
    referee.forget_answer()
    referee.believe()
    start = referee.game.format_position(referee.line.positions[0])
    rewrite = dataclasses.replace(referee.line.rewrite(0, referee.outcome), start=start)
    said = sentence(
        "I take it that at the start the {piece} stood on {cell} and the {exchanged} on {origin}.", **where(exchange)
    )
    return [rewrite, referee.announce("adopted", said)]


def _caught_up(referee: Referee, board: str, mover: Side | None, most: int | None) -> list[Effect]:
    """Believes the fewest unseen moves that lead to the board; later boards may show that it was others."""
    if not referee.seen or referee.outcome is not None:
        return []
    ends = [(way, way.positions[-1]) for way in missed(referee.line, board, MAX_MOVES_ASKED)]
    ways = [
        OtherLine.after(referee.line, way, assumed=True)
        for way, end in ends
        if mover is None or referee.game.outcome(end) is not None or referee.game.to_move(end) == mover
    ]
    if not ways or (most is not None and sum(ply.assumed for ply in ways[0].plies[referee.ply :]) > most):
        return []
    effects = referee.catch_up(ways)
    told = referee.announce("adopted", sentence("I take the board as it is."), referee.whose_turn())
    return [*effects, told, *referee.pass_if_forced()]


def _set_up(referee: Referee, board: str, mover: Side | None) -> Any:
    """The position with that board. Raises Refusal if there is none."""
    game, refused = referee.game, list[PositionError]()
    first = game.to_move(referee.position)
    for side in (first, 1 - first) if mover is None else (mover,):
        try:
            return game.set_up(board, side, referee.position)
        except PositionError as error:
            refused.append(error)
    raise Refusal(sentence("This board is no position to go on from: {why}.", why=refused[0].said))


def why_not(referee: Referee, event: MoveEvent) -> Sentences:
    """Why a corrected board still is no legal play, in sentences; empty if it is."""
    if event.explanations and not event.ambiguous:
        return ()
    if event.ambiguous:
        return (sentence("More than one move leads to that board."),)
    asked, begun = referee.agent_move, referee.ply > 0
    return complaints.unexplained(referee.game, referee.position, event, begun=begun, asked=asked).said


def differing(referee: Referee, board: str) -> int:
    """Number of cells on which a board differs from the believed one."""
    return len(changed_cells(referee.game.board(referee.position), board))
