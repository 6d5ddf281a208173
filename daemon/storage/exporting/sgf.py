"""Games with black and white stones as SGF: Smart Game Format FF[4], https://www.red-bean.com/sgf/.

`daemon.storage.importing.sgf` reads the result, with names, date, times and an agent's evaluation.
"""

from __future__ import annotations

import contextlib

from daemon.storage.exporting.comments import comment
from daemon.storage.exporting.played import Played, PlayedPly, day_of
from daemon.storage.sgf import COLOURS, Dialect, dialect, escaped, point
from rules import EMPTY, AnyGame, GameError

SIGNS = {"slip": "DO[]", "mistake": "BM[1]", "blunder": "BM[2]"}
"""SGF's properties for a doubtful move, a bad one, and a very bad one."""
PROPERTIES = {"name": "EV", "site": "PC", "round": "RO"}
"""SGF's properties for what a game is played for."""
ENDS = {"time": "T", "resigned": "R"}
"""Suffix after the winner in RE, by the outcome's reason; others have the points won by, if any."""


def to_sgf(played: Played) -> str:
    """The game as one SGF game tree; with comments, better lines are its variations."""
    game, how = played.game, dialect(played.game.name)
    nodes = _territory(game, how, played.positions[-1])
    for ply in reversed(list(played.plies())):
        nodes = _node(game, how, ply) + _comment(played, how, ply) + nodes
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
        **_times(played),
        "RE": _result(played, black),
        "C": played.stored.comments.get(0, ""),
    }
    head = "".join(f"{name}[{escaped(value)}]" for name, value in properties.items() if value)
    is_set_up = played.stored.start or game.board(start).strip(EMPTY)
    return head + (_set_up(game, how, start) if is_set_up else "")


def _set_up(game: AnyGame, how: Dialect, start: object) -> str:
    """The stones at the start, and the colour to move."""
    board = game.board(start)
    places = {piece: [cell for cell, letter in enumerate(board) if letter == piece] for piece in COLOURS}
    stones = (
        f"A{piece}{''.join(f'[{point(game, cell)}]' for cell in cells)}" for piece, cells in places.items() if cells
    )
    return f"{''.join(stones)}PL[{_colour(game, how, start)}]"


def _colour(game: AnyGame, how: Dialect, position: object) -> str:
    """The colour whose stone is next."""
    return how.property_of(game, position, game.legal_moves(position)[0])[0]


def _territory(game: AnyGame, how: Dialect, end: object) -> str:
    """What each side surrounds at the end, in the last node."""
    told = ((name, map(game.cells.index, cells)) for name, cells in how.territory(game, end).items() if cells)
    return "".join(f"{name}{''.join(f'[{point(game, cell)}]' for cell in cells)}" for name, cells in told)


def _result(played: Played, black: int) -> str:
    if (outcome := played.outcome) is None:
        return ""
    if outcome.winner is None:
        return "0"
    by = "" if outcome.scores is None else f"{abs(outcome.scores[0] - outcome.scores[1]):g}"
    return f"{COLOURS[outcome.winner != black]}+{ENDS.get(outcome.reason, by)}"


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


def _node(game: AnyGame, how: Dialect, ply: PlayedPly) -> str:
    """A move with the time left and an agent's score, where positive is good for black."""
    text, stored = _move(game, how, ply.before, ply.made.move), ply.stored
    name = how.property_of(game, ply.before, ply.made.move)[0]
    if name not in COLOURS:
        return text
    if stored.left_s is not None:
        text += f"{name}L[{stored.left_s[ply.made.side]:.1f}]"
    if stored.score is not None and ply.judged is None:
        text += f"V[{(stored.score if name == COLOURS[0] else -stored.score) + 0.0:g}]"
    return text


def _move(game: AnyGame, how: Dialect, position: object, move: object) -> str:
    """A move as a node."""
    name, value = how.property_of(game, position, move)
    return f";{name}[{point(game, game.cells.index(value)) if value in game.cells else value}]"


def _comment(played: Played, how: Dialect, ply: PlayedPly) -> str:
    """What the review says, with its value, positive if good for black, and a sign at a mistake; then what was said."""
    name, judged = how.property_of(played.game, ply.before, ply.made.move)[0], ply.judged
    if judged is None or played.review is None or name not in COLOURS:
        return f"C[{escaped(ply.comment)}]" if ply.comment else ""
    words = f"{comment(judged, played.review.unit)} {ply.comment}".strip()
    score = judged.value.score if name == COLOURS[0] else -judged.value.score
    return f"V[{score + 0.0:g}]C[{escaped(words)}]{SIGNS.get(judged.mark, '')}"


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
