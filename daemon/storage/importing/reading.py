"""Reads a game from a file in any supported format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import games
from daemon.storage.exporting.formats import namesake, only_game
from daemon.storage.importing.decoding import text_of
from daemon.storage.importing.document import read_json
from daemon.storage.importing.imported import Imported, ImportFault
from daemon.storage.importing.judge import judged
from daemon.storage.importing.movetext import TAG, read_movetext
from daemon.storage.importing.psq import read_psq
from daemon.storage.importing.reversi import read_ggf, read_transcript
from daemon.storage.importing.separating import games_in
from daemon.storage.importing.sgf import read_sgf
from daemon.storage.importing.tiles import read_tiles
from daemon.storage.stored_game import StoredGame
from games.reversi import Reversi
from places import named_files

MAX_BYTES = 16 << 20
"""Bytes in a file; the longest game in JSON has half of that."""
FORMATS = ("sgf", "ggf", "psq", "transcript", "moves", "pgn", "pdn", "annotations", "json")
"""Formats that can be read; pictures cannot."""
MOVE_TEXTS = ("moves", "pgn", "pdn")
"""Formats in which a file may hold games one after the other."""
SGF = re.compile(r"(?:\d{1,2}\s+)?\(\s*;")
"""How SGF and GGF begin; a line of a server that keeps games in GGF begins with their number."""
_TRANSCRIPT = re.compile(r"(?:[a-h][1-8]|pass|pa|--|\s)+", re.IGNORECASE)


def read_game(
    path: Path,
    format_name: str = "",
    game: str = "",
    rules: Mapping[str, object] | None = None,
    number: int = 0,
) -> StoredGame:
    """The game in a file or folder, with each move checked by the rules.

    `game` and `rules` fill in what the file does not say; `number` chooses among several games.
    Raises ImportFault, which does not name the file.
    """
    found = list(read_games(path, format_name, game, rules, number))
    if len(found) > 1:
        raise ImportFault(f"it holds {len(found)} games: choose one with --number")
    if isinstance(found[0], ImportFault):
        raise found[0]
    return found[0]


def read_games(
    path: Path,
    format_name: str = "",
    game: str = "",
    rules: Mapping[str, object] | None = None,
    number: int = 0,
) -> Iterator[StoredGame | ImportFault]:
    """Each game of a file as `read_game` has it, or of several what is wrong with one; `number` chooses one.

    Raises ImportFault where the file as a whole cannot be read.
    """
    if path.is_dir() or path.suffix.lower() == ".zip" or format_name == "annotations":
        yield judged(read_tiles(path, number), path.name)
        return
    yield from read_several(_text(path), path.name, format_name, game, rules, number)


def read_several(
    text: str,
    source: str,
    format_name: str = "",
    game: str = "",
    rules: Mapping[str, object] | None = None,
    number: int = 0,
) -> Iterator[StoredGame | ImportFault]:
    """Each game of a text, as `read_games` has them; `source` is as for `read_text`. Raises ImportFault."""
    chosen = format_name or guessed(text, game or _game_of(source, text))
    texts = games_in(text) if chosen in MOVE_TEXTS else [text]
    if number > len(texts):
        raise ImportFault(f"it holds {len(texts)} game{'s' * (len(texts) > 1)}: there is no number {number}")
    for place, one in enumerate(texts, 1):
        if number in (0, place):
            try:
                yield read_text(one, source, format_name, game, rules)
            except ImportFault as fault:
                if len(texts) == 1:
                    raise
                yield ImportFault(f"game {place}: {fault}")


def read_text(
    text: str, source: str, format_name: str = "", game: str = "", rules: Mapping[str, object] | None = None
) -> StoredGame:
    """The game in a text; `source` is the name of its file, whose suffix may tell the game. Raises ImportFault."""
    game = game or _game_of(source, text)
    chosen = format_name or guessed(text, game)
    if chosen == "json":
        return read_json(text, source)
    return judged(_imported(chosen, text, game, rules or {}), source)


def _game_of(source: str, text: str) -> str:
    """The game that a file's suffix tells, of bare moves the one that the suffix is named after; else empty."""
    suffix = Path(source).suffix
    return only_game(suffix) or ("" if TAG.search(text) else namesake(suffix))


def guessed(text: str, game: str = "") -> str:
    """Guesses the format of a text by how it looks; of a named `game` it may be the bare moves. Raises ImportFault."""
    begin = text.lstrip()[:4000]
    if begin.startswith("{"):
        return "json"
    if SGF.match(begin):
        return "ggf" if re.search(r"GM\s*\[\s*Othello", begin, re.IGNORECASE) else "sgf"
    if TAG.search(begin):
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
        case _ if name in MOVE_TEXTS:
            return read_movetext(text, game, rules)
    raise ImportFault(f"--format is one of {', '.join(FORMATS)}, not {name!r}")


def _text(path: Path) -> str:
    """The file's content. Raises ImportFault."""
    try:
        return text_of(named_files.read_bytes(path, MAX_BYTES))
    except OSError as error:
        raise ImportFault(f"cannot be read: {error.strerror}") from None
