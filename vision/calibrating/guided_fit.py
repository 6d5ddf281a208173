"""The table profile of a guided calibration: what the pictures say of one another, and what all of them teach."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from games import EMPTY
from vision.calibrating.calibrate import LabelledPhoto, Progress, calibrate
from vision.calibrating.guided import Taken
from vision.calibrating.lesson_check import RATHER, contradictions, learnt
from vision.calibrating.verdict import Verdict
from vision.reading.heads import OTHER, read_log_probabilities


@dataclasses.dataclass(frozen=True, eq=False)
class GuidedFit:
    """A profile, and what was kept out of it."""

    profile: TableProfile
    verdict: Verdict
    """What is expected of it, and what speaks against it."""
    photos: tuple[LabelledPhoto, ...]
    """The pictures as they were learnt from; cells that are not have OTHER."""
    left_out: tuple[str, ...]
    """Such as "d6 in picture 2": men that the other pictures contradict, or that a person insisted on."""


def fit_guided(
    taken: Sequence[Taken],
    template: BoardTemplate,
    progress: Progress = lambda done, total: None,
    descriptor: str | None = None,
) -> GuidedFit:
    """The profile of the table; some seconds. Raises CalibrationError, WeightsError.

    By the descriptor that the template names, or another one.
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
    """One of the pictures, its cells that all the others speak against marked as not to be learnt from."""
    one = taken[number]
    others = [(other.look.wide, other.photo.cells) for index, other in enumerate(taken) if index != number]
    men = np.array([letter not in (EMPTY, OTHER) for letter in one.photo.cells])
    head = learnt(others, letters) if others else None
    # Two pictures with men that contradict each other do not tell which of them is right.
    if head is None or sum(any(letter not in (EMPTY, OTHER) for letter in cells) for _, cells in others) < 2:
        return one.photo
    logs = read_log_probabilities(one.look.wide, letters, head, None)
    cells = list(one.photo.cells)
    for cell, _ in contradictions(logs, letters, one.photo.cells, men, RATHER):
        cells[cell] = OTHER
    return dataclasses.replace(one.photo, cells="".join(cells))
