"""The rules of board games: one pure module per game behind the `Game` protocol.

Every other module or package in this folder is a game and names its class `GAME`. `names()` lists the folder, so a new
game is one more file here and one template in `calibration/boards/`. An installed package adds a game through an entry
point of the group `kibitzer.games`: a package like these, with the game's files in folders beside it,
`boards/<game>.toml`, `levels/<game>.toml` and `languages/<language>.mo`. Nothing here depends on pictures, clocks,
sockets or any package outside the standard library but `wording`.

All errors are `ValueError`s; the hierarchy lets a caller catch only what it can handle:

    GameError
    |-- UnknownGame      no module of that name
    |-- RuleError        a rule option that does not exist, or a value outside its range
    |-- PositionError    a text that is no position of this game
    `-- MoveError        a text that is no move, or a move that is not legal; `.rule` is its stable code
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.metadata
import importlib.util
import itertools
import pkgutil
import re
import types
import typing
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from wording import Sentence, Term, Value, noun, sentence

EMPTY = "."
"""The class letter of an empty cell in every board string."""
ENTRY_POINTS = "kibitzer.games"
"""Entry-point group by which installed packages add games; each entry gives the game's name and its module."""

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
    """How a game ended."""

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
        """Points and bonus together."""
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
        """The sentences in English."""
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


P = TypeVar("P")
M = TypeVar("M")
T = TypeVar("T")


