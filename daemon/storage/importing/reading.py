"""Reads a game from a file in any supported format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import games
from daemon.storage.exporting.formats import only_game
from daemon.storage.importing.document import read_json
from daemon.storage.importing.imported import Imported, ImportFault
from daemon.storage.importing.judge import judged
from daemon.storage.importing.movetext import read_movetext
from daemon.storage.importing.psq import read_psq
from daemon.storage.importing.reversi import read_ggf, read_transcript
from daemon.storage.importing.sgf import read_sgf
from daemon.storage.importing.tiles import read_tiles
from daemon.storage.stored_game import StoredGame
from games.reversi import Reversi
from places import named_files

MAX_BYTES = 16 << 20
"""Bytes in a file; the longest game in JSON has half of that."""
FORMATS = ("sgf", "ggf", "psq", "transcript", "moves", "pgn", "pdn", "annotations", "json")
"""Formats that can be read; pictures cannot."""
_TRANSCRIPT = re.compile(r"(?:[a-h][1-8]|pass|pa|--|\s)+", re.IGNORECASE)


def read_game(
    path: Path,
    format_name: str = "",
    game: str = "",
    rules: Mapping[str, object] | None = None,
    number: int = 0,
) -> StoredGame:
    """The game in a file or folder, with each move checked by the rules.

    `game` and `rules` fill in what the file does not say; `number` chooses among several games of dominoes.
    Raises ImportFault, which does not name the file.
    """
    if path.is_dir() or path.suffix.lower() == ".zip" or format_name == "annotations":
        return judged(read_tiles(path, number), path.name)
    return read_text(_text(path), path.name, format_name, game, rules)


def read_text(
    text: str, source: str, format_name: str = "", game: str = "", rules: Mapping[str, object] | None = None
) -> StoredGame:
    """The game in a text; `source` is the name of its file, whose suffix may tell the game. Raises ImportFault."""
    game = game or only_game(Path(source).suffix)
    chosen = format_name or guessed(text, game)
    if chosen == "json":
        return read_json(text, source)
    return judged(_imported(chosen, text, game, rules or {}), source)


def guessed(text: str, game: str = "") -> str:
    """Guesses the format of a text by how it looks; of a named `game` it may be the bare moves. Raises ImportFault."""
    begin = text.lstrip()[:4000]
    if begin.startswith("{"):
        return "json"
    if begin.startswith("(;"):
        return "ggf" if re.search(r"GM\s*\[\s*Othello", begin, re.IGNORECASE) else "sgf"
    if re.search(r'^\[\w+ "', begin, re.MULTILINE):
        return "moves"
    if begin[:9].lower() == "piskvorky":
        return "psq"
    if begin and _TRANSCRIPT.fullmatch(text) and games.find(game or Reversi.name) is Reversi:
        return "transcript"
    if begin and game:
        return "moves"
    raise ImportFault(f"it looks like none of {', '.join(FORMATS)}; name one with --format, or the game with --game")


def _imported(name: str, text: str, game: str, rules: Mapping[str, object]) -> Imported:
    match name:
        case "sgf":
            return read_sgf(text)
        case "ggf":
            return read_ggf(text)
        case "transcript":
            return read_transcript(text, rules)
        case "psq":
            return read_psq(text, rules)
        case "moves" | "pgn" | "pdn":
            return read_movetext(text, game, rules)
    raise ImportFault(f"--format is one of {', '.join(FORMATS)}, not {name!r}")


def _text(path: Path) -> str:
    """The file's content. Raises ImportFault."""
    try:
        return named_files.read_text(path, MAX_BYTES)
    except OSError as error:
        raise ImportFault(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ImportFault(f"it is no text in UTF-8: {error.reason} at byte {error.start}") from None
