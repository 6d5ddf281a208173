"""What only some games have, each a small class that such a game also inherits from.

Whether a game has one is asked by `isinstance(game, HiddenHands)`. Where a game without it simply has nothing to tell,
ask `Counts.of(game)`: the game itself, or an object with the answers below.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

from rules.game import AnyGame, Gain, Right, Side
from wording import Sentence, Sentences, Term, Value


class Capability:
    """Gives the answers of games that lack a capability."""

    @classmethod
    def of(cls, game: AnyGame) -> Self:
        """The game if it has the capability, else the answers of one that has not."""
        return game if isinstance(game, cls) else cls()


class HiddenHands(Capability):
    """A side holds pieces that the other does not see; `initial(None)` hides what a camera cannot see."""

    def view(self, position: Any, side: Side) -> Any:
        """The position as `side` may know it, with other hands hidden."""
        return position

    def hand(self, position: Any, side: Side) -> tuple[str, ...] | None:
        """Tiles a side is known to hold, as texts such as `3-4`; None where nothing is known."""
        return None

    def holds(self, position: Any, side: Side) -> int:
        """How many tiles a side holds, known or not."""
        raise NotImplementedError

    def with_hand(self, position: Any, side: Side, hand: Sequence[str]) -> Any:
        """The position in which a side holds the tiles in `hand`. Raises PositionError where that is impossible."""
        raise NotImplementedError

    def deal(self, position: Any, seed: int) -> Any:
        """The position with everything hidden filled in at random."""
        raise NotImplementedError

    def tiles(self, position: Any) -> tuple[tuple[int, int], ...]:
        """The two cells of every tile, in the order laid."""
        return ()


class Counts(Capability):
    """Numbers that people keep beside the board, of both sides; None where a game does not count them."""

    def scores(self, position: Any) -> tuple[int, int] | None:
        """Points so far."""
        return None

    def gains(self, position: Any, move: Any) -> tuple[Gain, Gain] | None:
        """Points that a legal move brings each side."""
        return None

    def to_lay(self, position: Any) -> tuple[int, int] | None:
        """Pieces still to be laid."""
        return None

    def prisoners(self, position: Any) -> tuple[int, int] | None:
        """Pieces captured, where the captor keeps and counts them."""
        return None


@dataclasses.dataclass(frozen=True)
class Man:
    """One piece of a full set, in all that it may become."""

    piece: str
    """Its class letter."""
    cells: Mapping[str, Collection[int]]
    """Where it may stand, by the letter of `figures` that it then has."""
    stays: bool = False
    """Whether it is never captured."""


class Figures(Capability):
    """The rules know more of a piece than the camera, which sees only whose it is."""

    kinds: str = ""
    """Letters of `figures` that people may set up, in the order in which they are offered."""
    easily_exchanged: tuple[str, ...] = ()
    """Pairs of letters of `figures` that people exchange before others when they set pieces up, such as king and queen.

    If a move is illegal, but would not be with such pieces exchanged at the start, people are told."""

    def figures(self, position: Any) -> str:
        """What stands on each cell: a letter per cell, a class of the board or another letter of `About.nouns`.

        The board template draws those that are no class (`[figures]`).
        """
        raise NotImplementedError

    @property
    def men(self) -> tuple[Man, ...]:
        """All pieces of a full set: what stands on a board is some of them, each on a cell of its own."""
        raise NotImplementedError


class Arranged(Capability):
    """People who set a position up on the page may choose more than what stands where."""

    def arranged(self, figures: str, side: Side, told: Mapping[str, bool]) -> Any:
        """The position with these pieces, as `figures_of` has them, and `side` to move.

        `told` says of some `rights`, by their code, whether the position has them; all others are as is usual. Codes
        that do not apply are passed over. Raises PositionError.
        """
        raise NotImplementedError

    def rights(self, position: Any) -> tuple[Right, ...]:
        """What people may still choose where these pieces stand and that side is to move."""
        return ()


class DeadPieces(Capability):
    """Pieces count as captured at the end though they still stand: people mark them, and agree."""

    def counted(self, position: Any, move: Any, cell: int) -> Any | None:
        """The move that ends the game like `move`, with the pieces on a cell counted as captured, or no longer so.

        Such a move is legal where `move` is, though not among `legal_moves`. None where nothing is to be counted.
        """
        return None

    def dead(self, position: Any) -> tuple[int, ...]:
        """After the end, the cells whose pieces still stand but count as captured."""
        return ()


class Words(Capability):
    """Words for moves and positions that their steps and their board do not give."""

    def spoken(self, position: Any, move: Any) -> Value | None:
        """A legal move in words, "knight to f3"; None where its steps say it: "g1 to f3"."""
        return None

    def choice(self, position: Any, move: Any) -> Term | None:
        """What a legal move chooses that the board does not show, such as the piece that a pawn becomes; else None.

        Of such moves that lead to the same board the first of `legal_moves` is believed, until somebody tells another,
        or figures show it.
        """
        return None

    def told(self, position: Any, move: Any) -> Sentence | None:
        """Describes a move that changes nothing on the board, where it is more than a pass; None for other moves."""
        return None

    def opening(self, position: Any) -> str:
        """The name of the known opening that a position belongs to; empty outside all of them."""
        return ""


class Described(Capability):
    """What people who cannot see the board are told of it, where the letters of its cells do not say that."""

    def ends(self, position: Any) -> Sentences:
        """Where the next piece may be joined, where that is asked rather than what stands on a cell; else empty."""
        return ()

    def tally(self, position: Any) -> Sentences:
        """How many pieces both sides have; empty where the letters of the board and `Counts` say it."""
        return ()

    def rows(self) -> Sequence[Sequence[int]] | None:
        """The cells of each row that is read out; empty where a board is too long to hear, and counts are told.

        None for the cells with the same number in their names.
        """
        return None


class MarkedCells(Capability):
    """Cells that are marked on the drawn board."""

    def won_by(self, position: Any) -> tuple[int, ...]:
        """The cells that won a game which is over, such as five in a row; empty where no line of them does."""
        return ()

    def forbidden(self, position: Any) -> tuple[int, ...]:
        """Empty cells where a rule forbids the mover to lay."""
        return ()


class RandomPlay(Capability):
    """Play at random is quicker, or more sensible, than by any legal move."""

    def worth_trying(self, position: Any) -> Sequence[Any]:
        """The legal moves without those that no player who knows the game would make; at least one while it goes on."""
        raise NotImplementedError

    def roll_out(self, position: Any, seed: int) -> float | None:
        """The result for the first side, 0 to 1, of one game played on at random; None to play it move by move."""
        return None


def figures_of(game: AnyGame, position: Any) -> str:
    """`Figures.figures`; the board where the camera sees all."""
    return game.figures(position) if isinstance(game, Figures) else game.board(position)


def arranged_by(game: AnyGame, figures: str, side: Side, told: Mapping[str, bool]) -> Any:
    """`Arranged.arranged`; else the pieces set up from the start. Raises PositionError."""
    if isinstance(game, Arranged):
        return game.arranged(figures, side, told)
    return game.set_up(figures, side, game.initial())


def worth_trying(game: AnyGame, position: Any) -> Sequence[Any]:
    """`RandomPlay.worth_trying`; else every legal move."""
    return game.worth_trying(position) if isinstance(game, RandomPlay) else game.legal_moves(position)


def piece_noun(game: AnyGame, letter: str) -> Term | Sentence:
    """Noun for a piece with that letter of `board` or `figures`, for sentences about laying or taking it."""
    if letter not in game.about.nouns:
        return Term("piece", game.sides[game.pieces.index(letter)])
    noun = game.about.nouns[letter]
    return Term("piece", noun) if isinstance(noun, str) else noun
