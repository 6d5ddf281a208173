"""Reads games with black and white stones from SGF, also as other programs and older versions write it.

What departs from the standard is taken as it is meant, and named. Read is the main line, which may set up a position
before its first move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import games
from daemon.record.formats.imported import Claim, Imported, ImportedPly, ImportFault, control, moment, seconds
from daemon.record.formats.sgf import (
    COLOURS,
    LETTERS,
    PROPERTIES,
    Dialect,
    Node,
    SgfError,
    colour_of,
    dialect,
    first_of,
)
from daemon.record.stored_game import rule_texts
from rules import EMPTY, GameError, MoveError

MAX_LENGTH = 1 << 20
"""Characters accepted in a record; no real game comes near."""
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)\s*((?:\[(?:\\.|[^\\\]])*\]\s*)+))", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^\\\]])*)\]", re.DOTALL)
BEGIN = re.compile(r"\(\s*;")
PART = re.compile(r"\[(?:\\.|[^\\\]])*(?:\]|\\?\Z)|\(\s*;|[()]", re.DOTALL)
"""A value, in which parentheses mean nothing and which may never end; or a parenthesis, or what begins a game or a
variation."""
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
REASONS = {"r": "resigned", "resign": "resigned", "t": "time", "time": "time"}
FORFEITS = ("f", "forfeit")
SET_UP = frozenset({"AB", "AW", "AE", "PL"})
"""Properties that put stones on the board, or set the mover, before the game."""
USUAL = "1"
"""The number of a record that names no game: go."""


def _clock(root: Node) -> Mapping[str, Any]:
    time_s = seconds(first_of(root, "TM"))
    overtime, _, kind = first_of(root, "OT").partition(" ")
    extra_s, kind = seconds(overtime), kind.strip().lower()
    if time_s:
        return control("game", time_s, extra_s if kind == "fischer" else None)
    return control("move", extra_s) if kind == "simple" else {}


def read_sgf(text: str, _game: str, _rules: Mapping[str, object]) -> Imported:
    try:
        told = list[str]()
        nodes = main_line(text, told)
        root = nodes[0]
        if "GM" not in root:
            told.append("no GM: taken for go")
        name = game_numbered(first_of(root, "GM") or USUAL)
        how = dialect(name)
        _tidy(nodes, told)
        told += how.mend(nodes)
        game: Any = games.load(name, {**how.rules_of(nodes), "size": first_of(root, "SZ", how.SIZE)})
        start = _start(game, nodes)
        plies, end = _plies(game, how, nodes, start)
    except GameError as error:
        raise ImportFault(str(error)) from None
    black, day = how.black(end), first_of(root, "DT")
    names, started = (first_of(root, "PB"), first_of(root, "PW")), moment(day)
    if first_of(root, "RE").lower().partition("+")[2] in FORFEITS:
        told.append(f"RE[{first_of(root, 'RE')}]: won by forfeit")
    return Imported(
        game.name,
        rule_texts(game),
        plies,
        players=names if black == 0 else (names[1], names[0]),
        started=started,
        start=start,
        clock=_clock(root),
        claim=_claim(first_of(root, "RE"), black),
        event={"date": "" if started else day, **{name: first_of(root, one) for name, one in PROPERTIES.items()}},
        comment=first_of(root, "C"),
        departures=tuple(told),
    )


def _tidy(nodes: Sequence[Node], told: list[str]) -> None:
    """Takes out what sets up nothing, and who moves within the game; `told` grows by both."""
    for number, node in enumerate(nodes):
        for name in sorted(SET_UP & node.keys()):
            if number and name == "PL":
                told.append("PL after the first node is passed over")
                del node[name]
            elif not any(map(str.strip, node[name])):
                told.append(f"{name}[] sets up nothing")
                del node[name]


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
        if game.outcome(position) is not None:
            plies += [_ply(*one) for one in made[number - 1 :]]
            break  # `judged` says what becomes of them
        if name in COLOURS and name != (right := colour_of(game, how, position)):
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


def cells_of(node: Node, name: str, size: int) -> list[int]:
    """The cells of a property's points; `aa:cc` is a rectangle of them. Raises SgfError."""
    found = []
    for value in filter(str.strip, node.get(name, ())):
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


def trees_in(text: str) -> list[str]:
    """The text of each game of a collection, at least one; what stands before the first goes with it."""
    found, begun, depth = list[str](), 0, 0
    for match in PART.finditer(text):
        if match[0] == ")" and depth == 1:
            found.append(text[begun : match.end()])
            begun, depth = match.end(), 0
        elif match[0] == ")":
            depth = max(0, depth - 1)
        elif depth or match[0].startswith("("):
            depth += match[0].startswith("(")
    rest = text[begun:]
    return [*found, rest] if not found or BEGIN.search(rest) else found


def main_line(text: str, told: list[str]) -> list[Node]:
    """The nodes to the end, always along the first variation; at least one. `told` grows by what departs.

    Raises SgfError.
    """
    nodes: list[Node] = []
    depth, ended, begin = 0, False, BEGIN.search(text)
    if begin is not None and text[: begin.start()].strip():
        told.append("what stands before the record is passed over")
    for mark, name, values in _tokens(text if begin is None else text[begin.start() :], told):
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


def _tokens(text: str, told: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yields a parenthesis or semicolon, or a property's name and its bracketed values."""
    old = False
    if len(text) > MAX_LENGTH:
        raise SgfError(f"{len(text)} characters; a record has at most {MAX_LENGTH}")
    place, end = 0, len(text.rstrip())
    while place < end:
        match = TOKEN.match(text, place)
        if match is None:
            raise SgfError(f"{text[place : place + 30].strip()!r} is no SGF")
        name = "".join(filter(str.isupper, match[2] or ""))
        if match[2] and name != match[2] and not old:
            old = True
            told.append(f"small letters in names such as {match[2][:20]} are passed over, as before FF[4]")
        if name or match[1]:
            yield match[1] or "", name, match[3] or ""
        place = match.end()


def game_numbered(number: str) -> str:
    """The name of the game with that number. Raises SgfError."""
    known = {dialect(name).NUMBER: name for name in games.names() if "sgf" in games.find(name).about.formats}
    if number not in known:
        ours = " and ".join(f"{name} GM[{one}]" for one, name in known.items())
        raise SgfError(f"GM[{number[:20]}] is another game; we know {ours}")
    return known[number]
