"""The formats that a recorded game can be exported to; each game names its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import games
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


FORMATS = {
    "sgf": Format((".sgf",), to_sgf, "gomoku: Smart Game Format"),
    "ggf": Format((".ggf",), to_ggf, "reversi: Generic Game Format"),
    "transcript": Format((".txt",), to_transcript, "reversi: f5d6c3..."),
    "moves": Format((".pgn", ".txt"), to_movetext, "morris, ganh: numbered moves under tags"),
    "annotations": Format((), None, "dominoes: a folder of files, one a tile"),
    "json": Format((".json",), None, "every game: all that is known"),
    "png": Format((".png",), None, "every game: the boards in one picture"),
}
"""By the word for `--format`."""
FOR_ALL = ("json", "png")
"""What every game is written in; `games.Game.formats` names what else."""


def suiting(game: str) -> list[str]:
    """Names of the formats that a game is written in, its usual one first."""
    try:
        own = games.find(game).formats
    except games.UnknownGame:
        own = ()
    return [*own, *FOR_ALL]


def usual(game: str, out: Path | None) -> str:
    """The format for a game where none was asked for: that of the file's suffix if it is one, else the field's own."""
    suffix = "" if out is None else out.suffix.lower()
    return next((name for name in suiting(game) if suffix in FORMATS[name].suffixes), suiting(game)[0])


def check(name: str, game: str) -> Format:
    """The format of that name, if it can write the game. Raises ExportError."""
    if name not in FORMATS:
        raise ExportError(f"--format is one of {', '.join(FORMATS)}, not {name!r}")
    if name not in suiting(game):
        able = " and ".join(one for one in games.names() if name in games.find(one).formats)
        raise ExportError(f"--format {name} is for {able}; {game} is written as {', '.join(suiting(game))}")
    return FORMATS[name]


def to_json(stored: StoredGame) -> str:
    """The game as one JSON document."""
    return json.dumps(as_object(stored), ensure_ascii=False, indent=1) + "\n"
