"""What is said: a short sentence a person can act on, for every announcement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daemon.judging.line import shares_men
from daemon.speaking.tongue import worded
from games import EMPTY, AnyGame, Gain, Outcome, Side, Step
from wording import Term

REASONS = {
    "two_men_left": "only two men are left",
    "no_legal_move": "no move is left",
    "repetition": "the position came up three times",
    "quiet_plies": "nothing was taken for too long",
    "space_100": "the last space is reached",
    "nothing_to_lay": "nothing can be laid any more",
}
LOSSES = {"resigned": "{} resigned", "time": "{} is out of time"}
"""Ends that the board does not show, told of the side that lost."""
MOST_NAMED = 8
"""Cells that one sentence names; of more it says how many."""
ENDS_JOINED = "\u2013"
"""Between the ends of a tile: speech passes over an en dash, and reads a hyphen out."""
ORDER_ASSUMED = "They came together, so I assume their order."


def told_ply(game: AnyGame, position: Any, move: Any, *, thanks: bool = False, again: bool = False) -> str:
    """A ply just made, with the points it brings.

    `thanks` where it was made for an agent that had announced it, `again` where the same side made the ply before.
    """
    side, gains = game.to_move(position), game.gains(position, move)
    name, words = game.sides[side].capitalize(), spoken_move(game, position, move)
    if not game.steps(position, move):
        if words != "pass":
            return f"{name}: {words}."
        return f"{name}'s turn is over." if again else f"{name} passes."
    if gains is None:
        return "Thank you." if thanks else f"{name}: {words}."
    told = f"Thank you: {points(gains[side])}." if thanks else f"{name} lays {words}: {points(gains[side])}."
    other = gains[1 - side]
    return told if not other.total else f"{told} {game.sides[1 - side].capitalize()} gets {points(other)}."


def points(gain: Gain) -> str:
    """ "8 points, 3 of them bonus"; "3 bonus points"; "no points"."""
    if gain.bonus and not gain.points:
        return f"{gain.bonus} bonus points"
    bonus = f", {gain.bonus} of them bonus" if gain.bonus else ""
    return f"{gain.total or 'no'} {'point' if gain.total == 1 else 'points'}{bonus}"


def totals(game: AnyGame, position: Any) -> str:
    """ "Red 12, green 7."; empty in games without points."""
    scores = game.scores(position)
    if scores is None:
        return ""
    sides = {"one": named(game, 0), "other": named(game, 1)}
    return worded("{one:Nom} {ones}, {other} {others}.", **sides, ones=scores[0], others=scores[1])


def turn(game: AnyGame, side: Side, *, goes_on: bool) -> str:
    """Whose turn it is; a side that `goes_on` has moved and may move again, or pass."""
    if goes_on:
        return worded("{side:Nom} may go on or pass.", side=named(game, side))
    return worded("{side:Gen}'s turn.", side=named(game, side))


def named(game: AnyGame, side: Side) -> Term:
    """The side's name, as a sentence takes it."""
    return Term("side", game.sides[side])


def spoken_move(game: AnyGame, position: Any, move: Any) -> str:
    """The move in words: "d2", "a1 to a4, taking g7", and of a tile its ends and where they lie."""
    steps = game.steps(position, move)
    if not steps:
        text = game.format_move(position, move)
        return "pass" if text.startswith("pass") else text
    names = game.cells
    words = [
        f"{names[step.origin]} to {names[step.cell]}" if step.origin is not None else names[step.cell]
        for step in steps
        if step.kind in ("place", "move")
    ]
    taken = [names[step.cell] for step in steps if step.kind == "remove"]
    flipped = [names[step.cell] for step in steps if step.kind == "flip"]
    text = listed(words)
    if _is_tile(game, steps):
        text = f"{ENDS_JOINED.join(step.piece for step in steps)} on {text}"
    text += f", taking {listed(taken)}" if taken else ""
    return text + (f", turning {listed(flipped)}" if flipped else "")


