"""Gomoku: lay stones in turn on the crossings of the lines; five in an unbroken row win.

More than five win too; a full board is a draw. Option `exact_five` requires exactly five, for both colours. `renju`
forbids black's fouls (`games.gomoku.renju`), which are then not legal moves, and black wins with exactly five; white
wins with five or more, unless `exact_five` is on too. If black could lay only fouls, the game is a draw.

With `caro` a row of exactly five between two enemy stones does not win, and the edge of the board is no stone.

The openings `pro` and `long_pro` want the first stone in the middle and black's second one at least three, or four,
steps from there. In `swap2` the first side lays black, white, black. The second side then lays a white stone and so
becomes white, or takes black (`black`: a move that changes nothing on the board), or lays one more white and one more
black stone (`two`) and leaves it to the first side to lay a white stone or take black. The opening `swap` is the same
without `two`. The sides are then the two seats, and the position records which of them has the black stones.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Literal, NamedTuple

from games.gomoku import openings, renju
from games.gomoku import position as texts
from games.gomoku.board import board
from games.gomoku.faults import Judge
from games.gomoku.position import LONG_OPENING, OPENING, SEATS, Position
from rules import (
    EMPTY,
    About,
    Fault,
    Game,
    MarkedCells,
    MoveError,
    Outcome,
    PositionError,
    RuleError,
    RuleSet,
    Side,
    Step,
    Words,
)
from rules.options import rule
from rules.stones import COLOURS, PIECES, STONES, written
from rules.turns import bits_of, cells_of, changed_cells, letters_of
from wording import Given, Sentence, Term, noun, sentence

__all__ = ["GAME", "Choice", "Gomoku", "GomokuRules", "Move", "Position"]

"""Class letters of black's and white's stones."""
MOVE = re.compile(r"[a-z]\d{1,2}")
NEAR = {"pro": 2, "long_pro": 3}
"""Steps from the middle, in any direction, within which an opening forbids black's second stone."""


@functools.cache
def _laid(cell: int, piece: str) -> tuple[Step, ...]:
    """The stone laid; made once, because searches ask for the steps of every move."""
    return (Step("place", cell, None, piece),)


class Move(NamedTuple):
    """A stone on an empty point, of the colour whose turn it is."""

    cell: int
    """Index into `Gomoku.cells`."""


LAYS = tuple(map(Move, range(19 * 19)))
"""All of them, made once for the same reason."""


class Choice(NamedTuple):
    """A decision of the swap2 opening that lays no stone."""

    word: Literal["black", "two"]
    """`black` takes the black stones; `two` lays two more stones and leaves the choice to the other side."""

    @property
    def told(self) -> Sentence:
        """What the choice does, for the player who has to choose."""
        return sentence("Take the black stones") if self.word == "black" else sentence("Lay two more stones")


CHOICES = (Choice(noun("choice", "black")), Choice(noun("choice", "two")))


@dataclasses.dataclass(frozen=True)
class GomokuRules:
    """The rule options; the defaults are free gomoku."""

    size: str = rule("15", "lines of the board each way", choices=("15", "19"), drawn=True)
    first: str = rule("black", "the colour that begins", choices=COLOURS)
    exact_five: bool = rule(False, "six or more in a row do not win")
    renju: bool = rule(False, "black may not make six in a row, two fours or two threes at once")
    swap2: bool = rule(False, "the first side lays three stones, the second chooses a colour or lays two more")
    caro: bool = rule(False, "five in a row between two enemy stones do not win; six or more do")
    opening: str = rule(
        "free",
        "how the game opens: black's second stone away from the middle, or the second side chooses after three stones",
        choices=("free", "pro", "long_pro", "swap"),
    )

    def __post_init__(self) -> None:
        bound = [option for option in ("renju", "swap2") if getattr(self, option)]
        bound += [f"opening={self.opening}"] if self.opening != "free" else []
        if bound and self.first != "black":
            raise RuleError(f"gomoku: with rule option {bound[0]} black begins: first is black, not {self.first!r}")
        if self.swap2 and self.opening != "free":
            raise RuleError(f"gomoku: rule option swap2 is an opening itself: opening is free, not {self.opening}")


