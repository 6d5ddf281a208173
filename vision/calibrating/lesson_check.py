"""Judges whether a board shows what a lesson of the guided calibration asks for, and what is amiss."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from games import EMPTY
from vision.calibrating.fitting import fit_head
from vision.frame import Image
from vision.pose import project
from vision.reading.cells import PATCH_PX, Patches, cut_patch, cut_patches
from vision.reading.descriptors import Descriptors, load_descriptor
from vision.reading.heads import GENERIC, Head, load_generic, read_log_probabilities, unit
from vision.reading.reader import Reader

DIFFERS, MAY_DIFFER = 0.2, 0.05
"""Distance, 0 to 2, from the empty cell's descriptor, beyond which something surely lies there, or may.

Light and noise make below 0.01 on simulated tables, and mostly below 0.04 on photos taken from one place; men make
above 0.4, halves of tiles sometimes only 0.07: what may lie there is asked of the shipped head as well.
"""
SURELY = 0.9
"""Probability from which the shipped head is believed against what was asked for."""
RATHER = 0.75
"""The same of a head that has learnt from the few pictures of this very table."""


@dataclasses.dataclass(frozen=True, eq=False)
class Look:
    """One still picture of the board, described."""

    rectified: Image
    tight: Descriptors
    """Of each cell without its surroundings: what lies there and not beside it."""
    wide: Descriptors
    """Of each cell as it will be read."""


@dataclasses.dataclass(frozen=True)
class Mistakes:
    """What differs from what was asked for, as cell indices, ascending."""

    missing: tuple[int, ...] = ()
    """Nothing lies where something was asked for."""
    extra: tuple[int, ...] = ()
    """Something lies where nothing was asked for."""
    odd: tuple[tuple[int, str], ...] = ()
    """Cells that rather look like another class, and its letter."""

    @property
    def placed(self) -> bool:
        """Whether things lie on the cells asked for and on no others."""
        return not self.missing and not self.extra

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra or self.odd)


class LessonCheck:
    """Knows the empty board, and learns from every picture that is taken."""

    def __init__(self, template: BoardTemplate) -> None:
        """Raises WeightsError."""
        self._template = template
        self._reader = Reader(template)
        self._things = load_descriptor()
        self._cells = load_descriptor(template.descriptor)
        self._shipped = load_generic(template.descriptor).head if template.descriptor in GENERIC else None
        self._empty: Descriptors | None = None
        self._taken: list[tuple[Descriptors, str]] = []
        self._head: Head | None = None

    def look(self, rectified: Image, template: BoardTemplate) -> Look:
        """The picture described, some 2 ms a cell; `template` has the measured shape."""
        self._template = self._reader.template = template
        return Look(
            rectified,
            self._things.describe(_tight_patches(rectified, template)),
            self._cells.describe(cut_patches(rectified, template)),
        )

    def occupied(self, look: Look) -> NDArray[np.bool_]:
        """(cells,) where something lies that the empty board does not show; without one, by the shipped head."""
        seems = read_log_probabilities(look.wide, self._template.letters, None, self._shipped)[:, 0] < np.log(
            1 - SURELY
        )
        if self._empty is None:
            return np.asarray(seems)
        alike = (unit(look.tight.astype(np.float64)) * unit(self._empty.astype(np.float64))).sum(axis=1)
        return np.asarray((1 - alike > DIFFERS) | ((1 - alike > MAY_DIFFER) & seems))

    def mistakes(self, look: Look, board: str) -> Mistakes:
        """What speaks against the picture's showing `board`."""
        occupied, asked = self.occupied(look), np.array([letter != EMPTY for letter in board])
        missing, extra = np.flatnonzero(asked & ~occupied), np.flatnonzero(occupied & ~asked)
        odd = self._odd(look, board, asked & occupied) if asked.any() else ()
        return Mistakes(tuple(map(int, missing)), tuple(map(int, extra)), odd)

    def take(self, look: Look, cells: str) -> None:
        """Learns from a picture; `cells` has a letter per cell, and any other sign where that is doubtful."""
        if self._empty is None:
            self._empty = look.tight
        self._taken.append((look.wide, cells))
        self._head = learnt(self._taken, self._template.letters)

    def _odd(self, look: Look, board: str, where: NDArray[np.bool_]) -> tuple[tuple[int, str], ...]:
        letters = self._template.letters
        if self._head is not None:
            logs, enough = read_log_probabilities(look.wide, letters, self._head, None), RATHER
        else:
            logs, enough = self._reader.read(look.rectified, 0.0).log_probabilities, SURELY
        return contradictions(logs, letters, board, where, enough)


def contradictions(
    logs: NDArray[np.float64], letters: str, board: str, where: NDArray[np.bool_], enough: float
) -> tuple[tuple[int, str], ...]:
    """Cells of `where` that are read, with at least that probability, as another class, and which; not as empty."""
    best = logs[:, 1:].argmax(axis=1) + 1
    return tuple(
        (int(cell), letters[best[cell]])
        for cell in np.flatnonzero(where)
        if letters[best[cell]] != board[cell] and logs[cell, best[cell]] > np.log(enough)
    )


def learnt(taken: list[tuple[Descriptors, str]], letters: str) -> Head | None:
    """A head from pictures and their cells, passing over doubtful ones; None before every class was seen."""
    cells = "".join(labels for _, labels in taken)
    rows = np.array([index for index, letter in enumerate(cells) if letter in letters], dtype=np.intp)
    if not set(letters) <= set(cells):
        return None
    described = np.concatenate([descriptors for descriptors, _ in taken])
    return fit_head(described[rows], "".join(cells[row] for row in rows), letters).head


def _tight_patches(rectified: Image, template: BoardTemplate) -> Patches:
    """(cells, PATCH_PX, PATCH_PX, 3) just what a man covers."""
    side_px = template.man_diameter_mm * template.pixels_per_mm
    centres = project(template.rectified_from_board, template.cells_mm)
    return np.stack([cut_patch(rectified, float(x), float(y), side_px, PATCH_PX) for x, y in centres])
