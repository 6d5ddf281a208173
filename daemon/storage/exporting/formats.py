"""The formats that a recorded game can be exported to, and for which games each is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from daemon.storage.exporting.document import as_object
from daemon.storage.exporting.ggf import to_ggf
from daemon.storage.exporting.movetext import to_movetext
from daemon.storage.exporting.played import ExportError, Played
from daemon.storage.exporting.sgf import to_sgf
from daemon.storage.stored import StoredGame
from games.reversi import transcript


class Format(NamedTuple):
    """One way to write a game."""

    suffixes: tuple[str, ...]
    games: tuple[str, ...]
    """Module names of the games that it is for; none are all."""
    write: Callable[[Played], str] | None
    """None where it is no text: pictures and folders of files have commands of their own."""
    about: str


def to_transcript(played: Played) -> str:
    """Reversi's moves in one word, `f5d6c3`, passes left out. Raises ExportError for a start that it cannot tell."""
    if played.stored.start:
        raise ExportError(
            "the game began with a position set up by hand, which a transcript cannot tell: --format ggf can"
        )
    return transcript.write(ply.made.move for ply in played.plies()) + "\n"


MORRIS, REVERSI, GOMOKU, GANH, DOMINOES = (
    "nine_mens_morris",
    "reversi",
    "gomoku",
    "co_ganh",
    "double_double_dominoes",
)
FORMATS = {
    "sgf": Format((".sgf",), (GOMOKU,), to_sgf, "gomoku: Smart Game Format"),
    "ggf": Format((".ggf",), (REVERSI,), to_ggf, "reversi: Generic Game Format"),
    "transcript": Format((".txt",), (REVERSI,), to_transcript, "reversi: f5d6c3..."),
    "moves": Format((".pgn", ".txt"), (MORRIS, GANH), to_movetext, "morris, ganh: numbered moves under tags"),
    "annotations": Format((), (DOMINOES,), None, "dominoes: a folder of files, one a tile"),
    "json": Format((".json",), (), None, "every game: all that is known"),
    "png": Format((".png",), (), None, "every game: the boards in one picture"),
}
"""By the word for `--format`; the first one of a game is its usual one."""


def suiting(game: str) -> list[str]:
    """Names of the formats that a game is written in, its usual one first."""
    return [name for name, one in FORMATS.items() if not one.games or game in one.games]


def usual(game: str, out: Path | None) -> str:
    """The format for a game where none was asked for: that of the file's suffix if it is one, else the field's own."""
    suffix = "" if out is None else out.suffix.lower()
    return next((name for name in suiting(game) if suffix in FORMATS[name].suffixes), suiting(game)[0])


def check(name: str, game: str) -> Format:
    """The format of that name, if it can write the game. Raises ExportError."""
    if name not in FORMATS:
        raise ExportError(f"--format is one of {', '.join(FORMATS)}, not {name!r}")
    chosen = FORMATS[name]
    if chosen.games and game not in chosen.games:
        words = f"{name} is for {' and '.join(chosen.games)}; {game} is written as {', '.join(suiting(game))}"
        raise ExportError(f"--format {words}")
    return chosen


def to_json(stored: StoredGame) -> str:
    """The game as one JSON document."""
    return json.dumps(as_object(stored), ensure_ascii=False, indent=1) + "\n"
