"""Annotated photo series of Double Double Dominoes: one photo per tile, with two kinds of small text files.

`<game>_<number>.txt` gives the tile that the photo of that name shows for the first time: one line per end
(`<row><column letter> <pips>`, the upper or left end first), and a third line with the points its player got, bonus
included. `<game>_mutari.txt` gives the player of each tile: one line per photo, `<photo> player<1 or 2>`. The known
files separate lines by CR LF, with none after the last; the reader accepts any line ends, trailing blanks and blank
lines. Each photo shows all tiles laid up to its own, so a folder of them labels photos too.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from calibration.labels import Label, LabelError, chosen_names
from calibration.template import BoardTemplate
from rules import EMPTY
from system.named_files import read_text

COLUMNS = "ABCDEFGHIJKLMNO"
ROWS = 15
MAX_BYTES = 64 << 10
PHOTO_SUFFIXES = (".jpg", ".jpeg", ".png")
MOVERS_SUFFIX = "_mutari.txt"

_STEM = re.compile(r"(\d{1,9})_(\d{1,9})")
_END = re.compile(r"(\d{1,2})\s*([A-Za-z])\s+(\d+)")
_MOVER = re.compile(r"(\S+)\s+player\s*(\d+)", re.IGNORECASE)


class AnnotationError(ValueError):
    """An annotation or a list of movers is unusable; the message names the file, the line and the fault."""


@dataclasses.dataclass(frozen=True, order=True)
class PhotoName:
    """The game and move that a photo shows: `1_07` is move 7 of game 1. Sorts by number, not by text."""

    game: int
    number: int
    text: str = dataclasses.field(default="", compare=False)

    def __str__(self) -> str:
        return self.text or f"{self.game}_{self.number:02d}"


@dataclasses.dataclass(frozen=True)
class Annotation:
    cells: tuple[str, str]
    """Names of the squares, such as `8H`, by row, then by column."""
    pips: tuple[int, int]
    """`pips[i]` is on `cells[i]`."""
    points: int
    """Bonus included."""


def parse_name(stem: str) -> PhotoName | None:
    """The move that a file's stem names; None for other files."""
    found = _STEM.fullmatch(stem)
    return PhotoName(int(found[1]), int(found[2]), stem) if found else None


def format_annotation(annotation: Annotation) -> str:
    """The text of the annotation, byte for byte as in the known files: CR LF between lines, none after the last."""
    ends = [f"{cell} {pips}" for cell, pips in zip(annotation.cells, annotation.pips, strict=True)]
    return "\r\n".join([*ends, str(annotation.points)])


def parse_annotation(text: str, where: str) -> Annotation:
    """Parses a file's text; error messages begin with `where`. Raises AnnotationError."""
    lines = _filled_lines(text)
    if len(lines) != 3:
        raise AnnotationError(f"{where}: {len(lines)} lines; an annotation has three: two ends and the points")
    ends = sorted(_parse_end(line, f"{where}: line {number}") for number, line in lines[:2])
    (first, first_cell, first_pips), (second, second_cell, second_pips) = ends
    if not _are_neighbours(first, second):
        raise AnnotationError(f"{where}: {first_cell} and {second_cell} are not side by side, as a tile's ends are")
    number, line = lines[2]
    if not line.isascii() or not line.isdecimal() or len(line) > 3:
        raise AnnotationError(f"{where}: line {number} holds the points, a whole number, not {line!r}")
    return Annotation((first_cell, second_cell), (first_pips, second_pips), int(line))


def read_annotation(path: Path) -> Annotation:
    """Reads an annotation file. Raises AnnotationError."""
    return parse_annotation(_text_of(path), str(path))


def annotation_paths(folder: Path) -> dict[PhotoName, Path]:
    """All annotation files of a folder, by game and number. Raises AnnotationError."""
    return _paths_by_move(folder, (".txt",), "are about the same move")


def photo_paths(folder: Path) -> dict[PhotoName, Path]:
    """All photos of a folder that are named after a move, by game and number. Raises AnnotationError."""
    return _paths_by_move(folder, PHOTO_SUFFIXES, "are photos of the same move")


def _paths_by_move(folder: Path, suffixes: tuple[str, ...], twice: str) -> dict[PhotoName, Path]:
    found: dict[PhotoName, Path] = {}
    for path in _files(folder):
        name = parse_name(path.stem) if path.suffix.lower() in suffixes else None
        if name is not None and found.setdefault(name, path) != path:
            raise AnnotationError(f"{folder}: {found[name].name} and {path.name} {twice}")
    return dict(sorted(found.items()))