ENDINGS = {
    "five_in_a_row": sentence("five in a row"),
    "board_full": sentence("the board is full"),
    "no_legal_move": sentence("no move is left"),
}
IN_SHORT = (
    sentence("Lay stones in turn, each on a free point; they stay where they lie."),
    sentence("Five of your stones in a row win: across, up and down, or slanting."),
    sentence("Four in a row must be stopped at once; three with both ends free become four that nobody can stop."),
)
EXACT = {"exact_five": True}
RULE_SETS = {
    "freestyle": RuleSet(
        noun("rules", "free gomoku"), sentence("Five in a row win, and more than five too; anything goes."), {}
    ),
    "standard": RuleSet(
        noun("rules", "standard gomoku"), sentence("Exactly five in a row win; six or more do not."), EXACT
    ),
    "caro": RuleSet(
        noun("rules", "caro"),
        sentence("Five in a row win unless enemy stones stand at both ends; six or more always win."),
        {"caro": True},
    ),
    "renju": RuleSet(
        noun("rules", "renju"),
        sentence("Black may not make two threes, two fours or six in a row; the marked points are forbidden."),
        {"renju": True},
    ),
    "pro": RuleSet(
        noun("rules", "Pro opening"),
        sentence("The first stone lies in the middle, black's second one three steps or more away; exactly five win."),
        {**EXACT, "opening": "pro"},
    ),
    "long_pro": RuleSet(
        noun("rules", "Long Pro opening"),
        sentence("The first stone lies in the middle, black's second one four steps or more away; exactly five win."),
        {**EXACT, "opening": "long_pro"},
    ),
    "swap": RuleSet(
        noun("rules", "swap"),
        sentence("One side lays black, white, black; the other then chooses its colour; exactly five win."),
        {**EXACT, "opening": "swap"},
    ),
    "swap2": RuleSet(
        noun("rules", "swap2"),
        sentence(
            "One side lays black, white, black; the other chooses its colour, or lays two more and leaves the choice; "
            "exactly five win."
        ),
        {**EXACT, "swap2": True},
    ),
}
MISTAKES = {
    "wrong side lays": "not_your_turn",
    "two laid": "two_stones_laid",
    "enemy moved": "stone_moved",
    "own taken": "stone_missing",
    "enemy turned": "piece_changed_colour",
}


