"""How a command is declared: once, as a class. Parser, schema, command line and voice are made from the declaration.

The fields of the class are those of the object that is sent. What a field may hold is part of its type, and so is how
it is typed after `kibitzer tell`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, dataclass_transform, get_type_hints

from pydantic import AfterValidator, Field, Strict, TypeAdapter, ValidationError, WithJsonSchema
from typer.models import ParameterInfo

from wording import Sentence

MAX_MOVES = 10_000
MAX_NAME_LENGTH = 32
MAX_MOVE_LENGTH = 64
MAX_POSITION_LENGTH = 450
MAX_TILES = 8
MAX_PACE_S = 10.0


class CommandError(ValueError):
    """An invalid command; the message says what would be valid."""


@dataclasses.dataclass(frozen=True)
class Must:
    """What a value must be, as a refusal says it after the name of the field."""

    be: str


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it has letters that cannot be printed")
    return text.strip()


ASCII = "^[ -~]*$"
Name = Annotated[
    str,
    Field(strict=True, max_length=MAX_NAME_LENGTH),
    AfterValidator(_printable),
    Must(f"a name of at most {MAX_NAME_LENGTH} letters"),
]
MoveText = Annotated[
    str,
    Field(strict=True, max_length=MAX_MOVE_LENGTH, pattern=ASCII),
    AfterValidator(str.strip),
    Must(f"a move's text of at most {MAX_MOVE_LENGTH} letters, such as d2-d3"),
]
PositionText = Annotated[
    str,
    Field(strict=True, max_length=MAX_POSITION_LENGTH, pattern=ASCII),
    AfterValidator(str.strip),
    Must(f"a position's text of at most {MAX_POSITION_LENGTH} letters, such as a FEN"),
]
MoveNumber = Annotated[
    Annotated[int, Field(strict=True, ge=1, le=MAX_MOVES)] | None,
    WithJsonSchema({"type": ["integer", "null"], "minimum": 1, "maximum": MAX_MOVES}),
    Must(f"a whole number from 1 to {MAX_MOVES}"),
]
Plies = Annotated[
    Annotated[int, Field(strict=True, ge=0, le=MAX_MOVES)] | None,
    WithJsonSchema({"type": ["integer", "null"], "minimum": 0, "maximum": MAX_MOVES}),
    Must(f"a whole number from 0 to {MAX_MOVES}"),
]
Truth = Annotated[bool, Strict(), Must("true or false")]
Seconds = Annotated[float, Field(strict=True, ge=0, le=MAX_PACE_S), Must(f"a number from 0 to {MAX_PACE_S:g}")]
Tiles = Annotated[
    tuple[Name, ...],
    Field(min_length=1, max_length=MAX_TILES),
    Must(f'a list of 1 to {MAX_TILES} tiles, such as ["3-4", "0-0"]'),
]


@dataclasses.dataclass(frozen=True)
class Typed:
    """How a field is typed on the command line, where not as it is sent."""

    info: ParameterInfo
    name: str = ""
    """The parameter's name; empty for the field's."""
    kind: Any = None
    """The type of what is typed; None for the field's."""
    default: Any = None
    """What counts if nothing is typed; None for the field's default, `...` if something must be typed."""
    read: Callable[[Any], object] = lambda value: value
    """From what is typed to what the field holds."""


@dataclasses.dataclass(frozen=True)
class Argument:
    name: str
    kind: Any
    """Its type, with what is written into `Annotated`."""
    default: object
    """`dataclasses.MISSING` if the field must be given."""

    @functools.cached_property
    def adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.kind)

    @property
    def is_required(self) -> bool:
        return self.default is dataclasses.MISSING

    @property
    def typed(self) -> Typed | None:
        """None if it cannot be typed."""
        return next((part for part in reversed(self.kind.__metadata__) if isinstance(part, Typed)), None)

    def read(self, value: object) -> object:
        """The value of the field. Raises CommandError."""
        try:
            return self.adapter.validate_python(value)
        except ValidationError as error:
            kind: Any = Name if error.errors()[0]["loc"] else self.kind  # a name in a list, or the whole
            must = next(part.be for part in kind.__metadata__ if isinstance(part, Must))
            raise CommandError(f"{self.name} is {must}") from None


class Command:
    """What people tell the daemon; `command` declares the kinds."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Moment:
    """What decides which commands a page offers now."""

    over: bool
    paused: bool
    watched: bool
    """Whether a camera sees the board."""
    has_person: bool
    awaits_person: bool
    has_past: bool
    """Whether there is something to take back."""
    has_passes: bool
    has_doubtful_movers: bool
    """Whether moves were seen of pieces that belong to nobody."""
    has_unseen_hand: bool
    """Whether an agent holds tiles that somebody must tell."""
    is_counted: bool
    """Whether the game is over, and its count is not agreed."""

    @property
    def is_played(self) -> bool:
        return not (self.over or self.paused)

    @property
    def is_seen(self) -> bool:
        return self.watched and not self.paused


@dataclasses.dataclass(frozen=True)
class Declaration:
    kind: Callable[..., Command]
    name: str
    arguments: Mapping[str, Argument]
    """Fields of the object by their names."""
    help: str
    """What `kibitzer tell` says of it."""
    spoken: Mapping[str, str]
    """The words for it by language, divided by `/`; empty if it cannot be spoken.

    In some, `{cell}` or `{piece}` stands for the name that is the command's only argument."""
    asks: Sentence | None
    """What is asked before it is carried out once spoken, because it loses something, or settles it."""
    offered: Callable[[Moment], bool]
    """When pages offer it."""

    def at(self, mark: str) -> Command:
        """The command without arguments, for the position with that mark if it depends on the position."""
        return self.kind(mark=mark) if "mark" in self.arguments else self.kind()


DECLARED: dict[str, Declaration] = {}
"""Every command by its name, in the order of declaration."""
Kind = TypeVar("Kind", bound=type[Command])


@dataclass_transform(frozen_default=True)
def command(
    help: str,
    *,
    spoken: Mapping[str, str] = MappingProxyType({}),
    asks: Sentence | None = None,
    offered: Callable[[Moment], bool] = lambda _: False,
) -> Callable[[Kind], Kind]:
    """Declares a command, `new_game` as the class `NewGame`; its docstring describes it in the schema.

    The arguments are the fields of `Declaration`.
    """

    def declare(kind: Kind) -> Kind:
        made: Any = dataclasses.dataclass(frozen=True)(kind)
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
        types = get_type_hints(made, include_extras=True)
        fields = sorted(dataclasses.fields(made), key=lambda field: bool(field.kw_only))
        arguments = {one.name: Argument(one.name, types[one.name], one.default) for one in fields}
        DECLARED[name] = Declaration(made, name, arguments, inspect.cleandoc(help), spoken, asks, offered)
        return kind

    return declare
