"""Dominoes as a folder of annotation files, like those of `kibitzer score-dominoes` and of photo series.

`1_01.txt` describes the first tile of game 1: its two ends and its player's points; `1_mutari.txt` lists who laid each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from calibration.annotations import MOVERS_SUFFIX, Annotation, PhotoName, annotation_paths, format_annotation
from calibration.atomic_file import write_atomically
from daemon.scoring.annotation_folder import AnnotationFolder, FolderError
from daemon.storage.exporting.played import ExportError, Played
from games.double_double_dominoes import CELLS, DoubleDoubleDominoes, Lay


def tiles_of(played: Played) -> list[tuple[Annotation, int]]:
    """Every tile in order, with the side that laid it; passes are skipped."""
    game = played.game
    assert isinstance(game, DoubleDoubleDominoes)
    found = []
    for ply in played.plies():
        move, side = ply.made.move, ply.made.side
        if isinstance(move, Lay):
            points = game.gains(ply.before, move)[side].total
            cells = CELLS[move.cells[0]], CELLS[move.cells[1]]
            found.append((Annotation(cells, (move.pips[0], move.pips[1]), points), side))
    return found


def tile_files(played: Played, number: int = 1) -> dict[str, bytes]:
    """The content of every file by name, for the game with that number."""
    tiles = tiles_of(played)
    files = {
        f"{name}.txt": format_annotation(annotation).encode()
        for name, (annotation, _) in zip(_names(tiles, number), tiles, strict=True)
    }
    return files | {f"{number}{MOVERS_SUFFIX}": _movers(tiles, number)}


def _names(tiles: Sequence[tuple[Annotation, int]], number: int) -> list[PhotoName]:
    return [PhotoName(number, index) for index in range(1, len(tiles) + 1)]


def _movers(tiles: Sequence[tuple[Annotation, int]], number: int) -> bytes:
    """The content of the file that lists who laid each tile."""
    names = _names(tiles, number)
    lines = [f"{name}.jpg player{side + 1}" for name, (_, side) in zip(names, tiles, strict=True)]
    return "".join(f"{line}\r\n" for line in lines).encode()


def write_tile_files(played: Played, folder: Path, number: int = 1, force: bool = False) -> int:
    """Writes the files of the game with that number; returns the number of tiles.

    Files that somebody else wrote or later changed are kept unless `force`. Raises ExportError.
    """
    tiles = tiles_of(played)
    names = _names(tiles, number)
    movers, content = folder / f"{number}{MOVERS_SUFFIX}", _movers(tiles, number)
    try:
        if not force and movers.exists() and movers.read_bytes() != content:
            raise ExportError(
                f"{movers} is there already; choose another --out or --number, or write over it with --force"
            )
        kept = AnnotationFolder(folder, names, force)
        for name, (annotation, _) in zip(names, tiles, strict=True):
            kept.put(name, annotation)
        for name in annotation_paths(folder):
            if name.game == number and name not in names:
                kept.put(name, None)  # left over from an earlier, longer export
        write_atomically(movers, content)
    except FolderError as error:
        raise ExportError(str(error)) from None
    except OSError as error:
        raise ExportError(f"{folder}: cannot be written: {error.strerror}") from None
    return len(tiles)
