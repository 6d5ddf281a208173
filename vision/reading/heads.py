"""Heads map descriptors to class probabilities: linear support vector machines with calibrated odds.

A head is plain arrays; prediction needs only numpy. Fitting (`vision.calibrating.fitting`) imports scikit-learn.

Besides the game's classes a head may know OTHER: a hand, a sleeve, anything that is not a cell. Probability given to
OTHER is divided equally among all classes, so a covered cell reads as uncertain rather than wrong.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.labels import LabelError
from calibration.template import BoardTemplate
from system.weights import MODELS, WeightsError, find_weights
from vision.reading import man_colours
from vision.reading.descriptors import DEFAULT, Descriptors
from vision.reading.plda import BoardMeans, board_means

OTHER = "?"
"""Class letter of a covered cell; never part of a reading."""
MIN_SHARE = 1e-6
"""Least probability of a class: no camera reading is certain."""
FAR_SHARE = 0.9
"""Greatest share of a cell's probability that strangeness may take away."""
GENERIC = {"resnet18": "generic_head", "halves": "halves_head"}
MEANS = "means_"


@dataclasses.dataclass(frozen=True, eq=False)
class Head:
    """One-against-rest classifiers for one kind of descriptor."""

    letters: str
    mean: FloatArray
    """(length,) subtracted from descriptors."""
    scale: FloatArray
    """(length,) divided by afterwards."""
    coefficients: FloatArray
    """(letters, length)."""
    intercepts: FloatArray
    """(letters,)."""
    slopes: FloatArray
    """(letters,) of Platt's sigmoid: probability = 1 / (1 + exp(-(slope * margin + offset)))."""
    offsets: FloatArray
    """(letters,)."""
    examples: FloatArray
    """(n, length) training examples as unit vectors; may be empty."""
    reach: float
    """Distance to the nearest example, 0 to 2, that is still ordinary; beyond it, confidence shrinks."""
    trust: float = 0.0
    """Weight of the generic head beside this one, 0 to 1, from its accuracy at this table."""

    def probabilities(self, descriptors: Descriptors) -> FloatArray:
        """(n, letters); rows add up to 1."""
        scaled = (descriptors.astype(np.float64) - self.mean) / self.scale
        margins = scaled @ self.coefficients.T + self.intercepts
        odds = 1 / (1 + np.exp(-np.clip(self.slopes * margins + self.offsets, -30, 30)))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def strangeness(self, descriptors: Descriptors) -> FloatArray:
        """(n,) 0 for a patch that resembles an example, up to FAR_SHARE for one that resembles none."""
        if not len(self.examples):
            return np.zeros(len(descriptors))
        scaled = (descriptors.astype(np.float64) - self.mean) / self.scale
        distance = 1 - (unit(scaled) @ self.examples.T).max(axis=1)
        return np.asarray(FAR_SHARE / (1 + np.exp(-12 * np.clip(distance / self.reach - 1.5, -3, 3))))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        stored: dict[str, NDArray[np.generic]] = {
            field.name: np.asarray(getattr(self, field.name))
            for field in dataclasses.fields(self)
            if field.name != "letters"
        }
        stored["letters"] = np.array([ord(letter) for letter in self.letters], dtype=np.int32)
        stored["examples"] = self.examples.astype(np.float16)
        return stored


def head_from_arrays(arrays: Mapping[str, NDArray[np.generic]]) -> Head:
    """Restores a head from `Head.arrays`. Raises ValueError if the arrays do not fit together."""
    try:
        letters = "".join(chr(int(code)) for code in arrays["letters"])
        numbers = {
            name: np.asarray(arrays[name], dtype=np.float64)
            for name in ("mean", "scale", "coefficients", "intercepts", "slopes", "offsets", "examples")
        }
        reach, trust = (float(np.asarray(arrays[name], dtype=np.float64)) for name in ("reach", "trust"))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"not the arrays of a head: {error!r}") from error
    length, rows = len(numbers["mean"]), len(letters)
    shapes = {
        "mean": (length,), "scale": (length,), "coefficients": (rows, length), "intercepts": (rows,),
        "slopes": (rows,), "offsets": (rows,), "examples": (len(numbers["examples"]), length),
    }  # fmt: skip
    for name, shape in shapes.items():
        if numbers[name].shape != shape or not np.isfinite(numbers[name]).all():
            raise ValueError(f"{name} of a head is {numbers[name].shape}, not {shape}, or not finite")
    if not rows or not reach > 0 or not 0 <= trust <= 1 or not (numbers["scale"] > 0).all():
        raise ValueError("a head without classes or scale, or with a reach or trust that cannot be")
    return Head(letters=letters, reach=reach, trust=trust, **numbers)


@dataclasses.dataclass(frozen=True, eq=False)
class Generic:
    head: Head
    """Reads any board; its classes are empty, the pieces and OTHER."""
    others: Descriptors
    """(n, length) descriptors of OTHER, from which a table's own head learns what is not a cell."""
    ways: Ways | None = None
    """Predicts the direction of a half's partner; None if cells are not paired."""
    means: BoardMeans | None = None
    """Model of how the classes of one board look together; None if each cell is read by itself."""


