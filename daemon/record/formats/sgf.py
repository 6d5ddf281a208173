"""Games with black and white stones as SGF: names, date, times, scores, comments; better lines are variations.

It is FF[4], https://www.red-bean.com/sgf/. Read is the main line, which may set up a position before its first move.
A game whose `formats` name `sgf` has a module `sgf` in its package, its `Dialect`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import games
from daemon.record.formats.played import Played, PlayedPly, day_of
from rules import EMPTY, AnyGame, GameError

COLOURS = "BW"
"""The properties of black's and white's moves, and the class letters of their stones."""
LETTERS = "abcdefghijklmnopqrs"

SIGNS = {"slip": "DO[]", "mistake": "BM[1]", "blunder": "BM[2]"}
PROPERTIES = {"name": "EV", "site": "PC", "round": "RO"}
ENDS = {"time": "T", "resigned": "R"}
"""What follows the winner in RE, by the outcome's reason; otherwise the points won by, if any."""


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

    def mend(self, nodes: Sequence[Node]) -> list[str]:
        """Puts into the form of the standard what a record writes otherwise; returns what that was."""

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


def to_sgf(played: Played) -> str:
    """The game as one SGF game tree; with comments, better lines are its variations."""
    game, how = played.game, dialect(played.game.name)
    territory = how.territory(game, played.positions[-1])
    nodes = "".join(points(game, name, map(game.cells.index, cells)) for name, cells in territory.items())
    for ply in reversed(list(played.plies())):
        nodes = _node(game, how, ply) + nodes
        if better := _better(game, how, ply):
            nodes = f"({nodes})\n({better})"
    return f"(;{_root(played, how)}\n{nodes})\n"


def _root(played: Played, how: Dialect) -> str:
    game, start, black = played.game, played.positions[0], how.black(played.positions[-1])
    properties = {
        "FF": "4",
        "GM": how.NUMBER,
        "CA": "UTF-8",
        "AP": "Kibitzer",
        "SZ": str(round(len(game.cells) ** 0.5)),
        **how.root_of(game),
        "PB": played.players[black],
        "PW": played.players[1 - black],
        "DT": played.stored.event.get("date") or day_of(played.stored),
        **{PROPERTIES[name]: value for name, value in played.stored.event.items() if name in PROPERTIES},
        **_times(played.stored.clock),
        "RE": _result(played, black),
        "C": played.stored.comments.get(0, ""),
    }
    head = "".join(f"{name}[{escaped(value)}]" for name, value in properties.items() if value)
    board = game.board(start)
    if not played.stored.start and not board.strip(EMPTY):
        return head
    for colour in COLOURS:
        head += points(game, f"A{colour}", [cell for cell, letter in enumerate(board) if letter == colour])
    return f"{head}PL[{colour_of(game, how, start)}]"


def colour_of(game: AnyGame, how: Dialect, position: object) -> str:
    return how.property_of(game, position, game.legal_moves(position)[0])[0]


def _result(played: Played, black: int) -> str:
    if (outcome := played.stored.outcome) is None:
        return ""
    if outcome.winner is None:
        return "0"
    by = "" if outcome.scores is None else f"{abs(outcome.scores[0] - outcome.scores[1]):g}"
    return f"{COLOURS[outcome.winner != black]}+{ENDS.get(outcome.reason, by)}"


def _times(clock: Mapping[str, Any]) -> dict[str, str]:
    """TM, the seconds for the whole game, and OT, the increment or the time per move; `_clock` reads them."""
    match clock.get("kind"):
        case "game":
            increment = clock["increment_s"]
            return {"TM": f"{clock['time_s']:g}", "OT": f"{increment:g} fischer" if increment else ""}
        case "move":
            return {"OT": f"{clock['time_s']:g} simple"}
    return {}


def _node(game: AnyGame, how: Dialect, ply: PlayedPly) -> str:
    """A move with the time left, a score that is positive if good for black, a sign at a mistake, and what is said."""
    text, stored, judged = _move(game, how, ply.before, ply.made.move), ply.stored, ply.judged
    name, words, sign = how.property_of(game, ply.before, ply.made.move)[0], ply.comment, ""
    if name in COLOURS:
        if (left_s := (stored.left_first_s, stored.left_second_s)[ply.made.side]) is not None:
            text += f"{name}L[{left_s:.1f}]"
        score = stored.score
        if judged is not None:
            score, sign = judged.value.score, SIGNS.get(judged.mark, "")
            words = f"{ply.review} {words}".strip()
        if score is not None:
            text += f"V[{(score if name == COLOURS[0] else -score) + 0.0:g}]"
    return text + (f"C[{escaped(words)}]" if words else "") + sign


def _move(game: AnyGame, how: Dialect, position: object, move: object) -> str:
    name, value = how.property_of(game, position, move)
    return f";{name}[{point(game, game.cells.index(value)) if value in game.cells else value}]"


def _better(game: AnyGame, how: Dialect, ply: PlayedPly) -> str:
    """The better line at a mistake as nodes; empty where there is none."""
    judged, position = ply.judged, ply.before
    if judged is None or judged.best is None or not judged.mark or judged.best.move == judged.move:
        return ""
    nodes = ""
    with contextlib.suppress(GameError):  # a line of another version
        for text in judged.best.line:
            move = game.parse_move(position, text)
            if how.property_of(game, position, move)[0] not in COLOURS:
                break
            nodes += _move(game, how, position, move)
            position = game.apply(position, move)
    return nodes


def first_of(node: Node, name: str, default: str = "") -> str:
    return node.get(name, [default])[0].strip()


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
