"""Checks whether a board shows what a lesson of the guided calibration asks for, and fits the profile to those that do.

Pieces that the other pictures contradict are left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags, FloatArray
from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.calibrate import LabelledPhoto, Progress, calibrate
from vision.calibrating.fitting import fit_head
from vision.calibrating.verdict import Verdict
from vision.pose import Rectified
from vision.reading.board_reading import SURE
from vision.reading.cells import cut_patches
from vision.reading.descriptors import Descriptors, load_descriptor
from vision.reading.figures import figure_reader
from vision.reading.heads import GENERIC, OTHER, Head, judge, load_generic, unit
from vision.reading.reader import Reader

DIFFERS, MAY_DIFFER = 0.2, 0.05
"""Distance, 0 to 2, from the empty cell's descriptor beyond which a cell is surely, or possibly, occupied.

Light and noise cause less than 0.01 on simulated tables, and mostly less than 0.04 on photos taken from one place;
pieces cause more than 0.4, but halves of tiles sometimes only 0.07. So a possibly occupied cell counts only if the
shipped head takes it for occupied too.
"""
RATHER = 0.75
"""Probability from which a head fitted to the few pictures of this table is believed against the lesson; the shipped
one is from SURE."""


@dataclasses.dataclass(frozen=True, eq=False)
class BoardPatches:
    seen: Rectified
    tight: Descriptors
    """Descriptors of just what lies on each cell, without its surroundings."""
    wide: Descriptors
    """Descriptors of the cells as they will be read."""
    sides: FloatArray | None = None
    """(cells, classes) log probabilities of men who differ in shape; then nothing is described."""


@dataclasses.dataclass(frozen=True, eq=False)
class Taken:
    photo: LabelledPhoto
    look: BoardPatches


@dataclasses.dataclass(frozen=True)
class Mistakes:
    """Differences from the board asked for, as ascending cell indices."""

    missing: tuple[int, ...] = ()
    """Empty cells for which a piece was asked."""
    extra: tuple[int, ...] = ()
    """Occupied cells that should be empty."""
    odd: tuple[tuple[int, str], ...] = ()
    """Cells that look more like another class than the one asked for, and its letter."""

    @property
    def placed(self) -> bool:
        return not self.missing and not self.extra

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra or self.odd)


class LessonCheck:
    """Compares pictures with lessons; learns the empty board and the pieces from every picture taken."""

    def __init__(self, template: BoardTemplate) -> None:
        """Raises WeightsError."""
        self._template = template
        self._reader, self._figures = Reader(template), figure_reader(template)
        self._things = load_descriptor()
        self._cells = load_descriptor(template.descriptor)
        self._shipped = load_generic(template.descriptor).head if template.descriptor in GENERIC else None
        self._empty: Descriptors | None = None
        self._taken: list[tuple[Descriptors, str]] = []
        self._head: Head | None = None

    def look(self, seen: Rectified) -> BoardPatches:
        """Describes the picture, in some 2 ms a cell; its template has the measured shape."""
        template = self._template = self._reader.template = seen.template
        if self._figures is not None:
            nothing = np.zeros((0, 0), dtype=np.float32)
            return BoardPatches(seen, nothing, nothing, self._figures.sides(seen.image, seen.pose, template))
        return BoardPatches(
            seen,
            self._things.describe(cut_patches(seen.picture, template, tight=True)),
            self._cells.describe(cut_patches(seen.picture, template)),
        )

    def occupied(self, look: BoardPatches) -> Flags:
        """(cells,) True where a cell differs from the empty board; before that is known, by the shipped head."""
        if look.sides is not None:
            return np.asarray(look.sides.argmax(axis=1) > 0)
        logs, _ = judge(look.wide, self._template.letters, None, self._shipped)
        seems = np.asarray(logs[:, 0] < np.log(1 - SURE))
        if self._empty is None:
            return seems
        alike = (unit(look.tight.astype(np.float64)) * unit(self._empty.astype(np.float64))).sum(axis=1)
        return np.asarray((1 - alike > DIFFERS) | ((1 - alike > MAY_DIFFER) & seems))

    def mistakes(self, look: BoardPatches, board: str) -> Mistakes:
        occupied, asked = self.occupied(look), np.array([letter != EMPTY for letter in board])
        missing, extra = np.flatnonzero(asked & ~occupied), np.flatnonzero(occupied & ~asked)
        odd = self._odd(look, board, asked & occupied) if asked.any() else ()
        return Mistakes(tuple(map(int, missing)), tuple(map(int, extra)), odd)

    def take(self, look: BoardPatches, cells: str) -> None:
        """Learns from a picture; `cells` has a class letter per cell, and any other character for a doubtful one."""
        if look.sides is not None:
            return
        if self._empty is None:
            self._empty = look.tight
        self._taken.append((look.wide, cells))
        self._head = learnt(self._taken, self._template.letters)

    def _odd(self, look: BoardPatches, board: str, where: Flags) -> tuple[tuple[int, str], ...]:
        letters = self._template.letters
        if look.sides is not None:
            logs, enough = look.sides, SURE
        elif self._head is not None:
            logs, enough = judge(look.wide, letters, self._head, None)[0], RATHER
        else:
            logs, enough = self._reader.read(look.seen.picture, 0.0).log_probabilities, SURE
        return contradictions(logs, letters, board, where, enough)


def contradictions(
    logs: FloatArray, letters: str, board: str, where: Flags, enough: float
) -> tuple[tuple[int, str], ...]:
    """Cells of `where` read as another class than in `board`, with probability above `enough`, and its letter.

    Cells read as empty do not count.
    """
    best = logs[:, 1:].argmax(axis=1) + 1
    return tuple(
        (int(cell), letters[best[cell]])
        for cell in np.flatnonzero(where)
        if letters[best[cell]] != board[cell] and logs[cell, best[cell]] > np.log(enough)
    )


def learnt(taken: list[tuple[Descriptors, str]], letters: str) -> Head | None:
    """A head fitted to pictures and their cells, without doubtful cells; None before every class was seen."""
    cells = "".join(labels for _, labels in taken)
    rows = np.array([index for index, letter in enumerate(cells) if letter in letters], dtype=np.intp)
    if not set(letters) <= set(cells):
        return None
    described = np.concatenate([descriptors for descriptors, _ in taken])
    return fit_head(described[rows], "".join(cells[row] for row in rows), letters).head


@dataclasses.dataclass(frozen=True, eq=False)
class GuidedFit:
    profile: TableProfile
    verdict: Verdict
    """Expected accuracy, and objections to the profile."""
    photos: tuple[LabelledPhoto, ...]
    """The pictures as used for fitting; cells left out have OTHER."""
    left_out: tuple[str, ...]
    """Cells left out, such as "d6 in picture 2": the other pictures contradict them, or a person insisted on them."""


def fit_guided(
    taken: Sequence[Taken],
    template: BoardTemplate,
    progress: Progress = lambda done, total: None,
    descriptor: str | None = None,
) -> GuidedFit:
    """Fits the profile of the table; takes some seconds. Raises CalibrationError, WeightsError.

    `descriptor` replaces the one that the template names.
    """
    photos = tuple(doubted(taken, number, template.letters) for number in range(len(taken)))
    left_out = tuple(
        f"{template.cell_names[cell]} in {photo.name}"
        for photo in photos
        for cell, letter in enumerate(photo.cells)
        if letter == OTHER
    )
    made = calibrate(photos, template, descriptor, progress)
    return GuidedFit(made.profile, Verdict(made.expectation, made.conditions), photos, left_out)


def doubted(taken: Sequence[Taken], number: int, letters: str) -> LabelledPhoto:
    """Picture `number`, with OTHER on the pieces that a head fitted to the other pictures contradicts.

    Of men who differ in shape nothing is fitted.
    """
    one = taken[number]
    if one.look.sides is not None:
        return one.photo
    others = [(other.look.wide, other.photo.cells) for index, other in enumerate(taken) if index != number]
    men = np.array([letter not in (EMPTY, OTHER) for letter in one.photo.cells])
    head = learnt(others, letters) if others else None
    # If only two pictures with pieces contradict each other, it is unknown which of them is right.
    if head is None or sum(any(letter not in (EMPTY, OTHER) for letter in cells) for _, cells in others) < 2:
        return one.photo
    logs, _ = judge(one.look.wide, letters, head, None)
    cells = list(one.photo.cells)
    for cell, _ in contradictions(logs, letters, one.photo.cells, men, RATHER):
        cells[cell] = OTHER
    return dataclasses.replace(one.photo, cells="".join(cells))
