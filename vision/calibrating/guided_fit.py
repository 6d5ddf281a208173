"""Fits the table profile of a guided calibration, leaving out pieces that the other pictures contradict."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.calibrate import LabelledPhoto, Progress, calibrate
from vision.calibrating.guided import Taken
from vision.calibrating.lesson_check import RATHER, contradictions, learnt
from vision.calibrating.verdict import Verdict
from vision.reading.heads import OTHER, read_log_probabilities


@dataclasses.dataclass(frozen=True, eq=False)
class GuidedFit:
    """A profile, and the cells left out of it."""

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
    """Picture `number`, with OTHER on the pieces that a head fitted to the other pictures contradicts."""
    one = taken[number]
    others = [(other.look.wide, other.photo.cells) for index, other in enumerate(taken) if index != number]
    men = np.array([letter not in (EMPTY, OTHER) for letter in one.photo.cells])
    head = learnt(others, letters) if others else None
    # If only two pictures with pieces contradict each other, it is unknown which of them is right.
    if head is None or sum(any(letter not in (EMPTY, OTHER) for letter in cells) for _, cells in others) < 2:
        return one.photo
    logs = read_log_probabilities(one.look.wide, letters, head, None)
    cells = list(one.photo.cells)
    for cell, _ in contradictions(logs, letters, one.photo.cells, men, RATHER):
        cells[cell] = OTHER
    return dataclasses.replace(one.photo, cells="".join(cells))
