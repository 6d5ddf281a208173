"""Dominoes as a folder of annotation files, or a zip of one, like those of `kibitzer score-dominoes`.

`1_01.txt` describes the first tile of game 1: its two ends and its player's points; `1_mutari.txt` lists who laid each.
Passes are not written, but inferred from who laid each tile.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
import zlib
from lzma import LZMAError
from pathlib import Path

import games
from calibration.annotations import (
    MAX_BYTES,
    MOVERS_SUFFIX,
    Annotation,
    AnnotationError,
    PhotoName,
    annotation_paths,
    format_annotation,
    movers_paths,
    read_annotation,
    read_movers,
)
from calibration.atomic_file import write_atomically
from daemon.record.formats.imported import Imported, ImportedPly, ImportFault
from daemon.record.formats.played import ExportError, Played
from daemon.scoring.annotation_folder import AnnotationFolder, FolderError
from games.double_double_dominoes import CELLS, DoubleDoubleDominoes, Lay
from rules import Counts, MoveError
from system.named_files import open_regular

MAX_ZIP_BYTES = 64 << 20
MAX_FILES = 1000
"""Most files read from a zip; a game has at most 91 tiles."""
BAD_ZIP = (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError, zlib.error, LZMAError)
"""What the standard library raises for an archive that is none, or in which names, sizes or contents are broken."""
FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""Date of every file in a zip, so that the same game gives the same bytes."""
_OURS = re.compile(r"(?:[^/\\]{1,100}/)?(\d{1,9}_(?:\d{1,9}|mutari)\.txt)")


def _files_of(played: Played, number: int) -> tuple[dict[PhotoName, Annotation], bytes]:
    """Every tile of the game with that number, in order, and the content of the file that lists who laid each."""
    game = played.game
    assert isinstance(game, DoubleDoubleDominoes)
    tiles, movers = dict[PhotoName, Annotation](), ""
    for ply in played.plies():
        move, side = ply.made.move, ply.made.side
        if isinstance(move, Lay):
            name = PhotoName(number, len(tiles) + 1)
            cells = CELLS[move.cells[0]], CELLS[move.cells[1]]
            points = game.gains(ply.before, move)[side].total
            tiles[name] = Annotation(cells, (move.pips[0], move.pips[1]), points)
            movers += f"{name}.jpg player{side + 1}\r\n"
    return tiles, movers.encode()


def to_zip(played: Played) -> bytes:
    tiles, movers = _files_of(played, 1)
    files = {f"{name}.txt": format_annotation(tile).encode() for name, tile in tiles.items()}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, one in sorted({**files, f"1{MOVERS_SUFFIX}": movers}.items()):
            file.writestr(zipfile.ZipInfo(name, FIRST_DAY), one)
    return content.getvalue()


def write_tile_files(played: Played, folder: Path, number: int = 1, force: bool = False) -> int:
    """Writes the files of the game with that number; returns the number of tiles.

    Files that somebody else wrote or later changed are kept unless `force`. Raises ExportError.
    """
    tiles, content = _files_of(played, number)
    movers = folder / f"{number}{MOVERS_SUFFIX}"
    try:
        if not force and movers.exists() and movers.read_bytes() != content:
            raise ExportError(
                f"{movers} is there already; choose another --out or --number, or write over it with --force"
            )
        kept = AnnotationFolder(folder, list(tiles), force)
        for name, tile in tiles.items():
            kept.put(name, tile)
        for name in annotation_paths(folder):
            if name.game == number and name not in tiles:
                kept.put(name, None)  # left over from an earlier, longer export
        write_atomically(movers, content)
    except FolderError as error:
        raise ExportError(str(error)) from None
    except OSError as error:
        raise ExportError(f"{folder}: cannot be written: {error.strerror}") from None
    return len(tiles)


def read_tiles(path: Path, number: int = 0) -> Imported:
    """The game with that number; 0 takes the only one. Raises ImportFault."""
    try:
        if path.is_dir():
            return _read(path, number, path)
        with tempfile.TemporaryDirectory(prefix="kibitzer-") as folder:
            _unpack(path, Path(folder))
            return _read(Path(folder), number, path)
    except AnnotationError as error:
        raise ImportFault(str(error)) from None


def _unpack(path: Path, folder: Path) -> None:
    try:
        with open_regular(path, MAX_ZIP_BYTES) as opened, zipfile.ZipFile(opened) as file:
            for one in file.infolist()[:MAX_FILES]:
                match = _OURS.fullmatch(one.filename)
                if match is not None and one.file_size <= MAX_BYTES:
                    (folder / match[1]).write_bytes(file.read(one))
    except BAD_ZIP as error:
        raise ImportFault(f"{path}: cannot be unpacked: {error}") from None


def _read(folder: Path, number: int, path: Path) -> Imported:
    paths = annotation_paths(folder)
    found = sorted({name.game for name in paths})
    if not found or (number and number not in found):
        raise ImportFault(f"{path}: there are no annotations{f' of game {number}' if number else ''} in it")
    if not number and len(found) > 1:
        raise ImportFault(f"{path}: it holds the games {', '.join(map(str, found))}: choose one with --number")
    number = number or found[0]
    lists = movers_paths(folder)
    movers = read_movers(lists[number]) if number in lists else {}
    return _played({name: one for name, one in paths.items() if name.game == number}, movers)


def _played(paths: dict[PhotoName, Path], movers: dict[PhotoName, int]) -> Imported:
    """The tiles in order, with the passes that must lie between them. Raises ImportFault."""
    numbers = [name.number for name in paths]
    if numbers != list(range(1, len(numbers) + 1)):
        raise ImportFault(f"tiles are missing: there are the numbers {', '.join(map(str, numbers))}")
    rules = {"first": "green" if movers.get(next(iter(paths))) == 1 else "red"}
    game = games.load(DoubleDoubleDominoes.name, rules)
    position, plies = game.initial(), []
    for name, path in paths.items():
        tile = read_annotation(path)
        text = "-".join(f"{cell}{pips}" for cell, pips in zip(tile.cells, tile.pips, strict=True))
        where = f"move {name.number}, {text}"
        side = movers.get(name, game.to_move(position))
        try:
            if side != game.to_move(position):
                plies.append(ImportedPly("pass"))
                position = game.apply(position, game.parse_move(position, "pass"))
            move = game.parse_move(position, text)
        except MoveError as error:
            raise ImportFault(f"{where}: {error.rule}: {error}") from None
        gains = Counts.of(game).gains(position, move)
        assert gains is not None
        if gains[side].total != tile.points:
            raise ImportFault(
                f"{where}: the file says {tile.points} points for {game.sides[side]}, by the rules it is"
                f" {gains[side].total}"
            )
        plies.append(ImportedPly(text, side))
        position = game.apply(position, move)
    return Imported(game.name, rules, tuple(plies))
