"""Wording of the announcements: short sentences that a person can act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from daemon.game.line_of_play import shares_pieces
from rules import EMPTY, AnyGame, Counts, Gain, Outcome, Side, Step, Words, figures_of, piece_noun
from rules.tiles import tile_named
from rules.turns import by_piece, carry_out, parts_of_turn, seen_moves
from wording import Given, Listing, Sentence, Sentences, Term, Value, listing, sentence, sentence_n

ENDINGS = {"resigned": sentence("{side} resigned"), "time": sentence("{side} is out of time")}
"""Reasons why any game may be over, stated about the losing side."""


def ply_sentences(game: AnyGame, position: Any, move: Any, *, thanks: bool = False, again: bool = False) -> Sentences:
    """The announcement of a ply just made, with the points it brings.

    `thanks` if it was made for an agent that had announced it, `again` if the same side made the ply before.
    """
    side, gains = game.to_move(position), Counts.of(game).gains(position, move)
    who, words = named(game, side), spoken_move(game, position, move)
    if not game.steps(position, move):
        if not is_pass(game, position, move):
            return (sentence("{side:Nom}: {move}.", side=who, move=words),)
        over, passes = sentence("{side:Gen}'s turn is over.", side=who), sentence("{side:Nom} passes.", side=who)
        if not any(game.steps(position, other) for other in game.legal_moves(position)):
            passes = sentence("{side:Nom} has no move and passes.", side=who)
        return (over if again else passes,)
    if gains is None:
        return (sentence("Thank you.") if thanks else sentence("{side:Nom}: {move}.", side=who, move=words),)
    if thanks:
        first = sentence("Thank you: {points}.", points=points(gains[side]))
    else:
        first = sentence("{side:Nom} lays {move}: {points}.", side=who, move=words, points=points(gains[side]))
    other = gains[1 - side]
    if not other.total:
        return (first,)
    return first, sentence("{side:Nom} gets {points}.", side=named(game, 1 - side), points=points(other))


def opening_left(game: AnyGame, before: Any, after: Any) -> Sentences:
    """Names the opening that a ply leaves; nothing while it goes on, or where it has no name."""
    name, later = map(Words.of(game).opening, (before, after))
    return (sentence("So far it was the opening {name}.", name=name),) if name and not later else ()


def points(gain: Gain) -> Sentence:
    """ "8 points, 3 of them bonus"; "3 bonus points"; "no points"."""
    if gain.bonus and not gain.points:
        return sentence_n("{count} bonus point", "{count} bonus points", gain.bonus)
    if gain.bonus:
        return sentence_n(
            "{count} point, {bonus} of them bonus",
            "{count} points, {bonus} of them bonus",
            gain.total,
            bonus=gain.bonus,
        )
    return sentence_n("{count} point", "{count} points", gain.total) if gain.total else sentence("no points")


def totals(game: AnyGame, position: Any) -> Sentences:
    """ "Red 12, green 7."; empty in games without points."""
    scores = Counts.of(game).scores(position)
    if scores is None:
        return ()
    sides = {"one": named(game, 0), "other": named(game, 1)}
    return (sentence("{one:Nom} {ones}, {other} {others}.", **sides, ones=scores[0], others=scores[1]),)


def named(game: AnyGame, side: Side) -> Term:
    return Term("side", game.sides[side])


def is_pass(game: AnyGame, position: Any, move: Any) -> bool:
    """Whether a move that changes nothing on the board is a pass rather than another decision."""
    return game.format_move(position, move).startswith("pass")


def spoken_move(game: AnyGame, position: Any, move: Any) -> Value:
    """The move in words: "d2", "a1 to a4, taking g7", and of a tile its ends and where they lie."""
    steps, own = game.steps(position, move), Words.of(game).spoken(position, move)
    if own is not None:
        return own
    if not steps:
        if is_pass(game, position, move):
            return sentence("pass")
        return Term("choice", game.format_move(position, move))
    names = game.cells
    words: list[Value] = [
        names[step.cell]
        if step.origin is None
        else sentence("{origin} to {cell}", origin=names[step.origin], cell=names[step.cell])
        for step in steps
        if step.kind in ("place", "move")
    ]
    taken, flipped = ([names[step.cell] for step in steps if step.kind == kind] for kind in ("remove", "flip"))
    text: Value = listed(words)
    if is_tile(game, steps):
        text = sentence("{tile} on {cells}", tile=tile_named(*(step.piece for step in steps)), cells=text)
    if taken:
        text = sentence("{move}, taking {cells}", move=text, cells=listed(taken))
    return sentence("{move}, turning {cells}", move=text, cells=listed(flipped)) if flipped else text


def listed(words: Sequence[Value]) -> Listing:
    return listing(words, most=len(words))


def put_right(game: AnyGame, position: Any, board: str) -> Sentences:
    """What hands must do to make a board show the position: "Take a1 away. Put the light man back on d2."."""
    before, figures = game.board(position), figures_of(game, position)
    cells = [cell for cell, pair in enumerate(zip(before, board, strict=True)) if pair[0] != pair[1]]
    came = [cell for cell in cells if before[cell] == EMPTY]
    gone = [cell for cell in cells if board[cell] == EMPTY]
    if len(cells) == 2 and len(came) == len(gone) == 1 and before[gone[0]] == board[came[0]]:
        return (sentence("Move {cell} back to {origin}.", cell=game.cells[came[0]], origin=game.cells[gone[0]]),)
    sentences = [sentence("Take {cells} away.", cells=named_cells(game, came))] if came else []
    for letter in sorted({figures[cell] for cell in cells} - {EMPTY}):
        lacking = [cell for cell in gone if figures[cell] == letter]
        other = [cell for cell in cells if figures[cell] == letter and cell not in gone]
        if lacking:
            sentences.append(_back(game, letter, len(lacking), named_cells(game, lacking)))
        if other:
            what: dict[str, Given] = {"piece": piece_noun(game, letter), "cells": named_cells(game, other)}
            again = sentence_n("Make {cells} a {piece} again.", "Make {cells} {piece:pl} again.", len(other), **what)
            sentences.append(again)
    return tuple(sentences)


def captured(count: int, cells: Given) -> Sentence:
    return sentence_n("{cells} counts as captured.", "{cells} count as captured.", count, cells=cells)


def named_cells(game: AnyGame, cells: Iterable[int]) -> list[str]:
    return [game.cells[cell] for cell in cells]


def missing_steps(game: AnyGame, position: Any, move: Any, missing: Sequence[Step], board: str) -> Sentence:
    """What a turn still lacks if only some of its steps are seen, as on that board."""
    step, side, names = missing[0], game.to_move(position), game.cells
    unfinished = sentence("{side:Gen}'s turn is not finished.", side=named(game, side))
    if game.about.any_order and step.origin is not None and board[step.origin] != EMPTY:
        if _is_begun_by_others(game, position, move, board):
            return unfinished
        whole = next(steps for steps in by_piece(game.steps(position, move)) if step in steps)
        assert whole[0].origin is not None
        return _to_move(game, figures_of(game, position)[whole[0].origin], names[step.origin], names[whole[-1].cell])
    if step.kind == "remove" and _chooses(game, position, move):
        sides = {"side": named(game, side), "other": named(game, 1 - side)}
        return sentence("{side:Nom} may take a piece: remove one of {other:gen}'s pieces.", **sides)
    if step.kind in ("remove", "flip"):
        return _by_kind(game, missing)
    if step.origin is not None:
        piece = piece_noun(game, figures_of(game, position)[step.origin])
        what = {"piece": piece, "cell": names[step.origin]}
        return sentence("The {piece} from {cell} is on no cell: put it down to finish the turn.", **what)
    if is_tile(game, game.steps(position, move)):
        seen = listed(named_cells(game, cells_of_unfinished(game, position, move, missing)))
        if len(missing) == 1:
            return sentence("I see only half of the tile on {cells}.", cells=seen)
        return sentence("I see only a part of the tile on {cells}.", cells=seen)
    return unfinished


def owed_step(game: AnyGame, position: Any, missing: Sequence[Step]) -> Sentence:
    """What hands still owe the board of a position whose plies are counted."""
    step, letter = missing[0], figures_of(game, position)[missing[0].cell]
    if step.origin is not None:
        return _to_move(game, letter, game.cells[step.origin], game.cells[step.cell])
    if step.kind in ("remove", "flip"):
        return _by_kind(game, missing)
    cells = named_cells(game, [one.cell for one in missing if one.kind == step.kind])
    return _back(game, letter, len(cells), listed(cells))


def _to_move(game: AnyGame, letter: str, origin: str, cell: str) -> Sentence:
    what = {"origin": origin, "cell": cell}
    return sentence(
        "Move the {piece:acc} from {origin} to {cell} to finish the turn.", piece=piece_noun(game, letter), **what
    )


def _by_kind(game: AnyGame, missing: Sequence[Step]) -> Sentence:
    """The missing steps that only remove or only turn pieces."""
    cells = [one.cell for one in missing if one.kind == missing[0].kind]
    count, names = len(cells), listed(named_cells(game, cells))
    if missing[0].kind == "flip":
        return sentence_n("Turn the piece on {cells}.", "Turn the pieces on {cells}.", count, cells=names)
    return sentence_n(
        "Take the piece on {cells} off the board.", "Take the pieces on {cells} off the board.", count, cells=names
    )


def _back(game: AnyGame, letter: str, count: int, cells: Given) -> Sentence:
    what: dict[str, Given] = {"piece": piece_noun(game, letter), "cells": cells}
    return sentence_n("Put the {piece:acc} back on {cells}.", "Put the {piece:pl} back on {cells}.", count, **what)


def _is_begun_by_others(game: AnyGame, position: Any, move: Any, board: str) -> bool:
    """Whether the board shows another turn half done as well."""
    before = game.board(position)
    return any(
        carry_out(before, done) == board
        for other, steps in seen_moves(game, position)
        if other != move
        for done, _ in parts_of_turn(game, steps)
    )


def _chooses(game: AnyGame, position: Any, move: Any) -> bool:
    """Whether the piece of a move may take others on arrival: a mill has that choice, what gánh takes is settled."""

    def way(one: Any) -> list[Step]:
        return [step for step in game.steps(position, one) if step.kind in ("place", "move")]

    return sum(way(other) == way(move) for other in game.legal_moves(position)) > 1


def cells_of_unfinished(game: AnyGame, position: Any, move: Any, missing: Sequence[Step]) -> tuple[int, ...]:
    """The cells to look at: where the next step goes, or the seen part of a tile whose rest could lie anywhere."""
    steps = game.steps(position, move)
    if is_tile(game, steps):
        return tuple(sorted(step.cell for step in steps if step not in missing))
    return (missing[0].cell,)


def is_tile(game: AnyGame, steps: Sequence[Step]) -> bool:
    """Whether a move lays one piece that belongs to nobody and covers several cells."""
    return shares_pieces(game) and len(steps) > 1 and all(step.kind == "place" for step in steps)


def result(game: AnyGame, outcome: Outcome) -> Sentences:
    reason = why(game, outcome)
    first = sentence("The game is a draw: {why}.", why=reason)
    if outcome.winner is not None:
        first = sentence("{side:Nom} wins: {why}.", side=named(game, outcome.winner), why=reason)
    if outcome.scores is None:
        return (first,)
    ones, others = outcome.scores[::-1] if outcome.winner else outcome.scores
    return first, sentence("{ones} to {others}.", ones=ones, others=others)


def why(game: AnyGame, outcome: Outcome) -> Sentence | str:
    """Why the game is over, stated about the losing side where that applies; the code itself if it has no wording."""
    ending = ENDINGS.get(outcome.reason) or game.about.endings.get(outcome.reason)
    if ending is None or (outcome.winner is None and "{side" in ending.template):
        return outcome.reason.replace("_", " ")
    return ending if outcome.winner is None else sentence(ending.template, side=named(game, 1 - outcome.winner))