def listed(words: Sequence[str]) -> str:
    """The words with commas and a last "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def listed_briefly(words: Sequence[str]) -> str:
    """The words as `listed`; of many the first few, and how many more."""
    if len(words) <= MOST_NAMED:
        return listed(words)
    return f"{', '.join(words[:MOST_NAMED])} and {len(words) - MOST_NAMED} more"


def put_right(game: AnyGame, before: str, board: str) -> str:
    """What hands must do so that a board shows `before` again: "Take a1 away. Put light back on d2."."""
    cells = [cell for cell, pair in enumerate(zip(before, board, strict=True)) if pair[0] != pair[1]]
    came = [cell for cell in cells if before[cell] == EMPTY]
    gone = [cell for cell in cells if board[cell] == EMPTY]
    if len(cells) == 2 and len(came) == len(gone) == 1 and before[gone[0]] == board[came[0]]:
        return f"Move {game.cells[came[0]]} back to {game.cells[gone[0]]}."
    sentences = [f"Take {_cells(game, came)} away."] if came else []
    for letter in sorted({before[cell] for cell in cells} - {EMPTY}):
        lacking = [cell for cell in gone if before[cell] == letter]
        other = [cell for cell in cells if before[cell] == letter and cell not in gone]
        if lacking:
            sentences.append(f"Put {owner(game, letter)} back on {_cells(game, lacking)}.")
        if other:
            sentences.append(f"Make {_cells(game, other)} {owner(game, letter)} again.")
    return " ".join(sentences)


def owner(game: AnyGame, letter: str) -> str:
    """Whose man a class letter is: a side's name, or the colour where sides are seats; of half a tile its pips."""
    if shares_men(game):
        return f"the {letter}"
    colours = {"B": "black", "W": "white"}
    if game.sides == ("first", "second"):
        return colours[letter]
    return game.sides[game.pieces.index(letter)]


def _cells(game: AnyGame, cells: Sequence[int]) -> str:
    return listed_briefly([game.cells[cell] for cell in cells])


def missing_steps(game: AnyGame, position: Any, move: Any, missing: Sequence[Step]) -> str:
    """What a turn still lacks, of which only some steps are seen."""
    step, side = missing[0], game.to_move(position)
    if step.kind == "remove" and not _chooses(game, position, move):
        taken = [game.cells[one.cell] for one in missing if one.kind == "remove"]
        return f"Take the {'man' if len(taken) == 1 else 'men'} on {listed(taken)} off the board."
    if step.kind == "remove":
        return f"{game.sides[side].capitalize()} may take a man: remove one of {game.sides[1 - side]}'s men."
    if step.kind == "flip":
        return f"Turn the men on {listed([game.cells[one.cell] for one in missing if one.kind == 'flip'])}."
    if step.origin is not None:
        return f"The man of {game.cells[step.origin]} is off the board: put it down to finish the turn."
    if _is_tile(game, game.steps(position, move)):
        seen = listed([game.cells[cell] for cell in cells_of_unfinished(game, position, move, missing)])
        return f"I see only {'half' if len(missing) == 1 else 'a part'} of the tile on {seen}."
    return f"{game.sides[side].capitalize()}'s turn is not finished."


def _chooses(game: AnyGame, position: Any, move: Any) -> bool:
    """Whether the man of a move might, arriving there, take other men: a mill's choice; what gánh takes is settled."""
    first = game.steps(position, move)[0]
    return sum(game.steps(position, other)[:1] == (first,) for other in game.legal_moves(position)) > 1


def cells_of_unfinished(game: AnyGame, position: Any, move: Any, missing: Sequence[Step]) -> tuple[int, ...]:
    """The cells to look at: where the next step goes, or the seen part of a tile whose rest could lie anywhere."""
    steps = game.steps(position, move)
    if _is_tile(game, steps):
        return tuple(sorted(step.cell for step in steps if step not in missing))
    return (missing[0].cell,)


def _is_tile(game: AnyGame, steps: Sequence[Step]) -> bool:
    """Whether a move lays one piece that belongs to nobody and covers several cells."""
    return shares_men(game) and len(steps) > 1 and all(step.kind == "place" for step in steps)


def result(game: AnyGame, outcome: Outcome) -> str:
    """How the game ended."""
    why = REASONS.get(outcome.reason, outcome.reason.replace("_", " "))
    if outcome.winner is not None and outcome.reason in LOSSES:
        why = LOSSES[outcome.reason].format(game.sides[1 - outcome.winner])
    scores = f" {outcome.scores[0]} to {outcome.scores[1]}." if outcome.scores else ""
    if outcome.winner is None:
        return f"The game is a draw: {why}.{scores}"
    return f"{game.sides[outcome.winner].capitalize()} wins: {why}.{scores}"
