"""Says what is wrong with a board that no legal play explains, and what hands must do about it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, Literal

from daemon.belief.belief import Belief
from daemon.belief.deciding import Wrong
from daemon.belief.line import Line, Ply
from daemon.belief.ways import undoubted, ways
from daemon.game.line_of_play import LineOfPlay
from daemon.judging import exchanged, phrases
from rules import AnyGame, Fault
from rules.turns import changed_cells
from wording import Sentence, Sentences, sentence

Agents = tuple[str | None, str | None]
MAX_NAMED = 8
"""Greatest number of cells that are named one by one; a board full of pieces is cleared without a list."""


@dataclasses.dataclass(frozen=True)
class Complaint:
    """A verdict on a board, with its sentences."""

    verdict: Literal["illegal", "unclear", "desync", "put_back"]
    said: Sentences
    cells: tuple[int, ...]
    """Cells to put right, or that cannot be seen."""
    rule: str = ""
    """Code of the broken rule."""


def complaint(game: AnyGame, wrong: Wrong, *, begun: bool, asked: Any = None) -> Complaint:
    """The complaint about a board that nothing legal explains.

    `begun` is whether a ply was made, `asked` the agent's move that waits to be carried out, if there is one.
    """
    if wrong.kind == "unclear":
        return _unclear(game, wrong.cells)
    if wrong.kind == "desync":
        drawn = wrong.position not in game.starts
        return _strange(game, wrong.position, wrong.board, begun, drawn)
    said = game.fault(wrong.position, wrong.board).said
    if asked is not None:
        said = *said, sentence("I asked for {move}.", move=phrases.spoken_move(game, wrong.position, asked))
    return Complaint("illegal", said, wrong.cells, wrong.rule)


def is_misread(belief: Belief) -> bool:
    """Whether the last move may have been misread: another one in its place would explain the board."""
    told, evidence = belief.told, belief.evidence
    last = max((index for index, ply in enumerate(told.plies) if ply.seen), default=-1)
    if last < 0 or told.plies[last].known == "agent" or evidence is None:
        return False
    other = undoubted(belief.game, ways(belief.game, Line(told.start, told.plies[:last]), evidence))
    return other is not None and sum(ply.seen for ply in other.plies[last:]) == 1


def with_exchange(line: LineOfPlay, one: Complaint, board: str) -> Complaint:
    """The complaint with what people may say if two pieces stood exchanged at the start, where that explains all."""
    found = exchanged.explaining(line, board)
    return dataclasses.replace(one, said=(*one.said, exchanged.offer(found))) if found else one


def against_an_agent(belief: Belief, agents: Agents, wrong: Wrong) -> Complaint:
    """The complaint about a board that only plies explain for which no agent has asked."""
    game, position, against = belief.game, belief.position, wrong.against
    assert against is not None
    asked = None if belief.manner.asked is None else belief.manner.asked[1]
    plies = against.plies[len(belief.told.plies) :]
    if plies:
        fault = _not_the_agents(game, position, agents, asked, plies, wrong.board)
        return Complaint("illegal", fault.said, fault.cells, fault.rule)
    if asked is None:
        return Complaint("illegal", (_too_early(agents[game.to_move(position)] or ""),), wrong.cells, "not_your_turn")
    wanted = sentence("I asked for {move}.", move=phrases.spoken_move(game, position, asked))
    said = wanted, *phrases.put_right(game, position, wrong.board)
    return Complaint("illegal", said, wrong.cells, "not_the_agents_move")


def _not_the_agents(
    game: AnyGame, position: Any, agents: Agents, asked: Any, plies: Sequence[Ply], board: str
) -> Fault:
    """The fault of legal plies that contradict an agent's play.

    `asked` is the agent's move that waits to be carried out; None if there is none.
    """
    cells = changed_cells(game.board(position), board)
    agent = agents[game.to_move(position)]
    if agent is not None and asked is None:
        return Fault("not_your_turn", cells, (_too_early(agent),))
    if agent is not None and plies[0].move != asked:
        wanted, done = (phrases.spoken_move(game, position, move) for move in (asked, plies[0].move))
        said = sentence("I asked for {wanted}, but I see {done}. Please play {wanted}.", wanted=wanted, done=done)
        return Fault("not_the_agents_move", cells, (said,))
    waiting = next((agents[ply.side] for ply in plies[1:] if agents[ply.side] is not None), None)
    if waiting is not None and sum(ply.seen for ply in plies) == 1:
        return Fault(
            "not_your_turn", cells, (sentence("That would be {agent}'s move. Take it back, please.", agent=waiting),)
        )
    if waiting is not None and not _goes_there_and_back(game, position, plies, cells):
        said = sentence("That is two moves; one of them is the agent's. Take the last one back.")
        return Fault("not_your_turn", cells, (said,))
    return game.fault(position, board)  # nobody plays like this for an agent that was never asked


def _too_early(agent: str) -> Sentence:
    return sentence("It is {agent}'s turn. Put it back and wait for the move, please.", agent=agent)


def _goes_there_and_back(game: AnyGame, position: Any, plies: Sequence[Ply], cells: tuple[int, ...]) -> bool:
    """Whether plies touch cells that look as before in the end, such as a piece captured and placed again."""
    boards = [game.board(one) for one in (position, *(ply.position for ply in plies))]
    touched = {cell for before, after in itertools.pairwise(boards) for cell in changed_cells(before, after)}
    return bool(touched - set(cells))


def _unclear(game: AnyGame, cells: tuple[int, ...]) -> Complaint:
    said = sentence("I cannot read the board clearly.")
    if cells:
        said = sentence("I cannot see {cells} clearly.", cells=phrases.named_cells(game, cells))
    return Complaint("unclear", (said,), cells)


def _strange(game: AnyGame, position: Any, board: str, begun: bool, drawn: bool) -> Complaint:
    cells = changed_cells(game.board(position), board)
    where = phrases.named_cells(game, cells)
    if begun:
        said = sentence("The board is not as I know it: look at {cells}.", cells=where)
        return Complaint("desync", (said, *phrases.put_right(game, position, board)), cells)
    if drawn:
        return Complaint("desync", (sentence("To begin, set up the board as it is drawn on the page."),), cells)
    said = sentence("To begin, set up the board as at the start.")
    if len(cells) <= MAX_NAMED:
        said = sentence("To begin, set up the board as at the start: look at {cells}.", cells=where)
    return Complaint("desync", (said,), cells)
