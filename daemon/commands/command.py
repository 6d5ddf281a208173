"""The commands that people may give the daemon: parsing, validation, and the answer."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MAX_BYTES = 512
"""Bytes of the longest command; a longer one is refused unread."""
MAX_MOVES = 10_000
MAX_NAME_LENGTH = 32
MAX_MOVE_LENGTH = 64
MAX_POSITION_LENGTH = 450
MAX_TILES = 8
MAX_PACE_S = 10.0


class CommandError(ValueError):
    """An invalid command; the message says what would be valid."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _AtPly:
    """A command meant for the position that somebody sees."""

    ply: int | None = None
    """Number of plies of the game as seen; in another position the command is refused. None accepts any position."""
    mark: str = ""
    """`mark_of` the position seen, which also tells it from others with as many plies; empty accepts any."""


@dataclasses.dataclass(frozen=True)
class Move(_AtPly):
    """The side to move makes this move; only without a camera."""

    text: str
    """In the game's move notation."""


@dataclasses.dataclass(frozen=True)
class Hand(_AtPly):
    """A side holds these tiles, which no camera sees."""

    tiles: tuple[str, ...]
    side: str = ""
    """Its name; empty for the only agent's side, or the side to move."""


@dataclasses.dataclass(frozen=True)
class Pass(_AtPly):
    """The side to move passes, ends its turn, or makes another decision that places nothing."""

    choice: str = ""
    """Which decision, if there are several, such as `black` in the opening swap2 of gomoku; empty for the only one."""


@dataclasses.dataclass(frozen=True)
class Undo(_AtPly):
    """Takes back the last move, or the pass or resignation reported last; the pieces must then be put back."""


@dataclasses.dataclass(frozen=True)
class Mover(_AtPly):
    """Move `number` was made by the side of that name."""

    side: str = ""
    """A name of `Game.sides`; empty for the side that is not believed to have made it."""
    number: int | None = None
    """Counted from 1, without passes; None for the last one."""


@dataclasses.dataclass(frozen=True)
class Correct(_AtPly):
    """That cell holds that piece, whatever was read."""

    cell: str
    """A name of `Game.cells`."""
    piece: str
    """A side's name, a letter of `Game.classes`, or `empty`."""


@dataclasses.dataclass(frozen=True)
class Adopt(_AtPly):
    """The board in view becomes the position, and play continues from it."""

    side: str = ""
    """Name of the side that moves next; empty for the side to move as the game is."""


@dataclasses.dataclass(frozen=True)
class Pause:
    """Nothing on the board counts until `Resume`."""


@dataclasses.dataclass(frozen=True)
class Resume:
    """The game continues."""


@dataclasses.dataclass(frozen=True)
class Pace:
    """Two agents that play without a camera wait this long before each move."""

    seconds: float = 0.0
    """0 to MAX_PACE_S; 0 is as fast as they think."""


@dataclasses.dataclass(frozen=True)
class Resign(_AtPly):
    """A side resigns."""

    side: str = ""
    """Its name; empty for the only person or, where two people play, for the side to move."""


@dataclasses.dataclass(frozen=True)
class NewGame:
    """Leaves the present game as it is and begins a new one."""


@dataclasses.dataclass(frozen=True)
class Position:
    """Leaves the present game as it is and begins a new one from this position."""

    text: str
    """In the game's notation of positions, such as a FEN."""


@dataclasses.dataclass(frozen=True)
class EndMove:
    """The move is made: read and judge the board at once."""


@dataclasses.dataclass(frozen=True)
class Coach:
    """Asks who stands better, and for the best move."""


@dataclasses.dataclass(frozen=True)
class Best:
    """Shows the best moves on the board, or hides them."""

    shown: bool
    side: str = ""
    """Name of the side that wants to see them, where two people play; either may hide them."""


