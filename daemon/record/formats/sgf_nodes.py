"""The Smart Game Format FF[4], https://www.red-bean.com/sgf/: nodes and points, and what differs from game to game.

A game whose `formats` name `sgf` has a module `sgf` in its package, its `Dialect`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import games
from rules import GameError, MoveError

COLOURS = "BW"
"""The properties of black's and white's moves, and the class letters of their stones."""
MAX_LENGTH = 1 << 20
"""Characters accepted in a record; no real game comes near."""
LETTERS = "abcdefghijklmnopqrs"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)\s*((?:\[(?:\\.|[^\\\]])*\]\s*)+))", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^\\\]])*)\]", re.DOTALL)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)

Node = dict[str, list[str]]


class SgfError(GameError):
    """A text that is not a record of a game that we know."""


class Dialect(Protocol):
    """How one game is written: a module `sgf` of its package."""

    NUMBER: str
    SIZE: str
    MOVES: tuple[str, ...]
    PASS: str
    """The move that a record leaves out where one colour plays twice in a row; empty in games without."""

    def rules_of(self, nodes: Sequence[Node]) -> Mapping[str, object]:
        """The rule options that a record names, without the size."""

    def root_of(self, game: Any) -> Mapping[str, str]:
        """Properties of the first node that name the rules."""

    def text_of(self, name: str, value: str, point: str) -> str:
        """The text of a move; `point` is the name of the cell that the value means, empty where it means none."""

    def property_of(self, game: Any, position: Any, move: Any) -> tuple[str, str]:
        """The property of a move, and its value unless it lies on a point: then the point's cell name."""

    def black(self, position: Any) -> int:
        """The side that has the black stones."""

    def territory(self, game: Any, position: Any) -> Mapping[str, Sequence[str]]:
        """Names of the points that count for black and white at the end, as TB and TW; empty where none do."""

    def last(self, game: Any, position: Any, text: str, territory: Mapping[str, Sequence[str]]) -> str:
        """The text of the last move, made in a position, where the record tells that territory."""


def dialect(name: str) -> Dialect:
    found: Any = games.part_of(name, "sgf")
    known: Dialect = found
    return known


def game_numbered(number: str) -> str:
    """The name of the game with that number. Raises SgfError."""
    known = {dialect(name).NUMBER: name for name in games.names() if "sgf" in games.find(name).about.formats}
    if number not in known:
        ours = " and ".join(f"{name} GM[{one}]" for one, name in known.items())
        raise SgfError(f"GM[{number[:20]}] is another game; we know {ours}")
    return known[number]


def first_of(node: Node, name: str, default: str = "") -> str:
    return node.get(name, [default])[0].strip()


def cells_of(node: Node, name: str, size: int) -> list[int]:
    """The cells of a property's points; `aa:cc` is a rectangle of them. Raises SgfError."""
    found = []
    for value in node.get(name, ()):
        start, _, end = value.strip().partition(":")
        corners = [_place(one, size) for one in (start, end or start)]
        if None in corners:
            raise SgfError(f"{name}[{value[:20]}] is no point on a board of {size} lines")
        (left, top), (right, low) = (corner for corner in corners if corner is not None)
        found += [row * size + column for row in range(top, low + 1) for column in range(left, right + 1)]
    return found


def point_name(game: Any, value: str) -> str:
    """The name of the point with these letters; empty for a pass, which is `[]` or lies beside the board as `tt`.

    Raises MoveError.
    """
    if value in ("", "tt") and (not value or game.size <= len(LETTERS)):
        return ""
    place = _place(value, game.size)
    if place is None:
        raise MoveError("no_such_cell", f"there is no point {value[:20]!r} on a board of {game.size} lines")
    name: str = game.cells[place[1] * game.size + place[0]]
    return name


def point(game: Any, cell: int) -> str:
    """Column and row of a cell from the top left, a letter each."""
    row, column = divmod(cell, game.size)
    return LETTERS[column] + LETTERS[row]


def points(game: Any, name: str, cells: Iterable[int]) -> str:
    """A property with the points of cells; empty without any."""
    values = "".join(f"[{point(game, cell)}]" for cell in cells)
    return f"{name}{values}" if values else ""


def escaped(text: str) -> str:
    """Escaped as the format requires: a backslash before characters that would end the value."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def main_line(text: str) -> list[Node]:
    """The nodes of the first game to its end, always along the first variation; at least one. Raises SgfError."""
    nodes: list[Node] = []
    depth, ended = 0, False
    for mark, name, values in _tokens(text):
        if mark == "(":
            depth += 1
        elif mark == ")":
            depth, ended = depth - 1, True
        elif depth <= 0:
            raise SgfError("something stands outside the parentheses of a game")
        elif mark == ";":
            if not ended:
                nodes.append({})
        elif not nodes:
            raise SgfError(f"{name} stands before the first node")
        elif not ended:
            found = [ESCAPE.sub(r"\1", value) for value in VALUE.findall(values)]
            nodes[-1].setdefault(name, []).extend(found)
        if depth < 0:
            raise SgfError("a parenthesis is closed that was not opened")
    if depth:
        raise SgfError("a parenthesis is not closed: the record was cut short")
    if not nodes:
        raise SgfError("there is no game in the text")
    return nodes


def _place(value: str, size: int) -> tuple[int, int] | None:
    column, row = (LETTERS.find(letter) for letter in value) if len(value) == 2 else (-1, -1)
    return (column, row) if 0 <= column < size and 0 <= row < size else None


def _tokens(text: str) -> Iterator[tuple[str, str, str]]:
    """Yields a parenthesis or semicolon, or a property's name and its bracketed values."""
    if len(text) > MAX_LENGTH:
        raise SgfError(f"{len(text)} characters; a record has at most {MAX_LENGTH}")
    place, end = 0, len(text.rstrip())
    while place < end:
        match = TOKEN.match(text, place)
        if match is None:
            raise SgfError(f"{text[place : place + 30].strip()!r} is no SGF")
        yield match[1] or "", match[2] or "", match[3] or ""
        place = match.end()
