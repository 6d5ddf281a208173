"""Go: lay stones on the crossings of the lines, capture what has no liberty left, and surround the most.

A stone takes enemy chains beside it that it leaves without a liberty. It may not leave its own chain without one,
except with `suicide`, where that chain is then taken; a single stone never, which would change nothing. A ko may not be
retaken at once; with `superko` no board of the game may come again, whoever is to move. After two passes in a row the
game is counted (`games.go.counting`): stones that are dead as they stand are proposed by the rules, and players may
count them otherwise (`counted`); the move that ends the game then names them, `pass:C3,F9`, one stone a chain, or
`pass:-` where none is dead.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from games.go import counting
from games.go import position as texts
from games.go.board import board
from games.go.faults import Judge
from games.go.playout import Playout
from games.go.position import Position
from games.go.rules import RULE_SETS, GoRules
from rules import (
    EMPTY,
    About,
    Counts,
    DeadPieces,
    Described,
    Fault,
    Game,
    MarkedCells,
    MoveError,
    Outcome,
    RandomPlay,
    Side,
    Step,
)
from rules.stones import COLOURS, PIECES, STONES
from rules.turns import bits_of, cells_of, changed_cells, letters_of
from wording import Given, Sentence, Term, noun, sentence

__all__ = ["GAME", "PASS", "Go", "GoRules", "Move", "Position"]

PASS_TEXT = "pass"
POINT = re.compile(r"[A-Z]\d{1,2}")


class Move(NamedTuple):
    cell: int | None
    """Index into `Go.cells`; None is the pass."""
    dead: int | None = None
    """For a pass that ends the game: the dead stones as a bit set; None are those that the rules propose."""


PASS = Move(None)
MISTAKES = {
    "wrong side lays": "not_your_turn",
    "laid where it may not lie": "suicide ko superko",
    "two laid": "two_stones_laid capture_half_taken",
    "enemy moved": "stone_moved",
    "own taken": "stone_missing",
    "enemy taken": "stone_missing",
    "enemy turned": "piece_changed_colour",
}
IN_SHORT = (
    sentence("Lay stones in turn on the crossings, black first; they stay where they lie."),
    sentence("A stone or chain without an empty point beside it is taken off the board."),
    sentence("A single stone that took a single stone may not be taken back at once."),
    sentence("Two passes in a row end the game."),
    sentence("Then empty points that only your stones surround are yours: whoever has more wins."),
)


class Go(Game[Position, Move], DeadPieces, MarkedCells, RandomPlay, Counts, Described):
    name = "go"
    title = noun("game", "go")
    sides = COLOURS
    pieces = PIECES
    classes = EMPTY + "".join(PIECES)
    Rules = GoRules
    about = About(
        "go",
        also=("baduk", "weiqi"),
        nouns=STONES,
        endings={"counted": sentence("both sides passed")},
        rule_sets=RULE_SETS,
        formats=("sgf",),
        in_short=IN_SHORT,
        examples={1: "d4 d5 g7 c4 g4 e4 g3 d3"},
        passes_told=True,
        repetitions=("ko", "superko"),
    )
    mistakes = MISTAKES

    def __init__(self, rules: GoRules | None = None) -> None:
        self.rules = rules or GoRules()
        self.size = int(self.rules.size)
        """Lines of the board each way."""
        self.geometry = board(self.size)
        self.cells = self.geometry.cells
        self.komi = float(self.rules.komi)
        """Points that white gets for moving second."""
        stones = (self.geometry.handicap(self.rules.handicap), 0) if self.rules.handicap else (0, 0)
        seen = frozenset([stones]) if self.rules.superko else frozenset()
        self.starts = (Position(stones, int(self.rules.handicap > 0), seen=seen),)
        self._laid = tuple(
            tuple(Step("place", cell, None, piece) for cell in range(len(self.cells))) for piece in PIECES
        )
        self._playout = Playout(self.size)

    def legal_moves(self, position: Position) -> list[Move]:
        """A stone on each point where the rules allow it, in the order of the cells; then the pass."""
        if position.passes == 2:
            return []
        return [*map(Move, cells_of(self.open(position))), PASS]

    def empty(self, position: Position) -> int:
        return self.geometry.full & ~(position.stones[0] | position.stones[1])

    def open(self, position: Position) -> int:
        """The points on which the mover may lay a stone, as a bit set."""
        free = self._breathing(position) & ~self._repeating(position)
        return free if position.ko is None else free & ~(1 << position.ko)

    def _breathing(self, position: Position) -> int:
        """Empty points where the mover's stone has a liberty, takes enemy stones, or may take its own chain along."""
        empty, side = self.empty(position), position.side
        chains = self.geometry.chains(position.stones)
        if self.rules.suicide:
            beside = self.geometry.near(position.stones[side] | empty)
        else:
            beside = self.geometry.near(empty) | chains.breathing[side]
        return empty & (beside | sum(1 << cell for cell in chains.taken[side]))

    def _repeating(self, position: Position) -> int:
        """Points where superko forbids the mover's stone, as a bit set."""
        if not self.rules.superko:
            return 0
        return sum(1 << cell for cell in cells_of(self._breathing(position)) if self._repeats(position, cell))

    def _repeats(self, position: Position, cell: int) -> bool:
        """Whether the mover's stone there would make a board of the game come again, where that is forbidden."""
        return self.rules.superko and self._after(position, cell)[0] in position.seen

    def taken(self, position: Position, cell: int) -> int:
        """The stones that leave the board when the mover lays on an empty point, as a bit set.

        They are the enemy's; in a suicide they are the mover's own, with the new one.
        """
        chains = self.geometry.chains(position.stones)
        if taken := chains.taken[position.side].get(cell, 0):
            return taken
        if not self.rules.suicide or self.geometry.near_cell[cell] & self.empty(position):
            return 0
        own = position.stones[position.side] | 1 << cell
        stones = (own, position.stones[1]) if position.side == 0 else (position.stones[0], own)
        chain = self.geometry.chain(cell, stones)
        return 0 if chain.liberties else chain.stones

    def _after(self, position: Position, cell: int) -> tuple[tuple[int, int], int]:
        """The stones on the board after the mover has laid on a point, and those that were taken for it."""
        taken, side = self.taken(position, cell), position.side
        own, enemy = (position.stones[side] | 1 << cell) & ~taken, position.stones[1 - side] & ~taken
        return (own, enemy) if side == 0 else (enemy, own), taken

    def apply(self, position: Position, move: Move) -> Position:
        self._check(position, move)
        side, cell = position.side, move.cell
        if cell is None:
            passes = position.passes + 1
            dead = self._dead(position, move) if passes == 2 else 0
            return Position(position.stones, 1 - side, None, position.prisoners, passes, position.seen, dead)
        stones, taken = self._after(position, cell)
        prisoners = list(position.prisoners)
        suicide = taken >> cell & 1
        prisoners[1 - side if suicide else side] += taken.bit_count()
        ko = None
        if not self.rules.superko and taken.bit_count() == 1:
            chain = self.geometry.chain(cell, stones)
            ko = taken.bit_length() - 1 if chain == (1 << cell, taken) else None
        seen = position.seen | {stones} if self.rules.superko else position.seen
        return Position(stones, 1 - side, ko, (prisoners[0], prisoners[1]), 0, seen)

    def _dead(self, position: Position, move: Move) -> int:
        if move.dead is not None:
            return move.dead
        return counting.proposal(self.size, position.stones, 1 - position.side)

    def outcome(self, position: Position) -> Outcome | None:
        """The result after two passes: who has more points, white's komi added; equal points are a draw."""
        if position.passes < 2:
            return None
        counted = self.count(position)
        black, white = counted.points[0], counted.points[1] + self.komi
        winner = None if black == white else int(white > black)
        return Outcome(winner, "counted", (black, int(white) if white == int(white) else white))

    def count(self, position: Position) -> counting.Count:
        """The points of both sides as the board stands, without komi."""
        area = self.rules.scoring == "area"
        return counting.count(self.geometry, position.stones, position.dead, position.prisoners, area)

    def counted(self, position: Position, move: Move, cell: int) -> Move | None:
        """The pass that ends the game with the group on a cell dead, or living if it was dead."""
        group = counting.group(self.geometry, position.stones, cell)
        if move.cell is not None or position.passes != 1 or not group:
            return None
        dead = self._dead(position, move)
        return Move(None, dead & ~group if dead >> cell & 1 else dead | group)

    def dead(self, position: Position) -> tuple[int, ...]:
        """After the end, the stones that count as captured as they stand."""
        return tuple(cells_of(position.dead))

    def board(self, position: Position) -> str:
        """The stones: `B` black, `W` white."""
        return letters_of(position.stones, PIECES, len(self.cells))

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The stone laid, then the stones taken, ascending: in any order; nothing for a pass."""
        if move.cell is None:
            return ()
        laid = self._laid[position.side][move.cell]
        taken = self.taken(position, move.cell)
        return (laid, *(Step("remove", cell) for cell in cells_of(taken))) if taken else (laid,)

    def forbidden(self, position: Position) -> tuple[int, ...]:
        """Points that a ko forbids the mover."""
        barred = self._repeating(position) | (0 if position.ko is None else 1 << position.ko)
        return tuple(cells_of(barred)) if position.passes < 2 else ()

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """Each ply lays a stone at most, of the sides in turn: on new points, and on all liberties of what is gone."""
        changed = changed_cells(board, target)
        new = [cell for cell in changed if target[cell] != EMPTY]
        if len(new) > plies or any(sum(target[cell] == piece for cell in new) > (plies + 1) // 2 for piece in PIECES):
            return False
        gone = [cell for cell in changed if board[cell] != EMPTY]
        if not gone:
            return True
        stones, laid = bits_of(board, PIECES), sum(1 << cell for cell in new)
        for cell in gone:
            laid |= self.geometry.chain(cell, stones).liberties
        return laid.bit_count() <= plies

    def worth_trying(self, position: Position) -> list[Move]:
        """All but stones in the mover's own eyes; the pass only after the other's, or where nothing else is left."""
        moves = self.legal_moves(position)
        own = position.stones[position.side]
        lays = [move for move in moves if move.cell is not None and not self._is_eye(own, move.cell)]
        return [*lays, PASS] if moves and (position.passes or not lays) else lays

    def _is_eye(self, own: int, cell: int) -> bool:
        """Whether a side's stones are on all points beside an empty one, and on enough of its corners to hold it."""
        if self.geometry.near_cell[cell] & ~own:
            return False
        corners = self.geometry.corners[cell]
        return (corners & ~own).bit_count() <= (corners.bit_count() == 4)

    def roll_out(self, position: Position, seed: int) -> float:
        """The result of play at random in which nobody fills eyes; by area, from black's point of view."""
        if position.passes == 2:
            outcome = self.outcome(position)
            winner = None if outcome is None else outcome.winner
        else:
            ends = self._playout.play(position.stones, position.side, seed)
            lead = ends[0].bit_count() - ends[1].bit_count() - self.komi
            winner = None if lead == 0 else int(lead < 0)
        return 0.5 if winner is None else float(winner == 0)

    def prisoners(self, position: Position) -> tuple[int, int]:
        return position.prisoners

    def rows(self) -> tuple[()]:
        return ()

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """The position with these stones and mover; prisoners stay as they were, and there is no ko."""
        stones = bits_of(board, PIECES)
        texts.check_stones(self.geometry, stones)
        seen = frozenset([stones]) if self.rules.superko else frozenset()
        return Position(stones, side, None, before.prisoners, 0, seen)

    def fault(self, position: Position, board: str) -> Fault:
        judge = Judge(self.cells, self.board(position), board, position.side)
        if position.passes < 2 and (cell := judge.laid) is not None:
            if (why := self._barred(position, cell)) is not None:
                return judge.barred(*why)
            if taken := self.taken(position, cell):
                return judge.captured(cell, tuple(cells_of(taken)))
        return judge.fault(position.passes == 2)

    def _barred(self, position: Position, cell: int) -> tuple[str, Sentence] | None:
        """The rule that forbids a stone on an empty point, with the reason; None where it may lie."""
        name, mover = self.cells[cell], Term("side", COLOURS[position.side])
        if position.ko == cell:
            return "ko", sentence("{side} may not retake the ko on {cell} at once", side=mover, cell=name)
        if not self._breathing(position) >> cell & 1:
            return "suicide", sentence("a stone of {side} on {cell} would have no liberty", side=mover, cell=name)
        if self._repeats(position, cell):
            return "superko", sentence("with {cell} the board would be as it was before", cell=name)
        return None

    def _check(self, position: Position, move: Move) -> None:
        """Raises MoveError with the rule that the move breaks."""
        if position.passes == 2:
            raise MoveError("game_over", sentence("the game is over"))
        if move.cell is None:
            if move.dead is not None and position.passes == 0:
                raise MoveError("not_the_end", sentence("dead stones are named when the second pass ends the game"))
            if move.dead is not None and move.dead & ~(position.stones[0] | position.stones[1]):
                raise MoveError("no_stone", sentence("where there is no stone, none is dead"))
            return
        if not 0 <= move.cell < len(self.cells):
            raise MoveError("no_such_cell", f"there is no cell {move.cell} on the board")
        if not self.empty(position) >> move.cell & 1:
            raise MoveError("occupied", sentence("{cell} is occupied", cell=self.cells[move.cell]))
        if (why := self._barred(position, move.cell)) is not None:
            raise MoveError(*why)

    def format_move(self, position: Position, move: Move) -> str:
        """`D4`, `pass`; `pass:C3,F9` names a stone of each dead chain, and `pass:-` says that none is dead."""
        if move.cell is not None:
            return self.cells[move.cell]
        if move.dead is None:
            return PASS_TEXT
        named, left = [], move.dead
        while left:
            cell = (left & -left).bit_length() - 1
            named.append(self.cells[cell])
            left &= ~self.geometry.chain(cell, position.stones).stones
        return f"{PASS_TEXT}:{','.join(named) or '-'}"

    def parse_move(self, position: Position, text: str) -> Move:
        """The turn that the text describes, small letters allowed. Raises MoveError."""
        word, colon, dead = text.strip().partition(":")
        if word.lower() == PASS_TEXT:
            move = Move(None, self._named_dead(position, dead)) if colon else PASS
        elif POINT.fullmatch(word.upper()) is None or colon:
            said = sentence("{text} is no move; moves look like D4, or pass", text=repr(text[:40]))
            raise MoveError("not_a_move", said)
        else:
            move = Move(self._cell(word.upper()))
        self._check(position, move)
        return move

    def _cell(self, name: str) -> int:
        if name not in self.geometry.index:
            corners: dict[str, Given] = {"first": self.cells[-self.size], "last": self.cells[self.size - 1]}
            said = sentence(
                "there is no point {name} on the board: points are {first} to {last}", name=repr(name[:5]), **corners
            )
            raise MoveError("no_such_cell", said)
        return self.geometry.index[name]

    def _named_dead(self, position: Position, names: str) -> int:
        dead = 0
        for name in () if names == "-" else names.upper().split(","):
            if POINT.fullmatch(name) is None:
                said = sentence("{text} is no move; moves look like D4, or pass", text=repr(name[:40]))
                raise MoveError("not_a_move", said)
            cell = self._cell(name)
            if self.empty(position) >> cell & 1:
                raise MoveError("no_stone", sentence("there is no stone on {cell} to be dead", cell=name))
            dead |= self.geometry.chain(cell, position.stones).stones
        return dead

    def format_position(self, position: Position) -> str:
        """Rows from the top, `X` black, `O` white, `.` empty; then mover, ko, prisoners and passes."""
        return texts.format_position(self.geometry, position)

    def parse_position(self, text: str) -> Position:
        return texts.parse_position(self.geometry, text, self.rules.superko)


GAME = Go
