"""Export formats for recorded games; each game lists the ones it supports."""

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
from daemon.storage.reviews import Review
from daemon.storage.stored_game import StoredGame
from rules import UnknownGame


class Format(NamedTuple):
    """One export format."""

    suffixes: tuple[str, ...]
    write: Callable[[Played], str] | None
    """None if it is not text: pictures and folders of files have commands of their own."""
    about: str


def to_transcript(played: Played) -> str:
    """Reversi's moves in one word, `f5d6c3`, without passes.

    Raises ExportError for a set-up start, which a transcript cannot express.
    """
    if played.stored.start:
        raise ExportError(
            "the game began with a position set up by hand, which a transcript cannot tell: --format ggf can"
        )
    transcript = games.part_of(played.game.name, "transcript")
    assert transcript is not None
    return str(transcript.write(ply.made.move for ply in played.plies())) + "\n"


FORMATS = {
    "sgf": Format((".sgf",), to_sgf, "go, gomoku: Smart Game Format"),
    "ggf": Format((".ggf",), to_ggf, "reversi: Generic Game Format"),
    "transcript": Format((".txt",), to_transcript, "reversi: f5d6c3..."),
    "moves": Format((".pgn", ".txt"), to_movetext, "morris, ganh: numbered moves under tags"),
    "pgn": Format((".pgn",), to_movetext, "chess: Portable Game Notation"),
    "pdn": Format((".pdn",), to_movetext, "draughts: Portable Draughts Notation"),
    "annotations": Format((), None, "dominoes: a folder of files, one a tile"),
    "json": Format((".json",), None, "every game: all that is known"),
    "png": Format((".png",), None, "every game: the boards in one picture"),
}
"""Formats by their word for `--format`."""
COMMENTED = ("sgf", "ggf", "moves", "pgn", "pdn", "json")
"""Formats that can hold a review; ggf only its values."""
FOR_ALL = ("json", "png")
"""Formats that every game supports; `rules.About.formats` lists a game's own."""


def suiting(game: str) -> list[str]:
    """Names of the formats a game supports, its usual one first."""
    try:
        own = games.find(game).about.formats
    except UnknownGame:
        own = ()
    return [*own, *FOR_ALL]


def only_game(suffix: str) -> str:
    """The game whose files alone have that suffix, such as `.pdn`; empty where several have it, or none."""
    wearing = {name for name, one in FORMATS.items() if suffix.lower() in one.suffixes}
    able = [game for game in games.names() if wearing & set(games.find(game).about.formats)]
    return able[0] if len(able) == 1 else ""


def namesake(suffix: str) -> str:
    """The game whose own format has the suffix for its name: `.pgn` is chess; empty where none has."""
    able = [game for game in games.names() if suffix.lower().removeprefix(".") in games.find(game).about.formats]
    return able[0] if len(able) == 1 else ""


def usual(game: str, out: Path | None) -> str:
    """The default format for a game: the one that matches the file's suffix, else the game's usual one."""
    suffix = "" if out is None else out.suffix.lower()
    return next((name for name in suiting(game) if suffix in FORMATS[name].suffixes), suiting(game)[0])


def check(name: str, game: str) -> Format:
    """The format with that name. Raises ExportError if it does not exist or does not suit the game."""
    if name not in FORMATS:
        raise ExportError(f"--format is one of {', '.join(FORMATS)}, not {name!r}")
    if name not in suiting(game):
        able = " and ".join(one for one in games.names() if name in games.find(one).about.formats)
        raise ExportError(f"--format {name} is for {able}; {game} is written as {', '.join(suiting(game))}")
    return FORMATS[name]


def to_json(stored: StoredGame, review: Review | None = None) -> str:
    """The game as one JSON document."""
    told = as_object(stored) | ({} if review is None else {"review": review.as_object()})
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def check_review(name: str, review: Review | None) -> Review:
    """The review to be written as comments. Raises ExportError if there is none, or the format holds no comments."""
    if name not in COMMENTED:
        raise ExportError(f"{name} holds no comments; {', '.join(COMMENTED)} do")
    if review is None:
        raise ExportError("the game has not been reviewed as it is now: `kibitzer games analyse` does that")
    return review
