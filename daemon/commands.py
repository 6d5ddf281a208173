"""What people at the table may tell the daemon: the words of a command, checked, and the answer to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

MOST_BYTES = 512
"""A longer command is refused unread."""
MOST_MOVES = 10_000
LONGEST_NAME = 32


class CommandError(ValueError):
    """Words that are no command; the message says what is."""


@dataclasses.dataclass(frozen=True)
class Pass:
    """The side to move passes, or ends its turn."""


@dataclasses.dataclass(frozen=True)
class Undo:
    """The last ply, a pass, was none."""


@dataclasses.dataclass(frozen=True)
class Mover:
    """Move `number` was made by the side of that name."""

    side: str
    """A name of `Game.sides`; empty for the side that is not believed to have made it."""
    number: int | None = None
    """Counted from 1, without passes; None is the last one."""


Command = Pass | Undo | Mover


@dataclasses.dataclass(frozen=True)
class Answer:
    """What became of a command."""

    accepted: bool
    text: str
    """What happened, or why not: what is said at the table too."""


def parse_command(words: object) -> Command:
    """The command of an object such as {"command": "mover", "side": "green", "move": 7}. Raises CommandError."""
    if not isinstance(words, Mapping):
        raise CommandError('a command is an object such as {"command": "pass"}')
    match words.get("command"):
        case "pass":
            return _checked(words, Pass(), ())
        case "undo":
            return _checked(words, Undo(), ())
        case "mover":
            return _checked(words, Mover(_side(words), _number(words)), ("side", "move"))
    raise CommandError("the commands are pass, mover and undo")


def as_object(command: Command) -> dict[str, object]:
    """The object that `parse_command` reads as this command."""
    match command:
        case Pass():
            return {"command": "pass"}
        case Undo():
            return {"command": "undo"}
        case Mover(side, number):
            move = {} if number is None else {"move": number}
            return {"command": "mover", "side": side, **move}


def _checked(words: Mapping[str, object], command: Command, options: tuple[str, ...]) -> Command:
    """The command, where nothing else was said with it."""
    strange = sorted(str(name)[:LONGEST_NAME] for name in words if name not in ("command", *options))
    if strange:
        raise CommandError(f"{words['command']} takes no {strange[0]}")
    return command


def _side(words: Mapping[str, object]) -> str:
    side = words.get("side", "")
    if not isinstance(side, str) or len(side) > LONGEST_NAME:
        raise CommandError("side is the name of a side, or is left out: the other one")
    return side


def _number(words: Mapping[str, object]) -> int | None:
    number = words.get("move")
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MOST_MOVES:
        raise CommandError(f"move is a whole number from 1 to {MOST_MOVES}")
    return number
