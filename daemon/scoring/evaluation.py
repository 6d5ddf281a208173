"""Compares annotations of dominoes photos with the truth, in the original assignment's points (docs/results.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from calibration.annotations import Annotation, AnnotationError, PhotoName, annotation_paths, read_annotation

WORTH = {"position": 0.05, "pips": 0.02, "points": 0.02}
"""Course points for each correct item of a move: both squares, both numbers, the points of the round."""


@dataclasses.dataclass(frozen=True)
class Miss:
    name: PhotoName
    what: str
    """A key of `WORTH`."""
    expected: str
    found: str


@dataclasses.dataclass(frozen=True)
class Tally:
    """How many moves are right, counted for each item separately."""

    moves: int
    right: Mapping[str, int]
    """Moves that are right, by the keys of `WORTH`."""

    @property
    def worth(self) -> float:
        return sum(WORTH[what] * count for what, count in self.right.items())

    @property
    def most(self) -> float:
        return sum(WORTH.values()) * self.moves


@dataclasses.dataclass(frozen=True)
class Evaluation:
    games: Mapping[int, Tally]
    total: Tally
    misses: tuple[Miss, ...]
    extra: tuple[PhotoName, ...]
    """Moves with a file but no true annotation; they do not count."""


def evaluate(folder: Path, truth: Path) -> Evaluation:
    """Judges every move that has a true annotation; a missing or damaged file is wrong in every item.

    The numbers are compared end by end in the order of the squares, whether or not the squares are right.
    Raises AnnotationError if the truth cannot be read.
    """
    true = {name: read_annotation(path) for name, path in annotation_paths(truth).items()}
    if not true:
        raise AnnotationError(f"{truth}: there are no annotations here, such as 1_01.txt")
    found = annotation_paths(folder)
    misses = [miss for name, expected in true.items() for miss in _misses(name, expected, found.get(name))]
    games = sorted({name.game for name in true})
    extra = tuple(name for name in found if name not in true)
    per_game = {game: _tally([n for n in true if n.game == game], misses) for game in games}
    return Evaluation(per_game, _tally(list(true), misses), tuple(misses), extra)


def _tally(names: Sequence[PhotoName], misses: Sequence[Miss]) -> Tally:
    wrong = {what: {miss.name for miss in misses if miss.what == what} for what in WORTH}
    return Tally(len(names), {what: sum(name not in wrong[what] for name in names) for what in WORTH})


def _misses(name: PhotoName, expected: Annotation, path: Path | None) -> list[Miss]:
    if path is None:
        return [Miss(name, what, text, "no file") for what, text in _texts(expected).items()]
    try:
        found = _texts(read_annotation(path))
    except AnnotationError as error:
        found = dict.fromkeys(WORTH, str(error))
    return [Miss(name, what, text, found[what]) for what, text in _texts(expected).items() if text != found[what]]


def _texts(annotation: Annotation) -> dict[str, str]:
    first, second = annotation.pips
    return {"position": " ".join(annotation.cells), "pips": f"{first}-{second}", "points": str(annotation.points)}
