"""Explains a board of tiles that no legal turn, nor part of one, can produce."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.double_double_dominoes.board import CELLS, EACH, NEIGHBOURS, Lay, breach
from games.double_double_dominoes.position import SIDES, Position, board_of
from rules import EMPTY, Fault
from rules.turns import changed_cells
from wording import Given, Sentence, Term, listing, sentence, sentence_n

MAX_NEW = 4
"""Tiles; more new ones at once are not told apart."""


class Judge:
    def __init__(self, position: Position, board: str, over: bool) -> None:
        before = position.board
        self.position, self.board, self.over = position, board, over
        self.changed = changed_cells(before, board)
        self.new = [cell for cell in self.changed if before[cell] == EMPTY]
        self.gone = [cell for cell in self.changed if board[cell] == EMPTY]
        self.other = [cell for cell in self.changed if EMPTY not in (before[cell], board[cell])]

    def fault(self) -> Fault:
        if not self.changed:
            said = sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self._mover())
            return Fault("unexplained", (), (said,))
        if self.over and not self.gone and not self.other:
            said = sentence("Take what lies on {cells} away.", cells=_names(self.new))
            return self._say("game_over", sentence("The game is over."), said)
        if self.gone or self.other:
            return self._disturbed()
        return self._laid()

    def _say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def _mover(self) -> Term:
        return Term("side", SIDES[self.position.to_move])

    def _disturbed(self) -> Fault:
        """Fault where halves laid before are gone or show other pips."""
        hit = sorted(lay for lay in self.position.tiles if set(lay.cells) & {*self.gone, *self.other})
        if len(hit) == 1 and self._reappears(hit[0]):
            said = sentence(
                "The {tile} was moved from {cells} to {others}. Put it back on {cells}.",
                tile=_name(hit[0]),
                cells=_names(hit[0].cells),
                others=_names({*hit[0].cells, *self.new} - {*self.gone}),
            )
            return self._say("tile_moved", said)
        tiles = listing(sentence("the {tile}", tile=_where(lay)) for lay in hit)
        if self.new or (self.gone and self.other):
            away = [sentence("Take what lies on {cells} away.", cells=_names(self.new))] if self.new else []
            back = sentence("Put {tiles} back.", tiles=tiles)
            return self._say("tiles_rearranged", sentence("The tiles were rearranged."), *away, back)
        if self.gone:
            said = sentence_n(
                "A tile is missing: put it back, {tiles}.",
                "Tiles are missing: put them back, {tiles}.",
                len(hit),
                tiles=tiles,
            )
            return self._say("tile_removed", said)
        now = listing(sentence("a {pips} on {cell}", pips=self.board[cell], cell=CELLS[cell]) for cell in self.other)
        said = sentence_n(
            "{tiles:Nom} now shows {halves}. Put it back as it was.",
            "{tiles:Nom} now show {halves}. Put them back as they were.",
            len(hit),
            tiles=tiles,
            halves=now,
        )
        return self._say("tile_changed", said)

    def _reappears(self, lay: Lay) -> bool:
        """Whether the new halves, with what is left of the tile, form that tile elsewhere."""
        cells = sorted({*lay.cells, *self.new} - {*self.gone})
        if not self.new or len(cells) != 2 or cells[1] not in NEIGHBOURS[cells[0]]:
            return False
        return self._lay((cells[0], cells[1])).tile == lay.tile

    def _laid(self) -> Fault:
        """Fault where halves came and none went."""
        pairings = _pairings(tuple(self.new)) if len(self.new) <= 2 * MAX_NEW else []
        if not pairings:
            return self._no_tile()
        # Of several ways to pair the new halves into tiles, take the one with the fewest tiles out of place.
        sorted_out = [self._sort_out([self._lay(pair) for pair in pairs]) for pairs in pairings]
        lying, broken = min(sorted_out, key=lambda one: len(one[1]))
        return _broken(lying, broken[0]) if broken else self._unseen(len(pairings[0]))

    def _no_tile(self) -> Fault:
        if len(self.new) > 2 * MAX_NEW:
            said = sentence(
                "Tiles lie on {cells} all at once. Take them away and lay them one by one.", cells=_names(self.new)
            )
            return self._say("several_tiles", said)
        alone = sorted(cell for cell in self.new if not set(NEIGHBOURS[cell]) & set(self.new))
        if not alone:
            said = sentence("{cells} are no whole tiles. Lay them again, one by one.", cells=_names(self.new))
            return self._say("not_a_tile", said)
        halves = listing(sentence("the {pips} on {cell}", pips=self.board[cell], cell=CELLS[cell]) for cell in alone)
        said = sentence_n(
            "{halves:Nom} is half a tile. A tile lies on two cells side by side.",
            "{halves:Nom} are no whole tile. A tile lies on two cells side by side.",
            len(alone),
            halves=halves,
        )
        return Fault("not_a_tile", tuple(alone), (said,))

    def _lay(self, cells: tuple[int, int]) -> Lay:
        return Lay(cells, (int(self.board[cells[0]]), int(self.board[cells[1]])))

    def _sort_out(self, lays: list[Lay]) -> tuple[list[Lay], list[Lay]]:
        """All tiles that lie legally, in whatever order they came, and the new ones that do not."""
        lying, waiting = list(self.position.tiles), list(lays)
        while fitting := [lay for lay in waiting if breach(board_of(lying), lay) is None and not _third(lying, lay)]:
            lying.append(fitting[0])
            waiting.remove(fitting[0])
        return lying, waiting

    def _unseen(self, count: int) -> Fault:
        """Fault where every tile fits the board, but the turn or the hand forbids it."""
        names, double, mover = _names(self.new), self.position.open_double, self._mover()
        if count > 1:
            what: dict[str, Given] = {"side": mover, "tiles": count, "cells": names}
            said = sentence("{side:Nom} laid {tiles} tiles at once, on {cells}. Take all but one away.", **what)
            return self._say("several_tiles", said)
        tile = _name(self._lay((self.new[0], self.new[1])))
        if double is not None:
            said = sentence(
                "The {tile} on {cells} is not joined to the {double} just laid. Take it away, or pass first.",
                tile=tile,
                cells=names,
                double=_where(double),
            )
            return self._say("not_joined_to_double", said)
        if self.position.knows_hand(self.position.to_move):
            what = {"side": mover, "tile": tile, "cells": names}
            said = sentence("{side:Nom} does not hold the {tile}. Take it from {cells} away.", **what)
            return self._say("not_in_hand", said)
        away = sentence("Take what lies on {cells} away.", cells=names)
        return self._say("unexplained", sentence("No turn of {side:gen} leads here.", side=mover), away)


def _broken(lying: Sequence[Lay], lay: Lay) -> Fault:
    """Fault naming why one tile may not lie there."""
    away = sentence("Take the {tile} from {cells} away.", tile=_name(lay), cells=_names(lay.cells))
    if (broken := breach(board_of(lying), lay)) is not None:
        return Fault(broken.rule, lay.cells, (sentence("{what:Nom}.", what=broken.said), away))
    here = listing(
        sentence("on {cells}", cells=_names(other.cells)) for other in sorted(lying) if other.tile == lay.tile
    )
    said = sentence("Both tiles {tile} lie already, {places}.", tile=_name(lay), places=here)
    return Fault("third_copy", lay.cells, (said, away))


def _third(lying: Sequence[Lay], lay: Lay) -> bool:
    """Whether all copies of a tile are laid already."""
    return sum(other.tile == lay.tile for other in lying) >= EACH


def _pairings(cells: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """Every way to pair cells, given ascending, into whole tiles."""
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


def _where(lay: Lay) -> Sentence:
    return sentence("{tile} on {cells}", tile=_name(lay), cells=_names(lay.cells))


def _names(cells: Iterable[int]) -> tuple[str, ...]:
    return tuple(CELLS[cell] for cell in sorted(cells))
