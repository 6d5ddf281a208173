"""Choices that the board does not show, such as what a pawn becomes: as an agent asked, as told, or as play bears out.

The first of the moves that look alike is believed (`rules.turns.seen_moves`); here it is replaced by another one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from daemon.game.effects import Effect, Known
from daemon.game.line_of_play import LineOfPlay
from daemon.i18n.translation import called
from daemon.interpret.explain import explain
from daemon.interpret.explanation import Explanation, MoveEvent
from daemon.judging import phrases
from daemon.judging.other_lines import MAX_TRIED, OtherLine
from daemon.judging.play import Play
from rules import AnyGame, MoveError
from rules.turns import alike
from wording import sentence


def as_asked(game: AnyGame, position: Any, asked: Any, event: MoveEvent) -> MoveEvent:
    """The event with the move that an agent asked for in place of one that looks like it."""
    if asked is None or game.choice(position, asked) is None:
        return event
    ways = tuple(_as_asked(game, position, asked, way) for way in event.explanations)
    return dataclasses.replace(event, explanations=ways)


def _as_asked(game: AnyGame, position: Any, asked: Any, way: Explanation) -> Explanation:
    if way.kind not in ("plies", "unfinished") or way.start != position:
        return way
    if way.moves[0] == asked or way.moves[0] not in alike(game, position, asked):
        return way
    moves, positions = (asked, *way.moves[1:]), list[Any]()
    try:
        for move in moves[: len(way.positions)]:
            positions.append(game.apply(positions[-1] if positions else position, move))
    except MoveError:
        return way
    return dataclasses.replace(way, moves=moves, positions=tuple(positions))


def choose(play: Play, text: str) -> list[Effect] | None:
    """Corrects the last move that the text may mean: a move's text or the choice's name, "knight"; None if none is.

    The plies after it stay.
    """
    for index, move in _others(play.line):
        before, ply = play.line.positions[index], play.line.plies[index]
        if ply.known == "agent" or not _means(play.game, before, move, text):
            continue
        try:
            other = with_move(play.line, index, move, "said")
        except MoveError:
            continue
        ended = play.outcome
        same = play.line.become(other)
        play.believe()
        words = phrases.spoken_move(play.game, before, move)
        said = sentence("{side:Nom}: {move}.", side=phrases.named(play.game, ply.side), move=words)
        effects: list[Effect] = [
            play.line.rewrite(same, play.outcome),
            play.announce("corrected", said, *play.next_turn()),
        ]
        if play.outcome is not None and play.outcome != ended:
            effects.append(play.announce_end(play.outcome))
        return effects
    return None


def _means(game: AnyGame, before: Any, move: Any, text: str) -> bool:
    term = game.choice(before, move)
    if term is not None and text.strip().casefold() in called(term):
        return True
    try:
        return bool(game.parse_move(before, text) == move)
    except MoveError:
        return False


def _others(line: LineOfPlay) -> Iterator[tuple[int, Any]]:
    """The plies that may have been another move to the same board, the last first, each with such a move."""
    for index in range(len(line.plies) - 1, -1, -1):
        if line.plies[index].move is not None:
            for move in alike(line.game, line.positions[index], line.plies[index].move):
                yield index, move


def with_move(line: LineOfPlay, index: int, move: Any, known: Known = "") -> LineOfPlay:
    """A copy of the line with another move as ply `index`, from 0. Raises MoveError if a later ply cannot follow it."""
    game = line.game
    again = LineOfPlay(game, line.positions[: index + 1])
    again.plies = line.plies[:index]
    again.add(move, game.apply(again.position, move), known)
    for late in range(index + 1, len(line.plies)):
        ply, before = line.plies[late], line.positions[late]
        hand = line.steps(late), game.choice(before, ply.move)
        same = (
            one
            for one in game.legal_moves(again.position)
            if (game.steps(again.position, one), game.choice(again.position, one)) == hand
        )
        following = next(same, None)
        if following is None:
            raise MoveError("cannot_be", sentence("{move} could not have followed", move=ply.text))
        again.add(following, game.apply(again.position, following), ply.known, assumed=ply.assumed)
    return again


def borne_out(line: LineOfPlay, event: MoveEvent) -> tuple[OtherLine, int, MoveEvent] | None:
    """The line that explains a reading although the believed one does not; None if there is none, or more than one.

    A late ply was another move to the same board, or the last one was not the whole turn: a rook that went before its
    king.
    """
    found = [*_by_choice(line, event), *_gone_on(line, event)]
    return found[0] if len(found) == 1 else None


def _by_choice(line: LineOfPlay, event: MoveEvent) -> Iterator[tuple[OtherLine, int, MoveEvent]]:
    for index, move in _others(line):
        if index < len(line.plies) - MAX_TRIED:
            return
        if line.plies[index].known in ("said", "agent"):
            continue
        try:
            after = with_move(line, index, move)
        except MoveError:
            continue
        other = OtherLine.of(after, line.game.outcome(after.position))
        way = other.explains(line, event)
        if way is not None and way[1].explanations[0].seen == 1:
            yield other, *way


def _gone_on(line: LineOfPlay, event: MoveEvent) -> Iterator[tuple[OtherLine, int, MoveEvent]]:
    if not line.game.any_order or not line.plies or not line.plies[-1].seen:
        return
    last = len(line.plies) - 1
    again = explain(line.game, line.positions[: last + 1], event.reading)
    best = again.explanations[0] if again.explanations and not again.ambiguous else None
    if best is None or best.kind != "plies" or best.seen != 1:
        return
    if set(line.steps(last)) < set(line.game.steps(line.positions[last], best.moves[0])):
        shorter = line.copy()
        shorter.cut(last)
        yield OtherLine.of(shorter, None), last, again
