"""Says what is wrong with a board that no legal play explains, and what hands must do about it."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Literal

from daemon.game.line_of_play import shares_pieces
from daemon.interpret.explanation import Explanation, MoveEvent
from daemon.judging import phrases
from rules import EMPTY, AnyGame, Fault
from rules.turns import changed_cells
from wording import Sentence, Sentences, sentence

DESYNC_CELLS = 5
"""Number of pieces that appeared or disappeared from which a difference is another position, not an illegal move..."""
MAX_AMISS = 2
"""...unless no more than this many came or went besides those of a legal move, which may capture many."""

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


def unexplained(game: AnyGame, position: Any, event: MoveEvent, *, begun: bool, asked: Any = None) -> Complaint:
    """The complaint about a board that nothing legal explains.

    `begun` is whether a ply was made, `asked` the agent's move that waits to be carried out, if there is one.
    """
    before, board = game.board(position), event.board
    differing = changed_cells(before, board)
    doubtful = tuple(cell for cell in event.doubtful if cell in differing)
    if doubtful or not differing:
        return _unclear(game, doubtful or event.doubtful)
    if _is_another(game, position, board):
        drawn = position not in game.starts
        return _strange(game, position, board, begun, drawn)
    fault = game.fault(position, board)
    said = fault.said
    if asked is not None:
        said = *said, sentence("I asked for {move}.", move=phrases.spoken_move(game, position, asked))
    return Complaint("illegal", said, fault.cells, fault.rule)


def not_to_put_back(game: AnyGame, position: Any, event: MoveEvent) -> Complaint:
    """The complaint about what is still to be put back after a move was taken back by word."""
    before, board = game.board(position), event.board
    cells = changed_cells(before, board)
    doubtful = tuple(cell for cell in event.doubtful if cell in cells)
    if doubtful or not cells:
        return _unclear(game, doubtful or event.doubtful)
    return Complaint("put_back", phrases.put_right(game, position, board), cells)


def another_begun(game: AnyGame, position: Any, agent: str, asked: Any, board: str) -> Complaint:
    """The complaint about a board in mid-turn where the move differs from the one that an agent asked for.

    `asked` is None if the agent has not answered yet.
    """
    before = game.board(position)
    cells = changed_cells(before, board)
    if asked is None:
        return Complaint("illegal", (_too_early(agent),), cells, "not_your_turn")
    wanted = sentence("I asked for {move}.", move=phrases.spoken_move(game, position, asked))
    return Complaint("illegal", (wanted, *phrases.put_right(game, position, board)), cells, "not_the_agents_move")


def not_the_agents(
    game: AnyGame, position: Any, agents: tuple[str | None, str | None], asked: Any, best: Explanation, board: str
) -> Fault | None:
    """The fault of legal plies that contradict an agent's play; None if they do not.

    `asked` is the agent's move that waits to be carried out; None if there is none.
    """
    cells = changed_cells(game.board(position), board)
    agent = agents[game.to_move(position)]
    if agent is not None and asked is None:
        return Fault("not_your_turn", cells, (_too_early(agent),))
    if agent is not None and best.moves[0] != asked:
        wanted, done = (phrases.spoken_move(game, position, move) for move in (asked, best.moves[0]))
        said = sentence("I asked for {wanted}, but I see {done}. Please play {wanted}.", wanted=wanted, done=done)
        return Fault("not_the_agents_move", cells, (said,))
    later = [agents[game.to_move(after)] for after in best.positions[:-1]]
    waiting = [one for one in later if one is not None]
    if waiting and best.seen == 1:
        return Fault(
            "not_your_turn", cells, (sentence("That would be {agent}'s move. Take it back, please.", agent=waiting[0]),)
        )
    if waiting and _goes_there_and_back(game, position, best, cells):
        return game.fault(position, board)  # nobody plays like this for an agent that was never asked
    if waiting:
        said = sentence("That is two moves; one of them is the agent's. Take the last one back.")
        return Fault("not_your_turn", cells, (said,))
    return None


def _too_early(agent: str) -> Sentence:
    return sentence("It is {agent}'s turn. Put it back and wait for the move, please.", agent=agent)


def lacks_pieces(before: str, board: str) -> bool:
    """Whether a board differs from the one before by missing pieces alone."""
    return all(board[cell] == EMPTY for cell in changed_cells(before, board))


def _goes_there_and_back(game: AnyGame, position: Any, line: Explanation, cells: tuple[int, ...]) -> bool:
    """Whether plies touch cells that look as before in the end, such as a piece captured and placed again."""
    boards = [game.board(one) for one in (position, *line.positions)]
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


def _is_another(game: AnyGame, position: Any, board: str) -> bool:
    """Whether a board is another position, rather than this one or one a legal move away with some pieces misplaced."""
    if _strays(game, game.board(position), board) < DESYNC_CELLS:
        return False
    following = {game.board(game.apply(position, move)) for move in game.legal_moves(position)}
    return all(_strays(game, after, board) > MAX_AMISS for after in following)


def _strays(game: AnyGame, before: str, board: str) -> int:
    """Number of pieces that came or went, or of changed cells where pieces belong to nobody.

    Flipped pieces do not count: one move may flip any number of them. Half tiles never flip.
    """
    cells = changed_cells(before, board)
    if shares_pieces(game):
        return len(cells)
    return sum(EMPTY in (before[cell], board[cell]) for cell in cells)
