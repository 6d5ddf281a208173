"""Splits pictures into those fitted to and those measured: whole pictures, never single patches."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]

MAX_FEW = 5
"""Times that a few pictures are fitted to, with different pictures each time."""


@dataclasses.dataclass(frozen=True, eq=False)
class Part:
    fitted: Indices
    """Indices of pictures."""
    measured: Indices
    """Indices of pictures, none of them in `fitted`."""
    rehearsal: Indices | None = None
    """Those of `fitted` that choose the fit's softness; None if the softness is given."""


@dataclasses.dataclass(frozen=True, eq=False)
class Split:
    parts: tuple[Part, ...]
    words: str


def fold_split(pictures: int, folds: int) -> Split:
    """Each picture is measured once, by a fit to all pictures of the other folds.

    A fold is a run of neighbours in the pictures' order, because in a game each picture resembles the next. Raises
    ValueError if there are too few pictures.
    """
    if not 3 <= folds <= pictures:
        raise ValueError(f"--folds: from 3 to the number of pictures, {pictures}; not {folds}")
    runs = [np.asarray(run, dtype=np.intp) for run in np.array_split(np.arange(pictures), folds)]
    parts = []
    for number, run in enumerate(runs):
        fitted = np.setdiff1d(np.arange(pictures), run)
        parts.append(Part(fitted, run, runs[(number + 1) % folds]))
    return Split(tuple(parts), f"{folds} folds of whole pictures, neighbours together; fitted to the other folds")


def few_split(pictures: int, few: int) -> Split:
    """A few pictures from all over the order are fitted to, and all others measured; repeated with other pictures.

    Raises ValueError if there are too few pictures.
    """
    if not 1 <= few < pictures:
        raise ValueError(f"--fit: from 1 to one less than the number of pictures, {pictures}; not {few}")
    step = pictures // few
    starts = np.unique(np.linspace(0, step - 1, min(MAX_FEW, step)).astype(np.intp))
    parts = []
    for start in starts:
        fitted = start + step * np.arange(few)
        parts.append(Part(fitted, np.setdiff1d(np.arange(pictures), fitted)))
    times = f"{len(parts)} times, each time to others" if len(parts) > 1 else "once"
    return Split(tuple(parts), f"fitted to {few} of {pictures} pictures and measured on all others; {times}")
