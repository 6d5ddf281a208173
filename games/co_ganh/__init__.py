"""Cờ gánh: step along the lines of a 5x5 board and carry off (gánh) the two men between which you arrive.

A jump removes the man leapt over before the jumper arrives, so that man cannot be half of a flanked pair. A player
without men or without a move has lost, even if the game would end by its ply limit at that same ply.
"""

from __future__ import annotations

import dataclasses
import re

from games.co_ganh import position as texts
from games.co_ganh.board import CELLS, FULL, JUMPS, LEAPS, NEIGHBOURS, bits_of, flanked, surrounded
from games.co_ganh.faults import Judge
from games.co_ganh.position import PIECES, SIDES, GanhRules, Move, Position, opened_by
from rules import EMPTY, About, Fault, Game, MoveError, Outcome, Side, Step
from rules.turns import cells_of
from wording import Term, noun, sentence

MOVE = re.compile(r"([a-z]\d+)([-x])([a-z]\d+)")

__all__ = ["CELLS", "FULL", "GAME", "PIECES", "SIDES", "CoGanh", "GanhRules", "Move", "Position"]


ENDINGS = {
    "no_men_left": sentence("{side} has no man left"),
    "no_legal_move": sentence("{side} cannot move"),
    "equal_men": sentence("both have as many men"),
    "more_men": sentence("more men are left"),
}
STEPS = sentence("Move a man along a line to a free point beside it.")
LOST = sentence("Whoever has no man left, or cannot move, has lost; at the last move, whoever has fewer.")
TAKING = (
    STEPS,
    sentence("A man that comes between two of the other side's in a line takes both: that is gánh."),
    sentence("A man may also jump over one beside it to the free point behind, and takes it."),
    LOST,
)
TURNING = (
    STEPS,
    sentence("A man that comes between two of the other side's in a line makes both its own: that is gánh."),
    sentence("Men that are shut in and cannot move become the other side's, too: that is vây."),
    LOST,
)
MISTAKES = {
    "wrong side moves": "not_your_turn",
    "moved too far": "not_adjacent no_jumps nothing_to_jump",
    "one too many": "extra_man",
    "two moved": "two_men_moved",
    "enemy taken": "man_missing",
    "own turned": "piece_changed_colour",
    "enemy turned": "man_turned_without_move piece_changed_colour",
    "moved and turned too many": "not_captured piece_changed_colour",
    "moved and taken": "not_captured man_not_turned",
    "taken instead of turned": "man_not_turned",
}


