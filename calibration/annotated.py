"""Reads labels from a folder of annotated dominoes photos; each photo shows all tiles laid up to its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from calibration.annotations import (
    Annotation,
    AnnotationError,
    PhotoName,
    annotation_paths,
    photo_paths,
    read_annotation,
)
from calibration.labels import Label, LabelError, chosen_names
from calibration.template import BoardTemplate
from rules import EMPTY

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
    """The position after the photo's own tile."""
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
