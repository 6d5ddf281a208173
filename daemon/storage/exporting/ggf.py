"""Reversi as GGF, the Generic Game Format of the Generic Game Server, https://www.skatgame.net/mburo/ggsa/ggf.

A move is `B[F5//12.50]`: cell, evaluation in discs (only with a review: agents count in units of their own), seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from daemon.game.clocks import shown
from daemon.storage.exporting.played import SITE, Played, PlayedPly, day_of

if TYPE_CHECKING:
    from games.reversi import Reversi

ENDS = {"time": ":t", "resigned": ":r"}
"""Flags of RE; whoever resigned or ran out of time loses all discs, as in the format's own games."""
ALL_DISCS = 64
UNWRITABLE = str.maketrans("[];\n\r", "(),  ")
"""Replacements for characters that a GGF value cannot contain."""


def to_ggf(played: Played) -> str:
    """The game in one line."""
    game = cast("Reversi", played.game)
    stored = played.stored
    black, white = (name.translate(UNWRITABLE) for name in played.players)
    letters, mover = game.format_position(played.positions[0]).replace("X", "*").split()
    rows = " ".join(letters[start : start + 8] for start in range(0, 64, 8))
    site = stored.event.get("site", SITE).translate(UNWRITABLE)
    head = f"GM[Othello]PC[{site}]DT[{day_of(stored, '.')}_{stored.started[11:19]}.UTC]PB[{black}]PW[{white}]"
    moves = "".join(_move(game, ply) for ply in played.plies())
    return f"(;{head}RE[{_result(played)}]TI[{_time(played)}]TY[8]BO[8 {rows} {mover}]{moves};)\n"


def _move(game: Reversi, ply: PlayedPly) -> str:
    name = "PA" if ply.made.move.cell is None else ply.made.text.upper()
    worth = None if ply.judged is None else ply.judged.value.amount
    value = "" if worth is None else f"{worth:.2f}"
    time = "" if ply.stored.spent_s is None else f"{ply.stored.spent_s:.2f}"
    return f"{'BW'[ply.made.side]}[{f'{name}/{value}/{time}' if time else f'{name}/{value}' if value else name}]"


def _result(played: Played) -> str:
    """The number of discs by which black leads; `?` if the game was not finished."""
    outcome = played.outcome
    if outcome is None:
        return "?"
    if outcome.reason in ENDS and outcome.winner is not None:
        return f"{ALL_DISCS if outcome.winner == 0 else -ALL_DISCS:+.2f}{ENDS[outcome.reason]}"
    black, white = (discs.bit_count() for discs in played.positions[-1].discs)
    return f"{black - white:+.2f}"


def _time(played: Played) -> str:
    """Time and increment per side for the game; 0 if there is no limit, or it is per move, which GGF cannot express."""
    clock = played.stored.clock
    if clock.get("kind") != "game":
        return "0"
    increment = f"{shown(clock['increment_s']):0>5}" if clock["increment_s"] else ""
    return f"{shown(clock['time_s']):0>5}/{increment}/00:00"
