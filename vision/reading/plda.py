"""Models how the classes of one board look, given how the classes of many boards looked.

Probabilistic linear discriminant analysis (Ioffe, "Probabilistic Linear Discriminant Analysis", 2006): in a projection
of a cell's features, cells of one class and one board scatter about that board's class mean with unit variance, and
the means of all classes of a board are together drawn from one normal distribution. So the model adapts to each board,
even if all of it is dim or reddish, or light pieces are brown where the dark ones are black.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray


@dataclasses.dataclass(frozen=True, eq=False)
class BoardMeans:
    """Distribution of boards' class means, and the projection of cells. Build it with `board_means`."""

    letters: str
    """Class letters, empty first."""
    projection: FloatArray
    """(length, k) matrix by which a cell's features are multiplied."""
    offset: FloatArray
    """(k,) added after the multiplication."""
    mean: FloatArray
    """(classes * k,) expected class means, class by class."""
    covariance: FloatArray
    """(classes * k, classes * k) covariance of the class means over boards."""
    precision: FloatArray = dataclasses.field(init=False)
    constant: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", np.linalg.inv(self.covariance))
        half = self.mean @ self.precision @ self.mean + np.linalg.slogdet(self.covariance)[1]
        object.__setattr__(self, "constant", -0.5 * float(half))

    @property
    def dimensions(self) -> int:
        """Numbers per projected cell."""
        return len(self.offset)

    def project(self, known: FloatArray) -> FloatArray:
        return np.asarray(known @ self.projection + self.offset)

    def posterior(self, cells: FloatArray, shares: FloatArray) -> tuple[FloatArray, float]:
        """(classes, k) this board's class means, given (n, classes) `shares` of the (n, k) `cells`; and the evidence.

        The evidence is the natural logarithm of the cells' likelihood on any board, less terms of the cells alone.
        """
        k, counts = self.dimensions, shares.sum(axis=0)
        precision = self.precision + np.diag(np.repeat(counts, k))
        weighted = self.precision @ self.mean + (shares.T @ cells).ravel()
        means = np.linalg.solve(precision, weighted)
        evidence = self.constant - 0.5 * np.linalg.slogdet(precision)[1] + 0.5 * float(weighted @ means)
        return np.asarray(means.reshape(len(self.letters), k), dtype=np.float64), float(evidence)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        names = ("projection", "offset", "mean", "covariance")
        stored: dict[str, NDArray[np.generic]] = {name: getattr(self, name).astype(np.float32) for name in names}
        stored["letters"] = np.array([ord(letter) for letter in self.letters], dtype=np.int32)
        return stored


def board_means(arrays: Mapping[str, NDArray[np.generic]], length: int) -> BoardMeans:
    """Restores `BoardMeans.arrays`, for cells of `length` features. Raises ValueError, KeyError."""
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