class Gomoku(Game[Position, Move | Choice], MarkedCells, Words):
    name = "gomoku"
    title = noun("game", "gomoku")
    classes = EMPTY + "".join(PIECES)
    Rules = GomokuRules
    about = About(
        "gomoku",
        also=("five in a row", "caro"),
        nouns=STONES,
        endings=ENDINGS,
        rule_sets=RULE_SETS,
        formats=("sgf",),
        in_short=IN_SHORT,
        examples={1: "h8 h9 i8 i9 j8 j9 k8 k9 l8"},
    )
    mistakes = MISTAKES

    def __init__(self, rules: GomokuRules | None = None) -> None:
        self.rules = rules or GomokuRules()
        self.size = int(self.rules.size)
        """Lines of the board each way."""
        self.geometry = board(self.size)
        self.cells = self.geometry.cells
        self.seats = self.rules.swap2 or self.rules.opening == "swap"
        """Whether the sides are seats, which choose their colours in the opening."""
        self.sides = SEATS if self.seats else COLOURS
        self.pieces = (EMPTY, EMPTY) if self.seats else PIECES
        self.middle = self.size * self.size // 2
        """The point in the middle."""
        self._first = COLOURS.index(self.rules.first)
        self._exactly = (self.rules.exact_five or self.rules.renju, self.rules.exact_five)
        self._parser = texts.Parser(self.geometry, self.sides, self._first, self._has_won)
        empty = Position((0, 0), 0, stage="lay") if self.seats else Position((0, 0), self._first)
        self.starts = (empty,)

    def colour(self, position: Position) -> int:
        """The colour of the next stone, an index into `Position.stones`; without swap2 it is the side to move."""
        if self.seats:
            return position.count % 2
        return position.side

    def legal_moves(self, position: Position) -> list[Move | Choice]:
        """A stone on each empty point except fouls, in the order of the cells; then the choices."""
        if self.outcome(position) is not None:
            return []
        lays: list[Move | Choice] = [LAYS[cell] for cell in cells_of(self._open(position))]
        return [*lays, *self._choices(position)]

    def empty(self, position: Position) -> int:
        return self.geometry.full & ~(position.stones[0] | position.stones[1])

    def fouls(self, position: Position) -> int:
        """The empty points on which the rules forbid the next stone, as a bit set."""
        barred = self._barred(position)
        if self.rules.renju and self.colour(position) == 0:
            barred |= renju.fouls(self.size, *position.stones)
        return barred

    def opening(self, position: Position) -> str:
        """The name that renju has for the first three stones, in any symmetry."""
        return openings.opening(position.stones) if self.size == openings.SIZE else ""

    def forbidden(self, position: Position) -> tuple[int, ...]:
        """Fouls, and points that the opening forbids, unless these are the most of the board."""
        fouls = self.fouls(position)
        few = 2 * fouls.bit_count() < self.empty(position).bit_count()
        return tuple(cells_of(fouls)) if few and self.outcome(position) is None else ()

    def _barred(self, position: Position) -> int:
        """The empty points on which the opening forbids the next stone, as a bit set."""
        reach = NEAR.get(self.rules.opening)
        if reach is None or position.count not in (0, 2):
            return 0
        if position.count == 0:
            return self.geometry.full ^ 1 << self.middle
        row, column = divmod(self.middle, self.size)
        near = sum(
            1 << (row + down) * self.size + column + right
            for down in range(-reach, reach + 1)
            for right in range(-reach, reach + 1)
        )
        return near & self.empty(position)

    def _open(self, position: Position) -> int:
        """Empty points on which the next stone may be laid, as a bit set."""
        return self.empty(position) & ~self.fouls(position)

    def _choices(self, position: Position) -> tuple[Choice, ...]:
        if position.stage != "choose":
            return ()
        return CHOICES if position.count == OPENING and self.rules.swap2 else CHOICES[:1]

    def apply(self, position: Position, move: Move | Choice) -> Position:
        self._check(position, move)
        side = position.side
        if isinstance(move, Choice):
            if move.word == "two":
                return dataclasses.replace(position, stage="lay")
            return Position(position.stones, 1 - side, side)
        black, white = position.stones
        stone, colour = 1 << move.cell, self.colour(position)
        stones = (black | stone, white) if colour == 0 else (black, white | stone)
        if position.stage == "lay":
            return self._opened(Position(stones, side, stage="lay"))
        if position.stage == "choose":
            return Position(stones, 1 - side, 1 - side)
        return Position(stones, 1 - side, position.black)

    @staticmethod
    def _opened(position: Position) -> Position:
        """The position after a stone of the opening: at three and at five stones the other side gets the choice."""
        if position.count not in (OPENING, LONG_OPENING):
            return position
        return dataclasses.replace(position, side=1 - position.side, stage="choose")

    def outcome(self, position: Position) -> Outcome | None:
        """Five in a row of the colour laid last win; a board that is full, or full except for fouls, is a draw."""
        last = 1 - self.colour(position)
        if self._has_won(position.stones, last):
            return Outcome(self.side_of(position, last), "five_in_a_row")
        if not self.empty(position):
            return Outcome(None, "board_full")
        return None if self._open(position) else Outcome(None, "no_legal_move")

    def _has_won(self, stones: tuple[int, int], colour: int) -> bool:
        own, other = stones[colour], stones[1 - colour]
        if not self.geometry.has_five(own, self._exactly[colour]):
            return False
        return not self.rules.caro or bool(self.geometry.five(own, self._exactly[colour], other))

    def won_by(self, position: Position) -> tuple[int, ...]:
        last = 1 - self.colour(position)
        others = position.stones[1 - last] if self.rules.caro else 0
        return self.geometry.five(position.stones[last], self._exactly[last], others)

    @staticmethod
    def side_of(position: Position, colour: int) -> Side:
        return position.black if colour == 0 else 1 - position.black

    def board(self, position: Position) -> str:
        """The stones: `B` black, `W` white."""
        return letters_of(position.stones, PIECES, len(self.cells))

    def steps(self, position: Position, move: Move | Choice) -> tuple[Step, ...]:
        """The stone laid; nothing for a choice."""
        if isinstance(move, Choice):
            return ()
        return _laid(move.cell, PIECES[self.colour(position)])

    def told(self, position: Position, move: Move | Choice) -> Sentence | None:
        return move.told if isinstance(move, Choice) else None

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """Each ply adds one stone, and stones already laid stay."""
        missing = changed_cells(board, target)
        return len(missing) <= plies and all(board[cell] == EMPTY for cell in missing)

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """The number of stones decides which colour is next; a swap2 opening counts as over."""
        return self.parse_position(f"{written(bits_of(board, PIECES), self.size)}:{self.sides[side]}")

    def fault(self, position: Position, board: str) -> Fault:
        letter = PIECES[self.colour(position)]
        judge = Judge(self.cells, self.board(position), board, letter)
        right = len(judge.new) == 1 and board[judge.new[0]] == letter
        over, mover = self.outcome(position) is not None, self.sides[position.side]
        if right and not over and self._barred(position) >> judge.new[0] & 1:
            return judge.too_near(position.count, self.cells[self.middle], NEAR[self.rules.opening] + 1)
        renjus = right and self.rules.renju and self.fouls(position)
        foul = renju.foul(self.geometry, *position.stones, judge.new[0]) if renjus else ""
        return judge.fault(mover, over, self.seats, foul)

    def _check(self, position: Position, move: Move | Choice) -> None:
        """Raises MoveError with the rule that the move breaks."""
        if self.outcome(position) is not None:
            raise MoveError("game_over", sentence("the game is over"))
        if isinstance(move, Choice):
            if move not in self._choices(position):
                what: dict[str, Given] = {"side": Term("side", self.sides[position.side]), "choice": repr(move.word)}
                raise MoveError("no_choice", sentence("{side} has no choice {choice} to make now", **what))
            return
        if not 0 <= move.cell < len(self.cells):
            raise MoveError("no_such_cell", f"there is no cell {move.cell} on the board")
        name = self.cells[move.cell]
        if not self.empty(position) >> move.cell & 1:
            raise MoveError("occupied", sentence("{cell} is occupied", cell=name))
        if self._barred(position) >> move.cell & 1:
            raise MoveError("opening_rule", self._opening_rule(position))
        if self.fouls(position) >> move.cell & 1:
            foul = renju.foul(self.geometry, *position.stones, move.cell)
            said = sentence("black may not lay on {cell}: it makes {foul}", cell=name, foul=renju.FOULS[foul])
            raise MoveError(foul, said)

    def _opening_rule(self, position: Position) -> Sentence:
        """Where the opening wants the next stone."""
        if position.count == 0:
            return sentence("in this opening the first stone lies on {cell}", cell=self.cells[self.middle])
        steps = NEAR[self.rules.opening] + 1
        return sentence("in this opening black's second stone lies {steps} steps or more from the middle", steps=steps)

    def format_move(self, position: Position, move: Move | Choice) -> str:
        """The point, such as `h8`, or in the swap2 opening `black` or `two`."""
        return move.word if isinstance(move, Choice) else self.cells[move.cell]

    def parse_move(self, position: Position, text: str) -> Move | Choice:
        """The move that the text describes, capitals allowed. Raises MoveError."""
        name = text.strip().lower()
        move: Move | Choice | None = next((one for one in CHOICES if one.word == name), None)
        if move is None or not self.seats:
            move = self._parse_lay(text, name)
        self._check(position, move)
        return move

    def _parse_lay(self, text: str, name: str) -> Move:
        if MOVE.fullmatch(name) is None:
            written = repr(text[:40])
            if self.rules.swap2:
                said = sentence("{text} is no move; moves look like h8; choices are black and two", text=written)
            elif self.seats:
                said = sentence("{text} is no move; moves look like h8; the choice is black", text=written)
            else:
                said = sentence("{text} is no move; moves look like h8", text=written)
            raise MoveError("not_a_move", said)
        if name not in self.geometry.index:
            corners: dict[str, Given] = {"first": self.cells[-self.size], "last": self.cells[self.size - 1]}
            raise MoveError(
                "no_such_cell",
                sentence(
                    "there is no point {name} on the board: points are {first} to {last}", name=repr(name), **corners
                ),
            )
        return Move(self.geometry.index[name])

    def format_position(self, position: Position) -> str:
        """The rows from the top, joined by `/`, and the mover: `X` black, `O` white, `.` empty.

        With swap2 it ends in `:lay` or `:choose` during the opening.
        """
        return texts.format_position(self.geometry, position, self.sides)

    def parse_position(self, text: str) -> Position:
        position = self._parser.parse(text)
        if position.stage != "play" and position.count > OPENING and not self.rules.swap2:
            counts: dict[str, Given] = {"stones": position.count, "opening": OPENING}
            raise PositionError(sentence("{stones} stones: the opening swap ends with {opening}", **counts))
        return position


GAME = Gomoku