class CoGanh(Game[Position, Move]):
    name = "co_ganh"
    title = noun("game", "cờ gánh")
    sides = SIDES
    pieces = PIECES
    cells = CELLS
    classes = EMPTY + "".join(PIECES)
    Rules = GanhRules
    about = About(
        "ganh",
        nouns={"W": noun("piece", "piece of Up"), "B": noun("piece", "piece of Down")},
        endings=ENDINGS,
        neighbours=NEIGHBOURS,
        in_short=TAKING,
        examples={1: "c5-c4 a3-b4", 2: "a5-b4 a3xa5"},
        proposed={"limit": 100},
    )
    mistakes = MISTAKES

    def __init__(self, rules: GanhRules | None = None) -> None:
        self.rules = rules or GanhRules()
        self.starts = texts.starts(self.rules)
        self.about = dataclasses.replace(self.about, limit=self.rules.limit)
        if self.rules.flips:
            self.about = dataclasses.replace(self.about, in_short=TURNING, examples={})
        self._jumps = not self.rules.flips

    def legal_moves(self, position: Position) -> list[Move]:
        """All steps and jumps, by origin and arrival, each ascending."""
        if self.outcome(position) is not None:
            return []
        targets = FULL if position.opened is None else 1 << position.opened
        return [
            Move(origin, to)
            for origin in cells_of(position.men[position.side])
            for to in cells_of(self.reach(position, origin) & targets)
        ]

    def reach(self, position: Position, origin: int) -> int:
        """Where the mover's man on `origin` may step or jump, as a bit set; forced entries (mở) are ignored."""
        occupied, enemy = position.men[0] | position.men[1], position.men[1 - position.side]
        found = NEIGHBOURS[origin] & ~occupied
        if self._jumps and NEIGHBOURS[origin] & enemy:
            for to, over in LEAPS[origin]:
                if enemy & over and not occupied & to:
                    found |= to
        return found

    def captured(self, position: Position, move: Move) -> tuple[int, ...]:
        """Enemy men that a legal move takes or turns: leapt over, then flanked, then surrounded, each ascending."""
        enemy = position.men[1 - position.side]
        over = JUMPS[move.origin].get(move.to)
        leapt = 0 if over is None else 1 << over
        carried = flanked(move.to, enemy & ~leapt)
        shut_in = 0
        if self.rules.flips:
            mine = position.men[position.side] ^ 1 << move.origin ^ 1 << move.to
            shut_in = surrounded(enemy & ~carried, mine | carried)
        return (*cells_of(leapt), *cells_of(carried), *cells_of(shut_in))

    def apply(self, position: Position, move: Move) -> Position:
        self._check(position, move)
        side, taken = position.side, bits_of(self.captured(position, move))
        mine = position.men[side] ^ 1 << move.origin ^ 1 << move.to
        enemy = position.men[1 - side] & ~taken
        mine |= taken if self.rules.flips else 0
        opened = opened_by(move.origin, mine, enemy) if self.rules.forces else None
        men = (mine, enemy) if side == 0 else (enemy, mine)
        return Position(men, 1 - side, position.ply + 1, opened)

    def outcome(self, position: Position) -> Outcome | None:
        """A side without men or without a move has lost; at the ply limit the side with more men wins."""
        for loser in (position.side, 1 - position.side):
            if not position.men[loser]:
                return Outcome(1 - loser, "no_men_left")
        if not any(self.reach(position, origin) for origin in cells_of(position.men[position.side])):
            return Outcome(1 - position.side, "no_legal_move")
        if position.ply < self.rules.limit:
            return None
        lead = position.men[0].bit_count() - position.men[1].bit_count()
        return Outcome(None, "equal_men") if not lead else Outcome(0 if lead > 0 else 1, "more_men")

    def board(self, position: Position) -> str:
        """The men: `W` for Up, `B` for Down."""
        return texts.board(position)

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The man moved, then every captured man taken or turned over."""
        piece = PIECES[position.side]
        kind, left = ("flip", piece) if self.rules.flips else ("remove", EMPTY)
        captures = (Step(kind, cell, piece=left) for cell in self.captured(position, move))  # type: ignore[arg-type]
        return (Step("move", move.to, move.origin, piece), *captures)

    def _check(self, position: Position, move: Move) -> None:
        """Raises MoveError with the first rule that the move breaks."""
        if self.outcome(position) is not None:
            raise MoveError("game_over", sentence("the game is over"))
        (origin, to), side = move, position.side
        if not position.men[side] >> origin & 1:
            raise MoveError(
                "not_your_man",
                sentence("{side} has no man on {cell}", side=Term("side", SIDES[side]), cell=CELLS[origin]),
            )
        if (position.men[0] | position.men[1]) >> to & 1:
            raise MoveError("occupied", sentence("{cell} is occupied", cell=CELLS[to]))
        if not self.reach(position, origin) >> to & 1:
            raise self._out_of_reach(origin, to)
        if position.opened not in (None, to):
            point = CELLS[position.opened or 0]
            mover = Term("side", SIDES[side])
            said = sentence("{cell} was left open (mở): {side} must step onto it", cell=point, side=mover)
            raise MoveError("must_enter", said)

    def _out_of_reach(self, origin: int, to: int) -> MoveError:
        over = JUMPS[origin].get(to)
        if over is None:
            said = sentence("{origin} and {cell} are not joined by a line", origin=CELLS[origin], cell=CELLS[to])
            return MoveError("not_adjacent", said)
        if self.rules.flips:
            said = sentence(
                "nobody jumps in this game, as from {origin} to {cell}", origin=CELLS[origin], cell=CELLS[to]
            )
            return MoveError("no_jumps", said)
        return MoveError("nothing_to_jump", sentence("there is no enemy man on {cell} to leap over", cell=CELLS[over]))

    def format_move(self, position: Position, move: Move) -> str:
        """`a1-b2`, a jump `a1xc3`."""
        return f"{CELLS[move.origin]}{'x' if move.to in JUMPS[move.origin] else '-'}{CELLS[move.to]}"

    def parse_move(self, position: Position, text: str) -> Move:
        """The move that the text describes, capitals allowed. Raises MoveError."""
        match = MOVE.fullmatch(text.strip().lower())
        if match is None:
            said = sentence("{text} is no move; moves look like a1-b2, or a1xc3 for a jump", text=repr(text[:40]))
            raise MoveError("not_a_move", said)
        for name in (match[1], match[3]):
            if name not in CELLS:
                raise MoveError("no_such_cell", sentence("there is no point {name} on the board", name=repr(name)))
        move = Move(CELLS.index(match[1]), CELLS.index(match[3]))
        self._check(position, move)
        if (right := self.format_move(position, move)) != match[0]:
            raise MoveError(
                "not_a_move",
                sentence(
                    "{text} is written {right}: - is a step to a neighbour, x is a jump", text=match[0], right=right
                ),
            )
        return move

    def format_position(self, position: Position) -> str:
        """`up:WWWWWW...WB...WB...BBBBBB`, then `:ply=12` and `:vacated=c3` where they matter."""
        return texts.format_position(position)

    def parse_position(self, text: str) -> Position:
        """The position of `format_position`'s text, or of 25 letters and a side. Raises PositionError."""
        return texts.parse_position(self.rules, text)

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """The position with that board and mover; the ply count restarts and nothing is forced."""
        return texts.parse_position(self.rules, f"{SIDES[side]}:{board}")

    def fault(self, position: Position, board: str) -> Fault:
        return Judge(self, position, board).fault()


GAME = CoGanh
