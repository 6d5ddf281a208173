"""Nine men's morris: lay your men, move them along the lines, close mills of three and take a man for each.

A player with fewer than three men once all are laid, or without a legal move (also on a board that is full once all men
are laid), has lost. A mill closed while the enemy has no man on the board takes nothing.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import games
from games import EMPTY, Fault, Game, MoveError, Outcome, PositionError, RuleError, Side, Step, cells_of, rule
from wording import Sentence, Term, noun, sentence, sentence_n

CELLS = tuple("a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split())
FULL = (1 << len(CELLS)) - 1
DIAGONALS = (("a7", "b6", "c5"), ("g7", "f6", "e5"), ("a1", "b2", "c3"), ("g1", "f2", "e3"))
MIN_MEN = 3
"""Men needed once all are laid; a side with fewer has lost."""
DIGITS = "0123456789ABC"
"""Digits of the counts in a position's text: one each, even for ten to twelve men."""
SIDES = (noun("side", "light"), noun("side", "dark"))
PIECES = ("W", "B")
MOVE = re.compile(r"(?:([a-z]\d+)-)?([a-z]\d+)(?:x([a-z]\d+))?")
POSITION = re.compile(r"(?:(light|dark):)?([MEO]{24})([0-9ABC]{4})")


def lines(diagonals: bool) -> tuple[tuple[int, int, int], ...]:
    """All lines of three joined cells, as indices from one end to the other."""
    found = []
    for axis in (1, 0):
        for letter in dict.fromkeys(name[axis] for name in CELLS):
            row = [cell for cell, name in enumerate(CELLS) if name[axis] == letter]
            found += [(row[start], row[start + 1], row[start + 2]) for start in range(0, len(row), 3)]
    if diagonals:
        found += [(CELLS.index(a), CELLS.index(b), CELLS.index(c)) for a, b, c in DIAGONALS]
    return tuple(found)


