"""How the classes of one board look, told from how the classes of many boards looked.

Probabilistic linear discriminant analysis (Ioffe, "Probabilistic Linear Discriminant Analysis", 2006): in a projection
of what is known of a cell, cells of one class and one board scatter about that board's mean of the class with unit
variance, and a board's means, of all classes together, are drawn from one normal distribution. So boards may be dim or
red all over, light men may be brown where the dark ones are black, and still every board tells of itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class BoardMeans:
    """What boards' class means are like, and how a cell is projected. Build it with `board_means`."""

    letters: str
    """Class letters, empty first."""
    projection: FloatArray
    """(length, k) by which what is known of a cell is multiplied."""
    offset: FloatArray
    """(k,) added afterwards."""
    mean: FloatArray
    """(classes * k,) of the class means, class by class."""
    covariance: FloatArray
    """(classes * k, classes * k) of the class means over boards."""
    precision: FloatArray = dataclasses.field(init=False)
    constant: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", np.linalg.inv(self.covariance))
        half = self.mean @ self.precision @ self.mean + np.linalg.slogdet(self.covariance)[1]
        object.__setattr__(self, "constant", -0.5 * float(half))

    @property
    def dimensions(self) -> int:
        """Numbers that are left of a cell."""
        return len(self.offset)

    def project(self, known: FloatArray) -> FloatArray:
        """(n, k) of (n, length) what is known of cells."""
        return np.asarray(known @ self.projection + self.offset)

    def posterior(self, cells: FloatArray, shares: FloatArray) -> tuple[FloatArray, float]:
        """(classes, k) this board's class means, given which share of each of the (n, k) cells is of which class.

        And the natural logarithm of how likely such cells are on any board, but for what the cells alone decide.
        """
        k, counts = self.dimensions, shares.sum(axis=0)
        precision = self.precision + np.diag(np.repeat(counts, k))
        weighted = self.precision @ self.mean + (shares.T @ cells).ravel()
        means = np.linalg.solve(precision, weighted)
        evidence = self.constant - 0.5 * np.linalg.slogdet(precision)[1] + 0.5 * float(weighted @ means)
        return np.asarray(means.reshape(len(self.letters), k), dtype=np.float64), float(evidence)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Everything it is, to be stored."""
        names = ("projection", "offset", "mean", "covariance")
        stored: dict[str, NDArray[np.generic]] = {name: getattr(self, name).astype(np.float32) for name in names}
        stored["letters"] = np.array([ord(letter) for letter in self.letters], dtype=np.int32)
        return stored


def board_means(arrays: Mapping[str, NDArray[np.generic]], length: int) -> BoardMeans:
    """What `BoardMeans.arrays` stored, for cells of which `length` numbers are known. Raises ValueError, KeyError."""
    letters = "".join(chr(int(code)) for code in arrays["letters"])
    numbers = {name: np.asarray(arrays[name], dtype=np.float64) for name in ("projection", "offset", "mean")}
    covariance = np.asarray(arrays["covariance"], dtype=np.float64)
    k = len(numbers["offset"])
    shapes = {"projection": (length, k), "offset": (k,), "mean": (len(letters) * k,)}
    for name, shape in shapes.items():
        if numbers[name].shape != shape or not np.isfinite(numbers[name]).all():
            raise ValueError(f"{name} of the boards' class means is {numbers[name].shape}, not {shape}, or not finite")
    if covariance.shape != (len(letters) * k,) * 2 or not (np.linalg.eigvalsh(covariance) > 0).all():
        raise ValueError("the covariance of the boards' class means is none")
    return BoardMeans(letters, covariance=(covariance + covariance.T) / 2, **numbers)
