"""Games with black and white stones as SGF: names, date, times, scores, comments; better lines are variations.

It is FF[4], https://www.red-bean.com/sgf/. Read is the main line of the first game, of which only the first node may
set up a position. A game whose `formats` name `sgf` has a module `sgf` in its package, its `Dialect`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import games
from daemon.record.formats.imported import Claim, Imported, ImportedPly, ImportFault, control, moment, seconds
from daemon.record.formats.played import Played, PlayedPly, day_of
from daemon.record.stored_game import rule_texts
from rules import EMPTY, AnyGame, GameError, MoveError

COLOURS = "BW"
"""The properties of black's and white's moves, and the class letters of their stones."""
MAX_LENGTH = 1 << 20
"""Characters accepted in a record; no real game comes near."""
LETTERS = "abcdefghijklmnopqrs"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)\s*((?:\[(?:\\.|[^\\\]])*\]\s*)+))", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^\\\]])*)\]", re.DOTALL)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)

SIGNS = {"slip": "DO[]", "mistake": "BM[1]", "blunder": "BM[2]"}
PROPERTIES = {"name": "EV", "site": "PC", "round": "RO"}
ENDS = {"time": "T", "resigned": "R"}
"""What follows the winner in RE, by the outcome's reason; otherwise the points won by, if any."""
REASONS = {"r": "resigned", "resign": "resigned", "t": "time", "time": "time"}
SET_UP = frozenset({"AB", "AW", "AE", "PL"})
"""Properties that put stones on the board, or set the mover, before the game."""
USUAL = "4"
"""The number of a record that names no game: ours is gomoku."""


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
        "DT": day_of(played.stored),
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
    return f"{head}PL[{_colour(game, how, start)}]"


def _colour(game: AnyGame, how: Dialect, position: object) -> str:
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


def _clock(root: Node) -> Mapping[str, Any]:
    time_s = seconds(first_of(root, "TM"))
    overtime, _, kind = first_of(root, "OT").partition(" ")
    extra_s, kind = seconds(overtime), kind.strip().lower()
    if time_s:
        return control("game", time_s, extra_s if kind == "fischer" else None)
    return control("move", extra_s) if kind == "simple" else {}


def _node(game: AnyGame, how: Dialect, ply: PlayedPly) -> str:
    """A move with the time left, a score that is positive if good for black, a sign at a mistake, and what is said."""
    text, stored, judged = _move(game, how, ply.before, ply.made.move), ply.stored, ply.judged
    name, words, sign = how.property_of(game, ply.before, ply.made.move)[0], ply.comment, ""
    if name in COLOURS:
        if stored.left_s is not None:
            text += f"{name}L[{stored.left_s[ply.made.side]:.1f}]"
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


def read_sgf(text: str, _game: str, _rules: Mapping[str, object]) -> Imported:
    try:
        nodes = main_line(text)
        root = nodes[0]
        name = game_numbered(first_of(root, "GM", USUAL))
        how = dialect(name)
        game: Any = games.load(name, {**how.rules_of(nodes), "size": first_of(root, "SZ", how.SIZE)})
        start = _start(game, nodes)
        plies, end = _plies(game, how, nodes, start)
    except GameError as error:
        raise ImportFault(str(error)) from None
    black = how.black(end)
    names = first_of(root, "PB"), first_of(root, "PW")
    return Imported(
        game.name,
        rule_texts(game),
        plies,
        players=names if black == 0 else (names[1], names[0]),
        started=moment(first_of(root, "DT")),
        start=start,
        clock=_clock(root),
        claim=_claim(first_of(root, "RE"), black),
        event={name: first_of(root, one) for name, one in PROPERTIES.items()},
        comment=first_of(root, "C"),
    )


def _start(game: Any, nodes: Sequence[Node]) -> str:
    """The set-up position; empty where the record begins as the rules do. Raises GameError, ImportFault."""
    root, *rest = nodes
    if any(SET_UP & node.keys() for node in rest) or "AE" in root:
        raise ImportFault("stones are set up or taken away within the game; only its first node may set up a position")
    if not SET_UP & root.keys():
        return ""
    letters = [EMPTY] * len(game.cells)
    for colour in COLOURS:
        for cell in cells_of(root, f"A{colour}", game.size):
            letters[cell] = colour
    first = next((name for node in nodes for name in COLOURS if name in node), COLOURS[0])
    side = max(0, COLOURS.find(first_of(root, "PL", first)[:1].upper()))
    board = "".join(letters)
    if board == game.board(game.initial()) and side == game.to_move(game.initial()):
        return ""
    return str(game.format_position(game.set_up(board, side, game.initial())))


def _plies(game: Any, how: Dialect, nodes: Sequence[Node], start: str) -> tuple[tuple[ImportedPly, ...], Any]:
    """The plies, and the position after them, or after the last before one that is not legal.

    Raises GameError, and ImportFault if a stone has the wrong colour.
    """
    position: Any = game.parse_position(start) if start else game.initial()
    plies: list[ImportedPly] = []
    made = [(name, value, node) for node in nodes for name in how.MOVES for value in node.get(name, ())]
    for number, (name, value, node) in enumerate(made, 1):
        text = how.text_of(name, value, point_name(game, value) if name in COLOURS else "")
        if name in COLOURS and game.outcome(position) is None and name != (right := _colour(game, how, position)):
            if not how.PASS:
                why = f"a stone of {right} is to be laid, not of {name}"
                raise ImportFault(f"move {number}, {text}: not_your_turn: {why}")
            plies.append(ImportedPly(how.PASS))
            position = game.apply(position, game.parse_move(position, how.PASS))
        if number == len(made):
            end = nodes[-1]
            territory: dict[str, Sequence[str]] = {
                side: [game.cells[cell] for cell in cells_of(end, side, game.size)]
                for side in ("TB", "TW")
                if side in end
            }
            text = how.last(game, position, text, territory)
        plies.append(_ply(name, text, node))
        try:
            position = game.apply(position, game.parse_move(position, text))
        except GameError:
            plies += [_ply(*one) for one in made[number:]]
            break  # `judged` reports it later with its number
    return tuple(plies), position


def _ply(name: str, text: str, node: Node) -> ImportedPly:
    if name not in COLOURS:
        return ImportedPly(text, comment=first_of(node, "C"))
    score = seconds(first_of(node, "V"), most=1e8)
    if score is not None and name == COLOURS[1]:
        score = 0.0 - score
    left_s = seconds(first_of(node, f"{name}L"))
    return ImportedPly(text, left_s=left_s, score=score, comment=first_of(node, "C"))


def _claim(result: str, black: int) -> Claim | None:
    text = result.strip().lower()
    if text in ("0", "draw"):
        return Claim(None)
    match = re.fullmatch(r"([bw])\+(.*)", text)
    if match is None:
        return None
    return Claim(black if match[1] == "b" else 1 - black, REASONS.get(match[2].strip(), ""))


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