@dataclasses.dataclass(frozen=True)
class MorrisRules:
    """The rule options; the defaults are the game as țintar is played."""

    men: int = rule(9, "men of each side", minimum=3, maximum=12)
    flying: bool = rule(False, "who has three men left may move them to any empty point")
    mill_protected: bool = rule(False, "a man in a mill may be taken only if no other is left")
    diagonals: bool = rule(False, "the corners of the squares are joined too, as in twelve men's morris")
    first: str = rule("light", "who begins; auto is whoever lays the first man", choices=("light", "dark", "auto"))
    repetition: int = rule(3, "the game is drawn when a position occurs so often; 0 is never", minimum=0, maximum=9)
    quiet_plies: int = rule(100, "drawn after so many moves without a capture; 0 is never", minimum=0, maximum=1000)

    def __post_init__(self) -> None:
        if self.repetition == 1:
            raise RuleError("nine_mens_morris: rule option repetition is 0 or at least 2, not 1")


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game. Equal positions are those that the rules treat alike from here on."""

    men: tuple[int, int]
    """Men of each side on the board, a bit per cell."""
    hands: tuple[int, int]
    """Men that each side has still to lay."""
    side: Side
    """Who moves next."""
    quiet: int = 0
    """Moves since the last man was laid or taken; stays 0 if no rule counts them."""
    earlier: tuple[int, ...] = ()
    """Sorted keys of the positions since then, as their order has no effect. Empty if no rule needs them."""

    @property
    def key(self) -> int:
        """What must recur for a repetition: the men and the mover."""
        return self.men[0] | self.men[1] << 24 | self.side << 48


class Move(NamedTuple):
    """One whole turn, in indices into `CELLS`."""

    to: int
    origin: int | None = None
    """None where a man is laid."""
    removed: int | None = None
    """The enemy man taken for a mill, or None."""


ENDINGS = {
    "two_men_left": sentence("{side} has only two men left"),
    "no_legal_move": sentence("{side} cannot move"),
    "repetition": sentence("the position came up three times"),
    "quiet_plies": sentence("nothing was taken for too long"),
}
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


class NineMensMorris(Game[Position, Move]):
    """The rules; `games.Game` says what each method promises."""

    name = "nine_mens_morris"
    short_name = "morris"
    title = noun("game", "nine men's morris")
    sides = SIDES
    pieces = PIECES
    cells = CELLS
    classes = EMPTY + "".join(PIECES)
    Rules = MorrisRules
    piece_nouns = (noun("piece", "light man"), noun("piece", "dark man"))
    endings = ENDINGS
    mistakes = MISTAKES

    def __init__(self, rules: MorrisRules | None = None) -> None:
        self.rules = rules or MorrisRules()
        joined = lines(self.rules.diagonals)
        self.mills = tuple(sum(1 << cell for cell in line) for line in joined)
        """Every mill as a bit set of its three cells."""
        self._mills_at = tuple(tuple(mill for mill in self.mills if mill >> cell & 1) for cell in range(len(CELLS)))
        self.neighbours = tuple(
            sum({1 << b for line in joined for a, b in _steps_along(line) if a == cell}) for cell in range(len(CELLS))
        )
        """The cells joined to each cell, as a bit set."""
        firsts = {"light": (0,), "dark": (1,), "auto": (0, 1)}[self.rules.first]
        self.starts = tuple(Position((0, 0), (self.rules.men, self.rules.men), first) for first in firsts)

    def initial(self, seed: int | None = None) -> Position:
        """The empty board; nothing is dealt."""
        return self.starts[0]

    def to_move(self, position: Position) -> Side:
        """The side that lays or moves next."""
        return position.side

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
        """The position after the turn. Raises MoveError."""
        self._check(position, move)
        side, men = position.side, list(position.men)
        men[side] ^= 1 << move.to | (0 if move.origin is None else 1 << move.origin)
        hands = position.hands
        if move.removed is not None:
            men[1 - side] ^= 1 << move.removed
        if move.origin is None:
            hands = (hands[0] - 1, hands[1]) if side == 0 else (hands[0], hands[1] - 1)
        if move.origin is None or move.removed is not None:
            return Position((men[0], men[1]), hands, 1 - side)
        quiet = position.quiet + 1 if self.rules.quiet_plies else 0
        earlier = tuple(sorted((*position.earlier, position.key))) if self.rules.repetition else ()
        return Position((men[0], men[1]), hands, 1 - side, quiet, earlier)

    def outcome(self, position: Position) -> Outcome | None:
        """The result; losses are checked before draws."""
        for loser in (position.side, 1 - position.side):
            if not position.hands[loser] and position.men[loser].bit_count() < MIN_MEN:
                return Outcome(1 - loser, "two_men_left")
        if not any(targets for _, targets in self._journeys(position)):
            return Outcome(1 - position.side, "no_legal_move")
        if self.rules.repetition and position.earlier.count(position.key) + 1 >= self.rules.repetition:
            return Outcome(None, "repetition")
        if self.rules.quiet_plies and position.quiet >= self.rules.quiet_plies:
            return Outcome(None, "quiet_plies")
        return None

    def board(self, position: Position) -> str:
        """The men: `W` light, `B` dark."""
        light, dark = position.men
        return "".join("W" if light >> cell & 1 else "B" if dark >> cell & 1 else EMPTY for cell in range(len(CELLS)))

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The man laid or moved, then the man taken."""
        piece = PIECES[position.side]
        first = Step("place" if move.origin is None else "move", move.to, move.origin, piece)
        return (first,) if move.removed is None else (first, Step("remove", move.removed))

    def to_lay(self, position: Position) -> tuple[int, int]:
        """Men that each side has still to lay."""
        return position.hands

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """A turn changes at most three points: a man's origin, its destination and the man taken."""
        return len(games.changed_cells(board, target)) <= 3 * plies

    def flies(self, position: Position, side: Side) -> bool:
        """Whether a side may move its men to any empty point."""
        return self.rules.flying and not position.hands[side] and position.men[side].bit_count() == MIN_MEN

    def takeable(self, position: Position) -> int:
        """The enemy men that a mill may take, as a bit set."""
        enemy = position.men[1 - position.side]
        if not self.rules.mill_protected:
            return enemy
        in_mills = 0
        for mill in self.mills:
            in_mills |= mill if mill & enemy == mill else 0
        return enemy & ~in_mills or enemy

    def closes_mill(self, position: Position, to: int, origin: int | None) -> bool:
        """Whether the mover's man arriving on `to` closes a mill."""
        men = position.men[position.side] | 1 << to
        if origin is not None:
            men ^= 1 << origin
        return any(mill & men == mill for mill in self._mills_at[to])

    def _journeys(self, position: Position) -> Iterator[tuple[int | None, int]]:
        """Origins of the mover's men (None is the hand), each with its destinations as a bit set."""
        empty = FULL & ~(position.men[0] | position.men[1])
        if position.hands[position.side]:
            yield None, empty
            return
        flies = self.flies(position, position.side)
        for origin in cells_of(position.men[position.side]):
            yield origin, empty if flies else empty & self.neighbours[origin]

    def _check(self, position: Position, move: Move) -> None:
        """Raises MoveError with the first rule that the move breaks."""
        if self.outcome(position) is not None:
            raise MoveError("game_over", sentence("the game is over"))
        self._check_journey(position, move)
        self._check_removal(position, move)

    def _check_journey(self, position: Position, move: Move) -> None:
        to, origin = CELLS[move.to], move.origin
        side, laying = Term("side", SIDES[position.side]), position.hands[position.side] > 0
        if laying and origin is not None:
            raise MoveError(
                "must_place", sentence("{side} still has men to lay; they move when all are laid", side=side)
            )
        if not laying and origin is None:
            raise MoveError("nothing_to_place", sentence("{side} has laid all its men and moves one now", side=side))
        if origin is not None and not position.men[position.side] >> origin & 1:
            raise MoveError("not_your_man", sentence("{side} has no man on {cell}", side=side, cell=CELLS[origin]))
        if (position.men[0] | position.men[1]) >> move.to & 1:
            raise MoveError("occupied", sentence("{cell} is occupied", cell=to))
        if (
            origin is not None
            and not self.flies(position, position.side)
            and not self.neighbours[origin] >> move.to & 1
        ):
            said = sentence("{origin} and {cell} are not joined by a line", origin=CELLS[origin], cell=to)
            raise MoveError("not_adjacent", said)

    def _check_removal(self, position: Position, move: Move) -> None:
        takeable = self.takeable(position)
        if not takeable or not self.closes_mill(position, move.to, move.origin):
            if move.removed is not None:
                said = sentence("no man may be taken: {cell} closes no mill over an enemy", cell=CELLS[move.to])
                raise MoveError("nothing_to_remove", said)
            return
        if move.removed is None:
            said = sentence("{cell} closes a mill: a man must be taken, as in {cell}xa1", cell=CELLS[move.to])
            raise MoveError("must_remove", said)
        if not position.men[1 - position.side] >> move.removed & 1:
            foe = Term("side", SIDES[1 - position.side])
            said = sentence("{side} has no man on {cell}", side=foe, cell=CELLS[move.removed])
            raise MoveError("not_an_enemy_man", said)
        if not takeable >> move.removed & 1:
            said = sentence("the man on {cell} stands in a mill and others do not", cell=CELLS[move.removed])
            raise MoveError("protected_by_mill", said)

    def format_move(self, position: Position, move: Move) -> str:
        """`d2`, `a1-a4`, with a removal `d2xf4`, `a1-a4xg7`."""
        journey = CELLS[move.to] if move.origin is None else f"{CELLS[move.origin]}-{CELLS[move.to]}"
        return journey if move.removed is None else f"{journey}x{CELLS[move.removed]}"

    def parse_move(self, position: Position, text: str) -> Move:
        """The turn that the text describes, capitals allowed. Raises MoveError."""
        match = MOVE.fullmatch(text.strip().lower())
        if match is None:
            said = sentence("{text} is no move; moves look like d2, a1-a4, d2xf4, a1-a4xg7", text=repr(text[:40]))
            raise MoveError("not_a_move", said)
        for name in match.groups():
            if name is not None and name not in CELLS:
                raise MoveError("no_such_cell", sentence("there is no point {name} on the board", name=repr(name)))
        origin, to, removed = (None if name is None else CELLS.index(name) for name in match.groups())
        assert to is not None
        move = Move(to, origin, removed)
        self._check(position, move)
        return move

    def format_position(self, position: Position) -> str:
        """The mover's name, a colon, and 28 characters from the mover's point of view.

        One letter per cell: `M` mine, `E` the enemy's, `O` empty. Then one digit each (`A` `B` `C` are ten to twelve):
        my men still to lay, the enemy's, my men on the board, the enemy's.
        """
        mine, theirs = position.side, 1 - position.side
        letters = self.board(position).translate(str.maketrans(PIECES[mine] + PIECES[theirs] + EMPTY, "MEO"))
        on_board = [men.bit_count() for men in position.men]
        counts = (position.hands[mine], position.hands[theirs], on_board[mine], on_board[theirs])
        return f"{SIDES[mine]}:{letters}{''.join(DIGITS[count] for count in counts)}"

    def parse_position(self, text: str) -> Position:
        """The position from `format_position`'s text; without the name and colon, light is the mover.

        Raises PositionError.
        """
        match = POSITION.fullmatch(text.strip())
        if match is None:
            raise PositionError(f"{text[:60]!r} is not 24 letters M, E, O and four digits, with light: or dark: before")
        side = 0 if match[1] is None else SIDES.index(match[1])
        mine, theirs = (sum(1 << cell for cell, man in enumerate(match[2]) if man == letter) for letter in "ME")
        to_lay, theirs_to_lay, count, their_count = (DIGITS.index(digit) for digit in match[3])
        if (count, their_count) != (mine.bit_count(), theirs.bit_count()):
            raise PositionError(f"{text!r} counts {count} and {their_count} men, but shows others")
        if max(to_lay + count, theirs_to_lay + their_count) > self.rules.men:
            raise PositionError(f"{text!r} has more than {self.rules.men} men of a side")
        if to_lay - theirs_to_lay not in (0, 1):
            raise PositionError(f"{text!r}: the mover has as many men to lay as the enemy, or one more")
        if side == 0:
            return Position((mine, theirs), (to_lay, theirs_to_lay), 0)
        return Position((theirs, mine), (theirs_to_lay, to_lay), 1)

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
            for more in (0, 1)
            if later + more <= rest[side]
        ]
        hands = min(to_lay, key=lambda pair: (abs(pair[0] - mine) + abs(pair[1] - theirs), -sum(pair)))
        men = tuple(sum(1 << cell for cell, man in enumerate(board) if man == piece) for piece in PIECES)
        return Position((men[0], men[1]), hands if side == 0 else (hands[1], hands[0]), side)

    def fault(self, position: Position, board: str) -> Fault:
        """The broken rule, found from which men came, went and changed colour."""
        return _Judge(self, position, board).fault()