class Game(Protocol[P, M]):
    """The rules of one game under one set of rule options.

    A position `P` is the whole state of the game, immutable and hashable; a move `M` is one whole turn as far as the
    board shows it (a mill with its removal, one domino tile), immutable, hashable and comparable by equality. Methods
    are pure: the same arguments give the same answer.

    A game subclasses this. Members after `set_up` are optional: their defaults fit a simple game with pieces.
    """

    name: str
    """The module's name, such as `nine_mens_morris`."""
    short_name: str
    """What people type, such as `morris`."""
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

    def initial(self, seed: int | None = None) -> P:
        """The usual start position. `seed` deals hidden hands at random; None keeps hidden what a camera cannot see."""

    def to_move(self, position: P) -> Side:
        """The side that moves next; defined but meaningless after the game is over."""

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

    piece_nouns: tuple[str, ...] = ()
    """Noun for a piece of each side, marked as `noun("piece", ...)`, "light man", say; else the sides' names."""
    to_check: tuple[Sentence, ...] = ()
    """What people must check on the board before the first move, because no camera sees it; said once."""
    figure_nouns: Mapping[str, str] = types.MappingProxyType({})
    """Nouns for the letters of `figures` that are no class, marked as `noun("piece", ...)`: "white king", say.

    The board template draws each of them (`[figures]`)."""
    endings: Mapping[str, Sentence] = types.MappingProxyType({})
    """Why a game is over, by `Outcome.reason`. A `{side}` in it is the side that lost: "{side} cannot move"."""
    formats: tuple[str, ...] = ("moves",)
    """Formats in which its games are written, besides those for every game; the usual one first."""
    hides: bool = False
    """Whether a side holds pieces that the other does not see."""
    limit: int | None = None
    """Plies after which the game ends."""
    any_order: bool = False
    """Whether a hand may do the steps of a turn in any order, and lift several pieces meanwhile, as in chess.

    A piece that goes on from cell to cell keeps to its way, but may be put straight on any of its cells. Else the order
    is that of `steps`, but for pieces taken or turned over after the first."""
    neighbours: tuple[int, ...] = ()
    """Cells to which a piece may step from each cell, as bit sets, where the board's lines decide that; else empty."""
    rule_sets: Mapping[str, RuleSet] = types.MappingProxyType({})
    """Rule options that belong together, by the name that chooses them, such as `lasker`."""
    mistakes: Mapping[str, str] = types.MappingProxyType({})
    """`Fault.rule` codes, separated by spaces, that are correct answers to each kind of mistake.

    The kinds are those of `proving.soak.mistakes`. An empty mapping means that all kinds are made and any code is
    accepted.
    """

    def figures(self, position: P) -> str:
        """What stands on each cell, where a camera sees only whose piece it is: a letter per cell, as in `board`.

        A letter is a class of the board, or one of `figure_nouns`, none of them a class, where the rules know more than
        the camera sees.
        """
        return self.board(position)

    kinds: str = ""
    """Letters of `figures` that people may set up, in the order in which they are offered; empty for `classes`."""

    def arranged(self, figures: str, side: Side, told: Mapping[str, bool]) -> P:
        """The position with these pieces, as `figures` has them, and `side` to move, as when people set it up.

        `told` says of some `rights`, by their code, whether the position has them; all others are as is usual. Codes
        that do not apply are passed over. Raises PositionError.
        """
        return self.set_up(figures, side, self.initial())

    def rights(self, position: P) -> tuple[Right, ...]:
        """What people may still choose where these pieces stand and that side is to move."""
        return ()

    def spoken(self, position: P, move: M) -> Value | None:
        """A legal move in words, "knight to f3"; None where its steps say it: "g1 to f3"."""
        return None

    def choice(self, position: P, move: M) -> Term | None:
        """What a legal move chooses that the board does not show, such as the piece that a pawn becomes; else None.

        Of such moves that lead to the same board the first of `legal_moves` is believed, until somebody tells another.
        """
        return None

    def piece_noun(self, letter: str) -> Term | Sentence:
        """Noun for a piece with that letter of `board` or `figures`, for sentences about laying or taking it."""
        if letter in self.figure_nouns:
            return Term("piece", self.figure_nouns[letter])
        return Term("piece", (self.piece_nouns or self.sides)[self.pieces.index(letter)])

    def told(self, position: P, move: M) -> Sentence | None:
        """Describes a move that changes nothing on the board, where it is more than a pass; None for other moves."""
        return None

    def scores(self, position: P) -> tuple[int, int] | None:
        """Points so far of both sides; None in games without points."""
        return None

    def gains(self, position: P, move: M) -> tuple[Gain, Gain] | None:
        """Points that a legal move brings each side; None in games without points."""
        return None

    def to_lay(self, position: P) -> tuple[int, int] | None:
        """Pieces that each side has still to lay; None where they are not counted."""
        return None

    def tiles(self, position: P) -> tuple[tuple[int, int], ...]:
        """The two cells of every tile, in the order laid, in games whose tiles cover two cells; else empty."""
        return ()

    def view(self, position: P, side: Side) -> P:
        """The position as `side` may know it, with other hands hidden; unchanged in games without hidden hands."""
        return position

    def hand(self, position: P, side: Side) -> tuple[str, ...] | None:
        """Tiles a side is known to hold, as texts such as `3-4`; None where nothing is known or there are no hands."""
        return None

    def holds(self, position: P, side: Side) -> int:
        """How many tiles a side holds, known or not."""
        return 0

    def with_hand(self, position: P, side: Side, hand: Sequence[str]) -> P:
        """The position in which a side holds the tiles in `hand`. Raises PositionError where that is impossible."""
        raise PositionError(f"nobody holds anything in {self.title}")

    def deal(self, position: P, seed: int) -> P:
        """The position with everything hidden filled in at random."""
        return position

    def opening(self, position: P) -> str:
        """The name of the known opening that a position belongs to; empty outside all of them."""
        return ""

    def forbidden(self, position: P) -> tuple[int, ...]:
        """Empty cells to mark because a rule forbids the mover to lay there; empty in games without such rules."""
        return ()

    cell_points: tuple[int, ...] = ()
    """Points that a piece brings on each cell, where they depend on the cell; else empty."""
    in_short: tuple[Sentence, ...] = ()
    """The rules that people ask for while they play, each as a sentence."""

    def won_by(self, position: P) -> tuple[int, ...]:
        """The cells that won a game which is over, such as five in a row; empty where no line of them does."""
        return ()

    passes_told: bool = False
    """Whether a pass counts only when somebody says so, and is never inferred from a later move."""

    def counted(self, position: P, move: M, cell: int) -> M | None:
        """The move that ends the game like `move`, with the pieces on a cell counted as captured, or no longer so.

        Such a move is legal where `move` is, though not among `legal_moves`. None where nothing is to be counted.
        """
        return None

    def dead(self, position: P) -> tuple[int, ...]:
        """After the end, the cells whose pieces still stand but count as captured."""
        return ()

    def worth_trying(self, position: P) -> Sequence[M]:
        """The legal moves without those that no player who knows the game would make; at least one while it goes on."""
        return self.legal_moves(position)

    def roll_out(self, position: P, seed: int) -> float | None:
        """The result for the first side, 0 to 1, of one game played on at random, where the game can do that quicker
        or more sensibly than move by move; else None."""
        return None

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """Whether that many plies might lead from one board to the other: a quick test that is never wrongly False."""
        return True


