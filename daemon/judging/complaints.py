"""Says what is wrong with a board that no legal play explains, and what of a game that goes on after its end."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from daemon.belief.belief import Belief
from daemon.belief.deciding import Wrong
from daemon.belief.line import Line
from daemon.belief.missed import turned, undoubted, ways
from daemon.commands.strengths import known_as
from daemon.game.effects import Announcement
from daemon.game.line_of_play import LineOfPlay, Ply
from daemon.judging import phrases
from daemon.judging.play import WRONG_SIDE, Play
from rules import AnyGame
from rules.turns import changed_cells, turned_boards
from wording import Sentences, listing, sentence

Agents = tuple[str | None, str | None]
MAX_NAMED = 8
"""Greatest number of cells that are named one by one; a board full of pieces is cleared without a list."""
HALF = sentence(
    "The pieces stand as at the start, but those of each side where the other's belong. Turn the board round, or "
    "exchange them."
)
QUARTER = sentence(
    "The pieces stand as at the start, but across the board: turn the board by a quarter under them. Or the picture is "
    "mirrored."
)


def turned_start(game: AnyGame, start: Any, board: str) -> tuple[tuple[int, ...], Sentences] | None:
    """The cells that still differ and what is said of a board that shows the start turned; None of any other."""
    for turn, shown in turned_boards(game.board(start)):
        differing = changed_cells(shown, board)
        if 2 * len(differing) <= MAX_NAMED < len(changed_cells(game.board(start), board)):
            return differing, (HALF if turn == 2 else QUARTER,)
    return None


def told(game: AnyGame, wrong: Wrong, *, begun: bool, asked: Any = None) -> Sentences:
    """What is wrong with a board that nothing legal explains.

    `begun` is whether a ply was made, `asked` the agent's move that waits to be carried out, if there is one.
    """
    if wrong.kind == "unclear" and not wrong.cells:
        return (sentence("I cannot read the board clearly."),)
    if wrong.kind == "unclear":
        return (sentence("I cannot see {cells} clearly.", cells=phrases.named_cells(game, wrong.cells)),)
    if wrong.kind == "desync":
        return _strange(game, wrong, begun=begun)
    said = game.fault(wrong.position, wrong.board).said
    if asked is not None:
        said = *said, sentence("I asked for {move}.", move=phrases.spoken_move(game, wrong.position, asked))
    return said


def is_misread(belief: Belief) -> bool:
    """Whether the last move may have been misread: another one in its place would explain the board."""
    told, evidence = belief.told, belief.evidence
    last = max((index for index, ply in enumerate(told.plies) if ply.seen), default=-1)
    if last < 0 or told.plies[last].known == "agent" or evidence is None:
        return False
    other = undoubted(belief.game, ways(belief.game, Line(told.start, told.plies[:last]), evidence))
    return other is not None and sum(ply.seen for ply in other.plies[last:]) == 1


def against_an_agent(belief: Belief, agents: Agents, wrong: Wrong) -> tuple[Wrong, Sentences]:
    """A board that only plies explain for which no agent has asked, with the rule that it breaks and what is told."""
    game, position, against = belief.game, belief.position, wrong.against
    assert against is not None
    asked = None if belief.manner.asked is None else belief.manner.asked[1]
    plies = against.plies[len(belief.told.plies) :]
    too_early, disobeyed = (dataclasses.replace(wrong, rule=rule) for rule in ("not_your_turn", "not_the_agents_move"))
    agent = agents[game.to_move(position)]
    if asked is None and (agent is not None or not plies):
        said = sentence("It is {agent}'s turn. Put it back and wait for the move, please.", agent=known_as(agent or ""))
        return too_early, (said,)
    if not plies:
        wanted = sentence("I asked for {move}.", move=phrases.spoken_move(game, position, asked))
        return disobeyed, (wanted, *phrases.put_right(game, position, wrong.board))
    if agent is not None and plies[0].move != asked:
        words, done = (phrases.spoken_move(game, position, move) for move in (asked, plies[0].move))
        other = sentence("I asked for {wanted}, but I see {done}. Please play {wanted}.", wanted=words, done=done)
        return disobeyed, (other,)
    waiting = next((agents[ply.side] for ply in plies[1:] if agents[ply.side] is not None), None)
    if waiting is not None and sum(ply.seen for ply in plies) == 1:
        return too_early, (sentence("That would be {agent}'s move. Take it back, please.", agent=known_as(waiting)),)
    if waiting is not None and not _goes_there_and_back(game, position, plies, wrong.cells):
        return too_early, (sentence("That is two moves; one of them is the agent's. Take the last one back."),)
    fault = game.fault(position, wrong.board)  # nobody plays like this for an agent that was never asked
    return dataclasses.replace(wrong, rule=fault.rule, cells=fault.cells), fault.said


def _goes_there_and_back(game: AnyGame, position: Any, plies: Sequence[Ply], cells: tuple[int, ...]) -> bool:
    """Whether plies touch cells that look as before in the end, such as a piece captured and placed again."""
    boards = [game.board(one) for one in (position, *(ply.position for ply in plies))]
    touched = {cell for before, after in itertools.pairwise(boards) for cell in changed_cells(before, after)}
    return bool(touched - set(cells))


def _strange(game: AnyGame, wrong: Wrong, *, begun: bool) -> Sentences:
    where = phrases.named_cells(game, wrong.cells)
    if begun:
        said = sentence("The board is not as I know it: look at {cells}.", cells=where)
        return said, *phrases.put_right(game, wrong.position, wrong.board)
    if wrong.position not in game.starts:
        return (sentence("To begin, set up the board as it is drawn on the page."),)
    if len(wrong.cells) > MAX_NAMED:
        return (sentence("To begin, set up the board as at the start."),)
    return (sentence("To begin, set up the board as at the start: look at {cells}.", cells=where),)


def reopened(play: Play, before: LineOfPlay) -> list[Announcement]:
    """Says which moves are given to the other side so that the game goes on; those after them follow in turn."""
    line, parts = play.line, []
    one: LineOfPlay | None = before
    while one is not None and (number := _first_other(one, line)) is not None:
        one, side = turned(one, number), phrases.named(play.game, line.plies[line.seen[number - 1]].side)
        part = sentence("the moves from {number} on in turn, the first as {side:gen}'s", number=number, side=side)
        if number == len(line.seen):
            part = sentence("move {number} as {side:gen}'s", number=number, side=side)
        parts.append(part)
    said = sentence(
        "You play on, so I count {moves}; if it was another, type its number and side.", moves=listing(parts)
    )
    return [play.announce("reopened", said, urgent=True)]


def insist(play: Play) -> Announcement:
    """Announces that the game is over under every assumption, and what to do if it is not."""
    assert play.outcome is not None
    what = WRONG_SIDE if play.agents == (None, None) else sentence("What is laid now does not count.")
    said = *phrases.result(play.game, play.outcome), what
    return play.announce("game_over", *said, rule=play.outcome.reason, urgent=True)


def _first_other(one: LineOfPlay, other: LineOfPlay) -> int | None:
    """The first move, from 1 without passes, that was another side's in the other line."""
    pairs = zip(one.seen, other.seen, strict=False)
    sides = ((one.plies[mine].side, other.plies[others].side) for mine, others in pairs)
    return next((number for number, (mine, others) in enumerate(sides, 1) if mine != others), None)
