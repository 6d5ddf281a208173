"""What is wrong with a board of tiles that no legal turn, nor part of one, can bring about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games import EMPTY, Fault, changed_cells
from games.double_double_dominoes.board import CELLS, EACH, NEIGHBOURS, NUMBER_OF, Lay, breach
from games.double_double_dominoes.position import SIDES, Position, board_of

MOST_NEW = 4
"""More new tiles at once are not told apart."""


class Judge:
    """Names the broken rule for one board."""

    def __init__(self, position: Position, board: str, over: bool) -> None:
        before = position.board
        self.position, self.board, self.over = position, board, over
        self.changed = changed_cells(before, board)
        self.new = [cell for cell in self.changed if before[cell] == EMPTY]
        self.gone = [cell for cell in self.changed if board[cell] == EMPTY]
        self.other = [cell for cell in self.changed if EMPTY not in (before[cell], board[cell])]

    def fault(self) -> Fault:
        """The first rule found broken."""
        if not self.changed:
            return Fault("unexplained", (), f"Nothing has changed on the board. It is {self._mover()}'s turn.")
        if self.over and not self.gone and not self.other:
            return self._say("game_over", f"The game is over. Take what lies on {_names(self.new)} away.")
        if self.gone or self.other:
            return self._disturbed()
        return self._laid()

    def _say(self, code: str, text: str, cells: Iterable[int] | None = None) -> Fault:
        marked = self.changed if cells is None else tuple(sorted(cells))
        return Fault(code, marked, text if len(text) <= 512 else f"{text[:500].rsplit(' ', 1)[0]} and so on.")

    def _mover(self) -> str:
        return SIDES[self.position.to_move]

    def _disturbed(self) -> Fault:
        """Halves that lay are gone or show other pips."""
        hit = [lay for lay in self.position.tiles if set(lay.cells) & {*self.gone, *self.other}]
        if len(hit) == 1 and not self.other and len(self.new) == len(self.gone):
            return self._moved(hit[0])
        if not self.new and not self.other:
            back = " and ".join(_tile_on(lay) for lay in hit)
            missing, it = ("tile is", "it") if len(hit) == 1 else ("tiles are", "them")
            return self._say("tile_removed", f"A {missing} missing: put {it} back, {back}.".replace("A tiles", "Tiles"))
        if not self.new and not self.gone:
            now = " and ".join(f"{CELLS[cell]} a {self.board[cell]}" for cell in self.other)
            text = (
                f"The tiles have changed: {now}, not {_pips(self.position.board, self.other)} as laid. Put them back."
            )
            return self._say("tile_changed", text)
        return self._say("unexplained", f"The tiles were rearranged. {self._remedy(hit)}")

    def _remedy(self, hit: Sequence[Lay]) -> str:
        """What hands must do to have the board as before."""
        away = f"Take what lies on {_names(self.new)} away. " if self.new else ""
        return f"{away}Put {' and '.join(_tile_on(lay) for lay in hit)} back."

    def _moved(self, lay: Lay) -> Fault:
        where = f"Put it back on {_names(lay.cells)}."
        text = (
            f"The {_ends(lay)} was moved from {_names(lay.cells)} to {_names({*lay.cells, *self.new} - {*self.gone})}."
        )
        return self._say("tile_moved", f"{text} {where}")

    def _laid(self) -> Fault:
        """Halves came, and none went."""
        pairings = _pairings(tuple(self.new)) if len(self.new) <= 2 * MOST_NEW else []
        if not pairings:
            return self._no_tile()
        # Of several ways to see tiles in the new halves, the one in which most of them lie as they may.
        broken = min((self._broken([self._lay(pair) for pair in pairs]) for pairs in pairings), key=len)
        if broken:
            return self._breach(broken[0])
        return self._several(len(pairings[0]))

    def _no_tile(self) -> Fault:
        if len(self.new) > 2 * MOST_NEW:
            text = f"Tiles lie on {_names(self.new)} all at once. Take them away and lay them one by one."
            return self._say("several_tiles", text)
        alone = [cell for cell in self.new if not set(NEIGHBOURS[cell]) & set(self.new)]
        if not alone:
            return self._say("not_a_tile", f"{_names(self.new)} are no whole tiles. Lay them again, one by one.")
        seen = " and ".join(f"the {self.board[cell]} on {CELLS[cell]}" for cell in alone)
        verb = "is half a tile" if len(alone) == 1 else "are halves of no tile"
        return self._say("not_a_tile", f"{seen.capitalize()} {verb}. Lay the whole tile on two cells.", alone)

    def _lay(self, cells: tuple[int, int]) -> Lay:
        return Lay(cells, (int(self.board[cells[0]]), int(self.board[cells[1]])))

    def _broken(self, lays: list[Lay]) -> list[Lay]:
        """Those of the new tiles that may not lie there, whatever the order in which they came."""
        lying, waiting = list(self.position.tiles), list(lays)
        while True:
            board = board_of(lying)
            fitting = [lay for lay in waiting if breach(board, lay) is None and not _is_third(lying, lay)]
            if not fitting:
                return waiting
            lying.append(fitting[0])
            waiting.remove(fitting[0])

    def _breach(self, lay: Lay) -> Fault:
        """One tile lies where it may not."""
        broken = breach(self.position.board, lay)
        away = f"Take the {_ends(lay)} from {_names(lay.cells)} away."
        if broken is not None:
            return self._say(broken.rule, f"{broken.text[0].upper()}{broken.text[1:]}. {away}", lay.cells)
        text = f"Both tiles {_ends(lay)} are laid already, and this would be a third."
        return self._say("third_copy", f"{text} {away}", lay.cells)

    def _several(self, count: int) -> Fault:
        """Every tile might lie there: it is whose turn it is, and what is held, that speaks against them."""
        names, double, mover = _names(self.new), self.position.open_double, self._mover()
        if count > 1:
            text = f"{mover.capitalize()} laid {count} tiles at once, on {names}. Take all but one away."
            return self._say("several_tiles", text)
        lay = self._lay((self.new[0], self.new[1]))
        if self.position.knows_hand(self.position.to_move) and lay.tile not in (
            self.position.hands[self.position.to_move] or ()
        ):
            text = f"{mover.capitalize()} does not hold the {_ends(lay)}. Take it from {names} away."
            return self._say("not_in_hand", text)
        if double is not None:
            text = f"The {_ends(lay)} on {names} is not joined to the double {_tile_on(double)} just laid."
            return self._say("not_joined_to_double", f"{text} Take it away, or pass first.")
        return self._say("unexplained", f"No turn of {mover} leads here. Take what lies on {names} away.")


def _is_third(lying: Sequence[Lay], lay: Lay) -> bool:
    return sum(NUMBER_OF[other.pips] == NUMBER_OF[lay.pips] for other in lying) >= EACH


def _pairings(cells: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """Every way to see whole tiles in some cells, ascending."""
    if not cells:
        return [()]
    first, *rest = cells
    return [
        ((first, other), *others)
        for other in rest
        if other in NEIGHBOURS[first]
        for others in _pairings(tuple(cell for cell in rest if cell != other))
    ]


def _ends(lay: Lay) -> str:
    return f"{lay.pips[0]}-{lay.pips[1]}"


def _tile_on(lay: Lay) -> str:
    return f"the {_ends(lay)} on {_names(lay.cells)}"


def _pips(board: str, cells: Iterable[int]) -> str:
    return " and ".join(f"a {board[cell]}" for cell in cells)


def _names(cells: Iterable[int]) -> str:
    *firsts, last = (CELLS[cell] for cell in sorted(cells))
    return f"{', '.join(firsts)} and {last}" if firsts else last
