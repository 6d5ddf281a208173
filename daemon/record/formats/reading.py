"""Reads games from a file in any supported format.

Text of other programs is UTF-8, UTF-16 with its mark, or an older encoding of one byte a letter. PGN and SGF without
`CA` are ISO 8859-1 by their standards; as browsers do, it is read as Windows-1252, which has it.
"""

from __future__ import annotations

import codecs
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import games
from daemon.record.formats.document import read_json
from daemon.record.formats.formats import FOREIGN, FORMATS, namesake, only_game
from daemon.record.formats.imported import ImportFault, judged, tidied
from daemon.record.formats.movetext_reading import TAG, games_in, read_movetext
from daemon.record.formats.reversi import ggf_games_in, read_ggf
from daemon.record.formats.sgf_reading import read_sgf, trees_in
from daemon.record.stored_game import StoredGame
from system import named_files

MAX_BYTES = 16 << 20
"""Bytes in a file; the longest game in JSON has half of that."""
READERS = {name: one.read for name, one in FORMATS.items() if one.read is not None} | FOREIGN
SPLIT: dict[object, Callable[[str], list[str]]] = {
    read_movetext: games_in,
    read_sgf: trees_in,
    read_ggf: ggf_games_in,
}
"""What parts the texts of the games of a file, by the reader of one."""
KNOWN = ("sgf", "ggf", "psq", "transcript", "moves", "pgn", "pdn", "annotations", "json")
"""Formats that can be read; pictures cannot."""
SGF = re.compile(r"(?:^|(?<=\n))(?:\d{1,2}\s+)?\(\s*;")
"""How SGF and GGF begin, some after the head of a letter; a line of a server begins with the number of its games."""
TRANSCRIPT = re.compile(r"(?:[a-h][1-8]|pass|pa|--|\s)+", re.IGNORECASE)
CHARSET = re.compile(rb"\bCA\s*\[\s*([\w.:-]{1,40})\s*\]")
ENCODING = re.compile(r"(?:iso-?8859-|latin|windows-|cp|koi8-|gb|big5|shift|sjis|euc-)[\w.-]*", re.IGNORECASE)
HEAD = 4000
"""Bytes in which an encoding is looked for, and characters by which a format is guessed."""


def read_game(
    path: Path, format_name: str = "", game: str = "", rules: Mapping[str, object] | None = None, number: int = 0
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
    path: Path, format_name: str = "", game: str = "", rules: Mapping[str, object] | None = None, number: int = 0
) -> Iterator[StoredGame | ImportFault]:
    """Each game of a file as `read_game` has it, or of several what is wrong with one; `number` chooses one.

    Raises ImportFault where the file as a whole cannot be read.
    """
    if path.is_dir() or path.suffix.lower() == ".zip" or format_name == "annotations":
        from daemon.record.formats.dominoes import read_tiles  # imports a game, which may not be the one played

        yield judged(read_tiles(path, number), path.name)
        return
    try:
        content = named_files.read_bytes(path, MAX_BYTES)
    except OSError as error:
        raise ImportFault(f"cannot be read: {error.strerror}") from None
    yield from read_several(text_of(content), path.name, format_name, game, rules, number)


def read_several(
    text: str,
    source: str,
    format_name: str = "",
    game: str = "",
    rules: Mapping[str, object] | None = None,
    number: int = 0,
) -> Iterator[StoredGame | ImportFault]:
    """Each game of a text, as `read_games` has them; `source` is as for `read_text`. Raises ImportFault."""
    text, told = tidied(text)
    chosen = format_name or guessed(text, game or _game_of(source, text))
    texts = SPLIT[READERS[chosen]](text) if READERS.get(chosen) in SPLIT else [text]
    if number > len(texts):
        raise ImportFault(f"it holds {len(texts)} game{'s' * (len(texts) > 1)}: there is no number {number}")
    for place, one in enumerate(texts, 1):
        if number in (0, place):
            try:
                yield read_text(one, source, chosen, game, rules, told)
            except ImportFault as fault:
                if len(texts) == 1:
                    raise
                yield ImportFault(f"game {place}: {fault}")


def read_text(
    text: str,
    source: str,
    format_name: str = "",
    game: str = "",
    rules: Mapping[str, object] | None = None,
    told: Sequence[str] = (),
) -> StoredGame:
    """The game in a text; `source` is the name of its file, whose suffix may tell the game.

    `told` are the departures of the whole file. Raises ImportFault.
    """
    game = game or _game_of(source, text)
    chosen = format_name or guessed(text, game)
    if chosen == "json":
        return read_json(text, source)
    if chosen not in READERS:
        raise ImportFault(f"--format is one of {', '.join(KNOWN)}, not {chosen!r}")
    imported = READERS[chosen](text, game, rules or {})
    return judged(dataclasses.replace(imported, departures=(*told, *imported.departures)), source)


def _game_of(source: str, text: str) -> str:
    """The game that a file's suffix tells, or is named after where no tag names one; else empty."""
    suffix, tags = Path(source).suffix, {found[1]: found[2] for found in TAG.finditer(text[:HEAD])}
    titles = {games.find(one).title for one in games.names()}
    return only_game(suffix) or ("" if "Variant" in tags or tags.get("Event") in titles else namesake(suffix))


def guessed(text: str, game: str = "") -> str:
    """Guesses the format of a text by how it looks; of a named `game` it may be the bare moves. Raises ImportFault."""
    begin = text.lstrip()[:HEAD]
    if begin.startswith("{"):
        return "json"
    if not TAG.search(begin) and SGF.search(begin):
        return "ggf" if re.search(r"GM\s*\[\s*Othello", begin, re.IGNORECASE) else "sgf"
    if TAG.search(begin):
        return "moves"
    if begin[:9].lower() == "piskvorky":
        return "psq"
    if begin and TRANSCRIPT.fullmatch(text) and "transcript" in games.find(game or "reversi").about.formats:
        return "transcript"
    if begin and game:
        return "moves"
    raise ImportFault(f"it looks like none of {', '.join(KNOWN)}; name one with --format, or the game with --game")


def text_of(data: bytes) -> str:
    """The text, its lines ended by a line feed. Raises ImportFault for what is no text."""
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        if "\0" not in text:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    raise ImportFault("it is no text, but bytes of some other kind of file")


def _encodings(data: bytes) -> Iterator[str]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield "utf-16"
    yield "utf-8-sig"
    if (said := CHARSET.search(data, 0, HEAD)) and ENCODING.fullmatch(name := said[1].decode("ascii", "replace")):
        yield name
    yield "cp1252"
    yield "latin-1"  # reads every byte
