"""What is wrong with a board of tiles that no legal turn, nor part of one, can bring about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games import EMPTY, Fault, changed_cells
from games.double_double_dominoes.board import CELLS, EACH, NEIGHBOURS, Lay, breach
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
        hit = sorted(lay for lay in self.position.tiles if set(lay.cells) & {*self.gone, *self.other})
        if len(hit) == 1 and self._reappears(hit[0]):
            where, now = _names(hit[0].cells), _names({*hit[0].cells, *self.new} - {*self.gone})
            text = f"The {_name(hit[0])} was moved from {where} to {now}. Put it back on {where}."
            return self._say("tile_moved", text)
        tiles = " and ".join(f"the {_where(lay)}" for lay in hit)
        if self.new or (self.gone and self.other):
            away = f"Take what lies on {_names(self.new)} away. " if self.new else ""
            return self._say("tiles_rearranged", f"The tiles were rearranged. {away}Put {tiles} back.")
        if self.gone:
            gone = "A tile is missing: put it" if len(hit) == 1 else "Tiles are missing: put them"
            return self._say("tile_removed", f"{gone} back, {tiles}.")
        now = " and ".join(f"a {self.board[cell]} on {CELLS[cell]}" for cell in self.other)
        shows, back = ("shows", "it back as it was") if len(hit) == 1 else ("show", "them back as they were")
        return self._say("tile_changed", f"{_capital(tiles)} now {shows} {now}. Put {back}.")

    def _reappears(self, lay: Lay) -> bool:
        """Whether what came, with what is left of a tile, is that tile elsewhere."""
        cells = sorted({*lay.cells, *self.new} - {*self.gone})
        if not self.new or len(cells) != 2 or cells[1] not in NEIGHBOURS[cells[0]]:
            return False
        return self._lay((cells[0], cells[1])).tile == lay.tile

    def _laid(self) -> Fault:
        """Halves came, and none went."""
        pairings = _pairings(tuple(self.new)) if len(self.new) <= 2 * MOST_NEW else []
        if not pairings:
            return self._no_tile()
        # Of several ways to see tiles in the new halves, the one in which most of them lie as they may.
        sorted_out = [self._sort_out([self._lay(pair) for pair in pairs]) for pairs in pairings]
        lying, broken = min(sorted_out, key=lambda one: len(one[1]))
        return _broken(lying, broken[0]) if broken else self._unseen(len(pairings[0]))

    def _no_tile(self) -> Fault:
        if len(self.new) > 2 * MOST_NEW:
            text = f"Tiles lie on {_names(self.new)} all at once. Take them away and lay them one by one."
            return self._say("several_tiles", text)
        alone = [cell for cell in self.new if not set(NEIGHBOURS[cell]) & set(self.new)]
        if not alone:
            return self._say("not_a_tile", f"{_names(self.new)} are no whole tiles. Lay them again, one by one.")
        seen = " and ".join(f"the {self.board[cell]} on {CELLS[cell]}" for cell in alone)
        verb = "is half a tile" if len(alone) == 1 else "are no whole tile"
        return self._say("not_a_tile", f"{_capital(seen)} {verb}. A tile lies on two cells side by side.", alone)

    def _lay(self, cells: tuple[int, int]) -> Lay:
        return Lay(cells, (int(self.board[cells[0]]), int(self.board[cells[1]])))

    def _sort_out(self, lays: list[Lay]) -> tuple[list[Lay], list[Lay]]:
        """All tiles that lie as they may, whatever the order in which they came, and the new ones that do not."""
        lying, waiting = list(self.position.tiles), list(lays)
        while fitting := [lay for lay in waiting if breach(board_of(lying), lay) is None and not _third(lying, lay)]:
            lying.append(fitting[0])
            waiting.remove(fitting[0])
        return lying, waiting

    def _unseen(self, count: int) -> Fault:
        """Every tile might lie there: whose turn it is, or what is held, speaks against them."""
        names, double, mover = _names(self.new), self.position.open_double, self._mover()
        if count > 1:
            text = f"{_capital(mover)} laid {count} tiles at once, on {names}. Take all but one away."
            return self._say("several_tiles", text)
        tile = _name(self._lay((self.new[0], self.new[1])))
        if double is not None:
            text = f"The {tile} on {names} is not joined to the {_where(double)} just laid."
            return self._say("not_joined_to_double", f"{text} Take it away, or pass first.")
        if self.position.knows_hand(self.position.to_move):
            text = f"{_capital(mover)} does not hold the {tile}. Take it from {names} away."
            return self._say("not_in_hand", text)
        return self._say("unexplained", f"No turn of {mover} leads here. Take what lies on {names} away.")


def _broken(lying: Sequence[Lay], lay: Lay) -> Fault:
    """Why one tile may not lie there."""
    away = f"Take the {_name(lay)} from {_names(lay.cells)} away."
    if (broken := breach(board_of(lying), lay)) is not None:
        return Fault(broken.rule, lay.cells, f"{_capital(broken.text)}. {away}")
    where = " and on ".join(_names(other.cells) for other in sorted(lying) if other.tile == lay.tile)
    return Fault("third_copy", lay.cells, f"Both tiles {_name(lay)} lie already, on {where}. {away}")


def _third(lying: Sequence[Lay], lay: Lay) -> bool:
    """Whether all copies of a tile lie already."""
    return sum(other.tile == lay.tile for other in lying) >= EACH


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


def _name(lay: Lay) -> str:
    low, high = lay.tile
    return f"{low}-{high}"


def _where(lay: Lay) -> str:
    return f"{_name(lay)} on {_names(lay.cells)}"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _names(cells: Iterable[int]) -> str:
    *firsts, last = (CELLS[cell] for cell in sorted(cells))
    return f"{', '.join(firsts)} and {last}" if firsts else last
