"""What somebody at the table must do now: the line that every page shows above the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from daemon.judging import phrases
from daemon.judging.play import Play
from daemon.words.translation import in_words
from rules import AnyGame, figures_of, piece_noun
from rules.tiles import tile_named
from rules.turns import by_piece
from wording import Sentences, sentence, sentence_n

Kind = Literal["move", "please", "right", "wait", "over", "paused"]
"""A person moves, carries out an agent's move, or puts something right; an agent thinks; the game is over or paused."""


def instruction(play: Play, names: Sequence[str] = ("", "")) -> dict[str, str]:
    """`kind` and `text` of the instruction; `names` are the people's own, empty where none is known."""
    kind, said = _instruction(play, names)
    return {"kind": kind, "text": in_words(*said)}


def _instruction(play: Play, names: Sequence[str]) -> tuple[Kind, Sentences]:
    game, position = play.game, play.position
    if play.outcome is not None:
        return "over", phrases.result(game, play.outcome)
    if play.paused:
        return "paused", (sentence("The game is paused."),)
    if play.asked:
        return "right", play.asked
    if play.verdict == "ambiguous":
        return "right", (sentence("I am not sure what was played."),)
    side = game.to_move(position)
    match play.awaiting:
        case "carry_out":
            return "please", requested(game, position, play.agent_move)
        case "agent":
            if None in play.agents:
                return "wait", (sentence("The computer is thinking."),)
            return "wait", (sentence("{side:Nom} is thinking.", side=phrases.named(game, side)),)
    if play.ply == 0 and len(game.starts) > 1 and position in game.starts:
        return "move", (sentence("Whoever moves first begins."),)
    goes_on = bool(play.line.plies) and play.line.plies[-1].side == side
    if names[side] and not goes_on and not play.is_yours:
        return "move", (sentence("{name}, your move.", name=names[side]),)
    return "move", play.next_turn()


def requested(game: AnyGame, position: Any, move: Any) -> Sentences:
    """What hands must do to make an agent's move on the board: with which piece, from where to where, taking what."""
    steps, cells = game.steps(position, move), game.cells
    figures = figures_of(game, position)
    laid = [step for step in steps if step.kind in ("place", "move")]
    said = []
    if phrases.is_tile(game, steps):
        where = phrases.listed([cells[step.cell] for step in laid])
        said.append(
            sentence(
                "Please lay the {tile} on {cells} for the computer.",
                tile=tile_named(*(step.piece for step in laid)),
                cells=where,
            )
        )
    else:
        for step, *further in by_piece(laid):
            if step.origin is None:
                piece, cell = piece_noun(game, step.piece), cells[step.cell]
                said.append(sentence("Please lay a {piece:acc} on {cell} for the computer.", piece=piece, cell=cell))
            else:
                places = (step.origin, step.cell, *(one.cell for one in further))
                piece, way = piece_noun(game, figures[step.origin]), " → ".join(cells[place] for place in places)
                said.append(sentence("Please move the {piece:acc} {way} for the computer.", piece=piece, way=way))
    taken = phrases.named_cells(game, [step.cell for step in steps if step.kind == "remove"])
    turned = phrases.named_cells(game, [step.cell for step in steps if step.kind == "flip"])
    if taken:
        said.append(
            sentence_n(
                "Take the piece on {cells} off the board.",
                "Take the pieces on {cells} off the board.",
                len(taken),
                cells=phrases.listed(taken),
            )
        )
    if turned:
        said.append(
            sentence_n(
                "Turn the piece on {cells}.", "Turn the pieces on {cells}.", len(turned), cells=phrases.listed(turned)
            )
        )
    return tuple(said)
