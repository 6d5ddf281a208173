"""A table profile: calibration data of one table, its board and its pieces, in one `.npz` file."""

from __future__ import annotations

import dataclasses
import datetime
import io
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.atomic_file import write_atomically
from calibration.stored_arrays import DAMAGED, arrays_of, read_arrays
from calibration.template import BoardTemplate, load_template
from system.numbers import number, whole

FORMAT = 1
HEAD = "head_"
FACTS = ("game", "options", "shape", "descriptor", "weights_sha256", "accuracy", "boards", "doubts", "created")


class ProfileError(ValueError):
    """A profile is missing, damaged, or made for something else; the message says what to do."""


@dataclasses.dataclass(frozen=True, eq=False)
class TableProfile:
    game: str
    """The game's module name."""
    options: frozenset[str]
    """Rule options whose lines are drawn on the board."""
    shape: Mapping[str, float]
    """The template's shape parameters as measured on the board."""
    reference_jpeg: bytes
    """A photo of the board with few or no pieces, as JPEG."""
    image_from_board: FloatArray
    """(3, 3) homography: board millimetres to pixels of the reference picture."""
    descriptor: str
    """Name of the patch descriptor for which the head was fitted."""
    weights_sha256: str
    """Digest of the descriptor's weights; empty if it has none."""
    head: Mapping[str, NDArray[np.generic]]
    accuracy: float
    """Cross-validated share of the labelled cells, in varied light, that were read right."""
    boards: float | None = None
    """Expected share of whole boards read without an error; None if it was not computed."""
    doubts: tuple[str, ...] = ()
    """Sentences saying why calibration advised against this profile, if it was accepted nevertheless."""
    created: str = dataclasses.field(default_factory=lambda: datetime.date.today().isoformat())
    """ISO date."""

    def template(self) -> BoardTemplate:
        """The game's template with the measured shape. Raises TemplateError."""
        return load_template(self.game, self.options).with_shape(self.shape)

    @property
    def caution(self) -> str:
        """Warning shown when the profile is used, if it was made against advice; else empty."""
        return f"This table's profile was made against advice. {' '.join(self.doubts)}" if self.doubts else ""

    def check_game(self, game: str) -> None:
        """Raises ProfileError unless the profile was made for that game."""
        if self.game != game:
            raise ProfileError(f"the profile was made for {self.game}, not for {game}; calibrate for {game}")

    def to_bytes(self) -> bytes:
        facts = {name: getattr(self, name) for name in FACTS}
        facts |= {"format": FORMAT, "options": sorted(self.options), "shape": dict(self.shape)}
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8),
            reference=np.frombuffer(self.reference_jpeg, dtype=np.uint8),
            image_from_board=self.image_from_board,
            **{HEAD + name: array for name, array in self.head.items()},  # type: ignore[arg-type]
        )
        return buffer.getvalue()

    def save(self, path: Path) -> None:
        """Writes the file atomically. Raises ProfileError."""
        try:
            write_atomically(path, self.to_bytes(), private=True)  # it has a picture of the table
        except OSError as error:
            raise ProfileError(f"{path}: cannot be written: {error.strerror}") from error

    @staticmethod
    def load(path: Path) -> TableProfile:
        """Loads a profile from a file written by `save`. Raises ProfileError."""
        try:
            arrays = read_arrays(path)
            return _from_arrays(arrays)
        except OSError as error:
            raise ProfileError(f"{path}: {error.strerror or error}") from error
        except DAMAGED as error:
            raise ProfileError(f"{path}: no table profile ({error}); make one with `kibitzer calibrate`") from error

    @staticmethod
    def from_bytes(content: bytes) -> TableProfile:
        """Loads a profile from a file's content. Raises ProfileError."""
        try:
            return _from_arrays(arrays_of(content))
        except DAMAGED as error:
            raise ProfileError(f"no table profile ({error})") from error


def _from_arrays(arrays: Mapping[str, NDArray[np.generic]]) -> TableProfile:
    facts: Any = json.loads(arrays["facts"].tobytes())
    if not isinstance(facts, dict) or whole(facts.get("format")) != FORMAT:
        raise ValueError(f"format {facts.get('format') if isinstance(facts, dict) else None!r} is not {FORMAT}")
    for name in ("game", "descriptor", "weights_sha256", "created"):
        if not isinstance(facts[name], str):
            raise ValueError(f"{name} is no text")
    image_from_board = np.asarray(arrays["image_from_board"], dtype=np.float64)
    if image_from_board.shape != (3, 3) or not np.isfinite(image_from_board).all():
        raise ValueError("image_from_board is no homography")
    boards = facts.get("boards")  # missing in older profiles
    if not all(math.isfinite(number(one)) for one in (facts["accuracy"], boards or 0, *facts["shape"].values())):
        raise ValueError("accuracy, boards and shape are numbers")
    return TableProfile(
        game=facts["game"],
        options=frozenset(str(option) for option in facts["options"]),
        shape={str(name): float(value) for name, value in facts["shape"].items()},
        reference_jpeg=arrays["reference"].tobytes(),
        image_from_board=image_from_board,
        descriptor=facts["descriptor"],
        weights_sha256=facts["weights_sha256"],
        head={name.removeprefix(HEAD): array for name, array in arrays.items() if name.startswith(HEAD)},
        accuracy=float(facts["accuracy"]),
        boards=None if boards is None else float(boards),
        doubts=tuple(str(doubt) for doubt in facts.get("doubts", ())),
        created=facts["created"],
    )
