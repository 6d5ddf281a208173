"""Which other men are seen at the places where a tall man on a cell would be seen.

Men lean away from the camera in the picture. A man's body and head lie over squares behind him that may be empty, and
hide what stands there; and where the head of a man on a cell would be, the foot of one behind may be seen. So what
looks like a man at such a place tells nothing about the cell, if the men around explain it; what looks bare still tells
that it is empty.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices
from calibration.template import BoardTemplate
from vision.reading.cells import RAISED

LOWEST, HIGHEST = 0.9, 2.1
"""Heights of the lowest and the highest men of a set, relative to the template's `man_height_mm`."""
WIDTH = 1.0, 2.2
"""Radii of his foot from a man's axis, within which he is all that is seen of a cell, and from which on nothing is."""
SURELY = 0.9
"""Greatest probability that another man is what is seen: places and heights are only roughly known."""
BESIDE, CLEAR_OF = 1.5, 0.3
"""Radii of his foot from which a head is seen beside it, and probability below which no other man is seen there."""
NEARER = 0.3
"""Height, relative to `man_height_mm`, by which he must be higher at a place to hide what is there."""
BEHIND, OPEN = 0.5, 0.05
"""Probability that a man is seen over an empty cell, if men are tall, from which the cell lies behind one, and below
which it lies behind none."""
LEAN = 0.3
"""Least difference of the logarithms of contrast between such cells if men are tall. On simulated tables of chess seen
from 31 to 42 degrees -0.14 to 0.13 with flat men, and 0.43 to 2.25 with usual ones, of kings of 1.3 and 1.8 squares."""


@dataclasses.dataclass(frozen=True, eq=False)
class Leaning:
    """How men on other cells come into view; the last axis is the other cell."""

    seen: FloatArray
    """(views, cells, cells) probability that a man there is what is seen of the cell."""
    hiding: FloatArray
    """(views, cells, cells) the same, for men that stand in front and hide the cell."""
    clear: Flags
    """(cells,) whether the head of a man on the cell would be seen beside his foot."""

    def at(self, cells: Indices) -> Leaning:
        return Leaning(self.seen[:, cells][:, :, cells], self.hiding[:, cells][:, :, cells], self.clear[cells])

    def apart(self, men: Flags) -> Flags:
        """(cells,) True where a man's head would be seen clear of his own foot and of all others, if these hold men."""
        return np.asarray(men & self.clear & ((self.seen[-1] * men).max(axis=1) < CLEAR_OF))

    def open_to(self, men: Flags) -> FloatArray:
        """(views, cells) share that is seen of each cell past the men in front of it, if these cells hold men."""
        return np.asarray(np.prod(1 - self.hiding * men, axis=2))

    def shown(self, contrast: FloatArray, men: Flags, kinds: Indices) -> bool | None:
        """Whether empty cells behind men show something that other empty cells do not; None without cells of both.

        `contrast` is the logarithm of each cell's, and cells of the same of `kinds` are compared.
        """
        over, more = (self.seen[0] * men).max(axis=1), list[float]()
        for kind in np.unique(kinds):
            bare = ~men & (kinds == kind)
            behind, open_ = contrast[bare & (over > BEHIND)], contrast[bare & (over < OPEN)]
            if len(behind) and len(open_):
                more.append(float(np.median(behind) - np.median(open_)))
        return float(np.mean(more)) > LEAN if more else None

    def past(self, heard: FloatArray, men: FloatArray) -> FloatArray:
        """What is told of the cells themselves, if the cells hold men with the probabilities `men`, (cells, classes).

        `heard`, (views, ..., cells, classes), are log likelihoods, empty first.
        """
        wide = (slice(None), *(None,) * (heard.ndim - 3))
        told = np.empty_like(heard)
        for cells, share in ((slice(0, 1), self.seen), (slice(1, None), self.hiding)):
            others = np.stack([1 - np.prod(1 - share * one, axis=2) for one in men[:, 1:].T], axis=2)
            others *= SURELY / np.maximum(others.sum(axis=2, keepdims=True), 1)
            theirs = np.logaddexp.reduce(_log(others)[wide] + heard[..., 1:], axis=-1)
            own = _log(1 - others.sum(axis=2))[wide][..., None] + heard[..., cells]
            told[..., cells] = np.logaddexp(own, theirs[..., None])
        return np.asarray(told)


def leaning_men(raised_mm: Sequence[FloatArray], template: BoardTemplate) -> Leaning | None:
    """How men come into view of other cells; None where they are flat.

    `raised_mm` are the places of `vision.reading.cells.raised_places`; the first view is the cell itself.
    """
    if not raised_mm:
        return None
    ground, cells = template.cells_mm, len(template.cells_mm)
    lean = raised_mm[-1] - ground
    length = np.maximum(np.square(lean).sum(axis=1), 1e-9)
    seen, hiding = (np.zeros((1 + len(raised_mm), cells, cells)) for _ in range(2))
    for view, (height, places) in enumerate(zip((0.0, *RAISED), (ground, *raised_mm), strict=True)):
        away = places[:, None] - ground[None]
        at = np.clip((away * lean).sum(axis=2) / length, 0, HIGHEST)
        aside = np.linalg.norm(away - at[..., None] * lean, axis=2) / (template.man_diameter_mm / 2)
        tall = np.clip((HIGHEST - at) / (HIGHEST - LOWEST), 0, 1)
        seen[view] = tall * np.clip((WIDTH[1] - aside) / (WIDTH[1] - WIDTH[0]), 0, 1)
        hiding[view] = np.where(at > height + NEARER, seen[view], 0.0)
    own = np.arange(cells)
    seen[:, own, own] = hiding[:, own, own] = 0.0
    return Leaning(seen, hiding, np.sqrt(length) > BESIDE * template.man_diameter_mm / 2)


def _log(share: FloatArray) -> FloatArray:
    return np.log(np.clip(share, 1e-9, 1))
