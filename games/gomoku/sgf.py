"""SGF records of gomoku (Smart Game Format FF[4], GM[4]: gomoku and renju): the main line, its rules and points.

Points are two letters, column and row from the top left: `aa` is a15 on 15 lines. RU lists the names of the rule
options that are on and the opening's, or `free` if there is none. The format has no property for the openings'
decisions that lay no stone: each is a node of its own with the private property KC, `KC[black]` or `KC[two]`, which
other programs ignore.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import games
from games import GameError, MoveError, RuleError
from games.gomoku import NEAR, Gomoku

GAME_NUMBER = "4"
"""SGF's number for gomoku and renju."""
SIZE = "15"
"""Lines of the board where the record names no size."""
COLOURS = "BW"
CHOICE = "KC"
SET_UP = frozenset({"AB", "AW", "AE", "PL"})
"""Properties that put stones on the board, or set the mover, before the game."""
FREE = "free"
MAX_LENGTH = 1 << 20
"""Characters accepted in a record; no real game comes near."""
LETTERS = "abcdefghijklmnopqrs"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)\s*((?:\[(?:\\.|[^\\\]])*\]\s*)+))", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^\\\]])*)\]", re.DOTALL)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)

Node = dict[str, list[str]]
"""Property names and their values."""


class SgfError(GameError):
    """A text that is not a record of a gomoku game."""


def plies_of(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """The properties that are moves, as names (`B`, `W` or `KC`) and values."""
    for node in nodes:
        for name in (*COLOURS, CHOICE):
            for value in node.get(name, ()):
                yield name, value


def game_of(nodes: Sequence[Node]) -> Gomoku:
    """The rules that a record names, other options off; white begins if its first stone is white. Raises SgfError."""
    root = nodes[0]
    if first_of(root, "GM", GAME_NUMBER) != GAME_NUMBER:
        raise SgfError(f"GM[{first_of(root, 'GM', '')[:20]}] is another game; gomoku is GM[{GAME_NUMBER}]")
    size = first_of(root, "SZ", SIZE)
    words = first_of(root, "RU", FREE).lower().split()
    rules: dict[str, object] = {name: True for name in ("exact_five", "renju", "swap2", "caro") if name in words}
    if opening := next((name for name in (*NEAR, "swap") if name in words), ""):
        rules["opening"] = opening
    first = next((name for node in nodes for name in COLOURS if name in node), "B")
    try:
        game = games.load("gomoku", {**rules, "size": size, "first": "white" if first == "W" else "black"})
    except RuleError as error:
        raise SgfError(str(error)) from None
    assert isinstance(game, Gomoku)
    return game


def point_name(game: Gomoku, value: str) -> str:
    """The name of the point with these SGF letters. Raises MoveError."""
    column, row = (LETTERS.find(letter) for letter in value) if len(value) == 2 else (-1, -1)
    if not (0 <= column < game.size and 0 <= row < game.size):
        raise MoveError(
            "no_such_cell", f"there is no point {value[:20]!r} on a board of {game.size} lines; nobody passes"
        )
    return game.cells[row * game.size + column]


def first_of(node: Node, name: str, default: str = "") -> str:
    """The first value of a property."""
    return node.get(name, [default])[0].strip()


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
    if depth or not nodes:
        raise SgfError(
            "a parenthesis is not closed: the record was cut short" if depth else "there is no game in the text"
        )
    return nodes


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
