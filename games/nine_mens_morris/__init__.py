"""Nine men's morris: lay your men, move them along the lines, close mills of three and take a man for each.

A player with fewer than three men once all are laid, or without a legal move (also on a board that is full once all men
are laid, unless `full_draw` says otherwise), has lost. A mill closed while the enemy has no man on the board takes
nothing. On the board `three` nothing is taken: who closes a mill has won.

The other games of the family are rule options, together under one name in `games.nine_mens_morris.rule_sets`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TypeVar

from games.nine_mens_morris import notation
from games.nine_mens_morris.board import CELLS, FULL, board, lines
from games.nine_mens_morris.faults import PIECES, SIDES, Judge
from games.nine_mens_morris.position import MIN_MEN, Journey, MorrisRules, Move, Position
from games.nine_mens_morris.rule_sets import RULE_SETS
from rules import (
    EMPTY,
    About,
    Arranged,
    Counts,
    Fault,
    Game,
    MarkedCells,
    MoveError,
    Outcome,
    PositionError,
    Right,
    Side,
    Step,
)
from rules.turns import bits_of, cells_of, changed_cells, letters_of
from wording import Term, noun, sentence

__all__ = ["CELLS", "FULL", "GAME", "MIN_MEN", "MorrisRules", "Move", "NineMensMorris", "Position", "lines"]

ALL_LAID = "all_laid"
"""Code of what people tell about a board set up by hand: men that do not stand there were taken."""
T = TypeVar("T")
ENDINGS = {
    "mill_closed": sentence("a mill is closed"),
    "board_full": sentence("the board is full"),
    "two_men_left": sentence("{side} has only two men left"),
    "no_legal_move": sentence("{side} cannot move"),
    "repetition": sentence("the position came up three times"),
    "quiet_plies": sentence("nothing was taken for too long"),
}
IN_SHORT = (
    sentence("Lay your men in turn, each on a free point."),
    sentence("Three of your men along a line are a mill: whoever closes one takes a man of the other side."),
    sentence("Once all are laid, move your men along the lines: to open and close mills, and to shut the others in."),
    sentence("Whoever has only two men left, or cannot move, has lost."),
)
IN_SHORT_OF_THREE = (
    sentence("Lay your three men in turn, then move them along the lines."),
    sentence("Whoever has three in a line wins."),
)
MISTAKES = {
    "wrong side lays": "not_your_turn extra_man",
    "wrong side moves": "not_your_turn",
    "two laid": "two_men_laid",
    "two moved": "two_men_moved",
    "one too many": "extra_man",
    # A man that closes a mill where it lands may have come from the hand, with an own man taken for the mill.
    "moved while laying": "must_place wrong_man_removed",
    "moved too far": "not_adjacent",
    "own taken": "man_missing",
    "enemy taken": "man_removed_without_mill",
    "laid and taken": "man_removed_without_mill",
    "two taken": "two_men_removed",
    "enemy turned": "piece_changed_colour",
}


class NineMensMorris(Game[Position, Move], Arranged, MarkedCells, Counts):
    name = "nine_mens_morris"
    title = noun("game", "nine men's morris")
    sides = SIDES
    pieces = PIECES
    classes = EMPTY + "".join(PIECES)
    Rules = MorrisRules
    about = About(
        "morris",
        also=("mills", "merels", "țintar", "młynek", "trilha"),
        nouns={"W": noun("piece", "light man"), "B": noun("piece", "dark man")},
        endings=ENDINGS,
        rule_sets=RULE_SETS,
        in_short=IN_SHORT,
        examples={1: "a7 b6 d7 d6 g7xb6"},
    )
    mistakes = MISTAKES

    def __init__(self, rules: MorrisRules | None = None) -> None:
        self.rules = rules or MorrisRules()
        drawn = board(self.rules.board, self.rules.diagonals)
        self.cells = drawn.cells
        self.full = drawn.full
        """All points, as a bit set."""
        self.mills = drawn.mills
        """Every mill as a bit set of its three cells."""
        self._mills_at = tuple(
            tuple((line, mill) for line, mill in enumerate(self.mills) if mill >> cell & 1)
            for cell in range(len(self.cells))
        )
        self.neighbours = drawn.neighbours
        """The cells joined to each cell, as a bit set."""
        self.about = dataclasses.replace(self.about, neighbours=self.neighbours)
        self.mill_wins = self.rules.board == "three"
        """Whether the first mill wins, and nothing is taken."""
        if self.mill_wins:
            self.about = dataclasses.replace(self.about, in_short=IN_SHORT_OF_THREE, examples={})
        firsts = {"light": (0,), "dark": (1,), "auto": (0, 1)}[self.rules.first]
        self.starts = tuple(Position((0, 0), (self.rules.men, self.rules.men), first) for first in firsts)

    def legal_moves(self, position: Position) -> list[Move]:
        """All whole turns, by origin, destination and removed man, each ascending."""
        if self.outcome(position) is not None:
            return []
        moves: list[Move] = []
        takeable = tuple(cells_of(self.takeable(position)))
        for origin, targets in self._journeys(position):
            for to in cells_of(targets):
                if takeable and self.closes_mill(position, to, origin):
                    moves += [Move(to, origin, removed) for removed in takeable]
                else:
                    moves.append(Move(to, origin))
        return moves

    def apply(self, position: Position, move: Move) -> Position:
        self._check(position, move)
        side, men = position.side, list(position.men)
        spent, barred = self._spent(position, move), self._barred(position, move)
        men[side] ^= 1 << move.to | (0 if move.origin is None else 1 << move.origin)
        hands = position.hands
        if move.removed is not None:
            men[1 - side] ^= 1 << move.removed
        if move.origin is None:
            hands = (hands[0] - 1, hands[1]) if side == 0 else (hands[0], hands[1] - 1)
        if move.origin is None or move.removed is not None:
            return Position((men[0], men[1]), hands, 1 - side, spent=spent, barred=barred)
        quiet = position.quiet + 1 if self.rules.quiet_plies or self.rules.three_men_plies else 0
        earlier = tuple(sorted((*position.earlier, position.key))) if self.rules.repetition else ()
        return Position((men[0], men[1]), hands, 1 - side, quiet, earlier, spent, barred)

    def _spent(self, position: Position, move: Move) -> tuple[int, int]:
        """The lines that may take no man again after the move."""
        if not self.rules.one_time_mills or move.removed is None:
            return position.spent
        own = position.spent[position.side]
        for line in self._closed(position, move.to, move.origin):
            own |= 1 << line
        return _replaced(position.spent, position.side, own)

    def _barred(self, position: Position, move: Move) -> tuple[Journey | None, Journey | None]:
        """The ways back that are barred after the move: the mover is free of its last one, and may have a new one."""
        if not self.rules.no_return:
            return position.barred
        way, origin, mine = None, move.origin, position.men[position.side]
        if (
            origin is not None
            and any(mill & mine == mill for _, mill in self._mills_at[origin])
            and self._closed(position, move.to, origin)
        ):
            way = (move.to, origin)
        return _replaced(position.barred, position.side, way)

    def outcome(self, position: Position) -> Outcome | None:
        """The result; losses are checked before draws."""
        for loser in (position.side, 1 - position.side):
            if not position.hands[loser] and position.men[loser].bit_count() < MIN_MEN:
                return Outcome(1 - loser, "two_men_left")
        if self.won_by(position):
            return Outcome(1 - position.side, "mill_closed")
        if self.rules.full_draw and not any(position.hands) and position.men[0] | position.men[1] == self.full:
            return Outcome(None, "board_full")
        if not any(targets for _, targets in self._journeys(position)):
            return Outcome(1 - position.side, "no_legal_move")
        if self.rules.repetition and position.earlier.count(position.key) + 1 >= self.rules.repetition:
            return Outcome(None, "repetition")
        if any(position.quiet >= limit for limit in self._quiet_limits(position)):
            return Outcome(None, "quiet_plies")
        return None

    def _quiet_limits(self, position: Position) -> Iterator[int]:
        """The numbers of quiet moves that make a draw here."""
        if self.rules.quiet_plies:
            yield self.rules.quiet_plies
        if self.rules.three_men_plies and any(self._has_three(position, side) for side in (0, 1)):
            yield self.rules.three_men_plies

    @staticmethod
    def _has_three(position: Position, side: Side) -> bool:
        return not position.hands[side] and position.men[side].bit_count() == MIN_MEN

    def won_by(self, position: Position) -> tuple[int, ...]:
        men = position.men[1 - position.side] if self.mill_wins else 0
        return next((tuple(cells_of(mill)) for mill in self.mills if mill & men == mill), ())

    def board(self, position: Position) -> str:
        """The men: `W` light, `B` dark."""
        return letters_of(position.men, PIECES, len(self.cells))

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The man laid or moved, then the man taken."""
        piece = PIECES[position.side]
        first = Step("place" if move.origin is None else "move", move.to, move.origin, piece)
        return (first,) if move.removed is None else (first, Step("remove", move.removed))

    def to_lay(self, position: Position) -> tuple[int, int]:
        return position.hands

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """A turn changes at most three points: a man's origin, its destination and the man taken."""
        return len(changed_cells(board, target)) <= 3 * plies

    def flies(self, position: Position, side: Side) -> bool:
        """Whether a side may move its men to any empty point."""
        return self.rules.flying and self._has_three(position, side)

    def takeable(self, position: Position) -> int:
        """The enemy men that a mill may take, as a bit set."""
        enemy = 0 if self.mill_wins else position.men[1 - position.side]
        if not self.rules.mill_protected:
            return enemy
        in_mills = 0
        for mill in self.mills:
            in_mills |= mill if mill & enemy == mill else 0
        return enemy & ~in_mills or enemy

    def closes_mill(self, position: Position, to: int, origin: int | None) -> bool:
        """Whether the mover's man arriving on `to` closes a mill that takes a man."""
        spent = position.spent[position.side]
        return any(not spent >> line & 1 for line in self._closed(position, to, origin))

    def is_spent(self, position: Position, to: int, origin: int | None) -> bool:
        """Whether the mover's man arriving on `to` closes mills, of which none takes a man again."""
        return bool(self._closed(position, to, origin)) and not self.closes_mill(position, to, origin)

    def _closed(self, position: Position, to: int, origin: int | None) -> list[int]:
        """The mills that the mover's man closes by arriving on `to`, as indices into `mills`."""
        men = position.men[position.side] | 1 << to
        if origin is not None:
            men ^= 1 << origin
        return [line for line, mill in self._mills_at[to] if mill & men == mill]

    def is_barred(self, position: Position, to: int, origin: int | None) -> bool:
        """Whether the mover's man may not go there, as it would go straight back and close the mill that it left."""
        return position.barred[position.side] == (origin, to) and bool(self._closed(position, to, origin))

    def _journeys(self, position: Position) -> Iterator[tuple[int | None, int]]:
        """Origins of the mover's men (None is the hand), each with its destinations as a bit set."""
        empty = self.full & ~(position.men[0] | position.men[1])
        if position.hands[position.side]:
            yield None, empty
            if not self.rules.move_early:
                return
        flies, way = self.flies(position, position.side), position.barred[position.side]
        for origin in cells_of(position.men[position.side]):
            targets = empty if flies else empty & self.neighbours[origin]
            if way is not None and way[0] == origin and self.is_barred(position, way[1], origin):
                targets &= ~(1 << way[1])
            yield origin, targets

    def _check(self, position: Position, move: Move) -> None:
        """Raises MoveError with the first rule that the move breaks."""
        if self.outcome(position) is not None:
            raise MoveError("game_over", sentence("the game is over"))
        self._check_journey(position, move)
        self._check_removal(position, move)

    def _check_journey(self, position: Position, move: Move) -> None:
        to, origin = self.cells[move.to], move.origin
        side, laying = Term("side", SIDES[position.side]), position.hands[position.side] > 0
        if laying and origin is not None and not self.rules.move_early:
            raise MoveError(
                "must_place", sentence("{side} still has men to lay; they move when all are laid", side=side)
            )
        if not laying and origin is None:
            raise MoveError("nothing_to_place", sentence("{side} has laid all its men and moves one now", side=side))
        if origin is not None and not position.men[position.side] >> origin & 1:
            raise MoveError("not_your_man", sentence("{side} has no man on {cell}", side=side, cell=self.cells[origin]))
        if (position.men[0] | position.men[1]) >> move.to & 1:
            raise MoveError("occupied", sentence("{cell} is occupied", cell=to))
        if (
            origin is not None
            and not self.flies(position, position.side)
            and not self.neighbours[origin] >> move.to & 1
        ):
            said = sentence("{origin} and {cell} are not joined by a line", origin=self.cells[origin], cell=to)
            raise MoveError("not_adjacent", said)
        if self.is_barred(position, move.to, origin):
            raise MoveError(
                "may_not_return",
                sentence(
                    "the man on {origin} may not go straight back to {cell} and close the mill that it left",
                    origin=self.cells[move.to if origin is None else origin],
                    cell=to,
                ),
            )

    def _check_removal(self, position: Position, move: Move) -> None:
        takeable = self.takeable(position)
        if move.removed is not None and self.is_spent(position, move.to, move.origin):
            said = sentence(
                "the line through {cell} has taken a man before and takes none again", cell=self.cells[move.to]
            )
            raise MoveError("mill_spent", said)
        if not takeable or not self.closes_mill(position, move.to, move.origin):
            if move.removed is not None:
                said = sentence("no man may be taken: {cell} closes no mill over an enemy", cell=self.cells[move.to])
                raise MoveError("nothing_to_remove", said)
            return
        if move.removed is None:
            said = sentence("{cell} closes a mill: a man must be taken, as in {cell}xa1", cell=self.cells[move.to])
            raise MoveError("must_remove", said)
        if not position.men[1 - position.side] >> move.removed & 1:
            foe = Term("side", SIDES[1 - position.side])
            said = sentence("{side} has no man on {cell}", side=foe, cell=self.cells[move.removed])
            raise MoveError("not_an_enemy_man", said)
        if not takeable >> move.removed & 1:
            said = sentence("the man on {cell} stands in a mill and others do not", cell=self.cells[move.removed])
            raise MoveError("protected_by_mill", said)

    def format_move(self, position: Position, move: Move) -> str:
        """`d2`, `a1-a4`, with a removal `d2xf4`, `a1-a4xg7`."""
        return notation.format_move(self, move)

    def parse_move(self, position: Position, text: str) -> Move:
        """The legal turn that the text describes, capitals allowed."""
        move = notation.parse_move(self, text)
        self._check(position, move)
        return move

    def format_position(self, position: Position) -> str:
        """The mover's name, and the men from the mover's point of view, as `notation` explains."""
        return notation.format_position(self, position)

    def parse_position(self, text: str) -> Position:
        """The position from `format_position`'s text; without the mover's name, light is the mover."""
        return notation.parse_position(self, text)

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """The men still to lay stay as `before`, or as near to that as the men on the board allow."""
        on_board = [board.count(man) for man in PIECES]
        rest = [self.rules.men - count for count in on_board]
        if min(rest) < 0:
            counts = {"most": max(on_board), "men": self.rules.men}
            raise PositionError(sentence("{most} men of a side stand there, and each side has {men}", **counts))
        mine, theirs = before.hands[side], before.hands[1 - side]
        to_lay = [
            (later + more, later)
            for later in range(rest[1 - side] + 1)
            for more in (range(rest[side] - later + 1) if self.rules.move_early else (0, 1))
            if later + more <= rest[side]
        ]
        hands = min(to_lay, key=lambda pair: (abs(pair[0] - mine) + abs(pair[1] - theirs), -sum(pair)))
        laid = hands if side == 0 else (hands[1], hands[0])
        return Position(bits_of(board, PIECES), laid, side, spent=before.spent)

    def arranged(self, figures: str, side: Side, told: Mapping[str, bool]) -> Position:
        """The position with these men; those that do not stand there are still to be laid, unless told otherwise."""
        position = self.set_up(figures, side, self.initial())
        return dataclasses.replace(position, hands=(0, 0)) if told.get(ALL_LAID) else position

    def rights(self, position: Position) -> tuple[Right, ...]:
        """Whether the men that do not stand there were taken, or are still to be laid."""
        return (Right(ALL_LAID, sentence("all men have been laid"), position.hands == (0, 0)),)

    def fault(self, position: Position, board: str) -> Fault:
        return Judge(self, position, board).fault()


def _replaced(pair: tuple[T, T], side: Side, value: T) -> tuple[T, T]:
    return (value, pair[1]) if side == 0 else (pair[0], value)


GAME = NineMensMorris
