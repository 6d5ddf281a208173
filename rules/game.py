"""The `Game` protocol and the values it speaks of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

from wording import Sentence

EMPTY = "."
"""The class letter of an empty cell in every board string."""


Side = int
"""0 or 1, an index into `Game.sides`."""


class GameError(ValueError):
    """Anything wrong with a game's name, rules, positions or moves."""

    def __init__(self, message: str | Sentence) -> None:
        super().__init__(str(message))
        self.said = message
        """The message; a Sentence where players may read or hear it in their language."""


class UnknownGame(GameError):
    """No game of that name."""


class RuleError(GameError):
    """A rule option that does not exist, or a value it does not take."""


class PositionError(GameError):
    """A text that describes no position of the game."""


class MoveError(GameError):
    """A text that is not a move, or a move that the rules forbid."""

    def __init__(self, rule: str, message: str | Sentence) -> None:
        super().__init__(message)
        self.rule = rule
        """Stable snake_case code of the broken rule, as in `Fault.rule`."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    winner: Side | None
    """None is a draw."""
    reason: str
    """Stable snake_case code, such as `two_men_left`."""
    scores: tuple[float, float] | None = None
    """Points of both sides, in games that count them; whole numbers, or halves where one side is given some."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One physical action on the board; a move is a few of them in the order a person does them."""

    kind: Literal["place", "move", "remove", "flip"]
    cell: int
    """Index into `Game.cells`: where the piece arrives, is turned over, or is taken from."""
    origin: int | None = None
    """Index of the cell a moved piece comes from; None unless `kind` is `move`."""
    piece: str = EMPTY
    """Class letter that stands on `cell` afterwards; EMPTY for `remove`."""


@dataclasses.dataclass(frozen=True)
class Gain:
    """Points that one move brings one side."""

    points: int = 0
    """Points for what the move does on the board."""
    bonus: int = 0
    """Points for anything else, such as the space on which a score pawn stands."""

    @property
    def total(self) -> int:
        return self.points + self.bonus


@dataclasses.dataclass(frozen=True)
class Fault:
    """Why a board cannot come from a position by a legal move."""

    rule: str
    """Stable snake_case code of the broken rule."""
    cells: tuple[int, ...]
    """Indices into `Game.cells` of the pieces that must be put back, ascending."""
    said: tuple[Sentence, ...]
    """Sentences for the players: what is wrong and what to do."""

    @property
    def text(self) -> str:
        return " ".join(str(one) for one in self.said)


@dataclasses.dataclass(frozen=True)
class Right:
    """Something that a position allows or not and no piece shows, such as castling."""

    code: str
    """Stable name, by which people's choice is told."""
    said: Sentence
    held: bool
    """Whether the position has it."""


@dataclasses.dataclass(frozen=True)
class RuleSet:
    """Rule options under the name by which players know them."""

    title: str
    """What people say, marked as `noun("rules", ...)`."""
    said: Sentence
    """How the game is played by these rules, in one sentence."""
    options: Mapping[str, Any]
    """The options that differ from the defaults."""


@dataclasses.dataclass(frozen=True)
class About:
    """What does not depend on the position; the defaults fit a simple game with pieces."""

    short_name: str
    """What people type, such as `morris`."""
    also: tuple[str, ...] = ()
    """Its other usual names, such as `mills`."""
    nouns: Mapping[str, str | Sentence] = dataclasses.field(default_factory=dict)
    """What a piece is called, by its letter of the board or of `figures_of`: marked as `noun("piece", ...)`, or a
    sentence. The sides' names for letters that are missing."""
    endings: Mapping[str, Sentence] = dataclasses.field(default_factory=dict)
    """Why a game is over, by `Outcome.reason`. A `{side}` in it is the side that lost: "{side} cannot move"."""
    rule_sets: Mapping[str, RuleSet] = dataclasses.field(default_factory=dict)
    """Rule options that belong together, by the name that chooses them, such as `lasker`."""
    formats: tuple[str, ...] = ("moves",)
    """Formats in which its games are written, besides those for every game; the usual one first."""
    in_short: tuple[Sentence, ...] = ()
    """The rules for who has never played, and those that people ask for while they play, each as a sentence."""
    examples: Mapping[int, str] = dataclasses.field(default_factory=dict)
    """Moves from the start by the usual rules whose last one shows a rule of `in_short`, by its index."""
    to_check: tuple[Sentence, ...] = ()
    """What people must check on the board before the first move, because no camera sees it; said once."""
    going_on: Mapping[str, object] = dataclasses.field(default_factory=dict)
    """Rule options under which a recorded game may go on where the rules, or an arbiter, end others."""
    proposed: Mapping[str, object] = dataclasses.field(default_factory=dict)
    """Rule options that the dialog for a new game proposes where they differ from the usual ones."""
    limit: int | None = None
    """Plies after which the game ends."""
    any_order: bool = False
    """Whether a hand may do the steps of a turn in any order, and lift several pieces meanwhile, as in chess.

    A piece that goes on from cell to cell keeps to its way, but may be put straight on any of its cells. Else the order
    is that of `steps`, but for pieces taken or turned over after the first."""
    passes_told: bool = False
    """Whether a pass counts only when somebody says so, and is never inferred from a later move."""
    repetitions: tuple[str, ...] = ()
    """Codes of `Fault.rule` for a move to a board that was there before; as it looks like a takeback, both are told."""
    neighbours: tuple[int, ...] = ()
    """Cells to which a piece may step from each cell, as bit sets, where the board's lines decide that; else empty."""
    star: int | None = None
    """The cell, marked with a star, that the first piece must cover."""
    cell_points: tuple[int, ...] = ()
    """Points that a piece brings on each cell, where they depend on the cell; else empty."""