@dataclasses.dataclass(frozen=True, eq=False)
class Ways:
    """Predicts the direction of a tile's other half: none, up, right, down, left."""

    coefficients: FloatArray
    """(5, length)."""
    intercepts: FloatArray
    """(5,)."""

    def log_probabilities(self, descriptors: Descriptors) -> FloatArray:
        """(n, 5) natural logarithms; the probabilities of each row add up to 1."""
        scores = descriptors.astype(np.float64) @ self.coefficients.T + self.intercepts
        scores -= scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


@functools.lru_cache(maxsize=4)
def load_generic(descriptor: str = DEFAULT, folder: Path = MODELS) -> Generic:
    """Loads the shipped models for a descriptor of `GENERIC`, once per process. Raises WeightsError."""
    weights = find_weights(GENERIC[descriptor], folder)
    try:
        with np.load(weights.path, allow_pickle=False) as arrays:
            head = head_from_arrays({name: arrays[name] for name in arrays.files})
            others, length = np.asarray(arrays["others"], dtype=np.float32), len(head.mean)
            own = {name.removeprefix(MEANS): arrays[name] for name in arrays if name.startswith(MEANS)}
            means = board_means(own, length + man_colours.LENGTH) if own else None
            return Generic(head, others, _ways(arrays, length), means)
    except (ValueError, KeyError) as error:
        raise WeightsError(f"{weights.path}: {error}") from error


def _ways(arrays: Mapping[str, NDArray[np.generic]], length: int) -> Ways | None:
    if "way_coefficients" not in arrays:
        return None
    ways = Ways(*(np.asarray(arrays[f"way_{name}"], dtype=np.float64) for name in ("coefficients", "intercepts")))
    if ways.coefficients.shape != (5, length) or ways.intercepts.shape != (5,):
        raise ValueError(f"directions of partners are told by {ways.coefficients.shape}, not by (5, {length})")
    return ways


def judge(
    descriptors: Descriptors, letters: str, table: Head | None, generic: Head | None
) -> tuple[FloatArray, FloatArray]:
    """(n, letters) log probabilities by both heads, normalised, and (n,) probabilities of showing nothing learnt.

    Classes the table's head has learnt get its probability, combined with the generic head's by the weight `trust`;
    classes that it never saw keep the generic head's share. Nothing learnt, 0 to 1, is what went to OTHER, or was
    removed because the patch resembles no example: the cell is covered or looks new.
    """
    shares, unknown = np.full((len(descriptors), len(letters)), 1 / len(letters)), np.zeros(len(descriptors))
    if generic is not None:
        odds = generic.probabilities(descriptors)
        shares, unknown = _spread(odds, generic.letters, letters), _other(odds, generic.letters)
    if table is not None:
        odds = table.probabilities(descriptors)
        own = _spread(odds, table.letters, letters)
        own = own * np.clip(shares, MIN_SHARE, None) ** table.trust
        unseen = np.array([letter not in table.letters for letter in letters])
        elsewhere = shares[:, unseen].sum(axis=1, keepdims=True)
        own = np.where(unseen, 0, own)
        believed = np.where(unseen, shares, own / own.sum(axis=1, keepdims=True) * (1 - elsewhere))
        strange = table.strangeness(descriptors)[:, None]
        shares = believed * (1 - strange) + strange / len(letters)
        unknown = 1 - (1 - _other(odds, table.letters)) * (1 - strange[:, 0])
    shares = np.clip(shares, MIN_SHARE, None)
    return np.asarray(np.log(shares / shares.sum(axis=1, keepdims=True))), np.asarray(unknown)


def check_labels(descriptor: str | None, boards: Sequence[str], template: BoardTemplate) -> None:
    """Raises LabelError if a class is labelled in no photo and no shipped head knows it for this descriptor."""
    if descriptor is None or descriptor in GENERIC:
        return
    missing = [name for letter, name in template.classes.items() if not any(letter in cells for cells in boards)]
    if missing:
        raise LabelError(f"no {' and no '.join(missing)} is labelled; {descriptor} knows only what the photos show")


def unit(vectors: FloatArray) -> FloatArray:
    """Normalises the vectors to length 1."""
    return np.asarray(vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-9))


def _other(known: FloatArray, known_letters: str) -> FloatArray:
    """(n,) share of OTHER; 0 for a head that does not know it."""
    return np.asarray(known[:, known_letters.index(OTHER)]) if OTHER in known_letters else np.zeros(len(known))


def _spread(known: FloatArray, known_letters: str, letters: str) -> FloatArray:
    """Probabilities over `letters`: OTHER's share goes to all, that of letters not in this game to unknown letters.

    If the head knows all `letters`, those shares go to all too. A game with other classes than the head's (dominoes)
    only gets the head's probability of empty.
    """
    shares = np.zeros((len(known), len(letters)))
    loose = np.zeros(len(known))
    for column, letter in enumerate(known_letters):
        if letter in letters:
            shares[:, letters.index(letter)] = known[:, column]
        elif letter == OTHER:
            shares += known[:, column, None] / len(letters)
        else:
            loose += known[:, column]
    strangers = [index for index, letter in enumerate(letters) if letter not in known_letters]
    columns = strangers or list(range(len(letters)))
    shares[:, columns] += loose[:, None] / len(columns)
    return shares
