"""Fits heads: linear support vector machines, their margins calibrated as probabilities (Platt, 1999)."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices
from vision.reading.descriptors import Descriptors
from vision.reading.heads import Head, unit

SOFTNESS = 0.02
"""LinearSVC's C for a table's head: small, since a table has few examples with long descriptors."""
FOLDS = 5
EXAMPLES = 160
"""Most examples that a head stores."""
FLATNESS = 1e-5
"""Penalty that pulls Platt's slope and offset towards 0, to keep them finite where classes do not overlap."""
STEP_DONE = 1e-7
MIN_REACH = 0.35
WEAK_SLOPE = 2.0
"""Platt's slope where there are too few examples to measure it."""


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """A fitted head, and its results on held-out examples."""

    head: Head
    right: Flags
    """(n,) whether each example was classified right while its fold was left out."""
    judged: Flags
    """(n,) False for examples whose fold could not be left out, because it holds all examples of a class."""

    def accuracy(self, rows: Flags | slice = slice(None)) -> float:
        """Share of the judged examples among `rows` that were right; 0 if none could be judged."""
        right = self.right[rows][self.judged[rows]]
        return float(right.mean()) if len(right) else 0.0


def fit_head(
    descriptors: Descriptors,
    labels: str,
    letters: str,
    groups: Indices | None = None,
    *,
    softness: float = SOFTNESS,
    remember: int = EXAMPLES,
    copies: int = 1,
) -> Fit:
    """Fits a head that distinguishes the classes of `labels` (a letter per descriptor).

    Examples of one group (one photo, one cell's variants) are left out together when probabilities are measured; with
    None each example is its own group. Classes of `letters` that never occur get no row. `softness` is LinearSVC's C;
    `remember` is the most examples stored, to recognise strange patches; `copies` is how often each example
    occurs, varied. Raises ValueError if fewer than two classes occur.
    """
    present = "".join(letter for letter in letters if letter in labels)
    if len(present) < 2:
        raise ValueError(f"examples of at least two classes are needed, not only of {present!r}")
    targets = np.array([present.find(letter) for letter in labels])
    if (targets < 0).any():
        raise ValueError(f"labels {sorted(set(labels) - set(present))} are no classes of {letters!r}")
    vectors = descriptors.astype(np.float64)
    mean, scale = vectors.mean(axis=0), np.full(vectors.shape[1], float(vectors.std()) + 1e-9)
    scaled = (vectors - mean) / scale
    groups = np.arange(len(targets)) if groups is None else np.asarray(groups)
    margins, known = _held_out_margins(scaled, targets, len(present), _folds(targets, groups), softness)
    coefficients, intercepts = _separate(scaled, targets, len(present), softness)
    platt = [_platt(margins[known, row], targets[known] == row, copies) for row in range(len(present))]
    kept = _sample(targets, remember)
    head = Head(
        letters=present,
        mean=mean,
        scale=scale,
        coefficients=coefficients,
        intercepts=intercepts,
        slopes=np.array([slope for slope, _ in platt]),
        offsets=np.array([offset for _, offset in platt]),
        examples=unit(scaled)[kept].astype(np.float16).astype(np.float64),
        reach=_reach(unit(scaled), groups, kept) if remember else 1.0,
    )
    return Fit(head, margins.argmax(axis=1) == targets, known)


def _folds(targets: Indices, groups: Indices) -> Indices:
    """The fold of every example: whole groups, dealt out by class so that, if possible, no fold lacks one."""
    names, first = np.unique(groups, return_index=True)
    order = sorted(range(len(names)), key=lambda index: (targets[first[index]], names[index]))
    fold_of = {names[index]: place % FOLDS for place, index in enumerate(order)}
    return np.array([fold_of[group] for group in groups])


def _held_out_margins(
    scaled: FloatArray, targets: Indices, classes: int, folds: Indices, softness: float
) -> tuple[FloatArray, Flags]:
    """(n, classes) margins of each example while its fold was left out, and (n,) whether that was possible."""
    margins = np.zeros((len(targets), classes))
    known = np.zeros(len(targets), dtype=np.bool_)
    for fold in np.unique(folds):
        inside, outside = folds == fold, folds != fold
        if len(np.unique(targets[outside])) < classes:
            continue
        coefficients, intercepts = _separate(scaled[outside], targets[outside], classes, softness)
        margins[inside] = scaled[inside] @ coefficients.T + intercepts
        known |= inside
    return margins, known


def _separate(scaled: FloatArray, targets: Indices, classes: int, softness: float) -> tuple[FloatArray, FloatArray]:
    """(classes, length) coefficients and (classes,) intercepts: one plane for each class against the rest."""
    from sklearn.svm import LinearSVC  # slow to import, and only needed to fit

    coefficients, intercepts = np.zeros((classes, scaled.shape[1])), np.zeros(classes)
    for row in range(classes):
        machine = LinearSVC(C=softness, class_weight="balanced", dual="auto", max_iter=20000, random_state=0)
        machine.fit(scaled, targets == row)
        coefficients[row], intercepts[row] = machine.coef_[0], float(machine.intercept_[0])
    return coefficients, intercepts


def _platt(margins: FloatArray, positive: Flags, copies: int) -> tuple[float, float]:
    """Slope and offset of the sigmoid that fits best: Newton's method with line search (Lin, Lin, Weng 2007).

    Both sides have the same weight, however many examples each has: how often a class was labelled says nothing about
    the next game. Targets keep away from 0 and 1, the more so the fewer examples there are; copies of one example
    count once.
    """
    ups, downs = positive.sum() / copies, (~positive).sum() / copies
    if min(ups, downs) < 1:
        return WEAK_SLOPE, 0.0
    wanted = np.where(positive, (ups + 1) / (ups + 2), 1 / (downs + 2))
    weights = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())
    design = np.stack([margins, np.ones_like(margins)], axis=1)

    def loss(line: FloatArray) -> float:
        scores = design @ line
        return float(weights @ (np.logaddexp(0, scores) - wanted * scores) + FLATNESS * line @ line)

    found = np.zeros(2)
    for _ in range(100):
        odds = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        gradient = design.T @ (weights * (odds - wanted)) + 2 * FLATNESS * found
        curvature = (design * (weights * odds * (1 - odds))[:, None]).T @ design + 2 * FLATNESS * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        while loss(found - step) > loss(found) and np.abs(step).max() > STEP_DONE:
            step = step / 2
        found = found - step
        if np.abs(step).max() <= STEP_DONE:
            break
    return (float(found[0]), float(found[1])) if found[0] > 0 else (WEAK_SLOPE, 0.0)


def _sample(targets: Indices, count: int) -> Indices:
    """Indices of at most `count` examples, taken from the classes in turn and at random within each."""
    place, chance = np.zeros(len(targets), dtype=np.intp), np.random.default_rng(0)
    for target in np.unique(targets):
        of_class = targets == target
        place[of_class] = chance.permutation(int(of_class.sum()))
    return np.argsort(place, kind="stable")[:count]


def _reach(vectors: FloatArray, groups: Indices, remembered: Indices) -> float:
    """The 95th percentile of the distance from an example to the nearest remembered one of another group."""
    alike = vectors @ vectors[remembered].T
    alike[groups[:, None] == groups[remembered][None, :]] = -1
    return max(MIN_REACH, float(np.quantile(1 - alike.max(axis=1), 0.95)))
