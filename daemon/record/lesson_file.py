"""The file of what the start of a game has taught, so that a daemon restarted in the middle of it reads by it.

One file for each table and game, beside the table's profile. It counts for its own game alone, and the next start
replaces it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.atomic_file import write_atomically
from calibration.stored_arrays import DAMAGED, read_arrays
from calibration.template import BoardTemplate
from vision.calibrating.start import Lesson
from vision.calibrating.verdict import Expectation
from vision.reading.cells import RAISED
from vision.reading.heads import load_generic
from vision.reading.plda import BoardMeans
from vision.reading.taught import WITNESSES, CellFeatures, Taught

LOGGER = logging.getLogger(__name__)
FORMAT = 2
FEATURES = tuple(field.name for field in dataclasses.fields(CellFeatures))


class LessonFile:
    def __init__(self, path: Path, game_id: str) -> None:
        self.path = path
        self._game_id = game_id

    def load(self, template: BoardTemplate) -> Lesson | None:
        """What the start of this game has taught; None without a file, or with one that is damaged or of another game.

        Its turn is that of the picture that taught it.
        """
        model = load_generic(template.descriptor).means
        try:
            arrays = read_arrays(self.path)
            facts = json.loads(arrays["facts"].tobytes())
            if facts["format"] != FORMAT or facts["game_id"] != self._game_id:
                return None
            if model is None or facts["model"] != _digest(model):
                return None
            return _lesson(facts, arrays, model, template)
        except FileNotFoundError:
            return None
        except (OSError, *DAMAGED) as error:
            LOGGER.warning("%s: what the start has taught cannot be read, and is not used: %s", self.path, error)
            return None

    def save(self, lesson: Lesson) -> None:
        """Writes the file whole or not at all; if that fails, the lesson ends with this session."""
        taught, expected = lesson.taught, lesson.expectation
        facts = {
            "format": FORMAT,
            "game_id": self._game_id,
            "model": _digest(taught.model),
            "turn": lesson.turn,
            "board": lesson.board,
            "strange": taught.strange,
            "tall": taught.tall,
            "expectation": [expected.right, expected.judged, expected.cells],
        }
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8),
            classes=taught.classes,
            kinds=taught.kinds,
            weights=taught.weights,
            **{name: getattr(taught.known, name) for name in FEATURES},
        )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, buffer.getvalue(), private=True)
        except OSError as error:
            LOGGER.warning("%s: cannot be written: %s", self.path, error.strerror or error)


def _lesson(
    facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]], model: BoardMeans, template: BoardTemplate
) -> Lesson:
    count, classes = len(template.cells_mm), len(model.letters)
    views = 1 + len(RAISED) if template.man_height_mm else 1
    numbers = {name: np.asarray(arrays[name], dtype=np.float64) for name in (*FEATURES, "weights")}
    shapes: dict[str, tuple[int, ...]] = {"network": (count, views, classes), "contrast": (count, views)}
    shapes |= {"projected": (count, views, model.dimensions), "colour": (count, views, 3)}
    shapes["weights"] = (views * len(WITNESSES),)
    for name, shape in shapes.items():
        if numbers[name].shape != shape or not np.isfinite(numbers[name]).all():
            raise ValueError(f"{name} is {numbers[name].shape}, not {shape}, or not finite")
    indices = {name: np.asarray(arrays[name]).astype(np.intp) for name in ("classes", "kinds")}
    for name, most in (("classes", classes), ("kinds", 2)):
        if indices[name].shape != (count,) or not ((indices[name] >= 0) & (indices[name] < most)).all():
            raise ValueError(f"{name} is no list of {count} numbers below {most}")
    strange, turn, (right, judged, cells) = facts["strange"], facts["turn"], facts["expectation"]
    if not isinstance(strange, float) or not 0 <= strange <= 1 or turn not in range(4):
        raise ValueError(f"strange is {strange!r}, turn {turn!r}")
    known = CellFeatures(*(numbers[name] for name in FEATURES))
    taught = Taught(
        model, known, indices["classes"], indices["kinds"], numbers["weights"], strange, facts["tall"] is True
    )
    expected = Expectation(float(right), int(judged), int(cells), by_picture=False)
    return Lesson(taught, turn, expected, str(facts["board"]))


def _digest(model: BoardMeans) -> str:
    """SHA-256 of the projection, in which the known cells are stored."""
    return hashlib.sha256(model.projection.tobytes() + model.offset.tobytes()).hexdigest()
