"""Double Double Dominoes: lay tiles end to end over diamonds, and use the track on which your score pawn stands.

At least one end of a new tile touches another tile, at an equal number; the other end does so too or touches none. No
end touches two tiles; both ends may touch the same tile. Where the rules are silent: if one tile brings both pawns to
the last space, the game is a draw; a hand is filled after the turn, not within it; with an empty bag, a player who
passes keeps the hand, and two passes in a row end the game.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from games.double_double_dominoes import joining
from games.double_double_dominoes import position as texts
from games.double_double_dominoes.board import (
    CELLS,
    DIAMONDS,
    EACH,
    NEIGHBOURS,
    NUMBER_OF,
    PIPS,
    STAR,
    TILES,
    TRACK,
    Lay,
    Tile,
    breach,
    lays_on,
    slots,
)
from games.double_double_dominoes.faults import Judge
from games.double_double_dominoes.position import ALL_TILES, IN_HAND, LAST_SPACE, SIDES, Hand, Position
from rules import (
    EMPTY,
    About,
    Counts,
    Described,
    Fault,
    Gain,
    Game,
    HiddenHands,
    MoveError,
    Outcome,
    PositionError,
    Side,
    Step,
    Words,
)
from rules.options import rule
from rules.tiles import tile_named
from rules.turns import changed_cells
from wording import Sentence, Sentences, Term, noun, sentence

__all__ = ["CELLS", "DIAMONDS", "GAME", "STAR", "TILES", "TRACK", "Lay", "Move", "Pass", "Position", "Tile"]

BONUS = 3
"""Points for a pawn whose space has a value that the laid tile shows."""
ENDS = tuple((a, b) for a in range(PIPS) for b in range(PIPS))


class Pass(NamedTuple):
    """A turn without laying, or the end of the turn after a double."""

    discard: Tile | None = None
    """The tile discarded, unseen by the other side; only where the whole hand is known."""

    @property
    def told(self) -> Sentence | None:
        """What the pass does, for the player who has to choose; None for a plain pass."""
        return None if self.discard is None else sentence("Put {tile} away", tile=tile_named(*map(str, self.discard)))


Move = Lay | Pass


@dataclasses.dataclass(frozen=True)
class DominoesRules:
    first: str = rule("red", "who begins", choices=SIDES)


ENDINGS = {
    "space_100": sentence("the last space is reached"),
    "nothing_to_lay": sentence("nothing can be laid any more"),
}
MISTAKES = {
    "tile touches nothing": "touches_nothing",
    "tile touches others": "pips_differ touches_two_tiles touches_nothing not_joined_to_double third_copy not_on_star",
    "tile taken": "tile_removed",
    "tile moved": "tile_moved tiles_rearranged",
    "tile turned round": "tile_changed",
}


IN_SHORT = (
    sentence("Lay a tile of yours in turn; whoever has more points at the end wins."),
    sentence("Join equal numbers: an end of the new tile touches one tile at most."),
    sentence("A half on a diamond brings its points; a double brings twice as many."),
    sentence("A pawn whose space shows a number of the new tile gets 3 points more."),
    sentence("After a double the turn goes on: lay a tile at it, or end the turn."),
    sentence("Who lays nothing puts a tile away."),
)


class DoubleDoubleDominoes(Game[Position, Move], HiddenHands, Counts, Words, Described):
    name = "double_double_dominoes"
    title = noun("game", "Double Double Dominoes")
    sides = SIDES
    pieces = (EMPTY, EMPTY)
    cells = CELLS
    classes = EMPTY + "0123456"
    Rules = DominoesRules
    about = About(
        "dominoes",
        also=("domino",),
        nouns={letter: sentence("half with {pips}", pips=letter) for letter in "0123456"},
        endings=ENDINGS,
        formats=("annotations",),
        in_short=IN_SHORT,
        star=STAR,
        cell_points=DIAMONDS,
    )
    mistakes = MISTAKES

    def __init__(self, rules: DominoesRules | None = None) -> None:
        self.rules = rules or DominoesRules()
        first = SIDES.index(self.rules.first)
        holds = (IN_HAND + 1, IN_HAND) if first == 0 else (IN_HAND, IN_HAND + 1)
        self.starts = (Position(to_move=first, holds=holds, bag=ALL_TILES - sum(holds)),)

    def initial(self, seed: int | None = None) -> Position:
        """The empty board with the first mover's tile drawn; without a seed, hands and bag are hidden."""
        return self.starts[0] if seed is None else self.deal(self.starts[0], seed)

    def deal(self, position: Position, seed: int) -> Position:
        """The position with everything hidden drawn at random from the unseen tiles."""
        unseen = [tile for tile in TILES for _ in range(EACH - position.laid(tile))]
        for tile in (*(position.hands[0] or ()), *(position.hands[1] or ()), *(position.order or ())):
            unseen.remove(tile)
        random.Random(seed).shuffle(unseen)
        hands = []
        for hand, holds in zip(position.hands, position.holds, strict=True):
            known = hand or ()
            hands.append(tuple(sorted((*known, *(unseen.pop() for _ in range(holds - len(known)))))))
        order = position.order
        if order is None:
            order = tuple(unseen.pop() for _ in range(position.bag))
        return dataclasses.replace(position, hands=(hands[0], hands[1]), order=order)

    def hold(self, position: Position, side: Side, tiles: Sequence[Tile] | None) -> Position:
        """The position with a side's hand made known, or hidden (None). Raises PositionError."""
        hand = None if tiles is None else tuple(sorted((min(tile), max(tile)) for tile in tiles))
        hands = (hand, position.hands[1]) if side == 0 else (position.hands[0], hand)
        held = dataclasses.replace(position, hands=hands)
        if (wrong := texts.inconsistency(held)) is not None:
            raise PositionError(wrong)
        return held

    def hand(self, position: Position, side: Side) -> tuple[str, ...] | None:
        hand = position.hands[side]
        return None if hand is None else tuple("-".join(map(str, tile)) for tile in hand)

    def holds(self, position: Position, side: Side) -> int:
        return position.holds[side]

    def with_hand(self, position: Position, side: Side, hand: Sequence[str]) -> Position:
        """`hold` for tiles given as text. Raises PositionError."""
        try:
            tiles = [texts.parse_tile(tile) for tile in hand]
        except PositionError:
            raise PositionError(sentence("tiles look like 3-4")) from None
        return self.hold(position, side, tiles)

    def tiles(self, position: Position) -> tuple[tuple[int, int], ...]:
        return tuple(lay.cells for lay in position.tiles)

    def ends(self, position: Position) -> Sentences:
        return joining.ends(position)

    def tally(self, position: Position) -> Sentences:
        return joining.counted(position)

    def rows(self) -> tuple[()]:
        return ()

    def told(self, position: Position, move: Move) -> Sentence | None:
        return move.told if isinstance(move, Pass) else None

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """Each ply adds one tile, and tiles already laid stay."""
        missing = changed_cells(board, target)
        return len(missing) <= 2 * plies and all(board[cell] == EMPTY for cell in missing)

    def to_move(self, position: Position) -> Side:
        """The side to move; after a double the same side continues until it passes."""
        return position.to_move

    def legal_moves(self, position: Position) -> list[Move]:
        """All lays by cells and pips, then the passes by discarded tile."""
        if self.outcome(position) is not None:
            return []
        return [*self._lays(position), *self._passes(position)]

    def _lays(self, position: Position) -> Iterator[Lay]:
        allowed = self._allowed(position, position.to_move)
        for cells, first, second in slots(position.board, position.open_double):
            lays = lays_on(cells)
            for index in _indices(first, second):
                if allowed[index]:
                    yield lays[index]

    def _passes(self, position: Position) -> list[Move]:
        if not self._must_discard(position):
            return [Pass()]
        return [Pass(tile) for tile in sorted(set(position.hands[position.to_move] or ()))]

    @staticmethod
    def _must_discard(position: Position) -> bool:
        """Whether a pass must name the discarded tile."""
        return position.holds[position.to_move] > IN_HAND and position.knows_hand(position.to_move)

    def _allowed(self, position: Position, side: Side) -> list[bool]:
        """For each of ENDS, whether a side holds, or may hold, that tile."""
        may = [self._may_hold(position, side, tile) for tile in TILES]
        return [may[NUMBER_OF[ends]] for ends in ENDS]

    @staticmethod
    def _may_hold(position: Position, side: Side, tile: Tile) -> bool:
        """Whether a side holds the tile; in a hidden hand, whether a copy is neither laid nor known in the other."""
        if position.knows_hand(side):
            return tile in (position.hands[side] or ())
        theirs = position.hands[1 - side]
        return position.holds[side] > 0 and position.laid(tile) + (theirs.count(tile) if theirs else 0) < EACH

    def _can_lay(self, position: Position, side: Side) -> bool:
        """Whether a side has, or may have, a tile that fits somewhere."""
        allowed = self._allowed(position, side)
        return any(allowed[index] for _, a, b in slots(position.board, None) for index in _indices(a, b))

    def apply(self, position: Position, move: Move) -> Position:
        self._check(position, move)
        if isinstance(move, Pass):
            return self._passed(position, move)
        side = position.to_move
        first, second = move.cells
        board = position.board
        board = f"{board[:first]}{move.pips[0]}{board[first + 1 : second]}{move.pips[1]}{board[second + 1 :]}"
        red, green = self.gains(position, move)
        hands, holds = list(position.hands), list(position.holds)
        hands[side], holds[side] = _without(hands[side], move.tile), holds[side] - 1
        laid = dataclasses.replace(
            position,
            board=board,
            tiles=(*position.tiles, move),
            pawns=(min(LAST_SPACE, position.pawns[0] + red.total), min(LAST_SPACE, position.pawns[1] + green.total)),
            open_double=move if move.is_double else None,
            passes=0,
            holds=(holds[0], holds[1]),
            hands=(hands[0], hands[1]),
            copies=position.copies + (1 << 2 * NUMBER_OF[move.pips]),
        )
        if move.is_double and next(self._lays(laid), None) is not None:
            return laid
        return self._turned(laid)

    def _passed(self, position: Position, move: Pass) -> Position:
        if position.open_double is not None:
            return self._turned(position)
        side = position.to_move
        hands, holds = list(position.hands), list(position.holds)
        if holds[side] > IN_HAND:
            holds[side] = IN_HAND
            # For a partly known hand, nobody knows which tile was discarded.
            hands[side] = None if move.discard is None else _without(hands[side], move.discard)
        after = dataclasses.replace(
            position, passes=position.passes + 1, holds=(holds[0], holds[1]), hands=(hands[0], hands[1])
        )
        return self._turned(after)

    def _turned(self, position: Position) -> Position:
        """The other side's turn: the mover's hand is refilled, then the other side draws one."""
        side, other = position.to_move, 1 - position.to_move
        hands, holds, bag, order = list(position.hands), list(position.holds), position.bag, position.order
        for drawer, wanted in ((side, IN_HAND - holds[side]), (other, 1)):
            drawn = min(bag, max(0, wanted))
            holds[drawer], bag = holds[drawer] + drawn, bag - drawn
            if order is not None and drawn:
                hand = hands[drawer]
                hands[drawer] = None if hand is None else tuple(sorted((*hand, *order[bag:])))
                order = order[:bag]
        return dataclasses.replace(
            position,
            to_move=other,
            open_double=None,
            bag=bag,
            holds=(holds[0], holds[1]),
            hands=(hands[0], hands[1]),
            order=order,
        )

    def outcome(self, position: Position) -> Outcome | None:
        """Decided by the track's last space; with an empty bag by points, once neither can lay or both have passed."""
        red, green = position.pawns
        winner = None if red == green else 0 if red > green else 1
        if LAST_SPACE in position.pawns:
            return Outcome(winner, "space_100", position.pawns)
        if position.bag or (position.passes < 2 and (self._can_lay(position, 0) or self._can_lay(position, 1))):
            return None
        return Outcome(winner, "nothing_to_lay", position.pawns)

    def scores(self, position: Position) -> tuple[int, int]:
        """The pawns' spaces."""
        return position.pawns

    def gains(self, position: Position, move: Move) -> tuple[Gain, Gain]:
        """The mover scores diamonds, twice for a double; each pawn whose space matches an end gets the bonus."""
        if isinstance(move, Pass):
            return Gain(), Gain()
        points = (DIAMONDS[move.cells[0]] + DIAMONDS[move.cells[1]]) * (2 if move.is_double else 1)
        first, second = (BONUS if pawn and TRACK[pawn - 1] in move.pips else 0 for pawn in position.pawns)
        red = position.to_move == 0
        return Gain(points if red else 0, first), Gain(0 if red else points, second)

    def board(self, position: Position) -> str:
        """The pips of every half tile, as digits."""
        return position.board

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """Both halves by cell; nothing for a pass."""
        if isinstance(move, Pass):
            return ()
        (first, second), (a, b) = move
        return Step("place", first, None, str(a)), Step("place", second, None, str(b))

    def view(self, position: Position, side: Side) -> Position:
        """The position without the other side's hand and the order of the bag."""
        hands: tuple[Hand | None, Hand | None] = (None, position.hands[1])
        hands = (position.hands[0], None) if side == 0 else hands
        return dataclasses.replace(position, hands=hands, order=None)

    def _check(self, position: Position, move: Move) -> None:
        """Raises MoveError with the first rule that the move breaks."""
        if self.outcome(position) is not None:
            raise MoveError("game_over", sentence("the game is over"))
        if isinstance(move, Pass):
            self._check_pass(position, move)
        else:
            self._check_lay(position, move)

    def _check_pass(self, position: Position, move: Pass) -> None:
        if move in self._passes(position):
            return
        if move.discard is None:
            raise MoveError("must_discard", sentence("who lays nothing puts a tile away, as in pass:3-4"))
        text, mover = f"{move.discard[0]}-{move.discard[1]}", Term("side", SIDES[position.to_move])
        if self._must_discard(position):
            raise MoveError("not_in_hand", sentence("{side} does not hold {tile}", side=mover, tile=text))
        said = sentence("{side} puts no tile away by this pass, not {tile}", side=mover, tile=text)
        raise MoveError("nothing_to_discard", said)

    def _check_lay(self, position: Position, move: Lay) -> None:
        (first, second), pips = move
        if not (0 <= first < second < len(CELLS) and second in NEIGHBOURS[first] and pips in NUMBER_OF):
            said = sentence("a tile lies on two cells side by side with 0 to 6 on each, not {tile}", tile=str(move))
            raise MoveError("not_a_tile", said)
        for cell in move.cells:
            if position.board[cell] != EMPTY:
                raise MoveError("occupied", sentence("{cell} is covered already", cell=CELLS[cell]))
        if (broken := breach(position.board, move)) is not None:
            raise MoveError(broken.rule, broken.said)
        if (double := position.open_double) is not None and not joined(move, double):
            said = sentence("the tile must be joined to the double {tile} just laid", tile=double.text)
            raise MoveError("not_joined_to_double", said)
        if position.laid(move.tile) >= EACH:
            raise MoveError("third_copy", sentence("both tiles {tile} are laid already", tile=f"{pips[0]}-{pips[1]}"))
        if not self._may_hold(position, position.to_move, move.tile):
            mover = Term("side", SIDES[position.to_move])
            said = sentence("{side} does not hold {tile}", side=mover, tile=f"{pips[0]}-{pips[1]}")
            raise MoveError("not_in_hand", said)

    def format_move(self, position: Position, move: Move) -> str:
        """`8H6-8I1`, `pass`, or with a discarded tile `pass:3-4`."""
        if isinstance(move, Lay):
            return move.text
        return "pass" if move.discard is None else f"pass:{move.discard[0]}-{move.discard[1]}"

    def parse_move(self, position: Position, text: str) -> Move:
        """The move that the text describes, either end of a tile first, capitals or not. Raises MoveError."""
        word, colon, tile = text.strip().lower().partition(":")
        move: Move
        try:
            move = Pass(texts.parse_tile(tile) if colon else None) if word == "pass" else texts.parse_lay(text)
        except PositionError as error:
            what = {"text": repr(text[:40])}
            said = sentence("{text} is no move; moves look like 8H6-8I1, pass or pass:3-4", **what)
            raise MoveError("not_a_move", said) from error
        self._check(position, move)
        return move

    def format_position(self, position: Position) -> str:
        return texts.format_position(position)

    def parse_position(self, text: str) -> Position:
        return texts.parse_position(text)

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """Accepts only the empty board: the points earned by tiles already laid are unknown. Raises PositionError."""
        if set(board) != {EMPTY}:
            raise PositionError(sentence("which halves are one tile, and whose points they brought, is not to be seen"))
        return next((start for start in self.starts if start.to_move == side), self.starts[0])

    def fault(self, position: Position, board: str) -> Fault:
        outcome = self.outcome(position)
        return Judge(position, board, outcome is not None).fault()


def joined(lay: Lay, other: Lay) -> bool:
    return any(cell in NEIGHBOURS[beside] for cell in lay.cells for beside in other.cells)


def _indices(first: int, second: int) -> range:
    """Indices into ENDS that fit two cells asking for these pips."""
    if first >= 0 and second >= 0:
        return range(PIPS * first + second, PIPS * first + second + 1)
    if first >= 0:
        return range(PIPS * first, PIPS * first + PIPS)
    return range(second, len(ENDS), PIPS) if second >= 0 else range(len(ENDS))


def _without(hand: Hand | None, tile: Tile) -> Hand | None:
    """A hand with one tile gone; unchanged if the tile was among the hidden ones."""
    if hand is None or tile not in hand:
        return hand
    place = hand.index(tile)
    return hand[:place] + hand[place + 1 :]


GAME = DoubleDoubleDominoes