P = TypeVar("P")
M = TypeVar("M")


class Game(Protocol[P, M]):
    """The rules of one game under one set of rule options.

    A position `P` is the whole state of the game, immutable and hashable; a move `M` is one whole turn as far as the
    board shows it (a mill with its removal, one domino tile), immutable, hashable and comparable by equality. Methods
    are pure: the same arguments give the same answer.

    A game subclasses this, and what it also has of `rules.capabilities`.
    """

    name: str
    """The module's name, such as `nine_mens_morris`."""
    title: str
    """What people say, such as `nine men's morris`."""
    sides: tuple[str, str]
    """Names of the sides, in the order of `Side`."""
    pieces: tuple[str, str]
    """Class letter of each side's pieces; both EMPTY where pieces belong to nobody (dominoes)."""
    cells: tuple[str, ...]
    """Names of all cells, row by row from the top of the picture: the order of every board string."""
    classes: str
    """Every class letter a cell can show, EMPTY first."""
    rules: Any
    """The rule options in force, a frozen dataclass; `type(game).Rules` is its class."""
    starts: tuple[P, ...]
    """Every position a game may start from, the usual one first (two where whoever lays the first piece begins)."""
    about: About
    """What people and programs are told of the game under these rules."""

    def initial(self, seed: int | None = None) -> P:
        """The usual start position. `seed` deals hidden hands at random; None keeps hidden what a camera cannot see."""
        return self.starts[0]

    def to_move(self, position: P) -> Side:
        """The side that moves next, `position.side` by default; meaningless after the game is over."""
        side: Side = position.side  # type: ignore[attr-defined]
        return side

    def legal_moves(self, position: P) -> Sequence[M]:
        """All legal moves, without duplicates, in a fixed order; empty exactly when `outcome` is not None.

        Where a hand is hidden: the moves that some possible hand would allow.
        """

    def apply(self, position: P, move: M) -> P:
        """The position after a legal move. Raises MoveError if it is not legal."""

    def outcome(self, position: P) -> Outcome | None:
        """The result, or None while the game goes on."""

    def board(self, position: P) -> str:
        """What a camera sees: one class letter per cell, in the order of `cells`."""

    def steps(self, position: P, move: M) -> tuple[Step, ...]:
        """Physical actions in order; empty for a pass. Applied to `board(position)` they give the board after the move.

        Every board after a proper prefix of the steps is an unfinished turn. Pieces taken or turned over after the
        first step may be handled in any order: a board with only some of them done is an unfinished turn too.
        """

    def fault(self, position: P, board: str) -> Fault:
        """The rule broken by a board that neither a legal move nor part of one can produce."""

    def format_move(self, position: P, move: M) -> str:
        """The standard text of a move, without spaces."""

    def parse_move(self, position: P, text: str) -> M:
        """The legal move that the text describes. Raises MoveError with the broken rule."""

    def format_position(self, position: P) -> str:
        """The standard text of a position (without its history)."""

    def parse_position(self, text: str) -> P:
        """The position that the text describes, without history. Raises PositionError."""

    def set_up(self, board: str, side: Side, before: P) -> P:
        """The position with this board and `side` to move, as when pieces are set up by hand.

        What the board does not show is taken from `before` as far as possible. Raises PositionError where the pieces
        cannot stand like that in this game, or where the board does not tell enough to continue from it.
        """


AnyGame = Game[Any, Any]
"""A game whose position and move types do not matter to the caller."""