@dataclasses.dataclass(frozen=True)
class Puzzle:
    """Leaves the present game as it is and sets a puzzle of the same game."""

    puzzle: str = ""
    """Its id, or the beginning of it; empty for the next one that is not solved."""


@dataclasses.dataclass(frozen=True)
class Count(_AtPly):
    """The pieces around a cell count as captured in a game that is over, or no longer."""

    cell: str
    """A name of `Game.cells`."""


@dataclasses.dataclass(frozen=True)
class Agree(_AtPly):
    """A side agrees to how the game that is over is counted."""

    side: str = ""
    """Its name; empty for all people at the table."""


@dataclasses.dataclass(frozen=True)
class Repeat:
    """Repeats the last announcement."""


Command = (
    Move
    | Hand
    | Pass
    | Undo
    | Mover
    | Correct
    | Adopt
    | Pause
    | Resume
    | Pace
    | Resign
    | NewGame
    | Position
    | EndMove
    | Coach
    | Best
    | Puzzle
    | Count
    | Agree
    | Repeat
)


@dataclasses.dataclass(frozen=True)
class Answer:
    """Result of a command."""

    accepted: bool
    text: str
    """What happened, or why not; the same as is said at the table."""
    rule: str = ""
    """Code of the rule that forbids it, if one does."""