def movers_paths(folder: Path) -> dict[int, Path]:
    """All lists of movers in a folder, by game. Raises AnnotationError."""
    found: dict[int, Path] = {}
    for path in _files(folder):
        game = path.name.lower().removesuffix(MOVERS_SUFFIX)
        if game != path.name.lower() and game.isascii() and game.isdecimal():
            found[int(game)] = path
    return dict(sorted(found.items()))


def read_movers(path: Path) -> dict[PhotoName, int]:
    """The player of each photo's tile, 0 for player 1 and 1 for player 2, in file order. Raises AnnotationError."""
    movers: dict[PhotoName, int] = {}
    for number, line in _filled_lines(_text_of(path)):
        where = f"{path}: line {number}"
        found = _MOVER.fullmatch(line)
        name = parse_name(Path(found[1]).stem) if found else None
        if found is None or name is None:
            raise AnnotationError(f"{where} is no '1_01.jpg player1': {line!r}")
        if found[2] not in ("1", "2"):
            raise AnnotationError(f"{where}: there is no player {found[2]}; the players are 1 and 2")
        if name in movers:
            raise AnnotationError(f"{where}: {name} is listed twice")
        movers[name] = int(found[2]) - 1
    return movers


def _parse_end(line: str, where: str) -> tuple[tuple[int, int], str, int]:
    """Row and column from 0, the square's name, and the pips of one end."""
    found = _END.fullmatch(line)
    if found is None:
        raise AnnotationError(f"{where} is no '<row><column> <pips>', such as '8H 6': {line!r}")
    row, column, pips = int(found[1]), found[2].upper(), int(found[3])
    if not 1 <= row <= ROWS or column not in COLUMNS:
        raise AnnotationError(f"{where}: there is no square {row}{column}; they run from 1A to {ROWS}{COLUMNS[-1]}")
    if pips > 6:
        raise AnnotationError(f"{where}: an end has 0 to 6 pips, not {pips}")
    return (row - 1, COLUMNS.index(column)), f"{row}{column}", pips


def _are_neighbours(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return abs(first[0] - second[0]) + abs(first[1] - second[1]) == 1


def _filled_lines(text: str) -> list[tuple[int, str]]:
    """Non-blank lines, stripped, with their line numbers from 1."""
    lines = ((number, line.strip().strip("\ufeff")) for number, line in enumerate(text.splitlines(), 1))
    return [(number, line) for number, line in lines if line]


def _text_of(path: Path) -> str:
    try:
        return read_text(path, MAX_BYTES)
    except OSError as error:
        raise AnnotationError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise AnnotationError(f"{path}: no text: {error.reason} at byte {error.start}") from error


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise AnnotationError(f"{folder}: {error.strerror}") from error


Board = Mapping[str, str]
"""Class letter by cell name; empty cells are left out."""


def read_annotated(folder: Path, photos: Path, template: BoardTemplate, only: Sequence[str] = ()) -> tuple[Label, ...]:
    """Labels, without corners, of the photos that have an annotation, or of those among them that `only` names.

    `only` holds names of photos or shell patterns. Raises LabelError, AnnotationError, also if a chosen photo's game
    is not annotated from its first move on.
    """
    paths = annotation_paths(folder)
    if not paths:
        raise LabelError(f"{folder}: there are no annotations here, such as 1_01.txt")
    names = {path.name: name for name, path in photo_paths(photos).items() if name in paths}
    chosen = chosen_names(list(names), only, folder)
    if not chosen:
        raise LabelError(f"{photos}: no photo here has its annotation in {folder}")
    games = {names[photo].game for photo in chosen}
    annotations = {name: read_annotation(path) for name, path in paths.items() if name.game in games}
    return tuple(_label(photo, _board_at(names[photo], annotations, folder), template) for photo in chosen)


def _board_at(photo: PhotoName, annotations: Mapping[PhotoName, Annotation], folder: Path) -> Board:
    board: dict[str, str] = {}
    for number in range(1, photo.number + 1):
        name = PhotoName(photo.game, number)
        annotation = annotations.get(name)
        if annotation is None:
            raise LabelError(
                f"{folder}: the board of {photo} is not known, because {name}.txt is missing: "
                "it shows every tile from the first on. Leave the photo out with --only"
            )
        for cell, pips in zip(annotation.cells, annotation.pips, strict=True):
            if cell in board:
                raise AnnotationError(f"{folder}: {name}.txt lays a tile on {cell}, where one lies already")
            board[cell] = str(pips)
    return board


def _label(photo: str, board: Board, template: BoardTemplate) -> Label:
    unknown = sorted(set(board) - set(template.cell_names))
    if unknown:
        raise LabelError(f"{photo}: {template.game} has no cell {unknown[0]!r}: these are annotations of dominoes")
    return Label(photo, "".join(board.get(cell, EMPTY) for cell in template.cell_names), None)
