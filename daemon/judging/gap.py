"""Unseen moves: handles boards to which only a long line of legal play leads.

No such line is believed on its own. Pieces knocked aside, or being set up anew, may happen to be where legal play could
have left them; but nobody plays on from there. So the ways to a strange board are kept, and believed once the players
have continued from it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from daemon.game.line_of_play import LineOfPlay
from daemon.interpret.explain import explain, is_reached
from daemon.interpret.explanation import RIVAL_NATS, Explanation, MoveEvent
from daemon.interpret.lookahead import MAX_MOVES_BESIDES
from daemon.judging.gap_search import MAX_MOVES, MAX_MOVES_ASKED, GapSearch, fills
from daemon.judging.other_lines import OtherLine
from rules import EMPTY, AnyGame
from rules.turns import changed_cells

MAX_BY_HAND = 2
"""Plies' worth of cells that one rule-breaking hand may fill: a piece placed or moved, or two together."""
MAX_GONE_ON = 2
"""Greatest number of plies from a strange board to the next for the players to count as having continued from it."""
MAX_GAPS = 4
"""Number of strange boards kept, the newest: while a hand is in mid-move there are others in between."""

Way = tuple[OtherLine, MoveEvent]
"""A line to a strange board, and how the next board follows from it."""


@dataclasses.dataclass(frozen=True)
class Gap:
    """The ways to a strange board."""

    board: str
    others: tuple[OtherLine, ...]

    def followed_by(self, line: LineOfPlay, event: MoveEvent) -> list[Way]:
        """The ways from whose end the next move explains a reading, with that explanation; the likeliest first."""
        found = []
        for other in self.others:
            again = explain(line.game, other.positions, event.reading, (), MAX_MOVES_BESIDES)
            best = again.explanations[0] if again.explanations and not again.ambiguous else None
            if best is not None and best.kind == "plies" and best.seen <= MAX_GONE_ON:
                found.append((other, again))
        found.sort(key=lambda way: way[1].explanations[0].cost)
        return [way for way in found if way[1].explanations[0].cost < found[0][1].explanations[0].cost + RIVAL_NATS]


class Gaps:
    """The strange boards since a position was believed."""

    def __init__(self) -> None:
        self._position: Any = None
        self._kept: list[Gap] = []
        self._wrong = False
        """Whether a reported illegal move was one that a single hand can have made: playing on from it does not repair
        it."""

    def forget(self) -> None:
        """Forgets all strange boards: the board was right in between, so nobody has continued from them."""
        self._position, self._kept, self._wrong = None, [], False

    def is_known(self, line: LineOfPlay, board: str) -> bool:
        """Whether a board was strange and legal play leads to it."""
        self._begin(line)
        return any(gap.board == board for gap in self._kept)

    def ends(self, line: LineOfPlay) -> list[Any]:
        """The positions that the strange boards may be."""
        self._begin(line)
        return [other.positions[-1] for gap in self._kept for other in gap.others]

    def keep(self, line: LineOfPlay, board: str, *, illegal: bool, in_photos: bool) -> None:
        """Adds a strange board; `illegal` if it was announced as an illegal move, `in_photos` as in `Play`."""
        self._begin(line)
        game = line.game
        if self._kept and self.is_known(line, board):
            return
        if not in_photos and not is_beyond_one_hand(game, line.position, board):
            self._wrong = self._wrong or illegal
            return
        if self._wrong or _begins_a_game(game, board):
            return
        ways = missed(line, board, MAX_MOVES_ASKED if in_photos else MAX_MOVES)
        if ways:
            others = tuple(OtherLine.after(line, way, assumed=True) for way in ways)
            self._add(Gap(board, others))

    def gone_on(self, line: LineOfPlay, event: MoveEvent) -> list[Way]:
        """Result of `followed_by` for the last strange board from which play has continued; empty if there is none.

        Pieces that return to their cells in the believed line are no evidence: they may be being put back.
        """
        self._begin(line)
        believed = line.game.board(line.position)
        for gap in self._kept:
            ways = gap.followed_by(line, event)
            board = ways[0][1].explanations[0].board if ways else ""
            if ways and all(board[cell] != believed[cell] for cell in changed_cells(gap.board, board)):
                return ways
            if ways and not self.is_known(line, board):
                self._add(Gap(board, tuple(other.gone_on(line.game, len(other.plies), again) for other, again in ways)))
                break
        return []

    def _add(self, gap: Gap) -> None:
        self._kept = [gap, *self._kept][:MAX_GAPS]

    def _begin(self, line: LineOfPlay) -> None:
        if self._position is not line.position:
            self.forget()
            self._position = line.position


def missed(line: LineOfPlay, board: str, most_moves: int) -> list[Explanation]:
    """The ways from the end of a line to a board, or from any start of the game if nothing was played yet."""
    starts = line.game.starts if not line.plies and line.position in line.game.starts else (line.position,)
    ways = [way for start in starts for way in GapSearch(line.game, start, board, most_moves // len(starts)).ways()]
    return sorted(ways, key=lambda way: way.seen)


def _begins_a_game(game: AnyGame, board: str) -> bool:
    """Whether a board shows a start of the game, or one move from it."""
    boards = {game.board(start): start for start in game.starts}
    return board in boards or any(is_reached(game, start, board, 1) for start in game.starts)


def is_beyond_one_hand(game: AnyGame, position: Any, board: str) -> bool:
    """Whether more cells were filled than one rule-breaking hand fills."""
    by_ply = max((fills(game.steps(position, move)) for move in game.legal_moves(position)), default=1)
    filled = sum(one == EMPTY != other for one, other in zip(game.board(position), board, strict=True))
    return filled > MAX_BY_HAND * by_ply
