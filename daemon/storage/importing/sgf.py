"""Reads games from SGF, with names, date, times and scores; only the first node may set up a position."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import games
from daemon.storage import sgf
from daemon.storage.exporting.sgf import PROPERTIES
from daemon.storage.importing.imported import Claim, Imported, ImportedPly, ImportFault, control, moment, seconds
from daemon.storage.sgf import COLOURS, SET_UP, Dialect, Node, SgfError, first_of, main_line, point_name, points_of
from rules import EMPTY, AnyGame, GameError, RuleError

REASONS = {"r": "resigned", "resign": "resigned", "t": "time", "time": "time"}
"""Codes for the text after the winner in RE."""
USUAL = "4"
"""The number of a record that names no game: ours is gomoku."""


def read_sgf(text: str) -> Imported:
    """The main line of the first game. Raises ImportFault."""
    try:
        nodes = main_line(text)
        root = nodes[0]
        name = sgf.game_numbered(first_of(root, "GM", USUAL))
        how = sgf.dialect(name)
        game = _game(name, how, nodes)
        start = _start(game, how, nodes)
        plies, end = _plies(game, how, nodes, start)
    except GameError as error:
        raise ImportFault(str(error)) from None
    black = how.black(end)
    names = first_of(root, "PB"), first_of(root, "PW")
    return Imported(
        game.name,
        {name: str(value).lower() for name, value in vars(game.rules).items()},
        plies,
        players=names if black == 0 else (names[1], names[0]),
        started=moment(first_of(root, "DT")),
        start=start,
        clock=_clock(root),
        claim=_claim(first_of(root, "RE"), black),
        event={name: first_of(root, one) for name, one in PROPERTIES.items()},
        comment=first_of(root, "C"),
    )


def _game(name: str, how: Dialect, nodes: Sequence[Node]) -> AnyGame:
    try:
        return games.load(name, {**how.rules_of(nodes), "size": first_of(nodes[0], "SZ", how.SIZE)})
    except RuleError as error:
        raise SgfError(str(error)) from None


def _start(game: AnyGame, how: Dialect, nodes: Sequence[Node]) -> str:
    """The set-up position; empty where the record begins as the rules do. Raises GameError, ImportFault."""
    root, *rest = nodes
    if any(SET_UP & node.keys() for node in rest) or "AE" in root:
        raise ImportFault("stones are set up or taken away within the game; only its first node may set up a position")
    if not SET_UP & root.keys():
        return ""
    size: int = game.size  # type: ignore[attr-defined]
    letters = [EMPTY] * len(game.cells)
    for colour in COLOURS:
        for column, row in points_of(root, f"A{colour}", size):
            letters[row * size + column] = colour
    first = next((name for node in nodes for name in COLOURS if name in node), COLOURS[0])
    side = COLOURS.find(first_of(root, "PL", first)[:1].upper())
    board = "".join(letters)
    if board == game.board(game.initial()) and max(0, side) == game.to_move(game.initial()):
        return ""
    return game.format_position(game.set_up(board, max(0, side), game.initial()))


def _plies(game: AnyGame, how: Dialect, nodes: Sequence[Node], start: str) -> tuple[tuple[ImportedPly, ...], Any]:
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
            territory: dict[str, Sequence[str]] = {
                side: [game.cells[row * game.size + column] for column, row in points_of(nodes[-1], side, game.size)]  # type: ignore[attr-defined]
                for side in ("TB", "TW")
                if side in nodes[-1]
            }
            text = how.last(game, position, text, territory)
        plies.append(_ply(name, text, node))
        try:
            position = game.apply(position, game.parse_move(position, text))
        except GameError:
            plies += [_ply(*one) for one in ((name, value, node) for name, value, node in made[number:])]
            break  # `judged` reports it later with its number
    return tuple(plies), position


def _colour(game: AnyGame, how: Dialect, position: Any) -> str:
    """The colour whose stone is next."""
    return how.property_of(game, position, game.legal_moves(position)[0])[0]


def _ply(name: str, text: str, node: Node) -> ImportedPly:
    if name not in COLOURS:
        return ImportedPly(text, comment=first_of(node, "C"))
    score = seconds(first_of(node, "V"), most=1e8)
    if score is not None and name == "W":
        score = 0.0 - score
    return ImportedPly(text, None, None, seconds(first_of(node, f"{name}L")), score, first_of(node, "C"))


def _claim(result: str, black: int) -> Claim | None:
    """The end stated by RE."""
    text = result.strip().lower()
    if text in ("0", "draw"):
        return Claim(None)
    match = re.fullmatch(r"([bw])\+(.*)", text)
    if match is None:
        return None
    return Claim(black if match[1] == "b" else 1 - black, REASONS.get(match[2].strip(), ""))


def _clock(root: Node) -> Mapping[str, Any]:
    time_s = seconds(first_of(root, "TM"))
    overtime, _, kind = first_of(root, "OT").partition(" ")
    extra_s = seconds(overtime)
    if time_s:
        return control("game", time_s, extra_s if extra_s and kind.strip().lower() == "fischer" else 0.0)
    return control("move", extra_s) if extra_s and kind.strip().lower() == "simple" else {}
