"""Reads dominoes from a folder of annotation files or a zip of one; passes are inferred from who laid each tile."""

from __future__ import annotations

import re
import tempfile
import zipfile
from pathlib import Path

import games
from calibration.annotations import (
    MAX_BYTES,
    AnnotationError,
    PhotoName,
    annotation_paths,
    movers_paths,
    read_annotation,
    read_movers,
)
from daemon.storage.importing.imported import Imported, ImportedPly, ImportFault
from games.double_double_dominoes import DoubleDoubleDominoes
from places.named_files import open_regular
from rules import Counts, MoveError

MAX_ZIP_BYTES = 64 << 20
MAX_FILES = 1000
"""Most files read from a zip; a game has at most 91 tiles."""
_OURS = re.compile(r"(?:[^/\\]{1,100}/)?(\d{1,9}_(?:\d{1,9}|mutari)\.txt)")


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
    """Extracts only the annotation files from a zip."""
    try:
        with open_regular(path, MAX_ZIP_BYTES) as opened, zipfile.ZipFile(opened) as file:
            for one in file.infolist()[:MAX_FILES]:
                match = _OURS.fullmatch(one.filename)
                if match is not None and one.file_size <= MAX_BYTES:
                    (folder / match[1]).write_bytes(file.read(one))
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError) as error:
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
    names = list(paths)
    if [name.number for name in names] != list(range(1, len(names) + 1)):
        raise ImportFault(f"tiles are missing: there are the numbers {', '.join(str(name.number) for name in names)}")
    rules = {"first": "green" if movers.get(names[0]) == 1 else "red"}
    game = games.load(DoubleDoubleDominoes.name, rules)
    position, plies = game.initial(), []
    for name in names:
        tile = read_annotation(paths[name])
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