AnyGame = Game[Any, Any]
"""A game whose position and move types do not matter to the caller."""


def rule(
    default: Any,
    doc: str,
    *,
    choices: Sequence[str] | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
    drawn: bool = False,
) -> Any:
    """A field of a game's `Rules`; `doc` is shown in `--help` and error messages.

    `drawn` marks an option that is not a mere switch and whose value changes what is drawn on the board.
    """
    return dataclasses.field(
        default=default,
        metadata={"doc": doc, "choices": choices, "minimum": minimum, "maximum": maximum, "drawn": drawn},
    )


def described(kind: Any) -> list[dict[str, Any]]:
    """A dataclass's `rule` fields as data: name, doc, kind, default, choices, minimum and maximum."""
    types = typing.get_type_hints(kind)
    return [
        {"name": field.name, "kind": types[field.name].__name__, "default": field.default}
        | {key: field.metadata[key] for key in ("doc", "choices", "minimum", "maximum")}
        for field in dataclasses.fields(kind)
    ]


def shipped() -> tuple[str, ...]:
    """Names of the games in this folder, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def names() -> tuple[str, ...]:
    """Names of all games, in this folder and from installed packages, sorted."""
    return tuple(sorted({*shipped(), *_brought()}))


def find(name: str) -> type[AnyGame]:
    """The class of the game with that name or short name. Raises UnknownGame."""
    for candidate in (*shipped(), *_brought()):
        game = _class_of(candidate)
        if name in (candidate, game.short_name):
            return game
    raise UnknownGame(f"there is no game {name!r}; the games are {', '.join(names())}")


def file_of(name: str, path: str) -> Path | None:
    """A file that a game's package brings, such as `levels/chess.toml` beside its module; None where it has none."""
    module = _brought().get(name)
    package = Path(__file__).parent / name if module is None else Path(module.__file__ or "").parent
    file = package / path
    return file if file.is_file() else None


def part_of(name: str, part: str) -> types.ModuleType | None:
    """A module of a game's package besides its rules, such as `heuristics`; None where it has none."""
    if name not in names() or not hasattr(_module_of(name), "__path__"):
        return None
    full = f"{_module_of(name).__name__}.{part}"
    return None if importlib.util.find_spec(full) is None else importlib.import_module(full)


def _class_of(name: str) -> type[AnyGame]:
    game: type[AnyGame] = _module_of(name).GAME
    return game


def _module_of(name: str) -> types.ModuleType:
    return _brought().get(name) or importlib.import_module(f"games.{name}")


@functools.cache
def _brought() -> Mapping[str, types.ModuleType]:
    """Installed packages' game modules by name. An entry must have its game's own name, and not one of `shipped()`."""
    found = {}
    for name, module in installed(ENTRY_POINTS).items():
        if name in shipped() or getattr(getattr(module, "GAME", None), "name", "") != name:
            warnings.warn(f"{ENTRY_POINTS}: {module.__name__} brings no game of the name {name!r}", stacklevel=2)
        else:
            found[name] = module
    return found


@functools.cache
def installed(group: str) -> Mapping[str, types.ModuleType]:
    """Modules that installed packages register in an entry-point group, by entry name.

    A module that fails to import is left out with a warning.
    """
    found: dict[str, types.ModuleType] = {}
    for entry in sorted(importlib.metadata.entry_points(group=group), key=lambda entry: entry.name):
        try:
            found[entry.name] = entry.load()
        except Exception as error:  # noqa: BLE001 - a stranger's package may fail in any way
            warnings.warn(f"{group}: {entry.value} cannot be loaded: {error!r}", stacklevel=2)
    return found


def load(name: str, rules: Mapping[str, object] | None = None) -> AnyGame:
    """The game with that name or short name, under these rule options; texts such as "true" and "6" are converted.

    Raises UnknownGame, RuleError.
    """
    game = find(name)
    return game(parse_rules(game, rules or {}))  # type: ignore[call-arg]


RULE_SET = "set"
"""What chooses a rule set, among the rule options; options beside it override those of the set."""


def parse_rules(game: type[AnyGame], rules: Mapping[str, object]) -> Any:
    """A game's `Rules` from names and values. Raises RuleError naming the option, the value and the allowed values."""
    kind: Any = getattr(game, "Rules")  # noqa: B009 - the protocol declares the instance's attribute only
    given = {name: value for name, value in rules.items() if name != RULE_SET}
    if RULE_SET in rules:
        name = str(rules[RULE_SET]).strip().lower()
        if name not in game.rule_sets:
            raise RuleError(f"{game.name} has no rule set {name!r}; it has {', '.join(game.rule_sets) or 'none'}")
        given = {**game.rule_sets[name].options, **given}
    return parse_options(kind, given, game.name, "rule option")


