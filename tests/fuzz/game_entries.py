"""Positions of all games from random play, under several rules, in which moves are tried."""

from __future__ import annotations

import functools
import random
from typing import Any

import games
from rules import EMPTY, AnyGame, GameError, MoveError, PositionError, RuleError
from rules.options import rules_from_words
from rules.turns import carry_out
from tests.fuzz.entry import Entry, IllegalState

RULES: dict[str, tuple[dict[str, object], ...]] = {
    "gomoku": ({}, {"renju": True}, {"swap2": True}, {"size": 19}),
    "nine_mens_morris": ({}, {"flying": False}),
}
PLIES = (0, 3, 9, 20, 45)
SEED = 20


@functools.cache
def all_games() -> tuple[AnyGame, ...]:
    found = []
    for name in games.names():
        for rules in RULES.get(name, ({},)):
            try:
                found.append(games.load(name, rules))
            except RuleError:
                continue
    return tuple(found)


@functools.cache
def walks() -> tuple[tuple[AnyGame, Any], ...]:
    return tuple((game, position) for game in all_games() for position in _walk(game))


def _walk(game: AnyGame) -> list[Any]:
    draw, position, found = random.Random(SEED), game.initial(SEED), []
    for ply in range(max(PLIES) + 1):
        if ply in PLIES:
            found.append(position)
        moves = list(game.legal_moves(position))
        if not moves:
            break
        position = game.apply(position, draw.choice(moves))
    return found


def text_of(data: bytes) -> str:
    """The data as text, as from a command line: bytes that are not UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


MAX_MEN = {"nine_mens_morris": 9, "co_ganh": 16}
"""Men that one side may have on the board."""


def entries() -> list[Entry]:
    known = all_games()
    texts: dict[int, list[bytes]] = {number: [] for number in range(len(known))}
    moves, boards = [], []
    for number, (game, position) in enumerate(walks()):
        texts[known.index(game)].append(game.format_position(position).encode())
        moves += [
            bytes([number]) + game.format_move(position, one).encode() for one in list(game.legal_moves(position))[:4]
        ]
        boards.append(bytes([number]) + b"\x00" + game.board(position).encode())
    words = tuple({word.encode() for game in known for word in (*game.cells[:12], *game.sides, *game.classes)})
    found = [
        Entry(
            f"position_{game.about.short_name}{number}",
            "games",
            lambda data, game=game: position_text(game, data),  # type: ignore[misc]
            tuple(texts[number]),
            (*words, b";", b":", b"/", b"=", b",", b"+", b"up:", b"ply=1"),
            weight=0.25 if game.about.short_name == "dominoes" else 1,
            longest=1024,
        )
        for number, game in enumerate(known)
    ]
    rules = (b"reversi flying=true", b"gomoku size=19", b"morris flying=false", b"gomoku swap2=true renju=1", b"ganh")
    return [
        *found,
        Entry(
            "move_text", "games", move_text, tuple(moves), (*words, b"-", b"x", b"pass", b"="), weight=5, longest=128
        ),
        Entry("rule_words", "games", rule_words, rules, (b"true", b"=", b"size", b"15"), weight=0.3, longest=256),
        Entry("set_up_board", "games", set_up_board, tuple(boards), words, weight=1, longest=512),
    ]


def position_text(game: AnyGame, data: bytes) -> bool:
    """Reads a position's text: if accepted, the game can continue from it, and it survives writing and reading."""
    try:
        position = game.parse_position(text_of(data))
    except PositionError:
        return False
    check_position(game, position)
    text = game.format_position(position)
    if game.format_position(game.parse_position(text)) != text:
        raise IllegalState(f"{game.name}: {text!r} is read as another position")
    return True


def move_text(data: bytes) -> bool:
    """Reads a move's text in one of the known positions: if accepted, it is a legal move."""
    known = walks()
    game, position = known[data[0] % len(known)] if data else known[0]
    try:
        move = game.parse_move(position, text_of(data[1:]))
    except MoveError:
        return False
    if move not in list(game.legal_moves(position)):
        raise IllegalState(f"{game.name}: {text_of(data[1:])!r} is taken for a move")
    if game.parse_move(position, game.format_move(position, move)) != move:
        raise IllegalState(f"{game.name}: {move} is written as another move")
    return True


def rule_words(data: bytes) -> bool:
    """Reads a game's name and rule options, as given on a command line."""
    name, *words = text_of(data).split(" ")
    try:
        game = games.load(name, rules_from_words(words))
    except GameError:
        return False
    check_position(game, game.initial())
    return True


def set_up_board(data: bytes) -> bool:
    """Sets up a board as people do by hand: if accepted, the position shows it."""
    known = walks()
    game, before = known[data[0] % len(known)] if data else known[0]
    board, side = text_of(data[2:]), data[1] % 2 if data[1:] else 0
    if len(board) != len(game.cells) or not set(board) <= set(game.classes):
        return False  # no other boards are ever read from pictures
    try:
        position = game.set_up(board, side, before)
    except PositionError:
        return False
    if game.board(position) != board or game.to_move(position) != side:
        raise IllegalState(f"{game.name}: {board!r} is set up as {game.board(position)!r}")
    check_position(game, position)
    return True


def check_position(game: AnyGame, position: Any) -> None:
    """Raises IllegalState if an accepted position breaks the contract of all games."""
    board, moves = game.board(position), list(game.legal_moves(position))
    if len(board) != len(game.cells) or not set(board) <= set(game.classes):
        raise IllegalState(f"{game.name}: the board {board!r}")
    if game.to_move(position) not in (0, 1) or len(set(moves)) != len(moves):
        raise IllegalState(f"{game.name}: moves twice, or of nobody")
    if bool(moves) == (game.outcome(position) is not None):
        raise IllegalState(f"{game.name}: {len(moves)} moves, and the outcome is {game.outcome(position)}")
    men = [board.count(piece) for piece in game.pieces if piece != EMPTY]
    if any(count > MAX_MEN.get(game.name, len(board)) for count in men):
        raise IllegalState(f"{game.name}: {men} men")
    if moves:
        move = random.Random(board).choice(moves)
        if carry_out(board, game.steps(position, move)) != game.board(game.apply(position, move)):
            raise IllegalState(f"{game.name}: the steps of {move} lead elsewhere")
