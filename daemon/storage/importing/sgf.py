"""Reads gomoku from SGF, with names, date, times and scores; only the first node may set up a position."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import games
from daemon.storage.importing.imported import Claim, Imported, ImportedPly, ImportFault, control, moment, seconds
from games import GameError
from games.gomoku import Gomoku
from games.gomoku.sgf import CHOICE, COLOURS, SET_UP, Node, first_of, game_of, main_line, plies_of, point_name

REASONS = {"r": "resigned", "resign": "resigned", "t": "time", "time": "time"}
"""Codes for the text after the winner in RE."""


def read_sgf(text: str) -> Imported:
    """The main line of the first game. Raises ImportFault."""
    try:
        nodes = main_line(text)
        root = nodes[0]
        start, game = _start(nodes)
        texts = [(name, value if name == CHOICE else point_name(game, value)) for name, value in plies_of(nodes)]
    except GameError as error:
        raise ImportFault(str(error)) from None
    figures = [node for node in nodes for name in (*COLOURS, CHOICE) for _ in node.get(name, ())]
    plies = tuple(_ply(name, text, node) for (name, text), node in zip(texts, figures, strict=True))
    black = _black(game, start, texts)
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
    )


def _ply(name: str, text: str, node: Node) -> ImportedPly:
    if name == CHOICE:
        return ImportedPly(text)
    score = seconds(first_of(node, "V"), most=1e8)
    if score is not None and name == "W":
        score = 0.0 - score
    return ImportedPly(text, None, None, seconds(first_of(node, f"{name}L")), score)


def _start(nodes: Sequence[Node]) -> tuple[str, Gomoku]:
    """The set-up position, empty if there is none, and the game. Raises GameError, ImportFault."""
    root, *rest = nodes
    if any(SET_UP & node.keys() for node in rest) or "AE" in root:
        raise ImportFault("stones are set up or taken away within the game; only its first node may set up a position")
    if not SET_UP & root.keys():
        return "", game_of(nodes)
    for first in ("black", "white"):
        game = games.load("gomoku", {**vars(game_of([root]).rules), "first": first})
        assert isinstance(game, Gomoku)
        letters = ["."] * len(game.cells)
        for colour in COLOURS:
            for value in root.get(f"A{colour}", ()):
                letters[game.cells.index(point_name(game, value))] = colour
        side = COLOURS.find(first_of(root, "PL", "B")[:1].upper())
        try:
            return game.format_position(game.set_up("".join(letters), max(0, side), game.initial())), game
        except GameError as error:
            fault = error
    raise fault


def _black(game: Gomoku, start: str, texts: Sequence[tuple[str, str]]) -> int:
    """The side with the black stones at the end. Raises ImportFault if a stone has the wrong colour."""
    position: Any = game.parse_position(start) if start else game.initial()
    for number, (name, text) in enumerate(texts, 1):
        if game.outcome(position) is None and name not in (CHOICE, right := COLOURS[game.colour(position)]):
            raise ImportFault(f"move {number}, {text}: not_your_turn: a stone of {right} is to be laid, not of {name}")
        try:
            position = game.apply(position, game.parse_move(position, text))
        except GameError:
            break  # `judged` reports it later with its number
    return int(position.black)


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