def rule_set_of(game: AnyGame) -> RuleSet | None:
    """The rule set that the game is played by, whoever begins; None for any other mixture of options."""
    values = vars(game.rules)
    for found in game.rule_sets.values():
        wanted = vars(parse_rules(type(game), found.options))
        if all(value == wanted[name] for name, value in values.items() if name != "first"):
            return found
    return None


def named(game: AnyGame) -> Term:
    """What people call the game: its rule set, if it has one that differs from the defaults, else its title."""
    by = rule_set_of(game)
    return Term("game", game.title) if by is None or not by.options else Term("rules", by.title)


def parse_options(kind: type[T], options: Mapping[str, object], owner: str, noun: str) -> T:
    """A dataclass of `rule` fields from names and values; `owner` and `noun` begin the error messages.

    Raises RuleError naming the option, the value and the allowed values.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    types = typing.get_type_hints(kind)
    values: dict[str, object] = {}
    for name, value in options.items():
        if name not in fields:
            raise RuleError(f"{owner} has no {noun} {name!r}; it has {', '.join(fields) or 'none'}")
        values[name] = _option_value(f"{owner}: {noun} {name}", fields[name], types[name], value)
    return kind(**values)


def _option_value(option: str, field: dataclasses.Field[Any], kind: type, value: object) -> object:
    text = str(value).strip().lower()
    if kind is bool:
        if text not in ("true", "false", "yes", "no", "on", "off", "1", "0"):
            raise RuleError(f"{option} is true or false, not {value!r}")
        return text in ("true", "yes", "on", "1")
    if kind is int:
        low, high = field.metadata["minimum"], field.metadata["maximum"]
        try:
            number = int(text)
        except ValueError:
            raise RuleError(f"{option} is a whole number, not {value!r}") from None
        if (low is not None and number < low) or (high is not None and number > high):
            raise RuleError(f"{option} is between {low} and {high}, not {number}")
        return number
    if not field.metadata["choices"]:
        return str(value).strip()
    if text not in field.metadata["choices"]:
        raise RuleError(f"{option} is one of {', '.join(field.metadata['choices'])}, not {value!r}")
    return text


def rules_from_words(words: Sequence[str]) -> dict[str, object]:
    """Rule options from `name=value` command-line words; one without `=` is a rule set. Raises RuleError."""
    rules: dict[str, object] = {}
    for word in words:
        name, _, value = word.partition("=") if "=" in word else (RULE_SET, "=", word)
        if not name.strip() or not value.strip():
            raise RuleError(f"a rule option is name=value, such as flying=true, or a rule set, not {word!r}")
        rules[name.strip()] = value.strip()
    return rules


def rule_choices(name: str, option: str) -> tuple[str, ...]:
    """The allowed values of a game's rule option; empty if there is no such option. Raises UnknownGame."""
    kind: Any = getattr(find(name), "Rules")  # noqa: B009
    for field in dataclasses.fields(kind):
        if field.name == option:
            return tuple(field.metadata["choices"] or ())
    return ()


def switched_on(game: AnyGame) -> frozenset[str]:
    """Names of options that are on, plus `size=19` for changed `drawn` ones: some change what is drawn on the board."""
    fields, values = dataclasses.fields(game.rules), dataclasses.asdict(game.rules)
    drawn = {field.name for field in fields if field.metadata.get("drawn") and values[field.name] != field.default}
    return frozenset(
        {name for name, value in values.items() if value is True} | {f"{name}={values[name]}" for name in drawn}
    )


PIP_NAMES = (
    noun("pips", "blank"),
    noun("pips", "one"),
    noun("pips", "two"),
    noun("pips", "three"),
    noun("pips", "four"),
    noun("pips", "five"),
    noun("pips", "six"),
)
"""Names of a tile's ends, by their pips."""


def tile_named(first: str, second: str) -> Sentence:
    """A tile as people name it, by its two ends as digits: "three-five", "double six"."""
    one, other = (Term("pips", PIP_NAMES[int(end)]) for end in (first, second))
    return sentence("double {pips}", pips=one) if first == second else sentence("{one}-{other}", one=one, other=other)