def _name(field: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME_LENGTH or not value.isprintable():
        raise CommandError(f"{field} is a name of at most {MAX_NAME_LENGTH} letters")
    return value.strip()


def _move_text(field: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_MOVE_LENGTH or not (value.isascii() and value.isprintable()):
        raise CommandError(f"{field} is a move's text of at most {MAX_MOVE_LENGTH} letters, such as d2-d3")
    return value.strip()


def _position(field: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_POSITION_LENGTH or not (value.isascii() and value.isprintable()):
        raise CommandError(f"{field} is a position's text of at most {MAX_POSITION_LENGTH} letters, such as a FEN")
    return value.strip()


def _number(field: str, value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_MOVES:
        raise CommandError(f"{field} is a whole number from 1 to {MAX_MOVES}")
    return value


def _plies(field: str, value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_MOVES:
        raise CommandError(f"{field} is a whole number from 0 to {MAX_MOVES}")
    return value


def _truth(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise CommandError(f"{field} is true or false")
    return value


def _seconds(field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_PACE_S:
        raise CommandError(f"{field} is a number from 0 to {MAX_PACE_S:g}")
    return float(value)


def _tiles(field: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_TILES:
        raise CommandError(f'{field} is a list of 1 to {MAX_TILES} tiles, such as ["3-4", "0-0"]')
    return tuple(_name(field, tile) for tile in value)


@dataclasses.dataclass(frozen=True)
class _Field:
    """One field of a command's object."""

    attribute: str
    read: Callable[[str, object], object] = _name


@dataclasses.dataclass(frozen=True)
class _Form:
    """Describes a command's object form."""

    kind: Callable[..., Command]
    fields: Mapping[str, _Field] = dataclasses.field(default_factory=dict)
    """Fields by their name in the object."""
    required: tuple[str, ...] = ()


_PLY = {"ply": _Field("ply", _plies), "mark": _Field("mark")}
_SIDE = {"side": _Field("side")} | _PLY

_FORMS: dict[str, _Form] = {
    "pass": _Form(Pass, {"choice": _Field("choice")} | _PLY),
    "undo": _Form(Undo, _PLY),
    "mover": _Form(Mover, {"move": _Field("number", _number)} | _SIDE),
    "correct": _Form(Correct, {"cell": _Field("cell"), "piece": _Field("piece")} | _PLY, ("cell", "piece")),
    "adopt": _Form(Adopt, _SIDE),
    "pause": _Form(Pause),
    "resume": _Form(Resume),
    "pace": _Form(Pace, {"seconds": _Field("seconds", _seconds)}),
    "resign": _Form(Resign, _SIDE),
    "new_game": _Form(NewGame),
    "position": _Form(Position, {"position": _Field("text", _position)}, ("position",)),
    "end_move": _Form(EndMove),
    "coach": _Form(Coach),
    "best": _Form(Best, {"shown": _Field("shown", _truth), "side": _Field("side")}, ("shown",)),
    "puzzle": _Form(Puzzle, {"id": _Field("puzzle")}),
    "count": _Form(Count, {"cell": _Field("cell")} | _PLY, ("cell",)),
    "agree": _Form(Agree, _SIDE),
    "repeat": _Form(Repeat),
    "move": _Form(Move, {"move": _Field("text", _move_text)} | _PLY, ("move",)),
    "hand": _Form(Hand, {"tiles": _Field("tiles", _tiles)} | _SIDE, ("tiles",)),
}
NAMES = tuple(_FORMS)
"""Names of the commands."""


_SCHEMAS: dict[Callable[[str, object], object], dict[str, Any]] = {
    _name: {"type": "string", "maxLength": MAX_NAME_LENGTH},
    _move_text: {"type": "string", "maxLength": MAX_MOVE_LENGTH, "pattern": "^[ -~]*$"},
    _position: {"type": "string", "maxLength": MAX_POSITION_LENGTH, "pattern": "^[ -~]*$"},
    _number: {"type": ["integer", "null"], "minimum": 1, "maximum": MAX_MOVES},
    _plies: {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_MOVES},
    _truth: {"type": "boolean"},
    _seconds: {"type": "number", "minimum": 0, "maximum": MAX_PACE_S},
    _tiles: {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_TILES,
        "items": {"type": "string", "maxLength": MAX_NAME_LENGTH},
    },
}
"""JSON Schema of the values that each field reader accepts."""


def commands_schema() -> dict[str, Any]:
    """JSON Schema of the objects that `parse_command` reads."""
    return {
        "oneOf": [
            {
                "type": "object",
                "description": (form.kind.__doc__ or "").strip(),
                "properties": {"command": {"const": name}}
                | {field: _SCHEMAS[own.read] for field, own in form.fields.items()},
                "required": ["command", *form.required],
                "additionalProperties": False,
            }
            for name, form in _FORMS.items()
        ]
    }


def mark_of(game_id: str, moves: Iterable[str]) -> str:
    """Identifies a position among all others, of this game and of any, by the moves that led to it."""
    return hashlib.blake2s(" ".join([game_id, *moves]).encode(), digest_size=8).hexdigest()


def parse_command(words: object) -> Command:
    """Parses an object such as {"command": "mover", "side": "green", "move": 7}. Raises CommandError."""
    if not isinstance(words, Mapping):
        raise CommandError('a command is an object such as {"command": "pass"}')
    name = words.get("command")
    form = _FORMS.get(name) if isinstance(name, str) else None
    if form is None:
        raise CommandError(f"the commands are {', '.join(NAMES[:-1])} and {NAMES[-1]}")
    strange = sorted(str(field)[:MAX_NAME_LENGTH] for field in words if field not in ("command", *form.fields))
    if strange:
        raise CommandError(f"{name} takes no {strange[0]}")
    values = {field: form.fields[field].read(field, words[field]) for field in words if field != "command"}
    for field in form.required:
        if values.get(field) in (None, "", ()):
            raise CommandError(f"{name} needs a {field}")
    return form.kind(**{form.fields[field].attribute: value for field, value in values.items()})


def as_object(command: Command) -> dict[str, object]:
    """The object that `parse_command` reads as this command."""
    name, form = next((name, form) for name, form in _FORMS.items() if form.kind is type(command))
    values: dict[str, Any] = {field: getattr(command, own.attribute) for field, own in form.fields.items()}
    told = {field: list(value) if isinstance(value, tuple) else value for field, value in values.items()}
    return {"command": name, **{field: value for field, value in told.items() if value not in (None, "")}}
