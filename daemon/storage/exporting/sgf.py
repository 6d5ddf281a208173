"""Gomoku as SGF: Smart Game Format FF[4], GM[4], https://www.red-bean.com/sgf/.

`daemon.storage.importing.sgf` reads the result, with names, date, times and an agent's evaluation.
"""

from __future__ import annotations

import contextlib

from daemon.storage.exporting.comments import comment
from daemon.storage.exporting.played import Played, PlayedPly, day_of
from games import GameError
from games.gomoku import Choice, Gomoku, Position
from games.gomoku.sgf import CHOICE, COLOURS, FREE, GAME_NUMBER, LETTERS

SIGNS = {"slip": "DO[]", "mistake": "BM[1]", "blunder": "BM[2]"}
"""SGF's properties for a doubtful move, a bad one, and a very bad one."""
ENDS = {"time": "T", "resigned": "R"}
"""Suffix after the winner in RE, by the outcome's reason; other reasons have none."""


def to_sgf(played: Played) -> str:
    """The game as one SGF game tree; with comments, better lines are its variations."""
    game = played.game
    assert isinstance(game, Gomoku)
    nodes = ""
    for ply in reversed(list(played.plies())):
        nodes = _node(game, ply) + _comment(played, ply) + nodes
        if better := _better(game, ply):
            nodes = f"({nodes})\n({better})"
    return f"(;{_root(played, game)}\n{nodes})\n"


def _root(played: Played, game: Gomoku) -> str:
    last = played.positions[-1]
    black, white = played.players[last.black], played.players[1 - last.black]
    properties = {
        "FF": "4",
        "GM": GAME_NUMBER,
        "CA": "UTF-8",
        "AP": "Kibitzer",
        "SZ": str(game.size),
        "RU": " ".join(name for name, value in vars(game.rules).items() if value is True) or FREE,
        "PB": black,
        "PW": white,
        "DT": day_of(played.stored),
        **_times(played),
        "RE": _result(played, last.black),
    }
    head = "".join(f"{name}[{_escaped(value)}]" for name, value in properties.items() if value)
    return head + (_set_up(game, played.positions[0]) if played.stored.start else "")


def _set_up(game: Gomoku, start: Position) -> str:
    """The stones of the set-up start, and the colour to move."""
    board = game.board(start)
    places = {piece: [cell for cell, letter in enumerate(board) if letter == piece] for piece in COLOURS}
    stones = (
        f"A{piece}{''.join(f'[{_point(game, cell)}]' for cell in cells)}" for piece, cells in places.items() if cells
    )
    return f"{''.join(stones)}PL[{COLOURS[game.colour(start)]}]"


def _result(played: Played, black: int) -> str:
    if (outcome := played.outcome) is None:
        return ""
    if outcome.winner is None:
        return "0"
    return f"{COLOURS[outcome.winner != black]}+{ENDS.get(outcome.reason, '')}"


def _times(played: Played) -> dict[str, str]:
    """TM, the seconds for the whole game, and OT, the increment or the time per move."""
    clock = played.stored.clock
    match clock.get("kind"):
        case "game":
            increment = clock["increment_s"]
            return {"TM": f"{clock['time_s']:g}", "OT": f"{increment:g} fischer" if increment else ""}
        case "move":
            return {"OT": f"{clock['time_s']:g} simple"}
    return {}


def _node(game: Gomoku, ply: PlayedPly) -> str:
    """A move with the time left and an agent's score, where positive is good for black."""
    move, stored = ply.made.move, ply.stored
    if isinstance(move, Choice):
        return f";{CHOICE}[{move.word}]"
    colour = game.colour(ply.before)
    text = f";{COLOURS[colour]}[{_point(game, move.cell)}]"
    if stored.left_s is not None:
        text += f"{COLOURS[colour]}L[{stored.left_s[ply.made.side]:.1f}]"
    if stored.score is not None and ply.judged is None:
        text += f"V[{(stored.score if colour == 0 else -stored.score) + 0.0:g}]"
    return text


def _comment(played: Played, ply: PlayedPly) -> str:
    """What the review says: the value, positive if good for black, the words, and a sign at a mistake."""
    game, judged = played.game, ply.judged
    if judged is None or played.review is None or isinstance(ply.made.move, Choice):
        return ""
    assert isinstance(game, Gomoku)
    score = judged.value.score if game.colour(ply.before) == 0 else -judged.value.score
    return f"V[{score + 0.0:g}]C[{_escaped(comment(judged, played.review.unit))}]{SIGNS.get(judged.mark, '')}"


def _better(game: Gomoku, ply: PlayedPly) -> str:
    """The better line at a mistake as nodes; empty where there is none."""
    judged, position = ply.judged, ply.before
    if judged is None or judged.best is None or not judged.mark or judged.best.move == judged.move:
        return ""
    nodes = ""
    with contextlib.suppress(GameError):  # a line of another version
        for text in judged.best.line:
            move = game.parse_move(position, text)
            if isinstance(move, Choice):
                break
            nodes += f";{COLOURS[game.colour(position)]}[{_point(game, move.cell)}]"
            position = game.apply(position, move)
    return nodes


def _point(game: Gomoku, cell: int) -> str:
    """Column and row from the top left, a letter each."""
    row, column = divmod(cell, game.size)
    return LETTERS[column] + LETTERS[row]


def _escaped(text: str) -> str:
    """Escaped as SGF requires: a backslash before characters that would end the value."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