def carry_out(board: str, steps: Sequence[Step]) -> str:
    """The board after the steps are applied."""
    cells = list(board)
    for step in steps:
        if step.origin is not None:
            cells[step.origin] = EMPTY
        cells[step.cell] = step.piece
    return "".join(cells)


def changed_cells(before: str, after: str) -> tuple[int, ...]:
    """Indices of the cells that differ between two boards, ascending."""
    return tuple(cell for cell, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1])


def cells_of(bits: int) -> Iterator[int]:
    """The cells of a bit set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def boards_of_turn(game: AnyGame, position: Any, move: Any) -> tuple[str, ...]:
    """The board after each step of a move; the last is the board after the turn, the others are unfinished."""
    steps = game.steps(position, move)
    board = game.board(position)
    return tuple(carry_out(board, steps[:done]) for done in range(1, len(steps) + 1))


def begins_turn(game: AnyGame, position: Any, board: str) -> bool:
    """Whether the board shows a legal move carried out, wholly or in part."""
    before = game.board(position)
    changed = set(changed_cells(before, board))
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        if not changed <= {cell for step in steps for cell in (step.cell, step.origin)}:
            continue
        if board in boards_of_turn(game, position, move) or _is_done_in_another_order(before, steps, board):
            return True
        if game.any_order and any(carry_out(before, done) == board for done, _ in parts_of_turn(game, steps)):
            return True
    return False


def seen_moves(game: AnyGame, position: Any) -> list[tuple[Any, tuple[Step, ...]]]:
    """The legal moves, each with its steps; of moves that lead to the same board by `choice`, only the first."""
    found, known = [], set[str]()
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        if game.choice(position, move) is not None:
            after = carry_out(game.board(position), steps)
            if after in known:
                continue
            known.add(after)
        found.append((move, steps))
    return found


def alike(game: AnyGame, position: Any, move: Any) -> list[Any]:
    """The other legal moves that lead to the same board by another `choice`, in their order."""
    if game.choice(position, move) is None:
        return []
    board = game.board(position)
    after = carry_out(board, game.steps(position, move))
    return [
        other
        for other in game.legal_moves(position)
        if other != move
        and game.choice(position, other) is not None
        and carry_out(board, game.steps(position, other)) == after
    ]


def parts_of_turn(game: AnyGame, steps: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], tuple[Step, ...]]]:
    """The ways in which a turn may be half done, as steps done and missing; a lifted piece counts as removed.

    Steps that only place may be seen in any order: they are one piece, or one grip.
    """
    if game.any_order:
        yield from _parts_in_any_order(steps)
        return
    if steps[0].origin is not None:
        yield (Step("remove", steps[0].origin, piece=EMPTY),), steps
    for done in range(1, len(steps)):
        yield steps[:done], steps[done:]
    if len(steps) > 1 and all(step.kind == "place" for step in steps):
        for done in range(1, len(steps)):
            yield steps[done:], steps[:done]


def by_piece(steps: Sequence[Step]) -> list[tuple[Step, ...]]:
    """The steps of a turn, together those of a piece that goes on and on, such as a man that jumps thrice."""
    found: list[tuple[Step, ...]] = []
    for step in steps:
        goes_on = found and step.origin is not None and found[-1][-1].cell == step.origin
        found[-1:] = [(*found[-1], step)] if goes_on else [*found[-1:], (step,)]
    return found


MAX_PARTS = 5000
"""Most ways in which a turn is looked for half done; a man that takes eight others has fewer."""


def _parts_in_any_order(steps: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], tuple[Step, ...]]]:
    """Every step done or not, moved pieces also lifted or on their way; missing steps of lifted pieces come first."""
    pieces = by_piece(steps)
    ways = [range(0 if piece[0].origin is None else -1, len(piece) + 1) for piece in pieces]
    for chosen in itertools.islice(itertools.product(*ways), MAX_PARTS):
        now = list(zip(pieces, chosen, strict=True))  # steps done of each piece; -1 is lifted
        if not any(chosen) or all(done == len(piece) for piece, done in now):
            continue
        left = {piece[0].cell for piece, done in now if not done and piece[0].kind == "remove"}
        left |= {piece[0].origin for piece, done in now if not done and piece[0].origin is not None}
        if any(piece[done - 1].cell in left for piece, done in now if done > 0):
            continue  # no piece stands on another
        up = [piece for piece, done in now if done < 0]
        lifted = [Step("remove", piece[0].origin, piece=EMPTY) for piece in up if piece[0].origin is not None]
        done_steps = (step for piece, done in now for step in piece[: max(0, done)])
        missing = sorted(now, key=lambda one: one[1] >= 0)
        yield (*lifted, *done_steps), tuple(step for piece, done in missing for step in piece[max(0, done) :])


def in_any_order(steps: Sequence[Step]) -> bool:
    """Whether all steps after the first only remove or turn pieces, so that the hand may choose their order."""
    return len(steps) > 2 and all(step.kind in ("remove", "flip") for step in steps[1:])


def _is_done_in_another_order(before: str, steps: Sequence[Step], board: str) -> bool:
    if not in_any_order(steps):
        return False
    done = [step for step in steps[1:] if board[step.cell] == step.piece]
    return board == carry_out(before, [steps[0], *done])


def line_of_play(game: AnyGame, texts: Sequence[str], start: Any = None) -> list[Any]:
    """The positions of a game given as move texts, the start first. Raises MoveError naming the ply."""
    positions = [game.initial() if start is None else start]
    for ply, text in enumerate(texts, 1):
        try:
            positions.append(game.apply(positions[-1], game.parse_move(positions[-1], text)))
        except MoveError as error:
            why = error.said or str(error)
            raise MoveError(
                error.rule, sentence("ply {ply}, {move}: {why}", ply=ply, move=repr(text), why=why)
            ) from None
    return positions


@functools.cache
def _symmetries(
    cells: tuple[str, ...], neighbours: tuple[int, ...], points: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    places = [_place(name) for name in cells]
    if None in places:
        return (tuple(range(len(cells))),)
    letters = sorted({place[0] for place in places if place is not None})  # some boards have no column I
    known = [(letters.index(place[0]), place[1]) for place in places if place is not None]
    lowest, highest = ([pick(one[axis] for one in known) for axis in (0, 1)] for pick in (min, max))
    # Twice the distance from the middle, so that it is a whole number.
    middle = [(2 * x - lowest[0] - highest[0], 2 * y - lowest[1] - highest[1]) for x, y in known]
    index = {place: cell for cell, place in enumerate(middle)}
    rings = {max(abs(x), abs(y)) for x, y in middle}
    inward = {ring: min(rings) + max(rings) - ring for ring in rings} if neighbours and 0 not in rings else {}
    found = []
    for turned in itertools.product((False, True), (1, -1), (1, -1), (False, True) if inward else (False,)):
        swapped, first, second, inverted = turned
        images = []
        for x, y in middle:
            a, b = (y, x) if swapped else (x, y)
            ring = max(abs(a), abs(b))
            more = inward[ring] if inverted else ring
            image = (
                (first * a * more // (ring or 1), second * b * more // (ring or 1))
                if inverted
                else (first * a, second * b)
            )
            images.append(index.get(image, -1))
        if sorted(images) == list(range(len(cells))) and _keeps(images, neighbours, points):
            found.append(tuple(images))
    return tuple(dict.fromkeys(found))


def _place(name: str) -> tuple[str, int] | None:
    """Column and row of a cell named by a letter and a number, in either order."""
    match = re.fullmatch(r"([A-Za-z])(\d+)|(\d+)([A-Za-z])", name)
    return None if match is None else ((match[1] or match[4]).lower(), int(match[2] or match[3]))


def _keeps(images: Sequence[int], neighbours: Sequence[int], points: Sequence[int]) -> bool:
    """Whether lines lead to lines, and cells to cells that bring as many points."""
    if any(points[cell] != points[image] for cell, image in enumerate(images) if points):
        return False
    for cell, image in enumerate(images):
        if neighbours:
            near = sum(1 << images[other] for other in range(len(images)) if neighbours[cell] >> other & 1)
            if near != neighbours[image]:
                return False
    return True


def symmetries(game: AnyGame) -> tuple[tuple[int, ...], ...]:
    """The ways to turn and mirror the board that change nothing: for each cell, the index of its image; itself first.

    Morris may also be turned inside out. Cells must be named by column and row, else only the board itself is told.
    """
    return _symmetries(game.cells, game.neighbours, game.cell_points)


def images(game: AnyGame, board: str) -> tuple[str, ...]:
    """The board in every symmetry, without duplicates, as it is first."""
    turned = []
    for symmetry in symmetries(game):
        letters = [EMPTY] * len(board)
        for cell, image in enumerate(symmetry):
            letters[image] = board[cell]
        turned.append("".join(letters))
    return tuple(dict.fromkeys(turned))
