"""What people at the table may tell the daemon: the words of a command, checked, and the answer to it."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MAX_BYTES = 512
"""A longer command is refused unread."""
MAX_MOVES = 10_000
LONGEST_NAME = 32
LONGEST_MOVE = 64
MAX_TILES = 8


class CommandError(ValueError):
    """Words that are no command; the message says what is."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _AtPly:
    """What is meant for the position that somebody sees."""

    ply: int | None = None
    """Plies of the game as it was seen; in another position the command is refused. None is whatever stands now."""
    mark: str = ""
    """`mark_of` the position that was seen, which tells it from others after as many plies, too; empty is any."""


@dataclasses.dataclass(frozen=True)
class Move(_AtPly):
    """The side to move makes this move; where no camera watches."""

    text: str
    """As the game writes moves."""


@dataclasses.dataclass(frozen=True)
class Hand(_AtPly):
    """A side holds these tiles, which no camera sees."""

    tiles: tuple[str, ...]
    side: str = ""
    """Its name; empty for the only agent's side, or the side to move."""


@dataclasses.dataclass(frozen=True)
class Pass(_AtPly):
    """The side to move passes, or ends its turn, or makes another decision that lays nothing."""

    choice: str = ""
    """Which, where there are several, such as `black` in the opening swap2 of gomoku; empty for the only one."""


@dataclasses.dataclass(frozen=True)
class Undo(_AtPly):
    """The last move is taken back, or a pass or resignation told last; the men are to be put back then."""


@dataclasses.dataclass(frozen=True)
class Mover(_AtPly):
    """Move `number` was made by the side of that name."""

    side: str = ""
    """A name of `Game.sides`; empty for the side that is not believed to have made it."""
    number: int | None = None
    """Counted from 1, without passes; None is the last one."""


@dataclasses.dataclass(frozen=True)
class Correct(_AtPly):
    """On that cell stands that piece, whatever the eyes read."""

    cell: str
    """A name of `Game.cells`."""
    piece: str
    """A side's name, a letter of `Game.classes`, or `empty`."""


@dataclasses.dataclass(frozen=True)
class Adopt(_AtPly):
    """The board in view is the position, and play goes on from it."""

    side: str = ""
    """Who moves next, by name; empty for the side to move as the game stands."""


@dataclasses.dataclass(frozen=True)
class Pause:
    """Nothing on the board counts until `Resume`."""


@dataclasses.dataclass(frozen=True)
class Resume:
    """The game goes on."""


@dataclasses.dataclass(frozen=True)
class Resign(_AtPly):
    """A side gives up."""

    side: str = ""
    """Its name; empty for the only person, or where two people play for the side to move."""


@dataclasses.dataclass(frozen=True)
class NewGame:
    """The present game is left as it stands, and a new one begins."""


@dataclasses.dataclass(frozen=True)
class EndMove:
    """The move is made: the board is to be read and judged at once."""


@dataclasses.dataclass(frozen=True)
class Coach:
    """Who stands better, and what would be the best move?"""


@dataclasses.dataclass(frozen=True)
class Repeat:
    """What was said last is said again."""


Command = (
    Move | Hand | Pass | Undo | Mover | Correct | Adopt | Pause | Resume | Resign | NewGame | EndMove | Coach | Repeat
)


@dataclasses.dataclass(frozen=True)
class Answer:
    """What became of a command."""

    accepted: bool
    text: str
    """What happened, or why not: what is said at the table too."""
    rule: str = ""
    """Code of the rule that forbids it, where one does."""


def _name(field: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not value.isprintable():
        raise CommandError(f"{field} is a name of at most {LONGEST_NAME} letters")
    return value.strip()


def _move_text(field: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_MOVE or not (value.isascii() and value.isprintable()):
        raise CommandError(f"{field} is a move's text of at most {LONGEST_MOVE} letters, such as d2-d3")
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
    """How a command is written as an object."""

    kind: Callable[..., Command]
    fields: Mapping[str, _Field] = dataclasses.field(default_factory=dict)
    """By the name in the object."""
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
    "resign": _Form(Resign, _SIDE),
    "new_game": _Form(NewGame),
    "end_move": _Form(EndMove),
    "coach": _Form(Coach),
    "repeat": _Form(Repeat),
    "move": _Form(Move, {"move": _Field("text", _move_text)} | _PLY, ("move",)),
    "hand": _Form(Hand, {"tiles": _Field("tiles", _tiles)} | _SIDE, ("tiles",)),
}
NAMES = tuple(_FORMS)
"""The words that a command begins with."""


_SCHEMAS: dict[Callable[[str, object], object], dict[str, Any]] = {
    _name: {"type": "string", "maxLength": LONGEST_NAME},
    _move_text: {"type": "string", "maxLength": LONGEST_MOVE, "pattern": "^[ -~]*$"},
    _number: {"type": ["integer", "null"], "minimum": 1, "maximum": MAX_MOVES},
    _plies: {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_MOVES},
    _tiles: {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_TILES,
        "items": {"type": "string", "maxLength": LONGEST_NAME},
    },
}
"""JSON Schema of what each reader takes."""


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
    """What tells a position from all others, of this game and of any, by the moves that led to it."""
    return hashlib.blake2s(" ".join([game_id, *moves]).encode(), digest_size=8).hexdigest()


def parse_command(words: object) -> Command:
    """The command of an object such as {"command": "mover", "side": "green", "move": 7}. Raises CommandError."""
    if not isinstance(words, Mapping):
        raise CommandError('a command is an object such as {"command": "pass"}')
    name = words.get("command")
    form = _FORMS.get(name) if isinstance(name, str) else None
    if form is None:
        raise CommandError(f"the commands are {', '.join(NAMES[:-1])} and {NAMES[-1]}")
    strange = sorted(str(field)[:LONGEST_NAME] for field in words if field not in ("command", *form.fields))
    if strange:
        raise CommandError(f"{name} takes no {strange[0]}")
    values = {field: form.fields[field].read(field, words[field]) for field in words if field != "command"}
    for field in form.required:
        if not values.get(field):
            raise CommandError(f"{name} needs a {field}")
    return form.kind(**{form.fields[field].attribute: value for field, value in values.items()})


def as_object(command: Command) -> dict[str, object]:
    """The object that `parse_command` reads as this command."""
    name, form = next((name, form) for name, form in _FORMS.items() if form.kind is type(command))
    values: dict[str, Any] = {field: getattr(command, own.attribute) for field, own in form.fields.items()}
    told = {field: list(value) if isinstance(value, tuple) else value for field, value in values.items()}
    return {"command": name, **{field: value for field, value in told.items() if value not in (None, "")}}
