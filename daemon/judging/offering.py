"""A board to which no play leads, taken as a position to play on from once people say whose move it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from daemon.belief.belief import Belief
from daemon.belief.deciding import Wrong
from daemon.judging import complaints, phrases
from daemon.judging.play import Play
from rules import AnyGame, Arranged, Figures, HiddenHands, PositionError, Side, arranged_by, figures_of, piece_noun
from vision.reading.arrangements import position_seen
from vision.reading.board_reading import SURE, BoardReading
from wording import Given, Sentence, Sentences, sentence


@dataclasses.dataclass(frozen=True)
class Offer:
    """The board in view as positions, one for each side that may be to move."""

    positions: tuple[Any, ...]
    doubtful: tuple[int, ...] = ()
    """Cells on which it is not sure which piece stands."""


def offer_of(belief: Belief, wrong: Wrong) -> Offer | None:
    """What may be played on from, where a board shows no play; None where it is to be put right.

    Before the start was in view that is any board; later one of which too much differs to be named cell by cell.
    """
    game, told = belief.game, belief.told
    if wrong.kind != "desync" or wrong.maybe_missed or belief.evidence is None:
        return None
    if not told.plies and told.start not in game.starts:
        return None  # people set up what they have chosen
    if belief.seen and len(wrong.cells) <= complaints.MAX_NAMED:
        return None
    return seen(game, belief.evidence.reading, belief.position)


def seen(game: AnyGame, reading: BoardReading, before: Any) -> Offer | None:
    """The board in view, with the rights of the position `before` that still hold; None if it is no sure position."""
    unnamed = isinstance(game, Figures) and reading.figures is None
    if unnamed or isinstance(game, HiddenHands) or (reading.confidence < SURE).any():
        return None
    try:
        positions, doubtful = positions_of(game, reading, before, 0, 1)
    except PositionError:
        return None
    going_on = tuple(one for one in positions if game.outcome(one) is None)
    return Offer(going_on, doubtful) if going_on else None


def positions_of(
    game: AnyGame, reading: BoardReading, before: Any, *sides: Side
) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The likeliest position with that board for each of these sides that may move in it, and its doubtful cells.

    Raises PositionError where none may.
    """
    if reading.figures is not None:
        found = position_seen(game, reading, *sides)
        return tuple(_without_lost_rights(game, one, before) for one in found.positions), found.doubtful
    positions, refused = list[Any](), list[PositionError]()
    for side in sides:
        try:
            positions.append(game.set_up(reading.board, side, before))
        except PositionError as error:
            refused.append(error)
    if not positions:
        raise refused[0]
    return tuple(positions), ()


def _without_lost_rights(game: AnyGame, position: Any, before: Any) -> Any:
    """The position without the usual rights that an earlier one of its game had no longer."""
    held = {right.code for right in Arranged.of(game).rights(before) if right.held}
    lost = {right.code: False for right in Arranged.of(game).rights(position) if right.held and right.code not in held}
    return arranged_by(game, figures_of(game, position), game.to_move(position), lost) if lost else position


def of_figures(game: AnyGame, wrong: Wrong) -> tuple[Wrong, Sentences]:
    """What stands otherwise than at the start, though the board is right, and how to begin with it."""
    own, said, rest = figures_of(game, wrong.position), list[Sentence](), list[int]()
    for cell in wrong.cells:
        other = next(
            (one for one in wrong.cells if (own[one], own[cell]) == (wrong.figures[cell], wrong.figures[one])), cell
        )
        if other > cell:
            what: dict[str, Given] = {"piece": piece_noun(game, own[cell]), "exchanged": piece_noun(game, own[other])}
            cells = phrases.named_cells(game, (cell, other))
            said.append(
                sentence("The {piece} and the {exchanged} stand exchanged: look at {cells}.", **what, cells=cells)
            )
        elif other == cell:
            rest.append(cell)
    if rest:
        said.append(sentence("Other pieces than those drawn stand on {cells}.", cells=phrases.named_cells(game, rest)))
    try:
        position = arranged_by(game, wrong.figures, game.to_move(wrong.position), {})
    except PositionError:
        return wrong, tuple(said)
    said.append(sentence("If it is to be so, tell me to adopt the board."))
    return dataclasses.replace(wrong, positions=(position,)), tuple(said)


def told(play: Play, offer: Offer, cells: Sequence[int]) -> Sentences:
    """Asks whose move it is in the position seen, and says what to do if the game is not to go on from it.

    On `cells` it differs from the position that is believed.
    """
    game = play.game
    first, *others = (phrases.named(game, game.to_move(position)) for position in offer.positions)
    asked = sentence("I see the position that the page draws. Is it {side:gen}'s move?", side=first)
    for second in others:
        asked = sentence(
            "I see the position that the page draws. {side:Nom} or {other} to move?", side=first, other=second
        )
    doubt = sentence("I am not sure what stands on {cells}.", cells=phrases.named_cells(game, offer.doubtful))
    said = (asked, doubt) if offer.doubtful else (asked,)
    if not play.ply:
        if len(cells) > complaints.MAX_NAMED:
            return *said, sentence("Or set up the board as at the start.")
        where = phrases.named_cells(game, cells)
        return *said, sentence("Or set up the board as at the start: look at {cells}.", cells=where)
    return sentence("The board is not as I know it."), *said, sentence("Or put the pieces back as they stood.")