def _steps_along(line: tuple[int, int, int]) -> tuple[tuple[int, int], ...]:
    a, b, c = line
    return (a, b), (b, a), (b, c), (c, b)


class _Judge:
    """Explains a board that no legal turn, nor part of one, can produce."""

    def __init__(self, game: NineMensMorris, position: Position, board: str) -> None:
        before = game.board(position)
        mine, theirs = PIECES[position.side], PIECES[1 - position.side]
        self.game, self.position, self.changed = game, position, games.changed_cells(before, board)
        self.me, self.foe = Term("side", SIDES[position.side]), Term("side", SIDES[1 - position.side])
        self.my_new = [cell for cell in self.changed if board[cell] == mine]
        self.foe_new = [cell for cell in self.changed if board[cell] == theirs]
        self.my_gone = [cell for cell in self.changed if before[cell] == mine]
        self.foe_gone = [cell for cell in self.changed if before[cell] == theirs]
        self.put_back = self._remedy(before, board)

    def _remedy(self, before: str, board: str) -> tuple[Sentence, ...]:
        """What the players must do to restore the board."""
        new = [cell for cell in self.changed if board[cell] != EMPTY and before[cell] == EMPTY]
        gone = {
            side: [cell for cell in self.changed if before[cell] == man]
            for side, man in zip(SIDES, PIECES, strict=True)
        }
        missing = [cell for cells in gone.values() for cell in cells]
        if len(new) == len(missing) == 1 and board[new[0]] == before[missing[0]]:
            return (sentence("Move it back to {cell}.", cell=CELLS[missing[0]]),)
        away = [sentence("Take {cells} away.", cells=_names(new))] if new else []
        back = [
            sentence_n(
                "Put {side:gen}'s man back on {cells}.",
                "Put {side:gen}'s men back on {cells}.",
                len(cells),
                side=Term("side", side),
                cells=_names(cells),
            )
            for side, cells in gone.items()
            if cells
        ]
        return (*away, *back)

    def fault(self) -> Fault:
        """The first broken rule found."""
        if recoloured := {*self.my_new, *self.foe_new} & {*self.my_gone, *self.foe_gone}:
            return self._say(
                "piece_changed_colour",
                sentence_n(
                    "The man on {cells} has changed its colour. Put it back.",
                    "The men on {cells} have changed their colour. Put them back.",
                    len(recoloured),
                    cells=_names(recoloured),
                ),
            )
        if self.game.outcome(self.position) is not None and self.changed:
            return self._say("game_over", sentence("The game is over."), *self.put_back)
        if len(self.my_new) == 1 and not self.foe_new:
            return self._arrived(self.my_new[0])
        if self.my_new:
            return self._several()
        return self._enemy_acted() if self.foe_new else self._only_gone()

    def _say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def _unexplained(self) -> Fault:
        return self._say("unexplained", sentence("No turn of {side:gen} leads here.", side=self.me), *self.put_back)

    def _enemy_acted(self) -> Fault:
        """Fault where only enemy men arrived."""
        turn = {"side": self.me, "other": self.foe}
        arrived, may_lay = _names(self.foe_new), self.position.hands[1 - self.position.side] > 0
        if len(self.foe_new) == len(self.foe_gone) == 1:
            said = sentence(
                "It is {side:gen}'s turn, but {other} moved {origin} to {cell}.",
                **turn,
                origin=_names(self.foe_gone),
                cell=arrived,
            )
            return self._say("not_your_turn", said, *self.put_back)
        if self.foe_gone or (self.my_gone and not may_lay):
            return self._unexplained()
        if not may_lay:
            return self._say(
                "extra_man",
                sentence("{side:Nom} has no men left to lay. Take {cells} away.", side=self.foe, cells=arrived),
            )
        if self.my_gone:
            said = sentence(
                "It is {side:gen}'s turn, but {other} laid {cells} and took {taken}.",
                **turn,
                cells=arrived,
                taken=_names(self.my_gone),
            )
            return self._say("not_your_turn", said, *self.put_back)
        return self._say(
            "not_your_turn",
            sentence_n(
                "It is {side:gen}'s turn, but {other} laid a man on {cells}. Take it back.",
                "It is {side:gen}'s turn, but {other} laid {cells}. Take them back.",
                len(self.foe_new),
                **turn,
                cells=arrived,
            ),
        )

    def _several(self) -> Fault:
        """Fault where men of both sides arrived, or several of the mover's."""
        if self.foe_new or self.foe_gone or len(self.my_gone) not in (0, len(self.my_new)):
            return self._unexplained()
        count = len(self.my_new)
        if self.my_gone:
            said = sentence("{side:Nom} moved {men} men at once.", side=self.me, men=count)
            return self._say("two_men_moved", said, *self.put_back)
        said = sentence(
            "{side:Nom} laid {men} men, {cells}. Take all but one back.",
            side=self.me,
            men=count,
            cells=_names(self.my_new),
        )
        return self._say("two_men_laid", said)

    def _arrived(self, to: int) -> Fault:
        """Fault where one man of the mover arrived on `to`, laid or moved, perhaps with removals."""
        game, position, cell = self.game, self.position, CELLS[to]
        laying = position.hands[position.side] > 0
        if not laying and not self.my_gone:
            return self._say(
                "extra_man",
                sentence(
                    "All men are laid, but {side} laid one more on {cell}. Take it away.", side=self.me, cell=cell
                ),
            )
        one_gone = len(self.my_gone) == 1 and not self.foe_gone
        if laying and one_gone and not game.closes_mill(position, to, self.my_gone[0]):
            origin = CELLS[self.my_gone[0]]
            return self._say(
                "must_place",
                sentence(
                    "{side:Nom} still lays men and may not move {origin} to {cell} yet. Put it back.",
                    side=self.me,
                    origin=origin,
                    cell=cell,
                ),
            )
        if len(self.my_gone) > (0 if laying else 1):
            return self._say(
                "wrong_man_removed", sentence("{side:Gen}'s own man was taken.", side=self.me), *self.put_back
            )
        start = None if laying else self.my_gone[0]
        reaches = start is None or game.flies(position, position.side) or game.neighbours[start] >> to & 1
        if start is not None and not reaches:
            return self._say(
                "not_adjacent",
                sentence(
                    "{origin} and {cell} are not joined by a line. Put the man back on {origin}.",
                    origin=CELLS[start],
                    cell=cell,
                ),
            )
        return self._removed(to, start)

    def _removed(self, to: int, origin: int | None) -> Fault:
        """Fault where the man's path to `to` is right but the removal is wrong."""
        taken = _names(self.foe_gone)
        if not self.foe_gone:
            return self._unexplained()
        if not self.game.closes_mill(self.position, to, origin):
            return self._say(
                "man_removed_without_mill",
                sentence_n(
                    "{cell} closes no mill, but {cells} was taken. Put it back.",
                    "{cell} closes no mill, but {cells} were taken. Put them back.",
                    len(self.foe_gone),
                    cell=CELLS[to],
                    cells=taken,
                ),
            )
        if len(self.foe_gone) > 1:
            return self._say(
                "two_men_removed",
                sentence("A mill takes one man only, but {cells} are gone. Put all but one back.", cells=taken),
            )
        return self._say(
            "wrong_man_removed",
            sentence("The man on {cell} stands in a mill. Put it back and take another.", cell=taken),
        )

    def _only_gone(self) -> Fault:
        """Fault where men are gone, or nothing changed, and none came."""
        if not self.changed:
            return self._say(
                "unexplained", sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self.me)
            )
        cells, count = _names(self.changed), len(self.changed)
        if self.my_gone:
            missing = sentence_n(
                "The man on {cells} is missing.", "The men on {cells} are missing.", count, cells=cells
            )
            return self._say("man_missing", missing, *self.put_back)
        gone = sentence_n(
            "The man on {cells} is gone, but no mill was closed.",
            "The men on {cells} are gone, but no mill was closed.",
            count,
            cells=cells,
        )
        return self._say("man_removed_without_mill", gone, *self.put_back)


def _names(cells: Iterable[int]) -> tuple[str, ...]:
    return tuple(CELLS[cell] for cell in sorted(cells))


GAME = NineMensMorris
