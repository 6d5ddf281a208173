"""The formats of recorded games; each game names those that it has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import games
from daemon.record.formats.document import to_json
from daemon.record.formats.imported import Imported
from daemon.record.formats.movetext import to_movetext
from daemon.record.formats.movetext_reading import read_movetext
from daemon.record.formats.played import ExportError, Played, play_again
from daemon.record.formats.psq import read_psq
from daemon.record.formats.reversi import read_ggf, read_transcript, to_ggf, to_transcript
from daemon.record.formats.sgf import to_sgf
from daemon.record.formats.sgf_reading import read_sgf
from daemon.record.reviews import Review
from daemon.record.stored_game import StoredGame
from daemon.words.translation import worded
from rules import HiddenHands, UnknownGame

Reader = Callable[[str, str, Mapping[str, object]], Imported]
"""Takes a text, and the game and rules that it may not tell. Raises ImportFault."""


class Format(NamedTuple):
    suffixes: tuple[str, ...]
    about: str
    write: Callable[[Played], str] | None = None
    """None if it is no text, or needs no replay."""
    read: Reader | None = None
    """None if it cannot be read, or in another way."""
    kind: str = "text/plain"
    holds_review: bool = False
    """GGF holds only its values."""
    begins: str = r"(?!)"
    """How its texts begin."""


PGN = "application/vnd.chess-pgn"
PDN = "text/plain"
TREE, TAG, CELLS, DOCUMENT = r"\s*\(\s*;", r'\s*\[\w+ "', r"([a-h][1-8])*\s*\Z", r'\{\s*"format": ?\d'
MOVES = "morris, ganh: numbered moves under tags"
FORMATS = {
    "sgf": Format((".sgf",), "go, gomoku: Smart Game Format", to_sgf, read_sgf, "application/x-go-sgf", True, TREE),
    "ggf": Format((".ggf",), "reversi: Generic Game Format", to_ggf, read_ggf, holds_review=True, begins=TREE),
    "transcript": Format((".txt",), "reversi: f5d6c3...", to_transcript, read_transcript, begins=CELLS),
    "moves": Format((".pgn", ".txt"), MOVES, to_movetext, read_movetext, PGN, True, TAG),
    "pgn": Format((".pgn",), "chess: Portable Game Notation", to_movetext, read_movetext, PGN, True, TAG),
    "pdn": Format((".pdn",), "draughts: Portable Draughts Notation", to_movetext, read_movetext, PDN, True, TAG),
    "annotations": Format((), "dominoes: a folder of files, one a tile", kind="application/zip"),
    "json": Format(
        (".json",),
        "every game: all that is known",
        kind="application/json",
        holds_review=True,
        begins=DOCUMENT,
    ),
    "png": Format((".png",), "every game: the boards in one picture", kind="image/png"),
}
FOR_ALL = ("json", "png")
"""Formats that every game supports; `rules.Game.formats` lists a game's own."""
FOREIGN: dict[str, Reader] = {"psq": read_psq}


class Download(NamedTuple):
    name: str
    kind: str
    content: bytes


def is_game_text(content: bytes) -> bool:
    """Whether a file is empty, or begins as one of these formats: what a live game may be written over."""
    text = content.decode("utf-8", "replace")
    return not text or any(re.match(one.begins, text) for one in FORMATS.values())


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
    """The default format for a game: the one that matches the file's suffix, else the game's usual one.

    Raises ExportError for the suffix of a format that the game does not have.
    """
    suffix = "" if out is None else out.suffix.lower()
    fitting = [name for name in suiting(game) if suffix in FORMATS[name].suffixes]
    if not fitting and (others := [name for name, one in FORMATS.items() if suffix in one.suffixes]):
        check(others[0], game)
    return [*fitting, *suiting(game)][0]


def check(name: str, game: str) -> Format:
    """The format with that name. Raises ExportError if it does not exist or does not suit the game."""
    if name not in FORMATS:
        raise ExportError(f"--format is one of {', '.join(FORMATS)}, not {name!r}")
    if name not in suiting(game):
        able = " and ".join(one for one in games.names() if name in games.find(one).about.formats)
        raise ExportError(f"--format {name} is for {able}; {game} is written as {', '.join(suiting(game))}")
    return FORMATS[name]


def check_review(name: str, review: Review | None) -> Review:
    """The review to be written as comments. Raises ExportError if there is none, or the format holds no comments."""
    holding = [one for one, format_ in FORMATS.items() if format_.holds_review]
    if name not in holding:
        raise ExportError(f"{name} holds no comments; {', '.join(holding)} do")
    if review is None:
        raise ExportError("the game has not been reviewed as it is now: `kibitzer games analyse` does that")
    return review


def content_of(stored: StoredGame, name: str, review: Review | None = None, every: int = 0) -> bytes:
    """The game in that format, with a review as its comments; a picture has the board after every n-th move.

    Raises ExportError.
    """
    if name == "json":
        return to_json(stored, review).encode()
    played = play_again(stored, review)
    if name == "png":
        from daemon.record.formats.strip import strip_png  # needs what draws letters, which is slow to import

        return strip_png(played, every)
    if name == "annotations":
        from daemon.record.formats.dominoes import to_zip  # imports a game, which may not be the one played

        return to_zip(played)
    writer = FORMATS[name].write
    assert writer is not None
    return writer(played).encode()


def download(stored: StoredGame, name: str, review: Review | None = None) -> Download:
    """The game in that format as one file, with a review as its comments. Raises ExportError."""
    chosen = check(name, stored.game)
    suffix = chosen.suffixes[0] if chosen.suffixes else ".zip"
    return Download(f"kibitzer-{stored.game_id}{suffix}", chosen.kind, content_of(stored, name, review))


def live(stored: StoredGame, suffix: str = "", *, else_usual: bool = False) -> Download:
    """The game as far as it was played, in the format with that suffix, such as `.pgn`; without one the usual format.

    Raises ExportError if the game has no such format, unless `else_usual`, and while a game goes on that hides what its
    players hold.
    """
    names = [name for name in suiting(stored.game) if FORMATS[name].write is not None or name == "json"]
    fitting = [name for name in names if suffix in FORMATS[name].suffixes] if suffix else names
    if not fitting and else_usual:
        fitting = names
    if not fitting:
        known = ", ".join(one for name in names for one in FORMATS[name].suffixes)
        raise ExportError(worded("This game is not written as {wanted}, but as {listed}.", wanted=suffix, listed=known))
    refuse_hidden(stored)
    return download(stored, fitting[0])


def refuse_hidden(stored: StoredGame) -> None:
    """Raises ExportError where a text of all that is recorded would tell what the players of a running game hold."""
    try:
        hides = issubclass(games.find(stored.game), HiddenHands)
    except UnknownGame:
        hides = False
    if hides and stored.finished is None:
        raise ExportError(worded("This tells what the players hold. It can be had once the game is over."))
